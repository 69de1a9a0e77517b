//! A page of a certain size: sections as Markdown or as plain text, as much of them as there is room for.

use super::super::markdown;
use super::section::{Body, Cell, Entry, Section};
use crate::human;
use crate::page::{Page, Sign, beginning, columns};

/// What the page is written as.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Markdown,
    Text,
}

/// What is to stand on a page.
pub(super) struct Sheet {
    pub(super) title: String,
    /// The table of the runs.
    pub(super) table: Option<Section>,
    pub(super) runs: Vec<Run>,
    pub(super) notes: String,
}

/// What is said of a run.
pub(super) struct Run {
    pub(super) head: String,
    pub(super) sections: Vec<Section>,
    /// The level of their headings.
    pub(super) level: usize,
    /// It gets room before others.
    pub(super) first: bool,
}

/// What is said where something is left out takes no more than this.
const NOTE: usize = 160;

impl Sheet {
    /// The page. If it does not fit into `most` bytes, small sections stay whole, and large ones share the rest.
    pub(super) fn write(&self, form: Form, most: usize, page: &Page) -> String {
        let table = |room: usize| self.table.as_ref().map(|table| table.write(3, form, room, page)).unwrap_or_default();
        let written: Vec<Vec<String>> = self.runs.iter().map(|run| run.whole(form, page)).collect();
        let whole = table(usize::MAX);
        let heads: usize = self.runs.iter().map(|run| run.head.len()).sum();
        let sections: usize = written.iter().flatten().map(String::len).sum();
        if self.title.len() + whole.len() + heads + sections + self.notes.len() <= most {
            let runs = self.runs.iter().zip(&written);
            let runs: String = runs.map(|(run, sections)| format!("{}{}", run.head, sections.concat())).collect();
            return format!("{}{whole}{runs}{}", self.title, self.notes);
        }
        let mut left = most.saturating_sub(NOTE);
        let mut take = |text: &str| match left.checked_sub(text.len()) {
            Some(rest) => {
                left = rest;
                true
            }
            None => false,
        };
        if !take(&self.title) {
            return String::new();
        }
        let notes = take(&self.notes);
        let table = table(left / 2);
        left -= table.len();
        // The heads leave half of the rest to the sections.
        let mut room = left.div_ceil(2);
        let fits = |place: &usize| {
            let rest = room.checked_sub(self.runs[*place].head.len());
            room = rest.unwrap_or(0);
            rest.is_some()
        };
        let mut order: Vec<usize> = (0..self.runs.len()).collect();
        order.sort_by_key(|place| !self.runs[*place].first);
        let mut shown: Vec<usize> = order.into_iter().take_while(fits).collect();
        shown.sort_unstable();
        left -= shown.iter().map(|place| self.runs[*place].head.len()).sum::<usize>();
        let needs = shown.iter().flat_map(|place| written[*place].iter().map(String::len));
        let mut shares = shares(needs, left).into_iter();
        let mut text = format!("{}{table}", self.title);
        // What one does not use, the next one has.
        let mut over = 0;
        let mut gone = 0;
        for run in shown.iter().map(|place| &self.runs[*place]) {
            text.push_str(&run.head);
            for section in &run.sections {
                let room = shares.next().unwrap_or(0) + over;
                let written = run.write(section, form, room, page);
                over = room - written.len();
                gone += usize::from(written.is_empty());
                text.push_str(&written);
            }
        }
        if notes {
            text.push_str(&self.notes);
        }
        let runs = self.runs.len() - shown.len();
        let counts = [(runs, "run"), (gone, "section")];
        let counts: Vec<String> =
            counts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| more(*count, what)).collect();
        if !counts.is_empty() {
            let size = human::bytes(i64::try_from(most).unwrap_or(i64::MAX));
            text += &left_out(&format!("{} left out, to stay within {size}", counts.join(" and ")), form, page);
        }
        text
    }
}

impl Run {
    /// The sections, each in full.
    fn whole(&self, form: Form, page: &Page) -> Vec<String> {
        self.sections.iter().map(|section| self.write(section, form, usize::MAX, page)).collect()
    }

    fn write(&self, section: &Section, form: Form, room: usize, page: &Page) -> String {
        section.write(self.level, form, room, page)
    }
}

/// What each gets of `room`: all get the same, but none more than it needs.
pub(super) fn shares(needs: impl Iterator<Item = usize>, room: usize) -> Vec<usize> {
    let needs: Vec<usize> = needs.collect();
    let mut order: Vec<usize> = (0..needs.len()).collect();
    order.sort_by_key(|place| needs[*place]);
    let mut left = room;
    let mut shares = vec![0; needs.len()];
    for (done, place) in order.iter().enumerate() {
        shares[*place] = needs[*place].min(left / (needs.len() - done));
        left -= shares[*place];
    }
    shares
}

