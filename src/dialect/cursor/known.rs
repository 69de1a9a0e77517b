//! Pieces of text come in lines that are like those before but for the text and the time. Such a line is known by its looks.

use super::Line;
use crate::event::{Event, Kind, Mark};
use crate::value::{Template, Value};
use std::borrow::Cow;

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

/// Where so many lines were like none, most are not learned from.
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

impl Known {
    /// The event of a line that is like one before, and the length of that line.
    pub(super) fn read<'a>(&'a mut self, text: &'a [u8], whole: bool) -> Option<(Event<'a>, usize)> {
        let like = |like: &'a Like| like.template.read(text, whole);
        let mut found = self.lines.get(self.last).and_then(like);
        if found.is_none() {
            let all = self.lines.iter().enumerate();
            (self.last, found) = all
                .filter(|(place, _)| *place != self.last)
                .find_map(|(place, one)| Some((place, Some(like(one)?))))?;
        }
        let (string, time, length) = found?;
        self.vain = self.vain.min(ENOUGH).saturating_sub(1);
        let like = &self.lines[self.last];
        let kind = match like.piece {
            Piece::Said => Kind::Said(string, Mark::Piece),
            Piece::Thought => Kind::Thought(string),
        };
        Some((Event { session: Cow::Borrowed(&like.session), at: Some(time), kind }, length))
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
