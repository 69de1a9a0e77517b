//! Secrets in addresses and in the user of a request.

use super::Span;
use super::around::run;
use super::mark;
use super::names::Class;
use super::shapes::is_random;
use super::value::{Manner, is_secret};
use memchr::memmem;

/// No password in an address is longer.
const LOOK: usize = 512;

/// The password of `scheme://user:password@host`, where `at` is behind the first colon after the slashes.
pub(super) fn password(text: &[u8], at: usize) -> Option<Span> {
    let near = &text[at..text.len().min(at + LOOK)];
    let near = &near[..run(near, |byte| {
        !byte.is_ascii_whitespace() && !byte.is_ascii_control() && !b"/?#\"'`<>\\".contains(&byte)
    })];
    // A password may hold an `@` that nobody escaped.
    let length = near.iter().rposition(|byte| *byte == b'@')?;
    let value = &near[..length];
    let forged = str::from_utf8(value).is_ok_and(mark::is_forged);
    let refers = value.is_empty()
        || matches!(value[0], b'$' | b'{' | b'[' | b'%' if value[0] != b'%' || value.ends_with(b"%")) && !forged
        || value.iter().all(|byte| matches!(byte, b'*' | b'x' | b'.' | b'X'))
        || memmem::find(value, b"${").is_some();
    (!refers).then_some(Span { start: at, end: at + length, kind: "url-password" })
}

/// The value of a part of a query that is signed or a key, from `at` on.
pub(super) fn query(text: &[u8], at: usize) -> Option<Span> {
    let such = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~%+/=".contains(&byte);
    let near = &text[at..text.len().min(at + LOOK)];
    let value = &near[..run(near, such)];
    let fits = value.len() >= 16 && (is_random(value) || value.contains(&b'%') && value.iter().any(u8::is_ascii_digit));
    fits.then(|| Span { start: at, end: at + run(&text[at..], such), kind: "url-secret" })
}

/// The password of `curl -u user:password`, where the option begins at `option` and the password at `at`.
pub(super) fn user(text: &[u8], option: usize, at: usize) -> Option<Span> {
    if !is_request(&text[option.saturating_sub(LOOK)..option]) {
        return None;
    }
    let near = &text[at..text.len().min(at + LOOK)];
    let quote = text[at - 64.min(at)..at]
        .iter()
        .rev()
        .take_while(|byte| **byte != b' ')
        .find(|byte| matches!(byte, b'"' | b'\''));
    let end = at
        + run(near, |byte| match quote {
            Some(mark) => byte != *mark && byte != b'\n' && byte != b'\\',
            None => {
                !byte.is_ascii_whitespace() && !byte.is_ascii_control() && !matches!(byte, b'"' | b'\'' | b'`' | b'\\')
            }
        });
    let value = str::from_utf8(&text[at..end]).ok()?;
    let long = is_secret(value, Class::Password, Manner::Shell);
    long.then_some(Span { start: at, end, kind: "password" })
}

/// Whether `before` ends in a command that makes requests. It may go on over several lines.
fn is_request(before: &[u8]) -> bool {
    let mut lines = before.split(|byte| *byte == b'\n').rev();
    let last = lines.next().into_iter();
    last.chain(lines.take_while(|line| line.trim_ascii_end().ends_with(b"\\")))
        .any(|line| ["curl", "wget", "http"].iter().any(|name| memmem::find(line, name.as_bytes()).is_some()))
}
