//! Whether a line is JSON to the letter: for those who want every line to be, or to know why it is not.

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

/// Why an object that was found in a line is no JSON, if it is none, and where in it.
#[must_use]
pub fn why_no_json(object: &[u8]) -> Option<String> {
    if is_json_object(object) {
        return None;
    }
    let text = match std::str::from_utf8(object) {
        Ok(text) => text,
        Err(bad) => return Some(format!("not UTF-8, at byte {} of the object", bad.valid_up_to() + 1)),
    };
    let error = serde_json::from_str::<serde::de::IgnoredAny>(text).err()?;
    let why = error.to_string();
    let why = why.split(" at line ").next().unwrap_or_default();
    // Of an object in several lines, the column says little.
    let place = if error.line() == 1 { format!(", at byte {} of the object", error.column()) } else { String::new() };
    Some(format!("{why}{place}"))
}
