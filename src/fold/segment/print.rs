//! Takes text, and tells it.

use super::{Segment, Tell, Told};
use crate::value::{append, complete, lossy};
use std::io;

impl Segment {
    /// The whole of the message, from an agent that says everything once.
    pub(super) fn whole(&mut self, text: &[u8], tell: &mut Tell) -> io::Result<()> {
        self.leave(tell)?;
        let told = &self.turn[self.start..self.told];
        if text.starts_with(told) {
            let told = told.len();
            return if text.len() > told { self.restore(&text[told..], tell) } else { Ok(()) };
        }
        self.replace(self.start, text, tell)
    }

    /// From `place` on, the text was another.
    pub(super) fn replace(&mut self, place: usize, text: &[u8], tell: &mut Tell) -> io::Result<()> {
        self.turn.truncate(place);
        self.turn.extend_from_slice(text);
        self.told = self.turn.len();
        self.left = self.told;
        if self.pieces_told { tell(Told::Corrected(lossy(text))) } else { Ok(()) }
    }

    /// Tells what came from `end` on, but for half a character at its end. Most of it may wait for more.
    pub(super) fn told_from(&mut self, end: usize, tell: &mut Tell) -> io::Result<()> {
        self.told += complete(&self.turn[self.told..]);
        // What is shown of an escape sequence may depend on where its piece ends.
        if self.pieces_told && has_controls(&self.turn, end) { self.leave(tell) } else { Ok(()) }
    }

    /// Tells what was lost behind all that was told.
    pub(super) fn restore(&mut self, lost: &[u8], tell: &mut Tell) -> io::Result<()> {
        self.turn.truncate(self.told);
        self.print(lost, tell)
    }

    pub(super) fn print_piece(&mut self, text: &[u8], tell: &mut Tell) -> io::Result<()> {
        self.pieces.push(self.turn.len());
        self.print(text, tell)
    }

    pub(super) fn print(&mut self, text: &[u8], tell: &mut Tell) -> io::Result<()> {
        append(&mut self.turn, text);
        self.tell_new(tell)
    }

    /// Tells what the run's text has grown by, but for half a character at its end.
    pub(super) fn tell_new(&mut self, tell: &mut Tell) -> io::Result<()> {
        self.told += complete(&self.turn[self.told..]);
        self.leave(tell)
    }

    /// What waits for more leaves.
    pub(in super::super) fn leave(&mut self, tell: &mut Tell) -> io::Result<()> {
        let left = std::mem::replace(&mut self.left, self.told);
        if left < self.told && self.pieces_told {
            tell(Told::Piece(lossy(&self.turn[left..self.told])))
        } else {
            Ok(())
        }
    }
}

/// Whether `text` holds from `start` on an escape or a carriage return. It may say so for other controls, and for what stands
/// shortly before: then a piece leaves early, and a look at whole chunks takes no branch that nobody could foretell.
fn has_controls(text: &[u8], start: usize) -> bool {
    let control = |byte: &u8| matches!(byte, b'\r'..=0x1B);
    let length = (text.len() - start).next_multiple_of(16);
    let (first, chunks) = text[text.len().saturating_sub(length)..].as_rchunks::<16>();
    first.iter().any(control) || chunks.iter().any(|chunk| chunk.iter().fold(false, |any, byte| any | control(byte)))
}
