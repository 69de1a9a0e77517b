//! The record of what passes between a client and an agent: an object for each line, in the order in which they came.

use super::record::Record;
use super::talk::Talk;
use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, SystemTime};

/// Which way bytes go.
#[derive(Clone, Copy)]
pub(super) enum Way {
    ToAgent,
    ToClient,
}

impl Way {
    fn name(self) -> &'static str {
        match self {
            Self::ToAgent => "client->agent",
            Self::ToClient => "agent->client",
        }
    }
}

/// A record that both ways share.
pub(super) struct Frames {
    kept: Mutex<Kept>,
    talk: Arc<Talk>,
}

struct Kept {
    /// Where the record goes, as long as it can be written.
    file: Option<File>,
    /// The lines that have begun, by their way.
    lines: [Line; 2],
}

impl Frames {
    /// Begins a new record.
    pub(super) fn begin(record: Record, talk: Arc<Talk>) -> Self {
        let file = record.begun().unwrap_or_else(|error| {
            talk.lock().lost = Some(error);
            None
        });
        Self { kept: Mutex::new(Kept { file, lines: [Line::default(), Line::default()] }), talk }
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records the lines that end in these bytes, which are not passed on before.
    pub(super) fn keep(&self, way: Way, mut bytes: &[u8]) {
        let mut kept = self.lock();
        while kept.file.is_some() {
            let end = memchr::memchr(b'\n', bytes);
            kept.lines[way as usize].add(&bytes[..end.unwrap_or(bytes.len())]);
            let Some(end) = end else { return };
            self.write(way, &mut kept);
            bytes = &bytes[end + 1..];
        }
    }

    /// Records the last line of a way, though it has no end.
    pub(super) fn last(&self, way: Way) {
        self.write(way, &mut self.lock());
    }

    /// Records what has no end yet, and nothing more. A record that takes nothing is not waited for for long.
    pub(super) fn end(self: Arc<Self>, patience: Duration) {
        let talk = Arc::clone(&self.talk);
        let (tell, told) = channel();
        thread::spawn(move || {
            let mut kept = self.lock();
            for way in [Way::ToAgent, Way::ToClient] {
                self.write(way, &mut kept);
            }
            kept.file = None;
            _ = tell.send(());
        });
        if told.recv_timeout(patience).is_err() {
            talk.lock().lost.get_or_insert(ErrorKind::TimedOut.into());
        }
    }

    /// Writes a line into the record. Where that fails, the traffic goes on without.
    fn write(&self, way: Way, kept: &mut Kept) {
        let Kept { file: Some(file), lines } = kept else { return };
        let line = &mut lines[way as usize];
        let Some(text) = line.end(way) else { return };
        self.talk.keeping(true);
        let written = write(text, file);
        self.talk.keeping(false);
        line.clear();
        if let Err(error) = written {
            self.talk.lock().lost = Some(error);
            *kept = Kept { file: None, lines: [Line::default(), Line::default()] };
        }
    }
}

/// Writes all of a line at once, as far as it is up to us. Half a line is taken back.
fn write(line: &[u8], file: &mut File) -> io::Result<()> {
    let mut rest = line;
    while !rest.is_empty() {
        match file.write(rest) {
            Ok(count @ 1..) => rest = &rest[count..],
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            failed => {
                let written = (line.len() - rest.len()) as u64;
                if let Ok(data) = file.metadata()
                    && data.is_file()
                {
                    _ = file.set_len(data.len().saturating_sub(written));
                }
                return Err(failed.err().unwrap_or_else(|| ErrorKind::WriteZero.into()));
            }
        }
    }
    Ok(())
}

/// A line of the record, made as its bytes come, so that a long one needs no more time at its end than a short one.
#[derive(Default)]
struct Line {
    /// The line's object, if anything of it is there: room for what stands in front, and the text, escaped.
    object: Vec<u8>,
    /// A character whose end is yet to come.
    part: Vec<u8>,
}

/// The most bytes in front of the text: a time that no clock will ever tell, the longest way.
const FRONT: usize = 64;

/// What a line may leave in memory for the next one.
const ROOM: usize = 1 << 20;

const HEX: &[u8; 16] = b"0123456789abcdef";

const REPLACEMENT: &[u8] = "\u{fffd}".as_bytes();

impl Line {
    fn add(&mut self, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        if self.object.is_empty() {
            self.object.resize(FRONT, b' ');
        }
        let mut joined = std::mem::take(&mut self.part);
        let mut bytes = if joined.is_empty() {
            bytes
        } else {
            joined.extend_from_slice(bytes);
            &joined
        };
        while let Err(error) = str::from_utf8(bytes) {
            let (valid, rest) = bytes.split_at(error.valid_up_to());
            self.escape(valid);
            let Some(wrong) = error.error_len() else {
                self.part = rest.to_vec();
                return;
            };
            self.object.extend_from_slice(REPLACEMENT);
            bytes = &rest[wrong..];
        }
        self.escape(bytes);
    }

