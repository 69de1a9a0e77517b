//! What stands for a secret that was masked: `[redacted:kind]`. One of another kind is text like any other.

use super::Span;
use super::names::KINDS;
use super::shapes::SHAPES;
use memchr::memmem;

const BEGIN: &str = "[redacted:";

/// The kinds that are neither those of names nor of shapes.
const OTHERS: &[&str] = &["private-key", "url-password", "url-secret", "pattern"];

/// No kind is longer.
const LONGEST: usize = 32;

/// Appends the mark for a secret of this kind.
pub(super) fn push(kind: &str, into: &mut String) {
    into.push_str(BEGIN);
    into.push_str(kind);
    into.push(']');
}

/// Where an earlier masking left its marks. They are no secrets, whoever wrote them.
pub(super) fn marks(text: &str) -> Vec<Span> {
    memmem::find_iter(text.as_bytes(), BEGIN)
        .filter_map(|start| Some(Span { start, end: start + length(&text.as_bytes()[start..])?, kind: "" }))
        .collect()
}

/// The length of the mark that `text` begins with.
pub(super) fn length(text: &[u8]) -> Option<usize> {
    let rest = text.strip_prefix(BEGIN.as_bytes())?;
    let end = rest[..rest.len().min(LONGEST)].iter().position(|byte| *byte == b']')?;
    is_kind(&rest[..end]).then_some(BEGIN.len() + end + 1)
}

/// Whether `value` is a mark and nothing else. The punctuation at its end may have been taken off.
pub(super) fn is_mark(value: &str) -> bool {
    value.strip_prefix(BEGIN).is_some_and(|rest| is_kind(rest.strip_suffix(']').unwrap_or(rest).as_bytes()))
}

/// Whether it begins as a mark does, and is none.
pub(super) fn is_forged(value: &str) -> bool {
    value.starts_with(BEGIN) && !is_mark(value)
}

fn is_kind(word: &[u8]) -> bool {
    let mut kinds = SHAPES.iter().map(|shape| shape.kind).chain(KINDS.iter().chain(OTHERS).copied());
    kinds.any(|kind| kind.as_bytes() == word)
}
