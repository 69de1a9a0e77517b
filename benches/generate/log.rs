//! Logs to measure with, made of nothing: a kind and a size give the same bytes on every machine.
//!
//! Sizes and shares are those of long real logs, and so are the order of keys, the escapes and the call ids. The text means
//! nothing. It holds what readers stumble over: events quoted in strings, `{"type":…}` deep inside arguments, escape
//! sequences, Windows paths, wide text.

#![allow(dead_code, reason = "a program that includes this file need not use all of it")]

use std::borrow::Cow;
use std::io::{self, Write};

/// Fields of an object in their order: `fields! { "key": value, variable: value }`.
macro_rules! fields {
    ($($key:tt: $value:expr),* $(,)?) => { vec![$((Cow::from($key), Value::from($value))),*] };
}

macro_rules! object {
    ($($fields:tt)*) => { Value::Object(fields! { $($fields)* }) };
}

/// What a log holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Sessions whose messages come in pieces, and then whole again.
    Partial,
    /// Sessions whose messages come whole; nearly all bytes are tool calls.
    Whole,
    /// The events of `Partial`, the keys of each object in any order and `type` never the first of a line.
    PartialShuffled,
    /// The events of `Whole`, likewise.
    WholeShuffled,
    /// One session of 230 KB with pieces, whatever the size asked for.
    Small,
    /// A small session that reads a file as large as the size asked for.
    Giant,
    /// A small session whose only message is as long as the size asked for; the result repeats it.
    Needed,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 7] = [
        Self::Partial,
        Self::Whole,
        Self::PartialShuffled,
        Self::WholeShuffled,
        Self::Small,
        Self::Giant,
        Self::Needed,
    ];

    /// The name for command lines and files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Partial => "partial",
            Self::Whole => "whole",
            Self::PartialShuffled => "partial-shuffled",
            Self::WholeShuffled => "whole-shuffled",
            Self::Small => "small",
            Self::Giant => "giant",
            Self::Needed => "needed",
        }
    }
}

/// Writes a log of about `bytes` bytes. It ends with the result of a session.
pub fn write(kind: Kind, bytes: u64, out: &mut impl Write) -> io::Result<()> {
    match kind {
        Kind::Partial => sessions(true, bytes, &mut Lines::new(out)),
        Kind::Whole => sessions(false, bytes, &mut Lines::new(out)),
        Kind::PartialShuffled => sessions(true, bytes, &mut Lines::shuffled(out)),
        Kind::WholeShuffled => sessions(false, bytes, &mut Lines::shuffled(out)),
        Kind::Small => Session::new(true, &mut Random(39), &mut Lines::new(out)).run(230_000),
        Kind::Giant => Session::new(true, &mut Random(4), &mut Lines::new(out)).run_with_read(bytes),
        Kind::Needed => Session::new(false, &mut Random(5), &mut Lines::new(out)).run_with_message(bytes),
    }
}

fn sessions(partial: bool, bytes: u64, lines: &mut Lines<impl Write>) -> io::Result<()> {
    let mut random = Random(if partial { 1 } else { 2 });
    loop {
        let size = random.between(1_500_000, 3_500_000);
        // A scrap of a session at the end would be small beside the others.
        let left = bytes.saturating_sub(lines.written);
        let size = if left < size + 1_000_000 { left } else { size };
        Session::new(partial, &mut random, lines).run(size)?;
        if lines.written + 50_000 >= bytes {
            return Ok(());
        }
    }
}

/// More than a turn can fill.
const ROOMY: usize = 1_000_000;

/// A run of the agent, from `init` to `result`.
struct Session<'a, 'o, W> {
    lines: &'a mut Lines<'o, W>,
    random: &'a mut Random,
    /// Messages come in pieces, and then whole.
    partial: bool,
    id: String,
    request: String,
    /// Of the model call that goes on.
    model_call: String,
    model_calls: u64,
    calls: u64,
    began: u64,
    now: u64,
    /// All messages, joined: the text of the result.
    said: String,
}

impl<'a, 'o, W: Write> Session<'a, 'o, W> {
    fn new(partial: bool, random: &'a mut Random, lines: &'a mut Lines<'o, W>) -> Self {
        let id = uuid(random);
        let request = uuid(random);
        let now = 1_791_700_000_000 + random.between(0, 900_000_000);
        Session {
            lines,
            random,
            partial,
            id,
            request,
            model_call: String::new(),
            model_calls: 0,
            calls: 0,
            began: now,
            now,
            said: String::new(),
        }
    }

    /// A whole session of about `bytes` bytes.
    fn run(mut self, bytes: u64) -> io::Result<()> {
        let start = self.lines.written;
        self.open()?;
        loop {
            // The result will repeat what was said.
            let so_far = self.lines.written - start + self.said.len() as u64;
            let room = usize::try_from(bytes.saturating_sub(so_far)).unwrap_or(usize::MAX);
            if room < 20_000 {
                return self.close(room);
            }
            self.turn(room)?;
        }
    }

