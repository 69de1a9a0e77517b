//! Tables of tool calls.

mod group;
mod row;
mod table;

use super::View;
use crate::fold::{Step, What};
use crate::page::Page;
use crate::tool::Status;
use group::Group;
use row::Row;
use std::collections::VecDeque;
use std::io;
use table::Table;

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
    rows: VecDeque<Slot>,

    #[arg(skip)]
    table: Table,
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

/// A place for a row, taken when the call begins.
struct Slot {
    run: usize,
    call: usize,
    row: Option<Row>,
}

impl View for Tools {
    fn step(&mut self, step: &Step, page: &mut Page) -> io::Result<()> {
        let run = step.run.number;
        match &step.kind {
            What::CallStarted(call) => self.rows.push_back(Slot { run, call: call.number, row: None }),
            What::CallEnded(call) => {
                let row = Some(Row::new(step.run, call));
                match self.rows.iter_mut().rev().find(|slot| (slot.run, slot.call) == (run, call.number)) {
                    Some(slot) => slot.row = row,
                    None => self.rows.push_back(Slot { run, call: call.number, row }),
                }
                if self.streams() {
                    return self.write_ready(page);
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn end(&mut self, page: &mut Page) -> io::Result<()> {
        let rows = std::mem::take(&mut self.rows);
        let mut rows: Vec<Row> = rows.into_iter().filter_map(|slot| slot.row).filter(|row| self.shows(row)).collect();
        if self.group {
            let mut groups = Group::all(&rows);
            if self.sort == Sort::Duration {
                groups.sort_by_key(|group| std::cmp::Reverse(group.total_ms));
            }
            return self.table.write(&groups, self.format, page);
        }
        if self.sort == Sort::Duration {
            rows.sort_by_key(|row| std::cmp::Reverse(row.duration_ms));
        }
        self.table.write(&rows, self.format, page)
    }
}

impl Tools {
    /// Whether a row can leave as soon as all before it have: not where the look of one depends on all.
    fn streams(&self) -> bool {
        self.sort == Sort::Start && !self.group && !matches!(self.format, Format::Table | Format::Json)
    }

    fn write_ready(&mut self, page: &mut Page) -> io::Result<()> {
        while let Some(row) = self.rows.front_mut().and_then(|slot| slot.row.take()) {
            self.rows.pop_front();
            if self.shows(&row) {
                self.table.write_more(&row, self.format, page)?;
            }
        }
        Ok(())
    }

    fn shows(&self, row: &Row) -> bool {
        const ANY_CASE: glob::MatchOptions = glob::MatchOptions {
            case_sensitive: false,
            require_literal_separator: false,
            require_literal_leading_dot: false,
        };
        let named = self.tool.as_ref().is_none_or(|glob| glob.matches_with(&row.tool, ANY_CASE));
        named && (self.status.is_empty() || self.status.contains(&row.status))
    }
}
