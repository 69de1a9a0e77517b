//! Where the agent sums up other text than it has said.

use super::{Segment, Tell, Told};
use crate::event::{Fault, Finding};
use std::io;

impl Segment {
    /// The agent sums up as `whole` what it has said. Blanks around it may differ, and a result without text says nothing; nor
    /// does one to which nothing was said before.
    pub(super) fn compare(&self, whole: &[u8], tell: &mut Tell) -> io::Result<()> {
        let said = &self.turn[..self.told];
        let (short, long) = (whole.trim_ascii(), said.trim_ascii());
        if !self.faults_told || short.is_empty() || long.is_empty() || short == long {
            return Ok(());
        }
        let what = if said.starts_with(whole) {
            format!("the result has only the first {} of {} bytes that were said", whole.len(), said.len())
        } else if whole.starts_with(said) {
            format!("the result has {} bytes more than what was said before", whole.len() - said.len())
        } else {
            format!("the result is not what was said before, from byte {} on", differ(whole, said))
        };
        tell(Told::Found(Finding { fault: Fault::TextDisagrees, what: what.into() }))
    }
}

/// The first byte in which two texts differ, counted from 1.
fn differ(one: &[u8], other: &[u8]) -> usize {
    one.iter().zip(other).take_while(|(one, other)| one == other).count() + 1
}
