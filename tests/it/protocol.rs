//! What sessions of the Agent Client Protocol come to that go other ways than the page of the protocol shows.

#![expect(clippy::needless_pass_by_value, reason = "what `json!` makes reads best where it is used")]

use crate::{given, log};
use serde_json::{Value as Json, json};

fn request(id: u64, method: &str, params: Json) -> Json {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

fn answer(id: u64, result: Json) -> Json {
    json!({"jsonrpc": "2.0", "id": id, "result": result})
}

fn error(id: u64, message: &str) -> Json {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32603, "message": message}})
}

/// A connection, and the session `s` on it.
fn start() -> Vec<Json> {
    vec![
        request(0, "initialize", json!({"protocolVersion": 1, "clientCapabilities": {"terminal": true}})),
        answer(0, json!({"protocolVersion": 1})),
        request(1, "session/new", json!({"cwd": "/w", "mcpServers": []})),
        answer(1, json!({"sessionId": "s"})),
    ]
}

fn prompt(id: u64, text: &str) -> Json {
    request(id, "session/prompt", json!({"sessionId": "s", "prompt": [{"type": "text", "text": text}]}))
}

fn end(id: u64, reason: &str) -> Json {
    answer(id, json!({"stopReason": reason}))
}

fn update(mut fields: Json, kind: &str) -> Json {
    fields["sessionUpdate"] = kind.into();
    json!({"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s", "update": fields}})
}

fn say(text: &str) -> Json {
    update(json!({"content": {"type": "text", "text": text}}), "agent_message_chunk")
}

/// A command is announced.
fn call(id: &str, command: &str) -> Json {
    let fields = json!({"toolCallId": id, "title": id, "kind": "execute", "status": "in_progress", "rawInput": {"command": command}});
    update(fields, "tool_call")
}

fn change(id: &str, mut fields: Json) -> Json {
    fields["toolCallId"] = id.into();
    update(fields, "tool_call_update")
}

fn over(id: &str) -> Json {
    change(id, json!({"status": "completed"}))
}

fn shows(id: &str, terminal: &str) -> Json {
    change(id, json!({"content": [{"type": "terminal", "terminalId": terminal}]}))
}

fn create(id: u64, command: &str, terminal: &str) -> Vec<Json> {
    let params = json!({"sessionId": "s", "command": "sh", "args": ["-c", command]});
    vec![request(id, "terminal/create", params), answer(id, json!({"terminalId": terminal}))]
}

fn about(id: u64, what: &str, terminal: &str, result: Json) -> Vec<Json> {
    vec![
        request(id, &format!("terminal/{what}"), json!({"sessionId": "s", "terminalId": terminal})),
        answer(id, result),
    ]
}

/// A poll of a terminal; with an exit code, of one whose command has ended.
fn poll(id: u64, terminal: &str, output: &str, code: Option<i64>) -> Vec<Json> {
    let mut result = json!({"output": output, "truncated": false});
    if let Some(code) = code {
        result["exitStatus"] = json!({"exitCode": code, "signal": null});
    }
    about(id, "output", terminal, result)
}

fn lines(messages: &[Json]) -> String {
    messages.iter().map(|message| format!("{message}\n")).collect()
}

/// A session with these messages between its first prompt and its end.
fn turn(messages: &[Vec<Json>]) -> String {
    let middle = messages.concat();
    lines(&[start(), vec![prompt(2, "go")], middle, vec![end(2, "end_turn")]].concat())
}

fn shown(words: &[&str], text: &str) -> String {
    let words: Vec<&str> = ["pretty"].iter().chain(words).copied().collect();
    given(&words, text.as_bytes()).text()
}

/// The calls: what each is about, how it went, and its exit code.
fn rows(text: &str) -> Vec<(String, String, Option<i64>)> {
    let given = given(&["tools", "--format", "json"], text.as_bytes());
    let rows: Vec<Json> = serde_json::from_slice(&given.out).expect("rows are JSON");
    let string = |row: &Json, key: &str| row[key].as_str().unwrap_or_default().to_owned();
    rows.iter().map(|row| (string(row, "target"), string(row, "status"), row["exit_code"].as_i64())).collect()
}

fn row(target: &str, status: &str, code: Option<i64>) -> (String, String, Option<i64>) {
    (target.to_owned(), status.to_owned(), code)
}

