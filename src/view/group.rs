//! The calls of one tool, counted.

use crate::tool::Status;
use serde::Serialize;
use std::collections::HashMap;

/// The calls of one tool; the times are those of the calls whose time is known.
#[derive(Serialize)]
pub(super) struct Group {
    pub(super) tool: String,
    pub(super) calls: usize,
    pub(super) failed: usize,
    pub(super) rejected: usize,
    pub(super) unfinished: usize,
    pub(super) total_ms: Option<i64>,
    pub(super) longest_ms: Option<i64>,
}

/// The tools, in the order of their first calls.
#[derive(Default)]
pub(super) struct Groups {
    pub(super) all: Vec<Group>,
    places: HashMap<String, usize>,
}

impl Groups {
    /// Counts a call.
    pub(super) fn add(&mut self, tool: &str, status: Status, duration_ms: Option<i64>) {
        let place = self.places.get(tool).copied().unwrap_or_else(|| {
            self.places.insert(tool.to_owned(), self.all.len());
            self.all.push(Group::new(tool));
            self.all.len() - 1
        });
        self.all[place].add(status, duration_ms);
    }

    /// A call that was counted as unfinished has ended after all.
    pub(super) fn ended_late(&mut self, tool: &str, status: Status, duration_ms: Option<i64>) {
        if let Some(place) = self.places.get(tool) {
            let group = &mut self.all[*place];
            group.calls = group.calls.saturating_sub(1);
            group.unfinished = group.unfinished.saturating_sub(1);
        }
        self.add(tool, status, duration_ms);
    }
}

impl Group {
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

    /// The calls that went well.
    pub(super) fn ok(&self) -> usize {
        self.calls - self.failed - self.rejected - self.unfinished
    }

    fn add(&mut self, status: Status, duration_ms: Option<i64>) {
        self.calls += 1;
        match status {
            Status::Ok => {}
            Status::Failed => self.failed += 1,
            Status::Rejected => self.rejected += 1,
            Status::Unfinished => self.unfinished += 1,
        }
        if let Some(time) = duration_ms {
            self.total_ms = Some(self.total_ms.unwrap_or(0).saturating_add(time));
            self.longest_ms = self.longest_ms.max(Some(time));
        }
    }
}
