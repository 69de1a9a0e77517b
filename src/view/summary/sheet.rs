//! A page of a certain size: sections as Markdown or as plain text, as much of them as there is room for.

use super::super::excerpt::beginning;
use super::super::markdown;
use super::section::{Body, Cell, Entry, Section};
use crate::human;
use crate::page::{Page, Sign, columns};

/// What the page is written as.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Markdown,
    Text,
}

/// A part of the page.
pub(super) enum Part {
    /// A head, which is written before anything else gets room.
    Head(String),
    /// A section under a head of this level.
    Section(usize, Section),
}

/// What is said where something is left out takes no more than this.
const NOTE: usize = 160;

/// The parts, in their order. If they do not fit into `most` bytes, small sections stay whole, and large ones share the rest.
pub(super) fn write(parts: &[Part], form: Form, most: usize, page: &Page) -> String {
    let whole: Vec<usize> = parts.iter().map(|part| needs(part, form, page)).collect();
    if whole.iter().sum::<usize>() <= most {
        return parts.iter().map(|part| written(part, form, usize::MAX, page)).collect();
    }
    let mut left = most.saturating_sub(NOTE);
    let mut rooms = vec![0; parts.len()];
    // The heads come first, and leave half of the page to the sections.
    let mut heads = left.div_ceil(2);
    for (place, part) in parts.iter().enumerate() {
        if matches!(part, Part::Head(_)) && (whole[place] <= heads || (place == 0 && whole[place] <= left)) {
            heads = heads.saturating_sub(whole[place]);
            left -= whole[place];
            rooms[place] = whole[place];
        }
    }
    let sections: Vec<usize> = (0..parts.len()).filter(|place| matches!(parts[*place], Part::Section(..))).collect();
    for (place, room) in sections.iter().zip(shares(sections.iter().map(|place| whole[*place]), left)) {
        rooms[*place] = room;
    }
    let mut text = String::new();
    let mut gone = 0;
    for (part, room) in parts.iter().zip(rooms) {
        let written = written(part, form, room, page);
        gone += usize::from(written.is_empty());
        text.push_str(&written);
    }
    if gone > 0 {
        let size = human::bytes(i64::try_from(most).unwrap_or(i64::MAX));
        let note = left_out(&format!("{} left out, to stay within {size}", human::plural(gone, "section")), form, page);
        if text.len() + note.len() <= most {
            text.push_str(&note);
        }
    }
    text
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

fn needs(part: &Part, form: Form, page: &Page) -> usize {
    written(part, form, usize::MAX, page).len()
}

fn written(part: &Part, form: Form, room: usize, page: &Page) -> String {
    match part {
        Part::Head(text) if text.len() <= room => text.clone(),
        Part::Head(_) => String::new(),
        Part::Section(level, section) => section.write(*level, form, room, page),
    }
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
            (Body::Words(text), _) => words(text, form, room, page),
            (Body::Table(head, right, rows), Form::Markdown) => {
                let rule: Vec<&str> = right.iter().map(|right| if *right { "--:" } else { "---" }).collect();
                let rows = rows.iter().map(|row| table_line(row.iter().map(markdown_cell)));
                self.items(table_line(head) + &table_line(rule), rows, form, room, page)
            }
            (Body::Table(head, right, rows), Form::Text) => {
                let lines = aligned(head, right, rows);
                self.items(String::new(), lines.into_iter(), form, room, page)
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

    /// Items behind what stands in front of them, as many as there is room for.
    fn items(
        &self,
        mut text: String,
        items: impl ExactSizeIterator<Item = String>,
        form: Form,
        room: usize,
        page: &Page,
    ) -> String {
        let count = items.len();
        let mut shown = 0;
        for (place, item) in items.enumerate() {
            // Behind the last one, nothing may have to be said.
            let note = if place + 1 == count && self.left_out == 0 { 2 } else { NOTE };
            if text.len() + item.len() + note > room {
                break;
            }
            text.push_str(&item);
            shown += 1;
        }
        let missing = count - shown + self.left_out;
        if missing == 0 {
            return if text.ends_with("\n\n") { text } else { text + "\n" };
        }
        let gap = if form == Form::Text || text.is_empty() || text.ends_with("\n\n") { "" } else { "\n" };
        let what = if shown == 0 { human::plural(missing, self.thing) } else { more(missing, self.thing) };
        let note = left_out(&format!("{what} left out"), form, page);
        if shown == 0 {
            text.clear();
        }
        if text.len() + gap.len() + note.len() <= room { text + gap + &note } else { String::new() }
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

/// Markdown by the agent: quoted, or as it is. Lines are left out at the end, as many as it takes.
fn words(text: &str, form: Form, room: usize, page: &Page) -> String {
    let lines: Vec<&str> = text.lines().flat_map(short_lines).collect();
    let write = |count: usize| -> String {
        let kept = lines[..count].join("\n");
        let body = match form {
            Form::Markdown => markdown::quote(&kept) + "\n",
            Form::Text => {
                kept.lines().map(|line| format!("  {line}").trim_end().to_owned() + "\n").collect::<String>() + "\n"
            }
        };
        match lines.len() - count {
            0 => body,
            missing => body + &left_out(&format!("{} left out", more(missing, "line")), form, page),
        }
    };
    let all = write(lines.len());
    if all.len() <= room {
        return all;
    }
    // The most lines that fit. What they take does not grow evenly, since some have to be escaped.
    let (mut fits, mut not) = (0, lines.len());
    while fits + 1 < not {
        let middle = fits.midpoint(not);
        if write(middle).len() <= room {
            fits = middle;
        } else {
            not = middle;
        }
    }
    if fits == 0 { String::new() } else { write(fits) }
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
        Cell::Code(text) => markdown::code(text),
    }
}

fn table_line<T: AsRef<str>>(cells: impl IntoIterator<Item = T>) -> String {
    let cells: Vec<T> = cells.into_iter().collect();
    let cells: Vec<&str> = cells.iter().map(AsRef::as_ref).collect();
    format!("| {} |\n", cells.join(" | "))
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
        (cell, Form::Markdown) => markdown_cell(cell),
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
