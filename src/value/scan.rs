//! Where a JSON value ends: jumps over strings and containers 64 bytes at a time, and decodes nothing.

#![expect(clippy::inline_always, reason = "only what is inlined there is compiled for the machine's best instructions")]

use super::spans::{LEVELS, Spans};
use fearless_simd::{Level, dispatch, prelude::*, u8x32, u8x64};

/// Whether `byte` may stand between tokens. So may a NUL, as machines leave them that stopped while they wrote.
pub(super) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b'\0')
}

/// The first place from `at` on that is not a blank.
#[inline(always)]
pub(super) fn blanks_end(json: &[u8], at: usize) -> usize {
    match json.get(at) {
        // Most writers leave no blanks.
        Some(byte) if !is_blank(*byte) => at,
        _ => long_blanks_end(json, at),
    }
}

#[cold]
fn long_blanks_end(json: &[u8], at: usize) -> usize {
    let rest = json.get(at..).unwrap_or_default();
    at + rest.iter().position(|byte| !is_blank(*byte)).unwrap_or(rest.len())
}

/// The place behind the value that begins at `start`. `None` where there is no value, or it does not end.
pub(super) fn value_end(json: &[u8], start: usize) -> Option<usize> {
    match json.get(start)? {
        b'"' => string(json, start).map(|(end, _)| end),
        b'{' | b'[' => dispatch!(Level::new(), simd => container_end(simd, json, start)),
        _ => scalar_end(json, start),
    }
}

/// The place behind the number, `true`, `false` or `null` that begins at `start`.
pub(super) fn scalar_end(json: &[u8], start: usize) -> Option<usize> {
    let (digits, rest) = digits(&json[start..]);
    // Most are whole numbers.
    let canonical = digits.len() == 1 || digits.first().is_some_and(|first| *first != b'0');
    if canonical && !rest.first().is_some_and(|byte| is_scalar_byte(*byte)) {
        return Some(start + digits.len());
    }
    let end = start + json[start..].iter().position(|byte| !is_scalar_byte(*byte)).unwrap_or(json.len() - start);
    is_scalar(&json[start..end]).then_some(end)
}

/// The place behind the string whose opening quote stands at `open`, and whether the string is known to hold no escapes.
#[inline]
pub(super) fn string(json: &[u8], open: usize) -> Option<(usize, bool)> {
    match short_string(json, open) {
        Some(end) => Some((end, true)),
        None => long_string(json, open).map(|end| (end, false)),
    }
}

#[cold]
fn long_string(json: &[u8], open: usize) -> Option<usize> {
    string_end(json, open + 1).map(|quote| quote + 1)
}

/// Where the first quote stands from `at` on that nothing escapes.
pub(super) fn string_end(json: &[u8], at: usize) -> Option<usize> {
    dispatch!(Level::new(), simd => first_quote::<_, false>(simd, json, at, Carry::default())).map(|(quote, _)| quote)
}

/// The place behind the string whose opening quote stands at `open`, where it has no escapes and is short, as keys, names and most
/// values are.
#[inline]
pub(super) fn short_string(json: &[u8], open: usize) -> Option<usize> {
    let mut at = open + 1;
    for _ in 0..2 {
        let rest = json.get(at..)?;
        let length = match rest.first_chunk::<32>() {
            // What every machine of this kind can do needs no call.
            Some(bytes) => dispatch!(Level::baseline(), simd => {
                let block = u8x32::from_slice(simd, bytes);
                (block.simd_eq(b'"') | block.simd_eq(b'\\')).to_bitmask().trailing_zeros().min(32) as usize
            }),
            None => rest.iter().position(|byte| matches!(byte, b'"' | b'\\'))?,
        };
        match rest.get(length)? {
            b'"' => return Some(at + length + 1),
            b'\\' => return None,
            _ => at += length,
        }
    }
    None
}

/// The same as [`string`], where the string ends before the line breaks.
#[inline(always)]
pub(super) fn line_string<S: Simd>(simd: S, text: &[u8], open: usize) -> Option<(usize, bool)> {
    let bytes = block(simd, text, open + 1);
    let quotes = equal(bytes, b'"');
    let odd = (bytes.simd_eq(b'\\') | bytes.simd_eq(b'\n')).to_bitmask();
    // Most such strings are short and hold no escapes.
    if quotes != 0 && odd & quotes.wrapping_sub(1) & !quotes == 0 {
        return Some((open + 2 + quotes.trailing_zeros() as usize, true));
    }
    let (quote, plain) = first_quote::<_, true>(simd, text, open + 1, Carry::default())?;
    Some((quote + 1, plain))
}

/// Where the first quote stands from `at` on that nothing escapes, and whether no backslash stands in front of it. With `LINE`, it
/// must come before the line breaks.
#[inline(always)]
fn first_quote<S: Simd, const LINE: bool>(
    simd: S,
    text: &[u8],
    mut at: usize,
    mut carry: Carry,
) -> Option<(usize, bool)> {
    let mut plain = true;
    while at < text.len() {
        let bytes = block(simd, text, at);
        let slashes = equal(bytes, b'\\');
        let quotes = equal(bytes, b'"') & !carry.escapes(slashes);
        let breaks = if LINE { equal(bytes, b'\n') } else { 0 };
        if quotes | breaks != 0 {
            let first = quotes.trailing_zeros();
            plain &= slashes.trailing_zeros() > first;
            return (first < breaks.trailing_zeros()).then(|| (at + first as usize, plain));
        }
        plain &= slashes == 0;
        at += 64;
    }
    None
}

