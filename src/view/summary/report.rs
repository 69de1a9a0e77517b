//! What a run came to, gathered from its steps: as much of it as a page has room for, so that memory does not grow with the log.

use super::super::excerpt::{Length, Part};
use super::super::group::Groups;
use super::super::words;
use super::room::{List, Rooms, Words};
use crate::fold::{Call, Context, Count, End, Outcome, Run, Usage};
use crate::page::{Page, Sign, cut};
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
    pub(super) context: Option<Context<'static>>,
    pub(super) calls: Count,
    pub(super) tools: Groups,
    pub(super) files: List<File>,
    /// Where a file stands among them.
    places: HashMap<String, usize>,
    pub(super) commands: List<Command>,
    pub(super) failures: List<Wrong>,
    pub(super) refusals: List<Wrong>,
    pub(super) todos: List<Item>,
    pub(super) plans: List<Words>,
    pub(super) answer: Words,
    /// How many more bytes of each sort of thing are gathered.
    rooms: Rooms,
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

/// The most characters of a command or a target, and of a message.
const SHORT: usize = 1000;

/// The most characters of the reason for which a run failed.
const REASON: usize = 4000;

/// The most characters of what tells a run from others, and of a tool's name.
const NAME: usize = 200;

/// So many tools are told apart.
const TOOLS: usize = 300;

impl Report {
    /// A run that has begun.
    pub(super) fn new(run: &Run, log: &str, rooms: &mut Rooms) -> Self {
        let name = |text: &Option<String>| text.as_deref().map(|text| shortened(text, NAME));
        Self {
            run: Run {
                session: shortened(&run.session, NAME),
                model: name(&run.model),
                // Paths are seen from here, so it is not cut where a path may go on.
                cwd: run.cwd.clone().filter(|cwd| cwd.len() <= SHORT),
                ..*run
            },
            log: shortened(log, NAME),
            result: Outcome::Cut,
            over: false,
            stopped: None,
            duration_ms: None,
            usage: None,
            context: None,
            calls: Count::default(),
            tools: Groups::default(),
            files: List::default(),
            places: HashMap::new(),
            commands: List::default(),
            failures: List::default(),
            refusals: List::default(),
            todos: List::default(),
            plans: List::default(),
            answer: Words::default(),
            rooms: rooms.half(),
        }
    }

    /// A call is over.
    pub(super) fn call(&mut self, call: &Call, page: &Page) {
        let tool = &call.tool;
        let status = tool.status();
        let known = self.tools.all.len() < TOOLS || self.tools.all.iter().any(|group| group.tool == tool.name());
        let name = if known { shortened(tool.name(), NAME) } else { "others".to_owned() };
        if call.late {
            self.tools.ended_late(&name, status, call.duration_ms);
            self.calls.ended_late(status);
        } else {
            self.tools.add(&name, status, call.duration_ms);
        }
        // The end of a run says how many there were up to it.
        if self.over && !call.late {
            self.calls.add(status);
        }
        for change in tool.changes() {
            self.change(&change);
        }
        if let Some(command) = tool.command() {
            let command = Command {
                call: call.number,
                line: shortened(&command, SHORT),
                status,
                exit_code: tool.exit_code(),
                duration_ms: call.duration_ms,
                background: tool.background(),
            };
            if let Some(known) = self.commands.items.iter_mut().rfind(|known| call.late && known.call == call.number) {
                *known = command;
            } else {
                let length = command.line.len();
                self.commands.add(command, length, &mut self.rooms.commands);
            }
        }
        match status {
            Status::Failed => add_wrong(&mut self.failures, call, page, &mut self.rooms.failures),
            Status::Rejected => add_wrong(&mut self.refusals, call, page, &mut self.rooms.refusals),
            Status::Ok | Status::Unfinished => {}
        }
        if let Some(plan) = tool.plan() {
            self.plan(&plan);
        }
        match tool.detail(false) {
            Detail::Todos(todos) if status == Status::Ok => self.todos(&todos),
            Detail::Todos(_) | Detail::None | Detail::Output(_) | Detail::Diff(_) | Detail::Plan(_) => {}
        }
    }

