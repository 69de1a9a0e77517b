//! The views at work: what each writes on, and what is kept from it.

use super::mask::Mask;
use super::tally::Tally;
use crate::fold::{Needs, Step};
use crate::page::Page;
use crate::view::View;
use anyhow::Context;
use std::io::{self, ErrorKind};

/// A view, and the page that it writes on.
pub(super) struct Showing<'a, 'w> {
    pub(super) view: &'a mut dyn View,
    pub(super) page: Page<'w>,
    /// It sees no secrets.
    pub(super) masked: bool,
    /// Whoever read the page has gone.
    gone: bool,
}

/// What is shown, and what is written beside it.
pub(super) struct Views<'a, 'w> {
    pub(super) main: Showing<'a, 'w>,
    pub(super) beside: Option<Showing<'a, 'w>>,
    /// What takes secrets out of what masked views see, and of what is said on standard error.
    pub(super) mask: Option<Mask>,
}

impl<'a, 'w> Showing<'a, 'w> {
    pub(super) fn new(view: &'a mut dyn View, page: Page<'w>, masked: bool) -> Self {
        Self { view, page, masked, gone: false }
    }

    fn needs(&self) -> Needs {
        let needs = self.view.needs();
        // A secret can lie in several pieces, so that text has to be whole.
        if self.masked { Needs { pieces: false, messages: needs.messages || needs.pieces, ..needs } } else { needs }
    }

    fn step(&mut self, step: &Step) -> io::Result<()> {
        if self.gone { Ok(()) } else { self.view.step(step, &mut self.page) }
    }
}

impl Views<'_, '_> {
    /// What the views ask for.
    pub(super) fn needs(&self) -> Needs {
        self.beside.iter().fold(self.main.needs(), |needs, beside| needs.and(beside.needs()))
    }

    /// Does with each view what `act` says. That nobody reads on does not end what is written beside.
    fn each(&mut self, mut act: impl FnMut(&mut Showing, Option<&Mask>) -> io::Result<()>) -> io::Result<()> {
        let mask = self.mask.as_ref();
        if !self.main.gone {
            let masked = mask.filter(|_| self.main.masked);
            self.main.gone = goes_on(act(&mut self.main, masked), self.beside.is_some())?;
        }
        match &mut self.beside {
            Some(beside) => act(beside, mask.filter(|_| beside.masked)),
            None => Ok(()),
        }
    }

    /// The next log begins. Gives the name that messages call it by.
    pub(super) fn log(&mut self, name: &str) -> String {
        let told = self.mask.as_ref().map_or_else(|| name.to_owned(), |mask| mask.text(name).into_owned());
        self.main.view.log(if self.main.masked { &told } else { name });
        if let Some(beside) = &mut self.beside {
            beside.view.log(if beside.masked { &told } else { name });
        }
        told
    }

    /// A log could not be read.
    pub(super) fn unable(&mut self, why: &str) {
        self.main.view.unable(why);
        if let Some(beside) = &mut self.beside {
            beside.view.unable(why);
        }
    }

    pub(super) fn step(&mut self, step: &Step, tally: &mut Tally) -> io::Result<()> {
        let Self { main, beside, mask, .. } = self;
        let lasts = beside.is_some();
        if !main.masked {
            main.gone |= goes_on(main.step(step), lasts)?;
        }
        if let Some(beside) = beside.as_mut().filter(|beside| !beside.masked) {
            beside.step(step)?;
        }
        let Some(mask) = mask else {
            tally.step(step);
            return Ok(());
        };
        let pieces = main.masked && main.view.needs().pieces;
        mask.step(step, pieces, &mut |step| {
            tally.step(step);
            if main.masked {
                main.gone |= goes_on(main.step(step), lasts)?;
            }
            beside.as_mut().filter(|beside| beside.masked).map_or(Ok(()), |beside| beside.step(step))
        })
    }

    pub(super) fn unreadable(&mut self, text: &[u8], number: u64, tally: &mut Tally) -> io::Result<()> {
        let told = self.mask.as_mut().map(|mask| mask.unreadable(text));
        tally.unreadable(told.as_deref().unwrap_or(text), number);
        self.each(|showing, mask| {
            let text = told.as_deref().filter(|_| mask.is_some()).unwrap_or(text);
            showing.view.at(number);
            showing.view.unreadable(text, &mut showing.page)
        })
    }

    /// What comes next stands in this line.
    pub(super) fn at(&mut self, line: u64) {
        self.main.view.at(line);
        if let Some(beside) = &mut self.beside {
            beside.view.at(line);
        }
    }

    /// Nothing has come for a while.
    pub(super) fn idle(&mut self) -> io::Result<()> {
        self.main.view.idle(&mut self.main.page)
    }

    /// Shows what is written so far. What is written beside is a page that is whole at its end.
    pub(super) fn flush(&mut self) -> io::Result<()> {
        if !self.main.gone {
            self.main.gone = goes_on(self.main.page.flush(), self.beside.is_some())?;
        }
        Ok(())
    }

    /// The agent that was started here has been ended.
    pub(super) fn stopped(&mut self, why: &str) -> io::Result<()> {
        self.each(|showing, _| showing.view.stopped(why, &mut showing.page))?;
        self.flush()
    }

    /// All input is over.
    pub(super) fn end(&mut self) -> anyhow::Result<()> {
        let end = |showing: &mut Showing| showing.view.end(&mut showing.page).and_then(|()| showing.page.flush());
        let lasts = self.beside.is_some();
        if !self.main.gone {
            self.main.gone = goes_on(end(&mut self.main), lasts).context("failed to write")?;
        }
        self.beside.as_mut().map_or(Ok(()), end).context("failed to write the step summary")
    }

    /// Whether whoever read what is shown has gone.
    pub(super) fn are_left(&self) -> bool {
        self.main.gone
    }
}

/// Whether a reader has gone, which is no error where there is more to do than to show.
fn goes_on(result: io::Result<()>, lasts: bool) -> io::Result<bool> {
    match result {
        Err(error) if lasts && error.kind() == ErrorKind::BrokenPipe => Ok(true),
        other => other.map(|()| false),
    }
}
