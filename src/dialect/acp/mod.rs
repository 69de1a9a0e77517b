//! The Agent Client Protocol: JSON-RPC in both directions, as clients, agents and those between them save it.
//!
//! Everything is said once, so that there are no repeats to find. What there is to do is to know which request an answer
//! belongs to ([`pending`]), what a call is after many updates ([`call`]), and which command it ran in which terminal
//! ([`terminal`]). A call is told in the words that `tool` knows ([`told`]).

mod asks;
mod call;
mod envelope;
mod extensions;
mod files;
mod layers;
mod open;
mod out;
mod owners;
mod pending;
mod requests;
mod results;
mod rules;
mod session;
mod telling;
mod terminal;
mod told;
mod update;
mod write;

use super::Tell;
use crate::event::{Fault, Kind, Needs, Note, Side};
use crate::value::Value;
pub(super) use envelope::{begins_message, want};

use asks::Question;
use envelope::{Around, Line, Message};
use files::File;
use out::Out;
use pending::{Method, Pending};
use session::Session;
use std::borrow::Cow;
use std::collections::{HashMap, VecDeque};
use std::io;
use terminal::Terminal;

/// The dialect, and all that it has to remember.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own, and none excludes another")]
pub(super) struct Acp {
    needs: Needs,
    /// Where messages are looked at that are seen in several places.
    hop: Option<String>,
    /// Whose messages a mark stands at, as their requests have shown.
    labels: HashMap<String, Option<Side>>,
    /// Something was in the log.
    begun: bool,
    /// A recording says about itself what it is.
    preamble: bool,
    /// What stood above the message that comes next.
    header: Option<Around<'static>>,
    pending: Pending,
    sessions: Vec<(String, Session)>,
    places: HashMap<String, usize>,
    /// The session that something was said of last.
    last: Option<usize>,
    /// Whether the client has said that it has terminals, if it was asked at all.
    terminals: Option<bool>,
    /// It was said that the agent uses them all the same.
    warned: bool,
    /// Terminals that are being created, by the id of the request.
    creating: VecDeque<(Vec<u8>, Terminal)>,
    /// Questions about calls that are not answered.
    questions: VecDeque<Question>,
    /// Files that are asked for.
    files: VecDeque<File>,
    /// Which sides have said something.
    client_seen: bool,
    agent_seen: bool,
    /// It is known that only the agent's side is there, and was not told yet.
    one_sided: bool,
    /// It was told.
    sided: bool,
    /// An error in a log of one side, which may have ended a run.
    doubt: Option<String>,
    /// Why there is no session, if nothing comes of it.
    failure: Option<String>,
    /// The time of the line.
    at_ms: Option<i64>,
    at: String,
}

/// So many marks are told apart.
const LABELS: usize = 16;

impl Acp {
    pub(super) fn new(needs: Needs) -> Self {
        Self {
            needs,
            hop: None,
            labels: HashMap::new(),
            begun: false,
            preamble: false,
            header: None,
            pending: Pending::default(),
            sessions: Vec::new(),
            places: HashMap::new(),
            last: None,
            terminals: None,
            warned: false,
            creating: VecDeque::new(),
            questions: VecDeque::new(),
            files: VecDeque::new(),
            client_seen: false,
            agent_seen: false,
            one_sided: false,
            sided: false,
            doubt: None,
            failure: None,
            at_ms: None,
            at: String::new(),
        }
    }

    /// Tells what an object says, which stands behind `prefix` on its line. Whether it belongs to this dialect.
    pub(super) fn read(&mut self, object: Value, prefix: &[u8], tell: &mut Tell) -> io::Result<bool> {
        (self.preamble, self.begun) = (false, true);
        let around = match self.header.take() {
            _ if !prefix.trim_ascii().is_empty() => envelope::prefix(prefix),
            header => header.unwrap_or_default(),
        };
        self.unwrap(object, around, 0, tell)
    }

    /// Whether a line of text belongs to a recording of this dialect. A list of messages on one line is told. Of a log in which
    /// `others` have said something, brackets are no part.
    pub(super) fn text(&mut self, line: &[u8], others: bool, tell: &mut Tell) -> io::Result<bool> {
        let begins = line.trim_ascii_start().strip_prefix(b"[").map(<[u8]>::trim_ascii_start);
        if begins.is_some_and(|rest| rest.starts_with(b"{"))
            && let Some(list) = Value::text_of(line).filter(|list| list.is_array())
        {
            return self.unwrap_any(list, Around::default(), 0, tell);
        }
        let inside = self.preamble;
        // In a log of other things, a bracket is text.
        let begun = std::mem::replace(&mut self.begun, true);
        if matches!(line.trim_ascii(), b"[" | b"]") {
            return Ok(!(begun || others) || self.client_seen || self.agent_seen);
        }
        match envelope::line(line) {
            Some(Line::Header(around)) => self.header = Some(around),
            Some(Line::Begins) => self.preamble = true,
            Some(Line::Ends) => self.preamble = false,
            Some(Line::Known) => {}
            None => return Ok(inside),
        }
        Ok(inside || !line.starts_with(b"==") || self.preamble)
    }

