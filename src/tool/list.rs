//! `ls`: a directory.

use super::{Detail, Kind, Tool, output};
use crate::human;
use crate::value::Value;
use std::borrow::Cow;

pub(super) const KIND: Kind = Kind {
    names: &["ls"],
    target: |tool| tool.path(&["path", "targetDirectory"]),
    digest,
    detail: |tool| detail(tool),
};

fn root<'a>(tool: &Tool<'a>) -> Option<Value<'a>> {
    tool.body?.get("directoryTreeRoot")
}

fn digest(tool: &Tool) -> Option<String> {
    root(tool)?.get("numFiles")?.integer().map(|files| human::plural(files, "file"))
}

fn detail<'a>(tool: &Tool<'a>) -> Detail<'a> {
    let children = root(tool).and_then(|root| root.get("childrenFiles"));
    let names = |children: Value<'a>| -> Vec<Cow<'a, str>> {
        children.items().filter_map(|child| child.get("name")?.str()).collect()
    };
    output(children.map(|children| names(children).join("\n").into()).or_else(|| tool.error()))
}