/// The place behind the container that opens at `open`. Which bracket closes which is not looked at: a damaged
/// container ends somewhere else, and then what follows it is no valid text either.
#[inline(always)]
fn container_end<S: Simd>(simd: S, json: &[u8], open: usize) -> Option<usize> {
    let mut depth = 0_u64;
    let mut carry = Carry::default();
    let mut at = open;
    while at < json.len() {
        let marks = carry.marks(block(simd, json, at));
        let closing = u64::from(marks.close.count_ones());
        if depth > closing {
            // No bracket of this block can close the container.
            depth = depth + u64::from(marks.open.count_ones()) - closing;
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

/// The place behind the object that opens at `open`, if it closes before the line breaks. In the same pass, notes in `spans`
/// where its longer values end, so that no byte has to be looked at again to jump over them.
pub(super) fn line_end(level: Level, text: &[u8], open: usize, spans: &mut Spans) -> Option<usize> {
    dispatch!(level, simd => noted_end(simd, text, open, spans))
}

#[inline(always)]
fn noted_end<S: Simd>(simd: S, text: &[u8], open: usize, spans: &mut Spans) -> Option<usize> {
    spans.clear();
    let mut depth = 0_usize;
    let mut carry = Carry::default();
    // Where the string opens that a block ends in.
    let mut quote = open;
    let mut at = open;
    while at < text.len() {
        let bytes = block(simd, text, at);
        let within = carry.string != 0;
        let quotes = carry.quotes(bytes);
        let breaks = equal(bytes, b'\n');
        if within && quotes == 0 {
            // A block without quotes: a long string, in which nothing else has to be looked for.
            if breaks != 0 {
                return None;
            }
            let (end, _) = first_quote::<_, true>(simd, text, at + 64, carry)?;
            at = end + 1;
            spans.string(quote, at);
            carry = Carry::default();
            continue;
        }
        let marks = carry.brackets(bytes, quotes);
        if carry.string != 0 {
            quote = at + 63 - quotes.leading_zeros() as usize;
        }
        let closing = marks.close.count_ones() as usize;
        if depth > closing + LEVELS {
            depth = depth + marks.open.count_ones() as usize - closing;
        } else {
            let mut brackets = marks.open | marks.close;
            while brackets != 0 {
                let bit = brackets & brackets.wrapping_neg();
                let place = at + brackets.trailing_zeros() as usize;
                if marks.open & bit != 0 {
                    depth += 1;
                    spans.open(depth, place);
                } else {
                    spans.close(depth, place + 1);
                    depth -= 1;
                    if depth == 0 {
                        return (breaks & (bit - 1) == 0).then_some(place + 1);
                    }
                }
                brackets ^= bit;
            }
        }
        if breaks != 0 {
            return None;
        }
        at += 64;
    }
    None
}

/// The 64 bytes from `at` on, filled up with blanks.
#[inline(always)]
pub(super) fn block<S: Simd>(simd: S, bytes: &[u8], at: usize) -> u8x64<S> {
    let rest = bytes.get(at..).unwrap_or_default();
    if let Some(whole) = rest.first_chunk::<64>() {
        return u8x64::from_slice(simd, whole);
    }
    let mut padded = [b' '; 64];
    padded[..rest.len()].copy_from_slice(rest);
    u8x64::from_slice(simd, &padded)
}

/// The places in a block where `byte` stands, a bit each.
#[inline(always)]
fn equal<S: Simd>(block: u8x64<S>, byte: u8) -> u64 {
    block.simd_eq(byte).to_bitmask()
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
    #[inline(always)]
    fn marks<S: Simd>(&mut self, block: u8x64<S>) -> Marks {
        let quotes = self.quotes(block);
        self.brackets(block, quotes)
    }

    /// The quotes that nothing escapes.
    #[inline(always)]
    fn quotes<S: Simd>(&mut self, block: u8x64<S>) -> u64 {
        equal(block, b'"') & !self.escapes(equal(block, b'\\'))
    }

    /// The brackets outside strings.
    #[inline(always)]
    fn brackets<S: Simd>(&mut self, block: u8x64<S>, quotes: u64) -> Marks {
        let strings = inside(quotes) ^ self.string;
        self.string = 0_u64.wrapping_sub(strings >> 63);
        // '[' and '{', and ']' and '}', differ in one bit, which no other wanted byte has to lose.
        let folded = block | 0x20;
        Marks { open: equal(folded, b'{') & !strings, close: equal(folded, b'}') & !strings }
    }

    /// The bytes that a backslash escapes. A run of backslashes escapes what follows it where its length is odd: adding
    /// the run to its own start carries a bit to the place behind it, whose parity then tells. Without a branch, since
    /// nobody could foretell it.
    #[inline(always)]
    fn escapes(&mut self, slashes: u64) -> u64 {
        const EVEN: u64 = 0x5555_5555_5555_5555;
        let slashes = slashes & !self.escaped;
        let follows = (slashes << 1) | self.escaped;
        let odd_starts = slashes & !EVEN & !follows;
        let (even_runs, overflow) = odd_starts.overflowing_add(slashes);
        self.escaped = u64::from(overflow);
        (EVEN ^ (even_runs << 1)) & follows
    }
}

/// The bits from each opening quote up to its closing one.
#[inline(always)]
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
