//! A real agent and a real client, on the official SDK, with the program between them. Where there is no npm or no network, this is
//! passed over.

use crate::{program, root};
use serde_json::Value;
use std::collections::HashSet;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};

/// What is installed, or played, has so much time.
const PATIENCE: Duration = Duration::from_secs(60);

/// The record of a turn that a real client had with a real agent, if one can be had here.
pub(crate) fn record_of_a_real_agent() -> Option<PathBuf> {
    static RECORD: OnceLock<Option<PathBuf>> = OnceLock::new();
    let play = || match install() {
        Ok(folder) => Some(play(&folder)),
        Err(why) => {
            // Also where all that a test says is held back.
            _ = writeln!(std::io::stderr(), "the tests with a real agent are passed over: {why}");
            None
        }
    };
    RECORD.get_or_init(play).clone()
}

/// A folder where the agent and the client have all that they need.
fn install() -> Result<PathBuf, String> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("sdk");
    fs::create_dir_all(&folder).expect("there is room for files");
    for name in ["package.json", "agent.mjs", "client.mjs"] {
        fs::copy(root().join("tests/sdk").join(name), folder.join(name)).expect("a file can be copied");
    }
    // What is there already is not asked for, and who cannot be reached is not asked again.
    let words =
        ["--prefer-offline", "--fetch-retries=0", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"];
    match finish(Command::new("npm").arg("install").args(words).current_dir(&folder), &folder.join("install.log")) {
        Ok(Some(status)) if status.success() => Ok(folder),
        Ok(Some(_)) => Err(text(&folder.join("install.log")).lines().next().unwrap_or("npm fails").to_owned()),
        Ok(None) => Err("npm install takes too long".to_owned()),
        Err(error) => Err(format!("npm does not start: {error}")),
    }
}

/// Has a client talk with an agent. Gives the record.
fn play(folder: &Path) -> PathBuf {
    let (record, said) = (folder.join("acp.ndjson"), folder.join("client.log"));
    let mut client = Command::new("node");
    client.current_dir(folder).arg("client.mjs").arg(program().get_program());
    client.args(["run", "--acp", "--record"]).arg(&record).args(["--", "node", "agent.mjs"]);
    let status = finish(&mut client, &said).expect("there is node, where there is npm");
    assert!(status.is_some_and(|status| status.success()), "{status:?}: {}", text(&said));
    assert_eq!(text(&said), "", "nothing is said aside");
    record
}

/// Waits for the end of a command, unless it takes too long. What it says goes into a file.
fn finish(command: &mut Command, said: &Path) -> std::io::Result<Option<ExitStatus>> {
    let file = File::create(said)?;
    let mut child = command.stdin(Stdio::null()).stdout(file.try_clone()?).stderr(file).spawn()?;
    let began = Instant::now();
    while began.elapsed() < PATIENCE {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        thread::sleep(Duration::from_millis(10));
    }
    child.kill()?;
    child.wait().map(|_| None)
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

#[test]
fn a_real_turn_is_recorded_whole_and_in_order() {
    let Some(record) = record_of_a_real_agent() else { return };
    let (mut asked, mut methods) = (HashSet::new(), HashSet::new());
    for line in text(&record).lines() {
        let frame: Value = serde_json::from_str(line).expect("a line of the record is JSON");
        let message = frame["line"].as_str().expect("it holds a line");
        let message: Value = serde_json::from_str(message).unwrap_or_else(|error| panic!("{error}: {message}"));
        let to_agent = match frame["dir"].as_str() {
            Some("client->agent") => true,
            Some("agent->client") => false,
            other => panic!("{other:?} is no way"),
        };
        let method = message["method"].as_str();
        methods.extend(method.map(|method| (to_agent, method.to_owned())));
        match (method, message.get("id")) {
            (Some(_), Some(id)) => assert!(asked.insert((to_agent, id.to_string())), "{id} is asked twice"),
            (Some(_), None) => {}
            (None, Some(id)) => assert!(asked.remove(&(!to_agent, id.to_string())), "the answer {id} comes too soon"),
            (None, None) => panic!("{message} is no message"),
        }
    }
    assert!(asked.is_empty(), "{asked:?} have no answer");
    // What was recorded reads back in every view, as the turn that it was.
    let record = fs::read(&record).expect("the record is there");
    for (view, words) in [
        ("pretty", &["pretty", "--output", "full"][..]),
        ("text", &["text"]),
        ("json", &["json"]),
        ("tools", &["tools", "--format", "json"]),
        ("log", &["log"]),
        ("summary", &["summary"]),
        ("events", &["events"]),
        ("check", &["check"]),
    ] {
        let got = crate::given(words, &record);
        assert_eq!((got.status, got.err.as_str()), (0, ""), "{view}: {}", got.text());
        for words in seen(view) {
            assert!(got.text().contains(words), "{view}: no {words} in {}", got.text());
        }
    }
    for (to_agent, method) in [
        (true, "initialize"),
        (true, "session/new"),
        (true, "session/prompt"),
        (false, "session/update"),
        (false, "session/request_permission"),
        (false, "terminal/create"),
        (false, "terminal/wait_for_exit"),
        (false, "terminal/output"),
        (false, "terminal/release"),
    ] {
        assert!(methods.contains(&(to_agent, method.to_owned())), "there is no {method}");
    }
}

/// What a person or a program sees of the turn in a view.
fn seen(view: &str) -> &'static [&'static str] {
    match view {
        "pretty" => &[
            "❯ Make the failing test pass",
            "I run the tests first.",
            "☐ Mend what fails",
            "│ one",
            "│ two",
            "│ three €",
            "✗ shell",
            "exit 3",
            "✓ edit /work/sum.js · +1 −1",
            "⊘ delete /work/sum.js · rejected",
            "✓ done",
        ],
        "text" => &["The command said: ", " characters, exit 3. Done.\n"],
        "json" => &[r#""subtype":"success","is_error":false"#, r#""session_id":"session-1""#],
        "tools" => &[r#""status":"failed""#, r#""exit_code":3"#, r#""status":"ok""#, r#""status":"rejected""#],
        "log" => &[" user Make the failing test pass\n", " fail shell", " deny delete", " end success"],
        "summary" => &["## ✓ Run succeeded", "exit 3", "/work/sum.js"],
        "events" => &[r#"{"event":"prompt""#, r#"{"event":"result""#, r#"{"event":"end""#],
        _ => &[],
    }
}
