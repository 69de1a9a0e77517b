//! The page about the runs: what is on it, how large it may be, and that nothing breaks out of it.

use crate::{given, log, logs, root};
use comrak::{Options, markdown_to_html};
use serde_json::{Value, json};
use std::fmt::Write;

fn init(session: &str) -> String {
    json!({"type": "system", "subtype": "init", "session_id": session, "model": "M", "cwd": "/w"}).to_string() + "\n"
}

fn said(session: &str, text: &str) -> String {
    let message = json!({"role": "assistant", "content": [{"type": "text", "text": text}]});
    json!({"type": "assistant", "message": message, "session_id": session}).to_string() + "\n"
}

fn shell(session: &str, id: usize, command: &str, code: i64, output: &str) -> String {
    let key = if code == 0 { "success" } else { "failure" };
    let shell = json!({"args": {"command": command}, "result": {key: {"exitCode": code, "stdout": output}}});
    let call = json!({"shellToolCall": shell});
    let end = json!({"type": "tool_call", "subtype": "completed", "call_id": format!("c{id}"), "tool_call": call, "session_id": session});
    end.to_string() + "\n"
}

fn over(session: &str, text: &str) -> String {
    let usage = json!({"inputTokens": 100, "outputTokens": 10, "cacheReadTokens": 1, "cacheWriteTokens": 2});
    let mut end =
        json!({"type": "result", "subtype": "success", "is_error": false, "result": text, "session_id": session});
    end["usage"] = usage;
    end["duration_ms"] = 1500.into();
    end["request_id"] = session.into();
    end.to_string() + "\n"
}

