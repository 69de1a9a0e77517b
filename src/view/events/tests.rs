//! Every kind of line and every key of one, from steps made by hand, against the schema.

use super::Events;
use crate::fold::{Call, Context, Count, End, Note, Outcome, Output, Run, Side, Step, Usage, What};
use crate::page::{Look, Page};
use crate::tool::{Ending, Progress, Todo, Tool};
use crate::value::Value;
use crate::view::View;
use serde_json::Value as Json;
use std::borrow::Cow;
use std::collections::BTreeSet;

const SCHEMA: &str = include_str!("../../../schema/events.schema.json");
const MANUAL: &str = include_str!("../../../man/cursor-fmt.1");

fn schema() -> Json {
    serde_json::from_str(SCHEMA).expect("the schema is JSON")
}

fn run() -> Run {
    let (model, cwd) = (Some("Model".to_owned()), Some("/work".to_owned()));
    Run { number: 1, session: "s".to_owned(), model, cwd, ..Run::default() }
}

/// A call of a tool with arguments, and with a result if it has ended.
fn call<'a>(number: usize, tool: &'a str, args: &'a str, result: Option<&'a str>, ending: Ending) -> Call<'a> {
    let value = |json: &'a str| Value::again(json.as_bytes());
    let tool = Tool::new(Cow::Borrowed(tool), Some(value(args)), result.map(value), ending);
    Call { number, id: "id", tool, started_ms: Some(1), duration_ms: Some(2), late: number == 9 }
}

