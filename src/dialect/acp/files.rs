//! Files that the agent reads and writes through the client. Most belong to a call, which tells of them.

use super::out::Out;
use super::session::Session;
use super::write::Object;
use crate::event::{Call, Calls, Kind, Over};
use crate::value::Value;
use std::borrow::Cow;
use std::io;

/// A file that is asked for, until that is answered.
pub(super) struct File {
    /// The id of the request.
    pub(super) request: Vec<u8>,
    path: String,
    /// How many lines are written to it; none where it is read.
    written: Option<i64>,
}

impl File {
    pub(super) fn new(request: &[u8], params: Value) -> Self {
        let [path, content] = params.pick(["path", "content"]).map(|value| value.and_then(Value::str));
        let lines = |text: Cow<str>| i64::try_from(text.lines().count()).unwrap_or(i64::MAX);
        Self { request: request.to_vec(), path: path.unwrap_or_default().into_owned(), written: content.map(lines) }
    }
}

impl Session {
    /// A file was read or written, or could not be. It is told where no call tells of it.
    pub(super) fn file(&mut self, file: &File, error: Option<&str>, out: &mut Out) -> io::Result<()> {
        if !self.is_open() || (error.is_none() && self.calls.mention(&file.path)) {
            return Ok(());
        }
        self.quiet(out)?;
        self.message_over(out)?;
        self.tell_starts(out)?;
        if out.needs.calls == Calls::None {
            out.say(Kind::CallStarted(None))?;
            return out.say(Kind::CallEnded(None));
        }
        let (mut args, mut body, mut result) = (Object::new(), Object::new(), Object::new());
        args.string("path", &file.path);
        if let Some(lines) = file.written {
            body.number("linesCreated", lines);
        }
        if let Some(error) = error {
            body.string("error", error);
        }
        result.raw(if error.is_some() { "failure" } else { "success" }, &body.end());
        let (args, result_json) = (args.end(), result.end());
        let call = |over: bool| Call {
            id: Cow::Borrowed(file.path.as_str()),
            same: "file".into(),
            tool: if file.written.is_some() { "write" } else { "read" }.into(),
            args: Some(Value::again(&args)),
            result: over.then(|| Value::again(&result_json)),
            over: if error.is_some() { Over::Failed } else { Over::Completed },
            started_ms: None,
            ended_ms: None,
        };
        out.say(Kind::CallStarted(Some(call(false))))?;
        out.say(Kind::CallEnded(Some(call(true))))
    }
}
