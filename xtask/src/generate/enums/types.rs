//! The Rust enums and the methods that read their member keys.

use super::super::Result;
use super::meaning;
use super::model::{Enum, Spec, str_of};
use super::text::{camel, doc_text, ident, sanitized, sentence};
use std::fmt::Write;
use toml::Value;

/// All enums of a space.
pub fn space(spec: &Spec, space: &str) -> Result<String> {
    let mut uses = vec!["define::ir_enum"];
    let mut body = String::new();
    for e in spec.enums.iter().filter(|e| e.space == space && !e.members.is_empty()) {
        body += &one(spec, e)?;
    }
    if body.contains("category::") {
        uses.push("category");
    }
    if body.contains("CoreGeneration") {
        uses.push("wire::CoreGeneration");
    }
    Ok(format!("use super::{{{}}};\n\n{body}", uses.join(", ")))
}

fn one(spec: &Spec, e: &Enum) -> Result<String> {
    let mut out = String::from("ir_enum! {\n");
    for line in documentation(e)? {
        let space = if line.is_empty() { "" } else { " " };
        let _ = writeln!(out, "    ///{space}{line}");
    }
    let _ = writeln!(out, "    {}, {} {{", e.name, e.constant());
    for m in &e.members {
        let mut about: Vec<String> = Vec::new();
        for (key, value) in &m.extra {
            about.push(format!("{key} {}", plain(value)));
        }
        let about = if about.is_empty() { String::new() } else { format!(": {}", about.join(", ")) };
        let _ = writeln!(out, "        /// `{}`, {}{}.", m.name, m.ordinal, doc_text(&about));
        let _ = writeln!(out, "        {} = {}, {:?};", ident(&m.name), m.ordinal, m.name);
    }
    out += "    }\n}\n\n";
    let methods = methods(spec, e)?;
    if !methods.is_empty() {
        let _ = writeln!(out, "impl {} {{\n{methods}}}\n", e.name);
    }
    Ok(out)
}

fn documentation(e: &Enum) -> Result<Vec<String>> {
    let keys = super::model::strings(&e.table, "json_keys")?;
    let keys: Vec<String> = keys.iter().map(|k| format!("`{k}`")).collect();
    let under = if keys.is_empty() { String::new() } else { format!(" under {}", keys.join(", ")) };
    let form = match e.str("json")? {
        "name" => format!("Documents carry the name{under}."),
        "number" => format!("Documents carry the number{under}."),
        "kind" => format!("Documents carry a word of its own{under}."),
        _ => "Documents do not carry it.".into(),
    };
    let mut lines = vec![sentence(meaning::of_enum(&e.space, &e.name)?), String::new(), form];
    if e.table.contains_key("json_read_number") {
        lines.push("A reader also takes the number.".into());
    }
    if !e.complete {
        lines.push(format!(
            "{} of {} members are published: a reader keeps an unknown name as text.",
            e.members.len(),
            e.count
        ));
    }
    lines.push(String::new());
    for note in e.notes()? {
        lines.push(format!("- {}", doc_text(&note)));
    }
    if !e.notes()?.is_empty() {
        lines.push(String::new());
    }
    lines.push(format!("Source: `spec/enums.toml`, {}.{}, {}.", e.space, e.name, e.str("confidence")?));
    Ok(lines)
}

/// A value as it stands in a comment.
fn plain(value: &Value) -> String {
    match value {
        Value::String(s) => s.clone(),
        other => other.to_string(),
    }
}

fn methods(spec: &Spec, e: &Enum) -> Result<String> {
    let mut out = String::new();
    if let Some(default) = e.default()? {
        let member = ident(&e.member(i64::from(default))?.name);
        out += "    /// The value a new object has: the constructor's, else ordinal 0.\n";
        let _ = writeln!(out, "    pub const DEFAULT: Self = Self::{member};\n");
    }
    if e.str("shape")? == "bitflag" {
        out += "    /// The bits of the member.\n    #[must_use]\n    pub const fn bits(self) -> u32 {\n        self as i32 as u32\n    }\n\n";
    }
    if e.has_wire() {
        out += "    /// The silicon byte on a generation (`spec/enums.md` section 4).\n    ///\n    /// # Errors\n    \
                /// `Unsupported`, with the original's text, for a member without a byte on this generation.\n    \
                pub fn wire_byte(self, generation: CoreGeneration) -> crate::error::Result<u8> {\n        \
                Self::INFO.wire(i64::from(self.ordinal()), generation)\n    }\n\n";
    }
    if e.members.iter().any(|m| m.extra.contains_key("l3_core_v4_raw_i32")) {
        out += &wire_word(e)?;
    }
    for key in e.keys() {
        if !meaning::WIRE_KEYS.contains(&key.as_str()) {
            out += &getter(spec, e, &key)?;
        }
    }
    if e.name == "ArchLevel" {
        out += &board_aliases(e)?;
    }
    Ok(out)
}

