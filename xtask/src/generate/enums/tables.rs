//! Silicon tables, opcode bytes, opcode sets and crosswalks.

use super::super::Result;
use super::model::{Enum, Spec, int_of, ints, str_of, str_or_empty, strings};
use super::text::{camel, ident, upper_snake};
use std::fmt::Write;
use toml::{Table, Value};

fn confidence(row: &Table) -> Result<String> {
    Ok(format!("Confidence::{}", camel(str_of(row, "confidence")?)))
}

fn bytes(row: &Table, key: &str) -> Result<Vec<u8>> {
    ints(row, key)?.into_iter().map(|v| u8::try_from(v).map_err(|_| format!("{key}: {v} is no byte"))).collect()
}

/// `[Opcode::A, Opcode::B]` of ordinals.
fn list(of: &Enum, ordinals: &[i64]) -> Result<String> {
    let paths = ordinals.iter().map(|o| Ok(format!("{}::{}", of.name, ident(&of.member(*o)?.name))));
    Ok(format!("&[{}]", paths.collect::<Result<Vec<_>>>()?.join(", ")))
}

/// The lookup tables of the original.
pub fn l3(spec: &Spec) -> Result<String> {
    let mut out = String::from(
        "use super::{L3Table, id};\n\n/// The lookup tables, in the order of the specification.\npub static L3_TABLES: &[L3Table] = &[\n",
    );
    for row in spec.rows("l3_table")? {
        let of = spec.find("bir", str_of(&row, "enum")?)?;
        let index = str_of(&row, "index")?;
        let first: i32 = match index.strip_prefix("bir ordinal") {
            Some("") => 0,
            Some(rest) => {
                rest.trim_start_matches(" - ").parse().map_err(|_| format!("l3_table: cannot read `{index}`"))?
            }
            None => return Err(format!("l3_table: cannot read `{index}`")),
        };
        let _ = writeln!(
            out,
            "    L3Table {{ name: {:?}, of: id::{}, first: {first}, generations: &{:?}, values: &{:?} }},",
            str_of(&row, "name")?,
            of.constant(),
            strings(&row, "generations")?,
            bytes(&row, "values")?
        );
    }
    out += "];\n";
    Ok(out)
}

/// What the encoder makes of each opcode.
pub fn emit(spec: &Spec) -> Result<String> {
    let opcodes = spec.find("bir", "InstructionType")?;
    let rows = spec.rows("opcode_emit")?;
    if rows.len() != opcodes.members.len() {
        return Err("opcode_emit: not one row per opcode".into());
    }
    let mut out = String::from(
        "use super::super::bir::InstructionType;\nuse super::{Confidence, EmitKind, OpcodeEmit};\n\nimpl InstructionType {\n    \
         /// What the encoder makes of the opcode.\n    #[must_use]\n    pub const fn emit(self) -> &'static OpcodeEmit {\n        match self {\n",
    );
    for (row, member) in rows.iter().zip(&opcodes.members) {
        if (int_of(row, "ordinal")?, str_of(row, "name")?) != (i64::from(member.ordinal), &member.name) {
            return Err(format!("opcode_emit: {} stands where {} belongs", str_of(row, "name")?, member.name));
        }
        let engine = row.get("engine").and_then(Value::as_str);
        let _ = writeln!(
            out,
            "            Self::{} => &OpcodeEmit {{ kind: EmitKind::{}, core_v2: &{:?}, core_v3: &{:?}, core_v4: &{:?}, bundles: {:?}, engine: {engine:?}, note: {:?}, confidence: {} }},",
            ident(&member.name),
            camel(str_of(row, "emit")?),
            bytes(row, "core_v2")?,
            bytes(row, "core_v3")?,
            bytes(row, "core_v4")?,
            str_of(row, "bundles")?,
            str_or_empty(row, "note")?,
            confidence(row)?
        );
    }
    out += "        }\n    }\n}\n";
    Ok(out)
}

/// The acceptance sets of the abstract classes.
pub fn accept(spec: &Spec) -> Result<String> {
    let opcodes = spec.find("bir", "InstructionType")?;
    let mut out = String::from("use super::super::bir::InstructionType;\nuse super::{AcceptSet, Confidence};\n\n");
    let mut all = Vec::new();
    for row in spec.rows("accept_set")? {
        let base = str_of(&row, "base")?;
        let constant = upper_snake(base.strip_prefix("Inst").unwrap_or(base));
        let ordinals = ints(&row, "opcodes")?;
        if !ordinals.is_sorted() || ordinals.iter().any(|o| !(0..128).contains(o)) {
            return Err(format!("accept_set {base}: not a rising list of opcodes"));
        }
        let mask = ordinals.iter().fold(0u128, |mask, o| mask | 1 << o);
        let _ = writeln!(
            out,
            "/// What `isa<{base}>` accepts.\npub static {constant}: AcceptSet = AcceptSet {{\n    base: {base:?},\n    opcodes: {},\n    mask: {mask:#x},\n    confidence: {},\n    note: {:?},\n}};\n",
            list(opcodes, &ordinals)?,
            confidence(&row)?,
            str_or_empty(&row, "note")?
        );
        all.push(format!("&{constant}"));
    }
    let _ = writeln!(out, "/// All sets.\npub static ACCEPT_SETS: &[&AcceptSet] = &[{}];", all.join(", "));
    Ok(out)
}

