//! The loop: line, value, event, step, view.

mod tally;

pub use tally::Status;

use crate::cli::{Cli, Shared, Task, Terminal};
use crate::dialect;
use crate::event::Event;
use crate::fold::{Calls, Fold, Needs, Step};
use crate::line::{Filled, Lines, Shorten};
use crate::page::{Page, safe_line};
use crate::source::{Live, Source};
use crate::value::{Found, Prune, Repair, Spans, Value, is_json_object};
use crate::view::View;
use anyhow::{Context, bail};
use clap::CommandFactory;
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
    let look = cli.shared.look(&world.terminal);
    let mut page = Page::new(world.output, look);
    // The task borrows the view, which is written to, and the rest is only read.
    let shared = std::mem::take(&mut cli.shared);
    let (view, files) = match cli.task() {
        Task::Show(view, files) => (view, files),
        Task::Complete(shell) => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "cursor-fmt", &mut script);
            page.raw(&script)?;
            page.flush()?;
            return Ok(Status::Good);
        }
    };
    if files.is_empty() && world.terminal.input {
        bail!(
            "nothing to read: name a FILE, or pipe into it: agent --print --output-format stream-json … | cursor-fmt"
        );
    }
    let standard_input = [PathBuf::from("-")];
    let files = if files.is_empty() { &standard_input } else { files };
    let mut input = Some(world.input);
    let mut pipe = Pipe {
        shared,
        terminal: world.terminal,
        view,
        page,
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

/// Shows a log that lies in memory, where it lies: what [`run`] costs without the reading. For benchmarks.
///
/// # Errors
/// Those of writing.
#[cfg(feature = "internals")]
pub fn show_slice(mut cli: Cli, text: &[u8], output: &mut dyn Write) -> anyhow::Result<()> {
    let terminal = Terminal { input: false, output: false, size: || None, variable: |_| None };
    let page = Page::new(output, cli.shared.look(&terminal));
    let shared = std::mem::take(&mut cli.shared);
    let Task::Show(view, _) = cli.task() else { bail!("no view") };
    let mut pipe = Pipe {
        shared,
        terminal,
        view,
        page,
        tally: Tally::default(),
        refused: None,
        fast: true,
        long: Long::default(),
    };
    let mut log = pipe.begin("memory");
    let (mut rest, mut number) = (text, 0);
    while !rest.is_empty() {
        number += 1;
        let length = if let Some(length) = log.whole(rest, false, &mut pipe)? {
            length
        } else {
            let length = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
            log.line(&rest[..length], number, &mut pipe)?;
            length
        };
        rest = rest.get(length + 1..).unwrap_or_default();
    }
    log.end(false, &mut pipe)?;
    pipe.view.end(&mut pipe.page).and_then(|()| pipe.page.flush()).context("failed to write")
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

/// From when on a line is shortened, and how much of a string is kept of which the ends suffice.
#[derive(Clone, Copy)]
pub(crate) struct Long {
    pub(crate) line: usize,
    pub(crate) head: usize,
    pub(crate) tail: usize,
}

impl Default for Long {
    fn default() -> Self {
        Self { line: 256 << 10, head: 32 << 10, tail: 1 << 10 }
    }
}

/// A line that is shortened by what it says.
struct Shortened(Prune);

impl Shorten for Shortened {
    fn shorten(&mut self, line: &mut [u8]) -> usize {
        self.0.shorten(line)
    }

    fn reset(&mut self) {
        self.0.reset();
    }
}

/// Shows `input` in a view of one's own, in the plain way where `long` is not given, and says what the program would say on standard error.
#[cfg(any(test, feature = "internals"))]
pub(crate) fn show(
    view: &mut dyn View,
    long: Option<Long>,
    input: impl Read + Send + 'static,
) -> anyhow::Result<String> {
    let terminal = Terminal { input: false, output: false, size: || None, variable: |_| None };
    let (mut output, mut errors) = (io::sink(), Vec::new());
    let page = Page::new(&mut output, crate::page::Look::default());
    let shared = Shared::default();
    let fast = long.is_some();
    let long = long.unwrap_or(Long { line: usize::MAX, ..Long::default() });
    let mut pipe = Pipe { shared, terminal, view, page, tally: Tally::default(), refused: None, fast, long };
    pipe.log(Source::new("log".to_owned(), input))?;
    pipe.tally.report(&pipe.shared, &mut errors)?;
    Ok(String::from_utf8_lossy(&errors).into_owned())
}

/// How often a view may draw anew.
const TURN: Duration = Duration::from_millis(100);

impl Pipe<'_, '_> {
    /// Reads one log to its end.
    fn log(&mut self, source: Source) -> anyhow::Result<()> {
        let Source { name, bytes } = source;
        let live = self.view.is_live() && self.page.look().live;
        let bytes = if live { Box::new(Live::new(bytes)) } else { bytes };
        let Long { line, head, tail } = self.long;
        let wants = dialect::wants(self.needs());
        let mut lines = Lines::new(bytes, line, Box::new(Shortened(Prune::new(Box::new(wants), head, tail))));
        let mut log = self.begin(&name);
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

    /// The readers of a log that begins.
    fn begin(&mut self, name: &str) -> Log {
        self.tally.begin(name);
        let needs = self.needs();
        Log {
            reader: dialect::Reader::new(self.shared.from, needs),
            fold: Fold::new(self.tally.runs, needs),
            spans: Spans::default(),
            repair: Repair::default(),
        }
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

/// The readers of one log.
struct Log {
    reader: dialect::Reader,
    fold: Fold,
    spans: Spans,
    repair: Repair,
}

impl Log {
    /// Reads the lines that are there.
    fn lines<R: Read>(&mut self, lines: &mut Lines<R>, pipe: &mut Pipe) -> io::Result<()> {
        loop {
            // Most lines can be read where they lie, before it is known where they end.
            if let Some(rest) = lines.rest()
                && let Some(length) = self.whole(rest, false, pipe)?
            {
                lines.skip(length);
                continue;
            }
            let Some((number, line)) = lines.line() else { return Ok(()) };
            self.line(line, number, pipe)?;
        }
    }

    /// Reads the line that `text` begins with, if it is one object from its first byte on, and gives its length. If `ended`,
    /// `text` is the line; if not, its line break must be in it.
    fn whole(&mut self, text: &[u8], ended: bool, pipe: &mut Pipe) -> io::Result<Option<usize>> {
        if !pipe.fast || pipe.shared.strict || self.repair.waits() {
            return Ok(None);
        }
        let fold = &mut self.fold;
        let tell = &mut |event: &Event<'_>| fold.read(event, &mut |step| pipe.step(&step));
        if let Some(length) = self.reader.again(text, ended, tell)? {
            return Ok(Some(length));
        }
        let Some((object, length)) = self.spans.object(text, ended) else { return Ok(None) };
        Ok(self.reader.read(object, tell)?.then_some(length))
    }

    fn line(&mut self, line: &[u8], number: u64, pipe: &mut Pipe) -> io::Result<()> {
        if pipe.refused.is_some() {
            return Ok(());
        }
        if pipe.shared.strict {
            let text = if number == 1 { line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line) } else { line };
            if !text.trim_ascii().is_empty() && !is_json_object(text) {
                pipe.refused = Some(format!("{}, line {number}: not a JSON object", pipe.tally.name));
                return Ok(());
            }
        }
        if self.whole(line, true, pipe)?.is_some() {
            return Ok(());
        }
        if !self.repair.waits()
            && let Some(object) = Value::line(line)
        {
            return self.object(object, pipe);
        }
        let mut repair = std::mem::take(&mut self.repair);
        let told = repair.line(line, number, &mut |found| self.found(&found, pipe));
        self.repair = repair;
        told
    }

    fn end(&mut self, open: bool, pipe: &mut Pipe) -> io::Result<()> {
        let mut repair = std::mem::take(&mut self.repair);
        repair.end(open, &mut |found| self.found(&found, pipe))?;
        self.fold.end(&mut |step| pipe.step(&step))
    }

    fn found(&mut self, found: &Found, pipe: &mut Pipe) -> io::Result<()> {
        match found {
            Found::Object(object) => self.object(*object, pipe),
            Found::Unreadable(text, number) => {
                pipe.tally.unreadable(text, *number);
                pipe.view.unreadable(text, &mut pipe.page)
            }
        }
    }

    fn object(&mut self, object: Value, pipe: &mut Pipe) -> io::Result<()> {
        let fold = &mut self.fold;
        self.reader.read(object, &mut |event| fold.read(event, &mut |step| pipe.step(&step)))?;
        Ok(())
    }
}
