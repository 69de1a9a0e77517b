//! What several views say in the same words.

use crate::fold::{Count, Note, Run, Usage};
use crate::human;
use crate::page::{Page, Sign, columns, cut};
use crate::tool::{Status, Target};
use std::fmt::Write;

/// A call's target as people see it: a path from where the agent works.
pub(super) fn target(target: Target, run: &Run) -> String {
    match target {
        Target::Path(path) => human::short_path(&path, run.cwd.as_deref()),
        Target::Words(words) => words.into_owned(),
    }
}

/// The beginning of `text` that fits, with a sign that more was there.
pub(super) fn shortened(text: &str, room: usize, page: &Page) -> String {
    if columns(text) <= room {
        return text.to_owned();
    }
    let more = page.sign_text(Sign::More);
    format!("{}{more}", cut(text, room.saturating_sub(columns(more))))
}

/// The sum of what is known.
pub(super) fn sum(one: Option<i64>, other: Option<i64>) -> Option<i64> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.saturating_add(other)),
        (one, other) => one.or(other),
    }
}

/// How many calls there were, and how many did not go well. Nothing where there was none.
pub(super) fn calls(count: Count) -> Option<String> {
    if count.calls == 0 {
        return None;
    }
    let mut words = human::plural(count.calls, "call");
    let kinds =
        [(count.failed, Status::Failed), (count.rejected, Status::Rejected), (count.unfinished, Status::Unfinished)];
    for (number, status) in kinds.iter().filter(|(number, _)| *number > 0) {
        _ = write!(words, ", {number} {}", status.name());
    }
    Some(words)
}

/// The tokens of a run, as far as they are known.
pub(super) fn tokens(usage: &Usage) -> Option<String> {
    let counts = [(usage.input, "in"), (usage.output, "out"), (usage.cache_read.filter(|count| *count > 0), "cached")];
    let words: Vec<String> =
        counts.iter().filter_map(|(count, word)| Some(format!("{} {word}", human::count((*count)?)))).collect();
    (!words.is_empty()).then(|| words.join(", "))
}

/// What a note says, if it says something to a reader, and whether that is bad news. `dot` parts the words.
pub(super) fn note(note: &Note, dot: &str) -> Option<(String, bool)> {
    let attempt = |number: &Option<i64>| number.map_or_else(String::new, |number| format!(", attempt {number}"));
    match note {
        Note::Reconnecting { attempt: number } => Some((format!("connection lost{}", attempt(number)), true)),
        Note::Reconnected => Some(("connected again".to_owned(), false)),
        Note::Retrying { attempt: number } => Some((format!("retrying{}", attempt(number)), false)),
        Note::Resuming => None,
        Note::Task { title, status, .. } => {
            let title = title.as_deref().unwrap_or("task");
            let status = status.as_deref().unwrap_or("over");
            Some((format!("in background: {title} {dot} {status}"), status != "success"))
        }
    }
}
