//! What an agent says of a session: `session/update`.

use super::call::{Call, is, words};
use super::out::Out;
use super::session::Session;
use super::terminal::{Exit, Terminal};
use super::told;
use crate::event::{Ended, Fault, Kind, Mark, Note, Over};
use crate::value::{Text, Value};
use std::borrow::Cow;
use std::io;

/// What an update means for the turn.
pub(super) enum Next {
    /// Nothing.
    Goes,
    /// It is over, for this reason, if one is given.
    Over(Option<String>),
}

impl Session {
    pub(super) fn update(&mut self, update: Value, out: &mut Out) -> io::Result<Next> {
        let kind = update.get("sessionUpdate").and_then(Value::str).unwrap_or_default();
        // What is said again on loading was told when it was said.
        if self.loading && kind != "current_mode_update" {
            return Ok(Next::Goes);
        }
        match kind.as_ref() {
            "agent_message_chunk" => self.said(update, Mark::New, out)?,
            "agent_message" => self.said(update, Mark::Whole, out)?,
            "agent_thought_chunk" => self.thought(update, Mark::New, out)?,
            "agent_thought" => self.thought(update, Mark::Whole, out)?,
            "user_message_chunk" | "user_message" => self.user_said(update, out),
            "tool_call" => self.call(update, true, out)?,
            "tool_call_update" => self.call(update, false, out)?,
            "tool_call_content_chunk" => self.content(update, out)?,
            "plan" | "plan_update" => self.plan(update, out)?,
            "terminal_update" | "terminal_output_chunk" => self.agents_terminal(update, &kind, out)?,
            "current_mode_update" => {
                let mode = update.get("currentModeId").and_then(Value::str).unwrap_or_default();
                self.set_mode(&mode, out)?;
            }
            "usage_update" => {
                self.used.clear();
                self.used.extend_from_slice(update.json());
            }
            "notice" => self.notice(update, out)?,
            "compaction_update" => self.compaction(update, out)?,
            "state_update" => return self.state(update, out),
            "available_commands_update"
            | "config_option_update"
            | "session_info_update"
            | "compaction_summary_chunk"
            | "plan_removed"
            | "subagent_update"
            | "session_message"
            | "session_message_chunk" => {}
            other => out.found(Fault::UnknownEvent, format!("nobody knows an update `{other}`"))?,
        }
        Ok(Next::Goes)
    }

    /// A piece of a message, or the whole of it.
    fn said(&mut self, update: Value, mark: Mark, out: &mut Out) -> io::Result<()> {
        let blocks = blocks(update);
        if self.is_late(out) {
            for block in blocks {
                push_block(block, &mut self.late);
            }
            return Ok(());
        }
        self.quiet(out)?;
        self.begin(out)?;
        if std::mem::take(&mut self.loose_done) {
            self.tell_alone(true, out)?;
        }
        let mut whole = Vec::new();
        let texts = blocks.iter().filter(|block| is(**block, "text"));
        for text in texts.filter_map(|block| block.get("text")?.text()) {
            text.push_to(&mut whole);
        }
        self.say(update.get("messageId").and_then(Value::str), &whole, mark, out)?;
        for block in blocks.into_iter().filter(|block| !is(*block, "text")) {
            let detail = block.get("resource").and_then(|resource| resource.get("text")?.str().map(Cow::into_owned));
            let text = words(block).into();
            self.note(Note::Notice { text, detail: detail.map(Cow::Owned), bad: false }, out)?;
        }
        Ok(())
    }

    /// Text of a message that may have an id.
    fn say(&mut self, id: Option<Cow<str>>, text: &[u8], mark: Mark, out: &mut Out) -> io::Result<()> {
        let Some(id) = id else {
            self.saying |= !text.is_empty();
            return out.say(Kind::Said(Text::plain(text), mark));
        };
        let other = self.message.as_deref() != Some(id.as_ref());
        // The whole of a message that is over says again what was said.
        let known = self.said.get(id.as_ref()).filter(|_| other && mark == Mark::Whole).map_or(&b""[..], Vec::as_slice);
        let new = text.strip_prefix(known).unwrap_or(text).to_vec();
        if other && !(mark == Mark::Whole && new.is_empty()) {
            if self.message.is_some() {
                self.message_over(out)?;
            }
            self.message = Some(id.clone().into_owned());
        }
        let said = self.said.entry(id.into_owned()).or_default();
        if mark == Mark::Whole {
            text.clone_into(said);
        } else {
            said.extend_from_slice(text);
        }
        self.saying |= !new.is_empty();
        if new.is_empty() { Ok(()) } else { out.say(Kind::Said(Text::plain(&new), mark)) }
    }