/// The most of `count` things that fit, if fewer do wherever more do. Nothing is taken to fit.
pub(super) fn most_that(count: usize, fit: impl Fn(usize) -> bool) -> usize {
    let (mut fits, mut not) = (0, count + 1);
    while fits + 1 < not {
        let middle = fits.midpoint(not);
        if fit(middle) {
            fits = middle;
        } else {
            not = middle;
        }
    }
    fits
}

/// A line that says that something is missing.
fn left_out(text: &str, form: Form, page: &Page) -> String {
    let more = page.sign_text(Sign::More);
    match form {
        Form::Markdown => format!("{more} {text}\n\n"),
        Form::Text => format!("  {more} {text}\n\n"),
    }
}

/// A heading.
pub(super) fn heading(level: usize, text: &str, form: Form) -> String {
    match form {
        Form::Markdown => format!("{} {text}\n\n", "#".repeat(level)),
        Form::Text => format!("{text}\n"),
    }
}

impl Section {
    /// The section, with as much in it as `room` has bytes for; nothing if that is nothing.
    fn write(&self, level: usize, form: Form, room: usize, page: &Page) -> String {
        let head = heading(level, self.title, form);
        let Some(room) = room.checked_sub(head.len()) else { return String::new() };
        let body = match (&self.body, form) {
            (Body::Words(text), _) => self.words(text, form, room, page),
            (Body::Table(head, right, rows), Form::Markdown) => {
                let line = |row: &Vec<Cell>| markdown::row(&row.iter().map(markdown_cell).collect::<Vec<String>>());
                self.items(markdown::row(head) + &markdown::rule(right), rows.iter().map(line), form, room, page)
            }
            (Body::Table(head, right, rows), Form::Text) => {
                let mut lines = aligned(head, right, rows).into_iter();
                self.items(lines.next().unwrap_or_default(), lines, form, room, page)
            }
            (Body::Calls(entries), _) => {
                let entries = entries.iter().map(|entry| entry.write(form, page));
                self.items(String::new(), entries, form, room, page)
            }
            (Body::Todos(todos), _) => {
                let line = |(done, text): &(bool, String)| match form {
                    Form::Markdown => format!("- [{}] {}\n", if *done { 'x' } else { ' ' }, markdown::plain(text)),
                    Form::Text => {
                        let sign = page.sign_text(if *done { Sign::Done } else { Sign::Pending });
                        format!("  {sign} {text}\n")
                    }
                };
                self.items(String::new(), todos.iter().map(line), form, room, page)
            }
        };
        if body.is_empty() { body } else { format!("{head}{body}") }
    }

    /// Items behind what stands in front of them, as many as there is room for; those that matter get it first.
    fn items(
        &self,
        before: String,
        items: impl Iterator<Item = String>,
        form: Form,
        room: usize,
        page: &Page,
    ) -> String {
        let items: Vec<String> = items.collect();
        let end = usize::from(!items.last().is_some_and(|last| last.ends_with("\n\n")));
        let whole = items.iter().map(String::len).sum::<usize>() + before.len() + end <= room;
        let mut left = room.saturating_sub(if whole && self.left_out == 0 { 0 } else { before.len() + NOTE });
        let mut order: Vec<usize> = (0..items.len()).collect();
        order.sort_by_key(|place| !self.first.get(*place).copied().unwrap_or(false));
        let mut shown: Vec<usize> = order
            .into_iter()
            .take_while(|place| {
                let rest = left.checked_sub(items[*place].len());
                left = rest.unwrap_or(0);
                rest.is_some()
            })
            .collect();
        shown.sort_unstable();
        let mut text = if shown.is_empty() { String::new() } else { before };
        text.extend(shown.iter().map(|place| items[*place].as_str()));
        let missing = items.len() - shown.len() + self.left_out;
        if missing == 0 {
            return if text.ends_with("\n\n") { text } else { text + "\n" };
        }
        let gap = if form == Form::Text || text.is_empty() || text.ends_with("\n\n") { "" } else { "\n" };
        let what = if shown.is_empty() { human::plural(missing, self.thing) } else { more(missing, self.thing) };
        let note = left_out(&format!("{what} left out"), form, page);
        if text.len() + gap.len() + note.len() <= room { text + gap + &note } else { String::new() }
    }

    /// Markdown by the agent: quoted, or as it is. Lines are left out at the end, as many as it takes.
    fn words(&self, text: &str, form: Form, room: usize, page: &Page) -> String {
        let write = |kept: &str, missing: usize| -> String {
            let body = match form {
                Form::Markdown => markdown::quote(kept) + "\n",
                Form::Text => {
                    kept.lines().map(|line| format!("  {line}").trim_end().to_owned() + "\n").collect::<String>() + "\n"
                }
            };
            match missing + self.left_out {
                0 => body,
                missing => body + &left_out(&format!("{} left out", more(missing, self.thing)), form, page),
            }
        };
        let all = write(text, 0);
        if all.len() <= room {
            return all;
        }
        // The most lines that fit. What they take does not grow evenly, since some have to be escaped.
        let lines: Vec<&str> = text.lines().flat_map(short_lines).collect();
        let first = |count: usize| write(&lines[..count].join("\n"), lines.len() - count);
        let fits = most_that(lines.len(), |count| first(count).len() <= room);
        if fits == 0 { String::new() } else { first(fits) }
    }
}

