//! The steps of all runs as lines of JSON: each thing once, under the same keys whatever the dialect.

mod keys;
#[cfg(test)]
mod tests;

use super::facts::Facts;
use super::{Audience, View};
use crate::fold::{Call, Calls, Needs, Output, Run, Step, What};
use crate::page::Page;
use crate::value::Value;
use keys::{Ended, Gave, Line, Noted, todos};
use serde::Serialize;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;

pub(super) const EXAMPLES: &str = "\
Examples:
  cursor-fmt events run.ndjson | jq -r 'select(.event==\"message\").text'      all text, each message once
  cursor-fmt events run.ndjson | jq -c 'select(.event==\"result\" and .status!=\"ok\") | {tool, target, digest}'
  agent … | cursor-fmt events --pieces | jq --unbuffered -rj 'select(.event==\"piece\").text'
Instead of: jq 'select(.type==\"assistant\") | .message.content[].text', which says much of it twice";

/// Prints each thing that happens as one line of JSON, once, under the same keys for every dialect.
///
/// The manual explains each key; schema/events.schema.json describes them to programs.
#[derive(clap::Args)]
pub struct Events {
    /// Print text, thoughts and the output of commands piece by piece as they come, and not as wholes
    #[arg(long)]
    pieces: bool,

    #[arg(skip)]
    place: Place,

    #[arg(skip)]
    runs: HashMap<usize, Open>,
}

/// Where the input stands.
#[derive(Default)]
struct Place {
    log: String,
    line: u64,
}

/// What is remembered of a run that goes on.
#[derive(Default)]
struct Open {
    /// Its session.
    session: String,
    /// What it thinks, as far as it was not told.
    thought: String,
    /// How many messages it has told.
    messages: usize,
    /// What the calls that have begun were told to be called with, in short.
    calls: HashMap<usize, u64>,
}

impl View for Events {
    fn needs(&self) -> Needs {
        Needs {
            prompts: true,
            pieces: self.pieces,
            messages: true,
            thoughts: true,
            calls: Calls::Full,
            printed: self.pieces,
            ..Needs::NONE
        }
    }

    fn audience(&self) -> Audience {
        Audience::Program
    }

    fn log(&mut self, name: &str) {
        self.place = Place { log: name.to_owned(), line: 0 };
    }

    fn at(&mut self, line: u64) {
        self.place.line = line;
    }

    fn step(&mut self, step: &Step, page: &mut Page) -> io::Result<()> {
        let run = step.run;
        if !matches!(step.kind, What::Thought(_)) {
            self.thought_over(run, page)?;
        }
        match &step.kind {
            What::Began => {
                let keys = keys::Began { log: &self.place.log, model: run.model.as_deref(), cwd: run.cwd.as_deref() };
                write("began", run, keys, &[], page)
            }
            What::Prompt(text) => write("prompt", run, keys::Text { text }, &[], page),
            What::Text(text) if self.pieces => {
                write("piece", run, keys::Message { message: self.open(run).messages + 1, text }, &[], page)
            }
            What::Corrected(text) if self.pieces => {
                write("corrected", run, keys::Message { message: self.open(run).messages + 1, text }, &[], page)
            }
            What::Message(text) => {
                let open = self.open(run);
                open.messages += 1;
                let message = open.messages;
                if self.pieces { Ok(()) } else { write("message", run, keys::Message { message, text }, &[], page) }
            }
            What::Thought(text) if self.pieces => write("thought", run, keys::Text { text }, &[], page),
            What::Thought(text) => {
                self.open(run).thought.push_str(text);
                Ok(())
            }
            What::CallStarted(call) => self.call(run, call, page),
            What::Printed(call, Output { text, gap }) if self.pieces => {
                write("output", run, keys::Printed { call: call.number, text, gap: *gap }, &[], page)
            }
            What::CallEnded(call) => self.result(run, call, page),
            What::Plan(text) => write("plan", run, keys::Text { text }, &[], page),
            What::Todos(items) => write("todos", run, keys::Todos { items: todos(items) }, &[], page),
            What::Noted(note) => write("note", run, Noted::new(note), &[], page),
            What::Ended(end) => {
                self.runs.remove(&run.number);
                write("end", run, Ended::new(end), &[], page)
            }
            What::Text(_) | What::Corrected(_) | What::Printed(..) | What::ThoughtEnded | What::Found(_) => Ok(()),
        }
    }

