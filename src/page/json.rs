//! JSON on a page: for programs byte for byte, and on a terminal still JSON.

use super::Page;
use super::safe::is_obeyed;
use std::fmt::Write;
use std::io;

impl Page<'_> {
    /// Writes a line of JSON as it is. On a terminal, what could be obeyed there is escaped, which is the same to a program.
    ///
    /// # Errors
    /// As for [`Page::raw`].
    pub fn json(&mut self, line: &[u8]) -> io::Result<()> {
        if self.look().terminal {
            self.raw(escaped(&String::from_utf8_lossy(line)).as_bytes())?;
        } else {
            self.raw(line)?;
        }
        self.raw(b"\n")
    }
}

fn escaped(line: &str) -> String {
    let mut safe = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(place) = rest.find(is_obeyed) {
        let char = rest[place..].chars().next().unwrap_or_default();
        safe.push_str(&rest[..place]);
        // In a string none of these stands as it is, so that here it is a blank between values.
        if char < ' ' {
            safe.push(' ');
        } else {
            _ = write!(safe, "\\u{:04x}", u32::from(char));
        }
        rest = &rest[place + char.len_utf8()..];
    }
    safe.push_str(rest);
    safe
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn what_is_escaped_is_the_same_json() {
        assert_eq!(escaped("{\"a\":\t1,\r\"b\":\"\u{9b}2J\u{202e}é\"}"), r#"{"a": 1, "b":"\u009b2J\u202eé"}"#);
    }
}
