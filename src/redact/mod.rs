//! Secrets in text, masked: what has a well-known shape, what stands under a name that says so, and what a user's own patterns find.
//!
//! One expression finds, in one pass, the few places where a secret could begin; what stands there is then judged by hand. Nothing
//! is looked at from more than a bounded number of such places, so that the time is linear in the text.

mod around;
mod assign;
mod mark;
mod names;
mod pem;
#[cfg(test)]
mod tests;
mod shapes;
mod shown;
mod value;
mod web;
mod whole;

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
    /// are passed over. An error names the line, and does not quote it: it may be a secret itself.
    pub fn new(more: Option<&str>) -> Result<Self, String> {
        let lines = more.unwrap_or_default().trim_start_matches('\u{feff}').lines().enumerate();
        let more = lines
            // A blank at the end would match nowhere, and nobody would see why.
            .map(|(index, line)| (index, line.trim()))
            .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
            .map(|(index, line)| Regex::new(line).map_err(|error| complaint(index + 1, &error)))
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

    /// Whether the whole `value` under this key of an object is a secret.
    #[must_use]
    pub fn is_secret(key: &str, value: &str) -> bool {
        whole::is_secret(key, value)
    }

    fn masked(&self, text: &str) -> Option<String> {
        let (mut spans, hides) = self.found(text);
        // What parts a secret may show nothing; and there may be one in what does not show.
        for shown in if hides { shown::readings(text) } else { Vec::new() } {
            spans.extend(self.found(&shown.text).0.into_iter().map(|span| shown.raw(span)));
        }
        if spans.is_empty() {
            return None;
        }
        let spans = without(&mark::marks(text), merged(spans));
        let mut masked = String::with_capacity(text.len());
        let mut done = 0;
        for span in &spans {
            masked.push_str(&text[done..span.start]);
            mark::push(span.kind, &mut masked);
            done = span.end;
        }
        masked.push_str(&text[done..]);
        (!spans.is_empty()).then_some(masked)
    }

    /// All secrets, in no order, and whether the text hides something.
    fn found(&self, text: &str) -> (Vec<Span>, bool) {
        let (mut spans, hides) = known(text);
        for pattern in &self.more {
            let found = pattern.find_iter(text).filter(|found| !found.is_empty());
            spans.extend(found.map(|found| Span { start: found.start(), end: found.end(), kind: "pattern" }));
        }
        (spans, hides)
    }
}

/// Why a line of the user's file is no pattern. Of what the crate says, which draws over several lines, the last is the reason.
fn complaint(number: usize, error: &regex::Error) -> String {
    let error = error.to_string();
    let reason = error.lines().next_back().unwrap_or_default().trim_start_matches("error: ");
    let safe = !reason.is_empty() && reason.bytes().all(|byte| byte.is_ascii_graphic() || byte == b' ');
    format!("line {number}: {}", if safe { reason } else { "no regular expression" })
}

/// What finds where a secret could begin.
struct Anchors {
    /// All places, and what is hidden: to look for both at once takes little time.
    regex: bytes::Regex,
    /// All places only, for a text of which it is known that it hides something.
    places: LazyLock<bytes::Regex>,
    /// What tells the shapes apart, made when it is first needed.
    shapes: Vec<(&'static Shape, OnceLock<bytes::Regex>)>,
}

static ANCHORS: LazyLock<Anchors> = LazyLock::new(|| Anchors {
    regex: compile(&format!("{}|{}", places(), shown::hidden())),
    places: LazyLock::new(|| compile(&places())),
    shapes: SHAPES.iter().map(|shape| (shape, OnceLock::new())).collect(),
});

/// Where a secret could begin, as a regular expression.
fn places() -> String {
    let starts: Vec<&str> = SHAPES.iter().map(|shape| shape.starts).collect();
    let cores = names::CORES;
    let suffixes = names::suffixes();
    [
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
        "sshpass[ \\t]{1,4}-p[ \\t]{0,4}".to_owned(),
        "redis-cli(?:[ \\t]{1,4}-[hpnu][ \\t]{0,4}[^\\s-]{1,64}){0,3}[ \\t]{1,4}(?:-a|--pass)[ \\t]{1,4}".to_owned(),
        format!("(?i:(?:{cores}){suffixes}(?:{GIVEN}|{PAIRED}))"),
    ]
    .join("|")
}

/// Behind a name, the sign that gives it a value.
const GIVEN: &str = "(?:\\\\{0,3}[\"'`])?\\]?\\??[ \\t]{0,16}(?:[:=>]|%3d)";

/// Behind a name that is a value itself, the next member, which is the value of what it names.
const PAIRED: &str =
    "\\\\{0,3}[\"']?(?:,|\\\\{1,3}n|\\r?\\n)(?:\\s|\\\\{1,3}[nrt]){0,24}\\\\{0,3}[\"']?value\\\\{0,3}[\"']?[ \\t]?:";

fn compile(pattern: &str) -> bytes::Regex {
    let built = bytes::RegexBuilder::new(pattern).unicode(false).dfa_size_limit(8 << 20).build();
    built.expect("the patterns of this program are valid, as every test of it shows")
}

/// The secrets that need no pattern of the user's, and whether the text hides something.
fn known(text: &str) -> (Vec<Span>, bool) {
    let anchors = &*ANCHORS;
    let bytes = text.as_bytes();
    let mut spans: Vec<Span> = Vec::new();
    let (mut at, mut hides) = (0, false);
    while let Some(found) = if hides { &anchors.places } else { &anchors.regex }.find_at(bytes, at) {
        let (start, end) = (found.start(), found.end());
        if !hides && shown::hides(&text[start..end]) {
            (at, hides) = (start, true);
            continue;
        }
        let done = spans.last().map_or(0, |span| span.end);
        let span = judge(anchors, bytes, start, end, done);
        at = match span {
            Some(span) => span.end.max(start + 1),
            // Within a word, nothing begins that is not to be found again further on.
            None if bytes[start].is_ascii_alphanumeric() && !around::begins(bytes, start) => end,
            None => start + 1,
        };
        // What is passed over may hide something too.
        hides = hides || at > end && shown::hides(&text[end..at]);
        spans.extend(span);
    }
    (spans, hides)
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
    if begins("sshpass") || begins("redis-cli") {
        return assign::spoken(text, end);
    }
    if found.ends_with(b" ") || found.ends_with(b"\t") || found.ends_with(b"%20") {
        return match () {
            () if begins("bearer") => assign::bearer(text, end),
            () if begins("set") => assign::set(text, end),
            () => assign::spoken(text, end),
        };
    }
    if matches!(found, [.., b':' | b'=' | b'>'] | [.., b'%', b'3', b'D' | b'd']) {
        let span = assign::pair(text, start, end).or_else(|| assign::assignment(text, start))?;
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
