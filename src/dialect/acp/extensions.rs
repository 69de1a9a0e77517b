//! What Cursor's agent asks by methods of its own: lists, plans, questions, tasks.

use super::out::Out;
use super::session::Session;
use super::write::Object;
use crate::event::{Call, Kind, Note, Over};
use crate::value::Value;
use std::borrow::Cow;
use std::io;

impl Session {
    pub(super) fn extension(&mut self, method: &str, params: Value, out: &mut Out) -> io::Result<()> {
        self.quiet(out)?;
        match method {
            "cursor/update_todos" => match params.get("todos") {
                Some(todos) => self.todos(todos, params.get("merge").and_then(Value::bool) == Some(true), out),
                None => Ok(()),
            },
            "cursor/create_plan" => self.created_plan(params, out),
            "cursor/ask_question" => {
                let questions: Vec<Value> = params.get("questions").into_iter().flat_map(Value::items).collect();
                let asked: Vec<String> = questions.into_iter().chain([params]).filter_map(asks).collect();
                let what = asked.join(" / ");
                let text = if what.is_empty() { "the agent asks".to_owned() } else { format!("asks: {what}") };
                let options = |question: Value| -> Vec<String> {
                    let label = |option: Value| {
                        option.get("label").or_else(|| option.get("name"))?.str().map(|label| format!("- {label}"))
                    };
                    question.get("options").into_iter().flat_map(Value::items).filter_map(label).collect()
                };
                let all = params.get("questions").into_iter().flat_map(Value::items).chain([params]);
                let options: Vec<String> = all.flat_map(options).collect();
                let detail = (!options.is_empty()).then(|| options.join("\n").into());
                self.note(Note::Notice { text: text.into(), detail, bad: false }, out)
            }
            "cursor/task" => {
                let said = ["title", "description", "prompt"].iter().find_map(|key| params.get(key)?.str());
                let note =
                    said.map(|said| Note::Notice { text: format!("task: {said}").into(), detail: None, bad: false });
                note.map_or(Ok(()), |note| self.note(note, out))
            }
            _ => Ok(()),
        }
    }

    /// A question was answered, or could not be.
    pub(super) fn question_answered(&mut self, answer: Result<Value, String>, out: &mut Out) -> io::Result<()> {
        let (text, bad) = match answer {
            Ok(result) => {
                let mut words = Vec::new();
                strings(result, DEEP, &mut words);
                (format!("answered: {}", words.join(", ")), false)
            }
            Err(why) => (format!("not answered: {why}"), true),
        };
        self.note(Note::Notice { text: text.into(), detail: None, bad }, out)
    }

    /// The list of things to do, or the things in it that have changed.
    fn todos(&mut self, todos: Value, merge: bool, out: &mut Out) -> io::Result<()> {
        let id = |todo: Value| todo.get("id").map_or(&b""[..], Value::json).to_vec();
        if !merge {
            self.todos.clear();
        }
        for todo in todos.items() {
            let (id, json) = (id(todo), todo.json().to_vec());
            match self.todos.iter_mut().find(|(known, _)| merge && *known == id && !id.is_empty()) {
                Some((_, known)) => *known = merged(known, &json),
                None => self.todos.push((id, json)),
            }
        }
        let all: Vec<&[u8]> = self.todos.iter().map(|(_, todo)| todo.as_slice()).collect();
        let list = [b"[", all.join(&b',').as_slice(), b"]"].concat();
        self.listed(&list, out)
    }

    fn created_plan(&mut self, params: Value, out: &mut Out) -> io::Result<()> {
        if self.is_late(out) || !self.is_open() {
            return Ok(());
        }
        self.message_over(out)?;
        let id = params.get("toolCallId").and_then(Value::str).unwrap_or_default();
        let mut args = Object::new();
        for (key, value) in params.fields().filter(|(key, _)| key.as_ref() != b"toolCallId") {
            args.raw(&String::from_utf8_lossy(&key), value.json());
        }
        let args = args.end();
        out.say(Kind::Queried(Some(Call {
            id: if self.calls.place(&id).is_some() { "".into() } else { id },
            same: "".into(),
            tool: "createPlan".into(),
            args: Some(Value::again(&args)),
            result: None,
            over: Over::Unfinished,
            started_ms: None,
            ended_ms: None,
        })))
    }
}

/// So deep an answer is looked into.
const DEEP: usize = 8;

/// The strings in an answer, but for what says which question they answer.
fn strings(value: Value, deep: usize, into: &mut Vec<String>) {
    if deep == 0 {
        return;
    }
    into.extend(value.str().map(Cow::into_owned));
    let says = |(key, inside): &(Cow<[u8]>, Value)| match key.as_ref() {
        b"questionId" | b"type" => false,
        b"outcome" => inside.text().is_none(),
        _ => true,
    };
    for (_, inside) in value.fields().filter(says) {
        strings(inside, deep - 1, into);
    }
    value.items().for_each(|inside| strings(inside, deep - 1, into));
}

/// What a question asks.
fn asks(question: Value) -> Option<String> {
    question.get("prompt").or_else(|| question.get("question"))?.str().map(Cow::into_owned)
}

/// A thing to do, with what has changed of it.
fn merged(old: &[u8], new: &[u8]) -> Vec<u8> {
    let mut all = Object::new();
    let (old, new) = (Value::again(old), Value::again(new));
    for (key, value) in old.fields() {
        let key = String::from_utf8_lossy(&key).into_owned();
        all.raw(&key, new.get(&key).unwrap_or(value).json());
    }
    for (key, value) in new.fields() {
        let key = String::from_utf8_lossy(&key).into_owned();
        if old.get(&key).is_none() {
            all.raw(&key, value.json());
        }
    }
    all.end()
}