/// The family tests as rows.
pub fn predicates(spec: &Spec) -> Result<String> {
    let [opcodes, engines, dtypes] = ["InstructionType", "EngineType", "Dtype"].map(|name| spec.find("bir", name));
    let (opcodes, engines, dtypes) = (opcodes?, engines?, dtypes?);
    let mut out = String::from(
        "use super::super::bir::{Dtype, EngineType, InstructionType};\nuse super::{Condition, Confidence, Predicate};\n\n\
         /// All family tests, in the order of the specification.\npub static PREDICATES: &[Predicate] = &[\n",
    );
    for row in spec.rows("predicate")? {
        let mut conditions = Vec::new();
        for condition in row.get("conditions").and_then(Value::as_array).into_iter().flatten() {
            let condition = condition.as_table().ok_or("predicate: a condition is no table")?;
            conditions.push(format!(
                "Condition {{ opcode: InstructionType::{}, field: {:?}, op: {:?}, value: {} }}",
                ident(&opcodes.member(int_of(condition, "opcode")?)?.name),
                str_of(condition, "field")?,
                str_of(condition, "op")?,
                int_of(condition, "value")?
            ));
        }
        let _ = writeln!(
            out,
            "    Predicate {{\n        name: {:?},\n        encoding: {:?},\n        opcodes: {},\n        conditions: &[{}],\n        requires: {:?},\n        engines: {},\n        dtypes: {},\n        confidence: {},\n        note: {:?},\n    }},",
            str_of(&row, "name")?,
            str_of(&row, "encoding")?,
            list(opcodes, &ints(&row, "opcodes")?)?,
            conditions.join(", "),
            str_or_empty(&row, "requires")?,
            list(engines, &ints(&row, "engines")?)?,
            list(dtypes, &ints(&row, "dtypes")?)?,
            confidence(&row)?,
            str_or_empty(&row, "note")?
        );
    }
    out += "];\n";
    Ok(out)
}

/// The five translators with their inverses, and the further relations.
pub fn crosswalks(spec: &Spec) -> Result<String> {
    let mut out = String::from(
        "use super::{Crosswalk, OutOfRange, bir, klr};\nuse crate::enums::id;\nuse crate::error::Result;\n\n",
    );
    let mut all = Vec::new();
    for row in spec.rows("crosswalk")? {
        let helper = str_of(&row, "name")?;
        let short = helper.strip_prefix("codegen").unwrap_or(helper);
        let short = upper_snake(short.strip_suffix("Func").unwrap_or(short));
        let (klr, bir) = (spec.find("klr", str_of(&row, "klr_enum")?)?, spec.find("bir", str_of(&row, "bir_enum")?)?);
        let pairs = pairs(&row)?;
        let default = row.get("out_of_range_default").and_then(Value::as_integer);
        let policy = match (default, str_of(&row, "out_of_range_message")?) {
            (Some(ordinal), "") => format!("Default({ordinal})"),
            (None, text) if !text.is_empty() => format!("Error({text:?})"),
            other => return Err(format!("{helper}: cannot read the policy {other:?}")),
        };
        let mut rejected = Vec::new();
        for ordinal in ints(&row, "rejected_klr")? {
            rejected.push((ordinal, str_of(&row, "rejected_message")?));
        }
        let unreachable = ints(&row, "unreachable_bir")?;
        for m in &bir.members {
            let ordinal = i64::from(m.ordinal);
            // A soft default that no klr member gives is listed for one helper and not for the other: either is right.
            let given = pairs.iter().any(|p| p.1 == ordinal);
            if given == unreachable.contains(&ordinal) && default != Some(ordinal) {
                return Err(format!("{helper}: `{}` is listed as unreachable and is not, or the reverse", m.name));
            }
        }
        let name = short.to_lowercase();
        let _ = writeln!(
            out,
            "/// `{helper}`: klr {} to bir {}.\npub static {short}: Crosswalk = Crosswalk {{\n    name: {helper:?},\n    klr_name: {:?},\n    klr_enum: Some(id::{}),\n    bir_enum: id::{},\n    pairs: &{pairs:?},\n    rejected: &{rejected:?},\n    out_of_range: OutOfRange::{policy},\n    unreachable: &{unreachable:?},\n    rule: {:?},\n}};\n",
            klr.name,
            bir.name,
            klr.name,
            klr.constant(),
            bir.constant(),
            str_or_empty(&row, "note")?
        );
        out += &translator(&short, &name, klr, bir, &pairs, default)?;
        out += &inverse(&name, klr, bir, &pairs)?;
        all.push(format!("&{short}"));
    }
    let _ = writeln!(out, "/// The five translators.\npub static CROSSWALKS: &[&Crosswalk] = &[{}];\n", all.join(", "));
    out +=
        "/// The further relations, which no table of the original holds.\npub static KLR_MAPS: &[&Crosswalk] = &[\n";
    for row in spec.rows("klr_map")? {
        let (klr_name, bir) = (str_of(&row, "klr_enum")?, spec.find("bir", str_of(&row, "bir_enum")?)?);
        let klr = spec.find("klr", klr_name).ok();
        let klr_enum = klr.map_or("None".into(), |e| format!("Some(id::{})", e.constant()));
        let pairs = pairs(&row)?;
        let given = |m: &&super::model::Member| !pairs.iter().any(|p| p.1 == i64::from(m.ordinal));
        let unreachable: Vec<i32> = bir.members.iter().filter(given).map(|m| m.ordinal).collect();
        for (klr_ordinal, bir_ordinal) in &pairs {
            bir.member(*bir_ordinal)?;
            klr.map(|e| e.member(*klr_ordinal)).transpose()?;
        }
        let note = str_or_empty(&row, "note")?;
        let rule = if note.is_empty() {
            str_of(&row, "rule")?.to_owned()
        } else {
            format!("{}; {note}", str_of(&row, "rule")?)
        };
        let _ = writeln!(
            out,
            "    &Crosswalk {{\n        name: {:?},\n        klr_name: {klr_name:?},\n        klr_enum: {klr_enum},\n        bir_enum: id::{},\n        pairs: &{pairs:?},\n        rejected: &[],\n        out_of_range: OutOfRange::Error({:?}),\n        unreachable: &{unreachable:?},\n        rule: {rule:?},\n    }},",
            format!("{klr_name} to {}", bir.name),
            bir.constant(),
            format!("no {} for this klr {klr_name}", bir.name)
        );
    }
    out += "];\n";
    Ok(out)
}

