//! A transcript to read, live.

mod call;
mod detail;
mod printed;

use super::excerpt::Length;
use super::{View, words};
use crate::fold::{Call, Calls, End, Needs, Note, Outcome, Output, Run, Step, What};
use crate::human;
use crate::page::{Ink, Page, Sign, columns};
use crate::tool::Detail;
use call::Parts;
use detail::Extent;
use printed::Printed;
use std::io;
use std::time::Instant;

pub(super) const EXAMPLES: &str = "\
Examples:
  agent --print --output-format stream-json --stream-partial-output \"$PROMPT\" | cursor-fmt
  cursor-fmt --thinking --output full run.ndjson      with all that the log holds
  cursor-fmt run.ndjson                               instead of: jq -C . run.ndjson";

/// Shows a transcript to read: the prompt, the text as it comes, each call with its result, how it ended.
#[derive(clap::Args)]
pub struct Pretty {
    /// Show what the agent thinks
    #[arg(long)]
    thinking: bool,

    /// What to show of calls: nothing but their lines, failures and changes in short, or all that they gave
    #[arg(long, value_enum, default_value_t, value_name = "none|short|full", hide_possible_values = true)]
    output: Extent,

    #[arg(skip)]
    last: Option<(usize, Part)>,

    #[arg(skip)]
    running: Vec<Running>,

    #[arg(skip)]
    printed: Vec<Printed>,

    #[arg(skip)]
    turns: usize,
}

/// What stands at the end of the transcript. Parts of one sort follow each other closely; between others is an empty line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Head,
    Prompt,
    Text,
    /// A message that is over: the next one is set apart from it.
    Message,
    Thought,
    Call,
    /// What the command of this call prints.
    Output(usize),
    Note,
    Unreadable,
    End,
}

/// A call that has not ended, for its line on a terminal.
struct Running {
    run: usize,
    number: usize,
    parts: Parts,
    since: Instant,
}

impl View for Pretty {
    fn needs(&self) -> Needs {
        let calls = if self.output == Extent::Full { Calls::Full } else { Calls::Short };
        Needs {
            prompts: true,
            pieces: true,
            messages: true,
            thoughts: self.thinking,
            calls,
            printed: true,
            ..Needs::NONE
        }
    }

    fn step(&mut self, step: &Step, page: &mut Page) -> io::Result<()> {
        let run = step.run;
        match &step.kind {
            What::Began => self.head(run, page),
            What::Prompt(text) => {
                self.begin(run, Part::Prompt, page)?;
                page.sign(Ink::Accent, Sign::Prompt)?;
                page.put(Ink::Plain, " ")?;
                detail::indented(text, "  ", Ink::Strong, self.length(Length::PROMPT), page)
            }
            What::Text(text) => {
                self.begin(run, Part::Text, page)?;
                page.put(Ink::Plain, text)
            }
            What::Message(_) => {
                if self.last == Some((run.number, Part::Text)) {
                    self.last = Some((run.number, Part::Message));
                }
                Ok(())
            }
            What::Corrected(text) => {
                self.note(run, Ink::Warn, "pieces of this message were lost; the whole of it:", page)?;
                self.begin(run, Part::Text, page)?;
                page.put(Ink::Plain, text)
            }
            What::Thought(text) if self.thinking => {
                if !self.begin(run, Part::Thought, page)? {
                    return page.put(Ink::Dim, text);
                }
                page.sign(Ink::Dim, Sign::Thought)?;
                page.put(Ink::Dim, " ")?;
                // A later thought may begin with the empty line that parts it from the one before.
                page.put(Ink::Dim, text.trim_start_matches('\n'))
            }
            What::ThoughtEnded if self.last == Some((run.number, Part::Thought)) => {
                page.end_line()?;
                self.last = Some((run.number, Part::Message));
                Ok(())
            }
            What::Thought(_) | What::ThoughtEnded | What::Found(_) => Ok(()),
            What::CallStarted(call) => {
                if page.look().live {
                    // Its live line stands where its last line will.
                    self.begin(run, Part::Call, page)?;
                    let parts = call::parts(call, run, page);
                    self.running.push(Running { run: run.number, number: call.number, parts, since: Instant::now() });
                }
                Ok(())
            }
            What::CallEnded(call) => self.call(run, call, page),
            What::Plan(text) => {
                self.note(run, Ink::Accent, "plan", page)?;
                detail::plan(text, page)
            }
            What::Todos(todos) => {
                self.note(run, Ink::Accent, "plan", page)?;
                detail::write(&Detail::Todos(todos.clone()), self.output, page)
            }
            What::Noted(note) => self.noted(run, note, page),
            What::Printed(call, output) => self.printed(run, call, output, page),
            What::Ended(end) => self.ended(run, end, page),
        }
    }

