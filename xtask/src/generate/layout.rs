//! `spec/layout.toml` and `spec/layout_private.toml` to the raw structs of Rust, their asserts, and the C++ structs.
use super::{Output, Result, spec};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

/// Structs written by hand (generic, or plain values inside vectors); for them only the asserts are generated.
const BY_HAND: &[(&str, &str)] = &[
    ("StdString", "super::StdString"),
    ("StdVector", "super::StdVector<u64>"),
    ("IlistNode", "super::IlistNode"),
    ("SymbolTable", "super::SymbolTable"),
    ("HashNode", "super::hash_node::HashNode"),
    ("APPair", "APPair"),
    ("EdgePtr", "EdgePtr"),
    ("AliasPtr", "AliasPtr"),
    ("QuasiAffineExpr", "QuasiAffineExpr"),
    ("MaybeAffine", "MaybeAffine"),
    ("SyncWait", "SyncWait"),
    ("SyncUpdate", "SyncUpdate"),
];

/// Rows that are one object in Rust: struct, first field, bytes, name and type there.
const MERGED: &[(&str, &str, u64, &str, &str)] = &[
    ("AccessPattern", "pattern_data", 0x50, "pattern", "SmallVector<APPair, 4>"),
    ("AccessPattern", "shape_data", 0x30, "shape", "SmallVector<u64, 4>"),
    ("ImmediateArray", "data", 0x50, "values", "SmallVector<i64, 8>"),
    ("MemoryLocation", "alias_begin", 0x18, "aliases", "AliasVector"),
];

/// Fields with another name in the `mem` room: struct, published name, name there.
const RENAMED: &[(&str, &str, &str)] =
    &[("StdString", "sso", "inline"), ("HashNode", "next", "link"), ("HashNode", "cached_hash", "hash")];

struct Field {
    offset: u64,
    size: u64,
    name: String,
    kind: String,
    confidence: String,
    note: String,
}

struct Struct {
    name: String,
    size: u64,
    size_confidence: String,
    min_size: u64,
    align: u64,
    notes: String,
    fields: Vec<Field>,
}

struct Private {
    offset: Option<u64>,
    size: u64,
    name: String,
    rust: String,
    note: String,
}

pub fn int(table: &toml::Table, key: &str) -> u64 {
    table.get(key).and_then(toml::Value::as_integer).and_then(|v| u64::try_from(v).ok()).unwrap_or(0)
}

pub fn string(table: &toml::Table, key: &str) -> String {
    table.get(key).and_then(toml::Value::as_str).unwrap_or_default().to_string()
}

pub fn rows<'a>(table: &'a toml::Table, key: &str) -> impl Iterator<Item = &'a toml::Table> {
    table.get(key).and_then(toml::Value::as_array).into_iter().flatten().filter_map(toml::Value::as_table)
}

pub fn snake(name: &str) -> String {
    let mut out = String::new();
    let chars: Vec<char> = name.chars().collect();
    for (i, c) in chars.iter().enumerate() {
        let boundary = c.is_uppercase()
            && i > 0
            && (chars[i - 1].is_lowercase() || chars.get(i + 1).is_some_and(|n| n.is_lowercase()));
        if boundary {
            out.push('_');
        }
        out.extend(c.to_lowercase());
    }
    out
}

/// Our own members, by struct.
type PrivateMembers = BTreeMap<String, Vec<Private>>;

