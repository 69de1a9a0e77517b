//! A session: what is under way in it, and how it is told.

use super::call::{Call, Status};
use super::open::Open;
use super::out::Out;
use super::terminal::Terminal;
use crate::event::{self, Context, Kind, Note, Side, Usage};
use crate::value::{Text, Value};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet, VecDeque};
use std::io;

/// What is known of a session.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own, and none excludes another")]
#[derive(Default)]
pub(super) struct Session {
    pub(super) cwd: Option<String>,
    pub(super) model: Option<String>,
    /// The modes that there are: their ids and their names.
    pub(super) modes: Vec<(String, String)>,
    pub(super) mode: Option<String>,
    /// A mode that was set while nothing was under way.
    new_mode: bool,
    /// What was said before is being said again.
    pub(super) loading: bool,
    turn: Turn,
    /// The request that is being answered, and when it came.
    pub(super) prompt: Option<(Vec<u8>, Option<i64>)>,
    /// What was asked before that has had its answer.
    pub(super) queue: VecDeque<Queued>,
    /// Nobody waits for that answer any more.
    pub(super) abandoned: bool,
    pub(super) cancelled: bool,
    /// The message that is being said.
    pub(super) message: Option<String>,
    /// Something was said since the last message ended.
    pub(super) saying: bool,
    pub(super) thinking: bool,
    /// What the user said, where only the agent's side tells it.
    pub(super) user: String,
    /// What came behind the answer of the last prompt.
    pub(super) late: String,
    /// What was noted before the first prompt, and the list of things to do.
    early: Vec<Note<'static>>,
    early_list: Vec<u8>,
    /// The things to do, by their ids.
    pub(super) todos: Vec<(Vec<u8>, Vec<u8>)>,
    /// What was said in messages that have an id, and what is being thought.
    pub(super) said: HashMap<String, Vec<u8>>,
    pub(super) thought: Vec<u8>,
    pub(super) thought_id: Option<String>,
    pub(super) calls: Open,
    pub(super) terminals: HashMap<String, Terminal>,
    /// The ids of those that were released.
    pub(super) gone: HashSet<String>,
    /// The terminals that were created, in order, and belong to no call so far.
    pub(super) loose: VecDeque<String>,
    /// One of these is done with.
    pub(super) loose_done: bool,
    /// Calls that were asked about, and not announced so far.
    pub(super) asked: VecDeque<Call>,
    /// The last account of how full the context is.
    pub(super) used: Vec<u8>,
}

/// A prompt that came before the last one was answered.
pub(super) struct Queued {
    request: Vec<u8>,
    text: String,
    at_ms: Option<i64>,
    /// It was refused, for this reason.
    refused: Option<String>,
}

/// How far a session is.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Turn {
    /// Nothing was asked.
    #[default]
    None,
    /// A run is under way.
    Open,
    /// The last run has had its answer.
    Answered,
}

impl Session {
    /// Whether a run is under way.
    pub(super) fn is_open(&self) -> bool {
        self.turn == Turn::Open
    }

    /// Whether there was no run.
    pub(super) fn is_fresh(&self) -> bool {
        self.turn == Turn::None
    }

    /// Something that belongs to a run and begins none: to the one that is under way, or else to the last, or to the next.
    pub(super) fn note(&mut self, note: Note<'static>, out: &mut Out) -> io::Result<()> {
        if self.is_fresh() && out.client_seen {
            self.early.push(note);
            return Ok(());
        }
        if self.is_fresh() {
            self.begin(out)?;
        }
        out.say(Kind::Noted(note))
    }

    /// The same for the list of what the agent means to do.
    pub(super) fn listed(&mut self, list: &[u8], out: &mut Out) -> io::Result<()> {
        if self.is_fresh() && out.client_seen {
            self.early_list = list.to_vec();
            return Ok(());
        }
        if self.is_fresh() {
            self.begin(out)?;
        }
        out.say(Kind::Listed(Value::again(list)))
    }

