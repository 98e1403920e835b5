//! The rows that the macros of `core/src/klr/define.rs` turn into types.
use super::super::Result;
use super::super::enums::text::{camel, ident};
use super::super::layout::{rows, snake, string};
use super::model::{Ctor, Field, Row, Schema, Shape, Type};
use std::fmt::Write;
use toml::Table;

/// Types that a visitor may take as a whole, and the method that gets them.
const HOOKS: &[(&str, &str)] = &[
    ("TensorName", "tensor_name"),
    ("Slice", "slice"),
    ("AccessBasic", "access_basic"),
    ("APPair", "pair"),
    ("Access", "access"),
];

/// The record that recurs in nearly every operand: read once and referred to, by the decoder's method of that name.
const SHARED: (&str, &str) = ("TensorName", "tensor");

/// `core/src/klr/ast.rs`.
pub fn ast(schema: &Schema, enums: &Table) -> Result<String> {
    let reachable = schema.reachable()?;
    let members: Vec<&str> =
        reachable.iter().filter(|r| matches!(r.shape, Shape::Enum(_))).map(|r| r.name.as_str()).collect();
    let mut out = format!(
        "//! The records of a KLR file as Rust values. Texts are borrowed from the file, lists and records that others refer\n\
         //! to lie in the [`Arena`](crate::klr::Arena); every value is `Copy`.\n\
         //!\n\
         //! One set of types serves the schemas 2.24 and head. A field that only head has is an `Option`, `None` in 2.24.\n\
         //! Enums are those of [`crate::enums::klr`]. Source: `spec/klr_schema.toml`; what the records mean: `spec/klr.md`.\n\n\
         use super::define::{{member, record, union}};\n\
         use crate::enums::klr::{{{}}};\n\n",
        members.join(", ")
    );
    for row in reachable {
        let hook = HOOKS.iter().find(|(name, _)| *name == row.name);
        let mut hook = hook.map(|(_, method)| format!(" via {method}")).unwrap_or_default();
        let name = &row.name;
        if name == SHARED.0 {
            write!(hook, " shared {}", SHARED.1).unwrap();
        }
        let life = if schema.row_borrows(row)? { "<'a>" } else { "" };
        match &row.shape {
            Shape::Enum(members) => {
                same_members(name, members, enums)?;
                writeln!(out, "member! {{ {name}, {} }}\n", row.tag).unwrap();
            }
            Shape::Struct(ctor, arity, fields) => {
                let counted = match arity {
                    [1, 1] => "1 counted field".into(),
                    [old, new] if old == new => format!("{old} counted fields"),
                    [old, new] => format!("{old} counted fields in schema 2.24, {new} in head"),
                };
                let head = format!("{name}{life}{hook}, {}, {ctor}, \"\", [{}, {}]", row.tag, arity[0], arity[1]);
                writeln!(out, "record! {{\n    /// Record {}, {counted}.\n    {head} {{", row.tag).unwrap();
                out.push_str(&field_rows(schema, fields)?);
                out.push_str("    }\n}\n\n");
            }
            Shape::Union(ctors) => match ctors.as_slice() {
                [only] if only.fields.len() > 1 => out.push_str(&single(schema, row, only, life)?),
                _ => {
                    writeln!(out, "union! {{\n    /// Union {}.\n    {name}{life}{hook}, {} {{", row.tag, row.tag)
                        .unwrap();
                    for ctor in ctors {
                        out.push_str(&ctor_row(schema, name, ctor)?);
                    }
                    out.push_str("    }\n}\n\n");
                }
            },
        }
    }
    out.truncate(out.trim_end().len());
    out.push('\n');
    Ok(out)
}

/// A union with one constructor of several fields is a struct in Rust.
fn single(schema: &Schema, row: &Row, ctor: &Ctor, life: &str) -> Result<String> {
    let Row { name, tag, .. } = row;
    let count = ctor.fields.len();
    let mut out = format!(
        "record! {{\n    /// Union {tag}, of which `{}` is the only constructor: {count} fields.\n    \
         {name}{life}, {tag}, {}, \"{}\", [{count}, {count}] {{\n",
        ctor.name, ctor.wire, ctor.name
    );
    out.push_str(&field_rows(schema, &ctor.fields)?);
    out.push_str("    }\n}\n\n");
    Ok(out)
}

