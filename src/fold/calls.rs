//! Pairs the start of a call with its end. Arguments are kept from the start, since the end often comes without.

use super::Call;
use crate::event::{self, Over};
use crate::tool::{Ending, Tool};
use crate::value::Value;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet, VecDeque};
use std::io;

/// The calls of one run, by id.
#[derive(Default)]
pub(super) struct Pairs {
    /// Those that were heard of. One id may stand for several tools, and an agent that leaves it out has several calls under none.
    calls: HashMap<Key, Same>,
    /// The arguments that a question showed before the call.
    asked: HashMap<String, Vec<u8>>,
    /// The plans that questions showed, and those that calls did.
    plans: Vec<String>,
    shown: HashSet<String>,
    /// How many calls there were.
    count: usize,
}

/// The id of a call, and what tells it from others of that id.
type Key = (String, String);

/// The calls of one key.
#[derive(Default)]
struct Same {
    /// Those that have begun.
    open: VecDeque<Open>,
    /// One is over, so that a repeated end is none.
    over: bool,
}

struct Open {
    number: usize,
    tool: String,
    args: Vec<u8>,
    started_ms: Option<i64>,
    at_ms: Option<i64>,
    /// It was told as unfinished when the run ended.
    given_up: bool,
}

fn key(call: &event::Call) -> Key {
    (call.id.clone().into_owned(), call.same.clone().into_owned())
}

/// A clock that began with the log tells no date.
fn since_1970(ms: Option<i64>) -> Option<i64> {
    const YEAR_1973: i64 = 100_000_000_000;
    ms.filter(|ms| *ms >= YEAR_1973)
}

fn keep(args: Option<Value>) -> Vec<u8> {
    args.map_or_else(Vec::new, |args| args.json().to_vec())
}

fn kept(args: &[u8]) -> Option<Value<'_>> {
    (!args.is_empty()).then(|| Value::again(args))
}

impl Pairs {
    /// A call begins. Not told where the start of a call that is open comes again, with arguments that have grown.
    pub(super) fn started(
        &mut self,
        call: &event::Call,
        at_ms: Option<i64>,
        tell: impl FnOnce(&Call) -> io::Result<()>,
    ) -> io::Result<()> {
        let asked = self.asked.remove(call.id.as_ref());
        let args = if call.args.is_some() { keep(call.args) } else { asked.unwrap_or_default() };
        let same = self.calls.entry(key(call)).or_default();
        if let Some(open) = same.open.back_mut().filter(|open| !open.given_up && !call.id.is_empty()) {
            if !args.is_empty() {
                open.args = args;
            }
            if open.tool != call.tool {
                call.tool.as_ref().clone_into(&mut open.tool);
            }
            return Ok(());
        }
        same.over = false;
        self.count += 1;
        let tool = call.tool.clone().into_owned();
        let open = Open { number: self.count, tool, args, started_ms: call.started_ms, at_ms, given_up: false };
        let told = tell(&open.call(&call.id));
        same.open.push_back(open);
        told
    }

