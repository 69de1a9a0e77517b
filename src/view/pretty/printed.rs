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
    pub(super) fn add(&mut self, text: &str, gap: bool) {
        if gap {
            self.text.clear();
            self.shown = 0;
        }
        self.text.push_str(text);
    }

    /// The last line that has something on it.
    pub(super) fn last_line(&self) -> &str {
        self.text.lines().rev().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default()
    }

    /// Shows the lines that are whole; at the end also the last one.
    pub(super) fn show(&mut self, end: bool, page: &mut Page) -> io::Result<()> {
        let rest = &self.text[self.shown..];
        let whole = if end { rest.len() } else { rest.rfind('\n').map_or(0, |last| last + 1) };
        if whole > 0 {
            detail::block(rest[..whole].strip_suffix('\n').unwrap_or(&rest[..whole]), Length::ALL, page)?;
            self.shown += whole;
        }
        Ok(())
    }

    /// What is left to show of the whole output.
    pub(super) fn left<'a>(&self, whole: &'a str) -> Option<&'a str> {
        if self.text.ends_with(whole) {
            return None;
        }
        Some(whole.strip_prefix(self.text.as_str()).unwrap_or(whole)).filter(|left| !left.trim().is_empty())
    }
}