fn read(root: &Path) -> Result<(Vec<Struct>, PrivateMembers)> {
    let layout = spec(root, "layout.toml")?;
    let mut structs = Vec::new();
    for table in rows(&layout, "struct") {
        let mut fields: Vec<Field> = rows(table, "field")
            .map(|f| Field {
                offset: int(f, "offset"),
                size: int(f, "size"),
                name: string(f, "name"),
                kind: string(f, "type"),
                confidence: string(f, "confidence"),
                note: string(f, "note"),
            })
            .collect();
        for base in rows(table, "bases") {
            let (name, offset) = (string(base, "name"), int(base, "offset"));
            if name == "SrcHandle" || fields.iter().any(|f| f.offset == offset) {
                continue;
            }
            fields.push(Field {
                offset,
                size: 0,
                name: snake(&name),
                kind: name,
                confidence: string(base, "confidence"),
                note: "base class".into(),
            });
        }
        fields.sort_by_key(|f| f.offset);
        structs.push(Struct {
            name: string(table, "name"),
            size: int(table, "size"),
            size_confidence: string(table, "size_confidence"),
            min_size: int(table, "min_size").max(int(table, "size")),
            align: int(table, "align"),
            notes: string(table, "notes"),
            fields,
        });
    }
    let sizes: BTreeMap<String, u64> = structs.iter().map(|s| (s.name.clone(), s.min_size)).collect();
    for s in &mut structs {
        for f in &mut s.fields {
            if f.size == 0 {
                f.size = *sizes.get(&f.kind).ok_or_else(|| format!("{}: unknown base {}", s.name, f.kind))?;
            }
        }
    }
    let mut private = PrivateMembers::new();
    for m in rows(&spec(root, "layout_private.toml")?, "member") {
        private.entry(string(m, "struct")).or_default().push(Private {
            offset: m.contains_key("offset").then(|| int(m, "offset")),
            size: int(m, "size"),
            name: string(m, "name"),
            rust: string(m, "rust"),
            note: string(m, "note"),
        });
    }
    Ok((structs, private))
}

fn is_struct(structs: &[Struct], name: &str) -> bool {
    structs.iter().any(|s| s.name == name)
}

/// The Rust type of a row.
fn rust_type(structs: &[Struct], owner: &str, kind: &str) -> Result<String> {
    let head = kind.split(' ').next().unwrap_or_default();
    let exact = match kind {
        "StdVector<LoopAxis*>" => "StdVector<Ptr<LoopAxis>>",
        "StdVector<Register*>" => "StdVector<Ptr<Register>>",
        "StdVector<AffinePredicate>" => "StdVector<AffinePredicate>",
        "StdVector<QuasiAffineExpr>" => "StdVector<QuasiAffineExpr>",
        "StdVector<pair<QuasiAffineExpr,i64>>" => "StdVector<ExprCoefficient>",
        "SmallVector<APPair,4>" => "SmallVector<APPair, 4>",
        "StdVector" => "StdVector<u64>",
        "QuasiAffineExpr" => "Cell<QuasiAffineExpr>",
        "std::map (rb-tree)" => "[Cell<u64>; 6]",
        "ptr<i32 MemoryType>" | "ptr<i32 TensorKind>" | "ptr<i32 TensorClass>" | "ptr<i32 MemoryAddressSpace>" => {
            "Link<Cell<i32>>"
        }
        "ptr<bool>" => "Link<Flag>",
        "ptr<u32>" => "Link<Cell<u32>>",
        "ptr<u64>" => "Link<Cell<u64>>",
        "atomic u64" => "Cell<u64>",
        "EdgePtr" => "Cell<EdgePtr>",
        _ => "",
    };
    if !exact.is_empty() {
        return Ok(exact.to_string());
    }
    if let Some(inner) = kind.strip_prefix("ptr<").and_then(|k| k.split('>').next()) {
        return Ok(if is_struct(structs, inner) { format!("Link<{inner}>") } else { "Cell<*mut ()>".into() });
    }
    if let Some((element, count)) = head.strip_suffix(']').and_then(|k| k.split_once('[')) {
        let element = if element == "ptr" { "*mut ()" } else { element };
        return Ok(format!("[Cell<{element}>; {count}]"));
    }
    let by_head = match head {
        "bool" => "Flag",
        "ptr" => "Cell<*mut ()>",
        "union" => "Cell<u64>",
        "opaque" => "UseSet",
        "u8" | "i32" | "u32" | "i64" | "u64" | "f32" => return Ok(format!("Cell<{head}>")),
        _ if is_struct(structs, head) => head,
        _ if head.starts_with("NamedObjectContainer") => "NamedObjectContainer",
        _ if head.starts_with("NamedObject") => "NamedObject",
        _ if head.starts_with("StdVector<tuple<") => "StdVector<UnrollDependency>",
        _ if head.starts_with("MaybeAffine") => "Cell<MaybeAffine>",
        _ if head.starts_with("SmallVectorHeader") => head,
        _ => return Err(format!("{owner}: no Rust type for `{kind}`")),
    };
    Ok(by_head.to_string())
}