    /// A call is over; its start may never have come.
    pub(super) fn ended(
        &mut self,
        call: &event::Call,
        at_ms: Option<i64>,
        tell: impl FnOnce(&Call) -> io::Result<()>,
    ) -> io::Result<()> {
        let id = call.id.as_ref();
        let same = self.calls.entry(key(call)).or_default();
        let unfinished = call.over == Over::Unfinished;
        let mut open = same.take();
        // What was given up may still end, but not be given up again.
        if unfinished && open.as_ref().is_some_and(|open| open.given_up) {
            same.open.extend(open.take());
            return Ok(());
        }
        // Calls without an id cannot repeat one another.
        if std::mem::replace(&mut same.over, !id.is_empty()) && open.is_none() {
            return Ok(());
        }
        let asked = self.asked.remove(id);
        if open.is_none() {
            self.count += 1;
        }
        let number = open.as_ref().map_or(self.count, |open| open.number);
        let known = open.as_ref().map(|open| &open.args).filter(|args| !args.is_empty()).or(asked.as_ref());
        let args = call.args.or_else(|| kept(known?));
        let started_ms = call.started_ms.or(open.as_ref().and_then(|open| open.started_ms));
        let begun_ms = open.as_ref().and_then(|open| open.at_ms);
        let ending = match call.over {
            Over::Completed => Ending::Completed,
            Over::Failed => Ending::Failed,
            Over::Unfinished => Ending::Open,
        };
        let tool = Tool::new(Cow::Borrowed(&call.tool), args, call.result, ending);
        if let Some(plan) = tool.plan() {
            self.shown.insert(plan.into_owned());
        }
        // Two clocks are never mixed: the server's at both ends, else the client's at both ends, else the tool's own account.
        let between = |start: Option<i64>, end: Option<i64>| Some(end?.saturating_sub(start?).max(0));
        let duration_ms = if unfinished {
            None
        } else {
            between(started_ms, call.ended_ms).or_else(|| between(begun_ms, at_ms)).or_else(|| tool.duration_ms())
        };
        let late = open.as_ref().is_some_and(|open| open.given_up);
        let told = tell(&Call { number, id, tool, started_ms: started_ms.or(since_1970(begun_ms)), duration_ms, late });
        if let (true, Some(open)) = (unfinished, open) {
            // It may still end.
            let same = self.calls.entry(key(call)).or_default();
            same.over = false;
            same.open.push_back(Open { given_up: true, ..open });
        }
        told
    }

    /// Tells of a call that has begun and has not ended, if there is one.
    pub(super) fn open(&self, id: &str, same: &str, tell: impl FnOnce(&Call) -> io::Result<()>) -> io::Result<()> {
        let calls = self.calls.get(&(id.to_owned(), same.to_owned()));
        let open = calls.and_then(|calls| calls.open.front()).filter(|open| !open.given_up);
        open.map_or(Ok(()), |open| tell(&open.call(id)))
    }

    /// The agent asks about a call that may come, or has begun.
    pub(super) fn asked(&mut self, call: &event::Call) {
        let plan = Tool::new(Cow::Borrowed(&call.tool), call.args, None, Ending::Open).plan();
        self.plans.extend(plan.map(Cow::into_owned));
        if call.args.is_some() && !call.id.is_empty() {
            self.asked.insert(call.id.clone().into_owned(), keep(call.args));
        }
    }

    /// The run is over: tells the calls of which no end was heard.
    pub(super) fn unfinished(&mut self, mut tell: impl FnMut(&Call) -> io::Result<()>) -> io::Result<()> {
        let all = self.calls.iter_mut().flat_map(|(key, same)| same.open.iter_mut().map(move |open| (key, open)));
        let mut open: Vec<(&Key, &mut Open)> = all.filter(|(_, open)| !open.given_up).collect();
        open.sort_by_key(|(_, open)| open.number);
        open.into_iter().try_for_each(|(key, open)| {
            open.given_up = true;
            let call = open.call(&key.0);
            self.shown.extend(call.tool.plan().map(Cow::into_owned));
            tell(&call)
        })
    }

    /// The run is over: tells the plans that no call has shown. Then only what may still end is remembered.
    pub(super) fn end(&mut self, tell: impl FnMut(String) -> io::Result<()>) -> io::Result<()> {
        let Self { calls, plans, mut shown, count, .. } = std::mem::take(self);
        let open = calls.into_iter().filter(|(_, same)| !same.open.is_empty());
        self.calls = open.map(|(key, same)| (key, Same { over: false, ..same })).collect();
        self.count = count;
        plans.into_iter().filter(|plan| shown.insert(plan.clone())).try_for_each(tell)
    }
}

impl Same {
    /// The open call; of several, the first.
    fn take(&mut self) -> Option<Open> {
        let taken = self.open.pop_front();
        if self.open.is_empty() {
            // Most ids come once, and then need no more room.
            self.open = VecDeque::new();
        }
        taken
    }
}

impl Open {
    fn call<'a>(&'a self, id: &'a str) -> Call<'a> {
        let tool = Tool::new(Cow::Borrowed(&self.tool), kept(&self.args), None, Ending::Open);
        let started_ms = self.started_ms.or(since_1970(self.at_ms));
        Call { number: self.number, id, tool, started_ms, duration_ms: None, late: false }
    }
}
