//! What a producer said, whatever its dialect.

mod fault;
mod needs;

pub use fault::{Fault, Finding};
pub use needs::{Calls, Needs};

use crate::value::{Text, Value};
use std::borrow::Cow;

/// One thing that was said. Everything in it is borrowed from the line.
pub struct Event<'a> {
    /// The session that it belongs to; empty where the line does not say.
    pub session: Text<'a>,
    /// When; see [`Event::at_ms`].
    pub at: Option<Value<'a>>,
    /// What.
    pub kind: Kind<'a>,
}

impl Event<'_> {
    /// When, in milliseconds since 1970 by the clock of the agent's machine.
    #[must_use]
    pub fn at_ms(&self) -> Option<i64> {
        self.at.and_then(Value::integer)
    }
}

/// The kinds of things that can be said.
pub enum Kind<'a> {
    /// A run begins.
    Began {
        /// The model's display name.
        model: Option<Cow<'a, str>>,
        /// The directory that the agent works in.
        cwd: Option<Cow<'a, str>>,
    },
    /// What the agent was asked.
    Prompted(Text<'a>),
    /// A piece of what it thinks. Never repeated.
    Thought(Text<'a>),
    /// A thought is over.
    ThoughtEnded,
    /// Text of the answer, new or repeated.
    Said(Text<'a>, Mark),
    /// The message is over: what is said next belongs to another.
    MessageEnded,
    /// A tool call begins; which, only where calls are asked for.
    CallStarted(Option<Call<'a>>),
    /// A tool call is over; which, only where calls are asked for.
    CallEnded(Option<Call<'a>>),
    /// A command prints; what, only where that is asked for.
    Printed(Printed<'a>),
    /// The whole list of what the agent means to do: an array of objects with `content` and `status`.
    Listed(Value<'a>),
    /// The agent asks whether it may, or shows a plan: comes before a call or within one. What, only where calls are asked for.
    Queried(Option<Call<'a>>),
    /// Something about the run that is neither text nor call.
    Noted(Note<'a>),
    /// Something is wrong or odd in the log. Told only where that is asked for.
    Found(Finding<'a>),
    /// The run is over.
    Ended(Ended<'a>),
}

/// How a text event is marked, which tells a new piece from the repeat of a whole message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mark {
    /// Like a piece that was just generated. A repeat before a query or a retry looks the same.
    Piece,
    /// Like the message before a call.
    BeforeCall,
    /// Unmarked, like the last message of a run; or like anything else from a producer that writes no times.
    Bare,
    /// From a producer that says everything once, so that this is new whatever it looks like.
    New,
    /// The whole of a message of which pieces may have come before, from such a producer.
    Whole,
}

/// A tool call, at its start or its end.
pub struct Call<'a> {
    /// Pairs the start with the end. May hold line breaks.
    pub id: Cow<'a, str>,
    /// Tells calls of one id apart: the tool, from producers that give one id to calls of several.
    pub same: Cow<'a, str>,
    /// The tool.
    pub tool: Cow<'a, str>,
    /// What it was called with. Often missing at the end.
    pub args: Option<Value<'a>>,
    /// What it gave.
    pub result: Option<Value<'a>>,
    /// What the producer says of how it is over, whatever the result.
    pub over: Over,
    /// When it began, in milliseconds since 1970 by the server's clock, which is not the clock of [`Event::at_ms`].
    pub started_ms: Option<i64>,
    /// When it ended, by the same clock.
    pub ended_ms: Option<i64>,
}

/// What a producer says of how a call is over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Over {
    /// It is.
    Completed,
    /// It is, and it failed.
    Failed,
    /// Nothing: nothing more will be heard of it, and this is what it has given so far.
    Unfinished,
}

/// What a command prints while it runs.
pub struct Printed<'a> {
    /// The id of the call that runs it.
    pub id: Cow<'a, str>,
    /// What tells it from others of that id.
    pub same: Cow<'a, str>,
    /// What was printed since the last time.
    pub text: Text<'a>,
    /// Something was printed between that time and `text`, and is lost.
    pub gap: bool,
}

/// Something about the run that is neither text nor call.
pub enum Note<'a> {
    /// The connection to the server is lost.
    Reconnecting {
        /// Counted from 1.
        attempt: Option<i64>,
    },
    /// It is back.
    Reconnected,
    /// The agent tries again, and may say again what it had said.
    Retrying {
        /// Counted from 1.
        attempt: Option<i64>,
    },
    /// It goes on from where it had been.
    Resuming,
    /// A command or agent in the background is over.
    Task {
        /// What it was for.
        title: Option<Cow<'a, str>>,
        /// How it went, in the producer's words: `success`, `aborted`.
        status: Option<Cow<'a, str>>,
        /// What a subagent answered, or a command printed.
        detail: Option<Cow<'a, str>>,
        /// It did not go well.
        failed: bool,
    },
    /// The agent works in this mode from now on.
    Mode(Cow<'a, str>),
    /// The agent had asked whether it may, and was allowed.
    Allowed {
        /// What it asked about.
        what: Cow<'a, str>,
        /// The answer that was chosen.
        answer: Cow<'a, str>,
    },
    /// The client has told the agent to stop.
    Cancelled,
    /// Only this side's messages are in the log.
    OneSided(Side),
    /// The producer has something to say to who reads along.
    Notice {
        /// What.
        text: Cow<'a, str>,
        /// More about it.
        detail: Option<Cow<'a, str>>,
        /// It is bad news.
        bad: bool,
    },
}

/// A side of a connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// The editor, or whatever else asks the agent.
    Client,
    /// The agent.
    Agent,
}

impl Side {
    /// The one that it talks to.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::Client => Self::Agent,
            Self::Agent => Self::Client,
        }
    }
}

/// How a run ended.
pub struct Ended<'a> {
    /// Why it failed, if it did; the message may be empty.
    pub failure: Option<Cow<'a, str>>,
    /// The whole text of the run.
    pub text: Option<Text<'a>>,
    /// How long it took, in milliseconds.
    pub duration_ms: Option<i64>,
    /// The request that it answered.
    pub request: Option<Cow<'a, str>>,
    /// The tokens used.
    pub usage: Option<Usage>,
    /// How full the model's context is.
    pub context: Option<Context<'a>>,
    /// The fields of the result, in the order of the documentation; valid, whatever the log holds. None where they are not
    /// asked for, or nothing is to be printed. A value that is empty is the answer.
    pub fields: Vec<Field<'a>>,
}

/// How full the model's context is, and what was paid.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize)]
pub struct Context<'a> {
    /// The tokens in it.
    pub used: i64,
    /// The tokens that it has room for.
    pub size: i64,
    /// What the session has cost so far: an amount and its currency, `0.0123 USD`.
    pub cost: Option<Cow<'a, str>>,
}

/// A key, decoded, and its value as JSON text.
pub type Field<'a> = (Cow<'a, [u8]>, Cow<'a, [u8]>);

/// The tokens of a run. Those read from the cache are not counted among the input.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, serde::Serialize)]
pub struct Usage {
    /// Tokens read.
    pub input: Option<i64>,
    /// Tokens written.
    pub output: Option<i64>,
    /// Tokens read from the cache.
    pub cache_read: Option<i64>,
    /// Tokens written to the cache.
    pub cache_write: Option<i64>,
}
