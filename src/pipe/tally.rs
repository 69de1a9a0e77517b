//! What all steps come to: the exit status, and the reason for it.

use crate::cli::{FailOn, Shared};
use crate::fold::{Outcome, Step, What};
use crate::human;
use crate::page::{Runner, Weight, safe_line};
use crate::tool::{self, Target, Tool};
use std::io::{self, Write};

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
    /// An agent that was started here failed, with this status.
    Child(u8),
    /// It took too long.
    TimedOut,
    /// This signal ended the work.
    Interrupted(u8),
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
            Self::Child(status) => status,
            Self::TimedOut => 124,
            Self::Interrupted(signal) => signal.saturating_add(128),
        }
    }

    /// Where several apply, the greatest counts.
    fn weight(self) -> u8 {
        match self {
            Self::Good => 0,
            Self::Refused => 1,
            Self::Cut => 2,
            Self::Failed => 3,
            Self::Child(_) => 4,
            Self::Unable => 5,
            Self::TimedOut => 6,
            Self::Interrupted(_) => 7,
        }
    }
}

/// What all steps come to.
#[derive(Default)]
pub(super) struct Tally {
    /// The log that is read, as messages name it.
    pub(super) name: String,
    /// The runs so far.
    pub(super) runs: usize,
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
    messages: Messages,
    /// Only what the view finds wrong counts, so much so far, in so many logs.
    judged: bool,
    findings: usize,
    logs: usize,
    first: String,
}

/// Messages for a console that puts them where they are found.
#[derive(Default)]
struct Messages {
    runner: Option<Runner>,
    /// What is said of a kind, up to what is shown of it: a title and a text.
    all: Vec<(Weight, &'static str, String)>,
    errors: usize,
    warnings: usize,
}

/// A step of a GitHub job shows so many messages of a kind, and no more.
const MESSAGES: usize = 10;

impl Messages {
    fn add(&mut self, weight: Weight, title: &'static str, text: String) {
        let count = match weight {
            Weight::Error => &mut self.errors,
            Weight::Warning => &mut self.warnings,
        };
        *count += 1;
        if *count < MESSAGES {
            self.all.push((weight, title, text));
        }
    }

    /// Why a run was cut is known better than the log says.
    fn explain(&mut self, title: &'static str, why: &str) {
        match self.all.iter_mut().rfind(|(weight, title, _)| *weight == Weight::Error && *title == CUT) {
            Some(message) => *message = (Weight::Error, title, why.to_owned()),
            None => self.add(Weight::Error, title, why.to_owned()),
        }
    }

    fn report(&self, errors: &mut dyn Write) -> io::Result<()> {
        let Some(runner) = self.runner else { return Ok(()) };
        for (weight, title, text) in &self.all {
            runner.message(*weight, title, text).map_or(Ok(()), |line| writeln!(errors, "{line}"))?;
        }
        for (weight, count, what) in
            [(Weight::Error, self.errors, "failed"), (Weight::Warning, self.warnings, "refused")]
        {
            let more = count.saturating_sub(MESSAGES - 1);
            if more > 0
                && let Some(line) = runner.message(weight, &format!("{more} more {what}"), "see the summary")
            {
                writeln!(errors, "{line}")?;
            }
        }
        Ok(())
    }
}

const FAILED: &str = "The agent failed";
const CUT: &str = "The agent did not finish";
const REFUSED: &str = "The agent was not allowed";

/// How much of a message is quoted.
const QUOTE: usize = 300;

impl Tally {
    /// With `judged`, what a run came to does not count, but what the view finds wrong with a log.
    pub(super) fn new(runner: Option<Runner>, judged: bool) -> Self {
        Self { messages: Messages { runner, ..Messages::default() }, judged, ..Self::default() }
    }

    pub(super) fn begin(&mut self, name: &str) {
        name.clone_into(&mut self.name);
        self.any = false;
        self.last_bad = 0;
    }

    /// Whether no run was in the log so far.
    pub(super) fn holds_no_run(&self) -> bool {
        !self.any
    }

    /// The log is over. A view that looks for what is wrong has found so much in all logs so far.
    pub(super) fn end(&mut self, findings: Option<usize>) {
        if let Some(all) = findings {
            self.judge(all);
        } else if !self.any {
            self.found(Status::Cut, "no run in the log");
        }
    }

