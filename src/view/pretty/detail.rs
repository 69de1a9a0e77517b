//! What a call gave, under its line.

use super::super::excerpt::{Length, Part};
use crate::page::{Ink, Page, Sign, beginning, columns, cut};
use crate::tool::{Detail, Progress, Status, Todo, Tool};
use memchr::memmem;
use std::io;

/// How much is shown of what calls give.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum Extent {
    /// Only the lines of the calls
    None,
    /// The beginning and the end of what went wrong, the changes to files
    #[default]
    Short,
    /// All
    Full,
}

/// What is to be shown of what a call gave. A plan always is: it is what the run was for.
/// A reason that is wider than half the page is not whole in the call's line.
pub(super) fn shown<'a>(tool: &Tool<'a>, extent: Extent, page: &Page) -> Detail<'a> {
    let full = extent == Extent::Full;
    let most = page.look().width.map_or(usize::MAX, |width| usize::from(width) / 2);
    match tool.detail(full) {
        Detail::Plan(text) => Detail::Plan(text),
        _ if extent == Extent::None => Detail::None,
        Detail::Output(text) => {
            // A reason of one line stands in the call's line already.
            let told = match tool.status() {
                Status::Failed | Status::Rejected => {
                    let whole = !text.trim().contains('\n') && (!full || columns(text.trim()) + 12 <= most);
                    whole && tool.error().is_some_and(|why| why == text)
                }
                Status::Ok | Status::Unfinished => false,
            };
            if told { Detail::None } else { Detail::Output(text) }
        }
        detail @ (Detail::None | Detail::Diff(_) | Detail::Todos(_)) => detail,
    }
}

/// Writes it, as much as is wanted; a plan in full.
pub(super) fn write(detail: &Detail, extent: Extent, page: &mut Page) -> io::Result<()> {
    let full = extent == Extent::Full;
    match detail {
        Detail::None => Ok(()),
        Detail::Plan(text) => plan(text, page),
        Detail::Output(text) => block(text, if full { Length::ALL } else { Length::SHORT }, page),
        Detail::Diff(text) => diff(text, if full { Length::ALL } else { Length::DIFF }, page),
        Detail::Todos(todos) => todos.iter().try_for_each(|item| todo(item, page)),
    }
}

/// Lines of text behind a gutter.
pub(super) fn block(text: &str, length: Length, page: &mut Page) -> io::Result<()> {
    behind_gutter(text.trim_end_matches(['\n', '\r']), |_| Ink::Dim, length, page)
}

/// Says that something is missing.
pub(super) fn gap(page: &mut Page) -> io::Result<()> {
    let text = format!("    {} {} earlier output is lost", page.sign_text(Sign::Gutter), page.sign_text(Sign::More));
    page.fitted(&[(Ink::Dim, text)])?;
    page.put(Ink::Plain, "\n")
}

/// A plan, in full.
pub(super) fn plan(text: &str, page: &mut Page) -> io::Result<()> {
    behind_gutter(text.trim_end(), |_| Ink::Plain, Length::ALL, page)
}

/// A unified diff. Its header says again what stands in the call's line, and so does the place of its first hunk.
fn diff(text: &str, length: Length, page: &mut Page) -> io::Result<()> {
    let hunk = if text.starts_with("@@") { Some(0) } else { memmem::find(text.as_bytes(), b"\n@@").map(|at| at + 1) };
    let body = hunk.and_then(|hunk| text[hunk..].split_once('\n')).map_or(text, |(_, body)| body);
    // An empty line tells nothing where nothing stands before it.
    let mut body = body.trim_end_matches('\n');
    while let Some((_, rest)) = body.split_once('\n').filter(|(first, _)| first.trim().is_empty()) {
        body = rest;
    }
    let ink = |line: &str| match line.as_bytes().first() {
        Some(b'+') => Ink::Added,
        Some(b'-') => Ink::Removed,
        _ => Ink::Dim,
    };
    behind_gutter(body, ink, length, page)
}

