//! The grid of snapshots: a row for each log, a column for each view. To be read before it is accepted, since it is the
//! specification of what people see.

use crate::{Terminal, given, given_in, log, logs};
use std::io;

/// The columns: the views, and the words that ask for them.
const VIEWS: [(&str, &[&str]); 8] = [
    ("text", &["text"]),
    ("all", &["text", "--all"]),
    ("json", &["json"]),
    ("pretty", &["pretty", "--thinking", "--width", "100"]),
    ("tools", &["tools", "--width", "100"]),
    ("full", &["pretty", "--output", "full"]),
    ("log", &["log"]),
    ("summary", &["summary"]),
];

fn snapshot(name: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(crate::root().join("snapshots"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, text));
}

/// What came out, what was said about it, and the status. Escapes are visible.
fn shown(given: &crate::Given) -> String {
    let out = given.text().replace('\x1b', "␛");
    let said = if given.err.is_empty() { String::new() } else { format!("--- stderr\n{}", given.err) };
    format!("{out}{said}--- status {}\n", given.status)
}

#[test]
fn every_log_in_every_view() {
    for (log_name, path) in logs() {
        let bytes = std::fs::read(path).expect("the log is there");
        for (view, words) in VIEWS {
            snapshot(&format!("{log_name}.{view}"), &shown(&given(words, &bytes)));
        }
    }
}

/// The lines are long, so that only some logs stand here: one of each sort of line.
#[test]
fn what_programs_read_of_telling_logs() {
    for name in ["showcase", "completed-only", "not-json", "plan-in-query-only", "reconnect-loop", "failed-result"] {
        snapshot(&format!("{name}.events"), &shown(&given(&["events"], &log(name))));
    }
    for name in ["lost-piece", "thinking"] {
        snapshot(&format!("{name}.events-pieces"), &shown(&given(&["events", "--pieces"], &log(name))));
    }
}

#[test]
fn every_log_of_the_other_dialect() {
    for (log_name, path) in crate::acp::logs() {
        let bytes = std::fs::read(path).expect("the log is there");
        // Recordings of whole sessions in every view; what shows one thing, as people see it.
        let views = if log_name.starts_with("real-") { &VIEWS[..] } else { &VIEWS[3..4] };
        for (view, words) in views {
            snapshot(&format!("acp-{log_name}.{view}"), &shown(&given(words, &bytes)));
        }
    }
}

#[test]
fn colour_and_width() {
    let looks: [(&str, &[&str]); 6] = [
        ("color", &["pretty", "--thinking", "--color", "always", "--width", "80"]),
        ("narrow", &["pretty", "--width", "40"]),
        ("ascii", &["pretty", "--ascii", "--thinking", "--width", "80"]),
        ("none", &["pretty", "--output", "none"]),
        ("tools-color", &["tools", "--color", "always", "--width", "60"]),
        ("tools-narrow", &["tools", "--width", "30"]),
    ];
    for name in ["whole-messages", "every-tool", "wide-text", "rejected"] {
        for (look, words) in looks {
            snapshot(&format!("{name}.{look}"), &shown(&given(words, &log(name))));
        }
    }
}

#[test]
fn every_format_of_tools() {
    for format in ["json", "ndjson", "csv", "tsv", "markdown"] {
        snapshot(
            &format!("every-tool.tools-{format}"),
            &shown(&given(&["tools", "--format", format], &log("every-tool"))),
        );
        let grouped = given(&["tools", "--group", "--format", format], &log("every-tool"));
        snapshot(&format!("every-tool.tools-group-{format}"), &shown(&grouped));
    }
    for format in ["csv", "tsv", "markdown", "ndjson"] {
        let hostile = given(&["tools", "--format", format], &log("unsafe-output"));
        snapshot(&format!("unsafe-output.tools-{format}"), &shown(&hostile));
    }
    snapshot("every-tool.tools-group", &shown(&given(&["tools", "--group", "--sort", "duration"], &log("every-tool"))));
}

