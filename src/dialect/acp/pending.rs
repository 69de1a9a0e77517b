//! Pairs answers with requests. Both sides count their ids from 0, so that an id alone does not say which request is answered:
//! the method says who has asked, and what an answer looks like says what was asked.

use crate::event::Side;
use crate::value::Value;
use std::borrow::Cow;
use std::collections::VecDeque;

/// What a request asks for, as far as it matters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Method {
    Initialize,
    Authenticate,
    NewSession,
    LoadSession,
    ResumeSession,
    SetMode,
    Prompt,
    Permission,
    ReadFile,
    WriteFile,
    CreateTerminal,
    Output,
    WaitForExit,
    Kill,
    Release,
    Question,
    Plan,
    /// Anything else that this side may ask.
    Other(Side),
    /// What nobody knows, and either side may ask.
    Foreign,
}

impl Method {
    /// The method of this name; `None` for one that nobody knows.
    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "initialize" => Self::Initialize,
            "authenticate" => Self::Authenticate,
            "session/new" | "session/fork" => Self::NewSession,
            "session/load" => Self::LoadSession,
            "session/resume" => Self::ResumeSession,
            "session/set_mode" => Self::SetMode,
            "session/prompt" => Self::Prompt,
            "session/request_permission" => Self::Permission,
            "fs/read_text_file" => Self::ReadFile,
            "fs/write_text_file" => Self::WriteFile,
            "terminal/create" => Self::CreateTerminal,
            "terminal/output" => Self::Output,
            "terminal/wait_for_exit" => Self::WaitForExit,
            "terminal/kill" => Self::Kill,
            "terminal/release" => Self::Release,
            "cursor/ask_question" => Self::Question,
            "cursor/create_plan" => Self::Plan,
            "session/update"
            | "elicitation/create"
            | "elicitation/complete"
            | "cursor/update_todos"
            | "cursor/task"
            | "cursor/generate_image" => Self::Other(Side::Agent),
            "logout" | "terminal/cancel" | "tool_call/cancel" => Self::Other(Side::Client),
            _ if ["session/", "auth/", "providers/"].iter().any(|start| name.starts_with(start)) => {
                let known = [
                    "list",
                    "delete",
                    "close",
                    "set_config_option",
                    "cancel",
                    "set_model",
                    "archive",
                    "unarchive",
                    "status",
                    "set_title",
                    "disable",
                    "set",
                ];
                let word = name.rsplit('/').next().unwrap_or_default();
                return known.contains(&word).then_some(Self::Other(Side::Client));
            }
            _ => return None,
        })
    }

    /// Who asks so, if that is known.
    pub(super) fn side(self) -> Option<Side> {
        Some(match self {
            Self::Foreign => return None,
            Self::Initialize
            | Self::Authenticate
            | Self::NewSession
            | Self::LoadSession
            | Self::ResumeSession
            | Self::SetMode
            | Self::Prompt => Side::Client,
            Self::Permission
            | Self::ReadFile
            | Self::WriteFile
            | Self::CreateTerminal
            | Self::Output
            | Self::WaitForExit
            | Self::Kill
            | Self::Release
            | Self::Question
            | Self::Plan => Side::Agent,
            Self::Other(side) => side,
        })
    }

    /// The method that a result looks like the answer of, if it does not look like others.
    pub(super) fn answered_by(result: Value) -> Option<Self> {
        let shape =
            |(key, _): (Cow<[u8]>, Value)| SHAPES.iter().position(|(shape, _)| shape.as_bytes() == key.as_ref());
        result.fields().filter_map(shape).min().map(|first| SHAPES[first].1)
    }

    /// Whether an answer to this has a look of its own.
    fn has_shape(self) -> bool {
        SHAPES.iter().any(|(_, method)| *method == self)
    }
}

/// The keys by which an answer is known, and what was asked then. Of several keys, the one that stands first here says it.
const SHAPES: [(&str, Method); 9] = [
    ("stopReason", Method::Prompt),
    ("terminalId", Method::CreateTerminal),
    ("output", Method::Output),
    ("exitCode", Method::WaitForExit),
    ("signal", Method::WaitForExit),
    ("outcome", Method::Permission),
    ("protocolVersion", Method::Initialize),
    ("sessionId", Method::NewSession),
    ("content", Method::ReadFile),
];

/// A request that is not answered yet.
pub(super) struct Request {
    /// As it stands in the log: `1` and `"1"` are two ids.
    pub(super) id: Vec<u8>,
    pub(super) method: Method,
    pub(super) session: String,
    /// The terminal or the call that it is about, or the directory or the mode that it asks for.
    pub(super) about: String,
}

/// The requests that are not answered yet, in the order in which they came.
#[derive(Default)]
pub(super) struct Pending {
    requests: VecDeque<Request>,
    /// The ids that were answered last, and who had asked.
    answered: VecDeque<(Vec<u8>, Option<Side>)>,
}

/// So many requests are remembered. In a log of one side none is ever answered.
const MOST: usize = 4096;

/// So many answers are remembered.
const ANSWERED: usize = 1024;

impl Pending {
    pub(super) fn add(&mut self, request: Request) {
        if self.requests.len() >= MOST {
            // A prompt and a wait are answered late.
            let old = |request: &Request| !matches!(request.method, Method::Prompt | Method::WaitForExit);
            let place = self.requests.iter().position(old).unwrap_or(0);
            self.requests.remove(place);
        }
        self.requests.push_back(request);
    }

    /// Takes the request that is answered by this result, or by an error if there is none. `asker` has asked, if that is known.
    pub(super) fn take(&mut self, id: Value, asker: Option<Side>, result: Option<Value>) -> Option<Request> {
        let same = |request: &Request| {
            let side = request.method.side();
            request.id == id.json() && asker.is_none_or(|asker| side.is_none_or(|side| side == asker))
        };
        let places: Vec<usize> = (0..self.requests.len()).rev().filter(|place| same(&self.requests[*place])).collect();
        let shape = result.and_then(Method::answered_by);
        let method = |place: &&usize| self.requests[**place].method;
        let fits = |place: &&usize| shape == Some(method(place));
        // An answer that looks like another's is none to what is always answered by nothing.
        let shapeless = |place: &&usize| match method(place) {
            Method::LoadSession
            | Method::ResumeSession
            | Method::Question
            | Method::Plan
            | Method::Other(_)
            | Method::Foreign => true,
            other => shape.is_none() && !other.has_shape(),
        };
        let place = places.iter().find(fits).or_else(|| places.iter().find(shapeless));
        // Of what is always answered by something, only an error is another answer.
        let empty = |place: &&usize| {
            result.is_none()
                || matches!(method(place), Method::WaitForExit | Method::Prompt)
                || !method(place).has_shape()
        };
        let place = place.or_else(|| places.iter().find(|place| shape.is_none() && empty(place)));
        let request = self.requests.remove(*place?)?;
        self.answered.push_back((request.id.clone(), request.method.side()));
        if self.answered.len() > ANSWERED {
            self.answered.pop_front();
        }
        Some(request)
    }

    /// Whether a request of this id was answered before.
    pub(super) fn was_answered(&self, id: Value, asker: Option<Side>) -> bool {
        self.answered
            .iter()
            .any(|(old, side)| old == id.json() && asker.is_none_or(|asker| side.is_none_or(|side| side == asker)))
    }

    /// All, in the order in which they came.
    pub(super) fn all(&self) -> impl Iterator<Item = &Request> {
        self.requests.iter()
    }
}
