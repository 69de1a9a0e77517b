//! What can be wrong or odd in a log.

use std::borrow::Cow;

/// Something that is wrong or odd.
pub struct Finding<'a> {
    /// What.
    pub fault: Fault,
    /// One sentence about it, without a stop.
    pub what: Cow<'a, str>,
}

/// What can be wrong or odd.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fault {
    /// A line, or a part of it, that is no JSON.
    InvalidJson,
    /// A type of event, an update or a method that nobody knows.
    UnknownEvent,
    /// A call of which no end was heard.
    UnfinishedCall,
    /// The result says other text than what was said before.
    TextDisagrees,
    /// The log ends before a run's result.
    CutLog,
    /// There is no run in the log.
    NoRun,
    /// The agent uses terminals, and the client has not said that it has any.
    TerminalWithoutCapability,
    /// A directory of a terminal is not absolute.
    CwdNotAbsolute,
    /// More output than the limit that was asked for.
    OutputOverLimit,
    /// Output that was cut within a character.
    OutputCutInCharacter,
    /// A terminal that nobody has created is used.
    UnknownTerminal,
    /// A terminal is used after its release.
    TerminalAfterRelease,
    /// A terminal that is never released.
    TerminalNotReleased,
    /// A command exits twice, with different statuses.
    ExitStatusChanged,
    /// It is said that a command has exited, and later that it runs.
    WaitAnsweredEarly,
    /// A request that is answered twice.
    AnsweredTwice,
    /// A request that is never answered.
    NeverAnswered,
    /// An answer to a request that nobody has made.
    AnswerWithoutRequest,
}

impl Fault {
    /// All, in the order in which they are documented.
    #[cfg(test)]
    pub const ALL: [Self; 18] = [
        Self::InvalidJson,
        Self::UnknownEvent,
        Self::UnfinishedCall,
        Self::TextDisagrees,
        Self::CutLog,
        Self::NoRun,
        Self::TerminalWithoutCapability,
        Self::CwdNotAbsolute,
        Self::OutputOverLimit,
        Self::OutputCutInCharacter,
        Self::UnknownTerminal,
        Self::TerminalAfterRelease,
        Self::TerminalNotReleased,
        Self::ExitStatusChanged,
        Self::WaitAnsweredEarly,
        Self::AnsweredTwice,
        Self::NeverAnswered,
        Self::AnswerWithoutRequest,
    ];

    /// Its name, which does not change.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::InvalidJson => "invalid-json",
            Self::UnknownEvent => "unknown-event",
            Self::UnfinishedCall => "unfinished-call",
            Self::TextDisagrees => "text-disagrees",
            Self::CutLog => "cut-log",
            Self::NoRun => "no-run",
            Self::TerminalWithoutCapability => "terminal-without-capability",
            Self::CwdNotAbsolute => "cwd-not-absolute",
            Self::OutputOverLimit => "output-over-limit",
            Self::OutputCutInCharacter => "output-cut-in-character",
            Self::UnknownTerminal => "unknown-terminal",
            Self::TerminalAfterRelease => "terminal-after-release",
            Self::TerminalNotReleased => "terminal-not-released",
            Self::ExitStatusChanged => "exit-status-changed",
            Self::WaitAnsweredEarly => "wait-answered-early",
            Self::AnsweredTwice => "answered-twice",
            Self::NeverAnswered => "never-answered",
            Self::AnswerWithoutRequest => "answer-without-request",
        }
    }
}
