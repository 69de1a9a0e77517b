//! Takes out of a long line, while it is read, what nobody needs, so that it does not have to be held. What is left is a line that
//! says the same.

use super::{Text, complete, scan};
use memchr::memchr2;

/// How much of a value is needed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Want {
    /// All of it.
    All,
    /// All of a string; the values in a container are asked for one by one.
    Each,
    /// The first and the last bytes of a string; the values in a container are asked for one by one.
    Ends,
    /// No more than what kind of value it is: a container is emptied, of a string the ends stay.
    Kind,
}

/// Says how much is needed of the value at a path of keys, where a member of an array has an empty key. The second argument is
/// the line's `type`, if that came before.
pub type Wants = dyn Fn(&[Vec<u8>], Option<&[u8]>) -> Want;

/// Values deeper than this are kept as they are.
const DEPTH: usize = 10;

/// Goes over a line piece by piece.
pub struct Prune {
    wants: Box<Wants>,
    /// How many bytes are kept at the beginning and at the end of a string; it may be a few more.
    head: usize,
    tail: usize,
    /// The bytes of the line up to here are done with.
    at: usize,
    place: Place,
    /// The containers that are open, as their brackets, and for each the key of the value in it.
    open: Vec<u8>,
    path: Vec<Vec<u8>>,
    /// A key comes next, or has begun.
    key: bool,
    kind: Option<Vec<u8>>,
}

/// Where the line stands.
#[derive(Clone, Copy)]
enum Place {
    Between,
    /// In a string that opens here. `cut` is where the text of a value ends that is kept of its beginning.
    String {
        open: usize,
        want: Want,
        cut: Option<usize>,
    },
    /// In a container that is kept whole, or of which nothing is kept that stands behind `from`.
    Within {
        depth: usize,
        string: bool,
        from: Option<usize>,
    },
    /// Behind the object.
    Behind,
}

impl Prune {
    /// Keeps of a string, where its ends suffice, so many bytes at both.
    #[must_use]
    pub fn new(wants: Box<Wants>, head: usize, tail: usize) -> Self {
        let (open, path) = (Vec::new(), Vec::new());
        Self { wants, head, tail, at: 0, place: Place::Between, open, path, key: false, kind: None }
    }

    /// The line so far; only its end is new. Gives how much of it is left.
    pub fn shorten(&mut self, line: &mut [u8]) -> usize {
        let mut length = line.len();
        while self.at < length {
            let more = match self.place {
                Place::Between => self.between(&line[..length]),
                Place::String { open, want, cut } => self.string(line, &mut length, open, want, cut),
                Place::Within { depth, string, from } => self.within(line, &mut length, depth, string, from),
                Place::Behind => {
                    self.at = length;
                    true
                }
            };
            if !more {
                break;
            }
        }
        length
    }

    /// The next line begins.
    pub fn reset(&mut self) {
        self.at = 0;
        self.place = Place::Between;
        self.open.clear();
        self.path.clear();
        self.key = false;
        self.kind = None;
    }

    /// One byte outside strings.
    fn between(&mut self, line: &[u8]) -> bool {
        let byte = line[self.at];
        match byte {
            b'"' if self.key => self.place = Place::String { open: self.at, want: Want::All, cut: None },
            b'"' => self.place = Place::String { open: self.at, want: self.want(), cut: None },
            b'{' | b'[' => {
                let want = if self.open.is_empty() { Want::Each } else { self.want() };
                match want {
                    Want::Each | Want::Ends if self.open.len() < DEPTH => {
                        self.open.push(byte);
                        self.path.push(Vec::new());
                        self.key = byte == b'{';
                    }
                    Want::Each | Want::Ends | Want::All => {
                        self.place = Place::Within { depth: 1, string: false, from: None }
                    }
                    Want::Kind => {
                        self.place = Place::Within { depth: 1, string: false, from: Some(self.at + 1) };
                    }
                }
            }
            b'}' | b']' => {
                self.open.pop();
                self.path.pop();
                self.key = false;
                if self.open.is_empty() {
                    self.place = Place::Behind;
                }
            }
            b',' => self.key = self.open.last() == Some(&b'{'),
            _ => {}
        }
        self.at += 1;
        true
    }

    fn want(&self) -> Want {
        (self.wants)(&self.path, self.kind.as_deref())
    }