/// Calls of every status, with every sort of detail.
fn calls() -> Vec<Call<'static>> {
    let done = Ending::Completed;
    let shell = r#"{"success":{"exitCode":0,"stdout":"out","isBackground":false}}"#;
    let failed = r#"{"failure":{"exitCode":2,"stderr":"bad"}}"#;
    let edited = r#"{"success":{"diffString":"+a","linesAdded":1,"linesRemoved":0}}"#;
    let listed = r#"{"success":{"todos":[{"content":"a","status":"completed"},{"content":"b","status":"in_progress"},
        {"content":"c","status":"cancelled"},{"content":"d","status":"pending"}]}}"#;
    let mcp = r#"{"serverIdentifier":"server","toolName":"name"}"#;
    vec![
        call(1, "shell", r#"{"command":"ls"}"#, Some(shell), done),
        call(2, "shell", r#"{"command":"false"}"#, Some(failed), done),
        call(3, "edit", r#"{"path":"/a"}"#, Some(edited), done),
        call(4, "updateTodos", "{}", Some(listed), done),
        call(5, "createPlan", r##"{"plan":"# Plan"}"##, Some(r#"{"success":{}}"#), done),
        call(6, "webFetch", r#"{"url":"http://a"}"#, Some(r#"{"rejected":{"reason":"no"}}"#), done),
        call(7, "read", r#"{"path":"/b"}"#, None, Ending::Open),
        call(8, "mcp", mcp, Some(r#"{"success":{"isError":true,"content":[{"text":{"text":"no"}}]}}"#), done),
        call(9, "task", "{}", Some(r#"{"success":{"isBackground":true}}"#), done),
    ]
}

fn notes() -> Vec<Note<'static>> {
    vec![
        Note::Reconnecting { attempt: Some(1) },
        Note::Reconnected,
        Note::Retrying { attempt: Some(1) },
        Note::Resuming,
        Note::Task {
            title: Some("tests".into()),
            status: Some("aborted".into()),
            detail: Some("more".into()),
            failed: true,
        },
        Note::Mode("plan".into()),
        Note::Allowed { what: "rm".into(), answer: "once".into() },
        Note::Cancelled,
        Note::OneSided(Side::Agent),
        Note::OneSided(Side::Client),
        Note::Notice { text: "words".into(), detail: Some("more".into()), bad: false },
    ]
}

fn end<'a>(outcome: Outcome<'a>, context: &'a Context<'a>) -> End<'a> {
    let usage = Usage { input: Some(1), output: Some(2), cache_read: Some(3), cache_write: Some(4) };
    let calls = Count { calls: 4, failed: 1, rejected: 1, unfinished: 1 };
    let (answer, duration_ms) = ("answer".into(), Some(5));
    End { outcome, duration_ms, usage: Some(usage), context: Some(context), answer, fields: &[], calls }
}

/// What the view makes of every kind of step.
fn told(pieces: bool) -> Vec<Json> {
    let mut bytes = Vec::new();
    let mut page = Page::new(&mut bytes, Look::default());
    let mut view = Events { pieces, place: super::Place::default(), runs: super::HashMap::new() };
    let context = Context { used: 1, size: 2, cost: Some("0.1 USD".into()) };
    let run = run();
    let (calls, notes) = (calls(), notes());
    let ended = [Outcome::Cut, Outcome::Resumed, Outcome::Failed("why".into()), Outcome::Succeeded];
    let ended = ended.map(|outcome| end(outcome, &context));
    let printed = Output { text: "out".into(), gap: true };
    let mut kinds =
        vec![What::Began, What::Prompt("ask".into()), What::Thought("hm".into()), What::Thought("m".into())];
    kinds.extend([What::Text("one".into()), What::Corrected("uno".into()), What::Message("uno".into())]);
    kinds.extend([What::Text("two".into()), What::Message("two".into()), What::Printed(&calls[0], &printed)]);
    // The last call is told as over without its start.
    kinds.extend(calls[..8].iter().map(What::CallStarted));
    kinds.extend(calls.iter().map(What::CallEnded));
    kinds.extend([What::Plan("plan".into())]);
    let todos = [Progress::Pending, Progress::Doing, Progress::Done, Progress::Cancelled];
    kinds.push(What::Todos(todos.map(|progress| Todo { text: "a".into(), progress }).into()));
    kinds.extend(notes.iter().map(What::Noted));
    kinds.extend(ended.iter().map(What::Ended));
    kinds.push(What::Thought("late".into()));
    view.log("run.ndjson");
    for kind in kinds {
        view.step(&Step { run: &run, kind }, &mut page).expect("a Vec takes all");
    }
    view.at(3);
    view.unreadable(b"no \xff JSON", &mut page).expect("a Vec takes all");
    view.stopped("timed out after 30s", &mut page).expect("a Vec takes all");
    view.end(&mut page).expect("a Vec takes all");
    page.flush().expect("a Vec takes all");
    let text = String::from_utf8(bytes).expect("JSON is UTF-8");
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}"))).collect()
}

/// The lines of an event.
fn of<'a>(lines: &'a [Json], event: &str) -> Vec<&'a Json> {
    lines.iter().filter(|line| line["event"] == event).collect()
}

/// The places in a line that say something, down to values of the log itself: `end.usage.input`.
fn said(value: &Json, path: &str, into: &mut BTreeSet<String>) {
    match value {
        Json::Null => return,
        Json::Object(fields) => {
            let of_the_log = ["call.args", "result.args", "result.result"].contains(&path);
            for (key, value) in fields.iter().filter(|_| !of_the_log) {
                said(value, &format!("{path}.{key}"), into);
            }
        }
        Json::Array(items) => items.iter().for_each(|item| said(item, path, into)),
        Json::String(text) => _ = into.insert(format!("{path}={text}")),
        Json::Bool(_) | Json::Number(_) => {}
    }
    into.insert(path.to_owned());
}

/// The same places in the schema, and the words that may stand there.
fn described(value: &Json, path: &str, all: &Json, into: &mut BTreeSet<String>) {
    if let Some(name) = value["$ref"].as_str() {
        return described(&all["$defs"][name.trim_start_matches("#/$defs/")], path, all, into);
    }
    if value["type"] == "null" {
        return;
    }
    into.insert(path.to_owned());
    let words = value["enum"].as_array().into_iter().flatten().filter_map(Json::as_str);
    into.extend(words.map(|word| format!("{path}={word}")));
    for (key, value) in value["properties"].as_object().into_iter().flatten() {
        described(value, &format!("{path}.{key}"), all, into);
    }
    for form in value["oneOf"].as_array().into_iter().flatten().chain(value.get("items")) {
        described(form, path, all, into);
    }
}

#[test]
fn every_line_and_every_key_of_the_schema_is_told() {
    let schema = schema();
    let validator = jsonschema::validator_for(&schema).expect("the schema is one");
    let lines: Vec<Json> = [false, true].into_iter().flat_map(told).collect();
    let (mut heard, mut want) = (BTreeSet::new(), BTreeSet::new());
    for line in &lines {
        assert!(validator.is_valid(line), "{line}");
        said(line, line["event"].as_str().expect("a line has its event"), &mut heard);
    }
    for form in schema["oneOf"].as_array().expect("the schema lists the events") {
        described(form, form["title"].as_str().expect("each has a title"), &schema, &mut want);
    }
    let lacking: Vec<&String> = want.difference(&heard).collect();
    assert!(lacking.is_empty() && want.len() > 100, "no line has {lacking:?}");
}

#[test]
fn a_line_with_another_key_or_without_one_is_wrong() {
    let validator = jsonschema::validator_for(&schema()).expect("the schema is one");
    for line in told(false).iter().map(|line| line.as_object().expect("a line is an object")) {
        let more: serde_json::Map<_, _> = line.clone().into_iter().chain([("more".to_owned(), Json::Null)]).collect();
        assert!(!validator.is_valid(&more.into()), "{line:?}");
        for key in line.keys().filter(|key| !["server", "name"].contains(&key.as_str())) {
            let mut less = line.clone();
            less.remove(key);
            assert!(!validator.is_valid(&less.into()), "{line:?} without {key}");
        }
    }
}

#[test]
fn the_manual_explains_every_line_and_every_key() {
    let section = MANUAL.split(".SS events\n").nth(1).and_then(|rest| rest.split("\n.SS ").next()).unwrap_or_default();
    let section = section.replace("\\-", "-");
    let (schema, mut places) = (schema(), BTreeSet::new());
    for form in schema["oneOf"].as_array().expect("the schema lists the events") {
        described(form, form["title"].as_str().expect("each has a title"), &schema, &mut places);
    }
    let words: BTreeSet<&str> = places.iter().flat_map(|place| place.split(['.', '='])).collect();
    let told: BTreeSet<&str> = section.split(|char: char| !char.is_alphanumeric() && !"_-".contains(char)).collect();
    let lacking: Vec<&&str> = words.difference(&told).collect();
    assert!(lacking.is_empty(), "the manual lacks {lacking:?}");
}

#[test]
fn pieces_stand_in_the_place_of_wholes() {
    let (whole, pieces) = (told(false), told(true));
    let texts = |lines: &[Json], event: &str| -> Vec<String> {
        of(lines, event).iter().map(|line| format!("{} {}", line["message"], line["text"])).collect()
    };
    assert_eq!(texts(&whole, "message"), ["1 \"uno\"", "2 \"two\""]);
    assert_eq!(texts(&whole, "thought"), ["null \"hmm\"", "null \"late\""]);
    assert_eq!([of(&whole, "piece").len(), of(&whole, "corrected").len(), of(&whole, "output").len()], [0, 0, 0]);
    assert_eq!(texts(&pieces, "piece"), ["1 \"one\"", "2 \"two\""]);
    assert_eq!(texts(&pieces, "corrected"), ["1 \"uno\""]);
    assert_eq!(texts(&pieces, "thought"), ["null \"hm\"", "null \"m\"", "null \"late\""]);
    assert_eq!([of(&pieces, "message").len(), of(&pieces, "output").len()], [0, 1]);
}

#[test]
fn arguments_are_said_once() {
    let lines = told(false);
    assert_eq!(of(&lines, "call")[0]["args"]["command"], "ls");
    assert_eq!(of(&lines, "result")[0]["args"], Json::Null);
    // Of this one the start was not told.
    assert_eq!(of(&lines, "result")[8]["args"], serde_json::json!({}));
}
