//! Pieces of text come in lines that are like those before but for the text and the time. Such a line is known by its looks.

use super::Line;
use crate::dialect::Tell;
use crate::event::{Event, Kind, Mark, Needs};
use crate::value::{Template, Text, Value};
use std::io;
use std::mem::ManuallyDrop;

/// What lines were like that were read in full: two of each session that writes, of two sessions.
const MOST: usize = 4;

/// Lines of pieces, as they were when they were read in full.
#[derive(Default)]
pub(super) struct Known {
    lines: Vec<Like>,
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

struct Like {
    template: Template,
    piece: Piece,
    session: String,
}

impl Like {
    /// The same for lines that are like this.
    fn read(&self, text: &[u8], whole: bool, needs: Needs, tell: &mut Tell) -> io::Result<(usize, usize)> {
        let asked = match self.piece {
            Piece::Said => needs.pieces || needs.messages,
            Piece::Thought => needs.thoughts,
        };
        // The clock of a run goes on also where nothing that is asked for is said.
        let needed = asked || needs.times;
        let mut first = true;
        self.template.each(text, whole, |string, time| {
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

impl Known {
    /// Tells the events of the lines that `text` begins with and that are like ones before, as far as they are asked for. Gives
    /// how many lines these are, and their length, with a line break behind each.
    pub(super) fn read(
        &mut self,
        text: &[u8],
        whole: bool,
        needs: Needs,
        tell: &mut Tell,
    ) -> io::Result<(usize, usize)> {
        let (mut lines, mut length) = (0, 0);
        if self.vain > ENOUGH && !self.vain.is_multiple_of(ENOUGH) {
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

    /// Learns from a line that is like none of these, and whose piece is `text`. Later lines are only like it if its time is all
    /// else that changes.
    pub(super) fn learn<'a>(
        &mut self,
        object: Value,
        line: &Line,
        piece: Piece,
        text: impl FnOnce() -> Option<Value<'a>>,
    ) {
        self.vain += 1;
        if self.vain > ENOUGH && !self.vain.is_multiple_of(256) {
            return;
        }
        let (Some(text), Some(time)) = (text(), line.timestamp_ms) else { return };
        let Some(template) = Template::new(object, text, time) else { return };
        let session = line.session_id.and_then(Value::str).unwrap_or_default().into_owned();
        let new = Like { template, piece, session };
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
