//! The list of dialects, and which one a line speaks.

mod cursor;

use crate::event::{Event, Needs};
use crate::value::{Ask, Value};
use std::io;

/// What a dialect tells its events to. An error of it goes straight up.
pub type Tell<'t> = dyn FnMut(&Event<'_>) -> io::Result<()> + 't;

/// What somebody who asks for `needs` needs of a long line.
pub fn ask(needs: Needs) -> Box<dyn Ask> {
    Box::new(cursor::Long(needs))
}

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
    /// A reader for an input that has not begun, of which this is asked for.
    #[must_use]
    pub fn new(dialect: Dialect, needs: Needs) -> Self {
        match dialect {
            Dialect::Auto | Dialect::Cursor => Self { cursor: cursor::Cursor::new(needs) },
        }
    }

    /// Tells the events of the lines that `text` begins with and that are like ones before but for their text and their time,
    /// as far as they are asked for. Gives how many lines these are, and their length, with a line break behind each. With
    /// `whole`, `text` is a line, and need not break.
    ///
    /// # Errors
    /// Those of `tell`.
    pub fn again(&mut self, text: &[u8], whole: bool, tell: &mut Tell) -> io::Result<(usize, usize)> {
        self.cursor.again(text, whole, tell)
    }

    /// Tells the events of a line. A type that nobody knows is none. Gives whether the object is whole; if not, nothing is told.
    ///
    /// # Errors
    /// Those of `tell`.
    pub fn read(&mut self, line: Value, tell: &mut Tell) -> io::Result<bool> {
        self.cursor.read(line, tell)
    }
}