    fn unreadable(&mut self, text: &[u8], page: &mut Page) -> io::Result<()> {
        let run = Run { number: self.last.map_or(0, |(run, _)| run), ..Run::default() };
        self.begin(&run, Part::Unreadable, page)?;
        page.sign(Ink::Dim, Sign::Unreadable)?;
        page.put(Ink::Plain, " ")?;
        let text = String::from_utf8_lossy(text);
        detail::indented(text.trim_end(), "  ", Ink::Dim, self.length(Length::SHORT), page)
    }

    fn is_live(&self) -> bool {
        true
    }

    fn idle(&mut self, page: &mut Page) -> io::Result<()> {
        if self.running.is_empty() {
            return Ok(());
        }
        self.turns += 1;
        let rows = page.live_rows();
        // The last row says how many are not shown.
        let shown = if self.running.len() > rows { rows.saturating_sub(1) } else { rows };
        let line = |running: &Running| {
            let printed = self.printed.iter().find(|printed| printed.is_of(running.run, running.number));
            let last = printed.map_or("", Printed::last_line);
            running.parts.running(self.turns, running.since.elapsed(), last, page)
        };
        let mut lines: Vec<Vec<(Ink, String)>> = self.running.iter().take(shown).map(line).collect();
        let hidden = self.running.len().saturating_sub(shown);
        if hidden > 0 && rows > 0 {
            lines.push(vec![(Ink::Dim, format!("  {} {hidden} more running", page.sign_text(Sign::More)))]);
        }
        page.live(&lines)
    }

    fn stopped(&mut self, why: &str, page: &mut Page) -> io::Result<()> {
        let run = Run { number: self.last.map_or(0, |(run, _)| run), ..Run::default() };
        self.begin(&run, Part::End, page)?;
        page.fitted(&[(Ink::Bad, format!("{} {}", page.sign_text(Sign::Failed), page.one_line(why)))])?;
        page.put(Ink::Plain, "\n")
    }

    fn end(&mut self, page: &mut Page) -> io::Result<()> {
        page.end_line()
    }
}

impl Pretty {
    /// Makes room for a part. Whether it is a new one.
    fn begin(&mut self, run: &Run, part: Part, page: &mut Page) -> io::Result<bool> {
        let before = self.last.replace((run.number, part));
        if before == Some((run.number, part)) {
            if !matches!(part, Part::Text | Part::Thought) {
                page.end_line()?;
            }
            return Ok(false);
        }
        match before {
            None => {}
            Some((_, Part::Head)) if part == Part::Prompt => page.end_line()?,
            Some((_, Part::Output(_))) if matches!(part, Part::Call | Part::Output(_)) => page.end_line()?,
            Some((_, Part::Call)) if matches!(part, Part::Output(_)) => page.end_line()?,
            Some(_) => page.gap()?,
        }
        // Where runs are interleaved, it is said whose words follow.
        let other = before.is_some_and(|(before, _)| before != run.number);
        if other && !matches!(part, Part::Head | Part::Unreadable) {
            page.sign(Ink::Dim, Sign::Run)?;
            page.put(Ink::Dim, &format!(" {}\n", page.one_line(&short_name(run))))?;
        }
        Ok(true)
    }