#[test]
fn a_last_line_without_a_break_is_shown_whatever_comes_between() {
    let parallel = turn(&[
        vec![call("a", "aa"), call("b", "bb")],
        create(0, "aa", "A"),
        poll(1, "A", "fatal: no such file", Some(1)),
        vec![say("Hm."), over("b"), over("a")],
    ]);
    assert!(shown(&["--output", "full"], &parallel).contains("│ fatal: no such file\n"));
    // A bar that goes on in its line is one line.
    let mut bar = vec![vec![call("a", "aa"), call("b", "bb")], create(0, "aa", "A")];
    for (id, text) in ["10%", "10%\r20%", "10%\r20%\r30%"].into_iter().enumerate() {
        bar.push(poll(id as u64 + 1, "A", text, None));
        bar.push(vec![say("Waiting. ")]);
    }
    bar.push(vec![over("a"), over("b")]);
    let text = shown(&["--output", "full"], &turn(&bar));
    assert_eq!(text.matches("shell aa").count(), 1, "{text}");
    assert!(text.contains("30%"), "{text}");
}

#[test]
fn what_stands_before_each_line_is_no_mark_of_a_side() {
    for before in ["INFO acp: ", "agent-1  | ", "[acp] ", "job\tstep\t2026-11-30T05:25:01.116Z "] {
        let messages = [start(), vec![prompt(2, "go"), say("hello"), error(2, "boom")]].concat();
        let text: String = messages.iter().map(|message| format!("{before}{message}\n")).collect();
        let got = given(&["pretty"], text.as_bytes());
        assert!(got.err.contains("the run failed: boom") && got.status == 1, "{before}: {}", got.err);
        assert!(got.text().starts_with("▌ /w · s\n"), "{before}: {}", got.text());
    }
    let messages = [start(), vec![prompt(2, "go"), say("hello"), error(2, "boom")]].concat();
    let wrapped: Vec<Json> = messages.iter().map(|message| json!({"direction": "both", "message": message})).collect();
    assert_eq!(given(&["text"], lines(&wrapped).as_bytes()).status, 1);
}

#[test]
fn a_call_that_a_run_has_left_is_no_call_of_the_next() {
    let text = lines(
        &[
            start(),
            vec![prompt(2, "one"), call("a", "sleep 9"), end(2, "cancelled")],
            vec![prompt(3, "two"), say("Hello."), end(3, "end_turn")],
        ]
        .concat(),
    );
    assert_eq!(rows(&text), [row("a: sleep 9", "unfinished", None)]);
}

#[test]
fn what_is_no_message_of_the_protocol_makes_no_run_and_answers_nothing() {
    let good = String::from_utf8(log("whole-messages")).expect("the log is UTF-8");
    let before = given(&["summary", "--format", "json"], good.as_bytes());
    for foreign in [
        r#"{"level":"error","id":null,"error":"cache miss"}"#,
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}"#,
        r#"{"method":"GET","path":"/"}"#,
        r#"{"method":"session/prompt","path":"/x"}"#,
        r#"{"id":1,"result":"x"}"#,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}"#,
    ] {
        let got = given(&["summary", "--format", "json"], format!("{good}{foreign}\n").as_bytes());
        assert_eq!((got.text(), got.status), (before.text(), 0), "{foreign}: {}", got.err);
    }
    for foreign in [
        json!({"id": 2, "level": "info", "msg": "queued"}),
        json!({"level": 20, "method": "session/prompt", "id": 3, "msg": "rpc"}),
    ] {
        let text = lines(&[start(), vec![prompt(2, "go"), foreign.clone(), error(2, "overloaded")]].concat());
        let got = given(&["text"], text.as_bytes());
        assert!(got.err.contains("overloaded") && got.status == 1, "{foreign}: {}", got.err);
    }
}

#[test]
fn lines_that_only_look_like_those_of_a_recording_are_text() {
    let good = String::from_utf8(log("whole-messages")).expect("the log is UTF-8");
    for line in ["[", "]", "[webpack] >>> compiled"] {
        let got = given(&["text"], format!("{good}{line}\n").as_bytes());
        assert!(got.err.contains("1 line was not JSON"), "{line}: {}", got.err);
    }
}

