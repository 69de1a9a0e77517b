//! What is said once is told once. The bytes are a script for a small agent, which writes a log as the real one does: with or
//! without pieces, its buffer flushed where it flushes, pieces cut anywhere, even within a surrogate pair. Of every such log
//! `text` must print the last message, and `text --all` and `text --stream` each message once.

#![no_main]

use cursor_fmt_fuzz::show;
use libfuzzer_sys::fuzz_target;
use serde_json::Value as Json;
use std::fmt::Write;
use std::io::Cursor;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// `--stream-partial-output`: pieces, and flushes that repeat them.
    Pieces,
    /// Flushes alone.
    Whole,
    /// Flushes alone, of an agent that writes no times.
    Untimed,
}

/// Few, so that the same piece comes often.
const WORDS: [&str; 16] =
    ["ha", "haha", "a", "-", "`", "```", "\n", "\n\n", " ", "\t", "\"", "\\", "{", "é", "😀", "😀😀"];

const LOST: &str = r#""type":"connection","subtype":"reconnecting","attempt":1"#;
const BACK: &str = r#""type":"connection","subtype":"reconnected""#;

fuzz_target!(|data: &[u8]| {
    let Some((first, script)) = data.split_first() else { return };
    let form = [Form::Pieces, Form::Pieces, Form::Whole, Form::Untimed][usize::from(first & 3)];
    let mut agent = Agent::new(form);
    agent.play(script);
    // The log ends before the last flush and the result. Where its last piece says again all the pieces before, nobody can
    // tell whether that was a flush for a query that was cut off.
    let cut = first & 4 != 0 && !agent.doubled();
    agent.end(cut);
    if agent.unsure {
        return;
    }

    let lines: Vec<String> = agent.messages.iter().map(|message| line(message)).collect();
    let all = lines.join("\n");
    let last = agent.messages.iter().rfind(|message| !message.trim().is_empty()).map(|message| line(message));
    let last = last.unwrap_or_default();
    for (args, want) in [(&["text"][..], &last), (&["text", "--all"], &all), (&["text", "--stream"], &all)] {
        let shown = show(args, Cursor::new(agent.log.clone()));
        let output = String::from_utf8(shown.output).expect("text");
        assert_eq!(&output, want, "{args:?} of\n{}", agent.log);
        assert_eq!(shown.code, if cut { 3 } else { 0 }, "{args:?} of\n{}", agent.log);
    }
});

fn line(message: &str) -> String {
    if message.is_empty() || message.ends_with('\n') { message.to_owned() } else { format!("{message}\n") }
}

/// The agent, as far as its text goes.
struct Agent {
    form: Form,
    log: String,
    /// What it has said since its last flush, in UTF-16, as JavaScript holds it.
    buffer: Vec<u16>,
    /// The messages that were flushed.
    messages: Vec<String>,
    calls: usize,
    open: Vec<usize>,
    queries: usize,
    /// A retry came, and no call or query since.
    retried: bool,
    /// The log is one that cannot be told from another.
    unsure: bool,
    now: u64,
}

/// What a flush is for, which decides on its marks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Why {
    Call,
    QueryOrRetry,
    End,
}

