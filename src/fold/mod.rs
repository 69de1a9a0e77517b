//! Turns events into steps: what is said once in a run is told once, in order, and nothing is lost. The state is kept by
//! session, so that sessions that write into one log do not mix.

mod calls;
mod segment;
mod step;

use crate::event::{Ended, Event, Kind, Mark};
use crate::tool::{Status, todos};
use crate::value::{Text, append, complete, lossy};
use calls::Pairs;
use segment::{Next, Segment};
use std::borrow::Cow;
use std::collections::HashMap;
use std::io;

pub use crate::event::{Calls, Context, Fault, Field, Finding, Needs, Note, Side, Usage};
pub use step::{Call, Count, End, Outcome, Output, Run, Step, What};

/// What the fold tells its steps to. An error of it goes straight up.
pub type Tell<'t> = dyn FnMut(Step<'_>) -> io::Result<()> + 't;

/// The state of all runs of an input.
pub struct Fold {
    needs: Needs,
    /// The last run of each session.
    states: Vec<State>,
    /// Where in `states` a session's is.
    sessions: HashMap<String, usize>,
    /// The session of the last event: events that do not say theirs belong to it.
    last: Option<usize>,
    /// How many runs there were.
    runs: usize,
}

/// The state of a session's last run.
struct State {
    run: Run,
    segment: Segment,
    calls: Pairs,
    count: Count,
    /// The end of a thought that is half a character.
    thought: Vec<u8>,
    /// The first time in the log, in milliseconds since 1970.
    began_ms: Option<i64>,
    over: Option<Over>,
}

/// A run that has had its result.
struct Over {
    request: Option<String>,
}

impl Fold {
    /// A fold whose first run has the number behind `runs`, and of which this is asked for.
    #[must_use]
    pub fn new(runs: usize, needs: Needs) -> Self {
        Self { needs, states: Vec::new(), sessions: HashMap::new(), last: None, runs }
    }

    /// How many runs there were, with those before this fold.
    #[must_use]
    pub fn runs(&self) -> usize {
        self.runs
    }

    /// Tells the steps that an event makes.
    ///
    /// # Errors
    /// Those of `tell`.
    pub fn read(&mut self, event: &Event, tell: &mut Tell) -> io::Result<()> {
        // What is wrong with a log is no part of a run.
        if let Kind::Found(finding) = &event.kind {
            return self.found(event.session, finding, tell);
        }
        let last = self.last;
        let place = self.place(event.session);
        if last != place {
            // What this session says comes behind what the last one has said.
            self.leave(last, tell)?;
        }
        // What is not told to all does not say whose the next line is.
        if matches!(event.kind, Kind::Printed(_)) {
            self.last = last;
        }
        match place.map(|place| &mut self.states[place]) {
            Some(state) if !state.is_followed_by(&event.kind) => state.read(event, self.needs, tell),
            _ => self.begin(place, event, tell),
        }
    }

    fn found(&mut self, session: Text, finding: &Finding, tell: &mut Tell) -> io::Result<()> {
        self.pause(tell)?;
        let place = if session.is_empty() { self.last } else { self.sessions.get(session.decode().as_ref()).copied() };
        let nowhere = Run::default();
        let run = place.map_or(&nowhere, |place| &self.states[place].run);
        tell(Step { run, kind: What::Found(finding) })
    }

    /// A run begins; the last one of its session is at `place`.
    #[cold]
    fn begin(&mut self, place: Option<usize>, event: &Event, tell: &mut Tell) -> io::Result<()> {
        let before = place.map(|place| &mut self.states[place]);
        let session = match &before {
            Some(before) => before.run.session.clone(),
            None => event.session.decode().into_owned(),
        };
        if let Some(before) = before.filter(|state| state.over.is_none()) {
            before.end(Outcome::Resumed, tell)?;
        }
        self.runs += 1;
        let mut run = Run { number: self.runs, session, ..Run::default() };
        if let Kind::Began { model, cwd } = &event.kind {
            run.model = model.as_deref().map(str::to_owned);
            run.cwd = cwd.as_deref().map(str::to_owned);
        }
        let mut state = State::new(run, self.needs);
        tell(Step { run: &state.run, kind: What::Began })?;
        state.read(event, self.needs, tell)?;
        if let Some(place) = place {
            self.states[place] = state;
        } else {
            self.last = Some(self.states.len());
            self.sessions.insert(state.run.session.clone(), self.states.len());
            self.states.push(state);
        }
        Ok(())
    }

    /// Where the state of a session is. Most often it is the last one's.
    fn place(&mut self, session: Text) -> Option<usize> {
        let is_last = |last: &usize| session.is_empty() || session.is(self.states[*last].run.session.as_bytes());
        let last = self.last.filter(is_last);
        let place = last.or_else(|| self.sessions.get(session.decode().as_ref()).copied());
        self.last = place.or(self.last);
        place
    }

