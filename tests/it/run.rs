//! An agent that is started here, played by scripts: it is recorded, shown and ended, and nothing of it stays behind.

use crate::{given, is_heard, log, program};
use std::fs::{self, File};
use std::io::Read;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Long enough for a busy machine; a test that passes does not wait for it.
const PATIENCE: Duration = Duration::from_secs(60);

/// An agent's stage: `$HEAD` and `$TAIL` are the parts of a log, the second with its result, and `$LOG` is both. Who plays writes
/// its process into `$PIDS`.
struct Stage {
    folder: tempfile::TempDir,
}

/// What came of it.
struct Played {
    status: Option<i32>,
    out: String,
    err: String,
    record: Vec<u8>,
}

/// The log that is played, and where its result begins.
fn parts() -> (Vec<u8>, usize) {
    let log = log("whole-messages");
    let end = log.len() - 1;
    let middle = log[..end].iter().rposition(|byte| *byte == b'\n').expect("the log has lines") + 1;
    (log, middle)
}

impl Stage {
    fn new() -> Self {
        let stage = Self { folder: tempfile::tempdir().expect("there is room for files") };
        let (log, middle) = parts();
        stage.write("log", &log);
        stage.write("head", &log[..middle]);
        stage.write("tail", &log[middle..]);
        stage.write("pids", b"");
        stage
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        fs::write(self.path(name), bytes).expect("a file can be written");
    }

    fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap_or_default()
    }

    fn text(&self, name: &str) -> String {
        String::from_utf8_lossy(&self.read(name)).into_owned()
    }

    /// The program, which starts a script as its agent. What it says goes into files.
    fn command(&self, options: &[&str], script: &str) -> Command {
        let mut command = program();
        command.arg("run").args(options).arg("--record").arg(self.path("record"));
        command.args(["--", "sh", "-c", &format!("echo $$ >> \"$PIDS\"; {script}")]);
        self.surround(&mut command);
        command
    }

    fn surround(&self, command: &mut Command) {
        for name in crate::SURROUNDINGS {
            command.env_remove(name);
        }
        for name in ["LOG", "HEAD", "TAIL", "PIDS"] {
            command.env(name, self.path(&name.to_lowercase()));
        }
        let file = |name| File::create(self.path(name)).expect("a file can be created");
        command.stdin(Stdio::null()).stdout(file("out")).stderr(file("err"));
    }

    /// Plays a script to its end.
    fn play(&self, options: &[&str], script: &str) -> Played {
        self.end(self.command(options, script).spawn().expect("the program starts"))
    }

    /// Waits for the end, and sees to it that nobody stays behind.
    fn end(&self, mut child: Child) -> Played {
        let began = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait().expect("it can be waited for") {
                break status;
            }
            if began.elapsed() > PATIENCE {
                child.kill().expect("it can be killed");
                panic!("it does not end: {} {}", self.text("out"), self.text("err"));
            }
            thread::sleep(Duration::from_millis(5));
        };
        for id in self.text("pids").split_whitespace() {
            let state = Command::new("ps").args(["-o", "stat=", "-p", id]).output().expect("there is ps").stdout;
            let state = String::from_utf8_lossy(&state);
            assert!(state.is_empty() || state.starts_with('Z'), "{id} is still there: {state}");
        }
        Played { status: status.code(), out: self.text("out"), err: self.text("err"), record: self.read("record") }
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

fn send(signal: &str, child: &Child) {
    let sent = Command::new("kill").args([signal, &child.id().to_string()]).status().expect("there is kill");
    assert!(sent.success());
}

/// What a view shows of a log.
fn shown(view: &[&str], log: &[u8]) -> String {
    given(view, log).text()
}

#[test]
fn an_agent_is_shown_and_recorded() {
    let (log, _) = parts();
    for (view, words) in [("pretty", &["pretty"][..]), ("text --stream", &["text", "--stream"]), ("tools", &["tools"])]
    {
        let stage = Stage::new();
        let got = stage.play(&["--view", view], "cat \"$LOG\"");
        assert_eq!((got.status, got.err.as_str()), (Some(0), ""), "{view}");
        assert_eq!(got.out, shown(words, &log));
        assert!(got.record == log);
    }
}

