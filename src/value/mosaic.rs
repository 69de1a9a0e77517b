//! A line whose fields are each like one of a line before, in any order. Where a writer mixes its keys, lines are seldom alike,
//! and yet there is nothing new in them but a string and a number.

#![expect(clippy::inline_always, reason = "only what is inlined there is compiled for the machine's best instructions")]

use super::template::{Alike, behind, digits, places};
use super::{Text, Value, scan, spans};
use fearless_simd::{Level, dispatch, prelude::*, u8x64, u32x16};

/// The fields that such lines have in common.
pub struct Mosaic {
    level: Level,
    forms: Vec<Form>,
    /// For each form, the bytes of its key that tell keys apart.
    names: [u32; MOST],
    /// The fields, a bit each. A line must have all of them, and each once.
    fields: u32,
}

/// No more forms are looked for.
const MOST: usize = 16;

/// A field as it was once, but for a string or a number in it. It may have been otherwise in another line.
#[derive(Clone, PartialEq)]
struct Form {
    field: u32,
    before: Part,
    hole: Hole,
    behind: Part,
}

/// What is new in each line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Hole {
    None,
    String,
    Number,
}

/// Bytes that must stand there.
#[derive(Clone, PartialEq)]
struct Part {
    /// The first, filled up.
    block: [u8; 64],
    /// Those of the block that count, a bit each.
    bits: u64,
    /// The others.
    rest: Vec<u8>,
    length: usize,
}

impl Alike for Mosaic {
    fn new(object: Value, string: Value, number: Value) -> Option<Self> {
        let json = object.json;
        let level = Level::new();
        let [(open, close), (first, last)] = places(level, object, string, number)?;
        let mut new = Self { level, forms: Vec::new(), names: [0; MOST], fields: 0 };
        let (mut fields, mut keys) = (object.fields(), Vec::new());
        while let Some(place) = fields.place() {
            let key = place.key(object);
            let (start, end) = (place.key.0 - 1, place.value.1);
            let is_within = |from, to| start < from && to <= end;
            let (hole, (from, to)) = match (is_within(open, close), is_within(first, last)) {
                (false, false) => (Hole::None, (end, end)),
                (true, false) => (Hole::String, (open + 1, close - 1)),
                (false, true) => (Hole::Number, (first, last)),
                (true, true) => return None,
            };
            if keys.contains(&key) {
                // Which of two counts depends on their order.
                return None;
            }
            keys.push(key);
            let field = 1 << new.forms.len().min(MOST);
            let (before, behind) = (Part::new(&json[start..from]), Part::new(&json[to..end]));
            new.add(Form { field, before, hole, behind })?;
        }
        Some(new)
    }

    fn each<'a, E>(
        &self,
        text: &'a [u8],
        whole: bool,
        mut each: impl FnMut(Text<'a>, Value<'a>) -> Result<(), E>,
    ) -> Result<(usize, usize), E> {
        let (mut lines, mut length) = (0, 0);
        dispatch!(self.level, simd => {
            while let Some((string, number, end)) = text.get(length..).and_then(|rest| self.read(simd, rest, whole)) {
                each(string, number)?;
                lines += 1;
                length += end + 1;
            }
            Ok((lines, length))
        })
    }

    fn merge(&mut self, other: &Self) -> bool {
        let is_new = |form: &&Form| !self.forms.iter().any(|own| own.is_like(form));
        let mut new = other.forms.iter().filter(is_new);
        let (form, more) = (new.next(), new.next());
        let string = self.forms.iter().find(|own| own.hole == Hole::String).map(|own| own.field);
        match (form, more, string) {
            _ if self.fields != other.fields => false,
            (None, ..) => true,
            // All other fields are there, so that this is the one that is left.
            (Some(form), None, Some(field)) if form.hole == Hole::String => {
                self.add(Form { field, ..form.clone() }).is_some()
            }
            _ => false,
        }
    }
}

