//! What views write on: a buffered writer with styles, a width, and no stray control codes.

mod json;
mod measure;
mod runner;
mod safe;

pub use measure::{beginning, columns, cut};
pub use runner::{Runner, Weight};

use owo_colors::Style;
use std::io::{self, Write};

/// The buffer is written out when it holds more than this, even where no line has to be waited for.
const FULL: usize = 64 << 10;

/// So many lines are drawn anew at the most.
const LIVE: usize = 8;

/// How a page looks.
#[derive(Clone, Copy, Default, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own, and none excludes another")]
pub struct Look {
    /// With colour.
    pub color: bool,
    /// With signs of ASCII only.
    pub ascii: bool,
    /// The columns to lay out for; none where nothing needs to be cut.
    pub width: Option<u16>,
    /// The rows of the terminal.
    pub rows: Option<u16>,
    /// The page is a terminal or a console: what is raw elsewhere is made safe.
    pub terminal: bool,
    /// Lines can be drawn anew.
    pub live: bool,
    /// The page is the console of a CI system, whose runner obeys some lines.
    pub console: bool,
    /// Which, if it is one that can do more than show lines.
    pub runner: Option<Runner>,
}

/// What a piece of text is, which decides on its colour.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ink {
    /// Text as it is.
    Plain,
    /// What matters less.
    Dim,
    /// What matters more.
    Strong,
    /// A success.
    Good,
    /// A failure.
    Bad,
    /// What was not allowed, or has no end.
    Warn,
    /// What the reader should find at once.
    Accent,
    /// A line that was added.
    Added,
    /// A line that was removed.
    Removed,
}

impl Ink {
    fn style(self, look: Look) -> Style {
        let style = Style::new();
        match self {
            Self::Plain => style,
            // The consoles of CI systems do not know what dim is.
            Self::Dim if look.runner.is_some() => style.bright_black(),
            Self::Dim => style.dimmed(),
            Self::Strong => style.bold(),
            Self::Good | Self::Added => style.green(),
            Self::Bad | Self::Removed => style.red(),
            Self::Warn => style.yellow(),
            Self::Accent => style.cyan().bold(),
        }
    }
}

/// The signs that views use, so that no meaning rests on colour alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sign {
    Run,
    Prompt,
    Thought,
    Ok,
    Failed,
    Rejected,
    Unfinished,
    Note,
    Unreadable,
    Gutter,
    Dot,
    More,
    Break,
    Pending,
    Doing,
    Done,
    Cancelled,
}

impl Sign {
    fn text(self, ascii: bool) -> &'static str {
        let (sign, plain) = match self {
            Self::Run => ("▌", "="),
            Self::Prompt => ("❯", ">"),
            Self::Thought => ("∴", "~"),
            Self::Ok => ("✓", "+"),
            Self::Failed => ("✗", "x"),
            Self::Rejected => ("⊘", "!"),
            Self::Unfinished => ("◌", "?"),
            Self::Note => ("•", "*"),
            Self::Unreadable => ("¦", ":"),
            Self::Gutter => ("│", "|"),
            Self::Dot => ("·", "-"),
            Self::More => ("…", "..."),
            Self::Break => ("⏎", "\\n"),
            Self::Pending => ("☐", "[ ]"),
            Self::Doing => ("◐", "[>]"),
            Self::Done => ("☑", "[x]"),
            Self::Cancelled => ("☒", "[-]"),
        };
        if ascii { plain } else { sign }
    }
}

/// A page. Nothing reaches its writer before [`Page::flush`], except when much is waiting.
pub struct Page<'w> {
    out: &'w mut dyn Write,
    buffer: Vec<u8>,
    look: Look,
    line: safe::Line,
    /// How many line breaks the page ends in. A page that is empty ends in as many as could be asked for.
    breaks: usize,
    /// The columns of each of the lines at the end that are to be drawn anew.
    live: Vec<usize>,
    /// How many lines have folded something away.
    folds: usize,
}

impl<'w> Page<'w> {
    /// An empty page.
    pub fn new(out: &'w mut dyn Write, look: Look) -> Self {
        Self {
            out,
            buffer: Vec::new(),
            look,
            line: safe::Line::default(),
            breaks: usize::MAX,
            live: Vec::new(),
            folds: 0,
        }
    }

    /// How the page looks.
    #[must_use]
    pub fn look(&self) -> Look {
        self.look
    }

