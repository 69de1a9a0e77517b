//! Where bytes come from: standard input, files, read as UTF-8 whatever the shell that wrote them preferred.

mod live;
mod utf16;

pub use live::Live;

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::Path;
use std::thread;
use std::time::Duration;

/// One log: its bytes, and the name that messages give it.
pub struct Source {
    /// The file's name, or `stdin`.
    pub name: String,
    /// The bytes. A read that fails with `WouldBlock` has nothing yet.
    pub bytes: Box<dyn Read + Send>,
}

impl Source {
    /// The log in the file at `path`.
    ///
    /// # Errors
    /// Those of opening it.
    pub fn file(path: &Path) -> io::Result<Self> {
        Ok(Self::new(path.display().to_string(), File::open(path)?))
    }

    /// The log that `bytes` are.
    pub fn new(name: String, bytes: impl Read + Send + 'static) -> Self {
        Self { name, bytes: Box::new(utf16::Decoded::new(Patient(bytes))) }
    }
}

/// Waits for bytes where the process that opened the input has left it in non-blocking mode.
struct Patient<R>(R);

impl<R: Read> Read for Patient<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.0.read(into) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => thread::sleep(Duration::from_millis(5)),
                other => return other,
            }
        }
    }
}
