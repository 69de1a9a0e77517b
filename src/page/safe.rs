//! Text of a log, made safe for a terminal and for the console of a CI system. It can neither move the cursor nor set a title,
//! reorder what stands beside it, or give orders to a runner.

/// Up to this many bytes, a sequence that sets a title or a link is taken for one and dropped. What is longer is text.
const SEQUENCE: usize = 4096;

/// What a console knows of its line so far: enough to keep a runner's commands from coming together piece by piece.
#[derive(Clone, Copy, Default)]
pub(super) struct Line {
    /// The last characters of the line.
    last: [char; 5],
    /// Whether there was something else than blanks, before the last character.
    begun: bool,
}

impl Line {
    /// Whether `char`, here, would complete the beginning of a workflow command. `##[` and `##vso[` count anywhere in a line.
    fn commands(&self, char: char) -> bool {
        match char {
            ':' => self.last[4] == ':' && !self.begun,
            '[' => self.last[3..] == ['#', '#'] || self.last == ['#', '#', 'v', 's', 'o'],
            _ => false,
        }
    }

    fn push(&mut self, char: char) {
        if char == '\n' {
            *self = Self::default();
            return;
        }
        // A runner passes over every character that Unicode calls a blank.
        self.begun |= self.last[4] != '\0' && !self.last[4].is_whitespace();
        self.last.rotate_left(1);
        self.last[4] = char;
    }
}

/// Appends `text`. Escape sequences are dropped, other control characters shown as pictures of themselves. With a `line`, text
/// that a CI runner would obey is parted by a character of no width.
pub(super) fn push(text: &str, line: Option<&mut Line>, ascii: bool, into: &mut Vec<u8>) {
    let plain = if line.is_some() { 0 } else { plain_length(text.as_bytes()) };
    into.extend_from_slice(&text.as_bytes()[..plain]);
    if plain < text.len() {
        push_odd(&text[plain..], line, ascii, into);
    }
}

/// The same for text that begins with what cannot be copied as it is.
fn push_odd(text: &str, mut line: Option<&mut Line>, ascii: bool, into: &mut Vec<u8>) {
    let mut rest = text;
    while !rest.is_empty() {
        let Some(char) = rest.chars().next() else { return };
        let length = sequence(rest);
        rest = &rest[length.unwrap_or(char.len_utf8())..];
        if length.is_some() || (char == '\r' && (rest.is_empty() || rest.starts_with('\n'))) {
            continue;
        }
        let shown = picture(char, ascii);
        if let Some(line) = &mut line {
            if line.commands(shown) {
                into.extend_from_slice("\u{200b}".as_bytes());
            }
            line.push(shown);
        }
        into.extend_from_slice(shown.encode_utf8(&mut [0; 4]).as_bytes());
        let plain = if line.is_some() { 0 } else { plain_length(rest.as_bytes()) };
        into.extend_from_slice(&rest.as_bytes()[..plain]);
        rest = &rest[plain..];
    }
}

/// How much of `text` can be copied as it is.
#[expect(
    clippy::needless_bitwise_bool,
    reason = "without a branch, the compiler looks at all bytes of a chunk at once"
)]
fn plain_length(text: &[u8]) -> usize {
    // 0xC2 begins the C1 controls, 0xD8 and 0xE2 the marks that change direction. 0xC2 and 0xE2 differ in one bit.
    let odd = |byte: &u8| {
        let byte = *byte;
        let control = (byte < 0x20) & (byte != b'\n') & (byte != b'\t');
        control | (byte == 0x7F) | (byte | 0x20 == 0xE2) | (byte == 0xD8)
    };
    let is_odd = |chunk: &[u8; 16]| chunk.iter().fold(false, |any, byte| any | odd(byte));
    let (chunks, end) = text.as_chunks();
    let plain = chunks.iter().take_while(|chunk| !is_odd(chunk)).count() * 16;
    // The last chunk may lie over the one before.
    let last = text.last_chunk().copied().unwrap_or_else(|| {
        let mut padded = [b' '; 16];
        padded[..end.len()].copy_from_slice(end);
        padded
    });
    if plain + end.len() == text.len() && !is_odd(&last) {
        return text.len();
    }
    let rest = &text[plain..];
    plain + rest.iter().position(odd).unwrap_or(rest.len())
}

