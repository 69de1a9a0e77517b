//! `askQuestion`: in print mode nobody is there to answer, so the agent is told to go on.

use super::{Gives, Kind, Target, Tool, no_digest};
use crate::value::Value;
use std::borrow::Cow;
use std::fmt::Write;

pub(super) const KIND: Kind =
    Kind { names: &["askQuestion"], target: |tool| target(tool), digest: no_digest, gives: Gives::Output(output) };

fn questions<'a>(tool: &Tool<'a>) -> Option<Value<'a>> {
    tool.args.as_ref()?.get("questions")
}

fn target<'a>(tool: &Tool<'a>) -> Option<Target<'a>> {
    let first = || questions(tool)?.items().next()?.get("prompt")?.str();
    tool.arg("title").or_else(first).map(Target::Words)
}

fn output<'a>(tool: &Tool<'a>) -> Option<Cow<'a, str>> {
    let mut text = String::new();
    for question in questions(tool).iter().flat_map(|questions| questions.items()) {
        _ = writeln!(text, "{}", question.get("prompt").and_then(Value::str).unwrap_or_default());
        for option in question.get("options").iter().flat_map(|options| options.items()) {
            _ = writeln!(text, "- {}", option.get("label").and_then(Value::str).unwrap_or_default());
        }
    }
    (!text.is_empty()).then_some(Cow::Owned(text))
}
