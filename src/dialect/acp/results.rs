//! What answers say: about a session, and about a run as one result.

use super::session::Session;
use super::write::Object;
use crate::event::Field;
use crate::value::Value;
use std::borrow::Cow;

/// What an answer says about a session.
pub(super) fn describe(session: &mut Session, result: Value) {
    let [modes, offered, config] = result.pick(["modes", "models", "configOptions"]);
    let text = |object: Value, key: &str| object.get(key).and_then(Value::str).map(Cow::into_owned);
    if let Some(modes) = modes {
        session.mode = text(modes, "currentModeId").or(session.mode.take());
        let all = modes.get("availableModes").into_iter().flat_map(Value::items);
        session.modes =
            all.filter_map(|mode| Some((text(mode, "id")?, text(mode, "name").unwrap_or_default()))).collect();
    }
    let named = |models: Value| {
        let current = text(models, "currentModelId")?;
        let mut all = models.get("availableModels").into_iter().flat_map(Value::items);
        let named =
            all.find(|model| text(*model, "modelId").as_ref() == Some(&current)).and_then(|model| text(model, "name"));
        Some(named.unwrap_or(current))
    };
    let chosen = |options: Value| {
        let option = options.items().find(|option| text(*option, "category").as_deref() == Some("model"))?;
        let current = text(option, "currentValue")?;
        let mut all = option.get("options").into_iter().flat_map(Value::items);
        let named = all
            .find(|option| text(*option, "value").as_ref() == Some(&current))
            .and_then(|option| text(option, "name"));
        Some(named.unwrap_or(current))
    };
    session.model = offered.and_then(named).or_else(|| config.and_then(chosen)).or(session.model.take());
}

/// The fields of a result, as `--output-format json` names them.
pub(super) fn fields<'a>(
    subtype: &str,
    failure: Option<&str>,
    duration_ms: Option<i64>,
    session: &str,
    usage: Option<Value>,
) -> Vec<Field<'a>> {
    let json = |text: &str| serde_json::Value::from(text).to_string();
    let null = || "null".to_owned();
    // A value that is empty is the answer.
    let mut fields = vec![
        ("type", json("result")),
        ("subtype", json(subtype)),
        ("is_error", failure.is_some().to_string()),
        ("duration_ms", duration_ms.map_or_else(null, |ms| ms.to_string())),
        ("duration_api_ms", null()),
        ("result", if subtype == "error" { json(failure.unwrap_or_default()) } else { String::new() }),
        ("session_id", json(session)),
        ("request_id", null()),
    ];
    if let Some(usage) = usage {
        let mut known = Object::new();
        for (key, value) in usage.fields().filter(|(key, _)| key.as_ref() != b"sessionUpdate") {
            known.raw(&String::from_utf8_lossy(&key), &value.sound());
        }
        fields.push(("usage", String::from_utf8_lossy(&known.end()).into_owned()));
    }
    fields.into_iter().map(|(key, value)| (Cow::Borrowed(key.as_bytes()), Cow::Owned(value.into_bytes()))).collect()
}
