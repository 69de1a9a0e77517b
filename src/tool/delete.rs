//! `delete`: a file is removed.

use super::{Gives, Kind, Tool};
use crate::human;

pub(super) const KIND: Kind =
    Kind { names: &["delete"], target: |tool| tool.path(&["path"]), digest, gives: Gives::Nothing };

fn digest(tool: &Tool) -> Option<String> {
    tool.number("fileSize").map(human::bytes)
}
