//! What a result says of how its call went.

use super::{Ending, Status};
use crate::value::{Object, Value};
use std::borrow::Cow;

/// The keys under which a result can stand. Beside them a result may have keys that say no outcome.
const OUTCOMES: [&[u8]; 7] =
    [b"success", b"failure", b"error", b"rejected", b"permissionDenied", b"spawnError", b"timeout"];

/// How a call went.
pub(super) fn status(ending: Ending, outcome: Option<&str>, body: Option<&Object>) -> Status {
    if ending == Ending::Open {
        return Status::Unfinished;
    }
    match outcome {
        Some("rejected" | "permissionDenied") => Status::Rejected,
        Some("success") | None => {
            let code = body.and_then(|body| body.get("exitCode")?.integer()).unwrap_or(0);
            if ending == Ending::Failed || code != 0 || is_error(body) { Status::Failed } else { Status::Ok }
        }
        Some(_) => Status::Failed,
    }
}

/// Whether what stands under `success` says that it is an error.
pub(super) fn is_error(body: Option<&Object>) -> bool {
    body.and_then(|body| body.get("isError")?.bool()) == Some(true)
}

/// The key of a result that says how the call went, and what stands under it. A result that has no such key, as some producers
/// write it, is its own body.
pub(super) fn outcome(result: Value<'_>) -> (Option<Cow<'_, str>>, Option<Value<'_>>) {
    let mut unknown = None;
    for (key, value) in result.fields().filter(|(_, value)| !value.is_null()) {
        let known = OUTCOMES.contains(&key.as_ref());
        // An outcome that nobody knows yet is an object too; the keys beside it are flags and strings.
        if known || (unknown.is_none() && value.is_object()) {
            let named = (Some(Cow::Owned(String::from_utf8_lossy(&key).into_owned())), Some(value));
            if known {
                return named;
            }
            unknown = Some(named);
        }
    }
    unknown.unwrap_or((None, Some(result)))
}
