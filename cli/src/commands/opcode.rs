//! `bir opcode`: what a document may and must say of an instruction.

use super::enums::by_name_or_number;
use crate::args::{Opcode, number};
use crate::console::Console;
use crate::fault::Outcome;
use crate::report::Report;
use crate::table::{Table, pairs};
use bir_core::enums::bir::{ArchLevel, InstructionType};
use bir_core::enums::{CoreGeneration, EnumId};
use bir_core::op::{Default, Emit, Field, MaybeType, OpcodeInfo, Presence, RETIRED, Slot};
use bir_core::{Error, ErrorCode};
use serde_json::{Map, Value, json};

/// Shows an opcode.
pub fn run(args: &Opcode, console: &Console) -> Outcome<Report> {
    let (opcode, info) = find(&args.opcode)?;
    Ok(Report::new(text(opcode, info, console), opcode_json(opcode, info)))
}

fn find(text: &str) -> Result<(InstructionType, &'static OpcodeInfo), Error> {
    if number(text).is_none()
        && let Some((name, heir)) = RETIRED.iter().find(|(name, _)| *name == text)
    {
        let heir = if heir.is_empty() { String::from("nothing replaced it") } else { format!("now `{heir}`") };
        let message = format!("`{name}` is an opcode of an older generation; {heir}");
        return Err(Error::new(ErrorCode::UnknownEnum, message));
    }
    let member = by_name_or_number(InstructionType::INFO, text)?;
    let opcode = InstructionType::from_ordinal(i64::from(member.ordinal))?;
    Ok((opcode, OpcodeInfo::of(opcode)))
}

fn presence(presence: Presence) -> &'static str {
    match presence {
        Presence::Required => "required",
        Presence::Optional => "optional",
        Presence::WriteOnly => "write-only",
        Presence::Unspecified => "unspecified",
    }
}

fn emit(emit: Emit) -> &'static str {
    match emit {
        Emit::Always => "always",
        Emit::IfNotDefault => "if-not-default",
        Emit::IfNotNull => "if-not-null",
    }
}

/// The enum behind a field.
fn enum_of(field: &Field) -> Option<EnumId> {
    match field.slot {
        Slot::Enum(id) | Slot::VecEnum(id) => Some(id),
        _ => None,
    }
}

/// The default in the words of a document.
fn default_json(field: &Field) -> Value {
    match (field.default, field.slot, enum_of(field)) {
        (Default::Absent, ..) => Value::Null,
        (Default::Empty, Slot::String | Slot::Json, _) => json!(""),
        (Default::Empty, ..) => json!([]),
        (Default::Int(n), _, Some(id)) => match id.info().by_ordinal(n) {
            Ok(member) => json!(member.name),
            Err(_) => json!(n),
        },
        (Default::Int(n), Slot::Bool | Slot::Maybe(MaybeType::Bool) | Slot::MaybePair(MaybeType::Bool), _) => {
            json!(n != 0)
        }
        (Default::Int(n), ..) => json!(n),
        (Default::Float(f), ..) => json!(f),
        (Default::Zeros, ..) => json!(0),
    }
}

fn default_text(field: &Field) -> String {
    match (field.default, default_json(field)) {
        (Default::Absent, _) => String::from("none"),
        (Default::Empty, _) => String::from("empty"),
        (Default::Zeros, _) => String::from("zeros"),
        (_, Value::String(name)) => name,
        (_, value) => value.to_string(),
    }
}

/// How many operands, and what they are.
fn operands(range: (Option<u32>, Option<u32>), roles: &[&str]) -> String {
    let count = match range {
        (Some(low), Some(high)) if low == high => low.to_string(),
        (low, high) => {
            let bound = |n: Option<u32>, open: &str| n.map_or_else(|| open.to_owned(), |n| n.to_string());
            format!("{}..{}", bound(low, "?"), bound(high, ""))
        }
    };
    if roles.is_empty() { count } else { format!("{count}: {}", roles.join(", ")) }
}

