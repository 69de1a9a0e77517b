//! An agent that is started here: what is started, and what its end means for the status.

use super::tally::Tally;
use super::{Pipe, Status, words};
use crate::cli::Run;
use crate::fold::{Outcome, Step, What};
use crate::page::safe_line;
use crate::source::{Child, Client, End, Exit, Limits, Record, Source, Stop};
use anyhow::{Context, bail};
use std::ffi::OsStr;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

/// An agent that runs.
pub(super) struct Agent {
    child: Child,
    name: String,
    record: Option<PathBuf>,
    /// The runs that have no end yet.
    open: Vec<usize>,
    /// What is missed when it is silent for too long.
    missed: &'static str,
}

impl Agent {
    pub(super) fn start(order: &Run) -> anyhow::Result<(Self, Source)> {
        let (programs, arguments) = order.command();
        for program in &programs {
            let mut command = Command::new(program);
            command.args(&arguments);
            match Source::child(short(program), command, record(order)?, limits(order)) {
                Ok((child, source)) => return Ok((Self::of(order, child, &source.name, "output"), source)),
                // As a shell does, one that cannot be started is passed over where there is another.
                Err(error) if programs.len() > 1 && is_none(&error) => {}
                Err(error) => bail!(not_started(program, &error)),
            }
        }
        let names: Vec<String> = programs.iter().map(|program| format!("`{}`", quoted(program))).collect();
        bail!("failed to start {}: neither is a program on the PATH (see --agent-bin)", names.join(" or "))
    }

    /// Starts an agent that talks with a client.
    pub(super) fn between(client: Client, order: &Run) -> anyhow::Result<Self> {
        let (programs, arguments) = order.command();
        let program = programs.first().copied().unwrap_or_default();
        let mut command = Command::new(program);
        command.args(&arguments);
        let child = Child::between(client, command, record(order)?, limits(order));
        let child = child.map_err(|error| anyhow::anyhow!(not_started(program, &error)))?;
        Ok(Self::of(order, child, &short(program), "traffic"))
    }

    fn of(order: &Run, child: Child, name: &str, missed: &'static str) -> Self {
        Self { child, name: name.to_owned(), record: order.record.clone(), open: Vec::new(), missed }
    }

    /// Behind the result of the last run that is open, there may be no more to come.
    pub(super) fn step(&mut self, step: &Step) {
        match &step.kind {
            What::Began => {
                self.open.push(step.run.number);
                self.child.done(false);
            }
            What::Ended(end) => {
                self.open.retain(|number| *number != step.run.number);
                let result = matches!(end.outcome, Outcome::Succeeded | Outcome::Failed(_));
                self.child.done(result && self.open.is_empty());
            }
            What::Prompt(_)
            | What::Text(_)
            | What::Message(_)
            | What::Corrected(_)
            | What::Thought(_)
            | What::ThoughtEnded
            | What::CallStarted(_)
            | What::Printed(..)
            | What::CallEnded(_)
            | What::Plan(_)
            | What::Todos(_)
            | What::Noted(_)
            | What::Found(_) => {}
        }
    }

    /// Waits for its end, and counts it. Gives why it was stopped, or failed.
    pub(super) fn end(self, tally: &mut Tally) -> Option<String> {
        let Self { child, name, record, missed, .. } = self;
        let End { stop, exit, record: lost, unpassed } = child.end();
        if let (Some(path), Some(error)) = (&record, lost) {
            tally.unable(&not_recorded(path, &error));
        }
        // Who reads no more misses nothing.
        if let Some(error) = unpassed.filter(|error| error.kind() != ErrorKind::BrokenPipe) {
            tally.unable(&format!("failed to write: {}", words(&error)));
        }
        let (status, why) = match stop {
            Some(Stop::TimedOut(time)) => {
                (Status::TimedOut, format!("timed out after {}", humantime::format_duration(time)))
            }
            Some(Stop::Silent(time)) => {
                (Status::TimedOut, format!("timed out after {} without {missed}", humantime::format_duration(time)))
            }
            Some(Stop::Signal(signal @ 2)) => (Status::Interrupted(signal), "interrupted".to_owned()),
            Some(Stop::Signal(signal)) => {
                (Status::Interrupted(signal), format!("ended by {}", signal_name(i32::from(signal))))
            }
            Some(Stop::Finished | Stop::Unwanted) => return None,
            None => {
                let (code, why) = match exit? {
                    Exit::Code(0) => return None,
                    Exit::Code(code) => (code, format!("`{name}` exited with status {code}")),
                    Exit::Signal(signal) => (128 + signal, format!("`{name}` was ended by {}", signal_name(signal))),
                };
                (Status::Child(u8::try_from(code).unwrap_or(u8::MAX)), why)
            }
        };
        tally.ended(status, &why);
        Some(why)
    }
}

fn record(order: &Run) -> anyhow::Result<Record> {
    let Some(path) = &order.record else { return Ok(Record::NONE) };
    Record::open(path).map_err(|error| anyhow::anyhow!(not_recorded(path, &error)))
}

fn limits(order: &Run) -> Limits {
    Limits { total: order.timeout, idle: order.idle_timeout, grace: order.grace }
}

impl Pipe<'_, '_> {
    /// Waits until the agent that was started here has ended, and says how.
    pub(super) fn agent_ended(&mut self) -> anyhow::Result<()> {
        match self.wait_for_agent() {
            Some(why) => self.views.stopped(&why).context("failed to write"),
            None => Ok(()),
        }
    }

    /// What was to be shown could not be written. Where the agent was stopped before, that is what counts.
    pub(super) fn not_shown(mut self, error: anyhow::Error, errors: &mut dyn Write) -> anyhow::Result<Status> {
        self.wait_for_agent();
        let status = self.tally.status(&self.shared);
        if !matches!(status, Status::TimedOut | Status::Interrupted(_)) {
            return Err(error);
        }
        _ = self.tally.report(&self.shared, errors);
        Ok(status)
    }

    fn wait_for_agent(&mut self) -> Option<String> {
        self.agent.take()?.end(&mut self.tally)
    }
}

/// Whether there is no program of a name: also a folder is none, and a file that may not be started.
fn is_none(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::PermissionDenied)
}

fn signal_name(signal: i32) -> String {
    let name = match signal {
        1 => "HUP",
        2 => "INT",
        3 => "QUIT",
        6 => "ABRT",
        9 => "KILL",
        11 => "SEGV",
        13 => "PIPE",
        15 => "TERM",
        _ => return format!("signal {signal}"),
    };
    format!("signal {signal} ({name})")
}

fn not_started(program: &OsStr, error: &std::io::Error) -> String {
    format!("failed to start `{}`: {}", quoted(program), words(error))
}

fn not_recorded(path: &Path, error: &std::io::Error) -> String {
    format!("failed to write `{}`: {}", safe_line(&path.display().to_string(), 200), words(error))
}

fn quoted(program: &OsStr) -> String {
    safe_line(&program.to_string_lossy(), 200)
}

/// The name of a program without its folder.
fn short(program: &OsStr) -> String {
    Path::new(program).file_name().unwrap_or(program).to_string_lossy().into_owned()
}