#[test]
fn a_prompt_that_comes_before_the_last_answer_has_its_own() {
    let cancel = json!({"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": "s"}});
    let text = lines(
        &[
            start(),
            vec![prompt(2, "one"), say("part"), cancel, prompt(3, "two"), end(2, "cancelled")],
            vec![say("answer two"), end(3, "end_turn")],
        ]
        .concat(),
    );
    let got = given(&["text"], text.as_bytes());
    assert_eq!((got.text().as_str(), got.status), ("answer two\n", 1), "{}", got.err);
    let shown = shown(&[], &text);
    let order = ["❯ one", "part", "✗ failed: cancelled", "❯ two", "answer two", "✓ done"];
    let places: Vec<Option<usize>> = order.iter().map(|words| shown.find(words)).collect();
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{shown}");
    // Where only the later one is answered, both are told, and nothing is lost.
    let one = lines(&[start(), vec![prompt(2, "one"), prompt(3, "two"), say("both"), end(3, "end_turn")]].concat());
    let got = given(&["text"], one.as_bytes());
    assert_eq!((got.text().as_str(), got.status), ("both\n", 0), "{}", got.err);
}

#[test]
fn a_snapshot_that_shares_something_with_the_last_one_tells_only_what_is_new() {
    let cases: [(&[&str], &[&str]); 4] = [
        // The end was cut.
        (&["l1\nl2\npar", "l1\nl2\n"], &["l1", "l2", "par"]),
        (&["l1\nl2\n", "l1\n", ""], &["l1", "l2"]),
        // The beginning was cut, in text that repeats itself.
        (
            &["========================================\n5 passed\n", "====================\n5 passed\nbye\n"],
            &["========================================", "5 passed", "bye"],
        ),
        (
            &[
                "............................................................\n",
                "..................................................\nF\n",
            ],
            &["............................................................", "F"],
        ),
    ];
    for (snapshots, want) in cases {
        let mut turns = vec![vec![call("a", "aa")], create(0, "aa", "A")];
        for (id, snapshot) in snapshots.iter().enumerate() {
            turns.push(about(id as u64 + 1, "output", "A", json!({"output": snapshot, "truncated": id > 0})));
        }
        turns.push(vec![over("a")]);
        let text = shown(&["--output", "full"], &turn(&turns));
        let printed: Vec<&str> = text.lines().filter_map(|line| line.trim().strip_prefix("│ ")).collect();
        assert_eq!(printed, want, "{snapshots:?}: {text}");
    }
}

#[test]
fn a_terminal_belongs_to_the_call_that_shows_it() {
    let same = turn(&[
        vec![call("a", "t"), call("b", "t")],
        create(0, "t", "T1"),
        vec![shows("a", "T1")],
        poll(1, "T1", "one\n", Some(1)),
        create(2, "t", "T2"),
        vec![shows("b", "T2")],
        poll(3, "T2", "two\n", Some(0)),
        vec![over("a"), over("b")],
    ]);
    assert_eq!(rows(&same), [row("a: t", "failed", Some(1)), row("b: t", "ok", Some(0))]);
    // Two that run the same and show nothing: the first begins first.
    let neither = turn(&[
        vec![call("a", "t"), call("b", "t")],
        create(0, "t", "T1"),
        create(1, "t", "T2"),
        poll(2, "T1", "one\n", Some(0)),
        poll(3, "T2", "two\n", Some(1)),
        vec![over("a"), over("b")],
    ]);
    assert_eq!(rows(&neither), [row("a: t", "ok", Some(0)), row("b: t", "failed", Some(1))]);
    // A terminal may have the id of a call.
    let ids = turn(&[
        vec![update(
            json!({"toolCallId": "1", "title": "Read it", "kind": "read", "status": "in_progress"}),
            "tool_call",
        )],
        create(0, "make", "1"),
        poll(1, "1", "out\n", Some(0)),
        about(2, "release", "1", json!({})),
        vec![over("1")],
    ]);
    assert_eq!(rows(&ids), [row("Read it", "ok", None), row("make", "ok", Some(0))]);
}

#[test]
fn the_last_answer_about_a_call_counts() {
    let ask = |id: u64| {
        let options = json!([{"optionId": "y", "name": "Yes", "kind": "allow_once"}, {"optionId": "n", "name": "No", "kind": "reject_once"}]);
        let call =
            json!({"toolCallId": "pending", "title": "shell", "kind": "execute", "rawInput": {"command": "rm x"}});
        request(id, "session/request_permission", json!({"sessionId": "s", "toolCall": call, "options": options}))
    };
    let chosen = |id: u64, option: &str| answer(id, json!({"outcome": {"outcome": "selected", "optionId": option}}));
    let text = turn(&[vec![ask(0), chosen(0, "n"), ask(1), chosen(1, "y"), call("c", "rm x"), over("c")]]);
    assert_eq!(rows(&text), [row("c: rm x", "ok", None), row("rm x", "rejected", None)]);
    // What nobody has offered neither allows nor forbids.
    let text = turn(&[vec![ask(0), chosen(0, "later"), call("c", "rm x"), over("c")]]);
    assert_eq!(rows(&text), [row("c: rm x", "ok", None)]);
    assert!(!shown(&[], &text).contains("allowed"));
}

