//! Whether a line is JSON to the letter: for those who want every line to be.

/// Whether `line` is one JSON object and nothing else. simd-json, which is fast, says yes to nearly all; where it says no,
/// `serde_json` has the last word, since simd-json also refuses what the grammar allows: half a surrogate pair, a number too
/// large for it, a nesting of more than a thousand levels.
#[must_use]
pub fn is_json_object(line: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(line) else { return false };
    let text = text.trim_matches([' ', '\t', '\r', '\n']);
    // simd-json writes into what it reads, so it gets a copy.
    text.starts_with('{')
        && (simd_json::to_tape(&mut text.as_bytes().to_vec()).is_ok()
            || serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok())
}
