//! The calls of one tool, counted.

use crate::fold::Count;
use crate::tool::Status;
use serde::Serialize;
use std::collections::HashMap;

/// The calls of one tool; the times are those of the calls whose time is known.
#[derive(Serialize)]
pub(super) struct Group {
    pub(super) tool: String,
    #[serde(flatten)]
    pub(super) count: Count,
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
        let group = self.of(tool);
        group.count.add(status);
        group.took(duration_ms);
    }

    /// A call that was counted as unfinished has ended after all.
    pub(super) fn ended_late(&mut self, tool: &str, status: Status, duration_ms: Option<i64>) {
        let group = self.of(tool);
        group.count.ended_late(status);
        group.took(duration_ms);
    }

    fn of(&mut self, tool: &str) -> &mut Group {
        let place = self.places.get(tool).copied().unwrap_or_else(|| {
            self.places.insert(tool.to_owned(), self.all.len());
            self.all.push(Group { tool: tool.to_owned(), count: Count::default(), total_ms: None, longest_ms: None });
            self.all.len() - 1
        });
        &mut self.all[place]
    }
}

impl Group {
    fn took(&mut self, duration_ms: Option<i64>) {
        if let Some(time) = duration_ms {
            self.total_ms = Some(self.total_ms.unwrap_or(0).saturating_add(time));
            self.longest_ms = self.longest_ms.max(Some(time));
        }
    }
}
