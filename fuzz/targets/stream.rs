//! Any bytes as a whole log, in every view. The first byte says which: four bits the view, four the options. Whatever the
//! log, the program ends with one of its statuses; where the reads end makes no difference; nothing that a terminal would obey
//! comes through a view that people read; and what a view promises to be JSON is JSON.

#![no_main]

use cursor_fmt_fuzz::{Pieces, Shown, show};
use libfuzzer_sys::fuzz_target;
use serde::de::IgnoredAny;
use serde_json::Value as Json;
use std::io::Cursor;

/// The views. What `text`, `csv` and `tsv` print is the log's own text, byte for byte, so nothing more is known of it.
const VIEWS: [(&[&str], Promise); 16] = [
    (&["pretty"], Promise::Safe),
    (&["pretty", "--thinking", "--output", "full"], Promise::Safe),
    (&["pretty", "--output", "none"], Promise::Safe),
    (&["text"], Promise::Nothing),
    (&["text", "--all"], Promise::Nothing),
    (&["text", "--stream"], Promise::Nothing),
    (&["json"], Promise::Raw),
    (&["tools"], Promise::Safe),
    (&["tools", "--sort", "duration"], Promise::Safe),
    (&["tools", "--group"], Promise::Safe),
    (&["tools", "--format", "json"], Promise::Json),
    (&["tools", "--format", "ndjson"], Promise::Lines),
    (&["tools", "--format", "csv"], Promise::Nothing),
    (&["tools", "--format", "tsv"], Promise::Nothing),
    (&["tools", "--format", "markdown"], Promise::Safe),
    (&["tools", "--group", "--format", "ndjson"], Promise::Lines),
];

/// What holds for the output of a view.
#[derive(Clone, Copy)]
enum Promise {
    Nothing,
    /// No control character but line breaks and tabs.
    Safe,
    /// One JSON document.
    Json,
    /// One on each line.
    Lines,
    /// One on each line, its values as they stand in the log.
    Raw,
}

fuzz_target!(|data: &[u8]| {
    let Some((first, log)) = data.split_first() else { return };
    let (view, promise) = VIEWS[usize::from(first & 15)];
    let (strict, ascii) = (first & 16 != 0, first & 32 != 0);
    let (color, narrow) = (first & 64 != 0, first & 128 != 0);
    let width = (1 + log.len() % 100).to_string();
    let mut args = view.to_vec();
    let options = [
        (strict, &["--strict"][..]),
        (ascii, &["--ascii"]),
        (color, &["--color", "always"]),
        (narrow, &["--width", &width]),
    ];
    for (_, option) in options.iter().filter(|(given, _)| *given) {
        args.extend_from_slice(option);
    }

    let shown = show(&args, Cursor::new(log.to_vec()));
    assert!(shown.code <= 4, "{shown:?}");
    assert!(strict || !shown.gave_up, "only --strict gives up: {}", shown.errors);
    assert_eq!(show(&args, Pieces::new(log.to_vec())), shown, "in pieces, against whole");
    if !color {
        is_safe(&shown.errors);
        keep(promise, &shown);
    }
});

fn keep(promise: Promise, shown: &Shown) {
    let output = &shown.output;
    match promise {
        Promise::Nothing => {}
        Promise::Safe => is_safe(std::str::from_utf8(output).expect("text that people read is UTF-8")),
        Promise::Json if shown.gave_up => {}
        Promise::Json => _ = serde_json::from_slice::<Vec<Json>>(output).expect("one array"),
        Promise::Lines => lines(output).for_each(|line| _ = serde_json::from_slice::<Json>(line).expect("an object")),
        // Half a surrogate pair and a number too large may stand in a value, so only the grammar counts.
        Promise::Raw => {
            lines(output).for_each(|line| _ = serde_json::from_slice::<IgnoredAny>(line).expect("an object"));
        }
    }
}

fn lines(output: &[u8]) -> impl Iterator<Item = &[u8]> {
    output.split_inclusive(|byte| *byte == b'\n')
}

fn is_safe(text: &str) {
    let unsafe_one = text.chars().find(|char| char.is_control() && !matches!(char, '\n' | '\t'));
    assert_eq!(unsafe_one, None, "in {text:?}");
}
