//! `task`: a subagent. Its own calls are not in the stream, only what it said.

use super::{Gives, Kind, Tool};
use crate::value::Value;
use std::borrow::Cow;

pub(super) const KIND: Kind = Kind {
    names: &["task"],
    target: |tool| tool.words(&["description", "prompt"]),
    digest,
    gives: Gives::Output(output),
};

fn digest(tool: &Tool) -> Option<String> {
    tool.background().then(|| "in background".to_owned())
}

fn output<'a>(tool: &Tool<'a>) -> Option<Cow<'a, str>> {
    let steps = tool.body.as_ref().and_then(|body| body.get("conversationSteps"));
    let said = |steps: Value<'a>| -> Vec<Cow<'a, str>> {
        steps.items().filter_map(|step| step.get("assistantMessage")?.get("text")?.str()).collect()
    };
    steps.map(|steps| said(steps).join("\n").into()).or_else(|| tool.error())
}
