//! The walker against `serde_json`, and the slow path against what a damaged line must give.

use super::{Found, Repair, Text, Value, append, complete, grammar, is_json_object, lossy, scan};
use proptest::prelude::*;
use serde_json::{Map, Number, Value as Json};

/// The value as `serde_json` would hold it, read with nothing but the walker.
fn walked(value: Value) -> Json {
    if value.is_object() {
        let fields = value.fields().map(|(key, value)| (lossy(&key).into_owned(), walked(value)));
        Json::Object(fields.collect::<Map<String, Json>>())
    } else if value.is_array() {
        Json::Array(value.items().map(walked).collect())
    } else if let Some(text) = value.str() {
        Json::String(text.into_owned())
    } else if let Some(bool) = value.bool() {
        Json::Bool(bool)
    } else if value.is_null() {
        Json::Null
    } else {
        serde_json::from_slice::<Number>(value.json()).map(Json::Number).expect("only numbers are left")
    }
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z]{0,8}",
        proptest::collection::vec(
            prop_oneof![
                Just('"'),
                Just('\\'),
                Just('{'),
                Just('}'),
                Just('['),
                Just(']'),
                Just(','),
                Just(':'),
                Just('\n'),
                Just('\0'),
                Just('😀'),
                Just('é'),
                Just('\u{2028}'),
                any::<char>(),
            ],
            0..80
        )
        .prop_map(|chars| chars.into_iter().collect()),
    ]
}

fn json() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::Bool),
        any::<i64>().prop_map(Json::from),
        any::<f64>().prop_filter_map("JSON has no infinity", |number| Number::from_f64(number).map(Json::Number)),
        text().prop_map(Json::String),
    ];
    leaf.prop_recursive(6, 64, 8, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..8).prop_map(Json::Array),
            proptest::collection::vec((text(), inner), 0..8)
                .prop_map(|fields| Json::Object(fields.into_iter().collect())),
        ]
    })
}

fn object() -> impl Strategy<Value = Json> {
    proptest::collection::vec((text(), json()), 0..8).prop_map(|fields| Json::Object(fields.into_iter().collect()))
}

/// Writes a document as other writers might: blanks anywhere, any character as an escape. `odd` decides, bit by bit.
fn written(value: &Json, odd: &mut impl Iterator<Item = bool>, out: &mut String) {
    let blank = |odd: &mut dyn Iterator<Item = bool>, out: &mut String| {
        if odd.next() == Some(true) {
            out.push_str(if odd.next() == Some(true) { " " } else { "\t\r" });
        }
    };
    blank(odd, out);
    match value {
        Json::Object(fields) => {
            out.push('{');
            for (place, (key, value)) in fields.iter().enumerate() {
                if place > 0 {
                    out.push(',');
                }
                written(&Json::String(key.clone()), odd, out);
                out.push(':');
                written(value, odd, out);
            }
            blank(odd, out);
            out.push('}');
        }
        Json::Array(items) => {
            out.push('[');
            for (place, item) in items.iter().enumerate() {
                if place > 0 {
                    out.push(',');
                }
                written(item, odd, out);
            }
            blank(odd, out);
            out.push(']');
        }
        Json::String(text) => {
            out.push('"');
            for char in text.chars() {
                if odd.next() == Some(true) {
                    for unit in char.encode_utf16(&mut [0; 2]) {
                        out.extend(format!("\\u{unit:04X}").chars());
                    }
                } else {
                    let quoted = serde_json::to_string(&char).expect("a character can be written");
                    out.push_str(&quoted[1..quoted.len() - 1]);
                }
            }
            out.push('"');
        }
        scalar => out.push_str(&scalar.to_string()),
    }
    blank(odd, out);
}

