//! `glob`: files by name. The result's own `pattern` is empty.

use super::{Detail, Kind, Tool, output};
use crate::human;
use crate::value::Value;
use std::borrow::Cow;

pub(super) const KIND: Kind = Kind {
    names: &["glob"],
    target: |tool| tool.words(&["globPattern", "glob_pattern", "pattern"]),
    digest,
    detail: |tool| detail(tool),
};

fn digest(tool: &Tool) -> Option<String> {
    tool.number("totalFiles").map(|files| human::plural(files, "file"))
}

fn detail<'a>(tool: &Tool<'a>) -> Detail<'a> {
    let files = tool.body.and_then(|body| body.get("files"));
    let names: Option<Vec<Cow<str>>> = files.map(|files| files.items().filter_map(Value::str).collect());
    output(names.map(|names| names.join("\n").into()).or_else(|| tool.error()))
}