    fn length(&self, short: Length) -> Length {
        match self.output {
            Extent::Full => Length::ALL,
            Extent::Short | Extent::None => short,
        }
    }

    fn head(&mut self, run: &Run, page: &mut Page) -> io::Result<()> {
        self.begin(run, Part::Head, page)?;
        let dot = format!(" {} ", page.sign_text(Sign::Dot));
        let home = run.cwd.as_deref().map(|cwd| human::short_path(cwd, None));
        let facts = [(Ink::Accent, run.model.clone()), (Ink::Plain, home), (Ink::Dim, Some(short_name(run)))];
        let mut parts = vec![(Ink::Accent, format!("{} ", page.sign_text(Sign::Run)))];
        for (ink, fact) in facts {
            let Some(fact) = fact.filter(|fact| !fact.is_empty()) else { continue };
            if parts.len() > 1 {
                parts.push((Ink::Dim, dot.clone()));
            }
            parts.push((ink, page.one_line(&fact)));
        }
        page.fitted(&parts)?;
        page.put(Ink::Plain, "\n")
    }

    fn call(&mut self, run: &Run, call: &Call, page: &mut Page) -> io::Result<()> {
        self.running.retain(|running| (running.run, running.number) != (run.number, call.number));
        let of = |printed: &Printed| printed.is_of(run.number, call.number);
        let printed = self.printed.iter().position(of).map(|place| self.printed.swap_remove(place));
        let mut detail = detail::shown(&call.tool, self.output, page);
        if let Some(mut printed) = printed.filter(|_| self.output == Extent::Full) {
            if self.last == Some((run.number, Part::Output(call.number))) {
                printed.show(true, page)?;
            }
            if let Detail::Output(text) = &detail {
                detail = printed.left(text).map_or(Detail::None, |left| Detail::Output(left.to_owned().into()));
            }
        }
        self.begin(run, Part::Call, page)?;
        let line = call::parts(call, run, page).ended(call, page);
        match detail {
            Detail::Output(_) | Detail::Diff(_) => {
                page.fold(&line, call.started_ms)?;
                detail::write(&detail, self.output, page)?;
                page.unfold(call.started_ms.map(|ms| ms.saturating_add(call.duration_ms.unwrap_or(0))))
            }
            // A checklist is short, and a plan is what the run was for.
            Detail::None | Detail::Todos(_) | Detail::Plan(_) => {
                page.fitted(&line)?;
                page.put(Ink::Plain, "\n")?;
                detail::write(&detail, self.output, page)
            }
        }
    }

    /// The command of a call prints. In full, that is shown as it comes; else its last line stands beside the call's clock.
    fn printed(&mut self, run: &Run, call: &Call, output: &Output, page: &mut Page) -> io::Result<()> {
        let full = self.output == Extent::Full;
        if !full && !page.look().live {
            return Ok(());
        }
        let of = |printed: &Printed| printed.is_of(run.number, call.number);
        let place = self.printed.iter().position(of).unwrap_or_else(|| {
            self.printed.push(Printed::new(run.number, call.number));
            self.printed.len() - 1
        });
        if full && output.gap {
            self.show_printed(place, true, run, call, page)?;
            detail::gap(page)?;
            self.printed[place].begin_anew();
        }
        self.printed[place].add(&output.text);
        if full { self.show_printed(place, false, run, call, page) } else { Ok(()) }
    }

    /// Shows what a command has printed, below the line of its call.
    fn show_printed(&mut self, place: usize, all: bool, run: &Run, call: &Call, page: &mut Page) -> io::Result<()> {
        if !self.printed[place].has_line(all) {
            return Ok(());
        }
        let part = Part::Output(call.number);
        if self.last != Some((run.number, part)) {
            self.begin(run, part, page)?;
            let line = call::parts(call, run, page).begun(page);
            page.fitted(&line)?;
            page.put(Ink::Plain, "\n")?;
        }
        self.printed[place].show(all, page)
    }

