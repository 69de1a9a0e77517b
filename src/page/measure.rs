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

/// The longest beginning of `text` that fits into `columns`.
#[must_use]
pub fn cut(text: &str, columns: usize) -> &str {
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
    widths(text).map(|(_, width)| width).sum()
}
