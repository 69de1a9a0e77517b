//! A call as a row.

use super::super::Audience;
use super::super::facts::Facts;
use super::table::Cells;
use crate::fold::{Call, Run};
use crate::human;
use crate::page::{Ink, Page, Sign};
use crate::tool::Status;
use serde::Serialize;
use std::borrow::Cow;

/// A row.
#[derive(Serialize)]
pub(super) struct Row {
    run: usize,
    #[serde(flatten)]
    pub(super) facts: Facts,
}

impl Row {
    /// The row of a call.
    pub(super) fn new(run: &Run, call: &Call, audience: Audience) -> Self {
        Self { run: run.number, facts: Facts::new(run, call, audience) }
    }

    /// The call that it is about: its run, and its number in it.
    pub(super) fn call(&self) -> (usize, usize) {
        (self.run, self.facts.call)
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
        let facts = &self.facts;
        let time = facts.duration_ms.map(human::duration).unwrap_or_default();
        let mut about = facts.target.as_deref().map(|target| page.one_line(target)).unwrap_or_default();
        if let Some(digest) = &facts.digest {
            if !about.is_empty() {
                about.extend([" ", page.sign_text(Sign::Dot), " "]);
            }
            about.push_str(&page.own(&page.one_line(digest)));
        }
        vec![
            (Ink::Dim, format!("{}.{}", self.run, facts.call)),
            (Ink::Strong, page.one_line(&facts.tool)),
            (ink(facts.status), facts.status.name().to_owned()),
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
        let facts = &self.facts;
        let number = |number: Option<i64>| number.map_or(Cow::Borrowed(""), |number| number.to_string().into());
        vec![
            self.run.to_string().into(),
            facts.call.to_string().into(),
            text(Some(&facts.id)),
            text(Some(&facts.tool)),
            text(facts.target.as_deref()),
            facts.status.name().into(),
            text(facts.outcome.as_deref()),
            number(facts.exit_code),
            number(facts.duration_ms),
            number(facts.started_ms),
            facts.background.to_string().into(),
            text(facts.digest.as_deref()),
            text(facts.error.as_deref()),
        ]
    }
}

fn text(text: Option<&str>) -> Cow<'_, str> {
    text.unwrap_or_default().into()
}
