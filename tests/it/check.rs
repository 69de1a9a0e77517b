//! What is wrong in a log is named, at its line, and nothing else is.

use crate::{Terminal, given, given_in, log, logs, root};
use serde_json::{Value as Json, json};
use std::io;

/// The logs that are broken, each named for the finding: where it is and what is said of it.
const BROKEN: [(&str, u64, &str, &str); 11] = [
    ("invalid-json", 3, "invalid-json", "not JSON: npm warn: a newer version is out"),
    (
        "invalid-json-cut",
        3,
        "invalid-json",
        r#"not JSON: {"type":"assistant","message":{"role":"assistant","content":"#,
    ),
    ("invalid-json-within", 4, "invalid-json", "invalid escape, at byte 196 of the object"),
    ("unknown-event", 3, "unknown-event", "no event is called `weather/fog`"),
    ("unfinished-call", 7, "unfinished-call", "no end of call 2, which began in line 5: shell ./gate --wait"),
    ("text-disagrees", 6, "text-disagrees", "the result is not what was said before, from byte 7 on"),
    ("text-disagrees-shorter", 6, "text-disagrees", "the result has only the first 5 of 11 bytes that were said"),
    ("text-disagrees-longer", 6, "text-disagrees", "the result has 9 bytes more than what was said before"),
    ("text-disagrees-pieces", 6, "text-disagrees", "the result is not what was said before, from byte 7 on"),
    ("cut-log", 4, "cut-log", "the log ends before the run's result"),
    ("no-run", 2, "no-run", "no run in the log"),
];

/// What is wrong with the other logs: what each of them is there to show. All that are not here are sound.
const ODD: [(&str, &[(u64, &str)]); 10] = [
    ("glued-behind-cut", &[(3, "invalid-json"), (5, "invalid-json"), (6, "unfinished-call")]),
    ("invalid-utf8", &[(5, "invalid-json"), (6, "invalid-json"), (7, "invalid-json")]),
    ("never-completed", &[(4, "unfinished-call"), (4, "cut-log")]),
    ("no-result", &[(2, "cut-log")]),
    ("no-run", &[(1, "invalid-json"), (3, "invalid-json"), (3, "no-run")]),
    (
        "not-json",
        &[
            (1, "invalid-json"),
            (4, "invalid-json"),
            (6, "invalid-json"),
            (9, "invalid-json"),
            (10, "invalid-json"),
            (12, "invalid-json"),
        ],
    ),
    ("odd-types", &[(3, "unknown-event"), (4, "unknown-event"), (5, "unknown-event")]),
    ("raw-newline", &[(4, "invalid-json"), (6, "invalid-json")]),
    ("reconnect-loop", &[(15, "invalid-json"), (15, "cut-log")]),
    ("resumed", &[(5, "unfinished-call")]),
];

/// The same of logs of the Agent Client Protocol. That a run was cancelled or cut does not finish its calls.
const ODD_ACP: [(&str, &[(u64, &str)]); 11] = [
    ("calls-left-open", &[(12, "unfinished-call"), (12, "unfinished-call")]),
    ("cancelled", &[(11, "unfinished-call")]),
    ("client-side", &[(8, "cut-log")]),
    ("cut-off", &[(14, "unfinished-call"), (14, "cut-log")]),
    ("mixed", &[(5, "invalid-json"), (9, "invalid-json"), (15, "invalid-json")]),
    ("never-released", &[(14, "terminal-not-released")]),
    ("no-prompt", &[(5, "no-run")]),
    ("real-14-cut-off-client-timeout", &[(9, "unfinished-call"), (9, "cut-log")]),
    ("real-22-background-never-released", &[(17, "terminal-not-released")]),
    ("real-23-two-sessions-cancelled", &[(27, "unfinished-call"), (29, "unfinished-call")]),
    ("unknown-events", &[(6, "unknown-event"), (11, "unknown-event"), (17, "unknown-event")]),
];

