//! What `agent --print --output-format stream-json [--stream-partial-output]` writes: a `type` on each line, one event a line.

mod known;
mod long;

pub(super) use long::{Long, is_event};

use super::{Known, Tell};
use crate::event::{Call, Calls, Ended, Event, Fault, Field, Finding, Kind, Mark, Needs, Note, Over, Usage};
use crate::value::{Text, Value};
use known::{Learned, Piece};
use std::borrow::Cow;
use std::collections::HashMap;
use std::io;

/// The dialect, with room for what it has to put together.
pub(super) struct Cursor {
    needs: Needs,
    /// The text of a message that has several blocks.
    joined: Vec<u8>,
    /// The arguments that a call holds as a string.
    arguments: Vec<u8>,
    /// Lines of pieces that others are like.
    known: Learned,
}

/// The keys of a line that mean something.
#[derive(Default)]
struct Line<'a> {
    kind: Option<Value<'a>>,
    subtype: Option<Value<'a>>,
    session_id: Option<Value<'a>>,
    timestamp_ms: Option<Value<'a>>,
    model_call_id: Option<Value<'a>>,
    message: Option<Value<'a>>,
    text: Option<Value<'a>>,
    call_id: Option<Value<'a>>,
    tool_call: Option<Value<'a>>,
    query: Option<Value<'a>>,
    /// It says that it is a message of JSON-RPC.
    foreign: bool,
}

impl<'a> Line<'a> {
    /// Takes what the object has of these, and says whether it is whole. As in [`Value::get`], the last of several counts, and
    /// `null` is nothing.
    fn read(&mut self, object: Value<'a>) -> bool {
        object.each_field(|key, value| {
            let place = match key {
                b"type" => &mut self.kind,
                b"subtype" => &mut self.subtype,
                b"session_id" => &mut self.session_id,
                b"timestamp_ms" => &mut self.timestamp_ms,
                b"model_call_id" => &mut self.model_call_id,
                b"message" => &mut self.message,
                b"text" => &mut self.text,
                b"call_id" => &mut self.call_id,
                b"tool_call" => &mut self.tool_call,
                b"query" => &mut self.query,
                b"jsonrpc" => {
                    self.foreign = true;
                    return;
                }
                _ => return,
            };
            *place = Some(value).filter(|value| !value.is_null());
        })
    }

    fn mark(&self) -> Mark {
        if self.model_call_id.is_some() {
            Mark::BeforeCall
        } else if self.timestamp_ms.is_some() {
            Mark::Piece
        } else {
            Mark::Bare
        }
    }
}

impl Cursor {
    pub(super) fn new(needs: Needs) -> Self {
        Self { needs, joined: Vec::new(), arguments: Vec::new(), known: Learned::default() }
    }

    /// Lines that are like ones before.
    pub(super) fn again(&mut self, text: &[u8], whole: bool, tell: &mut Tell) -> io::Result<(usize, usize)> {
        self.known.read(text, whole, self.needs, tell)
    }

    pub(super) fn read(&mut self, object: Value, tell: &mut Tell) -> io::Result<Known> {
        let mut line = Line::default();
        if !line.read(object) {
            return Ok(Known::Broken);
        }
        if line.foreign {
            return Ok(Known::Foreign);
        }
        let (kind, subtype) = (word(line.kind), word(line.subtype));
        let kind = match (kind.as_ref(), subtype.as_ref()) {
            (b"system", b"init") => Some(began(object)),
            (b"system", b"task_notification") => Some(task(object)),
            (b"user", _) => self.message(line.message).map(Kind::Prompted),
            (b"thinking", b"completed") => Some(Kind::ThoughtEnded),
            (b"thinking", _) => {
                self.known.learn(object, &line, Piece::Thought, || line.text);
                line.text.and_then(Value::text).map(Kind::Thought)
            }
            (b"assistant", _) => {
                let mark = line.mark();
                if mark == Mark::Piece {
                    self.known.learn(object, &line, Piece::Said, || line.message.and_then(only_text));
                }
                self.message(line.message).map(|text| Kind::Said(text, mark))
            }
            (b"tool_call", b"started") => self.call(&line, Over::Completed, Kind::CallStarted),
            (b"tool_call", b"completed") => self.call(&line, Over::Completed, Kind::CallEnded),
            (b"tool_call", b"failed" | b"error") => self.call(&line, Over::Failed, Kind::CallEnded),
            // The response follows at once, so that it stands for a request that was lost.
            (b"interaction_query", b"request" | b"response") => {
                Some(Kind::Queried((self.needs.calls > Calls::None).then(|| query(line.query))))
            }
            (b"connection", b"reconnecting") => Some(Kind::Noted(Note::Reconnecting { attempt: attempt(object) })),
            (b"connection", b"reconnected") => Some(Kind::Noted(Note::Reconnected)),
            (b"retry", b"starting") => Some(Kind::Noted(Note::Retrying { attempt: attempt(object) })),
            (b"retry", b"resuming") => Some(Kind::Noted(Note::Resuming)),
            (b"result", subtype) => Some(Kind::Ended(ended(object, subtype, self.needs.fields))),
            _ => return Ok(Known::Foreign),
        };
        let Some(kind) = kind else { return Ok(Known::Told) };
        tell(&Event {
            session: line.session_id.and_then(Value::text).unwrap_or(Text::plain(b"")),
            at: line.timestamp_ms,
            kind,
        })?;
        Ok(Known::Told)
    }

