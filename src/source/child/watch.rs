//! Watches clocks, signals and the agent, and sees to it that nothing of it stays behind.

use super::system::{Ask, Exit, Group};
use super::talk::Talk;
use super::{Limits, Stop, Watched};
use std::time::{Duration, Instant};

/// How long what has nothing to do any more may take to go.
const SOON: Duration = Duration::from_millis(500);

/// How often the watch looks by itself; shortly behind news, more often.
const LOOK: Duration = Duration::from_millis(50);
const FIRST_LOOK: Duration = Duration::from_millis(1);

/// Watches over an agent.
pub(super) struct Watch<'t> {
    group: Group,
    limits: Limits,
    talk: &'t Talk,
    began: Instant,
    ended: Option<(Exit, Instant)>,
    stop: Option<Stop>,
    /// How much the agent had written when it was stopped.
    written: u64,
    phase: Phase,
    /// A signal has come.
    hurried: bool,
}

/// How far it is with ending the agent.
#[derive(Clone, Copy)]
enum Phase {
    Free,
    /// It was asked to end, and has until then.
    Asked(Instant),
    Killed(Instant),
}

/// What is known at a look.
struct Look {
    now: Instant,
    over: bool,
    left: bool,
    /// Since when nothing has come.
    silent: Option<Instant>,
    /// Since when, if so, its client has said nothing either.
    idle: Option<Instant>,
    /// Since when the record takes nothing, or the client of an agent that did not end by itself.
    stuck: Option<Instant>,
    /// Since when every run has had its result, all is shown, and nothing has come.
    settled: Option<Instant>,
    /// Since when its client says no more, and nothing has come.
    closed: Option<Instant>,
}

impl<'t> Watch<'t> {
    pub(super) fn new(group: Group, limits: Limits, began: Instant, talk: &'t Talk) -> Self {
        Self { group, limits, talk, began, ended: None, stop: None, written: 0, phase: Phase::Free, hurried: false }
    }

    /// Watches until nothing is left of the agent.
    pub(super) fn watch(mut self) -> Watched {
        let mut pause = FIRST_LOOK;
        while !self.is_over() {
            let news = self.talk.wait_for_news(pause);
            pause = if news { FIRST_LOOK } else { (pause * 2).min(LOOK) };
        }
        self.group.take_terminal();
        self.talk.unwatched();
        Watched { stop: self.stop, written: self.written, exit: self.ended.map(|(exit, _)| exit) }
    }

    /// Looks, and does what is to be done. Whether nothing is.
    fn is_over(&mut self) -> bool {
        if self.ended.is_none() {
            let may_read = matches!(self.phase, Phase::Free);
            self.ended = self.group.look(may_read).map(|exit| (exit, Instant::now()));
            if self.ended.is_some() {
                self.hurry();
            }
        }
        let signals = std::mem::take(&mut self.talk.lock().signals);
        for signal in signals {
            self.signal(signal);
        }
        let look = self.see();
        // Asked also while there is more to read, so that the number of a group that is gone is not used any more.
        if self.ended.is_some() && !self.group.lives() && look.over {
            return true;
        }
        let passed = |since: Instant, time: Duration| look.now.saturating_duration_since(since) >= time;
        match self.phase {
            Phase::Free => {
                if let Some((stop, patience)) = self.due(&look) {
                    self.end(stop, Ask::End, patience);
                }
                false
            }
            Phase::Asked(until) => {
                if look.now >= until {
                    self.kill();
                }
                false
            }
            Phase::Killed(since) => {
                // What was born meanwhile.
                self.group.ask(Ask::Kill);
                // What nobody here can end may hold the pipe, and all that it held is read.
                let stuck = look.stuck.is_some_and(|since| passed(since, self.limits.grace));
                passed(since, SOON) && (stuck || look.silent.is_some_and(|since| passed(since, SOON)))
            }
        }
    }

    fn see(&self) -> Look {
        let state = self.talk.lock();
        let settled =
            if state.done { state.shown.zip(state.silent).map(|(shown, silent)| shown.max(silent)) } else { None };
        let unwanted = self.stop.is_some() || self.hurried;
        Look {
            now: Instant::now(),
            over: state.over,
            left: state.left,
            silent: state.silent,
            idle: state.silent.map(|silent| state.told.map_or(silent, |told| told.max(silent))),
            stuck: state.keeping.or(state.passing.filter(|_| unwanted)),
            settled,
            closed: state.closed.zip(state.silent).map(|(closed, silent)| closed.max(silent)),
        }
    }

    /// Whether the agent is to be ended: why, and in what time. What it has left behind is ended without a reason.
    fn due(&self, look: &Look) -> Option<(Option<Stop>, Duration)> {
        let Limits { total, idle, grace } = self.limits;
        let passed = |since: Instant, time: Duration| look.now.saturating_duration_since(since) >= time;
        if let Some((_, since)) = self.ended {
            return (look.over || passed(since, grace)).then_some((None, SOON));
        }
        // Who has closed the input of an agent has told it to end.
        if look.settled.or(look.closed).is_some_and(|since| passed(since, grace)) {
            return Some((Some(Stop::Finished), SOON));
        }
        // Behind its result it has no more to do.
        let patience = if look.settled.is_some() { SOON } else { grace };
        if let Some(total) = total.filter(|total| passed(self.began, *total)) {
            return Some((Some(Stop::TimedOut(total)), patience));
        }
        if let Some(idle) = idle.filter(|idle| look.idle.is_some_and(|since| passed(since, *idle))) {
            return Some((Some(Stop::Silent(idle)), patience));
        }
        (look.left && !look.over).then_some((Some(Stop::Unwanted), grace))
    }

    fn signal(&mut self, signal: u8) {
        if Group::pauses(signal) {
            return self.pause(signal);
        }
        self.hurried = true;
        match self.phase {
            Phase::Free => self.end(Some(Stop::Signal(signal)), Ask::Pass(signal), self.limits.grace),
            // Who asks twice does not want to wait.
            Phase::Asked(_) => self.kill(),
            Phase::Killed(_) => {}
        }
    }

    fn pause(&mut self, signal: u8) {
        self.group.pause(signal);
        // The agent was not silent meanwhile, it was not there.
        if let Some(silent) = &mut self.talk.lock().silent {
            *silent = Instant::now();
        }
    }

    fn end(&mut self, stop: Option<Stop>, ask: Ask, patience: Duration) {
        self.stop = stop;
        self.written = self.talk.lock().written;
        // The terminal has told a signal of its own to all who had it.
        let had_terminal = self.group.take_terminal();
        if !(had_terminal && matches!(stop, Some(Stop::Signal(signal)) if Group::is_typed(signal))) {
            self.group.ask(ask);
        }
        let now = Instant::now();
        // A time that has no end in this clock is as good as a year.
        self.phase = Phase::Asked(now.checked_add(patience).unwrap_or(now + Duration::from_secs(365 * 24 * 3600)));
    }

    /// An agent that was told to end has done so. What it has left behind need not be waited for any longer.
    fn hurry(&mut self) {
        if let Phase::Asked(until) = self.phase {
            self.group.ask(Ask::End);
            self.phase = Phase::Asked(until.min(Instant::now() + SOON));
        }
    }

    fn kill(&mut self) {
        self.group.take_terminal();
        self.group.ask(Ask::Kill);
        self.phase = Phase::Killed(Instant::now());
    }
}
