//! How much is needed of the values of a long line.

use crate::event::{Calls, Needs};
use crate::value::{Ask, Want};

/// The keys of an event that are read, whatever is asked for.
const READ: [&[u8]; 19] = [
    b"type",
    b"subtype",
    b"session_id",
    b"timestamp_ms",
    b"model_call_id",
    b"call_id",
    b"query",
    // Of a run that failed, the reason.
    b"result",
    b"error",
    b"is_error",
    b"duration_ms",
    b"request_id",
    b"usage",
    b"model",
    b"cwd",
    b"title",
    b"status",
    b"detail",
    b"attempt",
];

/// The strings of a call that may be long, and of which no view shows anything.
const UNREAD: [&[u8]; 4] = [b"afterFullFileContent", b"beforeFullFileContent", b"fileText", b"streamContent"];

/// The strings of a call that may be long, and of which few words tell at most how they begin or end.
const OUTPUT: [&[u8]; 6] = [b"content", b"stdout", b"stderr", b"interleavedOutput", b"diffString", b"chunk"];

/// A long line, of which this is asked for.
pub(in super::super) struct Long(pub(in super::super) Needs);

impl Ask for Long {
    fn want(&self, path: &[Vec<u8>], kind: Option<&[u8]>) -> Want {
        want(self.0, path, kind)
    }

    fn begins_event(&self, text: &[u8]) -> bool {
        let rest = text.strip_prefix(b"{\"type\"").map(<[u8]>::trim_ascii_start);
        let rest = rest.and_then(|rest| rest.strip_prefix(b":")).map(<[u8]>::trim_ascii_start);
        let name = rest.and_then(|rest| rest.strip_prefix(b"\""));
        let Some(name) = name else { return false };
        // The parts of an event have types too, but others. Who writes a type with escapes is not known to mean one of those.
        let known = EVENTS.iter().any(|event| name.strip_prefix(*event).is_some_and(|end| end.starts_with(b"\"")));
        known || name.iter().take_while(|byte| **byte != b'"').any(|byte| *byte == b'\\')
    }
}

/// Whether this is the type of an event that is read.
pub(in super::super) fn is_event(kind: &[u8]) -> bool {
    EVENTS.contains(&kind)
}

/// The types of events that are read.
const EVENTS: [&[u8]; 9] = [
    b"system",
    b"user",
    b"thinking",
    b"assistant",
    b"tool_call",
    b"interaction_query",
    b"connection",
    b"retry",
    b"result",
];

fn want(needs: Needs, path: &[Vec<u8>], kind: Option<&[u8]>) -> Want {
    // The fields of a result are all asked for; which lines are results, their type says.
    if needs.fields && kind.is_none_or(|kind| kind == b"result") {
        return Want::All;
    }
    let mut keys = path.iter().map(Vec::as_slice);
    match (keys.next(), keys.next(), keys.next()) {
        (Some(b"message"), ..) if needs.pieces || needs.messages || needs.prompts => Want::All,
        (Some(b"text"), ..) if needs.thoughts => Want::All,
        (Some(b"message"), None | Some(b"content"), _) | (Some(b"text"), ..) | (Some(b"tool_call"), None, _) => {
            Want::Ends
        }
        (Some(b"tool_call"), Some(key), part) => call(needs.calls, key, part, path),
        (Some(key), ..) if READ.contains(&key) => Want::All,
        _ => Want::Kind,
    }
}

/// The same in a call.
fn call(calls: Calls, key: &[u8], part: Option<&[u8]>, path: &[Vec<u8>]) -> Want {
    if calls == Calls::Full || matches!(key, b"toolCallId" | b"startedAtMs" | b"completedAtMs") {
        return Want::All;
    }
    if part.is_none() {
        return if matches!(key, b"function" | b"tool") || key.ends_with(b"ToolCall") {
            Want::Ends
        } else {
            Want::Kind
        };
    }
    let last = path.last().map_or(&b""[..], Vec::as_slice);
    let spared = match calls {
        Calls::None if matches!(part, Some(b"name" | b"case")) => return Want::All,
        Calls::None => return Want::Kind,
        Calls::Brief => UNREAD.contains(&last) || OUTPUT.contains(&last),
        Calls::Short => {
            let read = [&b"tool_call"[..], b"readToolCall", b"result", b"success", b"content"];
            UNREAD.contains(&last) || path.iter().eq(read)
        }
        Calls::Full => false,
    };
    if spared { Want::Ends } else { Want::Each }
}
