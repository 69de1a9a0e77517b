//! What the agent asks of the client: terminals, permissions, and questions of its own.

use super::call::{Call, Status, is, text};
use super::out::Out;
use super::session::Session;
use super::terminal::{Exit, Killed, Terminal};
use crate::event::{Fault, Note};
use crate::value::{Text, Value};
use std::io;

/// What is asked about a call, until it is answered.
pub(super) struct Question {
    /// The id of the request.
    pub(super) request: Vec<u8>,
    pub(super) call: Call,
    /// The options: their ids, names and kinds.
    options: Vec<[String; 3]>,
}

impl Question {
    pub(super) fn new(request: &[u8], params: Value) -> Self {
        let mut call = Call::new("");
        if let Some(about) = params.get("toolCall") {
            about.get("toolCallId").and_then(Value::str).unwrap_or_default().as_ref().clone_into(&mut call.id);
            call.change(about);
        }
        let options = params.get("options").into_iter().flat_map(Value::items);
        let string = |option: Value, key| option.get(key).and_then(Value::str).unwrap_or_default().into_owned();
        let options = options.map(|option| ["optionId", "name", "kind"].map(|key| string(option, key))).collect();
        Self { request: request.to_vec(), call, options }
    }

    /// What an answer says.
    fn answer(&self, outcome: Value) -> Answer {
        let [how, option] =
            outcome.pick(["outcome", "optionId"]).map(|value| value.and_then(Value::str).unwrap_or_default());
        if how == "cancelled" {
            return Answer::Refused("cancelled".to_owned());
        }
        let unknown = [String::new(), option.clone().into_owned(), String::new()];
        let [_, name, kind] = self.options.iter().find(|[id, ..]| *id == option).unwrap_or(&unknown);
        // Where the option does not say what it does, its words do.
        let words: [&str; 3] = [kind, &option, name];
        let says = |starts: &[&str]| {
            let first =
                |text: &str| text.split(|char: char| !char.is_alphanumeric()).next().unwrap_or_default().to_lowercase();
            words
                .iter()
                .map(|text| first(text))
                .find(|word| !word.is_empty() && (ALLOWS.contains(&word.as_str()) || REFUSES.contains(&word.as_str())))
                .is_some_and(|word| starts.contains(&word.as_str()))
        };
        if says(&REFUSES) {
            Answer::Refused(String::new())
        } else if says(&ALLOWS) {
            Answer::Allowed(name.clone())
        } else {
            Answer::Unknown
        }
    }
}

/// What an answer to a question about a call says.
enum Answer {
    /// It may be made, in these words.
    Allowed(String),
    /// It may not, for this reason, if one is given.
    Refused(String),
    /// Nobody can know.
    Unknown,
}

/// The words that an option begins with which allows, and one which does not.
const ALLOWS: [&str; 7] = ["allow", "approve", "accept", "yes", "y", "proceed", "always"];
const REFUSES: [&str; 7] = ["reject", "deny", "decline", "no", "n", "cancel", "abort"];

/// So many questions wait for their calls.
const ASKED: usize = 256;

impl Session {
    /// A question about a call was answered.
    pub(super) fn permitted(&mut self, question: Question, result: Option<Value>, out: &mut Out) -> io::Result<()> {
        let Some(outcome) = result.and_then(|result| result.get("outcome")) else { return Ok(()) };
        let answer = question.answer(outcome);
        let mut asked = question.call;
        // Some agents ask about a call under another id than they announce it by.
        let like = || self.calls.all().find(|(_, call)| call.is_like(&asked)).map(|(place, _)| place);
        let known = self.calls.place(&asked.id).or_else(like);
        let title = || known.map(|place| self.calls[place].plain_title()).filter(|title| !title.is_empty());
        let what = match asked.plain_title() {
            "" => title().unwrap_or(&asked.id).to_owned(),
            title => title.to_owned(),
        };
        let command = asked.command().or_else(|| self.calls[known?].command());
        let what = match command.filter(|command| !what.contains(command.as_str())) {
            Some(command) if command.starts_with(&what) || asked.tool() == what || what == asked.kind => command,
            Some(command) => format!("{what}: {command}"),
            None => what,
        };
        let reason = match answer {
            Answer::Unknown => return Ok(()),
            Answer::Allowed(answer) => {
                self.note(Note::Allowed { what: what.into(), answer: answer.into() }, out)?;
                None
            }
            // Why it was asked is why it was not allowed, if no more is said.
            Answer::Refused(why) if why.is_empty() => Some(asked.text().trim().to_owned()),
            Answer::Refused(why) => Some(why),
        };
        if let Some(place) = known {
            let call = &mut self.calls[place];
            call.rejected = reason;
            if call.raw_input.is_empty() {
                call.raw_input = asked.raw_input;
            }
            if call.title.is_empty() {
                call.title = asked.title;
            }
        } else if !self.calls.is_over(&asked.id) {
            (asked.rejected, asked.status) = (reason, Status::Pending);
            if self.asked.len() >= ASKED {
                self.asked.pop_front();
            }
            self.asked.push_back(asked);
        }
        Ok(())
    }

