//! `spec/instructions.toml` to the shapes of instruction objects (for `ir`) and the field table (for `op`).
use super::layout::{int, rows, string};
use super::{Output, Result, spec};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

/// How a payload field lies in memory.
struct Slot {
    /// The variant of `op::Slot`.
    rust: String,
    size: u64,
    /// Initialisation beyond zero, by offset.
    inits: Vec<String>,
}

struct Enums(BTreeMap<String, BTreeMap<String, i64>>);

impl Enums {
    fn ordinal(&self, name: &str, member: &str) -> Option<i64> {
        self.0.get(name)?.get(member).copied()
    }
}

fn read_enums(root: &Path) -> Result<Enums> {
    let mut all = BTreeMap::new();
    for e in rows(&spec(root, "enums.toml")?, "enum").filter(|e| string(e, "space") == "bir") {
        let members = rows(e, "member").map(|m| (string(m, "name"), int(m, "ordinal") as i64)).collect();
        all.insert(string(e, "name"), members);
    }
    Ok(Enums(all))
}

/// The constant of a default, as the bits that go into memory.
fn bits(kind: &str, text: &str) -> Result<u64> {
    Ok(match text {
        "false" | "0" | "0.0" => 0,
        "true" => 1,
        _ => match kind {
            "f32" | "SerializableFloat" => {
                u64::from(text.parse::<f32>().map_err(|e| format!("{text}: {e}"))?.to_bits())
            }
            "i32" => u64::from(text.parse::<i32>().map_err(|e| format!("{text}: {e}"))? as u32),
            _ => text.parse::<u64>().map_err(|e| format!("default `{text}` of a {kind}: {e}"))?,
        },
    })
}

fn word(offset: u64, width: u64, value: u64) -> Vec<String> {
    if value == 0 {
        Vec::new()
    } else {
        vec![format!("Init::Word {{ offset: {offset:#x}, width: {width}, value: {value:#x} }}")]
    }
}

