//! What passes between a client and an agent that is started here: bytes, as they are and as they come. Each way has a thread of its
//! own, and lines are recorded before they are passed on.

use super::frames::{Frames, Way};
use super::record::READ;
use super::talk::Talk;
use crate::source::Patient;
use std::io::{self, ErrorKind, Read, Write};
use std::process::{ChildStdin, ChildStdout};
use std::thread;
use std::time::Duration;

/// Who talks with an agent.
pub struct Client {
    /// What it says.
    pub input: Box<dyn Read + Send>,
    /// What it is told.
    pub output: Box<dyn Write + Send>,
}

/// Passes on what a client says. One that says no more closes the agent's input; an agent that has closed it itself ends nothing.
pub(super) fn to_agent(input: Box<dyn Read + Send>, mut agent: Option<ChildStdin>, frames: &Frames, talk: &Talk) {
    let mut input = Patient(input);
    let mut buffer = vec![0; READ];
    loop {
        let count = match input.read(&mut buffer) {
            Ok(count @ 1..) => count,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Ok(_) | Err(_) => break,
        };
        talk.told();
        frames.keep(Way::ToAgent, &buffer[..count]);
        agent = agent.and_then(|mut agent| pass(&buffer[..count], &mut agent, || {}).ok().map(|()| agent));
    }
    frames.last(Way::ToAgent);
    drop(agent);
    talk.closed();
}

/// Passes on what an agent says. What it says when its client has gone is recorded.
pub(super) fn to_client(mut agent: ChildStdout, output: Box<dyn Write + Send>, frames: &Frames, talk: &Talk) {
    let mut output = Some(output);
    let mut buffer = vec![0; READ];
    loop {
        talk.listening();
        let count = match agent.read(&mut buffer) {
            Ok(count @ 1..) => count,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Ok(_) | Err(_) => break,
        };
        talk.heard(count);
        frames.keep(Way::ToClient, &buffer[..count]);
        let Some(client) = &mut output else { continue };
        let passed = pass(&buffer[..count], client, || talk.passing(true));
        talk.passing(false);
        if let Err(error) = passed {
            output = None;
            talk.unpassed(error);
        }
    }
    frames.last(Way::ToClient);
    talk.over();
}

/// Passes bytes on, and tells since when it waits.
fn pass(mut bytes: &[u8], to: &mut impl Write, tell: impl Fn()) -> io::Result<()> {
    tell();
    while !bytes.is_empty() {
        match to.write(bytes) {
            Ok(0) => return Err(ErrorKind::WriteZero.into()),
            Ok(count) => {
                bytes = &bytes[count..];
                tell();
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            // Whoever opened it has left it in non-blocking mode.
            Err(error) if error.kind() == ErrorKind::WouldBlock => thread::sleep(Duration::from_millis(5)),
            Err(error) => return Err(error),
        }
    }
    to.flush()
}
