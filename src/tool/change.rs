//! What a call did to a file, which only some kinds of tools do.

use super::{Status, Tool, delete, edit, write};
use std::borrow::Cow;

/// What a call did to a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Change<'a> {
    /// Which.
    pub path: Cow<'a, str>,
    /// What.
    pub how: Touched,
    /// Lines added, if they were counted.
    pub added: Option<i64>,
    /// Lines removed, if they were counted.
    pub removed: Option<i64>,
}

/// What became of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Touched {
    /// It was made.
    Created,
    /// It was changed.
    Edited,
    /// It was written as a whole, and may have been there before.
    Written,
    /// It was removed.
    Deleted,
}

impl<'a> Tool<'a> {
    /// What the call did to files; nothing if it failed.
    #[must_use]
    pub fn changes(&self) -> Vec<Change<'a>> {
        if self.status != Status::Ok {
            return Vec::new();
        }
        let files = self.body.as_ref().and_then(|body| body.get("files")).filter(|files| files.is_array());
        let Some(files) = files.filter(|_| edit::KIND.is(self)) else {
            let one = edit::change(self).or_else(|| write::change(self)).or_else(|| delete::change(self));
            return one.into_iter().collect();
        };
        files.items().filter_map(edit::file).collect()
    }
}
