//! The text of a JSON string, as the bytes of a "wobbly" UTF-8: half a surrogate pair is kept as three bytes, so that it
//! can still meet its other half, which the next piece of the stream may hold.

use memchr::memchr;
use std::borrow::Cow;

/// The text of a string, decoded when it is asked for.
#[derive(Clone, Copy)]
pub struct Text<'a> {
    bytes: &'a [u8],
    escaped: bool,
}

const SHORT: usize = 16;

impl<'a> Text<'a> {
    /// What stands between the quotes of a JSON string.
    pub(super) fn escaped(inside: &'a [u8]) -> Self {
        Self { bytes: inside, escaped: true }
    }

    /// Text that is decoded already.
    #[must_use]
    pub fn plain(bytes: &'a [u8]) -> Self {
        Self { bytes, escaped: false }
    }

    /// Whether there is no text at all.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.bytes.is_empty()
    }

    /// Where the next escape begins in a `rest` of the text.
    fn next_escape(self, rest: &[u8]) -> Option<usize> {
        match rest.len() {
            _ if !self.escaped => None,
            // What is so short is looked through before a call comes back.
            ..SHORT => rest.iter().position(|byte| *byte == b'\\'),
            _ => memchr(b'\\', rest),
        }
    }

    /// Appends the text. Where `into` ends in the first half of a surrogate pair and the text begins with the second, they
    /// become the character that they are.
    pub fn push_to(self, into: &mut Vec<u8>) {
        let mut rest = self.bytes;
        into.reserve(rest.len());
        while let Some(slash) = self.next_escape(rest) {
            into.extend_from_slice(&rest[..slash]);
            rest = push_escape(&rest[slash..], into);
        }
        into.extend_from_slice(rest);
    }

    /// Whether the text begins with `bytes`. Not more of it is decoded than that takes.
    #[must_use]
    pub fn starts_with(self, bytes: &[u8]) -> bool {
        // An escape has six bytes at the most, and stands for one at the least; its other half may follow the last one.
        let first = self.bytes.len().min(bytes.len() * 6 + 6);
        Self { bytes: &self.bytes[..first], ..self }.bytes().starts_with(bytes)
    }

    /// Whether the text ends in a line break. Nothing is decoded.
    #[must_use]
    pub fn ends_in_break(self) -> bool {
        let slashes = |before: &[u8]| before.iter().rev().take_while(|byte| **byte == b'\\').count();
        let breaks = [b"n".as_slice(), b"u000a", b"u000A"];
        let escaped = |end: &&[u8]| self.bytes.strip_suffix(*end).is_some_and(|before| slashes(before) % 2 == 1);
        self.bytes.ends_with(b"\n") || (self.escaped && breaks.iter().any(escaped))
    }

    /// Whether the text is `bytes`.
    #[must_use]
    pub fn is(self, bytes: &[u8]) -> bool {
        if self.bytes.len() < bytes.len() {
            return false;
        }
        let (mut rest, mut left) = (self.bytes, bytes);
        let mut decoded = Vec::new();
        while let Some(slash) = self.next_escape(rest) {
            if matches!(rest[..slash], [.., 0xED, 0xA0..=0xAF, _]) {
                // Half a pair that was not escaped joins an escaped half.
                return self.bytes().as_ref() == bytes;
            }
            let Some(same) = left.strip_prefix(&rest[..slash]) else { return false };
            // Several escapes in a row may be one character, or half of it, so that they are decoded together.
            decoded.clear();
            rest = &rest[slash..];
            while rest.first() == Some(&b'\\') {
                rest = push_escape(rest, &mut decoded);
            }
            let Some(same) = same.strip_prefix(decoded.as_slice()) else { return false };
            left = same;
        }
        rest == left
    }

    /// The text as bytes. Borrowed where nothing was escaped.
    #[must_use]
    pub fn bytes(self) -> Cow<'a, [u8]> {
        if self.next_escape(self.bytes).is_none() {
            return Cow::Borrowed(self.bytes);
        }
        let mut decoded = Vec::new();
        self.push_to(&mut decoded);
        Cow::Owned(decoded)
    }

    /// The text as characters. A lone surrogate or an invalid byte is U+FFFD.
    #[must_use]
    pub fn decode(self) -> Cow<'a, str> {
        match self.bytes() {
            Cow::Borrowed(bytes) => lossy(bytes),
            Cow::Owned(bytes) => {
                Cow::Owned(String::from_utf8(bytes).unwrap_or_else(|bad| lossy(bad.as_bytes()).into_owned()))
            }
        }
    }
}

