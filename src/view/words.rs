//! What several views say in the same words.

use crate::fold::{Context, Count, Note, Run, Side, Usage};
use crate::human;
use crate::page::{Page, Sign, columns, cut};
use crate::tool::{Progress, Status, Target, Todo};
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

/// How full the model's context is, and what was paid.
pub(super) fn context(context: &Context) -> String {
    let mut words = format!("{} of {} context", human::count(context.used), human::count(context.size));
    if let Some(cost) = &context.cost {
        words.extend([", ", cost]);
    }
    words
}

/// How much of what there is to do is done. Nothing where there is nothing to do.
pub(super) fn todos(todos: &[Todo]) -> Option<String> {
    let done = todos.iter().filter(|todo| todo.progress == Progress::Done).count();
    (!todos.is_empty()).then(|| format!("{done} of {} done", todos.len()))
}

/// What a note says, if it says something to a reader, and whether that is bad news. `dot` parts the words.
pub(super) fn note(note: &Note, dot: &str) -> Option<(String, bool)> {
    let attempt = |number: &Option<i64>| number.map_or_else(String::new, |number| format!(", attempt {number}"));
    match note {
        Note::Reconnecting { attempt: number } => Some((format!("connection lost{}", attempt(number)), true)),
        Note::Reconnected => Some(("connected again".to_owned(), false)),
        Note::Retrying { attempt: number } => Some((format!("retrying{}", attempt(number)), false)),
        Note::Resuming => None,
        Note::Task { title, status, failed, .. } => {
            let title = title.as_deref().unwrap_or("task");
            let status = status.as_deref().unwrap_or("over");
            Some((format!("in background: {title} {dot} {status}"), *failed))
        }
        Note::Mode(mode) => Some((format!("mode {mode}"), false)),
        Note::Allowed { what, answer } if answer.is_empty() => Some((format!("allowed: {what}"), false)),
        Note::Allowed { what, answer } => Some((format!("allowed: {what} {dot} {answer}"), false)),
        Note::Cancelled => Some(("cancelled by the client".to_owned(), true)),
        Note::OneSided(Side::Agent) => {
            let text = "only the agent's side is in the log: what it was asked, allowed and shown by terminals is not";
            Some((text.to_owned(), true))
        }
        Note::OneSided(Side::Client) => {
            Some(("only the client's side is in the log: what the agent said is not".to_owned(), true))
        }
        Note::Notice { text, bad, .. } => Some((text.to_string(), *bad)),
    }
}
