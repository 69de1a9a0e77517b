//! The list of dialects, and which one a line speaks.

mod cursor;

use crate::event::Event;
use crate::value::Value;
use std::io;

/// What a dialect tells its events to. An error of it goes straight up.
pub type Tell<'t> = dyn FnMut(Event<'_>) -> io::Result<()> + 't;

/// The dialect of an input.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum Dialect {
    /// Look at each line
    #[default]
    Auto,
    /// What `agent --print --output-format stream-json` writes
    Cursor,
}

/// Reads lines of a dialect, and remembers what later lines need.
pub struct Reader {
    cursor: cursor::Cursor,
}

impl Reader {
    /// A reader for an input that has not begun.
    #[must_use]
    pub fn new(dialect: Dialect) -> Self {
        match dialect {
            Dialect::Auto | Dialect::Cursor => Self { cursor: cursor::Cursor::default() },
        }
    }

    /// Tells the events of a line. A type that nobody knows is none.
    ///
    /// # Errors
    /// Those of `tell`.
    pub fn read(&mut self, line: Value, tell: &mut Tell) -> io::Result<()> {
        self.cursor.read(line, tell)
    }
}