    /// What there is to do, which takes the place of what was said of it before.
    pub(super) fn todos(&mut self, todos: &[Todo]) {
        self.rooms.todos += self.todos.taken(|item| item.text.len());
        self.todos = List::default();
        for item in todos.iter().map(Item::new) {
            let length = item.text.len();
            self.todos.add(item, length, &mut self.rooms.todos);
        }
    }

    /// A plan was made.
    pub(super) fn plan(&mut self, plan: &str) {
        let kept = Words::new(plan, &mut self.rooms.plans);
        if kept.text.is_empty() {
            self.plans.left_out += 1;
        } else {
            self.plans.items.push(kept);
        }
    }

    /// The run is over. It may be told again, where it failed after all.
    pub(super) fn end(&mut self, end: &End, rooms: &mut Rooms) {
        self.result = match &end.outcome {
            Outcome::Failed(why) => Outcome::Failed(shortened(why, REASON).into()),
            Outcome::Succeeded => Outcome::Succeeded,
            Outcome::Cut => Outcome::Cut,
            Outcome::Resumed => Outcome::Resumed,
        };
        self.duration_ms = end.duration_ms.filter(|ms| *ms > 0).or(self.duration_ms);
        self.usage = end.usage.or(self.usage);
        if let Some(context) = end.context {
            let cost = context.cost.as_deref().map(|cost| shortened(cost, NAME).into());
            self.context = Some(Context { cost, ..*context });
        }
        self.calls = end.calls;
        self.over = true;
        if !end.answer.trim().is_empty() {
            self.rooms.answers += self.answer.text.len();
            self.answer = Words::new(&end.answer, &mut self.rooms.answers);
        }
        rooms.give_back(&mut self.rooms);
    }

    fn change(&mut self, change: &Change) {
        if let Some(place) = self.places.get(change.path.as_ref()) {
            let file = &mut self.files.items[*place];
            file.how = match (file.how, change.how) {
                (Touched::Deleted, Touched::Created | Touched::Written) => Touched::Edited,
                (how, Touched::Edited | Touched::Created | Touched::Written) => how,
                (_, Touched::Deleted) => Touched::Deleted,
            };
            file.added = words::sum(file.added, change.added);
            file.removed = words::sum(file.removed, change.removed);
            return;
        }
        let path = change.path.as_ref().to_owned();
        let file = File { path: path.clone(), how: change.how, added: change.added, removed: change.removed };
        if self.files.add(file, 2 * path.len(), &mut self.rooms.files) {
            self.places.insert(path, self.files.items.len() - 1);
        }
    }
}

impl Item {
    fn new(todo: &Todo) -> Self {
        Self { text: shortened(&todo.text, SHORT), progress: todo.progress }
    }
}

fn add_wrong(list: &mut List<Wrong>, call: &Call, page: &Page, room: &mut usize) {
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
        tool: shortened(tool.name(), NAME),
        target: tool.target().map(|target| shortened(&target.text(), SHORT)),
        message: tool.digest().map(|digest| shortened(&digest, SHORT)),
        duration_ms: call.duration_ms,
        output: output.map(|text| excerpt(text.trim_end(), page.sign_text(Sign::More))),
    };
    let length = |text: &Option<String>| text.as_ref().map_or(0, String::len);
    let text = wrong.tool.len() + length(&wrong.target) + length(&wrong.message) + length(&wrong.output);
    list.add(wrong, text, room);
}

/// The beginning and the end of a text.
fn excerpt(text: &str, more: &str) -> String {
    let mut shown = String::new();
    for part in Length::SHORT.parts(text) {
        let gap = if shown.is_empty() { "" } else { "\n" };
        shown.push_str(gap);
        match part {
            Part::Line(line) => {
                let kept = cut(line, Length::SHORT.columns);
                shown.push_str(kept);
                if kept.len() < line.len() {
                    shown.push_str(more);
                }
            }
            Part::Hidden(count) => _ = write!(shown, "{more} {count} more lines"),
        }
    }
    shown
}

fn shortened(text: &str, chars: usize) -> String {
    match text.char_indices().nth(chars) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
