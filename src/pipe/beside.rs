//! The summary of a step of a GitHub job, which is written beside what is shown.

use super::words;
use crate::cli::Terminal;
use crate::page::safe_line;
use crate::view::{STEP_SUMMARY, Summary};
use anyhow::bail;
use std::fs::{File, Metadata, OpenOptions};
use std::path::PathBuf;

/// The file that a step writes its summary to.
pub(super) struct StepFile {
    path: PathBuf,
    about: Option<Metadata>,
}

/// The summary that is written beside the view.
pub(super) struct Beside {
    pub(super) view: Summary,
    pub(super) file: File,
}

/// With less, hardly anything can be said.
const LEAST: usize = 1000;

impl StepFile {
    /// The file of the step that runs here.
    pub(super) fn new(terminal: &Terminal) -> Option<Self> {
        let path = (terminal.variable)("GITHUB_STEP_SUMMARY").filter(|path| !path.is_empty())?;
        Some(Self { about: std::fs::metadata(&path).ok(), path: path.into() })
    }

    /// How many bytes GitHub takes beside what the file holds.
    pub(super) fn room(&self) -> usize {
        let held = self.about.as_ref().map_or(0, Metadata::len);
        STEP_SUMMARY.saturating_sub(usize::try_from(held).unwrap_or(usize::MAX))
    }

    /// Whether what is written to standard output could get there: not if that is another file.
    pub(super) fn may_be_output(&self, terminal: &Terminal) -> bool {
        terminal.file.is_none() || self.about.as_ref().and_then(identity) == terminal.file
    }

    /// What is appended to it, and what is wrong with that, if it will be little.
    pub(super) fn append(self) -> anyhow::Result<(Beside, Option<&'static str>)> {
        let opened = OpenOptions::new().append(true).create(true).open(&self.path);
        let file = match opened {
            Ok(file) => file,
            Err(error) => {
                bail!("failed to write `{}`: {}", safe_line(&self.path.display().to_string(), 200), words(&error))
            }
        };
        let begun = self.about.as_ref().is_some_and(|about| about.len() > 0);
        let full = (self.room() < LEAST).then_some("the step summary has no room for more");
        Ok((Beside { view: Summary::of(self.room(), begun), file }, full))
    }
}

/// The device of a file, and its number there.
#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "elsewhere, nobody knows")]
fn identity(about: &Metadata) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    Some((about.dev(), about.ino()))
}

#[cfg(not(unix))]
fn identity(_about: &Metadata) -> Option<(u64, u64)> {
    None
}
