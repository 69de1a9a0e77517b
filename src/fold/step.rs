//! What the fold tells.

use super::{Context, Field, Finding, Note, Usage};
use crate::tool::{Status, Todo, Tool};
use std::borrow::Cow;

/// The next thing that was not told yet.
pub struct Step<'a> {
    /// The run that it belongs to.
    pub run: &'a Run,
    /// What.
    pub kind: What<'a>,
}

/// One invocation of the agent.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Run {
    /// Its place in the input, counted from 1.
    pub number: usize,
    /// Its session; a run that resumes another has the same.
    pub session: String,
    /// The model's display name.
    pub model: Option<String>,
    /// The directory that the agent works in.
    pub cwd: Option<String>,
    /// How long it has gone on, in milliseconds, by the times in the log; only where times are asked for.
    pub elapsed_ms: i64,
}

/// The kinds of steps.
pub enum What<'a> {
    /// The run begins.
    Began,
    /// What the agent was asked.
    Prompt(Cow<'a, str>),
    /// The next piece of a message.
    Text(Cow<'a, str>),
    /// The message is over; this is the whole of it.
    Message(Cow<'a, str>),
    /// Pieces of the message were lost or damaged; this is what it was.
    Corrected(Cow<'a, str>),
    /// The next piece of a thought.
    Thought(Cow<'a, str>),
    /// The thought is over.
    ThoughtEnded,
    /// A call begins.
    CallStarted(&'a Call<'a>),
    /// The command of a call that runs has printed something; told only where that is asked for.
    Printed(&'a Call<'a>, &'a Output<'a>),
    /// A call is over, or nothing more will be heard of it.
    CallEnded(&'a Call<'a>),
    /// A plan for which there is no call.
    Plan(Cow<'a, str>),
    /// The whole list of what the agent means to do, told outside of a call.
    Todos(Vec<Todo<'a>>),
    /// Something else.
    Noted(&'a Note<'a>),
    /// Something is wrong or odd in the log; told only where that is asked for. Before the first run, its run has the number 0.
    Found(&'a Finding<'a>),
    /// The run is over.
    Ended(&'a End<'a>),
}

/// A tool call.
pub struct Call<'a> {
    /// Its place in the run, counted from 1 in the order of the starts.
    pub number: usize,
    /// The producer's id. May hold line breaks.
    pub id: &'a str,
    /// The tool, what it was called with and what it gave.
    pub tool: Tool<'a>,
    /// When it began, in milliseconds since 1970.
    pub started_ms: Option<i64>,
    /// How long it took, in milliseconds.
    pub duration_ms: Option<i64>,
    /// It was told as unfinished before, when the run ended.
    pub late: bool,
}

/// What a command has printed since the last time.
pub struct Output<'a> {
    /// The text.
    pub text: Cow<'a, str>,
    /// Something was printed before it, and is lost.
    pub gap: bool,
}

/// The end of a run.
pub struct End<'a> {
    /// How it ended.
    pub outcome: Outcome<'a>,
    /// How long it took, in milliseconds.
    pub duration_ms: Option<i64>,
    /// The tokens used.
    pub usage: Option<Usage>,
    /// How full the model's context is.
    pub context: Option<&'a Context<'a>>,
    /// The last message.
    pub answer: Cow<'a, str>,
    /// The fields of the result; none where there is no result.
    pub fields: &'a [Field<'a>],
    /// How its calls went.
    pub calls: Count,
}

/// How a run ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome<'a> {
    /// With a result.
    Succeeded,
    /// With a result that says that it failed, and why.
    Failed(Cow<'a, str>),
    /// Without a result: the input ends before.
    Cut,
    /// Without a result, but a later run of the same session goes on from it.
    Resumed,
}

impl Outcome<'_> {
    /// Its name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Succeeded => "success",
            Self::Failed(_) => "failed",
            Self::Cut => "cut",
            Self::Resumed => "resumed",
        }
    }
}

/// How the calls of a run went.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, serde::Serialize)]
pub struct Count {
    /// All.
    pub calls: usize,
    /// Those that failed.
    pub failed: usize,
    /// Those that were not allowed.
    pub rejected: usize,
    /// Those of which no end was heard.
    pub unfinished: usize,
}

impl Count {
    /// Those that went well.
    #[must_use]
    pub fn ok(&self) -> usize {
        self.calls.saturating_sub(self.failed + self.rejected + self.unfinished)
    }

    /// A call that was counted as unfinished has ended after all.
    pub fn ended_late(&mut self, status: Status) {
        self.calls = self.calls.saturating_sub(1);
        self.unfinished = self.unfinished.saturating_sub(1);
        self.add(status);
    }

    /// Adds what other calls came to.
    pub fn add_all(&mut self, other: Self) {
        self.calls += other.calls;
        self.failed += other.failed;
        self.rejected += other.rejected;
        self.unfinished += other.unfinished;
    }

    /// Counts a call.
    pub fn add(&mut self, status: Status) {
        self.calls += 1;
        match status {
            Status::Ok => {}
            Status::Failed => self.failed += 1,
            Status::Rejected => self.rejected += 1,
            Status::Unfinished => self.unfinished += 1,
        }
    }
}