    fn unreadable(&mut self, text: &[u8], page: &mut Page) -> io::Result<()> {
        let Place { log, line } = &self.place;
        let keys = keys::Unreadable { log, line: *line, text: &String::from_utf8_lossy(text) };
        write("unreadable", &Run::default(), keys, &[], page)
    }

    fn stopped(&mut self, why: &str, page: &mut Page) -> io::Result<()> {
        write("stopped", &Run::default(), keys::Stopped { reason: why }, &[], page)
    }

    /// A run may think behind its result, and then nothing more comes of it.
    fn end(&mut self, page: &mut Page) -> io::Result<()> {
        let mut open: Vec<(usize, Open)> = self.runs.drain().filter(|(_, open)| !open.thought.is_empty()).collect();
        open.sort_by_key(|(number, _)| *number);
        open.into_iter().try_for_each(|(number, Open { session, thought, .. })| {
            let run = Run { number, session, ..Run::default() };
            write("thought", &run, keys::Text { text: &thought }, &[], page)
        })
    }
}

impl Events {
    fn open(&mut self, run: &Run) -> &mut Open {
        self.runs.entry(run.number).or_insert_with(|| Open { session: run.session.clone(), ..Open::default() })
    }

    /// What was thought is told when anything else happens.
    fn thought_over(&mut self, run: &Run, page: &mut Page) -> io::Result<()> {
        let thought = self.runs.get_mut(&run.number).map(|open| std::mem::take(&mut open.thought));
        match thought.filter(|thought| !thought.is_empty()) {
            Some(text) => write("thought", run, keys::Text { text: &text }, &[], page),
            None => Ok(()),
        }
    }

    fn call(&mut self, run: &Run, call: &Call, page: &mut Page) -> io::Result<()> {
        let [args, _] = call.tool.values();
        self.open(run).calls.insert(call.number, short(args));
        write("call", run, keys::Called::new(call), &[("args", args)], page)
    }

    fn result(&mut self, run: &Run, call: &Call, page: &mut Page) -> io::Result<()> {
        let [args, result] = call.tool.values();
        // What it was called with was said when it began, if it did and this was known then.
        let said = self.runs.get_mut(&run.number).and_then(|open| open.calls.remove(&call.number));
        let args = args.filter(|_| said != Some(short(args)));
        let detail = call.tool.detail(true);
        let keys = Gave::new(Facts::new(run, call, Audience::Program), call.late, &detail);
        write("result", run, keys, &[("args", args), ("result", result)], page)
    }
}

/// A value in so few bytes that it is as good as never that of two values that differ.
fn short(value: Option<Value>) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.map(Value::json).hash(&mut hasher);
    hasher.finish()
}

/// Writes a line. Behind its own keys stand values as they are in the log, as far as every reader takes them.
fn write<K: Serialize>(
    event: &'static str,
    run: &Run,
    keys: K,
    values: &[(&str, Option<Value>)],
    page: &mut Page,
) -> io::Result<()> {
    let mut line = serde_json::to_vec(&Line::new(event, run, keys))?;
    line.pop();
    for (key, value) in values {
        line.extend_from_slice(format!(",\"{key}\":").as_bytes());
        match value {
            Some(value) => line.extend_from_slice(&value.common()),
            None => line.extend_from_slice(b"null"),
        }
    }
    line.push(b'}');
    page.json(&line)
}
