//! The answer as plain text.

use super::{Audience, View};
use crate::fold::{Needs, Outcome, Step, What};
use crate::page::Page;
use std::io;

pub(super) const EXAMPLES: &str = "\
Examples:
  agent --print --output-format stream-json \"$PROMPT\" | cursor-fmt text
  cursor-fmt text --all run.ndjson        every message, once
  cursor-fmt text run.ndjson              instead of: jq -rj 'select(.type==\"assistant\") |
                                          .message.content[].text', which says much of it twice";

/// Prints the answer: what the agent said after its last tool call.
#[derive(clap::Args)]
pub struct Text {
    /// Print every message, with an empty line between
    #[arg(long)]
    all: bool,

    /// Print every message, each piece as it arrives
    #[arg(long)]
    stream: bool,

    #[arg(skip)]
    last: Last,
}

/// What stands at the end of the output of `--all` and `--stream`.
#[derive(Default)]
struct Last {
    /// A message that is over.
    message: bool,
    /// Pieces of the message of this run.
    open: Option<usize>,
}

impl View for Text {
    fn needs(&self) -> Needs {
        Needs { pieces: self.stream, messages: true, ..Needs::NONE }
    }

    fn audience(&self) -> Audience {
        Audience::Program
    }

    fn step(&mut self, step: &Step, page: &mut Page) -> io::Result<()> {
        match &step.kind {
            What::Ended(end) if !self.all && !self.stream => match end.outcome {
                Outcome::Succeeded | Outcome::Cut => line(&end.answer, page),
                Outcome::Failed(_) | Outcome::Resumed => Ok(()),
            },
            What::Text(piece) if self.stream => self.piece(step.run.number, piece, page),
            What::Corrected(whole) if self.stream => {
                // What was printed cannot be taken back, so the message is printed again.
                self.over(step.run.number, page)?;
                self.piece(step.run.number, whole, page)
            }
            What::Message(_) if self.stream => self.over(step.run.number, page),
            What::Message(message) if self.all => self.message(message, page),
            What::Ended(_)
            | What::Text(_)
            | What::Message(_)
            | What::Corrected(_)
            | What::Began
            | What::Prompt(_)
            | What::Thought(_)
            | What::ThoughtEnded
            | What::CallStarted(_)
            | What::Printed(..)
            | What::CallEnded(_)
            | What::Plan(_)
            | What::Todos(_)
            | What::Noted(_)
            | What::Found(_) => Ok(()),
        }
    }
}

impl Text {
    fn message(&mut self, message: &str, page: &mut Page) -> io::Result<()> {
        if self.last.message {
            page.raw(b"\n")?;
        }
        self.last.message = true;
        line(message, page)
    }

    fn piece(&mut self, run: usize, piece: &str, page: &mut Page) -> io::Result<()> {
        if self.last.open != Some(run) {
            if self.last.open.is_some() {
                page.end_line()?;
            }
            if self.last.open.is_some() || self.last.message {
                page.raw(b"\n")?;
            }
            self.last.open = Some(run);
        }
        page.faithful(piece)
    }

    fn over(&mut self, run: usize, page: &mut Page) -> io::Result<()> {
        if self.last.open != Some(run) {
            return Ok(());
        }
        self.last = Last { message: true, open: None };
        page.end_line()
    }
}

/// Text byte for byte, and a line break if it has none.
fn line(text: &str, page: &mut Page) -> io::Result<()> {
    page.faithful(text)?;
    page.end_line()
}
