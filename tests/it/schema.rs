//! The logs of the Agent Client Protocol against the protocol's own types: every message is what its method asks for.

use crate::root;
use agent_client_protocol_schema::{MethodDispatchError, v1, v2};
use serde_json::Value as Json;
use std::collections::BTreeMap;

/// What the types do not take, and why it stands there all the same: log, finding, reason.
const EXCEPTIONS: &[(&str, &str, &str)] = &[
    ("agent-side", "0: an answer to nothing", ONE_SIDE),
    ("agent-side", "1: an answer to nothing", ONE_SIDE),
    ("agent-side", "terminal/output result: missing field `output`", ONE_SIDE),
    ("client-side", "3: an answer to nothing", ONE_SIDE),
    ("client-side", "4: an answer to nothing", ONE_SIDE),
    ("client-side", "initialize result: missing field `protocolVersion`", ONE_SIDE),
    ("client-side", "session/new result: missing field `sessionId`", ONE_SIDE),
    ("client-side", "session/prompt result: missing field `stopReason`", ONE_SIDE),
    ("cursor-extensions", "cursor/ask_question: unknown", CURSOR),
    ("cursor-extensions", "cursor/create_plan: unknown", CURSOR),
    ("cursor-extensions", "cursor/task: unknown", CURSOR),
    ("cursor-extensions", "cursor/update_todos: unknown", CURSOR),
    ("real-14-cut-off-client-timeout", "null: an answer to nothing", "the client's own error, written into its log"),
    ("real-20-agent-stdout-only", "0: an answer to nothing", ONE_SIDE),
    ("real-20-agent-stdout-only", "1: an answer to nothing", ONE_SIDE),
    ("real-20-agent-stdout-only", "terminal/output result: missing field `output`", ONE_SIDE),
    ("unknown-events", "harbour/pick_berth: unknown", SHOWN),
    ("unknown-events", "harbour/weather: unknown", SHOWN),
    ("unknown-events", "session/set_model: unknown", "it was taken out of the protocol, and is still sent"),
    ("unknown-events", "session/update: unknown variant `tide_report`", SHOWN),
    ("answer-without-request", "99: an answer to nothing", SHOWN),
    ("answered-twice", "7: an answer to nothing", SHOWN),
    ("unknown-event", "session/update: unknown variant `tide_report`", SHOWN),
];

const ONE_SIDE: &str = "the other side was not recorded, so its answers meet requests that only share their ids";
const CURSOR: &str = "Cursor's own methods have no underscore before them";
const SHOWN: &str = "it is what the log shows";

/// Which of the two sides sends a request.
#[derive(Clone, Copy, PartialEq)]
enum Side {
    Client,
    Agent,
}

/// What the types make of a payload, as JSON again.
type Read = Result<Json, MethodDispatchError>;

/// A version of the protocol.
struct Version {
    side: fn(&str) -> Option<Side>,
    params: fn(&str, &Json) -> Read,
    notification: fn(&str, &Json) -> Read,
    result: fn(Side, &str, &Json) -> Read,
}

macro_rules! version {
    ($version:ident) => {
        Version {
            side: |method| {
                let own = !method.starts_with('_');
                if own && $version::ClientRequest::supports_method(method) {
                    Some(Side::Client)
                } else if own && $version::AgentRequest::supports_method(method) {
                    Some(Side::Agent)
                } else {
                    None
                }
            },
            params: |method, params| {
                if $version::ClientRequest::supports_method(method) {
                    $version::ClientRequest::from_method_and_params(method, params).map(|read| again(&read))
                } else {
                    $version::AgentRequest::from_method_and_params(method, params).map(|read| again(&read))
                }
            },
            notification: |method, params| {
                if $version::ClientNotification::supports_method(method) {
                    $version::ClientNotification::from_method_and_params(method, params).map(|read| again(&read))
                } else if $version::AgentNotification::supports_method(method) {
                    $version::AgentNotification::from_method_and_params(method, params).map(|read| again(&read))
                } else {
                    $version::ProtocolLevelNotification::from_method_and_params(method, params).map(|read| again(&read))
                }
            },
            result: |side, method, result| match side {
                Side::Client => {
                    $version::AgentResponse::from_method_and_result(method, result.clone()).map(|read| again(&read))
                }
                Side::Agent => {
                    $version::ClientResponse::from_method_and_result(method, result.clone()).map(|read| again(&read))
                }
            },
        }
    };
}

const VERSIONS: [Version; 2] = [version!(v1), version!(v2)];

fn again(read: &impl serde::Serialize) -> Json {
    serde_json::to_value(read).expect("what was read can be written")
}

/// What went lost between a payload and what the types made of it: misspelt keys and values of the wrong type, which the types pass
/// over for the sake of later versions. A `null` says no more than nothing, and neither does a default.
fn lost(given: &Json, read: &Json, path: &str) -> Option<String> {
    match (given, read) {
        (Json::Null, _) => None,
        (Json::Object(given), Json::Object(read)) => given.iter().find_map(|(key, value)| {
            let path = format!("{path}/{key}");
            match read.get(key) {
                Some(read) => lost(value, read, &path),
                None if value.is_null() || is_default(key, value) => None,
                None => Some(path),
            }
        }),
        (Json::Array(given), Json::Array(read)) if given.len() == read.len() => {
            given.iter().zip(read).enumerate().find_map(|(n, (given, read))| lost(given, read, &format!("{path}/{n}")))
        }
        (given, read) if given == read || given.as_f64().is_some_and(|number| Some(number) == read.as_f64()) => None,
        _ => Some(path.to_owned()),
    }
}

