//! What stands around a secret: where a word begins and ends, in text that may hold escape sequences of several sorts.

/// How many bytes at the beginning of `text` are such.
pub(super) fn run(text: &[u8], such: impl Fn(u8) -> bool) -> usize {
    text.iter().position(|byte| !such(*byte)).unwrap_or(text.len())
}

/// Whether a token may begin at `at`: not within a word, but right behind an escape sequence that ends with a letter.
pub(super) fn begins(text: &[u8], at: usize) -> bool {
    let Some(&last) = text[..at].last() else { return true };
    !(last.is_ascii_alphanumeric() || last == b'-' || last == b'_' && !is_upper_name(text, at)) || escape_ends(text, at)
}

/// Whether there is a name before `at` such as `TOKEN_`, to which somebody glued the token.
fn is_upper_name(text: &[u8], at: usize) -> bool {
    text[..at].iter().rev().nth(1).is_some_and(u8::is_ascii_uppercase)
}

/// Whether an escape sequence ends at `at`: `\n`, `%20` or a change of colour, in any spelling.
pub(super) fn escape_ends(text: &[u8], at: usize) -> bool {
    let before = &text[at.saturating_sub(32)..at];
    match before {
        [.., b'\\', b'n' | b'r' | b't' | b'b' | b'f' | b'v' | b'0'] => true,
        [.., b'%', high, low] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => true,
        [rest @ .., b'm' | b'K' | b'G'] => {
            let digits = rest.iter().rev().take_while(|byte| byte.is_ascii_digit() || **byte == b';').count();
            rest[..rest.len() - digits].ends_with(b"[")
        }
        // The others of JSON and of C that are written with digits.
        _ => {
            let length = before.iter().rev().take(5).take_while(|byte| byte.is_ascii_hexdigit()).count();
            let head = &before[..before.len() - length];
            (length == 4 && head.ends_with(b"\\u")) || (length == 2 && head.ends_with(b"\\x"))
        }
    }
}

/// Where the name begins that goes on at `at`.
pub(super) fn name_start(text: &[u8], at: usize) -> usize {
    let length = text[..at]
        .iter()
        .rev()
        .take(NAME)
        .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'))
        .count();
    behind_escape(text, at - length, at)
}

/// Where a word begins that ends at `end`, if an escape sequence may look like its first letters.
pub(super) fn behind_escape(text: &[u8], start: usize, end: usize) -> usize {
    (start + 1..=end.min(start + 12)).rev().find(|place| escape_ends(text, *place)).unwrap_or(start)
}

/// No name is longer.
const NAME: usize = 64;

/// The quote that `text` begins with, with the backslashes before it: `"`, `'`, or `\"` in text that was quoted before.
pub(super) fn quote(text: &[u8]) -> Option<&[u8]> {
    let slashes = run(&text[..text.len().min(8)], |byte| byte == b'\\');
    matches!(text.get(slashes), Some(b'"' | b'\'' | b'`')).then(|| &text[..=slashes])
}

/// Where the quote closes that was opened with `quote` before `text`, or the line ends.
pub(super) fn closing(text: &[u8], quote: &[u8]) -> usize {
    let (slashes, mark) = (quote.len() - 1, quote[quote.len() - 1]);
    let mut at = 0;
    while at < text.len() {
        match text[at] {
            b'\n' => return at,
            b'\\' => {
                let more = run(&text[at..], |byte| byte == b'\\');
                // As many as opened it, or fewer, close it. More are an escape within.
                match text.get(at + more) {
                    Some(&byte) if byte == mark && more <= slashes => return at,
                    Some(&byte) if byte != b'\n' => at += more + usize::from(more % 2 == 1 || byte == mark),
                    _ => at += more,
                }
            }
            byte if byte == mark => return at,
            _ => at += 1,
        }
    }
    at.min(text.len())
}