    /// The size may have changed.
    pub fn resize(&mut self, width: Option<u16>, rows: Option<u16>) {
        self.look.width = width;
        self.look.rows = rows;
    }

    /// Writes bytes as they are: for formats that are read by programs.
    ///
    /// # Errors
    /// Those of the writer, as for every method that writes.
    pub fn raw(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.erase();
        for piece in bytes.chunks(FULL) {
            let start = self.buffer.len();
            self.buffer.extend_from_slice(piece);
            self.count_breaks(start);
            self.drain()?;
        }
        Ok(())
    }

    /// Writes text byte for byte into a pipe or a file, and made safe on a terminal.
    ///
    /// # Errors
    /// As for [`Page::raw`].
    pub fn faithful(&mut self, text: &str) -> io::Result<()> {
        if self.look.terminal { self.put(Ink::Plain, text) } else { self.raw(text.as_bytes()) }
    }

    /// Writes text of the log, made safe. It may hold line breaks.
    ///
    /// # Errors
    /// As for [`Page::raw`].
    pub fn put(&mut self, ink: Ink, text: &str) -> io::Result<()> {
        if text.is_empty() {
            return Ok(());
        }
        self.erase();
        let style = self.look.color.then(|| ink.style(self.look)).filter(|style| !style.is_plain());
        if let Some(style) = &style {
            write!(self.buffer, "{}", style.prefix_formatter())?;
        }
        let mut rest = text;
        while !rest.is_empty() {
            let (piece, later) = rest.split_at(piece_end(rest));
            let start = self.buffer.len();
            let line = self.look.console.then_some(&mut self.line);
            safe::push(piece, line, self.look.ascii, &mut self.buffer);
            self.count_breaks(start);
            self.drain()?;
            rest = later;
        }
        if let Some(style) = &style {
            write!(self.buffer, "{}", style.suffix_formatter())?;
        }
        self.drain()
    }

    /// How many bytes [`Page::put`] would write of `text`, without colour.
    #[must_use]
    pub fn length(&self, text: &str) -> usize {
        let mut bytes = Vec::with_capacity(text.len());
        let mut line = self.line;
        safe::push(text, self.look.console.then_some(&mut line), self.look.ascii, &mut bytes);
        bytes.len()
    }

    /// Writes a sign.
    ///
    /// # Errors
    /// As for [`Page::raw`].
    pub fn sign(&mut self, ink: Ink, sign: Sign) -> io::Result<()> {
        self.put(ink, sign.text(self.look.ascii))
    }