    fn set_time(&mut self, at_ms: Option<i64>) {
        self.at_ms = at_ms;
        self.at = at_ms.map(|ms| ms.to_string()).unwrap_or_default();
    }

    fn message(&mut self, message: &Message, label: Option<&str>, tell: &mut Tell) -> io::Result<()> {
        let Some(name) = message.method.and_then(Value::str) else { return self.answer(message, label, tell) };
        // Another protocol begins so too, and has dates for versions.
        let version = || message.params?.get("protocolVersion")?.text();
        let other = name == "initialize" && version().is_some();
        let method = Method::named(&name).filter(|_| !other);
        if let Some(side) = method.and_then(Method::side) {
            self.heard(side, label);
        }
        let id = message.id.filter(|id| !id.is_null());
        if method.is_none() && !other && !name.starts_with(['_', '$']) && !name.starts_with("mcp/") {
            self.found("", Fault::UnknownEvent, format!("nobody knows a method `{name}`"), tell)?;
        }
        self.request(method.unwrap_or(Method::Foreign), &name, id, message.params, tell)
    }

    /// A side has said something, at which this mark stands.
    fn heard(&mut self, side: Side, label: Option<&str>) {
        match side {
            Side::Client => self.client_seen = true,
            Side::Agent => self.agent_seen = true,
        }
        let Some(label) = label else { return };
        // So many marks are no marks.
        let room = self.labels.len() < LABELS;
        match self.labels.get_mut(label) {
            // A mark that both sides have says nothing.
            Some(known) => *known = known.filter(|known| *known == side),
            None if room => _ = self.labels.insert(label.to_owned(), Some(side)),
            None => {}
        }
    }

    fn answer(&mut self, message: &Message, label: Option<&str>, tell: &mut Tell) -> io::Result<()> {
        let error = message.error.map(reason);
        let result = message.result.filter(|_| error.is_none());
        let Some(id) = message.id.filter(|id| !id.is_null()) else {
            // Nobody has asked: the client or the agent gives up.
            return match error {
                Some(why) if message.version => self.note(why, tell),
                _ => Ok(()),
            };
        };
        // A mark means something where the other side has another.
        let marked =
            [Side::Client, Side::Agent].iter().all(|side| self.labels.values().any(|known| *known == Some(*side)));
        let sender = label.filter(|_| marked).and_then(|label| *self.labels.get(label)?);
        let asker = sender.map(Side::other);
        // As long as nobody but the agent has spoken, what looks like nothing answers no request of its own.
        let alone = !self.client_seen && result.and_then(Method::answered_by).is_none();
        let asker = asker.or(alone.then_some(Side::Client));
        let mut request = self.pending.take(id, asker, result);
        if let (None, Some(label), true) = (&request, label, sender.is_some()) {
            // A mark that both sides have says nothing.
            request = self.pending.take(id, None, result);
            if request.is_some() {
                self.labels.insert(label.to_owned(), None);
            }
        }
        if let Some(request) = request {
            if let Some(asker) = request.method.side() {
                self.heard(asker.other(), label);
            }
            return self.answered(&request, result, error, tell);
        }
        // In a log that begins late, or has one side only, it may have been made before.
        if self.client_seen && self.agent_seen && self.terminals.is_some() {
            let fault =
                if self.pending.was_answered(id, asker) { Fault::AnsweredTwice } else { Fault::AnswerWithoutRequest };
            let id = String::from_utf8_lossy(id.json()).into_owned();
            self.found("", fault, format!("an answer to the request {id}, which {}", fault_words(fault)), tell)?;
        }
        // That a method is not known ends no run.
        let code = message.error.and_then(|error| error.get("code")?.integer());
        let error = error.filter(|_| !matches!(code, Some(-32601 | -32602)));
        self.unasked(result, error, tell)
    }