#[test]
fn what_a_slow_agent_writes_is_seen_as_it_comes() {
    let (log, _) = parts();
    let stage = Stage::new();
    // It goes on when its first words are seen.
    let script = "head -3 \"$LOG\"; until [ -e \"$PIDS.on\" ]; do sleep 0.02; done; tail -n +4 \"$LOG\"";
    let child = stage.command(&[], script).spawn().expect("the program starts");
    stage.expect("out", "The departure board puts");
    let lines: Vec<&[u8]> = log.split_inclusive(|byte| *byte == b'\n').take(3).collect();
    assert!(stage.read("record") == lines.concat(), "it is recorded before it is shown");
    stage.write("pids.on", b"");
    let got = stage.end(child);
    assert_eq!((got.status, got.out), (Some(0), shown(&["pretty"], &log)));
    assert!(got.record == log);
}

#[test]
fn a_reader_that_is_slow_does_not_slow_the_record_down() {
    const TIMES: usize = 100;
    let stage = Stage::new();
    let piece = format!(
        "{{\"type\":\"assistant\",\"message\":{{\"content\":[{{\"type\":\"text\",\"text\":\"{}\"}}]}},\"session_id\":\"s\",\"timestamp_ms\":1}}\n",
        "~".repeat(900)
    );
    let chunk = piece.repeat((1 << 20) / piece.len());
    let result =
        "{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"result\":\"\",\"session_id\":\"s\"}\n";
    stage.write("head", chunk.as_bytes());
    stage.write("tail", result.as_bytes());
    let script = "i=0; while [ $i -lt 100 ]; do cat \"$HEAD\"; i=$((i+1)); done; cat \"$TAIL\"";
    let mut command = stage.command(&["--view", "text --stream"], script);
    let mut child = command.stdout(Stdio::piped()).spawn().expect("the program starts");
    let want = chunk.len() * TIMES + result.len();
    let began = Instant::now();
    // Nobody has read a byte of what is shown.
    while fs::metadata(stage.path("record")).map_or(0, |data| data.len()) < want as u64 {
        assert!(began.elapsed() < PATIENCE, "the record waits");
        thread::sleep(Duration::from_millis(5));
    }
    let mut text = String::new();
    child.stdout.take().expect("it is piped").read_to_string(&mut text).expect("text is UTF-8");
    let got = stage.end(child);
    assert_eq!(got.status, Some(0), "{}", got.err);
    assert_eq!(text.len(), chunk.matches('~').count() * TIMES + 1, "all of it, and a line break");
    assert!(got.record.chunks(chunk.len()).take(TIMES).all(|part| part == chunk.as_bytes()));
    assert_eq!(got.record.len(), want);
}

#[test]
fn an_agent_that_hangs_behind_its_result_is_ended() {
    let (log, _) = parts();
    for (trap, grace) in [("", "300ms"), ("trap '' TERM;", "0.3")] {
        let stage = Stage::new();
        let got = stage.play(&["--grace", grace], &format!("{trap} cat \"$LOG\"; while :; do sleep 1; done"));
        assert_eq!((got.status, got.err.as_str()), (Some(0), ""));
        assert_eq!(got.out, shown(&["pretty"], &log));
        assert!(got.record == log);
    }
}

#[test]
fn a_second_run_has_all_its_time() {
    let second = log("rejected");
    let stage = Stage::new();
    stage.write("log.second", &second);
    // The run lasts longer than the grace behind the first result.
    let script =
        "cat \"$LOG\"; head -1 \"$LOG.second\"; sleep 3.5; tail -n +2 \"$LOG.second\"; while :; do sleep 1; done";
    let got = stage.play(&["--grace", "2s", "--view", "tools --format tsv"], script);
    let both = [parts().0, second].concat();
    assert_eq!(got.out, shown(&["tools", "--format", "tsv"], &both));
    assert!(got.record == both);
    assert_eq!(got.status, Some(0));
}

#[test]
fn an_agent_that_takes_too_long_is_ended() {
    let (log, middle) = parts();
    let stage = Stage::new();
    let got = stage.play(&["--timeout", "1.5", "--grace", "200ms"], "trap '' TERM; cat \"$HEAD\"; sleep 100");
    assert_eq!((got.status, got.err.as_str()), (Some(124), "cursor-fmt: timed out after 1s 500ms\n"));
    assert!(got.out.starts_with(&shown(&["pretty"], &log[..middle])), "{}", got.out);
    assert!(got.out.ends_with("✗ timed out after 1s 500ms\n"), "{}", got.out);
    assert!(got.record == log[..middle]);
}

