//! One line at a time from one reused buffer, numbered, of any length.

use memchr::{memchr, memrchr};
use std::io::{ErrorKind, Read, Result};

/// How much one read asks for. More is not faster.
const READ: usize = 64 << 10;

/// A buffer that grew beyond this for a long line is given back.
const KEEP: usize = 4 << 20;

/// Takes out of a long line what nobody needs, while it is read.
pub trait Shorten {
    /// The line so far; only its end is new. If it is `over`, no more of it comes. Gives how much of it is left, at its front.
    fn shorten(&mut self, line: &mut [u8], over: bool) -> usize;

    /// The next line begins.
    fn reset(&mut self);
}

/// The lines of a stream. [`Lines::line`] gives those that are there, [`Lines::fill`] waits for more. Whoever can tell where a
/// line ends without a search for its break takes it with [`Lines::rest`] and [`Lines::skip`].
pub struct Lines<R> {
    source: R,
    shorten: Box<dyn Shorten>,
    /// A line is shortened that is longer than this.
    long: usize,
    /// The line that is not yet given is being shortened.
    shortened: bool,
    buffer: Vec<u8>,
    /// Where the line that is not yet given begins.
    start: usize,
    /// Up to here there are whole lines; behind it is no line break.
    whole: usize,
    /// Up to here the buffer holds bytes of the stream.
    end: usize,
    number: u64,
    over: bool,
    /// The last line given had no line break.
    open: bool,
}

/// What waiting for the stream has brought.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Filled {
    /// More bytes.
    Some,
    /// Nothing yet: the source has given the caller a turn.
    Nothing,
    /// The end: no more lines than are there.
    End,
}

impl<R: Read> Lines<R> {
    /// The lines of `source`, of which those longer than `long` are shortened.
    pub fn new(source: R, long: usize, shorten: Box<dyn Shorten>) -> Self {
        Self {
            source,
            shorten,
            long,
            shortened: false,
            buffer: Vec::new(),
            start: 0,
            whole: 0,
            end: 0,
            number: 0,
            over: false,
            open: false,
        }
    }

    /// The next line that is in the buffer, and its number, counted from 1. Its line break is not part of it. At the end of
    /// the stream, also what stands behind the last line break.
    ///
    /// A line that is needed `whole` is not shortened.
    pub fn line(&mut self, whole: bool) -> Option<(u64, &[u8])> {
        let lines = &self.buffer[self.start..self.whole.max(self.start)];
        let end = if let Some(length) = memchr(b'\n', lines) {
            self.start + length
        } else if self.over && self.start < self.end {
            self.open = true;
            self.end
        } else {
            if self.end - self.start > self.long && !whole {
                self.shortened = true;
                self.end = self.start + self.shorten.shorten(&mut self.buffer[self.start..self.end], false);
            }
            return None;
        };
        let start = self.start;
        let mut length = end - start;
        if std::mem::take(&mut self.shortened) {
            length = self.shorten.shorten(&mut self.buffer[start..end], true);
            self.shorten.reset();
        }
        self.start = (end + 1).min(self.end);
        self.number += 1;
        Some((self.number, &self.buffer[start..start + length]))
    }

    /// The whole lines that are in the buffer, from the next one on. `None` where that is none, or was shortened.
    pub fn rest(&self) -> Option<&[u8]> {
        (self.start < self.whole && !self.shortened).then(|| &self.buffer[self.start..self.whole])
    }

    /// So many lines that [`Lines::rest`] begins with were read, of so many bytes with a line break behind each.
    pub fn skip(&mut self, lines: usize, length: usize) {
        self.start += length;
        self.number += lines as u64;
    }

    /// The number of the line that has not ended yet, and what there is of it. `None` where that is nothing, or was shortened.
    pub fn open(&self) -> Option<(u64, &[u8])> {
        let open = self.start >= self.whole && self.start < self.end && !self.shortened;
        open.then(|| (self.number + 1, &self.buffer[self.start..self.end]))
    }

    /// What [`Lines::open`] gives was read. What may still come of the line has the same number.
    pub fn skip_open(&mut self) {
        self.start = self.end;
    }

