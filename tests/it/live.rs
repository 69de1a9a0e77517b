//! The program as a process: what is seen when.

use crate::{log, program, root};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

/// Long enough for a busy machine; a test that passes does not wait for it.
const PATIENCE: Duration = Duration::from_secs(20);

struct Process {
    child: Child,
    input: Option<ChildStdin>,
    output: Receiver<Vec<u8>>,
    seen: String,
}

impl Process {
    fn new(args: &[&str]) -> Self {
        let mut child = start(args);
        let output = watch(child.stdout.take().expect("it is piped"));
        Self { input: child.stdin.take(), child, output, seen: String::new() }
    }

    fn write(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("the input is open");
        input.write_all(bytes).and_then(|()| input.flush()).expect("the program reads");
    }

    /// Waits until `text` is seen.
    fn expect(&mut self, text: &str) {
        while !self.seen.contains(text) {
            let more =
                self.output.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("{text:?} is not in {:?}", self.seen));
            self.seen.push_str(&String::from_utf8_lossy(&more));
        }
    }

    fn end(mut self) -> (i32, String) {
        drop(self.input.take());
        let mut said = String::new();
        self.child.stderr.take().expect("it is piped").read_to_string(&mut said).expect("messages are UTF-8");
        (self.child.wait().expect("it ends").code().expect("it was not killed"), said)
    }
}

/// The program, with pipes on all sides.
fn start(args: &[&str]) -> Child {
    program()
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts")
}

fn watch(mut output: ChildStdout) -> Receiver<Vec<u8>> {
    let (send, receive) = channel();
    thread::spawn(move || {
        let mut bytes = [0; 4096];
        while let Ok(count @ 1..) = output.read(&mut bytes) {
            if send.send(bytes[..count].to_vec()).is_err() {
                return;
            }
        }
    });
    receive
}

fn piece(text: &str) -> String {
    format!(
        "{{\"type\":\"assistant\",\"message\":{{\"role\":\"assistant\",\"content\":[{{\"type\":\"text\",\"text\":\"{text}\"}}]}},\"session_id\":\"s\",\"timestamp_ms\":1}}\n"
    )
}

const RESULT: &[u8] =
    b"{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"result\":\"\",\"session_id\":\"s\"}\n";

#[test]
fn a_piece_is_seen_before_the_next_line_comes() {
    for args in [&["pretty"][..], &["text", "--stream"]] {
        let mut process = Process::new(args);
        for word in ["one", "two", "three"] {
            process.write(piece(word).as_bytes());
            process.expect(word);
        }
        process.write(RESULT);
        assert_eq!(process.end().0, 0);
    }
}

#[test]
fn a_call_is_seen_when_it_ends() {
    for args in
        [&["pretty"][..], &["log"], &["events"], &["tools", "--format", "ndjson"], &["tools", "--format", "tsv"]]
    {
        let mut process = Process::new(args);
        process.write(b"{\"type\":\"tool_call\",\"subtype\":\"completed\",\"call_id\":\"c\",\"tool_call\":{\"readToolCall\":{\"args\":{\"path\":\"pier.txt\"}}},\"session_id\":\"s\"}\n");
        process.expect("pier.txt");
        process.write(RESULT);
        assert_eq!(process.end().0, 0);
    }
}

#[test]
fn a_line_of_the_log_is_seen_when_its_event_has_come() {
    let mut process = Process::new(&["log"]);
    let told = String::from_utf8(log("whole-messages")).expect("the log is UTF-8");
    // Whether the text in the third line is a message is known when the call behind it begins.
    let words = ["init ", "user ", "", "tool read", "tool shell", "ok read", "fail shell"];
    for (line, word) in told.lines().filter(|line| !line.contains("\"thinking\"")).zip(words) {
        process.write(format!("{line}\n").as_bytes());
        process.expect(word);
    }
    // The rest of the run never comes.
    assert_eq!(process.end().0, 3);
}

#[test]
fn the_answer_is_out_when_the_result_is_in() {
    let bytes = log("whole-messages");
    for args in [["text"], ["json"], ["pretty"]] {
        let mut process = Process::new(&args);
        process.write(&bytes);
        // The agent may stay alive behind its result: the input is still open here.
        process.expect(if args == ["json"] { "\"type\":\"result\"" } else { "in the right order" });
        if args == ["pretty"] {
            process.expect("done in");
        }
        assert_eq!(process.end().0, 0);
    }
}

#[test]
fn a_reader_that_goes_away_is_a_success() {
    let line = piece(&"x".repeat(1000));
    let log = line.repeat(2000);
    for args in [&["pretty"][..], &["text", "--stream"]] {
        let mut child = start(args);
        let mut input = child.stdin.take().expect("it is piped");
        let text = log.clone();
        let writer = thread::spawn(move || _ = input.write_all(text.as_bytes()));
        let mut first = [0; 10];
        child.stdout.take().expect("it is piped").read_exact(&mut first).expect("something is written");
        // Here the reader is gone.
        let output = child.wait_with_output().expect("it ends");
        writer.join().expect("the writer ends");
        assert_eq!(output.status.code(), Some(0), "{args:?}");
        assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn the_status_is_the_programs_own() {
    for (name, status) in [("whole-messages", 0), ("failed-result", 1), ("no-result", 3)] {
        let mut process = Process::new(&["text"]);
        process.write(&log(name));
        let (code, said) = process.end();
        assert_eq!(code, status, "{name}");
        assert_eq!(said.lines().count(), usize::from(status != 0), "{name}: {said}");
    }
    let output = program().args(["text", "no/such"]).output().expect("it starts");
    assert_eq!(output.status.code(), Some(2));
    let missing = BufReader::new(output.stderr.as_slice()).lines().count();
    assert_eq!(missing, 1);
    let folder = program().arg(root()).output().expect("it starts");
    assert_eq!(folder.status.code(), Some(2), "a folder is no log");
}
