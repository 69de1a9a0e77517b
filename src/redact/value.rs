//! What a value under a secret name looks like: the secret itself, or a reference, a placeholder, a type, a piece of code.

use super::mark;
use super::names::{Class, class};
use super::shapes::is_random;
use memchr::memmem;

/// How a value is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Manner {
    /// `NAME=value`, the name in capitals, as environments have it.
    Shell,
    /// In quotes.
    Quoted,
    /// `name=value` without blanks, or behind an option.
    Tight,
    /// `name: value` or `name = value`, where code looks alike. At the end of the line, or not.
    Loose { ends: bool },
}

/// Words that stand where a secret would, and are none.
pub(super) const WORDS: &[&str] = &[
    "null",
    "none",
    "nil",
    "true",
    "false",
    "undefined",
    "string",
    "number",
    "boolean",
    "bool",
    "bytes",
    "object",
    "any",
    "unknown",
    "password",
    "passwd",
    "token",
    "secret",
    "bearer",
    "basic",
    "digest",
    "text",
    "hidden",
    "file",
    "redacted",
    "required",
    "optional",
    "missing",
    "invalid",
    "include",
    "same-origin",
    "omit",
    "inherit",
    "disabled",
    "enabled",
    "encrypted",
    "hashed",
    "identifier",
    "keyword",
    "default",
    "empty",
    "prompt",
    "authorization",
    "passwort",
    "senha",
    "wachtwoord",
    "changeme",
    "example",
    "varchar",
    "unset",
    "incorrect",
    "correct",
    "expired",
    "expires",
    "revoked",
    "validated",
    "verified",
    "failed",
    "success",
    "environment",
    "generate",
    "generated",
    "auth",
    "function",
    "return",
    "lambda",
    "private",
    "public",
    "static",
    "authentication",
    "authenticated",
];

/// What may stand before the credentials in a header, where they are one word.
pub(super) const SCHEMES: &[&str] =
    &["bearer", "basic", "token", "negotiate", "apikey", "api-key", "key", "bot", "ntlm", "splunk", "snowflake"];

/// What is only in text that says where a secret comes from, or that one is to be filled in.
const REFERENCES: &[&str] = &[
    "${",
    "$(",
    "{{",
    "<%",
    "%(",
    "process.env",
    "os.environ",
    "import.meta.env",
    "getenv",
    "env::",
    "secrets.",
    "\\(",
    "placeholder",
    "redacted",
    "replace_me",
    "replace-me",
    "replaceme",
    "your-",
    "your_",
    "your ",
    "yourtoken",
    "-here",
    "_here",
    "changeme",
    "change-me",
    "change_me",
    "...",
    "…",
    "***",
    "xxxx",
    "XXXX",
    "://",
];

/// Whether what begins with `value` is filled in later, whatever follows.
pub(super) fn is_variable(value: &[u8]) -> bool {
    let second = value.get(1).copied().unwrap_or_default();
    value[0] == b'$' && (second.is_ascii_alphabetic() || b"_{([@*".contains(&second))
}

/// Whether `value` is a secret.
pub(super) fn is_secret(value: &str, sort: Class, manner: Manner) -> bool {
    let least = if sort == Class::Password && value.bytes().any(|byte| !byte.is_ascii_alphabetic()) { 5 } else { 6 };
    if value.len() < least || is_elsewhere(value) {
        return false;
    }
    if sort == Class::Auth {
        return value.len() >= 12 && is_random(value.as_bytes());
    }
    if value.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
        return sort == Class::Password && !value.contains('.');
    }
    match manner {
        Manner::Shell if value.contains(char::is_whitespace) => is_quoted(value, Class::Password),
        Manner::Shell => !is_call(value) && !is_capital_name(value),
        Manner::Quoted => is_quoted(value, sort),
        Manner::Tight => !is_code(value) && is_quoted(value, sort),
        Manner::Loose { ends } => is_loose(value, sort, ends),
    }
}

/// Whether it is no value but says where to find one, or that none is there.
fn is_elsewhere(value: &str) -> bool {
    if mark::is_forged(value) {
        return false;
    }
    let bytes = value.as_bytes();
    let second = bytes.get(1).copied().unwrap_or_default();
    let refers = match bytes[0] {
        b'$' => is_variable(bytes),
        b'%' => value.len() > 2 && value.ends_with('%'),
        b'<' => value.ends_with('>'),
        b'[' => mark::is_mark(value) || value.ends_with(']'),
        b'`' | b'(' | b'|' | b'{' => true,
        b'@' | b'*' | b'&' | b'!' => {
            second.is_ascii_alphabetic()
                && bytes[1..]
                    .iter()
                    .all(|byte| !byte.is_ascii_digit() && (byte.is_ascii_alphanumeric() || b"_:<>' ./-".contains(byte)))
        }
        b'#' | b'.' if second.is_ascii_lowercase() => {
            bytes[1..].iter().all(|byte| byte.is_ascii_lowercase() || b"-_/.".contains(byte))
        }
        b'/' | b'~' => is_path(value),
        _ => false,
    };
    let path = ["./", "../", ".\\"].iter().any(|start| value.starts_with(start)) && is_path(value)
        || second == b':' && matches!(bytes.get(2), Some(b'\\' | b'/'));
    let lower = value.to_ascii_lowercase();
    refers
        || path
        || bytes.iter().all(|byte| *byte == bytes[0] || *byte == b'-' || *byte == b'x')
        || WORDS.contains(&lower.as_str())
        || REFERENCES.iter().any(|sign| memmem::find(lower.as_bytes(), sign.as_bytes()).is_some())
}

