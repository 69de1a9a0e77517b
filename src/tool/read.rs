//! `read`: a file. Large files come without `content`.

use super::{Gives, Kind, Tool};
use crate::human;
use crate::value::Text;

pub(super) const KIND: Kind = Kind {
    names: &["read"],
    target: |tool| tool.path(&["path"]),
    digest,
    gives: Gives::Output(|tool| tool.given("content").or_else(|| tool.error())),
};

fn digest(tool: &Tool) -> Option<String> {
    let part = tool.args.as_ref().is_some_and(|args| args.get("offset").or_else(|| args.get("limit")).is_some());
    let range = tool.body.as_ref().and_then(|body| body.get("readRange")).filter(|_| part);
    if let Some((first, last)) =
        range.and_then(|range| Some((range.get("startLine")?.integer()?, range.get("endLine")?.integer()?)))
    {
        return Some(format!("lines {first}–{last}"));
    }
    let lines = tool.number("totalLines")?;
    // The count takes the nothing behind a last line break for a line.
    let spare = tool.given_text("content").is_some_and(Text::ends_in_break);
    Some(human::plural(if spare { (lines - 1).max(1) } else { lines }, "line"))
}
