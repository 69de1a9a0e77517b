//! Pairs the start of a call with its end. Arguments are kept from the start, since the end often comes without.

use super::Call;
use crate::event;
use crate::tool::{Ending, Tool};
use crate::value::Value;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// The calls of one run, by id.
#[derive(Default)]
pub(super) struct Calls {
    open: HashMap<String, Open>,
    /// The questions that came before a call: they hold its arguments where its start is missing.
    asked: HashMap<String, Asked>,
    /// Calls that are over, so that a repeated end is none.
    over: HashSet<String>,
    /// How many calls there were.
    pub(super) count: usize,
}

struct Open {
    number: usize,
    tool: String,
    args: Vec<u8>,
    started_ms: Option<i64>,
    at_ms: Option<i64>,
}

struct Asked {
    tool: String,
    args: Vec<u8>,
}

fn keep(args: Option<Value>) -> Vec<u8> {
    args.map_or_else(Vec::new, |args| args.json().to_vec())
}

fn kept(args: &[u8]) -> Option<Value<'_>> {
    (!args.is_empty()).then(|| Value::again(args))
}

impl Calls {
    /// A call begins. Not told where the start of a call that is open comes again, with arguments that have grown.
    pub(super) fn started(&mut self, call: event::Call, at_ms: Option<i64>, tell: impl FnOnce(&Call) -> Told) -> Told {
        let asked = self.asked.remove(call.id.as_ref());
        let args = match (call.args, asked) {
            (None, Some(asked)) => asked.args,
            (args, _) => keep(args),
        };
        if let Some(open) = self.open.get_mut(call.id.as_ref()) {
            open.args = args;
            return Ok(());
        }
        self.over.remove(call.id.as_ref());
        self.count += 1;
        let id = call.id.into_owned();
        let open = Open { number: self.count, tool: call.tool.into_owned(), args, started_ms: call.started_ms, at_ms };
        let told = tell(&open.call(&id));
        self.open.insert(id, open);
        told
    }

    /// A call is over; its start may never have come.
    pub(super) fn ended(&mut self, call: &event::Call, at_ms: Option<i64>, tell: impl FnOnce(&Call) -> Told) -> Told {
        let id = call.id.as_ref();
        let open = self.open.remove(id);
        // Calls without an id cannot repeat one another.
        if !id.is_empty() && !self.over.insert(id.to_owned()) && open.is_none() {
            return Ok(());
        }
        let asked = self.asked.remove(id);
        let number = open.as_ref().map_or_else(
            || {
                self.count += 1;
                self.count
            },
            |open| open.number,
        );
        let known = open.as_ref().map(|open| &open.args).or(asked.as_ref().map(|asked| &asked.args));
        let args = call.args.or_else(|| kept(known?));
        let started_ms = call.started_ms.or(open.as_ref().and_then(|open| open.started_ms));
        let begun_ms = open.as_ref().and_then(|open| open.at_ms);
        let ending = if call.failed { Ending::Failed } else { Ending::Completed };
        let tool = Tool::new(Cow::Borrowed(&call.tool), args, call.result, ending);
        // Two clocks are never mixed: the server's at both ends, else the client's at both ends, else the tool's own account.
        let between = |start: Option<i64>, end: Option<i64>| Some(end?.saturating_sub(start?).max(0));
        let duration_ms =
            between(started_ms, call.ended_ms).or_else(|| between(begun_ms, at_ms)).or_else(|| tool.duration_ms());
        tell(&Call { number, id, tool, started_ms: started_ms.or(begun_ms), duration_ms })
    }

    /// The agent asks about a call that may come.
    pub(super) fn asked(&mut self, call: event::Call) {
        if !call.id.is_empty() && !self.open.contains_key(call.id.as_ref()) {
            self.asked.insert(call.id.into_owned(), Asked { tool: call.tool.into_owned(), args: keep(call.args) });
        }
    }

    /// The run is over: tells the calls that never ended, then forgets them.
    pub(super) fn unfinished(&mut self, mut tell: impl FnMut(&Call) -> Told) -> Told {
        let mut open: Vec<(String, Open)> = self.open.drain().collect();
        open.sort_by_key(|(_, open)| open.number);
        open.iter().try_for_each(|(id, open)| tell(&open.call(id)))
    }

    /// Forgets all ids.
    pub(super) fn forget(&mut self) {
        *self = Self { count: self.count, ..Self::default() };
    }

    /// The run is over: tells the plans that were shown in a question, and for which no call came.
    pub(super) fn unanswered(&mut self, mut tell: impl FnMut(&Tool) -> Told) -> Told {
        let mut asked: Vec<(String, Asked)> = self.asked.drain().collect();
        asked.sort_by(|one, other| one.0.cmp(&other.0));
        asked.iter().try_for_each(|(_, asked)| {
            tell(&Tool::new(Cow::Borrowed(&asked.tool), kept(&asked.args), None, Ending::Open))
        })
    }
}

type Told = std::io::Result<()>;

impl Open {
    fn call<'a>(&'a self, id: &'a str) -> Call<'a> {
        let tool = Tool::new(Cow::Borrowed(&self.tool), kept(&self.args), None, Ending::Open);
        Call { number: self.number, id, tool, started_ms: self.started_ms.or(self.at_ms), duration_ms: None }
    }
}
