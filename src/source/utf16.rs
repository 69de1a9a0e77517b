//! UTF-16 with a byte order mark, as Windows PowerShell writes it, turned into UTF-8. Other bytes pass untouched.

use std::io::{Read, Result};

/// How much of a UTF-16 stream is read at a time.
const READ: usize = 16 << 10;

/// Reads a stream as UTF-8.
pub(super) struct Decoded<R> {
    source: R,
    state: State,
    /// Bytes that are ready.
    ready: Vec<u8>,
    given: usize,
}

enum State {
    /// The first bytes are not read yet.
    New,
    /// No byte order mark of UTF-16.
    Plain,
    Utf16 {
        little: bool,
        /// The bytes of a character that is not whole yet.
        rest: Vec<u8>,
    },
}

impl<R: Read> Decoded<R> {
    pub(super) fn new(source: R) -> Self {
        Self { source, state: State::New, ready: Vec::new(), given: 0 }
    }

    /// Looks at the first two bytes, which are all it takes.
    fn begin(&mut self) -> Result<()> {
        while self.ready.len() < 2 {
            let mut byte = [0; 2];
            let want = 2 - self.ready.len();
            let count = self.source.read(&mut byte[..want])?;
            self.ready.extend_from_slice(&byte[..count]);
            // Only these two begin a mark; for any other, there is nothing to wait for.
            if count == 0 || !matches!(self.ready.first(), Some(0xFF | 0xFE)) {
                break;
            }
        }
        self.state = match self.ready.as_slice() {
            [0xFF, 0xFE] => State::Utf16 { little: true, rest: Vec::new() },
            [0xFE, 0xFF] => State::Utf16 { little: false, rest: Vec::new() },
            _ => {
                self.state = State::Plain;
                return Ok(());
            }
        };
        self.ready.clear();
        Ok(())
    }

    fn give(&mut self, into: &mut [u8]) -> usize {
        let rest = &self.ready[self.given..];
        let count = rest.len().min(into.len());
        into[..count].copy_from_slice(&rest[..count]);
        self.given += count;
        count
    }
}

impl<R: Read> Read for Decoded<R> {
    fn read(&mut self, into: &mut [u8]) -> Result<usize> {
        if matches!(self.state, State::New) {
            self.begin()?;
        }
        loop {
            if self.given < self.ready.len() {
                return Ok(self.give(into));
            }
            let State::Utf16 { little, rest } = &mut self.state else {
                return self.source.read(into);
            };
            let mut bytes = [0; READ];
            let count = self.source.read(&mut bytes)?;
            self.ready.clear();
            self.given = 0;
            rest.extend_from_slice(&bytes[..count]);
            let whole = if count == 0 { rest.len() } else { whole_units(rest, *little) };
            decode(&rest[..whole], *little, &mut self.ready);
            rest.drain(..whole);
            if count == 0 && self.ready.is_empty() {
                return Ok(0);
            }
        }
    }
}

fn unit(pair: [u8; 2], little: bool) -> u16 {
    if little { u16::from_le_bytes(pair) } else { u16::from_be_bytes(pair) }
}

/// How many of `bytes` can be decoded: not half a unit, nor half a surrogate pair.
fn whole_units(bytes: &[u8], little: bool) -> usize {
    let even = bytes.len() & !1;
    match bytes[..even].last_chunk::<2>() {
        Some(last) if (0xD800..=0xDBFF).contains(&unit(*last, little)) => even - 2,
        _ => even,
    }
}

fn decode(bytes: &[u8], little: bool, into: &mut Vec<u8>) {
    let (pairs, odd) = bytes.as_chunks::<2>();
    for char in char::decode_utf16(pairs.iter().map(|pair| unit(*pair, little))) {
        let char = char.unwrap_or(char::REPLACEMENT_CHARACTER);
        into.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes());
    }
    if !odd.is_empty() {
        into.extend_from_slice("\u{fffd}".as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::Decoded;
    use std::io::Read;

    /// Reads `bytes` through chunks of one byte, so that every character is cut everywhere.
    fn read(bytes: &[u8]) -> Vec<u8> {
        let single = bytes.iter().fold(Box::new(std::io::empty()) as Box<dyn Read>, |before, byte| {
            Box::new(before.chain(std::io::Cursor::new(vec![*byte])))
        });
        let mut text = Vec::new();
        Decoded::new(single).read_to_end(&mut text).expect("reading from memory does not fail");
        text
    }

    #[test]
    fn both_byte_orders_are_read() {
        let text = "né 漢 😀\r\n";
        let units: Vec<u16> = "\u{feff}".encode_utf16().chain(text.encode_utf16()).collect();
        let little: Vec<u8> = units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
        let big: Vec<u8> = units.iter().flat_map(|unit| unit.to_be_bytes()).collect();
        assert_eq!(read(&little), text.as_bytes());
        assert_eq!(read(&big), text.as_bytes());
    }

    #[test]
    fn half_a_pair_and_half_a_unit_are_replaced() {
        assert_eq!(read(&[0xFF, 0xFE, 0x3D, 0xD8, b'a', 0, b'b']), "\u{fffd}a\u{fffd}".as_bytes());
    }

    #[test]
    fn other_bytes_pass() {
        for bytes in [&b""[..], b"{", b"\xFF", b"\xFE{}", b"\xEF\xBB\xBF{}\n"] {
            assert_eq!(read(bytes), bytes);
        }
    }
}
