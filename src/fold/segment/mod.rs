//! The text of a run, each piece told once. Drops what the agent says again: whole messages behind their own pieces, with or
//! without marks, and what it replays after a retry.
//!
//! The agent keeps a buffer of what it has said; a *flush* says the whole buffer again and clears it. Asked for pieces, it
//! also says each piece as it comes; not asked for them, the flush is all there is. No line says which of the two it is, so the
//! rule is: a flush is a repeat where its own text was said in pieces since the last flush or boundary, and new otherwise.

mod print;
mod wrong;

use crate::event::{Finding, Mark, Needs};
use crate::value::{Text, lossy};
use memchr::memmem;
use std::borrow::Cow;
use std::io;
use std::ops::Range;

/// What becomes known of the text.
pub(super) enum Told<'a> {
    /// The next piece.
    Piece(Cow<'a, str>),
    /// The message whose pieces were told is over; this is the whole of it.
    Message(Cow<'a, str>),
    /// Pieces that were told did not agree with the whole message, which is this.
    Corrected(Cow<'a, str>),
    /// The run's text is not what was said.
    Found(Finding<'a>),
}

pub(super) type Tell<'t> = dyn FnMut(Told<'_>) -> io::Result<()> + 't;

/// The text of one run. A *segment* is a message: the text between two boundaries.
#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own, and none excludes another")]
pub(super) struct Segment {
    /// Whether pieces are told, and not only messages.
    pieces_told: bool,
    /// Whether it is told where the run's text is not what was said.
    faults_told: bool,
    /// All the text of the run.
    turn: Vec<u8>,
    /// Where in it the segment begins.
    start: usize,
    /// Where in it the text begins that no flush has covered yet.
    fresh: usize,
    /// Up to here it was told. Half a character at its end waits for its other half.
    told: usize,
    /// Up to here what was told has left. The rest waits for more, since many pieces in one are less work than each by itself.
    left: usize,
    /// Where in it the pieces begin that it came in.
    pieces: Vec<usize>,
    /// A piece that could be the whole of what it comes behind: a flush, or new text. What comes next decides.
    held: Option<Vec<u8>>,
    /// What came since a retry, as long as it is how the segment began.
    replay: Option<Vec<u8>>,
    /// The segment before a retry was a single piece, which then was the flush.
    single: bool,
    /// Text was taken for a replay and not told, which the run's text may hold.
    dropped: bool,
    /// Whether the agent marks its text with times at all; old ones do not.
    stamped: bool,
    /// The last segment that has more than blanks.
    answer: Range<usize>,
}

/// What comes behind a held piece, as far as it matters to it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    /// Something that the agent flushes its buffer for: then the piece was that flush.
    Flushed,
    /// Something that it seldom flushes for without saying so: then a piece that equals several together was a flush.
    Likely,
    /// Anything else: then the piece was text.
    Other,
}

impl Segment {
    pub(super) fn new(needs: Needs) -> Self {
        Self { pieces_told: needs.pieces, faults_told: needs.faults, ..Self::default() }
    }

    /// Text of the answer.
    pub(super) fn said(&mut self, text: Text, mark: Mark, tell: &mut Tell) -> io::Result<()> {
        if text.is_empty() {
            return Ok(());
        }
        self.stamped |= mark != Mark::Bare;
        match mark {
            Mark::Piece => self.piece(text, tell),
            Mark::BeforeCall | Mark::Bare => {
                self.leave(tell)?;
                // Most often a message said again, or the first of it, and then there is nothing to weigh.
                let clear = self.held.is_none() && self.replay.is_none() && !self.single;
                if clear && self.segment().is_empty() && self.is_told() {
                    text.push_to(&mut self.turn);
                    self.tell_new(tell)?;
                } else if !clear || !text.is(self.segment()) {
                    return self.flush(&text.bytes(), mark, tell);
                }
                self.flushed();
                Ok(())
            }
            Mark::New => {
                let end = self.turn.len();
                text.push_to(&mut self.turn);
                self.told_from(end, tell)
            }
            Mark::Whole => self.whole(&text.bytes(), tell),
        }
    }

    /// Decides on a held piece.
    pub(super) fn settle(&mut self, next: Next, tell: &mut Tell) -> io::Result<()> {
        let Some(held) = self.held.take() else { return Ok(()) };
        self.leave(tell)?;
        let flushed = match next {
            Next::Flushed => true,
            Next::Likely => self.pieces.len() > 1 && held == self.segment(),
            Next::Other => false,
        };
        if flushed { self.flush(&held, Mark::Piece, tell) } else { self.print_piece(&held, tell) }
    }

    /// A boundary: the segment is over.
    pub(super) fn close(&mut self, tell: &mut Tell) -> io::Result<()> {
        self.settle(Next::Likely, tell)?;
        match self.replay.take() {
            Some(again) if again == self.segment() => self.dropped = true,
            Some(again) => self.print(&again, tell)?,
            None => {}
        }
        self.close_at(self.turn.len(), tell)?;
        self.flushed();
        Ok(())
    }

    /// The message ends here; what was said behind belongs to the next.
    fn close_at(&mut self, end: usize, tell: &mut Tell) -> io::Result<()> {
        self.told = self.told.max(end);
        self.leave(tell)?;
        let segment = lossy(&self.turn[self.start..end]);
        if !segment.trim().is_empty() {
            self.answer = self.start..end;
        }
        if !segment.is_empty() {
            tell(Told::Message(segment))?;
        }
        self.start = end;
        self.single = false;
        Ok(())
    }

    /// The agent tries again. If it has just flushed, its buffer is empty and what follows is new. If not, it may begin the
    /// message anew.
    pub(super) fn retry(&mut self, tell: &mut Tell) -> io::Result<()> {
        if self.held.is_some() {
            self.settle(Next::Flushed, tell)?;
            return self.close(tell);
        }
        self.single |= self.pieces.len() == 1;
        self.dropped |= self.replay.as_ref().is_some_and(|again| !again.is_empty());
        self.replay = (!self.segment().is_empty()).then(Vec::new);
        // What comes is compared with the segment, but it need not be part of it.
        self.flushed();
        Ok(())
    }

    /// The end of the run. `whole` is the run's text as the agent sums it up: it decides on what is still held, and what it has
    /// beyond all that was told, was lost on the way.
    pub(super) fn end(&mut self, whole: Option<Text>, tell: &mut Tell) -> io::Result<()> {
        if whole.is_some_and(|whole| whole.is(&self.turn)) {
            // Nothing was lost, and what waits was said before.
            self.held = None;
            self.replay = None;
        } else if let Some(whole) = whole.map(Text::bytes) {
            if let Some(again) = self.replay.take_if(|again| whole.strip_prefix(self.turn.as_slice()) == Some(again)) {
                // It was said again, and meant so.
                self.close(tell)?;
                self.print(&again, tell)?;
            }
            let corrects = |held: &Vec<u8>| whole.strip_prefix(&self.turn[..self.fresh]) == Some(held.as_slice());
            let next = if self.held.as_ref().is_some_and(corrects) { Next::Flushed } else { Next::Other };
            self.settle(next, tell)?;
            let whole_story = self.replay.is_none() && !self.dropped;
            if whole_story {
                self.compare(&whole, tell)?;
            }
            if whole_story && whole.len() > self.told && whole.starts_with(&self.turn[..self.told]) {
                if self.fresh == self.turn.len() {
                    // All that was said was flushed, so that this was a message of its own.
                    self.close(tell)?;
                }
                self.restore(&whole[self.told..], tell)?;
            }
        }
        self.close(tell)
    }

    /// The log is cut: nothing will come to decide by. What equals two or more pieces taken together was a flush, and a
    /// replay that has not got beyond the segment was one; only a single word that came twice may have been said twice.
    pub(super) fn cut(&mut self, tell: &mut Tell) -> io::Result<()> {
        self.replay = None;
        self.close(tell)
    }

    /// The last message that has more than blanks.
    pub(super) fn answer(&self) -> Cow<'_, str> {
        lossy(&self.turn[self.answer.clone()])
    }

    /// Whether nothing was said.
    pub(super) fn is_empty(&self) -> bool {
        self.turn.is_empty()
    }

    /// All that was said is covered.
    fn flushed(&mut self) {
        self.fresh = self.turn.len();
        self.pieces.clear();
    }

    fn segment(&self) -> &[u8] {
        &self.turn[self.start..]
    }

    fn piece(&mut self, text: Text, tell: &mut Tell) -> io::Result<()> {
        if self.held.is_some() {
            self.settle(Next::Other, tell)?;
        }
        if let Some(mut again) = self.replay.take() {
            text.push_to(&mut again);
            return self.replayed(again, tell);
        }
        if !self.is_told() {
            // What is said here may complete a character.
            let text = text.bytes();
            if self.may_be_flush(&text, self.turn.len()) {
                self.held = Some(text.into_owned());
                return Ok(());
            }
            return self.print_piece(&text, tell);
        }
        let end = self.turn.len();
        text.push_to(&mut self.turn);
        if self.may_be_flush(&self.turn[end..], end) {
            self.held = Some(self.turn.split_off(end));
            return Ok(());
        }
        self.pieces.push(end);
        self.told_from(end, tell)
    }

    /// Whether all that was said was told; if not, it ends in half a character.
    fn is_told(&self) -> bool {
        self.told == self.turn.len()
    }

    /// Whether a piece could be the whole of what was said before it, up to `end`, or of that and what was lost between.
    fn may_be_flush(&self, text: &[u8], end: usize) -> bool {
        let covers = self.fresh < end && text.len() >= end - self.fresh && self.unmatched(text, end) == 0;
        covers || (self.start < end && *text == self.turn[self.start..end])
    }

    /// How many of the first pieces since the last flush, up to `end`, are not in `text`, which all behind them are in, in order.
    fn unmatched(&self, text: &[u8], end: usize) -> usize {
        let mut left = text.len();
        let mut end = end;
        let first = self.pieces.iter().rposition(|start| {
            let piece = &self.turn[*start..end];
            end = *start;
            match memmem::rfind(&text[..left], piece) {
                Some(place) => {
                    left = place;
                    false
                }
                None => true,
            }
        });
        first.map_or(0, |last| last + 1)
    }

    /// Text since a retry: the beginning of the segment again, the whole of it and more, or something else, which is new.
    fn replayed(&mut self, again: Vec<u8>, tell: &mut Tell) -> io::Result<()> {
        if self.segment().starts_with(&again) {
            self.replay = Some(again);
            Ok(())
        } else if again.starts_with(self.segment()) && !self.single {
            let more = again[self.segment().len()..].to_vec();
            self.print(&more, tell)
        } else {
            if self.single {
                self.close(tell)?;
            }
            self.print_piece(&again, tell)
        }
    }

    fn flush(&mut self, text: &[u8], mark: Mark, tell: &mut Tell) -> io::Result<()> {
        // A flush that was taken for a piece may come again with the marks of one.
        self.held.take_if(|held| held == text && text == &self.turn[self.start..]);
        self.settle(Next::Other, tell)?;
        let mut again = self.replay.take().unwrap_or_default();
        if self.single && text != self.segment() {
            // What stood before the retry was a message of its own.
            self.close(tell)?;
            if text.starts_with(&again) {
                again.clear();
            }
        }
        if !again.is_empty() && (self.segment().is_empty() || !text.starts_with(self.segment())) {
            self.print_piece(&again, tell)?;
            if text == again {
                self.flushed();
                return Ok(());
            }
        } else {
            self.dropped |= !again.is_empty();
        }
        let fresh = &self.turn[self.fresh..];
        // Half a character at the end was not told: its other half may have been lost.
        let told = &self.turn[self.start..self.told];
        let fresh_told = &self.turn[self.fresh.min(self.told)..self.told];
        if self.segment().is_empty() {
            self.print(text, tell)?;
        } else if text == self.segment() || fresh.ends_with(text) {
            // Said already. Where more was, a flush in between was lost.
        } else if text.starts_with(told) {
            let told = told.len();
            self.restore(&text[told..], tell)?;
        } else if !fresh.is_empty() && text.starts_with(fresh_told) {
            let told = fresh_told.len();
            self.restore(&text[told..], tell)?;
        } else if text == self.turn {
            // The whole run in one, said already.
        } else if !self.stamped && mark == Mark::Bare {
            // Without times a piece looks like a flush.
            return self.print(text, tell);
        } else {
            self.correct(text, tell)?;
        }
        self.flushed();
        Ok(())
    }

    /// A flush that agrees with nothing. The pieces that are not in it belong to a message before, whose flush was lost with the
    /// boundary behind it; the others are a part of this message.
    fn correct(&mut self, text: &[u8], tell: &mut Tell) -> io::Result<()> {
        let Some(place) = self.pieces.get(self.unmatched(text, self.turn.len())).copied() else {
            self.close(tell)?;
            return self.print(text, tell);
        };
        if place > self.fresh {
            self.close_at(place, tell)?;
        }
        self.replace(place, text, tell)
    }
}
