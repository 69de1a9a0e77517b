//! What a run came to, gathered from its steps: as much of it as a page has room for, so that memory does not grow with the log.

use super::super::excerpt::{Length, Part, beginning};
use super::super::group::Groups;
use crate::fold::{Call, Count, End, Outcome, Run, Usage};
use crate::page::cut;
use crate::tool::{Change, Detail, Progress, Status, Todo, Touched};
use serde::Serialize;
use std::collections::HashMap;
use std::fmt::Write;

/// What a run came to.
pub(super) struct Report {
    pub(super) run: Run,
    pub(super) log: String,
    pub(super) result: Outcome<'static>,
    /// The end of the run was told. A call may still end behind it.
    over: bool,
    /// Why the program ended the run, if it did.
    pub(super) stopped: Option<String>,
    pub(super) duration_ms: Option<i64>,
    pub(super) usage: Option<Usage>,
    pub(super) calls: Count,
    pub(super) tools: Groups,
    pub(super) files: List<File>,
    /// Where a file stands among them.
    places: HashMap<String, usize>,
    pub(super) commands: List<Command>,
    pub(super) failures: List<Wrong>,
    pub(super) refusals: List<Wrong>,
    pub(super) todos: Vec<Item>,
    pub(super) plans: List<String>,
    pub(super) answer: String,
}

/// Things of one sort, and how many more there were.
#[derive(Serialize)]
#[serde(transparent)]
pub(super) struct List<T> {
    pub(super) items: Vec<T>,
    #[serde(skip)]
    pub(super) left_out: usize,
}

impl<T> Default for List<T> {
    fn default() -> Self {
        Self { items: Vec::new(), left_out: 0 }
    }
}

impl<T> List<T> {
    /// Adds an item, if there is room for its text.
    fn add(&mut self, item: T, text: usize, room: &mut usize) -> bool {
        // What is around a text takes some room too.
        if let Some(left) = room.checked_sub(text + 32) {
            *room = left;
            self.items.push(item);
            true
        } else {
            self.left_out += 1;
            false
        }
    }
}

/// A file that was changed.
#[derive(Serialize)]
pub(super) struct File {
    pub(super) path: String,
    pub(super) how: Touched,
    pub(super) added: Option<i64>,
    pub(super) removed: Option<i64>,
}

/// A command that was run.
#[derive(Serialize)]
pub(super) struct Command {
    pub(super) call: usize,
    #[serde(rename = "command")]
    pub(super) line: String,
    pub(super) status: Status,
    pub(super) exit_code: Option<i64>,
    pub(super) duration_ms: Option<i64>,
    pub(super) background: bool,
}

/// A call that failed or was not allowed.
#[derive(Serialize)]
pub(super) struct Wrong {
    pub(super) call: usize,
    pub(super) tool: String,
    pub(super) target: Option<String>,
    /// What went wrong, in few words.
    pub(super) message: Option<String>,
    pub(super) duration_ms: Option<i64>,
    /// The beginning and the end of what it gave.
    pub(super) output: Option<String>,
}

/// One thing to do.
#[derive(Serialize)]
pub(super) struct Item {
    pub(super) text: String,
    #[serde(rename = "status")]
    pub(super) progress: Progress,
}

/// How many more bytes of each sort of thing are gathered, over all runs.
pub(super) struct Rooms {
    files: usize,
    commands: usize,
    failures: usize,
    refusals: usize,
    plans: usize,
    answers: usize,
}

impl Rooms {
    /// None needs more than a page of so many bytes.
    pub(super) fn new(page: usize) -> Self {
        Self { files: page, commands: page, failures: page, refusals: page, plans: page, answers: page }
    }
}

/// The most characters of a command or a target, and of a message.
const SHORT: usize = 1000;

/// So many things to do are shown at the most.
const TODOS: usize = 200;

impl Report {
    /// A run that has begun.
    pub(super) fn new(run: &Run, log: &str) -> Self {
        Self {
            run: run.clone(),
            log: log.to_owned(),
            result: Outcome::Cut,
            over: false,
            stopped: None,
            duration_ms: None,
            usage: None,
            calls: Count::default(),
            tools: Groups::default(),
            files: List::default(),
            places: HashMap::new(),
            commands: List::default(),
            failures: List::default(),
            refusals: List::default(),
            todos: Vec::new(),
            plans: List::default(),
            answer: String::new(),
        }
    }

