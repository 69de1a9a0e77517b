//! The list of dialects, and which one a line speaks.

mod acp;
mod cursor;

use crate::event::{Event, Needs};
use crate::value::{Ask, Value, Want};
use std::io;

/// What a dialect tells its events to. An error of it goes straight up.
pub type Tell<'t> = dyn FnMut(&Event<'_>) -> io::Result<()> + 't;

/// What somebody who asks for `needs` needs of a long line.
pub fn ask(needs: Needs) -> Box<dyn Ask> {
    Box::new(Long(cursor::Long(needs)))
}

/// A long line of any dialect.
struct Long(cursor::Long);

impl Ask for Long {
    fn want(&self, path: &[Vec<u8>], kind: Option<&[u8]>) -> Want {
        let want = self.0.want(path, kind);
        if kind.is_some_and(cursor::is_event) { want } else { want.max(acp::want(path)) }
    }

    fn begins_event(&self, text: &[u8]) -> bool {
        self.0.begins_event(text) || acp::begins_message(text)
    }
}

/// The dialect of an input.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum Dialect {
    /// Look at each line
    #[default]
    Auto,
    /// What `agent --print --output-format stream-json` writes
    Cursor,
    /// Agent Client Protocol traffic
    Acp,
}

/// Reads lines of a dialect, and remembers what later lines need.
pub struct Reader {
    dialect: Dialect,
    /// Whether it is asked for what is wrong.
    faults: bool,
    /// The Cursor agent has said something.
    told: bool,
    cursor: cursor::Cursor,
    acp: acp::Acp,
}

impl Reader {
    /// A reader for an input that has not begun, of which this is asked for.
    #[must_use]
    pub fn new(dialect: Dialect, needs: Needs) -> Self {
        Self {
            dialect,
            faults: needs.faults,
            told: false,
            cursor: cursor::Cursor::new(needs),
            acp: acp::Acp::new(needs),
        }
    }

    /// Tells the events of the lines that `text` begins with and that are like ones before but for their text and their time,
    /// as far as they are asked for. Gives how many lines these are, and their length, with a line break behind each. With
    /// `whole`, `text` is a line, and need not break.
    ///
    /// # Errors
    /// Those of `tell`.
    pub fn again(&mut self, text: &[u8], whole: bool, tell: &mut Tell) -> io::Result<(usize, usize)> {
        match self.dialect {
            Dialect::Auto | Dialect::Cursor => self.cursor.again(text, whole, tell),
            Dialect::Acp => Ok((0, 0)),
        }
    }

    /// Tells the events of an object, which stands behind `prefix` on its line. A type that nobody knows is none. Gives whether
    /// the object is whole; if not, nothing is told.
    ///
    /// # Errors
    /// Those of `tell`.
    pub fn read(&mut self, object: Value, prefix: &[u8], tell: &mut Tell) -> io::Result<bool> {
        if self.dialect == Dialect::Acp {
            return if object.each_field(|_, _| {}) {
                self.acp.read(object, prefix, tell).map(|_| true)
            } else {
                Ok(false)
            };
        }
        match self.cursor.read(object, tell)? {
            Known::Broken => return Ok(false),
            Known::Foreign if self.dialect == Dialect::Auto && self.acp.read(object, prefix, tell)? => {}
            Known::Foreign if self.faults => cursor::unknown(object).map_or(Ok(()), |unknown| tell(&unknown))?,
            Known::Foreign => {}
            Known::Told => self.told = true,
        }
        Ok(true)
    }

    /// Whether a line that is no object is known all the same: a header, or a list of messages, which are told.
    ///
    /// # Errors
    /// Those of `tell`.
    pub fn text(&mut self, line: &[u8], tell: &mut Tell) -> io::Result<bool> {
        match self.dialect {
            Dialect::Auto | Dialect::Acp => self.acp.text(line, self.told, tell),
            Dialect::Cursor => Ok(false),
        }
    }

    /// The input is over: tells what still waits.
    ///
    /// # Errors
    /// Those of `tell`.
    pub fn end(&mut self, tell: &mut Tell) -> io::Result<()> {
        self.acp.end(self.told, tell)
    }
}

/// What a dialect finds in an object.
enum Known {
    /// It is not whole; nothing was told.
    Broken,
    /// It is none of its events.
    Foreign,
    /// An event, which was told.
    Told,
}