    fn thought(&mut self, update: Value, mark: Mark, out: &mut Out) -> io::Result<()> {
        if self.is_late(out) {
            return Ok(());
        }
        self.tell_user(out)?;
        self.begin(out)?;
        let id = update.get("messageId").and_then(Value::str).map(Cow::into_owned);
        if id.is_some() && self.thought_id.is_some() && id != self.thought_id {
            self.thought_over(out)?;
        }
        self.thought_id = id;
        let mut text = Vec::new();
        for block in blocks(update).into_iter().filter_map(|block| block.get("text")?.text()) {
            block.push_to(&mut text);
        }
        // The whole of what is being thought says again what was.
        let known = if mark == Mark::Whole { self.thought.as_slice() } else { b"" };
        let new = text.strip_prefix(known).unwrap_or(&text).to_vec();
        if new.is_empty() {
            return Ok(());
        }
        self.thinking = true;
        self.thought.extend_from_slice(&new);
        out.say(Kind::Thought(Text::plain(&new)))
    }

    /// What the user said is known from the request, if that is there.
    fn user_said(&mut self, update: Value, out: &Out) {
        if !out.client_seen {
            for block in blocks(update) {
                push_block(block, &mut self.user);
            }
        }
    }

    fn call(&mut self, update: Value, announced: bool, out: &mut Out) -> io::Result<()> {
        let id = update.get("toolCallId").and_then(Value::str).unwrap_or_default().into_owned();
        let late = self.is_late(out);
        if !late {
            self.quiet(out)?;
            self.begin(out)?;
        }
        // An id may be used again for another call, but what is said again of one that is over is no call.
        let again = !announced || says_the_end(update);
        if again && self.calls.is_over(&id) && self.calls.place(&id).is_none() {
            match self.calls.recall(&id) {
                // Other arguments make another call.
                Some(over) if announced && over.is_other(update) => {}
                Some(over) => return self.changed_late(over, update, out),
                None => return Ok(()),
            }
        }
        let known = self.calls.place(&id).or_else(|| self.calls.take_up(&id, !late));
        let place = if let Some(place) = known {
            place
        } else {
            self.message_over(out)?;
            // Calls are told in the order in which they were announced.
            self.tell_starts(out)?;
            self.calls.add(Call::new(&id))
        };
        let shown = self.calls[place].change(update);
        if known.is_none() {
            self.adopt(place);
        }
        self.sideband(place, update, out.at_ms);
        for terminal in shown {
            self.give(&terminal, place, false);
        }
        self.guess(place);
        self.tell_call(place, out)
    }

    /// A call that is over changes all the same: what is new is told.
    fn changed_late(&mut self, mut call: Call, update: Value, out: &mut Out) -> io::Result<()> {
        let (before, _) = told::result(&call, &[], false);
        call.change(update);
        let (after, over) = told::result(&call, &[], false);
        let note = (before != after).then(|| {
            let (output, _) = told::output(&call, &[]);
            let text = if output.trim().is_empty() { call.text() } else { output };
            Note::Task {
                title: Some(call.command().unwrap_or_else(|| call.plain_title().to_owned()).into()),
                status: Some(if over == Over::Failed { "failed" } else { "changed behind its end" }.into()),
                detail: Some(text).filter(|text| !text.trim().is_empty()).map(Cow::Owned),
                failed: over == Over::Failed,
            }
        });
        self.calls.remember(call);
        note.map_or(Ok(()), |note| self.note(note, out))
    }

    /// Takes over what was asked about this call before it was announced, maybe under another id.
    fn adopt(&mut self, place: usize) {
        let call = &self.calls[place];
        // What was asked last counts.
        let same = self.asked.iter().rposition(|asked| asked.id == call.id);
        let like = || self.asked.iter().rposition(|asked| call.is_like(asked));
        if let Some(asked) = same.or_else(like) {
            let Some(asked) = self.asked.remove(asked) else { return };
            let call = &mut self.calls[place];
            call.rejected = asked.rejected;
            for (into, from) in [(&mut call.title, asked.title), (&mut call.kind, asked.kind)] {
                if into.is_empty() {
                    *into = from;
                }
            }
            if call.raw_input.is_empty() {
                call.raw_input = asked.raw_input;
            }
        }
    }

    /// A terminal beside the protocol: under `_meta`, with the id of the call.
    fn sideband(&mut self, place: usize, update: Value, at_ms: Option<i64>) {
        let Some(meta) = update.get("_meta") else { return };
        let keys = ["terminal_info", "terminal_output", "terminal_output_delta", "terminal_exit"];
        let [info, whole, delta, exit] = meta.pick(keys);
        let Some(any) = info.or(whole).or(delta).or(exit) else { return };
        let call = &mut self.calls[place];
        let id = any.get("terminal_id").and_then(Value::str).map_or_else(|| call.id.clone(), Cow::into_owned);
        if !call.terminals.contains(&id) {
            call.terminals.push(id.clone());
        }
        let terminal = self.terminals.entry(id).or_insert_with(|| Terminal::of_agent(at_ms));
        terminal.call = Some(call.id.clone());
        for data in [whole, delta].into_iter().flatten().filter_map(|output| output.get("data")?.text()) {
            terminal.append(data);
        }
        if let Some(exit) = exit {
            terminal.exited(Exit::of(exit), at_ms);
        }
    }

