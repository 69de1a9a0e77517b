//! `write`: a whole file. Of the documentation; newer agents make files with `edit`.

use super::{Gives, Kind, Tool};
use crate::human;

pub(super) const KIND: Kind =
    Kind { names: &["write"], target: |tool| tool.path(&["path"]), digest, gives: Gives::Output(|tool| tool.error()) };

fn digest(tool: &Tool) -> Option<String> {
    tool.number("linesCreated").map(|lines| human::plural(lines, "line"))
}
