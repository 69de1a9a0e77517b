//! The integration tests: what goes in and what comes out, through the library's door or the program itself.

mod acp;
mod check;
mod ci;
mod cli;
mod cuts;
mod docs;
mod envelopes;
mod events;
mod expected;
mod fold;
#[cfg(unix)]
mod jobs;
mod live;
mod memory;
mod once;
mod protocol;
#[cfg(unix)]
mod proxy;
mod reading;
#[cfg(unix)]
mod run;
mod schema;
mod screen;
#[cfg(unix)]
mod sdk;
mod summary;
mod tidy;
mod views;

use cursor_fmt::{Cli, Terminal, World, run, usage};
use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

/// What the program gave.
pub(crate) struct Given {
    /// On standard output.
    pub(crate) out: Vec<u8>,
    /// On standard error.
    pub(crate) err: String,
    /// Its exit status.
    pub(crate) status: u8,
}

impl Given {
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.out).into_owned()
    }
}

/// A process that is no terminal, with an empty environment.
const PIPE: Terminal = Terminal { input: false, output: false, file: None, size: || None, variable: |_| None };

/// Whether a signal is not ignored by all that is started here, as `nohup` has it and a shell without job control.
#[cfg(unix)]
pub(crate) fn is_heard(number: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap_or_default().trim();
    u64::from_str_radix(mask, 16).unwrap_or_default() >> (number - 1) & 1 == 0
}

/// Runs the program, as words typed after its name, on `input`.
pub(crate) fn given(args: &[&str], input: &[u8]) -> Given {
    given_in(PIPE, args, io::Cursor::new(input.to_vec()))
}

/// The same with other surroundings, and any input.
pub(crate) fn given_in(terminal: Terminal, args: &[&str], input: impl Read + Send + 'static) -> Given {
    let mut out = Vec::new();
    let mut errors = Vec::new();
    let status = run_on(terminal, args, input, &mut out, &mut errors);
    Given { out, err: String::from_utf8_lossy(&errors).into_owned(), status }
}

/// The same with any output.
pub(crate) fn run_on(
    terminal: Terminal,
    args: &[&str],
    input: impl Read + Send + 'static,
    output: &mut dyn Write,
    errors: &mut Vec<u8>,
) -> u8 {
    let args = std::iter::once("cursor-fmt").chain(args.iter().copied()).map(OsString::from);
    let cli = match Cli::read(args) {
        Ok(cli) => cli,
        Err(error) => {
            writeln!(errors, "{}", usage(&error)).expect("a Vec takes all");
            return if error.use_stderr() { 2 } else { 0 };
        }
    };
    let world = World { input: Box::new(input), output, through: Box::new(io::sink()), errors, terminal };
    match run(cli, world) {
        Ok(status) => status.code(),
        Err(error) => {
            writeln!(errors, "cursor-fmt: {error:#}").expect("a Vec takes all");
            2
        }
    }
}

/// The program as a process, in surroundings that say nothing of a terminal or of the CI system that runs the tests.
pub(crate) fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cursor-fmt"));
    for name in SURROUNDINGS {
        command.env_remove(name);
    }
    command
}

/// The variables of the environment that the program heeds.
pub(crate) const SURROUNDINGS: [&str; 11] = [
    "CI",
    "GITHUB_ACTIONS",
    "GITLAB_CI",
    "TF_BUILD",
    "GITHUB_STEP_SUMMARY",
    "NO_COLOR",
    "FORCE_COLOR",
    "CLICOLOR_FORCE",
    "CLICOLOR",
    "COLUMNS",
    "TERM",
];

/// The project's own logs, by name.
pub(crate) fn logs() -> Vec<(String, PathBuf)> {
    let mut logs: Vec<(String, PathBuf)> = std::fs::read_dir(root().join("tests/logs"))
        .expect("the logs are there")
        .map(|entry| entry.expect("a folder can be listed").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "ndjson"))
        .map(|path| (path.file_stem().expect("a log has a name").to_string_lossy().into_owned(), path))
        .collect();
    logs.sort();
    assert!(logs.len() >= 25, "few logs: {}", logs.len());
    logs
}

/// The bytes of one of the project's own logs.
pub(crate) fn log(name: &str) -> Vec<u8> {
    let path = root().join("tests/logs").join(name).with_extension("ndjson");
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The project's folder.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}