/// The length of the escape sequence that `text` begins with, if it is one that has an end.
fn sequence(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let body = bytes.get(2..)?;
    let body = &body[..body.len().min(SEQUENCE)];
    match bytes[..2] {
        [0x1B, b'['] => {
            let end = body.iter().position(|byte| !(0x20..=0x3F).contains(byte))?;
            (0x40..=0x7E).contains(&body[end]).then_some(end + 3)
        }
        [0x1B, b']'] => {
            let end = body.iter().position(|byte| matches!(byte, 0x07 | 0x1B))?;
            match body[end..] {
                [0x07, ..] => Some(end + 3),
                [_, b'\\', ..] => Some(end + 4),
                _ => None,
            }
        }
        _ => None,
    }
}

/// What is shown for a character.
fn picture(char: char, ascii: bool) -> char {
    match char {
        '\n' | '\t' => char,
        _ if !is_obeyed(char) && !matches!(char, '\u{2028}' | '\u{2029}') => char,
        _ if ascii => '?',
        '\0'..='\x1f' => char::from_u32(0x2400 + u32::from(char)).unwrap_or('?'),
        '\x7f' => '\u{2421}',
        _ => char::REPLACEMENT_CHARACTER,
    }
}

/// Whether a terminal could obey `char`, or show what stands beside it in another order.
pub(super) fn is_obeyed(char: char) -> bool {
    let reorders =
        matches!(char, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    char.is_control() || reorders
}

#[cfg(test)]
mod tests {
    use super::{Line, push};

    fn safe(text: &str) -> String {
        let mut out = Vec::new();
        push(text, None, false, &mut out);
        String::from_utf8(out).expect("characters are pushed whole")
    }

    #[test]
    fn sequences_are_dropped_and_controls_become_visible() {
        assert_eq!(safe("\x1b[31mred\x1b[0m \x1b]0;title\x07x \x1b]8;;http://a\x1b\\link\x1b]8;;\x1b\\"), "red x link");
        assert_eq!(safe("a\x1b[31"), "a␛[31", "a sequence that does not end");
        assert_eq!(safe("a\x1b]0;no end"), "a␛]0;no end");
        assert_eq!(safe("\x07\x08\0\x7f\u{9b}2J\u{202e}x\u{2066}"), "␇␈␀␡\u{fffd}2J\u{fffd}x\u{fffd}");
        assert_eq!(safe("a\r\nb\rc\r"), "a\nb␍c");
        assert_eq!(safe("é…漢\tÂ©\n"), "é…漢\tÂ©\n");
    }

    #[test]
    fn nothing_dangerous_passes_however_long() {
        let hostile = "\x1b]".repeat(50_000) + &"\x1b[".repeat(50_000);
        assert!(!safe(&hostile).contains('\x1b'));
    }

    #[test]
    fn a_console_sees_no_command_even_in_pieces() {
        let text = "::error::x\n  ::warning::y\nab ::c\n##[group]z\nx ##vso[task]\n:::\n\u{3000}\u{a0}::x\n";
        let want = ":\u{200b}:error::x\n  :\u{200b}:warning::y\nab ::c\n##\u{200b}[group]z\nx ##vso\u{200b}[task]\n:\u{200b}::\n\u{3000}\u{a0}:\u{200b}:x\n";
        for size in [1, 2, 3, text.len()] {
            let mut line = Line::default();
            let mut out = Vec::new();
            let chars: Vec<char> = text.chars().collect();
            for piece in chars.chunks(size) {
                push(&piece.iter().collect::<String>(), Some(&mut line), false, &mut out);
            }
            assert_eq!(String::from_utf8_lossy(&out), want, "pieces of {size}");
        }
    }
}
