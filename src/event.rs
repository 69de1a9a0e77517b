//! What a producer said, whatever its dialect.

use crate::value::{Text, Value};
use std::borrow::Cow;

/// What is asked for. What is not, is neither decoded nor kept; what stands beside it is told as if it were.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is asked for by itself")]
pub struct Needs {
    /// What the agent was asked.
    pub prompts: bool,
    /// Text, piece by piece as it comes.
    pub pieces: bool,
    /// Whole messages, and the answer.
    pub messages: bool,
    /// What the agent thinks.
    pub thoughts: bool,
    /// Tool calls, and how many there were.
    pub calls: Calls,
    /// The fields of the result.
    pub fields: bool,
    /// How long a run has gone on at each step.
    pub times: bool,
}

/// How much of tool calls is asked for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Calls {
    /// Nothing.
    None,
    /// What they were about and how they went.
    Brief,
    /// Also what they gave, where it is short or something went wrong.
    Short,
    /// All.
    Full,
}

impl Needs {
    /// Everything.
    #[cfg(any(test, feature = "internals"))]
    pub const ALL: Self = Self {
        prompts: true,
        pieces: true,
        messages: true,
        thoughts: true,
        calls: Calls::Full,
        fields: true,
        times: true,
    };
    /// Nothing but that there are runs, and how they end.
    pub const NONE: Self = Self {
        prompts: false,
        pieces: false,
        messages: false,
        thoughts: false,
        calls: Calls::None,
        fields: false,
        times: false,
    };
}

impl Needs {
    /// What is asked for here or there.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            prompts: self.prompts || other.prompts,
            pieces: self.pieces || other.pieces,
            messages: self.messages || other.messages,
            thoughts: self.thoughts || other.thoughts,
            calls: self.calls.max(other.calls),
            fields: self.fields || other.fields,
            times: self.times || other.times,
        }
    }
}

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
    /// A tool call begins; which, only where calls are asked for.
    CallStarted(Option<Call<'a>>),
    /// A tool call is over; which, only where calls are asked for.
    CallEnded(Option<Call<'a>>),
    /// The agent asks whether it may, or shows a plan: comes before a call or within one. What, only where calls are asked for.
    Queried(Option<Call<'a>>),
    /// Something about the run that is neither text nor call.
    Noted(Note<'a>),
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
}

/// A tool call, at its start or its end.
pub struct Call<'a> {
    /// Pairs the start with the end. May hold line breaks.
    pub id: Cow<'a, str>,
    /// The tool.
    pub tool: Cow<'a, str>,
    /// What it was called with. Often missing at the end.
    pub args: Option<Value<'a>>,
    /// What it gave.
    pub result: Option<Value<'a>>,
    /// The producer says that the call failed, whatever the result.
    pub failed: bool,
    /// When it began, in milliseconds since 1970 by the server's clock, which is not the clock of [`Event::at_ms`].
    pub started_ms: Option<i64>,
    /// When it ended, by the same clock.
    pub ended_ms: Option<i64>,
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
        /// `success`, `aborted`.
        status: Option<Cow<'a, str>>,
        /// What a subagent answered.
        detail: Option<Cow<'a, str>>,
    },
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
    /// The fields of the result, in the order of the documentation; valid, whatever the
    /// log holds. None where they are not asked for.
    pub fields: Vec<Field<'a>>,
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