impl Agent {
    fn new(form: Form) -> Self {
        let mut agent = Self {
            form,
            log: String::new(),
            buffer: Vec::new(),
            messages: Vec::new(),
            calls: 0,
            open: Vec::new(),
            queries: 0,
            retried: false,
            unsure: false,
            now: 1_791_710_836_723,
        };
        agent.write(r#""type":"system","subtype":"init","cwd":"/home/ada","model":"Auto""#, false);
        let message = r#"{"role":"user","content":[{"type":"text","text":"Go on."}]}"#;
        agent.write(&format!(r#""type":"user","message":{message}"#), false);
        agent
    }

    /// What each byte stands for: `0x00` to `0x5F` a word and where it is cut, what is above by its last three bits an act.
    fn play(&mut self, script: &[u8]) {
        let mut script = script.iter().copied();
        while let Some(byte) = script.next() {
            match byte {
                ..0x60 => self.say(WORDS[usize::from(byte & 15)], usize::from(byte >> 4)),
                _ if byte % 8 == 0 => {
                    let length = script.next().unwrap_or_default();
                    let text: Vec<u8> = script.by_ref().take(usize::from(length & 15)).collect();
                    self.say(&String::from_utf8_lossy(&text), usize::from(length >> 4));
                }
                _ => self.act(byte % 8),
            }
        }
    }

    /// `a` to `g` in a script.
    fn act(&mut self, act: u8) {
        match act {
            1 => {
                self.write(r#""type":"thinking","subtype":"delta","text":"ha""#, true);
                self.write(r#""type":"thinking","subtype":"completed""#, true);
            }
            // The end of the last call that is open, or of one that was never heard of.
            2 => {
                let call = self.open.pop().unwrap_or_else(|| {
                    self.calls += 1;
                    self.calls
                });
                self.write_call("completed", call);
            }
            3 => {
                let task = r#""type":"system","subtype":"task_notification","task_id":"1","status":"success""#;
                self.write(&format!(r#"{task},"title":"Build","detail":"ha""#), true);
            }
            4 => {
                self.write(LOST, true);
                self.write(BACK, true);
            }
            5 => self.call(),
            6 => self.ask(),
            // No log without times has a retry.
            _ if self.form != Form::Untimed => self.retry(),
            _ => {}
        }
    }

    /// Text in two pieces.
    fn say(&mut self, text: &str, cut: usize) {
        let mut first: Vec<u16> = text.encode_utf16().collect();
        let second = first.split_off(cut.min(first.len()));
        self.piece(&first);
        self.piece(&second);
    }

    fn piece(&mut self, units: &[u16]) {
        if units.is_empty() {
            return;
        }
        self.buffer.extend_from_slice(units);
        if self.form == Form::Pieces {
            self.write_text(units, "", true);
        }
    }

    fn doubled(&self) -> bool {
        let (first, second) = self.buffer.split_at(self.buffer.len() / 2);
        !first.is_empty() && first == second
    }

    fn flush(&mut self, why: Why) {
        let buffer = std::mem::take(&mut self.buffer);
        if buffer.is_empty() {
            return;
        }
        let id = match why {
            Why::Call if self.form != Form::Untimed => r#","model_call_id":"71d41051-0-1917""#,
            Why::Call | Why::QueryOrRetry | Why::End => "",
        };
        self.write_text(&buffer, id, why != Why::End);
        let message = String::from_utf16(&buffer).expect("messages are whole");
        // Without pieces, what begins like the message before a retry could as well be that message again.
        let before = self.messages.last().filter(|_| self.retried && self.form == Form::Whole);
        self.unsure |= before.is_some_and(|before| message.starts_with(before) || before.starts_with(&message));
        self.messages.push(message);
    }

    fn call(&mut self) {
        self.flush(Why::Call);
        self.retried = false;
        self.calls += 1;
        self.open.push(self.calls);
        self.write_call("started", self.calls);
    }

    fn ask(&mut self) {
        self.flush(Why::QueryOrRetry);
        self.retried = false;
        let id = self.queries;
        self.queries += 1;
        let query = format!(r#"{{"args":{{"searchTerm":"tide","toolCallId":"q{id}"}}}}"#);
        let about = r#""query_type":"webSearchRequestQuery""#;
        let request = format!(r#"{about},"query":{{"id":{id},"webSearchRequestQuery":{query}}}"#);
        self.write(&format!(r#""type":"interaction_query","subtype":"request",{request}"#), true);
        let response = format!(r#"{about},"response":{{"id":{id},"webSearchRequestResponse":{{"approved":{{}}}}}}"#);
        self.write(&format!(r#""type":"interaction_query","subtype":"response",{response}"#), true);
    }

    fn retry(&mut self) {
        self.write(LOST, true);
        self.flush(Why::QueryOrRetry);
        self.retried = true;
        self.write(r#""type":"retry","subtype":"starting","attempt":1,"is_resume":true"#, true);
        self.write(r#""type":"retry","subtype":"resuming","checkpoint_turn_count":1,"attempt":1"#, true);
        self.write(BACK, true);
    }

    /// The end of the run, or of what is left of its log.
    fn end(&mut self, cut: bool) {
        if !cut {
            self.flush(Why::End);
            let text = Json::from(self.messages.concat());
            let result = format!(r#""duration_ms":6038,"is_error":false,"result":{text},"request_id":"71d41051""#);
            self.write(&format!(r#""type":"result","subtype":"success",{result}"#), false);
        } else if self.form == Form::Pieces && !self.buffer.is_empty() {
            self.messages.push(String::from_utf16(&self.buffer).expect("messages are whole"));
        }
    }

    fn write_call(&mut self, subtype: &str, call: usize) {
        let id = format!(r"call-{call}\nfc_{call}");
        let result = match subtype {
            "completed" => r#","result":{"success":{"exitCode":0,"stdout":"ha"}}"#,
            _ => "",
        };
        let shell = format!(r#"{{"shellToolCall":{{"args":{{"command":"ls"}}{result}}},"toolCallId":"{id}"}}"#);
        let call = format!(r#""call_id":"{id}","tool_call":{shell},"model_call_id":"71d41051-0-1917""#);
        self.write(&format!(r#""type":"tool_call","subtype":"{subtype}",{call}"#), true);
    }

    /// A line of text. Half a surrogate pair is written as an escape, the rest as it is, as `JSON.stringify` does.
    fn write_text(&mut self, text: &[u16], id: &str, timed: bool) {
        let text: String = char::decode_utf16(text.iter().copied())
            .map(|char| match char {
                Ok(char) => {
                    let quoted = Json::from(char.to_string()).to_string();
                    quoted[1..quoted.len() - 1].to_owned()
                }
                Err(half) => format!("\\u{:04x}", half.unpaired_surrogate()),
            })
            .collect();
        let message = format!(r#"{{"role":"assistant","content":[{{"type":"text","text":"{text}"}}]}}"#);
        self.write(&format!(r#""type":"assistant","message":{message}{id}"#), timed);
    }

    /// A line: its own fields, then what every line has.
    fn write(&mut self, fields: &str, timed: bool) {
        self.now += 2;
        let timed = timed && self.form != Form::Untimed;
        let time = if timed { format!(r#","timestamp_ms":{}"#, self.now) } else { String::new() };
        _ = writeln!(self.log, r#"{{{fields},"session_id":"9d9e87b1"{time}}}"#);
    }
}