#[test]
fn what_an_agent_writes_when_it_is_ended_is_shown() {
    let (log, _) = parts();
    let stage = Stage::new();
    let script = "trap 'cat \"$TAIL\"; exit 0' TERM; cat \"$HEAD\"; sleep 100 & wait";
    let got = stage.play(&["--timeout", "1500ms", "--exit-zero"], script);
    assert_eq!(got.status, Some(124), "{}", got.err);
    assert_eq!(got.out, shown(&["pretty"], &log) + "✗ timed out after 1s 500ms\n");
    assert!(got.record == log);
}

#[test]
fn a_silent_agent_is_ended() {
    let stage = Stage::new();
    let got = stage.play(&["--idle-timeout", "300ms", "--timeout", "1h"], "sleep 100");
    assert_eq!((got.status, got.err.as_str()), (Some(124), "cursor-fmt: timed out after 300ms without output\n"));
    assert_eq!(got.out, "✗ timed out after 300ms without output\n");
    assert!(got.record.is_empty());
}

#[test]
fn every_view_for_people_says_why_an_agent_was_stopped() {
    let wanted = [
        ("log", "note timed out after 700ms"),
        ("summary", "**timed out after 700ms**"),
        ("summary --format json", "\"why\":\"timed out after 700ms\""),
        ("pretty", "timed out after 700ms"),
    ];
    for (view, words) in wanted {
        let stage = Stage::new();
        let got = stage.play(&["--timeout", "0.7", "--ci", "github", "--view", view], "cat \"$HEAD\"; sleep 60");
        assert_eq!(got.status, Some(124), "{view}: {}", got.err);
        assert!(got.out.contains(words), "{view}: {}", got.out);
        let want = "cursor-fmt: timed out after 700ms\n::error title=The agent did not finish::timed out after 700ms\n";
        assert_eq!(got.err, want, "{view}");
    }
    let stage = Stage::new();
    let got = stage.play(&["--timeout", "0.3", "--view", "summary"], "sleep 60");
    assert!(got.out.starts_with("## No run\n\ntimed out after 300ms\n"), "{}", got.out);
}

#[test]
fn a_failing_agent_is_one_error_on_a_console_and_no_success_on_the_page() {
    for script in ["cat \"$LOG\"; exit 7", "exit 7"] {
        let stage = Stage::new();
        let got = stage.play(&["--ci", "github", "--view", "text"], script);
        assert_eq!(got.status, Some(7), "{}", got.err);
        let errors: Vec<&str> = got.err.lines().filter(|line| line.starts_with("::error")).collect();
        assert_eq!(errors, ["::error title=The agent failed::`sh` exited with status 7"], "{}", got.err);
        let page = Stage::new().play(&["--view", "summary"], script).out;
        assert!(
            page.contains("**\\`sh\\` exited with status 7**") || page.contains("\\`sh\\` exited with status 7\n"),
            "{page}"
        );
        assert!(!page.contains("✓ Run"), "{page}");
    }
}

#[test]
fn an_agent_that_hangs_behind_a_result_without_a_line_break_is_ended() {
    let stage = Stage::new();
    let began = Instant::now();
    let got = stage.play(&["--grace", "0.5", "--view", "text"], "printf %s \"$(cat \"$LOG\")\"; sleep 60");
    assert_eq!(got.status, Some(0), "{}", got.err);
    assert!(got.out.starts_with("The board is in the right order again."), "{}", got.out);
    assert!(began.elapsed() < PATIENCE / 2);
    assert_eq!(got.record, parts().0.trim_ascii_end());
    // What comes of the line later is no line of its own.
    let got = stage.play(&["--view", "text"], "printf %s \"$(cat \"$LOG\")\"; sleep 1; echo; echo no json");
    assert_eq!((got.status, got.err.as_str()), (Some(0), "cursor-fmt: 1 line was not JSON (first: sh:22): no json\n"));
}

#[test]
fn three_signals_at_once_leave_nothing_behind() {
    let stage = Stage::new();
    let script = "trap '' HUP INT TERM; cat \"$HEAD\"; echo > \"$PIDS.on\"; while :; do sleep 1; done";
    let child = stage.command(&["--grace", "60"], script).spawn().expect("the program starts");
    stage.expect("pids.on", "\n");
    let id = child.id().to_string();
    let kill = format!("kill -HUP {id}; kill -INT {id}; kill -TERM {id}");
    assert!(Command::new("sh").args(["-c", &kill]).status().expect("there is sh").success());
    let got = stage.end(child);
    assert!(got.status.is_none_or(|status| status > 128), "{:?}", got.status);
}

