//! Compares two documents as JSON values, with one allowance: an instruction whose name is taken gets another one when
//! it is loaded (`spec/layout.md` section 3.2), and so do the references to it.
use serde_json::{Map, Value};
use std::collections::{BTreeSet, HashMap};

/// Keys of an instruction whose value names other instructions (`spec/bir-json.md` section 5).
const REFERRING: &[&str] = &["dependencies", "loop_carried_dependencies", "unroll_dependencies", "sync_info"];
/// How much of a value is shown.
const SHOWN_CHARS: usize = 100;

/// The first difference, with its place, e.g. `functions[0].blocks[0].name: expected "a", found "b"`.
pub fn first_difference(original: &Value, printed: &Value) -> Option<String> {
    Comparison::default().values(original, printed, "", Role::Plain)
}

/// What the place of a value means for the comparison.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// Compared as it is.
    Plain,
    /// An instruction: its name may have got a suffix.
    Instruction,
    /// An instruction's name.
    InstructionName,
    /// Part of a value that names instructions: such a name stands for the instruction.
    Reference,
}

/// The name of each instruction of one function, with the place of the first instruction that has it.
type Names = HashMap<String, String>;

#[derive(Default)]
struct Comparison {
    original: Names,
    printed: Names,
}

impl Comparison {
    fn values(&mut self, a: &Value, b: &Value, path: &str, role: Role) -> Option<String> {
        let same = match (a, b) {
            (Value::Object(a), Value::Object(b)) => return self.objects(a, b, path, role),
            (Value::Array(a), Value::Array(b)) => return self.arrays(a, b, path, role),
            (Value::Number(a), Value::Number(b)) => same_number(a, b),
            (Value::String(a), Value::String(b)) => match role {
                Role::InstructionName => is_renamed(a, b),
                Role::Reference => self.original.get(a).unwrap_or(a) == self.printed.get(b).unwrap_or(b),
                Role::Plain | Role::Instruction => a == b,
            },
            _ => a == b,
        };
        (!same).then(|| format!("{}: expected {}, found {}", place(path), shown(a), shown(b)))
    }

    fn objects(&mut self, a: &Map<String, Value>, b: &Map<String, Value>, path: &str, role: Role) -> Option<String> {
        let keys: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
        for key in keys {
            let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
            let role = match role {
                Role::Instruction if key == "name" => Role::InstructionName,
                Role::Instruction if REFERRING.contains(&key.as_str()) => Role::Reference,
                Role::Reference => Role::Reference,
                _ => Role::Plain,
            };
            let difference = match (a.get(key), b.get(key)) {
                (Some(a), Some(b)) => self.values(a, b, &path, role),
                (Some(a), None) => Some(format!("{path}: expected {}, found no such key", shown(a))),
                (None, Some(b)) => Some(format!("{path}: expected no such key, found {}", shown(b))),
                (None, None) => None,
            };
            if difference.is_some() {
                return difference;
            }
        }
        None
    }

    fn arrays(&mut self, a: &[Value], b: &[Value], path: &str, role: Role) -> Option<String> {
        if a.len() != b.len() {
            return Some(format!("{}: expected {} elements, found {}", place(path), a.len(), b.len()));
        }
        let key = path.rsplit('.').next().unwrap_or_default();
        for (i, (a, b)) in a.iter().zip(b).enumerate() {
            if key == "functions" {
                // Names of instructions are looked up in their function.
                self.original = names(a);
                self.printed = names(b);
            }
            let role = if key == "instructions" { Role::Instruction } else { role };
            if let Some(difference) = self.values(a, b, &format!("{path}[{i}]"), role) {
                return Some(difference);
            }
        }
        None
    }
}

/// The instructions of a function by name; of several with one name the first, as references bind to that one.
fn names(function: &Value) -> Names {
    fn walk(value: &Value, path: &str, is_instruction: bool, names: &mut Names) {
        match value {
            Value::Object(members) => {
                if let (true, Some(name)) = (is_instruction, members.get("name").and_then(Value::as_str)) {
                    names.entry(name.to_owned()).or_insert_with(|| path.to_owned());
                }
                for (key, member) in members {
                    walk(member, &format!("{path}.{key}"), false, names);
                }
            }
            Value::Array(elements) => {
                for (i, element) in elements.iter().enumerate() {
                    walk(element, &format!("{path}[{i}]"), path.ends_with(".instructions"), names);
                }
            }
            _ => {}
        }
    }
    let mut names = Names::new();
    walk(function, "", false, &mut names);
    names
}

/// Whether the name is the same one, or the same one with the suffix of a duplicate: `name_1`, `name_2`, ...
fn is_renamed(original: &str, printed: &str) -> bool {
    match printed.strip_prefix(original) {
        Some("") => true,
        Some(suffix) => {
            suffix.strip_prefix('_').is_some_and(|n| !n.is_empty() && n.bytes().all(|c| c.is_ascii_digit()))
        }
        None => false,
    }
}

/// Numbers are the same if they have the same value: `2` is `2.0`.
fn same_number(a: &serde_json::Number, b: &serde_json::Number) -> bool {
    a == b || ((a.is_f64() || b.is_f64()) && a.as_f64() == b.as_f64())
}

