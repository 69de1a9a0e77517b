//! A terminal: a command that the client runs for the agent, or that the agent says it runs.

use super::write::command_line;
use crate::value::{Text, Value, append, complete, lossy};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::borrow::Cow;

/// A command, and what is known of it.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own, and none excludes another")]
#[derive(Default)]
pub(super) struct Terminal {
    pub(super) command: String,
    /// The most bytes of output that it was asked to keep.
    pub(super) limit: Option<i64>,
    /// What is known of what it has printed.
    pub(super) output: Vec<u8>,
    /// Not all that it has printed is known.
    pub(super) truncated: bool,
    /// How much of the output was told as it came.
    told: usize,
    /// What was told, where what is held now is only the beginning of that.
    before: Option<Vec<u8>>,
    /// What comes next does not follow what was told.
    gap: bool,
    pub(super) exit: Option<Exit>,
    /// How much it held, and how it had ended, when its call was told.
    was: Option<(usize, Option<Exit>)>,
    /// Who waited for its end was told that it has come.
    pub(super) awaited: bool,
    /// It could not be started, for this reason.
    pub(super) not_started: Option<String>,
    /// It was killed while it ran, and somebody waited for its end.
    pub(super) killed: Option<Killed>,
    pub(super) released: bool,
    /// It ran when it was released.
    pub(super) stopped: bool,
    pub(super) created_ms: Option<i64>,
    pub(super) ended_ms: Option<i64>,
    /// The call that it belongs to.
    pub(super) call: Option<String>,
    /// Nobody has said so.
    pub(super) guessed: bool,
    /// It was created before the log begins, or by nobody.
    pub(super) foreign: bool,
    /// It is the agent's: nobody has to release it.
    pub(super) agents: bool,
}

/// How a command was ended from outside.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Killed {
    /// Somebody waited for its end, as who sets a time limit does.
    pub(super) awaited: bool,
    /// The client had cancelled.
    pub(super) cancelled: bool,
}

/// How a command has ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Exit {
    pub(super) code: Option<i64>,
    pub(super) signal: Option<String>,
}

impl Exit {
    /// What an object says, in the spelling of the protocol or of an extension.
    pub(super) fn of(object: Value) -> Self {
        let [code, snake, signal] = object.pick(["exitCode", "exit_code", "signal"]);
        let code = code.or(snake).and_then(Value::integer);
        let signal = signal.and_then(Value::str).filter(|signal| !signal.is_empty()).map(Cow::into_owned);
        Self { code, signal }
    }

    /// Whether it says how the command has ended, and not only that it has.
    pub(super) fn is_known(&self) -> bool {
        self.code.is_some() || self.signal.is_some()
    }

    /// In words.
    pub(super) fn words(&self) -> String {
        match (&self.signal, self.code) {
            (Some(signal), _) => format!("signal {signal}"),
            (None, Some(code)) => format!("exit {code}"),
            (None, None) => "exit unknown".to_owned(),
        }
    }

    /// Whether the command has done what it should.
    pub(super) fn is_good(&self) -> bool {
        self.signal.is_none() && self.code.unwrap_or(0) == 0
    }
}

/// So much of a snapshot must be like the end of the one before to follow it, where its own beginning is lost.
const OVERLAP: usize = 24;

impl Terminal {
    /// A terminal that a request creates.
    pub(super) fn new(params: Option<Value>, at_ms: Option<i64>) -> Self {
        let limit = params.and_then(|params| params.get("outputByteLimit")?.integer());
        let command = params.map(command_line).unwrap_or_default();
        Self { command, limit, created_ms: at_ms, ..Self::default() }
    }

    /// One that was created before the log begins, or by nobody.
    pub(super) fn foreign() -> Self {
        Self { foreign: true, ..Self::default() }
    }

    /// One that the agent runs and tells of.
    pub(super) fn of_agent(at_ms: Option<i64>) -> Self {
        Self { agents: true, created_ms: at_ms, ..Self::default() }
    }

    /// All that is retained so far, which takes the place of what was known.
    pub(super) fn snapshot(&mut self, text: Text, truncated: bool) {
        let mut output = Vec::new();
        text.push_to(&mut output);
        self.truncated |= truncated;
        let before = self.before.take();
        let told = before.as_deref().unwrap_or(&self.output[..self.told]);
        if told.starts_with(&output) {
            // Its end is cut, and may come again.
            self.told = output.len();
            self.before = (told.len() > output.len()).then(|| told.to_vec());
        } else if output.starts_with(told) {
            self.told = told.len();
        } else {
            let known = overlap(told, &output);
            self.gap = known == 0;
            self.told = known;
        }
        self.output = output;
    }

    /// What comes behind what is known.
    pub(super) fn append(&mut self, text: Text) {
        append(&mut self.output, &text.bytes());
    }

