//! Every log against what is right for it, written by hand in `tests/logs/expected.json` from the format alone.

use crate::{given, log, logs, root};
use serde_json::Value as Json;
use std::collections::BTreeMap;

/// What is right for a log.
#[derive(serde::Deserialize)]
pub(crate) struct Expected {
    status: u8,
    text: String,
    pub(crate) messages: Vec<String>,
    pub(crate) calls: Vec<Json>,
    pub(crate) unreadable: u64,
}

pub(crate) fn expected() -> BTreeMap<String, Expected> {
    let text = std::fs::read_to_string(root().join("tests/logs/expected.json")).expect("the file is there");
    serde_json::from_str(&text).expect("the file holds what every log must give")
}

/// Messages as `text --all` prints them.
fn printed(messages: &[String]) -> String {
    let lines: Vec<String> = messages
        .iter()
        .map(|message| if message.ends_with('\n') { message.clone() } else { format!("{message}\n") })
        .collect();
    lines.join("\n")
}

#[test]
fn every_log_has_its_expectation() {
    let names: Vec<String> = logs().into_iter().map(|(name, _)| name).collect();
    let expected: Vec<String> = expected().into_keys().collect();
    assert_eq!(names, expected);
}

#[test]
fn the_answer_and_the_status_are_right() {
    for (name, want) in expected() {
        let got = given(&["text"], &log(&name));
        assert_eq!(got.text(), want.text, "{name}");
        assert_eq!(got.status, want.status, "{name}: {}", got.err);
        for view in [["pretty", "--ascii"], ["json", "--ascii"], ["tools", "--ascii"], ["events", "--ascii"]] {
            assert_eq!(given(&view, &log(&name)).status, want.status, "{name} in {view:?}");
        }
        // Whatever is not good is said once, in a line of its own.
        let reasons = got.err.lines().filter(|line| !line.contains("not JSON")).count();
        assert_eq!(reasons, usize::from(want.status != 0), "{name}: {}", got.err);
        assert!(got.err.lines().all(|line| line.starts_with("cursor-fmt: ")), "{name}: {}", got.err);
    }
}

#[test]
fn every_message_is_told_once() {
    for (name, want) in expected() {
        let all = given(&["text", "--all"], &log(&name)).text();
        assert_eq!(all, printed(&want.messages), "{name}");
        // Piece by piece, sessions that are interleaved come as they come.
        if name != "interleaved-sessions" {
            assert_eq!(given(&["text", "--stream"], &log(&name)).text(), all, "{name}");
        }
    }
}

#[test]
fn the_calls_are_right() {
    for (name, want) in expected() {
        let rows: Vec<Json> = serde_json::from_slice(&given(&["tools", "--format", "json"], &log(&name)).out)
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        let keys = ["tool", "target", "status", "exit_code", "run"];
        let got: Vec<Json> = rows.iter().map(|row| keys.iter().map(|key| (*key, row[key].clone())).collect()).collect();
        assert_eq!(got, want.calls, "{name}");
    }
}

#[test]
fn lines_that_cannot_be_read_are_counted() {
    for (name, want) in expected() {
        let err = given(&["text"], &log(&name)).err;
        let counted = err.lines().find(|line| line.contains("not JSON"));
        let number = counted.and_then(|line| line.split(' ').nth(1)?.parse().ok()).unwrap_or(0);
        assert_eq!(number, want.unreadable, "{name}: {err}");
    }
}