fn object(log: &str, args: &[&str]) -> Value {
    let text = given(&[&["summary", "--format", "json"], args].concat(), log.as_bytes()).text();
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// What GitHub makes of it.
fn html(markdown: &str) -> String {
    let mut options = Options::default();
    options.extension.table = true;
    options.extension.strikethrough = true;
    options.extension.autolink = true;
    options.extension.tasklist = true;
    options.extension.footnotes = true;
    options.render.r#unsafe = true;
    markdown_to_html(markdown, &options)
}

#[test]
fn runs_add_up_and_nothing_counts_twice() {
    let run = |session: &str| {
        init(session) + &shell(session, 1, "make", 2, "x") + &said(session, "Done.") + &over(session, "Done.")
    };
    // A result that comes twice, as it does behind a lost connection.
    let log = run("a") + &run("b") + &over("b", "Done.");
    let page = object(&log, &[]);
    assert_eq!(page["total"]["usage"], json!({"input": 200, "output": 20, "cache_read": 2, "cache_write": 4}));
    assert_eq!(page["total"]["calls"], json!({"calls": 2, "failed": 2, "rejected": 0, "unfinished": 0}));
    assert_eq!(page["total"]["duration_ms"], 3000);
    assert_eq!((&page["total"]["runs"], &page["total"]["succeeded"]), (&json!(2), &json!(2)));
    assert_eq!(page["runs"][1]["commands"].as_array().map(Vec::len), Some(1));
    assert_eq!(page["runs"][0]["usage"]["input"], 100);
}

#[test]
fn a_run_that_fails_after_its_result_has_failed() {
    let page = object(std::str::from_utf8(&log("error-after-success")).expect("it is UTF-8"), &[]);
    let run = &page["runs"][0];
    assert_eq!((&run["result"], &run["why"]), (&json!("failed"), &json!("The connection was closed late.")));
    assert_eq!(page["runs"].as_array().map(Vec::len), Some(1));
    assert_eq!(page["total"]["usage"]["input"], run["usage"]["input"]);
}

#[test]
fn a_call_that_ends_behind_its_run_is_told_as_it_ended() {
    let start = json!({"type": "tool_call", "subtype": "started", "call_id": "c1", "session_id": "a",
        "tool_call": {"shellToolCall": {"args": {"command": "sleep 9"}}}});
    let log = init("a") + &start.to_string() + "\n" + &over("a", "") + &shell("a", 1, "sleep 9", 3, "woken");
    let page = object(&log, &[]);
    let run = &page["runs"][0];
    assert_eq!(run["calls"], json!({"calls": 1, "failed": 1, "rejected": 0, "unfinished": 0}));
    assert_eq!(run["tools"][0]["calls"], 1);
    assert_eq!(run["tools"][0]["failed"], 1);
    assert_eq!(run["commands"].as_array().map(Vec::len), Some(1));
    assert_eq!(run["commands"][0]["exit_code"], 3);
    assert_eq!(run["failures"][0]["output"], "woken");
}

#[test]
fn files_say_what_became_of_them() {
    let edit = |id: usize, path: &str, diff: &str, added: i64, removed: i64| {
        let success = json!({"path": path, "linesAdded": added, "linesRemoved": removed, "diffString": diff});
        let call = json!({"editToolCall": {"args": {"path": path}, "result": {"success": success}}});
        json!({"type": "tool_call", "subtype": "completed", "call_id": format!("e{id}"), "tool_call": call, "session_id": "a"})
            .to_string()
            + "\n"
    };
    let delete = |id: usize, path: &str| {
        let call =
            json!({"deleteToolCall": {"args": {"path": path}, "result": {"success": {"prevContent": "1\n2\n"}}}});
        json!({"type": "tool_call", "subtype": "completed", "call_id": format!("d{id}"), "tool_call": call, "session_id": "a"})
            .to_string()
            + "\n"
    };
    let log = init("a")
        + &edit(1, "/w/new", "--- /dev/null\n+++ b//w/new\n@@ -1 +1 @@\n-\n+3", 1, 1)
        + &edit(2, "/w/new", "--- a//w/new\n+++ b//w/new\n@@", 4, 2)
        + &edit(3, "/w/old", "--- a//w/old\n+++ b//w/old\n@@", 7, 0)
        + &delete(4, "/w/gone")
        + &edit(5, "/w/short", "--- /dev/null\n", 9, 1)
        + &delete(6, "/w/short")
        + &over("a", "");
    let file = |path: &str, how: &str, added: Value, removed: Value| json!({"path": path, "how": how, "added": added, "removed": removed});
    let want = json!([
        file("/w/new", "created", 5.into(), 2.into()),
        file("/w/old", "edited", 7.into(), 0.into()),
        file("/w/gone", "deleted", Value::Null, 2.into()),
        file("/w/short", "deleted", 9.into(), 2.into()),
    ]);
    assert_eq!(object(&log, &[])["runs"][0]["files"], want);
}

#[test]
fn no_page_is_larger_than_it_may_be_and_each_says_what_is_missing() {
    let long = |what: &str| (0..400).fold(String::new(), |text, line| text + &format!("{what} {line} `<b>` & more\n"));
    let mut runs = String::new();
    for run in 0..5 {
        let name = format!("r{run}");
        runs += &init(&name);
        for call in 0..60 {
            runs += &shell(&name, call, &format!("echo '{call} | <i>' && make"), i64::from(call % 2 > 0), &long("out"));
        }
        runs += &said(&name, &format!("The answer.\n\n```\n{}", long("line")));
        runs += &over(&name, "");
    }
    let second = runs.match_indices("\"init\"").nth(1).map_or(0, |(at, _)| runs[..at].rfind('\n').unwrap_or(0));
    for log in [&runs[..second], runs.as_str()] {
        for format in ["markdown", "text", "json"] {
            let whole = given(&["summary", "--format", format, "--max-bytes", "100000000"], log.as_bytes()).text();
            assert!(!whole.contains("left out") && !whole.contains("left_out"), "{format}");
            for most in [0, 1, 100, 500, 1000, 3000, 10_000, 30_000, 100_000, whole.len() - 1, whole.len()] {
                let given = given(&["summary", "--format", format, "--max-bytes", &most.to_string()], log.as_bytes());
                let text = given.text();
                assert!(text.len() <= most, "{format} in {most}: {}", text.len());
                assert_eq!(given.status, 0);
                assert_eq!(text == whole, most >= whole.len(), "{format} in {most} of {}", whole.len());
                if most < whole.len() && most >= 1000 {
                    assert!(text.contains("left out") || text.contains("left_out"), "{format} in {most}: {text}");
                    // A page that is much too small has something on it all the same, and not only heads.
                    assert!(text.len() > most / 2 || most > whole.len() / 2, "{format} in {most}: {}", text.len());
                }
                if format == "json" && most > 2 {
                    serde_json::from_str::<Value>(&text).expect("it is JSON, however short");
                }
                if most >= 10_000 {
                    assert!(text.contains("The answer."), "{format} in {most}");
                }
            }
        }
    }
}

#[test]
fn a_thousand_runs_have_a_table() {
    let log = (0..1000).fold(String::new(), |log, run| {
        let name = format!("session-{run}");
        log + &init(&name) + &said(&name, &format!("Answer {run}.")) + &over(&name, "")
    });
    let text = given(&["summary"], log.as_bytes()).text();
    assert!(
        text.starts_with("## 1000 runs: 1000 succeeded\n\n25m 00s · 100.0k in, 10.0k out, 1.0k cached\n"),
        "{text}"
    );
    assert_eq!(text.matches("| ✓ succeeded |").count(), 1000);
    assert_eq!(text.matches("> Answer ").count(), 1000);
    let small = given(&["summary", "--max-bytes", "20000"], log.as_bytes()).text();
    assert!(small.len() <= 20_000 && small.contains("more runs left out"), "{small}");
}

#[test]
fn nothing_breaks_out_of_the_page() {
    let hostile = [
        "`",
        "``` ",
        "\n```\n",
        "\n~~~~\n",
        "|",
        "\\|",
        "<!-- ",
        "</details>",
        "<img src=x>",
        "<script>",
        "\n# fake\n",
        "\n> ",
        "![x](http://y)",
        "[z](http://y)",
        "\n---\n",
        "\n| a | b |\n|---|---|\n",
        "&lt;",
        "\u{202e}",
        "\r",
        "\x1b[31m",
        "\n    ",
        "https://a.b`<i>`",
        "$$",
        "[^1]: <b>",
    ];
    for seed in 0..hostile.len() {
        let text: String = (0..hostile.len()).map(|place| hostile[(place * 7 + seed * 5) % hostile.len()]).collect();
        let rejected = json!({"type": "tool_call", "subtype": "completed", "call_id": "x", "session_id": "s", "tool_call":
            {"editToolCall": {"args": {"path": text}, "result": {"rejected": {"reason": text}}}}});
        let todos = json!({"type": "tool_call", "subtype": "completed", "call_id": "t", "session_id": "s", "tool_call":
            {"updateTodosToolCall": {"args": {}, "result": {"success": {"todos": [{"content": text, "status": "done"}]}}}}});
        let plan = json!({"type": "tool_call", "subtype": "completed", "call_id": "p", "session_id": "s", "tool_call":
            {"createPlanToolCall": {"args": {"plan": text}, "result": {"success": {}}}}});
        let failed = json!({"type": "result", "subtype": "error", "is_error": true, "result": text, "session_id": "s"});
        let mut log =
            json!({"type": "system", "subtype": "init", "session_id": text, "model": text, "cwd": text}).to_string();
        let session = json!(text).to_string();
        for line in [
            shell("s", 1, &text, 0, ""),
            shell("s", 2, &text, 1, &text),
            rejected.to_string(),
            todos.to_string(),
            plan.to_string(),
            said("s", &text),
            failed.to_string(),
        ] {
            _ = write!(
                log,
                "\n{}",
                line.trim_end().replace("\"session_id\":\"s\"", &format!("\"session_id\":{session}"))
            );
        }
        let page = given(&["summary"], log.as_bytes()).text();
        let html = html(&page);
        for tag in ["<!--", "<details", "</details", "<img", "<script", "<i>", "<b>"] {
            assert!(!html.contains(tag), "{tag}: {html}\n{page}");
        }
        // The headings at the top are ours, in our order.
        let mut rest = html.as_str();
        for title in ["Failures", "Not allowed", "Commands", "Calls", "To do", "Plan", "Answer"] {
            let heading = format!("\n<h3>{title}</h3>\n");
            let at = rest.find(&heading).unwrap_or_else(|| panic!("no {title}: {html}\n{page}"));
            rest = &rest[at + heading.len()..];
        }
        assert_eq!(html.matches("<h3>").count(), 7, "{html}");
        let rows: Vec<usize> = html
            .split("<tr>")
            .skip(1)
            .map(|row| row.split("</tr>").next().unwrap_or_default())
            .map(|row| row.matches("<td").count() + row.matches("<th").count() - row.matches("<thead").count())
            .collect();
        assert!(rows.iter().all(|cells| [2, 3, 7].contains(cells)), "{rows:?}: {html}");
        let bad = page.chars().find(|char| (char.is_control() && *char != '\n') || *char == '\u{202e}');
        assert_eq!(bad, None, "{page}");
    }
}

#[test]
fn every_log_has_a_page_that_is_markdown() {
    let mut args = vec!["summary".to_owned()];
    for (name, path) in logs() {
        args.push(path.to_string_lossy().into_owned());
        let bytes = std::fs::read(path).expect("the log is there");
        let html = html(&given(&["summary"], &bytes).text());
        assert!(html.starts_with("<h2>"), "{name}: {html}");
        assert!(!html.contains("<!--") && html.matches("<table>").count() <= 7, "{name}: {html}");
    }
    let all: Vec<&str> = args.iter().map(String::as_str).collect();
    let page = given(&all, b"").text();
    assert!(page.contains("no-run.ndjson` · no run in the log"), "{page}");
    assert!(page.contains("pieces of the input were not JSON"), "{page}");
    assert_eq!(object("", &all[1..])["logs_without_run"].as_array().map(Vec::len), Some(1));
}

#[test]
fn an_output_is_cut_in_the_middle_and_an_answer_at_its_end() {
    let output: String = (1..=50).map(|line| format!("line {line}\n")).collect();
    let log = init("a") + &shell("a", 1, "make", 2, &output) + &said("a", "x") + &over("a", "x");
    let wrong = object(&log, &[])["runs"][0]["failures"][0].clone();
    let want = "line 1\nline 2\nline 3\n… 41 more lines\nline 45\nline 46\nline 47\nline 48\nline 49\nline 50";
    assert_eq!(wrong["output"], want);
    assert_eq!(wrong["message"], "exit 2");
    let wordy = init("a") + &said("a", &"A sentence of the answer. ".repeat(10_000)) + &over("a", "");
    let page = given(&["summary", "--max-bytes", "20000"], wordy.as_bytes()).text();
    assert!(page.len() > 15_000 && page.len() <= 20_000, "{}", page.len());
    assert!(page.contains("more lines left out"), "{page}");
}

#[test]
fn what_is_left_out_of_words_is_counted() {
    let line = "A line of the plan.\n";
    let plan = |id: usize| {
        let call = json!({"createPlanToolCall": {"args": {"plan": line.repeat(5_000)}, "result": {"success": {}}}});
        json!({"type": "tool_call", "subtype": "completed", "call_id": format!("p{id}"), "tool_call": call, "session_id": "a"})
            .to_string()
            + "\n"
    };
    let log = init("a") + &plan(1) + &plan(2) + &said("a", &"A line of the answer.\n".repeat(30_000)) + &over("a", "");
    for format in ["markdown", "text"] {
        let page = given(&["summary", "--format", format, "--max-bytes", "20000"], log.as_bytes()).text();
        let notes: Vec<usize> = page
            .lines()
            .filter(|line| line.contains("more lines left out"))
            .filter_map(|line| line.split_whitespace().nth(1)?.parse().ok())
            .collect();
        let shown = page.matches("A line of the plan.").count();
        assert_eq!(
            shown + notes[..notes.len() - 1].iter().sum::<usize>(),
            5_000 * (notes.len() - 1),
            "{notes:?}: {page}"
        );
        let shown = page.matches("A line of the answer.").count();
        assert_eq!(shown + notes.last().expect("there is a note"), 30_000, "{page}");
        assert_eq!(notes.len() - 1 + page.matches("1 plan left out").count(), 2, "no plan is lost: {page}");
    }
}

#[test]
fn a_long_run_leaves_room_for_the_next() {
    let first = init("a") + &said("a", &"A long answer. ".repeat(200_000)) + &over("a", "");
    let log = first + &init("b") + &said("b", "The short answer.") + &over("b", "");
    for format in ["markdown", "text", "json"] {
        let page = given(&["summary", "--format", format], log.as_bytes()).text();
        assert!(page.contains("The short answer.") && page.contains("A long answer."), "{format}");
    }
}

#[test]
fn a_file_that_cannot_be_read_is_on_the_page() {
    let good = root().join("tests/logs/whole-messages.ndjson");
    let page = given(&["summary", "/no/such/log", good.to_str().expect("it is UTF-8")], b"");
    assert_eq!(page.status, 2);
    assert!(page.text().contains("failed to read \\`/no/such/log\\`: no such file or directory"), "{}", page.text());
    let refused = given(&["summary", "--strict"], b"no json\n").text();
    assert!(refused.contains("line 1: not a JSON object") && !refused.contains("no run in the log"), "{refused}");
}

#[test]
fn a_late_end_and_a_second_result_agree() {
    let start = json!({"type": "tool_call", "subtype": "started", "call_id": "c1", "session_id": "a",
        "tool_call": {"shellToolCall": {"args": {"command": "sleep 9"}}}});
    let failed = over("a", "no").replace("\"is_error\":false", "\"is_error\":true");
    let log = init("a")
        + &start.to_string()
        + "\n"
        + &over("a", "")
        + &shell("a", 1, "sleep 9", 3, "")
        + &shell("a", 2, "x", 1, "")
        + &failed;
    let page = object(&log, &[]);
    let run = &page["runs"][0];
    assert_eq!(run["result"], "failed");
    assert_eq!(run["calls"], json!({"calls": 2, "failed": 2, "rejected": 0, "unfinished": 0}));
    assert_eq!(page["total"]["calls"], run["calls"]);
    let tool = &run["tools"][0];
    assert_eq!((&tool["calls"], &tool["failed"], &tool["unfinished"]), (&json!(2), &json!(2), &json!(0)));
}

#[test]
fn a_page_shows_commands_and_tables_as_they_are() {
    let row = format!("| {} | b |", "long ".repeat(1000));
    let answer = format!("| x | y |\n|---|---|\n{row}\n");
    let log = init("a") + &shell("a", 1, "cat a | grep b", 1, "") + &said("a", &answer) + &over("a", "");
    let html = html(&given(&["summary"], log.as_bytes()).text());
    assert_eq!(html.matches("<code>cat a | grep b</code>").count(), 2, "as a failure and as a command: {html}");
    let table = html.rsplit("<blockquote>").next().unwrap_or_default();
    assert_eq!(table.matches("<tr>").count(), 2, "{table}");
}

#[test]
fn a_name_of_any_length_leaves_a_page() {
    let name = "n".repeat(3_000_000);
    let log = json!({"type": "system", "subtype": "init", "session_id": name, "model": name, "cwd": name}).to_string()
        + "\n"
        + &shell(&name, 1, &name, 1, &name)
        + &over(&name, &name);
    for format in ["markdown", "text", "json"] {
        let page = given(&["summary", "--format", format, "--max-bytes", "6000"], log.as_bytes()).text();
        assert!(page.len() > 500 && page.len() <= 6000, "{format}: {} {page}", page.len());
    }
}
