//! A line that is like one before but for a string and a number, as almost all are in which text comes piece by piece. To
//! compare is all that has to be done with it.

#![expect(clippy::inline_always, reason = "only what is inlined there is compiled for the machine's best instructions")]

use super::{Text, Value, scan, spans};
use fearless_simd::{Level, dispatch, prelude::*, u8x32, u8x64};

/// What lines have in common that are alike but for a string and a number.
pub trait Alike: Sized {
    /// Of an object that fills a line; `string` and `number` are values in it. `None` where they are not, or no other line can be
    /// told to be like this one.
    fn new(object: Value, string: Value, number: Value) -> Option<Self>;

    /// Shows the string and the number of each line that `text` begins with, up to the first that is no such line. Gives how
    /// many lines there are, and their length, with a line break behind each. With `whole`, the text is a line, and need not
    /// break.
    ///
    /// # Errors
    /// Those of `each`.
    fn each<'a, E>(
        &self,
        text: &'a [u8],
        whole: bool,
        each: impl FnMut(Text<'a>, Value<'a>) -> Result<(), E>,
    ) -> Result<(usize, usize), E>;

    /// Whether lines like another one, which says the same, are from now on like this one too.
    fn merge(&mut self, _other: &Self) -> bool {
        false
    }
}

/// What lines have in common whose keys come in the same order.
pub struct Template {
    level: Level,
    before: Vec<u8>,
    between: Vec<u8>,
    /// How many digits the number has.
    digits: usize,
    behind: Vec<u8>,
}

/// The most digits of the number, so that it fits.
const DIGITS: usize = 18;

impl Alike for Template {
    fn new(object: Value, string: Value, number: Value) -> Option<Self> {
        let json = object.json;
        let level = Level::new();
        let [(open, close), (first, last)] = places(level, object, string, number)?;
        if close > first {
            return None;
        }
        Some(Self {
            level,
            before: json[..=open].to_vec(),
            between: json[close - 1..first].to_vec(),
            digits: last - first,
            behind: json[last..].to_vec(),
        })
    }

    fn each<'a, E>(
        &self,
        text: &'a [u8],
        whole: bool,
        each: impl FnMut(Text<'a>, Value<'a>) -> Result<(), E>,
    ) -> Result<(usize, usize), E> {
        dispatch!(self.level, simd => self.each_with(simd, text, whole, each))
    }
}

impl Template {
    #[inline(always)]
    fn each_with<'a, S: Simd, E>(
        &self,
        simd: S,
        text: &'a [u8],
        whole: bool,
        mut each: impl FnMut(Text<'a>, Value<'a>) -> Result<(), E>,
    ) -> Result<(usize, usize), E> {
        let (mut lines, mut length) = (0, 0);
        while let Some((string, number, end)) = text.get(length..).and_then(|rest| self.read(simd, rest, whole)) {
            each(string, number)?;
            lines += 1;
            length += end + 1;
        }
        Ok((lines, length))
    }

    /// The string and the number of the line that `text` begins with, and where it ends.
    #[inline(always)]
    fn read<'a, S: Simd>(&self, simd: S, text: &'a [u8], whole: bool) -> Option<(Text<'a>, Value<'a>, usize)> {
        let rest = behind(simd, text, &self.before)?;
        let open = self.before.len() - 1;
        let (end, plain) = scan::line_string(simd, text, open)?;
        let string = &rest[..end - open - 2];
        let rest = behind(simd, &text[end - 1..], &self.between)?;
        // Where the number ends is foretold, so that what stands behind it need not wait until its digits are counted.
        let (number, rest) = rest.split_at_checked(self.digits).filter(|_| digits(simd, rest) == Some(self.digits))?;
        let rest = behind(simd, rest, &self.behind)?;
        let length = spans::line_length(text, text.len() - rest.len(), whole)?;
        let string = if plain { Text::plain(string) } else { Text::escaped(string) };
        Some((string, Value::again(number), length))
    }
}

