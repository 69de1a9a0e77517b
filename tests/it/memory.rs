//! Memory: nothing is allocated for a line of a log that goes on, and what is held does not grow with the log, nor with what no
//! view needs. What is needed is held once as it came and once as it is told, and never cut.

use crate::{PIPE, run_on};
use allocation_counter::{AllocationInfo, measure};
use std::io::{self, Read, Write};

/// A log that is made while it is read, so that it takes no memory itself: parts, each so many times.
struct Made {
    parts: Vec<(Vec<u8>, usize)>,
    part: usize,
    given: usize,
}

impl Made {
    fn new(parts: &[(&str, usize)]) -> Self {
        let parts = parts.iter().map(|(text, times)| (text.as_bytes().to_vec(), *times)).collect();
        Self { parts, part: 0, given: 0 }
    }
}

impl Read for Made {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let mut count = 0;
        while count < into.len() {
            let Some((text, times)) = self.parts.get(self.part) else { break };
            if self.given == text.len() * times {
                self.part += 1;
                self.given = 0;
                continue;
            }
            let rest = &text[self.given % text.len()..];
            let piece = rest.len().min(into.len() - count);
            into[count..count + piece].copy_from_slice(&rest[..piece]);
            count += piece;
            self.given += piece;
        }
        Ok(count)
    }
}

/// Counts what is written.
#[derive(Default)]
struct Counted(usize);

