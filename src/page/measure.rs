//! The columns that text takes on a page.

use unicode_width::UnicodeWidthChar;

/// The characters of `text`, where they begin, and the columns that each takes. A terminal may draw several as one, narrower
/// sign, but never as a wider one.
fn widths(text: &str) -> impl Iterator<Item = (usize, usize)> {
    let mut chars = text.char_indices().peekable();
    std::iter::from_fn(move || {
        let (start, char) = chars.next()?;
        // This mark asks for the colourful form of a sign, which takes two columns.
        let colourful = chars.peek().is_some_and(|(_, next)| *next == '\u{fe0f}');
        let width = char.width().unwrap_or(0);
        Some((start, if colourful { width.max(2) } else { width }))
    })
}

/// Whether `text` is what a typewriter could have written on one line: each byte is a character of one column.
pub(super) fn is_simple(text: &[u8]) -> bool {
    let other = |any, byte: &u8| any | !matches!(byte, b' '..=b'~');
    // Without a way out of the inner loop, the compiler looks at many bytes at once.
    !text.chunks(64).any(|chunk| chunk.iter().fold(false, other))
}

/// The longest beginning of `text` that has so many bytes.
#[must_use]
pub fn beginning(text: &str, bytes: usize) -> &str {
    let mut end = bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// The longest beginning of `text` that fits into `columns`.
#[must_use]
pub fn cut(text: &str, columns: usize) -> &str {
    // What follows may change the width of the last.
    let first = text.len().min(columns.saturating_add(1));
    if is_simple(&text.as_bytes()[..first]) {
        return &text[..first.min(columns)];
    }
    let mut left = columns;
    let end = widths(text).find(|(_, width)| match left.checked_sub(*width) {
        Some(rest) => {
            left = rest;
            false
        }
        None => true,
    });
    end.map_or(text, |(end, _)| &text[..end])
}

/// The columns that `text` takes at the most.
#[must_use]
pub fn columns(text: &str) -> usize {
    if is_simple(text.as_bytes()) {
        return text.len();
    }
    widths(text).map(|(_, width)| width).sum()
}
