//! What is asked for.

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
    /// What commands print while they run; only where calls are asked for too.
    pub printed: bool,
    /// What is wrong or odd in the log.
    pub faults: bool,
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
        printed: true,
        faults: true,
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
        printed: false,
        faults: false,
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
            printed: self.printed || other.printed,
            faults: self.faults || other.faults,
        }
    }
}
