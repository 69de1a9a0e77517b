//! The loop: line, value, event, step, view. And what all of it comes to: the exit status.

use crate::cli::{Cli, FailOn, Shared, Task, Terminal};
use crate::dialect;
use crate::fold::{Fold, Outcome, Step, What};
use crate::human;
use crate::line::{Filled, Lines};
use crate::page::{Page, safe_line};
use crate::source::{Live, Source};
use crate::tool::Status as CallStatus;
use crate::value::{Found, Repair, Value, is_json_object};
use crate::view::View;
use anyhow::{Context, bail};
use clap::CommandFactory;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// What the run of this program came to.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub enum Status {
    /// Every run finished and succeeded.
    #[default]
    Good,
    /// A run failed.
    Failed,
    /// The work could not be done.
    Unable,
    /// A log ends before a run's result, or holds no run.
    Cut,
    /// A call occurred that `--fail-on` names.
    Refused,
}

impl Status {
    /// The exit code.
    #[must_use]
    pub fn code(self) -> u8 {
        match self {
            Self::Good => 0,
            Self::Failed => 1,
            Self::Unable => 2,
            Self::Cut => 3,
            Self::Refused => 4,
        }
    }

    /// Where several apply, the greatest counts.
    fn weight(self) -> u8 {
        match self {
            Self::Good => 0,
            Self::Refused => 1,
            Self::Cut => 2,
            Self::Failed => 3,
            Self::Unable => 4,
        }
    }
}

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
    let mut pipe = Pipe { shared, terminal: world.terminal, view, page, tally: Tally::default() };
    for path in files {
        match open(path, &mut input) {
            Ok(source) => {
                if let Err(error) = pipe.log(source) {
                    // What was understood before is shown all the same.
                    _ = pipe.page.flush();
                    return Err(error);
                }
            }
            Err(error) => pipe.tally.unable(&format!("failed to read `{}`: {}", path.display(), plain(&error))),
        }
    }
    pipe.view.end(&mut pipe.page).and_then(|()| pipe.page.flush()).context("failed to write")?;
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

/// An error without the number that the system gives it.
fn plain(error: &io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or_default();
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_lowercase().chain(chars).collect())
}

struct Pipe<'a, 'w> {
    shared: Shared,
    terminal: Terminal,
    view: &'a mut dyn View,
    page: Page<'w>,
    tally: Tally,
}

impl Pipe<'_, '_> {
    /// Reads one log to its end.
    fn log(&mut self, source: Source) -> anyhow::Result<()> {
        let Source { name, bytes } = source;
        let live = self.view.is_live() && self.page.look().terminal;
        let mut lines = Lines::new(if live { Box::new(Live::new(bytes)) } else { bytes });
        let mut log = Log {
            reader: dialect::Reader::new(self.shared.from),
            fold: Fold::new(self.tally.runs),
            repair: Repair::default(),
            strict: self.shared.strict,
        };
        self.tally.begin(&name);
        loop {
            while let Some((number, line)) = lines.next() {
                log.line(line, number, self)?;
            }
            // Whatever can be shown is shown before there may be a wait.
            self.page.flush().context("failed to write")?;
            match lines.fill() {
                Ok(Filled::Some) => {}
                Ok(Filled::Nothing) => {
                    self.page.resize(self.shared.width(&self.terminal));
                    self.view.idle(&mut self.page).context("failed to write")?;
                }
                Ok(Filled::End) => break,
                Err(error) => {
                    self.tally.unable(&format!("failed to read `{name}`: {}", plain(&error)));
                    break;
                }
            }
        }
        while let Some((number, line)) = lines.next() {
            log.line(line, number, self)?;
        }
        log.end(self)?;
        self.tally.runs = log.fold.runs();
        self.tally.end();
        self.page.flush().context("failed to write")
    }
}

/// The readers of one log.
struct Log {
    reader: dialect::Reader,
    fold: Fold,
    repair: Repair,
    strict: bool,
}

impl Log {
    fn line(&mut self, line: &[u8], number: u64, pipe: &mut Pipe) -> anyhow::Result<()> {
        if self.strict {
            let text = if number == 1 { line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line) } else { line };
            if !text.trim_ascii().is_empty() && !is_json_object(text) {
                bail!("{}, line {number}: not a JSON object", pipe.tally.name);
            }
        }
        if !self.repair.waits()
            && let Some(object) = Value::line(line)
        {
            return self.object(object, pipe).context("failed to write");
        }
        let mut repair = std::mem::take(&mut self.repair);
        let told = repair.line(line, number, &mut |found| self.found(&found, pipe));
        self.repair = repair;
        told.context("failed to write")
    }

    fn end(&mut self, pipe: &mut Pipe) -> anyhow::Result<()> {
        let mut repair = std::mem::take(&mut self.repair);
        repair.end(&mut |found| self.found(&found, pipe)).context("failed to write")?;
        self.fold.end(&mut |step| pipe.step(&step)).context("failed to write")
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
        self.reader.read(object, &mut |event| fold.read(event, &mut |step| pipe.step(&step)))
    }
}

