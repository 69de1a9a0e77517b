//! What reading a log costs that lies in memory, room by room, beside what the memory allows.
//!
//! `cargo bench --features internals --bench reading -- [--megabytes N] [NAME...]`, where a NAME is a part of `LOG/ROW`, such as
//! `whole/tools`.
//!
//! The harness is this file's own. What matters is the share of the limit, which criterion does not print; and here the rows take
//! turns, so that a machine that is busy for a while is busy for all of them.

#![expect(clippy::print_stdout, reason = "the tables are what this program is for")]

#[path = "generate/log.rs"]
mod log;

use anyhow::{Context, bail, ensure};
use cursor_fmt::Cli;
use cursor_fmt::internals::{Dialect, Event, Filled, Fold, Lines, Needs, Reader, Shorten, Spans, show_slice};
use log::Kind;
use memchr::memchr;
use std::hint::black_box;
use std::io::{self, Write};
use std::time::{Duration, Instant};

const LOGS: [Kind; 4] = [Kind::Partial, Kind::Whole, Kind::PartialShuffled, Kind::WholeShuffled];

/// The first is the limit.
const ROWS: [(&str, Work); 14] = [
    ("limit", Work::Limit),
    ("lines", Work::Lines),
    ("reader", Work::Reader),
    ("fold", Work::Fold),
    ("text", Work::View(&["text"])),
    ("serde_json::Value", Work::Serde),
    ("text --all", Work::View(&["text", "--all"])),
    ("tools", Work::View(&["tools"])),
    ("tools --format ndjson", Work::View(&["tools", "--format", "ndjson"])),
    ("json", Work::View(&["json"])),
    ("pretty", Work::View(&["pretty"])),
    ("log", Work::View(&["log"])),
    ("summary", Work::View(&["summary", "--no-redact"])),
    ("pretty --color always", Work::View(&["pretty", "--color", "always"])),
];

/// What is timed.
#[derive(Clone, Copy)]
enum Work {
    /// To look for each line break. Nobody who wants lines can do less.
    Limit,
    /// The splitter, which copies the log into its buffer.
    Lines,
    /// What the lines say.
    Reader,
    /// What is said once.
    Fold,
    /// Each line as a tree, as programs read JSON that are not about speed.
    Serde,
    /// All of the way, in a view.
    View(&'static [&'static str]),
}

/// What is asked for.
struct Task {
    megabytes: u64,
    rounds: usize,
    names: Vec<String>,
}

/// A row, as far as it is measured.
struct Row {
    name: &'static str,
    work: Work,
    times: Vec<Duration>,
    gave: usize,
}

fn main() -> anyhow::Result<()> {
    let task = task(std::env::args().skip(1))?;
    let mut tables = 0;
    for kind in LOGS {
        let wanted = |row: &str| {
            let name = format!("{}/{row}", kind.name());
            task.names.is_empty() || task.names.iter().any(|part| name.contains(part))
        };
        if ROWS.iter().any(|(row, _)| wanted(row)) {
            tables += 1;
            table(kind, &task, wanted)?;
        }
    }
    ensure!(tables > 0, "there is no row of such a name");
    Ok(())
}

fn task(mut arguments: impl Iterator<Item = String>) -> anyhow::Result<Task> {
    // Without `--bench` it is a test that asks, and all it wants to know is whether this works.
    let (mut megabytes, mut rounds) = (1, 1);
    let (mut asked, mut names) = (None, Vec::new());
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--bench" => (megabytes, rounds) = (64, 7),
            "--megabytes" => {
                let number = arguments.next().and_then(|number| number.parse().ok()).filter(|number| *number > 0);
                asked = Some(number.context("--megabytes needs a whole number that is not 0")?);
            }
            option if option.starts_with('-') => bail!("{option} is no option (there is --megabytes N)"),
            _ => names.push(argument),
        }
    }
    Ok(Task { megabytes: asked.unwrap_or(megabytes), rounds, names })
}

/// Measures the rows that are wanted, and the limit, and prints them.
fn table(kind: Kind, task: &Task, wanted: impl Fn(&str) -> bool) -> anyhow::Result<()> {
    let mut text = Vec::new();
    log::write(kind, task.megabytes * 1_000_000, &mut text)?;
    let mut rows: Vec<Row> = Vec::new();
    for (name, work) in ROWS {
        if rows.is_empty() || wanted(name) {
            rows.push(Row { name, work, times: Vec::new(), gave: 0 });
        }
    }
    for _ in 0..task.rounds {
        for row in &mut rows {
            let (time, gave) = row.work.measure(&text)?;
            row.times.push(time);
            row.gave = gave;
        }
    }
    let megabytes = f64::from(u32::try_from(text.len() / 1000)?) / 1e3;
    println!("{}, {megabytes:.1} MB, medians of {}\n", kind.name(), task.rounds);
    println!("{:24}{:>10}{:>9}{:>12}   gives", "", "ms", "GB/s", "of limit");
    let limit = rows[0].median();
    for row in &mut rows {
        let (name, ms) = (row.name, row.median());
        let (speed, share) = (megabytes / ms, limit / ms * 100.0);
        println!("{name:24}{ms:10.2}{speed:9.2}{share:10.1} %   {} {}", row.gave, row.work.unit());
    }
    println!();
    Ok(())
}

