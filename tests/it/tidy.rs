//! The shape of the house: which room may use which, and that every file says what it is for.

use crate::root;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Each room, and the rooms that it may use. `main.rs` comes in through the door like everybody.
const ROOMS: &[(&str, &[&str])] = &[
    ("human", &[]),
    ("line", &[]),
    ("source", &[]),
    ("value", &[]),
    ("event", &["value"]),
    ("dialect", &["event", "human", "value"]),
    ("redact", &[]),
    ("tool", &["value", "human"]),
    ("fold", &["event", "tool", "value"]),
    ("page", &[]),
    ("view", &["fold", "tool", "page", "human", "value"]),
    ("cli", &["dialect", "view", "page"]),
    (
        "pipe",
        &["cli", "dialect", "event", "fold", "human", "line", "page", "redact", "source", "tool", "value", "view"],
    ),
    ("plain", &["event", "fold", "page", "pipe", "view"]),
    ("lib", &["cli", "dialect", "event", "fold", "line", "page", "pipe", "plain", "source", "value", "view"]),
    ("main", &[]),
];

/// The most lines of a source file.
const LINES: usize = 400;

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder can be listed") {
        let path = entry.expect("a folder can be listed").path();
        if path.is_dir() {
            files.extend(sources(&path));
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            files.push(path);
        }
    }
    files
}

/// The source files by room, with their text.
fn rooms() -> BTreeMap<String, Vec<(PathBuf, String)>> {
    let source = root().join("src");
    let mut rooms: BTreeMap<String, Vec<(PathBuf, String)>> = BTreeMap::new();
    for path in sources(&source) {
        let inside = path.strip_prefix(&source).expect("it was found there");
        let room = inside.components().next().expect("a path has a first part").as_os_str().to_string_lossy();
        let room = room.trim_end_matches(".rs").to_owned();
        let text = fs::read_to_string(&path).expect("sources are UTF-8");
        rooms.entry(room).or_default().push((path, text));
    }
    rooms
}

#[test]
fn a_room_uses_only_what_it_may() {
    let known: Vec<&str> = ROOMS.iter().map(|(room, _)| *room).collect();
    for (room, files) in rooms() {
        let (_, may) =
            ROOMS.iter().find(|(name, _)| *name == room).unwrap_or_else(|| panic!("the table has no room {room}"));
        for (path, text) in files {
            for (place, used) in text.match_indices("crate::").map(|(place, word)| (place, &text[place + word.len()..]))
            {
                let used = used.split(|char: char| !char.is_alphanumeric() && char != '_').next().unwrap_or_default();
                let line = text[..place].lines().count();
                assert!(!used.is_empty(), "{}:{line}: a list of rooms hides which are used", path.display());
                if known.contains(&used) && used != room {
                    assert!(may.contains(&used), "{}:{line}: {room} may not use {used}", path.display());
                }
            }
        }
    }
}

#[test]
fn the_table_has_no_room_that_is_not_there() {
    let rooms = rooms();
    for (room, may) in ROOMS {
        assert!(rooms.contains_key(*room), "{room}");
        for used in *may {
            let uses = |(_, text): &(PathBuf, String)| {
                text.contains(&format!("crate::{used}")) || text.contains(&format!("mod {used};"))
            };
            assert!(rooms[*room].iter().any(uses), "{room} does not use {used}");
        }
    }
}

#[test]
fn every_file_says_what_it_is_for() {
    for (path, text) in rooms().into_values().flatten() {
        assert!(text.starts_with("//! "), "{}", path.display());
        // A table of tests may be as long as it takes.
        let lines = if path.ends_with("tests.rs") { 0 } else { text.lines().count() };
        assert!(lines <= LINES, "{}: {lines} lines", path.display());
    }
}

#[test]
fn no_corner_is_cut() {
    for (path, text) in rooms().into_values().flatten() {
        for word in ["unwrap()", "todo!", "unimplemented!", "process::exit", "#[allow"] {
            let here = text.split("#[cfg(test)]").next().unwrap_or_default();
            assert!(!here.contains(word), "{}: {word}", path.display());
        }
    }
}
