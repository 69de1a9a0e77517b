//! The line of a call.

use super::super::words::shortened;
use crate::fold::{Call, Run};
use crate::human;
use crate::page::{Ink, Page, Sign, columns, cut};
use crate::tool::{Status, Target};
use std::time::Duration;

/// The name and the target of a call, each on one line.
pub(super) struct Parts {
    name: String,
    target: Option<String>,
}

/// What turns while a call runs.
const TURNING: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const TURNING_ASCII: [&str; 4] = ["|", "/", "-", "\\"];

/// The most columns of a target on a terminal.
const MOST: usize = 4096;

/// The fewest columns that a target is cut to, as long as the line has any room.
const TARGET: usize = 12;

pub(super) fn parts(call: &Call, run: &Run, page: &Page) -> Parts {
    let target = call.tool.target().map(|target| match target {
        Target::Path(path) => page.one_line(&human::short_path(&path, run.cwd.as_deref())),
        // No page is so wide, and what is longer would be measured at each turn of the clock.
        Target::Words(words) if page.look().live => page.one_line(cut(&words, MOST)),
        Target::Words(words) => page.one_line(&words),
    });
    Parts { name: page.one_line(call.tool.name()), target }
}

impl Parts {
    /// The line of a call that runs.
    pub(super) fn running(&self, turns: usize, elapsed: Duration, last: &str, page: &Page) -> Vec<(Ink, String)> {
        let turning: &[&str] = if page.look().ascii { &TURNING_ASCII } else { &TURNING };
        let elapsed = human::duration(i64::try_from(elapsed.as_millis()).unwrap_or(i64::MAX));
        let mut facts = vec![(Ink::Dim, elapsed)];
        if !last.is_empty() {
            facts.push((Ink::Dim, page.one_line(cut(last, MOST))));
        }
        self.line((Ink::Accent, turning[turns % turning.len()]), facts, page)
    }

    /// The line above what a call prints.
    pub(super) fn begun(&self, page: &Page) -> Vec<(Ink, String)> {
        self.line((Ink::Accent, page.sign_text(Sign::Doing)), Vec::new(), page)
    }

    /// The line of a call that is over.
    pub(super) fn ended(&self, call: &Call, page: &Page) -> Vec<(Ink, String)> {
        let (ink, sign) = match call.tool.status() {
            Status::Ok => (Ink::Good, Sign::Ok),
            Status::Failed => (Ink::Bad, Sign::Failed),
            Status::Rejected => (Ink::Warn, Sign::Rejected),
            Status::Unfinished => (Ink::Warn, Sign::Unfinished),
        };
        let mut facts = Vec::new();
        match call.tool.digest() {
            Some(digest) => {
                let told = if ink == Ink::Good { Ink::Plain } else { ink };
                facts.push((told, page.own(&page.one_line(&digest))));
            }
            // The sign must not be all that says how it went.
            None if ink != Ink::Good => facts.push((ink, call.tool.status().name().to_owned())),
            None => {}
        }
        facts.extend(call.duration_ms.map(|ms| (Ink::Dim, human::duration(ms))));
        self.line((ink, page.sign_text(sign)), facts, page)
    }

    /// Sign, name, target and facts. Where the page is narrow, the target gives way first.
    fn line(&self, (ink, sign): (Ink, &str), facts: Vec<(Ink, String)>, page: &Page) -> Vec<(Ink, String)> {
        let dot = format!(" {} ", page.sign_text(Sign::Dot));
        // A long reason may take half of the line, and no more.
        let most = page.look().width.map_or(usize::MAX, |width| usize::from(width) / 2);
        let mut line =
            vec![(Ink::Plain, "  ".to_owned()), (ink, sign.to_owned()), (Ink::Strong, format!(" {}", self.name))];
        let mut rest = Vec::new();
        for fact in facts {
            rest.push((Ink::Dim, dot.clone()));
            rest.push((fact.0, shortened(&fact.1, most, page)));
        }
        if let Some(target) = &self.target {
            let taken: usize = line.iter().chain(&rest).map(|(_, text)| columns(text)).sum();
            // A blank in front, and a last column that stays free.
            let room =
                page.look().width.map_or(usize::MAX, |width| usize::from(width).saturating_sub(taken + 2).max(TARGET));
            line.push((Ink::Plain, format!(" {}", shortened(target, room, page))));
        }
        line.extend(rest);
        line
    }
}