    /// A run begins, if none is under way.
    pub(super) fn begin(&mut self, out: &mut Out) -> io::Result<()> {
        if self.is_open() {
            return Ok(());
        }
        self.turn = Turn::Open;
        (self.cancelled, self.abandoned) = (false, false);
        self.message = None;
        self.said.clear();
        let text = |text: &Option<String>| text.clone().map(Cow::Owned);
        out.say(Kind::Began { model: text(&self.model), cwd: text(&self.cwd) })?;
        if out.one_sided() {
            out.say(Kind::Noted(Note::OneSided(Side::Agent)))?;
        }
        if std::mem::take(&mut self.new_mode)
            && let Some(mode) = self.mode_name()
        {
            out.say(Kind::Noted(Note::Mode(mode.into())))?;
        }
        for note in std::mem::take(&mut self.early) {
            out.say(Kind::Noted(note))?;
        }
        match std::mem::take(&mut self.early_list) {
            list if list.is_empty() => Ok(()),
            list => out.say(Kind::Listed(Value::again(&list))),
        }
    }

    /// The client asks for something. What is under way has its answer first.
    pub(super) fn prompt(&mut self, request: &[u8], text: String, out: &mut Out) -> io::Result<()> {
        if self.is_open() && self.prompt.is_some() && !self.abandoned {
            self.queue.push_back(Queued { request: request.to_vec(), text, at_ms: out.at_ms, refused: None });
            return Ok(());
        }
        self.start(request, &text, out.at_ms, out)
    }

    fn start(&mut self, request: &[u8], text: &str, at_ms: Option<i64>, out: &mut Out) -> io::Result<()> {
        self.give_up(out)?;
        self.tell_late(out)?;
        self.prompt = Some((request.to_vec(), at_ms));
        self.begin(out)?;
        out.say(Kind::Prompted(Text::plain(text.as_bytes())))
    }

    /// What is under way has no answer, nor has what was asked behind it.
    pub(super) fn give_up(&mut self, out: &mut Out) -> io::Result<()> {
        self.tell_queue(self.queue.len(), out)?;
        self.settle(out)?;
        if self.is_open() {
            self.turn = Turn::None;
        }
        self.prompt = None;
        Ok(())
    }

    /// The first of what is asked behind what is under way becomes a part of that.
    fn tell_queue(&mut self, count: usize, out: &mut Out) -> io::Result<()> {
        self.queue.drain(..count).try_for_each(|queued| out.say(Kind::Prompted(Text::plain(queued.text.as_bytes()))))
    }

    /// The agent has taken a prompt up, and goes on with what is under way.
    pub(super) fn taken_up(&mut self, request: &[u8], out: &mut Out) -> io::Result<()> {
        match self.queue.iter().position(|queued| queued.request == request) {
            Some(place) => self.tell_queue(place + 1, out),
            None => Ok(()),
        }
    }

    /// Whether an answer to this request, or to none that is known, ends what is under way. If what it answers was asked later,
    /// all that was asked before has no answer of its own; unless it was `refused`, while that goes on.
    pub(super) fn is_answered_by(
        &mut self,
        request: Option<&[u8]>,
        refused: Option<&str>,
        out: &mut Out,
    ) -> io::Result<bool> {
        let Some(request) = request else { return Ok(self.is_open()) };
        match &self.prompt {
            Some((open, _)) if open == request => return Ok(true),
            None => return Ok(self.is_open()),
            Some(_) => {}
        }
        let Some(place) = self.queue.iter().position(|queued| queued.request == request) else { return Ok(false) };
        if refused.is_some() {
            self.queue[place].refused = refused.map(str::to_owned);
            return Ok(false);
        }
        self.prompt = Some((request.to_vec(), self.queue[place].at_ms));
        self.tell_queue(place + 1, out)?;
        Ok(true)
    }

    /// The run is over.
    pub(super) fn end(&mut self, ended: event::Ended, out: &mut Out) -> io::Result<()> {
        self.end_one(ended, out)?;
        while let Some(Queued { request, text, at_ms, refused }) = self.queue.pop_front() {
            self.start(&request, &text, at_ms, out)?;
            let Some(why) = refused else { break };
            self.end_one(super::update::ended(Some(why.into())), out)?;
        }
        Ok(())
    }

    fn end_one(&mut self, ended: event::Ended, out: &mut Out) -> io::Result<()> {
        self.begin(out)?;
        self.settle(out)?;
        let context = super::call::value(&self.used).and_then(context);
        out.say(Kind::Ended(event::Ended { context, ..ended }))?;
        (self.turn, self.prompt) = (Turn::Answered, None);
        Ok(())
    }

    /// The input is over.
    pub(super) fn cut(&mut self, out: &mut Out) -> io::Result<()> {
        self.tell_queue(self.queue.len(), out)?;
        self.settle(out)?;
        if self.turn == Turn::Answered {
            self.tell_alone(false, out)?;
            self.tell_went_on(out)?;
        }
        self.tell_late(out)
    }