fn asserted(confidence: &str) -> bool {
    matches!(confidence, "confirmed" | "strong")
}

fn doc(text: &str) -> String {
    text.replace('[', "\\[").replace(']', "\\]").replace('<', "\\<").replace('>', "\\>")
}

fn merged(owner: &str, field: &str) -> Option<&'static (&'static str, &'static str, u64, &'static str, &'static str)> {
    MERGED.iter().find(|m| m.0 == owner && m.1 == field)
}

fn rust(structs: &[Struct], private: &PrivateMembers, hash: u64) -> Result<String> {
    let mut out = String::from(
        "// Generated by `cargo xtask gen` from spec/layout.toml and spec/layout_private.toml. Do not edit.\n\n\
         //! The objects as C++ sees them: every offset of `spec/layout.toml`, asserted where it is confirmed or strong.\n\
         //! Members in gaps and tails that `spec/layout_private.toml` lists are the library's own.\n\
         #![allow(missing_docs, non_snake_case, clippy::doc_lazy_continuation)]\n\n\
         use super::pointer::{Flag, Link, Ptr};\nuse super::values::*;\nuse crate::mem::{IlistNode, SmallVector, SmallVectorHeader, StdString, StdVector, SymbolTable, Zeroable};\n\
         use core::cell::Cell;\n#[cfg(target_pointer_width = \"64\")]\nuse core::mem::{align_of, offset_of, size_of};\n\n",
    );
    writeln!(out, "/// A digest of every asserted row: two builds with equal digests agree on the memory layout.\npub const LAYOUT_HASH: u64 = {hash:#018x};\n").unwrap();
    for s in structs.iter().filter(|s| !BY_HAND.iter().any(|b| b.0 == s.name)) {
        let notes =
            if s.notes.is_empty() { String::new() } else { format!(" {}.", doc(s.notes.trim_end_matches('.'))) };
        writeln!(out, "/// `{}`: `spec/layout.md`.{notes}\n#[repr(C)]\npub struct {} {{", s.name, s.name).unwrap();
        let mut at = 0;
        let mine = private.get(&s.name).map(Vec::as_slice).unwrap_or_default();
        let mut skip_to = 0;
        for f in &s.fields {
            if f.offset < skip_to {
                continue;
            }
            gap(&mut out, &mut at, f.offset, mine);
            let (name, kind, size) = match merged(&s.name, &f.name) {
                Some(m) => (m.3.to_string(), m.4.to_string(), m.2),
                None => (f.name.clone(), rust_type(structs, &s.name, &f.kind)?, f.size),
            };
            let note = if f.note.is_empty() { String::new() } else { format!("; {}", doc(&f.note)) };
            writeln!(
                out,
                "    /// +{:#x}, {}: {}{note}.\n    pub(crate) {}: {kind},",
                f.offset,
                f.confidence,
                doc(&f.kind),
                ident(&name)
            )
            .unwrap();
            at = f.offset + size;
            skip_to = at;
        }
        gap(&mut out, &mut at, s.min_size, mine);
        for p in mine.iter().filter(|p| p.offset.is_none()) {
            if s.size != 0 {
                return Err(format!("{}: a private tail member in a struct of known size", s.name));
            }
            writeln!(out, "    /// Private: {}.\n    pub(crate) {}: {},", doc(private_note(p)), ident(&p.name), p.rust)
                .unwrap();
        }
        writeln!(out, "}}\n// SAFETY:\n// - every member is valid when all its bytes are zero;\n// - no member has a destructor.\nunsafe impl Zeroable for {} {{}}\n", s.name).unwrap();
    }
    out.push_str(&asserts(structs, private, false));
    Ok(out)
}

