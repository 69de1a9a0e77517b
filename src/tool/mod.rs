//! Tools: what a call is about, how it went and what it gave. `delete.rs` is the smallest example of a kind.

mod agent;
mod change;
mod delete;
mod edit;
mod glob;
mod grep;
mod list;
mod mcp;
mod other;
mod outcome;
mod plan;
mod question;
mod read;
mod shell;
mod todo;
mod web;
mod write;

pub use change::{Change, Touched};
pub use todo::{Progress, Todo, todos};

use crate::value::{Object, Text, Value};
use outcome::{is_error, outcome, status};
use std::borrow::Cow;

/// The kinds that are known. A tool that is none of them is [`other`].
const KINDS: &[&Kind] = &[
    &shell::KIND,
    &read::KIND,
    &edit::KIND,
    &write::KIND,
    &delete::KIND,
    &glob::KIND,
    &grep::KIND,
    &list::KIND,
    &web::FETCH,
    &web::SEARCH,
    &mcp::KIND,
    &mcp::LOOKUP,
    &agent::KIND,
    &todo::KIND,
    &plan::KIND,
    &question::KIND,
    &other::SEARCH,
    &other::LINTS,
];

/// One kind of tool.
struct Kind {
    /// What producers call it.
    names: &'static [&'static str],
    /// What a call is about.
    target: for<'a> fn(&Tool<'a>) -> Option<Target<'a>>,
    /// What a call that was no failure gave, in a few words.
    digest: for<'a> fn(&Tool<'a>) -> Option<String>,
    /// What a call gave, at length.
    gives: Gives,
}

impl Kind {
    /// Whether `tool` is of this kind.
    fn is(&self, tool: &Tool) -> bool {
        self.names.contains(&tool.name())
    }
}

/// What a kind of tool gives, at length.
enum Gives {
    /// Nothing that could be shown.
    Nothing,
    /// What it printed or found, or why it could not.
    Output(for<'a> fn(&Tool<'a>) -> Option<Cow<'a, str>>),
    /// What it made: a change, a list, a plan.
    Work(for<'a> fn(&Tool<'a>) -> Detail<'a>),
}

/// What a call is about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Target<'a> {
    /// A file or directory.
    Path(Cow<'a, str>),
    /// A command, a pattern, an address, a description.
    Words(Cow<'a, str>),
}

impl<'a> Target<'a> {
    /// The words or the path.
    #[must_use]
    pub fn text(self) -> Cow<'a, str> {
        match self {
            Self::Path(text) | Self::Words(text) => text,
        }
    }
}

/// What a call gave, at length.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Detail<'a> {
    /// Nothing to show.
    None,
    /// Lines of text.
    Output(Cow<'a, str>),
    /// A unified diff.
    Diff(Cow<'a, str>),
    /// A checklist.
    Todos(Vec<Todo<'a>>),
    /// A plan: the product of a run in plan mode.
    Plan(Cow<'a, str>),
}

/// How far a call has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// It has begun.
    Open,
    /// It is over.
    Completed,
    /// It is over, and the producer says that it failed.
    Failed,
}

/// How a call went.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// It did what it should
    Ok,
    /// It did not: an error, an exit code that is not 0, a timeout
    Failed,
    /// It was not allowed
    Rejected,
    /// Nothing says how it ended
    Unfinished,
}

impl Status {
    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Failed => "failed",
            Self::Rejected => "rejected",
            Self::Unfinished => "unfinished",
        }
    }
}

/// A call of a tool. All that is read from the arguments and the result is read when it is asked for.
pub struct Tool<'a> {
    name: Cow<'a, str>,
    kind: &'static Kind,
    args: Option<Object<'a>>,
    ending: Ending,
    /// The whole result.
    result: Option<Value<'a>>,
    /// The key of the result that says how the call went.
    outcome: Option<Cow<'a, str>>,
    /// What stands under that key.
    body: Option<Object<'a>>,
    status: Status,
}

impl<'a> Tool<'a> {
    /// A call of the tool that the producer calls `name`.
    #[must_use]
    pub fn new(name: Cow<'a, str>, args: Option<Value<'a>>, result: Option<Value<'a>>, ending: Ending) -> Self {
        let kind = KINDS.iter().find(|kind| kind.names.contains(&name.as_ref())).unwrap_or(&&other::KIND);
        let (outcome, body) = result.map_or((None, None), outcome);
        let (args, body) = (args.map(Object::new), body.map(Object::new));
        let status = status(ending, outcome.as_deref(), body.as_ref());
        Self { name, kind, args, ending, result, outcome, body, status }
    }

    /// The arguments and the result.
    #[must_use]
    pub fn values(&self) -> [Option<Value<'a>>; 2] {
        [self.args.as_ref().map(Object::value), self.result]
    }

    /// The same call with another name, other arguments and another result.
    #[must_use]
    pub fn with<'b>(&self, name: Cow<'b, str>, [args, result]: [Option<Value<'b>>; 2]) -> Tool<'b> {
        Tool::new(name, args, result, self.ending)
    }

    /// The tool's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What the call is about.
    #[must_use]
    pub fn target(&self) -> Option<Target<'a>> {
        (self.kind.target)(self).or_else(|| self.words(&["callTitle"]))
    }

    /// How the call went.
    #[must_use]
    pub fn status(&self) -> Status {
        self.status
    }

    /// The result's own word for how the call went.
    #[must_use]
    pub fn outcome(&self) -> Option<&str> {
        self.outcome.as_deref()
    }

    /// The exit code of a command.
    #[must_use]
    pub fn exit_code(&self) -> Option<i64> {
        self.number("exitCode")
    }

