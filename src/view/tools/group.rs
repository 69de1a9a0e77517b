//! The calls of one tool as a row.

use super::super::group::Group;
use super::table::Cells;
use crate::human;
use crate::page::{Ink, Page};
use std::borrow::Cow;

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
            (Ink::Plain, self.count.calls.to_string()),
            count(self.count.failed, Ink::Bad),
            count(self.count.rejected, Ink::Warn),
            count(self.count.unfinished, Ink::Warn),
            time(self.total_ms),
            time(self.longest_ms),
            (Ink::Strong, page.one_line(&self.tool)),
        ]
    }

    fn values(&self) -> Vec<Cow<'_, str>> {
        let number = |number: Option<i64>| number.map_or(Cow::Borrowed(""), |number| number.to_string().into());
        vec![
            (&self.tool).into(),
            self.count.calls.to_string().into(),
            self.count.failed.to_string().into(),
            self.count.rejected.to_string().into(),
            self.count.unfinished.to_string().into(),
            number(self.total_ms),
            number(self.longest_ms),
        ]
    }
}
