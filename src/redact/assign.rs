//! Values that stand under a secret name: assignments, settings, options of commands, headers.

use super::Span;
use super::around::{closing, name_start, quote, run};
use super::mark;
use super::names::{Class, class};
use super::shapes::is_slug;
use super::value::{Manner, SCHEMES, is_secret, is_variable};
use memchr::memmem;

/// What is looked at of a value before it is believed; a longer one is looked at no further.
const LOOK: usize = 256;

/// The name around the core that begins at `core`: where it begins and ends, and what it promises.
fn name(text: &[u8], core: usize) -> Option<(usize, usize, Class)> {
    let start = name_start(text, core);
    let mut end = core + run(&text[core..text.len().min(core + 64)], |byte| is_slug(byte) || byte == b'.');
    // A name of two words, as people write it.
    if text[end..].len() > 4 && text[end] == b' ' && text[end + 1..end + 4].eq_ignore_ascii_case(b"key") {
        end += 4;
    }
    let name = str::from_utf8(&text[start..end]).ok()?;
    Some((start, end, class(name)?))
}

/// The value that is given to the name around `core`, if it is a secret.
pub(super) fn assignment(text: &[u8], core: usize) -> Option<Span> {
    let (start, end, sort) = name(text, core)?;
    given(text, (start, end), sort, is_shell(&text[start..end]))
}

/// The same where the name is a value, and the value is that of the next member: `"name": "TOKEN", "value": "x"`. What was found
/// ends with the sign.
pub(super) fn pair(text: &[u8], core: usize, end: usize) -> Option<Span> {
    let word = memmem::rfind(&text[core..end].to_ascii_lowercase(), b"value")? + core;
    let (start, name_end, sort) = name(text, core)?;
    if name_end >= word {
        return None;
    }
    given(text, (word, word + 5), sort, is_shell(&text[start..name_end]))
}

/// The value behind a name, if it is a secret of this sort.
fn given(text: &[u8], (start, end): (usize, usize), sort: Class, upper: bool) -> Option<Span> {
    let (sign, mut at) = sign(text, end)?;
    let tag = start > 0 && text[start - 1] == b'<';
    if (sign == Sign::Angle) != (tag && text[end] == b'>') || text[..start].ends_with(b"${") {
        return None;
    }
    let tight = !text.get(at).is_some_and(|byte| matches!(byte, b' ' | b'\t'));
    at += run(&text[at..text.len().min(at + LOOK)], |byte| matches!(byte, b' ' | b'\t'));
    // A type, and behind it the value.
    if let Some(typed) = typed(text, at, sign) {
        at = typed;
    }
    match sort {
        Class::Authorization => return credentials(text, at),
        Class::Cookie => return cookie(text, at),
        _ => {}
    }
    // Before anything is measured, which takes longer.
    if text
        .get(opened(text, at).map_or(at, |(inside, _)| inside)..)
        .is_some_and(|rest| !rest.is_empty() && is_variable(rest))
    {
        return None;
    }
    let shell = sign == Sign::Equals && tight && upper;
    if let Some(inside) = quoted(text, at) {
        // In a shell, these hold a command.
        let command = shell && text[at] == b'`';
        let manner = if shell { Manner::Shell } else { Manner::Quoted };
        return if command { None } else { accepted(text, inside, sort, manner) };
    }
    if sign == Sign::Angle {
        let end = at + run(&text[at..text.len().min(at + LOOK)], |byte| !matches!(byte, b'<' | b'\n'));
        return accepted(text, (at, end), sort, Manner::Quoted).filter(|_| text[end..].starts_with(b"</"));
    }
    let stop = if shell { b"".as_slice() } else { b"&;,)}]<>|#" };
    let hash = !tight;
    let end = bare(text, at, |byte| stop.contains(&byte) && !(hash && byte == b'#'));
    let manner = match sign {
        Sign::Equals if shell => Manner::Shell,
        // Before a comma or a bracket, it is an argument of a call; before a semicolon, it may be.
        Sign::Equals if tight => match text.get(end) {
            Some(b',' | b')') => Manner::Loose { ends: false },
            Some(b';') if !text[at..end].iter().any(u8::is_ascii_digit) => Manner::Loose { ends: false },
            _ => Manner::Tight,
        },
        // A file of settings that become the environment.
        _ if ends_line(text, end) && upper && text[at..end].iter().any(u8::is_ascii_digit) => Manner::Tight,
        _ => Manner::Loose { ends: ends_line(text, end) },
    };
    accepted(text, (at, end), sort, manner)
}

