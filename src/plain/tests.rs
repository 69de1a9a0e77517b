//! The fast way against the plain one: on logs of every event, with keys in any order, blanks, escapes, and damage.

use super::{Fast, told};
use crate::event::{Calls, Needs};
use proptest::prelude::*;
use serde_json::{Value as Json, json};

/// What views ask for, and what none does.
const NEEDS: [Needs; 8] = [
    Needs::ALL,
    Needs::NONE,
    Needs { messages: true, ..Needs::NONE },
    Needs { pieces: true, messages: true, ..Needs::NONE },
    Needs { calls: Calls::Brief, ..Needs::NONE },
    Needs { fields: true, ..Needs::NONE },
    Needs { prompts: true, pieces: true, messages: true, thoughts: true, calls: Calls::Short, ..Needs::NONE },
    Needs { messages: true, times: true, ..Needs::NONE },
];

/// Numbers that look like chance, from a seed that proptest can shrink.
struct Dice(u64);

impl Dice {
    fn throw(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits fit") % sides
    }
}

/// A value written in a form of many.
fn write(value: &Json, style: u8, dice: &mut Dice, into: &mut Vec<u8>) {
    let (shuffled, spaced, escaped) = (style & 1 != 0, style & 2 != 0, style & 4 != 0);
    let blank = |dice: &mut Dice, into: &mut Vec<u8>| {
        if spaced {
            into.extend_from_slice([&b""[..], b" ", b"\t", b"  ", b"\r"][dice.throw(5)]);
        }
    };
    let string = |text: &str, dice: &mut Dice, into: &mut Vec<u8>| {
        into.push(b'"');
        for unit in text.encode_utf16() {
            let char = char::from_u32(u32::from(unit));
            match char {
                Some(char) if !(char.is_control() || matches!(char, '"' | '\\') || (escaped && dice.throw(4) == 0)) => {
                    into.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes());
                }
                Some('"' | '\\') if dice.throw(2) == 0 => {
                    into.extend([b'\\', u8::try_from(unit).expect("it is ASCII")]);
                }
                Some('\n') if dice.throw(4) > 0 => into.extend_from_slice(b"\\n"),
                _ => into.extend_from_slice(format!("\\u{unit:04x}").as_bytes()),
            }
        }
        into.push(b'"');
    };
    match value {
        Json::Object(fields) => {
            // The writer of the stream puts the type first.
            let mut fields: Vec<(&String, &Json)> = fields.iter().collect();
            fields.sort_by_key(|(key, _)| ORDER.iter().position(|known| known == key).unwrap_or(ORDER.len()));
            if shuffled {
                for last in (1..fields.len()).rev() {
                    fields.swap(last, dice.throw(last + 1));
                }
            }
            into.push(b'{');
            for (place, (key, value)) in fields.into_iter().enumerate() {
                into.extend((place > 0).then_some(b','));
                blank(dice, into);
                string(key, dice, into);
                blank(dice, into);
                into.push(b':');
                blank(dice, into);
                write(value, style, dice, into);
                blank(dice, into);
            }
            into.push(b'}');
        }
        Json::Array(items) => {
            into.push(b'[');
            for (place, item) in items.iter().enumerate() {
                into.extend((place > 0).then_some(b','));
                blank(dice, into);
                write(item, style, dice, into);
                blank(dice, into);
            }
            into.push(b']');
        }
        Json::String(text) => string(text, dice, into),
        Json::Null | Json::Bool(_) | Json::Number(_) => into.extend_from_slice(value.to_string().as_bytes()),
    }
}

/// The order in which the stream's writer puts keys.
const ORDER: [&str; 9] =
    ["type", "subtype", "role", "call_id", "message", "text", "tool_call", "session_id", "timestamp_ms"];

