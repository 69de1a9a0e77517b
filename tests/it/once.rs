//! What is told of logs in which something was lost, repeated or out of order: each a short script.

use crate::given;
use serde_json::{Value as Json, json};

/// Lines from a script. A step is a letter and a text: `p` a piece, `c` the message before a call, `b` an unmarked message, `x`
/// the result; `q` asks and `a` answers, `r` retries, `s` resumes and `o` is connected again; `t` is a thought; `1` begins, `2` ends and `3` does both
/// for a call of that id.
fn log(script: &[&str]) -> String {
    let mut lines = vec![json!({"type": "system", "subtype": "init", "session_id": "s"})];
    for step in script {
        let (letter, text) = step.split_at(1);
        let text = text.strip_prefix(' ').unwrap_or(text);
        let message = json!({"role": "assistant", "content": [{"type": "text", "text": text}]});
        let call = |subtype: &str| {
            let args = json!({"command": text});
            let body = if subtype == "started" { json!({"args": args}) } else { json!({"result": {"success": {}}}) };
            json!({"type": "tool_call", "subtype": subtype, "call_id": text, "tool_call": {"shellToolCall": body}})
        };
        lines.extend(match letter {
            "p" => vec![json!({"type": "assistant", "message": message, "timestamp_ms": 1})],
            "c" => vec![json!({"type": "assistant", "message": message, "model_call_id": "m", "timestamp_ms": 1})],
            "b" => vec![json!({"type": "assistant", "message": message})],
            "q" => vec![json!({"type": "interaction_query", "subtype": "request", "query": {"id": 0, "webFetchRequestQuery": {}}})],
            "a" => vec![json!({"type": "interaction_query", "subtype": "response", "response": {"id": 0}})],
            "r" => vec![json!({"type": "retry", "subtype": "starting"})],
            "s" => vec![json!({"type": "retry", "subtype": "resuming"})],
            "t" => vec![json!({"type": "thinking", "subtype": "delta", "text": text})],
            "o" => vec![json!({"type": "connection", "subtype": "reconnected"})],
            "1" => vec![call("started")],
            "2" => vec![call("completed")],
            "3" => vec![call("started"), call("completed")],
            "x" => vec![json!({"type": "result", "subtype": "success", "is_error": false, "result": text})],
            _ => panic!("no such step: {step}"),
        });
    }
    for line in &mut lines {
        line["session_id"] = json!("s");
    }
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// The messages that `text --all` prints; they hold no empty lines here.
fn messages(script: &[&str]) -> Vec<String> {
    let all = given(&["text", "--all"], log(script).as_bytes()).text();
    all.trim_end_matches('\n').split("\n\n").map(str::to_owned).collect()
}

/// What is shown, the script, and the messages.
const CASES: &[(&str, &[&str], &[&str])] = &[
    (
        "a flush at a retry is new without pieces",
        &["p First.", "r", "b Second.", "x First.Second."],
        &["First.", "Second."],
    ),
    ("also before a call", &["p First.", "r", "c Second.", "3 c", "b End."], &["First.", "Second.", "End."]),
    ("also before a question", &["p First.", "r", "p Second.", "q", "b End."], &["First.", "Second.", "End."]),
    (
        "a flush at a retry is a repeat behind pieces",
        &["p One ", "p two", "p One two", "r", "p Three", "b Three"],
        &["One two", "Three"],
    ),
    ("what is resumed goes on", &["p One ", "p two", "r", "s", "p  three", "b One two three"], &["One two three"]),
    ("a replay", &["p One ", "p two", "r", "p One", "p  two", "b One two"], &["One two"]),
    ("a replay that goes further", &["p Hel", "p lo", "r", "p Hello wor", "p ld", "b Hello world"], &["Hello world"]),
    ("no replay: less was said again", &["p Hello", "p  there", "r", "p Hello", "b Hello"], &["Hello thereHello"]),
    (
        "no replay: a call comes before its end",
        &["p Hello", "p  there", "r", "p Hello", "3 c", "b x"],
        &["Hello thereHello", "x"],
    ),
    (
        "the answer shows that a question was lost",
        &["p One ", "p two.", "p One two.", "a", "p Three.", "b Three."],
        &["One two.", "Three."],
    ),
    (
        "the first piece before a question is lost",
        &["p two ", "p three.", "p One two three.", "q", "b End."],
        &["One two three.", "End."],
    ),
    ("one in the middle", &["p One ", "p three.", "p One two three.", "q", "b End."], &["One two three.", "End."]),
    ("the last one", &["p One ", "p One two.", "q", "b End."], &["One two.", "End."]),
    ("pieces that only look so", &["p a", "p ab", "p abc", "b aababc"], &["aababc"]),
    ("the word again, then all", &["p ha", "p ha", "b haha"], &["haha"]),
    ("the word again, then a thought", &["p ha", "p ha", "t hm", "p !", "b haha!"], &["haha!"]),
    ("the word again, then the result", &["p ha", "p ha", "x haha"], &["haha"]),
    ("all again, then the result", &["p One", "p  two", "p One two", "x One two"], &["One two"]),
    (
        "all and what was lost, then the result",
        &["p two", "p  three", "p One two three", "x One two three"],
        &["One two three"],
    ),
    (
        "the last piece before a call is lost, which was said before",
        &["p ha", "c ha", "3 c", "p ha", "c haha", "3 d", "b ok"],
        &["ha", "haha", "ok"],
    ),
    ("a call's lines are lost", &["c First.", "b Second.", "x First.Second."], &["First.", "Second."]),
    ("a question's lines are lost", &["p Searching.", "b Found.", "x Searching.Found."], &["Searching.", "Found."]),
    ("a call's lines are lost between pieces", &["p a b", "c a b", "p c", "p  d", "b c d"], &["a bc d"]),
    ("and a piece too", &["p a b", "c a b", "p c", "b c d"], &["a bc d"]),
    ("and the repeat comes before a question", &["p One", "c One", "p  two", "p  two", "q", "b x"], &["One two", "x"]),
    ("the whole run again at its end", &["p a", "c a", "3 c", "p b", "b ab"], &["a", "b"]),
    ("the last message is lost, the result has it", &["p One.", "c One.", "3 c", "x One.Two."], &["One.", "Two."]),
    ("two pieces are lost", &["p One ", "p three ", "b One two three four"], &["One two three four"]),
    (
        "all between two messages is lost",
        &["p I will ", "p look.", "p two ", "p three.", "b one two three."],
        &["I will look.", "one two three."],
    ),
    ("the connection comes back without a retry", &["p ha", "p ha", "p haha", "o", "b hahahaha"], &["hahahaha"]),
    (
        "a question before a call is lost",
        &["p I will ", "p search.", "p I will search.", "1 c", "2 c", "b End."],
        &["I will search.", "End."],
    ),
    (
        "two pieces before a question are lost",
        &["p Let ", "p search ", "p Let me search now.", "q", "b x"],
        &["Let me search now.", "x"],
    ),
    (
        "the lines of a call and the last message are lost",
        &["c I will look.", "x I will look.All is well."],
        &["I will look.", "All is well."],
    ),
    (
        "what is retried begins like what was said",
        &["p OK", "r", "c OK, reading.", "3 c", "b Done.", "x OKOK, reading.Done."],
        &["OK", "OK, reading.", "Done."],
    ),
    ("what is retried is shorter", &["p OK, reading.", "r", "b OK", "x OK, reading.OK"], &["OK, reading.", "OK"]),
    ("what is retried is something else", &["p Hello", "r", "p He", "b Bye"], &["Hello", "He", "Bye"]),
    ("a replay of a single piece", &["p hi", "r", "s", "p hi", "b hi", "x hi"], &["hi"]),
    ("the same again behind a retry, and the result has both", &["p x", "r", "p x", "x xx"], &["x", "x"]),
    (
        "what was taken for a replay is not made up from the result",
        &["p abcd", "r", "p abcd", "r", "b a", "x abcdabcda"],
        &["abcd", "a"],
    ),
    ("a result that says something else changes nothing", &["p One.", "b One.", "x Other."], &["One."]),
];

#[test]
fn every_message_is_told_once() {
    for (what, script, want) in CASES {
        assert_eq!(messages(script), *want, "{what}");
    }
}

#[test]
fn a_message_whose_pieces_were_wrong_is_streamed_again_in_its_own_session() {
    let one = log(&["p one ", "p three", "c one two three", "3 c", "x one two three"]).replace("\"s\"", "\"a\"");
    let two = log(&["p hello ", "p world", "c hello world", "3 c", "x hello world"]).replace("\"s\"", "\"b\"");
    let lines: Vec<&str> = one.lines().zip(two.lines()).flat_map(|(one, two)| [one, two]).collect();
    let text = given(&["text", "--stream"], lines.join("\n").as_bytes()).text();
    assert_eq!(text.matches("one two three").count(), 1, "{text}");
    assert_eq!(text.matches("world").count(), 1, "{text}");
    let pretty = given(&["pretty"], log(&["p one ", "p three", "b one two three"]).as_bytes()).text();
    assert!(pretty.contains("one three\n\n  • pieces of this message were lost"), "{pretty}");
}

/// Tool, target and status of every row.
fn rows(log: &str) -> Vec<(String, Json, String)> {
    let rows: Vec<Json> =
        serde_json::from_slice(&given(&["tools", "--format", "json"], log.as_bytes()).out).expect("an array");
    let word = |row: &Json, key: &str| row[key].as_str().unwrap_or_default().to_owned();
    rows.iter().map(|row| (word(row, "tool"), row["target"].clone(), word(row, "status"))).collect()
}

/// A call's line.
#[expect(clippy::needless_pass_by_value, reason = "a test reads better with values written in place")]
fn call(subtype: &str, id: &str, tool: &str, body: Json) -> String {
    let call = json!({"type": "tool_call", "subtype": subtype, "call_id": id, "tool_call": {format!("{tool}ToolCall"): body}, "session_id": "s"});
    format!("{call}\n")
}

#[test]
fn every_call_is_a_row() {
    let shell = |command: &str| json!({"args": {"command": command}});
    let good = || json!({"result": {"success": {}}});
    let row = |tool: &str, target: Json, status: &str| (tool.to_owned(), target, status.to_owned());
    let cases = [
        (
            "two tools under one id",
            call("started", "G_0", "shell", shell("one"))
                + &call("started", "G_0", "read", json!({"args": {"path": "two"}}))
                + &call("completed", "G_0", "read", good()),
            vec![row("shell", json!("one"), "unfinished"), row("read", json!("two"), "ok")],
        ),
        (
            "calls without an id",
            call("started", "", "shell", shell("one"))
                + &call("started", "", "shell", shell("two"))
                + &call("completed", "", "shell", good()),
            vec![row("shell", json!("one"), "ok"), row("shell", json!("two"), "unfinished")],
        ),
        (
            "a start that comes again with less",
            call("started", "c", "shell", shell("one"))
                + &call("started", "c", "shell", json!({}))
                + &call("completed", "c", "shell", good()),
            vec![row("shell", json!("one"), "ok")],
        ),
        (
            "an end that comes again",
            call("completed", "c", "shell", shell("one")) + &call("completed", "c", "shell", shell("one")),
            vec![row("shell", json!("one"), "ok")],
        ),
        (
            "an end behind the result",
            call("started", "c", "shell", shell("one"))
                + &log(&["x done"]).lines().last().map(|line| format!("{line}\n")).unwrap_or_default()
                + &call("completed", "c", "shell", good()),
            vec![row("shell", json!("one"), "ok")],
        ),
        (
            "an outcome that is null is none",
            call(
                "completed",
                "c",
                "shell",
                json!({"args": {"command": "one"}, "result": {"error": null, "success": {"exitCode": 0}}}),
            ),
            vec![row("shell", json!("one"), "ok")],
        ),
    ];
    for (what, log, want) in cases {
        assert_eq!(rows(&log), want, "{what}");
    }
}

#[test]
fn times_are_never_negative_and_never_too_large() {
    let own = call("completed", "c", "shell", json!({"result": {"success": {"executionTime": -5}}}));
    let huge = call("completed", "d", "shell", json!({"result": {"success": {}}})).replace(
        "\"shellToolCall\"",
        "\"startedAtMs\":\"0\",\"completedAtMs\":\"9223372036854775807\",\"shellToolCall\"",
    );
    let got = given(&["tools"], (own + &huge).as_bytes()).text();
    assert!(got.contains("0ms") && !got.contains("-5") && got.contains("2562047788015h 12m"), "{got}");
}

#[test]
fn a_plan_is_shown_once_wherever_it_stands() {
    let query = |id: &str| {
        let query = json!({"type": "interaction_query", "subtype": "request", "session_id": "s", "query":
            {"id": 0, "createPlanRequestQuery": {"args": {"plan": "# Plan of all", "name": "n"}, "toolCallId": id}}});
        format!("{query}\n")
    };
    let told = call(
        "completed",
        "c",
        "createPlan",
        json!({"args": {"plan": "# Plan of all", "name": "n"}, "result": {"success": {}}}),
    );
    let refused = call("started", "c", "createPlan", json!({"args": {"name": "n"}}))
        + &query("c")
        + &call("completed", "c", "createPlan", json!({"result": {"rejected": {}}}));
    let end = log(&["x n"]);
    let open = call("started", "c", "createPlan", json!({"args": {"plan": "# Plan of all", "name": "n"}}));
    let twice = query("c") + &query("d");
    for lines in [
        query("c") + &told,
        told.clone() + &query("c"),
        query("c") + &open,
        query(""),
        query("c"),
        query("") + &told,
        refused,
        twice,
    ] {
        let got = given(&["pretty"], (lines.clone() + &end).as_bytes()).text();
        assert_eq!(got.matches("# Plan of all").count(), 1, "{lines}\n{got}");
    }
}

#[test]
fn a_result_that_is_no_json_comes_out_as_json() {
    for usage in ["{oops}", "[1}", "\"a\\qb\"", "\"a\tb\""] {
        let line = format!("{{\"type\":\"result\",\"subtype\":\"success\",\"result\":\"ok\",\"usage\":{usage}}}\n");
        let got = given(&["json"], line.as_bytes());
        assert_eq!(got.status, 0);
        let value: Json = serde_json::from_slice(&got.out).unwrap_or_else(|error| panic!("{error}: {}", got.text()));
        assert_eq!(value["result"], "ok");
    }
}

#[test]
fn many_calls_under_one_id_take_no_time() {
    let starts =
        |id: &str| -> String { (0..30_000).map(|tool| call("started", id, &format!("t{tool}"), json!({}))).collect() };
    let ends: String = (0..30_000).rev().map(|tool| call("completed", "", &format!("t{tool}"), json!({}))).collect();
    let got = given(&["tools", "--format", "csv"], (starts("G_0") + &starts("") + &ends).as_bytes()).text();
    assert_eq!(got.lines().count(), 60_001);
}

#[test]
fn many_calls_at_once_take_no_time() {
    let starts: String =
        (0..30_000).map(|id| call("started", &id.to_string(), "shell", json!({"args": {"command": "x"}}))).collect();
    let ends: String = (0..30_000).map(|id| call("completed", &id.to_string(), "shell", json!({}))).collect();
    let got = given(&["tools", "--group", "--format", "csv"], (starts + &ends).as_bytes()).text();
    assert!(got.contains("shell,30000,0,0,0"), "{got}");
}