    /// Whether the stream has ended in a line that has no line break, and so may have been cut.
    pub fn ended_open(&self) -> bool {
        self.open
    }

    /// Reads once.
    ///
    /// # Errors
    /// Those of the source. What was read before stays.
    pub fn fill(&mut self) -> Result<Filled> {
        self.make_room();
        loop {
            match self.source.read(&mut self.buffer[self.end..]) {
                Ok(0) => {
                    self.over = true;
                    return Ok(Filled::End);
                }
                Ok(count) => {
                    let new = &self.buffer[self.end..self.end + count];
                    if let Some(last) = memrchr(b'\n', new) {
                        self.whole = self.end + last + 1;
                    }
                    self.end += count;
                    return Ok(Filled::Some);
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(Filled::Nothing),
                Err(error) => {
                    self.over = true;
                    return Err(error);
                }
            }
        }
    }

    /// Moves the open line to the front, and lets the buffer grow where that line fills it.
    fn make_room(&mut self) {
        self.buffer.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.whole = self.whole.saturating_sub(self.start);
        self.start = 0;
        if self.buffer.len() > KEEP && self.end < READ {
            self.buffer.truncate(READ);
            self.buffer.shrink_to_fit();
        }
        // The length grows by what one read needs, so that memory is touched only where bytes come to lie; the capacity
        // doubles, so that a long line is moved seldom.
        if self.buffer.len() - self.end < READ / 2 {
            self.buffer.resize(self.end + READ, 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Filled, KEEP, Lines, READ, Shorten};
    use std::io::{self, Read};

    /// Leaves a line as it is.
    struct Nothing;

    impl Shorten for Nothing {
        fn shorten(&mut self, line: &mut [u8], _over: bool) -> usize {
            line.len()
        }

        fn reset(&mut self) {}
    }

    /// Gives its bytes in reads of the sizes asked for, over and over.
    struct Pieces<'a> {
        bytes: &'a [u8],
        size: usize,
    }

    impl Read for Pieces<'_> {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            let count = self.size.min(into.len()).min(self.bytes.len());
            let (now, later) = self.bytes.split_at(count);
            into[..count].copy_from_slice(now);
            self.bytes = later;
            Ok(count)
        }
    }

    fn all(bytes: &[u8], size: usize) -> Vec<Vec<u8>> {
        let mut lines = Lines::new(Pieces { bytes, size }, READ, Box::new(Nothing));
        let mut found = Vec::new();
        loop {
            while let Some((number, line)) = lines.line(false) {
                assert_eq!(number, found.len() as u64 + 1);
                found.push(line.to_vec());
            }
            if lines.fill().expect("reading from memory does not fail") == Filled::End {
                break;
            }
        }
        found.extend(lines.line(false).map(|(_, line)| line.to_vec()));
        found
    }

    #[test]
    fn lines_are_the_same_wherever_the_reads_end() {
        let long = "x".repeat(3 * READ + 7);
        let text = format!("one\n\n{long}\ntwo\r\n{long}");
        let want: Vec<Vec<u8>> = text.split('\n').map(|line| line.as_bytes().to_vec()).collect();
        for size in [1, 2, 3, 1000, READ - 1, READ, READ + 1, usize::MAX] {
            assert_eq!(all(text.as_bytes(), size), want, "reads of {size}");
        }
    }

    #[test]
    fn a_last_line_break_ends_no_empty_line() {
        assert_eq!(all(b"a\nb\n", 2), [b"a", b"b"]);
        assert!(all(b"", 1).is_empty());
    }

    #[test]
    fn a_long_line_leaves_no_large_buffer() {
        let text = format!("{}\nshort\n", "x".repeat(KEEP + READ));
        let mut lines = Lines::new(text.as_bytes(), READ, Box::new(Nothing));
        while lines.fill().expect("reading from memory does not fail") != Filled::End {
            while lines.line(false).is_some() {}
        }
        assert!(lines.buffer.capacity() <= 2 * READ, "{}", lines.buffer.capacity());
    }
}