fn broken(name: &str) -> String {
    root().join("tests/logs/broken").join(name).with_extension("ndjson").to_string_lossy().into_owned()
}

/// The places and names that a log has in the format for programs.
fn findings(bytes: &[u8]) -> Vec<(u64, String)> {
    let place = |line: &str| {
        let line: Json = serde_json::from_str(line).expect("a finding is JSON");
        (line["line"].as_u64().expect("it has a line"), line["name"].as_str().expect("it has a name").to_owned())
    };
    given(&["check", "--format", "json"], bytes).text().lines().map(place).collect()
}

#[test]
fn a_broken_log_has_exactly_its_finding() {
    for (name, line, fault, what) in BROKEN {
        let path = broken(name);
        let got = given(&["check", &path], b"");
        assert_eq!(got.text(), format!("{path}:{line}: {fault}: {what}\n"));
        assert_eq!((got.status, got.err), (1, format!("cursor-fmt: {path}: 1 finding\n")), "{name}");
        let got = given(&["check", "--format", "json", &path], b"");
        let told: Json = serde_json::from_str(&got.text()).unwrap_or_else(|why| panic!("{name}: {why}"));
        let known = !["invalid-json", "invalid-json-cut", "no-run"].contains(&name);
        let session = if known { json!("5f0c7a52-6f0e-4a4e-9a51-2b7f3c9d1e60") } else { Json::Null };
        // Text that is no JSON belongs to no run, and the line that is cut does not say its session.
        let run = if known { json!(1) } else { Json::Null };
        let want = json!({"log": path, "line": line, "name": fault, "session": session, "run": run, "what": what});
        assert_eq!(told, want);
        assert_eq!(got.status, 1, "{name}");
    }
    let files = std::fs::read_dir(root().join("tests/logs/broken")).expect("the logs are there").count();
    assert_eq!(files, BROKEN.len(), "each is in the list");
}

#[test]
fn every_other_log_has_what_it_is_there_to_show_or_nothing() {
    for (name, path) in logs().into_iter().chain(crate::acp::logs()) {
        let bytes = std::fs::read(path).expect("the log is there");
        let want = ODD.iter().chain(&ODD_ACP).find(|(odd, _)| *odd == name).map_or(&[][..], |(_, findings)| findings);
        let got = findings(&bytes);
        let got: Vec<(u64, &str)> = got.iter().map(|(line, name)| (*line, name.as_str())).collect();
        assert_eq!(got, want, "{name}");
        let got = given(&["check"], &bytes);
        assert_eq!((got.status, got.text().lines().count()), (u8::from(!want.is_empty()), want.len()), "{name}");
        assert_eq!(got.err.is_empty(), want.is_empty(), "{name}: {}", got.err);
    }
}

/// The rules of the protocol, and the lines in which the logs that are named for them break each.
const RULES: [(&str, u64); 17] = [
    ("answer-without-request", 6),
    ("answered-twice", 14),
    ("cut-log", 9),
    ("cwd-not-absolute", 7),
    ("exit-status-changed", 13),
    ("invalid-json", 7),
    ("never-answered", 10),
    ("no-run", 4),
    ("output-cut-in-character", 13),
    ("output-over-limit", 13),
    ("terminal-after-release", 14),
    ("terminal-not-released", 16),
    ("terminal-without-capability", 7),
    ("unfinished-call", 8),
    ("unknown-event", 6),
    ("unknown-terminal", 16),
    ("wait-answered-early", 13),
];

#[test]
fn each_rule_of_the_protocol_that_a_log_breaks_is_named() {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(root().join("tests/logs/acp/broken")).expect("the logs are there") {
        let path = entry.expect("a folder can be listed").path();
        let name = path.file_stem().expect("a log has a name").to_string_lossy().into_owned();
        let bytes = std::fs::read(&path).expect("the log is there");
        let line = RULES.iter().find(|(rule, _)| *rule == name).map(|(_, line)| *line);
        assert_eq!(findings(&bytes), [(line.expect("it is in the list"), name.clone())], "{name}");
        let got = given(&["check"], &bytes);
        assert_eq!((got.status, got.err.lines().count()), (1, 1), "{name}: {}", got.err);
        names.push(name);
    }
    assert_eq!(names.len(), RULES.len());
}