    /// A small session with the result of a read of `bytes` bytes.
    fn run_with_read(mut self, bytes: u64) -> io::Result<()> {
        self.open()?;
        self.turn(ROOMY)?;
        self.begin_model_call();
        let mut call = self.call(Tool::Read, 1_000);
        let content = Value::Drawn { seed: 6, bytes };
        call.result = read_result("/srv/orchard/logs/all-of-last-year.log".to_owned(), content, bytes);
        self.start(&call)?;
        self.complete(call)?;
        self.turn(ROOMY)?;
        self.close(20_000)
    }

    /// A small session with one message, of `bytes` bytes.
    fn run_with_message(mut self, bytes: u64) -> io::Result<()> {
        self.open()?;
        for tool in [Tool::Read, Tool::Shell, Tool::Edit] {
            self.begin_model_call();
            self.think(2_000)?;
            let call = self.call(tool, 4_000);
            self.start(&call)?;
            self.complete(call)?;
        }
        // No message is empty.
        let message = Value::Drawn { seed: 7, bytes: bytes.max(1) };
        let last = self.assistant(message.clone(), false, false);
        self.lines.write(last)?;
        self.result(message)
    }

    fn open(&mut self) -> io::Result<()> {
        let init = object! {
            "type": "system",
            "subtype": "init",
            "apiKeySource": "login",
            "cwd": "/srv/orchard",
            "session_id": self.id.clone(),
            "model": "Composer 2.5 Fast",
            "permissionMode": "default",
        };
        self.lines.write(init)?;
        let prompt = prose(self.random, 300);
        let user = object! {
            "type": "user",
            "message": object! {
                "role": "user",
                "content": vec![object! { "type": "text", "text": prompt }],
            },
            "session_id": self.id.clone(),
        };
        self.lines.write(user)
    }

    /// A model call: thoughts, a message, and the tool calls that it asked for.
    /// It takes less than `room` bytes, mostly.
    fn turn(&mut self, room: usize) -> io::Result<()> {
        self.begin_model_call();
        let thought = self.random.size(100, 590);
        self.think(thought)?;
        // Agents that are not watched word by word say less between calls.
        let most = if self.partial { (room / 30).min(3_000) } else { 1_500 };
        let text = self.random.size(100, most);
        let text = prose(self.random, text);
        self.say(text, true)?;

        let count = if self.random.chance(20) { self.random.between(2, 4) } else { 1 };
        let mut open = Vec::new();
        for _ in 0..count {
            let tool = self.random.tool();
            let bytes = self.random.output(self.partial).min(room / 3);
            let call = self.call(tool, bytes);
            self.start(&call)?;
            open.push(call);
        }
        // Calls that run side by side end in any order.
        self.random.shuffle(&mut open);
        open.into_iter().try_for_each(|call| self.complete(call))
    }

    fn close(mut self, room: usize) -> io::Result<()> {
        self.think(400)?;
        // A piece of text is a line of 15 times its length.
        let text = if self.partial { (room / 20).max(100) } else { self.random.size(300, 2_500) };
        let text = prose(self.random, text);
        self.say(text, false)?;
        let said = std::mem::take(&mut self.said);
        self.result(said.into())
    }

    fn result(mut self, said: Value) -> io::Result<()> {
        self.wait(30);
        let duration = self.now - self.began;
        let result = object! {
            "type": "result",
            "subtype": "success",
            "duration_ms": duration,
            "duration_api_ms": duration,
            "is_error": false,
            "result": said,
            "session_id": self.id,
            "request_id": self.request,
            "usage": object! {
                "inputTokens": self.random.between(5_000, 90_000),
                "outputTokens": self.random.between(500, 30_000),
                "cacheReadTokens": self.random.between(10_000, 2_000_000),
                "cacheWriteTokens": 0,
            },
        };
        self.lines.write(result)
    }

    fn begin_model_call(&mut self) {
        let tail = self.random.between(0x1000, 0xffff);
        self.model_call = format!("{}-{}-{tail:04x}", self.request, self.model_calls);
        self.model_calls += 1;
    }

    fn think(&mut self, bytes: usize) -> io::Result<()> {
        let text = prose(self.random, bytes);
        let mut rest = text.as_str();
        while !rest.is_empty() {
            let (piece, behind) = self.random.piece(rest, 16);
            rest = behind;
            self.wait(4);
            let delta = object! {
                "type": "thinking",
                "subtype": "delta",
                "text": piece.to_owned(),
                "session_id": self.id.clone(),
                "timestamp_ms": self.now,
            };
            self.lines.write(delta)?;
        }
        let completed = object! {
            "type": "thinking",
            "subtype": "completed",
            "session_id": self.id.clone(),
            "timestamp_ms": self.now,
        };
        self.lines.write(completed)
    }

    /// A message. What repeats the pieces has both marks before a call, and none at the end of the run.
    fn say(&mut self, text: String, calls_follow: bool) -> io::Result<()> {
        self.said.push_str(&text);
        if self.partial {
            let mut rest = text.as_str();
            while !rest.is_empty() {
                let (piece, behind) = self.random.piece(rest, 12);
                rest = behind;
                self.wait(3);
                let delta = self.assistant(piece.to_owned().into(), false, true);
                self.lines.write(delta)?;
            }
        }
        self.wait(3);
        let whole = self.assistant(text.into(), calls_follow, calls_follow);
        self.lines.write(whole)
    }