/// So many more things.
fn more(count: usize, thing: &str) -> String {
    human::plural(count, thing).replacen(' ', " more ", 1)
}

impl Entry {
    fn write(&self, form: Form, page: &Page) -> String {
        let dot = format!(" {} ", page.sign_text(Sign::Dot));
        let facts = |escape: fn(&str) -> String| {
            self.facts.iter().map(|fact| format!("{dot}{}", escape(fact))).collect::<String>()
        };
        match form {
            Form::Markdown => {
                let target = self.target.as_deref().map(|target| format!(" {}", markdown::code(target)));
                let line = format!("**{}**{}", markdown::plain(&self.tool), target.unwrap_or_default());
                let output = self.output.as_deref().map(|output| markdown::fence(output) + "\n");
                format!("{line}{}\n\n{}", facts(markdown::plain), output.unwrap_or_default())
            }
            Form::Text => {
                let target = self.target.as_deref().map(|target| format!(" {target}")).unwrap_or_default();
                let gutter = page.sign_text(Sign::Gutter);
                let lines = self.output.iter().flat_map(|output| output.lines());
                let output: String =
                    lines.map(|line| format!("    {gutter} {line}").trim_end().to_owned() + "\n").collect();
                format!("  {}{target}{}\n{output}", self.tool, facts(str::to_owned))
            }
        }
    }
}

/// So long a line of somebody's words may be: one that is longer is broken, so that a part of it can be left out.
const LINE: usize = 4000;

fn short_lines(line: &str) -> Vec<&str> {
    let mut rest = line;
    let mut lines = Vec::new();
    while rest.len() > LINE {
        let line = beginning(rest, LINE);
        let end = line.rfind(' ').map_or(line.len(), |blank| blank + 1);
        lines.push(&rest[..end]);
        rest = &rest[end..];
    }
    lines.push(rest);
    lines
}

fn markdown_cell(cell: &Cell) -> String {
    match cell {
        Cell::Text(text) => markdown::plain(text),
        Cell::Code(text) => markdown::code_in_cell(text),
    }
}

/// A table in columns. The last one is never padded.
fn aligned(head: &[&str], right: &[bool], rows: &[Vec<Cell>]) -> Vec<String> {
    let text = |cell: &Cell| match cell {
        Cell::Text(text) | Cell::Code(text) => text.clone(),
    };
    let rows: Vec<Vec<String>> = std::iter::once(head.iter().map(|head| (*head).to_owned()).collect())
        .chain(rows.iter().map(|row| row.iter().map(text).collect()))
        .collect();
    let width = |column: usize| rows.iter().map(|row| columns(&row[column]).min(PAD)).max().unwrap_or(0);
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    let last = head.len() - 1;
    let line = |row: &Vec<String>| {
        let cell = |(column, cell): (usize, &String)| {
            let blanks = " ".repeat(widths[column].saturating_sub(columns(cell)));
            match (right[column], column == last) {
                (true, _) => format!("  {blanks}{cell}"),
                (false, true) => format!("  {cell}"),
                (false, false) => format!("  {cell}{blanks}"),
            }
        };
        row.iter().enumerate().map(cell).collect::<String>().trim_end().to_owned() + "\n"
    };
    rows.iter().map(line).collect()
}

/// Cells are padded up to this; one that is longer stands out.
const PAD: usize = 40;

/// A cell in a line of text.
pub(super) fn cell(cell: &Cell, form: Form) -> String {
    match (cell, form) {
        (Cell::Text(text), Form::Markdown) => markdown::plain(text),
        (Cell::Code(text), Form::Markdown) => markdown::code(text),
        (Cell::Text(text) | Cell::Code(text), Form::Text) => text.clone(),
    }
}

/// Text of the log by itself, in short: why a run failed.
pub(super) fn block(text: &str, form: Form, page: &Page) -> String {
    let kept = text.lines().take(LINES).collect::<Vec<&str>>().join("\n");
    let kept = beginning(&kept, LINE);
    let more = if kept.len() < text.len() { page.sign_text(Sign::More) } else { "" };
    match form {
        Form::Markdown if kept.contains('\n') => markdown::fence(&format!("{kept}{more}")) + "\n",
        Form::Markdown => format!("**{}{more}**\n\n", markdown::plain(kept.trim())),
        Form::Text => format!("{kept}{more}\n\n"),
    }
}

/// So many lines of a reason are shown.
const LINES: usize = 20;