#[test]
fn consoles_and_other_pages() {
    for name in ["showcase", "unsafe-output", "failed-result"] {
        for console in ["github", "gitlab"] {
            let text = shown(&given(&["--ci", console, "--output", "full"], &log(name)));
            // The name of a section has the process in it.
            let text = text.replace(&format!("call_{}_", std::process::id()), "call_PID_");
            snapshot(&format!("{name}.{console}"), &text);
        }
    }
    for name in ["showcase", "every-tool", "two-runs", "failed-result", "no-run"] {
        for format in ["text", "json"] {
            snapshot(&format!("{name}.summary-{format}"), &shown(&given(&["summary", "--format", format], &log(name))));
        }
    }
    for name in ["every-tool", "wide-text"] {
        snapshot(&format!("{name}.log-narrow"), &shown(&given(&["log", "--width", "60"], &log(name))));
    }
}

#[test]
fn a_console_gets_no_command() {
    let consoles: [fn(&str) -> Option<String>; 4] = [
        |name| (name == "GITHUB_ACTIONS").then(|| "true".to_owned()),
        |name| (name == "GITLAB_CI").then(|| "true".to_owned()),
        |name| (name == "TF_BUILD").then(|| "True".to_owned()),
        |name| (name == "CI").then(|| "1".to_owned()),
    ];
    let views = [&["pretty", "--output", "full"][..], &["tools"], &["log"], &["log", "--full"]];
    for (console, words) in consoles.into_iter().flat_map(|console| views.map(|words| (console, words))) {
        let terminal = Terminal { variable: console, ..crate::PIPE };
        let given = given_in(terminal, words, io::Cursor::new(log("unsafe-output")));
        let text = given.text();
        assert!(text.contains(":\u{200b}:") || words[0] != "pretty", "the log holds such lines: {text}");
        // Groups and messages are commands of our own.
        let ours = ["::group::", "::endgroup::", "::error title=", "::warning title="];
        let is_ours = |line: &&str| ours.iter().any(|ours| line.starts_with(ours));
        for line in text.lines().chain(given.err.lines()).filter(|line| !is_ours(line)) {
            assert!(!line.trim_start().starts_with("::") && !line.contains("##["), "{line:?}");
        }
    }
}

#[test]
fn what_is_laid_out_holds_no_control_characters() {
    for (name, path) in logs() {
        let bytes = std::fs::read(path).expect("the log is there");
        let pretty = &["pretty", "--thinking", "--output", "full"][..];
        for words in [pretty, &["log", "--full"], &["tools"], &["tools", "--format", "markdown"], &["summary"]] {
            let text = String::from_utf8(given(words, &bytes).out).unwrap_or_else(|_| panic!("{name}: not UTF-8"));
            let bad = text.chars().find(|char| char.is_control() && !matches!(char, '\n' | '\t'));
            assert_eq!(bad, None, "{name} in {words:?}");
        }
    }
}

#[test]
fn json_is_json_whatever_the_log() {
    for (name, path) in logs() {
        let bytes = std::fs::read(path).expect("the log is there");
        for line in given(&["json"], &bytes).text().lines() {
            // Half a surrogate pair passes untouched, and only decoding it would fail.
            assert!(serde_json::from_str::<serde::de::IgnoredAny>(line).is_ok(), "{name}: {line}");
        }
    }
}

#[test]
fn a_terminal_gets_safe_text_and_a_pipe_the_bytes() {
    let on_terminal = Terminal { output: true, ..crate::PIPE };
    for words in [&["text", "--all"][..], &["json"], &["tools", "--format", "json"], &["tools", "--format", "csv"]] {
        let there = given_in(on_terminal, words, io::Cursor::new(log("unsafe-output"))).text();
        let bad = there.chars().find(|char| (char.is_control() && !matches!(char, '\n' | '\t')) || *char == '\u{202e}');
        assert_eq!(bad, None, "{words:?}: {there:?}");
    }
    assert!(given(&["text", "--all"], &log("unsafe-output")).out.contains(&0x1B), "the log holds escapes");
}