impl Write for Counted {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What a run on a log allocates, and how much it writes.
fn allocated(args: &[&str], parts: &[(&str, usize)]) -> (AllocationInfo, usize) {
    let (log, mut written, mut errors, mut status) = (Made::new(parts), Counted::default(), Vec::new(), 0);
    let info = measure(|| status = run_on(PIPE, args, log, &mut written, &mut errors));
    assert_eq!((status, String::from_utf8_lossy(&errors).as_ref()), (0, ""), "{args:?}");
    (info, written.0)
}

const BEGIN: &str = "{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"s\"}\n";
const PIECE: &str = "{\"type\":\"assistant\",\"message\":{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"so \\\"many\\\" words\"}]},\"session_id\":\"s\",\"timestamp_ms\":1}\n";
const ODD_PIECE: &str = "{\"timestamp_ms\":1,\"session_id\":\"s\",\"message\":{\"content\":[{\"text\":\"so \\\"many\\\" words\",\"type\":\"text\"}]},\"type\":\"assistant\"}\n";
const THOUGHT: &str =
    "{\"type\":\"thinking\",\"subtype\":\"delta\",\"text\":\"hm\\n\",\"session_id\":\"s\",\"timestamp_ms\":1}\n";
const CALL: &str = "{\"type\":\"tool_call\",\"subtype\":\"started\",\"call_id\":\"c\",\"tool_call\":{\"readToolCall\":{\"args\":{\"path\":\"a\\nb\"}}},\"session_id\":\"s\"}\n\
{\"type\":\"tool_call\",\"subtype\":\"completed\",\"call_id\":\"c\",\"tool_call\":{\"readToolCall\":{\"args\":{\"path\":\"a\\nb\"},\"result\":{\"success\":{\"content\":\"a long text, of which nobody\\nasks for more\\nthan its end\\n\",\"totalLines\":3}}}},\"session_id\":\"s\"}\n";
const END: &str =
    "{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"result\":\"\",\"session_id\":\"s\"}\n";

#[test]
fn a_line_more_allocates_nothing_more() {
    for args in [&["text"][..], &["text", "--all"], &["text", "--stream"], &["json"]] {
        for line in [PIECE, ODD_PIECE, THOUGHT, CALL] {
            let count = |times| allocated(args, &[(BEGIN, 1), (line, times), (END, 1)]).0.count_total;
            let (few, many) = (count(2_000), count(12_000));
            // The run's text, and the places of its pieces, grow by doubling.
            assert!(many <= few + 12, "{args:?}: {few} and {many} for {line}");
        }
    }
    for line in [PIECE, ODD_PIECE, THOUGHT] {
        let count = |times| allocated(&["tools"], &[(BEGIN, 1), (line, times), (END, 1)]).0.count_total;
        assert_eq!(count(2_000), count(12_000), "{line}");
    }
}

#[test]
fn what_is_held_does_not_grow_with_the_log() {
    let run = [BEGIN, PIECE, ODD_PIECE, THOUGHT, CALL, END].concat();
    for args in [
        &["text", "--all"][..],
        &["json"],
        &["pretty"],
        &["tools", "--format", "ndjson"],
        &["log"],
        &["events"],
        &["check"],
    ] {
        let most = |runs| allocated(args, &[(&run, runs)]).0.bytes_max;
        let (short, long) = (most(500), most(8_000));
        assert!(long < short + (64 << 10), "{args:?}: {short} and {long} bytes");
    }
}

#[test]
fn a_page_holds_no_more_than_it_has_room_for() {
    let wrong = "{\"type\":\"tool_call\",\"subtype\":\"completed\",\"call_id\":\"\",\"tool_call\":{\"shellToolCall\":{\"args\":{\"command\":\"make it so\"},\"result\":{\"failure\":{\"exitCode\":2,\"stdout\":\"one line\\nand another\\n\"}}}},\"session_id\":\"s\"}\n";
    for args in [&["summary", "--max-bytes", "50000"][..], &["summary", "--max-bytes", "50000", "--format", "json"]] {
        let (few, short) = allocated(args, &[(BEGIN, 1), (wrong, 2_000), (END, 1)]);
        let (many, long) = allocated(args, &[(BEGIN, 1), (wrong, 40_000), (END, 1)]);
        assert!(short > 25_000 && short <= 50_000 && long > 25_000 && long <= 50_000, "{args:?}: {short}, {long}");
        assert!(many.bytes_max < few.bytes_max + (64 << 10), "{args:?}: {} and {}", few.bytes_max, many.bytes_max);
    }
}

#[test]
fn what_no_view_needs_is_not_held_however_long_it_is() {
    let begin = format!(
        "{BEGIN}{}",
        r#"{"type":"tool_call","subtype":"completed","call_id":"c","tool_call":{"readToolCall":{"args":{"path":"/a"},"result":{"success":{"content":""#
    );
    let end = format!("\",\"totalLines\":7,\"path\":\"/a\"}}}}}}}},\"session_id\":\"s\"}}\n{END}");
    let parts = [(begin.as_str(), 1), ("a line, \\\"é\\u20ac\\\"\\n", 1 << 20), (end.as_str(), 1)];
    for args in
        [&["text"][..], &["json"], &["tools"], &["tools", "--format", "json"], &["pretty"], &["log"], &["summary"]]
    {
        let (info, written) = allocated(args, &parts);
        assert!(info.bytes_max < 2 << 20, "{args:?}: {} bytes", info.bytes_max);
        let (_, short) = allocated(args, &[parts[0], (parts[1].0, 1), parts[2]]);
        assert_eq!(written, short, "{args:?}");
    }
    let (_, written) = allocated(&["pretty", "--output", "full"], &parts);
    assert!(written > 16 << 20, "in full, all of it is shown: {written}");
}

#[test]
fn what_is_needed_is_held_as_it_came_and_as_it_is_told() {
    let begin =
        format!("{BEGIN}{}", r#"{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":""#);
    let end = format!("\"}}]}},\"session_id\":\"s\"}}\n{END}");
    let (text, times) = ("words, words, words\\n", 1_usize << 20);
    let parts = [(begin.as_str(), 1), (text, times), (end.as_str(), 1)];
    let (info, written) = allocated(&["text"], &parts);
    assert_eq!(written, (text.len() - 1) * times, "no byte is lost");
    let length = u64::try_from(text.len() * times).expect("it fits");
    // What is asked of the system doubles as it grows, though not all of it is ever touched.
    assert!(info.bytes_max < 3 * length + (8 << 20), "{} for {length}", info.bytes_max);
    let (info, _) = allocated(&["tools"], &parts);
    assert!(info.bytes_max < 2 << 20, "the table needs no text: {}", info.bytes_max);
}

#[test]
fn a_row_is_the_same_wherever_the_buffer_ends_in_its_line() {
    // Whole, the line is as long as what is held of a line before it is shortened; each length puts another byte on an edge.
    let row = |length: usize| {
        let line = format!(
            r#"{{"type":"tool_call","subtype":"completed","call_id":"c","tool_call":{{"editToolCall":{{"args":{{"path":"/a\"b","streamContent":"{0}\\\"é\ud83d\ude00"}},"result":{{"success":{{"diffString":"--- /dev/null\n{0}\\","afterFullFileContent":"{0}\n","linesAdded":3,"linesRemoved":0}}}}}}}},"session_id":"s"}}"#,
            "x".repeat(length)
        );
        crate::given(&["tools", "--format", "ndjson"], format!("{line}\n{END}").as_bytes()).text()
    };
    let want = row(10);
    assert!(want.contains("new, +3") && want.contains("/a\\\"b"), "{want}");
    for length in (87_200..87_500).chain([200_000, 1 << 20]) {
        assert_eq!(row(length), want, "{length}");
    }
}