/// Parts of strings as they stand in a log; some are halves of a character.
const PARTS: [&[u8]; 14] = [
    b"n",
    b"u000a",
    b"a",
    b"\\n",
    b"\\\\",
    b"\\u000A",
    b"\\ud83d",
    b"\\ude00",
    b"\xED\xA0\xBD",
    b"\xED\xB8\x80",
    b"\\q",
    b"\\\"",
    b"\xF0\x9F\x98\x80",
    b"\n",
];

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(150) })]

    #[test]
    fn every_document_is_read_as_serde_json_reads_it(document in object(), odd in proptest::collection::vec(any::<bool>(), 0..200)) {
        let mut line = String::new();
        written(&document, &mut odd.into_iter().cycle().take(4000), &mut line);
        let plain: Json = serde_json::from_str(&line).expect("what was written is JSON");
        let value = Value::line(line.as_bytes());
        prop_assert!(value.is_some(), "not proven: {line}");
        prop_assert_eq!(walked(value.expect("just seen")), plain);
        prop_assert!(is_json_object(line.as_bytes()));
    }

    #[test]
    fn walker_and_grammar_see_the_same_end(value in json(), before in 0_usize..70, rest in "[ ,}\\]x]{0,3}") {
        let text = serde_json::to_string(&value).expect("a value can be written");
        let line = format!("{}{text} {rest}", " ".repeat(before));
        prop_assert_eq!(scan::value_end(line.as_bytes(), before), Some(before + text.len()));
        if !rest.trim().starts_with('x') {
            let whole = grammar::Grammar::new().feed(line.as_bytes());
            prop_assert_eq!(whole, grammar::Verdict::Whole(before + text.len()));
        }
    }

    #[test]
    fn a_document_that_is_cut_is_proven_nowhere(document in object()) {
        let line = serde_json::to_string(&document).expect("a value can be written");
        for cut in 1..line.len() {
            prop_assert!(Value::line(&line.as_bytes()[..cut]).is_none(), "cut at {cut}: {line}");
            // A number or a word that is cut short breaks where it is cut.
            let verdict = grammar::Grammar::new().feed(&line.as_bytes()[..cut]);
            prop_assert!([grammar::Verdict::More, grammar::Verdict::Broken(cut)].contains(&verdict), "{verdict:?} {cut} {line}");
        }
    }

    #[test]
    fn pieces_of_text_join_to_the_whole(text in text(), cuts in proptest::collection::vec(any::<proptest::sample::Index>(), 0..5)) {
        let units: Vec<u16> = text.encode_utf16().collect();
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(units.len() + 1)).collect();
        cuts.extend([0, units.len()]);
        cuts.sort_unstable();
        let (mut joined, mut appended, mut shown) = (Vec::new(), Vec::new(), 0);
        for ends in cuts.windows(2) {
            let piece: String = units[ends[0]..ends[1]].iter().map(|unit| format!("\\u{unit:04x}")).collect();
            Text::escaped(piece.as_bytes()).push_to(&mut joined);
            append(&mut appended, &Text::escaped(piece.as_bytes()).bytes());
            prop_assert_eq!(&joined, &appended);
            let whole = complete(&joined);
            prop_assert!(whole >= shown && std::str::from_utf8(&joined[..whole]).is_ok());
            shown = whole;
        }
        prop_assert_eq!(lossy(&joined), text.as_str());
    }

    #[test]
    fn what_is_asked_of_a_text_is_as_if_it_were_decoded(
        parts in proptest::collection::vec(proptest::sample::select(&PARTS[..]), 0..8),
        other in proptest::collection::vec(proptest::sample::select(&PARTS[..]), 0..8),
        length in 0_usize..20,
    ) {
        let (parts, other) = (parts.concat(), other.concat());
        let text = Text::escaped(&parts);
        let decoded = text.bytes();
        prop_assert!(text.is(&decoded));
        let others = Text::escaped(&other).bytes();
        prop_assert_eq!(text.is(&others), decoded == others);
        prop_assert_eq!(text.ends_in_break(), decoded.ends_with(b"\n"));
        prop_assert!(text.starts_with(&decoded[..length.min(decoded.len())]));
        prop_assert_eq!(text.starts_with(&others), decoded.starts_with(&others));
    }

    #[test]
    fn decoding_never_panics(bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
        let shown = Text::plain(&bytes).decode().into_owned();
        prop_assert_eq!(shown.is_empty(), bytes.is_empty());
        _ = Text::escaped(&bytes).decode();
        prop_assert!(complete(&bytes) <= bytes.len());
        if let Some(value) = Value::text_of(&bytes) {
            _ = (value.integer(), value.bool(), value.fields().count(), value.items().count());
        }
    }
}

