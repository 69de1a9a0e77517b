//! `updateTodos` and `readTodos`: the agent's checklist. The result holds all of it, the arguments may hold only what changed.

use super::{Detail, Gives, Kind, Tool};
use crate::value::{Object, Value};
use std::borrow::Cow;

pub(super) const KIND: Kind =
    Kind { names: &["updateTodos", "readTodos"], target: |_| None, digest, gives: Gives::Work(detail) };

/// One thing to do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Todo<'a> {
    /// What.
    pub text: Cow<'a, str>,
    /// How far it is.
    pub progress: Progress,
}

/// How far a thing to do is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Progress {
    /// Not begun.
    Pending,
    /// Begun.
    Doing,
    /// Done.
    Done,
    /// Given up.
    Cancelled,
}

/// The things to do in an array of objects that have `content` and `status`.
#[must_use]
pub fn todos<'a>(list: Value<'a>) -> Vec<Todo<'a>> {
    let todo = |item: Value<'a>| {
        let status = item.get("status").and_then(Value::str).unwrap_or_default();
        let progress = match status.trim_start_matches("TODO_STATUS_").to_ascii_lowercase().as_str() {
            "completed" | "done" => Progress::Done,
            "in_progress" => Progress::Doing,
            "cancelled" => Progress::Cancelled,
            _ => Progress::Pending,
        };
        Some(Todo { text: item.get("content")?.str()?, progress })
    };
    list.items().filter_map(todo).collect()
}

fn all<'a>(tool: &Tool<'a>) -> Vec<Todo<'a>> {
    let list = |holder: &Option<Object<'a>>| holder.as_ref()?.get("todos");
    list(&tool.body).or_else(|| list(&tool.args)).map(todos).unwrap_or_default()
}

fn digest(tool: &Tool) -> Option<String> {
    let todos = all(tool);
    let done = todos.iter().filter(|todo| todo.progress == Progress::Done).count();
    (!todos.is_empty()).then(|| format!("{done} of {} done", todos.len()))
}

fn detail<'a>(tool: &Tool<'a>) -> Detail<'a> {
    Some(all(tool)).filter(|todos| !todos.is_empty()).map_or(Detail::None, Detail::Todos)
}
