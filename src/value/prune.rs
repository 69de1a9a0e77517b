//! Takes out of a long line, while it is read, what nobody needs, so that it does not have to be held. What is left of a sound line
//! says the same. From where a line is damaged, or where another event may be glued to it, all of it is kept.

use super::grammar::{Grammar, State};
use super::{Text, complete, scan};
use memchr::memchr2;

/// How much of a value is needed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Want {
    /// No more than what kind of value it is: a container is emptied, of a string the ends stay.
    Kind,
    /// The first and the last bytes of a string; the values in a container are asked for one by one.
    Ends,
    /// All of a string; the values in a container are asked for one by one.
    Each,
    /// All of it.
    All,
}

/// What a line says to those who need it.
pub trait Ask {
    /// How much is needed of the value at a path of keys, where a member of an array has an empty key. `kind` is the line's
    /// `type`, if that came before.
    fn want(&self, path: &[Vec<u8>], kind: Option<&[u8]>) -> Want;

    /// Whether `text`, which begins with `{`, begins an event of its own, though it stands within a line. It has at least
    /// [`EVENT`] bytes, unless the line has no more.
    fn begins_event(&self, text: &[u8]) -> bool;
}

/// What begins an event is told by so many bytes.
pub const EVENT: usize = 48;

/// Values deeper than this are kept as they are. The lines that a search has found lie so deep.
const DEPTH: usize = 13;

/// A container is only emptied if it is longer, since what follows it has to be moved.
const SHORT: usize = 1 << 10;

/// Goes over a line piece by piece.
pub struct Prune {
    ask: Box<dyn Ask>,
    /// How many bytes are kept at the beginning and at the end of a string; it may be a few more.
    head: usize,
    tail: usize,
    /// The bytes of the line up to here are done with.
    at: usize,
    place: Place,
    grammar: Grammar,
    /// For each container that is open, the key of the value in it.
    path: Vec<Vec<u8>>,
    kind: Option<Vec<u8>>,
}

/// Where the line stands.
#[derive(Clone, Copy)]
enum Place {
    Between,
    /// In a string that opens here. `cut` is where the text of a value ends that is kept of its beginning.
    String {
        open: usize,
        key: bool,
        want: Want,
        cut: Option<usize>,
    },
    Within(Inside),
    /// Behind the object, or where it is damaged.
    Behind,
}

/// A container whose values are not asked for one by one.
#[derive(Clone, Copy)]
struct Inside {
    /// It and so many in it are open.
    depth: usize,
    /// In a string.
    string: bool,
    /// Where the last string begins, or else what follows the last token.
    last: usize,
    /// How the text stands there.
    state: State,
    /// If nothing in it is kept, where it begins behind its bracket, and how many containers are open there.
    from: Option<(usize, usize)>,
}

/// What stands next outside strings.
enum Token {
    /// The quote that opens a key or a value.
    Quote {
        key: bool,
    },
    Open,
    Close,
    /// A comma, a colon, a blank, a number or a word.
    Other,
    /// What may not stand here.
    Damage,
    /// It takes more bytes to tell.
    More,
}

impl Prune {
    /// Keeps of a string, where its ends suffice, so many bytes at both.
    #[must_use]
    pub fn new(ask: Box<dyn Ask>, head: usize, tail: usize) -> Self {
        let (grammar, path) = (Grammar::new(), Vec::new());
        Self { ask, head, tail, at: 0, place: Place::Between, grammar, path, kind: None }
    }