/// The 32-bit word that leaves the converter, where one member's differs from its byte.
fn wire_word(e: &Enum) -> Result<String> {
    let mut arms = String::new();
    for m in e.members.iter().filter(|m| m.extra.contains_key("l3_core_v4_raw_i32")) {
        let word = super::model::int_of(&m.extra, "l3_core_v4_raw_i32")?;
        let word = u32::try_from(word).map_err(|_| format!("{}: not a word", m.name))?;
        if e.wire(m)? != [None, None, Some(word as u8)] {
            return Err(format!("{}.{}: the word does not end in the byte", e.name, m.name));
        }
        let _ = writeln!(arms, "            Self::{} => {word:#010X},", ident(&m.name));
    }
    Ok(format!(
        "    /// The 32-bit word that leaves the byte converter; the field keeps its low byte.\n    ///\n    /// # Errors\n    \
         /// As [`Self::wire_byte`].\n    \
         pub fn wire_word(self, generation: CoreGeneration) -> crate::error::Result<u32> {{\n        \
         let byte = self.wire_byte(generation)?;\n        Ok(match self {{\n{arms}            _ => u32::from(byte),\n        }})\n    }}\n\n"
    ))
}

/// The method that reads one member key.
fn getter(spec: &Spec, e: &Enum, key: &str) -> Result<String> {
    let flag = meaning::FLAGS.iter().find(|(k, _)| *k == key).map(|(_, other)| *other);
    let category = meaning::CATEGORIES.iter().find(|(n, k, ..)| *n == e.name && *k == key).map(|c| c.2);
    let linked = meaning::ENUM_KEYS.iter().find(|(k, _)| *k == key).map(|(_, name)| *name);
    let total = flag.is_some() || e.members.iter().all(|m| m.extra.contains_key(key));
    let mut kind = String::new();
    // Members with the same value share an arm.
    let mut arms: Vec<(String, Vec<String>)> = Vec::new();
    for m in &e.members {
        let (value, of) = match (m.extra.get(key), flag) {
            (None, Some(other)) => (other.to_string(), "bool".to_owned()),
            (None, None) => ("None".into(), String::new()),
            (Some(v), _) => literal(spec, e, v, category, linked)?,
        };
        if !of.is_empty() && !kind.is_empty() && kind != of {
            return Err(format!("{}: values of `{key}` have two types", e.name));
        }
        if !of.is_empty() {
            kind = of;
        }
        let value = if total || value == "None" { value } else { format!("Some({value})") };
        let name = format!("Self::{}", ident(&m.name));
        match arms.iter_mut().find(|(v, _)| *v == value) {
            Some((_, names)) => names.push(name),
            None => arms.push((value, vec![name])),
        }
    }
    let kind = if total { kind } else { format!("Option<{kind}>") };
    let mut out =
        format!("    /// {}.\n    #[must_use]\n    pub const fn {key}(self) -> {kind} {{\n", meaning::of_key(key)?);
    if kind == "bool" && arms.len() == 2 {
        let (value, names) = arms.iter().min_by_key(|arm| arm.1.len()).ok_or("no arms")?;
        let not = if value == "true" { "" } else { "!" };
        let _ = writeln!(out, "        {not}matches!(self, {})\n    }}\n", names.join(" | "));
        return Ok(out);
    }
    out += "        match self {\n";
    // The largest group comes last and needs no names, where these would be many.
    let largest =
        arms.iter().enumerate().max_by_key(|(_, arm)| arm.1.len()).filter(|(_, arm)| arm.1.len() > 8).map(|(i, _)| i);
    let rest = largest.map(|i| arms.remove(i).0);
    for (value, names) in arms {
        let _ = writeln!(out, "            {} => {value},", names.join(" | "));
    }
    if let Some(value) = rest {
        let _ = writeln!(out, "            _ => {value},");
    }
    out += "        }\n    }\n\n";
    Ok(out)
}

