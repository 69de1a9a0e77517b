//! What stands whole under a secret name in an object. No code is there, so that all is secret that is not clearly something else.

use super::mark;
use super::names::{Class, class, names_secret};
use super::shapes::is_random;
use super::shown::{hides, readings};
use super::value::{SCHEMES, WORDS};

/// Whether `value` is a secret, under `key`.
pub(super) fn is_secret(key: &str, value: &str) -> bool {
    names(key) && value.len() >= 5 && !is_none(value.trim(), class(key))
}

/// Whether the key names a secret, as it is or as it shows.
fn names(key: &str) -> bool {
    names_secret(key) || hides(key) && readings(key).iter().any(|shown| names_secret(&shown.text))
}

fn is_none(value: &str, sort: Option<Class>) -> bool {
    let rest = match value.split_once(' ') {
        Some((scheme, rest)) if sort == Some(Class::Authorization) && is_any(scheme, SCHEMES) => rest.trim_start(),
        _ => value,
    };
    rest.is_empty() || mark::is_mark(rest) || is_reference(rest) || is_path(rest) || is_placeholder(rest)
}

/// Whether it only says where the secret is to be found.
fn is_reference(value: &str) -> bool {
    let between = |open: &str, close: &str| value.strip_prefix(open).and_then(|rest| rest.strip_suffix(close));
    let variable = value.strip_prefix("$env:").or_else(|| value.strip_prefix('$')).or_else(|| between("%", "%"));
    let braced = between("${", "}").or_else(|| between("$(", ")")).or_else(|| between("{{", "}}"));
    let place = ["process.env.", "import.meta.env.", "os.environ", "secrets.", "op://"]
        .iter()
        .find_map(|start| value.strip_prefix(start));
    variable.is_some_and(is_variable)
        || braced.is_some_and(|name| !is_random(name.as_bytes()))
        || place.is_some_and(|rest| !is_random(rest.as_bytes()) && !rest.contains(char::is_whitespace))
}

/// Whether it is how a variable is called: without digits, or in capitals.
fn is_variable(name: &str) -> bool {
    let has = |such: fn(&u8) -> bool| name.bytes().any(|byte| such(&byte));
    let (upper, lower) = (has(u8::is_ascii_uppercase), has(u8::is_ascii_lowercase));
    (upper || lower)
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && !name.starts_with(|char: char| char.is_ascii_digit())
        && !(has(u8::is_ascii_digit) && (lower || is_random(name.as_bytes())))
}

/// Whether it is a path of names that people give, and neither base64 nor a password that begins as a path does.
fn is_path(value: &str) -> bool {
    let starts = ["~/", "./", "../", "/", ".\\", "..\\"];
    let drive = |value: &str| matches!(value.as_bytes(), [b'A'..=b'Z' | b'a'..=b'z', b':', b'\\' | b'/', ..]);
    let Some(rest) =
        starts.iter().find_map(|start| value.strip_prefix(start)).or_else(|| value.get(3..).filter(|_| drive(value)))
    else {
        return false;
    };
    let parted = rest.contains(['/', '\\']) || !value.starts_with('/');
    parted && rest.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/\\._- ".contains(&byte)) && !has_noise(rest)
}

/// Whether a part of it is such as no name of a file is.
fn has_noise(path: &str) -> bool {
    path.split(|char: char| !char.is_ascii_alphanumeric()).any(|part| {
        let has = |such: fn(&u8) -> bool| part.bytes().any(|byte| such(&byte));
        let (digit, upper, lower) = (has(u8::is_ascii_digit), has(u8::is_ascii_uppercase), has(u8::is_ascii_lowercase));
        is_random(part.as_bytes())
            || part.len() >= 8 && digit && upper && lower
            || part.len() >= 20 && (digit || upper && lower)
    })
}

/// Whether it stands where a secret is to be filled in, or says that there is none.
fn is_placeholder(value: &str) -> bool {
    let words = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphabetic() || b"-_. ".contains(&byte));
    let lower = value.to_ascii_lowercase();
    let named = ["your", "replace", "change-me", "change_me", "insert-", "insert_", "enter-", "enter_", "example"];
    let angled = value.strip_prefix('<').and_then(|rest| rest.strip_suffix('>'));
    WORDS.contains(&lower.as_str())
        || angled.is_some_and(words)
        || words(value) && value.contains(['-', '_', ' ']) && named.iter().any(|start| lower.starts_with(start))
        || value.chars().all(|char| matches!(char, '*' | '•' | '.' | '…' | 'x' | 'X' | '-' | '_'))
}

fn is_any(word: &str, words: &[&str]) -> bool {
    words.iter().any(|one| one.eq_ignore_ascii_case(word))
}