    fn assistant(&self, text: Value, model_call: bool, timestamp: bool) -> Value {
        let mut fields = fields! {
            "type": "assistant",
            "message": object! {
                "role": "assistant",
                "content": vec![object! { "type": "text", "text": text }],
            },
            "session_id": self.id.clone(),
        };
        if model_call {
            fields.extend(fields! { "model_call_id": self.model_call.clone() });
        }
        if timestamp {
            fields.extend(fields! { "timestamp_ms": self.now });
        }
        Value::Object(fields)
    }

    fn call(&mut self, tool: Tool, bytes: usize) -> Call {
        let number = self.calls;
        self.calls += 1;
        // One model has a line break in its ids.
        let id = if self.random.chance(50) {
            let (first, second) = (uuid(self.random), uuid(self.random));
            format!("call-{first}-{number}\nfc_{second}_{number}")
        } else {
            format!("tool_{}", &uuid(self.random)[..35])
        };
        // Started by the server, whose clock is another.
        let started = self.now + self.random.between(0, 200) - 100;
        let mut call = Call {
            ascii: self.random.chance(10),
            refused: false,
            id,
            started,
            key: tool.key(),
            asked: Vec::new(),
            result: Value::Flag(false),
            behind: Vec::new(),
        };
        match tool {
            Tool::Read => read(&mut call, self.random, bytes),
            Tool::Shell => shell(&mut call, self.random, bytes, &self.id, &self.request),
            Tool::Edit => edit(&mut call, self.random, bytes),
            Tool::Grep => grep(&mut call, self.random, bytes),
            Tool::Glob => glob(&mut call, self.random, bytes),
            Tool::Write => write_file(&mut call, self.random, bytes),
            Tool::Mcp => mcp(&mut call, self.random, bytes),
            Tool::Function => function(&mut call, self.random, bytes),
        }
        call
    }

    fn start(&mut self, call: &Call) -> io::Result<()> {
        self.wait(2);
        let inner: Fields = call.asked.iter().chain(&call.behind).cloned().collect();
        let key = call.key;
        let tool_call = fields! {
            key: Value::Object(inner),
            "hookAdditionalContexts": Vec::new(),
            "toolCallId": call.id.clone(),
            "startedAtMs": call.started.to_string(),
        };
        self.tool_call("started", call.id.clone(), tool_call, call.ascii)
    }

    fn complete(&mut self, call: Call) -> io::Result<()> {
        let took = self.random.between(5, 9_000);
        self.wait(took);
        // What was refused comes back without its arguments.
        let (asked, behind) = if call.refused { (Vec::new(), Vec::new()) } else { (call.asked, call.behind) };
        let result = fields! { "result": call.result };
        let key = call.key;
        let tool_call = fields! {
            key: Value::Object(asked.into_iter().chain(result).chain(behind).collect()),
            "hookAdditionalContexts": Vec::new(),
            "toolCallId": call.id.clone(),
            "startedAtMs": call.started.to_string(),
            "completedAtMs": (call.started + took).to_string(),
        };
        self.tool_call("completed", call.id, tool_call, call.ascii)
    }

    fn tool_call(&mut self, subtype: &'static str, id: String, tool_call: Fields, ascii: bool) -> io::Result<()> {
        let event = object! {
            "type": "tool_call",
            "subtype": subtype,
            "call_id": id,
            "tool_call": Value::Object(tool_call),
            "model_call_id": self.model_call.clone(),
            "session_id": self.id.clone(),
            "timestamp_ms": self.now,
        };
        self.lines.ascii = ascii;
        let written = self.lines.write(event);
        self.lines.ascii = false;
        written
    }

    fn wait(&mut self, milliseconds: u64) {
        self.now += self.random.between(0, milliseconds + 1);
    }
}

/// A tool call on its way.
struct Call {
    id: String,
    key: &'static str,
    started: u64,
    /// Stands in both lines, before the result.
    asked: Fields,
    result: Value,
    /// Stands in both lines, behind the result.
    behind: Fields,
    refused: bool,
    /// Its lines have an escape for every character that is not ASCII.
    ascii: bool,
}

#[derive(Clone, Copy)]
enum Tool {
    Read,
    Shell,
    Edit,
    Grep,
    Glob,
    Write,
    Mcp,
    Function,
}

impl Tool {
    fn key(self) -> &'static str {
        match self {
            Self::Read => "readToolCall",
            Self::Shell => "shellToolCall",
            Self::Edit => "editToolCall",
            Self::Grep => "grepToolCall",
            Self::Glob => "globToolCall",
            Self::Write => "writeToolCall",
            Self::Mcp => "mcpToolCall",
            Self::Function => "function",
        }
    }
}

fn read(call: &mut Call, random: &mut Random, bytes: usize) {
    let path = path(random);
    call.asked = fields! { "args": object! { "path": path.clone() } };
    if random.chance(3) {
        call.refused = true;
        call.result = object! { "error": object! { "errorMessage": "File not found" } };
        return;
    }
    let content = text(random, bytes);
    let size = content.len() as u64;
    call.result = read_result(path, content.into(), size);
}

