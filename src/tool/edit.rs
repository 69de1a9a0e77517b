//! `edit`: a file is changed or made. `/dev/null` in the diff's header says that it was made; the counts do not.

use super::{Detail, Gives, Kind, Tool, output};

pub(super) const KIND: Kind =
    Kind { names: &["edit"], target: |tool| tool.path(&["path"]), digest, gives: Gives::Work(detail) };

fn digest(tool: &Tool) -> Option<String> {
    let (added, removed) = (tool.number("linesAdded")?, tool.number("linesRemoved")?);
    let made = tool.given_text("diffString").is_some_and(|diff| diff.starts_with(b"--- /dev/null"));
    Some(if made { format!("new, +{added}") } else { format!("+{added} −{removed}") })
}

fn detail<'a>(tool: &Tool<'a>) -> Detail<'a> {
    match tool.given("diffString") {
        Some(diff) => Detail::Diff(diff),
        None => output(tool.error()),
    }
}