    /// The text of a sign, to be put together with other text.
    #[must_use]
    pub fn sign_text(&self, sign: Sign) -> &'static str {
        sign.text(self.look.ascii)
    }

    /// Text of this program, without signs that ASCII lacks where it has to be.
    #[must_use]
    pub fn own(&self, text: &str) -> String {
        if self.look.ascii { text.replace(['−', '–'], "-") } else { text.to_owned() }
    }

    /// Text of the log, made safe, so that what it takes on the page can be measured. Tabs become blanks.
    #[must_use]
    pub fn safe(&self, text: &str) -> String {
        if measure::is_simple(text.as_bytes()) {
            return text.to_owned();
        }
        let mut safe = Vec::with_capacity(text.len());
        safe::push(text, None, self.look.ascii, &mut safe);
        String::from_utf8_lossy(&safe).replace('\t', "    ")
    }

    /// The same on one line: line breaks become a sign.
    #[must_use]
    pub fn one_line(&self, text: &str) -> String {
        let text = text.trim_end();
        if measure::is_simple(text.as_bytes()) {
            return text.to_owned();
        }
        let safe = self.safe(text);
        // Terminals do not agree on how wide these are, which show nothing.
        let safe = safe.replace(['\u{ad}', '\u{115f}', '\u{1160}', '\u{3164}', '\u{ffa0}'], "");
        if safe.contains('\n') { safe.replace('\n', &format!(" {} ", self.sign_text(Sign::Break))) } else { safe }
    }

    /// Ends the line, if one has begun.
    ///
    /// # Errors
    /// As for [`Page::raw`].
    pub fn end_line(&mut self) -> io::Result<()> {
        if self.breaks == 0 { self.put(Ink::Plain, "\n") } else { Ok(()) }
    }

    /// Sees to it that an empty line stands between what was written and what comes.
    ///
    /// # Errors
    /// As for [`Page::raw`].
    pub fn gap(&mut self) -> io::Result<()> {
        self.end_line()?;
        if self.breaks == 1 { self.put(Ink::Plain, "\n") } else { Ok(()) }
    }

    /// Draws lines that the next thing written replaces. Only where lines can be drawn anew, and where none has begun.
    ///
    /// # Errors
    /// As for [`Page::raw`].
    pub fn live(&mut self, lines: &[Vec<(Ink, String)>]) -> io::Result<()> {
        if !self.look.live || self.breaks == 0 {
            return Ok(());
        }
        self.erase();
        let breaks = self.breaks;
        let mut drawn = Vec::new();
        for line in lines {
            drawn.push(self.fitted(line)?);
            self.put(Ink::Plain, "\n")?;
        }
        self.live = drawn;
        self.breaks = breaks;
        Ok(())
    }

    /// How many live lines there is room for: the cursor cannot go up beyond the first row.
    #[must_use]
    pub fn live_rows(&self) -> usize {
        self.look.rows.map_or(LIVE, |rows| LIVE.min(usize::from(rows).saturating_sub(2)))
    }

    /// Writes the parts of a line, cut to the width. Gives the columns that it takes.
    ///
    /// # Errors
    /// As for [`Page::raw`].
    pub fn fitted(&mut self, parts: &[(Ink, String)]) -> io::Result<usize> {
        // A terminal that is filled to the last column may break the line.
        let room = self.look.width.map_or(usize::MAX, |width| usize::from(width).saturating_sub(1).max(1));
        let total: usize = parts.iter().map(|(_, text)| columns(text)).sum();
        if total <= room {
            parts.iter().try_for_each(|(ink, text)| self.put(*ink, text))?;
            return Ok(total);
        }
        let more = self.sign_text(Sign::More);
        let mut left = room.saturating_sub(columns(more));
        for (ink, text) in parts {
            let shown = cut(text, left);
            self.put(*ink, shown)?;
            left -= columns(shown);
            if shown.len() < text.len() {
                break;
            }
        }
        self.put(Ink::Dim, more)?;
        Ok(room - left)
    }

    /// Hands all that was written to the writer.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn flush(&mut self) -> io::Result<()> {
        if !self.buffer.is_empty() {
            self.out.write_all(&self.buffer)?;
            self.buffer.clear();
            self.out.flush()?;
        }
        Ok(())
    }

    /// Takes the live lines off the screen. Where the terminal has become narrower, each takes more rows than one.
    fn erase(&mut self) {
        if !self.live.is_empty() {
            self.erase_live();
        }
    }

    fn erase_live(&mut self) {
        let width = self.look.width.map_or(usize::MAX, usize::from).max(1);
        let rows: usize = self.live.drain(..).map(|columns| columns.div_ceil(width).max(1)).sum();
        // Up to the first of them, and clear from there to the end of the screen.
        self.buffer.extend_from_slice(format!("\x1b[{rows}A\r\x1b[J").as_bytes());
    }

    fn count_breaks(&mut self, start: usize) {
        let written = &self.buffer[start..];
        let breaks = written.iter().rev().take_while(|byte| **byte == b'\n').count();
        self.breaks = if breaks == written.len() { self.breaks.saturating_add(breaks) } else { breaks };
    }

    fn drain(&mut self) -> io::Result<()> {
        if self.buffer.len() > FULL { self.flush() } else { Ok(()) }
    }
}

/// Where a long text can be parted, so that it is never in the buffer whole: behind a line, else behind a character.
fn piece_end(text: &str) -> usize {
    if text.len() <= FULL {
        return text.len();
    }
    let piece = beginning(text, FULL);
    piece.rfind('\n').map_or(piece.len(), |line| line + 1)
}

/// Text of the log on one line of a message, made safe and cut.
#[must_use]
pub fn safe_line(text: &str, columns: usize) -> String {
    let one = text.split(['\n', '\r']).map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<&str>>().join(" ");
    let mut safe = Vec::new();
    safe::push(&one, Some(&mut safe::Line::default()), false, &mut safe);
    let safe = String::from_utf8_lossy(&safe);
    let shown = cut(&safe, columns);
    let more = if shown.len() < safe.len() { "…" } else { "" };
    format!("{shown}{more}")
}