    /// The line so far; only its end is new. If it is `over`, no more of it comes. Gives how much of it is left.
    pub fn shorten(&mut self, line: &mut [u8], over: bool) -> usize {
        let mut length = line.len();
        if line.first() != Some(&b'{') {
            // In front of its object a line may hold anything.
            self.place = Place::Behind;
        }
        while self.at < length {
            let more = match self.place {
                Place::Between => self.between(&line[..length], over),
                Place::String { open, key, want, cut } => self.string(line, &mut length, open, key, want, cut),
                Place::Within(inside) => self.within(line, &mut length, over, inside),
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
        self.grammar = Grammar::new();
        self.path.clear();
        self.kind = None;
    }

    /// What stands at `at`, which is gone over unless it is a damage.
    fn token(&mut self, line: &[u8], over: bool) -> Token {
        let (rest, byte) = (&line[self.at..], line[self.at]);
        if self.grammar.wants_value() && scan::is_scalar_byte(byte) {
            let end = rest.iter().position(|byte| !scan::is_scalar_byte(*byte));
            let Some(end) = end else { return if over || rest.len() > EVENT { Token::Damage } else { Token::More } };
            if !scan::is_scalar(&rest[..end]) {
                return Token::Damage;
            }
            self.grammar.scalar();
            self.at += end;
            return Token::Other;
        }
        if byte == b'{' && self.at > 0 {
            if rest.len() < EVENT && !over {
                return Token::More;
            }
            if self.ask.begins_event(rest) {
                return Token::Damage;
            }
        }
        let key = self.grammar.wants_key();
        if self.grammar.step(byte).is_none() {
            return Token::Damage;
        }
        self.at += 1;
        match byte {
            b'"' => Token::Quote { key },
            b'{' | b'[' => Token::Open,
            b'}' | b']' => Token::Close,
            _ => Token::Other,
        }
    }

    /// What is not in a string. False where the next bytes must come first.
    fn between(&mut self, line: &[u8], over: bool) -> bool {
        let at = self.at;
        match self.token(line, over) {
            Token::Quote { key } => {
                let want = if key { Want::All } else { self.want() };
                self.place = Place::String { open: at, key, want, cut: None };
            }
            Token::Open => match if self.path.is_empty() { Want::Each } else { self.want() } {
                Want::Each | Want::Ends if self.path.len() < DEPTH => self.path.push(Vec::new()),
                want => {
                    let from = (want == Want::Kind).then_some((at + 1, self.grammar.depth()));
                    let state = self.grammar.state();
                    self.place = Place::Within(Inside { depth: 1, string: false, last: at + 1, state, from });
                }
            },
            Token::Close => {
                self.path.pop();
                if self.path.is_empty() {
                    self.place = Place::Behind;
                }
            }
            Token::Other => {}
            Token::Damage => self.place = Place::Behind,
            Token::More => return false,
        }
        true
    }

    fn want(&self) -> Want {
        self.ask.want(&self.path, self.kind.as_deref())
    }

    /// A string, up to its end or as far as it is there. False where the next bytes must come first.
    fn string(
        &mut self,
        line: &mut [u8],
        length: &mut usize,
        open: usize,
        key: bool,
        want: Want,
        mut cut: Option<usize>,
    ) -> bool {
        let (at, end) = skip(&line[..*length], self.at);
        self.at = at;
        let start = open + 1;
        if matches!(want, Want::Ends | Want::Kind) && at > start + self.head + 4 * self.tail {
            let head = *cut.get_or_insert_with(|| tokens(&line[..at], start, start + self.head).0);
            let tail = place_before(&line[..at], head, at - self.tail);
            self.drop(line, length, head, tail);
        }
        if end != End::Quote {
            self.place = Place::String { open, key, want, cut };
            return false;
        }
        let text = &line[start..self.at];
        if key {
            if let Some(key) = self.path.last_mut() {
                *key = Text::escaped(text).bytes().into_owned();
            }
        } else if matches!(self.path.as_slice(), [key] if key == b"type") {
            self.kind = Some(Text::escaped(text).bytes().into_owned());
        }
        self.close_string();
        self.place = Place::Between;
        true
    }

    fn close_string(&mut self) {
        // A string may end wherever its quote stands.
        _ = self.grammar.step(b'"');
        self.at += 1;
    }

    /// A container whose values are not asked for one by one. False where the next bytes must come first.
    fn within(&mut self, line: &mut [u8], length: &mut usize, over: bool, mut inside: Inside) -> bool {
        let (mut closed, mut damaged, mut more) = (false, false, false);
        while self.at < *length && !closed && !damaged && !more {
            if inside.string {
                let (at, end) = skip(&line[..*length], self.at);
                self.at = at;
                match end {
                    End::Quote => self.close_string(),
                    End::More => more = true,
                }
                inside.string = more;
                continue;
            }
            let (at, state) = (self.at, self.grammar.state());
            match self.token(&line[..*length], over) {
                Token::Quote { .. } => {
                    inside.string = true;
                    (inside.last, inside.state) = (at, state);
                    continue;
                }
                Token::Open => inside.depth += 1,
                Token::Close => {
                    inside.depth -= 1;
                    closed = inside.depth == 0;
                }
                Token::Other if scan::is_blank(line[at]) => continue,
                Token::Other => {}
                Token::Damage => damaged = true,
                Token::More => more = true,
            }
            if !damaged {
                (inside.last, inside.state) = (self.at, self.grammar.state());
            }
        }
        if let Some((from, depth)) = inside.from {
            // Where the line is damaged, it is so in what stood last, which may be the beginning of an event that is glued to it.
            let upto = if closed { self.at - 1 } else { inside.last };
            if upto > from + SHORT.min(self.head) {
                let mut left = Vec::new();
                if !closed {
                    self.grammar.skeleton(depth, inside.state, &mut left);
                }
                // It is never longer than what it stands for, which had keys and values too.
                let keep = from + left.len().min(upto - from);
                line[from..keep].copy_from_slice(&left[..keep - from]);
                self.drop(line, length, keep, upto);
                inside.last -= upto - keep;
            }
            let text = inside.last + 1;
            if inside.string && self.at > text + self.head + self.tail {
                let upto = place_before(&line[..self.at], text, self.at - self.tail);
                self.drop(line, length, text, upto);
            }
        }
        self.place = match (closed, damaged) {
            (true, _) => Place::Between,
            (_, true) => Place::Behind,
            (false, false) => Place::Within(inside),
        };
        closed || damaged
    }

    /// Takes out what is gone over between two places.
    fn drop(&mut self, line: &mut [u8], length: &mut usize, from: usize, upto: usize) {
        line.copy_within(upto..*length, from);
        *length -= upto - from;
        self.at -= upto - from;
    }
}

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
        None => (place_before(text, at, text.len()), End::More),
    }
}

/// A place not behind `most` where a character or an escape begins, as one does at `from`. Only where none is surely one, all from
/// there on are gone over.
fn place_before(text: &[u8], from: usize, most: usize) -> usize {
    plain_place(text, from, most).unwrap_or_else(|| tokens(text, from, most).0)
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