    /// An answer to a request that is not in the log: what it looks like says what it is.
    fn unasked(&mut self, result: Option<Value>, error: Option<String>, tell: &mut Tell) -> io::Result<()> {
        let Some(method) = result.and_then(Method::answered_by) else {
            // It may be a prompt's, if nothing else comes.
            if !self.client_seen && error.is_some() {
                self.doubt = error;
            }
            return Ok(());
        };
        if method.side() == Some(Side::Client) {
            self.agent_seen = true;
            if !self.client_seen && !self.sided && method != Method::Prompt {
                (self.one_sided, self.sided) = (true, true);
            }
        }
        match (method, result) {
            (Method::Prompt, _) => self.end_of_prompt(None, result, error, tell),
            (Method::NewSession, Some(result)) => {
                self.new_session(result, None);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Something that belongs to no request.
    fn note(&mut self, why: String, tell: &mut Tell) -> io::Result<()> {
        if let Some(last) = self.last.filter(|last| self.sessions[*last].1.is_open()) {
            return self.within(last, tell, |session, out| {
                session.abandoned = true;
                session.note(Note::Notice { text: why.into(), detail: None, bad: true }, out)
            });
        }
        if self.client_seen || self.agent_seen {
            self.failure = Some(why);
        }
        Ok(())
    }

    /// Where a session is. One that nobody has heard of begins.
    fn session(&mut self, id: &str) -> usize {
        let place = self.places.get(id).copied().unwrap_or_else(|| {
            self.sessions.push((id.to_owned(), Session::default()));
            self.places.insert(id.to_owned(), self.sessions.len() - 1);
            self.sessions.len() - 1
        });
        self.last = Some(place);
        place
    }

    /// Does something with a session.
    fn within<R>(
        &mut self,
        place: usize,
        tell: &mut Tell,
        act: impl FnOnce(&mut Session, &mut Out) -> io::Result<R>,
    ) -> io::Result<R> {
        let Self { needs, sessions, at_ms, at, client_seen, one_sided, .. } = self;
        let (id, session) = &mut sessions[place];
        let (at_ms, client_seen) = (*at_ms, *client_seen);
        act(session, &mut Out { needs: *needs, session: id, at_ms, at, client_seen, one_sided, tell })
    }

    /// Something is wrong with what was said in a session, or in the last one.
    fn found(
        &mut self,
        session: &str,
        fault: Fault,
        what: impl Into<Cow<'static, str>>,
        tell: &mut Tell,
    ) -> io::Result<()> {
        let Self { needs, at_ms, at, client_seen, one_sided, .. } = self;
        let mut out = Out { needs: *needs, session, at_ms: *at_ms, at, client_seen: *client_seen, one_sided, tell };
        out.found(fault, what)
    }

    /// A connection begins: nothing that was asked before is answered any more.
    fn connect(&mut self, tell: &mut Tell) -> io::Result<()> {
        self.pending = Pending::default();
        (self.terminals, self.warned) = (None, false);
        self.creating.clear();
        self.questions.clear();
        self.files.clear();
        (0..self.sessions.len()).try_for_each(|place| {
            self.within(place, tell, |session, out| {
                session.give_up(out)?;
                // Its terminals have ended with the connection.
                session.terminals.values_mut().for_each(|terminal| terminal.released = true);
                Ok(())
            })
        })
    }

    /// The input is over, and other dialects have found runs in it, if they have.
    pub(super) fn end(&mut self, others: bool, tell: &mut Tell) -> io::Result<()> {
        self.at_the_end(tell)?;
        if let Some(why) = self.doubt.take() {
            self.end_of_prompt(None, None, Some(why), tell)?;
        }
        for place in 0..self.sessions.len() {
            let side = match (self.client_seen, self.agent_seen) {
                (false, true) if !self.sided => Some(Side::Agent),
                (true, false) => Some(Side::Client),
                _ => None,
            };
            self.within(place, tell, |session, out| {
                if let Some(side) = side.filter(|_| session.is_open()) {
                    out.say(Kind::Noted(Note::OneSided(side)))?;
                }
                session.cut(out)
            })?;
        }
        match self.failure.take() {
            // There was no session, or nothing has come of it.
            Some(why) if !others && self.sessions.iter().all(|(_, session)| session.is_fresh()) => {
                let place = self.session("");
                self.within(place, tell, |session, out| session.end(update::ended(Some(why.into())), out))
            }
            _ => Ok(()),
        }
    }
}

fn fault_words(fault: Fault) -> &'static str {
    if fault == Fault::AnsweredTwice { "was answered before" } else { "nobody has made" }
}

/// What an error says: its message, and what it has to add.
fn reason(error: Value) -> String {
    let [message, data] = error.pick(["message", "data"]);
    let message = message.and_then(Value::str).or_else(|| error.str()).unwrap_or_default();
    let detail =
        data.and_then(|data| data.str().or_else(|| data.get("details")?.str()).or_else(|| data.get("message")?.str()));
    match detail.filter(|detail| !detail.is_empty() && *detail != message) {
        Some(detail) if message.is_empty() || message == "Internal error" => detail.into_owned(),
        Some(detail) => format!("{message}: {detail}"),
        None => message.into_owned(),
    }
}
