//! What programs put around a message when they save it: keys beside it, text in front of it, a header above it.

use crate::value::{Value, Want};
use std::borrow::Cow;
use std::time::UNIX_EPOCH;

/// A JSON-RPC message.
#[derive(Clone, Copy, Default)]
pub(super) struct Message<'a> {
    pub(super) id: Option<Value<'a>>,
    pub(super) method: Option<Value<'a>>,
    pub(super) params: Option<Value<'a>>,
    /// `null` is a result too.
    pub(super) result: Option<Value<'a>>,
    pub(super) error: Option<Value<'a>>,
    /// It says that it is a message of JSON-RPC, or what stands around it does.
    pub(super) version: bool,
}

/// What stands around it.
#[derive(Clone, Default)]
pub(super) struct Around<'a> {
    /// What marks the messages of one side: an arrow, a word. Which side, its requests tell.
    pub(super) label: Option<Cow<'a, str>>,
    /// When, in milliseconds: since 1970, or since the recording began.
    pub(super) at_ms: Option<i64>,
    /// Between whom it was seen, where a message is seen in several places.
    pub(super) hop: Option<Cow<'a, str>>,
}

/// What an object turns out to be.
pub(super) enum Layer<'a> {
    /// A message.
    Message(Message<'a>),
    /// One of these may be a message, or hold one.
    Inside(Vec<Value<'a>>, Message<'a>),
    /// A line of a recording that is known, and says nothing.
    Known,
    /// Nothing that is known.
    Unknown,
}

/// The keys under which a message is kept, as an object or as a string.
const INSIDE: [&[u8]; 7] = [b"frame", b"message", b"msg", b"payload", b"raw", b"line", b"json"];

/// The keys of an object that mean something.
#[derive(Default)]
struct Keys<'a> {
    message: Message<'a>,
    kind: Option<Cow<'a, str>>,
    protocol: Option<Cow<'a, str>>,
    schema: Option<Cow<'a, str>>,
    payload: Option<Value<'a>>,
    is_error: Option<bool>,
    from: Option<Cow<'a, str>>,
    to: Option<Cow<'a, str>>,
    /// `_type`, which only one recording has.
    marked: Option<Cow<'a, str>>,
    inside: Vec<(usize, Value<'a>)>,
}

/// Looks at one layer of an object, and adds what stands there to what is known to stand around.
pub(super) fn layer<'a>(object: Value<'a>, around: &mut Around<'a>) -> Layer<'a> {
    let mut keys = Keys::default();
    for (key, value) in object.fields() {
        let key = key.as_ref();
        match key {
            b"jsonrpc" => keys.message.version = true,
            b"id" => keys.message.id = Some(value),
            b"method" => keys.message.method = Some(value).filter(|method| method.text().is_some()),
            b"params" => keys.message.params = Some(value),
            b"result" => keys.message.result = Some(value),
            b"error" => keys.message.error = Some(value).filter(|error| !error.is_null()),
            b"type" => keys.kind = value.str(),
            b"protocol" => keys.protocol = value.str(),
            b"schema" => keys.schema = value.str(),
            b"is_error" => keys.is_error = value.bool(),
            b"from" => keys.from = value.str(),
            b"to" => keys.to = value.str(),
            b"_type" => keys.marked = value.str(),
            b"direction" | b"dir" | b"_direction" => around.label = value.str(),
            b"ts" | b"timestamp" | b"time" => around.at_ms = time(value),
            _ => {}
        }
        if key == b"payload" {
            keys.payload = Some(value);
        }
        if let Some(place) = INSIDE.iter().position(|inside| *inside == key)
            && (value.is_object() || value.is_array() || value.text().is_some())
        {
            keys.inside.push((place, value));
        }
    }
    keys.layer(around)
}

