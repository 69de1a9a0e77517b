//! A client and an agent, played by these tests and by scripts, with the program between them: all passes as it is, and is recorded.

use crate::{given, is_heard, program};
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

/// Long enough for a busy machine; a test that passes does not wait for it.
const PATIENCE: Duration = Duration::from_secs(60);

/// Where a script plays the agent: `$DIR` is its folder. Who plays writes its process into `$DIR/pids`.
struct Stage {
    folder: tempfile::TempDir,
}

/// The program, as its client knows it.
struct Between<'s> {
    stage: &'s Stage,
    child: Child,
    says: Option<ChildStdin>,
    hears: Option<BufReader<ChildStdout>>,
    /// When this goes, nobody minds the time any more.
    _minded: Sender<()>,
}

/// What came of it.
struct Ended {
    status: Option<i32>,
    /// What was not heard before.
    heard: Vec<u8>,
    err: String,
    /// The lines of the record: their way and their text.
    record: Vec<(String, String)>,
}

impl Stage {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("there is room for files") }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap_or_default()
    }

    fn text(&self, name: &str) -> String {
        String::from_utf8_lossy(&self.read(name)).into_owned()
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        fs::write(self.path(name), bytes).expect("a file can be written");
    }

    /// Starts the program with a script as its agent.
    fn start(&self, options: &[&str], script: &str) -> Between<'_> {
        let record = self.path("record");
        let record = ["--record", record.to_str().expect("the folder has a name")];
        // The last record counts.
        self.start_with(&[&record, options].concat(), &["sh", "-c", &format!("echo $$ >> \"$DIR/pids\"; {script}")])
    }

    fn start_with(&self, options: &[&str], agent: &[&str]) -> Between<'_> {
        let mut command = program();
        command.args(["run", "--acp"]).args(options).arg("--").args(agent).env("DIR", self.folder.path());
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        command.stderr(File::create(self.path("err")).expect("a file can be created"));
        let mut child = command.spawn().expect("the program starts");
        let (minded, mind) = channel::<()>();
        let id = child.id().to_string();
        thread::spawn(move || {
            if mind.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                _ = Command::new("kill").args(["-KILL", &id]).status();
            }
        });
        let (says, hears) = (child.stdin.take(), child.stdout.take().map(BufReader::new));
        Between { stage: self, child, says, hears, _minded: minded }
    }

    /// The record, of which every line must be an object.
    fn record(&self) -> Vec<(String, String)> {
        let text = String::from_utf8(self.read("record")).expect("the record is UTF-8");
        assert!(text.is_empty() || text.ends_with('\n'));
        let line = |text: &str| {
            let line: serde_json::Value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"));
            assert!(line["ts"].as_u64().is_some_and(|time| time > 1_700_000_000_000), "{text}");
            assert_eq!(line.as_object().map(serde_json::Map::len), Some(3));
            let word = |key: &str| line[key].as_str().expect("it is a string").to_owned();
            (word("dir"), word("line"))
        };
        text.lines().map(line).collect()
    }

    /// Waits until a file holds a text.
    fn expect(&self, name: &str, text: &str) {
        let began = Instant::now();
        while !self.text(name).contains(text) {
            assert!(began.elapsed() < PATIENCE, "{text:?} is not in {name}: {}", self.text(name));
            thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Between<'_> {
    fn say(&mut self, bytes: impl AsRef<[u8]>) {
        let says = self.says.as_mut().expect("it is still open");
        says.write_all(bytes.as_ref()).and_then(|()| says.flush()).expect("it is heard");
    }

    fn hear(&mut self, count: usize) -> String {
        let mut bytes = vec![0; count];
        self.hears.as_mut().expect("it is still open").read_exact(&mut bytes).expect("something is said");
        String::from_utf8_lossy(&bytes).into_owned()
    }

    fn hear_line(&mut self) -> String {
        let mut line = String::new();
        self.hears.as_mut().expect("it is still open").read_line(&mut line).expect("something is said");
        line
    }

    fn send(&self, signal: &str) {
        let sent = Command::new("kill").args([signal, &self.child.id().to_string()]).status().expect("there is kill");
        assert!(sent.success());
    }

    /// Hears all, waits for the end, and sees to it that nobody stays behind. What was open to say more stays open.
    fn end(mut self) -> Ended {
        let mut heard = Vec::new();
        if let Some(mut hears) = self.hears.take() {
            hears.read_to_end(&mut heard).expect("it can be heard");
        }
        let status = self.child.wait().expect("it can be waited for").code();
        for id in self.stage.text("pids").split_whitespace() {
            let state = Command::new("ps").args(["-o", "stat=", "-p", id]).output().expect("there is ps").stdout;
            let state = String::from_utf8_lossy(&state);
            assert!(state.is_empty() || state.starts_with('Z'), "{id} is still there: {state}");
        }
        let regular = self.stage.path("record").symlink_metadata().is_ok_and(|data| data.is_file());
        let record = if regular { self.stage.record() } else { Vec::new() };
        Ended { status, heard, err: self.stage.text("err"), record }
    }

    /// The same, behind the end of what there is to say.
    fn close(mut self) -> Ended {
        self.says = None;
        self.end()
    }
}

/// The lines of bytes, as they are recorded: none that are empty, and what is no text replaced.
fn lines(bytes: &[u8]) -> Vec<String> {
    let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    lines.map(|line| String::from_utf8_lossy(line).into_owned()).collect()
}

/// What was recorded of one way.
fn way(record: &[(String, String)], way: &str) -> Vec<String> {
    record.iter().filter(|(dir, _)| dir == way).map(|(_, line)| line.clone()).collect()
}

/// Bytes of all sorts, always the same for a seed.
fn noise(count: usize, mut seed: u64) -> Vec<u8> {
    let mut step = || {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed.to_le_bytes()
    };
    (0..count / 8).flat_map(|_| step()).collect()
}

#[test]
fn all_bytes_pass_both_ways_at_once() {
    const COUNT: usize = 5_000_000;
    let stage = Stage::new();
    let (there, mut back) = (noise(COUNT, 7), noise(COUNT, 11));
    // A line that is longer than all that is read at a time, and one without an end.
    back.splice(1_000_000..3_000_000, b"\0long ".iter().copied().cycle().take(2_000_000));
    stage.write("back", &back);
    let mut between = stage.start(&[], "cat \"$DIR/back\" & cat > \"$DIR/there\"; wait");
    let mut says = between.says.take().expect("it is piped");
    let said = there.clone();
    let client = thread::spawn(move || says.write_all(&said).expect("it is heard"));
    let got = between.end();
    client.join().expect("all is said");
    assert_eq!((got.status, got.err.as_str()), (Some(0), ""));
    assert!(got.heard == back);
    assert!(stage.read("there") == there);
    assert!(way(&got.record, "client->agent") == lines(&there));
    assert!(way(&got.record, "agent->client") == lines(&back));
}

#[test]
fn a_line_passes_when_it_is_said_and_is_recorded_before_its_answer() {
    let stage = Stage::new();
    let mut between = stage.start(&[], "while IFS= read -r line; do echo \"answer to $line\"; done");
    let began = Instant::now();
    for round in 0..100 {
        between.say(format!("request {round}\n\n"));
        assert_eq!(between.hear_line(), format!("answer to request {round}\n"));
        assert_eq!(between.hear_line(), "answer to \n");
        let record = stage.record();
        assert_eq!(record.len(), 3 * (round + 1), "it is recorded before it is heard");
    }
    assert!(began.elapsed() < PATIENCE / 2);
    let got = between.close();
    assert_eq!((got.status, got.err.as_str()), (Some(0), ""));
    for (round, lines) in got.record.chunks(3).enumerate() {
        assert_eq!(lines[0], ("client->agent".to_owned(), format!("request {round}")));
        assert_eq!(lines[1], ("agent->client".to_owned(), format!("answer to request {round}")));
    }
}

#[test]
fn half_a_line_passes_at_once_and_is_recorded_at_the_end() {
    let stage = Stage::new();
    let mut between = stage.start(&[], "printf half; head -c 4; printf '\\377'; exit 3");
    assert_eq!(between.hear(4), "half");
    assert!(stage.record().is_empty());
    between.say("line and more");
    assert_eq!(between.hear(4), "line");
    let got = between.end();
    assert_eq!((got.status, got.heard.as_slice()), (Some(3), &b"\xff"[..]));
    assert_eq!(way(&got.record, "client->agent"), ["line and more"]);
    assert_eq!(way(&got.record, "agent->client"), ["halfline\u{fffd}"]);
}

#[test]
fn the_agents_end_is_the_end() {
    for (script, status, why) in [
        ("exit 0", 0, ""),
        ("read -r line; exit 7", 7, "cursor-fmt: `sh` exited with status 7\n"),
        ("kill -9 $$", 137, "cursor-fmt: `sh` was ended by signal 9 (KILL)\n"),
        // What it has started is ended too.
        (
            "sh -c 'echo $$ >> \"$DIR/pids\"; exec sleep 100' > /dev/null & exit 5",
            5,
            "cursor-fmt: `sh` exited with status 5\n",
        ),
    ] {
        let stage = Stage::new();
        let mut between = stage.start(&["--grace", "100"], script);
        // There would be more to say.
        let mut open = between.says.take().expect("it is piped");
        _ = open.write_all(b"one\ntwo");
        let began = Instant::now();
        let got = between.end();
        assert_eq!((got.status, got.err.as_str()), (Some(status), why), "{script}");
        assert!(began.elapsed() < PATIENCE / 2);
        assert!(way(&got.record, "agent->client").is_empty());
    }
}

#[test]
fn who_holds_the_agents_output_open_is_ended() {
    let stage = Stage::new();
    let script = "(trap '' TERM; sh -c 'echo $$ >> \"$DIR/pids\"; echo held; exec sleep 100') & read -r line; exit 5";
    let mut between = stage.start(&["--grace", "300ms"], script);
    assert_eq!(between.hear_line(), "held\n");
    between.say("\n");
    let open = between.says.take();
    let got = between.end();
    assert_eq!(got.status, Some(5), "{}", got.err);
    drop(open);
}

#[test]
fn an_agent_may_go_on_when_there_is_no_more_to_say() {
    let stage = Stage::new();
    let script = "cat > /dev/null; for i in 1 2 3 4 5 6; do sleep 0.5; echo $i; done; exit 6";
    let mut between = stage.start(&["--grace", "2"], script);
    between.say("hello\n");
    let got = between.close();
    assert_eq!((got.status, got.heard.as_slice()), (Some(6), &b"1\n2\n3\n4\n5\n6\n"[..]));
}

#[test]
fn an_agent_that_hangs_when_there_is_no_more_to_say_is_ended() {
    for trap in ["", "trap '' TERM;"] {
        let stage = Stage::new();
        let script = format!("{trap} cat; while :; do sleep 1; done");
        let mut between = stage.start(&["--grace", "300ms"], &script);
        between.say("hello\n");
        let got = between.close();
        assert_eq!((got.status, got.err.as_str(), got.heard.as_slice()), (Some(0), "", &b"hello\n"[..]));
    }
}

#[test]
fn a_signal_is_passed_on() {
    for (signal, status, why) in [
        ("INT", 130, "interrupted"),
        ("TERM", 143, "ended by signal 15 (TERM)"),
        ("HUP", 129, "ended by signal 1 (HUP)"),
    ] {
        if !is_heard(status - 128) {
            continue;
        }
        let stage = Stage::new();
        let mut between = stage.start(&[], &format!("trap 'echo last words; exit 9' {signal}; echo; sleep 100 & wait"));
        between.hear_line();
        between.send(&format!("-{signal}"));
        let got = between.end();
        assert_eq!((got.status, got.err), (Some(status), format!("cursor-fmt: {why}\n")));
        assert_eq!(got.heard, b"last words\n");
        assert_eq!(way(&got.record, "agent->client"), ["last words"]);
    }
}

#[test]
fn an_agent_that_takes_too_long_is_ended() {
    let stage = Stage::new();
    let mut between =
        stage.start(&["--timeout", "1", "--grace", "200ms"], "trap '' TERM; echo; while :; do sleep 1; done");
    between.hear_line();
    let got = between.end();
    assert_eq!((got.status, got.err.as_str()), (Some(124), "cursor-fmt: timed out after 1s\n"));
}

#[test]
fn only_where_both_are_silent_time_runs_out() {
    let stage = Stage::new();
    let mut between = stage.start(&["--idle-timeout", "1500ms"], "echo; cat > /dev/null");
    between.hear_line();
    for _ in 0..30 {
        thread::sleep(Duration::from_millis(100));
        between.say("~");
    }
    let got = between.end();
    assert_eq!((got.status, got.err.as_str()), (Some(124), "cursor-fmt: timed out after 1s 500ms without traffic\n"));
    assert_eq!(way(&got.record, "client->agent"), ["~".repeat(30)]);
}

#[test]
fn a_record_that_fails_does_not_end_the_traffic() {
    if !cfg!(target_os = "linux") {
        return;
    }
    for (script, status) in [("cat", 2), ("cat; exit 7", 2)] {
        let stage = Stage::new();
        let mut between = stage.start(&["--record", "/dev/full"], script);
        for _ in 0..3 {
            between.say("hello\n");
            assert_eq!(between.hear_line(), "hello\n");
        }
        let got = between.close();
        assert_eq!(got.status, Some(status));
        assert_eq!(got.err, "cursor-fmt: failed to write `/dev/full`: no space left on device\n");
    }
}

#[test]
fn an_agent_without_a_client_is_ended() {
    let stage = Stage::new();
    let mut between = stage.start(&[], "trap 'echo last words; exit 9' TERM; while :; do echo more; done");
    between.hear_line();
    between.hears = None;
    let got = between.end();
    assert_eq!((got.status, got.err.as_str()), (Some(0), ""));
    assert_eq!(got.record.last().map(|(_, line)| line.as_str()), Some("last words"));
}

#[test]
fn an_agent_that_listens_no_more_is_still_heard() {
    let stage = Stage::new();
    let script = "exec < /dev/null; echo deaf; until [ -e \"$DIR/on\" ]; do sleep 0.02; done; echo not dumb; exit 4";
    let mut between = stage.start(&["--grace", "200ms"], script);
    assert_eq!(between.hear_line(), "deaf\n");
    // More than any pipe holds.
    let line = [&[b'~'; 999][..], b"\n"].concat();
    between.say(line.repeat(3000));
    stage.write("on", b"");
    let got = between.end();
    assert_eq!((got.status, got.heard.as_slice()), (Some(4), &b"not dumb\n"[..]));
    assert_eq!(way(&got.record, "client->agent").len(), 3000);
}

#[test]
fn an_agent_that_is_not_there_leaves_the_record_alone() {
    let stage = Stage::new();
    stage.write("old", b"old");
    let record = stage.path("old");
    let record = record.to_str().expect("the folder has a name");
    let got = stage.start_with(&["--record", record], &["/no/such/agent"]).end();
    assert_eq!(got.status, Some(2));
    assert_eq!(got.err, "cursor-fmt: failed to start `/no/such/agent`: no such file or directory\n");
    assert_eq!(stage.read("old"), b"old");
    let got = stage.start_with(&["--record", record], &["true"]).end();
    assert_eq!((got.status, stage.read("old")), (Some(0), Vec::new()), "it is begun anew");
}

#[test]
fn what_the_agent_says_aside_stays_aside() {
    let stage = Stage::new();
    let got = stage.start(&[], "printf '\\033[1mnot for us\\n' >&2; echo for us").close();
    assert_eq!(
        (got.status, got.err.as_str(), got.heard.as_slice()),
        (Some(0), "\u{1b}[1mnot for us\n", &b"for us\n"[..])
    );
}

#[test]
fn a_client_that_does_not_listen_does_not_stop_the_clock() {
    let stage = Stage::new();
    let mut between = stage.start(&["--timeout", "500ms", "--grace", "500ms"], "while :; do echo more; done");
    let hears = between.hears.take();
    let began = Instant::now();
    let got = between.end();
    assert_eq!(got.status, Some(124), "{}", got.err);
    assert!(began.elapsed() < PATIENCE / 2);
    drop(hears);
}

#[test]
fn a_client_that_listens_late_hears_all() {
    let stage = Stage::new();
    stage.write("back", &noise(600_000, 5));
    let mut between = stage.start(&["--grace", "100ms"], "echo begun > \"$DIR/on\"; cat \"$DIR/back\"; exit 7");
    between.says = None;
    stage.expect("on", "begun");
    // Longer than all that an agent is given to end in.
    thread::sleep(Duration::from_secs(3));
    let got = between.end();
    assert_eq!(got.status, Some(7), "{}", got.err);
    assert!(got.heard == stage.read("back"));
}

#[test]
fn a_record_may_be_a_fifo() {
    let stage = Stage::new();
    let fifo = stage.path("record");
    assert!(Command::new("mkfifo").arg(&fifo).status().expect("there is mkfifo").success());
    let reader = thread::spawn(move || fs::read_to_string(fifo).expect("a fifo can be read"));
    let mut between = stage.start(&[], "cat");
    between.say("hello\n");
    assert_eq!(between.hear_line(), "hello\n");
    assert_eq!(between.close().status, Some(0));
    assert_eq!(reader.join().expect("the reader ends").matches("\"line\":\"hello\"}\n").count(), 2);
}

#[test]
fn a_record_that_takes_nothing_does_not_stop_the_clock() {
    let stage = Stage::new();
    let fifo = stage.path("record");
    assert!(Command::new("mkfifo").arg(&fifo).status().expect("there is mkfifo").success());
    // A reader that does not read.
    let mut reader =
        Command::new("sh").arg("-c").arg("exec sleep 60 < \"$0\"").arg(&fifo).spawn().expect("there is sh");
    let between = stage.start(&["--timeout", "500ms", "--grace", "500ms"], "while :; do echo more; done");
    let began = Instant::now();
    let got = between.end();
    reader.kill().and_then(|()| reader.wait()).expect("it can be killed");
    assert_eq!(got.status, Some(124), "{}", got.err);
    assert!(began.elapsed() < PATIENCE / 2);
}

#[test]
fn a_record_that_is_cut_by_force_is_whole_lines() {
    let stage = Stage::new();
    let mut between = stage.start(&[], "while :; do echo more; done");
    for _ in 0..1000 {
        between.hear_line();
    }
    between.child.kill().expect("it can be killed");
    between.child.wait().expect("it can be waited for");
    assert!(stage.record().len() >= 1000);
}

#[test]
fn what_is_neither_read_nor_shown_has_no_options() {
    for (words, why) in [
        (&["--view", "text"][..], "'--acp' cannot be used with '--view <VIEW>': what passes is neither read nor shown"),
        (&["--agent"], "'--acp' cannot be used with '--agent'"),
        (&["--agent-bin", "x"], "--agent"),
        (&["--strict"], "'--acp' cannot be used with '--strict'"),
        (&["--redact"], "'--acp' cannot be used with '--redact'"),
        (&["--ci", "auto"], "'--acp' cannot be used with '--ci"),
        (&["--step-summary"], "'--acp' cannot be used with '--step-summary'"),
        (&["--record", "-"], "failed to write `-`: a record is a file"),
        (
            &["--record", "/dev/stdout"],
            "'--acp' cannot be used with '--record /dev/stdout': only the agent writes there",
        ),
    ] {
        let got = given(
            &[&["run", "--acp", "--record", "/no/such/folder/r"], words, &["--", "/no/such/agent"]].concat(),
            b"",
        );
        assert_eq!((got.status, got.err.lines().count()), (2, 1), "{words:?}: {}", got.err);
        assert!(got.err.starts_with("cursor-fmt: ") && got.err.contains(why), "{words:?}: {}", got.err);
    }
    let got = given(&["--exit-zero", "run", "--acp", "--record", "r", "--", "x"], b"");
    assert!(got.err.contains("cannot be used with '--exit-zero'"), "{}", got.err);
    let got = given(&["run", "--acp", "--", "/no/such/agent"], b"");
    assert_eq!(got.err, "cursor-fmt: the argument '--acp' needs '--record <FILE>' (see cursor-fmt run --help)\n");
}
