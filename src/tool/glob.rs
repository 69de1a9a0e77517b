//! `glob`: files by name. The result's own `pattern` is empty.

use super::{Gives, Kind, Tool};
use crate::human;
use crate::value::Value;
use std::borrow::Cow;

pub(super) const KIND: Kind = Kind {
    names: &["glob"],
    target: |tool| tool.words(&["globPattern", "glob_pattern", "pattern"]),
    digest,
    gives: Gives::Output(output),
};

fn digest(tool: &Tool) -> Option<String> {
    tool.number("totalFiles").map(|files| human::plural(files, "file"))
}

fn output<'a>(tool: &Tool<'a>) -> Option<Cow<'a, str>> {
    let files = tool.body.as_ref().and_then(|body| body.get("files"));
    let names: Option<Vec<Cow<str>>> = files.map(|files| files.items().filter_map(Value::str).collect());
    names.map(|names| names.join("\n").into()).or_else(|| tool.error())
}
