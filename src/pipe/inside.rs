//! The loop for tests and benchmarks, which bring a view or a log of their own.

use super::log::Long;
use super::{Pipe, Showing, Tally, Views};
use crate::cli::{Shared, Terminal};
use crate::page::{Look, Page};
use crate::source::Source;
use crate::view::View;
use std::io::{self, Read};

#[cfg(feature = "internals")]
use super::log::Log;
#[cfg(feature = "internals")]
use crate::cli::{Cli, Task};
#[cfg(feature = "internals")]
use anyhow::bail;
#[cfg(feature = "internals")]
use std::io::Write;

/// A process that is no terminal, with an empty environment.
const NOWHERE: Terminal = Terminal { input: false, output: false, file: None, size: || None, variable: |_| None };

/// Shows `input` in a view of one's own, in the plain way where `long` is not given, and says what the program would say on
/// standard error.
pub(crate) fn show(
    view: &mut dyn View,
    long: Option<Long>,
    input: impl Read + Send + 'static,
) -> anyhow::Result<String> {
    let (mut output, mut errors) = (io::sink(), Vec::new());
    let page = Page::new(&mut output, Look::default());
    let shared = Shared::default();
    let (fast, long) = (long.is_some(), long.unwrap_or(Long::NEVER));
    let views = Views { main: Showing::new(view, page, false), beside: None, mask: None };
    let (terminal, tally) = (NOWHERE, Tally::default());
    let mut pipe = Pipe { shared, terminal, views, tally, refused: None, fast, full: false, long, agent: None };
    pipe.log(Source::new("log".to_owned(), input))?;
    pipe.tally.report(&pipe.shared, &mut errors)?;
    Ok(String::from_utf8_lossy(&errors).into_owned())
}

/// Shows a log that lies in memory, where it lies: what a run costs without the reading. For benchmarks.
///
/// # Errors
/// Those of writing.
#[cfg(feature = "internals")]
pub fn show_slice(mut cli: Cli, text: &[u8], output: &mut dyn Write) -> anyhow::Result<()> {
    let shared = std::mem::take(&mut cli.shared);
    let Task::Show(view, _) = cli.task() else { bail!("no view") };
    let page = Page::new(output, shared.look(&NOWHERE, view.is_coloured()));
    let (tally, long) = (Tally::default(), Long::default());
    let views = Views { main: Showing::new(view, page, false), beside: None, mask: None };
    let (terminal, fast) = (NOWHERE, true);
    let mut pipe = Pipe { shared, terminal, views, tally, refused: None, fast, full: false, long, agent: None };
    let mut readers = Log::new(&pipe);
    let (mut rest, mut number) = (text, 0);
    while !rest.is_empty() {
        let (lines, length) = if let Some(read) = readers.whole(rest, false, &mut pipe)? {
            read
        } else {
            let length = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
            readers.line(&rest[..length], number + 1, &mut pipe)?;
            (1, length + 1)
        };
        number += lines as u64;
        rest = rest.get(length..).unwrap_or_default();
    }
    readers.end(false, &mut pipe)?;
    pipe.views.end()
}
