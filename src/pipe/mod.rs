//! The loop: line, value, event, step, view.

#[cfg(any(test, feature = "internals"))]
mod inside;
mod log;
mod tally;

#[cfg(any(test, feature = "internals"))]
pub(crate) use inside::show;
#[cfg(feature = "internals")]
pub use inside::show_slice;
pub(crate) use log::Long;
pub use tally::Status;

use crate::cli::{Cli, Shared, Task, Terminal};
use crate::dialect;
use crate::fold::{Calls, Needs, Step};
use crate::line::{Filled, Lines};
use crate::page::{Page, safe_line};
use crate::source::{Live, Source};
use crate::value::Prune;
use crate::view::View;
use anyhow::{Context, bail};
use clap::CommandFactory;
use log::{Log, Shortened};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tally::Tally;

/// What the program reads and writes.
pub struct World<'w> {
    /// Standard input.
    pub input: Box<dyn Read + Send>,
    /// Standard output.
    pub output: &'w mut dyn Write,
    /// Standard error.
    pub errors: &'w mut dyn Write,
    /// Where these lead.
    pub terminal: Terminal,
}

/// Does what was asked for, and says on `errors` why the status is not good.
///
/// # Errors
/// Those of writing, and a line that `--strict` refuses. A reader that went away is one of them: `BrokenPipe`.
pub fn run(mut cli: Cli, world: World) -> anyhow::Result<Status> {
    // The task borrows the view, which is written to, and the rest is only read.
    let shared = std::mem::take(&mut cli.shared);
    let (view, files) = match cli.task() {
        Task::Show(view, files) => (view, files),
        Task::Complete(shell) => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "cursor-fmt", &mut script);
            world.output.write_all(&script).and_then(|()| world.output.flush())?;
            return Ok(Status::Good);
        }
    };
    if files.is_empty() && world.terminal.input {
        bail!(
            "nothing to read: name a FILE, or pipe into it: agent --print --output-format stream-json … | cursor-fmt"
        );
    }
    let look = shared.look(&world.terminal, view.is_coloured());
    let standard_input = [PathBuf::from("-")];
    let files = if files.is_empty() { &standard_input } else { files };
    let mut input = Some(world.input);
    let mut pipe = Pipe {
        shared,
        terminal: world.terminal,
        view,
        page: Page::new(world.output, look),
        tally: Tally::default(),
        refused: None,
        fast: true,
        long: Long::default(),
    };
    for path in files {
        match open(path, &mut input) {
            Ok(source) => pipe.log(source)?,
            Err(error) => pipe.tally.unable(&not_read(&path.display().to_string(), &error)),
        }
        if pipe.refused.is_some() {
            break;
        }
    }
    pipe.view.end(&mut pipe.page).and_then(|()| pipe.page.flush()).context("failed to write")?;
    if let Some(refused) = pipe.refused {
        bail!(refused);
    }
    let status = pipe.tally.status(&pipe.shared);
    // A standard error that is closed is nobody who would want to know.
    _ = pipe.tally.report(&pipe.shared, world.errors);
    Ok(status)
}

fn open(path: &Path, input: &mut Option<Box<dyn Read + Send>>) -> io::Result<Source> {
    if path.as_os_str() == "-" {
        let bytes = input.take().unwrap_or_else(|| Box::new(io::empty()));
        return Ok(Source::new("stdin".to_owned(), bytes));
    }
    Source::file(path)
}

/// Why a log was not read: the system's words, without their number.
fn not_read(name: &str, error: &io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or_default();
    let mut chars = text.chars();
    let why: String = chars.next().into_iter().flat_map(char::to_lowercase).chain(chars).collect();
    // A view that is mistyped is taken for a file.
    let view = Cli::command().find_subcommand(name).is_some();
    let word = error.kind() == io::ErrorKind::NotFound && !view && name.chars().all(|char| char.is_ascii_lowercase());
    let hint = if word { ", and there is no such view" } else { "" };
    format!("failed to read `{}`: {why}{hint}", safe_line(name, 200))
}

struct Pipe<'a, 'w> {
    shared: Shared,
    terminal: Terminal,
    view: &'a mut dyn View,
    page: Page<'w>,
    tally: Tally,
    /// The line that `--strict` ends at.
    refused: Option<String>,
    /// Lines are read where they lie, and by their looks. What they say is the same without.
    fast: bool,
    long: Long,
}

/// How often a view may draw anew.
const TURN: Duration = Duration::from_millis(100);

impl Pipe<'_, '_> {
    /// Reads one log to its end.
    fn log(&mut self, source: Source) -> anyhow::Result<()> {
        let Source { name, bytes } = source;
        let live = self.view.is_live() && self.page.look().live;
        let mut lines = self.lines(if live { Box::new(Live::new(bytes)) } else { bytes });
        self.tally.begin(&name);
        self.view.log(&self.tally.name);
        let mut log = Log::new(self);
        let mut drawn = Instant::now();
        let mut over = false;
        while !over && self.refused.is_none() {
            match lines.fill() {
                Ok(Filled::Some | Filled::Nothing) => {}
                Ok(Filled::End) => over = true,
                Err(error) => {
                    self.tally.unable(&not_read(&name, &error));
                    over = true;
                }
            }
            if live {
                self.page.resize(self.shared.width(&self.terminal), self.terminal.rows());
            }
            log.lines(&mut lines, self).context("failed to write")?;
            // Also while much comes of which nothing is shown, the clock goes on.
            if live && drawn.elapsed() >= TURN {
                drawn = Instant::now();
                self.view.idle(&mut self.page).context("failed to write")?;
            }
            // Whatever can be shown is shown before there may be a wait.
            self.page.flush().context("failed to write")?;
        }
        log.end(lines.ended_open(), self).context("failed to write")?;
        self.tally.runs = log.fold.runs();
        self.tally.end();
        self.page.flush().context("failed to write")
    }

    /// The lines of a log, shortened where they are long by what nobody asks for.
    fn lines<R: Read>(&self, bytes: R) -> Lines<R> {
        // What is strict must see all of a line.
        let long = if self.shared.strict { Long::NEVER } else { self.long };
        let ask = dialect::ask(self.needs());
        Lines::new(bytes, long.line, Box::new(Shortened(Prune::new(ask, long.head, long.tail))))
    }

    /// What the view asks for, and the status.
    fn needs(&self) -> Needs {
        let needs = self.view.needs();
        let least = if self.shared.fail_on.is_empty() { Calls::None } else { Calls::Brief };
        Needs { calls: needs.calls.max(least), ..needs }
    }

    fn step(&mut self, step: &Step) -> io::Result<()> {
        self.tally.step(step);
        self.view.step(step, &mut self.page)
    }
}
