//! `createPlan`: in plan mode the plan stands here and nowhere in the text.

use super::{Detail, Gives, Kind, Tool, no_digest, output};
use std::borrow::Cow;

pub(super) const KIND: Kind = Kind {
    names: &["createPlan"],
    target: |tool| tool.words(&["name", "overview"]),
    digest: no_digest,
    gives: Gives::Work(detail),
};

pub(super) fn text<'a>(tool: &Tool<'a>) -> Option<Cow<'a, str>> {
    let plan = if KIND.is(tool) { tool.arg("plan") } else { None };
    plan.filter(|plan| !plan.trim().is_empty())
}

fn detail<'a>(tool: &Tool<'a>) -> Detail<'a> {
    text(tool).map_or_else(|| output(tool.error()), Detail::Plan)
}
