//! The record of what an agent writes, and whoever shows it, who comes second.

use super::talk::Talk;
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// How much is read at a time.
pub(super) const READ: usize = 128 << 10;

/// How long a read waits before it gives its caller a turn.
const TURN: Duration = Duration::from_millis(100);

/// Where the bytes of an agent are kept.
pub struct Record {
    file: Option<File>,
    /// The same file, to read back from. What is shown then can lie behind by as much as it wants to.
    back: Option<File>,
}

impl Record {
    /// No record.
    pub const NONE: Self = Self { file: None, back: None };

    /// Opens a record, and leaves alone what it holds until the agent has started.
    ///
    /// # Errors
    /// Those of opening it.
    pub fn open(path: &Path) -> io::Result<Self> {
        if path.as_os_str() == "-" {
            return Err(io::Error::other("a record is a file"));
        }
        // What others do to the file meanwhile leaves no holes in it.
        let file = OpenOptions::new().append(true).create(true).open(path)?;
        // A fifo or a device does not give back what it was given.
        let back = if file.metadata()?.is_file() { File::open(path).ok() } else { None };
        Ok(Self { file: Some(file), back })
    }

    /// Begins a new record. Gives what it can be read back from.
    pub(super) fn begin(&mut self) -> io::Result<Option<File>> {
        if let Some(file) = self.file.as_mut().filter(|file| file.metadata().is_ok_and(|data| data.is_file())) {
            file.set_len(0)?;
        }
        match &self.back {
            Some(back) => back.try_clone().map(Some),
            None => Ok(None),
        }
    }

    /// The file of a new record.
    pub(super) fn begun(mut self) -> io::Result<Option<File>> {
        self.begin()?;
        Ok(self.file)
    }

    /// Reads all that an agent writes: into the record first.
    pub(super) fn read(mut self, mut output: impl Read, talk: &Talk) {
        let mut buffer = vec![0; READ];
        loop {
            talk.listening();
            let count = match output.read(&mut buffer) {
                Ok(count @ 1..) => count,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Ok(_) | Err(_) => return talk.over(),
            };
            talk.heard(count);
            self.keep(&buffer[..count], talk);
        }
    }

    fn keep(&mut self, mut bytes: &[u8], talk: &Talk) {
        while let Some(file) = &mut self.file
            && !bytes.is_empty()
        {
            talk.keeping(true);
            let written = file.write(bytes);
            talk.keeping(false);
            match written {
                Ok(count @ 1..) if self.back.is_some() => {
                    talk.recorded(count);
                    bytes = &bytes[count..];
                }
                Ok(count @ 1..) => {
                    talk.hand_over(&bytes[..count]);
                    bytes = &bytes[count..];
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                // The run goes on without.
                failed => {
                    talk.lock().lost = Some(failed.err().unwrap_or_else(|| ErrorKind::WriteZero.into()));
                    self.file = None;
                }
            }
        }
        if !bytes.is_empty() {
            talk.hand_over(bytes);
        }
    }
}

/// What an agent writes, behind the record. A read fails with `WouldBlock` where nothing came for a tenth of a second.
pub struct Behind {
    talk: Arc<Talk>,
    record: Option<File>,
    /// How much was read from the record.
    shown: u64,
    chunk: Vec<u8>,
    given: usize,
}

impl Behind {
    pub(super) fn new(talk: Arc<Talk>, record: Option<File>) -> Self {
        Self { talk, record, shown: 0, chunk: Vec::new(), given: 0 }
    }

    fn give(&mut self, into: &mut [u8]) -> usize {
        let rest = &self.chunk[self.given..];
        let count = rest.len().min(into.len());
        into[..count].copy_from_slice(&rest[..count]);
        self.given += count;
        count
    }
}

impl Read for Behind {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.given < self.chunk.len() {
            return Ok(self.give(into));
        }
        let mut state = self.talk.wait_for_more(self.shown, TURN);
        if let (Some(record), Some(more @ 1..)) = (&mut self.record, state.recorded.checked_sub(self.shown)) {
            drop(state);
            let most = usize::try_from(more).map_or(into.len(), |more| more.min(into.len()));
            let count = record.read(&mut into[..most])?;
            if count == 0 && most > 0 {
                return Err(io::Error::other("the record was cut while it was written"));
            }
            self.shown += count as u64;
            return Ok(count);
        }
        if state.pending.is_empty() {
            return if state.over { Ok(0) } else { Err(ErrorKind::WouldBlock.into()) };
        }
        self.talk.take(&mut state, &mut self.chunk);
        drop(state);
        self.given = 0;
        Ok(self.give(into))
    }
}

impl Drop for Behind {
    fn drop(&mut self) {
        self.talk.leave();
    }
}
