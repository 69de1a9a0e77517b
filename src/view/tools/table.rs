//! Rows in every format.

use super::super::markdown;
use crate::page::{Ink, Page, columns};
use serde::Serialize;
use std::borrow::{Borrow, Cow};
use std::io;

/// What can stand in a table.
pub(super) trait Cells: Serialize {
    /// The heads of the columns that people read. The last column is never padded.
    const HEAD: &'static [&'static str];
    /// Which of them are set to the right.
    const RIGHT: &'static [bool];
    /// The columns that a narrow page leaves out, in this order.
    const SPARE: &'static [usize];
    /// The cells that people read, each on one line.
    fn cells(&self, page: &Page) -> Vec<(Ink, String)>;

    /// The names of the columns that programs read.
    const KEYS: &'static [&'static str];
    /// The cells that programs read.
    fn values(&self) -> Vec<Cow<'_, str>>;
}

/// A format in which a row is a line by itself.
#[derive(Clone, Copy)]
pub(super) enum Form {
    Ndjson,
    Csv,
    Tsv,
    Markdown,
}

/// Writes rows line by line, the first behind a head.
#[derive(Default)]
pub(super) struct Lines {
    begun: bool,
}

impl Lines {
    pub(super) fn write<R: Cells>(&mut self, row: &R, form: Form, page: &mut Page) -> io::Result<()> {
        self.head::<R>(form, page)?;
        match form {
            Form::Ndjson => page.faithful(&format!("{}\n", serde_json::to_string(row)?)),
            Form::Csv => page.faithful(&csv_line(row.values().iter().map(|cell| cell.as_bytes()))?),
            Form::Tsv => page.faithful(&tsv_line(&row.values())),
            Form::Markdown => {
                let cells: Vec<String> = row.cells(page).into_iter().map(|(_, cell)| markdown::plain(&cell)).collect();
                page.put(Ink::Plain, &markdown::row(&cells))
            }
        }
    }

    /// The head, once. A table without rows has one too.
    pub(super) fn head<R: Cells>(&mut self, form: Form, page: &mut Page) -> io::Result<()> {
        if std::mem::replace(&mut self.begun, true) {
            return Ok(());
        }
        match form {
            Form::Ndjson => Ok(()),
            Form::Csv => page.faithful(&csv_line(R::KEYS.iter().map(|key| key.as_bytes()))?),
            Form::Tsv => page.faithful(&tsv_line(R::KEYS)),
            Form::Markdown => {
                page.put(Ink::Plain, &markdown::row(R::HEAD))?;
                page.put(Ink::Plain, &markdown::rule(R::RIGHT))
            }
        }
    }
}

/// An array with a row a line, so that it can be read by eye and compared by line.
pub(super) fn json<R: Serialize>(rows: &[impl Borrow<R>], page: &mut Page) -> io::Result<()> {
    page.faithful("[")?;
    for (place, row) in rows.iter().enumerate() {
        page.faithful(if place > 0 { ",\n" } else { "\n" })?;
        page.faithful(&serde_json::to_string(row.borrow())?)?;
    }
    page.faithful(if rows.is_empty() { "]\n" } else { "\n]\n" })
}

/// Columns to read.
pub(super) fn aligned<R: Cells>(rows: &[impl Borrow<R>], page: &mut Page) -> io::Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    let head: Vec<(Ink, String)> = R::HEAD.iter().map(|head| (Ink::Dim, (*head).to_owned())).collect();
    let last = R::HEAD.len() - 1;
    let mut widths: Vec<usize> = R::HEAD[..last].iter().map(|head| columns(head)).collect();
    for row in rows {
        for (width, (_, cell)) in widths.iter_mut().zip(row.borrow().cells(page)) {
            *width = columns(&cell).min(PAD).max(*width);
        }
    }
    let shown = shown::<R>(&widths, page);
    // The cells are made again, which is less than to hold them all.
    for row in std::iter::once(None).chain(rows.iter().map(|row| Some(row.borrow()))) {
        let row = row.map_or_else(|| head.clone(), |row| row.cells(page));
        let padded = |(column, (ink, cell)): (usize, (Ink, String))| {
            let Some(width) = widths.get(column) else { return (ink, cell) };
            let blanks = " ".repeat(width.saturating_sub(columns(&cell)));
            (ink, if R::RIGHT[column] { format!("{blanks}{cell}  ") } else { format!("{cell}{blanks}  ") })
        };
        let row: Vec<(Ink, String)> =
            row.into_iter().enumerate().filter(|(column, _)| shown.contains(column)).map(padded).collect();
        page.fitted(&row)?;
        page.put(Ink::Plain, "\n")?;
    }
    Ok(())
}

/// Cells are padded up to this; one that is longer stands out, and not all others with it.
const PAD: usize = 40;

/// So many columns the last cell should have, which tells most.
const LAST: usize = 20;

/// The columns that the page has room for.
fn shown<R: Cells>(widths: &[usize], page: &Page) -> Vec<usize> {
    let mut shown: Vec<usize> = (0..R::HEAD.len()).collect();
    let room = page.look().width.map_or(usize::MAX, usize::from);
    for spare in R::SPARE {
        let taken: usize = shown.iter().filter_map(|column| widths.get(*column)).map(|width| width + 2).sum();
        if taken + LAST > room {
            shown.retain(|column| column != spare);
        }
    }
    shown
}

fn csv_line<'a>(cells: impl Iterator<Item = &'a [u8]>) -> io::Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(cells)?;
    let line = writer.into_inner().map_err(csv::IntoInnerError::into_error)?;
    Ok(String::from_utf8_lossy(&line).into_owned())
}

fn tsv_line<T: AsRef<str>>(cells: &[T]) -> String {
    let length: usize = cells.iter().map(|cell| cell.as_ref().len() + 1).sum();
    let mut line = String::with_capacity(length);
    for (place, cell) in cells.iter().enumerate() {
        if place > 0 {
            line.push('\t');
        }
        let mut rest = cell.as_ref();
        while let Some(odd) = rest.bytes().position(|byte| matches!(byte, b'\\' | b'\t' | b'\n' | b'\r')) {
            line.push_str(&rest[..odd]);
            line.push_str(match rest.as_bytes()[odd] {
                b'\t' => "\\t",
                b'\n' => "\\n",
                b'\r' => "\\r",
                _ => "\\\\",
            });
            rest = &rest[odd + 1..];
        }
        line.push_str(rest);
    }
    line.push('\n');
    line
}
