//! What of a text shows: without escape sequences, control characters, and those that have no width. A page drops them, and what a
//! secret was parted into comes together again.

use super::Span;
use std::ops::RangeInclusive;

/// The parts of a text that show, joined.
pub(super) struct Shown {
    pub(super) text: String,
    /// Where each part begins: in this text, and in the raw one.
    parts: Vec<(usize, usize)>,
}

/// Who reads a text. They do not agree on what an escape sequence is, and so both are heard.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reader {
    /// It knows the sequences of colours, titles and links.
    Page,
    /// It knows all of them, and goes back to write over what it showed.
    Terminal,
}

/// Up to this many bytes, a string for the terminal is taken for one. A page has the same bound.
const SEQUENCE: usize = 4096;

/// The characters that show nothing: controls, and all that Unicode says may be ignored. A page that lays text out may use the first
/// two of the private ones for itself.
const HIDDEN: &[(char, char)] = &[
    ('\0', '\u{8}'),
    ('\u{b}', '\u{c}'),
    ('\u{e}', '\u{1f}'),
    ('\u{7f}', '\u{9f}'),
    ('\u{ad}', '\u{ad}'),
    ('\u{34f}', '\u{34f}'),
    ('\u{61c}', '\u{61c}'),
    ('\u{115f}', '\u{1160}'),
    ('\u{17b4}', '\u{17b5}'),
    ('\u{180b}', '\u{180f}'),
    ('\u{200b}', '\u{200f}'),
    ('\u{202a}', '\u{202e}'),
    ('\u{2060}', '\u{206f}'),
    ('\u{3164}', '\u{3164}'),
    ('\u{e000}', '\u{e001}'),
    ('\u{fe00}', '\u{fe0f}'),
    ('\u{feff}', '\u{feff}'),
    ('\u{ffa0}', '\u{ffa0}'),
    ('\u{fff0}', '\u{fffb}'),
    ('\u{1bca0}', '\u{1bca3}'),
    ('\u{1d173}', '\u{1d17a}'),
    ('\u{e0000}', '\u{e0fff}'),
];

/// The same as a regular expression.
pub(super) fn hidden() -> String {
    let range = |(from, to): &(char, char)| format!("\\x{{{:x}}}-\\x{{{:x}}}", u32::from(*from), u32::from(*to));
    format!("(?u:[{}])", HIDDEN.iter().map(range).collect::<String>())
}

fn is_hidden(char: char) -> bool {
    !matches!(char, ' '..='~' | '\n' | '\t' | '\r') && HIDDEN.iter().any(|(from, to)| (*from..=*to).contains(&char))
}

/// Whether something in `text` is hidden.
pub(super) fn hides(text: &str) -> bool {
    plain_length(text) < text.len()
}

/// How many bytes at the beginning of `text` show.
fn plain_length(text: &str) -> usize {
    text.find(is_hidden).unwrap_or(text.len())
}

/// What of `text` each reader shows, where something is hidden.
pub(super) fn readings(text: &str) -> Vec<Shown> {
    let (page, agreed) = Shown::new(text, Reader::Page);
    if agreed { vec![page] } else { vec![page, Shown::new(text, Reader::Terminal).0] }
}

impl Shown {
    /// What shows of `raw`, and whether every reader would say so.
    fn new(raw: &str, reader: Reader) -> (Self, bool) {
        let mut shown = Self { text: String::with_capacity(raw.len()), parts: Vec::new() };
        let (mut at, mut agreed) = (0, true);
        loop {
            let end = at + plain_length(&raw[at..]);
            if end > at {
                shown.push(at, &raw[at..end]);
            }
            let rest = &raw.as_bytes()[end..];
            let Some(char) = raw[end..].chars().next() else { return (shown, agreed) };
            let sequence = sequence(rest, reader);
            agreed &= !matches!((char, sequence), ('\u{8}' | '\u{80}'..='\u{9f}', _) | ('\u{1b}', None));
            if reader == Reader::Terminal && char == '\u{8}' && !shown.text.ends_with(['\n', '\r']) {
                shown.text.pop();
            }
            at = end + sequence.unwrap_or(char.len_utf8());
        }
    }

    fn push(&mut self, raw: usize, part: &str) {
        let start = self.text.len();
        // Of some, nothing is left.
        while self.parts.pop_if(|last| last.0 >= start).is_some() {}
        self.parts.push((start, raw));
        self.text.push_str(part);
    }

    /// The same span in the raw text, with all that is hidden in it.
    pub(super) fn raw(&self, span: Span) -> Span {
        let place = |at: usize| {
            let part = self.parts.partition_point(|part| part.0 <= at).saturating_sub(1);
            self.parts.get(part).map_or(at, |part| part.1 + at - part.0)
        };
        Span { start: place(span.start), end: place(span.end - 1) + 1, ..span }
    }
}

/// The length of the escape sequence that `text` begins with, if it is one that has an end.
fn sequence(text: &[u8], reader: Reader) -> Option<usize> {
    let terminal = reader == Reader::Terminal;
    let kind = match text {
        [0x1B, kind, ..] => *kind,
        // The same in one character.
        [0xC2, kind, ..] if terminal && b"\x90\x98\x9B\x9D\x9E\x9F".contains(kind) => kind - 0x40,
        _ => return None,
    };
    let body = &text[2..text.len().min(2 + SEQUENCE)];
    let length = match kind {
        b'[' => final_length(body, 0x20..=0x3F, 0x40..=0x7E),
        b']' => string_length(body, terminal),
        b'P' | b'X' | b'^' | b'_' if terminal => string_length(body, terminal),
        b' '..=b'/' if terminal => final_length(body, 0x20..=0x2F, 0x30..=0x7E),
        b'0'..=b'~' if terminal => Some(0),
        _ => None,
    };
    length.map(|length| length + 2)
}

/// The length of some bytes of `middle` and one of `last`.
fn final_length(body: &[u8], middle: RangeInclusive<u8>, last: RangeInclusive<u8>) -> Option<usize> {
    let end = body.iter().position(|byte| !middle.contains(byte))?;
    last.contains(&body[end]).then_some(end + 1)
}

/// The length of a string for the terminal, with what ends it.
fn string_length(body: &[u8], terminal: bool) -> Option<usize> {
    // Where another begins, this one has no end, or many of them would each be looked at for long.
    let ends =
        |at: &usize| matches!(body[*at..], [0x07 | 0x1B, ..]) || terminal && matches!(body[*at..], [0xC2, ..=0x9F, ..]);
    let end = (0..body.len()).find(ends)?;
    match body[end..] {
        [0x07, ..] => Some(end + 1),
        [0x1B, b'\\', ..] | [0xC2, 0x9C, ..] => Some(end + 2),
        _ => None,
    }
}
