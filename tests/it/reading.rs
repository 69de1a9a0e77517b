//! The bytes: damaged, long, in pieces of any size.

use crate::{PIPE, given, given_in, log, logs};
use std::io::{self, Read};

/// Gives its bytes in reads of one size.
struct Pieces {
    bytes: io::Cursor<Vec<u8>>,
    size: usize,
}

impl Read for Pieces {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let size = self.size.min(into.len());
        self.bytes.read(&mut into[..size])
    }
}

#[test]
fn reads_may_end_anywhere() {
    for (name, path) in logs() {
        let bytes = std::fs::read(path).expect("the log is there");
        let want = given(&["pretty", "--output", "full"], &bytes);
        for size in [1, 7, 4096] {
            let pieces = Pieces { bytes: io::Cursor::new(bytes.clone()), size };
            let got = given_in(PIPE, &["pretty", "--output", "full"], pieces);
            assert_eq!(
                (got.text(), got.err, got.status),
                (want.text(), want.err.clone(), want.status),
                "{name} by {size}"
            );
        }
    }
}

fn event(text: &str) -> String {
    let text = serde_json::to_string(text).expect("a string can be written");
    format!(
        r#"{{"type":"assistant","message":{{"role":"assistant","content":[{{"type":"text","text":{text}}}]}},"session_id":"s"}}"#
    )
}

const RESULT: &str = r#"{"type":"result","subtype":"success","is_error":false,"session_id":"s"}"#;

#[test]
fn a_message_much_longer_than_the_buffer_comes_whole() {
    let message: String = (0..200_000).map(|number| format!("{number} é\"\n")).collect();
    let got = given(&["text"], format!("{}\n{RESULT}\n", event(&message)).as_bytes());
    assert!(got.text() == message, "{} bytes of {}", got.out.len(), message.len());
}

#[test]
fn a_message_is_the_same_wherever_the_buffer_ends_in_it() {
    // Around the size of one read, each length puts another byte of the line on the buffer's edge.
    let base = 65_536 - event("").len();
    for length in base - 40..base + 10 {
        let message = format!("{}\"\\😀é end", "x".repeat(length));
        let got = given(&["text"], format!("{}\n{RESULT}", event(&message)).as_bytes());
        assert_eq!(got.text().len(), message.len() + 1, "{length}");
        assert_eq!(got.text().trim_end(), message, "{length}");
    }
}

#[test]
fn an_array_longer_than_the_buffer_is_read_to_its_end() {
    let files: Vec<String> = (0..30_000).map(|number| format!("\"src/file-{number}.rs\"")).collect();
    let log = format!(
        r#"{{"type":"tool_call","subtype":"completed","call_id":"c","tool_call":{{"globToolCall":{{"args":{{"globPattern":"*"}},"result":{{"success":{{"files":[{}],"totalFiles":30000}}}}}}}},"session_id":"s"}}
{RESULT}"#,
        files.join(",")
    );
    let got = given(&["pretty", "--output", "full"], log.as_bytes()).text();
    assert!(got.contains("src/file-0.rs\n") && got.contains("src/file-29999.rs\n"), "{}", got.len());
}

#[test]
fn the_first_bad_line_is_named_once() {
    let got = given(&["text"], &log("not-json"));
    let said: Vec<&str> = got.err.lines().filter(|line| line.contains("not JSON")).collect();
    assert_eq!(said.len(), 1, "{}", got.err);
    assert!(said[0].contains("(first: stdin:"), "{}", said[0]);
}

#[test]
fn strict_ends_at_the_first_line_that_is_no_object() {
    for (name, strict) in [
        ("whole-messages", 0),
        ("crlf-bom-blank", 2),
        ("utf16", 0),
        ("not-json", 2),
        ("objects-on-one-line", 2),
        ("invalid-utf8", 2),
        ("lone-surrogate", 0),
        ("deep-nesting", 0),
        ("prefixes", 2),
    ] {
        let got = given(&["text", "--strict"], &log(name));
        assert_eq!(got.status, strict, "{name}: {}", got.err);
        assert_eq!(got.err.contains("stdin, line "), strict == 2, "{name}: {}", got.err);
    }
}

#[test]
fn strict_looks_at_all_of_a_line_that_nobody_asks_for() {
    let line = |text: &str| {
        let around = "x".repeat(600_000);
        format!(
            r#"{{"type":"tool_call","subtype":"completed","call_id":"c","tool_call":{{"readToolCall":{{"result":{{"success":{{"content":"{around}{text}{around}"}}}}}}}},"session_id":"s"}}
{RESULT}"#
        )
    };
    assert_eq!(given(&["text", "--strict"], line("\\n").as_bytes()).status, 0);
    let got = given(&["text", "--strict"], line("\\q").as_bytes());
    assert_eq!((got.status, got.err.contains("stdin, line 1: not a JSON object")), (2, true), "{}", got.err);
}

