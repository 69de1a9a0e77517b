//! Where the longer values of a line end, noted while the line is read for the first time.

use super::{Value, scan};
use fearless_simd::Level;

/// Containers are noted down to this depth. What lies deeper is jumped over with what it is in, and seldom asked for.
pub(super) const LEVELS: usize = 10;

/// Where a value begins and ends.
type Span = (usize, usize);

/// The longer values of a line, in the order in which they begin. Used again for the next line.
pub struct Spans {
    level: Level,
    noted: Vec<Span>,
    /// For each depth, the place in `noted` of the container that is open there.
    open: [usize; LEVELS + 1],
}

impl Default for Spans {
    fn default() -> Self {
        Self { level: Level::new(), noted: Vec::new(), open: [0; LEVELS + 1] }
    }
}

impl Spans {
    /// The object that `text` begins with, if it is all that stands before the line breaks, and how long that line is. With
    /// `whole`, the text is a line, and need not break. Whether the object's keys and values are in order, their reader sees.
    pub fn object<'a>(&'a mut self, text: &'a [u8], whole: bool) -> Option<(Value<'a>, usize)> {
        if text.first() != Some(&b'{') {
            return None;
        }
        let end = scan::line_end(self.level, text, 0, self)?;
        let length = line_length(text, end, whole)?;
        Some((Value { json: &text[..end], at: 0, spans: Some(self) }, length))
    }

    pub(super) fn clear(&mut self) {
        self.noted.clear();
    }

    /// Where the longer value ends that begins at `start`, if that was noted.
    pub(super) fn noted(&self, start: usize) -> Option<usize> {
        let place = self.noted.binary_search_by_key(&start, |span| span.0).ok()?;
        Some(self.noted[place].1)
    }

    pub(super) fn string(&mut self, start: usize, end: usize) {
        self.noted.push((start, end));
    }

    pub(super) fn open(&mut self, depth: usize, start: usize) {
        if let Some(open) = self.open.get_mut(depth) {
            *open = self.noted.len();
            self.noted.push((start, 0));
        }
    }

    pub(super) fn close(&mut self, depth: usize, end: usize) {
        let Some(open) = self.open.get(depth) else { return };
        self.noted[*open].1 = end;
    }
}

/// How long the line is in which, behind `end`, nothing but blanks may stand.
pub(super) fn line_length(text: &[u8], mut end: usize, whole: bool) -> Option<usize> {
    loop {
        match text.get(end) {
            Some(b'\n') => return Some(end),
            Some(byte) if scan::is_blank(*byte) => end += 1,
            Some(_) => return None,
            None => return whole.then_some(end),
        }
    }
}
