//! `edit`: a file is changed or made. `/dev/null` in the diff's header says that it was made; the counts do not.

use super::{Change, Detail, Gives, Kind, Tool, Touched, output};
use crate::value::Value;

pub(super) const KIND: Kind =
    Kind { names: &["edit"], target: |tool| tool.path(&["path"]), digest, gives: Gives::Work(detail) };

fn digest(tool: &Tool) -> Option<String> {
    let (added, removed) = (tool.number("linesAdded")?, tool.number("linesRemoved")?);
    Some(if is_new(tool) { format!("new, +{added}") } else { format!("+{added} −{removed}") })
}

fn is_new(tool: &Tool) -> bool {
    tool.given_text("diffString").is_some_and(|diff| diff.starts_with(b"--- /dev/null"))
}

pub(super) fn change<'a>(tool: &Tool<'a>) -> Option<Change<'a>> {
    let path = if KIND.is(tool) { tool.said(&["path"])? } else { return None };
    let new = is_new(tool);
    // The count of a new file may hold the nothing that it replaced.
    let removed = if new { None } else { tool.number("linesRemoved") };
    let how = if new { Touched::Created } else { Touched::Edited };
    Some(Change { path, how, added: tool.number("linesAdded"), removed })
}

/// One of the files that an edit of several has changed.
pub(super) fn file(file: Value<'_>) -> Option<Change<'_>> {
    let [path, new, added, removed] = file.pick(["path", "isNew", "linesAdded", "linesRemoved"]);
    let new = new.and_then(Value::bool) == Some(true);
    let how = if new { Touched::Created } else { Touched::Edited };
    let number = |value: Option<Value>| value.and_then(Value::integer);
    Some(Change { path: path?.str()?, how, added: number(added), removed: number(removed).filter(|_| !new) })
}

fn detail<'a>(tool: &Tool<'a>) -> Detail<'a> {
    match tool.given("diffString") {
        Some(diff) => Detail::Diff(diff),
        None => output(tool.error().or_else(|| tool.given("stdout"))),
    }
}
