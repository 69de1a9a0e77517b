//! The lines of a text that are shown where not all are.

/// How many lines are shown at the beginning and at the end of a text, and how long a line may be.
#[derive(Clone, Copy)]
pub(super) struct Length {
    first: usize,
    last: usize,
    /// The most columns of a line.
    pub(super) columns: usize,
}

/// A part of a text of which not all is shown.
pub(super) enum Part<'a> {
    Line(&'a str),
    /// So many lines are left out.
    Hidden(usize),
}

impl Length {
    /// Output in short: what went wrong stands more often at its end.
    pub(super) const SHORT: Self = Self { first: 3, last: 6, columns: 500 };
    /// A change to a file in short.
    pub(super) const DIFF: Self = Self { first: 20, last: 0, columns: 500 };
    /// A prompt in short.
    pub(super) const PROMPT: Self = Self { first: 12, last: 3, columns: 2000 };
    /// Everything.
    pub(super) const ALL: Self = Self { first: usize::MAX, last: 0, columns: usize::MAX };

    /// The lines that are shown, and between them how many are not.
    pub(super) fn parts(self, text: &str) -> impl Iterator<Item = Part<'_>> {
        let lines = memchr::memchr_iter(b'\n', text.as_bytes()).count() + 1;
        let hidden = lines.saturating_sub(self.first.saturating_add(self.last));
        // One line more is as short as to say that a line is left out.
        let hidden = if hidden == 1 { 0 } else { hidden };
        let first = if hidden == 0 { lines } else { self.first };
        let left_out = (hidden > 0).then_some(Part::Hidden(hidden));
        let shown = text.split('\n');
        shown.clone().take(first).map(Part::Line).chain(left_out).chain(shown.skip(first + hidden).map(Part::Line))
    }
}
