//! What commands print while they run.

use super::super::excerpt::Length;
use super::detail;
use crate::page::Page;
use std::io;

/// What the command of a call has printed so far.
pub(super) struct Printed {
    run: usize,
    number: usize,
    /// All of it, from the last gap on.
    text: String,
    /// How much of it is shown: whole lines.
    shown: usize,
}

impl Printed {
    pub(super) fn new(run: usize, number: usize) -> Self {
        Self { run, number, text: String::new(), shown: 0 }
    }

    /// Whether it is of this call.
    pub(super) fn is_of(&self, run: usize, number: usize) -> bool {
        (self.run, self.number) == (run, number)
    }

    /// Whether it is of a call of this run.
    pub(super) fn is_of_run(&self, run: usize) -> bool {
        self.run == run
    }

    /// Takes what comes next.
    pub(super) fn add(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// What comes next does not follow what there was.
    pub(super) fn begin_anew(&mut self) {
        self.text.clear();
        self.shown = 0;
    }

    /// The last line that has something on it.
    pub(super) fn last_line(&self) -> &str {
        // What a carriage return has brought back to its beginning is written over.
        let parts = self.text.lines().rev().flat_map(|line| line.rsplit('\r'));
        parts.map(str::trim).find(|part| !part.is_empty()).unwrap_or_default()
    }

    /// What is not shown of the lines that are whole; with `all`, also of the last one.
    fn rest(&self, all: bool) -> &str {
        let rest = &self.text[self.shown..];
        let whole = if all { rest.len() } else { rest.rfind('\n').map_or(0, |last| last + 1) };
        &rest[..whole]
    }

    /// Whether there is a line to show.
    pub(super) fn has_line(&self, all: bool) -> bool {
        !self.rest(all).is_empty()
    }

    /// Shows what is not shown yet.
    pub(super) fn show(&mut self, all: bool, page: &mut Page) -> io::Result<()> {
        let rest = self.rest(all);
        if !rest.is_empty() {
            detail::block(rest.strip_suffix('\n').unwrap_or(rest), Length::ALL, page)?;
            self.shown += rest.len();
        }
        Ok(())
    }

    /// What is left to show of the whole output.
    pub(super) fn left<'a>(&'a self, whole: &'a str) -> Option<&'a str> {
        // Where a part of it is lost, the output is the end of what was printed, or the beginning.
        let left = if self.text.ends_with(whole) || self.text.starts_with(whole) {
            &self.text[self.shown..]
        } else {
            whole.strip_prefix(&self.text[..self.shown]).unwrap_or(whole)
        };
        Some(left).filter(|left| !left.trim().is_empty())
    }
}
