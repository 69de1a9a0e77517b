//! What is wrong or odd in a log, a line each, and nothing else.

use super::{Audience, View, words};
use crate::fold::{Call, Calls, Fault, Needs, Outcome, Run, Step, What};
use crate::page::{Ink, Page};
use crate::tool::Status;
use serde::Serialize;
use std::collections::HashMap;
use std::io;

pub(super) const EXAMPLES: &str = "\
Examples:
  cursor-fmt check runs/*.ndjson && echo sound          nothing is printed where nothing is wrong
  cursor-fmt check --format json run.ndjson | jq -r .name | sort | uniq -c
  cursor-fmt check run.ndjson                           instead of: jq empty run.ndjson, which stops at the
                                                        first line that is no JSON, and knows no other fault
Exit status: 0 nothing was found, 1 something was; how the runs themselves went does not count.
The manual has a sentence about each finding.";

/// Prints what is wrong or odd in a log: a line each, with the file, the number of the line, a name and a sentence.
#[derive(clap::Args)]
pub struct Check {
    /// How to write the findings: text or json, an object a line
    #[arg(long, value_enum, default_value_t, value_name = "text|json", hide_possible_values = true)]
    format: Format,

    #[arg(skip)]
    log: String,

    /// The number of the line that is read.
    #[arg(skip)]
    line: u64,

    /// The last line of which it was told that it is no JSON.
    #[arg(skip)]
    invalid: u64,

    /// The lines that the calls have begun in which are not over, by run and number.
    #[arg(skip)]
    begun: HashMap<(usize, usize), u64>,

    /// How much was found.
    #[arg(skip)]
    found: usize,
}

/// How findings are written.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, clap::ValueEnum)]
enum Format {
    /// A line to read: the file, the line, the name, a sentence
    #[default]
    Text,
    /// An object a line
    Json,
}

/// A finding for programs.
#[derive(Serialize)]
struct Found<'a> {
    log: &'a str,
    line: u64,
    name: &'static str,
    session: Option<&'a str>,
    run: Option<usize>,
    what: &'a str,
}

/// The most columns of what is quoted from the log.
const QUOTE: usize = 100;

impl View for Check {
    fn needs(&self) -> Needs {
        Needs { messages: true, calls: Calls::Brief, faults: true, ..Needs::NONE }
    }

    fn audience(&self) -> Audience {
        match self.format {
            Format::Text => Audience::Reader,
            Format::Json => Audience::Program,
        }
    }

    fn findings(&self) -> Option<usize> {
        Some(self.found)
    }

    fn log(&mut self, name: &str) {
        name.clone_into(&mut self.log);
        (self.line, self.invalid) = (0, 0);
    }

    fn at(&mut self, line: u64) {
        self.line = line;
    }

    fn step(&mut self, step: &Step, page: &mut Page) -> io::Result<()> {
        let run = step.run;
        match &step.kind {
            What::Found(finding) => self.tell(run, finding.fault, &finding.what, page),
            What::CallStarted(call) => {
                self.begun.insert((run.number, call.number), self.line);
                Ok(())
            }
            What::CallEnded(call) => {
                let begun = self.begun.remove(&(run.number, call.number));
                if call.tool.status() == Status::Unfinished { self.unfinished(run, call, begun, page) } else { Ok(()) }
            }
            What::Ended(end) if end.outcome == Outcome::Cut => {
                self.tell(run, Fault::CutLog, "the log ends before the run's result", page)
            }
            What::Began
            | What::Prompt(_)
            | What::Text(_)
            | What::Message(_)
            | What::Corrected(_)
            | What::Thought(_)
            | What::ThoughtEnded
            | What::Printed(..)
            | What::Plan(_)
            | What::Todos(_)
            | What::Noted(_)
            | What::Ended(_) => Ok(()),
        }
    }

    fn unreadable(&mut self, text: &[u8], page: &mut Page) -> io::Result<()> {
        // A line may be long, and little of it is quoted.
        let text = String::from_utf8_lossy(&text[..text.len().min(8 * QUOTE)]);
        let quote = words::shortened(&page.one_line(text.trim()), QUOTE, page);
        self.tell(&Run::default(), Fault::InvalidJson, &format!("not JSON: {quote}"), page)
    }
}

impl Check {
    fn unfinished(&mut self, run: &Run, call: &Call, begun: Option<u64>, page: &mut Page) -> io::Result<()> {
        let about = [Some(call.tool.name().into()), call.tool.target().map(|target| words::target(target, run))];
        let about: Vec<String> = about.into_iter().flatten().collect();
        let about = words::shortened(&page.one_line(&about.join(" ")), QUOTE, page);
        let begun = begun.map_or_else(String::new, |line| format!(", which began in line {line}"));
        let what = format!("no end of call {}{begun}: {about}", call.number);
        self.tell(run, Fault::UnfinishedCall, &what, page)
    }

    fn tell(&mut self, run: &Run, fault: Fault, what: &str, page: &mut Page) -> io::Result<()> {
        // That a line is no JSON is told once, however many parts of it are none.
        if fault == Fault::InvalidJson && std::mem::replace(&mut self.invalid, self.line) == self.line {
            return Ok(());
        }
        self.found += 1;
        // Where there is no line at all, the first is where one would be.
        let line = self.line.max(1);
        match self.format {
            Format::Text => {
                let what = page.one_line(what);
                page.put(Ink::Dim, &format!("{}:{line}: ", self.log))?;
                page.put(Ink::Bad, fault.name())?;
                page.put(Ink::Plain, &format!(": {what}\n"))
            }
            Format::Json => {
                let session = Some(run.session.as_str()).filter(|session| !session.is_empty());
                let number = Some(run.number).filter(|number| *number > 0);
                let found = Found { log: &self.log, line, name: fault.name(), session, run: number, what };
                page.json(&serde_json::to_vec(&found)?)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::fold::Fault;

    const MANUAL: &str = include_str!("../../man/cursor-fmt.1");

    #[test]
    fn the_manual_has_a_sentence_about_each_finding_and_about_no_other() {
        let section = MANUAL.split(".SS check\n").nth(1).and_then(|rest| rest.split("\n.SS ").next());
        let findings = section.and_then(|section| section.split("The findings:\n").nth(1)).expect("the list is there");
        let named = |item: &str| item.lines().next().map(|line| line.trim_start_matches(".B ").replace("\\-", "-"));
        let told: Vec<String> = findings.split(".TP\n").skip(1).filter_map(named).collect();
        assert_eq!(told, Fault::ALL.map(Fault::name));
        assert!(
            findings.split(".TP\n").skip(1).all(|item| item.lines().nth(1).is_some_and(|line| line.ends_with('.')))
        );
        for fault in Fault::ALL {
            assert_eq!(serde_json::to_value(fault).expect("a word"), fault.name());
        }
    }
}
