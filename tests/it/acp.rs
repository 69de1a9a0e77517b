//! Logs of the Agent Client Protocol against what is right for each, written by hand in `tests/logs/acp/expected.json` from the
//! format alone.

use crate::{given, root};
use serde_json::Value as Json;
use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

/// What is right for a log.
#[derive(serde::Deserialize)]
struct Expected {
    status: u8,
    answers: Vec<String>,
    messages: Vec<String>,
    calls: Vec<Call>,
    notes: Vec<String>,
}

#[derive(serde::Deserialize)]
struct Call {
    status: String,
    exit_code: Option<i64>,
    command: Option<String>,
    contains: Vec<String>,
    output: Option<String>,
}

fn expected() -> BTreeMap<String, Expected> {
    let text = std::fs::read_to_string(root().join("tests/logs/acp/expected.json")).expect("the file is there");
    serde_json::from_str(&text).expect("the file holds what every log must give")
}

/// The logs, by name.
pub(crate) fn logs() -> BTreeMap<String, PathBuf> {
    let files = std::fs::read_dir(root().join("tests/logs/acp")).expect("the logs are there");
    let paths = files.map(|entry| entry.expect("a folder can be listed").path());
    paths
        .filter(|path| path.is_file() && !path.ends_with("expected.json"))
        .map(|path| (path.file_stem().expect("a log has a name").to_string_lossy().into_owned(), path))
        .collect()
}

pub(crate) fn log(name: &str) -> Vec<u8> {
    std::fs::read(&logs()[name]).expect("the log is there")
}

fn lines(given: &[u8]) -> Vec<Json> {
    let text = std::str::from_utf8(given).expect("it is UTF-8");
    text.lines().map(|line| serde_json::from_str(line).expect("each line is JSON")).collect()
}

#[test]
fn every_log_has_its_expectation() {
    let names: Vec<String> = logs().into_keys().collect();
    let expected: Vec<String> = expected().into_keys().collect();
    assert_eq!(names, expected);
}

#[test]
fn the_status_is_right_in_every_view() {
    for (name, want) in expected() {
        for view in [&["text"][..], &["json"], &["pretty"], &["tools"], &["log"], &["summary"], &["events"]] {
            let got = given(view, &log(&name));
            assert_eq!(got.status, want.status, "{name} in {view:?}: {}", got.err);
        }
    }
}

#[test]
fn the_answers_are_right() {
    for (name, want) in expected() {
        let results = lines(&given(&["json"], &log(&name)).out);
        let good = results.iter().filter(|result| result["is_error"] == false);
        let answers: Vec<&str> = good.map(|result| result["result"].as_str().expect("an answer is text")).collect();
        assert_eq!(answers, want.answers, "{name}");
        if want.status == 0 {
            let lines: Vec<String> =
                want.answers.iter().map(|answer| format!("{}\n", answer.trim_end_matches('\n'))).collect();
            assert_eq!(given(&["text"], &log(&name)).text(), lines.concat(), "{name}");
        }
    }
}

#[test]
fn every_message_is_told_once() {
    for (name, want) in expected() {
        let messages: Vec<String> =
            want.messages.iter().map(|text| format!("{}\n", text.trim_end_matches('\n'))).collect();
        let all = given(&["text", "--all"], &log(&name)).text();
        assert_eq!(all, messages.join("\n"), "{name}");
    }
}

#[test]
fn the_calls_are_right() {
    for (name, want) in expected() {
        let rows: Vec<Json> =
            serde_json::from_slice(&given(&["tools", "--format", "json"], &log(&name)).out).expect("JSON");
        let page: Json =
            serde_json::from_slice(&given(&["summary", "--format", "json"], &log(&name)).out).expect("JSON");
        let mut commands = HashMap::new();
        for run in page["runs"].as_array().expect("there are runs") {
            for command in run["commands"].as_array().into_iter().flatten() {
                commands.insert((run["run"].clone(), command["call"].clone()), command["command"].clone());
            }
        }
        let shown = given(&["pretty", "--output", "full"], &log(&name)).text();
        let mut outputs = HashMap::new();
        for line in lines(&given(&["events"], &log(&name)).out).into_iter().filter(|line| line["event"] == "result") {
            outputs.insert((line["run"].clone(), line["call"].clone()), line["output"].clone());
        }
        let got: Vec<&str> = rows.iter().map(|row| row["status"].as_str().expect("a status is a word")).collect();
        let right: Vec<&str> = want.calls.iter().map(|call| call.status.as_str()).collect();
        assert_eq!(got, right, "{name}: {shown}");
        for (row, call) in rows.iter().zip(&want.calls) {
            assert_eq!(row["exit_code"], Json::from(call.exit_code), "{name}: {row}");
            if let Some(command) = &call.command {
                let ran = commands.get(&(row["run"].clone(), row["call"].clone()));
                assert_eq!(ran.and_then(Json::as_str), Some(command.as_str()), "{name}: {row}");
            }
            for words in &call.contains {
                let words = words.replace('\n', "⏎");
                assert!(shown.contains(&words) || row.to_string().contains(&words), "{name}: {words} in {shown}");
            }
            // Of a call that failed, what the agent says of it stands there too.
            if let Some(output) = call.output.as_ref().filter(|output| !output.is_empty()) {
                let told = &outputs[&(row["run"].clone(), row["call"].clone())];
                let told = told.as_str().unwrap_or_else(|| panic!("{name}: no output in {row}"));
                let good = if call.status == "ok" { told == output } else { told.contains(output.trim()) };
                assert!(good, "{name}: {told:?} for {output:?}");
            }
            // What is printed is seen, but for what a terminal would obey.
            for line in call.output.iter().flat_map(|output| output.lines()) {
                let plain = line.split(|char: char| char.is_control()).next().unwrap_or_default().trim();
                assert!(shown.contains(plain), "{name}: {plain} in {shown}");
            }
        }
        for words in &want.notes {
            assert!(shown.contains(words), "{name}: {words} in {shown}");
        }
    }
}

