//! Requests, and what their answers mean.

use super::asks::{Question, prompt};
use super::files::File;
use super::pending::{Method, Request};
use super::results::{describe, fields};
use super::session::{Session, usage};
use super::terminal::{Exit, Terminal};
use super::update::{Next, ended};
use super::{Acp, Tell, rules};
use crate::event::{Kind, Note, Side};
use crate::value::Value;
use std::borrow::Cow;
use std::collections::VecDeque;
use std::io;

/// A string of an object.
fn string(object: Option<Value>, key: &str) -> String {
    object.and_then(|object| object.get(key)?.str()).unwrap_or_default().into_owned()
}

impl Acp {
    /// A request, or, without an id, a notification.
    pub(super) fn request(
        &mut self,
        method: Method,
        name: &str,
        id: Option<Value>,
        params: Option<Value>,
        tell: &mut Tell,
    ) -> io::Result<()> {
        // Most of the lines of a log are long updates: they are walked through once.
        let [session, terminal, update] =
            params.map(|params| params.pick(["sessionId", "terminalId", "update"])).unwrap_or_default();
        let [session, terminal] =
            [session, terminal].map(|id| id.and_then(Value::str).unwrap_or_default().into_owned());
        let about = match method {
            Method::NewSession => string(params, "cwd"),
            Method::SetMode => string(params, "modeId"),
            _ => terminal.clone(),
        };
        if method == Method::Initialize {
            self.connect(tell)?;
        }
        if let Some(id) = id {
            let request = Request { id: id.json().to_vec(), method, session: session.clone(), about };
            self.pending.add(request);
        }
        let id = id.map(Value::json).unwrap_or_default();
        if matches!(
            method,
            Method::CreateTerminal | Method::Output | Method::WaitForExit | Method::Kill | Method::Release
        ) {
            rules::request(self, method, &session, &terminal, params, tell)?;
        }
        match method {
            Method::Initialize => self.capability(params),
            Method::LoadSession => {
                let cwd = string(params, "cwd");
                let place = self.session(&session);
                let session = &mut self.sessions[place].1;
                session.loading = true;
                self.within(place, tell, Session::give_up)?;
                let session = &mut self.sessions[place].1;
                session.cwd = Some(cwd).filter(|cwd| !cwd.is_empty()).or(session.cwd.take());
            }
            Method::Prompt => {
                self.failure = None;
                let text = params.map(prompt).unwrap_or_default();
                let place = self.session(&session);
                self.sessions[place].1.loading = false;
                return self.within(place, tell, |session, out| session.prompt(id, text, out));
            }
            Method::Permission => {
                let Some(params) = params else { return Ok(()) };
                keep(&mut self.questions, Question::new(id, params));
                let place = self.session(&session);
                return self.within(place, tell, Session::message_over);
            }
            Method::ReadFile | Method::WriteFile => {
                if let Some(params) = params {
                    keep(&mut self.files, File::new(id, params));
                }
            }
            Method::CreateTerminal => keep(&mut self.creating, (id.to_vec(), Terminal::new(params, self.at_ms))),
            Method::Kill => {
                let waits = |request: &Request| {
                    request.method == Method::WaitForExit && request.session == session && request.about == terminal
                };
                let awaited = self.pending.all().any(waits);
                let place = self.session(&session);
                self.sessions[place].1.kill(&terminal, awaited);
            }
            Method::Release => {
                let place = self.session(&session);
                return self.within(place, tell, |session, out| {
                    session.release(&terminal, out);
                    Ok(())
                });
            }
            Method::Question | Method::Plan => return self.asks(name, &session, params, tell),
            Method::Other(Side::Agent) if name == "session/update" => {
                let Some(update) = update else { return Ok(()) };
                let place = self.session(&session);
                if let Next::Over(reason) = self.within(place, tell, |session, out| session.update(update, out))? {
                    let reason = reason.unwrap_or_else(|| "end_turn".to_owned());
                    return self.stopped(place, &reason, None, None, tell);
                }
            }
            Method::Other(Side::Agent) if name.starts_with("cursor/") => {
                return self.asks(name, &session, params, tell);
            }
            Method::Other(Side::Client) if name == "session/cancel" => {
                let place = self.session(&session);
                return self.within(place, tell, |session, out| {
                    session.cancelled = true;
                    if session.is_open() { out.say(Kind::Noted(Note::Cancelled)) } else { Ok(()) }
                });
            }
            Method::Authenticate
            | Method::NewSession
            | Method::ResumeSession
            | Method::SetMode
            | Method::Output
            | Method::WaitForExit
            | Method::Other(_)
            | Method::Foreign => {}
        }
        Ok(())
    }