/// What stands between a name and its value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sign {
    Equals,
    /// `:`, or the arrow of a table.
    Colon,
    /// The end of a tag.
    Angle,
}

/// The sign behind a name, and where it ends.
fn sign(text: &[u8], name: usize) -> Option<(Sign, usize)> {
    let near = &text[name..text.len().min(name + 32)];
    let closers = run(near, |byte| matches!(byte, b'\\' | b'"' | b'\'' | b'`' | b']' | b'?' | b'!'));
    let blanks = run(&near[closers..], |byte| matches!(byte, b' ' | b'\t'));
    let at = closers + blanks;
    let (sign, length) = match near[at..] {
        [b'=', b'=' | b'~', ..] | [b':', b':' | b'-' | b'+' | b'?', ..] => return None,
        [b'=', b'>', ..] | [b':', b'=', ..] => (Sign::Colon, 2),
        [b'=', ..] if blanks > 0 || closers > 0 => (Sign::Colon, 1),
        [b'=', ..] => (Sign::Equals, 1),
        [b':', ..] => (Sign::Colon, 1),
        [b'%', b'3', b'D' | b'd', ..] if at == 0 => (Sign::Equals, 3),
        [b'>', ..] if at == 0 => (Sign::Angle, 1),
        _ => return None,
    };
    // `!=` compares.
    (!near[..closers].ends_with(b"!")).then_some((sign, name + at + length))
}

/// Where the value begins behind a type: `password: &str = "…"`.
fn typed(text: &[u8], at: usize, sign: Sign) -> Option<usize> {
    let near = &text[at..text.len().min(at + 48)];
    let kind = run(near, |byte| byte.is_ascii_alphanumeric() || b"&'<>[]_:.| ?".contains(&byte));
    let rest = &near[kind..];
    let begins = kind > 1 && rest.first() == Some(&b'=') && near[kind - 1] == b' ' && sign == Sign::Colon;
    let value = 1 + run(rest.get(1..)?, |byte| byte == b' ');
    (begins && quote(&rest[value..]).is_some()).then_some(at + kind + value)
}

/// Whether it is how the environment names things.
fn is_shell(name: &[u8]) -> bool {
    name.iter().any(u8::is_ascii_uppercase) && !name.iter().any(|byte| byte.is_ascii_lowercase() || *byte == b'.')
}

/// What is in quotes at `at`.
fn quoted(text: &[u8], at: usize) -> Option<(usize, usize)> {
    let (start, quote) = opened(text, at)?;
    Some((start, start + closing(&text[start..], quote)))
}

/// Where the text begins that is in quotes at `at`, and the quote. It may stand behind the letter of a kind of string.
fn opened(text: &[u8], at: usize) -> Option<(usize, &[u8])> {
    let rest = &text[at..];
    let letters = run(&rest[..rest.len().min(2)], |byte| b"brfuL@$".contains(&byte));
    let quote = quote(&rest[letters..])?;
    Some((at + letters + quote.len(), quote))
}

/// Where a value ends that is not in quotes, without the punctuation behind it. It may be longer than what is looked at.
fn bare(text: &[u8], at: usize, stops: impl Fn(u8) -> bool) -> usize {
    // A mark is no end, or what stands behind it would be left.
    let behind = at + mark::length(&text[at..]).unwrap_or(0);
    let near = &text[behind..text.len().min(behind + LOOK + 1)];
    let end = behind + bare_length(near, &stops);
    end - text[at..end].iter().rev().take_while(|byte| b",;.)]}>".contains(byte)).count()
}