fn read_result(path: String, content: Value, size: u64) -> Value {
    let count = size / 40 + 1;
    object! {
        "success": object! {
            "content": content,
            "isEmpty": false,
            "exceededLimit": false,
            "totalLines": count,
            "fileSize": size,
            "path": path,
            "readRange": object! { "startLine": 1, "endLine": count },
            "relatedCursorRulePaths": Vec::new(),
            "relatedCursorRules": Vec::new(),
        },
    }
}

fn shell(call: &mut Call, random: &mut Random, bytes: usize, session: &str, request: &str) {
    let (program, argument) = (random.pick(PROGRAMS), random.pick(NAMES));
    let command = format!("{program} --verbose \"{argument}\" | tail -n 400");
    let description = format!("Run {program} on the {argument}");
    let first = object! {
        "name": program,
        "args": vec![
            object! { "type": "word", "value": "--verbose" },
            object! { "type": "string", "value": format!("\"{argument}\"") },
        ],
        "fullText": format!("{program} --verbose \"{argument}\""),
    };
    let second = object! {
        "name": "tail",
        "args": vec![
            object! { "type": "word", "value": "-n" },
            object! { "type": "number", "value": "400" },
        ],
        "fullText": "tail -n 400",
    };
    let args = object! {
        "command": command.clone(),
        "workingDirectory": "",
        "timeout": 30_000,
        "toolCallId": call.id.clone(),
        "simpleCommands": vec![Value::from(program), "tail".into()],
        "hasInputRedirect": false,
        "hasOutputRedirect": false,
        "parsingResult": object! {
            "parsingFailed": false,
            "executableCommands": vec![first, second],
            "hasRedirects": false,
            "hasCommandSubstitution": false,
            "redirects": Vec::new(),
        },
        "fileOutputThresholdBytes": "40000",
        "isBackground": false,
        "skipApproval": false,
        "timeoutBehavior": "TIMEOUT_BEHAVIOR_BACKGROUND",
        "hardTimeout": 86_400_000,
        "description": description.clone(),
        "closeStdin": true,
        "conversationId": session.to_owned(),
        "adminCommandDenylist": Vec::new(),
        "requestId": request.to_owned(),
    };
    call.asked = fields! { "args": args };
    call.behind = fields! { "description": description };
    if random.chance(4) {
        call.refused = true;
        call.result = object! {
            "rejected": object! {
                "command": command,
                "workingDirectory": "/srv/orchard",
                "reason": "",
                "isReadonly": false,
            },
        };
        return;
    }
    let failed = random.chance(12);
    let errors = if failed { lines(random, TERMINAL, 300) } else { String::new() };
    let output = if random.chance(75) { lines(random, TERMINAL, bytes / 2) } else { text(random, bytes / 2) };
    let time = random.between(20, 9_000);
    let ended = object! {
        "command": command,
        "workingDirectory": "",
        "exitCode": u64::from(failed),
        "signal": "",
        "stdout": output.clone(),
        "stderr": errors.clone(),
        "executionTime": time + 200,
        "interleavedOutput": output + &errors,
        "localExecutionTimeMs": time,
    };
    let outcome = if failed { "failure" } else { "success" };
    call.result = object! { outcome: ended, "isBackground": false };
}

fn edit(call: &mut Call, random: &mut Random, bytes: usize) {
    let path = path(random);
    // The file stands in the result twice, and the change four times.
    let around = bytes * 2 / 5;
    let (head, tail) = (text(random, around / 2), text(random, around / 2));
    let change = 40 + bytes / 40;
    let (old, new) = (lines(random, CODE, change), lines(random, CODE, change));
    let (removed, added) = (old.lines().count(), new.lines().count());
    let above = head.lines().count();

    let mut diff = format!("--- a/{path}\n+++ b/{path}\n@@ -{},{removed} +{0},{added} @@", above + 1);
    for (sign, side) in [("\n-", &old), ("\n+", &new)] {
        for line in side.lines() {
            diff.push_str(sign);
            diff.push_str(line);
        }
    }
    call.asked = fields! { "args": object! { "path": path.clone(), "streamContent": new.clone() } };
    call.result = object! {
        "success": object! {
            "path": path.clone(),
            "linesAdded": added as u64,
            "linesRemoved": removed as u64,
            "diffString": diff,
            "beforeFullFileContent": [head.as_str(), &old, &tail].concat(),
            "afterFullFileContent": [head.as_str(), &new, &tail].concat(),
            "message": format!("The file {path} has been updated."),
        },
    };
}

fn grep(call: &mut Call, random: &mut Random, bytes: usize) {
    let pattern = format!("\\b{}\\w+\\(\"", random.pick(NAMES));
    let mut files = Vec::new();
    let mut count = 0;
    for _ in 0..=bytes / 1_100 {
        let mut matches = Vec::new();
        for number in 0..random.between(2, 13) {
            let mut line = String::new();
            let template = random.pick(CODE);
            fill(random, template, &mut line);
            count += 1;
            matches.push(object! {
                "lineNumber": number * 7 + 1,
                "content": line,
                "contentTruncated": false,
                "isContextLine": number % 3 == 1,
            });
        }
        let file = path(random).replace("/srv/orchard", ".");
        files.push(object! { "file": file, "matches": matches });
    }
    let args = object! {
        "pattern": pattern.clone(),
        "path": "/srv/orchard",
        "outputMode": "content",
        "caseInsensitive": false,
        "multiline": false,
        "toolCallId": call.id.clone(),
        "offset": 0,
    };
    call.asked = fields! { "args": args };
    let found = object! {
        "content": object! {
            "matches": files,
            "totalLines": count,
            "totalMatchedLines": count,
            "clientTruncated": false,
            "ripgrepTruncated": false,
        },
    };
    call.result = object! {
        "success": object! {
            "pattern": pattern,
            "path": "/srv/orchard",
            "outputMode": "content",
            "workspaceResults": object! { "/srv/orchard": found },
        },
    };
}