impl Pipe<'_, '_> {
    fn step(&mut self, step: &Step) -> io::Result<()> {
        self.tally.step(step);
        self.view.step(step, &mut self.page)
    }
}

/// What all steps come to.
#[derive(Default)]
struct Tally {
    /// The log that is read.
    name: String,
    runs: usize,
    /// Whether the log has held a run.
    any: bool,
    worst: Status,
    why: String,
    failed: usize,
    rejected: usize,
    /// Lines that could not be read, the last of them, and where the first stood.
    bad: u64,
    last_bad: u64,
    first_bad: String,
}

/// How much of a message is quoted.
const QUOTE: usize = 300;

impl Tally {
    fn begin(&mut self, name: &str) {
        name.clone_into(&mut self.name);
        self.any = false;
        self.last_bad = 0;
    }

    fn end(&mut self) {
        if !self.any {
            self.found(Status::Cut, "no run in the log");
        }
    }

    fn step(&mut self, step: &Step) {
        self.any = true;
        match &step.kind {
            What::CallEnded(call) => match call.tool.status() {
                CallStatus::Failed => self.failed += 1,
                CallStatus::Rejected => self.rejected += 1,
                CallStatus::Ok | CallStatus::Unfinished => {}
            },
            What::Ended(end) => match &end.outcome {
                Outcome::Failed(why) if why.trim().is_empty() => self.found(Status::Failed, "the run failed"),
                Outcome::Failed(why) => {
                    self.found(Status::Failed, &format!("the run failed: {}", safe_line(why, QUOTE)));
                }
                Outcome::Cut => self.found(Status::Cut, "the log ends before the run's result"),
                Outcome::Succeeded | Outcome::Resumed => {}
            },
            _ => {}
        }
    }

    fn found(&mut self, status: Status, why: &str) {
        if status.weight() > self.worst.weight() {
            self.worst = status;
            self.why = format!("{}: {why}", self.name);
        }
    }

    fn unable(&mut self, why: &str) {
        if self.worst != Status::Unable {
            self.worst = Status::Unable;
            why.clone_into(&mut self.why);
        }
        // The log was there, so that there is no run in it is not what is wrong.
        self.any = true;
    }

    fn unreadable(&mut self, text: &[u8], number: u64) {
        if self.bad == 0 {
            let quote = safe_line(&String::from_utf8_lossy(&text[..text.len().min(4 * QUOTE)]), QUOTE);
            self.first_bad = format!("(first: {}:{number}): {quote}", self.name);
        }
        if number != self.last_bad {
            self.bad += 1;
            self.last_bad = number;
        }
    }

    fn named_calls(&self, shared: &Shared) -> Option<String> {
        let count = |what| match what {
            FailOn::Rejected => (self.rejected, "rejected"),
            FailOn::ToolError => (self.failed, "failed"),
        };
        let found = shared.fail_on.iter().map(|what| count(*what)).find(|(count, _)| *count > 0);
        let (count, how) = found?;
        Some(format!("{} {how}", human::plural(i64::try_from(count).unwrap_or(i64::MAX), "call")))
    }

    fn status(&self, shared: &Shared) -> Status {
        match self.worst {
            Status::Unable => Status::Unable,
            _ if shared.exit_zero => Status::Good,
            Status::Good if self.named_calls(shared).is_some() => Status::Refused,
            other => other,
        }
    }

    fn report(&self, shared: &Shared, errors: &mut dyn Write) -> io::Result<()> {
        if self.bad > 0 {
            let lines = human::plural(i64::try_from(self.bad).unwrap_or(i64::MAX), "line");
            let were = if self.bad == 1 { "was" } else { "were" };
            writeln!(errors, "cursor-fmt: {lines} {were} not JSON {}", self.first_bad)?;
        }
        if self.worst != Status::Good {
            writeln!(errors, "cursor-fmt: {}", self.why)?;
        } else if let Some(calls) = self.named_calls(shared) {
            writeln!(errors, "cursor-fmt: {calls}")?;
        }
        Ok(())
    }
}
