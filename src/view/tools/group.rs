//! The calls of one tool as a row.

use super::row::Row;
use super::table::Cells;
use crate::human;
use crate::page::{Ink, Page};
use crate::tool::Status;
use serde::Serialize;
use std::borrow::Cow;

/// A row; the times are those of the calls whose time is known.
#[derive(Serialize)]
pub(super) struct Group {
    tool: String,
    calls: usize,
    failed: usize,
    rejected: usize,
    unfinished: usize,
    pub(super) total_ms: Option<i64>,
    longest_ms: Option<i64>,
}

impl Group {
    /// The groups, in the order of their first calls.
    pub(super) fn all(rows: &[Box<Row>]) -> Vec<Self> {
        let mut groups: Vec<Self> = Vec::new();
        let mut places = std::collections::HashMap::new();
        for row in rows {
            let place = *places.entry(row.tool.as_ref()).or_insert_with(|| {
                groups.push(Self::new(&row.tool));
                groups.len() - 1
            });
            groups[place].add(row);
        }
        groups
    }

    fn new(tool: &str) -> Self {
        Self {
            tool: tool.to_owned(),
            calls: 0,
            failed: 0,
            rejected: 0,
            unfinished: 0,
            total_ms: None,
            longest_ms: None,
        }
    }

    fn add(&mut self, row: &Row) {
        self.calls += 1;
        match row.status {
            Status::Ok => {}
            Status::Failed => self.failed += 1,
            Status::Rejected => self.rejected += 1,
            Status::Unfinished => self.unfinished += 1,
        }
        if let Some(time) = row.duration_ms {
            self.total_ms = Some(self.total_ms.unwrap_or(0).saturating_add(time));
            self.longest_ms = self.longest_ms.max(Some(time));
        }
    }
}

impl Cells for Group {
    const HEAD: &'static [&'static str] = &["calls", "failed", "rejected", "unfinished", "total", "longest", "tool"];
    const RIGHT: &'static [bool] = &[true, true, true, true, true, true, false];
    const SPARE: &'static [usize] = &[3, 5, 4];
    const KEYS: &'static [&'static str] =
        &["tool", "calls", "failed", "rejected", "unfinished", "total_ms", "longest_ms"];

    fn cells(&self, page: &Page) -> Vec<(Ink, String)> {
        let count = |number: usize, ink: Ink| (if number > 0 { ink } else { Ink::Dim }, number.to_string());
        let time = |time: Option<i64>| (Ink::Dim, time.map(human::duration).unwrap_or_default());
        vec![
            (Ink::Plain, self.calls.to_string()),
            count(self.failed, Ink::Bad),
            count(self.rejected, Ink::Warn),
            count(self.unfinished, Ink::Warn),
            time(self.total_ms),
            time(self.longest_ms),
            (Ink::Strong, page.one_line(&self.tool)),
        ]
    }

    fn values(&self) -> Vec<Cow<'_, str>> {
        let number = |number: Option<i64>| number.map_or(Cow::Borrowed(""), |number| number.to_string().into());
        vec![
            (&self.tool).into(),
            self.calls.to_string().into(),
            self.failed.to_string().into(),
            self.rejected.to_string().into(),
            self.unfinished.to_string().into(),
            number(self.total_ms),
            number(self.longest_ms),
        ]
    }
}
