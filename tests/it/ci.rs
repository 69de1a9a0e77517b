//! What the program does for CI systems: their consoles, the step summary, secrets.

use crate::{Given, PIPE, Terminal, given, given_in, log, program, root};
use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::process::Stdio;

fn variable_of(name: &'static str) -> Terminal {
    match name {
        "GITHUB_ACTIONS" => Terminal { variable: |name| (name == "GITHUB_ACTIONS").then(|| "true".to_owned()), ..PIPE },
        _ => Terminal { variable: |name| (name == "GITLAB_CI").then(|| "true".to_owned()), ..PIPE },
    }
}

fn on(name: &'static str, args: &[&str], log: Vec<u8>) -> Given {
    given_in(variable_of(name), args, io::Cursor::new(log))
}

#[test]
fn a_console_is_told_by_its_variables_or_named() {
    for (variable, name, sign) in
        [("GITHUB_ACTIONS", "github", "::group::"), ("GITLAB_CI", "gitlab", "\x1b[0Ksection_start:")]
    {
        let found = on(variable, &["pretty"], log("showcase"));
        let named = given(&["pretty", "--ci", name], &log("showcase"));
        assert!(found.text().contains(sign), "{variable}: {}", found.text());
        assert_eq!(found.text(), named.text());
        assert!(!on(variable, &["pretty", "--ci", "none"], log("showcase")).text().contains(sign));
    }
    assert!(!given(&["pretty"], &log("showcase")).text().contains("::group::"));
}

#[test]
fn each_group_of_a_console_is_closed_and_holds_what_a_call_gave() {
    let text = given(&["pretty", "--ci", "github", "--color", "never", "--output", "full"], &log("every-tool")).text();
    let mut open = false;
    for line in text.lines() {
        if line.starts_with("::group::") {
            assert!(!open, "groups do not nest: {text}");
            open = true;
        } else if line == "::endgroup::" {
            assert!(open, "{text}");
            open = false;
        } else {
            assert!(!open || line.starts_with("    │"), "{line:?}");
            assert!(!line.trim_start().starts_with("::"), "{line:?}");
        }
    }
    assert!(!open && text.contains("::group::✓ webFetch "), "{text}");
}

#[test]
fn the_agent_cannot_issue_a_command_or_a_section() {
    for (words, ours) in [
        (&["pretty", "--output", "full", "--ci", "github"][..], ["::group::", "::endgroup::"]),
        (&["log", "--full", "--ci", "github"], ["-", "-"]),
        (&["summary", "--ci", "github"], ["-", "-"]),
        (&["summary", "--format", "text", "--ci", "github"], ["-", "-"]),
        (&["tools", "--ci", "github"], ["-", "-"]),
        (&["text", "--all", "--ci", "github"], ["-", "-"]),
        (&["tools", "--format", "csv", "--ci", "github"], ["-", "-"]),
    ] {
        let given = given(words, &log("unsafe-output"));
        for line in given.text().lines().chain(given.err.lines()) {
            let line = line.replace("\x1b[90m", "");
            let is_ours = ours.iter().any(|ours| line.starts_with(ours));
            let is_message = line.starts_with("::error title=") || line.starts_with("::warning title=");
            let commands = line.trim_start().starts_with("::") || line.contains("##[");
            assert!(!commands || is_ours || is_message, "{words:?}: {line:?}");
        }
    }
    let section = "\x1b[0Ksection_start:1:x[collapsed=true]\r\x1b[0Kfake";
    let log = said(&format!("{section} and {}", section.replace('\x1b', "\u{9b}")));
    for words in [&["pretty", "--ci", "gitlab"][..], &["log", "--ci", "gitlab"], &["summary", "--ci", "gitlab"]] {
        let text = given(words, log.as_bytes()).text();
        assert!(!text.contains("\x1b[0Ksection_start:1:x") && !text.contains('\r'), "{text:?}");
    }
}

/// A run in which the agent says one thing.
fn said(text: &str) -> String {
    let text = serde_json::Value::from(text);
    format!(
        r#"{{"type":"system","subtype":"init","session_id":"s","model":"M","cwd":"/w"}}
{{"type":"assistant","message":{{"role":"assistant","content":[{{"type":"text","text":{text}}}]}},"session_id":"s"}}
{{"type":"result","subtype":"success","is_error":false,"duration_ms":1000,"result":{text},"session_id":"s","request_id":"r"}}
"#
    )
}