#[test]
fn an_agent_with_a_record_that_takes_nothing_is_ended_in_time() {
    let stage = Stage::new();
    let fifo = stage.path("fifo");
    assert!(Command::new("mkfifo").arg(&fifo).status().expect("there is mkfifo").success());
    // A reader that does not read.
    let mut reader =
        Command::new("sh").arg("-c").arg("exec sleep 60 < \"$0\"").arg(&fifo).spawn().expect("there is sh");
    let mut command = program();
    command.args(["run", "--timeout", "0.5", "--grace", "0.5", "--record"]).arg(&fifo);
    command.args(["--", "sh", "-c", "echo $$ >> \"$PIDS\"; while :; do cat \"$HEAD\"; done"]);
    stage.surround(&mut command);
    let began = Instant::now();
    let got = stage.end(command.spawn().expect("the program starts"));
    reader.kill().and_then(|()| reader.wait()).expect("it can be killed");
    assert_eq!(got.status, Some(124), "{}", got.err);
    assert!(began.elapsed() < PATIENCE / 2);
}

#[test]
fn what_is_typed_wrong_is_said_of_run() {
    let wrong = [
        (&["--view", ""][..], "it begins with the name of a view (see cursor-fmt run --help)"),
        (&["--view", "text --redact"], "the view has no such option; what all views share stands outside"),
        (&["--view", "--all"], "the command stands behind --; see cursor-fmt run --help"),
        (&["--record", "-"], "failed to write `-`: a record is a file"),
    ];
    for (options, words) in wrong {
        let got = given(&[&["run"], options, &["--", "true"]].concat(), b"");
        assert_eq!((got.status, got.err.lines().count()), (2, 1), "{}", got.err);
        assert!(got.err.contains(words) && !got.err.contains("tip:"), "{}", got.err);
    }
}

#[test]
fn time_that_runs_out_behind_the_result_cuts_nothing_off() {
    let (log, _) = parts();
    for clock in ["--timeout", "--idle-timeout"] {
        let stage = Stage::new();
        let got = stage.play(&[clock, "2s", "--grace", "10m"], "cat \"$LOG\"; sleep 100");
        assert_eq!((got.status, got.err.as_str()), (Some(0), ""), "{clock}");
        assert_eq!(got.out, shown(&["pretty"], &log));
        assert!(got.record == log);
    }
}

#[test]
fn the_agents_own_status_is_passed_on() {
    for (script, status, why) in [
        ("cat \"$LOG\"; exit 7", 7, "`sh` exited with status 7"),
        ("cat \"$LOG\"; exec >&-; sleep 0.3; exit 7", 7, "`sh` exited with status 7"),
        ("cat \"$LOG\"; kill -9 $$", 137, "`sh` was ended by signal 9 (KILL)"),
        (
            "cat \"$HEAD\"; kill -15 $$",
            143,
            "sh: the log ends before the run's result; `sh` was ended by signal 15 (TERM)",
        ),
        ("exit 1", 1, "sh: no run in the log; `sh` exited with status 1"),
        ("cat \"$HEAD\"", 3, "sh: the log ends before the run's result"),
    ] {
        let stage = Stage::new();
        let got = stage.play(&["--view", "text"], script);
        assert_eq!((got.status, got.err), (Some(status), format!("cursor-fmt: {why}\n")), "{script}");
        assert!(log("whole-messages").starts_with(&got.record));
    }
    assert_eq!(Stage::new().play(&["--exit-zero"], "cat \"$HEAD\"").status, Some(0), "what the log says is forgiven");
    assert_eq!(
        Stage::new().play(&["--exit-zero"], "cat \"$LOG\"; exit 7").status,
        Some(7),
        "what the agent says is not"
    );
}

#[test]
fn half_a_line_is_recorded() {
    let stage = Stage::new();
    let got = stage.play(&[], "cat \"$HEAD\"; printf '{\"type\":\"ass'");
    let want = [&parts().0[..parts().1], b"{\"type\":\"ass"].concat();
    assert!(got.record == want);
    assert_eq!(got.status, Some(3));
}