    /// Nothing more comes for now: tells what waits for it.
    ///
    /// # Errors
    /// Those of `tell`.
    pub fn pause(&mut self, tell: &mut Tell) -> io::Result<()> {
        self.leave(self.last, tell)
    }

    fn leave(&mut self, place: Option<usize>, tell: &mut Tell) -> io::Result<()> {
        let Some(State { run, segment, .. }) = place.map(|place| &mut self.states[place]) else { return Ok(()) };
        segment.leave(&mut as_steps(run, tell))
    }

    /// The input is over: tells what was still held, and the runs that were cut.
    ///
    /// # Errors
    /// Those of `tell`.
    pub fn end(&mut self, tell: &mut Tell) -> io::Result<()> {
        self.pause(tell)?;
        self.sessions.clear();
        self.last = None;
        let mut open: Vec<State> = self.states.drain(..).filter(|state| state.over.is_none()).collect();
        open.sort_by_key(|state| state.run.number);
        open.iter_mut().try_for_each(|state| state.end(Outcome::Cut, tell))
    }
}

impl Over {
    /// Whether what comes behind the result belongs to a new run, of which the beginning is missing. A second result of the
    /// same request, a note or the late end of a call do not.
    fn is_followed_by(&self, kind: &Kind) -> bool {
        match kind {
            Kind::Began { .. } | Kind::Prompted(_) | Kind::Said(..) | Kind::CallStarted(_) | Kind::Queried(_) => true,
            Kind::Ended(ended) => ended.request.is_some() && ended.request.as_deref() != self.request.as_deref(),
            Kind::Thought(_)
            | Kind::ThoughtEnded
            | Kind::MessageEnded
            | Kind::CallEnded(_)
            | Kind::Printed(_)
            | Kind::Listed(_)
            | Kind::Noted(_)
            | Kind::Found(_) => false,
        }
    }
}

impl State {
    fn new(run: Run, needs: Needs) -> Self {
        Self {
            run,
            segment: Segment::new(needs),
            calls: Pairs::default(),
            count: Count::default(),
            thought: Vec::new(),
            began_ms: None,
            over: None,
        }
    }

    /// Whether an event of this kind begins a new run.
    fn is_followed_by(&self, kind: &Kind) -> bool {
        matches!(kind, Kind::Began { .. }) || self.over.as_ref().is_some_and(|over| over.is_followed_by(kind))
    }

    fn read(&mut self, event: &Event, needs: Needs, tell: &mut Tell) -> io::Result<()> {
        let kind = &event.kind;
        if needs.times
            && let Some(at) = event.at_ms()
        {
            let elapsed = at.saturating_sub(*self.began_ms.get_or_insert(at));
            self.run.elapsed_ms = self.run.elapsed_ms.max(elapsed);
        }
        if needs.pieces || needs.messages || (needs.fields && self.makes_answer(kind)) {
            self.text(kind, tell)?;
        }
        let run = &self.run;
        let count = &mut self.count;
        match kind {
            Kind::Began { .. } | Kind::Said(..) | Kind::MessageEnded | Kind::Found(_) => Ok(()),
            Kind::Prompted(_) if !needs.prompts => Ok(()),
            Kind::Prompted(text) => tell(Step { run, kind: What::Prompt(text.decode()) }),
            Kind::Thought(_) | Kind::ThoughtEnded if !needs.thoughts => Ok(()),
            Kind::Thought(text) => {
                append(&mut self.thought, &text.bytes());
                let whole = complete(&self.thought);
                if whole > 0 {
                    tell(Step { run, kind: What::Thought(lossy(&self.thought[..whole])) })?;
                    self.thought.drain(..whole);
                }
                Ok(())
            }
            Kind::ThoughtEnded => {
                self.thought.clear();
                tell(Step { run, kind: What::ThoughtEnded })
            }
            Kind::CallStarted(call) => call.as_ref().map_or(Ok(()), |call| {
                self.calls.started(call, event.at_ms(), |call| tell(Step { run, kind: What::CallStarted(call) }))
            }),
            Kind::CallEnded(call) => call.as_ref().map_or(Ok(()), |call| {
                self.calls.ended(call, event.at_ms(), |call| {
                    if call.late {
                        count.ended_late(call.tool.status());
                    } else {
                        count.add(call.tool.status());
                    }
                    tell(Step { run, kind: What::CallEnded(call) })
                })
            }),
            Kind::Queried(call) => {
                if let Some(call) = call {
                    self.calls.asked(call);
                }
                Ok(())
            }
            Kind::Printed(printed) => {
                let output = Output { text: printed.text.decode(), gap: printed.gap };
                self.calls
                    .open(&printed.id, &printed.same, |call| tell(Step { run, kind: What::Printed(call, &output) }))
            }
            Kind::Listed(list) => tell(Step { run, kind: What::Todos(todos(*list)) }),
            Kind::Noted(note) => tell(Step { run, kind: What::Noted(note) }),
            Kind::Ended(ended) => self.ended(ended, needs, tell),
        }
    }

