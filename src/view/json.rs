//! The result of a run as one JSON object.

use super::{Audience, View};
use crate::fold::{Needs, Step, What};
use crate::page::{Page, is_obeyed};
use std::io;

pub(super) const EXAMPLES: &str = "\
Examples:
  cursor-fmt json run.ndjson | jq -r .session_id      the session, to resume it
  cursor-fmt json run.ndjson                          instead of: jq -c 'select(.type==\"result\")',
                                                      which also prints what failed, and exits 0";

/// Prints what `--output-format json` would have printed; nothing for a run that failed.
#[derive(clap::Args)]
pub struct Json {}

impl View for Json {
    fn needs(&self) -> Needs {
        Needs { fields: true, ..Needs::NONE }
    }

    fn audience(&self) -> Audience {
        Audience::Program
    }

    fn step(&mut self, step: &Step, page: &mut Page) -> io::Result<()> {
        let What::Ended(end) = &step.kind else { return Ok(()) };
        if end.fields.is_empty() {
            return Ok(());
        }
        let mut line = vec![b'{'];
        for (key, value) in end.fields {
            if line.len() > 1 {
                line.push(b',');
            }
            serde_json::to_writer(&mut line, &String::from_utf8_lossy(key))?;
            line.push(b':');
            push_value(value, page.look().terminal, &mut line);
        }
        line.extend_from_slice(b"}\n");
        page.raw(&line)
    }
}

/// Appends a value as it stands in the log. What a terminal could obey is escaped there, which it can only be in a string.
fn push_value(value: &[u8], terminal: bool, line: &mut Vec<u8>) {
    if !terminal {
        return line.extend_from_slice(value);
    }
    let text = String::from_utf8_lossy(value);
    let mut rest = text.as_ref();
    while let Some(place) = rest.find(is_obeyed) {
        let char = rest[place..].chars().next().unwrap_or_default();
        line.extend_from_slice(&rest.as_bytes()[..place]);
        line.extend_from_slice(format!("\\u{:04x}", u32::from(char)).as_bytes());
        rest = &rest[place + char.len_utf8()..];
    }
    line.extend_from_slice(rest.as_bytes());
}