#[test]
fn only_findings_count() {
    // A run that failed and says so is an honest log.
    let failed = given(&["check"], &log("failed-result"));
    assert_eq!((failed.status, failed.text().as_str(), failed.err.as_str()), (0, "", ""));
    let (cut, wrong) = (broken("cut-log"), broken("invalid-json"));
    assert_eq!(given(&["check", "--exit-zero", &cut], b"").status, 0);
    let both = given(&["check", &cut, &wrong], b"");
    assert_eq!((both.status, both.text().lines().count()), (1, 2));
    assert_eq!(both.err, format!("cursor-fmt: 2 findings in 2 logs (first: {cut})\n"));
    let missing = given(&["check", &cut, "/no/such/log", &wrong], b"");
    assert_eq!((missing.status, missing.text().lines().count()), (2, 2), "{}", missing.err);
    assert_eq!(missing.err.lines().count(), 1, "{}", missing.err);
    assert_eq!(given(&["check", "--fail-on", "rejected"], &log("rejected")).status, 4, "where it is asked for");
    assert_eq!(given(&["check", "--strict", &wrong], b"").status, 2);
    let empty = given(&["check"], b"");
    assert_eq!((empty.status, empty.text().as_str()), (1, "stdin:1: no-run: no run in the log\n"));
}

#[test]
fn what_is_read_on_purpose_is_no_finding() {
    let good = String::from_utf8(log("whole-messages")).expect("the log is UTF-8");
    let lines: Vec<&str> = good.lines().collect();
    let laid_out = |line: &str| line.replacen(',', ",\n  ", 2);
    for (name, text) in [
        ("a byte order mark", format!("\u{feff}{good}")),
        ("carriage returns and blank lines", good.replace('\n', "\r\n\r\n")),
        ("NULs", good.replace('\n', "\0\n\0")),
        ("a prefix", lines.iter().map(|line| format!("stdout: {line}\n")).collect()),
        ("escape sequences", lines.iter().map(|line| format!("\x1b[2K\x1b]0;a title\x07{line}\x1b[0m\n")).collect()),
        ("objects on one line", lines.join(" ")),
        ("objects over several lines", lines.iter().map(|line| format!("{}\n", laid_out(line))).collect()),
        ("no line break at the end", good.trim_end().to_owned()),
    ] {
        let got = given(&["check"], text.as_bytes());
        assert_eq!((got.text().as_str(), got.status), ("", 0), "{name}: {}", got.err);
    }
}

#[test]
fn a_result_may_differ_in_blanks_or_say_nothing() {
    let said = |text: &str| {
        format!(
            "{{\"type\":\"assistant\",\"message\":{{\"content\":[{{\"type\":\"text\",\"text\":{text:?}}}]}},\"session_id\":\"s\"}}\n"
        )
    };
    let result = |text: &str| {
        format!("{{\"type\":\"result\",\"subtype\":\"success\",\"result\":{text:?},\"session_id\":\"s\"}}\n")
    };
    for (said, result) in [
        (said("one\n"), result("one")),
        (said("one"), result("\none \n")),
        (said("one"), result("")),
        (said(" \n"), result("one")),
        (String::new(), result("one")),
        (said("one"), "{\"type\":\"result\",\"subtype\":\"success\",\"session_id\":\"s\"}\n".to_owned()),
        (said("one"), result("no").replace("success", "error")),
    ] {
        let log = said + &result;
        assert_eq!(findings(log.as_bytes()), [], "{log}");
    }
}

