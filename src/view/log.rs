//! One line an event, for consoles and for `grep`.

use super::{View, words};
use crate::fold::{Call, Calls, End, Needs, Outcome, Run, Step, What};
use crate::human;
use crate::page::{Ink, Page, Sign, columns};
use crate::tool::{Detail, Status};
use std::io;

pub(super) const EXAMPLES: &str = "\
Examples:
  agent --print --output-format stream-json \"$PROMPT\" | cursor-fmt log
  cursor-fmt log run.ndjson | grep -E '^\\S+ (fail|deny|end) '   what went wrong, and how it ended
Instead of: jq --unbuffered -r 'select(.type==\"tool_call\") | …', which shows each call twice and no text";

/// Prints a line for each event: the seconds since the run's first time, a word, what happened.
///
/// The word is one of init, user, text, tool, ok, fail, deny, note and end.
#[derive(clap::Args)]
pub struct Log {
    /// Do not cut lines
    #[arg(long)]
    full: bool,

    #[arg(skip)]
    last: Last,
}

/// What the last line belongs to.
#[derive(Default)]
struct Last {
    run: Option<usize>,
    elapsed_ms: i64,
}

/// The columns of a line where nothing else says how wide the page is.
const COLUMNS: usize = 200;

/// The fewest columns of the text of a line, where it has so many.
const TEXT: usize = 20;

/// What a line says: its word, its text, which gives way where the line is long, and what stands behind that.
struct Line {
    ink: Ink,
    word: &'static str,
    text: String,
    facts: Vec<String>,
}

impl View for Log {
    fn needs(&self) -> Needs {
        Needs { prompts: true, messages: true, calls: Calls::Brief, times: true, ..Needs::NONE }
    }

    fn is_coloured(&self) -> bool {
        false
    }

    fn step(&mut self, step: &Step, page: &mut Page) -> io::Result<()> {
        let run = step.run;
        match &step.kind {
            What::Began => {
                self.last = Last { run: Some(run.number), elapsed_ms: run.elapsed_ms };
                self.write(began(run, page), page)
            }
            What::Prompt(text) => self.paragraphs(run, (Ink::Strong, "user"), "", text, page),
            What::Message(text) => self.paragraphs(run, (Ink::Plain, "text"), "", text, page),
            What::CallStarted(call) => self.line(run, Line::new(Ink::Dim, "tool", about(run, call, page)), page),
            What::CallEnded(call) => {
                self.line(run, ended_call(run, call, page), page)?;
                match call.tool.detail(false) {
                    Detail::Plan(plan) => self.plan(run, &plan, page),
                    Detail::None | Detail::Output(_) | Detail::Diff(_) | Detail::Todos(_) => Ok(()),
                }
            }
            What::Plan(plan) => self.plan(run, plan, page),
            What::Todos(todos) => match words::todos(todos) {
                Some(done) => self.line(run, Line::new(Ink::Dim, "note", format!("plan: {done}")), page),
                None => Ok(()),
            },
            What::Noted(note) => match words::note(note, page.sign_text(Sign::Dot)) {
                Some((text, bad)) => {
                    let ink = if bad { Ink::Warn } else { Ink::Dim };
                    self.line(run, Line::new(ink, "note", page.one_line(&text)), page)
                }
                None => Ok(()),
            },
            What::Ended(end) => {
                self.said(run, page)?;
                self.last.elapsed_ms = self.last.elapsed_ms.max(end.duration_ms.unwrap_or(0));
                self.write(ended(end, page), page)
            }
            What::Text(_)
            | What::Corrected(_)
            | What::Thought(_)
            | What::ThoughtEnded
            | What::Printed(..)
            | What::Found(_) => Ok(()),
        }
    }

    fn unreadable(&mut self, text: &[u8], page: &mut Page) -> io::Result<()> {
        let text = page.one_line(String::from_utf8_lossy(text).trim());
        self.write(Line::new(Ink::Dim, "note", format!("not JSON: {text}")), page)
    }

