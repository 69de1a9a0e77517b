//! What the fold promises, on logs that are generated in every way the agent can write them.

use crate::given;
use proptest::prelude::*;
use serde_json::json;

/// What happens in a run, apart from text.
#[derive(Clone, Copy, Debug)]
enum Between {
    Call,
    Query,
    /// A query in front of a call, as for a search.
    QueryAndCall,
}

/// A message and what follows it.
#[derive(Clone, Debug)]
struct Part {
    text: String,
    between: Between,
    /// Where the message is cut into pieces, in UTF-16 units, as the agent cuts.
    cuts: Vec<prop::sample::Index>,
    /// The piece that is lost, and which the whole message then restores.
    lost: prop::sample::Index,
}

fn message() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        Just("ha"),
        Just("ha"),
        Just("\n"),
        Just("```"),
        Just("`"),
        Just("-"),
        Just(" "),
        Just("the boat"),
        Just("😀"),
        Just("漢字"),
        Just("e\u{301}"),
        Just("\\u0041 \"x\" {\"type\":\"result\"}"),
        Just("\u{1b}[1m"),
    ];
    proptest::collection::vec(word, 1..8).prop_map(|words| words.concat())
}

fn part() -> impl Strategy<Value = Part> {
    let between = prop_oneof![Just(Between::Call), Just(Between::Query), Just(Between::QueryAndCall)];
    let cuts = proptest::collection::vec(any::<prop::sample::Index>(), 0..6);
    (message(), between, cuts, any::<prop::sample::Index>()).prop_map(|(text, between, cuts, lost)| Part {
        text,
        between,
        cuts,
        lost,
    })
}

