//! The only room that reads JSON text: [`Value`] walks over the bytes of a line, borrows, and decodes what is asked for.
//!
//! The walker proves an object's own keys and that everything in it is closed; what it jumps over is not looked into.
//! What it cannot prove goes to [`Repair`].

mod grammar;
mod mosaic;
mod object;
mod prune;
mod repair;
mod rewrite;
mod scan;
mod sound;
mod spans;
mod strict;
mod template;
mod text;

pub use mosaic::Mosaic;
pub use object::Object;
pub use prune::{Ask, Prune, Want};
pub use repair::{Found, Repair};
pub use spans::Spans;
pub use strict::{is_json_object, why_no_json};
pub use template::{Alike, Template};
pub use text::{Text, append, complete, lossy};

use std::borrow::Cow;

/// The text of one JSON value, without the blanks around it. Nothing of it is decoded before it is asked for.
#[derive(Clone, Copy)]
pub struct Value<'a> {
    json: &'a [u8],
    /// Where it stands in its line.
    at: usize,
    /// Where the longer values of that line end, if it was noted.
    spans: Option<&'a Spans>,
}

impl PartialEq for Value<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.json == other.json
    }
}

impl Eq for Value<'_> {}

impl<'a> Value<'a> {
    /// The object that fills `line`, blanks around it apart. `None` where the walker cannot prove that there is just one.
    #[must_use]
    pub fn line(line: &'a [u8]) -> Option<Self> {
        let open = scan::blanks_end(line, 0);
        let (object, end) = Self::object(line, open)?;
        (scan::blanks_end(line, end) == line.len()).then_some(object)
    }

    /// The object whose `{` stands at `open`, and where it ends.
    fn object(json: &'a [u8], open: usize) -> Option<(Self, usize)> {
        let mut walk = Self::again(json.get(open..)?).fields();
        while walk.next().is_some() {}
        walk.end().map(|end| (Self::again(&json[open..open + end]), open + end))
    }

    /// The value that `json` begins with. For text that was decoded from a string, such as a function's arguments.
    #[must_use]
    pub fn text_of(json: &'a [u8]) -> Option<Self> {
        let start = scan::blanks_end(json, 0);
        let end = scan::value_end(json, start)?;
        (scan::blanks_end(json, end) == json.len()).then_some(Self::again(&json[start..end]))
    }

    /// A value whose text was taken with [`Value::json`] before.
    #[must_use]
    pub fn again(json: &'a [u8]) -> Self {
        Self { json, at: 0, spans: None }
    }

    /// A value within this one.
    fn part(self, start: usize, end: usize) -> Self {
        Self { json: &self.json[start..end], at: self.at + start, ..self }
    }

    /// The place behind the value that begins at `start`.
    #[inline]
    fn value_end(self, start: usize) -> Option<usize> {
        match self.json.get(start)? {
            b'"' => scan::short_string(self.json, start).or_else(|| self.long_end(start)),
            b'{' | b'[' => self.long_end(start),
            _ => scan::scalar_end(self.json, start),
        }
    }

    fn long_end(self, start: usize) -> Option<usize> {
        match self.spans.and_then(|spans| spans.noted(self.at + start)) {
            // It ends within this value, or this is not the value that was noted.
            Some(end) => Some(end - self.at).filter(|end| *end <= self.json.len()),
            None => scan::value_end(self.json, start),
        }
    }

    /// The JSON text itself, byte for byte.
    #[must_use]
    pub fn json(self) -> &'a [u8] {
        self.json
    }

    /// The keys and values of an object, in the order of the text. None for any other value.
    #[must_use]
    pub fn fields(self) -> Fields<'a> {
        let state = if self.is_object() { State::First } else { State::Broken };
        Fields { object: self, at: 1, state }
    }

    /// Shows all fields, and says whether the object is whole: whether there is nothing in it but these.
    #[must_use]
    pub fn each_field(self, mut each: impl FnMut(&[u8], Self)) -> bool {
        let mut fields = self.fields();
        while let Some(place) = fields.place() {
            each(&place.key(self), place.value(self));
        }
        fields.end() == Some(self.json.len())
    }

    /// The members of an array. None for any other value.
    #[must_use]
    pub fn items(self) -> Items<'a> {
        Items { array: self, at: 1, over: !self.is_array() }
    }

    /// The value of `key` in an object. Of a key that stands there twice the last one counts, as in `JSON.parse`;
    /// `null` counts as absent.
    #[must_use]
    pub fn get(self, key: &str) -> Option<Self> {
        let [found] = self.pick([key]);
        found
    }

    /// The values of several keys, found in one walk; for each, what [`Value::get`] would give.
    #[must_use]
    pub fn pick<const N: usize>(self, keys: [&str; N]) -> [Option<Self>; N] {
        let mut found = [None; N];
        let mut fields = self.fields();
        while let Some(place) = fields.place() {
            let name = place.key(self);
            if let Some(key) = keys.iter().position(|key| key.as_bytes() == name.as_ref()) {
                found[key] = Some(place.value(self)).filter(|value| !value.is_null());
            }
        }
        found
    }

    /// Whether this is `null`.
    #[must_use]
    pub fn is_null(self) -> bool {
        self.json == b"null"
    }

    /// Whether this is an object.
    #[must_use]
    pub fn is_object(self) -> bool {
        self.json.first() == Some(&b'{')
    }

    /// Whether this is an array.
    #[must_use]
    pub fn is_array(self) -> bool {
        self.json.first() == Some(&b'[')
    }

    /// The text of a string, not yet decoded.
    #[must_use]
    pub fn text(self) -> Option<Text<'a>> {
        let inside = self.json.strip_prefix(b"\"")?.strip_suffix(b"\"")?;
        Some(Text::escaped(inside))
    }

    /// A string, decoded. A lone surrogate or an invalid byte is U+FFFD.
    #[must_use]
    pub fn str(self) -> Option<Cow<'a, str>> {
        self.text().map(Text::decode)
    }

    /// A whole number; also one written as a string, as 64-bit numbers are. A fraction is dropped.
    #[must_use]
    pub fn integer(self) -> Option<i64> {
        let quoted = self.json.strip_prefix(b"\"").and_then(|text| text.strip_suffix(b"\""));
        let digits = std::str::from_utf8(quoted.unwrap_or(self.json)).ok()?;
        digits.parse().ok().or_else(|| whole(digits.parse().ok()?))
    }

    /// A boolean.
    #[must_use]
    pub fn bool(self) -> Option<bool> {
        match self.json {
            b"true" => Some(true),
            b"false" => Some(false),
            _ => None,
        }
    }
}

