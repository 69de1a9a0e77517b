//! `delete`: a file is removed.

use super::{Change, Gives, Kind, Tool, Touched};
use crate::human;
use crate::value::Text;

pub(super) const KIND: Kind =
    Kind { names: &["delete"], target: |tool| tool.path(&["path"]), digest, gives: Gives::Nothing };

pub(super) fn change<'a>(tool: &Tool<'a>) -> Option<Change<'a>> {
    let path = if KIND.is(tool) { tool.said(&["path"])? } else { return None };
    Some(Change { path, how: Touched::Deleted, added: None, removed: tool.given_text("prevContent").map(lines) })
}

/// How many lines a text has.
fn lines(text: Text) -> i64 {
    let text = text.decode();
    i64::try_from(text.lines().count()).unwrap_or(i64::MAX)
}

fn digest(tool: &Tool) -> Option<String> {
    tool.number("fileSize").map(human::bytes)
}
