//! `webFetch` and `webSearch`.

use super::{Detail, Kind, Tool, output};
use crate::human;
use crate::value::Value;
use std::borrow::Cow;
use std::fmt::Write;

pub(super) const FETCH: Kind = Kind {
    names: &["webFetch", "fetch"],
    target: |tool| tool.words(&["url"]),
    digest: |tool| Some(human::bytes(i64::try_from(tool.given("markdown")?.len()).ok()?)),
    detail: |tool| output(tool.given("markdown").or_else(|| tool.error())),
};

pub(super) const SEARCH: Kind = Kind {
    names: &["webSearch"],
    target: |tool| tool.words(&["searchTerm", "query"]),
    digest: |tool| Some(human::plural(references(tool)?.items().count(), "result")),
    detail: |tool| found(tool),
};

fn references<'a>(tool: &Tool<'a>) -> Option<Value<'a>> {
    tool.body?.get("references")
}

fn found<'a>(tool: &Tool<'a>) -> Detail<'a> {
    let mut text = String::new();
    for reference in references(tool).iter().flat_map(|references| references.items()) {
        let string = |key| reference.get(key).and_then(Value::str).unwrap_or_default();
        _ = writeln!(text, "{} {}\n{}", string("title"), string("url"), string("chunk"));
    }
    output(if text.is_empty() { tool.error() } else { Some(Cow::Owned(text)) })
}
