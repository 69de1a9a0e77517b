//! `write`: a whole file. Of the documentation; newer agents make files with `edit`.

use super::{Change, Gives, Kind, Tool, Touched};
use crate::human;

pub(super) const KIND: Kind =
    Kind { names: &["write"], target: |tool| tool.path(&["path"]), digest, gives: Gives::Output(|tool| tool.error()) };

/// Whether the file was there before is not said.
pub(super) fn change<'a>(tool: &Tool<'a>) -> Option<Change<'a>> {
    let path = if KIND.is(tool) { tool.said(&["path"])? } else { return None };
    Some(Change { path, how: Touched::Written, added: tool.number("linesCreated"), removed: None })
}

fn digest(tool: &Tool) -> Option<String> {
    tool.number("linesCreated").map(|lines| human::plural(lines, "line"))
}
