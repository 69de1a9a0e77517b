//! Where bytes come from: standard input, files, an agent that is started here; read as UTF-8 whatever the shell that wrote them preferred.

mod child;
mod live;
mod utf16;

pub use child::{Child, Client, End, Exit, Limits, Record, Stop};
pub use live::Live;

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::Duration;

/// One log: its bytes, and the name that messages give it.
pub struct Source {
    /// The file's name, or `stdin`.
    pub name: String,
    /// The bytes. A read that fails with `WouldBlock` has nothing yet.
    pub bytes: Box<dyn Read + Send>,
    /// No read waits for long.
    pub turns: bool,
}

impl Source {
    /// The log in the file at `path`.
    ///
    /// # Errors
    /// Those of opening it.
    pub fn file(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        widen(&file);
        Ok(Self::new(path.display().to_string(), file))
    }

    /// The log that `bytes` are.
    pub fn new(name: String, bytes: impl Read + Send + 'static) -> Self {
        Self { name, bytes: Box::new(utf16::Decoded::new(Patient(bytes))), turns: false }
    }

    /// An agent that is started, and what it writes.
    ///
    /// # Errors
    /// Those of starting it.
    pub fn child(name: String, command: Command, record: Record, limits: Limits) -> io::Result<(Child, Self)> {
        let (child, bytes) = Child::start(command, record, limits)?;
        Ok((child, Self { name, bytes: Box::new(utf16::Decoded::new(bytes)), turns: true }))
    }
}

/// Lets a pipe hold as much as any user may ask for where nothing else is set, so that who writes into it has to wait less often. What is no pipe stays as
/// it is.
#[cfg(target_os = "linux")]
pub fn widen(pipe: impl std::os::fd::AsFd) {
    _ = rustix::pipe::fcntl_setpipe_size(pipe, 1 << 20);
}

/// Lets a pipe hold more, where the system knows how.
#[cfg(not(target_os = "linux"))]
pub fn widen<P>(_pipe: P) {}

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