    /// The text of a message: its text blocks with nothing between them, or a plain string.
    fn message<'a>(&'a mut self, message: Option<Value<'a>>) -> Option<Text<'a>> {
        let content = message?.get("content")?;
        if !content.is_array() {
            return content.text();
        }
        let mut blocks = content.items().filter_map(|item| block(item)?.text()).peekable();
        let first = blocks.next()?;
        if blocks.peek().is_none() {
            return Some(first);
        }
        self.joined.clear();
        first.push_to(&mut self.joined);
        blocks.for_each(|text| text.push_to(&mut self.joined));
        Some(Text::plain(&self.joined))
    }

    /// The call of a line. `None` where the line has only data about a call, such as what a hook added.
    fn call<'a>(&'a mut self, line: &Line<'a>, over: Over, kind: fn(Option<Call<'a>>) -> Kind<'a>) -> Option<Kind<'a>> {
        let tool_call = line.tool_call?;
        if self.needs.calls == Calls::None {
            return is_call(tool_call).then(|| kind(None));
        }
        let Envelope { id, tool, body, started_ms, ended_ms } = envelope(tool_call)?;
        let [arguments, args, result] = body.pick(["arguments", "args", "result"]);
        let arguments = arguments.or(args);
        let args = match arguments.and_then(Value::text) {
            None => arguments,
            Some(text) => {
                self.arguments.clear();
                text.push_to(&mut self.arguments);
                Value::text_of(&self.arguments)
            }
        };
        let id = line.call_id.or(id).and_then(Value::str).unwrap_or_default();
        let same = tool.clone();
        Some(kind(Some(Call { id, same, tool, args, result, over, started_ms, ended_ms })))
    }
}