fn glob(call: &mut Call, random: &mut Random, bytes: usize) {
    let files: Vec<Value> = (0..=bytes / 150).map(|_| path(random).into()).collect();
    let count = files.len() as u64;
    call.asked = fields! { "args": object! { "targetDirectory": "/srv/orchard", "globPattern": "**/*.{rs,py,ts}" } };
    call.result = object! {
        "success": object! {
            "pattern": "",
            "path": "/srv/orchard",
            "files": files,
            "totalFiles": count,
            "clientTruncated": false,
            "ripgrepTruncated": false,
        },
    };
}

fn write_file(call: &mut Call, random: &mut Random, bytes: usize) {
    let path = path(random);
    let content = text(random, bytes);
    let (count, size) = (content.lines().count() as u64, content.len() as u64);
    let args = object! { "path": path.clone(), "fileText": content, "toolCallId": call.id.clone() };
    call.asked = fields! { "args": args };
    call.result = object! { "success": object! { "path": path, "linesCreated": count, "fileSize": size } };
}

fn mcp(call: &mut Call, random: &mut Random, bytes: usize) {
    let name = random.pick(NAMES);
    let args = object! {
        "name": format!("almanac-{name}"),
        "args": object! { "query": random.pick(NAMES), "limit": random.between(1, 200) },
        "toolCallId": call.id.clone(),
        "providerIdentifier": "almanac",
        "toolName": name,
        "smartModeApprovalOnly": false,
        "skipApproval": false,
        "serverIdentifier": "almanac",
    };
    call.asked = fields! { "args": args };
    call.behind = fields! { "description": "Look it up in the almanac" };
    call.result = object! {
        "success": object! {
            "content": vec![object! { "text": object! { "text": lines(random, RECORDS, bytes) } }],
            "isError": false,
            "systemReminders": Vec::new(),
        },
    };
}

