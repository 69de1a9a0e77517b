//! Blocks of private keys: whole, cut at either end, over several lines or in one with `\n` between them.

use super::Span;
use super::around::run;
use memchr::memmem;

/// How far behind the beginning a line of the key must stand.
const NEAR: usize = 400;

/// No short key is longer.
const SHORT: usize = 4096;

/// The block that begins at `at`, or ends there; `done` is where the last one ended.
pub(super) fn block(text: &[u8], at: usize, done: usize) -> Option<Span> {
    let body = header(text, at)?;
    let (start, end) = if text[at..].starts_with(b"-----BEGIN ") {
        (
            at,
            if has_line(text, body) {
                end(text, body).map_or(text.len(), |(_, end)| end)
            } else {
                short_end(text, body)?
            },
        )
    } else {
        (lines_before(text, at, done)?, body)
    };
    Some(Span { start, end, kind: "private-key" })
}

/// Where the line ends that begins at `at`, if it is one of a private key.
fn header(text: &[u8], at: usize) -> Option<usize> {
    let label = at + run(&text[at..text.len().min(at + 5)], |byte| byte == b'-');
    let line = &text[label..text.len().min(label + 64)];
    let length = run(line, |byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b' ');
    let name = &line[..length];
    let private = name.ends_with(b"PRIVATE KEY") || name.ends_with(b"PRIVATE KEY BLOCK");
    // A cut line has no dashes.
    let dashes = run(&line[length..], |byte| byte == b'-').min(5);
    (private && (dashes == 5 || label + length + dashes == text.len())).then_some(label + length + dashes)
}

/// The next end of a private key: where its line begins and where it ends.
fn end(text: &[u8], body: usize) -> Option<(usize, usize)> {
    memmem::find_iter(&text[body..], b"-----END ").find_map(|at| Some((body + at, header(text, body + at)?)))
}

/// Whether there is a line of a key, and not only code or prose that speaks of such blocks.
fn has_line(text: &[u8], body: usize) -> bool {
    let near = &text[body..text.len().min(body + NEAR)];
    near.split(|byte| !is_base64(*byte)).any(|part| part.len() >= 40)
}

/// Where a block ends that has no whole line.
fn short_end(text: &[u8], body: usize) -> Option<usize> {
    let near = &text[..text.len().min(body + SHORT)];
    if let Some((line, end)) = end(near, body) {
        let between = &text[body..line];
        let plain = |byte: u8| is_base64(byte) || byte.is_ascii_whitespace() || b"\\:,.-".contains(&byte);
        let letters = between.iter().filter(|byte| byte.is_ascii_alphanumeric()).count();
        return (letters >= 8 && between.iter().all(|byte| plain(*byte))).then_some(end);
    }
    // Cut within its first line.
    let line = ["\\n", "\n", "\r\n"].iter().find_map(|newline| text[body..].strip_prefix(newline.as_bytes()))?;
    let cut = (4..100).contains(&line.len()) && line.iter().all(|byte| is_base64(*byte));
    cut.then_some(text.len())
}

/// Where the lines of base64 begin that end at `at`, if there are some.
fn lines_before(text: &[u8], at: usize, done: usize) -> Option<usize> {
    let mut found = None;
    let mut total = 0;
    let mut from = at;
    loop {
        let text = &text[done..from];
        let end = text.len() - gap(text);
        let length = text[..end].iter().rev().take(4096).take_while(|byte| is_base64(**byte)).count();
        // The letter of a newline that was written with two.
        let line = &text[end - length..end];
        let start = match text[..end - length].last() {
            Some(b'\\') if matches!(line.first(), Some(b'n' | b'r')) => end - length + 1,
            _ => end - length,
        };
        let indent = text[..start].iter().rev().take(64).take_while(|byte| matches!(byte, b' ' | b'\t' | b'-')).count();
        let whole = start == indent
            || matches!(text[start - indent - 1], b'\n' | b'\r')
            || gap(&text[..start]) > 0
            || (indent == 0 && matches!(text[start - 1], b'"' | b'\'' | b'`' | b'|'));
        // The last line may be short, and the first may be cut.
        let least = if found.is_none() || start == 0 { 1 } else { 32 };
        if end == text.len() || end - start < least || !whole {
            break;
        }
        total += end - start;
        from = done + start;
        found = Some(from);
    }
    found.filter(|_| total >= 16)
}

/// How many bytes at the end of `text` part one line from the next.
fn gap(text: &[u8]) -> usize {
    let mut end = text.len();
    loop {
        let signs: [&[u8]; 8] = [b"\n+", b"\\n", b"\\r", b"\n", b"\r", b" ", b"\t", b"-"];
        match signs.into_iter().find(|sign| text[..end].ends_with(sign)) {
            Some(sign) if text.len() - end < 64 => end -= sign.len(),
            _ => return text.len() - end,
        }
    }
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}