/// Appends what the escape at the start of `text` stands for; gives what follows it. An escape that JSON does not know
/// stands for itself.
fn push_escape<'a>(text: &'a [u8], into: &mut Vec<u8>) -> &'a [u8] {
    let byte = match text.get(1) {
        Some(b'n') => b'\n',
        Some(b't') => b'\t',
        Some(b'r') => b'\r',
        Some(b'b') => 0x08,
        Some(b'f') => 0x0C,
        Some(byte @ (b'"' | b'\\' | b'/')) => *byte,
        Some(b'u') => {
            if let Some(unit) = text.get(2..6).and_then(hex) {
                push_unit(unit, into);
                return &text[6..];
            }
            b'\\'
        }
        _ => b'\\',
    };
    into.push(byte);
    // A backslash that escapes nothing is kept; what follows it then speaks for itself.
    if byte == b'\\' && text.get(1) != Some(&b'\\') { &text[1..] } else { &text[2..] }
}

fn hex(digits: &[u8]) -> Option<u16> {
    digits.iter().try_fold(0_u16, |unit, digit| {
        let value = char::from(*digit).to_digit(16)?;
        Some(unit << 4 | u16::try_from(value).ok()?)
    })
}

/// Appends one UTF-16 unit.
fn push_unit(unit: u16, into: &mut Vec<u8>) {
    if let Some(char) = char::from_u32(u32::from(unit)) {
        push_char(char, into);
    } else {
        let [high, low] = unit.to_be_bytes();
        append(into, &[0xED, 0x80 | (high & 0x0F) << 2 | low >> 6, 0x80 | (low & 0x3F)]);
    }
}

/// Appends decoded text. The second half of a surrogate pair, at its start, joins the first half that `into` ends in.
pub fn append(into: &mut Vec<u8>, text: &[u8]) {
    let half = |second: u8, third: u8| u32::from(second & 0x0F) << 6 | u32::from(third & 0x3F);
    match (into.as_slice(), text) {
        ([.., 0xED, a @ 0xA0..=0xAF, b], [0xED, c @ 0xB0..=0xBF, d, rest @ ..]) => {
            let joined = 0x1_0000 + (half(*a, *b) << 10 | half(*c & 0x0F, *d));
            into.truncate(into.len() - 3);
            push_char(char::from_u32(joined).unwrap_or(char::REPLACEMENT_CHARACTER), into);
            into.extend_from_slice(rest);
        }
        _ => into.extend_from_slice(text),
    }
}

fn push_char(char: char, into: &mut Vec<u8>) {
    into.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes());
}

/// How many of `bytes` can be shown: all but a last character, or half a surrogate pair, that more bytes may yet complete.
#[must_use]
pub fn complete(bytes: &[u8]) -> usize {
    let whole = bytes.len();
    if bytes.last().is_none_or(u8::is_ascii) {
        return whole;
    }
    for back in 1..=whole.min(3) {
        let need = match bytes[whole - back] {
            0x80..=0xBF => continue,
            0xED if back == 3 && (0xA0..=0xAF).contains(&bytes[whole - 2]) => 4,
            0xC2..=0xDF => 2,
            0xE0..=0xEF => 3,
            0xF0..=0xF4 => 4,
            _ => return whole,
        };
        return if need > back { whole - back } else { whole };
    }
    whole
}

/// The characters of `bytes`. A lone surrogate, like an invalid sequence, becomes one U+FFFD.
#[must_use]
pub fn lossy(bytes: &[u8]) -> Cow<'_, str> {
    let (mut rest, mut bad) = match std::str::from_utf8(bytes) {
        Ok(text) => return Cow::Borrowed(text),
        Err(bad) => (bytes, bad),
    };
    let mut shown = String::with_capacity(bytes.len());
    loop {
        let (good, wrong) = rest.split_at(bad.valid_up_to());
        shown.push_str(std::str::from_utf8(good).unwrap_or_default());
        shown.push(char::REPLACEMENT_CHARACTER);
        let skip = match wrong {
            [0xED, 0xA0..=0xBF, 0x80..=0xBF, ..] => 3,
            _ => bad.error_len().unwrap_or(wrong.len()),
        };
        rest = &wrong[skip..];
        match std::str::from_utf8(rest) {
            Ok(good) => {
                shown.push_str(good);
                return Cow::Owned(shown);
            }
            Err(next) => bad = next,
        }
    }
}