impl<'a> Keys<'a> {
    fn layer(mut self, around: &mut Around<'a>) -> Layer<'a> {
        if self.schema.as_ref().is_some_and(|schema| schema.starts_with("acpx.")) {
            return Layer::Known;
        }
        let traced = matches!(self.kind.as_deref(), Some("request" | "response" | "notification"));
        if traced && !self.message.version && (self.from.is_some() || self.to.is_some()) {
            return self.traced(around);
        }
        if self.marked.is_some() && around.label.is_some() && !self.message.version {
            return self.copied();
        }
        if self.message.version {
            return Layer::Message(self.message);
        }
        self.inside.sort_by_key(|(place, _)| *place);
        let inside: Vec<Value> = self.inside.into_iter().map(|(_, value)| value).collect();
        match (inside.is_empty(), self.message.is_one()) {
            (true, true) => Layer::Message(self.message),
            (true, false) => Layer::Unknown,
            (false, _) => Layer::Inside(inside, self.message),
        }
    }

    /// A trace of the official conductor: `payload` is what was answered, or what a notification says.
    fn traced(self, around: &mut Around<'a>) -> Layer<'a> {
        if self.protocol.is_some_and(|protocol| protocol != "acp") {
            return Layer::Known;
        }
        let (from, to) = (self.from.unwrap_or_default(), self.to.unwrap_or_default());
        let hop = if from <= to { format!("{from} {to}") } else { format!("{to} {from}") };
        around.label = Some(format!("{from} → {to}").into());
        around.hop = Some(hop.into());
        let Message { id, method, params, .. } = self.message;
        let version = true;
        let answers = self.kind.as_deref() == Some("response");
        Layer::Message(if answers && self.is_error == Some(true) {
            Message { id, error: self.payload, version, ..Message::default() }
        } else if answers {
            Message { id, result: self.payload, version, ..Message::default() }
        } else {
            Message { id, method, params: params.or(self.payload), version, ..Message::default() }
        })
    }

    /// What an editor copies from its list of messages: an answer has the method of its request, and stands under `params`.
    fn copied(self) -> Layer<'a> {
        let message = Message { version: true, ..self.message };
        if self.marked.as_deref() != Some("response") {
            return Layer::Message(message);
        }
        let Message { id, params, .. } = message;
        let failed = params.is_some_and(|params| {
            let [code, text] = params.pick(["code", "message"]);
            code.and_then(Value::integer).is_some() && text.is_some_and(|text| text.text().is_some())
        });
        let (result, error) = if failed { (None, params) } else { (params, None) };
        Layer::Message(Message {
            id,
            result: message.result.or(result),
            error: message.error.or(error),
            version: true,
            ..Message::default()
        })
    }
}

impl Message<'_> {
    /// Whether this is a message. Where it does not say so, other programs have keys of these names too.
    pub(super) fn is_one(&self) -> bool {
        if self.version {
            return self.method.is_some() || self.id.is_some();
        }
        if let Some(method) = self.method.and_then(Value::text) {
            let named = method.bytes().contains(&b'/') || method.is(b"initialize") || method.is(b"authenticate");
            return named && self.params.is_some_and(Value::is_object);
        }
        let answers = |value: Value| value.is_object() || value.is_null();
        let id = self.id.is_some_and(|id| !id.is_null());
        id && (self.result.is_some_and(answers) || self.error.is_some_and(Value::is_object))
    }
}

/// A time as recordings write it: a number of milliseconds or seconds, or a date.
fn time(value: Value) -> Option<i64> {
    if let Some(text) = value.str() {
        return date(&text);
    }
    let number: f64 = std::str::from_utf8(value.json()).ok()?.parse().ok()?;
    // Seconds have a fraction, or are too few for milliseconds since 1970.
    let seconds = value.json().contains(&b'.') || (1e8..1e11).contains(&number);
    let ms = if seconds { number * 1000.0 } else { number };
    #[expect(clippy::cast_possible_truncation, reason = "a float becomes the nearest integer that there is")]
    ms.is_finite().then_some(ms as i64)
}