/// The asserts of the objects, or those of the `mem` room.
fn asserts(structs: &[Struct], private: &PrivateMembers, mem: bool) -> String {
    let mut out = String::from("#[cfg(target_pointer_width = \"64\")]\nconst _: () = {\n");
    for s in structs {
        let path = BY_HAND.iter().find(|b| b.0 == s.name).map_or(s.name.as_str(), |b| b.1);
        if path.starts_with("super::") != mem {
            continue;
        }
        if asserted(&s.size_confidence) && s.size != 0 {
            writeln!(out, "    assert!(size_of::<{path}>() == {:#x}, \"size of {}\");", s.size, s.name).unwrap();
        }
        writeln!(out, "    assert!(align_of::<{path}>() == {}, \"alignment of {}\");", s.align, s.name).unwrap();
        for f in s.fields.iter().filter(|f| asserted(&f.confidence)) {
            let Some(name) = rust_field(s, f) else { continue };
            writeln!(out, "    assert!(offset_of!({path}, {}) == {:#x}, \"{}::{}\");", name, f.offset, s.name, f.name)
                .unwrap();
        }
        for p in private.get(&s.name).map(Vec::as_slice).unwrap_or_default() {
            if let Some(offset) = p.offset {
                writeln!(out, "    assert!(offset_of!({path}, {}) == {offset:#x});", ident(&p.name)).unwrap();
            }
        }
    }
    out.push_str("};\n");
    out
}

/// The Rust name of a row; `None` for the later rows of a merged group, whose offsets the merged type asserts itself.
fn rust_field(s: &Struct, f: &Field) -> Option<String> {
    if let Some(m) = merged(&s.name, &f.name) {
        return Some(m.3.to_string());
    }
    if let Some(r) = RENAMED.iter().find(|r| r.0 == s.name && r.1 == f.name) {
        return Some(r.2.to_string());
    }
    let inside = MERGED.iter().any(|m| {
        let first = s.fields.iter().find(|x| m.0 == s.name && x.name == m.1);
        first.is_some_and(|x| f.offset > x.offset && f.offset < x.offset + m.2)
    });
    (!inside).then(|| ident(&f.name))
}

fn private_note(p: &Private) -> &str {
    if p.note.is_empty() { &p.name } else { &p.note }
}

fn ident(name: &str) -> String {
    if matches!(name, "type" | "move" | "ref") { format!("r#{name}") } else { name.to_string() }
}

/// Fills the bytes up to `end` with the private members that lie there and with padding.
fn gap(out: &mut String, at: &mut u64, end: u64, mine: &[Private]) {
    let mut inside: Vec<&Private> = mine.iter().filter(|p| p.offset.is_some_and(|o| o >= *at && o < end)).collect();
    inside.sort_by_key(|p| p.offset);
    for p in inside {
        let offset = p.offset.unwrap_or_default();
        padding(out, *at, offset);
        writeln!(
            out,
            "    /// +{offset:#x}, private: {}.\n    pub(crate) {}: {},",
            doc(private_note(p)),
            ident(&p.name),
            p.rust
        )
        .unwrap();
        *at = offset + p.size;
    }
    padding(out, *at, end);
    *at = (*at).max(end);
}

fn padding(out: &mut String, from: u64, to: u64) {
    if from < to {
        writeln!(out, "    pub(crate) gap_{from:x}: [Cell<u8>; {}],", to - from).unwrap();
    }
}

