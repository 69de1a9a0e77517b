//! Takes secrets out of steps before a view sees them, and so before anything is cut.

use crate::fold::{Call, End, Field, Finding, Note, Outcome, Run, Step, What};
use crate::redact::Redact;
use crate::tool::{Todo, Tool};
use crate::value::Value;
use std::borrow::Cow;
use std::collections::HashMap;
use std::io;

/// What takes secrets out of steps.
pub(super) struct Mask {
    redact: Redact,
    /// Thoughts come in pieces, and a secret could lie in several: what each run has thought so far.
    thoughts: HashMap<usize, String>,
    /// The runs that have a secret in what tells them from others, without it.
    runs: HashMap<usize, Run>,
    /// A private key goes on in the next line that cannot be read.
    key: bool,
}

/// What masked steps are told to.
type Tell<'t> = dyn FnMut(&Step) -> io::Result<()> + 't;

impl Mask {
    pub(super) fn new(redact: Redact) -> Self {
        Self { redact, thoughts: HashMap::new(), runs: HashMap::new(), key: false }
    }

    /// Text without secrets.
    pub(super) fn text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        self.redact.mask(text)
    }

    /// Tells the step without secrets. Messages have to come whole; with `pieces`, each is then told as a piece too.
    pub(super) fn step(&mut self, step: &Step, pieces: bool, tell: &mut Tell) -> io::Result<()> {
        if matches!(step.kind, What::Began) {
            self.began(step.run);
        }
        let elapsed_ms = step.run.elapsed_ms;
        let without = self.runs.get(&step.run.number).map(|run| Run { elapsed_ms, ..run.clone() });
        let run = without.as_ref().unwrap_or(step.run);
        if let What::Thought(text) = &step.kind {
            self.thoughts.entry(run.number).or_default().push_str(text);
            return Ok(());
        }
        if let Some(thought) = self.thoughts.remove(&run.number) {
            tell(&Step { run, kind: What::Thought(self.text(&thought)) })?;
        }
        let kind = match &step.kind {
            What::Began => What::Began,
            What::Prompt(text) => What::Prompt(self.text(text)),
            What::Message(text) => {
                let text = self.text(text);
                if pieces {
                    tell(&Step { run, kind: What::Text(Cow::Borrowed(&text)) })?;
                }
                What::Message(text)
            }
            // A secret could lie in several of these; they come again as a message, or when the call ends.
            What::Text(_) | What::Corrected(_) | What::Thought(_) | What::Printed(..) => return Ok(()),
            What::ThoughtEnded => What::ThoughtEnded,
            What::CallStarted(call) => {
                return self.call(call, |call| tell(&Step { run, kind: What::CallStarted(call) }));
            }
            What::CallEnded(call) => return self.call(call, |call| tell(&Step { run, kind: What::CallEnded(call) })),
            What::Plan(text) => What::Plan(self.text(text)),
            What::Todos(todos) => {
                let masked = |todo: &Todo<'_>| Todo { text: Cow::Owned(self.text(&todo.text).into_owned()), ..*todo };
                What::Todos(todos.iter().map(masked).collect())
            }
            What::Found(finding) => {
                let finding = Finding { what: self.text(&finding.what), ..**finding };
                return tell(&Step { run, kind: What::Found(&finding) });
            }
            What::Noted(note) => return self.note(note, |note| tell(&Step { run, kind: What::Noted(note) })),
            What::Ended(end) => return self.end(end, |end| tell(&Step { run, kind: What::Ended(end) })),
        };
        tell(&Step { run, kind })
    }

    fn began(&mut self, run: &Run) {
        let text = |text: &Option<String>| text.as_deref().map(|text| self.text(text).into_owned());
        let without =
            Run { session: self.text(&run.session).into_owned(), model: text(&run.model), cwd: text(&run.cwd), ..*run };
        if without != *run {
            self.runs.insert(run.number, without);
        }
    }

    /// A piece of a line that cannot be read, without secrets. A private key may lie in many of these.
    pub(super) fn unreadable(&mut self, text: &[u8]) -> Vec<u8> {
        const MASKED: &[u8] = b"[redacted:private-key]";
        let text = String::from_utf8_lossy(text);
        let (begins, ends) = (text.contains("-----BEGIN ") && text.contains("PRIVATE KEY"), text.contains("-----END "));
        let inside = self.key;
        self.key = (inside || begins) && !ends;
        if inside || (begins && !ends) { MASKED.to_vec() } else { self.text(&text).into_owned().into_bytes() }
    }

    /// A value without secrets, if there are any in it.
    fn value(&self, value: Value) -> Option<Vec<u8>> {
        value.with_strings(&mut |key, text| {
            if Redact::is_secret(key, text) {
                return Some("[redacted:secret]".to_owned());
            }
            match self.text(text) {
                Cow::Borrowed(_) => None,
                Cow::Owned(masked) => Some(masked),
            }
        })
    }

    fn call(&self, call: &Call, tell: impl FnOnce(&Call) -> io::Result<()>) -> io::Result<()> {
        let values = call.tool.values();
        let masked = values.map(|value| self.value(value?));
        let value = |place: usize| masked[place].as_deref().map(Value::again).or(values[place]);
        let tool: Tool = call.tool.with(self.text(call.tool.name()), [value(0), value(1)]);
        let Call { number, id, started_ms, duration_ms, late, .. } = *call;
        let id = &self.text(id);
        tell(&Call { number, id, tool, started_ms, duration_ms, late })
    }

    fn note(&self, note: &Note, tell: impl FnOnce(&Note) -> io::Result<()>) -> io::Result<()> {
        let text = |text: &Option<Cow<str>>| Some(Cow::Owned(self.text(text.as_deref()?).into_owned()));
        match note {
            Note::Task { title, status, detail, failed } => {
                let failed = *failed;
                tell(&Note::Task { title: text(title), status: text(status), detail: text(detail), failed })
            }
            Note::Mode(mode) => tell(&Note::Mode(self.text(mode))),
            Note::Allowed { what, answer } => tell(&Note::Allowed { what: self.text(what), answer: self.text(answer) }),
            Note::Notice { text: words, detail, bad } => {
                tell(&Note::Notice { text: self.text(words), detail: text(detail), bad: *bad })
            }
            Note::Reconnecting { .. }
            | Note::Reconnected
            | Note::Retrying { .. }
            | Note::Resuming
            | Note::Cancelled
            | Note::OneSided(_) => tell(note),
        }
    }

    fn end(&self, end: &End, tell: impl FnOnce(&End) -> io::Result<()>) -> io::Result<()> {
        let outcome = match &end.outcome {
            Outcome::Failed(why) => Outcome::Failed(self.text(why)),
            Outcome::Succeeded => Outcome::Succeeded,
            Outcome::Cut => Outcome::Cut,
            Outcome::Resumed => Outcome::Resumed,
        };
        let field = |(key, value): &Field| -> Field {
            let masked = self.value(Value::again(value)).unwrap_or_else(|| value.to_vec());
            (Cow::Owned(key.to_vec()), Cow::Owned(masked))
        };
        let fields: Vec<Field> = end.fields.iter().map(field).collect();
        let End { duration_ms, usage, context, calls, .. } = *end;
        tell(&End { outcome, duration_ms, usage, context, answer: self.text(&end.answer), fields: &fields, calls })
    }
}