/// `name: Type = mode "wire name";`. The mode says where the field exists: `plain`, `head_only` (and required there),
/// `head_option`, `proofs N` (N proof fields follow it).
fn field_rows(schema: &Schema, fields: &[Field]) -> Result<String> {
    let mut out = String::new();
    for (i, field) in fields.iter().enumerate().filter(|(_, f)| f.kind != Type::Proof) {
        let proofs = fields.iter().skip(i + 1).take_while(|f| f.kind == Type::Proof).count();
        let mut rust = rust_type(schema, &field.kind)?;
        if field.kind == Type::Named(SHARED.0.into()) {
            rust = format!("&'a {rust}");
        }
        let mode = match (proofs, field.head, &field.kind) {
            (0, false, _) => "plain".into(),
            (0, true, Type::Option(_)) => "head_option".into(),
            (0, true, _) => {
                rust = format!("Option<{rust}>");
                "head_only".into()
            }
            (1 | 2, false, _) => format!("proofs{proofs}"),
            _ => return Err(format!("klr_schema.toml: proof fields behind {} have no mode", field.name)),
        };
        let only = if field.head { ", in schema head only" } else { "" };
        writeln!(out, "        /// `{}`: `{}`{only}.", field.name, schema_type(&field.kind)).unwrap();
        writeln!(out, "        {}: {rust} = {mode} \"{}\";", ident(&snake(&field.name)), field.name).unwrap();
    }
    if fields.first().is_some_and(|f| f.kind == Type::Proof) {
        return Err("klr_schema.toml: a record begins with a proof field".into());
    }
    Ok(out)
}

fn ctor_row(schema: &Schema, union: &str, ctor: &Ctor) -> Result<String> {
    let variant = camel(&ctor.name);
    let Ctor { wire, name, fields } = ctor;
    let doc = format!("        /// `{name}`, constructor {wire}, ordinal {}.\n", wire + 1);
    match fields.as_slice() {
        [] => Ok(format!("{doc}        {variant} = {wire}, \"{name}\";\n")),
        [field] => {
            let mut rust = rust_type(schema, &field.kind)?;
            if schema.is_record(&field.kind)? {
                rust = format!("&'a {rust}");
            }
            Ok(format!("{doc}        {variant}({rust}) = {wire}, \"{name}\";\n"))
        }
        _ => Err(format!("klr_schema.toml: {union}.{name} has several fields")),
    }
}

fn rust_type(schema: &Schema, kind: &Type) -> Result<String> {
    Ok(match kind {
        Type::Plain(name) => match *name {
            "nat" => "u64",
            "int" => "i64",
            "string" => "&'a str",
            other => other,
        }
        .into(),
        Type::Option(inner) => format!("Option<{}>", rust_type(schema, inner)?),
        Type::List(inner) => format!("&'a [{}]", rust_type(schema, inner)?),
        Type::Named(name) => format!("{name}{}", if schema.borrows(kind)? { "<'a>" } else { "" }),
        Type::Proof => return Err("klr_schema.toml: a proof field has no value".into()),
    })
}

fn schema_type(kind: &Type) -> String {
    match kind {
        Type::Plain(name) => (*name).into(),
        Type::Option(inner) => format!("option<{}>", schema_type(inner)),
        Type::List(inner) => format!("list<{}>", schema_type(inner)),
        Type::Named(name) => name.clone(),
        Type::Proof => "proof".into(),
    }
}

/// The enum is taken from `spec/enums.toml`, so both tables must agree: ordinal = wire + 1.
fn same_members(name: &str, members: &[String], enums: &Table) -> Result<()> {
    let row = rows(enums, "enum").find(|e| string(e, "space") == "klr" && string(e, "name") == name);
    let row = row.ok_or(format!("enums.toml: no klr enum {name}"))?;
    let listed: Vec<(i64, String)> = rows(row, "member")
        .map(|m| (m.get("ordinal").and_then(toml::Value::as_integer).unwrap_or(-1), string(m, "name")))
        .collect();
    let wanted: Vec<(i64, String)> = (1..).zip(members.iter().cloned()).collect();
    if listed != wanted {
        return Err(format!("klr_schema.toml and enums.toml disagree on klr.{name}: {wanted:?} and {listed:?}"));
    }
    Ok(())
}

/// `core/src/klr/names.rs`.
pub fn names(schema: &Schema) -> Result<String> {
    let mut out = String::from(
        "use super::front_end::FrontEnd;\n\n\
         /// The records of the core AST and their numbers, for messages.\n\
         pub(super) const RECORDS: &[(u8, &str)] = &[\n",
    );
    for row in schema.reachable()?.iter().filter(|r| r.name != "KLRFile") {
        writeln!(out, "    ({}, \"{}\"),", row.tag, row.name).unwrap();
    }
    out.push_str(
        "];\n\n/// The kernels of the front ends that the contents of a file may be.\n\
         pub(super) const FRONT_ENDS: &[FrontEnd] = &[\n",
    );
    for f in &schema.front_ends {
        writeln!(
            out,
            "    FrontEnd {{ ctor: {}, name: \"{}\", tag: {}, arity: {}, schemas: \"{}\" }},",
            f.wire, f.name, f.tag, f.arity, f.schemas
        )
        .unwrap();
    }
    out.push_str("];\n");
    Ok(out)
}
