//! `createPlan`: in plan mode the plan stands here and nowhere in the text.

use super::{Detail, Kind, Tool, no_digest, output};
use crate::value::Value;
use std::borrow::Cow;

pub(super) const KIND: Kind = Kind {
    names: &["createPlan"],
    target: |tool| tool.words(&["name", "overview"]),
    digest: no_digest,
    detail: |tool| detail(tool),
};

/// The plan that the arguments of such a call hold.
fn text(args: Value<'_>) -> Option<Cow<'_, str>> {
    args.get("plan")?.str().filter(|plan| !plan.trim().is_empty())
}

fn detail<'a>(tool: &Tool<'a>) -> Detail<'a> {
    tool.args.and_then(text).map_or_else(|| output(tool.error()), Detail::Plan)
}
