//! JSON's grammar as a machine that is fed byte by byte, and can be fed on when the next line comes: it finds the place where
//! a damaged line stops being JSON, which the walker, that jumps, cannot know.

use super::scan;

/// Where the text stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum State {
    /// A value must come; after `[` the array may also end.
    Value {
        first: bool,
    },
    /// A key must come; after `{` the object may also end.
    Key {
        first: bool,
    },
    Colon,
    /// A value is over: a comma or a closing bracket must come.
    After,
    String {
        key: bool,
        escape: bool,
    },
}

/// What the text is, as far as it was fed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Verdict {
    /// The first value is over, in front of this place.
    Whole(usize),
    /// It goes on.
    More,
    /// At this place it is no JSON any more.
    Broken(usize),
}

/// The machine. Control characters and unknown escapes in strings pass, as they do in the walker.
#[derive(Debug)]
pub(super) struct Grammar {
    state: State,
    /// The open containers; true for an object.
    open: Vec<bool>,
}

impl Grammar {
    pub(super) fn new() -> Self {
        Self { state: State::Value { first: false }, open: Vec::new() }
    }

    /// Feeds the next bytes. Places in the verdict count from their start.
    pub(super) fn feed(&mut self, bytes: &[u8]) -> Verdict {
        let mut at = 0;
        while let Some(byte) = bytes.get(at) {
            let scalar = matches!(self.state, State::Value { .. }) && scan::is_scalar_byte(*byte);
            at = if scalar {
                let length = bytes[at..].iter().position(|byte| !scan::is_scalar_byte(*byte));
                let end = length.map_or(bytes.len(), |length| at + length);
                if !scan::is_scalar(&bytes[at..end]) {
                    // What cuts a number or a word short is where the text breaks.
                    return Verdict::Broken(end);
                }
                self.state = State::After;
                end
            } else if self.step(*byte).is_some() {
                at + 1
            } else {
                return Verdict::Broken(at);
            };
            if self.open.is_empty() && self.state == State::After {
                return Verdict::Whole(at);
            }
        }
        Verdict::More
    }

    /// Whether a value must come, or a key.
    pub(super) fn wants_key(&self) -> bool {
        matches!(self.state, State::Key { .. })
    }

    /// Whether a number or a word may stand or go on here.
    pub(super) fn wants_value(&self) -> bool {
        matches!(self.state, State::Value { .. })
    }

    /// Where the text stands.
    pub(super) fn state(&self) -> State {
        self.state
    }

    /// How many containers are open.
    pub(super) fn depth(&self) -> usize {
        self.open.len()
    }

    /// Appends the shortest text that could stand behind the opening bracket of the container at `depth`, where the text stands
    /// in `state` outside a string: it leaves the same containers open, and what may follow is the same.
    pub(super) fn skeleton(&self, depth: usize, state: State, into: &mut Vec<u8>) {
        let open = self.open.get(depth.saturating_sub(1)..).unwrap_or_default();
        for (place, object) in open.iter().enumerate() {
            if place > 0 {
                into.push(if *object { b'{' } else { b'[' });
            }
            let last = place + 1 == open.len();
            into.extend_from_slice(match (last, object, state) {
                (false, true, _) | (true, true, State::Value { .. }) => b"\"\":",
                (true, true, State::After) => b"\"\":0",
                (true, true, State::Key { first: false }) => b"\"\":0,",
                (true, false, State::After) => b"0",
                (true, false, State::Value { first: false }) => b"0,",
                _ => b"",
            });
        }
    }

    /// A number or a word was here.
    pub(super) fn scalar(&mut self) {
        self.state = State::After;
    }

    /// One byte. `None` where it may not stand here.
    pub(super) fn step(&mut self, byte: u8) -> Option<()> {
        self.state = match (self.state, byte) {
            (State::String { key, escape: true }, _) => State::String { key, escape: false },
            (State::String { key, .. }, b'\\') => State::String { key, escape: true },
            (State::String { key: true, .. }, b'"') => State::Colon,
            (State::String { key: false, .. }, b'"') => State::After,
            (same @ State::String { .. }, _) => same,
            (same, _) if scan::is_blank(byte) => same,
            (State::Value { .. }, b'"') => State::String { key: false, escape: false },
            (State::Key { .. }, b'"') => State::String { key: true, escape: false },
            (State::Value { .. }, b'{') => {
                self.open.push(true);
                State::Key { first: true }
            }
            (State::Value { .. }, b'[') => {
                self.open.push(false);
                State::Value { first: true }
            }
            (State::Value { first: true }, b']') | (State::Key { first: true }, b'}') => {
                self.open.pop();
                State::After
            }
            (State::After, b']' | b'}') if self.open.last() == Some(&(byte == b'}')) => {
                self.open.pop();
                State::After
            }
            (State::Colon, b':') => State::Value { first: false },
            (State::After, b',') if self.open.last() == Some(&true) => State::Key { first: false },
            (State::After, b',') if self.open.last() == Some(&false) => State::Value { first: false },
            _ => return None,
        };
        Some(())
    }
}
