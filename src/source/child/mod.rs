//! An agent that is started here: what it writes is recorded first and shown second, and it is ended where it does not end.
//!
//! Three threads: one reads the agent's output, one watches clocks and signals, and whoever shows reads from [`Behind`]. All they
//! know of each other is in a [`Talk`].

mod record;
mod system;
mod talk;
mod watch;

pub use record::{Behind, Record};
pub use system::Exit;

use std::io;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use system::{Ears, Group};
use talk::Talk;
use watch::Watch;

/// How long an agent may take.
#[derive(Clone, Copy)]
pub struct Limits {
    /// For all of it.
    pub total: Option<Duration>,
    /// Without a byte.
    pub idle: Option<Duration>,
    /// To end, once it has no more to do or is told to.
    pub grace: Duration,
}

/// Why an agent was ended from here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// It had given its result.
    Finished,
    /// It took longer than this.
    TimedOut(Duration),
    /// It was silent for so long.
    Silent(Duration),
    /// This signal came.
    Signal(u8),
    /// Nobody wants to see any more.
    Unwanted,
}

/// How it ended.
pub struct End {
    /// Why it was ended, if it did not end by itself.
    pub stop: Option<Stop>,
    /// Its own status, if that is known.
    pub exit: Option<Exit>,
    /// Why the record is not whole.
    pub record: Option<io::Error>,
}

/// An agent that was started. One that is dropped is ended.
pub struct Child {
    talk: Arc<Talk>,
    watch: Option<JoinHandle<Watched>>,
}

/// What the watch has seen.
#[derive(Default)]
struct Watched {
    stop: Option<Stop>,
    /// How much the agent had written when a clock ran out.
    written: u64,
    exit: Option<Exit>,
}

impl Child {
    /// Starts an agent, and gives what it writes.
    ///
    /// # Errors
    /// Those of starting it.
    pub fn start(mut command: Command, mut record: Record, limits: Limits) -> io::Result<(Self, Behind)> {
        let talk = Arc::new(Talk::default());
        let ears = Ears::new()?;
        let began = Instant::now();
        let (group, output) = Group::start(command.stdout(Stdio::piped()))?;
        let teller = Arc::clone(&talk);
        ears.listen(move |signal| teller.signal(signal));
        let behind = Behind::new(Arc::clone(&talk), record.begin()?);
        let reader = Arc::clone(&talk);
        thread::spawn(move || record.read(output, &reader));
        let watcher = Arc::clone(&talk);
        let watch = thread::spawn(move || Watch::new(group, limits, began, &watcher).watch());
        Ok((Self { talk, watch: Some(watch) }, behind))
    }

    /// Whether every run of the agent so far has had its result.
    pub fn done(&self, done: bool) {
        self.talk.done(done);
    }

    /// Waits for its end.
    #[must_use]
    pub fn end(mut self) -> End {
        let seen = self.wait();
        let state = self.talk.lock();
        // A clock that ran out behind the result of the last run has cut nothing off.
        let late = state.done && state.written == seen.written;
        let stop = match seen.stop {
            Some(Stop::TimedOut(_) | Stop::Silent(_)) if late => Some(Stop::Finished),
            stop => stop,
        };
        drop(state);
        End { stop, exit: seen.exit, record: self.talk.lock().lost.take() }
    }

    fn wait(&mut self) -> Watched {
        self.watch.take().and_then(|watch| watch.join().ok()).unwrap_or_default()
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        self.talk.leave();
        self.wait();
    }
}
