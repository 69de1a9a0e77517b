//! A call in figures and few words, under the same keys wherever programs read of it.

use super::Audience;
use crate::fold::{Call, Run};
use crate::human;
use crate::tool::{Status, Target};
use serde::Serialize;

/// What is known of a call; what is not is `null`. The order of the fields is that of the keys.
#[derive(Serialize)]
pub(super) struct Facts {
    pub(super) call: usize,
    pub(super) id: Box<str>,
    pub(super) tool: Box<str>,
    pub(super) target: Option<Box<str>>,
    pub(super) status: Status,
    pub(super) outcome: Option<Box<str>>,
    pub(super) exit_code: Option<i64>,
    pub(super) duration_ms: Option<i64>,
    pub(super) started_ms: Option<i64>,
    pub(super) background: bool,
    pub(super) digest: Option<Box<str>>,
    pub(super) error: Option<Box<str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    server: Option<Box<str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<Box<str>>,
}

impl Facts {
    /// What is known of a call of `run`. People see fewer of the facts, and paths as short as can be; what is not seen is not
    /// held, since there may be many calls.
    pub(super) fn new(run: &Run, call: &Call, audience: Audience) -> Self {
        let program = audience == Audience::Program;
        let tool = &call.tool;
        let target = tool.target().map(|target| match target {
            Target::Path(path) if !program => human::short_path(&path, run.cwd.as_deref()).into(),
            other => other.text().into(),
        });
        let mut facts = Self {
            call: call.number,
            id: Box::default(),
            tool: tool.name().into(),
            target,
            status: tool.status(),
            outcome: None,
            exit_code: None,
            duration_ms: call.duration_ms,
            started_ms: call.started_ms,
            background: false,
            digest: tool.digest().map(String::into_boxed_str),
            error: None,
            server: None,
            name: None,
        };
        if program {
            facts.id = call.id.into();
            facts.outcome = tool.outcome().map(Box::from);
            facts.exit_code = tool.exit_code();
            facts.background = tool.background();
            facts.error = tool.error().map(Box::from);
            facts.server = tool.server().map(Box::from);
            facts.name = tool.server_tool().map(Box::from);
        }
        facts
    }
}