#[test]
fn a_connection_that_begins_anew_answers_nothing_of_the_last_one() {
    let create_only = request(0, "terminal/create", json!({"sessionId": "s", "command": "old"}));
    let text = lines(
        &[
            start(),
            vec![prompt(2, "one"), create_only],
            start(),
            vec![prompt(2, "two")],
            create(0, "new", "T"),
            poll(3, "T", "x\n", Some(0)),
            vec![say("ok"), end(2, "end_turn")],
        ]
        .concat(),
    );
    assert_eq!(rows(&text), [row("new", "ok", Some(0))]);
    assert_eq!(given(&["text"], text.as_bytes()).status, 0, "the session went on");
}

#[test]
fn what_is_known_of_an_exit_stays_known() {
    let late = [
        vec![prompt(2, "go"), call("a", "make"), shows("a", "T")],
        about(0, "wait_for_exit", "T", json!({"exitCode": 4, "signal": null})),
        vec![over("a"), end(2, "end_turn")],
    ];
    assert_eq!(rows(&lines(&late.concat())), [row("make", "failed", Some(4))], "a log that begins late");
    let empty = turn(&[
        vec![call("a", "make")],
        create(0, "make", "T"),
        poll(1, "T", "x\n", Some(3)),
        about(3, "wait_for_exit", "T", json!({})),
        vec![over("a")],
    ]);
    assert_eq!(rows(&empty), [row("make", "failed", Some(3))], "an answer that says nothing");
    let ended = turn(&[
        vec![call("a", "make")],
        create(0, "make", "T"),
        about(
            1,
            "output",
            "T",
            json!({"output": "", "truncated": false, "exitStatus": {"exitCode": null, "signal": null}}),
        ),
        vec![over("a")],
    ]);
    assert!(!shown(&[], &ended).contains("still running"), "it has ended, though nobody knows how");
    let not_killed = turn(&[
        vec![call("a", "make")],
        create(0, "make", "T"),
        vec![request(1, "terminal/kill", json!({"sessionId": "s", "terminalId": "T"})), error(1, "no such process")],
        poll(3, "T", "x\n", Some(0)),
        vec![over("a")],
    ]);
    assert_eq!(rows(&not_killed), [row("make", "ok", Some(0))]);
}

#[test]
fn what_comes_behind_the_end_is_told() {
    let goes_on = turn(&[
        vec![call("a", "make")],
        create(0, "make", "T"),
        vec![over("a")],
        poll(1, "T", "boom\n", Some(2)),
        about(3, "release", "T", json!({})),
    ]);
    let text = shown(&[], &goes_on);
    assert!(text.contains("in background: make · exit 2\n    │ boom\n"), "{text}");
    let behind = format!("{}{}", turn(&[vec![say("Done.")]]), lines(&[say(" And more."), call("z", "ls"), over("z")]));
    let got = given(&["pretty"], behind.as_bytes());
    assert!(got.text().contains("│  And more.\n") && got.status == 0, "{}", got.text());
    assert_eq!(rows(&behind), [row("z: ls", "ok", None)]);
}

#[test]
fn an_edit_of_several_files_changes_each() {
    let diff = |path: &str, old: Option<&str>, new: &str| json!({"type": "diff", "path": path, "oldText": old, "newText": new});
    let content = json!([diff("/w/a.rs", Some("a\nb\n"), "a\nc\n"), diff("/w/new.rs", None, "x\ny\n")]);
    let fields =
        json!({"toolCallId": "p", "title": "Apply patch", "kind": "edit", "status": "completed", "content": content});
    let text = turn(&[vec![update(fields, "tool_call")]]);
    let page: Json =
        serde_json::from_slice(&given(&["summary", "--format", "json"], text.as_bytes()).out).expect("JSON");
    let want = json!([
        {"path": "/w/a.rs", "how": "edited", "added": 1, "removed": 1},
        {"path": "/w/new.rs", "how": "created", "added": 2, "removed": null},
    ]);
    assert_eq!(page["runs"][0]["files"], want, "{page}");
}