fn bare_length(text: &[u8], stops: impl Fn(u8) -> bool) -> usize {
    let end = text.iter().enumerate().position(|(at, &byte)| {
        let blank = byte.is_ascii_whitespace() || byte.is_ascii_control() || matches!(byte, b'"' | b'\'' | b'`');
        // An escape for a blank or a quote, in text that was quoted before.
        let escape = byte == b'\\' && matches!(text.get(at + 1), Some(b'n' | b'r' | b't' | b'"' | b'\'' | b'u' | b'x'));
        blank || escape || stops(byte)
    });
    end.unwrap_or(text.len())
}

/// Whether the line ends at `at`, but for a remark.
fn ends_line(text: &[u8], at: usize) -> bool {
    let rest = &text[at..text.len().min(at + LOOK)];
    let rest = &rest[run(rest, |byte| matches!(byte, b' ' | b'\t' | b'\r'))..];
    matches!(rest, [] | [b'\n' | b'#' | b'"' | b'\'' | b'`' | b'\x1b', ..] | [b'\\', b'n' | b'r' | b'"', ..])
}

fn accepted(text: &[u8], (start, end): (usize, usize), sort: Class, manner: Manner) -> Option<Span> {
    let value = &text[start..end];
    if value.len() <= LOOK {
        let secret = is_secret(str::from_utf8(value).ok()?, sort, manner);
        return secret.then_some(Span { start, end, kind: sort.kind() });
    }
    let forged = str::from_utf8(value).is_ok_and(mark::is_forged);
    let secret = !value[..LOOK].iter().any(u8::is_ascii_whitespace) && (!b"$%{[(<".contains(&value[0]) || forged);
    secret.then(|| {
        // One without quotes was measured no further.
        let rest = if manner == Manner::Quoted { b"" } else { &text[end..] };
        Span { start, end: end + bare_length(rest, |byte| b"&;,".contains(&byte)), kind: sort.kind() }
    })
}

/// The value behind an option, or in the next argument of a list: `--token x`, `"--token", "x"`.
pub(super) fn option(text: &[u8], core: usize) -> Option<Span> {
    let (start, end, sort) = name(text, core)?;
    if !text[start..].starts_with(b"-") {
        return None;
    }
    let near = &text[end..text.len().min(end + 32)];
    let at = end + run(near, |byte| matches!(byte, b' ' | b'\t' | b'\\' | b',' | b'"' | b'\''));
    // The quote that opens the value is not to be passed over.
    let open = text[end..at].iter().rposition(|byte| *byte == b',' || *byte == b' ').map_or(end, |last| end + last + 1);
    let (start, end) = quoted(text, open).unwrap_or_else(|| (at, bare(text, at, |byte| b"<>|;&)".contains(&byte))));
    let value = str::from_utf8(&text[start..end]).ok().filter(|value| value.len() <= LOOK)?;
    let prose = value.starts_with('-') || PROSE.contains(&value);
    (!prose)
        .then(|| accepted(text, (start, end), if sort == Class::Auth { sort } else { Class::Password }, Manner::Tight))?
        .map(|span| Span { kind: sort.kind(), ..span })
}

/// What stands behind the name of an option where people speak of it.
const PROSE: &[&str] = &[
    "option",
    "options",
    "argument",
    "arguments",
    "parameter",
    "parameters",
    "values",
    "instead",
    "without",
    "should",
    "cannot",
    "through",
    "before",
    "command",
    "settings",
    "variable",
    "prefix",
    "format",
    "header",
    "handling",
    "support",
    "becomes",
    "is",
    "flags",
    "accepts",
    "requires",
    "overrides",
    "expects",
    "prompts",
    "exists",
];

/// `set -x NAME value` of fish, `setenv NAME value` of csh.
pub(super) fn set(text: &[u8], at: usize) -> Option<Span> {
    let start = at;
    let end = start + run(&text[start..text.len().min(start + 64)], is_slug);
    let sort = class(str::from_utf8(&text[start..end]).ok()?)?;
    let value = end + run(&text[end..text.len().min(end + 16)], |byte| byte == b' ');
    if value == end {
        return None;
    }
    let inside = quoted(text, value).unwrap_or_else(|| (value, bare(text, value, |byte| byte == b';')));
    accepted(text, inside, sort, Manner::Shell)
}