/// A name that is looked at as bytes.
fn word(value: Option<Value<'_>>) -> Cow<'_, [u8]> {
    value.and_then(Value::text).map(Text::bytes).unwrap_or_default()
}

/// The string that is all of a message's text.
fn only_text(message: Value<'_>) -> Option<Value<'_>> {
    let mut blocks = message.get("content")?.items();
    let text = block(blocks.next()?)?;
    blocks.next().is_none().then_some(text)
}

/// The string of a content block, if it is a text block.
fn block(block: Value<'_>) -> Option<Value<'_>> {
    let [kind, text] = block.pick(["type", "text"]);
    text.filter(|text| text.text().is_some() && *word(kind) == *b"text")
}

/// What stands around a call.
struct Envelope<'a> {
    id: Option<Value<'a>>,
    tool: Cow<'a, str>,
    /// The object that holds arguments and result.
    body: Value<'a>,
    started_ms: Option<i64>,
    ended_ms: Option<i64>,
}

/// Takes an envelope apart. The tool is the key that ends in `ToolCall`, wherever it stands; two other forms hold its name inside.
fn envelope(envelope: Value<'_>) -> Option<Envelope<'_>> {
    let [mut id, mut started_ms, mut ended_ms, mut function, mut cased, mut named] = [None; 6];
    let mut name = None;
    for (key, value) in envelope.fields().filter(|(_, value)| !value.is_null()) {
        match key.as_ref() {
            b"toolCallId" => id = Some(value),
            b"startedAtMs" => started_ms = Some(value),
            b"completedAtMs" => ended_ms = Some(value),
            b"function" => function = Some(value),
            b"tool" => cased = Some(value),
            _ if named.is_none() && value.is_object() => {
                name = tool_name(key);
                named = name.as_ref().map(|_| value);
            }
            _ => {}
        }
    }
    let (tool, body) = match (name, named, function, cased) {
        (Some(name), Some(body), ..) => (name, body),
        (_, _, Some(function), _) => (function.get("name")?.str()?, function),
        (_, _, None, cased) => {
            let [case, value] = cased?.pick(["case", "value"]);
            let case = case?.str()?;
            (Cow::Owned(case.strip_suffix("ToolCall").unwrap_or(&case).to_owned()), value?)
        }
    };
    let time = |time: Option<Value>| time.and_then(Value::integer);
    Some(Envelope { id, tool, body, started_ms: time(started_ms), ended_ms: time(ended_ms) })
}

/// The tool that a key of an envelope names.
fn tool_name(key: Cow<'_, [u8]>) -> Option<Cow<'_, str>> {
    let tool = |key: &[u8]| key.strip_suffix(b"ToolCall").map(<[u8]>::len).filter(|length| *length > 0);
    let length = tool(&key)?;
    Some(match key {
        Cow::Borrowed(key) => String::from_utf8_lossy(&key[..length]),
        Cow::Owned(key) => String::from_utf8_lossy(&key[..length]).into_owned().into(),
    })
}

/// Whether an envelope holds a call. Most often its first key says so, and nothing has to be looked at but that.
fn is_call(tool_call: Value) -> bool {
    let named = |(key, value): (Cow<[u8]>, Value)| value.is_object() && key.len() > 8 && key.ends_with(b"ToolCall");
    tool_call.fields().any(named) || envelope(tool_call).is_some()
}

/// A question that the agent asks before it goes on. Its one object is named for the tool that it is about.
fn query(query: Option<Value<'_>>) -> Call<'_> {
    let body = query.and_then(|query| query.fields().find(|(_, value)| value.is_object()));
    let (tool, body) = match &body {
        None => (Cow::default(), None),
        Some((key, body)) => {
            let key = String::from_utf8_lossy(key);
            let name = ["RequestQuery", "InteractionQuery", "Query"].iter().find_map(|end| key.strip_suffix(end));
            (Cow::Owned(name.unwrap_or(&key).to_owned()), Some(*body))
        }
    };
    let args = body.and_then(|body| body.get("args"));
    let id = body.and_then(|body| body.get("toolCallId")).or_else(|| args?.get("toolCallId"));
    Call {
        id: id.and_then(Value::str).unwrap_or_default(),
        same: Cow::default(),
        tool,
        args,
        result: None,
        over: Over::Completed,
        started_ms: None,
        ended_ms: None,
    }
}

/// What is wrong with an object that no dialect knows, if it says that it is an event.
pub(super) fn unknown(object: Value<'_>) -> Option<Event<'_>> {
    let name = |key| Some(object.get(key)?.str()?.chars().take(NAME).collect::<String>());
    let name = [name("type")?].into_iter().chain(name("subtype")).collect::<Vec<String>>().join("/");
    let what = format!("no event is called `{name}`").into();
    let session = object.get("session_id").and_then(Value::text).unwrap_or(Text::plain(b""));
    Some(Event { session, at: None, kind: Kind::Found(Finding { fault: Fault::UnknownEvent, what }) })
}

/// So many characters of a name that nobody knows are told.
const NAME: usize = 80;

fn began(object: Value<'_>) -> Kind<'_> {
    let string = |key| object.get(key).and_then(Value::str);
    Kind::Began { model: string("model"), cwd: string("cwd") }
}

fn task(object: Value<'_>) -> Kind<'_> {
    let string = |key| object.get(key).and_then(Value::str);
    let status = string("status");
    let failed = status.as_deref().is_some_and(|status| status != "success");
    Kind::Noted(Note::Task { title: string("title"), status, detail: string("detail"), failed })
}

fn attempt(object: Value) -> Option<i64> {
    object.get("attempt")?.integer()
}

fn ended<'a>(object: Value<'a>, subtype: &[u8], with_fields: bool) -> Ended<'a> {
    let text = object.get("result").and_then(Value::text);
    let error = object.get("error");
    let is_error = object.get("is_error").and_then(Value::bool);
    let failed =
        is_error == Some(true) || !matches!(subtype, b"success" | b"") || (subtype.is_empty() && error.is_some());
    let message = || {
        let said = text.filter(|text| !text.is_empty()).map(Text::decode);
        said.or_else(|| error?.str()).or_else(|| error?.get("message")?.str()).unwrap_or_default()
    };
    Ended {
        failure: failed.then(message),
        text: text.filter(|_| !failed),
        duration_ms: object.get("duration_ms").and_then(Value::integer),
        request: object.get("request_id").and_then(Value::str),
        context: None,
        usage: object.get("usage").filter(|usage| usage.is_object()).map(usage),
        // Of a run that failed, `--output-format json` prints nothing.
        fields: if with_fields && !failed { fields(object) } else { Vec::new() },
    }
}

fn usage(usage: Value) -> Usage {
    let count = |names: [&str; 2]| names.iter().find_map(|name| usage.get(name)?.integer());
    Usage {
        input: count(["inputTokens", "input_tokens"]),
        output: count(["outputTokens", "output_tokens"]),
        cache_read: count(["cacheReadTokens", "cache_read_tokens"]),
        cache_write: count(["cacheWriteTokens", "cache_write_tokens"]),
    }
}

/// The keys of a result in the order of the documentation of the `json` format.
const ORDER: [&[u8]; 8] =
    [b"type", b"subtype", b"is_error", b"duration_ms", b"duration_api_ms", b"result", b"session_id", b"request_id"];

fn fields(object: Value<'_>) -> Vec<Field<'_>> {
    let mut last = HashMap::new();
    let mut fields: Vec<Field> = Vec::new();
    for (key, value) in object.fields() {
        let place = *last.entry(key.clone()).or_insert(fields.len());
        match fields.get_mut(place) {
            Some(field) => field.1 = value.sound(),
            None => fields.push((key, value.sound())),
        }
    }
    // A stable sort leaves the keys that are not documented in the order that they came in.
    fields.sort_by_key(|(key, _)| ORDER.iter().position(|known| *known == key.as_ref()).unwrap_or(ORDER.len()));
    fields
}