#[test]
fn a_batch_on_one_line_is_its_messages() {
    let batch = Json::from([start(), vec![prompt(2, "go"), say("Yes."), end(2, "end_turn")]].concat()).to_string();
    for text in [batch.clone(), batch.replacen('[', "[ ", 1), batch.replacen('[', " [\t", 1)] {
        let got = given(&["text"], text.as_bytes());
        assert_eq!((got.text().as_str(), got.status), ("Yes.\n", 0), "{}", got.err);
    }
}

/// The names of what `check` finds.
fn faults(text: &str) -> Vec<String> {
    let found = given(&["check", "--format", "json"], text.as_bytes()).text();
    let name = |line: &str| {
        let line: Json = serde_json::from_str(line).expect("a finding is JSON");
        line["name"].as_str().expect("it has a name").to_owned()
    };
    found.lines().map(name).collect()
}

fn notice(title: &str) -> Json {
    update(json!({"severity": "info", "title": title}), "notice")
}

fn cursor(method: &str, params: Json) -> Json {
    json!({"jsonrpc": "2.0", "method": format!("cursor/{method}"), "params": params})
}

#[test]
fn what_is_neither_said_nor_called_begins_no_run() {
    let todos = json!({"sessionId": "s", "todos": [{"id": "1", "content": "Sweep", "status": "completed"}]});
    let compaction = update(json!({"compactionId": "c", "status": "completed"}), "compaction_update");
    let plan = update(json!({"entries": [{"content": "Sweep", "priority": "low", "status": "completed"}]}), "plan");
    let usage = update(json!({"used": 1, "size": 2}), "usage_update");
    let thought = update(json!({"content": {"type": "text", "text": "Hm."}}), "agent_thought_chunk");
    let task = cursor("task", json!({"sessionId": "s", "description": "Look around"}));
    let options = json!([{"optionId": "y", "name": "Yes", "kind": "allow_once"}]);
    let asked = request(
        50,
        "session/request_permission",
        json!({"sessionId": "s", "toolCall": {"toolCallId": "p", "title": "Look"}, "options": options}),
    );
    let kinds: [(&str, Vec<Json>, &str); 8] = [
        ("notice", vec![notice("Bye")], "Bye"),
        ("compaction", vec![compaction], "the context was made shorter"),
        ("plan", vec![plan], "☑ Sweep"),
        ("todos", vec![cursor("update_todos", todos)], "☑ Sweep"),
        ("usage", vec![usage], "✓ done"),
        ("task", vec![task], "task: Look around"),
        (
            "permission",
            vec![asked, answer(50, json!({"outcome": {"outcome": "selected", "optionId": "y"}}))],
            "allowed: Look · Yes",
        ),
        ("mode", vec![update(json!({"currentModeId": "ask"}), "current_mode_update")], "✓ done"),
    ];
    for (name, messages, words) in &kinds {
        let behind = [start(), vec![prompt(2, "go"), say("x"), end(2, "end_turn")], messages.clone()].concat();
        let before = [start(), messages.clone(), vec![prompt(2, "go"), say("x"), end(2, "end_turn")]].concat();
        for (place, messages) in [("behind", behind), ("before", before)] {
            let text = lines(&messages);
            let got = given(&["pretty"], text.as_bytes());
            assert_eq!(got.status, 0, "{name} {place}: {}", got.text());
            assert_eq!(got.text().matches("▌ ").count(), 1, "{name} {place}: {}", got.text());
            assert!(got.text().contains(words), "{name} {place}: {}", got.text());
            assert_eq!(faults(&text), [""; 0], "{name} {place}");
        }
    }
    // What nobody says in a run that is over is no run either.
    let text = lines(&[start(), vec![prompt(2, "go"), say("x"), end(2, "end_turn"), thought]].concat());
    assert_eq!(given(&["text"], text.as_bytes()).status, 0);
}