    /// A terminal was created, or could not be.
    pub(super) fn created(
        &mut self,
        mut terminal: Terminal,
        answer: Result<Value, String>,
        out: &mut Out,
    ) -> io::Result<()> {
        let id = match answer {
            Ok(result) => result.get("terminalId").and_then(Value::str).unwrap_or_default().into_owned(),
            Err(why) => {
                terminal.not_started = Some(why);
                format!("not started {}", self.terminals.len())
            }
        };
        self.loose_done |= terminal.not_started.is_some();
        self.gone.remove(&id);
        self.terminals.insert(id.clone(), terminal);
        self.loose.push_back(id.clone());
        self.attach(&id, out)
    }

    /// What a terminal holds at the moment.
    pub(super) fn held(&mut self, id: &str, result: Value, out: &mut Out) -> io::Result<()> {
        self.terminal(id, out)?;
        let Some(terminal) = self.terminals.get_mut(id) else { return Ok(()) };
        let [output, truncated, exit] = result.pick(["output", "truncated", "exitStatus"]);
        let text = output.and_then(Value::text).unwrap_or(Text::plain(b""));
        let truncated = truncated.and_then(Value::bool) == Some(true);
        let exit = exit.map(Exit::of);
        if out.needs.faults {
            super::rules::output(id, terminal, text, truncated, exit.as_ref(), out)?;
        }
        terminal.snapshot(text, truncated);
        if let Some(exit) = exit {
            self.exited(id, exit, out)?;
        }
        self.printed(id, out)
    }

    /// A terminal is spoken of that may have been created before the log begins.
    fn terminal(&mut self, id: &str, out: &mut Out) -> io::Result<()> {
        if self.terminals.contains_key(id) || self.gone.contains(id) || id.is_empty() {
            return Ok(());
        }
        self.terminals.insert(id.to_owned(), Terminal::foreign());
        self.loose.push_back(id.to_owned());
        self.attach(id, out)
    }

    /// A command has ended.
    pub(super) fn exited(&mut self, id: &str, exit: Exit, out: &mut Out) -> io::Result<()> {
        self.terminal(id, out)?;
        let Some(terminal) = self.terminals.get_mut(id) else { return Ok(()) };
        let now = exit.words();
        match terminal.exited(exit, out.at_ms) {
            Some(before) => {
                let what = format!("terminal `{id}` had ended with {}, and now with {now}", before.words());
                out.found(Fault::ExitStatusChanged, what)
            }
            None => Ok(()),
        }
    }

    /// A command is to be ended.
    pub(super) fn kill(&mut self, id: &str, awaited: bool) {
        let cancelled = self.cancelled;
        if let Some(terminal) = self.terminals.get_mut(id).filter(|terminal| terminal.exit.is_none()) {
            terminal.killed = Some(Killed { awaited, cancelled });
        }
    }

    /// It could not be ended.
    pub(super) fn not_killed(&mut self, id: &str) {
        if let Some(terminal) = self.terminals.get_mut(id) {
            terminal.killed = None;
        }
    }

    pub(super) fn release(&mut self, id: &str, out: &Out) {
        if let Some(terminal) = self.terminals.get_mut(id).filter(|terminal| !terminal.released) {
            terminal.released = true;
            self.loose_done |= terminal.call.is_none();
            terminal.stopped = terminal.runs() && terminal.killed.is_none();
            terminal.ended_ms = terminal.ended_ms.or(out.at_ms);
        }
    }
}

/// What a prompt says.
pub(super) fn prompt(params: Value) -> String {
    let mut text_of_all = String::new();
    for block in params.get("prompt").into_iter().flat_map(Value::items) {
        super::update::push_block(block, &mut text_of_all);
        if let Some(inside) = text(block).filter(|_| !is(block, "text")) {
            text_of_all.extend(["\n", &inside]);
        }
    }
    text_of_all
}