fn function(call: &mut Call, random: &mut Random, bytes: usize) {
    let name = format!("{}_{}", random.pick(VERBS), random.pick(NAMES));
    let mut arguments = String::new();
    fill(random, r#"{"query":"@ \"@\"","path":"C:\\@\\@.csv","limit":#,"tags":["@","收穫"]}"#, &mut arguments);
    call.asked = fields! { "name": name, "arguments": arguments };
    call.result = object! { "success": object! { "content": lines(random, RECORDS, bytes) } };
}

fn path(random: &mut Random) -> String {
    let mut path = String::new();
    let template = random.pick(PATHS);
    fill(random, template, &mut path);
    path
}

fn uuid(random: &mut Random) -> String {
    let (high, low) = (random.draw(), random.draw());
    let (third, fourth) = (high & 0xffff, low >> 48);
    format!("{:08x}-{:04x}-{third:04x}-{fourth:04x}-{:012x}", high >> 32, high >> 16 & 0xffff, low & 0xffff_ffff_ffff)
}

/// What is in a file.
fn text(random: &mut Random, bytes: usize) -> String {
    let templates = match random.index(100) {
        0..65 => CODE,
        65..80 => TERMINAL,
        80..90 => RECORDS,
        _ => WIDE,
    };
    lines(random, templates, bytes)
}

fn lines(random: &mut Random, templates: &[&'static str], bytes: usize) -> String {
    let mut text = String::with_capacity(bytes + 200);
    while text.len() < bytes {
        let template = random.pick(templates);
        fill(random, template, &mut text);
        text.push('\n');
    }
    text
}

/// What an agent says or thinks.
fn prose(random: &mut Random, bytes: usize) -> String {
    let mut text = String::with_capacity(bytes + 200);
    while text.len() < bytes {
        let block = random.chance(12) && !text.is_empty();
        let template = random.pick(if block { BLOCKS } else { SENTENCES });
        if !block && !text.is_empty() && !text.ends_with('\n') {
            text.push(' ');
        }
        fill(random, template, &mut text);
    }
    text
}

/// The template with a name for each `@` and a number for each `#`.
fn fill(random: &mut Random, template: &str, text: &mut String) {
    let mut rest = template;
    while let Some(at) = rest.find(['@', '#']) {
        text.push_str(&rest[..at]);
        if rest[at..].starts_with('@') {
            text.push_str(random.pick(NAMES));
        } else {
            text.push_str(&random.between(1, 2_000).to_string());
        }
        rest = &rest[at + 1..];
    }
    text.push_str(rest);
}

/// `SplitMix64`, whole numbers only: the same everywhere.
struct Random(u64);

impl Random {
    fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// From `low` up to, and without, `high`.
    fn between(&mut self, low: u64, high: u64) -> u64 {
        low + (self.draw() >> 32) * (high - low) / (1 << 32)
    }

    fn index(&mut self, len: usize) -> usize {
        usize::try_from(self.between(0, len as u64)).expect("less than a `usize`")
    }

    fn size(&mut self, low: usize, high: usize) -> usize {
        low + self.index(high - low)
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.index(100) < percent
    }

    fn pick(&mut self, words: &[&'static str]) -> &'static str {
        words[self.index(words.len())]
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let other = self.index(last + 1);
            items.swap(last, other);
        }
    }

    fn tool(&mut self) -> Tool {
        match self.index(100) {
            0..28 => Tool::Read,
            28..52 => Tool::Shell,
            52..72 => Tool::Edit,
            72..82 => Tool::Grep,
            82..86 => Tool::Glob,
            86..91 => Tool::Write,
            91..97 => Tool::Mcp,
            _ => Tool::Function,
        }
    }

    /// How much a call brings back: mostly little, at times very much.
    fn output(&mut self, partial: bool) -> usize {
        let bytes = match self.index(100) {
            0..30 => self.size(200, 2_000),
            30..65 => self.size(2_000, 20_000),
            65..93 => self.size(20_000, 70_000),
            _ => self.size(70_000, 150_000),
        };
        if partial { bytes / 5 } else { bytes }
    }

    /// Cuts off about `mean` bytes as models do: with the space in front of words, and not inside a character.
    fn piece<'t>(&mut self, text: &'t str, mean: usize) -> (&'t str, &'t str) {
        let mut end = self.size(1, 2 * mean - 7).min(text.len());
        let mut seen = 0;
        while !text.is_char_boundary(end) || seen < 12 && end < text.len() && !b" \n".contains(&text.as_bytes()[end]) {
            end += 1;
            seen += 1;
        }
        text.split_at(end)
    }
}

type Fields = Vec<(Cow<'static, str>, Value)>;

/// A JSON value whose keys keep their order.
#[derive(Clone)]
enum Value {
    Text(Cow<'static, str>),
    /// Text too long to be held: it is made as it is written, always the same of a seed.
    Drawn {
        seed: u64,
        bytes: u64,
    },
    Number(u64),
    Flag(bool),
    List(Vec<Value>),
    Object(Fields),
}

impl From<&'static str> for Value {
    fn from(text: &'static str) -> Self {
        Self::Text(Cow::Borrowed(text))
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(Cow::Owned(text))
    }
}

impl From<u64> for Value {
    fn from(number: u64) -> Self {
        Self::Number(number)
    }
}

impl From<bool> for Value {
    fn from(flag: bool) -> Self {
        Self::Flag(flag)
    }
}

impl From<Vec<Value>> for Value {
    fn from(list: Vec<Value>) -> Self {
        Self::List(list)
    }
}

/// Where the lines of a log go.
struct Lines<'o, W> {
    out: &'o mut W,
    /// What of a line is not in `out` yet.
    line: Vec<u8>,
    written: u64,
    /// Gives the order of keys. It is apart from what makes the events, so that these stay the same.
    order: Option<Random>,
    ascii: bool,
}

impl<'o, W: Write> Lines<'o, W> {
    fn new(out: &'o mut W) -> Self {
        Lines { out, line: Vec::new(), written: 0, order: None, ascii: false }
    }

    fn shuffled(out: &'o mut W) -> Self {
        Lines { order: Some(Random(9)), ..Lines::new(out) }
    }

    fn write(&mut self, mut event: Value) -> io::Result<()> {
        if let (Some(order), Value::Object(fields)) = (&mut self.order, &mut event) {
            shuffle(order, fields);
            // Not even by chance: who looks at the start of a line for the type shall find another key.
            if fields[0].0 == "type" {
                let other = order.size(1, fields.len());
                fields.swap(0, other);
            }
        }
        self.value(&event)?;
        self.line.push(b'\n');
        self.flush()
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.write_all(&self.line)?;
        self.written += self.line.len() as u64;
        self.line.clear();
        Ok(())
    }

    fn value(&mut self, value: &Value) -> io::Result<()> {
        match value {
            Value::Text(text) => {
                self.line.push(b'"');
                escape(text, self.ascii, &mut self.line);
                self.line.push(b'"');
            }
            Value::Drawn { seed, bytes } => self.drawn(&mut Random(*seed), *bytes)?,
            Value::Number(number) => self.line.extend_from_slice(number.to_string().as_bytes()),
            Value::Flag(flag) => self.line.extend_from_slice(if *flag { b"true" } else { b"false" }),
            Value::List(items) => {
                self.line.push(b'[');
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        self.line.push(b',');
                    }
                    self.value(item)?;
                }
                self.line.push(b']');
            }
            Value::Object(fields) => {
                self.line.push(b'{');
                for (index, (key, value)) in fields.iter().enumerate() {
                    self.line.extend_from_slice(if index > 0 { b",\"" } else { b"\"" });
                    escape(key, self.ascii, &mut self.line);
                    self.line.extend_from_slice(b"\":");
                    self.value(value)?;
                }
                self.line.push(b'}');
            }
        }
        Ok(())
    }

    /// A string whose text is as long as asked for.
    fn drawn(&mut self, random: &mut Random, bytes: u64) -> io::Result<()> {
        self.line.push(b'"');
        let mut left = bytes;
        while left > 0 {
            let part = text(random, 8_000);
            let mut end = usize::try_from(left).unwrap_or(part.len()).min(part.len());
            while !part.is_char_boundary(end) {
                end -= 1;
            }
            // Less is left than the next character is long.
            let part = if end == 0 { "." } else { &part[..end] };
            escape(part, self.ascii, &mut self.line);
            left -= part.len() as u64;
            self.flush()?;
        }
        self.line.push(b'"');
        Ok(())
    }
}