fn silicon(opcode: InstructionType) -> String {
    let of = |g: &CoreGeneration| {
        let bytes: Vec<String> = opcode.silicon_opcodes(*g).iter().map(|b| format!("0x{b:02x}")).collect();
        format!("{} {}", g.name(), if bytes.is_empty() { String::from("-") } else { bytes.join(",") })
    };
    let parts: Vec<String> = CoreGeneration::ALL.iter().map(of).collect();
    parts.join("; ")
}

fn text(opcode: InstructionType, info: &OpcodeInfo, console: &Console) -> String {
    let unknown = || String::from("unknown");
    let level = |n: u32| match ArchLevel::from_ordinal(i64::from(n)) {
        Ok(level) => format!("{} ({n})", level.name()),
        Err(_) => n.to_string(),
    };
    let arch = match (info.arch_min, info.arch_max) {
        (None, None) => unknown(),
        (Some(low), None) => format!("{} and later", level(low)),
        (None, Some(high)) => format!("up to {}", level(high)),
        (Some(low), Some(high)) => format!("{} to {}", level(low), level(high)),
    };
    let mut rows = vec![
        ("opcode", format!("{} ({})", info.name, opcode.ordinal())),
        ("class", format!("{} : {}{}", info.class_name, info.base, if info.is_abstract { ", abstract" } else { "" })),
        ("family", info.family.to_owned()),
        ("size", format!("{:#x}, published {:#x} ({})", info.size, info.published_size, info.size_confidence)),
        ("arch", arch),
        ("engines", info.engines.map_or_else(unknown, |list| list.join(", "))),
        ("default engine", info.default_engine.map_or_else(unknown, ToOwned::to_owned)),
        ("ins", operands(info.ins, info.ins_roles)),
        ("outs", operands(info.outs, info.outs_roles)),
        ("silicon", silicon(opcode)),
    ];
    if !info.ignored_keys.is_empty() {
        rows.push(("ignored keys", info.ignored_keys.join(", ")));
    }
    let mut text = pairs(&rows) + "\n";
    if info.fields.is_empty() {
        return text + "No fields of its own.\n";
    }
    let mut table = Table::new(["FIELD", "OFFSET", "TYPE", "PRESENCE", "DEFAULT", "WRITTEN", "ALSO SPELLED"]);
    for field in info.fields {
        let mark = if field.offset_known { "" } else { " (own)" };
        let aliases = if field.aliases.is_empty() { String::from("-") } else { field.aliases.join(", ") };
        table.row([
            field.key,
            &format!("{:#x}{mark}", field.offset),
            field.type_text,
            presence(field.presence),
            &default_text(field),
            emit(field.emit),
            &aliases,
        ]);
    }
    text += &table.render(console, "");
    if info.fields.iter().any(|f| !f.offset_known) {
        text += "(own): the offset is not published; it is a choice of this library\n";
    }
    text
}

fn opcode_json(opcode: InstructionType, info: &OpcodeInfo) -> Value {
    let fields = info.fields.iter().map(|f| {
        json!({
            "key": f.key, "offset": f.offset, "offset_published": f.offset_known, "type": f.type_text,
            "enum": enum_of(f).map(|id| super::enums::full_name(id.info())), "presence": presence(f.presence),
            "default": default_json(f), "emit": emit(f.emit), "aliases": f.aliases,
        })
    });
    let silicon: Map<String, Value> =
        CoreGeneration::ALL.iter().map(|g| (g.name().to_owned(), json!(opcode.silicon_opcodes(*g)))).collect();
    let operands =
        |range: (Option<u32>, Option<u32>), roles: &[&str]| json!({ "min": range.0, "max": range.1, "roles": roles });
    json!({
        "name": info.name,
        "ordinal": opcode.ordinal(),
        "class": info.class_name,
        "base": info.base,
        "family": info.family,
        "abstract": info.is_abstract,
        "size": info.size,
        "published_size": info.published_size,
        "size_confidence": info.size_confidence,
        "arch_min": info.arch_min,
        "arch_max": info.arch_max,
        "engines": info.engines,
        "default_engine": info.default_engine,
        "ins": operands(info.ins, info.ins_roles),
        "outs": operands(info.outs, info.outs_roles),
        "silicon": silicon,
        "ignored_keys": info.ignored_keys,
        "fields": fields.collect::<Vec<_>>(),
    })
}
