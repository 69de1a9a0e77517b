//! Writes JSON in the words that `tool` knows, and command lines as people type them.

use crate::value::Value;
use std::borrow::Cow;

/// An object that is written field by field.
pub(super) struct Object(Vec<u8>);

impl Object {
    pub(super) fn new() -> Self {
        Self(vec![b'{'])
    }

    /// A field whose value is JSON text.
    pub(super) fn raw(&mut self, key: &str, json: &[u8]) {
        if self.0.len() > 1 {
            self.0.push(b',');
        }
        serde_json::to_writer(&mut self.0, key).expect("a Vec takes all");
        self.0.push(b':');
        self.0.extend_from_slice(json);
    }

    pub(super) fn string(&mut self, key: &str, text: &str) {
        self.raw(key, serde_json::Value::from(text).to_string().as_bytes());
    }

    pub(super) fn number(&mut self, key: &str, number: i64) {
        self.raw(key, number.to_string().as_bytes());
    }

    /// The text of it, `{}` if nothing was written.
    pub(super) fn end(mut self) -> Vec<u8> {
        self.0.push(b'}');
        self.0
    }
}

/// The shells that only run what they are given as one word.
const SHELLS: [&str; 6] = ["sh", "bash", "zsh", "dash", "ksh", "fish"];

/// The command line of an object that has `command` and maybe `args`: a string, or words. A shell that is only there to run
/// another command line is left out.
pub(super) fn command_line(object: Value) -> String {
    let [command, args] = object.pick(["command", "args"]);
    let Some(command) = command else { return String::new() };
    let words = |list: Value| -> Vec<String> { list.items().filter_map(Value::str).map(Cow::into_owned).collect() };
    let mut all =
        if command.is_array() { words(command) } else { vec![command.str().unwrap_or_default().into_owned()] };
    all.extend(args.map(words).unwrap_or_default());
    match &all[..] {
        // A command without arguments may be a whole line by itself.
        [line] => unwrapped(line),
        [shell, flags @ .., line] if is_shell(shell) && are_flags(flags) => line.clone(),
        words => shlex::try_join(words.iter().map(String::as_str)).unwrap_or_else(|_| words.join(" ")),
    }
}

fn is_shell(word: &str) -> bool {
    SHELLS.contains(&word.rsplit('/').next().unwrap_or(word))
}

/// Whether these say that a line follows: `-c`, `-lc`, `-l -c`.
fn are_flags(words: &[String]) -> bool {
    words.iter().all(|word| word.starts_with('-')) && words.last().is_some_and(|word| word.ends_with('c'))
}

/// A line of which a shell runs one word is that word.
fn unwrapped(line: &str) -> String {
    let words = if line.contains("-c") || line.contains("-lc") { shlex::split(line) } else { None };
    match words.as_deref() {
        Some([shell, flags @ .., inner]) if is_shell(shell) && are_flags(flags) => inner.clone(),
        _ => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::command_line;
    use crate::value::Value;

    #[test]
    fn a_command_is_told_as_it_is_typed() {
        let cases = [
            (r#"{"command":"npm","args":["test","--filter","a b"]}"#, "npm test --filter 'a b'"),
            (r#"{"command":"/bin/sh","args":["-lc","ls | wc -l"]}"#, "ls | wc -l"),
            (r#"{"command":["bash","-l","-c","ls"]}"#, "ls"),
            (r#"{"command":"bash -c 'ls -l'"}"#, "ls -l"),
            (r#"{"command":"git commit -c x"}"#, "git commit -c x"),
            (r#"{"command":"sh","args":["build.sh"]}"#, "sh build.sh"),
            (r#"{"args":["a"]}"#, ""),
        ];
        for (object, line) in cases {
            assert_eq!(command_line(Value::again(object.as_bytes())), line, "{object}");
        }
    }
}