    /// A string, up to its end or as far as it is there. False where the next bytes must come first.
    fn string(&mut self, line: &mut [u8], length: &mut usize, open: usize, want: Want, mut cut: Option<usize>) -> bool {
        let (at, end) = skip(&line[..*length], self.at);
        self.at = at;
        let start = open + 1;
        if matches!(want, Want::Ends | Want::Kind) && at > start + self.head + 4 * self.tail {
            let head = *cut.get_or_insert_with(|| tokens(&line[..at], start, start + self.head).0);
            let last = at - self.tail;
            let tail = plain_place(&line[..at], head, last).unwrap_or_else(|| tokens(&line[..at], head, last).0);
            line.copy_within(tail..*length, head);
            *length -= tail - head;
            self.at -= tail - head;
        }
        if end != End::Quote {
            self.place = Place::String { open, want, cut };
            return false;
        }
        let text = &line[start..self.at];
        if self.key {
            self.key = false;
            if let Some(key) = self.path.last_mut() {
                *key = Text::escaped(text).bytes().into_owned();
            }
        } else if matches!(self.path.as_slice(), [key] if key == b"type") {
            self.kind = Some(Text::escaped(text).bytes().into_owned());
        }
        self.place = Place::Between;
        self.at += 1;
        true
    }

    /// A container whose values are not asked for one by one. False where the next bytes must come first.
    fn within(
        &mut self,
        line: &mut [u8],
        length: &mut usize,
        mut depth: usize,
        mut string: bool,
        from: Option<usize>,
    ) -> bool {
        let (mut over, mut damaged) = (false, false);
        while self.at < *length && !over && !damaged {
            if string {
                let (at, end) = skip(&line[..*length], self.at);
                self.at = at;
                if end == End::More {
                    break;
                }
                string = false;
            } else {
                match line[self.at] {
                    b'"' => string = true,
                    b'{' | b'[' => depth += 1,
                    b'}' | b']' => {
                        depth -= 1;
                        over = depth == 0;
                    }
                    byte => damaged = byte.is_ascii_alphabetic() && !SCALARS.contains(&byte),
                }
            }
            self.at += 1;
        }
        if let Some(from) = from {
            // Where it is damaged, another event may be glued to what was cut, and has just begun.
            let upto = if over { self.at - 1 } else { from.max(self.at.saturating_sub(MARGIN)) };
            line.copy_within(upto..*length, from);
            *length -= upto - from;
            self.at -= upto - from;
        }
        self.place = match (over, damaged) {
            (true, _) => Place::Between,
            (_, true) => Place::Behind,
            (false, false) => Place::Within { depth, string, from },
        };
        over || damaged
    }
}

/// The letters of numbers, `true`, `false` and `null`.
const SCALARS: &[u8] = b"truefalsenE";

/// So much is kept of what is taken out until more of it is there.
const MARGIN: usize = 64;

#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Quote,
    More,
}

/// An escape may be so long, and a pair of them makes one character.
const PAIR: usize = 12;

/// Goes over the text of a string from `at`, where a character or an escape begins, to the quote that ends it, or else to a later
/// such place. Not to the last one, so that all need not be looked at one by one.
fn skip(text: &[u8], at: usize) -> (usize, End) {
    match scan::string_end(text, at) {
        Some(quote) => (quote, End::Quote),
        None => (plain_place(text, at, text.len()).unwrap_or_else(|| tokens(text, at, text.len()).0), End::More),
    }
}

/// A place not far in front of `most` and not in front of `from`, where a character surely begins that no escape is near.
fn plain_place(text: &[u8], from: usize, most: usize) -> Option<usize> {
    const FAR: usize = 512;
    let most = most.checked_sub(1)?;
    let begins = |place: &usize| {
        let near = &text[place.saturating_sub(PAIR).max(from)..=*place];
        text[*place] & 0xC0 != 0x80 && !near.contains(&b'\\')
    };
    (from.max(most.saturating_sub(FAR))..=most).rev().find(begins)
}

/// Goes over the text of a string from `at`, where a character or an escape begins, up to the last such place in front of `most`
/// or to the quote that ends it. What may not be all there yet is not gone over.
fn tokens(text: &[u8], mut at: usize, most: usize) -> (usize, End) {
    while at < most {
        let plain = memchr2(b'"', b'\\', &text[at..most]);
        let Some(plain) = plain else {
            return (at + complete(&text[at..most]), End::More);
        };
        at += plain;
        if text[at] == b'"' {
            return (at, End::Quote);
        }
        let long = text.get(at + 1) == Some(&b'u');
        let next = match text.get(at + 2..at + 6) {
            Some(digits) if long && digits.iter().all(u8::is_ascii_hexdigit) => at + 6,
            None if long => most + 1,
            Some(_) | None => at + 2,
        };
        if next > most {
            break;
        }
        at = next;
    }
    (at, End::More)
}
