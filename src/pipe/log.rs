//! The readers of one log: how a line becomes events and steps.

use super::Pipe;
use crate::dialect;
use crate::event::{Event, Fault, Finding, Kind};
use crate::fold::Fold;
use crate::line::{Lines, Shorten};
use crate::value::{Found, Prune, Repair, Spans, Text, Value, is_json_object, why_no_json};
use std::io::{self, Read};

/// From when on a line is shortened, and how much of a string is kept of which the ends suffice.
#[derive(Clone, Copy)]
pub(crate) struct Long {
    pub(crate) line: usize,
    pub(crate) head: usize,
    pub(crate) tail: usize,
}

impl Long {
    /// No line is shortened.
    pub(crate) const NEVER: Self = Self { line: usize::MAX, head: usize::MAX, tail: usize::MAX };
}

impl Default for Long {
    fn default() -> Self {
        Self { line: 256 << 10, head: 32 << 10, tail: 1 << 10 }
    }
}

/// A line that is shortened by what it says.
pub(super) struct Shortened(pub(super) Prune);

impl Shorten for Shortened {
    fn shorten(&mut self, line: &mut [u8], over: bool) -> usize {
        self.0.shorten(line, over)
    }

    fn reset(&mut self) {
        self.0.reset();
    }
}

/// The readers of one log.
pub(super) struct Log {
    reader: dialect::Reader,
    pub(super) fold: Fold,
    spans: Spans,
    repair: Repair,
    /// The number of the last line.
    last: u64,
}

impl Log {
    pub(super) fn new(pipe: &Pipe) -> Self {
        let needs = pipe.needs();
        Self {
            reader: dialect::Reader::new(pipe.shared.from, needs),
            fold: Fold::new(pipe.tally.runs, needs),
            spans: Spans::default(),
            repair: Repair::default(),
            last: 0,
        }
    }

    /// Reads the lines that are there, and tells all that they say.
    pub(super) fn lines<R: Read>(&mut self, lines: &mut Lines<R>, pipe: &mut Pipe) -> io::Result<()> {
        self.each(lines, pipe)?;
        self.fold.pause(&mut |step| pipe.step(&step))
    }

    /// Nothing has come for a while: a line that is a whole object is read, though its line break is missing.
    pub(super) fn pause<R: Read>(&mut self, lines: &mut Lines<R>, pipe: &mut Pipe) -> io::Result<()> {
        if let Some((number, open)) = lines.open()
            && open.trim_ascii_end().ends_with(b"}")
            && !self.repair.waits()
            && Value::line(open).is_some()
        {
            self.line(open, number, pipe)?;
            lines.skip_open();
            self.fold.pause(&mut |step| pipe.step(&step))?;
        }
        Ok(())
    }

    fn each<R: Read>(&mut self, lines: &mut Lines<R>, pipe: &mut Pipe) -> io::Result<()> {
        loop {
            // Most lines can be read where they lie, before it is known where they end.
            if let Some(rest) = lines.rest()
                && let Some((count, length)) = self.whole(rest, false, pipe)?
            {
                lines.skip(count, length);
                continue;
            }
            // A line that goes on in an object from the line before does not begin like one.
            let Some((number, line)) = lines.line(self.repair.waits()) else { return Ok(()) };
            self.line(line, number, pipe)?;
        }
    }

    /// Reads the line that `text` begins with, if it is one object from its first byte on, and those behind it that are like
    /// ones before. Gives how many lines these are, and their length, with a line break behind each. If `ended`, `text` is the
    /// line; if not, its line break must be in it.
    pub(super) fn whole(&mut self, text: &[u8], ended: bool, pipe: &mut Pipe) -> io::Result<Option<(usize, usize)>> {
        if !pipe.fast || pipe.shared.strict || self.repair.waits() {
            return Ok(None);
        }
        let fold = &mut self.fold;
        let tell = &mut |event: &Event<'_>| fold.read(event, &mut |step| pipe.step(&step));
        let known = self.reader.again(text, ended, tell)?;
        if known.0 > 0 {
            return Ok(Some(known));
        }
        let Some((object, length)) = self.spans.object(text, ended) else { return Ok(None) };
        Ok(self.reader.read(object, b"", tell)?.then_some((1, length + 1)))
    }

    pub(super) fn line(&mut self, line: &[u8], number: u64, pipe: &mut Pipe) -> io::Result<()> {
        if pipe.refused.is_some() {
            return Ok(());
        }
        self.last = number;
        if pipe.shared.strict {
            let text = if number == 1 { line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line) } else { line };
            if !text.trim_ascii().is_empty() && !is_json_object(text) {
                pipe.refused = Some(format!("{}, line {number}: not a JSON object", pipe.tally.name));
                return Ok(());
            }
        }
        if self.whole(line, true, pipe)?.is_some() {
            return Ok(());
        }
        if !self.repair.waits()
            && let Some(object) = Value::line(line)
        {
            return self.object(object, b"", number, pipe);
        }
        if !self.repair.waits() {
            pipe.at(number);
            let fold = &mut self.fold;
            if self.reader.text(line, &mut |event| fold.read(event, &mut |step| pipe.step(&step)))? {
                return Ok(());
            }
        }
        let mut repair = std::mem::take(&mut self.repair);
        let told = repair.line(line, number, &mut |found| self.found(&found, pipe));
        self.repair = repair;
        told
    }

    pub(super) fn end(&mut self, open: bool, pipe: &mut Pipe) -> io::Result<()> {
        let mut repair = std::mem::take(&mut self.repair);
        repair.end(open, &mut |found| self.found(&found, pipe))?;
        pipe.at(self.last);
        let fold = &mut self.fold;
        self.reader.end(&mut |event| fold.read(event, &mut |step| pipe.step(&step)))?;
        self.fold.end(&mut |step| pipe.step(&step))?;
        if pipe.full && pipe.tally.holds_no_run() {
            self.wrong(Fault::NoRun, "no run in the log", pipe)?;
        }
        Ok(())
    }

    fn found(&mut self, found: &Found, pipe: &mut Pipe) -> io::Result<()> {
        match found {
            Found::Object { object, before, line } => self.object(*object, before, *line, pipe),
            Found::Unreadable(text, number) => {
                self.fold.pause(&mut |step| pipe.step(&step))?;
                pipe.views.unreadable(text, *number, &mut pipe.tally)
            }
        }
    }

    fn object(&mut self, object: Value, before: &[u8], number: u64, pipe: &mut Pipe) -> io::Result<()> {
        pipe.at(number);
        let fold = &mut self.fold;
        let tell = &mut |event: &Event<'_>| fold.read(event, &mut |step| pipe.step(&step));
        self.reader.read(object, before, tell)?;
        match Some(object).filter(|_| pipe.full).and_then(|object| why_no_json(object.json())) {
            Some(why) => self.wrong(Fault::InvalidJson, &why, pipe),
            None => Ok(()),
        }
    }

    /// Something is wrong with what was just read.
    fn wrong(&mut self, fault: Fault, what: &str, pipe: &mut Pipe) -> io::Result<()> {
        let kind = Kind::Found(Finding { fault, what: what.into() });
        let event = Event { session: Text::plain(b""), at: None, kind };
        self.fold.read(&event, &mut |step| pipe.step(&step))
    }
}