/// Puts the keys of each object in another order.
fn shuffle(order: &mut Random, fields: &mut Fields) {
    fn inside(order: &mut Random, value: &mut Value) {
        match value {
            Value::Object(fields) => shuffle(order, fields),
            Value::List(items) => items.iter_mut().for_each(|item| inside(order, item)),
            Value::Text(_) | Value::Drawn { .. } | Value::Number(_) | Value::Flag(_) => {}
        }
    }
    order.shuffle(fields);
    for (_, value) in fields {
        inside(order, value);
    }
}

/// Escapes as `JSON.stringify` does, and on request all that is not ASCII too.
fn escape(text: &str, ascii: bool, line: &mut Vec<u8>) {
    let mut rest = text;
    let odd = |byte: u8| byte < b' ' || byte == b'"' || byte == b'\\' || ascii && byte >= 0x80;
    while let Some(at) = rest.bytes().position(odd) {
        line.extend_from_slice(&rest.as_bytes()[..at]);
        let mut behind = rest[at..].chars();
        match behind.next().expect("the character that was found") {
            '\n' => line.extend_from_slice(b"\\n"),
            '\r' => line.extend_from_slice(b"\\r"),
            '\t' => line.extend_from_slice(b"\\t"),
            '"' => line.extend_from_slice(b"\\\""),
            '\\' => line.extend_from_slice(b"\\\\"),
            other => {
                for unit in other.encode_utf16(&mut [0; 2]) {
                    line.extend_from_slice(format!("\\u{unit:04x}").as_bytes());
                }
            }
        }
        rest = behind.as_str();
    }
    line.extend_from_slice(rest.as_bytes());
}

#[rustfmt::skip]
const NAMES: &[&str] = &[
    "orchard", "sapling", "graft", "rootstock", "harvest", "basket", "ladder", "blossom", "frost_guard", "ripeness",
    "pear", "quince", "medlar", "row", "tree_id", "season", "yield_kg", "bee_count", "pruning", "windfall", "cider",
    "press", "crate", "weight", "soil", "moisture", "sensor", "reading", "forecast", "rain_mm", "almanac", "ledger",
    "picker", "shift", "label", "barrel", "cellar", "variety", "pollen", "hive", "mulch", "fence", "gate", "barn",
    "tractor", "scale", "invoice", "market_day",
];

const VERBS: &[&str] = &["count", "plant", "weigh", "list", "water", "find", "ship", "store"];

const PROGRAMS: &[&str] = &["cargo", "pytest", "npm", "make", "rg", "git"];

const PATHS: &[&str] = &[
    "/srv/orchard/src/@/@.rs",
    "/srv/orchard/tests/@_test.py",
    "/srv/orchard/web/@/@.ts",
    "/srv/orchard/docs/@-#.md",
    "/srv/orchard/data/収穫/@.csv",
    "/srv/orchard/tools/@ #.sh",
];

const SENTENCES: &[&str] = &[
    "The `@` is read before the @ is known, so a late frost moves it by one row.",
    "I'll look at `@` first.",
    "That explains why only # of # trees are counted.",
    "`@(@)` returns early when the @ has no @, and nobody looks at what it returned.",
    "It works for every @ but the last.",
    "Now the tests: # pass, and the one for \"@\" fails with `expected #, got #`.",
    "There are two ways: to sort by @ once, or to keep a @ beside each @.",
    "The second is less code and needs no change to the **@**.",
    "A regular expression such as `^\\d+\\s@$` would also match \"\\n\" at the end, which we don't want.",
    "Let me check how the @ gets into the @.",
    "Nothing else calls it.",
    "In `C:\\@\\@` the same file has #\u{a0}lines — the others are blank.",
    "The @ wasn’t updated since the @ came in; that is the cause.",
    "这个函数先读取所有的树，然后按季节排序。",
    "Für den Süden gilt das nicht: dort wächst die Mirabelle früher.",
    "Done ✅ and the @ is green 🌳🍐.",
    "I am going to rename `@` to `@` and leave the rest as it is.",
    "With # crates that takes # ms instead of #.",
];

const BLOCKS: &[&str] = &[
    "\n\n- `@`: # of #\n- `@`: # of #\n- \"@\", which has none\n\n",
    "\n\n```rust\nlet @ = @.get(\"@\")?;\nprintln!(\"{@}\\t{}\", @.len() * #);\n```\n\n",
    "\n\nWhat the @ does\n---\n\n",
    "\n\n| @ | @ |\n|---|---:|\n| @ | # |\n| 梨 | # |\n\n",
    "\n\n1. Read the @.\n2. Weigh each @ (\"#\u{a0}kg\").\n3. Write the @.\n\n",
    "\n\n",
];