    /// Whether the call was left to go on in the background.
    #[must_use]
    pub fn background(&self) -> bool {
        let key = "isBackground";
        let says = |object: &Option<Object>| object.as_ref()?.get(key)?.bool();
        let whole = self.result.and_then(|result| result.get(key)?.bool());
        whole.or_else(|| says(&self.body)).or_else(|| says(&self.args)).unwrap_or(false)
    }

    /// How long the call took by its own account, in milliseconds.
    #[must_use]
    pub fn duration_ms(&self) -> Option<i64> {
        let time = self.number("executionTime").or_else(|| self.number("durationMs"));
        time.map(|ms| ms.max(0))
    }

    /// Why the call failed or was not allowed.
    #[must_use]
    pub fn error(&self) -> Option<Cow<'a, str>> {
        if !matches!(self.status(), Status::Failed | Status::Rejected) {
            return None;
        }
        let body = self.body.as_ref()?;
        let said = ["errorMessage", "error", "modelVisibleError", "reason", "message"]
            .iter()
            .find_map(|key| body.get(key)?.str().filter(|text| !text.trim().is_empty()));
        said.or_else(|| body.value().str()).or_else(|| if is_error(Some(body)) { mcp::text(body) } else { None })
    }

    /// What the call gave, in a few words; of a call that went wrong, what went wrong.
    #[must_use]
    pub fn digest(&self) -> Option<String> {
        match self.status() {
            Status::Ok => (self.kind.digest)(self),
            Status::Failed => self.failure(),
            Status::Rejected => Some(self.with_reason("rejected")),
            Status::Unfinished => self.given("note").map(Cow::into_owned),
        }
    }

    /// What the call gave, at length. Of a call that went well, its output only `with_output`, or if it was on display.
    #[must_use]
    pub fn detail(&self, with_output: bool) -> Detail<'a> {
        match self.kind.gives {
            Gives::Nothing => Detail::None,
            Gives::Output(_) if self.status == Status::Ok && !with_output && !self.is_displayed() => Detail::None,
            Gives::Output(text) => output(text(self)),
            Gives::Work(detail) => detail(self),
        }
    }

    /// Whether what the call gave was on display while it ran, as a terminal is.
    fn is_displayed(&self) -> bool {
        self.body.as_ref().and_then(|body| body.get("displayed")?.bool()) == Some(true)
    }

    /// The command line that the call ran.
    #[must_use]
    pub fn command(&self) -> Option<Cow<'a, str>> {
        shell::command(self)
    }

    /// The plan that the call is about.
    #[must_use]
    pub fn plan(&self) -> Option<Cow<'a, str>> {
        plan::text(self)
    }

    /// The server of an MCP call.
    #[must_use]
    pub fn server(&self) -> Option<Cow<'a, str>> {
        mcp::server(self)
    }

    /// The name that an MCP call's tool has on its server.
    #[must_use]
    pub fn server_tool(&self) -> Option<Cow<'a, str>> {
        mcp::server_tool(self)
    }

    fn failure(&self) -> Option<String> {
        if let Some(code) = self.exit_code().filter(|code| *code != 0) {
            return Some(format!("exit {code}"));
        }
        if let Some(signal) = self.given("signal") {
            return Some(format!("signal {signal}"));
        }
        match self.outcome() {
            Some("timeout") => Some(self.with_reason("timed out")),
            _ => self.error().map(|text| first_line(&text).to_owned()),
        }
    }

    fn with_reason(&self, word: &str) -> String {
        match self.error() {
            Some(reason) => format!("{word}: {}", first_line(&reason)),
            None => word.to_owned(),
        }
    }

    /// A string among the arguments.
    fn arg(&self, key: &str) -> Option<Cow<'a, str>> {
        self.args.as_ref()?.get(key)?.str().filter(|text| !text.is_empty())
    }

    /// A string in the result.
    fn given(&self, key: &str) -> Option<Cow<'a, str>> {
        self.body.as_ref()?.get(key)?.str().filter(|text| !text.is_empty())
    }

    /// A string in the result, not yet decoded: for what may be long and is seldom shown.
    fn given_text(&self, key: &str) -> Option<Text<'a>> {
        self.body.as_ref()?.get(key)?.text()
    }

    /// A string among the arguments, or, where they are missing, in the result.
    fn said(&self, keys: &[&str]) -> Option<Cow<'a, str>> {
        keys.iter().find_map(|key| self.arg(key)).or_else(|| keys.iter().find_map(|key| self.given(key)))
    }

    fn path(&self, keys: &[&str]) -> Option<Target<'a>> {
        self.said(keys).map(Target::Path)
    }

    /// What a call is about, behind what its producer calls it, where that says more.
    fn titled(&self, target: Target<'a>) -> Target<'a> {
        let plain = ["terminal", "execute", "shell", "bash", "run", "command"];
        let title = self.arg("callTitle").filter(|title| !plain.contains(&title.to_ascii_lowercase().as_str()));
        match (title, target) {
            (Some(title), Target::Words(words))
                if !title.contains(words.as_ref()) && !words.contains(title.as_ref()) =>
            {
                Target::Words(format!("{title}: {words}").into())
            }
            (_, target) => target,
        }
    }

    fn words(&self, keys: &[&str]) -> Option<Target<'a>> {
        self.said(keys).map(Target::Words)
    }

    /// A number in the result.
    fn number(&self, key: &str) -> Option<i64> {
        self.body.as_ref()?.get(key)?.integer()
    }
}

/// The first line that has something on it.
fn first_line(text: &str) -> &str {
    text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default()
}

fn no_digest(_: &Tool) -> Option<String> {
    None
}

/// Text as it is; what is empty is nothing to show.
fn output(text: Option<Cow<'_, str>>) -> Detail<'_> {
    text.filter(|text| !text.trim().is_empty()).map_or(Detail::None, Detail::Output)
}
