//! The contract of the command line.

use crate::{PIPE, Terminal, given, given_in, log, root, run_on};
use std::io::{self, Write};

fn path(name: &str) -> String {
    root().join("tests/logs").join(name).with_extension("ndjson").to_string_lossy().into_owned()
}

#[test]
fn no_view_is_pretty_and_files_are_read_in_order() {
    let (one, two) = (path("whole-messages"), path("rejected"));
    let both = given(&[&one, &two], b"");
    assert_eq!(both.status, 0, "{}", both.err);
    let first = given(&["pretty", &one], b"").text();
    assert!(both.text().starts_with(&first), "{}", both.text());
    assert!(both.text().len() > first.len());
    assert_eq!(given(&["-"], &log("whole-messages")).text(), first);
    assert_eq!(given(&[], &log("whole-messages")).text(), first);
}

#[test]
fn runs_are_numbered_through_all_files() {
    let rows = given(&["tools", "--format", "ndjson", &path("whole-messages"), &path("rejected")], b"").text();
    let runs: Vec<&str> = rows.lines().map(|row| row.split(',').next().expect("a row has fields")).collect();
    assert!(runs.contains(&"{\"run\":1") && runs.contains(&"{\"run\":2"), "{rows}");
}

#[test]
fn the_worst_status_counts() {
    let (good, failed, cut) = (path("whole-messages"), path("failed-result"), path("no-result"));
    assert_eq!(given(&["text", &good], b"").status, 0);
    assert_eq!(given(&["text", &good, &cut], b"").status, 3);
    assert_eq!(given(&["text", &cut, &failed, &good], b"").status, 1);
    let missing = given(&["text", &failed, "/no/such/log", &good], b"");
    assert_eq!(missing.status, 2);
    assert!(missing.err.contains("failed to read `/no/such/log`: "), "{}", missing.err);
    assert!(missing.text().ends_with(&given(&["text", &good], b"").text()), "the others are read");
    assert_eq!(given(&["text", "--exit-zero", &cut, &failed], b"").status, 0);
    assert_eq!(given(&["text", "--exit-zero", "/no/such/log"], b"").status, 2);
}

#[test]
fn a_call_can_make_a_good_run_fail() {
    let rejected = path("rejected");
    assert_eq!(given(&["text", &rejected], b"").status, 0);
    let got = given(&["text", "--fail-on", "rejected", &rejected], b"");
    assert_eq!(got.status, 4);
    assert!(got.err.contains("rejected"), "{}", got.err);
    assert_eq!(given(&["text", "--fail-on", "tool-error", &path("failed-shell")], b"").status, 4);
    assert_eq!(given(&["text", "--fail-on", "rejected,tool-error", &path("pieces-and-flushes")], b"").status, 0);
    assert_eq!(given(&["text", "--fail-on", "rejected", &path("failed-result")], b"").status, 1, "1 beats 4");
    assert_eq!(given(&["text", "--fail-on", "rejected", "--exit-zero", &rejected], b"").status, 0);
}

#[test]
fn no_log_on_a_terminal_is_explained() {
    let terminal = Terminal { input: true, ..PIPE };
    let got = given_in(terminal, &["text"], io::empty());
    assert_eq!(got.status, 2);
    assert_eq!(got.err.lines().count(), 1, "{}", got.err);
    assert!(got.err.contains("| cursor-fmt"), "{}", got.err);
}

#[test]
fn an_empty_input_holds_no_run() {
    let got = given(&["text"], b"");
    assert_eq!((got.status, got.err.as_str()), (3, "cursor-fmt: stdin: no run in the log\n"));
}

#[test]
fn wrong_words_are_status_2() {
    for words in [
        &["--no-such"][..],
        &["tools", "--format", "xml"],
        &["text", "--from", "morse"],
        &["--thinking", "text"],
        &["a.ndjson", "text"],
        &["tools", "--tool", "["],
    ] {
        let got = given(words, b"");
        assert_eq!(got.status, 2, "{words:?}");
        assert!(got.err.starts_with("cursor-fmt: ") && got.err.lines().count() == 1, "{words:?}: {}", got.err);
    }
}

#[test]
fn what_is_wrong_is_told_in_full() {
    let said = |words: &[&str]| given(words, b"").err;
    assert!(said(&["tools", "--status", "bad"]).contains("possible values: ok, failed, rejected, unfinished"));
    assert!(said(&["--thinking", "text"]).contains("--thinking stands in front of the view 'text'"));
    assert!(said(&["tool"]).contains("failed to read `tool`: ") && said(&["tool"]).contains("no such view"));
    assert!(given(&["--help"], b"").status == 0 && given(&["help"], b"").status == 0);
}

