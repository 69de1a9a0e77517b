//! What several runs came to together.

use super::super::words;
use super::report::Report;
use crate::fold::{Count, Outcome, Usage};
use serde::Serialize;

/// What several runs came to together.
#[derive(Default, Serialize)]
pub(super) struct Total {
    pub(super) runs: usize,
    pub(super) succeeded: usize,
    pub(super) failed: usize,
    pub(super) cut: usize,
    pub(super) resumed: usize,
    pub(super) duration_ms: Option<i64>,
    pub(super) usage: Option<Usage>,
    pub(super) calls: Count,
}

impl Total {
    pub(super) fn of(runs: &[Report]) -> Self {
        let mut total = Self { runs: runs.len(), ..Self::default() };
        for report in runs {
            let count = match report.result {
                Outcome::Succeeded => &mut total.succeeded,
                Outcome::Failed(_) => &mut total.failed,
                Outcome::Cut => &mut total.cut,
                Outcome::Resumed => &mut total.resumed,
            };
            *count += 1;
            total.duration_ms = words::sum(total.duration_ms, report.duration_ms);
            total.calls.add_all(report.calls);
            if let Some(usage) = report.usage {
                let sum = total.usage.unwrap_or_default();
                total.usage = Some(Usage {
                    input: words::sum(sum.input, usage.input),
                    output: words::sum(sum.output, usage.output),
                    cache_read: words::sum(sum.cache_read, usage.cache_read),
                    cache_write: words::sum(sum.cache_write, usage.cache_write),
                });
            }
        }
        total
    }
}
