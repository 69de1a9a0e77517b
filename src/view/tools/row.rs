//! A call as a row.

use super::table::Cells;
use crate::fold::{Call, Run};
use crate::human;
use crate::page::{Ink, Page, Sign};
use crate::tool::{Status, Target};
use serde::Serialize;

/// A row; what is not known is `null`. The order of the fields is that of the keys.
#[derive(Serialize)]
pub(super) struct Row {
    run: usize,
    call: usize,
    id: String,
    pub(super) tool: String,
    target: Option<String>,
    pub(super) status: Status,
    outcome: Option<String>,
    exit_code: Option<i64>,
    pub(super) duration_ms: Option<i64>,
    started_ms: Option<i64>,
    background: bool,
    digest: Option<String>,
    error: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    server: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// The target as people see it, where that differs.
    #[serde(skip)]
    shown: Option<String>,
}

impl Row {
    /// The call that it is about: its run, and its number in it.
    pub(super) fn call(&self) -> (usize, usize) {
        (self.run, self.call)
    }

    pub(super) fn new(run: &Run, call: &Call) -> Self {
        let tool = &call.tool;
        let target = tool.target();
        let shown = match &target {
            Some(Target::Path(path)) => Some(human::short_path(path, run.cwd.as_deref())).filter(|shown| shown != path),
            Some(Target::Words(_)) | None => None,
        };
        Self {
            run: run.number,
            call: call.number,
            id: call.id.to_owned(),
            tool: tool.name().to_owned(),
            target: target.map(|target| target.text().into_owned()),
            status: tool.status(),
            outcome: tool.outcome().map(str::to_owned),
            exit_code: tool.exit_code(),
            duration_ms: call.duration_ms,
            started_ms: call.started_ms,
            background: tool.background(),
            digest: tool.digest(),
            error: tool.error().map(std::borrow::Cow::into_owned),
            server: tool.server().map(std::borrow::Cow::into_owned),
            name: tool.server_tool().map(std::borrow::Cow::into_owned),
            shown,
        }
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
        let target = self.shown.as_deref().or(self.target.as_deref());
        let mut about = target.map(|target| page.one_line(target)).unwrap_or_default();
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

    fn values(&self) -> Vec<String> {
        let number = |number: Option<i64>| number.map(|number| number.to_string()).unwrap_or_default();
        vec![
            self.run.to_string(),
            self.call.to_string(),
            self.id.clone(),
            self.tool.clone(),
            self.target.clone().unwrap_or_default(),
            self.status.name().to_owned(),
            self.outcome.clone().unwrap_or_default(),
            number(self.exit_code),
            number(self.duration_ms),
            number(self.started_ms),
            self.background.to_string(),
            self.digest.clone().unwrap_or_default(),
            self.error.clone().unwrap_or_default(),
        ]
    }
}
