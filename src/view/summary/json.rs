//! The page as one object for programs. What is left out is counted under `left_out`.

use super::super::group::Group;
use super::Gathered;
use super::report::{Command, File, Item, Report, Wrong};
use super::room::{List, Words};
use super::sheet::{most_that, shares};
use super::total::Total;
use crate::fold::{Context, Count, Outcome, Usage};
use crate::page::beginning;
use serde::Serialize;
use std::io;

#[derive(Serialize)]
struct Document<'a> {
    runs: Vec<Run<'a>>,
    total: Total,
    logs_without_run: &'a [String],
    not_json: usize,
    #[serde(skip_serializing_if = "is_zero")]
    runs_left_out: usize,
}

#[derive(Serialize)]
struct Run<'a> {
    #[serde(rename = "run")]
    number: usize,
    log: &'a str,
    session: &'a str,
    model: Option<&'a str>,
    cwd: Option<&'a str>,
    result: &'static str,
    why: Option<&'a str>,
    duration_ms: Option<i64>,
    usage: Option<Usage>,
    context: Option<&'a Context<'static>>,
    calls: Count,
    tools: &'a [Group],
    failures: &'a List<Wrong>,
    rejected: &'a List<Wrong>,
    files: &'a List<File>,
    commands: &'a List<Command>,
    todos: &'a List<Item>,
    plans: &'a List<Words>,
    answer: &'a str,
    #[serde(skip_serializing_if = "LeftOut::is_nothing")]
    left_out: LeftOut,
}

#[derive(Serialize, Default, PartialEq, Eq)]
struct LeftOut {
    failures: usize,
    rejected: usize,
    files: usize,
    commands: usize,
    todos: usize,
    plans: usize,
    answer_lines: usize,
}

impl LeftOut {
    fn is_nothing(&self) -> bool {
        *self == Self::default()
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for it so")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// The object on a line, in `most` bytes; it is empty where there is no room for any of it.
pub(super) fn write(gathered: &mut Gathered, most: usize) -> io::Result<String> {
    let whole = text(gathered, gathered.runs.len())?;
    if whole.len() <= most {
        return Ok(whole);
    }
    trim(gathered, most, whole.len())?;
    // Where many runs say little each, whole ones are left out.
    let fits = most_that(gathered.runs.len(), |count| text(gathered, count).is_ok_and(|text| text.len() <= most));
    match text(gathered, fits)? {
        text if text.len() <= most => Ok(text),
        _ if most > 2 => Ok("{}\n".to_owned()),
        _ => Ok(String::new()),
    }
}

fn text(gathered: &Gathered, shown: usize) -> io::Result<String> {
    Ok(serde_json::to_string(&Document::new(gathered, shown))? + "\n")
}

/// Leaves out of the lists and the answers what does not fit: small ones stay whole, large ones share the rest.
fn trim(gathered: &mut Gathered, most: usize, whole: usize) -> io::Result<()> {
    let mut needs = Vec::new();
    for report in &gathered.runs {
        needs.extend(lengths(report)?);
    }
    let held: usize = needs.iter().sum();
    // What is said of things left out takes some room of its own.
    let notes = 100 * gathered.runs.len();
    let room = most.saturating_sub(whole - held + notes);
    let mut shares = shares(needs.into_iter(), room).into_iter();
    for report in &mut gathered.runs {
        let mut next = || shares.next().unwrap_or(0);
        shorten(&mut report.failures, next())?;
        shorten(&mut report.refusals, next())?;
        shorten(&mut report.files, next())?;
        shorten(&mut report.commands, next())?;
        shorten(&mut report.todos, next())?;
        shorten(&mut report.plans, next())?;
        let room = next();
        let Words { text, left_out } = &mut report.answer;
        while !text.is_empty() && length(text)? > room {
            let kept = beginning(text, text.len() * 7 / 8).len();
            *left_out += text[kept..].matches('\n').count() + usize::from(*left_out == 0);
            text.truncate(kept);
        }
    }
    Ok(())
}

fn length<T: Serialize>(value: &T) -> io::Result<usize> {
    Ok(serde_json::to_string(value)?.len())
}

/// What the lists and the answer of a run take.
fn lengths(report: &Report) -> io::Result<[usize; 7]> {
    Ok([
        length(&report.failures)?,
        length(&report.refusals)?,
        length(&report.files)?,
        length(&report.commands)?,
        length(&report.todos)?,
        length(&report.plans)?,
        length(&report.answer)?,
    ])
}

fn shorten<T: Serialize>(list: &mut List<T>, room: usize) -> io::Result<()> {
    let mut taken = 2;
    let mut kept = 0;
    for item in &list.items {
        taken += length(item)? + 1;
        if taken > room {
            break;
        }
        kept += 1;
    }
    list.left_out += list.items.len() - kept;
    list.items.truncate(kept);
    Ok(())
}

impl<'a> Document<'a> {
    fn new(gathered: &'a Gathered, shown: usize) -> Self {
        Self {
            runs: gathered.runs.iter().take(shown).map(Run::new).collect(),
            total: Total::of(&gathered.runs),
            logs_without_run: &gathered.empty,
            not_json: gathered.unreadable,
            runs_left_out: gathered.runs.len().saturating_sub(shown),
        }
    }
}

impl<'a> Run<'a> {
    fn new(report: &'a Report) -> Self {
        let run = &report.run;
        Self {
            number: run.number,
            log: &report.log,
            session: &run.session,
            model: run.model.as_deref(),
            cwd: run.cwd.as_deref(),
            result: report.result.name(),
            why: match &report.result {
                Outcome::Failed(why) => Some(why),
                Outcome::Succeeded | Outcome::Cut | Outcome::Resumed => report.stopped.as_deref(),
            },
            duration_ms: report.duration_ms,
            usage: report.usage,
            context: report.context.as_ref(),
            calls: report.calls,
            tools: &report.tools.all,
            failures: &report.failures,
            rejected: &report.refusals,
            files: &report.files,
            commands: &report.commands,
            todos: &report.todos,
            plans: &report.plans,
            answer: &report.answer.text,
            left_out: LeftOut {
                failures: report.failures.left_out,
                rejected: report.refusals.left_out,
                files: report.files.left_out,
                commands: report.commands.left_out,
                todos: report.todos.left_out,
                plans: report.plans.left_out + report.plans.items.iter().filter(|plan| plan.left_out > 0).count(),
                answer_lines: report.answer.left_out,
            },
        }
    }
}