/// A text event. Units are written as escapes, since half a surrogate pair cannot be written otherwise.
fn said(units: &[u16], stamped: bool, before_call: bool) -> String {
    let escaped: String = units.iter().map(|unit| format!("\\u{unit:04x}")).collect();
    let call = if before_call { r#","model_call_id":"m-0""# } else { "" };
    let time = if stamped { r#","timestamp_ms":1700000000000"# } else { "" };
    format!(
        r#"{{"type":"assistant","message":{{"role":"assistant","content":[{{"type":"text","text":"{escaped}"}}]}},"session_id":"s"{call}{time}}}"#
    )
}

/// The pieces of a message. Of half a character that is lost, no whole message can bring back the other half that was told.
fn pieces(part: &Part, halves: bool) -> Vec<Vec<u16>> {
    let units: Vec<u16> = part.text.encode_utf16().collect();
    let mut cuts: Vec<usize> = part.cuts.iter().map(|cut| cut.index(units.len() + 1)).collect();
    cuts.extend([0, units.len()]);
    cuts.retain(|cut| halves || units.get(*cut).is_none_or(|unit| !(0xDC00..=0xDFFF).contains(unit)));
    cuts.sort_unstable();
    cuts.dedup();
    cuts.windows(2).map(|ends| units[ends[0]..ends[1]].to_vec()).collect()
}

/// The lines of a run. With `partial`, messages come in pieces and then whole.
fn run(parts: &[Part], partial: bool, loses: bool) -> Vec<String> {
    let mut lines = vec![
        r#"{"type":"system","subtype":"init","cwd":"/w","session_id":"s","model":"M"}"#.to_owned(),
        r#"{"type":"user","message":{"role":"user","content":[{"type":"text","text":"go"}]},"session_id":"s"}"#
            .to_owned(),
    ];
    for (number, part) in parts.iter().enumerate() {
        let last = number + 1 == parts.len();
        let units: Vec<u16> = part.text.encode_utf16().collect();
        if partial {
            let mut pieces = pieces(part, !loses);
            if loses {
                pieces.remove(part.lost.index(pieces.len()));
            }
            lines.extend(pieces.iter().map(|piece| said(piece, true, false)));
        }
        let (stamped, before_call) = match part.between {
            _ if last => (false, false),
            Between::Call => (true, true),
            Between::Query | Between::QueryAndCall => (true, false),
        };
        lines.push(said(&units, stamped, before_call));
        if last {
            break;
        }
        if matches!(part.between, Between::Query | Between::QueryAndCall) {
            lines.push(r#"{"type":"interaction_query","subtype":"request","query_type":"webFetchRequestQuery","query":{"id":0,"webFetchRequestQuery":{"args":{"url":"u","toolCallId":"q"}}},"session_id":"s","timestamp_ms":1700000000000}"#.to_owned());
            lines.push(r#"{"type":"interaction_query","subtype":"response","query_type":"webFetchRequestQuery","response":{"id":0,"webFetchRequestResponse":{"approved":{}}},"session_id":"s","timestamp_ms":1700000000000}"#.to_owned());
        }
        if matches!(part.between, Between::Call | Between::QueryAndCall) {
            for subtype in ["started", "completed"] {
                lines.push(format!(
                    r#"{{"type":"tool_call","subtype":"{subtype}","call_id":"c{number}","tool_call":{{"readToolCall":{{"args":{{"path":"a"}}}}}},"session_id":"s","timestamp_ms":1700000000000}}"#
                ));
            }
        }
    }
    let whole: String = parts.iter().map(|part| part.text.as_str()).collect();
    let result = json!({"type": "result", "subtype": "success", "is_error": false, "result": whole, "session_id": "s"});
    lines.push(result.to_string());
    lines
}

fn printed(parts: &[Part]) -> String {
    let line = |part: &Part| if part.text.ends_with('\n') { part.text.clone() } else { format!("{}\n", part.text) };
    parts.iter().map(line).collect::<Vec<String>>().join("\n")
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1000) })]

    #[test]
    fn a_message_is_told_once_however_it_was_said(parts in proptest::collection::vec(part(), 1..6), partial: bool) {
        let log = run(&parts, partial, false).join("\n");
        prop_assert_eq!(given(&["text", "--all"], log.as_bytes()).text(), printed(&parts));
        prop_assert_eq!(given(&["text", "--stream"], log.as_bytes()).text(), printed(&parts));
        let answer = parts.iter().rev().find(|part| !part.text.trim().is_empty());
        let answer = answer.map_or_else(String::new, |part| printed(std::slice::from_ref(part)));
        prop_assert_eq!(given(&["text"], log.as_bytes()).text(), answer);
    }

    #[test]
    fn a_piece_that_is_lost_comes_back_from_the_whole_message(parts in proptest::collection::vec(part(), 1..6)) {
        // A message that begins like the one before it could be taken for the whole run, said again.
        let parts: Vec<Part> = parts.into_iter().zip('A'..).map(|(part, letter)| Part { text: format!("{letter}{}", part.text), ..part }).collect();
        let log = run(&parts, true, true).join("\n");
        prop_assert_eq!(given(&["text", "--all"], log.as_bytes()).text(), printed(&parts));
    }

    #[test]
    fn two_modes_mix_in_one_file(one in proptest::collection::vec(part(), 1..4), other in proptest::collection::vec(part(), 1..4), first: bool) {
        let log = [run(&one, first, false), run(&other, !first, false)].concat().join("\n");
        let want = format!("{}\n{}", printed(&one), printed(&other));
        prop_assert_eq!(given(&["text", "--all"], log.as_bytes()).text(), want);
    }

    #[test]
    fn what_was_said_before_a_cut_stays_said(parts in proptest::collection::vec(part(), 1..5), partial: bool, cut: prop::sample::Index) {
        let lines = run(&parts, partial, false);
        let whole = given(&["text", "--stream"], lines.join("\n").as_bytes()).text();
        let cut = cut.index(lines.len());
        let part = given(&["text", "--stream"], lines[..cut].join("\n").as_bytes()).text();
        // A line break is added at the end, and half a character is shown as what it is.
        let told = part.trim_end().trim_end_matches('\u{fffd}').trim_end();
        // Of a message of one piece, nobody knows in a cut log whether it was said twice.
        let doubtful = lines[..cut].last().is_some_and(|last| lines[..cut].iter().filter(|line| *line == last).count() > 1);
        prop_assert!(whole.starts_with(told) || doubtful, "{part:?} is not how {whole:?} begins");
    }

    #[test]
    fn sessions_that_write_at_once_do_not_mix(one in proptest::collection::vec(part(), 1..4), other in proptest::collection::vec(part(), 1..4), turns in proptest::collection::vec(any::<bool>(), 0..80)) {
        let mut first = run(&one, true, false).into_iter();
        let mut second = run(&other, false, false).into_iter().map(|line| line.replace(r#""session_id":"s""#, r#""session_id":"t""#));
        let mut lines = Vec::new();
        for turn in turns {
            lines.extend(if turn { first.next() } else { second.next() });
        }
        lines.extend(first);
        lines.extend(second);
        let rows = given(&["text"], lines.join("\n").as_bytes());
        prop_assert_eq!(rows.status, 0, "{}", rows.err);
        let answers = |parts: &[Part]| parts.iter().rev().find(|part| !part.text.trim().is_empty()).map_or_else(String::new, |part| printed(std::slice::from_ref(part)));
        let (one, other) = (answers(&one), answers(&other));
        let text = rows.text();
        prop_assert!(text == format!("{one}{other}") || text == format!("{other}{one}"), "{text:?}");
    }
}
