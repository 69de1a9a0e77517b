//! Parse, run, status. A closed pipe is a success.

use cursor_fmt::{Cli, Status, Terminal, World, run, usage, widen};
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = match Cli::read(std::env::args_os()) {
        Ok(cli) => cli,
        // Help and the version. That nobody reads them to their end is no error.
        Err(asked) if !asked.use_stderr() => {
            _ = asked.print();
            return ExitCode::SUCCESS;
        }
        Err(wrong) => {
            _ = writeln!(io::stderr(), "{}", usage(&wrong));
            return ExitCode::from(Status::Unable.code());
        }
    };
    let terminal = Terminal {
        input: io::stdin().is_terminal(),
        output: io::stdout().is_terminal(),
        file: file(),
        size: || terminal_size::terminal_size().map(|(width, height)| (width.0, height.0)),
        variable: |name| std::env::var(name).ok(),
    };
    widen(io::stdin());
    let (mut output, mut errors) = (output(), io::stderr());
    let (input, through) = (Box::new(io::stdin()), Box::new(self::output()));
    let world = World { input, output: &mut output, through, errors: &mut errors, terminal };
    match run(cli, world) {
        Ok(status) => ExitCode::from(status.code()),
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            _ = writeln!(errors, "cursor-fmt: {error:#}");
            ExitCode::from(Status::Unable.code())
        }
    }
}

/// The file that standard output is.
#[cfg(unix)]
fn file() -> Option<(u64, u64)> {
    use std::os::fd::AsFd;
    use std::os::unix::fs::MetadataExt;
    let own = io::stdout().as_fd().try_clone_to_owned().map(std::fs::File::from);
    let about = own.and_then(|file| file.metadata()).ok()?;
    about.is_file().then(|| (about.dev(), about.ino()))
}

/// The file that standard output is: there, nobody knows.
#[cfg(not(unix))]
fn file() -> Option<(u64, u64)> {
    None
}

/// Standard output. The page has its own buffer, and must not wait for a line break in another.
#[cfg(unix)]
fn output() -> impl Write + Send + 'static {
    use std::os::fd::AsFd;
    let own = io::stdout().as_fd().try_clone_to_owned().map(std::fs::File::from);
    own.map_or_else(|_| Box::new(io::stdout()) as Box<dyn Write + Send>, |file| Box::new(file))
}

/// Standard output. On Windows its own buffer stays, since it knows how to write to a console.
#[cfg(not(unix))]
fn output() -> impl Write + Send + 'static {
    io::stdout()
}

/// A reader that went away wants no more, and that is no failure.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}