const CODE: &[&str] = &[
    "",
    "    }",
    "    let @ = @.iter().filter(|@| @.@ > #).count();",
    "        if @.is_empty() || @ == \"@\" {",
    "            return Err(format!(\"no {@} in row {}: \\\"{}\\\"\", #, @));",
    "pub fn @(@: &str, @: u32) -> Option<&'static str> {",
    "    // The @ of a @ is not known before its @ is, and a @ that has none must not be counted twice.",
    "    // One @ holds # of them at most → the others wait in the @ … or go to the “@” of last year.",
    "    /* Sorted by @ and then by @; rows of the same @ stay in the order in which the @ brought them. */",
    "        let @ = self.@.range(@..=@).map(|(_, @)| @.@ * @.@).sum::<u64>() / self.@.len().max(#) as u64;",
    "        @.@ = @.@.saturating_sub(@.@).min(#).max(self.@(@, @, @) + self.@(@, @, @));",
    "    for (@, @) in @.iter().zip(&@).skip(#).take_while(|(@, @)| @.@ <= @.@) {",
    "    if @ and @ not in @ and len(@) > # and all(@.@ >= @ for @ in @):",
    "        @ = sorted((@ for @ in self.@ if @.@ is not None), key=lambda @: (@.@, -@.@))",
    "  return @.filter(({ @, @ }) => @ > # && @ !== undefined).map(@ => @.@ + @.@).reduce(@, #);",
    "\tfor _, @ := range @[#:] {",
    "\t\t@.Printf(\"%s\\t%d\\n\", @, len(@))",
    "\t}",
    "    @ = re.compile(r\"^\\s*(\\d+)\\\\(\\w+)\\\"$\")",
    "def @(self, @=None, *, @=#):",
    "    \"\"\"All that the @ has, the oldest @ first.\"\"\"",
    "        raise ValueError(f'{@!r} is not a @')",
    "  const @ = await fetch(`/api/@/${@}?limit=#`, { headers: { \"x-@\": \"@\" } });",
    "  expect(@.@).toEqual([\"@\", \"@\", #]);",
    "export type @ = { @: string; @?: number[]; @: \"@\" | \"@\" };",
    "        self.@.insert(@.clone(), @::new(#, #, #));",
    "    static const char *@ = \"\\x1b[#m@\\x1b[0m\\r\\n\";",
    "    assert_eq!(@(\"@ @\"), #);",
    "impl From<@> for @ {",
    "  console.log(`🍐 @: ${@.length} of #`);",
    "// ---------------------------------------------------------------------------",
];

const TERMINAL: &[&str] = &[
    "test @::@ ... \u{1b}[32mok\u{1b}[0m",
    "test @::@_of_@ ... \u{1b}[32mok\u{1b}[0m",
    "test @::@ ... \u{1b}[1;31mFAILED\u{1b}[0m (#.# s)",
    "   Compiling @ v0.#.# (/srv/orchard/@)",
    "\u{1b}[33mwarning\u{1b}[0m: unused variable: `@`",
    "  \u{1b}[34m-->\u{1b}[0m src/@/@.rs:#:#",
    "2026-10-11T06:#:#Z INFO @: \"@\" took # ms",
    "2026-10-11T06:#:#Z WARN @: retry # of #, path=C:\\@\\@.log\r",
    "src/@/@.rs:#:    let @ = @(\"@\");",
    "-rw-r--r--  1 ada  ada  #  Oct 11 06:00  @.csv",
    "@\t#\t#\t\"@\"",
    " @.rs | # \u{1b}[32m++++++++\u{1b}[31m---\u{1b}[m",
    "   0x#  @::@::@<@::@>::@ + # bytes in @, called from @::@ of thread # while it waited for the @",
    "2026-10-11T06:#:#Z DEBUG @::@: # of # rows read, # kept, # without a @, # ms in @ and # ms in @",
    "downloading @ [=====>    ] #/#\rdownloading @ [==========] #/#",
    "✓ @ › @ › takes # crates (# ms) 🌱",
];

const RECORDS: &[&str] = &[
    r#"{"id":#,"@":"@","path":"C:\\@\\@.txt","ok":true,"tags":["@","@"]}"#,
    r#"{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"a @, \"quoted\""}]},"timestamp_ms":#}"#,
    r#"{"type":"tool_call","subtype":"completed","call_id":"@_#","tool_call":{"readToolCall":{"args":{"path":"@"}}}}"#,
    r#"{"type":"result","subtype":"success","result":"@\n@","is_error":false}"#,
    r##"  "@": { "version": "#.#.#", "resolved": "https://registry.example/@/-/@-#.tgz" },"##,
    "#,@,\"@, the \"\"@\"\"\",#.#,#",
    "@;梨;#;#;🍐",
];

const WIDE: &[&str] = &[
    "収穫量は@の@で決まる。# 箱を数えた。",
    "梨の木は#本、りんごの木は#本です。",
    "과수원의 @ 값은 #입니다.",
    "Яблоки и груши лежат в погребе: # кг.",
    "🌱 → 🌳 → 🍎🍐 → 🧃 @ (#)",
    "Der Müller drückt süße Äpfel über „@“.",
    "𝒜 family of # 👩🏽‍🌾👨‍🌾 picks the @.",
];
