//! A terminal: lines that are drawn anew must leave nothing behind.

use crate::{PIPE, Terminal, given, given_in, log};
use std::collections::VecDeque;
use std::io::{self, Read};
use std::num::NonZeroU16;
use std::thread::sleep;
use std::time::Duration;

/// Lines that come one by one, with a pause in front of each.
struct Slow {
    lines: VecDeque<Vec<u8>>,
    pause: Duration,
}

impl Slow {
    fn new(log: &[u8], pause: u64) -> Self {
        let lines = log.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
        Self { lines, pause: Duration::from_millis(pause) }
    }
}

impl Read for Slow {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let Some(line) = self.lines.front_mut() else { return Ok(0) };
        sleep(self.pause);
        let count = line.len().min(into.len());
        into[..count].copy_from_slice(&line[..count]);
        line.drain(..count);
        if line.is_empty() {
            self.lines.pop_front();
        }
        Ok(count)
    }
}

/// What a screen of so many columns shows in the end.
fn screen(bytes: &[u8], columns: u16) -> String {
    let mut terminal = vt100::Parser::new(
        NonZeroU16::MIN.saturating_add(59),
        NonZeroU16::new(columns).expect("a screen has columns"),
        0,
    );
    // A terminal's driver makes a line break of two characters.
    let text = String::from_utf8_lossy(bytes).replace('\n', "\r\n");
    terminal.process(text.as_bytes());
    terminal.screen().contents()
}

#[test]
fn a_screen_shows_in_the_end_what_a_pipe_gets() {
    for (name, columns) in [("parallel-calls", 80), ("parallel-calls", 30), ("whole-messages", 60), ("wide-text", 41)] {
        let terminal = Terminal { output: true, ..PIPE };
        let width = columns.to_string();
        let words = ["pretty", "--width", &width];
        let live = given_in(terminal, &words, Slow::new(&log(name), 130));
        assert!(live.text().contains('⠙'), "{name}: a running call has a line of its own");
        let still = given(&words, &log(name));
        assert_eq!(screen(&live.out, columns), screen(&still.out, columns), "{name} at {columns}");
    }
}

#[test]
fn text_that_goes_on_while_calls_run_stays_whole() {
    let said = |text: &str| {
        format!(
            "{{\"type\":\"assistant\",\"message\":{{\"content\":[{{\"type\":\"text\",\"text\":\"{text}\"}}]}},\"session_id\":\"s\",\"timestamp_ms\":1}}\n"
        )
    };
    let call = |subtype: &str, id: usize| {
        format!(
            "{{\"type\":\"tool_call\",\"subtype\":\"{subtype}\",\"call_id\":\"{id}\",\"tool_call\":{{\"shellToolCall\":{{\"args\":{{\"command\":\"work {id}\"}}}}}},\"session_id\":\"s\"}}\n"
        )
    };
    let lines = [
        said("Before."),
        call("started", 1),
        call("started", 2),
        said("I go on "),
        said("talking\\n"),
        said("for long."),
        call("completed", 2),
        call("completed", 1),
        said("After."),
        "{\"type\":\"result\",\"subtype\":\"success\",\"session_id\":\"s\"}\n".to_owned(),
    ];
    let live = given_in(
        Terminal { output: true, ..PIPE },
        &["pretty", "--width", "50"],
        Slow::new(lines.concat().as_bytes(), 130),
    );
    let shown = screen(&live.out, 50);
    assert!(shown.contains("I go on talking\nfor long.\n\n"), "{shown}");
    assert_eq!(shown.matches("work 1").count(), 1, "{shown}");
    assert_eq!(shown.matches("work 2").count(), 1, "{shown}");
}

#[test]
fn live_lines_keep_to_the_rows_of_the_screen() {
    let calls: String = (0..12)
        .map(|id| {
            format!(
                "{{\"type\":\"tool_call\",\"subtype\":\"started\",\"call_id\":\"{id}\",\"tool_call\":{{\"shellToolCall\":{{\"args\":{{\"command\":\"work {id}\"}}}}}},\"session_id\":\"s\"}}\n"
            )
        })
        .collect();
    let result = "{\"type\":\"result\",\"subtype\":\"success\",\"session_id\":\"s\"}\n";
    let slow = Slow { lines: [calls.into_bytes(), result.into()].into(), pause: Duration::from_millis(250) };
    let terminal = Terminal { output: true, size: || Some((80, 6)), ..PIPE };
    let text = given_in(terminal, &["pretty"], slow).text();
    assert!(text.contains("… 9 more running"), "{text}");
    assert!(text.contains("\x1b[4A") && !text.contains("\x1b[5A"), "{text:?}");
    let dumb = |name: &str| (name == "TERM").then(|| "dumb".to_owned());
    let slow = Slow::new(&log("parallel-calls"), 130);
    let text = given_in(Terminal { variable: dumb, ..terminal }, &["pretty"], slow).text();
    assert!(!text.contains('\x1b'), "{text:?}");
}
