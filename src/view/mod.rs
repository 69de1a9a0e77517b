//! What steps are shown as. A view is its own options: the struct that clap fills is the view. `json.rs` is the smallest example.

mod check;
mod events;
mod excerpt;
mod facts;
mod group;
mod json;
mod log;
mod markdown;
mod pretty;
mod summary;
mod text;
mod tools;
mod words;

pub use pretty::Pretty;
pub use summary::{STEP_SUMMARY, Summary};

use crate::fold::{Needs, Step};
use crate::page::Page;
use std::io;
use std::path::PathBuf;

/// Writes steps on a page.
pub trait View {
    /// What the view asks for. Steps of other kinds may come or not.
    fn needs(&self) -> Needs;

    /// A page that is written as a whole has so many bytes, unless the view was told otherwise.
    fn fit(&mut self, _room: usize) {}

    /// The next log begins, which messages call so.
    fn log(&mut self, _name: &str) {}

    /// A log could not be read, or not to its end.
    fn unable(&mut self, _why: &str) {}

    /// What comes next stands in this line of the log. Told in front of what cannot be read, and where faults are asked for in
    /// front of everything.
    fn at(&mut self, _line: u64) {}

    /// The next step.
    ///
    /// # Errors
    /// Those of the page.
    fn step(&mut self, step: &Step, page: &mut Page) -> io::Result<()>;

    /// A piece of a line that is not JSON.
    ///
    /// # Errors
    /// Those of the page.
    fn unreadable(&mut self, _text: &[u8], _page: &mut Page) -> io::Result<()> {
        Ok(())
    }

    /// How much was found wrong so far, by a view that says nothing else: then the exit status says whether there was any.
    fn findings(&self) -> Option<usize> {
        None
    }

    /// For whom the view writes.
    fn audience(&self) -> Audience {
        Audience::Reader
    }

    /// Whether colour is used without being asked for, where it can be shown.
    fn is_coloured(&self) -> bool {
        true
    }

    /// Whether the view wants [`View::idle`] to be called.
    fn is_live(&self) -> bool {
        false
    }

    /// Nothing has come for a while: a chance to move a clock on.
    ///
    /// # Errors
    /// Those of the page.
    fn idle(&mut self, _page: &mut Page) -> io::Result<()> {
        Ok(())
    }

    /// Behind all that it told: the agent that was started here was stopped, or ended badly: `timed out after 30s`.
    ///
    /// # Errors
    /// Those of the page.
    fn stopped(&mut self, _why: &str, _page: &mut Page) -> io::Result<()> {
        Ok(())
    }

    /// All input is over.
    ///
    /// # Errors
    /// Those of the page.
    fn end(&mut self, _page: &mut Page) -> io::Result<()> {
        Ok(())
    }
}

/// For whom a view writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Audience {
    /// For a program, or for whatever comes next in a pipe.
    Program,
    /// For who reads along.
    Reader,
    /// For all who can see the page.
    Public,
}

/// A view and the logs that it shows.
#[derive(clap::Args)]
pub struct Shown<V: clap::Args> {
    #[command(flatten)]
    view: V,

    /// Logs to read, one after another; `-`, and the default, is standard input
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
}

/// The views, which are the subcommands.
#[derive(clap::Subcommand)]
pub enum Choice {
    /// Show a transcript to read, live; the default
    #[command(after_help = pretty::EXAMPLES)]
    Pretty(Shown<Pretty>),

    /// Print the answer: the last message of each run
    #[command(after_help = text::EXAMPLES)]
    Text(Shown<text::Text>),

    /// Print the result of each run as one line of JSON
    #[command(after_help = json::EXAMPLES)]
    Json(Shown<json::Json>),

    /// List the tool calls, a row each
    #[command(after_help = tools::EXAMPLES)]
    Tools(Shown<tools::Tools>),

    /// Print a line for each event, for consoles and grep
    #[command(after_help = log::EXAMPLES)]
    Log(Shown<log::Log>),

    /// Print each thing that happens as one line of JSON, for jq and other programs
    #[command(after_help = events::EXAMPLES)]
    Events(Shown<events::Events>),

    /// Say what is wrong or odd in a log, a line each
    #[command(after_help = check::EXAMPLES)]
    Check(Shown<check::Check>),

    /// Print one page about the runs, for people and for CI
    #[command(after_help = summary::EXAMPLES)]
    Summary(Shown<summary::Summary>),
}

impl Choice {
    /// The view, and its files.
    pub fn parts(&mut self) -> (&mut dyn View, &[PathBuf]) {
        match self {
            Self::Pretty(shown) => shown.parts(),
            Self::Text(shown) => shown.parts(),
            Self::Json(shown) => shown.parts(),
            Self::Tools(shown) => shown.parts(),
            Self::Log(shown) => shown.parts(),
            Self::Check(shown) => shown.parts(),
            Self::Events(shown) => shown.parts(),
            Self::Summary(shown) => shown.parts(),
        }
    }
}

impl<V: clap::Args + View> Shown<V> {
    /// The view, and its files.
    pub fn parts(&mut self) -> (&mut dyn View, &[PathBuf]) {
        (&mut self.view, &self.files)
    }
}
