//! One session of the Agent Client Protocol in everything that programs put around its messages: what is told is the same.

use crate::{acp, given};
use serde_json::{Value as Json, json};
use std::fmt::Write;

/// The views, but for what tells times.
const VIEWS: [&[&str]; 8] = [
    &["pretty", "--thinking", "--output", "full"],
    &["pretty"],
    &["text", "--all"],
    &["json"],
    &["tools", "--format", "json"],
    &["log"],
    &["summary"],
    &["events"],
];

/// A message, and whether the client has sent it.
type Message = (Json, bool);

/// What the client asks in these logs.
const CLIENT: [&str; 6] =
    ["initialize", "session/new", "session/load", "session/prompt", "session/cancel", "session/set_mode"];

/// The messages of a log. Who sends an answer is known by who has asked.
fn messages(name: &str) -> Vec<Message> {
    let mut asked: Vec<(Json, bool)> = Vec::new();
    let text = String::from_utf8(acp::log(name)).expect("these logs are UTF-8");
    let mut all = Vec::new();
    for line in text.lines() {
        let message: Json = serde_json::from_str(line).expect("each line is a message");
        let client = if let Some(method) = message["method"].as_str() {
            let client = CLIENT.contains(&method);
            if !message["id"].is_null() {
                asked.push((message["id"].clone(), client));
            }
            client
        } else {
            // In these logs the client waits for one answer at a time, so that an answer of the agent says so.
            let agents =
                ["stopReason", "protocolVersion", "sessionId"].iter().any(|key| message["result"].get(key).is_some());
            let place = asked.iter().position(|(id, client)| *id == message["id"] && *client == agents);
            asked.remove(place.expect("each answer has its request"));
            !agents
        };
        all.push((message, client));
    }
    all
}

/// A line for each message.
fn each(messages: &[Message], line: impl Fn(&Json, bool, usize) -> String) -> String {
    messages.iter().enumerate().map(|(number, (message, client))| line(message, *client, number) + "\n").collect()
}

/// The same with an object around each.
fn object(messages: &[Message], object: impl Fn(&Json, bool, usize) -> Json) -> String {
    each(messages, |message, client, number| object(message, client, number).to_string())
}

fn side(client: bool, words: [&str; 2]) -> &str {
    if client { words[0] } else { words[1] }
}

/// A trace in which an answer has no method, and ids are the tracer's own.
fn traced(message: &Json, client: bool, _: usize) -> Json {
    let (from, to) = if client { ("Client", "Agent") } else { ("Agent", "Client") };
    let id = format!("{}-{}", side(client, ["c", "a"]), message["id"]);
    let ts = 1;
    match (message.get("method"), message.get("id")) {
        (Some(method), Some(_)) => {
            json!({"type": "request", "ts": ts, "protocol": "acp", "from": from, "to": to, "id": id, "method": method, "params": message["params"]})
        }
        (Some(method), None) => {
            json!({"type": "notification", "ts": ts, "protocol": "acp", "from": from, "to": to, "method": method, "params": message["params"]})
        }
        (None, _) => {
            let id = format!("{}-{}", side(!client, ["c", "a"]), message["id"]);
            let failed = message.get("error").is_some();
            let payload = message.get("error").or(message.get("result"));
            json!({"type": "response", "ts": ts, "from": from, "to": to, "id": id, "is_error": failed, "payload": payload})
        }
    }
}

/// A list that an editor copies: an answer has the method of its request.
fn copied(message: &Json, client: bool) -> Json {
    let direction = side(client, ["outgoing", "incoming"]);
    match (message.get("method"), message.get("id")) {
        (Some(method), Some(id)) => {
            json!({"_direction": direction, "_type": "request", "id": id, "method": method, "params": message["params"]})
        }
        (Some(method), None) => {
            json!({"_direction": direction, "_type": "notification", "method": method, "params": message["params"]})
        }
        (None, _) => {
            json!({"_direction": direction, "_type": "response", "id": message["id"], "method": "of the request", "params": message.get("error").or(message.get("result"))})
        }
    }
}

/// A log in which each message is seen twice, the second time under another id.
fn debugged(messages: &[Message]) -> String {
    let mut text = "=== Conductor Debug Log ===\nStarted: 2026-11-30T05:33:55.831829703+00:00\nComponents:\n  0: node agent.mjs\n========================\n".to_owned();
    for (message, client) in messages {
        let arrow = side(*client, ["→", "←"]);
        let mut again = message.clone();
        if let Some(id) = message.get("id") {
            again["id"] = Json::from(format!("{}-{id}", message.get("method").is_some() == *client));
        }
        let hops = if *client { [("C", message), ("0", &again)] } else { [("0", &again), ("C", message)] };
        for (hop, message) in hops {
            _ = writeln!(text, "{hop} {arrow} +4ms {message}");
        }
        _ = writeln!(text, "C ! +4ms a line that {{ is }} no message");
    }
    text
}

