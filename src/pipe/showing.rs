//! A view at work: what it writes on, and whether secrets are kept from it.

use super::mask::Mask;
use crate::fold::{Needs, Step};
use crate::page::Page;
use crate::view::View;
use std::borrow::Cow;
use std::io;

/// A view, and the page that it writes on.
pub(super) struct Showing<'a, 'w> {
    pub(super) view: &'a mut dyn View,
    pub(super) page: Page<'w>,
    /// It sees no secrets.
    pub(super) masked: bool,
}

impl Showing<'_, '_> {
    pub(super) fn needs(&self) -> Needs {
        let needs = self.view.needs();
        // A secret can lie in several pieces, so that text has to be whole.
        if self.masked { Needs { pieces: false, messages: needs.messages || needs.pieces, ..needs } } else { needs }
    }

    pub(super) fn step(&mut self, step: &Step) -> io::Result<()> {
        self.view.step(step, &mut self.page)
    }

    pub(super) fn unreadable(&mut self, text: &[u8], mask: Option<&Mask>) -> io::Result<()> {
        let text = masked(text, mask.filter(|_| self.masked));
        self.view.unreadable(&text, &mut self.page)
    }

    pub(super) fn stopped(&mut self, why: &str) -> io::Result<()> {
        self.view.stopped(why, &mut self.page).and_then(|()| self.page.flush())
    }

    pub(super) fn end(&mut self) -> io::Result<()> {
        self.view.end(&mut self.page).and_then(|()| self.page.flush())
    }
}

/// A piece of a line without secrets, where there is something that takes them out.
pub(super) fn masked<'t>(text: &'t [u8], mask: Option<&Mask>) -> Cow<'t, [u8]> {
    let Some(mask) = mask else { return Cow::Borrowed(text) };
    Cow::Owned(mask.text(&String::from_utf8_lossy(text)).into_owned().into_bytes())
}
