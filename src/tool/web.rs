//! `webFetch` and `webSearch`.

use super::{Gives, Kind, Tool};
use crate::human;
use crate::value::Value;
use std::borrow::Cow;
use std::fmt::Write;

pub(super) const FETCH: Kind = Kind {
    names: &["webFetch", "fetch"],
    target: |tool| tool.words(&["url", "query"]).map(|what| tool.titled(what)),
    digest: |tool| Some(human::bytes(i64::try_from(tool.given("markdown")?.len()).ok()?)),
    gives: Gives::Output(|tool| tool.given("markdown").or_else(|| tool.given("stdout")).or_else(|| tool.error())),
};

pub(super) const SEARCH: Kind = Kind {
    names: &["webSearch"],
    target: |tool| tool.words(&["searchTerm", "query"]),
    digest: |tool| Some(human::plural(references(tool)?.items().count(), "result")),
    gives: Gives::Output(found),
};

fn references<'a>(tool: &Tool<'a>) -> Option<Value<'a>> {
    tool.body.as_ref()?.get("references")
}

fn found<'a>(tool: &Tool<'a>) -> Option<Cow<'a, str>> {
    let mut text = String::new();
    for reference in references(tool).iter().flat_map(|references| references.items()) {
        let string = |key| reference.get(key).and_then(Value::str).unwrap_or_default();
        _ = writeln!(text, "{} {}\n{}", string("title"), string("url"), string("chunk"));
    }
    if text.is_empty() { tool.error() } else { Some(Cow::Owned(text)) }
}