/// What a query of a database or a file of logins calls a password, right behind the word.
pub(super) fn spoken(text: &[u8], at: usize) -> Option<Span> {
    let inside = quoted(text, at).unwrap_or_else(|| (at, bare(text, at, |_| false)));
    accepted(text, inside, Class::Password, Manner::Tight)
}

/// What follows `Authorization:`, without the name of the scheme.
fn credentials(text: &[u8], at: usize) -> Option<Span> {
    let start = opened(text, at).map_or(at, |(start, _)| start);
    let value = &text[start..text.len().min(start + LOOK)];
    let length = run(&value[..value.len().min(32)], is_slug);
    let blanks = run(&value[length..value.len().min(length + 8)], |byte| byte == b' ');
    let (scheme, first) = (&value[..length], start + length + blanks);
    let is = |names: &[&str]| names.iter().any(|name| name.as_bytes().eq_ignore_ascii_case(scheme));
    let span = if blanks > 0 && is(LONG) {
        // Its parts are in quotes of their own.
        let such = |byte: u8| !byte.is_ascii_control() && byte != b'\'';
        let near = &text[first..text.len().min(first + LOOK)];
        let end = first + run(near, such);
        let secret = near[..end - first].contains(&b'=');
        secret.then(|| Span { start: first, end: end + run(&text[end..], such), kind: "" })?
    } else if blanks > 0 && is(SCHEMES) {
        let end = bare(text, first, |_| false);
        let word = text[first..end].iter().all(u8::is_ascii_lowercase) && text[end..].starts_with(b" ");
        accepted(text, (first, end), Class::Password, Manner::Tight).filter(|_| !word)?
    } else {
        accepted(text, (start, bare(text, start, |_| false)), Class::Token, Manner::Loose { ends: true })?
    };
    Some(Span { kind: "authorization", ..span })
}

/// Schemes with several parts.
const LONG: &[&str] = &["digest", "oauth", "aws4-hmac-sha256", "hawk", "hmac"];

/// All of a header with cookies.
fn cookie(text: &[u8], at: usize) -> Option<Span> {
    let start = opened(text, at).map_or(at, |(start, _)| start);
    let look = &text[start..text.len().min(start + LOOK)];
    let name = run(look, |byte| is_slug(byte) || matches!(byte, b'.' | b'%' | b'$'));
    let value = look.get(name + 1..)?;
    let given = name > 0 && look[name] == b'=' && value.len() >= 4 && !b"${<= .*".contains(&value[0]);
    given.then(|| {
        let end = quoted(text, at).map_or_else(|| line(text, at), |(_, end)| end);
        Span { start, end, kind: "cookie" }
    })
}

/// Where the quote or the line ends that `at` is in.
fn line(text: &[u8], at: usize) -> usize {
    let rest = &text[at..];
    let end = rest.iter().enumerate().position(|(at, byte)| {
        let escape = *byte == b'\\' && matches!(rest.get(at + 1), Some(b'n' | b'r' | b'"' | b'\''));
        byte.is_ascii_control() || matches!(byte, b'"' | b'\'' | b'`') || escape
    });
    let end = at + end.unwrap_or(rest.len());
    end - text[at..end].iter().rev().take_while(|byte| **byte == b' ').count()
}

/// `Bearer` and a token behind it, anywhere.
pub(super) fn bearer(text: &[u8], at: usize) -> Option<Span> {
    let end = at + run(&text[at..], |byte| is_slug(byte) || b"._~+/=".contains(&byte));
    let value = &text[at..end.min(at + LOOK)];
    let secret = value.len() >= 20 && value.iter().any(u8::is_ascii_digit) && value.iter().any(u8::is_ascii_alphabetic);
    secret.then_some(Span { start: at, end, kind: "authorization" })
}