    /// Bytes in base64 that come behind what is known, or take its place. A character may end in the next.
    pub(super) fn bytes(&mut self, data: Value, replace: bool) {
        let text = data.str().unwrap_or_default();
        let bytes = STANDARD.decode(text.as_bytes()).unwrap_or_else(|_| text.as_bytes().to_vec());
        if replace {
            self.told = if bytes.starts_with(&self.output[..self.told]) { self.told } else { 0 };
            self.output = bytes;
        } else {
            self.output.extend_from_slice(&bytes);
        }
    }

    /// What was not told yet, and whether something before it is lost.
    pub(super) fn new_output(&mut self) -> Option<(&[u8], bool)> {
        let new = &self.output[self.told..];
        let whole = complete(new);
        if whole == 0 {
            return None;
        }
        let start = self.told;
        self.told += whole;
        Some((&self.output[start..self.told], std::mem::take(&mut self.gap)))
    }

    /// What has become of it since its call was told, if anything has.
    pub(super) fn went_on(&self) -> bool {
        let Some((length, exit)) = &self.was else { return false };
        (!self.output.is_empty() && self.output.len() != *length) || self.exit != *exit
    }

    /// What it holds was told.
    pub(super) fn forget(&mut self) {
        self.was = Some((self.output.len(), self.exit.clone()));
        self.output = Vec::new();
        (self.told, self.before) = (0, None);
    }

    pub(super) fn text(&self) -> Cow<'_, str> {
        lossy(&self.output)
    }

    /// It has ended so. Gives how it had ended before, if that was another way.
    pub(super) fn exited(&mut self, exit: Exit, at_ms: Option<i64>) -> Option<Exit> {
        self.ended_ms = self.ended_ms.or(at_ms);
        match self.exit.take() {
            // What says nothing does not change what is known.
            Some(before) if !exit.is_known() => {
                self.exit = Some(before);
                None
            }
            before => {
                let before = before.filter(|before| before.is_known() && *before != exit);
                self.exit = Some(exit);
                before
            }
        }
    }

    /// Whether nothing says that the command has ended.
    pub(super) fn runs(&self) -> bool {
        self.exit.is_none() && self.not_started.is_none()
    }

    /// How long the command ran, in milliseconds.
    pub(super) fn elapsed_ms(&self) -> Option<i64> {
        Some(self.ended_ms?.saturating_sub(self.created_ms?)).filter(|ms| *ms > 0)
    }
}

/// How much of `new` was there before, where the beginning of what was there is lost: the longest end of `old` that is a
/// beginning of `new`. Nothing where that is so short that it may be chance.
fn overlap(old: &[u8], new: &[u8]) -> usize {
    // For each beginning of `new`, the longest shorter one that it ends in.
    let mut shorter: Vec<u32> = vec![0; new.len()];
    let next = |shorter: &[u32], mut length: usize, byte: u8| {
        while length > 0 && (length == new.len() || new[length] != byte) {
            length = shorter[length - 1] as usize;
        }
        length + usize::from(new.get(length) == Some(&byte))
    };
    let mut length = 0;
    for place in 1..new.len() {
        length = next(&shorter, length, new[place]);
        shorter[place] = u32::try_from(length).unwrap_or(u32::MAX);
    }
    let start = old.len().saturating_sub(new.len());
    let same = old[start..].iter().fold(0, |length, byte| next(&shorter, length, *byte));
    if same >= OVERLAP.min(new.len() / 2) { same } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::{Terminal, overlap};
    use crate::value::Text;

    #[test]
    fn a_snapshot_that_lost_its_beginning_follows_the_one_before() {
        assert_eq!(overlap(b"line one\nline two\nline three\n", b"line two\nline three\nline four\n"), 20);
        assert_eq!(overlap(b"==========\n5 passed\n", b"======\n5 passed\nbye\n"), 16);
        assert_eq!(overlap(b"............", b".........F"), 9);
        assert_eq!(overlap(b"all of this is other text than that", b"something else, as long as it is"), 0);
    }

    #[test]
    fn only_what_is_new_is_told() {
        let mut terminal = Terminal::default();
        let mut told = |text: &str, truncated| {
            terminal.snapshot(Text::plain(text.as_bytes()), truncated);
            terminal.new_output().map(|(new, gap)| (String::from_utf8_lossy(new).into_owned(), gap))
        };
        assert_eq!(told("one\n", false), Some(("one\n".to_owned(), false)));
        assert_eq!(told("one\n", false), None);
        assert_eq!(told("one\ntwo\n", false), Some(("two\n".to_owned(), false)));
        assert_eq!(told("one\n", true), None, "the end is cut");
        assert_eq!(told("", true), None);
        assert_eq!(told("one\ntwo\n", true), None, "it was told before");
        assert_eq!(told("quite another text, of which nothing was there\n", true).map(|(_, gap)| gap), Some(true));
    }
}