/// The C++ type and declarator suffix of a row.
fn cpp_type(structs: &[Struct], owner: &str, f: &Field) -> Result<(String, String)> {
    let kind = f.kind.as_str();
    let head = kind.split(' ').next().unwrap_or_default();
    let plain = |t: &str| Ok((t.to_string(), String::new()));
    if owner == "HashNode" && f.name == "value" {
        return plain("void *");
    }
    if let Some(inner) = kind.strip_prefix("ptr<").and_then(|k| k.strip_suffix('>').or(k.split('>').next())) {
        let first = inner.split(' ').next().unwrap_or_default();
        return match first {
            "u8" => plain("char *"),
            "u32" => plain("std::uint32_t *"),
            "u64" => plain("std::uint64_t *"),
            "i64" => plain("std::int64_t *"),
            "i32" => plain("std::int32_t *"),
            "bool" => plain("bool *"),
            _ if is_struct(structs, first) => plain(&format!("{first} *")),
            _ => plain("void *"),
        };
    }
    if let Some((element, count)) = head.strip_suffix(']').and_then(|k| k.split_once('[')) {
        let element = match element {
            "u8" => "unsigned char",
            "u64" => "std::uint64_t",
            "i64" => "std::int64_t",
            "ptr" => "void *",
            "APPair" => "APPair",
            other => return Err(format!("{owner}: no C++ array type for `{other}`")),
        };
        return Ok((element.to_string(), format!("[{count}]")));
    }
    match head {
        "ptr" => plain("void *"),
        "bool" => plain("bool"),
        "u8" => plain("std::uint8_t"),
        "i32" => plain("std::int32_t"),
        "u32" => plain("std::uint32_t"),
        "i64" => plain("std::int64_t"),
        "u64" | "atomic" => plain("std::uint64_t"),
        "union" if f.size == 8 => plain("std::uint64_t"),
        "f32" => plain("float"),
        "StdString" => plain("std::string"),
        _ if head.starts_with("NamedObjectContainer<") => {
            let element = kind.rsplit(',').next().unwrap_or_default().trim_end_matches('>');
            plain(&format!("NamedObjectContainer<{element}>"))
        }
        _ if head.starts_with("NamedObject<") => plain("NamedObject"),
        _ if kind == "StdVector<LoopAxis*>" => plain("std::vector<LoopAxis *>"),
        _ if kind == "StdVector<Register*>" => plain("std::vector<Register *>"),
        _ if kind == "StdVector<QuasiAffineExpr>" => plain("std::vector<QuasiAffineExpr>"),
        _ if head.starts_with("MaybeAffine<") => plain("MaybeAffine"),
        _ if is_struct(structs, head) => plain(head),
        // Types of other libraries and opaque members: the right number of bytes at the right alignment.
        _ if f.size.is_multiple_of(8) => Ok(("std::uint64_t".into(), format!("[{}]", f.size / 8))),
        _ => Ok(("unsigned char".into(), format!("[{}]", f.size))),
    }
}

fn cpp(structs: &[Struct], hash: u64) -> Result<String> {
    let mut out = String::from(
        "// Generated by `cargo xtask gen` from spec/layout.toml. Do not edit.\n//\n\
         // The objects of BIR as they lie in memory (x86-64 and other 64-bit little-endian targets, Itanium C++ ABI, libstdc++ with\n\
         // the C++11 string). A C++ program may cast an address from bir.h to these structs and read; it may look names up with\n\
         // std::unordered_map::find and iterate. It must not insert, erase, assign or free: the memory belongs to the module's arena.\n\
         // Offsets that are confirmed or strong are asserted; `reserved_*` bytes have no meaning here. Source: spec/layout.md.\n\
         #ifndef BIR_LAYOUT_HPP\n#define BIR_LAYOUT_HPP\n\n#include <cstddef>\n#include <cstdint>\n#include <string>\n#include <unordered_map>\n#include <vector>\n\n\
         namespace bir {\nnamespace layout {\n\n",
    );
    writeln!(out, "/// Digest of every asserted row; compare with bir_layout_hash() before casting.\nconstexpr std::uint64_t layout_hash = {hash:#018x}ULL;\n").unwrap();
    for s in structs.iter().filter(|s| s.name != "NamedObjectContainer") {
        writeln!(out, "struct {};", s.name).unwrap();
    }
    out.push('\n');
    for s in by_dependency(structs)? {
        let template = if s.name == "NamedObjectContainer" { "template <class T>\n" } else { "" };
        writeln!(out, "/// {}{}", s.name, if s.notes.is_empty() { String::new() } else { format!(": {}", s.notes) })
            .unwrap();
        writeln!(out, "{template}struct {} {{", s.name).unwrap();
        let mut at = 0;
        for f in &s.fields {
            if at < f.offset {
                writeln!(out, "  unsigned char reserved_{at:x}[{}];", f.offset - at).unwrap();
            }
            let (kind, suffix) = if s.name == "NamedObjectContainer" && f.name == "symtab" {
                ("std::unordered_map<std::string, T *>".to_string(), String::new())
            } else if f.kind == "NamedObjectContainer" {
                (format!("NamedObjectContainer<{}>", container_element(&s.name)?), String::new())
            } else {
                cpp_type(structs, &s.name, f)?
            };
            let space = if kind.ends_with('*') { "" } else { " " };
            let name = if f.name == "inline" { "inline_" } else { &f.name };
            writeln!(out, "  {kind}{space}{name}{suffix}; ///< +{:#x}, {}", f.offset, f.confidence).unwrap();
            at = f.offset + f.size;
        }
        if at < s.min_size {
            writeln!(out, "  unsigned char reserved_{at:x}[{}];", s.min_size - at).unwrap();
        }
        out.push_str("};\n");
        let path = if s.name == "NamedObjectContainer" {
            "NamedObjectContainer<Function>".to_string()
        } else {
            s.name.clone()
        };
        if asserted(&s.size_confidence) && s.size != 0 {
            writeln!(out, "static_assert(sizeof({path}) == {:#x}, \"size of {}\");", s.size, s.name).unwrap();
        }
        writeln!(out, "static_assert(alignof({path}) == {}, \"alignment of {}\");", s.align, s.name).unwrap();
        for f in s.fields.iter().filter(|f| asserted(&f.confidence)) {
            let name = if f.name == "inline" { "inline_" } else { &f.name };
            writeln!(out, "static_assert(offsetof({path}, {name}) == {:#x}, \"{}::{}\");", f.offset, s.name, f.name)
                .unwrap();
        }
        out.push('\n');
    }
    out.push_str(
        "static_assert(sizeof(std::string) == sizeof(StdString), \"std::string is the C++11 string of libstdc++\");\n\
         static_assert(sizeof(std::vector<void *>) == sizeof(StdVector), \"std::vector\");\n\
         static_assert(sizeof(std::unordered_map<std::string, void *>) == sizeof(SymbolTable), \"std::unordered_map\");\n\n\
         } // namespace layout\n} // namespace bir\n\n#endif // BIR_LAYOUT_HPP\n",
    );
    Ok(out)
}

