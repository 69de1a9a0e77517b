//! The sections of a run: what stands in them, whatever the format.

use super::super::words;
use super::report::{Item, Report, Wrong};
use super::room::{List, Words};
use crate::human;
use crate::page::Page;
use crate::tool::{Status, Target, Touched};

/// A section of the page.
pub(super) struct Section {
    pub(super) title: &'static str,
    pub(super) body: Body,
    /// So many more things were not even gathered.
    pub(super) left_out: usize,
    /// What one of its things is called.
    pub(super) thing: &'static str,
    /// Which of them get room before others; those that are not named do not.
    pub(super) first: Vec<bool>,
}

/// What stands in a section.
pub(super) enum Body {
    /// A table: its head, which of its columns are set to the right, its rows.
    Table(Vec<&'static str>, Vec<bool>, Vec<Vec<Cell>>),
    /// Calls, and what they gave.
    Calls(Vec<Entry>),
    /// A checklist.
    Todos(Vec<(bool, String)>),
    /// Markdown by the agent.
    Words(String),
}

/// Text on one line, not yet escaped for any format.
pub(super) enum Cell {
    Text(String),
    Code(String),
}

/// A call that did not go well.
pub(super) struct Entry {
    pub(super) tool: String,
    pub(super) target: Option<String>,
    pub(super) facts: Vec<String>,
    pub(super) output: Option<String>,
}

/// The sections of a run that have something in them: what went wrong, what was changed, what was done, what was said.
pub(super) fn sections(report: &Report, page: &Page) -> Vec<Section> {
    let mut sections = Vec::new();
    wrong("Failures", "failure", &report.failures, report, page, &mut sections);
    wrong("Not allowed", "refusal", &report.refusals, report, page, &mut sections);
    files(report, page, &mut sections);
    commands(report, page, &mut sections);
    tools(report, page, &mut sections);
    let todos = &report.todos;
    if !todos.items.is_empty() {
        let body = Body::Todos(todos.items.iter().map(|item| todo(item, page)).collect());
        sections.push(Section { title: "To do", body, left_out: todos.left_out, thing: "item", first: Vec::new() });
    }
    sections.extend(report.plans.items.iter().map(|plan| words_of("Plan", plan, page)));
    if report.plans.left_out > 0 {
        let (body, left_out) = (Body::Calls(Vec::new()), report.plans.left_out);
        sections.push(Section { title: "Plan", body, left_out, thing: "plan", first: Vec::new() });
    }
    if !report.answer.text.is_empty() {
        sections.push(words_of("Answer", &report.answer, page));
    }
    sections
}

fn words_of(title: &'static str, words: &Words, page: &Page) -> Section {
    let body = Body::Words(page.safe(&words.text));
    Section { title, body, left_out: words.left_out, thing: "line", first: Vec::new() }
}

fn todo(item: &Item, page: &Page) -> (bool, String) {
    use crate::tool::Progress;
    let text = page.one_line(&item.text);
    match item.progress {
        Progress::Done => (true, text),
        Progress::Pending => (false, text),
        Progress::Doing => (false, format!("{text} (in progress)")),
        Progress::Cancelled => (false, format!("{text} (cancelled)")),
    }
}

fn time(ms: Option<i64>) -> Cell {
    Cell::Text(ms.map(human::duration).unwrap_or_default())
}

fn wrong(
    title: &'static str,
    thing: &'static str,
    list: &List<Wrong>,
    report: &Report,
    page: &Page,
    sections: &mut Vec<Section>,
) {
    let entry = |wrong: &Wrong| Entry {
        tool: page.one_line(&wrong.tool),
        target: wrong.target.as_deref().map(|target| page.one_line(&human::short_path(target, cwd(report)))),
        facts: wrong
            .message
            .iter()
            .map(|message| page.own(&page.one_line(message)))
            .chain(wrong.duration_ms.map(human::duration))
            .collect(),
        output: wrong.output.as_deref().map(|output| page.safe(output)),
    };
    if !list.items.is_empty() || list.left_out > 0 {
        let body = Body::Calls(list.items.iter().map(entry).collect());
        sections.push(Section { title, body, left_out: list.left_out, thing, first: Vec::new() });
    }
}

fn cwd(report: &Report) -> Option<&str> {
    report.run.cwd.as_deref()
}

fn files(report: &Report, page: &Page, sections: &mut Vec<Section>) {
    let list = &report.files;
    if list.items.is_empty() {
        return;
    }
    let lines = |count: Option<i64>, sign: &str| count.map(|count| format!("{sign}{count}")).unwrap_or_default();
    let row = |file: &super::report::File| {
        let how = match file.how {
            Touched::Created => "created",
            Touched::Edited => "edited",
            Touched::Written => "written",
            Touched::Deleted => "deleted",
        };
        let path = words::target(Target::Path(file.path.as_str().into()), &report.run);
        vec![
            Cell::Text(how.to_owned()),
            Cell::Text(lines(file.added, "+")),
            Cell::Text(page.own(&lines(file.removed, "−"))),
            Cell::Code(page.one_line(&path)),
        ]
    };
    let head = vec!["change", "added", "removed", "file"];
    let body = Body::Table(head, vec![false, true, true, false], list.items.iter().map(row).collect());
    sections.push(Section { title: "Files changed", body, left_out: list.left_out, thing: "file", first: Vec::new() });
}

fn commands(report: &Report, page: &Page, sections: &mut Vec<Section>) {
    let list = &report.commands;
    if list.items.is_empty() {
        return;
    }
    let row = |command: &super::report::Command| {
        let end = match (command.status, command.exit_code) {
            (Status::Rejected | Status::Unfinished, _) | (Status::Failed, None) => command.status.name().to_owned(),
            // In the background, the code only says that it was started.
            (Status::Ok, Some(_)) if command.background => "started".to_owned(),
            (Status::Ok | Status::Failed, Some(code)) => code.to_string(),
            (Status::Ok, None) => String::new(),
        };
        vec![Cell::Text(end), time(command.duration_ms), Cell::Code(page.one_line(&command.line))]
    };
    let head = vec!["exit", "time", "command"];
    let body = Body::Table(head, vec![true, true, false], list.items.iter().map(row).collect());
    let first = list.items.iter().map(|command| command.status != Status::Ok).collect();
    sections.push(Section { title: "Commands", body, left_out: list.left_out, thing: "command", first });
}

fn tools(report: &Report, page: &Page, sections: &mut Vec<Section>) {
    let groups = &report.tools.all;
    if groups.is_empty() {
        return;
    }
    let row = |group: &super::super::group::Group| {
        let count = group.count;
        let counts = [count.calls, count.ok(), count.failed, count.rejected, count.unfinished];
        let mut row: Vec<Cell> = vec![Cell::Text(page.one_line(&group.tool))];
        row.extend(counts.iter().map(|count| Cell::Text(count.to_string())));
        row.push(time(group.total_ms));
        row
    };
    let head = vec!["tool", "calls", "ok", "failed", "rejected", "unfinished", "time"];
    let right = vec![false, true, true, true, true, true, true];
    let body = Body::Table(head, right, groups.iter().map(row).collect());
    sections.push(Section { title: "Calls", body, left_out: 0, thing: "tool", first: Vec::new() });
}
