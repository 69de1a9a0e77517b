//! How much of a run is gathered: no more than a page could hold, so that memory does not grow with the log.

use crate::page::beginning;
use serde::Serialize;

/// Things of one sort, and how many more there were.
#[derive(Serialize)]
#[serde(transparent)]
pub(super) struct List<T> {
    pub(super) items: Vec<T>,
    #[serde(skip)]
    pub(super) left_out: usize,
}

impl<T> Default for List<T> {
    fn default() -> Self {
        Self { items: Vec::new(), left_out: 0 }
    }
}

impl<T> List<T> {
    /// Adds an item, if there is room for its text.
    pub(super) fn add(&mut self, item: T, text: usize, room: &mut usize) -> bool {
        if let Some(left) = room.checked_sub(text + AROUND) {
            *room = left;
            self.items.push(item);
            true
        } else {
            self.left_out += 1;
            false
        }
    }

    /// The room that the items have, by the length of the text of each.
    pub(super) fn taken(&self, text: impl Fn(&T) -> usize) -> usize {
        self.items.iter().map(|item| text(item) + AROUND).sum()
    }
}

/// What is around a text takes some room too.
const AROUND: usize = 32;

/// Somebody's words, as much of them as there was room for.
#[derive(Default, Serialize)]
#[serde(transparent)]
pub(super) struct Words {
    pub(super) text: String,
    /// So many lines were left out.
    #[serde(skip)]
    pub(super) left_out: usize,
}

impl Words {
    /// What `room` has bytes for.
    pub(super) fn new(text: &str, room: &mut usize) -> Self {
        let text = text.trim_end();
        let mut kept = beginning(text, *room);
        if kept.len() < text.len() {
            // Lines are kept whole, if one fits.
            kept = kept.rfind('\n').map_or(kept, |last| &kept[..=last]);
        }
        *room -= kept.len();
        let rest = &text[kept.len()..];
        let left_out = if rest.is_empty() { 0 } else { rest.matches('\n').count() + 1 };
        Self { text: kept.to_owned(), left_out }
    }
}

/// How many more bytes of each sort of thing are gathered.
#[derive(Clone, Copy)]
pub(super) struct Rooms {
    pub(super) files: usize,
    pub(super) commands: usize,
    pub(super) failures: usize,
    pub(super) refusals: usize,
    pub(super) todos: usize,
    pub(super) plans: usize,
    pub(super) answers: usize,
}

/// Every run has so much room for each sort of thing, however many there are.
const LEAST: usize = 512;

impl Rooms {
    /// The first run may have so much of each as a page has bytes, and all others together as much again.
    pub(super) fn new(page: usize) -> Self {
        let all = page.saturating_mul(2);
        Self { files: all, commands: all, failures: all, refusals: all, todos: all, plans: all, answers: all }
    }

    /// Half of what is left for a run that begins, so that there is something for the next.
    pub(super) fn half(&mut self) -> Self {
        let mut half = *self;
        for (left, taken) in self.all().into_iter().zip(half.all()) {
            *taken = (*left / 2).max(LEAST);
            *left = left.saturating_sub(*taken);
        }
        half
    }

    /// What a run that is over has not used is for others, but for a little: something may still come.
    pub(super) fn give_back(&mut self, run: &mut Self) {
        for (left, unused) in self.all().into_iter().zip(run.all()) {
            let rest = unused.saturating_sub(LEAST);
            *unused -= rest;
            *left = left.saturating_add(rest);
        }
    }

    fn all(&mut self) -> [&mut usize; 7] {
        let Self { files, commands, failures, refusals, todos, plans, answers } = self;
        [files, commands, failures, refusals, todos, plans, answers]
    }
}
