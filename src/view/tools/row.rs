//! A call as a row.

use super::super::Audience;
use super::table::Cells;
use crate::fold::{Call, Run};
use crate::human;
use crate::page::{Ink, Page, Sign};
use crate::tool::{Status, Target};
use serde::Serialize;
use std::borrow::Cow;

/// A row; what is not known is `null`. The order of the fields is that of the keys.
#[derive(Serialize)]
pub(super) struct Row {
    run: usize,
    call: usize,
    id: Box<str>,
    pub(super) tool: Box<str>,
    target: Option<Box<str>>,
    pub(super) status: Status,
    outcome: Option<Box<str>>,
    exit_code: Option<i64>,
    pub(super) duration_ms: Option<i64>,
    started_ms: Option<i64>,
    background: bool,
    digest: Option<Box<str>>,
    error: Option<Box<str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    server: Option<Box<str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<Box<str>>,
}

impl Row {
    /// The call that it is about: its run, and its number in it.
    pub(super) fn call(&self) -> (usize, usize) {
        (self.run, self.call)
    }

    /// The row of a call. People see fewer columns, and paths as short as can be; what is not seen is not held, since there may
    /// be many rows.
    pub(super) fn new(run: &Run, call: &Call, audience: Audience) -> Self {
        let program = audience == Audience::Program;
        let tool = &call.tool;
        let target = tool.target().map(|target| match target {
            Target::Path(path) if !program => human::short_path(&path, run.cwd.as_deref()).into(),
            other => other.text().into(),
        });
        let mut row = Self {
            run: run.number,
            call: call.number,
            id: Box::default(),
            tool: tool.name().into(),
            target,
            status: tool.status(),
            outcome: None,
            exit_code: None,
            duration_ms: call.duration_ms,
            started_ms: call.started_ms,
            background: false,
            digest: tool.digest().map(String::into_boxed_str),
            error: None,
            server: None,
            name: None,
        };
        if program {
            row.id = call.id.into();
            row.outcome = tool.outcome().map(Box::from);
            row.exit_code = tool.exit_code();
            row.background = tool.background();
            row.error = tool.error().map(Box::from);
            row.server = tool.server().map(Box::from);
            row.name = tool.server_tool().map(Box::from);
        }
        row
    }
}

pub(super) fn ink(status: Status) -> Ink {
    match status {
        Status::Ok => Ink::Good,
        Status::Failed => Ink::Bad,
        Status::Rejected | Status::Unfinished => Ink::Warn,
    }
}

impl Cells for Row {
    const HEAD: &'static [&'static str] = &["call", "tool", "status", "time", "target"];
    const RIGHT: &'static [bool] = &[true, false, false, true, false];
    const SPARE: &'static [usize] = &[3, 0];

    fn cells(&self, page: &Page) -> Vec<(Ink, String)> {
        let time = self.duration_ms.map(human::duration).unwrap_or_default();
        let mut about = self.target.as_deref().map(|target| page.one_line(target)).unwrap_or_default();
        if let Some(digest) = &self.digest {
            if !about.is_empty() {
                about.extend([" ", page.sign_text(Sign::Dot), " "]);
            }
            about.push_str(&page.own(&page.one_line(digest)));
        }
        vec![
            (Ink::Dim, format!("{}.{}", self.run, self.call)),
            (Ink::Strong, page.one_line(&self.tool)),
            (ink(self.status), self.status.name().to_owned()),
            (Ink::Dim, time),
            (Ink::Plain, about),
        ]
    }

    const KEYS: &'static [&'static str] = &[
        "run",
        "call",
        "id",
        "tool",
        "target",
        "status",
        "outcome",
        "exit_code",
        "duration_ms",
        "started_ms",
        "background",
        "digest",
        "error",
    ];

    fn values(&self) -> Vec<Cow<'_, str>> {
        let number = |number: Option<i64>| number.map_or(Cow::Borrowed(""), |number| number.to_string().into());
        vec![
            self.run.to_string().into(),
            self.call.to_string().into(),
            text(Some(&self.id)),
            text(Some(&self.tool)),
            text(self.target.as_deref()),
            self.status.name().into(),
            text(self.outcome.as_deref()),
            number(self.exit_code),
            number(self.duration_ms),
            number(self.started_ms),
            self.background.to_string().into(),
            text(self.digest.as_deref()),
            text(self.error.as_deref()),
        ]
    }
}

fn text(text: Option<&str>) -> Cow<'_, str> {
    text.unwrap_or_default().into()
}
