//! Which call a terminal belongs to: the one that shows it, or one that runs the same command, or none.

use super::call::{Call, Status};
use super::out::Out;
use super::session::Session;
use super::telling::as_event;
use super::terminal::{Exit, Terminal};
use super::told;
use crate::event::{self, Calls, Kind, Note, Printed};
use crate::value::Text;
use std::borrow::Cow;
use std::io;

/// So many terminals are looked at for the one that a call runs.
const GUESSES: usize = 64;

impl Session {
    /// A terminal is there, and may belong to a call: one that shows it, or one that runs the same command.
    pub(super) fn attach(&mut self, id: &str, out: &mut Out) -> io::Result<()> {
        let Some(terminal) = self.terminals.get(id).filter(|terminal| terminal.call.is_none()) else { return Ok(()) };
        let shows = |call: &Call| call.terminals.iter().any(|known| known == id);
        let free = |call: &Call| call.tool() == "shell" && call.terminals.is_empty();
        let runs = |call: &Call| free(call) && call.runs(&terminal.command);
        let explicit = self.calls.all().find(|(_, call)| shows(call));
        // Of several that run the same, the first begins first.
        let guessed = explicit.is_none();
        let found = explicit.or_else(|| self.calls.all().find(|(_, call)| runs(call))).or_else(|| {
            // A call that does not say what it runs is the one, if it is the only one.
            let mut silent = self.calls.all().filter(|(_, call)| free(call) && call.command().is_none());
            silent.next().filter(|_| silent.next().is_none())
        });
        let Some((place, _)) = found else { return Ok(()) };
        self.give(id, place, guessed);
        self.tell_call(place, out)
    }

    /// A terminal belongs to a call.
    pub(super) fn give(&mut self, id: &str, place: usize, guessed: bool) {
        let owner = self.calls[place].id.clone();
        let Some(terminal) = self.terminals.get_mut(id) else { return };
        let before = terminal.call.replace(owner.clone()).filter(|before| *before != owner && terminal.guessed);
        terminal.guessed = guessed;
        // What was only guessed is known better now.
        if let Some(before) = before.and_then(|before| self.calls.place(&before)) {
            self.calls[before].terminals.retain(|known| known != id);
        }
        if !self.calls[place].terminals.iter().any(|known| known == id) {
            self.calls[place].terminals.push(id.to_owned());
        }
        if let Some(loose) = self.loose.iter().rposition(|loose| loose == id) {
            self.loose.remove(loose);
        }
    }

    /// A call has changed: a terminal that belongs to none may be its own.
    pub(super) fn guess(&mut self, place: usize) {
        let call = &self.calls[place];
        if call.tool() != "shell" || !call.terminals.is_empty() {
            return;
        }
        let Some(command) = call.command() else { return };
        let first = self.loose.len().saturating_sub(GUESSES);
        let runs = |id: &&String| self.terminals.get(*id).is_some_and(|terminal| terminal.command == command);
        let found = self.loose.iter().skip(first).find(runs);
        if let Some(id) = found.cloned() {
            self.give(&id, place, true);
        }
    }

    /// Commands may go on behind the end of their call: tells what has become of them.
    pub(super) fn tell_went_on(&mut self, out: &mut Out) -> io::Result<()> {
        let mut went_on: Vec<&mut Terminal> =
            self.terminals.values_mut().filter(|terminal| terminal.went_on()).collect();
        went_on.sort_by(|one, other| (one.created_ms, &one.call).cmp(&(other.created_ms, &other.call)));
        for terminal in went_on {
            let exit = terminal.exit.as_ref();
            let ended = match (terminal.killed, terminal.released) {
                (Some(_), _) => "killed",
                (None, true) => "released while it ran",
                (None, false) => "still running",
            };
            let status = exit.map_or_else(|| ended.to_owned(), Exit::words);
            let detail = Some(terminal.text().into_owned()).filter(|text| !text.is_empty());
            let failed = exit.is_some_and(|exit| !exit.is_good());
            let (title, detail) = (Cow::Borrowed(terminal.command.as_str()), detail.map(Cow::Owned));
            out.say(Kind::Noted(Note::Task { title: Some(title), status: Some(status.into()), detail, failed }))?;
            terminal.forget();
        }
        let released = self.terminals.extract_if(|_, terminal| terminal.released);
        self.gone.extend(released.map(|(id, _)| id));
        Ok(())
    }

    /// Terminals that belong to no call are told by themselves: those that are done with, or all.
    pub(super) fn tell_alone(&mut self, done: bool, out: &mut Out) -> io::Result<()> {
        let late = self.is_late(out);
        for id in std::mem::take(&mut self.loose) {
            let Some(terminal) = self.terminals.get_mut(&id).filter(|terminal| terminal.call.is_none()) else {
                continue;
            };
            if done && !terminal.released && terminal.not_started.is_none() {
                self.loose.push_back(id);
                continue;
            }
            let mut call = Call::new(&id);
            "execute".clone_into(&mut call.kind);
            call.terminals.push(id.clone());
            // A release ends what still runs.
            call.status = if terminal.not_started.is_some() {
                Status::Failed
            } else if terminal.exit.is_some() || terminal.killed.is_some() || terminal.released || terminal.foreign {
                Status::Completed
            } else {
                Status::Running
            };
            terminal.call = Some(id);
            if out.needs.calls == Calls::None {
                if !late {
                    out.say(Kind::CallStarted(None))?;
                }
                out.say(Kind::CallEnded(None))?;
                continue;
            }
            let terminals = [&*terminal];
            let args = told::arguments(&call, &terminals);
            let (result, over) = told::result(&call, &terminals, !out.client_seen);
            // A call may have the same id.
            let same = || event::Call { same: "terminal".into(), ..as_event(&call, &args, Some(&result), over) };
            if !late {
                out.say(Kind::CallStarted(Some(event::Call { result: None, ..same() })))?;
            }
            if out.needs.printed && !late && !terminal.output.is_empty() {
                let (id, same) = (Cow::Borrowed(call.id.as_str()), "terminal".into());
                out.say(Kind::Printed(Printed { id, same, text: Text::plain(&terminal.output), gap: false }))?;
            }
            out.say(Kind::CallEnded(Some(same())))?;
            terminal.forget();
        }
        Ok(())
    }
}