/// A value as a Rust literal, and its type.
fn literal(
    spec: &Spec,
    e: &Enum,
    value: &Value,
    category: Option<&str>,
    linked: Option<&str>,
) -> Result<(String, String)> {
    Ok(match value {
        Value::Boolean(b) => (b.to_string(), "bool".into()),
        Value::Integer(i) => match linked {
            Some(name) => {
                let member = ident(&spec.find("bir", name)?.member(*i)?.name);
                (format!("{name}::{member}"), name.into())
            }
            None => (u32::try_from(*i).map_err(|_| format!("{}: {i} is no u32", e.name))?.to_string(), "u32".into()),
        },
        Value::String(s) => match category {
            Some(name) => (format!("category::{name}::{}", camel(s)), format!("category::{name}")),
            None => (format!("{s:?}"), "&'static str".into()),
        },
        Value::Array(items) => {
            (value.to_string().replace(" ]", "]").replace("[ ", "["), format!("[u8; {}]", items.len()))
        }
        other => return Err(format!("{}: no literal for {other}", e.name)),
    })
}

/// The board names, which the specification keeps in a note: `board aliases: a b -> 10; c -> 20`.
fn board_aliases(e: &Enum) -> Result<String> {
    const START: &str = "board aliases: ";
    let notes = e.notes()?;
    let note = notes.iter().find_map(|n| n.strip_prefix(START)).ok_or("ArchLevel: no note with the board aliases")?;
    let mut out = String::from(
        "    /// The names under which a board of this level is known; empty without a board.\n    #[must_use]\n    \
         pub const fn board_aliases(self) -> &'static [&'static str] {\n        match self {\n",
    );
    let mut seen = Vec::new();
    for part in note.split("; ") {
        let (names, ordinal) = part.split_once(" -> ").ok_or(format!("ArchLevel: cannot read `{part}`"))?;
        let ordinal: i64 = ordinal.parse().map_err(|_| format!("ArchLevel: cannot read `{part}`"))?;
        let names: Vec<&str> = names.split(' ').collect();
        let _ = writeln!(out, "            Self::{} => &{names:?},", ident(&e.member(ordinal)?.name));
        seen.push(ordinal);
    }
    for m in e.members.iter().filter(|m| !seen.contains(&i64::from(m.ordinal))) {
        let _ = writeln!(out, "            Self::{} => &[],", ident(&m.name));
    }
    out += "        }\n    }\n\n";
    Ok(out)
}

/// The closed sets of words.
pub fn categories(spec: &Spec) -> Result<String> {
    let mut out = String::from("use super::define::category;\n\n");
    let mut push = |name: &str, meaning: &str, words: Vec<String>| -> Result<()> {
        let mut distinct: Vec<String> = Vec::new();
        for word in words {
            if !distinct.contains(&word) {
                distinct.push(word);
            }
        }
        let _ = writeln!(out, "category! {{\n    /// {meaning}.\n    {name} {{");
        for word in &distinct {
            if sanitized(&camel(word)).is_empty() {
                return Err(format!("{name}: `{word}` is no word"));
            }
            let _ = writeln!(out, "        /// `{word}`.\n        {} = {word:?};", camel(word));
        }
        out += "    }\n}\n\n";
        Ok(())
    };
    for (of, key, name, meaning) in meaning::CATEGORIES {
        let e = spec.find("bir", of)?;
        let words = e.members.iter().filter_map(|m| m.extra.get(*key)).filter_map(Value::as_str).map(str::to_owned);
        push(name, meaning, words.collect())?;
    }
    let column = |key: &str| spec.enums.iter().map(|e| e.str(key).map(str::to_owned)).collect::<Result<Vec<_>>>();
    push("Space", "Whose numbering an enum is", column("space")?)?;
    push("Shape", "How the ordinals of an enum lie", column("shape")?)?;
    push("JsonForm", "How documents write an enum", column("json")?)?;
    push("WireForm", "How an enum reaches the silicon", column("l3")?)?;
    let meta = spec.table.get("meta").and_then(Value::as_table).ok_or("spec/enums.toml: no [meta]")?;
    push(
        "Confidence",
        "How sure the specification is, surest first",
        super::model::strings(meta, "confidence_levels")?,
    )?;
    let kinds =
        spec.rows("opcode_emit")?.iter().map(|r| str_of(r, "emit").map(str::to_owned)).collect::<Result<_>>()?;
    push("EmitKind", "What the encoder makes of an opcode", kinds)?;
    Ok(out)
}
