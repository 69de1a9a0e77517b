//! The rules of the protocol that a log can break.

use super::pending::Method;
use super::terminal::{Exit, Terminal};
use super::{Acp, Out, Tell};
use crate::event::{Fault, Side};
use crate::value::{Text, Value};
use std::io;

/// A request about terminals is made.
pub(super) fn request(
    acp: &mut Acp,
    method: Method,
    session: &str,
    id: &str,
    params: Option<Value>,
    tell: &mut Tell,
) -> io::Result<()> {
    if !acp.needs.faults {
        return Ok(());
    }
    // Where nobody was asked, nothing is known.
    if acp.terminals == Some(false) && !std::mem::replace(&mut acp.warned, true) {
        let what = "the agent uses a terminal, and the client has not said that it has any";
        acp.found(session, Fault::TerminalWithoutCapability, what, tell)?;
    }
    if method == Method::CreateTerminal {
        let cwd = params.and_then(|params| params.get("cwd")?.str()).unwrap_or_default();
        if is_absolute(&cwd) || cwd.is_empty() {
            return Ok(());
        }
        return acp.found(
            session,
            Fault::CwdNotAbsolute,
            format!("a terminal in `{cwd}`, which is not absolute"),
            tell,
        );
    }
    let held = acp.places.get(session).map(|place| &acp.sessions[*place].1);
    let known = held.and_then(|session| session.terminals.get(id));
    if known.map_or_else(|| held.is_some_and(|session| session.gone.contains(id)), |terminal| terminal.released) {
        let what = format!("terminal `{id}` is used after its release");
        return acp.found(session, Fault::TerminalAfterRelease, what, tell);
    }
    // In a log that begins late, or has one side only, it may have been created before.
    if known.is_none() && acp.client_seen && acp.terminals.is_some() {
        let what = format!("nobody has created a terminal `{id}`");
        return acp.found(session, Fault::UnknownTerminal, what, tell);
    }
    Ok(())
}

fn is_absolute(path: &str) -> bool {
    let mut drive = path.chars();
    let has_drive = drive.next().is_some_and(|char| char.is_ascii_alphabetic()) && drive.next() == Some(':');
    path.starts_with('/')
        || path.starts_with(r"\\")
        || (has_drive && drive.next().is_some_and(|char| "/\\".contains(char)))
}

/// The client says what a terminal holds.
pub(super) fn output(
    id: &str,
    terminal: &Terminal,
    text: Text,
    truncated: bool,
    exit: Option<&Exit>,
    out: &mut Out,
) -> io::Result<()> {
    let bytes = text.bytes();
    if let Some(limit) = terminal.limit
        && i64::try_from(bytes.len()).is_ok_and(|length| length > limit)
    {
        let what = format!("terminal `{id}` gives {} bytes, and was to keep {limit}", bytes.len());
        out.found(Fault::OutputOverLimit, what)?;
    }
    let cut =
        bytes.starts_with("\u{fffd}".as_bytes()) || matches!(bytes[..], [0x80..=0xBF, ..] | [0xED, 0xB0..=0xBF, ..]);
    if truncated && cut {
        out.found(Fault::OutputCutInCharacter, format!("the output of terminal `{id}` is cut within a character"))?;
    }
    if (terminal.awaited || terminal.exit.is_some()) && exit.is_none() {
        let what = format!("it was said that the command of terminal `{id}` has ended, and now it runs");
        out.found(Fault::WaitAnsweredEarly, what)?;
    }
    Ok(())
}

impl Acp {
    /// The log is over. What is still open in a run that was cut is no wonder.
    pub(super) fn at_the_end(&mut self, tell: &mut Tell) -> io::Result<()> {
        if !(self.needs.faults && self.client_seen && self.agent_seen) {
            return Ok(());
        }
        let open = |session: &str| self.places.get(session).is_some_and(|place| self.sessions[*place].1.is_open());
        let mut found: Vec<(String, Fault, String)> = Vec::new();
        for request in self.pending.all().filter(|request| !open(&request.session)) {
            let side = match request.method.side() {
                Some(Side::Agent) => " of the agent",
                Some(Side::Client) => " of the client",
                None => "",
            };
            let what = format!("request {}{side} is never answered", String::from_utf8_lossy(&request.id));
            found.push((request.session.clone(), Fault::NeverAnswered, what));
        }
        for (name, session) in self.sessions.iter().filter(|(_, session)| !session.is_open()) {
            let mut left: Vec<_> = session.terminals.iter().collect();
            left.retain(|(_, terminal)| {
                !terminal.released && !terminal.agents && !terminal.foreign && terminal.not_started.is_none()
            });
            left.sort_by_key(|(id, terminal)| (terminal.created_ms, *id));
            found.extend(left.iter().map(|(id, _)| {
                (name.clone(), Fault::TerminalNotReleased, format!("terminal `{id}` is never released"))
            }));
        }
        found.into_iter().try_for_each(|(session, fault, what)| self.found(&session, fault, what, tell))
    }
}