fn slot(kind: &str, default: &str, offset: u64, enums: &Enums) -> Result<Slot> {
    let make = |rust: &str, size: u64, inits: Vec<String>| Ok(Slot { rust: rust.to_string(), size, inits });
    if let Some(inner) = kind.strip_prefix("MaybeAffine<") {
        let (inner, rest) = inner.split_once('>').ok_or("MaybeAffine without type")?;
        let variant = format!("MaybeType::{}", upper_first(inner));
        let absent = |o: u64| vec![format!("Init::Word {{ offset: {:#x}, width: 1, value: 0x1 }}", o + 0x21)];
        if rest == "[2]" {
            let parts: Vec<&str> = default.trim_matches(['[', ']']).split(',').map(str::trim).collect();
            let mut inits = Vec::new();
            for (i, part) in parts.iter().enumerate() {
                inits.extend(word(offset + 0x28 * i as u64, 8, bits(inner, part)?));
            }
            return make(&format!("Slot::MaybePair({variant})"), 0x50, inits);
        }
        let inits = if default == "absent" { absent(offset) } else { word(offset, 8, bits(inner, default)?) };
        return make(&format!("Slot::Maybe({variant})"), 0x28, inits);
    }
    if let Some(members) = enums.0.get(kind) {
        let value = *members.get(default).ok_or_else(|| format!("{kind} has no member {default}"))?;
        return make(
            &format!("Slot::Enum(id::{})", super::enums::text::upper_snake(kind)),
            4,
            word(offset, 4, value as u64),
        );
    }
    let string_at = |o: u64| vec![format!("Init::String {{ offset: {o:#x} }}")];
    let small = |capacity: u32, o: u64| vec![format!("Init::SmallVector {{ offset: {o:#x}, capacity: {capacity} }}")];
    match kind {
        "bool" => make("Slot::Bool", 1, word(offset, 1, bits("bool", default)?)),
        "u32" => make("Slot::U32", 4, word(offset, 4, bits("u32", default)?)),
        "f32" | "SerializableFloat" => make("Slot::F32", 4, word(offset, 4, bits("f32", default)?)),
        "string" => make("Slot::String", 0x20, string_at(offset)),
        "FunctionArgumentMap" => make("Slot::Json", 0x28, Vec::new()),
        "json object" | "unknown" => make("Slot::Json", 8, Vec::new()),
        "DMAQueue* (name)" => make("Slot::Queue", 8, Vec::new()),
        "BasicBlock* (name)" => make("Slot::Block", 8, Vec::new()),
        "Function* (name)" => make("Slot::Function", 8, Vec::new()),
        "InstDMATrigger* (name)" => make("Slot::Trigger", 8, Vec::new()),
        "list of DMABlock names" => make("Slot::DmaBlocks", 24, Vec::new()),
        "list of blocks" => make("Slot::Blocks", 0, Vec::new()),
        "vector<u32>" => make("Slot::VecU32", 24, Vec::new()),
        "vector<vector<u32>>" => make("Slot::VecVecU32", 24, Vec::new()),
        "vector<vector<u64>>" => make("Slot::VecVecU64", 24, Vec::new()),
        "vector<string>" => make("Slot::VecString", 24, Vec::new()),
        "vector<IndirectDim>" => make("Slot::VecEnum(id::INDIRECT_DIM)", 24, Vec::new()),
        "vector<Register* (name)>" => make("Slot::VecRegister", 24, Vec::new()),
        "vector<QuasiAffineExpr>" => make("Slot::VecExpr", 24, Vec::new()),
        "QuasiAffineExpr" => make("Slot::Expr", 0x20, Vec::new()),
        "BirIntRuntimeValue expression" => make("Slot::RuntimeValue", 8, Vec::new()),
        "SmallVector<f32,1>" => make("Slot::SmallF32 { inline: 1 }", 24, small(1, offset)),
        "SmallVector<f32,4>" => make("Slot::SmallF32 { inline: 4 }", 32, small(4, offset)),
        "SmallVector<APPair,4>" => make("Slot::SmallPairs", 0x50, small(4, offset)),
        "SmallVector<MaybeAffine<u32>>" => make("Slot::SmallMaybe(MaybeType::U32)", 16, small(0, offset)),
        "(u32, u32)" => make("Slot::U32Array { len: 2 }", 8, Vec::new()),
        "(u32, u32, u32)" => make("Slot::U32Array { len: 3 }", 12, Vec::new()),
        "object {name, lb, ub, stride}" => make("Slot::Axis", 8, Vec::new()),
        _ => Err(format!("no slot for type `{kind}`")),
    }
}

