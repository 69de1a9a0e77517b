//! What steps are shown as. A view is its own options: the struct that clap fills is the view. `json.rs` is the smallest example.

mod json;
mod pretty;
mod text;
mod tools;

pub use pretty::Pretty;

use crate::fold::{Needs, Step};
use crate::page::Page;
use std::io;
use std::path::PathBuf;

/// Writes steps on a page.
pub trait View {
    /// What the view asks for. Steps of other kinds may come or not.
    fn needs(&self) -> Needs;

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

    /// All input is over.
    ///
    /// # Errors
    /// Those of the page.
    fn end(&mut self, _page: &mut Page) -> io::Result<()> {
        Ok(())
    }
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
}

impl Choice {
    /// The view, and its files.
    pub fn parts(&mut self) -> (&mut dyn View, &[PathBuf]) {
        match self {
            Self::Pretty(shown) => shown.parts(),
            Self::Text(shown) => shown.parts(),
            Self::Json(shown) => shown.parts(),
            Self::Tools(shown) => shown.parts(),
        }
    }
}

impl<V: clap::Args + View> Shown<V> {
    /// The view, and its files.
    pub fn parts(&mut self) -> (&mut dyn View, &[PathBuf]) {
        (&mut self.view, &self.files)
    }
}
