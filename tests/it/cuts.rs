//! Logs that are cut after any byte.

use crate::{given, log, logs};

/// Cuts a log at every byte, or, where that is many, at every so many.
fn cuts(length: usize) -> impl Iterator<Item = usize> {
    (0..=length).step_by((length / 400).max(1))
}

#[test]
fn a_log_may_end_anywhere() {
    for (name, path) in logs() {
        let bytes = std::fs::read(path).expect("the log is there");
        for cut in cuts(bytes.len()) {
            for words in [
                &["pretty", "--thinking"][..],
                &["text", "--stream"],
                &["json"],
                &["tools", "--format", "json"],
                &["events"],
                &["check"],
            ] {
                let given = given(words, &bytes[..cut]);
                assert!([0, 1, 3].contains(&given.status), "{name} cut at {cut}: {}", given.err);
            }
        }
    }
}

#[test]
fn what_was_told_before_a_cut_does_not_change() {
    for (name, path) in logs() {
        let bytes = std::fs::read(path).expect("the log is there");
        let whole = given(&["text", "--stream"], &bytes).text();
        for cut in cuts(bytes.len()) {
            let part = given(&["text", "--stream"], &bytes[..cut]).text();
            // Half a character, at the end, is shown as what it is.
            let told = part.trim_end().trim_end_matches('\u{fffd}').trim_end();
            // A message of one piece and its flush look like a word said twice. In a log that ends there, nobody can know, and
            // nothing is to be lost.
            let doubtful = name == "query-flush-with-pieces" && told.ends_with("One more look.One more look.");
            assert!(whole.starts_with(told) || doubtful, "{name} cut at {cut}: {part:?}");
        }
    }
}

#[test]
fn a_killed_run_shows_what_it_had_said() {
    let bytes = log("never-completed");
    let given = given(&["text"], &bytes);
    assert_eq!(given.status, 3);
    assert!(given.err.contains("ends before the run's result"), "{}", given.err);
    assert!(!given.out.is_empty());
}
