//! `bir enum`: the enums as tables, as the core knows them.

use crate::args::{Enum, number};
use crate::console::Console;
use crate::fault::Outcome;
use crate::report::Report;
use crate::suggest;
use crate::table::{Table, pairs};
use bir_core::enums::bir::InstructionType;
use bir_core::enums::{AttributeValue, CoreGeneration, ENUMS, EnumInfo, MemberInfo, find, id};
use serde_json::{Map, Value, json};

/// Shows all enums, one enum or one member.
pub fn run(args: &Enum, console: &Console) -> Outcome<Report> {
    let Some(name) = &args.name else { return Ok(all(console)) };
    let Some(info) = find(name) else {
        let qualified: Vec<String> = ENUMS.iter().map(full_name).collect();
        let names = ENUMS.iter().map(|e| e.name).chain(qualified.iter().map(String::as_str));
        return Err(suggest::unknown("enum", name, names, "`bir enum` lists them").into());
    };
    match &args.member {
        None => Ok(Report::new(members(info, console), enum_json(info))),
        Some(member) => {
            let member = by_name_or_number(info, member)?;
            let mut json = member_json(info, member);
            if let Some(object) = json.as_object_mut() {
                object.insert(String::from("enum"), json!(full_name(info)));
            }
            Ok(Report::new(one(info, member), json))
        }
    }
}

/// The member that a word of the command line means.
pub fn by_name_or_number(info: &EnumInfo, text: &str) -> bir_core::Result<&'static MemberInfo> {
    match number(text) {
        Some(number) => info.by_ordinal(number),
        None => info.by_name(text),
    }
}

/// The name with its space, e.g. `klr.Dtype`.
pub fn full_name(info: &EnumInfo) -> String {
    format!("{}.{}", info.space.as_str(), info.name)
}

fn all(console: &Console) -> Report {
    let mut table = Table::new(["ENUM", "MEMBERS", "MEANING"]);
    for info in &ENUMS {
        let published = info.members.len();
        let count = info.count.to_string();
        let count = if u32::try_from(published) == Ok(info.count) { count } else { format!("{published} of {count}") };
        table.row([full_name(info).as_str(), &count, info.meaning]);
    }
    let enums = ENUMS.iter().map(|info| {
        let members: Vec<&str> = info.members.iter().map(|m| m.name).collect();
        json!({
            "space": info.space.as_str(), "name": info.name, "meaning": info.meaning, "count": info.count,
            "members": members,
        })
    });
    Report::new(table.render(console, ""), json!({ "enums": enums.collect::<Vec<_>>() }))
}

/// The attribute keys of an enum, but for the wire bytes, which have columns of their own.
fn attribute_keys(info: &EnumInfo) -> Vec<&'static str> {
    let mut keys: Vec<&str> = info.members.iter().flat_map(|m| m.attributes).map(|a| a.key).collect();
    keys.sort_unstable();
    keys.dedup();
    keys.retain(|key| !key.starts_with("l3_core_"));
    keys
}

/// The silicon bytes of a member on a generation; opcodes may have several.
fn bytes(info: &EnumInfo, member: &MemberInfo, generation: CoreGeneration) -> Vec<u8> {
    if info.id == id::INSTRUCTION_TYPE {
        let opcode = InstructionType::from_ordinal(i64::from(member.ordinal));
        return opcode.map_or_else(|_| Vec::new(), |opcode| opcode.silicon_opcodes(generation).to_vec());
    }
    // An error says that there is no byte.
    info.wire(i64::from(member.ordinal), generation).map_or_else(|_| Vec::new(), |byte| vec![byte])
}

fn has_bytes(info: &EnumInfo) -> bool {
    info.has_wire || info.id == id::INSTRUCTION_TYPE
}

fn hex(bytes: &[u8]) -> String {
    let list: Vec<String> = bytes.iter().map(|b| format!("0x{b:02x}")).collect();
    if list.is_empty() { String::from("-") } else { list.join(",") }
}

fn shown(value: AttributeValue) -> String {
    match value {
        AttributeValue::Flag(true) => String::from("yes"),
        AttributeValue::Flag(false) => String::from("no"),
        other => other.to_string(),
    }
}

fn members(info: &EnumInfo, console: &Console) -> String {
    let other_json = info.members.iter().any(|m| m.json.is_some_and(|json| json != m.name));
    let keys = attribute_keys(info);
    let mut head = vec![String::from("ORDINAL"), String::from("NAME")];
    if other_json {
        head.push(String::from("IN DOCUMENTS"));
    }
    if has_bytes(info) {
        head.extend(CoreGeneration::ALL.iter().map(|g| g.name().to_uppercase()));
    }
    head.extend(keys.iter().map(|key| key.to_uppercase()));
    let mut table = Table::new(head);
    for member in info.members {
        let mut row = vec![member.ordinal.to_string(), member.name.to_owned()];
        if other_json {
            row.push(member.json.unwrap_or("-").to_owned());
        }
        if has_bytes(info) {
            row.extend(CoreGeneration::ALL.iter().map(|g| hex(&bytes(info, member, *g))));
        }
        row.extend(keys.iter().map(|key| member.attribute(key).map_or_else(|| String::from("-"), shown)));
        table.row(row);
    }
    let text = table.render(console, "");
    match u32::try_from(info.members.len()) == Ok(info.count) {
        true => text,
        false => format!("{text}({} of {} members are published)\n", info.members.len(), info.count),
    }
}

fn one(info: &EnumInfo, member: &MemberInfo) -> String {
    let mut rows = vec![
        ("enum", full_name(info)),
        ("member", member.name.to_owned()),
        ("ordinal", member.ordinal.to_string()),
        ("in documents", member.json.unwrap_or("-").to_owned()),
    ];
    if has_bytes(info) {
        rows.extend(CoreGeneration::ALL.iter().map(|g| (g.name(), hex(&bytes(info, member, *g)))));
    }
    rows.extend(member.attributes.iter().filter(|a| !a.key.starts_with("l3_core_")).map(|a| (a.key, shown(a.value))));
    pairs(&rows)
}

fn member_json(info: &EnumInfo, member: &MemberInfo) -> Value {
    let attributes: Map<String, Value> = member
        .attributes
        .iter()
        .map(|a| {
            let value = match a.value {
                AttributeValue::Flag(v) => json!(v),
                AttributeValue::Number(v) => json!(v),
                AttributeValue::Text(v) => json!(v),
                AttributeValue::List(v) => json!(v),
            };
            (a.key.to_owned(), value)
        })
        .collect();
    let wire: Map<String, Value> = CoreGeneration::ALL
        .iter()
        .filter(|_| has_bytes(info))
        .map(|g| (g.name().to_owned(), json!(bytes(info, member, *g))))
        .collect();
    json!({
        "name": member.name, "ordinal": member.ordinal, "json": member.json, "wire": wire, "attributes": attributes,
    })
}

fn enum_json(info: &EnumInfo) -> Value {
    let members: Vec<Value> = info.members.iter().map(|m| member_json(info, m)).collect();
    json!({
        "space": info.space.as_str(),
        "name": info.name,
        "meaning": info.meaning,
        "count": info.count,
        "default": info.default,
        "json_form": info.json.as_str(),
        "json_keys": info.json_keys,
        "confidence": info.confidence.as_str(),
        "notes": info.notes,
        "members": members,
    })
}