    fn stopped(&mut self, why: &str, page: &mut Page) -> io::Result<()> {
        self.write(Line::new(Ink::Bad, "note", page.one_line(why)), page)
    }
}

impl Line {
    fn new(ink: Ink, word: &'static str, text: String) -> Self {
        Self { ink, word, text, facts: Vec::new() }
    }
}

impl Log {
    /// Writes what belongs to a run.
    fn line(&mut self, run: &Run, line: Line, page: &mut Page) -> io::Result<()> {
        self.said(run, page)?;
        self.write(line, page)
    }

    /// Where runs are interleaved, it is said whose lines follow.
    fn said(&mut self, run: &Run, page: &mut Page) -> io::Result<()> {
        if self.last.run == Some(run.number) {
            self.last.elapsed_ms = self.last.elapsed_ms.max(run.elapsed_ms);
            return Ok(());
        }
        self.last = Last { run: Some(run.number), elapsed_ms: run.elapsed_ms };
        let name = if run.session.is_empty() { format!("run {}", run.number) } else { session(run) };
        self.write(Line::new(Ink::Dim, "note", page.one_line(&name)), page)
    }

    fn write(&mut self, line: Line, page: &mut Page) -> io::Result<()> {
        let elapsed = self.last.elapsed_ms.max(0).saturating_add(50) / 100;
        let time = format!("+{}.{}s ", elapsed / 10, elapsed % 10);
        let dot = format!(" {} ", page.sign_text(Sign::Dot));
        let mut rest = String::new();
        for fact in line.facts {
            rest.push_str(&dot);
            rest.push_str(&self.cut(&fact, page.look().width.map_or(COLUMNS, usize::from) / 2, page));
        }
        let width = page.look().width.map_or(COLUMNS, usize::from);
        let room = width.saturating_sub(columns(&time) + line.word.len() + 1);
        let text = self.cut(&line.text, room.saturating_sub(columns(&rest)).max(TEXT.min(room / 3)), page);
        page.put(Ink::Dim, &time)?;
        page.put(line.ink, line.word)?;
        // A line that says no more than its word does not begin its facts with a dot.
        let rest = if text.is_empty() { rest.strip_prefix(&dot).unwrap_or_default() } else { &rest };
        if !text.is_empty() || !rest.is_empty() {
            page.put(Ink::Plain, " ")?;
            page.put(Ink::Plain, &self.cut(&format!("{text}{rest}"), room.max(1), page))?;
        }
        page.put(Ink::Plain, "\n")
    }

    fn cut(&self, text: &str, room: usize, page: &Page) -> String {
        if self.full { text.to_owned() } else { words::shortened(text, room, page) }
    }

