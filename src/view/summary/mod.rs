//! One page about the runs of all logs.

mod json;
mod report;
mod room;
mod section;
mod sheet;
mod total;

use super::{Audience, View, words};
use crate::fold::{Calls, Needs, Outcome, Run, Step, What};
use crate::human;
use crate::page::{Ink, Page, Sign};
use report::Report;
use room::Rooms;
use section::{Body, Cell, Section};
use sheet::{Form, Sheet};
use std::io;
use total::Total;

pub(super) const EXAMPLES: &str = "\
Examples:
  cursor-fmt summary run.ndjson >> \"$GITHUB_STEP_SUMMARY\"
  cursor-fmt summary --format text runs/*.ndjson
  cursor-fmt summary --format json run.ndjson | jq .total.usage
Instead of: jq -r 'select(.type==\"result\") | .result', which says nothing of what failed or was refused";

/// Prints one page about the runs: how they ended, what failed and what was refused, what was changed and run, the answer.
#[derive(clap::Args)]
pub struct Summary {
    /// How to write the page: markdown, text or json
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT", hide_possible_values = true)]
    format: Format,

    /// The most bytes of the page [default: what a GitHub step summary has room for]
    #[arg(long, value_name = "N")]
    max_bytes: Option<usize>,

    /// It is appended to what may end without a line break.
    #[arg(skip)]
    gap: bool,

    #[arg(skip)]
    gathered: Box<Gathered>,
}

/// How the page is written.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, clap::ValueEnum)]
enum Format {
    /// For GitHub
    #[default]
    Markdown,
    /// To read in a terminal
    Text,
    /// One object, for programs
    Json,
}

/// What has been gathered.
#[derive(Default)]
struct Gathered {
    runs: Vec<Report>,
    rooms: Option<Rooms>,
    /// The log that is read.
    log: String,
    /// Those that held no run, as far as that is known.
    empty: Vec<String>,
    /// Why logs could not be read, up to some.
    unable: Vec<String>,
    /// How many runs there were before this log, and whether it is read.
    before: usize,
    open: bool,
    /// Why the program ended an agent that had not begun a run.
    stopped: Option<String>,
    /// Pieces that were not JSON.
    unreadable: usize,
}

/// What GitHub takes as the summary of a step, less some room for who writes there too: of one that is larger it shows nothing.
pub const STEP_SUMMARY: usize = (1 << 20) - (16 << 10);

impl View for Summary {
    fn needs(&self) -> Needs {
        Needs { messages: true, calls: Calls::Short, ..Needs::NONE }
    }

    fn audience(&self) -> Audience {
        Audience::Public
    }

    fn fit(&mut self, room: usize) {
        self.max_bytes.get_or_insert(room);
    }

    fn unable(&mut self, why: &str) {
        self.gathered.unable(why);
    }

    fn log(&mut self, name: &str) {
        let gathered = &mut self.gathered;
        gathered.close();
        gathered.open = true;
        name.clone_into(&mut gathered.log);
    }

    fn step(&mut self, step: &Step, page: &mut Page) -> io::Result<()> {
        let most = self.most();
        let gathered = &mut self.gathered;
        let rooms = gathered.rooms.get_or_insert_with(|| Rooms::new(most));
        let run = step.run;
        if matches!(step.kind, What::Began) {
            gathered.runs.push(Report::new(run, &gathered.log, rooms));
        }
        // Runs are numbered in the order in which they begin.
        let Ok(place) = gathered.runs.binary_search_by_key(&run.number, |report| report.run.number) else {
            return Ok(());
        };
        let report = &mut gathered.runs[place];
        match &step.kind {
            What::CallEnded(call) => report.call(call, page),
            What::Plan(plan) => report.plan(plan),
            What::Todos(todos) => report.todos(todos),
            What::Ended(end) => report.end(end, rooms),
            What::Began
            | What::Prompt(_)
            | What::Text(_)
            | What::Message(_)
            | What::Corrected(_)
            | What::Thought(_)
            | What::ThoughtEnded
            | What::CallStarted(_)
            | What::Printed(..)
            | What::Noted(_)
            | What::Found(_) => {}
        }
        Ok(())
    }

    fn unreadable(&mut self, _text: &[u8], _page: &mut Page) -> io::Result<()> {
        self.gathered.unreadable += 1;
        Ok(())
    }

    fn stopped(&mut self, why: &str, _page: &mut Page) -> io::Result<()> {
        match self.gathered.runs.last_mut() {
            Some(report) => report.stopped = Some(why.to_owned()),
            None => self.gathered.stopped = Some(why.to_owned()),
        }
        Ok(())
    }

    fn end(&mut self, page: &mut Page) -> io::Result<()> {
        self.gathered.close();
        let form = match self.format {
            Format::Markdown => Form::Markdown,
            Format::Text => Form::Text,
            Format::Json => {
                let most = self.most();
                return page.faithful(&json::write(&mut self.gathered, most)?);
            }
        };
        let most = self.most();
        let mut room = most;
        for round in 0.. {
            let gap = if self.gap { "\n" } else { "" };
            let text = format!("{gap}{}\n", self.page(form, room, page).trim_end());
            // On a console, some text is parted so that its runner does not obey it.
            let over = page.length(&text).saturating_sub(most);
            if text.trim().is_empty() {
                return Ok(());
            }
            if over == 0 {
                return page.put(Ink::Plain, &text);
            }
            // Where much is parted, what is taken off is soon too little.
            room = room.saturating_sub(if round == 0 { over } else { over.max(room / 20 + 1) });
        }
        Ok(())
    }
}

impl Gathered {
    /// The log is over.
    fn close(&mut self) {
        if self.open && self.runs.len() == self.before {
            self.empty.push(self.log.clone());
        }
        self.before = self.runs.len();
        self.open = false;
    }

    /// The log could not be read; whether it holds a run is not known.
    fn unable(&mut self, why: &str) {
        self.before = self.runs.len();
        self.open = false;
        if self.unable.len() < NAMED {
            self.unable.push(why.to_owned());
        }
    }
}

impl Summary {
    /// A page as Markdown, of so many bytes at the most, behind what may have `begun`.
    #[must_use]
    pub fn of(most: usize, begun: bool) -> Self {
        Self { format: Format::Markdown, max_bytes: Some(most), gap: begun, gathered: Box::default() }
    }

    /// The most bytes of the page.
    fn most(&self) -> usize {
        self.max_bytes.unwrap_or(STEP_SUMMARY)
    }

    fn page(&self, form: Form, most: usize, page: &Page) -> String {
        let gathered = &self.gathered;
        let one = gathered.runs.len() == 1;
        let run = |report: &Report| sheet::Run {
            head: if one { String::new() } else { head(report, one, form, page) },
            sections: section::sections(report, page),
            level: if one { 3 } else { 4 },
            first: report.result != Outcome::Succeeded,
        };
        let sheet = Sheet {
            title: match &gathered.runs[..] {
                [report] => head(report, one, form, page),
                _ => all(gathered, form, page),
            },
            table: (gathered.runs.len() > 1).then(|| table(gathered, page)),
            runs: gathered.runs.iter().map(run).collect(),
            notes: notes(gathered, form, page),
        };
        // The last line break of two is not written.
        sheet.write(form, most.saturating_add(1), page)
    }
}

/// How a run ended, in a word and a sign.
fn result(report: &Report) -> (Sign, &'static str) {
    match report.result {
        // The agent gave its result, and did not end well all the same.
        Outcome::Succeeded if report.stopped.is_some() => (Sign::Failed, "succeeded"),
        Outcome::Succeeded => (Sign::Ok, "succeeded"),
        Outcome::Failed(_) => (Sign::Failed, "failed"),
        Outcome::Cut => (Sign::Failed, "cut short"),
        Outcome::Resumed => (Sign::Unfinished, "resumed later"),
    }
}

/// Facts on a line, each escaped for the format.
fn line(facts: &[Cell], form: Form, page: &Page) -> String {
    let written = facts.iter().map(|fact| sheet::cell(fact, form)).filter(|fact| !fact.is_empty());
    let line = written.collect::<Vec<String>>().join(&format!(" {} ", page.sign_text(Sign::Dot)));
    if line.is_empty() { line } else { format!("{line}\n\n") }
}

/// What all runs came to.
fn all(gathered: &Gathered, form: Form, page: &Page) -> String {
    let total = Total::of(&gathered.runs);
    let kinds = [
        (total.succeeded, "succeeded"),
        (total.failed, "failed"),
        (total.cut, "cut short"),
        (total.resumed, "resumed later"),
    ];
    let kinds: Vec<String> =
        kinds.iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}")).collect();
    let runs = human::plural(gathered.runs.len(), "run");
    let title = if kinds.is_empty() { "No run".to_owned() } else { format!("{runs}: {}", kinds.join(", ")) };
    let total = Total::of(&gathered.runs);
    let facts = [
        total.duration_ms.map(human::duration),
        words::calls(total.calls),
        total.usage.as_ref().and_then(words::tokens),
    ];
    let facts: Vec<Cell> = facts.into_iter().flatten().map(Cell::Text).collect();
    sheet::heading(2, &title, form) + &line(&facts, form, page)
}

/// The runs, a row each.
fn table(gathered: &Gathered, page: &Page) -> Section {
    let number = |number: Option<i64>| Cell::Text(number.map(human::count).unwrap_or_default());
    let row = |report: &Report| {
        let (sign, word) = result(report);
        let usage = report.usage.unwrap_or_default();
        vec![
            Cell::Text(report.run.number.to_string()),
            Cell::Text(format!("{} {word}", page.sign_text(sign))),
            Cell::Text(report.duration_ms.map(human::duration).unwrap_or_default()),
            Cell::Text(report.calls.calls.to_string()),
            Cell::Text(report.calls.failed.to_string()),
            Cell::Text(report.calls.rejected.to_string()),
            number(usage.input),
            number(usage.output),
            Cell::Text(page.one_line(report.run.model.as_deref().unwrap_or_default())),
            Cell::Code(page.one_line(&report.log)),
        ]
    };
    let head = vec!["run", "result", "time", "calls", "failed", "rejected", "in", "out", "model", "log"];
    let right = vec![true, false, true, true, true, true, true, true, false, false];
    let body = Body::Table(head, right, gathered.runs.iter().map(row).collect());
    let first = gathered.runs.iter().map(|report| report.result != Outcome::Succeeded).collect();
    Section { title: "Runs", body, left_out: 0, thing: "run", first }
}

/// How a run ended and why, and what is known of it.
fn head(report: &Report, one: bool, form: Form, page: &Page) -> String {
    let (sign, word) = result(report);
    let sign = page.sign_text(sign);
    let time =
        report.duration_ms.filter(|ms| *ms > 0).map_or_else(String::new, |ms| format!(" in {}", human::duration(ms)));
    let title =
        if one { format!("{sign} Run {word}{time}") } else { format!("{sign} Run {} {word}{time}", report.run.number) };
    let said = match &report.result {
        Outcome::Failed(why) if !why.trim().is_empty() => Some(page.safe(why.trim())),
        Outcome::Cut if report.stopped.is_none() => Some("The log ends before the run's result.".to_owned()),
        Outcome::Succeeded | Outcome::Cut | Outcome::Failed(_) | Outcome::Resumed => None,
    };
    let whys = said.into_iter().chain(report.stopped.as_deref().map(|why| page.one_line(why)));
    let why: String = whys.map(|why| sheet::block(&why, form, page)).collect();
    let text = |text: &Option<String>, code: bool| {
        let text = page.one_line(text.as_deref()?);
        Some(if code { Cell::Code(text) } else { Cell::Text(text) })
    };
    let run: &Run = &report.run;
    let home = run.cwd.as_deref().map(|cwd| human::short_path(cwd, None));
    let session = (!run.session.is_empty()).then(|| page.one_line(&run.session));
    let mut about: Vec<Cell> = [text(&run.model, false), text(&home, true)].into_iter().flatten().collect();
    about.extend(session.map(|session| Cell::Text(format!("session {session}"))));
    about.extend((!one).then(|| Cell::Code(page.one_line(&report.log))));
    let came = [
        words::calls(report.calls),
        report.usage.as_ref().and_then(words::tokens),
        report.context.as_ref().map(words::context),
    ];
    let came: Vec<Cell> = came.into_iter().flatten().map(Cell::Text).collect();
    sheet::heading(if one { 2 } else { 3 }, &title, form) + &why + &line(&about, form, page) + &line(&came, form, page)
}

/// What there is to say of the logs.
fn notes(gathered: &Gathered, form: Form, page: &Page) -> String {
    let mut notes = String::new();
    if let Some(why) = &gathered.stopped {
        notes += &line(&[Cell::Text(page.one_line(why))], form, page);
    }
    if gathered.unreadable > 0 {
        let were = if gathered.unreadable == 1 { "was" } else { "were" };
        let pieces = human::plural(gathered.unreadable, "piece");
        notes += &line(&[Cell::Text(format!("{pieces} of the input {were} not JSON"))], form, page);
    }
    for why in &gathered.unable {
        notes += &line(&[Cell::Text(page.one_line(why))], form, page);
    }
    for name in gathered.empty.iter().take(NAMED) {
        let facts = [Cell::Code(page.one_line(name)), Cell::Text("no run in the log".to_owned())];
        notes += &line(&facts, form, page);
    }
    if gathered.empty.len() > NAMED {
        let more = format!("{} more logs without a run", gathered.empty.len() - NAMED);
        notes += &line(&[Cell::Text(more)], form, page);
    }
    notes
}

/// So many logs that say nothing are named.
const NAMED: usize = 20;
