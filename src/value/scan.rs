//! Where a JSON value ends: jumps over strings and containers 64 bytes at a time, and decodes nothing.

use memchr::memchr;
use wide::{u8x32, u8x64};

/// Whether `byte` may stand between tokens. So may a NUL, as machines leave them that stopped while they wrote.
pub(super) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b'\0')
}

/// The first place from `at` on that is not a blank.
pub(super) fn blanks_end(json: &[u8], at: usize) -> usize {
    match json.get(at) {
        // Most writers leave no blanks.
        Some(byte) if !is_blank(*byte) => at,
        _ => {
            let rest = json.get(at..).unwrap_or_default();
            at + rest.iter().position(|byte| !is_blank(*byte)).unwrap_or(rest.len())
        }
    }
}

/// The place behind the value that begins at `start`. `None` where there is no value, or it does not end.
pub(super) fn value_end(json: &[u8], start: usize) -> Option<usize> {
    match json.get(start)? {
        b'"' => string(json, start).map(|(end, _)| end),
        b'{' | b'[' => container_end(json, start),
        _ => {
            let end =
                start + json[start..].iter().position(|byte| !is_scalar_byte(*byte)).unwrap_or(json.len() - start);
            is_scalar(&json[start..end]).then_some(end)
        }
    }
}

/// The place behind the string whose opening quote stands at `open`, and whether the string is known to hold no escapes.
pub(super) fn string(json: &[u8], open: usize) -> Option<(usize, bool)> {
    let mut at = open + 1;
    // Keys and most values end within these bytes, where a search by words would only begin.
    if let Some(first) = json.get(at..).and_then(|rest| rest.first_chunk::<32>()) {
        let first = u8x32::new(*first);
        let equal = |byte: u8| first.simd_eq(u8x32::splat(byte)).to_bitmask();
        let (quotes, slashes) = (equal(b'"'), equal(b'\\'));
        if quotes.trailing_zeros() < slashes.trailing_zeros() {
            return Some((at + quotes.trailing_zeros() as usize + 1, true));
        }
        if slashes == 0 {
            at += 32;
        }
    }
    loop {
        let quote = at + memchr(b'"', &json[at..])?;
        let slashes = json[open + 1..quote].iter().rev().take_while(|byte| **byte == b'\\').count();
        if slashes % 2 == 0 {
            return Some((quote + 1, false));
        }
        at = quote + 1;
    }
}

/// The place behind the container that opens at `open`. Which bracket closes which is not looked at: a damaged
/// container ends somewhere else, and then what follows it is no valid text either.
fn container_end(json: &[u8], open: usize) -> Option<usize> {
    let mut depth = 0_u64;
    let mut carry = Carry::default();
    let mut at = open;
    while at < json.len() {
        let marks = carry.marks(block(&json[at..]));
        if depth > u64::from(marks.close.count_ones()) {
            // No bracket of this block can close the container.
            depth = depth + u64::from(marks.open.count_ones()) - u64::from(marks.close.count_ones());
        } else {
            let mut brackets = marks.open | marks.close;
            while brackets != 0 {
                let bit = brackets & brackets.wrapping_neg();
                if marks.open & bit != 0 {
                    depth += 1;
                } else {
                    depth -= 1;
                    if depth == 0 {
                        return Some(at + brackets.trailing_zeros() as usize + 1);
                    }
                }
                brackets ^= bit;
            }
        }
        at += 64;
    }
    None
}

/// The first 64 bytes, filled up with blanks.
fn block(bytes: &[u8]) -> u8x64 {
    if let Some(whole) = bytes.first_chunk::<64>() {
        return u8x64::new(*whole);
    }
    let mut padded = [b' '; 64];
    padded[..bytes.len()].copy_from_slice(bytes);
    u8x64::new(padded)
}

/// The brackets of a block that stand outside strings, a bit each.
struct Marks {
    open: u64,
    close: u64,
}

/// What one block leaves for the next.
#[derive(Default)]
struct Carry {
    /// 1 where the next byte is escaped by a backslash.
    escaped: u64,
    /// All ones inside a string.
    string: u64,
}

impl Carry {
    fn marks(&mut self, block: u8x64) -> Marks {
        let equal = |byte: u8| block.simd_eq(u8x64::splat(byte)).to_bitmask();
        // '[' and '{', and ']' and '}', differ in one bit, which no other wanted byte has to lose.
        let folded = block | u8x64::splat(0x20);
        let equal_folded = |byte: u8| folded.simd_eq(u8x64::splat(byte)).to_bitmask();
        let quotes = equal(b'"') & !self.escapes(equal(b'\\'));
        let strings = inside(quotes) ^ self.string;
        self.string = 0_u64.wrapping_sub(strings >> 63);
        Marks { open: equal_folded(b'{') & !strings, close: equal_folded(b'}') & !strings }
    }

    /// The bytes that a backslash escapes. A run of backslashes escapes what follows it where its length is odd: adding
    /// the run to its own start carries a bit to the place behind it, whose parity then tells.
    fn escapes(&mut self, slashes: u64) -> u64 {
        const EVEN: u64 = 0x5555_5555_5555_5555;
        if slashes == 0 {
            return std::mem::take(&mut self.escaped);
        }
        let slashes = slashes & !self.escaped;
        let follows = (slashes << 1) | self.escaped;
        let odd_starts = slashes & !EVEN & !follows;
        let (even_runs, overflow) = odd_starts.overflowing_add(slashes);
        self.escaped = u64::from(overflow);
        (EVEN ^ (even_runs << 1)) & follows
    }
}

/// The bits from each opening quote up to its closing one.
fn inside(mut quotes: u64) -> u64 {
    for shift in [1, 2, 4, 8, 16, 32] {
        quotes ^= quotes << shift;
    }
    quotes
}

/// Whether `byte` may stand in a number, `true`, `false` or `null`.
pub(super) fn is_scalar_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.')
}

/// Whether `text` is a number, `true`, `false` or `null`.
pub(super) fn is_scalar(text: &[u8]) -> bool {
    matches!(text, b"true" | b"false" | b"null") || is_number(text)
}

fn is_number(text: &[u8]) -> bool {
    let text = text.strip_prefix(b"-").unwrap_or(text);
    let (whole, rest) = digits(text);
    if whole.is_empty() || (whole.len() > 1 && whole[0] == b'0') {
        return false;
    }
    let rest = match rest.strip_prefix(b".") {
        None => rest,
        Some(fraction) => match digits(fraction) {
            ([], _) => return false,
            (_, rest) => rest,
        },
    };
    match rest {
        [] => true,
        [b'e' | b'E', exponent @ ..] => {
            let exponent = exponent.strip_prefix(b"+").or(exponent.strip_prefix(b"-")).unwrap_or(exponent);
            !exponent.is_empty() && digits(exponent).1.is_empty()
        }
        _ => false,
    }
}

fn digits(text: &[u8]) -> (&[u8], &[u8]) {
    text.split_at(text.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len()))
}
