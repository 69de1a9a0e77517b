//! What the threads around an agent know of each other.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How much waits in memory for whoever shows it.
const ROOM: usize = 256 << 10;

/// The state, and who is to be woken by a change of it.
#[derive(Default)]
pub(super) struct Talk {
    state: Mutex<State>,
    /// There is more to show.
    more: Condvar,
    /// There is room for more.
    room: Condvar,
    /// There is something for the watch to see.
    news: Condvar,
}

/// What is known.
#[expect(clippy::struct_excessive_bools, reason = "each is told by another thread, and any may come with any")]
#[derive(Default)]
pub(super) struct State {
    /// How much the agent has written.
    pub(super) written: u64,
    /// How much of it is in the record, and can be read back from there.
    pub(super) recorded: u64,
    /// What is behind that.
    pub(super) pending: Vec<u8>,
    /// Since when no byte has come, while one was waited for.
    pub(super) silent: Option<Instant>,
    /// When its client last said something.
    pub(super) told: Option<Instant>,
    /// Since when it is known to the agent that its client says no more.
    pub(super) closed: Option<Instant>,
    /// Since when bytes are written into the record.
    pub(super) keeping: Option<Instant>,
    /// Since when the client has taken nothing that is passed on.
    pub(super) passing: Option<Instant>,
    /// Nothing more will come.
    pub(super) over: bool,
    /// Since when all is shown.
    pub(super) shown: Option<Instant>,
    /// Every run so far has had its result.
    pub(super) done: bool,
    /// Nobody shows any more.
    pub(super) left: bool,
    /// Something for the watch has changed.
    pub(super) news: bool,
    /// Nobody watches any more.
    pub(super) unwatched: bool,
    /// The signals that have come.
    pub(super) signals: Vec<u8>,
    /// Why the record is not whole.
    pub(super) lost: Option<std::io::Error>,
    /// Why no more could be passed on.
    pub(super) unpassed: Option<std::io::Error>,
}

impl Talk {
    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next byte is waited for.
    pub(super) fn listening(&self) {
        self.lock().silent = Some(Instant::now());
    }

    /// So many bytes have come.
    pub(super) fn heard(&self, count: usize) {
        let mut state = self.lock();
        state.silent = None;
        state.written += count as u64;
    }

    /// Bytes are about to be written into the record, or have been.
    pub(super) fn keeping(&self, begins: bool) {
        self.lock().keeping = begins.then(Instant::now);
    }

    /// Bytes are about to be passed on to the client, or have been.
    pub(super) fn passing(&self, begins: bool) {
        self.lock().passing = begins.then(Instant::now);
    }

    /// Nothing more can be passed on to the client.
    pub(super) fn unpassed(&self, error: std::io::Error) {
        self.lock().unpassed = Some(error);
        self.leave();
    }

    /// The client has said something.
    pub(super) fn told(&self) {
        self.lock().told = Some(Instant::now());
    }

    /// The client says no more, and the agent knows.
    pub(super) fn closed(&self) {
        let mut state = self.lock();
        state.closed = Some(Instant::now());
        state.news = true;
        self.news.notify_one();
    }

    /// So many bytes more are in the record.
    pub(super) fn recorded(&self, count: usize) {
        self.lock().recorded += count as u64;
        self.more.notify_one();
    }

    /// Hands bytes over, and waits while there is no room.
    pub(super) fn hand_over(&self, bytes: &[u8]) {
        let mut state = self.lock();
        while state.pending.len() >= ROOM && !state.left {
            state = self.room.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if !state.left {
            state.pending.extend_from_slice(bytes);
            self.more.notify_one();
        }
    }

    /// Nothing more will come.
    pub(super) fn over(&self) {
        let mut state = self.lock();
        state.over = true;
        state.silent.get_or_insert_with(Instant::now);
        state.news = true;
        self.more.notify_one();
        self.news.notify_one();
    }

    /// Nothing more will come, nor will anybody watch.
    pub(super) fn unwatched(&self) {
        self.lock().unwatched = true;
        self.over();
    }

    /// Waits for more to show, but not for long.
    pub(super) fn wait_for_more(&self, shown: u64, patience: Duration) -> MutexGuard<'_, State> {
        let mut state = self.lock();
        let nothing = |state: &mut State| !state.over && state.recorded == shown && state.pending.is_empty();
        if nothing(&mut state) {
            state.shown.get_or_insert_with(Instant::now);
            (state, _) = self.more.wait_timeout_while(state, patience, nothing).unwrap_or_else(PoisonError::into_inner);
        }
        if state.recorded > shown || !state.pending.is_empty() {
            state.shown = None;
        }
        state
    }

    /// Takes what is handed over, in exchange for a vector to fill anew.
    pub(super) fn take(&self, state: &mut State, chunk: &mut Vec<u8>) {
        chunk.clear();
        std::mem::swap(&mut state.pending, chunk);
        self.room.notify_one();
    }

    pub(super) fn done(&self, done: bool) {
        self.lock().done = done;
    }

    /// Nobody shows any more.
    pub(super) fn leave(&self) {
        let mut state = self.lock();
        state.left = true;
        state.news = true;
        self.room.notify_one();
        self.news.notify_one();
    }

    /// A signal has come. Whether anybody minds.
    pub(super) fn signal(&self, signal: u8) -> bool {
        let mut state = self.lock();
        state.signals.push(signal);
        state.news = true;
        self.news.notify_one();
        !state.unwatched
    }

    /// Waits for news, but not for long. Whether there were any.
    pub(super) fn wait_for_news(&self, patience: Duration) -> bool {
        let (mut state, _) = self
            .news
            .wait_timeout_while(self.lock(), patience, |state| !state.news)
            .unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut state.news)
    }
}
