//! Secrets in text, masked: what has a well-known shape, what stands under a name that says so, and what a user's own patterns find.
//!
//! One expression finds, in one pass, the few places where a secret could begin; what stands there is then judged by hand. Nothing
//! is looked at from more than a bounded number of such places, so that the time is linear in the text.

mod around;
mod assign;
mod names;
mod pem;
#[cfg(test)]
mod tests;
mod shapes;
mod value;
mod web;

use regex::Regex;
use regex::bytes;
use shapes::{SHAPES, Shape};
use std::borrow::Cow;
use std::sync::{LazyLock, OnceLock};

/// What is masked.
#[derive(Debug)]
pub struct Redact {
    /// Patterns of the user's own.
    more: Vec<Regex>,
}

/// A part of a text that is masked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Span {
    start: usize,
    end: usize,
    kind: &'static str,
}

/// How often text is looked through again, since what a mask parts may be a secret of its own.
const ROUNDS: usize = 4;

impl Redact {
    /// Well-known shapes, and those of `more`, a text with one regular expression a line. Blank lines and lines that begin with `#`
    /// are passed over. An error names the line.
    pub fn new(more: Option<&str>) -> Result<Self, String> {
        let lines = more.unwrap_or_default().trim_start_matches('\u{feff}').lines().enumerate();
        let more = lines
            .filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'))
            .map(|(index, line)| Regex::new(line).map_err(|error| complaint(index + 1, line, &error)))
            .collect::<Result<_, _>>()?;
        Ok(Self { more })
    }

    /// `text` with every secret in it replaced by `[redacted:kind]`.
    #[must_use]
    pub fn mask<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut text = Cow::Borrowed(text);
        for _ in 0..ROUNDS {
            let Some(masked) = self.masked(&text) else { break };
            text = Cow::Owned(masked);
        }
        text
    }

    /// Whether a key of an object, or a variable, names a secret, so that its whole value is one.
    #[must_use]
    pub fn names_secret(key: &str) -> bool {
        names::names_secret(key)
    }

    fn masked(&self, text: &str) -> Option<String> {
        let mut spans = known(text.as_bytes());
        for pattern in &self.more {
            let found = pattern.find_iter(text).filter(|found| !found.is_empty());
            spans.extend(found.map(|found| Span { start: found.start(), end: found.end(), kind: "pattern" }));
        }
        if spans.is_empty() {
            return None;
        }
        let spans = without(&marks(text), merged(spans));
        let mut masked = String::with_capacity(text.len());
        let mut done = 0;
        for span in &spans {
            masked.push_str(&text[done..span.start]);
            masked.push_str("[redacted:");
            masked.push_str(span.kind);
            masked.push(']');
            done = span.end;
        }
        masked.push_str(&text[done..]);
        (!spans.is_empty()).then_some(masked)
    }
}

/// Why a line of the user's file is no pattern. Of what the crate says, which draws over several lines, the last is the reason.
fn complaint(number: usize, line: &str, error: &regex::Error) -> String {
    let error = error.to_string();
    let reason = error.lines().next_back().unwrap_or_default();
    format!("line {number}: `{line}`: {}", reason.trim_start_matches("error: "))
}