/// An event of some kind. Texts are short or long, plain or not; few numbers and sessions, so that lines are alike.
fn event(kind: usize, text: &str, dice: &mut Dice) -> Json {
    let session = ["one", "two", ""][dice.throw(8).saturating_sub(5)];
    let time = 1_767_225_600_000_i64 + i64::try_from(dice.throw(1000)).expect("it is small");
    let id = format!("call-{}", dice.throw(3));
    let message = |text: &str| json!({"role": "assistant", "content": [{"type": "text", "text": text}]});
    let call = |subtype: &str, tool: &str, body: Json| json!({"type": "tool_call", "subtype": subtype, "call_id": id, "tool_call": {(tool): body}, "timestamp_ms": time});
    let mut event = match kind {
        0..4 => json!({"type": "assistant", "message": message(text), "timestamp_ms": time}),
        4 | 5 => json!({"type": "thinking", "subtype": "delta", "text": text, "timestamp_ms": time}),
        6 => json!({"type": "thinking", "subtype": "completed", "timestamp_ms": time}),
        7 => json!({"type": "assistant", "message": message(text), "model_call_id": "m", "timestamp_ms": time}),
        8 => json!({"type": "assistant", "message": message(text)}),
        9 => call("started", "shellToolCall", json!({"args": {"command": text}})),
        10 => call(
            "completed",
            "shellToolCall",
            json!({"result": {"failure": {"exitCode": 1, "stdout": text, "stderr": text}}}),
        ),
        11 => call(
            "completed",
            "readToolCall",
            json!({"args": {"path": text}, "result": {"success": {"content": text, "totalLines": 3, "path": "/a"}}}),
        ),
        12 => call(
            "completed",
            "editToolCall",
            json!({"args": {"path": "/a", "streamContent": text}, "result": {"success": {"diffString": text, "afterFullFileContent": text, "linesAdded": 1, "linesRemoved": 2}}}),
        ),
        13 => call(
            "completed",
            "grepToolCall",
            json!({"args": {"pattern": text}, "result": {"success": {"workspaceResults": {"/w": {"content": {"matches": [{"file": text, "matches": [{"lineNumber": 1, "content": text}]}], "totalMatchedLines": 1}}}}}}),
        ),
        14 => {
            json!({"type": "tool_call", "subtype": "started", "call_id": id, "tool_call": {"function": {"name": "search", "arguments": json!({"query": text}).to_string()}}})
        }
        15 => call(
            "completed",
            "mcpToolCall",
            json!({"args": {"toolName": "t"}, "result": {"success": {"isError": true, "content": [{"text": {"text": text}}]}}}),
        ),
        16 => {
            json!({"type": "result", "subtype": "success", "is_error": false, "result": text, "usage": {"inputTokens": 3}})
        }
        17 => json!({"type": "result", "subtype": "error", "is_error": true, "result": text}),
        18 => json!({"type": "system", "subtype": "init", "model": text, "cwd": "/w"}),
        19 => json!({"type": "user", "message": message(text)}),
        20 => {
            json!({"type": "interaction_query", "subtype": "request", "query": {"id": 0, "createPlanRequestQuery": {"args": {"plan": text, "toolCallId": id}}}})
        }
        21 => json!({"type": "retry", "subtype": "starting", "attempt": 1}),
        22 => json!({"type": "later", "message": message(text), "text": text, "tool_call": {"x": text}}),
        _ => {
            json!({"type": "assistant", "message": {"content": [{"type": "text", "text": text}, {"type": "image"}, {"type": "text", "text": "more"}]}, "timestamp_ms": time})
        }
    };
    event["session_id"] = json!(session);
    event
}

/// Damages a line: cut, a byte changed, dropped or doubled, another line glued to it.
fn damage(line: &mut Vec<u8>, dice: &mut Dice) {
    let place = dice.throw(line.len());
    match dice.throw(6) {
        0 => line.truncate(place),
        1 => line[place] = b"\"\\{}[],:\nx\0"[dice.throw(11)],
        2 => _ = line.remove(place),
        3 => line.insert(place, b"\"\\{}[],:\n "[dice.throw(10)]),
        4 => _ = line.pop(),
        _ => {
            let prefix =
                [&b"note: "[..], b"\x1b[0m", b"[agent ", b"say \" ", b"[1, ", b"{\"type\":\"later\",\"extra\":"]
                    [dice.throw(6)];
            line.splice(0..0, prefix.iter().copied()).for_each(drop);
        }
    }
}