impl Row {
    /// In milliseconds.
    fn median(&mut self) -> f64 {
        self.times.sort_unstable();
        self.times[self.times.len() / 2].as_secs_f64() * 1e3
    }
}

impl Work {
    /// How long it takes, and how much it gives.
    fn measure(self, text: &[u8]) -> anyhow::Result<(Duration, usize)> {
        let mut sink = Sink(0);
        // Not to be measured: what is the same for every log.
        let cli = match self {
            Self::View(arguments) => Some(Cli::read(["cursor-fmt"].iter().chain(arguments).map(Into::into))?),
            _ => None,
        };
        let text = black_box(text);
        let start = Instant::now();
        let gave = match (self, cli) {
            (Self::Limit, _) => limit(text),
            (Self::Lines, _) => lines(text)?,
            (Self::Reader, _) => events(text)?,
            (Self::Fold, _) => steps(text)?,
            (Self::Serde, _) => trees(text)?,
            (Self::View(_), cli) => {
                show_slice(cli.context("it was read above")?, text, &mut sink)?;
                sink.0
            }
        };
        Ok((start.elapsed(), black_box(gave)))
    }

    /// Of what it gives.
    fn unit(self) -> &'static str {
        match self {
            Self::Limit | Self::Lines | Self::Serde => "lines",
            Self::Reader => "events",
            Self::Fold => "steps",
            Self::View(_) => "bytes",
        }
    }
}

/// Takes what is written, as a closed eye would, and counts it.
struct Sink(usize);

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += black_box(bytes).len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn limit(text: &[u8]) -> usize {
    let (mut rest, mut count) = (text, 0);
    while let Some(length) = memchr(b'\n', rest) {
        count += 1;
        rest = &rest[length + 1..];
    }
    count
}

/// No line is so long that it has to be shortened.
struct Never;

impl Shorten for Never {
    fn shorten(&mut self, line: &mut [u8], _over: bool) -> usize {
        line.len()
    }

    fn reset(&mut self) {}
}

fn lines(text: &[u8]) -> anyhow::Result<usize> {
    let (mut lines, mut count) = (Lines::new(text, usize::MAX, Box::new(Never)), 0);
    while lines.fill()? != Filled::End {
        while let Some(line) = lines.line(false) {
            black_box(line);
            count += 1;
        }
    }
    Ok(count)
}

fn events(text: &[u8]) -> anyhow::Result<usize> {
    let mut count = 0;
    read(text, &mut |event| {
        black_box(event);
        count += 1;
        Ok(())
    })?;
    Ok(count)
}

fn steps(text: &[u8]) -> anyhow::Result<usize> {
    let (mut fold, mut count) = (Fold::new(0, Needs::ALL), 0);
    read(text, &mut |event| {
        fold.read(event, &mut |step| {
            black_box(step);
            count += 1;
            Ok(())
        })
    })?;
    fold.end(&mut |_| {
        count += 1;
        Ok(())
    })?;
    Ok(count)
}

/// Reads each line where it lies, as the program does with a log that nothing has damaged.
fn read(text: &[u8], tell: &mut dyn FnMut(&Event<'_>) -> io::Result<()>) -> anyhow::Result<()> {
    let (mut reader, mut spans) = (Reader::new(Dialect::Cursor, Needs::ALL), Spans::default());
    let mut rest = text;
    while !rest.is_empty() {
        let (known, mut length) = reader.again(rest, false, tell)?;
        if known == 0 {
            let (object, end) = spans.object(rest, false).context("a line is no object")?;
            ensure!(reader.read(object, b"", tell)?, "an object is not whole");
            length = end + 1;
        }
        rest = &rest[length..];
    }
    Ok(())
}

fn trees(text: &[u8]) -> anyhow::Result<usize> {
    let (mut rest, mut count) = (text, 0);
    while let Some(length) = memchr(b'\n', rest) {
        black_box(serde_json::from_slice::<serde_json::Value>(&rest[..length])?);
        count += 1;
        rest = &rest[length + 1..];
    }
    Ok(count)
}
