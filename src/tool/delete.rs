//! `delete`: a file is removed.

use super::{Kind, Tool, no_detail};
use crate::human;

pub(super) const KIND: Kind =
    Kind { names: &["delete"], target: |tool| tool.path(&["path"]), digest, detail: no_detail };

fn digest(tool: &Tool) -> Option<String> {
    tool.number("fileSize").map(human::bytes)
}