/// What finds where a secret could begin.
struct Anchors {
    /// All places.
    regex: bytes::Regex,
    /// What tells the shapes apart, made when it is first needed.
    shapes: Vec<(&'static Shape, OnceLock<bytes::Regex>)>,
}

static ANCHORS: LazyLock<Anchors> = LazyLock::new(|| {
    let starts: Vec<&str> = SHAPES.iter().map(|shape| shape.starts).collect();
    let cores = names::CORES;
    let suffixes = names::suffixes();
    let pattern = [
        starts.join("|"),
        "-----(?:BEGIN|END) ".to_owned(),
        "://[^\\s/:@?#\"'`<>]{0,64}:".to_owned(),
        "(?i:[?&;]|u0026)(?i:key|sig|signature|x-amz-signature|x-goog-signature)=".to_owned(),
        "[ \\t](?:-u|--user)[ \\t=]{0,4}\\\\?[\"']?[^\\s:'\"]{1,64}:".to_owned(),
        format!("-(?i:{cores})(?:[ \\t]{{1,4}}|\\\\?[\"'],[ \\t]?)"),
        "(?i:set)(?i:env[ \\t]+|(?:[ \\t]{1,4}-{1,2}[a-z]{1,10}){1,3}[ \\t]{1,4})".to_owned(),
        "(?i:password|identified by)[ \\t]{1,4}'".to_owned(),
        "(?i:login)[ \\t]{1,4}\\S{1,64}\\s{1,8}(?i:password)[ \\t]{1,4}".to_owned(),
        "(?i:bearer)(?:[ \\t]{1,4}|%20)".to_owned(),
        format!("(?i:(?:{cores}){suffixes}(?:\\\\{{0,3}}[\"'`])?\\]?\\??[ \\t]{{0,16}}(?:[:=>]|%3d))"),
    ]
    .join("|");
    Anchors { regex: compile(&pattern), shapes: SHAPES.iter().map(|shape| (shape, OnceLock::new())).collect() }
});

fn compile(pattern: &str) -> bytes::Regex {
    let built = bytes::RegexBuilder::new(pattern).unicode(false).dfa_size_limit(8 << 20).build();
    built.expect("the patterns of this program are valid, as every test of it shows")
}

/// The secrets that need no pattern of the user's.
fn known(text: &[u8]) -> Vec<Span> {
    let anchors = &*ANCHORS;
    let mut spans: Vec<Span> = Vec::new();
    let mut at = 0;
    while let Some(found) = anchors.regex.find_at(text, at) {
        let (start, end) = (found.start(), found.end());
        let done = spans.last().map_or(0, |span| span.end);
        let span = judge(anchors, text, start, end, done);
        at = match span {
            Some(span) => span.end.max(start + 1),
            // Within a word, nothing begins that is not to be found again further on.
            None if text[start].is_ascii_alphanumeric() && !around::begins(text, start) => end,
            None => start + 1,
        };
        spans.extend(span);
    }
    spans
}

/// What begins where an anchor was found.
fn judge(anchors: &Anchors, text: &[u8], start: usize, end: usize, done: usize) -> Option<Span> {
    let found = &text[start..end];
    match found {
        [b'-', b'-', ..] => return pem::block(text, start, done),
        [b':', b'/', ..] => return web::password(text, end),
        [b'?' | b'&' | b';' | b'u', .., b'='] => return web::query(text, end),
        [b' ' | b'\t', ..] => return web::user(text, start, end),
        [b'-', ..] => return assign::option(text, start + 1),
        [.., b'\''] => return assign::spoken(text, end - 1),
        _ => {}
    }
    let begins = |word: &str| found.get(..word.len()).is_some_and(|head| head.eq_ignore_ascii_case(word.as_bytes()));
    if found.ends_with(b" ") || found.ends_with(b"\t") || found.ends_with(b"%20") {
        return match () {
            () if begins("bearer") => assign::bearer(text, end),
            () if begins("set") => assign::set(text, end),
            () => assign::spoken(text, end),
        };
    }
    if matches!(found, [.., b':' | b'=' | b'>'] | [.., b'%', b'3', b'D' | b'd']) {
        let span = assign::assignment(text, start)?;
        // What is known by its shape has the better name.
        let token = anchors.regex.find_at(text, span.start).filter(|found| found.start() == span.start);
        let token = token.and_then(|found| anchors.token(text, found.start(), found.end()));
        return token.filter(|token| token.end >= span.end).or(Some(span));
    }
    anchors.token(text, start, end)
}

impl Anchors {
    /// The token that begins at `start`, if what was found up to `end` is how one does.
    fn token(&self, text: &[u8], start: usize, end: usize) -> Option<Span> {
        let found = &text[start..end];
        let shape = self.shapes.iter().find(|(shape, regex)| {
            shape.first() == found[0]
                && regex.get_or_init(|| compile(&format!("\\A(?:{})\\z", shape.starts))).is_match(found)
        });
        shape.and_then(|(shape, _)| shapes::token(text, start, end, shape))
    }
}

/// Spans in order, with one for all that overlap, which has the kind of the longest.
fn merged(mut spans: Vec<Span>) -> Vec<Span> {
    spans.sort_by_key(|span| span.start);
    let mut merged: Vec<(Span, usize)> = Vec::with_capacity(spans.len());
    for span in spans {
        let length = span.end - span.start;
        match merged.last_mut() {
            Some((last, longest)) if span.start < last.end => {
                last.end = last.end.max(span.end);
                if length > *longest {
                    (last.kind, *longest) = (span.kind, length);
                }
            }
            _ => merged.push((span, length)),
        }
    }
    merged.into_iter().map(|(span, _)| span).collect()
}

/// Where an earlier masking left its marks. They are no secrets, whoever wrote them.
fn marks(text: &str) -> Vec<Span> {
    static MARKS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new("\\[redacted:[a-z]{1,12}(?:-[a-z]{1,12})?\\]")
            .expect("the pattern is valid, as every test of it shows")
    });
    let span = |found: regex::Match| Span { start: found.start(), end: found.end(), kind: "" };
    MARKS.find_iter(text).map(span).collect()
}

/// What is left of `spans` beside `marks`.
fn without(marks: &[Span], spans: Vec<Span>) -> Vec<Span> {
    let mut left = Vec::with_capacity(spans.len());
    let mut marks = marks.iter().peekable();
    for mut span in spans {
        while marks.next_if(|mark| mark.end <= span.start).is_some() {}
        while let Some(mark) = marks.peek().filter(|mark| mark.start < span.end) {
            if mark.start > span.start {
                left.push(Span { end: mark.start, ..span });
            }
            span.start = mark.end;
            if mark.end >= span.end {
                break;
            }
            marks.next();
        }
        if span.start < span.end {
            left.push(span);
        }
    }
    left
}
