//! The plain way to read a log, which the fast way is held against: `serde_json` reads every line, nothing is left out, and
//! nothing is known by its looks.

use crate::event::{Calls, Needs};
use crate::fold::{Call, End, Step, What};
use crate::page::Page;
use crate::pipe::{self, Long};
use crate::view::View;
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};
use std::fmt;
use std::io::{self, Read};

/// The steps of a log that are asked for, in words, and if it is not `damaged`, what could not be read and what the program says
/// on standard error. Of a damaged line less may be left to quote. If not `fast`, in the plain way.
#[must_use]
pub fn told(log: &[u8], needs: Needs, fast: Option<Fast>, damaged: bool) -> Vec<String> {
    let mut steps = steps(log, needs, fast);
    if damaged {
        steps.pop();
        steps.retain(|step| !step.starts_with("unreadable"));
    }
    steps
}

/// The fast way, which everything can be made small for.
#[derive(Clone, Copy, Debug)]
pub struct Fast {
    /// The most bytes of a read.
    pub reads: usize,
    /// A line that is longer is shortened while it is read.
    pub long: usize,
}

fn steps(log: &[u8], needs: Needs, fast: Option<Fast>) -> Vec<String> {
    let bytes = if fast.is_some() { log.to_vec() } else { rewritten(log) };
    let mut record = Record { needs, all: fast.is_none(), steps: Vec::new(), text: None };
    let most = fast.map_or(usize::MAX, |way| way.reads);
    let shortened = fast.map(|way| Long { line: way.long, head: 24, tail: 8 });
    let said = pipe::show(&mut record, shortened, Reads { bytes: io::Cursor::new(bytes), most });
    record.text_over();
    record.steps.push(said.expect("the record takes all"));
    record.steps
}

/// Gives so many bytes in one read at the most.
struct Reads {
    bytes: io::Cursor<Vec<u8>>,
    most: usize,
}

impl Read for Reads {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let most = into.len().min(self.most.max(1));
        self.bytes.read(&mut into[..most])
    }
}

/// The log with every line that is an object as `serde_json` understands it, written anew. Not one of UTF-16, whose units lie
/// across what looks like lines.
fn rewritten(log: &[u8]) -> Vec<u8> {
    let mut lines = Vec::new();
    if log.starts_with(&[0xFF, 0xFE]) || log.starts_with(&[0xFE, 0xFF]) {
        return log.to_vec();
    }
    for line in log.split_inclusive(|byte| *byte == b'\n') {
        match serde_json::from_slice::<Node>(line) {
            // An indented one may be a part of an object that is laid out over several lines.
            Ok(object @ Node::Object(_)) if line.first() == Some(&b'{') => {
                serde_json::to_writer(&mut lines, &object).expect("a Vec takes all");
                lines.extend(line.ends_with(b"\n").then_some(b'\n'));
            }
            Ok(_) | Err(_) => lines.extend_from_slice(line),
        }
    }
    lines
}

/// A JSON value that keeps the order of its keys, and those that stand there twice.
enum Node {
    Scalar(serde_json::Value),
    Array(Vec<Node>),
    Object(Vec<(String, Node)>),
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Nodes)
    }
}

struct Nodes;

impl<'de> Visitor<'de> for Nodes {
    type Value = Node;

    fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str("a value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Node, E> {
        Ok(Node::Scalar(value.into()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Node, E> {
        Ok(Node::Scalar(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Node, E> {
        Ok(Node::Scalar(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Node, E> {
        Ok(Node::Scalar(value.into()))
    }

    fn visit_str<E>(self, value: &str) -> Result<Node, E> {
        Ok(Node::Scalar(value.into()))
    }

    fn visit_unit<E>(self) -> Result<Node, E> {
        Ok(Node::Scalar(serde_json::Value::Null))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Node, A::Error> {
        let mut array = Vec::new();
        while let Some(item) = items.next_element()? {
            array.push(item);
        }
        Ok(Node::Array(array))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Node, A::Error> {
        let mut object = Vec::new();
        while let Some(field) = fields.next_entry()? {
            object.push(field);
        }
        Ok(Node::Object(object))
    }
}

impl Serialize for Node {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Scalar(value) => value.serialize(serializer),
            Self::Array(items) => {
                let mut array = serializer.serialize_seq(Some(items.len()))?;
                items.iter().try_for_each(|item| array.serialize_element(item))?;
                array.end()
            }
            Self::Object(fields) => {
                let mut object = serializer.serialize_map(Some(fields.len()))?;
                fields.iter().try_for_each(|(key, value)| object.serialize_entry(key, value))?;
                object.end()
            }
        }
    }
}

/// A view that writes down what it is told, as far as it is needed.
struct Record {
    /// What it writes down.
    needs: Needs,
    /// It asks for everything all the same.
    all: bool,
    steps: Vec<String>,
    /// A run, and the text that it has said last. How many pieces leave together depends on the reads.
    text: Option<(String, String)>,
}

impl Record {
    fn text_over(&mut self) {
        self.steps.extend(self.text.take().map(|(run, text)| format!("{run}: text {text:?}")));
    }
}

impl View for Record {
    fn needs(&self) -> Needs {
        if self.all { Needs::ALL } else { self.needs }
    }

    fn step(&mut self, step: &Step, _page: &mut Page) -> io::Result<()> {
        let run = format!("{} {}", step.run.number, step.run.session);
        match (&step.kind, &mut self.text) {
            (What::Text(_), _) if !self.needs.pieces => {}
            (What::Text(text), Some((of, before))) if *of == run => before.push_str(text),
            (What::Text(text), _) => {
                self.text_over();
                self.text = Some((run, text.clone().into_owned()));
            }
            (kind, _) => {
                if let Some(words) = words(kind, self.needs) {
                    self.text_over();
                    let at = self.needs.times.then_some(step.run.elapsed_ms);
                    self.steps.push(format!("{run} {at:?}: {words}"));
                }
            }
        }
        Ok(())
    }

    fn unreadable(&mut self, text: &[u8], _page: &mut Page) -> io::Result<()> {
        self.text_over();
        self.steps.push(format!("unreadable: {}", String::from_utf8_lossy(text)));
        Ok(())
    }
}

/// A step in words; `None` where nobody asked.
fn words(what: &What, needs: Needs) -> Option<String> {
    match what {
        What::Began => Some("began".to_owned()),
        What::Prompt(text) => needs.prompts.then(|| format!("prompt {text:?}")),
        What::Text(_) => None,
        What::Corrected(text) => needs.pieces.then(|| format!("corrected {text:?}")),
        What::Message(text) => needs.messages.then(|| format!("message {text:?}")),
        What::Thought(text) => needs.thoughts.then(|| format!("thought {text:?}")),
        What::ThoughtEnded => needs.thoughts.then(|| "thought ended".to_owned()),
        What::CallStarted(call) => called(call, needs).map(|call| format!("started {call}")),
        What::CallEnded(call) => called(call, needs).map(|call| format!("ended {call}")),
        What::Plan(text) => (needs.calls > Calls::None).then(|| format!("plan {text:?}")),
        What::Printed(call, output) => {
            needs.printed.then(|| format!("printed {} {:?} {}", call.number, output.text, output.gap))
        }
        What::Todos(todos) => Some(format!("todos {todos:?}")),
        What::Found(finding) => needs.faults.then(|| format!("found {} {}", finding.fault.name(), finding.what)),
        What::Noted(_) => Some("note".to_owned()),
        What::Ended(end) => Some(ended(end, needs)),
    }
}

fn called(call: &Call, needs: Needs) -> Option<String> {
    if needs.calls == Calls::None {
        return None;
    }
    let Call { number, id, tool, started_ms, duration_ms, late } = call;
    let mut words = vec![
        format!("{number} {id:?} {started_ms:?} {duration_ms:?} {late} {} {:?}", tool.name(), tool.status()),
        format!("{:?} {:?} {:?}", tool.target(), tool.outcome(), tool.exit_code()),
        format!("{} {:?} {:?}", tool.background(), tool.digest(), tool.error()),
        format!("{:?} {:?}", tool.server(), tool.server_tool()),
    ];
    match needs.calls {
        Calls::None | Calls::Brief => {}
        Calls::Short => words.push(format!("{:?}", tool.detail(false))),
        Calls::Full => words.push(format!("{:?}", tool.detail(true))),
    }
    Some(words.join(" "))
}

fn ended(end: &End, needs: Needs) -> String {
    let mut words = vec![format!("ended {:?} {:?} {:?}", end.outcome, end.duration_ms, end.usage)];
    words.extend(needs.messages.then(|| format!("{:?}", end.answer)));
    words.extend((needs.calls > Calls::None).then(|| format!("{:?}", end.calls)));
    for (key, value) in end.fields.iter().filter(|_| needs.fields) {
        let value: Result<serde_json::Value, _> = serde_json::from_slice(value);
        words.push(format!("{} {value:?}", String::from_utf8_lossy(key)));
    }
    words.join(" ")
}

#[cfg(test)]
mod tests;