#[test]
fn an_option_may_be_said_again() {
    let log = log("whole-messages");
    assert_eq!(
        given(&["--strict", "--strict", "--color", "always", "--color", "never"], &log).out,
        given(&[], &log).out
    );
}

#[test]
fn a_name_of_a_file_gives_no_orders() {
    for words in [&["text", "a\x1b]0;x\x07\n::error::b"][..], &["text", "--bad\x1b]0;x\x07\n::error::b"]] {
        let err = given(words, b"").err;
        assert!(err.lines().count() == 1 && !err.contains('\x1b'), "{err:?}");
    }
}

#[test]
fn strict_shows_what_came_before() {
    let mut bytes = log("whole-messages");
    let line = String::from_utf8_lossy(&bytes).lines().count() + 1;
    bytes.extend_from_slice(b"no json\n");
    for view in ["text", "tools", "pretty"] {
        let got = given(&[view, "--strict"], &bytes);
        assert_eq!(got.status, 2);
        assert_eq!(got.err, format!("cursor-fmt: stdin, line {line}: not a JSON object\n"));
        assert_eq!(got.out, given(&[view], &log("whole-messages")).out, "{view}");
    }
}

#[test]
fn shared_options_stand_on_either_side_of_the_view() {
    let log = log("whole-messages");
    let after = given(&["pretty", "--ascii", "--width", "50"], &log).text();
    assert_eq!(given(&["--ascii", "--width", "50", "pretty"], &log).text(), after);
    assert_eq!(given(&["--ascii", "--width", "50"], &log).text(), after);
    assert!(after.is_ascii());
}

/// An environment by name, since a function pointer can hold nothing.
fn colored(terminal: bool, variable: fn(&str) -> Option<String>, words: &[&str]) -> bool {
    let there = Terminal { output: terminal, variable, ..PIPE };
    let words: Vec<&str> = ["pretty"].iter().chain(words).copied().collect();
    given_in(there, &words, io::Cursor::new(log("whole-messages"))).out.contains(&0x1B)
}

#[test]
fn colour_is_for_terminals_and_those_who_ask() {
    let none = |_: &str| None;
    assert!(colored(true, none, &[]));
    assert!(!colored(false, none, &[]));
    assert!(colored(false, none, &["--color", "always"]));
    assert!(!colored(true, none, &["--color", "never"]));
    assert!(!colored(true, |name| (name == "NO_COLOR").then(|| "1".into()), &[]));
    assert!(colored(true, |name| (name == "NO_COLOR").then(String::new), &[]), "empty is not set");
    assert!(!colored(true, |name| (name == "TERM").then(|| "dumb".into()), &[]));
    assert!(!colored(true, |name| (name == "CLICOLOR").then(|| "0".into()), &[]));
    assert!(colored(false, |name| (name == "CLICOLOR_FORCE").then(|| "1".into()), &[]));
    assert!(colored(false, |name| (name == "FORCE_COLOR").then(|| "1".into()), &[]));
    assert!(!colored(false, |name| (name == "FORCE_COLOR").then(|| "0".into()), &[]));
    assert!(!colored(false, |name| matches!(name, "FORCE_COLOR" | "NO_COLOR").then(|| "1".into()), &[]));
}

#[test]
fn absurd_widths_work() {
    let narrow = |name: &str| (name == "COLUMNS").then(|| "1".to_owned());
    for words in [&["pretty", "--thinking", "--output", "full"][..], &["tools"], &["tools", "--group"]] {
        for width in ["0", "1", "2", "7", "abc", "-5", "99999999999", "65535", ""] {
            let words: Vec<&str> = words.iter().copied().chain(["--width", width]).collect();
            for name in ["every-tool", "wide-text"] {
                assert_eq!(given(&words, &log(name)).status, 0, "{words:?}");
            }
        }
        let columns = given_in(Terminal { variable: narrow, ..PIPE }, words, io::Cursor::new(log("every-tool")));
        assert_eq!(columns.status, 0);
    }
}

#[test]
fn no_laid_out_line_is_wider_than_the_page() {
    use unicode_width::UnicodeWidthStr;
    let long =
        json_call("printf 'x'", &format!("\u{1b}[35m{}\u{1b}[0m\n\tback\n{}", "word".repeat(300), "w".repeat(2000)));
    let hearts = json_call(&"❤\u{fe0f}".repeat(60), "漢字".repeat(200).as_str());
    let logs = [
        log("every-tool"),
        log("wide-text"),
        log("failed-shell"),
        log("edits"),
        long.into_bytes(),
        hearts.into_bytes(),
    ];
    for width in [20_usize, 33, 40, 80, 120] {
        for log in &logs {
            for view in [&["tools"][..], &["tools", "--group"], &["pretty"], &["pretty", "--output", "full"]] {
                let number = width.to_string();
                let text = given(&[view, &["--width", &number][..]].concat(), log).text();
                // What the agent says, and the head above it, is not laid out.
                let laid_out = |line: &&str| view[0] == "tools" || line.starts_with("  ");
                for line in text.lines().filter(laid_out) {
                    assert!(line.width() < width, "{view:?} at {width}: {line}");
                }
            }
        }
    }
}

