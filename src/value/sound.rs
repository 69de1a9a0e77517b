//! A value as JSON that others can read, whatever the log holds.

use super::{Value, lossy, scan};
use memchr::memmem;
use std::borrow::Cow;

impl<'a> Value<'a> {
    /// The JSON text, made valid and one line where the log's is not: then strings are written anew, and what is no value is
    /// `null`.
    #[must_use]
    pub fn sound(self) -> Cow<'a, [u8]> {
        let valid = !self.json.contains(&b'\n') && serde_json::from_slice::<serde::de::IgnoredAny>(self.json).is_ok();
        if valid && std::str::from_utf8(self.json).is_ok() {
            return Cow::Borrowed(self.json);
        }
        let mut sound = Vec::new();
        self.write_sound(&mut sound, DEEP);
        Cow::Owned(sound)
    }

    /// The same for readers that refuse what JSON allows: without half a surrogate pair, and not nested deeper than this.
    #[must_use]
    pub fn common(self) -> Cow<'a, [u8]> {
        let sound = self.sound();
        if !has_surrogates(&sound) && depth(&sound) <= DEEP {
            return sound;
        }
        let mut common = Vec::new();
        self.write_sound(&mut common, DEEP);
        Cow::Owned(common)
    }

    fn write_sound(self, into: &mut Vec<u8>, deep: usize) {
        let close = match self.json.first() {
            Some(b'{') if deep > 0 => b'}',
            Some(b'[') if deep > 0 => b']',
            Some(b'"') => return write_string(self.str().unwrap_or_default().as_ref(), into),
            _ if scan::is_scalar(self.json) => return into.extend_from_slice(self.json),
            _ => return into.extend_from_slice(b"null"),
        };
        into.push(self.json[0]);
        let open = into.len();
        for (key, value) in self.fields() {
            if into.len() > open {
                into.push(b',');
            }
            write_string(&lossy(&key), into);
            into.push(b':');
            value.write_sound(into, deep - 1);
        }
        for value in self.items() {
            if into.len() > open {
                into.push(b',');
            }
            value.write_sound(into, deep - 1);
        }
        into.push(close);
    }
}

/// So many levels of a value are written anew; what is deeper in it is `null`.
const DEEP: usize = 64;

fn write_string(text: &str, into: &mut Vec<u8>) {
    serde_json::to_writer(into, text).expect("a Vec takes all");
}

/// Whether a string may hold half a surrogate pair, which only an escape can.
fn has_surrogates(json: &[u8]) -> bool {
    memmem::find_iter(json, b"\\u").any(|at| matches!(json.get(at + 2), Some(b'd' | b'D')))
}

/// How many containers stand in one another, in valid JSON.
fn depth(json: &[u8]) -> usize {
    let (mut open, mut most, mut string, mut escape) = (0, 0, false, false);
    for byte in json {
        match byte {
            _ if escape => escape = false,
            b'\\' => escape = true,
            b'"' => string = !string,
            _ if string => {}
            b'{' | b'[' => {
                open += 1;
                most = most.max(open);
            }
            b'}' | b']' => open -= 1,
            _ => {}
        }
    }
    most
}

#[cfg(test)]
mod tests {
    use super::{DEEP, Value};

    #[test]
    fn every_reader_takes_what_is_common() {
        let common =
            |json: &str| String::from_utf8(Value::again(json.as_bytes()).common().into_owned()).expect("UTF-8");
        for same in [r#"{"a" : [1, "\\u00e9 \"[[" ]}"#, "12345678901234567890123"] {
            assert_eq!(common(same), same);
        }
        assert_eq!(common(r#"{"k":"a\ud83d","b": 1.50 }"#), "{\"k\":\"a\u{fffd}\",\"b\":1.50}");
        assert_eq!(common(r#""\ud83d\ude00""#), "\"\u{1f600}\"");
        let deep = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        assert_eq!(common(&deep(DEEP)), deep(DEEP));
        assert_eq!(common(&deep(DEEP + 1)), format!("{}null{}", "[".repeat(DEEP), "]".repeat(DEEP)));
    }
}
