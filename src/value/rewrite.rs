//! A value with other strings in it.

use super::Value;

/// Containers deeper than this are not looked into.
const DEPTH: usize = 64;

impl Value<'_> {
    /// The value as JSON, with another string in the place of each string or number for which `change` gives one; `None` where it gives none.
    /// `change` is told the key that the string stands under, or that the array stands under which holds it. What lies deeper than
    /// 64 containers becomes `null`.
    pub fn with_strings(self, change: &mut dyn FnMut(&str, &str) -> Option<String>) -> Option<Vec<u8>> {
        let mut json = Vec::new();
        self.rewrite("", DEPTH, change, &mut json).then_some(json)
    }

    /// Whether anything is other than it was.
    fn rewrite(
        self,
        key: &str,
        depth: usize,
        change: &mut dyn FnMut(&str, &str) -> Option<String>,
        json: &mut Vec<u8>,
    ) -> bool {
        let container = self.is_object() || self.is_array();
        if container && depth == 0 {
            json.extend_from_slice(b"null");
            return true;
        }
        if self.is_object() {
            let mut changed = false;
            json.push(b'{');
            for (place, (key, value)) in self.fields().enumerate() {
                let key = String::from_utf8_lossy(&key);
                json.extend_from_slice(if place > 0 { b"," } else { b"" });
                string(&key, json);
                json.push(b':');
                changed |= value.rewrite(&key, depth - 1, change, json);
            }
            json.push(b'}');
            return changed;
        }
        if self.is_array() {
            let mut changed = false;
            json.push(b'[');
            for (place, value) in self.items().enumerate() {
                json.extend_from_slice(if place > 0 { b"," } else { b"" });
                changed |= value.rewrite(key, depth - 1, change, json);
            }
            json.push(b']');
            return changed;
        }
        let number =
            || self.json().first().is_some_and(|byte| matches!(byte, b'-' | b'0'..=b'9')).then_some(self.json());
        let text = self.str().or_else(|| Some(String::from_utf8_lossy(number()?)));
        let other = text.and_then(|text| change(key, &text));
        match &other {
            Some(text) => string(text, json),
            None => json.extend_from_slice(&self.sound()),
        }
        other.is_some()
    }
}

fn string(text: &str, json: &mut Vec<u8>) {
    json.extend_from_slice(serde_json::Value::from(text).to_string().as_bytes());
}

#[cfg(test)]
mod tests {
    use super::super::Value;

    fn changed(json: &str) -> Option<String> {
        let change = &mut |key: &str, text: &str| (key == "a" || text.contains('!')).then(|| format!("<{text}>"));
        let json = Value::again(json.as_bytes()).with_strings(change)?;
        Some(String::from_utf8(json).expect("JSON is text"))
    }

    #[test]
    fn only_strings_and_numbers_are_changed_and_only_some() {
        assert_eq!(changed(r#"{"b":"x","c":[1,true,null,{"d":"y"}]}"#), None);
        assert_eq!(
            changed(r#"{"a":"x\n","b":["q!",{"a":1.50,"e\"":"\u0021"}]}"#).as_deref(),
            Some(r#"{"a":"<x\n>","b":["<q!>",{"a":"<1.50>","e\"":"<!>"}]}"#)
        );
        assert_eq!(changed(r#"{"a":["x",["y"]],"b":"z"}"#).as_deref(), Some(r#"{"a":["<x>",["<y>"]],"b":"z"}"#));
        assert_eq!(changed("\"!\"").as_deref(), Some("\"<!>\""));
    }

    #[test]
    fn what_is_too_deep_is_left_out() {
        let deep = |depth: usize| format!("{}\"!\"{}", "[".repeat(depth), "]".repeat(depth));
        assert_eq!(changed(&deep(64)), Some(deep(64).replace('!', "<!>")));
        assert_eq!(changed(&deep(65)), Some(format!("{}null{}", "[".repeat(64), "]".repeat(64))));
        assert!(changed(&deep(100_000)).is_some());
    }
}
