//! `grep`: lines or files by content. The counts stand deep inside, once for each root of the workspace.

use super::{Gives, Kind, Tool};
use crate::human;
use crate::value::Value;
use std::borrow::Cow;
use std::fmt::Write;

pub(super) const KIND: Kind =
    Kind { names: &["grep"], target: |tool| tool.words(&["pattern"]), digest, gives: Gives::Output(output) };

fn roots<'a>(tool: &Tool<'a>) -> Option<Vec<Value<'a>>> {
    Some(tool.body.as_ref()?.get("workspaceResults")?.fields().map(|(_, root)| root).collect())
}

fn digest(tool: &Tool) -> Option<String> {
    let (mut matches, mut files) = (None, 0);
    for root in roots(tool)? {
        if let Some(content) = root.get("content") {
            let found = content.get("totalMatchedLines").and_then(Value::integer).unwrap_or(0);
            matches = Some(matches.unwrap_or(0_i64).saturating_add(found));
            files += content.get("matches").map_or(0, |found| found.items().count());
        }
        if let Some(named) = root.get("files") {
            let count = named.get("files").map_or(0, |names| names.items().count());
            let total = named.get("totalFiles").and_then(Value::integer);
            files += total.and_then(|total| usize::try_from(total).ok()).unwrap_or(count);
        }
    }
    let files = human::plural(files, "file");
    Some(match matches {
        Some(matches) => format!("{} in {files}", human::plural(matches, "match")),
        None => files,
    })
}

fn output<'a>(tool: &Tool<'a>) -> Option<Cow<'a, str>> {
    let mut text = String::new();
    for root in roots(tool).unwrap_or_default() {
        let list = |kind: &str, key: &str| root.get(kind).and_then(|found| found.get(key));
        for file in list("content", "matches").iter().flat_map(|found| found.items()) {
            let name = file.get("file").and_then(Value::str).unwrap_or_default();
            for line in file.get("matches").iter().flat_map(|lines| lines.items()) {
                let number = line.get("lineNumber").and_then(Value::integer).unwrap_or_default();
                let content = line.get("content").and_then(Value::str).unwrap_or_default();
                _ = writeln!(text, "{name}:{number}: {content}");
            }
        }
        for name in list("files", "files").iter().flat_map(|names| names.items()) {
            _ = writeln!(text, "{}", name.str().unwrap_or_default());
        }
    }
    if text.is_empty() { tool.error() } else { Some(text.into()) }
}
