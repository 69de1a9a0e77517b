//! Every log as lines of JSON: against the schema, and against what is right for it.

use crate::expected::expected;
use crate::{Terminal, given, given_in, log, logs, root};
use serde_json::{Value as Json, json};
use std::io;

/// The lines that the view prints of a log.
fn lines(words: &[&str], bytes: &[u8]) -> Vec<Json> {
    let words: Vec<&str> = ["events"].iter().chain(words).copied().collect();
    let text = String::from_utf8(given(&words, bytes).out).expect("JSON is UTF-8");
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|why| panic!("{line}: {why}"))).collect()
}

fn texts<'a>(lines: &'a [Json], event: &str) -> Vec<&'a str> {
    lines.iter().filter(|line| line["event"] == event).filter_map(|line| line["text"].as_str()).collect()
}

#[test]
fn every_line_of_every_log_is_as_the_schema_says() {
    let schema = std::fs::read_to_string(root().join("schema/events.schema.json")).expect("the schema is there");
    let schema: Json = serde_json::from_str(&schema).expect("the schema is JSON");
    let validator = jsonschema::validator_for(&schema).expect("the schema is one");
    for (name, path) in logs().into_iter().chain(crate::acp::logs()) {
        let bytes = std::fs::read(path).expect("the log is there");
        for words in [&[][..], &["--pieces"], &["--redact"]] {
            for line in lines(words, &bytes) {
                let wrong: Vec<String> = validator.iter_errors(&line).map(|error| error.to_string()).collect();
                assert!(wrong.is_empty(), "{name}: {line}: {wrong:?}");
            }
        }
    }
}

#[test]
fn every_message_and_every_call_is_told_once() {
    for (name, want) in expected() {
        let all = lines(&[], &log(&name));
        assert_eq!(texts(&all, "message"), want.messages, "{name}");
        let keys = ["tool", "target", "status", "exit_code", "run"];
        let ended = all.iter().filter(|line| line["event"] == "result" && line["late"] == false);
        let mut ended: Vec<&Json> = ended.collect();
        ended.sort_by_key(|line| (line["run"].as_u64(), line["call"].as_u64()));
        let got: Vec<Json> =
            ended.iter().map(|row| keys.iter().map(|key| (*key, row[key].clone())).collect()).collect();
        assert_eq!(got, want.calls, "{name}");
        let bad: std::collections::BTreeSet<u64> =
            all.iter().filter(|line| line["event"] == "unreadable").filter_map(|line| line["line"].as_u64()).collect();
        assert_eq!(bad.len() as u64, want.unreadable, "{name}");
    }
}

#[test]
fn pieces_make_the_messages_that_they_belong_to() {
    for (name, want) in expected() {
        let mut messages: std::collections::BTreeMap<(u64, u64), String> = std::collections::BTreeMap::new();
        let mut order = Vec::new();
        for line in lines(&["--pieces"], &log(&name)) {
            let (Some(run), Some(message)) = (line["run"].as_u64(), line["message"].as_u64()) else { continue };
            let text = line["text"].as_str().expect("a piece has text");
            let whole = messages.entry((run, message)).or_default();
            if line["event"] == "corrected" {
                whole.clear();
            }
            if !order.contains(&(run, message)) {
                order.push((run, message));
            }
            whole.push_str(text);
        }
        let mut got: Vec<&String> = order.iter().map(|key| &messages[key]).collect();
        let mut want: Vec<&String> = want.messages.iter().collect();
        if name == "interleaved-sessions" {
            // The order is that of the first pieces there, and of the ends here.
            got.sort();
            want.sort();
        }
        assert_eq!(got, want, "{name}");
    }
}

#[test]
fn a_line_says_what_is_known_and_nothing_else() {
    let bytes = log("showcase");
    let all = lines(&[], &bytes);
    let session = all[0]["session"].clone();
    assert!(session.is_string() && all.iter().all(|line| line["session"] == session && line["run"] == 1), "{all:?}");
    assert_eq!(all[0]["event"], "began");
    assert_eq!(all[0]["log"], "stdin");
    let end = all.last().expect("the run ends");
    assert_eq!((&end["event"], &end["outcome"]), (&json!("end"), &json!("success")));
    // A run that was cut has neither a time nor tokens, and zeros would be invented.
    let cut = lines(&[], &log("no-result"));
    let end = cut.last().expect("the run ends");
    let known = [&end["outcome"], &end["duration_ms"], &end["usage"], &end["reason"]];
    assert_eq!(known, [&json!("cut"), &Json::Null, &Json::Null, &Json::Null]);
}

#[test]
fn a_value_stands_there_as_in_the_log() {
    let line = r#"{"type":"tool_call","subtype":"completed","call_id":"c","tool_call":{"shellToolCall":{"args":{"command":"true" , "big":12345678901234567890123},"result":{"success":{"exitCode":0,"x":"\u00e9"}}}},"session_id":"s"}"#;
    let text = given(&["events"], line.as_bytes()).text();
    assert!(text.contains(r#""args":{"command":"true" , "big":12345678901234567890123}"#), "{text}");
    assert!(text.contains(r#""result":{"success":{"exitCode":0,"x":"\u00e9"}}}"#), "{text}");
}

#[test]
fn a_terminal_is_not_obeyed_and_the_json_is_the_same() {
    let on_terminal = Terminal { output: true, ..crate::PIPE };
    for words in [&["events"][..], &["events", "--pieces"]] {
        let there = given_in(on_terminal, words, io::Cursor::new(log("unsafe-output"))).text();
        let bad = there.chars().find(|char| (char.is_control() && *char != '\n') || *char == '\u{202e}');
        assert_eq!(bad, None, "{there:?}");
        let read = |text: &str| -> Vec<Json> {
            text.lines().map(|line| serde_json::from_str(line).expect("a line is JSON")).collect()
        };
        assert_eq!(read(&there), read(&given(words, &log("unsafe-output")).text()));
    }
}