/// The whole part of a number that has a fraction or an exponent, where it fits.
fn whole(number: f64) -> Option<i64> {
    // Beyond 2^53 a double no longer tells neighbours apart, so such a number would be a guess.
    #[expect(clippy::cast_possible_truncation, reason = "the bound leaves only what an i64 holds")]
    (number.abs() < 9_007_199_254_740_992.0).then_some(number as i64)
}

/// The fields of an object, one by one. After the last, [`Fields::end`] says whether the object was whole.
pub struct Fields<'a> {
    object: Value<'a>,
    at: usize,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    First,
    Later,
    Whole,
    Broken,
}

impl Fields<'_> {
    /// Where the object ends, once all its fields were taken and it was whole.
    fn end(&self) -> Option<usize> {
        (self.state == State::Whole).then_some(self.at)
    }

    /// Where the next field is. Leaves `at` behind it, or behind the closing brace. Behind the last one it is not to be called.
    fn place(&mut self) -> Option<Place> {
        let json = self.object.json;
        let mut at = scan::blanks_end(json, self.at);
        match (json.get(at)?, self.state) {
            (b'}', State::First | State::Later) => {
                self.state = State::Whole;
                self.at = at + 1;
                return None;
            }
            (b',', State::Later) => at = scan::blanks_end(json, at + 1),
            (_, State::First) => {}
            _ => return None,
        }
        if json.get(at) != Some(&b'"') {
            return None;
        }
        let (key_end, plain) = scan::string(json, at)?;
        let colon = scan::blanks_end(json, key_end);
        if json.get(colon) != Some(&b':') {
            return None;
        }
        let start = scan::blanks_end(json, colon + 1);
        let end = self.object.value_end(start)?;
        self.at = end;
        self.state = State::Later;
        Some(Place { key: (at + 1, key_end - 1), plain, value: (start, end) })
    }
}

/// Where a field is in its object.
#[derive(Clone, Copy)]
struct Place {
    /// What stands between the quotes of the key.
    key: (usize, usize),
    /// The key is known to hold no escapes.
    plain: bool,
    value: (usize, usize),
}

impl Place {
    fn key<'a>(&self, object: Value<'a>) -> Cow<'a, [u8]> {
        let key = &object.json[self.key.0..self.key.1];
        if self.plain { Cow::Borrowed(key) } else { Text::escaped(key).bytes() }
    }

    fn value<'a>(&self, object: Value<'a>) -> Value<'a> {
        object.part(self.value.0, self.value.1)
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = (Cow<'a, [u8]>, Value<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        if matches!(self.state, State::Whole | State::Broken) {
            return None;
        }
        let place = self.place();
        if place.is_none() && self.state != State::Whole {
            self.state = State::Broken;
        }
        place.map(|place| (place.key(self.object), place.value(self.object)))
    }
}

/// The members of an array, one by one.
pub struct Items<'a> {
    array: Value<'a>,
    at: usize,
    over: bool,
}

impl<'a> Items<'a> {
    fn item(&mut self) -> Option<Value<'a>> {
        let json = self.array.json;
        let start = scan::blanks_end(json, self.at);
        let end = self.array.value_end(start)?;
        let next = scan::blanks_end(json, end);
        self.over = json.get(next) != Some(&b',');
        self.at = next + 1;
        Some(self.array.part(start, end))
    }
}

impl<'a> Iterator for Items<'a> {
    type Item = Value<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.over {
            return None;
        }
        let item = self.item();
        self.over |= item.is_none();
        item
    }
}

#[cfg(test)]
mod tests;