fn date(text: &str) -> Option<i64> {
    let text = text.strip_suffix("+00:00").unwrap_or(text);
    let date = humantime::parse_rfc3339_weak(text.trim_end_matches('Z')).ok()?;
    i64::try_from(date.duration_since(UNIX_EPOCH).ok()?.as_millis()).ok()
}

/// What text in front of a message says: `C → +4ms`, `[2026-11-30T05:25:01.116Z] >>> CLIENT → AGENT`, `CLIENT`.
pub(super) fn prefix<'a>(text: &[u8]) -> Around<'a> {
    let text = String::from_utf8_lossy(text);
    let mut around = Around::default();
    let words: Vec<&str> = text.split_whitespace().collect();
    let label: Vec<&str> =
        words.iter().copied().filter(|word| !word.bytes().any(|byte| byte.is_ascii_digit())).collect();
    around.at_ms = words.iter().find_map(|word| {
        let elapsed = word.strip_prefix('+').and_then(|word| word.strip_suffix("ms"));
        elapsed.and_then(|ms| ms.parse().ok()).or_else(|| date(word.trim_matches(['[', ']'])))
    });
    if let [hop, arrow, elapsed] = words[..]
        && is_conductors(arrow, elapsed)
    {
        around.label = Some(arrow.to_owned().into());
        around.hop = Some(hop.to_owned().into());
    } else if !label.is_empty() {
        around.label = Some(label.join(" ").into());
    }
    around
}

fn is_conductors(arrow: &str, elapsed: &str) -> bool {
    matches!(arrow, "→" | "←" | "!") && elapsed.starts_with('+') && elapsed.ends_with("ms")
}

/// A line that is no message, but belongs to a recording of messages.
pub(super) enum Line<'a> {
    /// It stands above a message.
    Header(Around<'a>),
    /// It says nothing about messages.
    Known,
    /// Behind it, a recording says what it is, up to where that ends.
    Begins,
    Ends,
}

/// How much is needed of the value at a path of a long line. Of a message all is, since what it says is known behind it.
pub(in super::super) fn want(path: &[Vec<u8>]) -> Want {
    const MESSAGE: [&[u8]; 6] = [b"jsonrpc", b"id", b"method", b"params", b"result", b"error"];
    let mut keys = path.iter().map(Vec::as_slice);
    match (keys.next(), keys.next()) {
        // Other dialects have messages too.
        (Some(b"message"), None) => Want::Each,
        (Some(b"message"), Some(key)) if MESSAGE.contains(&key) => Want::All,
        (Some(b"message"), Some(_)) => Want::Kind,
        (Some(key), _) if MESSAGE.contains(&key) || INSIDE.contains(&key) => Want::All,
        _ => Want::Kind,
    }
}

/// Whether text within a line begins a message.
pub(in super::super) fn begins_message(text: &[u8]) -> bool {
    text.starts_with(b"{\"jsonrpc\"")
}

/// Whether a line of text belongs to a recording.
pub(super) fn line<'a>(text: &[u8]) -> Option<Line<'a>> {
    let text = std::str::from_utf8(text).ok()?.trim();
    if text == "=== Conductor Debug Log ===" {
        return Some(Line::Begins);
    }
    if text.len() > 8 && text.bytes().all(|byte| byte == b'=') {
        return Some(Line::Ends);
    }
    let mut words = text.split_whitespace();
    let (first, second, third) = (words.next()?, words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let kinds = ["[REQUEST]", "[RESPONSE]", "[NOTIFICATION]", "[ERROR]"];
    if first.starts_with('[')
        && matches!(second, ">>>" | "<<<")
        && let Some(end) = kinds.iter().find_map(|kind| text.find(kind))
        && !text.contains('{')
    {
        return Some(Line::Header(prefix(&text.as_bytes()[..end])));
    }
    if second == "!" && is_conductors(second, third) {
        return Some(Line::Known);
    }
    None
}
