//! What the targets share: a value as `serde_json` would hold it, and a run of the program on a log.
//!
//!     cargo +nightly fuzz run stream fuzz/corpus/stream fuzz/seeds/stream -- -max_total_time=600 -timeout=20
//!
//! A target is named for what it feeds; its first lines say what must hold.

use cursor_fmt::internals::{Value, lossy};
use cursor_fmt::{Cli, Terminal, World, run};
use serde_json::{Map, Number, Value as Json};
use std::io::{self, Read};

/// The value as `serde_json` would hold it, read with nothing but the walker. Only for text that `serde_json` has accepted,
/// whose depth is bounded.
///
/// # Panics
/// Where the walker holds something for a value that is none.
#[must_use]
pub fn walked(value: Value) -> Json {
    if value.is_object() {
        let fields = value.fields().map(|(key, value)| (lossy(&key).into_owned(), walked(value)));
        Json::Object(fields.collect::<Map<String, Json>>())
    } else if value.is_array() {
        Json::Array(value.items().map(walked).collect())
    } else if let Some(text) = value.str() {
        Json::String(text.into_owned())
    } else if let Some(bool) = value.bool() {
        Json::Bool(bool)
    } else if value.is_null() {
        Json::Null
    } else {
        Json::Number(serde_json::from_slice::<Number>(value.json()).expect("only numbers are left"))
    }
}

/// What a run of the program has written, and what it came to.
#[derive(PartialEq, Eq, Debug)]
pub struct Shown {
    /// Standard output.
    pub output: Vec<u8>,
    /// Standard error.
    pub errors: String,
    /// The exit status.
    pub code: u8,
    /// The run ended with an error of its own, such as the one of `--strict`.
    pub gave_up: bool,
}

/// Runs the program on a log, as `main` does where nothing is a terminal.
///
/// # Panics
/// Where the arguments are not those of the program.
#[must_use]
pub fn show(args: &[&str], log: impl Read + Send + 'static) -> Shown {
    let args = ["cursor-fmt"].iter().chain(args).map(|arg| (*arg).into());
    let cli = Cli::read(args).expect("the target gives arguments that the program knows");
    let terminal = Terminal { input: false, output: false, file: None, size: || None, variable: |_| None };
    let (mut output, mut errors) = (Vec::new(), Vec::new());
    let through = Box::new(io::sink());
    let world = World { input: Box::new(log), output: &mut output, through, errors: &mut errors, terminal };
    let (code, why) = match run(cli, world) {
        Ok(status) => (status.code(), None),
        Err(error) => (2, Some(format!("cursor-fmt: {error:#}\n"))),
    };
    let errors = String::from_utf8(errors).expect("messages are text");
    let gave_up = why.is_some();
    Shown { output, errors: errors + &why.unwrap_or_default(), code, gave_up }
}

/// A log that comes in reads of 1 to 7 bytes, so that every line, character and mark is cut everywhere.
pub struct Pieces {
    bytes: io::Cursor<Vec<u8>>,
    size: usize,
}

impl Pieces {
    /// The pieces of `bytes`.
    #[must_use]
    pub fn new(bytes: Vec<u8>) -> Self {
        Self { bytes: io::Cursor::new(bytes), size: 0 }
    }
}

impl Read for Pieces {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.size = self.size % 7 + 1;
        let size = self.size.min(into.len());
        self.bytes.read(&mut into[..size])
    }
}
