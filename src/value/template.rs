//! A line that is like one before but for a string and a number, as almost all are in which text comes piece by piece. To
//! compare is all that has to be done with it.

#![expect(clippy::inline_always, reason = "only what is inlined there is compiled for the machine's best instructions")]

use super::{Text, Value, scan, spans};
use fearless_simd::{Level, Simd, dispatch};

/// What such lines have in common.
pub struct Template {
    level: Level,
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
            level: Level::new(),
            before: json[..=open].to_vec(),
            between: json[close - 1..first].to_vec(),
            behind: json[last..].to_vec(),
        })
    }

    /// The string and the number of the line that `text` begins with, and how long it is, if it is such a line. With `whole`,
    /// the text is a line, and need not break.
    #[must_use]
    pub fn read<'a>(&self, text: &'a [u8], whole: bool) -> Option<(Text<'a>, i64, usize)> {
        dispatch!(self.level, simd => self.read_with(simd, text, whole))
    }

    #[inline(always)]
    fn read_with<'a, S: Simd>(&self, simd: S, text: &'a [u8], whole: bool) -> Option<(Text<'a>, i64, usize)> {
        let rest = behind(text, &self.before)?;
        let open = self.before.len() - 1;
        let (end, plain) = scan::line_string(simd, text, open)?;
        let string = &rest[..end - open - 2];
        let rest = behind(&text[end - 1..], &self.between)?;
        let (number, length) = digits(rest)?;
        let rest = behind(&rest[length..], &self.behind)?;
        let length = spans::line_length(text, text.len() - rest.len(), whole)?;
        let string = if plain { Text::plain(string) } else { Text::escaped(string) };
        Some((string, number, length))
    }
}

/// The number that `text` begins with, and how many digits it has.
#[inline(always)]
fn digits(text: &[u8]) -> Option<(i64, usize)> {
    let mut number = 0;
    let mut length = 0;
    if let Some(eight) = text.first_chunk().and_then(|bytes| eight_digits(*bytes)) {
        (number, length) = (eight, 8);
    }
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

/// The number that eight digits are. All at once: pairs, then fours, then the eight.
#[inline(always)]
fn eight_digits(bytes: [u8; 8]) -> Option<i64> {
    let digits = u64::from_le_bytes(bytes) ^ 0x3030_3030_3030_3030;
    // A byte above 9 is none, whether its upper half was another or it becomes one.
    if (digits | digits.wrapping_add(0x0606_0606_0606_0606)) & 0xF0F0_F0F0_F0F0_F0F0 != 0 {
        return None;
    }
    let pairs = (digits.wrapping_mul(10) + (digits >> 8)) & 0x00FF_00FF_00FF_00FF;
    let fours = (pairs.wrapping_mul(100) + (pairs >> 16)) & 0x0000_FFFF_0000_FFFF;
    i64::try_from((fours.wrapping_mul(10_000) + (fours >> 32)) & 0xFFFF_FFFF).ok()
}

/// What stands in `text` behind `prefix`. The same as [`slice::strip_prefix`], for few bytes without a call.
#[inline(always)]
fn behind<'a>(text: &'a [u8], prefix: &[u8]) -> Option<&'a [u8]> {
    let (front, rest) = text.split_at_checked(prefix.len())?;
    let same = match (prefix.as_chunks::<32>(), front.as_chunks::<32>()) {
        (([], small), (_, other)) => small.iter().zip(other).all(|(one, other)| one == other),
        ((chunks, _), (others, _)) => {
            chunks.iter().zip(others).all(|(one, other)| one == other)
                && prefix.last_chunk::<32>() == front.last_chunk()
        }
    };
    same.then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::{behind, digits};

    #[test]
    fn numbers_are_read_as_they_are_written() {
        for text in ["0", "7", "12345678", "1767225600000", "999999999999999999", "10000000", "123456789012"] {
            let number = text.parse().expect("it is a number");
            assert_eq!(digits(format!("{text}}}").as_bytes()), Some((number, text.len())), "{text}");
            assert_eq!(digits(text.as_bytes()), Some((number, text.len())), "{text}");
        }
        for text in ["", "-1", "01", "00000000", "0123456789", "1234567890123456789", "x", ":2345678"] {
            assert_eq!(digits(text.as_bytes()), None, "{text}");
        }
        for byte in (0..=255).filter(|byte: &u8| !byte.is_ascii_digit()) {
            for place in 0..8 {
                let mut text = *b"12345678";
                text[place] = byte;
                assert_eq!(digits(&text).map(|(_, length)| length), (place > 0).then_some(place), "{byte} at {place}");
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