impl Mosaic {
    fn add(&mut self, form: Form) -> Option<()> {
        let name = self.names.get_mut(self.forms.len())?;
        let before = &form.before.block[..form.before.length.min(64)];
        // What is in the hole must not be part of it.
        *name = u32::from_le_bytes(*before.get(NAME..)?.first_chunk()?);
        self.fields |= form.field;
        self.forms.push(form);
        Some(())
    }

    /// The string and the number of the line that `text` begins with, and where it ends.
    #[inline(always)]
    fn read<'a, S: Simd>(&self, simd: S, text: &'a [u8], whole: bool) -> Option<(Text<'a>, Value<'a>, usize)> {
        let (mut string, mut number) = (None, None);
        let (mut at, mut seen) = (0, 0);
        let mut byte = text.first().filter(|byte| **byte == b'{')?;
        while *byte != b'}' {
            at += 1;
            let block = scan::block(simd, text, at);
            let name = u32::from_le_bytes(*text.get(at + NAME..)?.first_chunk()?);
            let mut alike = u32x16::from_slice(simd, &self.names).simd_eq(name).to_bitmask();
            let (form, from, to, plain, end) = loop {
                let form = self.forms.get(alike.trailing_zeros() as usize)?;
                if let Some((from, to, plain, end)) = form.read(simd, block, text, at) {
                    break (form, from, to, plain, end);
                }
                alike &= alike - 1;
            };
            match form.hole {
                Hole::None => {}
                Hole::String if plain => string = Some(Text::plain(&text[from..to])),
                Hole::String => string = Some(Text::escaped(&text[from..to])),
                Hole::Number => number = Some(Value::again(&text[from..to])),
            }
            if seen & form.field != 0 {
                return None;
            }
            seen |= form.field;
            at = end;
            byte = text.get(at).filter(|byte| matches!(byte, b',' | b'}'))?;
        }
        let length = spans::line_length(text, at + 1, whole)?;
        (seen == self.fields).then_some((string?, number?, length))
    }
}

/// Where in a field the bytes begin that tell keys apart.
const NAME: usize = 1;

impl Form {
    /// Where what is new begins and ends in the field at `at`, whether it is known to hold no escapes, and where the field ends.
    #[inline(always)]
    fn read<S: Simd>(&self, simd: S, block: u8x64<S>, text: &[u8], at: usize) -> Option<(usize, usize, bool, usize)> {
        let from = self.before.end(simd, block, text, at)?;
        let (to, plain) = match self.hole {
            Hole::None => return Some((from, from, true, from)),
            Hole::String => {
                let (end, plain) = scan::line_string(simd, text, from - 1)?;
                (end - 1, plain)
            }
            Hole::Number => (from + digits(simd, text.get(from..)?)?, true),
        };
        let end = self.behind.end(simd, scan::block(simd, text, to), text, to)?;
        Some((from, to, plain, end))
    }

    fn is_like(&self, other: &Self) -> bool {
        self.hole == other.hole && self.before == other.before && self.behind == other.behind
    }
}

impl Part {
    fn new(bytes: &[u8]) -> Self {
        let (first, rest) = bytes.split_at(bytes.len().min(64));
        let mut block = [0; 64];
        block[..first.len()].copy_from_slice(first);
        let bits = u64::MAX.checked_shr(64 - u32::try_from(first.len()).unwrap_or(64)).unwrap_or(0);
        Self { block, bits, rest: rest.to_vec(), length: bytes.len() }
    }

    /// Where it ends in `text`, if it stands at `at`, where `block` was read.
    #[inline(always)]
    fn end<S: Simd>(&self, simd: S, block: u8x64<S>, text: &[u8], at: usize) -> Option<usize> {
        let same = u8x64::from_slice(simd, &self.block).simd_eq(block).to_bitmask();
        let is_here = !same & self.bits == 0;
        let end = at + self.length;
        // Behind the text, a block is filled up with what might stand there.
        if !is_here || end > text.len() {
            return None;
        }
        if !self.rest.is_empty() {
            behind(simd, &text[at + 64..], &self.rest)?;
        }
        Some(end)
    }
}

