//! What a line is told with.

use super::super::Tell;
use crate::event::{Event, Fault, Finding, Kind, Needs};
use crate::value::{Text, Value};
use std::borrow::Cow;
use std::io;

/// Tells events of one session, at one time.
pub(super) struct Out<'o, 't> {
    pub(super) needs: Needs,
    pub(super) session: &'o str,
    pub(super) at_ms: Option<i64>,
    /// The same as text.
    pub(super) at: &'o str,
    /// The client has said something.
    pub(super) client_seen: bool,
    /// It is known that only the agent's side is there, and it was not said yet.
    pub(super) one_sided: &'o mut bool,
    pub(super) tell: &'o mut Tell<'t>,
}

impl Out<'_, '_> {
    pub(super) fn say(&mut self, kind: Kind) -> io::Result<()> {
        let at = (!self.at.is_empty()).then(|| Value::again(self.at.as_bytes()));
        (self.tell)(&Event { session: Text::plain(self.session.as_bytes()), at, kind })
    }

    /// Says what is wrong, if somebody wants to know.
    pub(super) fn found(&mut self, fault: Fault, what: impl Into<Cow<'static, str>>) -> io::Result<()> {
        if self.needs.faults { self.say(Kind::Found(Finding { fault, what: what.into() })) } else { Ok(()) }
    }

    /// Whether it is to be said that only one side is there.
    pub(super) fn one_sided(&mut self) -> bool {
        std::mem::take(self.one_sided)
    }
}