/// A channel of an editor: a header above each message, which is laid out over several lines.
fn channel(messages: &[Message]) -> String {
    each(messages, |message, client, _| {
        let arrows = side(client, [">>> CLIENT → AGENT", "<<< AGENT → CLIENT"]);
        let kind = match (message.get("method"), message.get("id")) {
            (Some(_), Some(_)) => "REQUEST",
            (Some(_), None) => "NOTIFICATION",
            (None, _) => "RESPONSE",
        };
        let name = message
            .get("method")
            .map_or_else(|| format!("id={}", message["id"]), |method| method.as_str().unwrap_or_default().to_owned());
        format!("[2026-11-30T05:25:01.116Z] {arrows} [{kind}] {name}\n{message:#}\n")
    })
}

/// All of them, by name.
fn envelopes(messages: &[Message]) -> Vec<(String, String)> {
    let mut all: Vec<(String, String)> = Vec::new();
    for key in ["frame", "message", "msg", "payload", "raw", "line", "json"] {
        let as_object = object(
            messages,
            |message, client, _| json!({"ts": 1, "direction": side(client, ["sent", "received"]), key: message}),
        );
        let as_string = object(
            messages,
            |message, client, _| json!({"dir": side(client, ["fromClient", "fromAgent"]), key: message.to_string()}),
        );
        all.push((format!("{key}, an object"), as_object));
        all.push((format!("{key}, a string"), as_string));
    }
    let listed: Vec<Json> = messages.iter().map(|(message, client)| copied(message, *client)).collect();
    let named: [(&str, String); 14] = [
        ("nothing", object(messages, |message, _, _| message.clone())),
        (
            "CLIENT and SERVER",
            each(messages, |message, client, _| format!("{} {message}", side(client, ["CLIENT", "SERVER"]))),
        ),
        ("arrows", each(messages, |message, client, _| format!("{} {message}", side(client, ["->", "<-"])))),
        (
            "times and arrows",
            each(messages, |message, client, _| format!("[12:00:01.123] {} {message}", side(client, [">>>", "<<<"]))),
        ),
        (
            "words",
            each(messages, |message, client, _| {
                format!("{}: {message}", side(client, ["client→agent", "agent→client"]))
            }),
        ),
        (
            "two layers",
            object(
                messages,
                |message, client, _| json!({"seq": 1, "msg": {"dir": side(client, ["a→b", "b→a"]), "line": message.to_string()}}),
            ),
        ),
        (
            "no version",
            object(messages, |message, client, _| {
                let mut message = message.clone();
                message.as_object_mut().expect("a message is an object").remove("jsonrpc");
                json!({"timestamp": "2026-11-30T05:25:01.116Z", "direction": side(client, ["downstream", "upstream"]), "message": message})
            }),
        ),
        (
            "a proxy's export",
            object(messages, |message, client, _| {
                json!({"seq": 1, "timestamp": 1, "direction": side(client, ["editor-to-agent", "agent-to-editor"]), "kind": "x",
                "raw": message.to_string(), "payload": message, "method": message["method"], "rpcId": message["id"]})
            }),
        ),
        (
            "a journal",
            format!(
                "{}\n{}{}\n",
                json!({"schema": "acpx.session.journal.v1", "type": "turn_started", "request_id": "r"}),
                object(messages, |message, _, _| message.clone()),
                json!({"schema": "acpx.session.journal.v1", "type": "turn_result", "request_id": "r", "result": {"status": "completed"}}),
            ),
        ),
        ("a trace", object(messages, traced)),
        ("a debug log", debugged(messages)),
        ("a list", format!("{:#}\n", Json::from(listed.clone()))),
        ("a list on one line", format!("{}\n", Json::from(listed))),
        ("a channel", channel(messages)),
    ];
    all.extend(named.map(|(name, text)| (name.to_owned(), text)));
    all
}

/// Times are told where they are known.
fn without_times(text: &str) -> String {
    let time = regex::Regex::new(r"( · | in | after |, |\b)[0-9]+(\.[0-9]+)?(ms|s)\b").expect("a pattern");
    let number = regex::Regex::new(r#""(duration|started)_ms":(null|[0-9]+)"#).expect("a pattern");
    let bar = regex::Regex::new(r" *\| *").expect("a pattern");
    let text = time.replace_all(text, "");
    bar.replace_all(&number.replace_all(&text, ""), "|").into_owned()
}

#[test]
fn the_same_session_is_told_the_same_in_every_envelope() {
    for name in [
        "real-01-live-terminal",
        "real-02-timeout-kill-output-release",
        "real-06-edit-permission-allowed",
        "real-22-background-never-released",
        "two-prompts",
        "permission-rejected",
    ] {
        let messages = messages(name);
        let plain = envelopes(&messages);
        let want: Vec<_> = VIEWS.iter().map(|view| given(view, &acp::log(name))).collect();
        for (envelope, text) in plain {
            for (view, want) in VIEWS.iter().zip(&want) {
                let got = given(view, text.as_bytes());
                assert_eq!(without_times(&got.text()), without_times(&want.text()), "{name} in {envelope}, {view:?}");
                assert_eq!((got.status, &got.err), (want.status, &want.err), "{name} in {envelope}, {view:?}");
            }
        }
    }
}