#[cfg(test)]
mod tests {
    use super::{Alike, Mosaic};
    use crate::value::{Spans, Value};
    use proptest::prelude::*;

    /// The fields of a line, each in forms that another line may have; two are one key.
    fn field(field: usize, form: usize, text: &str, time: &str) -> String {
        match (field, form) {
            (0, 0) => r#""type":"assistant""#.to_owned(),
            (0, _) => r#""type":"other""#.to_owned(),
            (1, _) => format!(r#""message":{{"role":"assistant","content":[{{"type":"text","text":"{text}"}}]}}"#),
            (2, 0) => format!(r#""message":{{"content":[{{"text":"{text}","type":"text"}}],"role":"assistant"}}"#),
            (2, _) => format!(r#""message":{{"content":[{{"text":"{text}","type":"other"}}],"role":"assistant"}}"#),
            (3, 0) => r#""session_id":"beeb8da1-658e-ec67-f893-a2eefb32555e-beeb8da1-658e-ec67-f893""#.to_owned(),
            (3, _) => r#""session_id":"beeb8da1-658e-ec67-f893-a2eefb32555e-beeb8da1-658e-ec67-0000""#.to_owned(),
            (4, 0) => format!(r#""timestamp_ms":{time}"#),
            (4, _) => format!(r#""timestamp_us":{time}"#),
            (_, 0) => r#""timeless":null"#.to_owned(),
            (_, _) => r#""":0"#.to_owned(),
        }
    }

    fn line(fields: &[(usize, usize)], text: &str, time: &str) -> String {
        let fields: Vec<String> = fields.iter().map(|(place, form)| field(*place, *form, text, time)).collect();
        format!("{{{}}}", fields.join(","))
    }

    /// What the walker sees in it, if it may be learned from: the string, the number, and all else.
    fn seen(object: Value<'_>) -> Option<(Value<'_>, Value<'_>, Vec<Vec<u8>>)> {
        if !object.each_field(|_, _| ()) {
            return None;
        }
        let block = object.get("message")?.get("content")?.items().next()?;
        let string = block.get("text").filter(|text| text.text().is_some())?;
        let kind = |value: Option<Value>| value.map(|value| value.json().to_vec()).unwrap_or_default();
        let mut others = vec![kind(block.get("type"))];
        for key in ["type", "session_id", "timestamp_us", "timeless", ""] {
            others.push(kind(object.get(key)));
        }
        Some((string, object.get("timestamp_ms")?, others))
    }

    const MANY: [&[(usize, usize)]; 3] =
        [&[(0, 0), (1, 0), (3, 0), (4, 0)], &[(0, 0), (2, 0), (3, 0), (4, 0)], &[(5, 0), (0, 0), (1, 0), (4, 0)]];

    fn fields() -> impl Strategy<Value = Vec<(usize, usize)>> {
        let alike = (proptest::sample::select(&MANY[..])).prop_map(<[_]>::to_vec).prop_shuffle();
        let any = proptest::collection::vec((0_usize..6, 0_usize..2), 1..7);
        let doubled = (alike.clone(), 0_usize..6, 0_usize..2).prop_map(|(mut fields, field, form)| {
            fields.push((field, form));
            fields
        });
        prop_oneof![6 => alike, 1 => any, 2 => doubled.prop_shuffle()]
    }

    fn text() -> impl Strategy<Value = String> {
        prop_oneof!["[a-z ]{0,9}", r#"([a-z{}:,]|\\"|\\\\|\\n){0,90}"#]
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1000) })]

        #[test]
        fn a_line_that_is_like_others_is_what_the_walker_sees(
            learned in proptest::collection::vec((fields(), text()), 1..5),
            lines in proptest::collection::vec((fields(), text(), "0|[1-9][0-9]{0,19}|1\\.5|01", any::<proptest::sample::Index>(), 0_usize..12), 1..12),
        ) {
            let mut mosaic: Option<(Mosaic, Vec<Vec<u8>>)> = None;
            for (fields, text) in &learned {
                let line = line(fields, text, "1767225600000");
                let Some(object) = Value::line(line.as_bytes()) else { continue };
                let Some((string, number, others)) = seen(object) else { continue };
                let Some(new) = Mosaic::new(object, string, number) else { continue };
                match &mut mosaic {
                    Some((known, same)) if *same == others => _ = known.merge(&new),
                    Some(_) => {}
                    None => mosaic = Some((new, others)),
                }
            }
            prop_assume!(mosaic.is_some());
            let (mosaic, others) = mosaic.expect("just seen");
            for (fields, text, time, place, byte) in &lines {
                let mut line = line(fields, text, time).into_bytes();
                if let Some(byte) = b"\"\\{}[],x".get(*byte) {
                    let place = place.index(line.len());
                    line[place] = *byte;
                }
                line.push(b'\n');
                let mut told = Vec::new();
                let read = mosaic.each(&line, false, |string, number| {
                    told.push((string.bytes().into_owned(), number.integer()));
                    Ok::<_, ()>(())
                });
                if read == Ok((0, 0)) {
                    continue;
                }
                prop_assert_eq!(read, Ok((1, line.len())));
                let mut spans = Spans::default();
                let walked = spans.object(&line, false).and_then(|(object, _)| seen(object));
                let walked = walked.map(|(string, number, others)| {
                    (string.text().map(|text| text.bytes().into_owned()), number.integer(), others)
                });
                let told = told.pop().map(|(string, number)| (Some(string), number, others.clone()));
                prop_assert_eq!(told, walked, "{}", String::from_utf8_lossy(&line));
            }
        }
    }

    #[test]
    fn keys_may_come_in_any_order() {
        let text = |fields: &[(usize, usize)]| line(fields, "so it is", "1767225600000");
        let learn = |line: &str| {
            let object = Value::line(line.as_bytes()).expect("it is an object");
            let (string, number, _) = seen(object).expect("it has both");
            Mosaic::new(object, string, number)
        };
        let mut mosaic = learn(&text(MANY[0])).expect("it can be learned from");
        let count = |mosaic: &Mosaic, line: &str| {
            mosaic.each(line.as_bytes(), true, |_, _| Ok::<_, ()>(())).expect("nothing fails").0
        };
        for [first, second, third, last] in [[0, 1, 3, 4], [4, 3, 1, 0], [3, 0, 4, 1], [1, 4, 0, 3]] {
            let fields = [(first, 0), (second, 0), (third, 0), (last, 0)];
            assert_eq!(count(&mosaic, &text(&fields)), 1);
            // One is missing, is there twice, or is too much.
            assert_eq!(count(&mosaic, &text(&fields[..3])), 0);
            assert_eq!(count(&mosaic, &text(&[&fields[..3], &fields[..1]].concat())), 0);
            assert_eq!(count(&mosaic, &text(&[&fields[..], &fields[..1]].concat())), 0);
            assert_eq!(count(&mosaic, &text(&[&fields[..], &[(5, 0)]].concat())), 0);
        }
        assert_eq!(count(&mosaic, &text(MANY[1])), 0);
        let other = text(&[(2, 0), (0, 0), (3, 1), (4, 0)]);
        assert!(!mosaic.merge(&learn(&other).expect("it can be learned from")), "two fields are otherwise");
        let mixed = text(&[(4, 0), (3, 0), (2, 0), (0, 0)]);
        assert!(mosaic.merge(&learn(&mixed).expect("it can be learned from")));
        assert_eq!(count(&mosaic, &text(MANY[0])), 1);
        assert_eq!(count(&mosaic, &text(MANY[1])), 1);
        // Both forms are the same field.
        assert_eq!(count(&mosaic, &text(&[MANY[0], &MANY[1][1..2]].concat())), 0);
        assert!(!mosaic.merge(&learn(&text(MANY[2])).expect("it can be learned from")));
        assert!(learn(&text(&[MANY[0], &MANY[1][1..2]].concat())).is_none(), "a key is there twice");
        assert!(learn(&text(&[(5, 1), (0, 0), (1, 0), (4, 0)])).is_none(), "a key is too short");
    }
}