/// A run's first line.
const INIT: &str = r#"{"type":"system","subtype":"init","session_id":"s"}"#;

/// Long lines whose damage is in what `text` does not need, and what is told of them: the answer and the status.
fn damaged_long_lines() -> Vec<(&'static str, String, &'static str, u8)> {
    let long = "q".repeat(700_000);
    let deep = "{\"a\":{\"b\":{\"c\":[[1]]}}},".repeat(30_000);
    let said = event("glued");
    let call =
        r#"{"type":"tool_call","subtype":"completed","call_id":"c","tool_call":{"shellToolCall":{"result":{"success":"#;
    let result =
        r#"{"type":"result","subtype":"success","is_error":false,"result":"partial","session_id":"s","unknown":["#;
    let failed = r#"{"session_id":"s","type":"result","subtype":"error","is_error":true,"result":"no"}"#;
    vec![
        ("a result that is cut in what nobody reads", format!("{result}{deep}"), "", 3),
        ("the same, one bracket later", format!("{result}{deep}]"), "", 3),
        (
            "deeper than any bracket behind it",
            format!("{result}{}1{}", "{\"a\":".repeat(100_000), "}".repeat(300)),
            "",
            3,
        ),
        ("an event behind a cut value", format!("{{\"k\":[{deep}{{\"a\":1{said}"), "glued\n", 3),
        ("an event where a value may stand", format!("{{\"k\":[{deep}{said}"), "glued\n", 3),
        ("an event behind a cut string", format!("{call}{{\"stdout\":\"{long}{said}"), "glued\n", 3),
        ("a failure behind a cut string", format!("{call}{{\"stdout\":\"{long}{failed}"), "", 1),
        (
            "two events behind a cut string",
            format!("{call}{{\"stdout\":\"{long}{}{said}", event("\"q\" ")),
            "\"q\" glued\n",
            3,
        ),
        (
            "a line break in a string that nobody reads",
            format!("{{\"unknown\":[\"{long}\nq\"],{}", &said[1..]),
            "glued\n",
            3,
        ),
        ("a prefix with a quote", format!("say \" {}", event("glued")), "glued\n", 3),
    ]
}

#[test]
fn a_long_line_that_is_damaged_where_nobody_asks_loses_nothing_and_invents_nothing() {
    for (name, line, answer, status) in damaged_long_lines() {
        let got = given(&["text"], format!("{INIT}\n{line}\n").as_bytes());
        assert_eq!((got.text().as_str(), got.status), (answer, status), "{name}: {}", got.err);
    }
}

#[test]
fn a_long_message_behind_anything_is_whole() {
    let message = format!("a \"{}\" b{}", "y".repeat(50_000), "z".repeat(600_000));
    for prefix in ["", "\x1b[0m", "[agent ", "6\" ", "[1, ", "{\"type\":\"later\",\"extra\":", "{\"k\":{\"a\":{\"x\":"]
    {
        let got = given(&["text"], format!("{INIT}\n{prefix}{}\n{RESULT}\n", event(&message)).as_bytes());
        assert!(got.text().trim_end() == message, "{prefix}: {} bytes of {}", got.out.len(), message.len());
    }
}

#[test]
fn a_bad_line_has_its_number_behind_objects_of_several_lines() {
    let piece = |text: &str| {
        format!(
            "{{\"type\":\"assistant\",\n\"message\":{{\"content\":[{{\"type\":\"text\",\"text\":\"{text}\"}}]}},\"session_id\":\"s\",\"timestamp_ms\":1}}\n"
        )
    };
    let log = format!("{INIT}\n{}{}{}garbage\n{RESULT}\n", piece("a"), piece("b"), piece("c"));
    let got = given(&["text"], log.as_bytes());
    assert!(got.err.contains("(first: stdin:8): garbage"), "{}", got.err);
}

#[test]
fn what_a_read_that_failed_has_for_content_is_shown() {
    let line = r#"{"type":"tool_call","subtype":"failed","call_id":"c","tool_call":{"readToolCall":{"args":{"path":"/p"},"result":{"success":{"content":"one\ntwo"}}}},"session_id":"s"}"#;
    let got = given(&["pretty"], format!("{INIT}\n{line}\n{RESULT}\n").as_bytes()).text();
    assert!(got.contains("│ one\n") && got.contains("│ two\n"), "{got}");
}
