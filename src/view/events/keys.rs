//! The keys of each line, in their order. What is not known is `null`. `schema/events.schema.json` and the manual hold the same.

use super::super::facts::Facts;
use super::super::words;
use crate::fold::{Call, Context, Count, End, Note, Outcome, Run, Side, Usage};
use crate::tool::{Detail, Progress, Target, Todo};
use serde::Serialize;
use std::borrow::Cow;

/// A line: the keys that all have, and its own.
#[derive(Serialize)]
pub(super) struct Line<'a, K> {
    event: &'static str,
    run: Option<usize>,
    session: Option<&'a str>,
    #[serde(flatten)]
    keys: K,
}

impl<'a, K> Line<'a, K> {
    /// A line of a run, or of none, which has the number 0.
    pub(super) fn new(event: &'static str, run: &'a Run, keys: K) -> Self {
        let number = Some(run.number).filter(|number| *number > 0);
        Self { event, run: number, session: known(&run.session), keys }
    }
}

/// Text that says something.
fn known(text: &str) -> Option<&str> {
    Some(text).filter(|text| !text.is_empty())
}

#[derive(Serialize)]
pub(super) struct Began<'a> {
    pub(super) log: &'a str,
    pub(super) model: Option<&'a str>,
    pub(super) cwd: Option<&'a str>,
}

#[derive(Serialize)]
pub(super) struct Text<'a> {
    pub(super) text: &'a str,
}

#[derive(Serialize)]
pub(super) struct Message<'a> {
    /// Its number in the run.
    pub(super) message: usize,
    pub(super) text: &'a str,
}

#[derive(Serialize)]
pub(super) struct Called<'a> {
    call: usize,
    id: &'a str,
    tool: &'a str,
    target: Option<Cow<'a, str>>,
    started_ms: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    server: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<Cow<'a, str>>,
}

impl<'a> Called<'a> {
    pub(super) fn new(call: &'a Call) -> Self {
        let tool = &call.tool;
        Self {
            call: call.number,
            id: call.id,
            tool: tool.name(),
            target: tool.target().map(Target::text),
            started_ms: call.started_ms,
            server: tool.server(),
            name: tool.server_tool(),
        }
    }
}

#[derive(Serialize)]
pub(super) struct Printed<'a> {
    pub(super) call: usize,
    pub(super) text: &'a str,
    pub(super) gap: bool,
}

/// What a call gave: the keys of a row of `tools`, and what it gave at length.
#[derive(Serialize)]
pub(super) struct Gave<'a> {
    #[serde(flatten)]
    facts: Facts,
    late: bool,
    output: Option<&'a str>,
    diff: Option<&'a str>,
    todos: Option<Vec<Item<'a>>>,
    plan: Option<&'a str>,
}

impl<'a> Gave<'a> {
    pub(super) fn new(facts: Facts, late: bool, detail: &'a Detail) -> Self {
        let mut gave = Self { facts, late, output: None, diff: None, todos: None, plan: None };
        match detail {
            Detail::None => {}
            // Where nothing was printed, it is the error that stands there.
            Detail::Output(text) => {
                gave.output = Some(text.as_ref()).filter(|text| gave.facts.error.as_deref() != Some(*text));
            }
            Detail::Diff(text) => gave.diff = Some(text),
            Detail::Todos(list) => gave.todos = Some(todos(list)),
            Detail::Plan(text) => gave.plan = Some(text),
        }
        gave
    }
}

#[derive(Serialize)]
pub(super) struct Todos<'a> {
    pub(super) items: Vec<Item<'a>>,
}

/// One thing to do.
#[derive(Serialize)]
pub(super) struct Item<'a> {
    text: &'a str,
    status: Progress,
}

pub(super) fn todos<'a>(todos: &'a [Todo]) -> Vec<Item<'a>> {
    todos.iter().map(|todo| Item { text: &todo.text, status: todo.progress }).collect()
}

/// A note: its kind, and what kinds of notes have to say.
#[derive(Default, Serialize)]
pub(super) struct Noted<'a> {
    kind: &'static str,
    text: Option<&'a str>,
    status: Option<&'a str>,
    detail: Option<&'a str>,
    attempt: Option<i64>,
    bad: bool,
}

impl<'a> Noted<'a> {
    pub(super) fn new(note: &'a Note) -> Self {
        let bad = words::note(note, "").is_some_and(|(_, bad)| bad);
        let noted = Self { bad, ..Self::default() };
        match note {
            Note::Reconnecting { attempt } => Self { kind: "reconnecting", attempt: *attempt, ..noted },
            Note::Reconnected => Self { kind: "reconnected", ..noted },
            Note::Retrying { attempt } => Self { kind: "retrying", attempt: *attempt, ..noted },
            Note::Resuming => Self { kind: "resuming", ..noted },
            Note::Task { title, status, detail, .. } => {
                let (text, status, detail) = (title.as_deref(), status.as_deref(), detail.as_deref());
                Self { kind: "task", text, status, detail, ..noted }
            }
            Note::Mode(mode) => Self { kind: "mode", text: Some(mode), ..noted },
            Note::Allowed { what, answer } => {
                Self { kind: "allowed", text: Some(what), status: known(answer), ..noted }
            }
            Note::Cancelled => Self { kind: "cancelled", ..noted },
            Note::OneSided(Side::Agent) => Self { kind: "one-sided", text: Some("agent"), ..noted },
            Note::OneSided(Side::Client) => Self { kind: "one-sided", text: Some("client"), ..noted },
            Note::Notice { text, detail, .. } => {
                Self { kind: "notice", text: Some(text), detail: detail.as_deref(), ..noted }
            }
        }
    }
}

#[derive(Serialize)]
pub(super) struct Unreadable<'a> {
    pub(super) log: &'a str,
    pub(super) line: u64,
    pub(super) text: &'a str,
}

#[derive(Serialize)]
pub(super) struct Stopped<'a> {
    pub(super) reason: &'a str,
}

#[derive(Serialize)]
pub(super) struct Ended<'a> {
    outcome: &'static str,
    reason: Option<&'a str>,
    duration_ms: Option<i64>,
    usage: Option<Usage>,
    context: Option<&'a Context<'a>>,
    answer: Option<&'a str>,
    calls: Count,
}

impl<'a> Ended<'a> {
    pub(super) fn new(end: &'a End) -> Self {
        let reason = match &end.outcome {
            Outcome::Failed(why) => known(why),
            Outcome::Succeeded | Outcome::Cut | Outcome::Resumed => None,
        };
        Self {
            outcome: end.outcome.name(),
            reason,
            duration_ms: end.duration_ms,
            usage: end.usage,
            context: end.context,
            answer: known(&end.answer),
            calls: end.calls,
        }
    }
}
