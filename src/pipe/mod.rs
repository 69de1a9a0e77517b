//! The loop: line, value, event, step, view.

#[cfg(any(test, feature = "internals"))]
mod inside;
mod agent;
mod beside;
mod log;
mod mask;
mod proxy;
mod showing;
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
use crate::page::{Look, Page, safe_line};
use crate::redact::Redact;
use crate::source::{Live, Source};
use crate::value::Prune;
use crate::view::{STEP_SUMMARY, View};
use agent::Agent;
use anyhow::{Context, bail};
use beside::StepFile;
use clap::CommandFactory;
use log::{Log, Shortened};
use mask::Mask;
use showing::{Showing, Views};
use std::fs;
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
    /// Standard output once more, for what is passed through. A thread that waits for its reader may be left behind with it.
    pub through: Box<dyn Write + Send>,
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
    let terminal = world.terminal;
    let (view, files, order) = match cli.task() {
        Task::Show(view, files) => (view, files, None),
        Task::Run(view, order) => (view, &[][..], Some(order)),
        Task::Pass(order) => return proxy::pass(order, world),
        Task::Complete(shell) => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "cursor-fmt", &mut script);
            world.output.write_all(&script).and_then(|()| world.output.flush())?;
            return Ok(Status::Good);
        }
    };
    if order.is_none() && files.is_empty() && terminal.input {
        bail!(
            "nothing to read: name a FILE, or pipe into it: agent --print --output-format stream-json … | cursor-fmt"
        );
    }
    let standard_input = [PathBuf::from("-")];
    let files = if files.is_empty() && order.is_none() { &standard_input } else { files };
    let step = StepFile::new(&terminal);
    view.fit(step.as_ref().filter(|step| step.may_be_output(&terminal)).map_or(STEP_SUMMARY, StepFile::room));
    let look = shared.look(&terminal, view.is_coloured());
    let masked = |view: &dyn View| shared.masks(view.audience(), &terminal);
    let is_masked = masked(view);
    let main = Showing::new(view, Page::new(world.output, look), is_masked);
    let mut appended = match step {
        _ if !shared.step_summary => None,
        Some(step) => Some(step.append()?),
        None => bail!("--step-summary: GITHUB_STEP_SUMMARY names no file"),
    };
    let full = appended.as_ref().and_then(|(_, full)| *full);
    let beside = appended.as_mut().map(|(step, _)| {
        let look = Look { ascii: look.ascii, ..Look::default() };
        let masked = masked(&step.view);
        Showing::new(&mut step.view, Page::new(&mut step.file, look), masked)
    });
    let any_masked = main.masked || beside.as_ref().is_some_and(|beside| beside.masked);
    let mask = if any_masked || shared.masks_errors(&terminal) { Some(mask(&shared)?) } else { None };
    let views = Views { main, beside, mask };
    let mut input = Some(world.input);
    let tally = Tally::new(shared.runner(&terminal), views.main.view.findings().is_some());
    // What is wrong may stand where nobody else looks.
    let whole = views.needs().faults;
    let (long, fast) = (if whole { Long::NEVER } else { Long::default() }, !whole);
    let mut pipe = Pipe { shared, terminal, views, tally, refused: None, fast, full: whole, long, agent: None };
    if let Some(order) = order {
        let (agent, source) = Agent::start(order)?;
        pipe.agent = Some(agent);
        if let Err(error) = pipe.log(source) {
            return pipe.not_shown(error, world.errors);
        }
    }
    for path in files {
        match open(path, &mut input) {
            Ok(source) => pipe.log(source)?,
            Err(error) => pipe.unable(&not_read(&path.display().to_string(), &error)),
        }
        if pipe.refused.is_some() {
            break;
        }
    }
    pipe.views.end()?;
    if let Some(refused) = pipe.refused {
        bail!(refused);
    }
    if pipe.views.are_left() {
        return Ok(Status::Good);
    }
    let status = pipe.tally.status(&pipe.shared);
    // A standard error that is closed is nobody who would want to know.
    _ = pipe.tally.report(&pipe.shared, world.errors);
    if let Some(full) = full {
        _ = writeln!(world.errors, "cursor-fmt: {full}");
    }
    Ok(status)
}

/// What takes secrets out.
fn mask(shared: &Shared) -> anyhow::Result<Mask> {
    let Some(path) = &shared.redact_patterns else {
        return Ok(Mask::new(Redact::new(None).map_err(anyhow::Error::msg)?));
    };
    let name = safe_line(&path.display().to_string(), 200);
    let patterns = fs::read_to_string(path).map_err(|error| anyhow::anyhow!(not_read(&name, &error)))?;
    let redact = Redact::new(Some(&patterns)).map_err(|why| anyhow::anyhow!("`{name}`: {why}"))?;
    Ok(Mask::new(redact))
}

