//! The enums as data, and their ids.

use super::super::Result;
use super::meaning;
use super::model::{Enum, Member, Spec, strings};
use super::text::camel;
use std::fmt::Write;
use toml::Value;

/// Enums whose number-to-name map is written by hand in the original: its text also serves the other direction.
const HAND_WRITTEN: &[&str] = &["NamedObjectOrigin", "DMAQueueAttribute"];

/// The id constants.
pub fn ids(spec: &Spec) -> Result<String> {
    let mut out = String::from("use super::EnumId;\n\n");
    for e in &spec.enums {
        let _ = writeln!(
            out,
            "/// `{}.{}`.\npub const {}: EnumId = EnumId::generated({});",
            e.space,
            e.name,
            e.constant(),
            e.id
        );
    }
    Ok(out)
}

/// The static roster.
pub fn roster(spec: &Spec) -> Result<String> {
    let mut out = String::from(
        "use super::category::{Confidence, JsonForm, Shape, Space, WireForm};\n\
         use super::info::{Attribute, AttributeValue, EnumInfo, MemberInfo};\nuse super::id;\n\n\
         /// Every enum, in the order of `spec/enums.toml`; an [`super::EnumId`] is an index of it.\n",
    );
    let _ = writeln!(out, "pub static ENUMS: [EnumInfo; {}] = [", spec.enums.len());
    for e in &spec.enums {
        out += &row(e)?;
    }
    out += "];\n";
    Ok(out)
}

fn row(e: &Enum) -> Result<String> {
    let mut out = String::from("    EnumInfo {\n");
    let mut field = |name: &str, value: String| {
        let _ = writeln!(out, "        {name}: {value},");
    };
    field("id", format!("id::{}", e.constant()));
    field("space", format!("Space::{}", camel(&e.space)));
    field("name", format!("{:?}", e.name));
    field("meaning", format!("{:?}", meaning::of_enum(&e.space, &e.name)?));
    let members = e.members.iter().map(|m| member(e, m)).collect::<Result<Vec<_>>>()?;
    field("members", format!("&[\n{}        ]", members.concat()));
    let mut sorted: Vec<usize> = (0..e.members.len()).collect();
    sorted.sort_by_key(|i| e.members[*i].name.as_bytes());
    field("by_name", format!("&{sorted:?}"));
    field("count", e.count.to_string());
    field("shape", format!("Shape::{}", camel(e.str("shape")?)));
    field("default", format!("{:?}", e.default()?));
    field("json", format!("JsonForm::{}", camel(e.str("json")?)));
    let read_number = e.table.get("json_read_number").and_then(Value::as_bool).unwrap_or(false);
    field("json_read_number", read_number.to_string());
    field("json_keys", format!("&{:?}", strings(&e.table, "json_keys")?));
    field("roster_complete", e.complete.to_string());
    field("wire_form", format!("WireForm::{}", camel(e.str("l3")?)));
    field("has_wire", e.has_wire().to_string());
    let (by_ordinal, by_name) = messages(e)?;
    field("unknown_message", format!("{by_ordinal:?}"));
    field("unknown_name_message", format!("{by_name:?}"));
    field("original_reaction", format!("{:?}", e.str("out_of_range_kind")?));
    field("original_message", format!("{:?}", e.str("out_of_range_message")?));
    field("confidence", format!("Confidence::{}", camel(e.str("confidence")?)));
    field("notes", format!("&{:?}", e.notes()?));
    out += "    },\n";
    Ok(out)
}

/// The error texts by ordinal and by name: the original's where the specification records one that names the value
/// wrong, else its pattern (`spec/enums.md` section 1).
fn messages(e: &Enum) -> Result<(String, String)> {
    let pattern = format!("Unknown {}", e.name);
    let by_name_pattern = format!("{pattern} string: <text>");
    let original = e.str("out_of_range_message")?;
    Ok(match e.name.as_str() {
        "InstructionType" => (format!("{original}: corrupt IR"), original.to_owned()),
        "ArgumentKind" => ("Unhandled argument kind".into(), "Unsupported argument kind".into()),
        "Dtype" if e.space == "bir" => {
            (format!("{pattern} (error code 71)"), format!("{by_name_pattern} (error code 71)"))
        }
        name if original == pattern && !HAND_WRITTEN.contains(&name) => (pattern, by_name_pattern),
        _ if original.starts_with("Unknown ") => (original.to_owned(), original.replace("<n>", "<text>")),
        _ => (pattern, by_name_pattern),
    })
}

fn member(e: &Enum, m: &Member) -> Result<String> {
    let json = match e.str("json")? {
        "name" => Some(m.name.as_str()),
        "kind" => m.extra.get("json_kind").or(m.extra.get("json_tag")).and_then(Value::as_str),
        _ => None,
    };
    let mut attributes = Vec::new();
    let mut keys: Vec<&String> = m.extra.keys().collect();
    keys.sort();
    for key in keys {
        let value = match &m.extra[key] {
            Value::Boolean(v) => format!("Flag({v})"),
            Value::Integer(v) => format!("Number({v})"),
            Value::String(v) => format!("Text({v:?})"),
            Value::Array(_) => format!("List(&{:?})", super::model::ints(&m.extra, key)?),
            other => return Err(format!("{}.{}: no attribute from {other}", e.name, m.name)),
        };
        attributes.push(format!("Attribute {{ key: {key:?}, value: AttributeValue::{value} }}"));
    }
    let wire = if e.has_wire() { e.wire(m)? } else { [None; 3] };
    Ok(format!(
        "            MemberInfo {{ name: {:?}, ordinal: {}, json: {json:?}, wire: {wire:?}, attributes: &[{}] }},\n",
        m.name,
        m.ordinal,
        attributes.join(", ")
    ))
}
