//! `mcp`: a tool of another server. All such calls have one name; which tool it was stands in the arguments.

use super::{Gives, Kind, Target, Tool, no_digest};
use crate::value::{Object, Value};
use std::borrow::Cow;

pub(super) const KIND: Kind =
    Kind { names: &["mcp"], target: |tool| target(tool), digest: no_digest, gives: Gives::Output(output) };

/// The agent looks up which tools there are.
pub(super) const LOOKUP: Kind = Kind {
    names: &["getMcpTools"],
    target: |tool| tool.words(&["toolName", "server"]),
    digest: no_digest,
    gives: Gives::Nothing,
};

pub(super) fn server<'a>(tool: &Tool<'a>) -> Option<Cow<'a, str>> {
    if KIND.is(tool) { tool.arg("serverIdentifier").or_else(|| tool.arg("providerIdentifier")) } else { None }
}

pub(super) fn server_tool<'a>(tool: &Tool<'a>) -> Option<Cow<'a, str>> {
    if KIND.is(tool) { tool.arg("toolName").or_else(|| tool.arg("name")) } else { None }
}

fn target<'a>(tool: &Tool<'a>) -> Option<Target<'a>> {
    match (server(tool), server_tool(tool)) {
        (Some(server), Some(name)) => Some(Target::Words(format!("{server}/{name}").into())),
        (server, name) => name.or(server).map(Target::Words),
    }
}

fn output<'a>(tool: &Tool<'a>) -> Option<Cow<'a, str>> {
    tool.body.as_ref().and_then(text).or_else(|| tool.error())
}

/// The text of a result: each of its parts holds an object `text` that holds a string `text`.
pub(super) fn text<'a>(body: &Object<'a>) -> Option<Cow<'a, str>> {
    let part = |part: Value<'a>| {
        let text = part.get("text")?;
        text.str().or_else(|| text.get("text")?.str())
    };
    let parts: Vec<Cow<str>> = body.get("content")?.items().filter_map(part).collect();
    Some(parts.join("\n").into())
}
