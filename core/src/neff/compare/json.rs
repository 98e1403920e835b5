//! JSON against JSON, key by key.
#![forbid(unsafe_code)]

use super::{Difference, Differences, What};
use crate::error::Result;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use serde_json::Value;

/// Values of more characters are cut.
const SHOWN: usize = 200;

/// Compares two values; each difference is `base` with its path and values. Lists are compared between what is equal at
/// both of their ends.
///
/// # Errors
/// `OutOfMemory`.
pub fn compare_json(a: &Value, b: &Value, base: &Difference, out: &mut Differences) -> Result<()> {
    // The depth of both is bounded by the parser, which refuses more than 128 levels.
    compare(a, b, "", base, out)
}

fn compare(a: &Value, b: &Value, path: &str, base: &Difference, out: &mut Differences) -> Result<()> {
    if a == b {
        return Ok(());
    }
    let tell = |what, path: String, old: Option<&Value>, new: Option<&Value>, out: &mut Differences| {
        let text = |value: Option<&Value>| value.map(shown).unwrap_or_default();
        out.add(Difference { what, path, old: text(old), new: text(new), ..base.clone() })
    };
    match (a, b) {
        (Value::Object(left), Value::Object(right)) => {
            let inside = |key: &str| if path.is_empty() { key.to_string() } else { format!("{path}.{key}") };
            for (key, old) in left {
                match right.get(key) {
                    Some(new) => compare(old, new, &inside(key), base, out)?,
                    None => tell(What::Removed, inside(key), Some(old), None, out)?,
                }
            }
            for (key, new) in right.iter().filter(|(key, _)| !left.contains_key(*key)) {
                tell(What::Added, inside(key), None, Some(new), out)?;
            }
            Ok(())
        }
        (Value::Array(left), Value::Array(right)) => {
            let shorter = left.len().min(right.len());
            let head = left.iter().zip(right).take_while(|(a, b)| a == b).count();
            let tail = left.iter().rev().zip(right.iter().rev()).take(shorter.saturating_sub(head));
            let tail = if left.len() == right.len() { 0 } else { tail.take_while(|(a, b)| a == b).count() };
            let middle = |list: &[Value]| -> Vec<Value> {
                list.get(head..list.len().saturating_sub(tail)).unwrap_or_default().to_vec()
            };
            let (left, right) = (middle(left), middle(right));
            for i in 0..left.len().max(right.len()) {
                let path = format!("{path}[{}]", head.saturating_add(i));
                match (left.get(i), right.get(i)) {
                    (Some(old), Some(new)) => compare(old, new, &path, base, out)?,
                    (old, None) => tell(What::Removed, path, old, None, out)?,
                    (None, new) => tell(What::Added, path, None, new, out)?,
                }
            }
            Ok(())
        }
        _ => tell(What::Changed, path.to_string(), Some(a), Some(b), out),
    }
}

fn shown(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}...", text.get(..end).unwrap_or_default()),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::string::String;

    fn told(a: &Value, b: &Value) -> Vec<(&'static str, String, String, String)> {
        let mut out = Differences::new(100, false);
        compare_json(a, b, &Difference::of_member(What::Changed, "m", false), &mut out).unwrap();
        out.list.into_iter().map(|d| (d.what.word(), d.path, d.old, d.new)).collect()
    }

    fn one(what: &'static str, path: &str, old: &str, new: &str) -> Vec<(&'static str, String, String, String)> {
        std::vec![(what, path.into(), old.into(), new.into())]
    }

    #[test]
    fn keys_and_elements() {
        assert_eq!(
            told(&json!({"a": [1, {"b": 2}]}), &json!({"a": [1, {"b": 3}]})),
            one("changed", "a[1].b", "2", "3")
        );
        assert_eq!(told(&json!({"a": 1, "b": 2}), &json!({"a": 1})), one("removed", "b", "2", ""));
        assert_eq!(told(&json!({}), &json!({"x.y": null})), one("added", "x.y", "", "null"));
        assert_eq!(told(&json!([1, 2, 3]), &json!([1, 9, 2, 3])), one("added", "[1]", "", "9"));
        assert_eq!(told(&json!([1, 9, 2, 3]), &json!([1, 2, 3])), one("removed", "[1]", "9", ""));
        assert_eq!(told(&json!({"a": [1]}), &json!({"a": {"b": 1}})), one("changed", "a", "[1]", "{\"b\":1}"));
        assert_eq!(told(&json!([1, 2, 1]), &json!([2, 2, 2])).len(), 2);
        assert_eq!(told(&json!({"a": 1}), &json!({"a": 1})), []);
        assert!(told(&json!("a".repeat(500)), &json!(1))[0].2.ends_with("..."));
    }
}