fn upper_first(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|c| c.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

/// Generated files of the instruction set.
pub fn outputs(root: &Path) -> Result<Vec<Output>> {
    let enums = read_enums(root)?;
    let table = spec(root, "instructions.toml")?;
    let layout = spec(root, "layout.toml")?;
    let holder_kinds = layout
        .get("tags")
        .and_then(|t| t.get("holder_kind_inferred"))
        .and_then(toml::Value::as_table)
        .ok_or("layout.toml: tags.holder_kind_inferred")?;
    let mut shapes = String::from(
        "// Generated by `cargo xtask gen` from spec/instructions.toml and spec/layout.toml. Do not edit.\n\n\
         //! The size of each opcode's object, its payload slots, and what a new one holds beyond zero.\n\n\
         use super::slot::{MaybeType, Slot};\nuse crate::enums::id;\n\n\
         /// A part of a new object that is not zero. Offsets count from the object start.\n\
         #[derive(Clone, Copy, Debug)]\npub enum Init {\n    /// `width` bytes of a little-endian number.\n    Word {\n        /// Where.\n        offset: u16,\n        /// Bytes.\n        width: u8,\n        /// The number.\n        value: u64,\n    },\n    /// An empty `std::string`.\n    String {\n        /// Where.\n        offset: u16,\n    },\n    /// An empty small vector, whose header leads to its own inline elements.\n    SmallVector {\n        /// Where.\n        offset: u16,\n        /// Inline elements.\n        capacity: u32,\n    },\n}\n\n\
         /// The object of one opcode.\n#[derive(Clone, Copy, Debug)]\npub struct Shape {\n    /// The payload slots: offset and content.\n    pub slots: &'static [(u16, Slot)],\n    /// Bytes of the object, private slots included.\n    pub size: u16,\n    /// Holder kind of a structured-control object, whose Instruction part begins 0x58 bytes in; else -1.\n    pub holder_kind: i8,\n    /// What is not zero.\n    pub inits: &'static [Init],\n}\n\n\
         /// By opcode ordinal.\npub static SHAPES: &[Shape] = &[\n",
    );
    let mut ops = String::from(
        "// Generated by `cargo xtask gen` from spec/instructions.toml. Do not edit.\n\n\
         //! The instruction set as data: `spec/instructions.toml`, fields of an opcode sorted by key.\n\n\
         use super::field::{Compares, Default, Emit, Field, OlderText, OpcodeInfo, Presence, Same};\nuse crate::enums::id;\nuse crate::ir::raw::slot::{MaybeType, Slot};\n\n\
         /// All opcodes, by ordinal.\npub static OPCODES: &[OpcodeInfo] = &[\n",
    );
    let tree: Vec<(String, String)> =
        rows(&table, "instruction").map(|i| (string(i, "class_name"), string(i, "base"))).collect();
    for (index, inst) in rows(&table, "instruction").enumerate() {
        let name = string(inst, "name");
        if int(inst, "ordinal") != index as u64 {
            return Err(format!("{name}: ordinals are not dense"));
        }
        let holder_kind = holder_kinds.get(&name).and_then(toml::Value::as_integer).unwrap_or(-1);
        let base = if holder_kind >= 0 { 0x58 } else { 0 };
        let mut end = int(inst, "size").max(base + 0xF0);
        let mut taken: Vec<(u64, u64, String)> = Vec::new();
        let fields: Vec<&toml::Table> = rows(inst, "field").filter(|f| !string(f, "key").contains('.')).collect();
        let error = |key: &str, e: String| format!("{name}.{key}: {e}");
        for f in fields.iter().filter(|f| f.contains_key("offset")) {
            let key = string(f, "key");
            let s = slot(&string(f, "type"), &string(f, "default"), 0, &enums).map_err(|e| error(&key, e))?;
            taken.push((int(f, "offset"), s.size, key));
        }
        taken.sort();
        for pair in taken.windows(2) {
            if pair[0].0 + pair[0].1 > pair[1].0 {
                return Err(format!("{name}: {} runs into {}", pair[0].2, pair[1].2));
            }
        }
        end = taken.iter().map(|t| t.0 + t.1).max().unwrap_or(end).max(end);
        let mut inits = Vec::new();
        let mut lines = Vec::new();
        let mut slots = Vec::new();
        for f in &fields {
            let (key, kind, default) = (string(f, "key"), string(f, "type"), string(f, "default"));
            let certain = f.contains_key("offset");
            let mut at = int(f, "offset");
            if !certain {
                let size = slot(&kind, &default, 0, &enums).map_err(|e| error(&key, e))?.size;
                at = end.next_multiple_of(8);
                end = at + size;
            }
            let s = slot(&kind, &default, at, &enums).map_err(|e| error(&key, e))?;
            inits.extend(s.inits);
            if s.size > 0 {
                slots.push((at, s.rust.clone()));
            }
            let list = |k: &str| {
                let items = f.get(k).and_then(toml::Value::as_array).into_iter().flatten();
                items.filter_map(toml::Value::as_str).map(|a| format!("{a:?}, ")).collect::<String>()
            };
            let presence = match string(f, "presence").as_str() {
                "required" => "Required",
                "optional" => "Optional",
                "write_only" => "WriteOnly",
                "unspecified" => "Unspecified",
                other => return Err(error(&key, format!("presence {other}"))),
            };
            let emit = match string(f, "emit").as_str() {
                "always" => "Always",
                "if_not_default" => "IfNotDefault",
                "if_not_null" => "IfNotNull",
                other => return Err(error(&key, format!("emit {other}"))),
            };
            let same = match string(f, "same_inst").as_str() {
                "exact" => "Exact",
                "deep" => "Deep",
                "ignored" => "Ignored",
                "unknown" => "Unknown",
                other => return Err(error(&key, format!("same_inst {other}"))),
            };
            let keeps_array =
                s.rust.starts_with("Slot::Maybe(") && string(f, "accept").contains("array, kept verbatim");
            let older_text = match (s.rust.as_str(), string(f, "accept").as_str()) {
                ("Slot::String", "boolean as well as a string") => "Boolean",
                ("Slot::String", "array of byte values as well as a string") => "Bytes",
                ("Slot::String", accept) if !accept.is_empty() => {
                    return Err(error(&key, format!("a string accepts {accept}")));
                }
                _ => "None",
            };
            let default = default_value(&kind, &default, &enums).map_err(|e| error(&key, e))?;
            let certain = certain
                && matches!(string(f, "confidence").as_str(), "certain" | "high" | "conflict" | "medium" | "inferred");
            lines.push((
                key.clone(),
                format!(
                    "        Field {{ key: {key:?}, type_text: {kind:?}, offset: {at:#x}, offset_known: {certain}, slot: {}, presence: Presence::{presence}, default: {default}, emit: Emit::{emit}, same: Same::{same}, keeps_array: {keeps_array}, older_text: OlderText::{older_text}, aliases: &[{}] }},\n",
                    s.rust,
                    list("aliases"),
                ),
            ));
        }
        lines.sort();
        slots.sort();
        let size = end.next_multiple_of(8);
        writeln!(
            shapes,
            "    // {index} {name}\n    Shape {{ size: {size:#x}, holder_kind: {holder_kind}, slots: &[{}], inits: &[{}] }},",
            slots.iter().map(|(o, r)| format!("({o:#x}, {r})")).collect::<Vec<_>>().join(", "),
            inits.join(", ")
        )
        .unwrap();
        let opt = |k: &str| inst.get("operands").and_then(|o| o.get(k)).and_then(toml::Value::as_integer);
        let count = |k: &str| opt(k).map_or("None".to_string(), |v| format!("Some({v})"));
        let strings = |t: Option<&toml::Value>| {
            let items = t.and_then(toml::Value::as_array).into_iter().flatten();
            items.filter_map(toml::Value::as_str).map(|a| format!("{a:?}, ")).collect::<String>()
        };
        let roles = |k: &str| strings(inst.get("operands").and_then(|o| o.get(k)));
        let arch = |k: &str| {
            inst.get(k).and_then(toml::Value::as_integer).map_or("None".to_string(), |v| format!("Some({v})"))
        };
        let text =
            |k: &str| inst.get(k).and_then(toml::Value::as_str).map_or("None".to_string(), |v| format!("Some({v:?})"));
        writeln!(
            ops,
            "    OpcodeInfo {{\n        name: {name:?},\n        class_name: {:?},\n        base: {:?},\n        family: {:?},\n        is_abstract: {},\n        size: {size:#x},\n        published_size: {:#x},\n        size_confidence: {:?},\n        holder_kind: {holder_kind},\n        class_accepts: {:#x},\n        same_accepts: {:#x},\n        same_compares: Compares::{},\n        ins: ({}, {}),\n        outs: ({}, {}),\n        ins_roles: &[{}],\n        outs_roles: &[{}],\n        engines: {},\n        default_engine: {},\n        arch_min: {},\n        arch_max: {},\n        ignored_keys: &[{}],\n        fields: &[\n{}        ],\n    }},",
            string(inst, "class_name"),
            string(inst, "base"),
            string(inst, "family"),
            inst.get("abstract").and_then(toml::Value::as_bool).unwrap_or(false),
            int(inst, "size"),
            string(inst, "size_confidence"),
            class_accepts(&tree, index).map_err(|e| format!("{name}: {e}"))?,
            same_accepts(inst).map_err(|e| format!("{name}: {e}"))?,
            same_compares(inst).map_err(|e| format!("{name}: {e}"))?,
            count("ins_min"),
            count("ins_max"),
            count("outs_min"),
            count("outs_max"),
            roles("ins_roles"),
            roles("outs_roles"),
            inst.get("engines").map_or("None".to_string(), |e| format!("Some(&[{}])", strings(Some(e)))),
            text("default_engine"),
            arch("arch_min"),
            arch("arch_max"),
            strings(inst.get("ignored_keys")),
            lines.iter().map(|l| l.1.as_str()).collect::<String>(),
        )
        .unwrap();
    }
    shapes.push_str("];\n");
    ops.push_str(
        "];\n\n/// Opcodes of older generations: name, what replaced them.\npub static RETIRED: &[(&str, &str)] = &[\n",
    );
    for r in rows(&table, "retired_opcode") {
        writeln!(ops, "    ({:?}, {:?}),", string(r, "name"), string(r, "replacement")).unwrap();
    }
    ops.push_str("];\n");
    Ok(vec![("core/src/ir/raw/shapes.rs".into(), shapes), ("core/src/op/table.rs".into(), ops)])
}

/// The opcodes whose class is that of `index` or derives from it, one bit each.
fn class_accepts(tree: &[(String, String)], index: usize) -> Result<u128> {
    let mut mask = 0;
    for derived in 0..tree.len() {
        let mut at = derived;
        // A chain of bases is no longer than the tree; a longer one is a ring.
        for step in 0.. {
            if at == index {
                mask |= 1_u128 << derived;
                break;
            }
            let base = &tree[at].1;
            if base == "Instruction" {
                break;
            }
            at = tree.iter().position(|c| c.0 == *base).ok_or_else(|| format!("no class {base}"))?;
            if step > tree.len() {
                return Err(format!("the bases of {} form a ring", tree[derived].0));
            }
        }
    }
    Ok(mask)
}

/// The gate of `same_inst`: which opcodes the other instruction may have, one bit each.
fn same_accepts(inst: &toml::Table) -> Result<u128> {
    let same = inst.get("same_inst").and_then(toml::Value::as_table).ok_or("no same_inst")?;
    let accepts = same.get("accepts").and_then(toml::Value::as_array).ok_or("same_inst without accepts")?;
    let own = int(inst, "ordinal");
    let mut mask = 0;
    for opcode in accepts {
        let opcode = opcode.as_integer().and_then(|o| u32::try_from(o).ok()).filter(|o| *o < 110);
        mask |= 1_u128 << opcode.ok_or("same_inst accepts what is no opcode")?;
    }
    let fits = match string(same, "gate").as_str() {
        "opcode_equal" => mask == 1_u128 << own,
        "family" => mask >> own & 1 == 1,
        other => return Err(format!("same_inst gate {other}")),
    };
    if fits { Ok(mask) } else { Err("same_inst: gate and accepts disagree".into()) }
}

/// What `same_inst` compares, as the sources say it: the variant of `op::Compares`.
fn same_compares(inst: &toml::Table) -> Result<&'static str> {
    let same = inst.get("same_inst").and_then(toml::Value::as_table).ok_or("no same_inst")?;
    Ok(match string(same, "compares").as_str() {
        "gate_only" => "GateOnly",
        "payload" => "Payload",
        "payload_partial" => "PayloadPartial",
        "not_implemented" => "NotImplemented",
        "unknown" => "Unknown",
        other => return Err(format!("same_inst compares {other}")),
    })
}

/// The default as `op::Default`.
fn default_value(kind: &str, text: &str, enums: &Enums) -> Result<String> {
    Ok(match text {
        "absent" | "null" => "Default::Absent".into(),
        "[]" | "{}" | "\"\"" => "Default::Empty".into(),
        _ if kind.starts_with("(u32") => "Default::Zeros".into(),
        _ if kind.ends_with("[2]") => {
            let first = text.trim_matches(['[', ']']).split(',').next().unwrap_or_default().trim();
            format!("Default::Int({first})")
        }
        _ => match enums.ordinal(kind, text) {
            Some(v) => format!("Default::Int({v})"),
            None if enums.0.contains_key(kind) => return Err(format!("{kind} has no member {text}")),
            None if matches!(kind, "f32" | "SerializableFloat") => format!("Default::Float({text})"),
            None => match text {
                "true" => "Default::Int(1)".into(),
                "false" => "Default::Int(0)".into(),
                _ => format!("Default::Int({})", text.parse::<i64>().map_err(|e| format!("default `{text}`: {e}"))?),
            },
        },
    })
}