#[test]
fn who_holds_the_pipe_open_is_ended() {
    let (log, _) = parts();
    let stage = Stage::new();
    let script = "cat \"$LOG\"; (trap '' TERM; sh -c 'echo $$ >> \"$PIDS\"; exec sleep 100') & exit 0";
    let got = stage.play(&["--grace", "300ms"], script);
    assert_eq!((got.status, got.err.as_str()), (Some(0), ""));
    assert_eq!(got.out, shown(&["pretty"], &log));
    assert!(got.record == log);
}

/// Where the system tells, also what has left the agent's group is found.
#[cfg(target_os = "linux")]
#[test]
fn who_has_a_session_of_its_own_is_ended() {
    let stage = Stage::new();
    let other = "setsid sh -c 'trap \"\" TERM; echo $$ >> \"$PIDS\"; touch \"$PIDS.on\"; sleep 100' > /dev/null &";
    let script = format!("{other} until [ -e \"$PIDS.on\" ]; do sleep 0.02; done; cat \"$LOG\"");
    let got = stage.play(&[], &script);
    assert_eq!(stage.text("pids").lines().count(), 2);
    assert_eq!((got.status, got.err.as_str()), (Some(0), ""));
}

#[test]
fn a_signal_is_passed_on_and_the_rest_is_shown() {
    let (log, _) = parts();
    for (signal, status, why) in [
        ("INT", 130, "interrupted"),
        ("TERM", 143, "ended by signal 15 (TERM)"),
        ("HUP", 129, "ended by signal 1 (HUP)"),
    ] {
        if !is_heard(status - 128) {
            continue;
        }
        let stage = Stage::new();
        let script = format!("trap 'cat \"$TAIL\"; exit 9' {signal}; cat \"$HEAD\"; sleep 100 & wait");
        let child = stage.command(&[], &script).spawn().expect("the program starts");
        stage.expect("out", "The board is in the right order again.");
        send(&format!("-{signal}"), &child);
        let got = stage.end(child);
        assert_eq!((got.status, got.err), (Some(status), format!("cursor-fmt: {why}\n")));
        assert_eq!(got.out, shown(&["pretty"], &log) + &format!("✗ {why}\n"));
        assert!(got.record == log);
    }
}

/// What `nohup` has ignored stays ignored, where the system tells.
#[cfg(target_os = "linux")]
#[test]
fn a_signal_that_is_ignored_ends_nothing() {
    let stage = Stage::new();
    let script = "cat \"$HEAD\"; until [ -e \"$PIDS.on\" ]; do sleep 0.02; done; cat \"$TAIL\"";
    let inner = stage.command(&[], script);
    let mut command = Command::new("sh");
    command.args(["-c", "trap '' HUP; exec \"$@\"", "sh"]).arg(inner.get_program()).args(inner.get_args());
    stage.surround(&mut command);
    let child = command.spawn().expect("the program starts");
    stage.expect("out", "The board is in the right order again.");
    send("-HUP", &child);
    stage.write("pids.on", b"");
    let got = stage.end(child);
    assert_eq!((got.status, got.err.as_str()), (Some(0), ""));
    assert!(got.record == parts().0);
}

#[test]
fn a_second_signal_does_not_wait() {
    if !is_heard(2) {
        return;
    }
    let stage = Stage::new();
    let script = "trap 'echo heard >&2' INT; cat \"$HEAD\"; while :; do sleep 0.1; done";
    let child = stage.command(&["--grace", "10m"], script).spawn().expect("the program starts");
    stage.expect("out", "The board is in the right order again.");
    send("-INT", &child);
    stage.expect("err", "heard");
    send("-INT", &child);
    let got = stage.end(child);
    assert_eq!((got.status, got.err.as_str()), (Some(130), "heard\ncursor-fmt: interrupted\n"));
}

#[test]
fn a_signal_ends_also_who_does_not_hear_it() {
    if !is_heard(2) {
        return;
    }
    let stage = Stage::new();
    let script = "trap '' INT; cat \"$HEAD\"; while :; do sleep 0.1; done";
    let child = stage.command(&["--grace", "200ms"], script).spawn().expect("the program starts");
    stage.expect("out", "The board is in the right order again.");
    send("-INT", &child);
    assert_eq!(stage.end(child).status, Some(130));
}

