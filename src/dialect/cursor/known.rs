//! Pieces of text come in lines that are like those before but for the text and the time. Such a line is known by its looks.

use super::Line;
use crate::dialect::Tell;
use crate::event::{Event, Kind, Mark, Needs};
use crate::value::{Alike, Mosaic, Template, Text, Value};
use std::io;
use std::mem::ManuallyDrop;

/// What lines were like that were read in full: two of each session that writes, of two sessions.
const MOST: usize = 4;

/// Lines of pieces, as they were when they were read in full.
#[derive(Default)]
pub(super) struct Learned {
    ordered: Samples<Template>,
    /// Only looked at where keys come in any order.
    mixed: Samples<Mosaic>,
}

/// Lines that are known by looks of one sort.
struct Samples<T> {
    lines: Vec<Like<T>>,
    /// The one that was met last.
    last: usize,
    /// The one that was learned last.
    newest: usize,
    /// How many lines were like none of these, less those that were like one.
    vain: usize,
}

/// Where so many lines were like none, most are not learned from, nor compared.
const ENOUGH: usize = 16;

/// What such a line says.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Piece {
    /// A piece of the answer.
    Said,
    /// A piece of a thought.
    Thought,
}

struct Like<T> {
    looks: T,
    piece: Piece,
    session: String,
}

impl<T: Alike> Like<T> {
    /// The same for lines that are like this.
    fn read(&self, text: &[u8], whole: bool, needs: Needs, tell: &mut Tell) -> io::Result<(usize, usize)> {
        let asked = match self.piece {
            Piece::Said => needs.pieces || needs.messages,
            Piece::Thought => needs.thoughts,
        };
        // The clock of a run goes on also where nothing that is asked for is said.
        let needed = asked || needs.times;
        let mut first = true;
        self.looks.each(text, whole, |string, time| {
            let first = std::mem::take(&mut first);
            // Of pieces that nobody asks for, one stands for all: that there was one.
            if !first && !needed {
                return Ok(());
            }
            let kind = match self.piece {
                Piece::Said => Kind::Said(string, Mark::Piece),
                Piece::Thought => Kind::Thought(string),
            };
            // What does not say its session belongs to the one before.
            let session = Text::plain(if first { self.session.as_bytes() } else { b"" });
            // All of it is borrowed, so that nothing has to be dropped.
            tell(&ManuallyDrop::new(Event { session, at: Some(time), kind }))
        })
    }
}

impl Learned {
    /// Tells the events of the lines that `text` begins with and that are like ones before, as far as they are asked for. Gives
    /// how many lines these are, and their length, with a line break behind each.
    pub(super) fn read(
        &mut self,
        text: &[u8],
        whole: bool,
        needs: Needs,
        tell: &mut Tell,
    ) -> io::Result<(usize, usize)> {
        let known = self.ordered.read(text, whole, needs, tell)?;
        if known.0 > 0 || !self.ordered.are_vain() {
            return Ok(known);
        }
        let known = self.mixed.read(text, whole, needs, tell)?;
        self.ordered.vain += known.0;
        Ok(known)
    }

    /// Learns from a line that is like none of these, and whose piece is `text`. Later lines are only like it if its time is all
    /// else that changes, and at most the order of its keys.
    pub(super) fn learn<'a>(
        &mut self,
        object: Value,
        line: &Line,
        piece: Piece,
        text: impl FnOnce() -> Option<Value<'a>>,
    ) {
        self.ordered.vain += 1;
        let mixed = self.ordered.are_vain();
        self.mixed.vain += usize::from(mixed);
        if self.mixed.are_vain() && !self.mixed.vain.is_multiple_of(256) {
            return;
        }
        let (Some(text), Some(time)) = (text(), line.timestamp_ms) else { return };
        let session = || line.session_id.and_then(Value::str).unwrap_or_default().into_owned();
        if let Some(looks) = Template::new(object, text, time) {
            self.ordered.add(Like { looks, piece, session: session() });
        }
        if mixed && let Some(looks) = Mosaic::new(object, text, time) {
            self.mixed.add(Like { looks, piece, session: session() });
        }
    }
}

impl<T> Default for Samples<T> {
    fn default() -> Self {
        Self { lines: Vec::new(), last: 0, newest: 0, vain: 0 }
    }
}

impl<T: Alike> Samples<T> {
    fn are_vain(&self) -> bool {
        self.vain > ENOUGH
    }

    /// The same as [`Learned::read`], for the lines that are here.
    fn read(&mut self, text: &[u8], whole: bool, needs: Needs, tell: &mut Tell) -> io::Result<(usize, usize)> {
        let (mut lines, mut length) = (0, 0);
        if self.are_vain() && !self.vain.is_multiple_of(ENOUGH) {
            return Ok((lines, length));
        }
        while let Some(rest) = text.get(length..).filter(|rest| !rest.is_empty()) {
            let last = self.last;
            let others = (0..self.lines.len()).filter(|place| *place != last);
            let mut more = (0, 0);
            for place in std::iter::once(last).chain(others) {
                let Some(like) = self.lines.get(place) else { break };
                more = like.read(rest, whole, needs, tell)?;
                if more.0 > 0 {
                    self.last = place;
                    break;
                }
            }
            if more.0 == 0 {
                break;
            }
            lines += more.0;
            length += more.1;
        }
        if lines > 0 {
            self.vain = self.vain.min(ENOUGH).saturating_sub(lines);
        }
        Ok((lines, length))
    }

    fn add(&mut self, new: Like<T>) {
        let is_same = |like: &Like<T>| like.piece == new.piece && like.session == new.session;
        let mut same = self.lines.iter_mut().filter(|like| is_same(like));
        if same.any(|like| like.looks.merge(&new.looks)) {
            return;
        }
        if self.lines.len() < MOST {
            self.lines.push(new);
            self.newest = self.lines.len() - 1;
        } else {
            self.newest = (self.newest + 1) % MOST;
            self.lines[self.newest] = new;
        }
        self.last = self.newest;
    }
}