#[test]
fn who_gave_up_does_not_wait() {
    let gave_up = json!({"jsonrpc": "2.0", "id": null, "error": {"code": -32070, "message": "Timed out"}});
    let text = lines(
        &[start(), vec![prompt(2, "one"), say("x"), gave_up, prompt(3, "two"), say("ANSWER"), end(3, "end_turn")]]
            .concat(),
    );
    let got = given(&["text"], text.as_bytes());
    assert_eq!((got.text().as_str(), got.status), ("ANSWER\n", 0), "{}", got.err);
    // Nor who loads the session anew.
    let load = vec![request(9, "session/load", json!({"sessionId": "s", "cwd": "/w"})), answer(9, Json::Null)];
    let text = lines(
        &[start(), vec![prompt(2, "one"), say("x")], load, vec![prompt(3, "two"), say("y"), end(3, "end_turn")]]
            .concat(),
    );
    let got = given(&["text"], text.as_bytes());
    assert_eq!((got.text().as_str(), got.status), ("y\n", 0), "{}", got.err);
}

#[test]
fn a_prompt_that_is_refused_while_another_is_answered_fails_by_itself() {
    let text = lines(
        &[
            start(),
            vec![
                prompt(2, "one"),
                say("a"),
                prompt(3, "two"),
                error(3, "a prompt is running"),
                say("b"),
                end(2, "end_turn"),
            ],
        ]
        .concat(),
    );
    let got = given(&["text"], text.as_bytes());
    assert_eq!((got.text().as_str(), got.status), ("ab\n", 1), "{}", got.err);
    assert!(got.err.contains("a prompt is running"), "{}", got.err);
    // A log that ends before either answer has one run that was cut, and all that was said.
    let cut = lines(&[start(), vec![prompt(2, "one"), prompt(3, "two"), say("part")]].concat());
    let got = given(&["text"], cut.as_bytes());
    assert_eq!((got.text().as_str(), got.status), ("part\n", 3), "{}", got.err);
}

#[test]
fn a_record_of_lines_may_hold_batches_and_what_is_no_message() {
    let record = |message: &str| json!({"ts": 1, "dir": "agent->client", "line": message}).to_string() + "\n";
    let whole = |message: &Json| record(&message.to_string());
    let batch = Json::from(vec![say("Yes."), end(2, "end_turn")]).to_string();
    let head: String = start().iter().chain([&prompt(2, "go")]).map(&whole).collect();
    let text = format!("{head}{}", record(&batch));
    let got = given(&["text"], text.as_bytes());
    assert_eq!((got.text().as_str(), got.status), ("Yes.\n", 0), "{}", got.err);
    let stray = format!("{head}{}{}", record("Loading workspace..."), record(&batch));
    assert!(shown(&[], &stray).contains("not JSON: Loading workspace..."));
    assert_eq!(faults(&stray), ["invalid-json"]);
}

#[test]
fn a_patch_behind_the_end_of_a_call_is_not_lost() {
    let text = turn(&[
        vec![
            call("a", "ls"),
            over("a"),
            change("a", json!({"rawOutput": {"stdout": "LATE\n", "stderr": "", "exitCode": 0}})),
        ],
        vec![call("b", "cat"), over("b"), change("b", json!({"status": "failed"}))],
    ]);
    let shown = shown(&[], &text);
    assert!(shown.contains("│ LATE") && shown.contains("in background: cat · failed"), "{shown}");
    // Another input is another call.
    let again = json!({"toolCallId": "a", "title": "a", "kind": "execute", "status": "completed", "rawInput": {"command": "two"}});
    let text = turn(&[vec![call("a", "one"), over("a"), update(again, "tool_call")]]);
    assert_eq!(rows(&text), [row("a: one", "ok", None), row("a: two", "ok", None)]);
}

#[test]
fn a_refusal_counts_whatever_the_id_and_the_option_say() {
    let fetch = |id: &str, kind: &str| {
        let fields = json!({"toolCallId": id, "title": "Fetch", "kind": "fetch", "status": "in_progress", "rawInput": {"url": "http://x"}});
        if kind.is_empty() { fields } else { update(fields, kind) }
    };
    for option in [
        json!({"optionId": "n", "name": "No", "kind": "reject_once"}),
        json!({"optionId": "reject", "name": "x"}),
        json!({"optionId": "7", "name": "No, and tell it why"}),
    ] {
        let asked = request(
            0,
            "session/request_permission",
            json!({"sessionId": "s", "toolCall": fetch("web_fetch_0", ""), "options": [option]}),
        );
        let chosen = answer(0, json!({"outcome": {"outcome": "selected", "optionId": option["optionId"]}}));
        let text = turn(&[vec![fetch("A", "tool_call"), asked, chosen, over("A")]]);
        assert_eq!(rows(&text), [row("Fetch: http://x", "rejected", None)], "{option}");
    }
    let notify = json!([{"optionId": "notify", "name": "Notify me"}]);
    let asked = request(
        0,
        "session/request_permission",
        json!({"sessionId": "s", "toolCall": fetch("A", ""), "options": notify}),
    );
    let chosen = answer(0, json!({"outcome": {"outcome": "selected", "optionId": "notify"}}));
    let text = turn(&[vec![fetch("A", "tool_call"), asked, chosen, over("A")]]);
    assert_eq!(rows(&text), [row("Fetch: http://x", "ok", None)]);
}