fn place(path: &str) -> &str {
    if path.is_empty() { "the document" } else { path }
}

fn shown(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(SHOWN_CHARS) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn difference(a: &str, b: &str) -> Option<String> {
        first_difference(&serde_json::from_str(a).unwrap(), &serde_json::from_str(b).unwrap())
    }

    fn document(instructions: &str) -> String {
        format!(r#"{{"functions": [{{"blocks": [{{"name": "b", "instructions": {instructions}}}]}}]}}"#)
    }

    #[test]
    fn order_of_keys_and_form_of_numbers_do_not_matter() {
        assert_eq!(difference(r#"{"a": 2, "b": [0.5, null]}"#, r#"{"b": [5e-1, null], "a": 2.0}"#), None);
        assert_eq!(difference("18446744073709551615", "18446744073709551614").as_deref(), {
            Some("the document: expected 18446744073709551615, found 18446744073709551614")
        });
    }

    #[test]
    fn the_first_difference_is_named_with_its_path() {
        let cases = [
            (r#"{"a": [{"b": 1}, {"b": 2}]}"#, r#"{"a": [{"b": 1}, {"b": 3}]}"#, "a[1].b: expected 2, found 3"),
            (r#"{"a": {"b": null}}"#, r#"{"a": {}}"#, "a.b: expected null, found no such key"),
            (r#"{"a": {}}"#, r#"{"a": {"c": true}}"#, "a.c: expected no such key, found true"),
            (r#"{"a": [1, 2]}"#, r#"{"a": [1]}"#, "a: expected 2 elements, found 1"),
            (r#"{"a": 1}"#, r#"{"a": "1"}"#, r#"a: expected 1, found "1""#),
            (r#"{"a": false}"#, r#"{"a": 0}"#, "a: expected false, found 0"),
            (r#"[1]"#, r#"{}"#, "the document: expected [1], found {}"),
        ];
        for (a, b, expected) in cases {
            assert_eq!(difference(a, b).as_deref(), Some(expected));
        }
    }

    #[test]
    fn duplicate_names_of_instructions_may_get_a_suffix() {
        let original = document(r#"[{"name": "noop"}, {"name": "noop"}]"#);
        assert_eq!(difference(&original, &document(r#"[{"name": "noop"}, {"name": "noop_1"}]"#)), None);
        for wrong in ["noop1", "noop_", "noop_x", "other", ""] {
            let printed = document(&format!(r#"[{{"name": "noop"}}, {{"name": "{wrong}"}}]"#));
            let expected = format!(r#"functions[0].blocks[0].instructions[1].name: expected "noop", found "{wrong}""#);
            assert_eq!(difference(&original, &printed), Some(expected));
        }
    }

    #[test]
    fn other_names_may_not_change() {
        let printed = document("[]").replace(r#""b""#, r#""b_1""#);
        let expected = r#"functions[0].blocks[0].name: expected "b", found "b_1""#;
        assert_eq!(difference(&document("[]"), &printed).as_deref(), Some(expected));
        let (a, b) = (document(r#"[{"outs": [{"name": "x"}]}]"#), document(r#"[{"outs": [{"name": "x_1"}]}]"#));
        let expected = r#"functions[0].blocks[0].instructions[0].outs[0].name: expected "x", found "x_1""#;
        assert_eq!(difference(&a, &b).as_deref(), Some(expected));
    }

    #[test]
    fn references_follow_the_renamed_instruction() {
        let original =
            document(r#"[{"name": "x"}, {"name": "y_1"}, {"name": "z", "dependencies": [["y_1", "Flow"]]}]"#);
        let renamed = original.replace("y_1", "y_1_1");
        assert_eq!(difference(&original, &renamed), None);
        let wrong = original.replace(r#"["y_1", "Flow"]"#, r#"["x", "Flow"]"#);
        let expected = r#"functions[0].blocks[0].instructions[2].dependencies[0][0]: expected "y_1", found "x""#;
        assert_eq!(difference(&original, &wrong).as_deref(), Some(expected));
        let wrong_kind = original.replace("Flow", "Anti");
        let expected = r#"functions[0].blocks[0].instructions[2].dependencies[0][1]: expected "Flow", found "Anti""#;
        assert_eq!(difference(&original, &wrong_kind).as_deref(), Some(expected));
    }

    #[test]
    fn a_name_that_occurs_twice_refers_to_the_first() {
        let original = document(r#"[{"name": "x"}, {"name": "x"}, {"name": "y", "dependencies": ["x"]}]"#);
        let first = document(r#"[{"name": "x"}, {"name": "x_1"}, {"name": "y", "dependencies": ["x"]}]"#);
        let second = document(r#"[{"name": "x"}, {"name": "x_1"}, {"name": "y", "dependencies": ["x_1"]}]"#);
        assert_eq!(difference(&original, &first), None);
        assert!(difference(&original, &second).is_some());
    }

    #[test]
    fn long_values_are_cut() {
        let long = format!("\"{}\"", "ä".repeat(500));
        let text = difference(&long, "1").unwrap();
        assert!(text.ends_with("..., found 1") && text.chars().count() < 150, "{text}");
    }
}