    fn escape(&mut self, text: &[u8]) {
        let mut done = 0;
        for (at, byte) in text.iter().copied().enumerate() {
            if byte >= b' ' && byte != b'"' && byte != b'\\' {
                continue;
            }
            self.object.extend_from_slice(&text[done..at]);
            done = at + 1;
            match byte {
                b'"' | b'\\' => self.object.extend_from_slice(&[b'\\', byte]),
                b'\t' => self.object.extend_from_slice(b"\\t"),
                b'\r' => self.object.extend_from_slice(b"\\r"),
                control => {
                    let digits = [b'0' + (control >> 4), HEX[usize::from(control & 15)]];
                    self.object.extend_from_slice(b"\\u00");
                    self.object.extend_from_slice(&digits);
                }
            }
        }
        self.object.extend_from_slice(&text[done..]);
    }

    /// The line's object and a line break, unless the line is empty.
    fn end(&mut self, way: Way) -> Option<&[u8]> {
        if self.object.is_empty() {
            return None;
        }
        if !self.part.is_empty() {
            self.object.extend_from_slice(REPLACEMENT);
        }
        self.object.extend_from_slice(b"\"}\n");
        let now = SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default().as_millis();
        let front = format!(r#"{{"ts":{now},"dir":"{}","line":""#, way.name());
        let from = FRONT.saturating_sub(front.len());
        self.object[from..FRONT].copy_from_slice(&front.as_bytes()[..FRONT - from]);
        Some(&self.object[from..])
    }

    fn clear(&mut self) {
        self.object.clear();
        self.object.shrink_to(ROOM);
        self.part.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::{Line, Way};
    use proptest::prelude::*;

    fn recorded(pieces: &[&[u8]]) -> Option<serde_json::Value> {
        let mut line = Line::default();
        for piece in pieces {
            line.add(piece);
        }
        line.end(Way::ToAgent).map(|text| serde_json::from_slice(text).expect("it is JSON"))
    }

    #[test]
    fn an_empty_line_is_none() {
        assert_eq!(recorded(&[b"", b""]), None);
    }

    #[test]
    fn a_character_may_come_in_parts() {
        let line = recorded(&[b"\xf0", b"\x9f", b"\x98", b"\x80 \xe2\x82", b"\xac\0\"\\\t\r\x7f\xf0\x9f"]);
        let line = line.expect("it is not empty");
        assert_eq!(line["line"], "\u{1f600} €\0\"\\\t\r\u{7f}\u{fffd}");
        assert_eq!(line["dir"], "client->agent");
        assert!(line["ts"].is_u64());
    }

    #[test]
    fn all_characters_are_escaped_as_they_must_be() {
        let all: String = ('\0'..='\u{2100}').filter(|char| *char != '\n').collect();
        assert_eq!(recorded(&[all.as_bytes()]).expect("it is not empty")["line"], all.as_str());
    }

    proptest! {
        #[test]
        fn wherever_a_line_is_parted_its_text_is_the_same(
            bytes in proptest::collection::vec(prop_oneof![any::<u8>(), Just(0xf0), Just(0x9f), 0x80u8..0xc0], 1..40),
            cuts in proptest::collection::vec(any::<prop::sample::Index>(), 0..6),
        ) {
            let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len())).collect();
            cuts.extend([0, bytes.len()]);
            cuts.sort_unstable();
            let pieces: Vec<&[u8]> = cuts.windows(2).map(|cut| &bytes[cut[0]..cut[1]]).collect();
            let line = recorded(&pieces).expect("it is not empty");
            prop_assert_eq!(line["line"].as_str(), Some(&*String::from_utf8_lossy(&bytes)));
        }
    }
}