fn todo(todo: &Todo, page: &mut Page) -> io::Result<()> {
    let (sign, ink) = match todo.progress {
        Progress::Pending => (Sign::Pending, Ink::Plain),
        Progress::Doing => (Sign::Doing, Ink::Accent),
        Progress::Done => (Sign::Done, Ink::Good),
        Progress::Cancelled => (Sign::Cancelled, Ink::Dim),
    };
    let text = if todo.progress == Progress::Pending { Ink::Plain } else { ink };
    page.fitted(&[
        (Ink::Plain, "    ".to_owned()),
        (ink, page.sign_text(sign).to_owned()),
        (text, format!(" {}", page.one_line(&todo.text))),
    ])?;
    page.put(Ink::Plain, "\n")
}

fn behind_gutter(text: &str, ink: impl Fn(&str) -> Ink, length: Length, page: &mut Page) -> io::Result<()> {
    let gutter = format!("    {}", page.sign_text(Sign::Gutter));
    let before = format!("{gutter} ");
    for part in length.parts(text) {
        match part {
            Part::Line(line) if line.trim().is_empty() => page.put(Ink::Dim, &format!("{gutter}\n"))?,
            Part::Line(line) => rows(line.trim_end(), &before, length, Break::Anywhere, page, |row, page| {
                page.put(Ink::Dim, &before)?;
                page.put(ink(line), row)?;
                page.put(Ink::Plain, "\n")
            })?,
            Part::Hidden(count) => hidden(count, &before, page)?,
        }
    }
    Ok(())
}

/// Text whose later lines are indented like its first one.
pub(super) fn indented(text: &str, indent: &str, ink: Ink, length: Length, page: &mut Page) -> io::Result<()> {
    let mut first = true;
    for part in length.parts(text.trim_end_matches('\n')) {
        match part {
            Part::Line(line) => rows(line, indent, length, Break::Words, page, |row, page| {
                if !std::mem::take(&mut first) && !row.is_empty() {
                    page.put(Ink::Plain, indent)?;
                }
                page.put(ink, row)?;
                page.put(Ink::Plain, "\n")
            })?,
            Part::Hidden(count) => hidden(count, indent, page)?,
        }
    }
    Ok(())
}

fn hidden(count: usize, before: &str, page: &mut Page) -> io::Result<()> {
    let left_out = format!("{before}{} {count} more lines", page.sign_text(Sign::More));
    page.fitted(&[(Ink::Dim, left_out)])?;
    page.put(Ink::Plain, "\n")
}

/// Where a line that is too long for the page is broken.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Break {
    /// Between words, if there are any.
    Words,
    /// Where the page ends: for text in which blanks mean something.
    Anywhere,
}

/// In short, a line takes so many rows of a narrow page at the most.
const ROWS: usize = 3;

/// Parts a line into rows that fit behind `before`, and cuts it where it is longer than the length allows.
fn rows(
    line: &str,
    before: &str,
    length: Length,
    at: Break,
    page: &mut Page,
    mut write: impl FnMut(&str, &mut Page) -> io::Result<()>,
) -> io::Result<()> {
    // What a terminal would not show must not be measured. Of a line that is cut, not all is looked at.
    let looked_at = beginning(line, length.columns.saturating_mul(64));
    let beyond = line.len() - looked_at.len();
    let line = page.safe(looked_at);
    // A row is never narrower than a word of some length, even if the page is.
    let room = page.look().width.map(|width| usize::from(width).saturating_sub(columns(before) + 1).max(10));
    let most = room.map_or(length.columns, |room| length.columns.min(room.saturating_mul(ROWS)));
    let mut rest = if length.columns == usize::MAX { line.as_str() } else { cut(&line, most) };
    let left_out = beyond + line.len() - rest.len();
    while let Some(room) = room {
        let row = cut(rest, room);
        if row.len() == rest.len() {
            break;
        }
        let blank = row.rfind(' ').filter(|blank| *blank > 0 && at == Break::Words);
        let row = blank.map_or(row, |blank| &row[..blank]);
        write(row, page)?;
        rest = rest[row.len()..].strip_prefix(' ').filter(|_| blank.is_some()).unwrap_or(&rest[row.len()..]);
    }
    write(rest, page)?;
    if left_out == 0 {
        return Ok(());
    }
    let more = format!("{} {left_out} more bytes", page.sign_text(Sign::More));
    write(cut(&more, room.unwrap_or(usize::MAX)), page)
}