/// What the status of the first part of a log must be, by counting prompts and answers: of logs that are nothing but messages of
/// both sides, in which no id is asked for twice at a time by the client.
fn status_of(part: &[u8]) -> u8 {
    let mut asked: BTreeMap<String, String> = BTreeMap::new();
    let mut open: HashMap<String, bool> = HashMap::new();
    let (mut any, mut failed, mut setup) = (false, false, false);
    for line in part.split(|byte| *byte == b'\n') {
        let Ok(message) = serde_json::from_slice::<Json>(line) else { continue };
        let id = message["id"].to_string();
        match (message["method"].as_str(), &message["result"]) {
            (Some("session/prompt"), _) => {
                let session = message["params"]["sessionId"].to_string();
                asked.insert(id, session.clone());
                open.insert(session, true);
                (any, setup) = (true, false);
            }
            (Some("session/new"), _) => _ = asked.insert(id, "new".to_owned()),
            (Some(_), _) => {}
            (None, result) => {
                let over = result["stopReason"].as_str().map(|reason| reason != "end_turn");
                let over = over.or(message["error"].is_object().then_some(true));
                let over = over.or(result["sessionId"].is_string().then_some(false));
                let about = over.and_then(|_| asked.remove(&id));
                match (about.as_deref(), over) {
                    (Some("new"), Some(bad)) => setup = bad,
                    (Some(session), Some(bad)) => {
                        failed |= bad;
                        open.insert(session.to_owned(), false);
                    }
                    _ => {}
                }
            }
        }
    }
    match (failed || (setup && !any), any && open.values().all(|open| !open)) {
        (true, _) => 1,
        (false, true) => 0,
        (false, false) => 3,
    }
}

/// The logs that [`status_of`] can read.
fn plain_logs() -> Vec<(String, Vec<u8>)> {
    let others =
        ["agent-side", "stdout-only", "client-side", "mixed", "batch", "v2", "in-", "create-failed", "unknown-events"];
    let is_plain = |(name, path): &(String, PathBuf)| {
        path.extension().is_some_and(|ending| ending == "ndjson") && !others.iter().any(|other| name.contains(other))
    };
    let plain = logs().into_iter().filter(is_plain);
    let read = |(name, path)| (name, std::fs::read(path).expect("the log is there"));
    let logs: Vec<_> = plain.map(read).filter(|(_, bytes): &(_, Vec<u8>)| bytes.starts_with(b"{\"jsonrpc\"")).collect();
    assert!(logs.len() > 50, "few logs: {}", logs.len());
    logs
}

#[test]
fn a_log_that_is_cut_behind_any_line_has_the_right_status() {
    for (name, bytes) in plain_logs() {
        let ends = memchr::memchr_iter(b'\n', &bytes).map(|end| end + 1);
        for end in std::iter::once(0).chain(ends) {
            for view in [&["text"][..], &["pretty", "--output", "full"], &["tools"], &["summary"]] {
                let got = given(view, &bytes[..end]);
                let line = String::from_utf8_lossy(&bytes[..end]).lines().count();
                assert_eq!(got.status, status_of(&bytes[..end]), "{name} in {view:?} up to line {line}: {}", got.err);
            }
        }
    }
}

#[test]
fn a_log_that_is_cut_at_any_byte_has_the_right_status() {
    for (name, bytes) in plain_logs() {
        for end in (0..bytes.len()).step_by((bytes.len() / 300).max(1)) {
            let got = given(&["pretty"], &bytes[..end]);
            assert_eq!(got.status, status_of(&bytes[..end]), "{name} cut at {end}: {}", got.err);
        }
    }
}
