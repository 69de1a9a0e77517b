//! Any tool that nobody has described: its most telling argument, never dropped, never a panic. And two of which only the
//! arguments are known.

use super::{Gives, Kind, Target, Tool, no_digest};
use crate::value::Value;
use std::borrow::Cow;

pub(super) const KIND: Kind = Kind { names: &[], target: |tool| target(tool), digest, gives: Gives::Output(output) };

/// A search by meaning.
pub(super) const SEARCH: Kind = Kind {
    names: &["semSearch"],
    target: |tool| tool.words(&["query"]),
    digest: no_digest,
    gives: Gives::Output(|tool| tool.error()),
};

/// The linter's findings.
pub(super) const LINTS: Kind = Kind {
    names: &["readLints"],
    target: |tool| paths(tool),
    digest: no_digest,
    gives: Gives::Output(|tool| tool.error()),
};

/// The arguments that tell most, in this order.
const TELLING: [&str; 10] =
    ["command", "path", "pattern", "globPattern", "url", "searchTerm", "query", "name", "description", "title"];

fn target<'a>(tool: &Tool<'a>) -> Option<Target<'a>> {
    // Behind a title, what was looked for tells more than where.
    if tool.arg("callTitle").is_some()
        && let Some(words) = tool.words(&TELLING.map(|key| if key == "path" { "" } else { key }))
    {
        return Some(tool.titled(words));
    }
    tool.words(&TELLING).map(|target| match target {
        Target::Words(path) if tool.arg("path").is_some_and(|known| known == path) => Target::Path(path),
        other => tool.titled(other),
    })
}

fn digest(tool: &Tool) -> Option<String> {
    tool.given("note").map(Cow::into_owned)
}

fn output<'a>(tool: &Tool<'a>) -> Option<Cow<'a, str>> {
    tool.given("stdout").or_else(|| tool.error())
}

fn paths<'a>(tool: &Tool<'a>) -> Option<Target<'a>> {
    let paths = tool.args.as_ref()?.get("paths").filter(|paths| paths.is_array());
    let Some(paths) = paths else { return tool.path(&["path"]) };
    let paths: Vec<Cow<str>> = paths.items().filter_map(Value::str).collect();
    (!paths.is_empty()).then(|| Target::Path(paths.join(", ").into()))
}
