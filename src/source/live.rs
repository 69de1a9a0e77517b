//! A source that never lets its reader wait for long: a thread reads ahead, and a read that finds nothing for a tenth of a
//! second says so, so that a clock on the screen can go on.

use std::io::{Error, ErrorKind, Read, Result};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

/// How long a read waits before it gives its caller a turn.
const TURN: Duration = Duration::from_millis(100);

/// How much the thread reads at a time.
const READ: usize = 64 << 10;

/// Reads from a thread of its own. A read fails with `WouldBlock` where nothing came for a tenth of a second.
pub struct Live {
    chunks: Receiver<Result<Vec<u8>>>,
    chunk: Vec<u8>,
    given: usize,
}

impl Live {
    /// Starts to read.
    pub fn new(mut source: Box<dyn Read + Send>) -> Self {
        // Few chunks, so that a reader that is slower than the stream slows the stream down.
        let (hand_over, chunks) = sync_channel(4);
        thread::spawn(move || {
            loop {
                let mut chunk = vec![0; READ];
                let read = source.read(&mut chunk);
                if matches!(&read, Err(error) if error.kind() == ErrorKind::Interrupted) {
                    continue;
                }
                let over = !matches!(read, Ok(1..));
                let taken = hand_over.send(read.map(|count| {
                    chunk.truncate(count);
                    chunk
                }));
                if over || taken.is_err() {
                    return;
                }
            }
        });
        Self { chunks, chunk: Vec::new(), given: 0 }
    }
}

impl Read for Live {
    fn read(&mut self, into: &mut [u8]) -> Result<usize> {
        if self.given == self.chunk.len() {
            self.chunk = match self.chunks.recv_timeout(TURN) {
                Ok(chunk) => chunk?,
                Err(RecvTimeoutError::Timeout) => return Err(Error::from(ErrorKind::WouldBlock)),
                Err(RecvTimeoutError::Disconnected) => Vec::new(),
            };
            self.given = 0;
        }
        let rest = &self.chunk[self.given..];
        let count = rest.len().min(into.len());
        into[..count].copy_from_slice(&rest[..count]);
        self.given += count;
        Ok(count)
    }
}
