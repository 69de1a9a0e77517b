//! A tool call: updates change what they name, and leave the rest.

use crate::value::Value;
use std::borrow::Cow;

/// What is known of a call.
#[derive(Default)]
pub(super) struct Call {
    pub(super) id: String,
    pub(super) title: String,
    pub(super) kind: String,
    /// The name of its tool, where the agent says it.
    pub(super) name: String,
    pub(super) status: Status,
    /// The command line of what it runs, as far as it says; kept, since many calls may be looked at for one.
    line: Option<String>,
    /// JSON text; each is empty where the agent did not say it.
    pub(super) content: Vec<u8>,
    pub(super) locations: Vec<u8>,
    pub(super) raw_input: Vec<u8>,
    pub(super) raw_output: Vec<u8>,
    /// The terminals that were ever embedded in it, or that run its command.
    pub(super) terminals: Vec<String>,
    /// It was not allowed, for this reason.
    pub(super) rejected: Option<String>,
    /// How often it was heard of.
    pub(super) heard: usize,
    /// Its start was told.
    pub(super) started: bool,
}

/// What the agent says of how far a call is.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(super) enum Status {
    #[default]
    Pending,
    Running,
    Completed,
    Failed,
}

impl Status {
    pub(super) fn is_over(self) -> bool {
        matches!(self, Self::Completed | Self::Failed)
    }
}

impl Call {
    pub(super) fn new(id: &str) -> Self {
        Self { id: id.to_owned(), ..Self::default() }
    }

    /// Changes what `update` names. What is `null` is left as it is, as the first version of the protocol has it.
    ///
    /// Gives the terminals that it shows.
    pub(super) fn change(&mut self, update: Value) -> Vec<String> {
        self.heard += 1;
        let mut shown = Vec::new();
        for (key, value) in update.fields().filter(|(_, value)| !value.is_null()) {
            let text = |into: &mut String| {
                if let Some(text) = value.str().filter(|text| !text.is_empty()) {
                    *into = text.into_owned();
                }
            };
            let keep = |into: &mut Vec<u8>| {
                into.clear();
                into.extend_from_slice(value.json());
            };
            match key.as_ref() {
                b"title" => text(&mut self.title),
                b"kind" => text(&mut self.kind),
                b"name" => text(&mut self.name),
                b"status" => self.status = status(&value.str().unwrap_or_default()),
                b"content" => {
                    keep(&mut self.content);
                    let terminals = value.items().filter(|item| is(*item, "terminal"));
                    shown = terminals.filter_map(|item| item.get("terminalId")?.str().map(Cow::into_owned)).collect();
                }
                b"locations" => keep(&mut self.locations),
                // An empty object takes the place of nothing.
                b"rawInput" if value.fields().next().is_some() || !value.is_object() => keep(&mut self.raw_input),
                b"rawOutput" => keep(&mut self.raw_output),
                _ => {}
            }
        }
        for id in &shown {
            if !self.terminals.contains(id) {
                self.terminals.push(id.clone());
            }
        }
        self.line = self.find_command();
        shown
    }

    /// One more item of content comes.
    pub(super) fn add(&mut self, item: Value) {
        let mut all: Vec<&[u8]> = items(&self.content).map(Value::json).collect();
        all.push(item.json());
        self.content = [b"[", all.join(&b',').as_slice(), b"]"].concat();
    }

    /// Whether an update is of another call of the same id.
    pub(super) fn is_other(&self, update: Value) -> bool {
        let input = update.get("rawInput").filter(|input| input.fields().next().is_some());
        input.is_some_and(|input| !self.raw_input.is_empty() && input.json() != self.raw_input)
    }

    /// Whether this JSON text stands in what is known of it.
    pub(super) fn mentions(&self, json: &[u8]) -> bool {
        [&self.locations, &self.content, &self.raw_input].iter().any(|held| memchr::memmem::find(held, json).is_some())
    }

    /// What it gave was told.
    pub(super) fn forget(&mut self) {
        (self.content, self.raw_output) = (Vec::new(), Vec::new());
    }

    /// Whether enough is known to say what it is about. Many agents announce a call before they have written its input.
    pub(super) fn is_described(&self) -> bool {
        self.status != Status::Pending
            || !self.raw_input.is_empty()
            || items(&self.locations).next().is_some()
            || items(&self.content).next().is_some()
    }

