//! A line that is like one before but for a string and a number, as almost all are in which text comes piece by piece. To
//! compare is all that has to be done with it.

use super::{Text, Value, scan, spans};

/// What such lines have in common.
pub struct Template {
    before: Vec<u8>,
    between: Vec<u8>,
    behind: Vec<u8>,
}

/// The most digits of the number, so that it fits.
const DIGITS: usize = 18;

impl Template {
    /// Of an object that fills a line; `string`, then `number`, are values in it. `None` where they are not.
    #[must_use]
    pub fn new(object: Value, string: Value, number: Value) -> Option<Self> {
        let json = object.json;
        let place = |value: Value| {
            let start = value.at.checked_sub(object.at)?;
            // The value must be the one that stands there, and not one that was decoded to another place.
            let here = json.get(start..start + value.json.len())?;
            std::ptr::eq(here, value.json).then_some((start, start + here.len()))
        };
        let ((open, close), (first, last)) = (place(string)?, place(number)?);
        if json[open] != b'"' || close > first || digits(&json[first..])?.1 != last - first {
            return None;
        }
        Some(Self {
            before: json[..=open].to_vec(),
            between: json[close - 1..first].to_vec(),
            behind: json[last..].to_vec(),
        })
    }

    /// The string and the number of the line that `text` begins with, and how long it is, if it is such a line. With `whole`,
    /// the text is a line, and need not break.
    #[must_use]
    pub fn read<'a>(&self, text: &'a [u8], whole: bool) -> Option<(Text<'a>, i64, usize)> {
        let rest = text.strip_prefix(self.before.as_slice())?;
        let quote = self.before.len() - 1;
        let (end, plain) = scan::line_string(text, quote)?;
        let string = &rest[..end - quote - 2];
        let rest = text[end - 1..].strip_prefix(self.between.as_slice())?;
        let (number, length) = digits(rest)?;
        let rest = rest[length..].strip_prefix(self.behind.as_slice())?;
        let length = spans::line_length(text, text.len() - rest.len(), whole)?;
        let string = if plain { Text::plain(string) } else { Text::escaped(string) };
        Some((string, number, length))
    }
}

/// The number that `text` begins with, and how many digits it has.
#[inline]
fn digits(text: &[u8]) -> Option<(i64, usize)> {
    let mut number = 0;
    let mut length = 0;
    while let Some(digit @ b'0'..=b'9') = text.get(length) {
        number = number * 10 + i64::from(digit - b'0');
        length += 1;
        if length > DIGITS {
            return None;
        }
    }
    let canonical = length == 1 || (length > 1 && text[0] != b'0');
    canonical.then_some((number, length))
}
