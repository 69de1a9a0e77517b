//! `ls`: a directory.

use super::{Gives, Kind, Tool};
use crate::human;
use crate::value::Value;
use std::borrow::Cow;

pub(super) const KIND: Kind = Kind {
    names: &["ls"],
    target: |tool| tool.path(&["path", "targetDirectory"]),
    digest,
    gives: Gives::Output(output),
};

fn root<'a>(tool: &Tool<'a>) -> Option<Value<'a>> {
    tool.body.as_ref()?.get("directoryTreeRoot")
}

fn digest(tool: &Tool) -> Option<String> {
    root(tool)?.get("numFiles")?.integer().map(|files| human::plural(files, "file"))
}

fn output<'a>(tool: &Tool<'a>) -> Option<Cow<'a, str>> {
    let children = root(tool).and_then(|root| root.get("childrenFiles"));
    let names = |children: Value<'a>| -> Vec<Cow<'a, str>> {
        children.items().filter_map(|child| child.get("name")?.str()).collect()
    };
    children.map(|children| names(children).join("\n").into()).or_else(|| tool.error())
}