#[test]
fn a_failed_run_is_an_error_and_a_refusal_a_warning() {
    let failed = given(&["text", "--ci", "github"], &log("failed-result")).err;
    assert_eq!(
        failed,
        "cursor-fmt: stdin: the run failed: The model did not answer in time.\n\
         ::error title=The agent failed::stdin: the run failed: The model did not answer in time.\n"
    );
    let cut = given(&["text", "--ci", "github"], &log("never-completed")).err;
    assert!(
        cut.ends_with("::error title=The agent did not finish::stdin: the log ends before the run's result\n"),
        "{cut}"
    );
    for view in ["pretty", "text", "json", "tools", "log", "summary"] {
        let refused = given(&[view, "--ci", "github"], &log("rejected")).err;
        let warnings: Vec<&str> = refused.lines().collect();
        assert_eq!(
            warnings,
            [
                "::warning title=The agent was not allowed::shell · rm -r build",
                "::warning title=The agent was not allowed::edit · /srv/pilots/list.txt · Write blocked by permissions configuration",
                "::warning title=The agent was not allowed::webFetch · https://port.example/news · User Rejected",
            ],
            "{view}"
        );
    }
    // Other consoles, and none, get the one line.
    assert_eq!(given(&["text", "--ci", "gitlab"], &log("failed-result")).err.lines().count(), 1);
    assert_eq!(given(&["tools"], &log("rejected")).err, "");
}

#[test]
fn of_many_messages_a_console_shows_ten() {
    let one = String::from_utf8(log("rejected")).expect("the log is UTF-8");
    let many = (0..20).map(|run| one.replace("57c2ff54", &format!("{run:08}"))).collect::<String>();
    let err = given(&["tools", "--ci", "github"], many.as_bytes()).err;
    assert_eq!(err.lines().count(), 10, "{err}");
    assert_eq!(err.lines().last(), Some("::warning title=51 more refused::see the summary"));
}

#[test]
fn a_console_has_colours_that_it_can_show() {
    let text = on("GITHUB_ACTIONS", &["pretty"], log("showcase")).text();
    assert!(text.contains("\x1b[90m") && !text.contains("\x1b[2m"), "{text:?}");
    for (args, terminal) in [
        (&["pretty", "--color", "never"][..], variable_of("GITHUB_ACTIONS")),
        // Who writes a file wants text.
        (&["pretty"], Terminal { file: Some((1, 2)), ..variable_of("GITHUB_ACTIONS") }),
        (
            &["pretty"],
            Terminal {
                variable: |name| ["GITHUB_ACTIONS", "NO_COLOR"].contains(&name).then(|| "1".to_owned()),
                ..PIPE
            },
        ),
        // A log is for grep.
        (&["log"], variable_of("GITHUB_ACTIONS")),
        (&["log"], Terminal { output: true, ..PIPE }),
    ] {
        let text = given_in(terminal, args, io::Cursor::new(log("showcase"))).text();
        assert!(!text.contains('\x1b'), "{args:?}: {text:?}");
    }
    assert!(given(&["log", "--color", "always"], &log("showcase")).text().contains('\x1b'));
}

/// The program as a step of a GitHub job whose summary is `file`.
fn step(args: &[&str], file: &Path, input: &[u8]) -> (String, String, Option<i32>) {
    let mut child = program()
        .args(args)
        .env("GITHUB_ACTIONS", "true")
        .env("GITHUB_STEP_SUMMARY", file)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    child.stdin.take().expect("it is piped").write_all(input).expect("the program reads");
    let output = child.wait_with_output().expect("it ends");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("it is UTF-8");
    (text(output.stdout), text(output.stderr), output.status.code())
}

