//! Any bytes as a line. The walker looks at little of a line, so what it must not do is: panic, whatever it is asked; refuse a
//! line that is JSON, since the slow path would then take it for damaged; read it otherwise than a parser that looks at all of
//! it. `serde_json` is that parser.

#![no_main]

use cursor_fmt::internals::{Value, is_json_object};
use cursor_fmt_fuzz::walked;
use libfuzzer_sys::fuzz_target;
use serde::de::IgnoredAny;
use serde_json::Value as Json;

/// Deeper than what `serde_json` reads, and still bounded: the walker looks at a value once for each level above it.
const DEPTH: usize = 200;

fuzz_target!(|line: &[u8]| {
    let value = Value::line(line);
    for value in value.into_iter().chain(Value::text_of(line)) {
        ask(value, DEPTH);
    }

    // `--strict` looks at all of a line. It goes by the grammar alone, which knows no lone surrogates and no depth.
    let strict = is_json_object(line);
    let grammar = std::str::from_utf8(line).is_ok_and(|text| serde_json::from_str::<IgnoredAny>(text).is_ok());
    let object = line.trim_ascii_start().first() == Some(&b'{');
    assert_eq!(strict, grammar && object, "what --strict says");
    assert!(!strict || value.is_some(), "JSON, but not proven");

    if let Ok(json @ Json::Object(_)) = serde_json::from_slice(line) {
        let value = value.expect("JSON, but not proven");
        assert_eq!(walked(value), json);
        // Each is looked up from the start, so only a few of them. `null` counts as absent.
        for (key, want) in json.as_object().into_iter().flatten().take(16) {
            assert_eq!(value.get(key).map_or(Json::Null, walked), *want, "{key}");
        }
    }
});

/// Asks a value for all that it could be.
fn ask(value: Value, depth: usize) {
    assert!(value.str().is_some() == value.text().is_some());
    _ = (value.integer(), value.bool(), value.is_null(), value.get("type"));
    if depth > 0 {
        value.fields().for_each(|(_, value)| ask(value, depth - 1));
        value.items().for_each(|value| ask(value, depth - 1));
    }
}
