//! How calls are told: once when it is known what they are about, once at their end, and between what they print.

use super::call::Call;
use super::out::Out;
use super::session::Session;
use super::terminal::Terminal;
use super::told;
use crate::event::{self, Calls, Kind, Over, Printed};
use crate::value::{Text, Value};
use std::borrow::Cow;
use std::io;

impl Session {
    /// Tells of a call what is known and was not told.
    pub(super) fn tell_call(&mut self, place: usize, out: &mut Out) -> io::Result<()> {
        let call = &self.calls[place];
        let over = call.status.is_over();
        if call.is_described() || call.heard > 1 || !call.terminals.is_empty() || over {
            self.tell_start(place, out)?;
        }
        if over {
            self.tell_end(place, out)?;
            self.free(place);
            self.calls.end(place);
            return Ok(());
        }
        self.tell_printed(place, out)
    }

    /// Tells of all calls that were announced that they have begun.
    pub(super) fn tell_starts(&mut self, out: &mut Out) -> io::Result<()> {
        while let Some(place) = self.calls.silent() {
            self.tell_start(place, out)?;
        }
        Ok(())
    }

    pub(super) fn tell_start(&mut self, place: usize, out: &mut Out) -> io::Result<()> {
        if !self.calls.start(place) || self.is_late(out) {
            return Ok(());
        }
        if out.needs.calls == Calls::None {
            return out.say(Kind::CallStarted(None));
        }
        let call = &self.calls[place];
        let args = told::arguments(call, &self.terminals_of(call));
        out.say(Kind::CallStarted(Some(as_event(call, &args, None, Over::Unfinished))))
    }

    pub(super) fn tell_end(&mut self, place: usize, out: &mut Out) -> io::Result<()> {
        self.tell_printed(place, out)?;
        if out.needs.calls == Calls::None {
            return out.say(Kind::CallEnded(None));
        }
        let call = &self.calls[place];
        let terminals = self.terminals_of(call);
        let args = told::arguments(call, &terminals);
        let (result, over) = told::result(call, &terminals, !out.client_seen);
        out.say(Kind::CallEnded(Some(as_event(call, &args, Some(&result), over))))
    }

    /// What the terminals of a call hold is not needed any more.
    fn free(&mut self, place: usize) {
        for id in std::mem::take(&mut self.calls[place].terminals) {
            let shared = self.calls.all().any(|(_, call)| call.terminals.contains(&id));
            if let Some(terminal) = self.terminals.get_mut(&id).filter(|_| !shared) {
                terminal.forget();
            }
        }
    }

    fn terminals_of(&self, call: &Call) -> Vec<&Terminal> {
        call.terminals.iter().filter_map(|id| self.terminals.get(id)).collect()
    }

    /// Tells what the terminals of a call have printed.
    pub(super) fn tell_printed(&mut self, place: usize, out: &mut Out) -> io::Result<()> {
        let call = &self.calls[place];
        if !out.needs.printed || !call.started || self.is_late(out) {
            return Ok(());
        }
        for id in &call.terminals {
            let Some(terminal) = self.terminals.get_mut(id).filter(|terminal| terminal.call.as_ref() == Some(&call.id))
            else {
                continue;
            };
            if let Some((text, gap)) = terminal.new_output() {
                let (id, text) = (Cow::Borrowed(call.id.as_str()), Text::plain(text));
                out.say(Kind::Printed(Printed { id, same: "".into(), text, gap }))?;
            }
        }
        Ok(())
    }
}

pub(super) fn as_event<'a>(call: &'a Call, args: &'a [u8], result: Option<&'a [u8]>, over: Over) -> event::Call<'a> {
    event::Call {
        id: Cow::Borrowed(&call.id),
        same: "".into(),
        tool: Cow::Borrowed(call.tool()),
        args: Some(Value::again(args)),
        result: result.map(Value::again),
        over,
        started_ms: None,
        ended_ms: None,
    }
}