#[test]
fn the_step_summary_is_written_beside_any_view() {
    let folder = tempfile::tempdir().expect("there is room");
    let file = folder.path().join("summary.md");
    let summary = given(&["summary"], &log("showcase")).text();
    let (out, err, status) = step(&["text", "--step-summary"], &file, &log("showcase"));
    assert_eq!((out, status), (given(&["text"], &log("showcase")).text(), Some(0)), "{err}");
    assert_eq!(fs::read_to_string(&file).expect("it was written"), summary);
    // What stands there already stays, and is parted from what comes.
    fs::write(&file, "before, and no line break").expect("there is room");
    step(&["--step-summary"], &file, &log("showcase"));
    assert_eq!(fs::read_to_string(&file).expect("it was written"), format!("before, and no line break\n{summary}"));
    let nowhere = given(&["--step-summary"], &log("showcase"));
    assert_eq!((nowhere.status, nowhere.out.len()), (2, 0));
    assert_eq!(nowhere.err, "cursor-fmt: --step-summary: GITHUB_STEP_SUMMARY names no file\n");
}

#[test]
fn a_step_summary_never_grows_beyond_what_github_takes() {
    const MOST: u64 = 1 << 20;
    let folder = tempfile::tempdir().expect("there is room");
    let file = folder.path().join("summary.md");
    let long = said(&"A line of the answer.\n".repeat(100_000));
    for held in [0, 1, 500_000, 1_030_000, 1_040_000, 1_048_576] {
        fs::write(&file, vec![b'x'; held]).expect("there is room");
        let (_, err, status) = step(&["text", "--step-summary"], &file, long.as_bytes());
        assert_eq!(status, Some(0), "{err}");
        let size = fs::metadata(&file).expect("it is there").len();
        assert!(size <= MOST, "{held} became {size}");
        assert_eq!(err.contains("no room"), held > 1_031_000, "{held}: {err}");
        // What is written in another way fits as well.
        let (out, _, _) = step(&["summary"], &file, long.as_bytes());
        assert!(size + out.len() as u64 <= MOST, "{size} and {}", out.len());
    }
    // What goes into another file need not leave room.
    let other = folder.path().join("other.md");
    let mut out = program();
    out.arg("summary").arg(root().join("tests/logs/showcase.ndjson"));
    let status =
        out.env("GITHUB_STEP_SUMMARY", &file).stdout(fs::File::create(&other).expect("there is room")).status();
    assert!(status.expect("it starts").success());
    assert_eq!(fs::read_to_string(&other).expect("it is written").lines().next(), Some("## ✓ Run succeeded in 14.8s"));
}

#[test]
fn a_page_for_a_console_is_no_larger_than_it_may_be() {
    let log = said(&"##[x] is\n::no command\n".repeat(50_000));
    for most in ["5000", "50000", "1000000"] {
        let page = on("GITHUB_ACTIONS", &["summary", "--max-bytes", most], log.clone().into_bytes()).text();
        let most: usize = most.parse().expect("it is a number");
        assert!(page.len() <= most && page.len() > most / 3, "{} of {most}", page.len());
        assert!(page.contains("##\u{200b}[x]") && !page.contains("##["), "{page}");
    }
}

#[test]
fn the_step_summary_is_written_though_nobody_reads_what_is_shown() {
    let folder = tempfile::tempdir().expect("there is room");
    let file = folder.path().join("summary.md");
    let log = said(&"A line of the answer.\n".repeat(50_000));
    let mut child = program()
        .args(["text", "--step-summary"])
        .env("GITHUB_STEP_SUMMARY", &file)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    // The reader is gone before there is anything to read.
    drop(child.stdout.take());
    child.stdin.take().expect("it is piped").write_all(log.as_bytes()).expect("the program reads");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
    assert!(fs::read_to_string(&file).expect("it is written").starts_with("## ✓ Run succeeded"));
}

#[test]
fn secrets_are_masked_where_many_can_read_and_nowhere_else() {
    let secret = format!("ghp_{}", "0123456789abcdefABCDEF0123456789abcd");
    let log = said(&format!("The token is {secret}, keep it."));
    let shows = |given: &Given| given.text().contains(&secret);
    for words in [&["pretty"][..], &["text"], &["json"], &["log"], &["text", "--all"], &["summary", "--no-redact"]] {
        assert!(shows(&given(words, log.as_bytes())), "{words:?}");
    }
    let console = ["--ci", "github"];
    let masked: [&[&str]; 6] = [
        &["summary"],
        &["text", "--redact"],
        &["json", "--redact"],
        &["pretty", "--redact"],
        &["text", "--stream", "--redact"],
        &["summary", "--format", "json"],
    ];
    for words in masked {
        let given = given(words, log.as_bytes());
        assert!(!shows(&given) && given.text().contains("[redacted:"), "{words:?}: {}", given.text());
    }
    for view in ["pretty", "log", "text", "json"] {
        assert!(!shows(&given(&[&[view], &console[..]].concat(), log.as_bytes())), "{view}");
        let found = on("GITHUB_ACTIONS", &[view], log.clone().into_bytes());
        assert_eq!(shows(&found), ["text", "json"].contains(&view), "{view}");
    }
    assert!(shows(&given(&["pretty", "--ci", "github", "--no-redact"], log.as_bytes())));
}