    /// A call is over.
    pub(super) fn call(&mut self, call: &Call, rooms: &mut Rooms) {
        let tool = &call.tool;
        let status = tool.status();
        if call.late {
            self.tools.ended_late(tool.name(), status, call.duration_ms);
            self.calls.ended_late(status);
        } else {
            self.tools.add(tool.name(), status, call.duration_ms);
            if self.over {
                self.calls.add(status);
            }
        }
        if let Some(change) = tool.change() {
            self.change(&change, rooms);
        }
        if let Some(command) = tool.command() {
            let command = Command {
                call: call.number,
                line: shortened(&command),
                status,
                exit_code: tool.exit_code(),
                duration_ms: call.duration_ms,
                background: tool.background(),
            };
            if let Some(known) = self.commands.items.iter_mut().rfind(|known| call.late && known.call == call.number) {
                *known = command;
            } else {
                let length = command.line.len();
                self.commands.add(command, length, &mut rooms.commands);
            }
        }
        match status {
            Status::Failed => add_wrong(&mut self.failures, call, &mut rooms.failures),
            Status::Rejected => add_wrong(&mut self.refusals, call, &mut rooms.refusals),
            Status::Ok | Status::Unfinished => {}
        }
        if let Some(plan) = tool.plan() {
            self.plan(&plan, rooms);
        }
        match tool.detail(false) {
            Detail::Todos(todos) if status == Status::Ok => {
                self.todos = todos.iter().take(TODOS).map(Item::new).collect();
            }
            Detail::Todos(_) | Detail::None | Detail::Output(_) | Detail::Diff(_) | Detail::Plan(_) => {}
        }
    }

    /// A plan was made.
    pub(super) fn plan(&mut self, plan: &str, rooms: &mut Rooms) {
        if !self.plans.items.iter().any(|known| known == plan) {
            self.plans.add(plan.to_owned(), plan.len(), &mut rooms.plans);
        }
    }

    /// The run is over. It may be told again, where it failed after all.
    pub(super) fn end(&mut self, end: &End, rooms: &mut Rooms) {
        self.result = end.outcome.clone().into_owned();
        self.duration_ms = end.duration_ms.filter(|ms| *ms > 0).or(self.duration_ms);
        self.usage = end.usage.or(self.usage);
        self.calls = end.calls;
        self.over = true;
        if !end.answer.trim().is_empty() {
            rooms.answers += self.answer.len();
            let text = end.answer.as_ref();
            let kept = beginning(text, rooms.answers);
            rooms.answers -= kept.len();
            kept.clone_into(&mut self.answer);
            if kept.len() < text.len() {
                self.answer.push('…');
            }
        }
    }

    fn change(&mut self, change: &Change, rooms: &mut Rooms) {
        let plus = |one: Option<i64>, other: Option<i64>| match (one, other) {
            (Some(one), Some(other)) => Some(one.saturating_add(other)),
            (one, other) => one.or(other),
        };
        if let Some(place) = self.places.get(change.path.as_ref()) {
            let file = &mut self.files.items[*place];
            file.how = match (file.how, change.how) {
                (Touched::Deleted, Touched::Created | Touched::Written) => Touched::Edited,
                (how, Touched::Edited | Touched::Created | Touched::Written) => how,
                (_, Touched::Deleted) => Touched::Deleted,
            };
            file.added = plus(file.added, change.added);
            file.removed = plus(file.removed, change.removed);
            return;
        }
        let path = change.path.as_ref().to_owned();
        let file = File { path: path.clone(), how: change.how, added: change.added, removed: change.removed };
        if self.files.add(file, 2 * path.len(), &mut rooms.files) {
            self.places.insert(path, self.files.items.len() - 1);
        }
    }
}

impl Item {
    fn new(todo: &Todo) -> Self {
        Self { text: shortened(&todo.text), progress: todo.progress }
    }
}

fn add_wrong(list: &mut List<Wrong>, call: &Call, room: &mut usize) {
    let tool = &call.tool;
    let output = match tool.detail(true) {
        Detail::Output(text) => Some(text).filter(|text| {
            // A reason of one line is the message already.
            !tool.error().is_some_and(|why| why == *text && !text.trim().contains('\n'))
        }),
        Detail::None | Detail::Diff(_) | Detail::Todos(_) | Detail::Plan(_) => None,
    };
    let wrong = Wrong {
        call: call.number,
        tool: shortened(tool.name()),
        target: tool.target().map(|target| shortened(&target.text())),
        message: tool.digest().map(|digest| shortened(&digest)),
        duration_ms: call.duration_ms,
        output: output.map(|text| excerpt(text.trim_end())),
    };
    let length = |text: &Option<String>| text.as_ref().map_or(0, String::len);
    let text = wrong.tool.len() + length(&wrong.target) + length(&wrong.message) + length(&wrong.output);
    list.add(wrong, text, room);
}

/// The beginning and the end of a text.
fn excerpt(text: &str) -> String {
    let mut shown = String::new();
    for part in Length::SHORT.parts(text) {
        let gap = if shown.is_empty() { "" } else { "\n" };
        shown.push_str(gap);
        match part {
            Part::Line(line) => {
                let kept = cut(line, Length::SHORT.columns);
                shown.push_str(kept);
                if kept.len() < line.len() {
                    shown.push('…');
                }
            }
            Part::Hidden(count) => _ = write!(shown, "… {count} more lines"),
        }
    }
    shown
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(SHORT) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