#[test]
fn damage_is_found_wherever_it_is_and_told_once_a_line() {
    let long = "x".repeat(600_000);
    let line = |text: &str| {
        format!(
            "{{\"type\":\"tool_call\",\"subtype\":\"completed\",\"call_id\":\"c\",\"tool_call\":{{\"readToolCall\":{{\"result\":{{\"success\":{{\"content\":\"{long}{text}{long}\"}}}}}}}},\"session_id\":\"s\"}}\n"
        )
    };
    let result = "{\"type\":\"result\",\"subtype\":\"success\",\"session_id\":\"s\"}\n";
    let bad = vec![(1, "invalid-json".to_owned())];
    assert_eq!(findings(format!("{}{result}", line("\\n")).as_bytes()), []);
    for text in ["\\q", "\t", "\u{1}"] {
        assert_eq!(findings(format!("{}{result}", line(text)).as_bytes()), bad, "{text:?}");
    }
    let several = format!("{{}} no {{\"a\":tru}} JSON {{\"b\":1}} here {{\"type\":\"x\", bad}}\n{result}");
    assert_eq!(findings(several.as_bytes()), bad);
    // The two objects of a line can each be wrong in their own way.
    let two =
        format!("{{\"type\":\"fog\",\"session_id\":\"s\"}} {{\"type\":\"ice\",\"session_id\":\"s\"}} ice\n{result}");
    let want = [(1, "unknown-event"), (1, "unknown-event"), (1, "invalid-json")];
    assert_eq!(findings(two.as_bytes()), want.map(|(line, name)| (line, name.to_owned())));
}

#[test]
fn an_object_over_several_lines_has_the_number_of_its_first() {
    let log = "{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"s\"}\n\n{\n\"type\":\"fog\",\n\"session_id\":\"s\"\n}\nno\n";
    let want = [(3, "unknown-event"), (7, "invalid-json"), (7, "cut-log")];
    assert_eq!(findings(log.as_bytes()), want.map(|(line, name)| (line, name.to_owned())));
}

#[test]
fn a_finding_gives_no_orders_and_shows_no_secret() {
    let token = format!("ghp_{}", "a1B2c3D4".repeat(5).chars().take(36).collect::<String>());
    let log = format!(
        "::error::\x1b[31mred\u{202e} {token}\n{{\"type\":\"\x1b]0;x\x07::warning::\\u001b[1m\",\"session_id\":\"s\"}}\n##[group]x\n{{\"type\":\"result\",\"subtype\":\"success\",\"session_id\":\"s\"}}\n"
    );
    let on_console = Terminal { variable: |name| (name == "GITHUB_ACTIONS").then(|| "true".to_owned()), ..crate::PIPE };
    let on_terminal = Terminal { output: true, ..crate::PIPE };
    for (there, words) in
        [(crate::PIPE, &["check"][..]), (on_terminal, &["check", "--format", "json"]), (on_console, &["check"])]
    {
        let words: Vec<&str> = words.iter().chain(&["--color", "never"]).copied().collect();
        let text = given_in(there, &words, io::Cursor::new(log.clone())).text();
        assert_eq!(text.lines().count(), 4, "{text}");
        let bad = text.chars().find(|char| (char.is_control() && *char != '\n') || *char == '\u{202e}');
        assert_eq!(bad, None, "{text:?}");
        assert!(text.lines().all(|line| line.starts_with("stdin:") || line.starts_with('{')), "{text}");
    }
    let masked = given_in(on_console, &["check"], io::Cursor::new(log.clone())).text();
    assert!(!masked.contains(&token) && masked.contains("##\u{200b}[group]"), "{masked}");
    assert!(given(&["check"], log.as_bytes()).text().contains(&token), "in a pipe, it is what the log holds");
    assert!(!given(&["check", "--redact", "--format", "json"], log.as_bytes()).text().contains(&token));
    assert!(given_in(on_terminal, &["check"], io::Cursor::new(log)).text().contains('\x1b'), "colour");
}