fn open(path: &Path, input: &mut Option<Box<dyn Read + Send>>) -> io::Result<Source> {
    if path.as_os_str() == "-" {
        let bytes = input.take().unwrap_or_else(|| Box::new(io::empty()));
        return Ok(Source::new("stdin".to_owned(), bytes));
    }
    Source::file(path)
}

/// What the system says is wrong, without its number.
fn words(error: &io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or_default();
    let mut chars = text.chars();
    chars.next().into_iter().flat_map(char::to_lowercase).chain(chars).collect()
}

/// Why a log was not read.
fn not_read(name: &str, error: &io::Error) -> String {
    let why = words(error);
    // A view that is mistyped is taken for a file.
    let view = Cli::command().find_subcommand(name).is_some();
    let word = error.kind() == io::ErrorKind::NotFound && !view && name.chars().all(|char| char.is_ascii_lowercase());
    let hint = if word { ", and there is no such view" } else { "" };
    format!("failed to read `{}`: {why}{hint}", safe_line(name, 200))
}

struct Pipe<'a, 'w> {
    shared: Shared,
    terminal: Terminal,
    views: Views<'a, 'w>,
    tally: Tally,
    /// The line that `--strict` ends at.
    refused: Option<String>,
    /// Lines are read where they lie, and by their looks. What they say is the same without.
    fast: bool,
    /// Each line is looked at in full, and views are told which it is.
    full: bool,
    long: Long,
    /// Who writes the log, where it was started here.
    agent: Option<Agent>,
}

/// How often a view may draw anew.
const TURN: Duration = Duration::from_millis(100);

impl Pipe<'_, '_> {
    /// Reads one log to its end.
    fn log(&mut self, source: Source) -> anyhow::Result<()> {
        let Source { name, bytes, turns } = source;
        let live = self.views.main.view.is_live() && self.views.main.page.look().live;
        let mut lines = self.lines(if live && !turns { Box::new(Live::new(bytes)) } else { bytes });
        let told = self.views.log(&safe_line(&name, NAME));
        self.tally.begin(&told);
        let mut log = Log::new(self);
        let mut drawn = Instant::now();
        let mut over = false;
        while !over && self.refused.is_none() {
            match lines.fill() {
                Ok(Filled::Some) => {}
                Ok(Filled::Nothing) => log.pause(&mut lines, self).context("failed to write")?,
                Ok(Filled::End) => over = true,
                Err(error) => {
                    self.unable(&not_read(&name, &error));
                    over = true;
                }
            }
            if live {
                self.views.main.page.resize(self.shared.width(&self.terminal), self.terminal.rows());
            }
            log.lines(&mut lines, self).context("failed to write")?;
            // Also while much comes of which nothing is shown, the clock goes on.
            if live && drawn.elapsed() >= TURN {
                drawn = Instant::now();
                self.views.idle().context("failed to write")?;
            }
            // Whatever can be shown is shown before there may be a wait.
            self.views.flush().context("failed to write")?;
        }
        let open = lines.ended_open();
        // An agent need not wait for who reads no more.
        drop(lines);
        if let Some(refused) = &self.refused {
            self.views.unable(refused);
        }
        log.end(open, self).context("failed to write")?;
        self.tally.runs = log.fold.runs();
        self.tally.end(self.views.main.view.findings());
        self.views.flush().context("failed to write")?;
        self.agent_ended()
    }

    /// The lines of a log, shortened where they are long by what nobody asks for.
    fn lines<R: Read>(&self, bytes: R) -> Lines<R> {
        // What is strict must see all of a line.
        let long = if self.shared.strict { Long::NEVER } else { self.long };
        let ask = dialect::ask(self.needs());
        Lines::new(bytes, long.line, Box::new(Shortened(Prune::new(ask, long.head, long.tail))))
    }

    /// What the views ask for, and the status.
    fn needs(&self) -> Needs {
        let needs = self.views.needs();
        let counted = !self.shared.fail_on.is_empty() || self.tally.tells_refusals();
        Needs { calls: needs.calls.max(if counted { Calls::Brief } else { Calls::None }), ..needs }
    }

    fn step(&mut self, step: &Step) -> io::Result<()> {
        if let Some(agent) = &mut self.agent {
            agent.step(step);
        }
        self.views.step(step, &mut self.tally)
    }

    /// What comes next stands in this line.
    fn at(&mut self, line: u64) {
        if self.full {
            self.views.at(line);
        }
    }

    fn unable(&mut self, why: &str) {
        let why = self.views.mask.as_ref().map_or(why.into(), |mask| mask.text(why));
        self.tally.unable(&why);
        let why = why.into_owned();
        self.views.unable(&why);
    }
}

/// How much of a log's name is told.
const NAME: usize = 300;