/// Every struct behind those that it holds by value, else in the order of the table.
fn by_dependency(structs: &[Struct]) -> Result<Vec<&Struct>> {
    let mut rest: Vec<&Struct> = structs.iter().collect();
    let mut done: Vec<&Struct> = Vec::new();
    while !rest.is_empty() {
        let ready = |s: &Struct| {
            s.fields.iter().all(|f| {
                let head = f.kind.split([' ', '<', '[']).next().unwrap_or_default();
                let by_hand = f.kind.starts_with("StdVector<") || head == "StdString";
                by_hand || !is_struct(structs, head) || done.iter().any(|d| d.name == head)
            })
        };
        let next = rest.iter().position(|s| ready(s)).ok_or("layout.toml: structs that hold each other by value")?;
        done.push(rest.remove(next));
    }
    Ok(done)
}

/// What the container that a struct begins with holds.
fn container_element(owner: &str) -> Result<&'static str> {
    match owner {
        "FunctionHolder" => Ok("Function"),
        "BasicBlock" => Ok("Instruction"),
        "MemoryLocationSet" => Ok("MemoryLocation"),
        _ => Err(format!("{owner}: element of its container is not known")),
    }
}

/// FNV-1a over the asserted rows.
fn layout_hash(structs: &[Struct]) -> u64 {
    let mut text = String::new();
    for s in structs {
        if asserted(&s.size_confidence) {
            write!(text, "{}:{}:{};", s.name, s.size, s.align).unwrap();
        }
        for f in s.fields.iter().filter(|f| asserted(&f.confidence)) {
            write!(text, "{}.{}:{}:{}:{};", s.name, f.name, f.offset, f.size, f.kind).unwrap();
        }
    }
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3))
}

/// The raw structs of Rust and the C++ header.
pub fn outputs(root: &Path) -> Result<Vec<Output>> {
    let (structs, private) = read(root)?;
    for name in private.keys() {
        if !is_struct(&structs, name) {
            return Err(format!("layout_private.toml: no struct {name}"));
        }
    }
    let hash = layout_hash(&structs);
    Ok(vec![
        ("core/src/ir/raw/layout.rs".into(), rust(&structs, &private, hash)?),
        (
            "core/src/mem/layout_asserts.rs".into(),
            format!(
                "// Generated by `cargo xtask gen` from spec/layout.toml. Do not edit.\n\n\
                 //! The offsets of what this room lends to C++.\n\n\
                 #[cfg(target_pointer_width = \"64\")]\nuse core::mem::{{align_of, offset_of, size_of}};\n\n{}",
                asserts(&structs, &private, true)
            ),
        ),
        ("include/bir_layout.hpp".into(), cpp(&structs, hash)?),
    ])
}
