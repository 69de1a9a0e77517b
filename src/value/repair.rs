//! The slow path: the objects in a line that is not just one. A prefix or an escape sequence before the `{`, several objects on
//! one line, an event glued behind one that was cut, an object that goes on in the next line.

use super::grammar::{Grammar, Verdict};
use super::{Value, scan};
use memchr::{memchr, memmem};
use std::io;

/// An object that goes on in later lines is followed for this many bytes. What is longer was cut, and other text follows it.
const JOIN_LIMIT: usize = 16 << 20;

/// So many damaged pieces of one line are held against the walker, which may have to look at all the rest of the line for
/// each; then the grammar alone decides, and the time stays linear.
const WALKS: usize = 64;

/// What a line turned out to hold.
pub enum Found<'a> {
    /// An object that stands at the top of its line: what an event can be.
    Object {
        object: Value<'a>,
        /// What stands before it on its line.
        before: &'a [u8],
        /// The number of the line that it begins in.
        line: u64,
    },
    /// Text that is no JSON object, and the number of the line that it stands in.
    Unreadable(&'a [u8], u64),
}

type Tell<'t> = dyn FnMut(Found<'_>) -> io::Result<()> + 't;

/// Reads lines that may be damaged.
#[derive(Default)]
pub struct Repair {
    cut: Option<Cut>,
}

/// An object that was open when its line ended.
struct Cut {
    text: Vec<u8>,
    grammar: Grammar,
    /// The number of the line that it began in.
    line: u64,
    /// How long that line was.
    first: usize,
}

impl Repair {
    /// Whether an object waits for its next line, so that even a whole line must pass through here.
    #[must_use]
    pub fn waits(&self) -> bool {
        self.cut.is_some()
    }

    /// Tells what a line holds. Text that opens an object and does not close it is told when it is known what it is.
    ///
    /// # Errors
    /// Those of `tell`.
    pub fn line(&mut self, line: &[u8], number: u64, tell: &mut Tell) -> io::Result<()> {
        if let Some(mut cut) = self.cut.take() {
            match cut.join(line) {
                Verdict::Whole(end) => {
                    let whole = cut.text.len() - line.len() + end;
                    match Value::line(&cut.text[..whole]) {
                        Some(object) => tell(Found::Object { object, before: b"", line: cut.line })?,
                        None => tell(Found::Unreadable(&cut.text[..whole], cut.line))?,
                    }
                    return self.objects(&line[end..], number, tell);
                }
                Verdict::More if cut.text.len() - cut.first < JOIN_LIMIT && !begins_event(line) => {
                    self.cut = Some(cut);
                    return Ok(());
                }
                Verdict::More | Verdict::Broken(_) => {
                    cut.text.truncate(cut.text.len() - line.len() - 1);
                    cut.give_up(false, tell)?;
                }
            }
        }
        self.objects(line, number, tell)
    }

    /// The input is over: what still waits was cut. If the input ended `open`, within a line, that is why.
    ///
    /// # Errors
    /// Those of `tell`.
    pub fn end(&mut self, open: bool, tell: &mut Tell) -> io::Result<()> {
        self.cut.take().map_or(Ok(()), |cut| cut.give_up(open, tell))
    }

    fn objects(&mut self, line: &[u8], number: u64, tell: &mut Tell) -> io::Result<()> {
        let mut rest = line;
        let mut damaged = 0;
        while let Some(open) = opening(rest) {
            let (piece, taken) = match piece_at(&rest[open..], damaged < WALKS) {
                Piece::Object(object, end) => {
                    (Found::Object { object, before: &rest[..open], line: number }, open + end)
                }
                Piece::Damaged(end) => {
                    damaged += 1;
                    (Found::Unreadable(&rest[..open + end], number), open + end)
                }
                Piece::Open(grammar) => {
                    let text = rest[open..].to_vec();
                    self.cut = Some(Cut { first: text.len(), text, grammar, line: number });
                    return Ok(());
                }
            };
            let between = &rest[..open];
            // Text in front of the line's first object is a prefix; behind that it is text of its own.
            if rest.len() < line.len() && matches!(piece, Found::Object { .. }) && !is_decoration(between) {
                tell(Found::Unreadable(between, number))?;
            }
            tell(piece)?;
            rest = &rest[taken..];
        }
        if is_decoration(rest) { Ok(()) } else { tell(Found::Unreadable(rest, number)) }
    }
}

impl Cut {
    fn join(&mut self, line: &[u8]) -> Verdict {
        self.text.push(b'\n');
        self.text.extend_from_slice(line);
        match self.grammar.feed(b"\n") {
            Verdict::More => self.grammar.feed(line),
            other => other,
        }
    }

    /// Tells the lines as what they are by themselves: one that was cut, and text that happened to follow it.
    fn give_up(self, open: bool, tell: &mut Tell) -> io::Result<()> {
        let (first, later) = self.text.split_at(self.first);
        // Cut where a value may stand, an event that is glued behind is a value of what was cut, and ends with the line. An input
        // that ends within a line was cut there, and what ends there too is a value.
        let alone = open && later.is_empty();
        let whole = |(_, end): &(usize, usize)| !alone && scan::blanks_end(first, *end) == first.len();
        match event_within(first, 1).find(whole) {
            Some((open, end)) => {
                tell(Found::Unreadable(&first[..open], self.line))?;
                let object = Value::again(&first[open..end]);
                tell(Found::Object { object, before: b"", line: self.line })?;
            }
            None => tell(Found::Unreadable(first, self.line))?,
        }
        for (line, number) in later.split(|byte| *byte == b'\n').skip(1).zip(self.line + 1..) {
            if !is_decoration(line) {
                tell(Found::Unreadable(line, number))?;
            }
        }
        Ok(())
    }
}