#[test]
fn an_agent_without_a_reader_is_ended() {
    let stage = Stage::new();
    let mut command = stage.command(&["--view", "text --stream"], "while :; do cat \"$LOG\"; done");
    let mut child = command.stdout(Stdio::piped()).spawn().expect("the program starts");
    child.stdout.take().expect("it is piped").read_exact(&mut [0; 10]).expect("something is shown");
    // Here the reader is gone.
    let got = stage.end(child);
    assert_eq!((got.status, got.err.as_str()), (Some(0), ""));
}

#[test]
fn a_signal_counts_though_the_reader_is_gone() {
    if !is_heard(2) {
        return;
    }
    let stage = Stage::new();
    let script = "trap 'cat \"$TAIL\"; exit 9' INT; cat \"$HEAD\"; sleep 100 & wait";
    let mut child = stage.command(&[], script).stdout(Stdio::piped()).spawn().expect("the program starts");
    let mut seen = String::new();
    let mut output = child.stdout.take().expect("it is piped");
    while !seen.contains("The board is in the right order again.") {
        let mut bytes = [0; 4096];
        let count = output.read(&mut bytes).expect("it can be read");
        assert!(count > 0, "{seen}");
        seen.push_str(&String::from_utf8_lossy(&bytes[..count]));
    }
    drop(output);
    send("-INT", &child);
    let got = stage.end(child);
    assert_eq!((got.status, got.err.as_str()), (Some(130), "cursor-fmt: interrupted\n"));
    assert!(got.record == parts().0);
}

#[test]
fn an_agent_has_the_streams_that_it_would_have_without() {
    let stage = Stage::new();
    let got = stage.play(&["--view", "json"], "[ -t 1 ] && exit 9; cat \"$LOG\"; echo said >&2");
    assert_eq!((got.status, got.err.as_str()), (Some(0), "said\n"));
}

/// A shell would set right what is wrong here, so there is none.
#[cfg(target_os = "linux")]
#[test]
fn an_agent_gets_the_signals_that_it_would_get_without() {
    let stage = Stage::new();
    let masks = |command: &mut Command| {
        stage.surround(command.args(["grep", "-E", "SigBlk|SigIgn", "/proc/self/status"]));
        command.spawn().and_then(|mut child| child.wait()).expect("the program starts");
    };
    masks(&mut Command::new("env"));
    let want = stage.read("out");
    assert!(!want.is_empty());
    masks(program().arg("run").arg("--record").arg(stage.path("record")).arg("--"));
    // Whoever is written in Rust ignores SIGPIPE, and starts others who do not.
    let (want, got) = (String::from_utf8_lossy(&want).into_owned(), stage.text("record"));
    assert_eq!(got, want);
}

#[test]
fn a_record_that_fails_does_not_end_the_run() {
    if !cfg!(target_os = "linux") {
        return;
    }
    let (log, _) = parts();
    let stage = Stage::new();
    let got = stage.play(&["--record", "/dev/full"], "");
    assert_eq!(got.status, Some(3), "the last record counts: {}", got.err);
    let mut command = program();
    command.args(["run", "--record", "/dev/full", "--", "sh", "-c", "cat \"$LOG\""]);
    stage.surround(&mut command);
    let got = stage.end(command.spawn().expect("the program starts"));
    assert_eq!(got.status, Some(2));
    assert_eq!(got.err, "cursor-fmt: failed to write `/dev/full`: no space left on device\n");
    assert_eq!(got.out, shown(&["pretty"], &log));
}

#[test]
fn a_record_may_be_a_fifo() {
    let (log, _) = parts();
    let stage = Stage::new();
    let fifo = stage.path("record");
    assert!(Command::new("mkfifo").arg(&fifo).status().expect("there is mkfifo").success());
    let reader = thread::spawn(move || fs::read(fifo).expect("a fifo can be read"));
    let mut command = stage.command(&[], "cat \"$LOG\"");
    let status = command.spawn().expect("the program starts").wait().expect("it ends");
    assert!(reader.join().expect("the reader ends") == log);
    assert_eq!((status.code(), stage.text("out")), (Some(0), shown(&["pretty"], &log)));
}