#[test]
fn a_secret_that_comes_in_pieces_is_masked_as_a_whole() {
    let secret = format!("ghp_{}", "0123456789abcdefABCDEF0123456789abcd");
    let mut lines = vec![r#"{"type":"system","subtype":"init","session_id":"s"}"#.to_owned()];
    for kind in ["thinking", "assistant"] {
        for (place, piece) in ["It is ", &secret[..9], &secret[9..21], &secret[21..], " now."].iter().enumerate() {
            lines.push(match kind {
                "thinking" => format!(r#"{{"type":"thinking","subtype":"delta","text":"{piece}","session_id":"s","timestamp_ms":{place}}}"#),
                _ => format!(
                    r#"{{"type":"assistant","message":{{"content":[{{"type":"text","text":"{piece}"}}]}},"session_id":"s","timestamp_ms":{place}}}"#
                ),
            });
        }
        if kind == "thinking" {
            lines.push(r#"{"type":"thinking","subtype":"completed","session_id":"s","timestamp_ms":9}"#.to_owned());
        }
    }
    let log = lines.join("\n");
    for words in [
        &["pretty", "--thinking", "--redact"][..],
        &["text", "--stream", "--redact"],
        &["text", "--all", "--redact"],
        &["text", "--redact"],
        &["log", "--redact"],
        &["summary"],
    ] {
        let text = given(words, log.as_bytes()).text();
        assert!(text.contains("It is [redacted:github-token] now."), "{words:?}: {text}");
        assert!(!text.contains(&secret[9..21]), "{words:?}: {text}");
        let times = if words[0] == "pretty" { 2 } else { 1 };
        assert_eq!(text.matches("It is").count(), times, "{words:?}: {text}");
    }
}

#[test]
fn a_secret_in_a_call_is_masked_before_it_is_cut() {
    let token = format!("ghp_{}", "0123456789abcdefABCDEF0123456789abcd");
    // The token lies where lines and cells are cut.
    let far = "x".repeat(480);
    let key = "MIIEvQIBADANBgkqhkiG9w0BAQ".repeat(2) + "EFAASCBKcw";
    let log = format!(
        r#"{{"type":"system","subtype":"init","session_id":"s"}}
{{"type":"tool_call","subtype":"started","call_id":"c","tool_call":{{"shellToolCall":{{"args":{{"command":"echo {far} {token}"}}}}}},"session_id":"s"}}
{{"type":"tool_call","subtype":"completed","call_id":"c","tool_call":{{"shellToolCall":{{"args":{{"command":"echo {far} {token}"}},"result":{{"failure":{{"exitCode":1,"stdout":"{far} {token}\n","stderr":"-----BEGIN PRIVATE KEY-----\n{key}\n{key}\n"}}}}}}}},"session_id":"s"}}
{{"type":"tool_call","subtype":"completed","call_id":"d","tool_call":{{"mcpToolCall":{{"args":{{"name":"x","args":{{"password":"hunter22"}}}},"result":{{"error":{{"error":"no {token}"}}}}}}}},"session_id":"s"}}
{{"type":"result","subtype":"error","is_error":true,"result":"the key {token} is wrong","session_id":"s"}}
not json {token}
"#
    );
    let views: [&[&str]; 9] = [
        &["pretty"],
        &["pretty", "--output", "full"],
        &["tools"],
        &["tools", "--format", "json"],
        &["log"],
        &["log", "--full"],
        &["summary"],
        &["summary", "--format", "text"],
        &["summary", "--format", "json"],
    ];
    for words in views {
        for width in ["40", "500"] {
            let given = given(&[words, &["--redact", "--width", width]].concat(), log.as_bytes());
            let text = given.text() + &given.err;
            for part in [&token[..12], &token[20..30], &key[..8], &key[52..], "hunter22"] {
                assert!(!text.contains(part), "{words:?} {width}: {part} in {text}");
            }
        }
    }
}

#[test]
fn patterns_of_ones_own_are_masked_too() {
    let folder = tempfile::tempdir().expect("there is room");
    let file = folder.path().join("patterns");
    let name = file.to_str().expect("its name is UTF-8");
    fs::write(&file, "# ours\n\nacme-[0-9]{4}\n").expect("there is room");
    let log = said("The number is acme-1234.");
    let text = given(&["text", "--redact-patterns", name], log.as_bytes()).text();
    assert_eq!(text, "The number is [redacted:pattern].\n");
    fs::write(&file, "fine\n(\n").expect("there is room");
    let wrong = given(&["summary", "--redact-patterns", name], log.as_bytes());
    assert_eq!((wrong.status, wrong.out.len()), (2, 0));
    assert!(wrong.err.contains("line 2") && wrong.err.lines().count() == 1, "{}", wrong.err);
    let missing = given(&["summary", "--redact-patterns", "/no/such/file"], log.as_bytes());
    assert_eq!(missing.status, 2);
    assert_eq!(missing.err, "cursor-fmt: failed to read `/no/such/file`: no such file or directory\n");
}

#[test]
fn masking_changes_nothing_where_there_is_no_secret() {
    for (name, path) in crate::logs() {
        let bytes = fs::read(path).expect("the log is there");
        for words in [&["text", "--all"][..], &["json"], &["tools", "--format", "json"], &["log"]] {
            let plain = given(words, &bytes);
            let masked = given(&[words, &["--redact"]].concat(), &bytes);
            assert_eq!(masked.text(), plain.text(), "{name} in {words:?}");
            assert_eq!(masked.status, plain.status, "{name} in {words:?}");
        }
    }
}

/// Thirty secrets that nobody has, put together here so that no scanner takes them for real ones, and what stands around them.
fn secrets() -> Vec<(String, String)> {
    let word = "Q7xv2LmZ9pKt4RwB8nYc3HsD6fJg5Ta1UeVh0WkX";
    let hex = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
    let tokens = [
        ["ghp_", &word[..36]],
        ["gho_", &word[..36]],
        ["ghs_", &word[..36]],
        ["glpat-", &word[..20]],
        ["sk-ant-api03-", word],
        ["sk-proj-", word],
        ["crsr_", hex],
        ["AKIA", "Q7XV2LMZ9PKT4RWB"],
        ["AIzaSy", &word[..33]],
        ["xoxb-", "123456789012-123456789012-Q7xv2LmZ9pKt4RwB8nYc3Hs"],
        ["sk_live_", &word[..24]],
        ["npm_", &word[..36]],
        ["pypi-AgEIcHlwaS5vcmc", word],
        ["hf_", &word[..34]],
        ["dop_v1_", hex],
        ["SG.Q7xv2LmZ9pKt4RwB8nYc3H.", word],
        ["eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.", word],
        ["lin_api_", word],
        ["hvs.", word],
        ["dckr_pat_", &word[..27]],
    ];
    let mut all: Vec<(String, String)> = tokens
        .iter()
        .map(|[shape, rest]| (format!("The key is {shape}{rest}, it says."), (*rest).to_owned()))
        .collect();
    let around = [
        ("curl -H 'Authorization: Bearer {}' https://api.example", word),
        ("Cookie: session={}; theme=dark", word),
        ("X-Api-Key: {}", word),
        ("git clone https://ada:{}@git.example/app.git", word),
        ("export DEPLOY_TOKEN={}", word),
        ("DB_PASSWORD=\"{}\"", "tr0ub4dor&3xyz"),
        ("password: {}", "tr0ub4dor-3xyz"),
        ("{\"client_secret\": \"{}\"}", word),
        ("mysql --password={}", "tr0ub4dor-3xyz"),
        ("https://api.example/items?api_key={}&page=2", word),
    ];
    all.extend(around.iter().map(|(text, secret)| (text.replace("{}", secret), (*secret).to_owned())));
    all
}

#[test]
fn no_secret_of_thirty_survives_in_a_summary() {
    let secrets = secrets();
    assert_eq!(secrets.len(), 30);
    for (text, secret) in secrets {
        let json = serde_json::Value::from(text.as_str());
        let log = format!(
            r#"{{"type":"system","subtype":"init","session_id":"s"}}
{{"type":"tool_call","subtype":"completed","call_id":"c","tool_call":{{"shellToolCall":{{"args":{{"command":{json}}},"result":{{"failure":{{"exitCode":1,"stderr":{json}}}}}}}}},"session_id":"s"}}
{{"type":"tool_call","subtype":"completed","call_id":"d","tool_call":{{"editToolCall":{{"args":{{"path":"/w/a"}},"result":{{"rejected":{{"reason":{json}}}}}}}}},"session_id":"s"}}
{{"type":"tool_call","subtype":"completed","call_id":"e","tool_call":{{"createPlanToolCall":{{"args":{{"plan":{json}}},"result":{{"success":{{}}}}}}}},"session_id":"s"}}
{{"type":"assistant","message":{{"content":[{{"type":"text","text":{json}}}]}},"session_id":"s"}}
{{"type":"result","subtype":"error","is_error":true,"result":{json},"session_id":"s"}}
"#
        );
        for format in ["markdown", "text", "json"] {
            let given = given(&["summary", "--format", format], log.as_bytes());
            let page = given.text();
            assert!(!page.contains(&secret) && !given.err.contains(&secret), "{text}: {page}{}", given.err);
            // It stands in the command, the output, the refusal, the plan, the answer and the reason.
            assert!(page.matches("redacted:").count() >= 6, "{text}: {page}");
        }
    }
}

#[test]
fn secrets_are_masked_wherever_they_lie() {
    let token = format!("ghp_{}", "0123456789abcdefABCDEF0123456789abcd");
    let key = "MIIEvQIBADANBgkqhkiG9w0BAQ".repeat(2) + "EFAASCBKcw";
    let log = format!(
        r#"{{"type":"system","subtype":"init","session_id":"{token}","model":"M {token}","cwd":"/w/{token}"}}
-----BEGIN RSA PRIVATE KEY-----
{key}
{key}
-----END RSA PRIVATE KEY-----
after the key
{{"type":"tool_call","subtype":"completed","call_id":"id {token}","tool_call":{{"mcpToolCall":{{"args":{{"name":"x-y","args":{{"password":98765432,"apiKey":"abcdefgh"}}}},"result":{{"error":{{"error":"bad {token}"}}}}}}}},"session_id":"{token}"}}
{{"type":"result","subtype":"success","is_error":false,"result":"","session_id":"{token}","request_id":"r"}}
"#
    );
    let folder = tempfile::tempdir().expect("there is room");
    let file = folder.path().join(format!("{token}.ndjson"));
    fs::write(&file, &log).expect("there is room");
    let name = file.to_str().expect("its name is UTF-8");
    let views: [&[&str]; 7] = [
        &["pretty", "--redact", "--output", "full"],
        &["log", "--redact"],
        &["tools", "--redact", "--format", "json"],
        &["json", "--redact"],
        &["summary"],
        &["summary", "--format", "text"],
        &["summary", "--format", "json"],
    ];
    for words in views {
        let given = given(&[words, &[name]].concat(), b"");
        let text = (given.text() + &given.err).replace('\\', "");
        for part in [&token[4..], &key[..20], "98765432", "abcdefgh"] {
            assert!(!text.contains(part), "{words:?}: {part} in {text}");
        }
        assert!(
            words[0] == "json" || words[0] == "tools" || words[0] == "summary" || text.contains("after the key"),
            "{text}"
        );
    }
    // What is said on standard error stands on the console, whatever the view.
    for view in ["text", "json", "pretty"] {
        let broken = format!(
            "no {token}\n{}",
            log.replace("\"is_error\":false", "\"is_error\":true").replace(":\"\",", &format!(":\"{token}\","))
        );
        let err = on("GITHUB_ACTIONS", &[view, name, "-"], broken.into_bytes()).err;
        assert!(err.contains("::error") && !err.contains(&token), "{view}: {err}");
    }
}