fn line(text: &str) -> Value<'_> {
    Value::line(text.as_bytes()).expect("the line is an object")
}

#[test]
fn containers_end_wherever_a_block_ends() {
    for length in 0..200 {
        let inside = format!("{}\\\\\\\"}}]{{[{}", "x".repeat(length), "\\".repeat(2 * (length % 70)));
        let text = format!(r#"{{"a":[["{inside}"],{{"b":"{inside}"}}],"c":1}}"#);
        assert!(Value::line(text.as_bytes()).is_some(), "{text}");
        assert_eq!(line(&text).get("c").and_then(Value::integer), Some(1), "{text}");
    }
}

#[test]
fn the_last_of_two_keys_counts_and_null_is_absent() {
    assert_eq!(line(r#"{"a":1,"a":2}"#).get("a").and_then(Value::integer), Some(2));
    assert!(line(r#"{"a":1,"a":null}"#).get("a").is_none());
    assert_eq!(line(r#"{"\u0061":1}"#).get("a").and_then(Value::integer), Some(1));
}

#[test]
fn numbers_come_as_numbers_or_as_strings() {
    let integer = |text: &str| line(&format!(r#"{{"n":{text}}}"#)).get("n").and_then(Value::integer);
    assert_eq!(integer("1784819289745"), Some(1_784_819_289_745));
    assert_eq!(integer("\"1784819289745\""), Some(1_784_819_289_745));
    assert_eq!(integer("-3.7"), Some(-3));
    assert_eq!(integer("1e3"), Some(1000));
    assert_eq!(integer("1e400"), None);
    assert_eq!(integer("\"soon\""), None);
    assert_eq!(integer("true"), None);
}

#[test]
fn a_scalar_must_be_one() {
    for good in ["0", "-0", "12.5e-3", "true", "false", "null", "1E+2"] {
        assert!(scan::is_scalar(good.as_bytes()), "{good}");
    }
    for bad in ["", "-", "01", "1.", ".5", "1e", "tru", "NaN", "+1", "1.5.2", "0x1", "nul"] {
        assert!(!scan::is_scalar(bad.as_bytes()), "{bad}");
    }
}

#[test]
fn deep_nesting_takes_no_stack() {
    let deep = format!(r#"{{"deep":{}1{},"type":"x"}}"#, "[".repeat(200_000), "]".repeat(200_000));
    assert_eq!(line(&deep).get("type").and_then(Value::str).as_deref(), Some("x"));
    assert!(is_json_object(deep.as_bytes()));
}

#[test]
fn surrogates_are_joined_or_replaced() {
    let text = |escaped: &str| Text::escaped(escaped.as_bytes()).decode().into_owned();
    assert_eq!(text(r"a\ud83d\ude00b"), "a😀b");
    assert_eq!(text(r"a\ud83d b"), "a\u{fffd} b");
    assert_eq!(text(r"\ude00\ud83d"), "\u{fffd}\u{fffd}");
    assert_eq!(text(r"\ud83d\ud83d\ude00"), "\u{fffd}😀");
    assert_eq!(text(r"\q\u12\uzzzz\"), r"\q\u12\uzzzz\");
    assert_eq!(lossy(b"a\xff\xed\xa0\xbdb\xf0\x9f"), "a\u{fffd}\u{fffd}b\u{fffd}");
}

#[test]
fn strict_knows_the_grammar_and_no_more() {
    for good in [r#"{"a":"\ud83d"}"#, r#"{"a":1e400,"b":123456789012345678901234567890}"#, " {} \r"] {
        assert!(is_json_object(good.as_bytes()), "{good}");
    }
    for bad in ["", "42", "[]", "{} {}", r#"{"a":01}"#, r#"{"a":[1,,2]}"#, "{\"a\":\"\t\"}", r#"{"a":"\q"}"#, "x{}"] {
        assert!(!is_json_object(bad.as_bytes()), "{bad}");
    }
    assert!(!is_json_object(b"{\"a\":\"\xff\"}"));
}

/// What the slow path finds in lines: objects as they are, other text in angle quotes with its line.
fn found(lines: &[&str]) -> Vec<String> {
    let mut repair = Repair::default();
    let mut all = Vec::new();
    let mut tell = |found: Found| {
        all.push(match found {
            Found::Object { object, .. } => lossy(object.json()).into_owned(),
            Found::Unreadable(text, line) => format!("<{line}:{}>", lossy(text)),
        });
        Ok(())
    };
    for (line, number) in lines.iter().zip(1..) {
        repair.line(line.as_bytes(), number, &mut tell).expect("the closure does not fail");
    }
    repair.end(false, &mut tell).expect("the closure does not fail");
    all
}

const A: &str = r#"{"type":"a","x":{"y":[1,"}"]}}"#;
const B: &str = r#"{"type":"b","text":"{\"type\":\"no\"}"}"#;

#[test]
fn objects_are_found_behind_prefixes_and_beside_each_other() {
    for prefix in
        ["stdout: ", "\u{feff}\u{feff}", "\0\0\0", "\x1b[32m", "\x1b]0;title\x07", "[w-1] 12:30 ", "{x} ", "a{b{", ""]
    {
        assert_eq!(found(&[&format!("{prefix}{A}")]), [A], "{prefix:?}");
    }
    for between in ["", " ", ", ", "\0", "\x1b[0m"] {
        assert_eq!(found(&[&format!("{A}{between}{B}\x1b[0m")]), [A, B], "{between:?}");
    }
    assert_eq!(found(&[&format!("{A} and {B} more")]), [A, "<1: and >", B, "<1: more>"]);
}

#[test]
fn what_is_no_object_is_no_event() {
    for text in ["plain", "42", "[{\"type\":\"a\"}]", "\"{}\"", "{not json}", "note: {berth 4} is shut"] {
        assert_eq!(found(&[text]), [format!("<1:{text}>")], "{text}");
    }
    for nothing in ["", "  \t", "\0\0", "\u{feff}", "\x1b[2K\r"] {
        assert!(found(&[nothing]).is_empty(), "{nothing:?}");
    }
}

#[test]
fn an_object_behind_one_that_was_cut_is_found_wherever_the_cut_was() {
    for cut in 1..A.len() {
        let text = format!("{}{B}", &A[..cut]);
        // Cut where a value may begin, the second object is a value of the first, which never ends.
        let value_fits = A[..cut].ends_with([':', '[']) || A[..cut].ends_with("1,");
        let within = A[..cut].ends_with('{');
        let want = if value_fits {
            vec![format!("<1:{text}>")]
        } else if within && cut > 1 {
            continue;
        } else if cut == 1 {
            vec![B.to_owned()]
        } else {
            vec![format!("<1:{}>", &A[..cut]), B.to_owned()]
        };
        assert_eq!(found(&[&text]), want, "cut at {cut}: {text}");
    }
}

#[test]
fn an_event_behind_one_that_was_cut_is_found_also_where_a_value_may_stand() {
    let event = r#"{"type":"b","session_id":"s"}"#;
    for cut in [r#"{"type":"a","message":"#, r#"{"type":"a","content":["#, r#"{"type":"a","content":[1,"#] {
        let text = format!("{cut}{event}");
        let want = [format!("<1:{cut}>"), event.to_owned()];
        assert_eq!(found(&[&text]), want);
        assert_eq!(found(&[&text, B]), [&want[0], &want[1], B]);
        // An input that ends within this line was cut behind a value, which is no event.
        let mut repair = Repair::default();
        let mut objects = 0;
        let mut tell = |found: Found| {
            objects += usize::from(matches!(found, Found::Object { .. }));
            Ok(())
        };
        repair.line(text.as_bytes(), 1, &mut tell).and_then(|()| repair.end(true, &mut tell)).expect("nothing fails");
        assert_eq!(objects, 0, "{text}");
    }
}

#[test]
fn other_text_between_a_cut_object_and_an_event_is_passed() {
    let event = r#"{"type":"b","session_id":"s"}"#;
    let text = format!(r#"{{"type":"a","subtype":"started",Error: killed {event}"#);
    assert_eq!(found(&[&text]), [format!("<1:{}>", text.strip_suffix(event).expect("it ends so")), event.to_owned()]);
}

#[test]
fn an_argument_of_a_damaged_call_is_no_event() {
    let argument = r#"{"type":"result","session_id":"s","result":"x"}"#;
    for text in [
        format!(r#"{{"type":"tool_call","args":{{"a":tru,"event":{argument},"b":1}},"session_id":"s""#),
        format!(r#"{{"type":"tool_call","args":{{"a":tru,"event":{argument}}},"session_id":"s""#),
        format!(r#"{{"type":"tool_call","args":{{"a":tru,"list":[{argument},{argument}],"more":"abc"#),
    ] {
        assert_eq!(found(&[&text, B]), [format!("<1:{text}>"), B.to_owned()], "{text}");
    }
}

#[test]
fn nuls_between_tokens_are_blanks() {
    assert_eq!(line("{\"a\":\0 1,\0\"b\" :[\0]}\0").get("a").and_then(Value::integer), Some(1));
}

#[test]
fn a_damaged_value_is_made_valid() {
    let sound =
        |text: &str| String::from_utf8(Value::again(text.as_bytes()).sound().into_owned()).expect("sound JSON is text");
    for valid in [r#"{"a":[1,"\ud83d",null]}"#, "1e400", r#""x""#] {
        assert_eq!(sound(valid), valid);
    }
    assert_eq!(sound("\"a\nb\u{7}\""), r#""a\nb\u0007""#);
    assert_eq!(sound(r#""a\qb\u12""#), r#""a\\qb\\u12""#);
    assert_eq!(sound(r#"{"a":[1,oops],"b":"x"}"#), r#"{"a":[1],"b":"x"}"#);
    assert_eq!(sound("[1}"), "[1]");
    assert_eq!(sound("{\n\"a\": 1\n}"), r#"{"a":1}"#);
    let deep = format!("{}x{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(serde_json::from_str::<Json>(&sound(&deep)).is_ok());
}

#[test]
fn an_object_goes_on_over_line_breaks_inside_it() {
    let id = ["{\"type\":\"a\",\"id\":\"one", "", "two\",\"n\":1}"];
    assert_eq!(found(&id), [id.join("\n")]);
    let pretty = ["{", "  \"type\": \"a\",", "  \"x\": [", "    {\"type\": \"nested\"}", "  ]", "}"];
    assert_eq!(found(&pretty), [pretty.join("\n")]);
    assert_eq!(found(&["{", "  \"a\": 1,", "}", A]), ["<1:{>", "<2:  \"a\": 1,>", "<3:}>", A]);
}

#[test]
fn a_cut_line_does_not_swallow_what_follows() {
    let cut = &A[..A.len() - 3];
    assert_eq!(found(&[cut, B]), [format!("<1:{cut}>"), B.to_owned()]);
    assert_eq!(
        found(&[cut, "some text", B, A]),
        [format!("<1:{cut}>"), "<2:some text>".to_owned(), B.to_owned(), A.to_owned()]
    );
    assert_eq!(found(&[cut, ""]), [format!("<1:{cut}>")]);
    let in_string = r#"{"type":"a","text":"abc"#;
    assert_eq!(found(&[in_string, "more", B]), [format!("<1:{in_string}>"), "<2:more>".to_owned(), B.to_owned()]);
}

#[test]
fn a_line_damaged_in_many_places_takes_no_time() {
    let text = "{\"a\":{\"b\":1".repeat(100_000) + B;
    let all = found(&[&text]);
    assert_eq!(all.last().map(String::as_str), Some(B));
}
