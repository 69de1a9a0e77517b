//! The calls that are under way.

use super::call::Call;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::ops::{Index, IndexMut};

/// Calls, in the order in which they were announced.
#[derive(Default)]
pub(super) struct Open {
    calls: BTreeMap<usize, Call>,
    places: HashMap<String, usize>,
    next: usize,
    /// Those of which no start was told.
    silent: BTreeSet<usize>,
    /// The ids of those that are over, and the last of these.
    over: HashSet<String>,
    last: VecDeque<Call>,
    /// Those that a run has left unfinished. Something may still be heard of them.
    left: HashMap<String, Call>,
}

/// So many calls that are over can still change.
const LAST: usize = 16;

impl Open {
    pub(super) fn place(&self, id: &str) -> Option<usize> {
        self.places.get(id).copied()
    }

    pub(super) fn add(&mut self, call: Call) -> usize {
        let place = self.next;
        self.next += 1;
        self.over.remove(&call.id);
        self.places.insert(call.id.clone(), place);
        if !call.started {
            self.silent.insert(place);
        }
        self.calls.insert(place, call);
        place
    }

    /// The start of a call is told. Whether it was not before.
    pub(super) fn start(&mut self, place: usize) -> bool {
        self.silent.remove(&place);
        !std::mem::replace(&mut self[place].started, true)
    }

    /// The first of those whose start was not told.
    pub(super) fn silent(&self) -> Option<usize> {
        self.silent.first().copied()
    }

    pub(super) fn all(&self) -> impl DoubleEndedIterator<Item = (usize, &Call)> {
        self.calls.iter().map(|(place, call)| (*place, call))
    }

    /// A call is over.
    pub(super) fn end(&mut self, place: usize) {
        if let Some(call) = self.remove(place) {
            self.over.insert(call.id.clone());
            self.remember(call);
        }
    }

    /// Keeps a call that is over, since some agents say more of it then.
    pub(super) fn remember(&mut self, call: Call) {
        if self.last.len() >= LAST {
            self.last.pop_front();
        }
        self.last.push_back(call);
    }

    /// One of the last calls that are over.
    pub(super) fn recall(&mut self, id: &str) -> Option<Call> {
        let place = self.last.iter().rposition(|call| call.id == id)?;
        self.last.remove(place)
    }

    /// A run leaves a call unfinished.
    pub(super) fn leave(&mut self, place: usize) {
        if let Some(mut call) = self.remove(place) {
            call.forget();
            self.left.insert(call.id.clone(), call);
        }
    }

    fn remove(&mut self, place: usize) -> Option<Call> {
        self.silent.remove(&place);
        let call = self.calls.remove(&place)?;
        if self.places.get(&call.id) == Some(&place) {
            self.places.remove(&call.id);
        }
        Some(call)
    }

    /// Whether a call says something of this path.
    pub(super) fn mention(&self, path: &str) -> bool {
        let json = serde_json::Value::from(path).to_string();
        self.calls.values().chain(&self.last).any(|call| call.mentions(json.as_bytes()))
    }

    /// Whether a call of this id is over, and none is open.
    pub(super) fn is_over(&self, id: &str) -> bool {
        self.over.contains(id)
    }

    /// Takes up again a call that was left, and which another run goes on with, if it `anew`.
    pub(super) fn take_up(&mut self, id: &str, anew: bool) -> Option<usize> {
        let mut call = self.left.remove(id)?;
        call.started &= !anew;
        Some(self.add(call))
    }
}

impl Index<usize> for Open {
    type Output = Call;

    fn index(&self, place: usize) -> &Call {
        &self.calls[&place]
    }
}

impl IndexMut<usize> for Open {
    fn index_mut(&mut self, place: usize) -> &mut Call {
        self.calls.get_mut(&place).expect("a place is one of a call that is open")
    }
}
