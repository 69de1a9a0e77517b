//! `shell`: a command line. A non-zero exit stands under `failure`; output that was too large for `stdout` only in
//! `interleavedOutput`.

use super::{Gives, Kind, Tool};
use std::borrow::Cow;

pub(super) const KIND: Kind = Kind {
    names: &["shell"],
    target: |tool| tool.words(&["command"]).map(|command| tool.titled(command)),
    digest,
    gives: Gives::Output(output),
};

/// The command line.
pub(super) fn command<'a>(tool: &Tool<'a>) -> Option<Cow<'a, str>> {
    if KIND.is(tool) { tool.said(&["command"]) } else { None }
}

fn digest(tool: &Tool) -> Option<String> {
    if let Some(note) = tool.given("note") {
        return Some(note.into_owned());
    }
    // In the background, exit code 0 only means that the command was started.
    tool.background().then(|| match tool.number("shellId") {
        Some(id) => format!("in background, shell {id}"),
        None => "in background".to_owned(),
    })
}

fn output<'a>(tool: &Tool<'a>) -> Option<Cow<'a, str>> {
    let both = || match (tool.given("stdout"), tool.given("stderr")) {
        (Some(out), Some(err)) => {
            let gap = if out.ends_with('\n') { "" } else { "\n" };
            Some(Cow::Owned(format!("{out}{gap}{err}")))
        }
        (out, err) => out.or(err),
    };
    tool.given("interleavedOutput").or_else(both).or_else(|| tool.error())
}