fn pairs(row: &Table) -> Result<Vec<(i64, i64)>> {
    let (klr, bir) = (ints(row, "klr_ordinals")?, ints(row, "bir_ordinals")?);
    if klr.len() != bir.len() || !klr.windows(2).all(|w| w[0] < w[1]) {
        return Err(format!("{}: the two columns do not match", str_of(row, "klr_enum")?));
    }
    Ok(klr.into_iter().zip(bir).collect())
}

fn translator(
    constant: &str,
    name: &str,
    klr: &Enum,
    bir: &Enum,
    pairs: &[(i64, i64)],
    default: Option<i64>,
) -> Result<String> {
    let result = if default.is_some() { bir_type(bir) } else { format!("Result<{}>", bir_type(bir)) };
    let wrap = |path: String| if default.is_some() { path } else { format!("Ok({path})") };
    let mut out = format!("/// The {} of a klr {} ordinal.\n///\n", bir.name, klr.name);
    out += &match default {
        Some(ordinal) => format!("/// Never fails: any other number gives `{}`.\n", bir.member(ordinal)?.name),
        None => "/// # Errors\n/// As [`Crosswalk::translate`].\n".into(),
    };
    let _ = writeln!(
        out,
        "{}pub fn translate_{name}(klr_ordinal: u32) -> {result} {{\n    match klr_ordinal {{",
        if default.is_some() { "#[must_use]\n" } else { "" }
    );
    for (klr_ordinal, bir_ordinal) in pairs {
        klr.member(*klr_ordinal)?;
        let _ = writeln!(out, "        {klr_ordinal} => {},", wrap(bir.path(*bir_ordinal)?));
    }
    let rest = match default {
        Some(ordinal) => bir.path(ordinal)?,
        None => format!("Err({constant}.refuse(klr_ordinal))"),
    };
    let _ = writeln!(out, "        _ => {rest},\n    }}\n}}\n");
    Ok(out)
}

fn inverse(name: &str, klr: &Enum, bir: &Enum, pairs: &[(i64, i64)]) -> Result<String> {
    let mut out = format!(
        "/// The klr members that become this {}; empty if none does. Soft defaults do not count.\n#[must_use]\npub const fn klr_sources_of_{name}(bir: {}) -> &'static [klr::{}] {{\n    match bir {{\n",
        bir.name,
        bir_type(bir),
        klr.name
    );
    for m in &bir.members {
        let ordinal = i64::from(m.ordinal);
        let sources = pairs.iter().filter(|p| p.1 == ordinal).map(|p| klr.path(p.0)).collect::<Result<Vec<_>>>()?;
        let _ = writeln!(out, "        {} => &[{}],", bir.path(ordinal)?, sources.join(", "));
    }
    out += "    }\n}\n\n";
    Ok(out)
}

fn bir_type(bir: &Enum) -> String {
    format!("bir::{}", bir.name)
}