/// Whether the types leave this out when they write, since it says what leaving it out says.
fn is_default(key: &str, value: &Json) -> bool {
    match key {
        "status" => value == "pending",
        "kind" => value == "other",
        _ => value.as_array().is_some_and(Vec::is_empty),
    }
}

/// What is wrong with a payload that was read.
fn wrong(method: &str, given: &Json, read: Read) -> Option<String> {
    match read {
        Ok(read) => lost(given, &read, "").map(|path| format!("{method}: {path} is lost")),
        Err(MethodDispatchError::UnknownMethod { method }) => Some(format!("{method}: unknown")),
        Err(error) => {
            let why = std::error::Error::source(&error).map(ToString::to_string).unwrap_or_default();
            Some(format!("{method}: {}", why.split(", expected").next().unwrap_or_default()))
        }
    }
}

/// A request that waits for its response.
struct Asked {
    id: Json,
    method: String,
    /// Nobody's, if it is a method that the types do not know.
    side: Option<Side>,
}

/// Reads one log, message by message.
struct Reader {
    version: &'static Version,
    asked: Vec<Asked>,
    messages: usize,
    findings: Vec<String>,
}

impl Reader {
    fn message(&mut self, message: &Json) {
        self.messages += 1;
        if message["jsonrpc"] != "2.0" {
            self.findings.push("not JSON-RPC 2.0".to_owned());
        }
        match (message["method"].as_str(), message.get("id")) {
            (Some(method), Some(id)) => {
                let params = &message["params"];
                if method == "initialize" && params["protocolVersion"] == 2 {
                    self.version = &VERSIONS[1];
                }
                self.findings.extend(wrong(method, params, (self.version.params)(method, params)));
                let side = (self.version.side)(method);
                self.asked.push(Asked { id: id.clone(), method: method.to_owned(), side });
            }
            (Some(method), None) => {
                let params = &message["params"];
                self.findings.extend(wrong(method, params, (self.version.notification)(method, params)));
            }
            (None, Some(id)) => self.response(message, id),
            (None, None) => self.findings.push("neither a method nor an id".to_owned()),
        }
    }

    /// Both sides count their requests from 0, so an id alone does not say what is answered: it is the newest request of this id whose
    /// type takes the result whole.
    fn response(&mut self, message: &Json, id: &Json) {
        let waiting: Vec<usize> = (0..self.asked.len()).rev().filter(|n| self.asked[*n].id == *id).collect();
        let Some(newest) = waiting.first() else {
            self.findings.push(format!("{id}: an answer to nothing"));
            return;
        };
        if let Some(error) = message.get("error") {
            let read = serde_json::from_value::<v1::Error>(error.clone()).map(|read| again(&read));
            let source = |source| MethodDispatchError::InvalidPayload { method: String::new(), source };
            self.findings.extend(wrong("error", error, read.map_err(source)));
            self.asked.remove(*newest);
            return;
        }
        let result = &message["result"];
        let whole = waiting.iter().find(|n| self.misfit(**n, result).is_none());
        let answered = *whole.unwrap_or(newest);
        self.findings.extend(self.misfit(answered, result));
        self.asked.remove(answered);
    }

    /// Why a result does not answer a request.
    fn misfit(&self, asked: usize, result: &Json) -> Option<String> {
        let Asked { method, side, .. } = &self.asked[asked];
        let side = (*side)?;
        wrong(&format!("{method} result"), result, (self.version.result)(side, method, result))
    }
}

/// The messages of a line: itself, those of a batch, or the one inside an envelope.
fn messages(line: &str) -> Vec<Json> {
    match serde_json::from_str(line) {
        Ok(Json::Array(batch)) => batch,
        Ok(Json::Object(object)) if object.contains_key("jsonrpc") => vec![Json::Object(object)],
        Ok(Json::Object(object)) => ["msg", "frame", "message", "json", "line"]
            .iter()
            .filter_map(|key| match object.get(*key)? {
                Json::String(inside) => serde_json::from_str(inside).ok(),
                inside => Some(inside.clone()),
            })
            .filter(|inside: &Json| inside.get("jsonrpc").is_some())
            .collect(),
        _ => Vec::new(),
    }
}

/// What the types do not take, by log.
fn findings() -> BTreeMap<String, Vec<String>> {
    let mut all = BTreeMap::new();
    for folder in ["tests/logs/acp", "tests/logs/acp/broken"] {
        for entry in std::fs::read_dir(root().join(folder)).expect("the logs are there") {
            let path = entry.expect("a folder can be listed").path();
            let name = path.file_stem().expect("a log has a name").to_string_lossy().into_owned();
            if path.extension().is_none_or(|ending| ending != "ndjson") {
                continue;
            }
            let text = std::fs::read_to_string(&path).expect("these logs are UTF-8");
            let mut reader = Reader { version: &VERSIONS[0], asked: Vec::new(), messages: 0, findings: Vec::new() };
            for message in text.lines().flat_map(messages) {
                reader.message(&message);
            }
            assert!(reader.messages >= 4, "{name}: {} messages", reader.messages);
            assert!(all.insert(name, reader.findings).is_none(), "two logs of one name");
        }
    }
    assert!(all.len() > 90, "few logs: {}", all.len());
    all
}

#[test]
fn every_message_is_what_its_method_asks_for() {
    let mut found = Vec::new();
    for (name, findings) in findings() {
        found.extend(findings.into_iter().map(|finding| (name.clone(), finding)));
    }
    let mut known: Vec<(String, String)> =
        EXCEPTIONS.iter().map(|(name, finding, _)| ((*name).to_owned(), (*finding).to_owned())).collect();
    found.sort();
    found.dedup();
    known.sort();
    assert_eq!(found, known);
}