    /// A terminal of the agent, as the draft of the second version has it.
    fn agents_terminal(&mut self, update: Value, kind: &str, out: &mut Out) -> io::Result<()> {
        let id = update.get("terminalId").and_then(Value::str).unwrap_or_default().into_owned();
        let new = !self.terminals.contains_key(&id);
        let terminal = self.terminals.entry(id.clone()).or_insert_with(|| Terminal::of_agent(out.at_ms));
        if kind == "terminal_output_chunk" {
            if let Some(data) = update.get("data") {
                terminal.bytes(data, false);
            }
        } else {
            let [command, output, exit] = update.pick(["command", "output", "exitStatus"]);
            if command.is_some() {
                terminal.command = super::write::command_line(update);
            }
            if let Some(data) = output.and_then(|output| output.get("data")) {
                terminal.bytes(data, true);
            }
            if let Some(exit) = exit {
                terminal.exited(Exit::of(exit), out.at_ms);
            }
        }
        if new {
            self.loose.push_back(id.clone());
            self.attach(&id, out)?;
        }
        self.printed(&id, out)
    }

    /// Tells what a terminal has printed since the last time.
    pub(super) fn printed(&mut self, id: &str, out: &mut Out) -> io::Result<()> {
        let owner = self.terminals.get(id).and_then(|terminal| terminal.call.as_ref());
        match owner.and_then(|owner| self.calls.place(owner)) {
            Some(place) => self.tell_printed(place, out),
            None => Ok(()),
        }
    }

    /// A piece of a call's content that comes by itself, in the draft of the second version.
    fn content(&mut self, update: Value, out: &mut Out) -> io::Result<()> {
        let id = update.get("toolCallId").and_then(Value::str).unwrap_or_default();
        let (Some(place), Some(item)) = (self.calls.place(&id), update.get("content")) else { return Ok(()) };
        self.calls[place].add(item);
        if is(item, "terminal") {
            let terminal = item.get("terminalId").and_then(Value::str).unwrap_or_default();
            self.give(&terminal, place, false);
        }
        self.tell_call(place, out)
    }

    fn plan(&mut self, update: Value, out: &mut Out) -> io::Result<()> {
        let [entries, plan] = update.pick(["entries", "plan"]);
        let entries = entries.or_else(|| plan?.get("entries"));
        // A plan that is empty is there for nobody.
        match entries.filter(|entries| entries.items().next().is_some()) {
            Some(entries) => {
                self.quiet(out)?;
                self.listed(entries.json(), out)
            }
            None => Ok(()),
        }
    }

    fn notice(&mut self, update: Value, out: &mut Out) -> io::Result<()> {
        let string = |key: &str| update.get(key).and_then(Value::str).map(Cow::into_owned);
        let bad = matches!(string("severity").as_deref(), Some("warning" | "error" | "critical"));
        let text = string("title").unwrap_or_default().into();
        self.quiet(out)?;
        self.note(Note::Notice { text, detail: string("description").map(Cow::Owned), bad }, out)
    }

    fn compaction(&mut self, update: Value, out: &mut Out) -> io::Result<()> {
        let string = |key: &str| update.get(key).and_then(Value::str).map(Cow::into_owned);
        let error = || update.get("error")?.get("message")?.str().map(Cow::into_owned);
        let status = string("status").unwrap_or_default();
        let detail = string("summary").or_else(error).map(Cow::Owned);
        let text = format!("the context was made shorter: {status}").into();
        self.quiet(out)?;
        self.note(Note::Notice { text, detail, bad: status == "failed" }, out)
    }

    fn state(&mut self, update: Value, out: &mut Out) -> io::Result<Next> {
        let [state, reason] = update.pick(["state", "stopReason"]).map(|value| value.and_then(Value::str));
        match state.as_deref() {
            Some("running") => self.begin(out)?,
            Some("idle") if self.is_open() => return Ok(Next::Over(reason.map(Cow::into_owned))),
            _ => {}
        }
        Ok(Next::Goes)
    }
}

/// How a run ended that says no more than that.
pub(super) fn ended(failure: Option<Cow<str>>) -> Ended {
    Ended { failure, text: None, duration_ms: None, request: None, usage: None, context: None, fields: Vec::new() }
}

/// Whether an announcement says that the call is over, as one that is repeated does.
fn says_the_end(update: Value) -> bool {
    let mut call = Call::default();
    call.change(update);
    call.status.is_over()
}

/// The blocks of a message: one, or several in an array.
fn blocks(update: Value<'_>) -> Vec<Value<'_>> {
    match update.get("content") {
        Some(content) if content.is_array() => content.items().collect(),
        content => content.into_iter().collect(),
    }
}

/// Appends what a block of a prompt says.
pub(super) fn push_block(block: Value, text: &mut String) {
    if is(block, "text") {
        text.push_str(&block.get("text").and_then(Value::str).unwrap_or_default());
        return;
    }
    if !text.is_empty() && !text.ends_with(char::is_whitespace) {
        text.push(' ');
    }
    text.push_str(&words(block));
}
