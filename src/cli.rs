//! The command line: what all views share. What a view alone knows stands with the view.

mod run;

pub(crate) use run::Run;

use crate::dialect::Dialect;
use crate::page::{Look, Runner, safe_line};
use crate::view::{Audience, Choice, Pretty, Shown, View};
use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{ArgMatches, Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use std::ffi::OsString;
use std::path::PathBuf;

const ABOUT: &str = "Shows what Cursor's CLI agent streams, and Agent Client Protocol traffic: as a live transcript, as the plain answer, \
                     as one JSON result, as a table of tool calls, as lines for a console, as a summary for CI";

const EXAMPLES: &str = "\
Examples:
  agent --print --output-format stream-json --stream-partial-output \"$PROMPT\" | cursor-fmt
  agent --print --output-format stream-json \"$PROMPT\" | cursor-fmt text > answer.md
  cursor-fmt tools --status failed,rejected runs/*.ndjson
  cursor-fmt run --agent --record run.ndjson --step-summary -- \"$PROMPT\"

Exit status:
  0  every run finished and succeeded, or the reader of the output went away
  1  a run failed; of check: something was found
  2  the command could not do its work
  3  the log ends before a run's result, or holds no run
  4  with --fail-on: such a call occurred
Of run also: the agent's own, where it failed; 124 timed out; 128 and the number of a signal that ended the work (130: Ctrl-C)

cursor-fmt VIEW --help tells more about a view.";

/// What was typed.
#[derive(Parser)]
#[command(name = "cursor-fmt", version, about = ABOUT, after_help = EXAMPLES, override_usage = "cursor-fmt [OPTIONS] [VIEW] [FILE]...")]
#[command(subcommand_help_heading = "Views", args_override_self = true)]
pub struct Cli {
    #[command(subcommand)]
    command: Option<Command>,

    #[command(flatten)]
    pretty: Shown<Pretty>,

    #[command(flatten)]
    pub(crate) shared: Shared,

    /// The view that `run` is to show in.
    #[arg(skip)]
    chosen: Option<Choice>,
}

#[derive(Subcommand)]
enum Command {
    #[command(flatten)]
    View(Choice),

    /// Start the agent, record and show what it does, and end with its status
    #[command(after_help = run::EXAMPLES)]
    Run(Run),

    /// Print the completions for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

/// The options that every view has.
#[derive(Default, clap::Args)]
#[command(next_help_heading = "Shared options")]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of its own")]
pub(crate) struct Shared {
    /// The dialect of the input
    #[arg(
        long,
        value_enum,
        default_value_t,
        global = true,
        value_name = "auto|cursor|acp",
        hide_possible_values = true
    )]
    pub(crate) from: Dialect,

    /// When to use colour; auto: on a terminal, unless `NO_COLOR` is set
    #[arg(
        long,
        value_enum,
        default_value_t,
        global = true,
        value_name = "auto|always|never",
        hide_possible_values = true
    )]
    color: Color,

    /// The columns to lay out for [default: the terminal's, else $COLUMNS, else no limit]
    #[arg(long, global = true, value_name = "N", allow_hyphen_values = true)]
    width: Option<String>,

    /// Use signs of ASCII only
    #[arg(long, global = true)]
    ascii: bool,

    /// End with status 2 at a line that is not a JSON object
    #[arg(long, global = true)]
    pub(crate) strict: bool,

    /// End with status 4 if a call was rejected, or failed (tool-error), though all runs are good
    #[arg(
        long,
        value_enum,
        value_delimiter = ',',
        global = true,
        value_name = "rejected,tool-error",
        hide_possible_values = true
    )]
    pub(crate) fail_on: Vec<FailOn>,

    /// End with status 0 where it would be 1, 3 or 4
    #[arg(long, global = true)]
    pub(crate) exit_zero: bool,

    /// The CI system whose console reads along; auto: told by its variables
    #[arg(
        long,
        value_enum,
        default_value_t,
        global = true,
        value_name = "auto|github|gitlab|none",
        hide_possible_values = true
    )]
    ci: Ci,

    /// Append a summary to the file in `$GITHUB_STEP_SUMMARY`, whatever the view
    #[arg(long, global = true)]
    pub(crate) step_summary: bool,

    /// Mask secrets; the default in summary, and on CI consoles in views for people
    #[arg(long, global = true, overrides_with = "no_redact")]
    redact: bool,

    /// Mask no secrets
    #[arg(long, global = true, overrides_with = "redact")]
    no_redact: bool,

    /// Mask also what matches one of the regular expressions in FILE, one a line
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) redact_patterns: Option<PathBuf>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, ValueEnum)]
enum Ci {
    #[default]
    Auto,
    Github,
    Gitlab,
    None,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, ValueEnum)]
enum Color {
    #[default]
    Auto,
    Always,
    Never,
}

/// What `--fail-on` looks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum FailOn {
    /// A call that was not allowed
    Rejected,
    /// A call that failed
    ToolError,
}

/// What is wrong with what was typed, in one line.
#[must_use]
pub fn usage(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let lines = text.lines().take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more"));
    let one =
        lines.map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<&str>>().join("; ").replace(":; ", ": ");
    // The usage names the view whose options these are.
    let usage = text.lines().find_map(|line| line.strip_prefix("Usage: cursor-fmt ")).unwrap_or_default();
    let view = usage.split(' ').next().filter(|word| word.starts_with(char::is_lowercase));
    let help = format!("see cursor-fmt {}--help", view.map_or_else(String::new, |view| format!("{view} ")));
    let is_parted = !matches!(error.kind(), ErrorKind::InvalidValue | ErrorKind::ArgumentConflict);
    let hint = if text.contains(run::USAGE) && is_parted { "the command stands behind --; " } else { "" };
    // What clap proposes would start an option that is mistyped as a command.
    let one = one.split("; tip: to pass").next().unwrap_or_default();
    format!("cursor-fmt: {} ({hint}{help})", safe_line(one.trim_start_matches("error: "), 400))
}

/// What the process knows of its surroundings.
#[derive(Clone, Copy)]
pub struct Terminal {
    /// Standard input is a terminal.
    pub input: bool,
    /// Standard output is a terminal.
    pub output: bool,
    /// The file that standard output is, by the device and the number that it has there.
    pub file: Option<(u64, u64)>,
    /// How many columns and rows the terminal has now.
    pub size: fn() -> Option<(u16, u16)>,
    /// A variable of the environment.
    pub variable: fn(&str) -> Option<String>,
}

impl Terminal {
    /// The size of the terminal, if the output is one.
    fn measured(&self) -> Option<(u16, u16)> {
        if self.output { (self.size)() } else { None }
    }

    /// How many rows the terminal has now.
    pub(crate) fn rows(&self) -> Option<u16> {
        self.measured().map(|(_, rows)| rows)
    }
}

/// What is to be done.
pub(crate) enum Task<'a> {
    /// Show logs in a view.
    Show(&'a mut dyn View, &'a [PathBuf]),
    /// Show an agent that is started here.
    Run(&'a mut dyn View, &'a Run),
    /// Stand between a client and an agent that is started here.
    Pass(&'a Run),
    /// Print completions.
    Complete(clap_complete::Shell),
}

impl Cli {
    /// Reads what was typed.
    ///
    /// # Errors
    /// Also where help or the version is asked for: such an error knows what to print, and its exit status.
    pub fn read(args: impl IntoIterator<Item = OsString>) -> Result<Self, clap::Error> {
        let mut command = Self::command();
        let matches = command.try_get_matches_from_mut(args)?;
        // Without a view, pretty's own options stand at the top; with one they would be lost.
        let mut own = Shown::<Pretty>::augment_args(clap::Command::new("pretty"));
        let typed = |arg: &&clap::Arg| matches.value_source(arg.get_id().as_str()) == Some(ValueSource::CommandLine);
        let lost = own.get_arguments().find(typed).map(|arg| arg.get_id().clone());
        if let (Some(view), Some(lost)) = (matches.subcommand_name(), lost) {
            own.build();
            let arg = own.get_arguments().find(|arg| *arg.get_id() == lost).map(ToString::to_string);
            let message = format!("{} stands in front of the view '{view}'\n", arg.unwrap_or_default());
            return Err(command.error(ErrorKind::ArgumentConflict, message));
        }
        let mut cli = Self::from_arg_matches(&matches)?;
        if let (Some(Command::Run(run)), Some(about)) = (&cli.command, command.find_subcommand_mut("run")) {
            let vain = matches.subcommand_matches("run").and_then(|typed| vain(about, typed));
            if let Some(why) = run.objection(vain) {
                return Err(about.error(ErrorKind::ArgumentConflict, why));
            }
            cli.chosen = run.view().map_err(|why| about.error(ErrorKind::InvalidValue, why))?;
        }
        Ok(cli)
    }

    /// The command line as clap knows it.
    #[must_use]
    pub fn description() -> clap::Command {
        Self::command()
    }

    pub(crate) fn task(&mut self) -> Task<'_> {
        match &mut self.command {
            None => show(self.pretty.parts()),
            Some(Command::View(choice)) => show(choice.parts()),
            Some(Command::Run(run)) => {
                if run.acp {
                    return Task::Pass(run);
                }
                let shown = self.chosen.as_mut().map_or_else(|| self.pretty.parts(), Choice::parts);
                Task::Run(shown.0, run)
            }
            Some(Command::Completions { shell }) => Task::Complete(*shell),
        }
    }
}

/// An option that was typed for `run`, and says how to read or to show.
fn vain(run: &clap::Command, typed: &ArgMatches) -> Option<String> {
    let shared = Shared::augment_args(clap::Command::new("shared"));
    let shows = |arg: &clap::Arg| {
        Run::SHOWN.contains(&arg.get_id().as_str())
            || shared.get_arguments().any(|other| other.get_id() == arg.get_id())
    };
    let is_typed = |arg: &clap::Arg| typed.value_source(arg.get_id().as_str()) == Some(ValueSource::CommandLine);
    run.get_arguments().find(|arg| is_typed(arg) && shows(arg)).map(ToString::to_string)
}

fn show<'a>((view, files): (&'a mut dyn View, &'a [PathBuf])) -> Task<'a> {
    Task::Show(view, files)
}

impl Shared {
    /// How the page is to look. If not `coloured`, colour has to be asked for.
    pub(crate) fn look(&self, terminal: &Terminal, coloured: bool) -> Look {
        let runner = self.runner(terminal);
        let set = |name| (terminal.variable)(name).is_some_and(|value| !value.is_empty());
        let on = |name| (terminal.variable)(name).is_some_and(|value| !value.is_empty() && value != "0");
        let is = |name, want: &str| (terminal.variable)(name).as_deref() == Some(want);
        let auto = || {
            let forced = on("CLICOLOR_FORCE") || on("FORCE_COLOR");
            // A console of CI shows colours, and is no terminal.
            let console = runner.is_some() && terminal.file.is_none();
            let able = (terminal.output && !is("TERM", "dumb")) || console;
            !set("NO_COLOR") && (forced || (coloured && able && !is("CLICOLOR", "0")))
        };
        Look {
            color: match self.color {
                Color::Auto => auto(),
                Color::Always => true,
                Color::Never => false,
            },
            ascii: self.ascii,
            width: self.width(terminal),
            rows: terminal.rows(),
            terminal: terminal.output || (self.names_console() && terminal.file.is_none()),
            live: terminal.output && !is("TERM", "dumb"),
            console: runner.is_some() || ["CI", "GITHUB_ACTIONS", "GITLAB_CI", "TF_BUILD"].into_iter().any(on),
            runner,
        }
    }

    /// Whether it was said that the output goes to a console, which a variable does not say.
    fn names_console(&self) -> bool {
        matches!(self.ci, Ci::Github | Ci::Gitlab)
    }

    /// The CI system whose console reads along.
    pub(crate) fn runner(&self, terminal: &Terminal) -> Option<Runner> {
        let on = |name| (terminal.variable)(name).is_some_and(|value| !value.is_empty() && value != "false");
        match self.ci {
            Ci::Github => Some(Runner::Github),
            Ci::Gitlab => Some(Runner::Gitlab),
            Ci::Auto if on("GITHUB_ACTIONS") => Some(Runner::Github),
            Ci::Auto if on("GITLAB_CI") => Some(Runner::Gitlab),
            Ci::Auto | Ci::None => None,
        }
    }

    /// Whether secrets are masked for such an audience.
    pub(crate) fn masks(&self, audience: Audience, terminal: &Terminal) -> bool {
        self.asks_for_masks().unwrap_or_else(|| match audience {
            Audience::Public => true,
            Audience::Reader => self.runner(terminal).is_some(),
            // What a program reads is only touched where the console was asked for.
            Audience::Program => self.names_console(),
        })
    }

    /// Whether secrets are masked in what is said on standard error.
    pub(crate) fn masks_errors(&self, terminal: &Terminal) -> bool {
        self.asks_for_masks().unwrap_or_else(|| self.runner(terminal).is_some())
    }

    /// Whether secrets are to be masked, if that was said. Who names patterns wants them masked.
    fn asks_for_masks(&self) -> Option<bool> {
        let asked = self.redact || self.no_redact || self.redact_patterns.is_some();
        asked.then_some(!self.no_redact)
    }

    /// The columns to lay out for. A width that is no width is ignored.
    pub(crate) fn width(&self, terminal: &Terminal) -> Option<u16> {
        let number = |text: Option<String>| text?.trim().parse().ok().filter(|width| *width > 0);
        let own = || terminal.measured().map(|(width, _)| width).filter(|width| *width > 0);
        number(self.width.clone()).or_else(own).or_else(|| number((terminal.variable)("COLUMNS")))
    }
}
