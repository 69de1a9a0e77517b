//! A call in the words of `tool`: its arguments and its result.

use super::call::{Call, Status, items, value};
use super::terminal::{Exit, Terminal};
use super::write::Object;
use crate::event::Over;
use crate::human;
use crate::value::Value;
use similar::{ChangeTag, TextDiff};
use std::borrow::Cow;
use std::time::Duration;

/// The names under which agents put a path into the input of a call.
const PATHS: [&str; 8] =
    ["path", "file_path", "filePath", "abs_path", "absolute_path", "target_file", "notebook_path", "filename"];

/// How long two texts are compared for the shortest change.
const DIFF: Duration = Duration::from_millis(500);

/// So many paths are told of a call that is about several.
const MOST: usize = 3;

/// The arguments of a call.
pub(super) fn arguments(call: &Call, terminals: &[&Terminal]) -> Vec<u8> {
    let mut args = Object::new();
    let input = value(&call.raw_input);
    let command = call.command().or_else(|| terminals.first().map(|terminal| terminal.command.clone()));
    let command = command.filter(|command| !command.is_empty());
    // What a search is about are not the places that it has found.
    let path = if is_of_files(call) { path(call) } else { None };
    for (key, value) in input.iter().flat_map(|input| input.fields()) {
        let ours = match key.as_ref() {
            b"callTitle" => !call.plain_title().is_empty(),
            b"command" => command.is_some(),
            b"path" => path.is_some(),
            _ => false,
        };
        if !ours {
            args.raw(&String::from_utf8_lossy(&key), &value.sound());
        }
    }
    if let Some(input) = input.filter(|input| !input.is_object()) {
        args.raw("input", &input.sound());
    }
    if let Some(command) = &command {
        args.string("command", command);
    }
    if let Some(path) = path {
        args.string("path", &path);
    }
    if !call.plain_title().is_empty() {
        args.string("callTitle", call.plain_title());
    }
    args.end()
}

/// Whether a call is about files.
fn is_of_files(call: &Call) -> bool {
    matches!(call.tool(), "read" | "edit" | "write" | "delete" | "move")
}

/// The places that a call names, a line each.
fn places(call: &Call) -> String {
    let place = |place: Value| {
        let path = place.get("path")?.str()?.into_owned();
        Some(match place.get("line").and_then(Value::integer) {
            Some(line) => format!("{path}:{line}\n"),
            None => format!("{path}\n"),
        })
    };
    items(&call.locations).filter_map(place).collect()
}