/// Where the string and the number begin and end in the object of a line. `None` where they do not stand there, or are none.
pub(super) fn places(level: Level, object: Value, string: Value, number: Value) -> Option<[(usize, usize); 2]> {
    let json = object.json;
    if json.contains(&b'\n') {
        // It was put together from several lines.
        return None;
    }
    let place = |value: Value| {
        let start = value.at.checked_sub(object.at)?;
        // The value must be the one that stands there, and not one that was decoded to another place.
        let here = json.get(start..start + value.json.len())?;
        std::ptr::eq(here, value.json).then_some((start, start + here.len()))
    };
    let (string, number) = (place(string)?, place(number)?);
    let length = dispatch!(level, simd => digits(simd, &json[number.0..]));
    (json[string.0] == b'"' && length == Some(number.1 - number.0)).then_some([string, number])
}

/// How many digits the number has that `text` begins with.
#[inline(always)]
pub(super) fn digits<S: Simd>(simd: S, text: &[u8]) -> Option<usize> {
    let length = match text.first_chunk::<32>() {
        Some(first) => {
            let others = (u8x32::from_slice(simd, first) - b'0').simd_gt(9).to_bitmask();
            usize::try_from(others.trailing_zeros()).ok()?
        }
        None => text.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len()),
    };
    let canonical = length == 1 || (length > 1 && length <= DIGITS && text[0] != b'0');
    canonical.then_some(length)
}

/// What stands in `text` behind `prefix`. The same as [`slice::strip_prefix`], without a call.
#[inline(always)]
pub(super) fn behind<'a, S: Simd>(simd: S, text: &'a [u8], prefix: &[u8]) -> Option<&'a [u8]> {
    let (front, rest) = text.split_at_checked(prefix.len())?;
    let same = if let (Some(last), Some(other)) = (prefix.last_chunk::<64>(), front.last_chunk::<64>()) {
        let same = |one: &[u8; 64], other: &[u8; 64]| {
            u8x64::from_slice(simd, one).simd_eq(u8x64::from_slice(simd, other)).all_true()
        };
        // The last block may lie over the one before.
        let (blocks, others) = (prefix.as_chunks().0, front.as_chunks().0);
        same(last, other) && blocks.iter().zip(others).all(|(one, other)| same(one, other))
    } else if let (Some(first), Some(other)) = (prefix.first_chunk::<32>(), front.first_chunk::<32>()) {
        first == other && prefix.last_chunk::<32>() == front.last_chunk::<32>()
    } else {
        prefix.iter().zip(front).all(|(one, other)| one == other)
    };
    same.then_some(rest)
}

#[cfg(test)]
mod tests {
    use fearless_simd::{Level, dispatch};

    fn digits(text: &[u8]) -> Option<usize> {
        dispatch!(Level::new(), simd => super::digits(simd, text))
    }

    fn behind<'a>(text: &'a [u8], prefix: &[u8]) -> Option<&'a [u8]> {
        dispatch!(Level::new(), simd => super::behind(simd, text, prefix))
    }

    #[test]
    fn digits_are_counted_where_they_are_a_number() {
        let long = "x".repeat(40);
        for end in ["", "}", &long] {
            for text in ["0", "7", "12345678", "1767225600000", "999999999999999999", "10000000"] {
                assert_eq!(digits(format!("{text}{end}").as_bytes()), Some(text.len()), "{text}{end}");
            }
            for text in ["", "-1", "01", "00000000", "0123456789", "1234567890123456789", "x", ":2345678"] {
                assert_eq!(digits(format!("{text}{end}").as_bytes()), None, "{text}{end}");
            }
            for byte in (0..=255).filter(|byte: &u8| !byte.is_ascii_digit()) {
                let text = [b"123", [byte].as_slice(), end.as_bytes()].concat();
                assert_eq!(digits(&text), Some(3), "{byte}");
            }
        }
    }

    #[test]
    fn a_prefix_is_one_whatever_its_length() {
        let text: Vec<u8> = (0..200).collect();
        for length in 0..=200 {
            let mut prefix = text[..length].to_vec();
            assert_eq!(behind(&text, &prefix), Some(&text[length..]));
            for place in 0..length {
                prefix[place] ^= 1;
                assert_eq!(behind(&text, &prefix), None, "{length} {place}");
                prefix[place] ^= 1;
            }
        }
        assert_eq!(behind(b"ab", b"abc"), None);
    }
}