#[test]
fn an_old_record_is_replaced_once_the_agent_runs() {
    let stage = Stage::new();
    stage.write("record", &b"old".repeat(100_000));
    let mut command = program();
    command.arg("run").arg("--record").arg(stage.path("record")).args(["--", "/no/such/agent"]);
    stage.surround(&mut command);
    let got = stage.end(command.spawn().expect("the program starts"));
    assert_eq!(got.status, Some(2));
    assert_eq!(got.err, "cursor-fmt: failed to start `/no/such/agent`: no such file or directory\n");
    assert_eq!(got.record.len(), 300_000, "it is left alone");
    assert!(stage.play(&[], "cat \"$LOG\"").record == parts().0);
}

#[test]
fn the_agent_is_found_and_told_to_stream() {
    use std::os::unix::fs::PermissionsExt;
    for name in ["agent", "cursor-agent", "mine"] {
        let stage = Stage::new();
        let play = |words: &[&str]| {
            let mut command = program();
            command.args(["run", "--view", "json", "--agent"]).args(words);
            stage.surround(&mut command);
            stage.end(command.env("PATH", stage.path("bin")).spawn().expect("the program starts"))
        };
        fs::create_dir(stage.path("bin")).expect("a folder can be created");
        let missing = play(&["--", "hello"]);
        assert_eq!(missing.status, Some(2));
        assert!(
            missing.err.contains("`agent` or `cursor-agent`") && missing.err.lines().count() == 1,
            "{}",
            missing.err
        );
        let program = stage.path("bin").join(name);
        let script = "#!/bin/sh\nprintf '%s\\n' \"$@\" > \"$PIDS.words\"\nPATH=/bin:/usr/bin\ncat \"$LOG\"\n";
        fs::write(&program, script).expect("a file can be written");
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("a file can be made a program");
        let words: &[&str] = if name == "mine" { &["--agent-bin", "mine"] } else { &[] };
        let got = play(&[words, &["--", "-f", "two words"]].concat());
        assert_eq!((got.status, got.err.as_str()), (Some(0), ""), "{name}");
        let told = "--print\n--output-format\nstream-json\n--stream-partial-output\n-f\ntwo words\n";
        assert_eq!(stage.text("pids.words"), told);
    }
}

#[test]
fn shared_options_count_for_what_is_run() {
    let stage = Stage::new();
    stage.write("log", &log("rejected"));
    let options = ["--color", "always", "--fail-on", "rejected", "--view", "tools --format 'ndjson'"];
    let got = stage.play(&options, "cat \"$LOG\"");
    assert_eq!(got.status, Some(4));
    assert_eq!(got.out, shown(&["tools", "--format", "ndjson"], &log("rejected")));
    stage.write("log", b"no json\n");
    assert_eq!(stage.play(&["--strict"], "cat \"$LOG\"; sleep 100").status, Some(2));
}

#[test]
fn wrong_words_start_nothing() {
    for (words, why) in [
        (&["--view", "nope"][..], "there is no such view"),
        (&["--view", "text a.ndjson"], "not 'a.ndjson'"),
        (&["--view", "text --nope"], "--nope"),
        (&["--view", "text '"], "quote"),
        (&["--view", "tools --format xml"], "xml"),
        (&["--timeout", "0"], "no time at all"),
        (&["--timeout", "0ms"], "no time at all"),
        (&["--idle-timeout", "-1s"], "not a time"),
        (&["--grace", "soon"], "not a time"),
        (&["--grace", ""], "not a time"),
        (&["--agent-bin", "x"], "--agent"),
    ] {
        let words = [&["run"], words, &["--", "/no/such/agent"]].concat();
        let got = given(&words, b"");
        assert_eq!(got.status, 2, "{words:?}");
        assert!(got.err.contains(why) && got.err.lines().count() == 1, "{words:?}: {}", got.err);
        assert!(!got.err.contains("failed to start"), "{words:?}: {}", got.err);
    }
    assert!(given(&["--thinking", "run", "--", "x"], b"").err.contains("--thinking stands in front of the view 'run'"));
    for words in [&["run"][..], &["run", "agent"]] {
        let got = given(words, b"");
        assert!(got.status == 2 && got.err.contains("the command stands behind --"), "{words:?}: {}", got.err);
    }
}

#[test]
fn a_time_has_a_unit_or_is_in_seconds() {
    for time in ["90", "90s", "1.5m", "2h", "500ms", "0.5", "99999999h"] {
        let got = given(&["run", "--timeout", time, "--grace", time, "--", "/no/such/agent"], b"");
        assert!(got.err.contains("failed to start"), "{time}: {}", got.err);
    }
}