    /// The tool, in the words of `tool`.
    pub(super) fn tool(&self) -> &str {
        match self.kind.as_str() {
            "execute" => "shell",
            "" | "other" if self.name.is_empty() => "other",
            "" | "other" => &self.name,
            kind => kind,
        }
    }

    /// The title, without the marks of code around it.
    pub(super) fn plain_title(&self) -> &str {
        let title = self.title.trim();
        title.strip_prefix('`').and_then(|title| title.strip_suffix('`')).unwrap_or(title)
    }

    /// The command line of what it runs, as far as it says.
    pub(super) fn command(&self) -> Option<String> {
        self.line.clone()
    }

    /// Whether that is the command line of what it runs.
    pub(super) fn runs(&self, line: &str) -> bool {
        self.line.as_deref() == Some(line)
    }

    fn find_command(&self) -> Option<String> {
        let input = value(&self.raw_input);
        let line = input.filter(|input| input.is_object()).map(super::write::command_line);
        let line = line.filter(|line| !line.is_empty());
        let quoted = || (self.title.starts_with('`') && self.tool() == "shell").then(|| self.plain_title().to_owned());
        line.or_else(|| input?.str().filter(|_| self.tool() == "shell").map(Cow::into_owned)).or_else(quoted)
    }

    /// The text of its content: text blocks and resources, and words for what is no text.
    pub(super) fn text(&self) -> String {
        let blocks = items(&self.content).filter(|item| is(*item, "content")).filter_map(|item| item.get("content"));
        let texts: Vec<Cow<str>> = blocks.map(|block| text(block).unwrap_or_else(|| words(block).into())).collect();
        unfenced(&texts.join("\n")).to_owned()
    }

    /// The changes to files that it shows.
    pub(super) fn diffs(&self) -> impl Iterator<Item = Value<'_>> {
        items(&self.content).filter(|item| is(*item, "diff"))
    }

    /// Whether this is about the same as what somebody was asked about under another id.
    pub(super) fn is_like(&self, asked: &Self) -> bool {
        if !self.raw_input.is_empty() && !asked.raw_input.is_empty() {
            return self.raw_input == asked.raw_input;
        }
        let bare = self.raw_input.is_empty() && asked.raw_input.is_empty();
        bare && !self.title.is_empty() && self.title == asked.title && self.kind == asked.kind
    }
}

/// A value that was kept.
pub(super) fn value(json: &[u8]) -> Option<Value<'_>> {
    (!json.is_empty()).then(|| Value::again(json))
}

pub(super) fn items(json: &[u8]) -> impl Iterator<Item = Value<'_>> {
    value(json).into_iter().flat_map(Value::items)
}

/// Whether `item` says that it is of this type.
pub(super) fn is(item: Value, kind: &str) -> bool {
    item.get("type").and_then(Value::text).is_some_and(|text| text.is(kind.as_bytes()))
}

/// The text of a content block, if it is one of text or holds some.
pub(super) fn text(block: Value<'_>) -> Option<Cow<'_, str>> {
    if is(block, "text") { block.get("text")?.str() } else { block.get("resource")?.get("text")?.str() }
}

/// What a block is that is no text.
pub(super) fn words(block: Value) -> String {
    let string = |key| block.get(key).and_then(Value::str).unwrap_or_default();
    let uri = || block.get("resource").and_then(|resource| resource.get("uri")?.str()).unwrap_or_default();
    match string("type").as_ref() {
        "image" | "audio" => format!("[{}: {}]", string("type"), string("mimeType")),
        "resource_link" => format!("[{}]({})", string("name"), string("uri")),
        "resource" => format!("[{}]", uri()),
        other => format!("[{other}]"),
    }
}

/// Output that stands as a whole in a Markdown fence, without it.
fn unfenced(text: &str) -> &str {
    let inside = text.trim().strip_prefix("```").and_then(|rest| rest.strip_suffix("```"));
    match inside.and_then(|inside| inside.split_once('\n')) {
        Some((info, inside)) if !info.contains(' ') && !inside.contains("```") => inside,
        _ => text,
    }
}

fn status(word: &str) -> Status {
    match word {
        "completed" => Status::Completed,
        "failed" | "cancelled" | "error" => Status::Failed,
        "in_progress" => Status::Running,
        _ => Status::Pending,
    }
}
