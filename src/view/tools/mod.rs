//! Tables of tool calls.

mod group;
mod row;
mod table;

use super::group::{Group, Groups};
use super::{Audience, View};
use crate::fold::{Call, Calls, Needs, Step, What};
use crate::page::Page;
use crate::tool::Status;
use row::Row;
use std::borrow::Borrow;
use std::collections::{BTreeMap, VecDeque};
use std::io;
use table::{Cells, Form};

pub(super) const EXAMPLES: &str = "\
Examples:
  cursor-fmt tools --status failed,rejected run.ndjson    what went wrong
  cursor-fmt tools --group *.ndjson                       how often, and for how long
  cursor-fmt tools --format json run.ndjson               for programs
Instead of: jq 'select(.type==\"tool_call\") | .tool_call | keys[0]', which counts each call twice";

/// Lists the tool calls, a row each, in the order of their start.
#[derive(clap::Args)]
pub struct Tools {
    /// How to write the rows: table, json, ndjson, csv, tsv or markdown
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT", hide_possible_values = true)]
    format: Format,

    /// Only tools whose name matches, such as `shell` or `web*`
    #[arg(long, value_name = "GLOB", value_parser = glob::Pattern::new)]
    tool: Option<glob::Pattern>,

    /// Only calls that went so: ok, failed, rejected, unfinished
    #[arg(long, value_enum, value_delimiter = ',', value_name = "STATUS,…", hide_possible_values = true)]
    status: Vec<Status>,

    /// The order of the rows
    #[arg(long, value_enum, default_value_t, value_name = "start|duration", hide_possible_values = true)]
    sort: Sort,

    /// One row a tool: calls, failures, refusals, time
    #[arg(long)]
    group: bool,

    #[arg(skip)]
    rows: Rows,

    #[arg(skip)]
    lines: table::Lines,
}

/// The rows in the order of their starts; a place is taken when the call begins.
#[derive(Default)]
struct Rows {
    /// Each by itself, since one list of them all would be copied as it grows, and leave holes.
    places: VecDeque<Option<Box<Row>>>,
    /// Where the row of a call stands, by run and number, counted from the first row of all.
    calls: BTreeMap<(usize, usize), usize>,
    /// How many rows have left.
    gone: usize,
}

impl Rows {
    fn begin(&mut self, run: usize, call: usize) {
        self.calls.insert((run, call), self.gone + self.places.len());
        self.places.push_back(None);
    }

    /// Fills the place of a call. One that ends late, when its row has left, has been told.
    fn fill(&mut self, run: usize, call: &Call, row: Row) {
        let key = (run, call.number);
        if !self.calls.contains_key(&key) {
            if call.late {
                return;
            }
            self.begin(run, call.number);
        }
        self.places[self.calls[&key] - self.gone] = Some(Box::new(row));
    }

    /// The next row, if it is filled.
    fn next(&mut self) -> Option<Box<Row>> {
        let row = self.places.front_mut()?.take()?;
        self.places.pop_front();
        self.gone += 1;
        self.calls.remove(&row.call());
        Some(row)
    }
}

/// How rows are written.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, clap::ValueEnum)]
enum Format {
    /// Columns to read
    #[default]
    Table,
    /// One array of objects
    Json,
    /// An object a line
    Ndjson,
    /// Comma-separated values
    Csv,
    /// Tab-separated values, with \t, \n, \r and \\ for what a cell may not hold
    Tsv,
    /// A Markdown table
    Markdown,
}

/// The order of rows.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, clap::ValueEnum)]
enum Sort {
    /// In the order of their start
    #[default]
    Start,
    /// The longest first
    Duration,
}

impl View for Tools {
    fn needs(&self) -> Needs {
        Needs { calls: Calls::Brief, ..Needs::NONE }
    }

    fn audience(&self) -> Audience {
        match self.format {
            Format::Table | Format::Markdown => Audience::Reader,
            Format::Json | Format::Ndjson | Format::Csv | Format::Tsv => Audience::Program,
        }
    }

    fn step(&mut self, step: &Step, page: &mut Page) -> io::Result<()> {
        let run = step.run.number;
        match &step.kind {
            What::CallStarted(call) => self.rows.begin(run, call.number),
            What::CallEnded(call) => {
                self.rows.fill(run, call, Row::new(step.run, call, self.audience()));
                if let Some(form) = self.form().filter(|_| self.streams()) {
                    while let Some(row) = self.rows.next() {
                        if self.shows(&row) {
                            self.lines.write(&*row, form, page)?;
                        }
                    }
                }
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
            | What::Found(_)
            | What::Ended(_) => {}
        }
        Ok(())
    }

    fn end(&mut self, page: &mut Page) -> io::Result<()> {
        // A list of many rows is not copied.
        let rows = Vec::from(std::mem::take(&mut self.rows).places);
        let mut rows: Vec<_> = rows.into_iter().flatten().filter(|row| self.shows(row)).collect();
        if self.group {
            let mut groups = Groups::default();
            for row in &rows {
                groups.add(&row.facts.tool, row.facts.status, row.facts.duration_ms);
            }
            let mut groups = groups.all;
            if self.sort == Sort::Duration {
                groups.sort_by_key(|group| std::cmp::Reverse(group.total_ms));
            }
            return self.write::<Group>(&groups, page);
        }
        if self.sort == Sort::Duration {
            rows.sort_by_key(|row| std::cmp::Reverse(row.facts.duration_ms));
        }
        self.write::<Row>(&rows, page)
    }
}

impl Tools {
    /// Whether a row leaves as soon as all before it have.
    fn streams(&self) -> bool {
        self.sort == Sort::Start && !self.group
    }

    /// How a row is written, where its look does not depend on the others.
    fn form(&self) -> Option<Form> {
        match self.format {
            Format::Table | Format::Json => None,
            Format::Ndjson => Some(Form::Ndjson),
            Format::Csv => Some(Form::Csv),
            Format::Tsv => Some(Form::Tsv),
            Format::Markdown => Some(Form::Markdown),
        }
    }

    fn write<R: Cells>(&mut self, rows: &[impl Borrow<R>], page: &mut Page) -> io::Result<()> {
        match self.form() {
            Some(form) => {
                self.lines.head::<R>(form, page)?;
                rows.iter().try_for_each(|row| self.lines.write(row.borrow(), form, page))
            }
            None if self.format == Format::Json => table::json::<R>(rows, page),
            None => table::aligned::<R>(rows, page),
        }
    }

    fn shows(&self, row: &Row) -> bool {
        const ANY_CASE: glob::MatchOptions = glob::MatchOptions {
            case_sensitive: false,
            require_literal_separator: false,
            require_literal_leading_dot: false,
        };
        let named = self.tool.as_ref().is_none_or(|glob| glob.matches_with(&row.facts.tool, ANY_CASE));
        named && (self.status.is_empty() || self.status.contains(&row.facts.status))
    }
}
