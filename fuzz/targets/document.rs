//! A document as other writers might write it: blanks anywhere, any character as an escape, a key twice. Bytes at random are
//! seldom JSON; these always are, so here the walker is held against `serde_json` deep inside. And a line that was cut is never
//! taken for whole: the slow path depends on it.

#![no_main]

use arbitrary::Arbitrary;
use cursor_fmt::internals::{Value, is_json_object};
use cursor_fmt_fuzz::walked;
use libfuzzer_sys::fuzz_target;
use serde_json::Value as Json;

#[derive(Arbitrary, Debug)]
struct Document {
    /// Bit by bit, whether what is written next is written in the odd way.
    odd: Vec<bool>,
    fields: Vec<(String, Node)>,
    cut: usize,
}

#[derive(Arbitrary, Debug)]
enum Node {
    Null,
    Bool(bool),
    Integer(i64),
    Large(u64),
    Float(f64),
    Text(String),
    Array(Vec<Node>),
    Object(Vec<(String, Node)>),
}

fuzz_target!(|document: Document| {
    let mut pen = Pen { out: String::new(), odd: Box::new(document.odd.into_iter().cycle()) };
    pen.write(&Node::Object(document.fields));
    let line = pen.out.as_bytes();
    // What nests too deep for `serde_json` was not to be had.
    let Ok(json) = serde_json::from_slice::<Json>(line) else { return };
    assert!(is_json_object(line), "{}", pen.out);
    let value = Value::line(line).expect("JSON, but not proven");
    assert_eq!(walked(value), json, "{}", pen.out);

    let text = pen.out.trim_end();
    let cut = &line[..document.cut % text.len()];
    assert!(Value::line(cut).is_none(), "cut, but taken for whole: {}", String::from_utf8_lossy(cut));
});

struct Pen {
    out: String,
    odd: Box<dyn Iterator<Item = bool>>,
}

impl Pen {
    fn odd(&mut self) -> bool {
        self.odd.next() == Some(true)
    }

    fn blank(&mut self) {
        if self.odd() {
            let blanks = if self.odd() { " " } else { "\t\r\n " };
            self.out.push_str(blanks);
        }
    }

    fn write(&mut self, node: &Node) {
        self.blank();
        match node {
            Node::Null => self.out.push_str("null"),
            Node::Bool(bool) => self.out.push_str(&bool.to_string()),
            Node::Integer(number) => self.out.push_str(&number.to_string()),
            Node::Large(number) => self.out.push_str(&number.to_string()),
            Node::Float(number) if !number.is_finite() => self.out.push_str("-0E+00"),
            Node::Float(number) => {
                let written = if self.odd() { format!("{number:E}") } else { format!("{number:?}") };
                self.out.push_str(&written);
            }
            Node::Text(text) => self.text(text),
            Node::Array(items) => {
                self.out.push('[');
                for (place, item) in items.iter().enumerate() {
                    self.out.push_str(if place > 0 { "," } else { "" });
                    self.write(item);
                }
                self.blank();
                self.out.push(']');
            }
            Node::Object(fields) => {
                self.out.push('{');
                for (place, (key, value)) in fields.iter().enumerate() {
                    self.out.push_str(if place > 0 { "," } else { "" });
                    self.blank();
                    self.text(key);
                    self.blank();
                    self.out.push(':');
                    self.write(value);
                }
                self.blank();
                self.out.push('}');
            }
        }
        self.blank();
    }

    fn text(&mut self, text: &str) {
        self.out.push('"');
        for char in text.chars() {
            if self.odd() {
                for unit in char.encode_utf16(&mut [0; 2]) {
                    let escape = if self.odd() { format!("\\u{unit:04X}") } else { format!("\\u{unit:04x}") };
                    self.out.push_str(&escape);
                }
            } else if char == '/' {
                self.out.push_str("\\/");
            } else {
                let quoted = Json::from(char.to_string()).to_string();
                self.out.push_str(&quoted[1..quoted.len() - 1]);
            }
        }
        self.out.push('"');
    }
}
