//! Writes logs to measure with: `generate DIR [--megabytes N] [KIND...]`.

mod log;

use log::Kind;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// What is asked for.
struct Task {
    folder: PathBuf,
    megabytes: u64,
    kinds: Vec<Kind>,
}

fn main() -> ExitCode {
    let done = task(std::env::args_os().skip(1))
        .and_then(|task| write_all(&task).map_err(|error| format!("{}: {error}", task.folder.display())));
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            // If standard error is gone too, the status still tells.
            let _ = writeln!(io::stderr(), "generate: {problem}");
            ExitCode::from(2)
        }
    }
}

fn task(arguments: impl Iterator<Item = OsString>) -> Result<Task, String> {
    let mut folder = None;
    let mut megabytes = 300;
    let mut kinds = Vec::new();
    let mut arguments = arguments;
    while let Some(argument) = arguments.next() {
        let word = argument.to_str().unwrap_or_default();
        if word == "--megabytes" {
            let number = arguments.next().and_then(|number| number.to_str()?.parse().ok());
            megabytes = number.ok_or_else(|| usage("--megabytes needs a whole number"))?;
        } else if word.starts_with('-') {
            return Err(usage(&format!("{word} is no option")));
        } else if folder.is_none() {
            folder = Some(PathBuf::from(argument));
        } else {
            let kind = Kind::ALL.into_iter().find(|kind| kind.name() == word);
            kinds.push(kind.ok_or_else(|| usage(&format!("there is no log {}", argument.display())))?);
        }
    }
    if kinds.is_empty() {
        kinds.extend(Kind::ALL);
    }
    let folder = folder.ok_or_else(|| usage("which directory?"))?;
    Ok(Task { folder, megabytes, kinds })
}

fn usage(problem: &str) -> String {
    let kinds = Kind::ALL.map(Kind::name).join(" ");
    format!("{problem} (usage: generate DIR [--megabytes N] [KIND...], with {kinds} as kinds)")
}

fn write_all(task: &Task) -> io::Result<()> {
    fs::create_dir_all(&task.folder)?;
    task.kinds.iter().try_for_each(|kind| write(*kind, task.megabytes, &task.folder))
}

fn write(kind: Kind, megabytes: u64, folder: &Path) -> io::Result<()> {
    // Under its name there is a whole log or none, whenever this is interrupted.
    let unfinished = folder.join(format!("{}.unfinished", kind.name()));
    let mut out = BufWriter::with_capacity(1 << 20, File::create(&unfinished)?);
    log::write(kind, megabytes * 1_000_000, &mut out)?;
    out.flush()?;
    fs::rename(unfinished, folder.join(format!("{}.ndjson", kind.name())))
}