    fn asks(&mut self, name: &str, session: &str, params: Option<Value>, tell: &mut Tell) -> io::Result<()> {
        // Cursor's own methods do not always say their session.
        let place = match self.last {
            Some(last) if session.is_empty() => last,
            _ => self.session(session),
        };
        match params {
            Some(params) => self.within(place, tell, |session, out| session.extension(name, params, out)),
            None => Ok(()),
        }
    }

    /// The page of the protocol shows it in the answer; on the wire it stands in the request.
    fn capability(&mut self, object: Option<Value>) {
        let said = object.and_then(|object| object.get("clientCapabilities"));
        let terminal = said.and_then(|said| said.get("terminal")?.bool());
        self.terminals = Some(terminal.unwrap_or(false) || self.terminals == Some(true));
    }

    pub(super) fn answered(
        &mut self,
        request: &Request,
        result: Option<Value>,
        error: Option<String>,
        tell: &mut Tell,
    ) -> io::Result<()> {
        let terminal = request.about.as_str();
        match (request.method, result) {
            (Method::Initialize, Some(result)) if result.get("clientCapabilities").is_some() => {
                self.capability(Some(result));
            }
            (Method::NewSession, Some(result)) => self.new_session(result, Some(&request.about)),
            (Method::LoadSession, result) => {
                let place = self.session(&request.session);
                let session = &mut self.sessions[place].1;
                session.loading = false;
                if let Some(result) = result {
                    describe(session, result);
                } else {
                    self.failure = error;
                }
            }
            (Method::Initialize | Method::Authenticate | Method::NewSession | Method::ResumeSession, None) => {
                self.failure = error;
            }
            (Method::SetMode, Some(_)) => {
                let place = self.session(&request.session);
                return self.within(place, tell, |session, out| session.set_mode(&request.about, out));
            }
            (Method::Prompt, _) => return self.end_of_prompt(Some(request), result, error, tell),
            (Method::Permission, result) => {
                let Some(question) = take(&mut self.questions, |question| question.request == request.id) else {
                    return Ok(());
                };
                let place = self.session(&request.session);
                return self.within(place, tell, |session, out| session.permitted(question, result, out));
            }
            (Method::CreateTerminal, result) => {
                let Some((_, terminal)) = take(&mut self.creating, |(id, _)| *id == request.id) else {
                    return Ok(());
                };
                let answer = result.ok_or_else(|| error.unwrap_or_default());
                let place = self.session(&request.session);
                return self.within(place, tell, |session, out| session.created(terminal, answer, out));
            }
            (Method::Output, Some(result)) => {
                let place = self.session(&request.session);
                return self.within(place, tell, |session, out| session.held(terminal, result, out));
            }
            (Method::WaitForExit, Some(result)) => {
                let place = self.session(&request.session);
                let exit = Exit::of(result);
                return self.within(place, tell, |session, out| {
                    if let Some(terminal) = session.terminals.get_mut(terminal) {
                        terminal.awaited = true;
                    }
                    session.exited(terminal, exit, out)
                });
            }
            (Method::ReadFile | Method::WriteFile, _) => {
                let Some(file) = take(&mut self.files, |file| file.request == request.id) else { return Ok(()) };
                let place = self.session(&request.session);
                return self.within(place, tell, |session, out| session.file(&file, error.as_deref(), out));
            }
            (Method::Question, result) => {
                let answer = result.ok_or_else(|| error.unwrap_or_default());
                let place = self.last.unwrap_or_else(|| self.session(&request.session));
                return self.within(place, tell, |session, out| session.question_answered(answer, out));
            }
            (Method::Kill, None) => {
                let place = self.session(&request.session);
                self.sessions[place].1.not_killed(terminal);
            }
            (
                Method::Initialize
                | Method::Authenticate
                | Method::ResumeSession
                | Method::SetMode
                | Method::Output
                | Method::WaitForExit
                | Method::Kill
                | Method::Release
                | Method::Plan
                | Method::Other(_)
                | Method::Foreign,
                _,
            ) => {}
        }
        Ok(())
    }