#[test]
fn a_list_that_is_merged_stays_whole() {
    let item = |id: &str, text: &str, status: &str| json!({"id": id, "content": text, "status": status});
    let all = json!({"sessionId": "s", "merge": false, "todos": [item("1", "first", "pending"), item("2", "second", "pending")]});
    let one = json!({"sessionId": "s", "merge": true, "todos": [{"id": "1", "status": "completed"}]});
    let text = shown(&[], &turn(&[vec![cursor("update_todos", all), cursor("update_todos", one)]]));
    assert!(text.contains("    ☑ first\n    ☐ second\n"), "{text}");
}

#[test]
fn the_whole_of_a_message_says_nothing_again() {
    let chunk = |id: &str, text: &str| {
        update(json!({"messageId": id, "content": {"type": "text", "text": text}}), "agent_message_chunk")
    };
    let whole = |id: &str, text: &str| {
        update(json!({"messageId": id, "content": [{"type": "text", "text": text}]}), "agent_message")
    };
    let text = turn(&[vec![
        chunk("1", "Hel"),
        chunk("1", "lo"),
        call("a", "ls"),
        over("a"),
        whole("1", "Hello"),
        chunk("2", "World"),
        whole("1", "Hello"),
        whole("2", "World."),
    ]]);
    assert_eq!(given(&["text", "--all"], text.as_bytes()).text(), "Hello\n\nWorld.\n");
    let thought = |kind: &str, content: Json| update(json!({"content": content}), kind);
    let think = json!({"type": "text", "text": "think"});
    let text = turn(&[vec![thought("agent_thought_chunk", think.clone()), thought("agent_thought", json!([think]))]]);
    assert_eq!(shown(&["--thinking"], &text).matches("think").count(), 1);
}

#[test]
fn a_log_of_the_agents_side_ends_as_its_prompt_did() {
    let agent = [answer(0, json!({"protocolVersion": 1})), answer(1, json!({"sessionId": "s"}))];
    for (last, why) in
        [(error(2, "Authentication required"), "Authentication required"), (end(2, "refusal"), "refused")]
    {
        let text = lines(&[&agent[..], &[last]].concat());
        let got = given(&["text"], text.as_bytes());
        assert!(got.status == 1 && got.err.contains(why), "{}", got.err);
    }
    // That a method is not known ends nothing, and what the agent asks is not answered by its own words.
    let unknown = json!({"jsonrpc": "2.0", "id": 5, "error": {"code": -32601, "message": "Method not found"}});
    let asks = [0, 1, 2, 3].map(|id| request(id, "terminal/output", json!({"sessionId": "s", "terminalId": "T"})));
    let set_mode = answer(3, json!({}));
    let text = lines(
        &[
            &agent[..],
            &[say("a")],
            &asks,
            &[unknown, say("b"), end(2, "end_turn"), set_mode, say("c"), end(4, "end_turn")],
        ]
        .concat(),
    );
    let got = given(&["text"], text.as_bytes());
    assert_eq!((got.text().as_str(), got.status), ("ab\nc\n", 0), "{}", got.err);
    assert_eq!(faults(&text), [""; 0]);
}