    fn judge(&mut self, all: usize) {
        if all == self.findings {
            return;
        }
        self.findings = all;
        self.logs += 1;
        if self.logs == 1 {
            self.first.clone_from(&self.name);
        }
        if self.worst.weight() <= Status::Failed.weight() {
            self.worst = Status::Failed;
            let found = human::plural(all, "finding");
            self.why = match self.logs {
                1 => format!("{}: {found}", self.name),
                logs => format!("{found} in {logs} logs (first: {})", self.first),
            };
        }
    }

    pub(super) fn step(&mut self, step: &Step) {
        // What is found wrong in front of a run belongs to none.
        self.any |= step.run.number > 0;
        match &step.kind {
            What::CallEnded(call) => match call.tool.status() {
                tool::Status::Failed => self.failed += 1,
                tool::Status::Rejected => {
                    self.rejected += 1;
                    self.refused(&call.tool);
                }
                tool::Status::Ok | tool::Status::Unfinished => {}
            },
            What::Ended(end) => match &end.outcome {
                Outcome::Failed(why) if why.trim().is_empty() => self.found(Status::Failed, "the run failed"),
                Outcome::Failed(why) => {
                    self.found(Status::Failed, &format!("the run failed: {}", safe_line(why, QUOTE)));
                }
                Outcome::Cut => self.found(Status::Cut, "the log ends before the run's result"),
                Outcome::Succeeded | Outcome::Resumed => {}
            },
            What::Began
            | What::Prompt(_)
            | What::Text(_)
            | What::Message(_)
            | What::Corrected(_)
            | What::Thought(_)
            | What::ThoughtEnded
            | What::CallStarted(_)
            | What::Printed(..)
            | What::Plan(_)
            | What::Todos(_)
            | What::Noted(_)
            | What::Found(_) => {}
        }
    }

    /// Whether a call that was not allowed is told by itself.
    pub(super) fn tells_refusals(&self) -> bool {
        self.messages.runner == Some(Runner::Github) && !self.judged
    }

    fn refused(&mut self, tool: &Tool) {
        // Most consoles are none that take messages.
        if self.messages.runner.is_some() && !self.judged {
            let words = [Some(tool.name().into()), tool.target().map(Target::text), tool.error()];
            let words: Vec<String> = words.iter().flatten().map(|words| safe_line(words, QUOTE)).collect();
            self.messages.add(Weight::Warning, REFUSED, words.join(" · "));
        }
    }

    fn found(&mut self, status: Status, why: &str) {
        if self.judged {
            return;
        }
        let title = if status == Status::Failed { FAILED } else { CUT };
        self.messages.add(Weight::Error, title, format!("{}: {why}", self.name));
        if status.weight() > self.worst.weight() {
            self.worst = status;
            self.why = format!("{}: {why}", self.name);
        }
    }

    pub(super) fn unable(&mut self, why: &str) {
        if self.worst != Status::Unable {
            self.worst = Status::Unable;
            why.clone_into(&mut self.why);
        }
        // The log was there, so that there is no run in it is not what is wrong.
        self.any = true;
    }

    /// The agent that was started here came to this. What its log says is said with it.
    pub(super) fn ended(&mut self, status: Status, why: &str) {
        let failed = matches!(status, Status::Child(_)) && self.worst != Status::Good;
        if self.worst != Status::Failed {
            let title = if matches!(status, Status::Child(_)) { FAILED } else { CUT };
            self.messages.explain(title, why);
        }
        if status.weight() > self.worst.weight() {
            self.worst = status;
            self.why = if failed { format!("{}; {why}", self.why) } else { why.to_owned() };
        }
    }

    pub(super) fn unreadable(&mut self, text: &[u8], number: u64) {
        if self.judged {
            return;
        }
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
        Some(format!("{} {how}", human::plural(count, "call")))
    }

    pub(super) fn status(&self, shared: &Shared) -> Status {
        match self.worst {
            Status::Unable | Status::Child(_) | Status::TimedOut | Status::Interrupted(_) => self.worst,
            _ if shared.exit_zero => Status::Good,
            Status::Good if self.named_calls(shared).is_some() => Status::Refused,
            other => other,
        }
    }

    pub(super) fn report(&self, shared: &Shared, errors: &mut dyn Write) -> io::Result<()> {
        if self.bad > 0 {
            let lines = human::plural(self.bad, "line");
            let were = if self.bad == 1 { "was" } else { "were" };
            writeln!(errors, "cursor-fmt: {lines} {were} not JSON {}", self.first_bad)?;
        }
        if self.worst != Status::Good {
            writeln!(errors, "cursor-fmt: {}", self.why)?;
        } else if let Some(calls) = self.named_calls(shared) {
            writeln!(errors, "cursor-fmt: {calls}")?;
        }
        self.messages.report(errors)
    }
}