    /// A session is there.
    pub(super) fn new_session(&mut self, result: Value, cwd: Option<&str>) {
        let id = string(Some(result), "sessionId");
        let place = self.session(&id);
        let session = &mut self.sessions[place].1;
        session.cwd = cwd.filter(|cwd| !cwd.is_empty()).map(str::to_owned).or(session.cwd.take());
        describe(session, result);
        self.failure = None;
    }

    /// A prompt was answered: the turn is over, or, in the draft of the second version, has begun.
    pub(super) fn end_of_prompt(
        &mut self,
        request: Option<&Request>,
        result: Option<Value>,
        error: Option<String>,
        tell: &mut Tell,
    ) -> io::Result<()> {
        let open = || {
            let mut open = (0..self.sessions.len()).filter(|place| self.sessions[*place].1.is_open());
            // An answer without its request belongs to what is under way.
            let first = open.next();
            if open.next().is_none() { first.or(self.last) } else { self.last.or(first) }
        };
        self.doubt = None;
        let place = match request {
            Some(request) => self.session(&request.session),
            None => match open() {
                Some(place) => place,
                // The agent may have failed before it said anything.
                None if !self.client_seen => self.last.unwrap_or_else(|| self.session("")),
                None => return Ok(()),
            },
        };
        let id = request.map(|request| request.id.as_slice());
        // In the draft of the second version, an answer only says that the turn begins.
        let over = error.is_some() || result.is_some_and(|result| result.get("stopReason").is_some());
        if !over {
            return match id {
                Some(id) => self.within(place, tell, |session, out| session.taken_up(id, out)),
                None => Ok(()),
            };
        }
        if !self.within(place, tell, |session, out| session.is_answered_by(id, error.as_deref(), out))?
            && self.client_seen
        {
            return Ok(());
        }
        if let Some(why) = error {
            return self.stopped(place, "error", Some(why), None, tell);
        }
        match result.and_then(|result| result.get("stopReason")?.str()) {
            Some(reason) => self.stopped(place, &reason, None, result, tell),
            None => Ok(()),
        }
    }

    /// A turn is over.
    fn stopped(
        &mut self,
        place: usize,
        reason: &str,
        error: Option<String>,
        result: Option<Value>,
        tell: &mut Tell,
    ) -> io::Result<()> {
        let failure: Option<Cow<str>> = match (error, reason) {
            (Some(why), _) => Some(why.into()),
            (None, "end_turn") => None,
            (None, "refusal") => Some("the agent refused".into()),
            (None, other) => Some(other.replace('_', " ").into()),
        };
        if !self.client_seen && !self.sided {
            (self.one_sided, self.sided) = (false, true);
            self.within(place, tell, |session, out| {
                session.begin(out)?;
                out.say(Kind::Noted(Note::OneSided(Side::Agent)))
            })?;
        }
        let with_fields = self.needs.fields;
        self.within(place, tell, |session, out| {
            let elapsed = |began: i64| out.at_ms.map(|at| at.saturating_sub(began).max(0));
            let duration_ms = session.prompt.as_ref().and_then(|(_, began)| *began).and_then(elapsed);
            let used = result.and_then(|result| result.get("usage")).filter(|usage| usage.is_object());
            let subtype = if failure.is_none() { "success" } else { reason };
            let known = used.or_else(|| super::call::value(&session.used));
            let fields = if with_fields {
                fields(subtype, failure.as_deref(), duration_ms, out.session, known)
            } else {
                Vec::new()
            };
            let usage = used.map(usage);
            session.end(crate::event::Ended { duration_ms, usage, fields, ..ended(failure) }, out)
        })
    }
}

/// Keeps what waits for an answer. Of much that is never answered, the oldest is forgotten.
fn keep<T>(waiting: &mut VecDeque<T>, new: T) {
    const MOST: usize = 4096;
    if waiting.len() >= MOST {
        waiting.pop_front();
    }
    waiting.push_back(new);
}

/// Takes the last of those that wait for an answer, of which `is` holds.
fn take<T>(waiting: &mut VecDeque<T>, is: impl FnMut(&T) -> bool) -> Option<T> {
    let place = waiting.iter().rposition(is)?;
    waiting.remove(place)
}