#[test]
fn a_terminal_of_no_call_parts_what_is_said() {
    let text = turn(&[
        vec![say("a")],
        create(0, "make", "T"),
        about(1, "wait_for_exit", "T", json!({"exitCode": 0, "signal": null})),
        about(3, "release", "T", json!({})),
        vec![say("b")],
    ]);
    for (view, want) in [(&["text"][..], "b\n"), (&["text", "--all"], "a\n\nb\n")] {
        assert_eq!(given(view, text.as_bytes()).text(), want);
    }
    assert!(given(&["json"], text.as_bytes()).text().contains(r#""result":"b""#));
    // One that is ended from outside is over.
    let killed = turn(&[create(0, "make", "T"), about(1, "kill", "T", json!({})), about(3, "release", "T", json!({}))]);
    assert_eq!((rows(&killed), faults(&killed)), (vec![row("make", "failed", None)], Vec::new()));
}

#[test]
fn a_finding_names_its_own_session_and_line() {
    let other = |message: Json| {
        serde_json::from_str::<Json>(&message.to_string().replace(r#""sessionId":"s""#, r#""sessionId":"z""#))
            .expect("JSON")
    };
    let relative = request(0, "terminal/create", json!({"sessionId": "s", "command": "ls", "cwd": "rel"}));
    let create = [relative, answer(0, json!({"terminalId": "T"}))];
    let release = about(1, "release", "T", json!({}));
    let text = lines(
        &[
            start(),
            vec![
                request(5, "session/new", json!({"cwd": "/w", "mcpServers": []})),
                answer(5, json!({"sessionId": "z"})),
            ],
            vec![prompt(2, "one"), other(prompt(3, "two")), other(say("b"))],
            create.to_vec(),
            release,
            vec![end(2, "end_turn"), end(3, "end_turn")],
        ]
        .concat(),
    );
    let found: Json =
        serde_json::from_str(&given(&["check", "--format", "json"], text.as_bytes()).text()).expect("one finding");
    assert_eq!(
        (&found["name"], &found["session"], &found["run"], &found["line"]),
        (&json!("cwd-not-absolute"), &json!("s"), &json!(1), &json!(10))
    );
}

#[test]
fn secrets_in_what_is_found_are_masked() {
    let token = format!("ghp_{}", "a1B2c3D4".repeat(5));
    let relative =
        request(0, "terminal/create", json!({"sessionId": "s", "command": "ls", "cwd": format!("rel {token}")}));
    let text = turn(&[vec![relative, answer(0, json!({"terminalId": "T"}))], about(1, "release", "T", json!({}))]);
    for words in [&["check", "--redact"][..], &["check", "--redact", "--format", "json"], &["check", "--ci", "github"]]
    {
        let got = given(words, text.as_bytes()).text();
        assert!(got.contains("cwd-not-absolute") && !got.contains(&token), "{words:?}: {got}");
    }
}

#[test]
fn a_file_that_no_call_tells_of_is_told() {
    let write = |id: u64, path: &str| {
        request(id, "fs/write_text_file", json!({"sessionId": "s", "path": path, "content": "one\ntwo\n"}))
    };
    let edit = json!({"toolCallId": "e", "title": "Edit", "kind": "edit", "status": "in_progress", "locations": [{"path": "/w/known"}]});
    let text = turn(&[
        vec![update(edit, "tool_call"), write(0, "/w/known"), answer(0, json!({})), over("e")],
        vec![write(1, "/w/new"), answer(1, Json::Null)],
        vec![write(3, "/w/shut"), error(3, "EACCES")],
    ]);
    assert_eq!(rows(&text), [row("/w/known", "ok", None), row("/w/new", "ok", None), row("/w/shut", "failed", None)]);
    let page: Json =
        serde_json::from_slice(&given(&["summary", "--format", "json"], text.as_bytes()).out).expect("JSON");
    let files: Vec<&str> =
        page["runs"][0]["files"].as_array().expect("a list").iter().filter_map(|file| file["path"].as_str()).collect();
    assert_eq!(files, ["/w/known", "/w/new"], "{page}");
    assert!(shown(&[], &text).contains("EACCES"));
}

#[test]
fn a_question_is_told_with_its_answer() {
    let question = json!({"id": "q", "prompt": "Which day?", "options": [{"id": "sat", "label": "Saturday"}, {"id": "sun", "label": "Sunday"}]});
    let asked = request(0, "cursor/ask_question", json!({"sessionId": "s", "questions": [question]}));
    let chosen = answer(
        0,
        json!({"outcome": {"outcome": "answered", "answers": [{"questionId": "q", "selectedOptionIds": ["sun"]}]}}),
    );
    let text = shown(&[], &turn(&[vec![asked, chosen]]));
    assert!(text.contains("asks: Which day?\n    │ - Saturday\n    │ - Sunday\n  • answered: sun\n"), "{text}");
}

#[test]
fn a_call_without_an_end_has_no_outcome() {
    let rows = given(&["tools", "--format", "json"], turn(&[vec![call("a", "ls")]]).as_bytes());
    let rows: Vec<Json> = serde_json::from_slice(&rows.out).expect("rows are JSON");
    assert_eq!((&rows[0]["status"], &rows[0]["outcome"]), (&json!("unfinished"), &Json::Null));
}