    fn note(&mut self, run: &Run, ink: Ink, text: &str, page: &mut Page) -> io::Result<()> {
        self.begin(run, Part::Note, page)?;
        page.put(Ink::Plain, "  ")?;
        page.sign(ink, Sign::Note)?;
        page.put(Ink::Plain, " ")?;
        let text = page.one_line(text);
        detail::indented(&text, "    ", ink, Length::ALL, page)
    }

    fn noted(&mut self, run: &Run, note: &Note, page: &mut Page) -> io::Result<()> {
        let Some((text, bad)) = words::note(note, page.sign_text(Sign::Dot)) else { return Ok(()) };
        self.note(run, if bad { Ink::Warn } else { Ink::Dim }, &text, page)?;
        match note {
            Note::Task { detail: Some(detail), .. } | Note::Notice { detail: Some(detail), .. }
                if self.output != Extent::None =>
            {
                detail::block(detail, self.length(Length::SHORT), page)
            }
            Note::Task { .. }
            | Note::Reconnecting { .. }
            | Note::Reconnected
            | Note::Retrying { .. }
            | Note::Resuming
            | Note::Mode(_)
            | Note::Allowed { .. }
            | Note::Cancelled
            | Note::OneSided(_)
            | Note::Notice { .. } => Ok(()),
        }
    }

    fn ended(&mut self, run: &Run, end: &End, page: &mut Page) -> io::Result<()> {
        self.running.retain(|running| running.run != run.number);
        self.printed.retain(|printed| !printed.is_of_run(run.number));
        self.begin(run, Part::End, page)?;
        let time =
            end.duration_ms.filter(|ms| *ms > 0).map_or_else(String::new, |ms| format!(" in {}", human::duration(ms)));
        let (sign, ink, words) = match &end.outcome {
            Outcome::Succeeded => (Sign::Ok, Ink::Good, format!("done{time}")),
            Outcome::Failed(_) => (Sign::Failed, Ink::Bad, format!("failed{time}")),
            Outcome::Cut => (Sign::Failed, Ink::Bad, "cut short: the log ends before the run's result".to_owned()),
            Outcome::Resumed => (Sign::Unfinished, Ink::Warn, "stopped without a result, resumed later".to_owned()),
        };
        let why = match &end.outcome {
            Outcome::Failed(why) => why.trim(),
            Outcome::Succeeded | Outcome::Cut | Outcome::Resumed => "",
        };
        // A reason that the line has no room for stands below it.
        let short = format!("{words}: {}", page.one_line(why));
        let below =
            why.contains('\n') || page.look().width.is_some_and(|width| columns(&short) + 3 > usize::from(width));
        let words = if why.is_empty() || below { words } else { short };
        let mut facts = vec![words];
        facts.extend(words::calls(end.calls));
        facts.extend(end.usage.as_ref().and_then(words::tokens));
        facts.extend(end.context.map(words::context));
        let dot = format!(" {} ", page.sign_text(Sign::Dot));
        let words = format!("{} {}", page.sign_text(sign), facts.remove(0));
        let mut column = page.fitted(&[(ink, words)])?;
        for fact in facts {
            let length = columns(&dot) + columns(&fact);
            if page.look().width.is_some_and(|width| column + length >= usize::from(width)) {
                page.put(Ink::Plain, "\n")?;
                column = page.fitted(&[(Ink::Plain, format!("  {fact}"))])?;
            } else {
                page.put(Ink::Dim, &dot)?;
                page.put(Ink::Plain, &fact)?;
                column += length;
            }
        }
        page.put(Ink::Plain, "\n")?;
        if below && !why.is_empty() { detail::block(why, self.length(Length::SHORT), page) } else { Ok(()) }
    }
}

/// The longest id that is shown as a whole.
const SHORT_ID: usize = 20;

/// The beginning of the session's id, if it is long, which is enough to tell it from others.
fn short_name(run: &Run) -> String {
    match run.session.len() {
        0 => format!("run {}", run.number),
        1..=SHORT_ID => run.session.clone(),
        _ => run.session.chars().take(8).collect(),
    }
}