/// Whether a value that begins as one is a path, and not base64.
fn is_path(value: &str) -> bool {
    !value.split(['/', '\\']).any(|part| part.len() >= 20 && is_random(part.as_bytes()))
        && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/\\._-~ $^{},:?()[]|*+".contains(&byte))
}

/// What is in quotes: a secret, or a label, a word of a grammar, a key of a translation.
fn is_quoted(value: &str, sort: Class) -> bool {
    let digits = value.bytes().any(|byte| byte.is_ascii_digit());
    if value.contains(char::is_whitespace) {
        // A passphrase; a sentence says itself what it is about, or begins with a capital.
        let sentence = value.starts_with(char::is_uppercase)
            || value.split_whitespace().any(|word| class(word).is_some() || SENTENCE.contains(&word));
        return sort == Class::Password && value.is_ascii() && !sentence;
    }
    if !value.is_ascii() {
        return digits;
    }
    let few = value.bytes().filter(u8::is_ascii_digit).count() <= 1;
    if few && value.len() < 40 && class(value).is_some() && value.bytes().all(is_name) {
        return false;
    }
    if is_dotted(value) {
        return false;
    }
    // A token is made by a machine, and no word.
    let words = value.split(['-', '_', '.', '/', ':', ' ']).all(is_word);
    sort == Class::Password || !words || (sort == Class::Secret && value.bytes().all(|byte| byte.is_ascii_lowercase()))
}

const SENTENCE: &[&str] = &[
    "the",
    "a",
    "an",
    "is",
    "are",
    "must",
    "your",
    "my",
    "not",
    "and",
    "or",
    "to",
    "of",
    "for",
    "in",
    "with",
    "at",
    "least",
    "characters",
    "please",
    "enter",
    "required",
    "invalid",
    "should",
    "be",
    "has",
    "was",
    "this",
    "that",
    "cannot",
    "=",
    "==",
    "||",
    "&&",
    "+",
    "?",
    ":",
    "{",
    "}",
    "=>",
    "|",
];

/// What stands without quotes where code looks alike.
fn is_loose(value: &str, sort: Class, ends: bool) -> bool {
    if is_code(value) || value.bytes().any(|byte| b"(){}<>|`".contains(&byte)) {
        return false;
    }
    let few = value.bytes().filter(u8::is_ascii_digit).count() <= 1;
    if few && class(value).is_some() {
        return false;
    }
    let digit = value.bytes().any(|byte| byte.is_ascii_digit());
    let sign = value.bytes().any(|byte| b"!@#%^*+=/~".contains(&byte));
    let name = value.bytes().all(is_name);
    match sort {
        Class::Password if name => {
            ends && (digit || value.len() >= 8 && value.bytes().all(|byte| byte.is_ascii_lowercase()))
        }
        Class::Password => digit || (ends && sign),
        _ => is_random(value.as_bytes()) && (ends || !name || value.len() >= 20) || ends && is_long(value),
    }
}

/// Long, with letters and several digits in one stretch.
fn is_long(value: &str) -> bool {
    value.split(|char: char| !char.is_ascii_alphanumeric()).any(|part| {
        let digits = part.bytes().filter(u8::is_ascii_digit).count();
        part.len() >= 16 && digits >= 2 && digits < part.len()
    })
}

/// An expression: a call, a path of names, an element.
fn is_code(value: &str) -> bool {
    is_call(value)
        || is_dotted(value)
        || (class(value).is_some() && value.bytes().all(is_name) && !is_random(value.as_bytes()))
}

/// A name, and a bracket or two colons behind it.
fn is_call(value: &str) -> bool {
    let name = value.bytes().take_while(|byte| is_name(*byte) || matches!(byte, b'.' | b'$')).count();
    let rest = &value[name..];
    let opens = rest.starts_with('(') || rest.starts_with('[') || rest.starts_with("::") || rest.starts_with("!(");
    name > 0 && !value.as_bytes()[0].is_ascii_digit() && (opens || rest.starts_with("?.") || rest.starts_with('<'))
}

/// `config.auth.token`.
fn is_dotted(value: &str) -> bool {
    let mut parts = value.split("?.").flat_map(|part| part.split('.'));
    value.contains('.')
        && parts.all(|part| {
            part.starts_with(|char: char| char.is_ascii_alphabetic() || char == '_')
                && part.bytes().all(is_name)
                && part.bytes().filter(u8::is_ascii_digit).count() <= 2
        })
}

/// In capitals, it is what a secret would be called.
fn is_capital_name(value: &str) -> bool {
    class(value).is_some() && value.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_')
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

/// Lower case, perhaps behind a capital, or all capitals; and not long.
fn is_word(part: &str) -> bool {
    let rest = part.get(1..).unwrap_or_default();
    part.len() <= 16
        && part.bytes().all(|byte| byte.is_ascii_alphabetic())
        && (rest.bytes().all(|byte| byte.is_ascii_lowercase()) || part.bytes().all(|byte| byte.is_ascii_uppercase()))
}