/// What stands at a `{`.
enum Piece<'a> {
    Object(Value<'a>, usize),
    /// No JSON, up to this place.
    Damaged(usize),
    /// An object that the end of the line leaves open.
    Open(Grammar),
}

fn piece_at(text: &[u8], walk: bool) -> Piece<'_> {
    if let Some((object, end)) = walk.then(|| Value::object(text, 0)).flatten() {
        return Piece::Object(object, end);
    }
    let mut grammar = Grammar::new();
    match grammar.feed(text) {
        Verdict::More => Piece::Open(grammar),
        Verdict::Whole(end) => Piece::Object(Value::again(&text[..end]), end),
        Verdict::Broken(at) => {
            let end = glued(text, at).or_else(|| scan::value_end(text, 0));
            // Behind an event that stands by itself the line ends, or another follows; behind an argument, what it is in goes on.
            let alone = |end: usize| matches!(text.get(scan::blanks_end(text, end)), None | Some(b'{'));
            let later = || event_within(text, at).find(|(_, end)| alone(*end)).map(|(open, _)| open);
            Piece::Damaged(end.or_else(later).unwrap_or(text.len()))
        }
    }
}

/// Where an object begins that was glued behind one that was cut, if that is why the text breaks at `at`. Cut outside a string,
/// the text breaks at the `{`; cut inside one, the next quote, which belongs to the glued object's first key, ends the string.
fn glued(text: &[u8], at: usize) -> Option<usize> {
    let open = if text.get(at) == Some(&b'{') {
        at
    } else {
        let quote = text[..at].iter().rposition(|byte| !byte.is_ascii_whitespace())?;
        let open = text[..quote].iter().rposition(|byte| !byte.is_ascii_whitespace())?;
        (text[quote] == b'"' && text[open] == b'{').then_some(open)?
    };
    (open > 0 && begins_object(&text[open..])).then_some(open)
}

/// Objects in damaged text that look like events of their own, from `from` on: where they begin and end. They say their type and
/// their session, or which protocol they speak, which the parts of an event do not.
fn event_within(text: &[u8], from: usize) -> impl Iterator<Item = (usize, usize)> {
    let from = from.min(text.len());
    let begins = |start: &'static [u8]| memmem::find_iter(&text[from..], start).take(WALKS);
    let mut opens: Vec<usize> = begins(b"{\"type\"").chain(begins(b"{\"jsonrpc\"")).collect();
    opens.sort_unstable();
    opens.into_iter().filter_map(move |open| {
        let (object, end) = Value::object(text, from + open)?;
        let [kind, session, version, method, id] = object.pick(["type", "session_id", "jsonrpc", "method", "id"]);
        let event = (kind.is_some() && session.is_some()) || (version.is_some() && (method.is_some() || id.is_some()));
        event.then_some((from + open, end))
    })
}

/// The first `{` in `text` that opens an object; one in other text is passed over.
fn opening(text: &[u8]) -> Option<usize> {
    // A whole array or string is a value, and what is in it no event.
    let start = scan::blanks_end(text, 0);
    let nested = matches!(text.get(start), Some(b'[' | b'"'));
    if nested && serde_json::from_slice::<serde::de::IgnoredAny>(text).is_ok() {
        return None;
    }
    let mut at = 0;
    loop {
        at += memchr(b'{', &text[at..])?;
        // A line of nothing but the brace begins an object that was laid out over several lines.
        if begins_object(&text[at..]) || (at == start && text[at + 1..].trim_ascii().is_empty()) {
            return Some(at);
        }
        at += 1;
    }
}

/// Whether `text`, which begins with `{`, goes on like an object.
fn begins_object(text: &[u8]) -> bool {
    matches!(text.get(scan::blanks_end(text, 1)), Some(b'"' | b'}'))
}

/// Whether a line is an event of its own, though it could also be a value in the object that waits: such values are indented.
fn begins_event(line: &[u8]) -> bool {
    line.first() == Some(&b'{') && Value::object(line, 0).is_some_and(|(object, _)| object.get("type").is_some())
}

/// Whether `text` says nothing: blanks, NULs, byte order marks, commas between objects, escape sequences of a terminal.
fn is_decoration(mut text: &[u8]) -> bool {
    while let Some(first) = text.first() {
        let length = match first {
            b' ' | b'\t' | b'\r' | b'\n' | b'\0' | b',' => 1,
            0xEF if text.starts_with("\u{feff}".as_bytes()) => 3,
            0x1B => escape_length(text),
            _ => return false,
        };
        text = &text[length..];
    }
    true
}

/// The length of the terminal's escape sequence that `text` begins with.
fn escape_length(text: &[u8]) -> usize {
    let body = &text[text.len().min(2)..];
    let end = match text.get(1) {
        Some(b'[') => body.iter().position(|byte| (0x40..=0x7E).contains(byte)),
        Some(b']') => {
            body.iter().position(|byte| *byte == 0x07).or_else(|| memmem::find(body, b"\x1b\\").map(|at| at + 1))
        }
        _ => return text.len().min(2),
    };
    end.map_or(text.len(), |end| end + 3)
}