    /// A line for each paragraph of a text.
    fn paragraphs(
        &mut self,
        run: &Run,
        (ink, word): (Ink, &'static str),
        before: &str,
        text: &str,
        page: &mut Page,
    ) -> io::Result<()> {
        paragraphs(text).into_iter().try_for_each(|paragraph| {
            let text = format!("{before}{}", page.one_line(&paragraph));
            self.line(run, Line::new(ink, word, text), page)
        })
    }

    /// A plan is what a run in plan mode is for.
    fn plan(&mut self, run: &Run, text: &str, page: &mut Page) -> io::Result<()> {
        self.paragraphs(run, (Ink::Plain, "note"), "plan: ", text, page)
    }
}

/// The paragraphs of a text. An item of a list, a row of a table, a heading and a line of code are each one by itself.
fn paragraphs(text: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let (mut open, mut code) = (false, false);
    for line in text.lines().map(str::trim) {
        let fence = line.starts_with("```") || line.starts_with("~~~");
        if line.is_empty() {
            open = false;
        } else if let Some(last) = all.last_mut().filter(|_| open && !code && !fence && !stands_alone(line)) {
            last.extend([" ", line]);
        } else {
            all.push(line.to_owned());
            open = !fence && !line.starts_with(['#', '|']);
        }
        code ^= fence;
    }
    all
}

/// Whether a line of Markdown does not go on with the one before it.
fn stands_alone(line: &str) -> bool {
    let behind_number = line.trim_start_matches(|char: char| char.is_ascii_digit());
    let item = ["- ", "* ", "+ "].iter().any(|mark| line.starts_with(mark));
    item || line.starts_with(['#', '|', '>']) || (behind_number.len() < line.len() && behind_number.starts_with(". "))
}

fn session(run: &Run) -> String {
    format!("session {}", run.session)
}

fn began(run: &Run, page: &Page) -> Line {
    let home = run.cwd.as_deref().map(|cwd| human::short_path(cwd, None));
    let session = (!run.session.is_empty()).then(|| session(run));
    let facts = [run.model.clone(), home, session].into_iter().flatten().map(|fact| page.one_line(&fact));
    let facts = facts.filter(|fact| !fact.is_empty()).collect();
    Line { ink: Ink::Accent, word: "init", text: String::new(), facts }
}

/// The tool of a call and what it is about, on one line.
fn about(run: &Run, call: &Call, page: &Page) -> String {
    let name = page.one_line(call.tool.name());
    match call.tool.target() {
        Some(target) => format!("{name} {}", page.one_line(&words::target(target, run))),
        None => name,
    }
}

fn ended_call(run: &Run, call: &Call, page: &Page) -> Line {
    let status = call.tool.status();
    let (ink, word) = match status {
        Status::Ok => (Ink::Good, "ok"),
        Status::Failed => (Ink::Bad, "fail"),
        Status::Rejected => (Ink::Warn, "deny"),
        Status::Unfinished => (Ink::Warn, "note"),
    };
    let digest = call.tool.digest().map(|digest| page.own(&page.one_line(&digest)));
    // The word tells of all but one how it went.
    let digest = digest.or_else(|| (status == Status::Unfinished).then(|| status.name().to_owned()));
    let facts = digest.into_iter().chain(call.duration_ms.map(human::duration)).collect();
    Line { ink, word, text: about(run, call, page), facts }
}

fn ended(end: &End, page: &Page) -> Line {
    let (ink, text) = match &end.outcome {
        Outcome::Succeeded => (Ink::Good, "success".to_owned()),
        Outcome::Failed(why) if why.trim().is_empty() => (Ink::Bad, "failed".to_owned()),
        Outcome::Failed(why) => (Ink::Bad, format!("failed: {}", page.one_line(why.trim()))),
        Outcome::Cut => (Ink::Bad, "cut: the log ends before the run's result".to_owned()),
        Outcome::Resumed => (Ink::Warn, "resumed: stopped without a result, a later run goes on".to_owned()),
    };
    let time = end.duration_ms.filter(|ms| *ms > 0).map(human::duration);
    let facts =
        [time, words::calls(end.calls), end.usage.as_ref().and_then(words::tokens), end.context.map(words::context)];
    Line { ink, word: "end", text, facts: facts.into_iter().flatten().collect() }
}

#[cfg(test)]
mod tests {
    use super::paragraphs;

    #[test]
    fn a_paragraph_is_a_line_and_so_is_an_item() {
        let text = "One\ntwo\r\n  three.\n\n\n# Head\nfour\n- a\n  b\n- c\n1. d\n2.5 e\n| f |\n| - |\n```sh\nls\nls -l\n```\ng\n> h\n";
        let want = [
            "One two three.",
            "# Head",
            "four",
            "- a b",
            "- c",
            "1. d 2.5 e",
            "| f |",
            "| - |",
            "```sh",
            "ls",
            "ls -l",
            "```",
            "g",
            "> h",
        ];
        assert_eq!(paragraphs(text), want);
        assert!(paragraphs(" \n\n").is_empty());
    }
}