/// What a call is about, if that is a file.
fn path(call: &Call) -> Option<String> {
    let mut paths: Vec<Cow<str>> = Vec::new();
    let diffs = call.diffs().filter_map(|diff| diff.get("path")?.str());
    let places = items(&call.locations).filter_map(|place| place.get("path")?.str());
    for path in diffs.chain(places) {
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
    let more = paths.len().saturating_sub(MOST);
    paths.truncate(MOST);
    let input = || {
        let input = value(&call.raw_input)?;
        PATHS.iter().find_map(|key| input.get(key)?.str().map(Cow::into_owned))
    };
    match (paths.is_empty(), more) {
        (true, _) => input(),
        (false, 0) => Some(paths.join(", ")),
        (false, more) => Some(format!("{} and {more} more", paths.join(", "))),
    }
}

/// What a command came to.
struct Ran {
    outcome: &'static str,
    exit_code: Option<i64>,
    signal: Option<String>,
    /// How it was ended from outside, or why it was not started.
    reason: Option<String>,
    /// What else is to be said of it.
    note: Option<&'static str>,
}

/// The result of a call, and how it is over.
pub(super) fn result(call: &Call, terminals: &[&Terminal], one_sided: bool) -> (Vec<u8>, Over) {
    let said = call.text();
    let ran = ran(call, terminals, one_sided);
    let mut body = Object::new();
    let over = match call.status {
        Status::Completed => Over::Completed,
        Status::Failed => Over::Failed,
        Status::Pending | Status::Running if call.rejected.is_some() => Over::Failed,
        Status::Pending | Status::Running => Over::Unfinished,
    };
    let (out, err) = output(call, terminals);
    let failed = over == Over::Failed || ran.outcome != "success";
    let mut shown = together(&out, &said, failed).into_owned();
    if shown.is_empty() && !failed && !is_of_files(call) {
        shown = places(call);
    }
    let outcome = match (&call.rejected, ran.outcome, over) {
        (Some(_), ..) => "rejected",
        (None, "success", Over::Failed) => "failure",
        (None, outcome, _) => outcome,
    };
    if let Some(code) = ran.exit_code {
        body.number("exitCode", code);
    }
    if let Some(signal) = &ran.signal {
        body.string("signal", signal);
    }
    if let Some(note) = ran.note {
        body.string("note", note);
    }
    let reason = match &call.rejected {
        Some(reason) => Some(reason.clone()).filter(|reason| !reason.is_empty()),
        None => ran.reason,
    };
    if let Some(reason) = &reason {
        body.string("reason", reason);
    } else if failed && !said.trim().is_empty() {
        body.string("error", said.trim());
    }
    changes(call, &mut body);
    if call.tool() == "read" && !failed && !shown.is_empty() {
        let lines = i64::try_from(shown.lines().count()).unwrap_or(i64::MAX);
        body.string("content", &shown);
        // As in other results, the nothing behind a last line break counts.
        body.number("totalLines", lines + i64::from(shown.ends_with('\n')));
        shown.clear();
    }
    if !shown.is_empty() || !err.is_empty() {
        body.string("stdout", &shown);
        body.string("stderr", &err);
        if call.tool() == "shell" {
            body.raw("displayed", b"true");
        }
    }
    // What has not ended has no word for how it did.
    if over == Over::Unfinished && outcome == "success" {
        return (body.end(), over);
    }
    let mut result = Object::new();
    result.raw(outcome, &body.end());
    (result.end(), over)
}

/// What the terminals of a call, or its own account, say of its command.
fn ran(call: &Call, terminals: &[&Terminal], one_sided: bool) -> Ran {
    let mut ran = Ran { outcome: "success", exit_code: None, signal: None, reason: None, note: None };
    let raw = value(&call.raw_output).map(Exit::of).filter(Exit::is_known);
    let exits = || terminals.iter().filter_map(|terminal| terminal.exit.clone()).filter(Exit::is_known);
    // Of several, one that went wrong tells more.
    let exit = exits().find(|exit| !exit.is_good()).or_else(|| exits().next()).or(raw);
    if let Some(exit) = exit {
        if !exit.is_good() {
            ran.outcome = "failure";
        }
        (ran.exit_code, ran.signal) = (exit.code, exit.signal);
    }
    if let Some(why) = terminals.iter().find_map(|terminal| terminal.not_started.as_ref()) {
        ran.outcome = "spawnError";
        ran.reason = Some(why.clone());
    } else if let Some((terminal, killed)) = terminals.iter().find_map(|terminal| Some((terminal, terminal.killed?))) {
        let mut words = "killed".to_owned();
        if let Some(ms) = terminal.elapsed_ms() {
            words = format!("{words} after {}", human::duration(ms));
        }
        if let Some(signal) = ran.signal.take() {
            words = format!("{words}, {signal}");
        }
        ran.outcome = if killed.awaited && !killed.cancelled { "timeout" } else { "killed" };
        ran.reason = Some(words);
    }
    let without_output = |terminal: &&Terminal| terminal.output.is_empty() && terminal.exit.is_none();
    ran.note = if terminals.iter().any(|terminal| terminal.stopped) {
        Some("released while it ran")
    } else if one_sided && !call.terminals.is_empty() && terminals.iter().all(without_output) {
        Some("output not in the log")
    } else if terminals.iter().any(|terminal| terminal.truncated) {
        Some("output truncated")
    } else if call.status == Status::Completed && terminals.iter().any(|terminal| terminal.runs() && !terminal.agents) {
        Some("still running")
    } else if !call.status.is_over() && ran.exit_code == Some(0) {
        Some("exit 0, and no end of the call")
    } else {
        None
    };
    ran
}

/// What a call has printed: what its terminals hold, or else what it says itself.
pub(super) fn output(call: &Call, terminals: &[&Terminal]) -> (String, String) {
    let printed: Vec<&&Terminal> = terminals.iter().filter(|terminal| !terminal.output.is_empty()).collect();
    match &printed[..] {
        [] => raw_output(call),
        [terminal] => {
            // What was streamed may not be all, where the agent says it again at the end.
            let whole = Some(raw_output(call).0).filter(|raw| terminal.agents && raw.len() > terminal.output.len());
            let text = terminal.text();
            (whole.filter(|raw| raw.starts_with(text.as_ref())).unwrap_or_else(|| text.into_owned()), String::new())
        }
        several => {
            let mut all = String::new();
            for terminal in several {
                if !all.is_empty() && !all.ends_with('\n') {
                    all.push('\n');
                }
                all.extend(["$ ", &terminal.command, "\n", &terminal.text()]);
            }
            (all, String::new())
        }
    }
}

/// What `rawOutput` holds: nobody says what that is, so that each agent has a form of its own.
fn raw_output(call: &Call) -> (String, String) {
    let Some(raw) = value(&call.raw_output) else { return Default::default() };
    if let Some(text) = raw.str() {
        return (text.into_owned(), String::new());
    }
    let keys = ["stdout", "stderr", "formatted_output", "aggregated_output", "output", "content", "text"];
    let strings = raw.pick(keys).map(|value| value.and_then(Value::str).filter(|text| !text.is_empty()));
    let [stdout, stderr, formatted, aggregated, output, content, text] = strings;
    if stdout.is_some() || stderr.is_some() {
        let owned = |text: Option<Cow<str>>| text.unwrap_or_default().into_owned();
        return (owned(stdout), owned(stderr));
    }
    let text = formatted.or(aggregated).or(output).or(content).or(text).map(Cow::into_owned);
    let blocks = || {
        let list = if raw.is_array() { Some(raw) } else { raw.get("content") };
        let texts: Vec<Cow<str>> = list?.items().filter_map(super::call::text).collect();
        (!texts.is_empty()).then(|| texts.join("\n"))
    };
    // What is in no form that is known is shown as it is, unless it only says how the call went.
    let as_it_is = || {
        let known: [&[u8]; 4] = [b"exitCode", b"exit_code", b"signal", b"success"];
        let telling = |(key, value): (Cow<[u8]>, Value)| {
            !known.contains(&key.as_ref()) && !value.json().is_empty() && {
                value.str().is_none_or(|text| !text.is_empty())
            }
        };
        let tells = raw.is_object() && raw.fields().any(telling) && call.tool() != "shell" && call.content.is_empty();
        tells.then(|| String::from_utf8_lossy(&raw.sound()).into_owned())
    };
    (text.or_else(blocks).or_else(as_it_is).unwrap_or_default(), String::new())
}

/// What was printed, and what the agent says of it: many repeat the one in the other.
fn together<'a>(output: &'a str, said: &'a str, failed: bool) -> Cow<'a, str> {
    let (out, words) = (output.trim(), said.trim());
    if words.is_empty() || out.contains(words) {
        Cow::Borrowed(output)
    } else if out.is_empty() || (failed && words.contains(out)) {
        Cow::Borrowed(said)
    } else if words.contains(out) {
        Cow::Borrowed(output)
    } else {
        let gap = if output.ends_with('\n') { "" } else { "\n" };
        Cow::Owned(format!("{output}{gap}{said}"))
    }
}

/// The changes to files as a unified diff.
fn changes(call: &Call, body: &mut Object) {
    let (mut text, mut added, mut removed) = (String::new(), 0, 0);
    let mut files: Vec<Vec<u8>> = Vec::new();
    for diff in call.diffs() {
        let [path, old, new] = diff.pick(["path", "oldText", "newText"]).map(|value| value.and_then(Value::str));
        let (path, new) = (path.unwrap_or_default(), new.unwrap_or_default());
        let (old, new) = whole_texts(old, new);
        let compared = TextDiff::configure().timeout(DIFF).diff_lines(old.as_deref().unwrap_or_default(), &new);
        let count = |tag| i64::try_from(compared.iter_all_changes().filter(|change| change.tag() == tag).count());
        let [more, fewer] = [ChangeTag::Insert, ChangeTag::Delete].map(|tag| count(tag).unwrap_or(i64::MAX));
        (added, removed) = (added + more, removed + fewer);
        let name = path.trim_start_matches('/');
        let from = if old.is_some() { format!("a/{name}") } else { "/dev/null".to_owned() };
        let unified =
            compared.unified_diff().header(&from, &format!("b/{name}")).missing_newline_hint(false).to_string();
        text.push_str(&unified);
        let mut file = Object::new();
        file.string("path", &path);
        file.raw("isNew", old.is_none().to_string().as_bytes());
        file.number("linesAdded", more);
        file.number("linesRemoved", fewer);
        files.push(file.end());
    }
    if files.is_empty() {
        return;
    }
    body.string("diffString", &text);
    body.number("linesAdded", added);
    body.number("linesRemoved", removed);
    if files.len() > 1 {
        body.raw("files", &[&b"["[..], &files.join(&b','), b"]"].concat());
    }
}

/// What was there, and what is there now. Cursor takes the header of a new file's diff for its first lines.
fn whole_texts<'a>(old: Option<Cow<'a, str>>, new: Cow<'a, str>) -> (Option<Cow<'a, str>>, Cow<'a, str>) {
    if old.as_deref().is_some_and(|old| old.trim_end() == "-- /dev/null")
        && let Some((_, rest)) = new.split_once('\n').filter(|(first, _)| first.starts_with("++ "))
    {
        return (None, Cow::Owned(rest.to_owned()));
    }
    (old, new)
}
