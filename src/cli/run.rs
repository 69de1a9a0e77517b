//! The options of `run`, which starts the agent itself.

use crate::view::Choice;
use clap::Parser;
use clap::error::ErrorKind;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::time::Duration;

pub(super) const EXAMPLES: &str = "\
Examples:
  cursor-fmt run --record run.ndjson --agent -- \"$PROMPT\"
  cursor-fmt run --timeout 30m --idle-timeout 5m --view text --agent -- \"$PROMPT\" > answer.md
  cursor-fmt run -- agent --print --output-format stream-json \"$PROMPT\"
  cursor-fmt run --acp --record acp.ndjson -- agent acp

Exit status: that of the agent if it failed, else that of its log; 124 timed out; 130 Ctrl-C, 143 TERM,
129 HUP, 131 QUIT.
A time is a number of seconds, or has a unit: 90, 1.5m, 2h, 500ms.";

/// The names of standard output, which what is passed on has for itself.
const STDOUT: [&str; 3] = ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"];

pub(super) const USAGE: &str = "cursor-fmt run [OPTIONS] -- COMMAND...";

/// Starts a command, shows what it writes, and sees to its end.
#[derive(clap::Args)]
#[command(override_usage = USAGE)]
pub(crate) struct Run {
    /// Record what the agent writes, byte for byte, before it is shown; with --acp, each line of both sides
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,

    /// The view to show it in, with its options: 'text --stream' [default: pretty]
    #[arg(long, value_name = "VIEW")]
    view: Option<String>,

    /// End the agent when it takes longer
    #[arg(long, value_name = "TIME", value_parser = time, allow_hyphen_values = true)]
    pub(crate) timeout: Option<Duration>,

    /// End the agent when it writes nothing for so long
    #[arg(long, value_name = "TIME", value_parser = time, allow_hyphen_values = true)]
    pub(crate) idle_timeout: Option<Duration>,

    /// How long the agent may take to exit, once it has no more to do or is told to, before it is ended
    #[arg(long, value_name = "TIME", value_parser = time, allow_hyphen_values = true, default_value = "5s")]
    pub(crate) grace: Duration,

    /// Stand between an ACP client, which starts this, and the agent: pass all on, show nothing. Needs --record, and takes no
    /// options of views
    #[arg(long)]
    pub(crate) acp: bool,

    /// Start Cursor's agent: COMMAND is what stands behind agent --print --output-format stream-json --stream-partial-output
    #[arg(long)]
    agent: bool,

    /// The program that --agent starts [default: agent, else cursor-agent]
    #[arg(long, value_name = "BIN", requires = "agent")]
    agent_bin: Option<OsString>,

    /// The command that is started, and its arguments
    #[arg(value_name = "COMMAND", last = true, required_unless_present = "agent")]
    command: Vec<OsString>,
}

/// A view as the value of an option.
#[derive(Parser)]
#[command(no_binary_name = true, disable_help_flag = true, disable_help_subcommand = true)]
struct Named {
    #[command(subcommand)]
    choice: Choice,
}

impl Run {
    /// The options of `run` that have no meaning with `--acp`.
    pub(super) const SHOWN: [&str; 2] = ["view", "agent"];

    /// What is wrong with `--acp`, if another option was typed that has no meaning with it.
    pub(super) fn objection(&self, other: Option<String>) -> Option<String> {
        let record = self.record.as_ref().map(|path| path.to_string_lossy());
        let why = match (other, record) {
            _ if !self.acp => return None,
            (Some(other), _) => format!("cannot be used with '{other}': what passes is neither read nor shown"),
            (None, None) => "needs '--record <FILE>'".to_owned(),
            (None, Some(file)) if STDOUT.contains(&&*file) => {
                format!("cannot be used with '--record {file}': only the agent writes there")
            }
            (None, Some(_)) => return None,
        };
        Some(format!("the argument '--acp' {why}\n"))
    }

    /// The view that is asked for, or what is wrong with it.
    pub(super) fn view(&self) -> Result<Option<Choice>, String> {
        let Some(text) = &self.view else { return Ok(None) };
        let wrong = |why: &str| format!("invalid value '{text}' for '--view <VIEW>': {why}\n");
        let words = shlex::split(text).ok_or_else(|| wrong("a quote is not closed"))?;
        if words.first().is_none_or(|word| word.starts_with('-')) {
            return Err(wrong("it begins with the name of a view"));
        }
        let mut choice = Named::try_parse_from(words).map_err(|error| wrong(&one_line(&error)))?.choice;
        match choice.parts().1.first() {
            Some(file) => Err(wrong(&format!("what is shown is what the agent writes, not '{}'", file.display()))),
            None => Ok(Some(choice)),
        }
    }

    /// The programs, of which the first that is there is started, and the arguments.
    pub(crate) fn command(&self) -> (Vec<&OsStr>, Vec<&OsStr>) {
        let words = self.command.iter().map(OsString::as_os_str);
        if !self.agent {
            let mut words = words;
            return (words.next().into_iter().collect(), words.collect());
        }
        let programs = match &self.agent_bin {
            Some(program) => vec![program.as_os_str()],
            None => ["agent", "cursor-agent"].map(OsStr::new).to_vec(),
        };
        let own = ["--print", "--output-format", "stream-json", "--stream-partial-output"].map(OsStr::new);
        (programs, own.into_iter().chain(words).collect())
    }
}

/// What is wrong, without how it is used.
fn one_line(error: &clap::Error) -> String {
    match error.kind() {
        ErrorKind::InvalidSubcommand => return "there is no such view".to_owned(),
        // What all views share is asked of `run` itself.
        ErrorKind::UnknownArgument => {
            return "the view has no such option; what all views share stands outside".to_owned();
        }
        _ => {}
    }
    let text = error.render().to_string();
    text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned()
}

/// A time, in seconds where it has no unit.
fn time(text: &str) -> Result<Duration, String> {
    let unit = if text.ends_with(|last: char| last.is_ascii_digit()) { "s" } else { "" };
    match humantime::parse_duration(&format!("{text}{unit}")) {
        Ok(Duration::ZERO) => Err("no time at all".to_owned()),
        Ok(time) => Ok(time),
        Err(_) => Err("not a time like 90, 90s, 1.5m, 2h or 500ms".to_owned()),
    }
}
