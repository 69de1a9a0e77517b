//! The result of a run as one JSON object.

use super::{Audience, View};
use crate::fold::{Needs, Step, What};
use crate::page::Page;
use std::io;

pub(super) const EXAMPLES: &str = "\
Examples:
  cursor-fmt json run.ndjson | jq -r .session_id      the session, to resume it
  cursor-fmt json run.ndjson                          instead of: jq -c 'select(.type==\"result\")',
                                                      which also prints what failed, and exits 0";

/// Prints what `--output-format json` would have printed: for a run of the Cursor agent that failed, nothing. Of the Agent Client
/// Protocol, an object of the same keys for each prompt that was answered; `is_error` says whether it failed.
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
            line.extend_from_slice(value);
        }
        line.push(b'}');
        page.json(&line)
    }
}