    /// Nothing more comes of what is under way: tells what waits.
    fn settle(&mut self, out: &mut Out) -> io::Result<()> {
        if !self.is_open() {
            return Ok(());
        }
        self.quiet(out)?;
        self.tell_alone(false, out)?;
        for mut call in std::mem::take(&mut self.asked) {
            // What was not allowed, and then not called, is told all the same.
            if call.rejected.is_some() {
                call.status = Status::Failed;
                let place = self.calls.add(call);
                self.tell_call(place, out)?;
            }
        }
        let open: Vec<usize> = self.calls.all().map(|(place, _)| place).collect();
        for place in open {
            self.tell_start(place, out)?;
            self.tell_end(place, out)?;
            self.calls.leave(place);
        }
        self.loose.clear();
        self.tell_went_on(out)
    }

    /// Something else than text comes: what was being said or thought is over.
    pub(super) fn quiet(&mut self, out: &mut Out) -> io::Result<()> {
        self.tell_user(out)?;
        self.thought_over(out)
    }

    /// A thought is over, if there was one.
    pub(super) fn thought_over(&mut self, out: &mut Out) -> io::Result<()> {
        self.thought.clear();
        self.thought_id = None;
        if std::mem::take(&mut self.thinking) { out.say(Kind::ThoughtEnded) } else { Ok(()) }
    }

    pub(super) fn tell_user(&mut self, out: &mut Out) -> io::Result<()> {
        let user = std::mem::take(&mut self.user);
        if user.is_empty() {
            return Ok(());
        }
        self.turn = Turn::None;
        self.begin(out)?;
        out.say(Kind::Prompted(Text::plain(user.as_bytes())))
    }

    /// What came behind the answer belongs to no run, and is not lost.
    pub(super) fn tell_late(&mut self, out: &mut Out) -> io::Result<()> {
        let late = std::mem::take(&mut self.late);
        if late.trim().is_empty() {
            return Ok(());
        }
        let detail = Some(Cow::Owned(late));
        out.say(Kind::Noted(Note::Notice { text: "said behind the end of the run".into(), detail, bad: true }))
    }

    /// The message is over, if one was being said.
    pub(super) fn message_over(&mut self, out: &mut Out) -> io::Result<()> {
        self.message = None;
        if std::mem::take(&mut self.saying) { out.say(Kind::MessageEnded) } else { Ok(()) }
    }

    /// Whether something comes behind the answer that cannot be the beginning of another run.
    pub(super) fn is_late(&self, out: &Out) -> bool {
        self.turn == Turn::Answered && out.client_seen
    }

    pub(super) fn set_mode(&mut self, mode: &str, out: &mut Out) -> io::Result<()> {
        if self.mode.as_deref() == Some(mode) {
            return Ok(());
        }
        self.mode = Some(mode.to_owned());
        match self.mode_name() {
            Some(mode) if self.is_open() => out.say(Kind::Noted(Note::Mode(mode.into()))),
            _ => {
                self.new_mode = true;
                Ok(())
            }
        }
    }

    fn mode_name(&self) -> Option<String> {
        let mode = self.mode.as_ref()?;
        let named = self.modes.iter().find(|(id, _)| id == mode).map(|(_, name)| name);
        Some(named.filter(|name| !name.is_empty()).unwrap_or(mode).clone())
    }
}

/// How full the context is.
pub(super) fn context(used: Value<'_>) -> Option<Context<'_>> {
    let [tokens, size, cost] = used.pick(["used", "size", "cost"]);
    let cost = cost.and_then(|cost| {
        let [amount, currency] = cost.pick(["amount", "currency"]);
        let amount = String::from_utf8_lossy(amount?.json()).into_owned();
        Some(format!("{amount} {}", currency.and_then(Value::str).unwrap_or_default()).trim_end().to_owned().into())
    });
    Some(Context { used: tokens?.integer()?, size: size?.integer()?, cost })
}

/// The tokens of a run.
pub(super) fn usage(usage: Value) -> Usage {
    let count = |names: [&str; 2]| names.iter().find_map(|name| usage.get(name)?.integer());
    Usage {
        input: count(["inputTokens", "input_tokens"]),
        output: count(["outputTokens", "output_tokens"]),
        cache_read: count(["cachedReadTokens", "cached_read_tokens"]),
        cache_write: count(["cachedWriteTokens", "cached_write_tokens"]),
    }
}
