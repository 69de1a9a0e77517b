//! An agent that is started here: what it writes is recorded first and shown second, and it is ended where it does not end.
//!
//! Three threads: one reads the agent's output, one watches clocks and signals, and whoever shows reads from [`Behind`]. Between a
//! [`Client`] and an agent nobody shows, and one more thread reads what the client says. All they know of each other is in a [`Talk`].

mod frames;
mod proxy;
mod record;
mod system;
mod talk;
mod watch;

pub use proxy::Client;
pub use record::{Behind, Record};
pub use system::Exit;

use frames::Frames;
use std::io;
use std::process::{ChildStdin, ChildStdout, Command, Stdio};
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
    /// Why its client could not be told all.
    pub unpassed: Option<io::Error>,
}

/// An agent that was started. One that is dropped is ended.
pub struct Child {
    talk: Arc<Talk>,
    watch: Option<JoinHandle<Watched>>,
    /// What passes between it and its client.
    frames: Option<Arc<Frames>>,
    grace: Duration,
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
        let (child, _, output) = Self::begin(&mut command, limits)?;
        let behind = Behind::new(Arc::clone(&child.talk), record.begin()?);
        let reader = Arc::clone(&child.talk);
        thread::spawn(move || record.read(output, &reader));
        Ok((child, behind))
    }

    /// Starts an agent that talks with a client, and passes on what they say.
    ///
    /// # Errors
    /// Those of starting it.
    pub fn between(client: Client, mut command: Command, record: Record, limits: Limits) -> io::Result<Self> {
        let (mut child, input, output) = Self::begin(command.stdin(Stdio::piped()), limits)?;
        let frames = Arc::new(Frames::begin(record, Arc::clone(&child.talk)));
        let ours = || (Arc::clone(&frames), Arc::clone(&child.talk));
        let ((said, talk), (told, told_talk)) = (ours(), ours());
        thread::spawn(move || proxy::to_agent(client.input, input, &said, &talk));
        thread::spawn(move || proxy::to_client(output, client.output, &told, &told_talk));
        child.frames = Some(frames);
        Ok(child)
    }

    /// Starts an agent and the watch over it. Gives what it reads from, if that is a pipe, and what it writes into.
    fn begin(command: &mut Command, limits: Limits) -> io::Result<(Self, Option<ChildStdin>, ChildStdout)> {
        let talk = Arc::new(Talk::default());
        let ears = Ears::new()?;
        let began = Instant::now();
        let (group, input, output) = Group::start(command.stdout(Stdio::piped()))?;
        let teller = Arc::clone(&talk);
        ears.listen(move |signal| teller.signal(signal));
        let watcher = Arc::clone(&talk);
        let watch = thread::spawn(move || Watch::new(group, limits, began, &watcher).watch());
        Ok((Self { talk, watch: Some(watch), frames: None, grace: limits.grace }, input, output))
    }

    /// Whether every run of the agent so far has had its result.
    pub fn done(&self, done: bool) {
        self.talk.done(done);
    }

    /// Waits for its end.
    #[must_use]
    pub fn end(mut self) -> End {
        let seen = self.wait();
        if let Some(frames) = self.frames.take() {
            frames.end(self.grace);
        }
        let mut state = self.talk.lock();
        // A clock that ran out behind the result of the last run has cut nothing off.
        let late = state.done && state.written == seen.written;
        let stop = match seen.stop {
            Some(Stop::TimedOut(_) | Stop::Silent(_)) if late => Some(Stop::Finished),
            stop => stop,
        };
        let (record, unpassed) = (state.lost.take(), state.unpassed.take());
        drop(state);
        End { stop, exit: seen.exit, record, unpassed }
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