fn log(events: &[(usize, String, u64)], style: u8, damaged: bool) -> Vec<u8> {
    let mut log = Vec::new();
    for (kind, text, seed) in events {
        let mut dice = Dice(*seed);
        let mut line = Vec::new();
        write(&event(*kind, text, &mut dice), style, &mut dice, &mut line);
        line.push(b'\n');
        if damaged && dice.throw(4) == 0 {
            damage(&mut line, &mut dice);
        }
        log.extend(line);
    }
    log
}

fn text() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        "[a-z ]{0,8}",
        "\\PC{0,4}",
        Just("\n".to_owned()),
        Just("\\\"{[\u{1f680}".to_owned()),
        "[a-z\"\\\\\n]{60,200}"
    ];
    proptest::collection::vec(word, 0..4).prop_map(|words| words.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1500) })]

    #[test]
    fn the_fast_way_tells_what_the_plain_way_tells(
        events in proptest::collection::vec((0_usize..24, text(), any::<u64>()), 1..25),
        style in 0_u8..8,
        damaged: bool,
        needs in proptest::sample::select(&NEEDS[..]),
        reads in proptest::sample::select(&[1_usize, 7, 64, 1000, usize::MAX][..]),
    ) {
        let log = log(&events, style, damaged);
        let fast = told(&log, needs, Some(Fast { reads, long: usize::MAX }), false);
        prop_assert_eq!(fast, told(&log, needs, None, false), "{}", String::from_utf8_lossy(&log));
    }

    /// Only where so many lines vary, each is put together from parts of others.
    #[test]
    fn pieces_whose_keys_are_mixed_tell_the_same(
        events in proptest::collection::vec((prop_oneof![9 => 0_usize..6, 1 => 0_usize..24], text(), any::<u64>()), 30..80),
        escaped: bool,
        damaged: bool,
        needs in proptest::sample::select(&NEEDS[..]),
        reads in proptest::sample::select(&[64_usize, 1000, usize::MAX][..]),
    ) {
        let log = log(&events, if escaped { 5 } else { 1 }, damaged);
        let fast = told(&log, needs, Some(Fast { reads, long: usize::MAX }), false);
        prop_assert_eq!(fast, told(&log, needs, None, false), "{}", String::from_utf8_lossy(&log));
    }

    #[test]
    fn a_line_that_is_shortened_tells_the_same(
        events in proptest::collection::vec((0_usize..24, text(), any::<u64>()), 1..12),
        style in 0_u8..8,
        damaged: bool,
        needs in proptest::sample::select(&NEEDS[..]),
        reads in proptest::sample::select(&[1_usize, 7, 64, 100, 1000][..]),
        long in 20_usize..400,
    ) {
        let log = log(&events, style, damaged);
        let fast = told(&log, needs, Some(Fast { reads, long }), damaged);
        prop_assert_eq!(fast, told(&log, needs, None, damaged), "{}", String::from_utf8_lossy(&log));
    }
}

#[test]
fn the_logs_of_the_project_tell_the_same_when_every_line_is_shortened() {
    let logs = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/logs");
    let mut count = 0;
    let [broken, acp, against] = ["broken", "acp", "acp/broken"].map(|folder| format!("{logs}/{folder}"));
    let folders = [logs, &broken, &acp, &against];
    let folders = folders.map(|folder| std::fs::read_dir(folder).expect("the logs are there"));
    let paths = folders.into_iter().flatten().map(|entry| entry.expect("a folder can be listed").path());
    for path in paths.filter(|path| path.is_file()) {
        let log = std::fs::read(&path).expect("a log can be read");
        for needs in NEEDS {
            for (reads, long) in [(1, 30), (50, 30), (100, 200), (1000, 300)] {
                let fast = told(&log, needs, Some(Fast { reads, long }), true);
                assert_eq!(fast, told(&log, needs, None, true), "{} {needs:?} {reads} {long}", path.display());
            }
        }
        count += 1;
    }
    assert!(count > 50, "{count}");
}