/// A run with one call, which fails.
fn json_call(command: &str, output: &str) -> String {
    let result = serde_json::json!({"failure": {"exitCode": 1, "stdout": output}});
    let call = serde_json::json!({"type": "tool_call", "subtype": "completed", "call_id": "c", "session_id": "s",
        "tool_call": {"shellToolCall": {"args": {"command": command}, "result": result}}});
    format!("{call}\n")
}

#[test]
fn escape_sequences_are_gone_before_rows_are_measured() {
    let output = "\u{1b}[35mword\u{1b}[0m ".repeat(9);
    let text = given(&["pretty", "--width", "40"], json_call("x", &output).as_bytes()).text();
    assert!(text.contains("    │ word word word word word word wor\n    │ d word word\n"), "{text}");
}

/// A writer whose reader has gone.
struct Closed;

impl Write for Closed {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::Error::from(io::ErrorKind::BrokenPipe))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_failed_write_is_an_error() {
    let mut errors = Vec::new();
    let status = run_on(PIPE, &["text"], io::Cursor::new(log("whole-messages")), &mut Closed, &mut errors);
    assert_eq!(status, 2, "the program itself makes a success of this one kind");
}

#[test]
fn completions_are_printed_for_every_shell() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let got = given(&["completions", shell], b"");
        assert!(got.status == 0 && got.text().contains("cursor-fmt"), "{shell}");
    }
}

#[test]
fn rows_can_be_chosen_and_sorted() {
    let rows = |words: &[&str]| -> Vec<String> {
        let words: Vec<&str> = ["tools", "--format", "ndjson"].iter().chain(words).copied().collect();
        let text = given(&words, &log("every-tool")).text();
        text.lines()
            .map(|row| {
                serde_json::from_str::<serde_json::Value>(row).expect("a row is JSON")["tool"]
                    .as_str()
                    .expect("a tool has a name")
                    .to_owned()
            })
            .collect()
    };
    assert_eq!(rows(&["--tool", "web*"]), ["webFetch", "webSearch"]);
    assert_eq!(rows(&["--tool", "WEBFETCH"]), ["webFetch"]);
    assert_eq!(rows(&["--status", "failed"]), ["mcp"]);
    assert_eq!(rows(&["--status", "failed,rejected"]), ["mcp", "askQuestion"]);
    assert_eq!(rows(&["--sort", "duration"])[0], "task");
}

#[test]
fn a_line_of_the_log_is_one_whatever_is_in_it() {
    let hostile = "a\\n+9.9s end success\\r\\u001b[2J\\u0085b\\u2028c\\td";
    let session = format!("\"session_id\":\"{hostile}\"");
    let log = format!(
        r#"{{"type":"system","subtype":"init","model":"{hostile}","cwd":"{hostile}",{session}}}
{{"type":"user","message":{{"content":[{{"type":"text","text":"{hostile}"}}]}},{session}}}
{{"type":"tool_call","subtype":"completed","call_id":"c","tool_call":{{"{hostile}ToolCall":{{"args":{{"path":"{hostile}"}},"result":{{"error":{{"error":"{hostile}"}}}}}}}},{session}}}
{{"type":"result","subtype":"error","is_error":true,"result":"{hostile}",{session}}}
"#
    );
    for width in ["20", "80", "100000"] {
        let text = given(&["log", "--width", width], log.as_bytes()).text();
        let words: Vec<&str> = text.lines().filter_map(|line| line.split(' ').nth(1)).collect();
        // A prompt of several lines is one paragraph.
        assert_eq!(words, ["init", "user", "fail", "end"], "{text}");
        assert!(!text.chars().any(|char| (char.is_control() && char != '\n') || char == '\u{2028}'), "{text:?}");
    }
}

#[test]
fn a_narrow_line_of_the_log_keeps_what_went_wrong() {
    let log = r#"{"type":"tool_call","subtype":"completed","call_id":"c","tool_call":{"shellToolCall":{"args":{"command":"a command that is long"},"result":{"failure":{"exitCode":3}}}},"session_id":"s"}"#;
    for width in 24..60 {
        let text = given(&["log", "--width", &width.to_string()], log.as_bytes()).text();
        let line = text.lines().nth(1).expect("there is a line");
        assert!(line.chars().count() <= width && line.contains("exit 3"), "{width}: {line}");
    }
}
