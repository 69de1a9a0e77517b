//! Looks through what stands around a message, layer by layer.

use super::envelope::{self, Around, Layer, layer};
use super::{Acp, Tell};
use crate::event::{Fault, Note};
use crate::value::{Text, Value};
use std::io;

/// So many characters are told of a line that is no message.
const LINE: usize = 500;

/// Messages in messages are looked into so deep.
const DEEP: usize = 3;

impl Acp {
    /// Tells what an object says that is a message or holds some. Whether it is.
    pub(super) fn unwrap<'a>(
        &mut self,
        object: Value<'a>,
        mut around: Around<'a>,
        depth: usize,
        tell: &mut Tell,
    ) -> io::Result<bool> {
        let (inside, message) = match layer(object, &mut around) {
            Layer::Known => return Ok(true),
            Layer::Unknown => return Ok(false),
            Layer::Message(message) => (Vec::new(), message),
            Layer::Inside(inside, message) => (inside, message),
        };
        // What an agent writes beside its messages may look like one.
        if around.label.as_deref() == Some("stderr") {
            return Ok(true);
        }
        for value in inside.into_iter().filter(|_| depth < DEEP) {
            if self.unwrap_any(value, around.clone(), depth + 1, tell)? {
                return Ok(true);
            }
        }
        if !message.is_one() {
            return self.stray(object, &around, tell);
        }
        // Of what is seen in several places, one tells all.
        if let Some(hop) = &around.hop
            && self.hop.get_or_insert_with(|| hop.clone().into_owned()) != hop.as_ref()
        {
            return Ok(true);
        }
        self.set_time(around.at_ms);
        self.message(&message, around.label.as_deref(), tell)?;
        Ok(true)
    }

    /// A message as an object or as text, or several in an array.
    pub(super) fn unwrap_any(
        &mut self,
        value: Value,
        around: Around,
        depth: usize,
        tell: &mut Tell,
    ) -> io::Result<bool> {
        if let Some(text) = value.text() {
            return self.unwrap_text(text, around, depth, tell);
        }
        if !value.is_array() {
            return self.unwrap(value, around, depth, tell);
        }
        let mut any = false;
        for object in value.items().filter(|object| object.is_object()) {
            any |= self.unwrap(object, around.clone(), depth, tell)?;
        }
        Ok(any)
    }

    fn unwrap_text(&mut self, text: Text, mut around: Around, depth: usize, tell: &mut Tell) -> io::Result<bool> {
        let text = text.bytes();
        let Some(open) = memchr::memchr2(b'{', b'[', &text) else { return Ok(false) };
        let whole = Value::text_of(&text[open..]).map(|value| (value, open));
        let object = || memchr::memchr(b'{', &text).and_then(|open| Some((Value::text_of(&text[open..])?, open)));
        let Some((value, open)) = whole.or_else(object) else { return Ok(false) };
        if around.label.is_none() && open > 0 {
            around.label = envelope::prefix(&text[..open]).label;
        }
        self.unwrap_any(value, around, depth, tell)
    }

    /// What one side has written beside its messages, in a record of lines. Whether it is such.
    fn stray(&mut self, object: Value, around: &Around, tell: &mut Tell) -> io::Result<bool> {
        let recorded = matches!(around.label.as_deref(), Some("agent->client" | "client->agent"));
        let Some(line) = object.get("line").and_then(Value::str).filter(|line| recorded && !line.trim().is_empty())
        else {
            return Ok(false);
        };
        let line: String = line.trim().chars().take(LINE).collect();
        let text = format!("not JSON: {line}");
        self.found("", Fault::InvalidJson, text.clone(), tell)?;
        if let Some(last) = self.last {
            self.within(last, tell, |session, out| {
                session.note(Note::Notice { text: text.into(), detail: None, bad: true }, out)
            })?;
        }
        Ok(true)
    }
}