    /// Whether an event matters to the answer of a run whose result does not repeat it.
    fn makes_answer(&self, kind: &Kind) -> bool {
        match kind {
            Kind::Said(_, Mark::New | Mark::Whole) => true,
            Kind::MessageEnded | Kind::CallStarted(_) | Kind::Ended(_) => !self.segment.is_empty(),
            Kind::Began { .. }
            | Kind::Prompted(_)
            | Kind::Thought(_)
            | Kind::ThoughtEnded
            | Kind::Said(_, Mark::Piece | Mark::BeforeCall | Mark::Bare)
            | Kind::CallEnded(_)
            | Kind::Printed(_)
            | Kind::Listed(_)
            | Kind::Queried(_)
            | Kind::Noted(_)
            | Kind::Found(_) => false,
        }
    }

    /// What an event means for the text: new text, a boundary, or the answer to what a held piece was.
    fn text(&mut self, kind: &Kind, tell: &mut Tell) -> io::Result<()> {
        let tell = &mut as_steps(&self.run, tell);
        if !matches!(kind, Kind::Said(..)) {
            self.segment.leave(tell)?;
        }
        match kind {
            Kind::Said(text, mark) => self.segment.said(*text, *mark, tell),
            Kind::Began { .. } | Kind::Prompted(_) | Kind::MessageEnded | Kind::CallStarted(_) => {
                self.segment.close(tell)
            }
            Kind::Queried(_) => {
                self.segment.settle(Next::Flushed, tell)?;
                self.segment.close(tell)
            }
            Kind::Noted(Note::Retrying { .. } | Note::Resuming) => self.segment.retry(tell),
            // The flush for a retry may stand before the lines about the connection.
            Kind::Noted(Note::Reconnecting { .. } | Note::Reconnected) | Kind::Found(_) => Ok(()),
            Kind::Noted(
                Note::Task { .. }
                | Note::Mode(_)
                | Note::Allowed { .. }
                | Note::Cancelled
                | Note::OneSided(_)
                | Note::Notice { .. },
            )
            | Kind::Thought(_)
            | Kind::ThoughtEnded
            | Kind::CallEnded(_)
            | Kind::Printed(_)
            | Kind::Listed(_) => self.segment.settle(Next::Other, tell),
            Kind::Ended(ended) => self.segment.end(ended.text, tell),
        }
    }

    fn ended(&mut self, ended: &Ended, needs: Needs, tell: &mut Tell) -> io::Result<()> {
        // A second result of a run counts only where it says that the run failed after all.
        if self.over.is_some() && ended.failure.is_none() {
            return Ok(());
        }
        let outcome = ended.failure.as_deref().map_or(Outcome::Succeeded, |why| Outcome::Failed(why.into()));
        self.finish(outcome, Some(ended), tell)?;
        let request = ended.request.clone().map(Cow::into_owned);
        self.over = Some(Over { request });
        // A session that is not resumed must not keep its run's text.
        self.segment = Segment::new(needs);
        Ok(())
    }

    fn end(&mut self, outcome: Outcome, tell: &mut Tell) -> io::Result<()> {
        self.segment.cut(&mut as_steps(&self.run, tell))?;
        self.finish(outcome, None, tell)
    }

    fn finish(&mut self, outcome: Outcome, ended: Option<&Ended>, tell: &mut Tell) -> io::Result<()> {
        let run = &self.run;
        let count = &mut self.count;
        self.calls.unfinished(|call| {
            count.add(Status::Unfinished);
            tell(Step { run, kind: What::CallEnded(call) })
        })?;
        self.calls.end(|plan| tell(Step { run, kind: What::Plan(plan.into()) }))?;
        let answer = self.segment.answer();
        let mut fields = Cow::Borrowed(ended.map_or(&[][..], |ended| &ended.fields));
        if let Some(place) = fields.iter().position(|(_, value)| value.is_empty()) {
            fields.to_mut()[place].1 = Cow::Owned(serde_json::Value::from(answer.as_ref()).to_string().into_bytes());
        }
        let end = End {
            outcome,
            duration_ms: ended.and_then(|ended| ended.duration_ms),
            usage: ended.and_then(|ended| ended.usage),
            context: ended.and_then(|ended| ended.context.as_ref()),
            answer,
            fields: &fields,
            calls: self.count,
        };
        tell(Step { run, kind: What::Ended(&end) })
    }
}

/// Tells what becomes known of a run's text as steps of that run.
fn as_steps<'t>(run: &'t Run, tell: &'t mut Tell<'_>) -> impl FnMut(segment::Told<'_>) -> io::Result<()> + 't {
    move |told| {
        let kind = match told {
            segment::Told::Piece(text) => What::Text(text),
            segment::Told::Message(text) => What::Message(text),
            segment::Told::Corrected(text) => What::Corrected(text),
            segment::Told::Found(finding) => return tell(Step { run, kind: What::Found(&finding) }),
        };
        tell(Step { run, kind })
    }
}
