//! The schema as the generator needs it: the shapes of 2.24 and head merged into one, and field types parsed.
use super::super::Result;
use super::super::layout::{int, rows, string};
use std::collections::{BTreeMap, BTreeSet};
use toml::{Table, Value};

/// A field type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// nat, int, bool, string, f32.
    Plain(&'static str),
    Option(Box<Type>),
    List(Box<Type>),
    /// A record, union or enum of the core AST.
    Named(String),
    Proof,
}

#[derive(Clone, Debug)]
pub struct Field {
    pub name: String,
    pub kind: Type,
    /// Only the head schema has it.
    pub head: bool,
}

#[derive(Clone, Debug)]
pub struct Ctor {
    pub wire: u64,
    pub name: String,
    pub fields: Vec<Field>,
}

#[derive(Clone, Debug)]
pub enum Shape {
    Enum(Vec<String>),
    /// The constructor byte, the counted fields in 2.24 and in head, the fields.
    Struct(u64, [u64; 2], Vec<Field>),
    Union(Vec<Ctor>),
}

#[derive(Clone, Debug)]
pub struct Row {
    pub ast: String,
    pub name: String,
    pub tag: u64,
    pub shape: Shape,
}

/// A kernel of a front-end AST, as a file's contents may hold it.
pub struct FrontEnd {
    pub wire: u64,
    pub name: String,
    pub tag: u64,
    pub arity: u64,
    pub schemas: String,
}

pub struct Schema {
    /// The types of a file and of the core AST, in the order of the table.
    pub rows: Vec<Row>,
    pub front_ends: Vec<FrontEnd>,
}

fn parse(text: &str) -> Result<Type> {
    let inner = |prefix: &str| text.strip_prefix(prefix).and_then(|t| t.strip_suffix('>'));
    if let Some(inner) = inner("option<") {
        return Ok(Type::Option(Box::new(parse(inner)?)));
    }
    if let Some(inner) = inner("list<") {
        return Ok(Type::List(Box::new(parse(inner)?)));
    }
    Ok(match text {
        "nat" => Type::Plain("nat"),
        "int" => Type::Plain("int"),
        "bool" => Type::Plain("bool"),
        "string" => Type::Plain("string"),
        "f32" => Type::Plain("f32"),
        "proof" => Type::Proof,
        _ => {
            let name = text.strip_prefix("core.").unwrap_or(text);
            if !name.bytes().all(|b| b.is_ascii_alphanumeric()) {
                return Err(format!("klr_schema.toml: no type `{text}`"));
            }
            Type::Named(name.into())
        }
    })
}

fn fields(table: &Table) -> Result<Vec<Field>> {
    rows(table, "fields")
        .map(|f| Ok(Field { name: string(f, "name"), kind: parse(&string(f, "type"))?, head: false }))
        .collect()
}

/// The fields of head, of which those that 2.24 lacks are marked. The others must be those of 2.24, in their order.
fn merge(name: &str, old: &[Field], new: Vec<Field>) -> Result<Vec<Field>> {
    let mut rest = old.iter().peekable();
    let merged: Vec<Field> = new
        .into_iter()
        .map(|field| {
            let same = rest.next_if(|o| o.name == field.name && o.kind == field.kind).is_some();
            Field { head: !same, ..field }
        })
        .collect();
    match rest.next() {
        Some(lost) => Err(format!("klr_schema.toml: {name}.{} of 2.24 has no place in head", lost.name)),
        None => Ok(merged),
    }
}

fn schemas(row: &Table) -> Vec<&str> {
    row.get("schemas").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect()
}

impl Schema {
    pub fn read(table: &Table) -> Result<Schema> {
        let all: Vec<&Table> = rows(table, "type").collect();
        let current = |schema: &str, row: &&&Table| {
            schemas(row).contains(&schema) && matches!(string(row, "ast").as_str(), "file" | "core")
        };
        let old: BTreeMap<String, &Table> =
            all.iter().filter(|r| current("2.24", r)).map(|r| (string(r, "name"), *r)).collect();
        let mut parsed = Vec::new();
        let mut front_ends = Vec::new();
        for new in all.iter().filter(|r| current("head", r)) {
            let name = string(new, "name");
            let old = old.get(&name).ok_or(format!("klr_schema.toml: {name} is in head only"))?;
            if int(old, "tag") != int(new, "tag") {
                return Err(format!("klr_schema.toml: {name} has two tags"));
            }
            let shape = match string(new, "kind").as_str() {
                "enum" => {
                    let members = new.get("members").and_then(Value::as_array).into_iter().flatten();
                    Shape::Enum(members.filter_map(Value::as_str).map(String::from).collect())
                }
                "struct" => {
                    let arity = [int(old, "arity"), int(new, "arity")];
                    Shape::Struct(int(new, "ctor"), arity, merge(&name, &fields(old)?, fields(new)?)?)
                }
                "union" => {
                    let mut ctors = Vec::new();
                    for ctor in rows(new, "ctors") {
                        let (wire, ctor_name) = (int(ctor, "wire"), string(ctor, "name"));
                        // A front-end AST is named, not read.
                        let held = rows(ctor, "fields").next().map(|f| string(f, "type")).unwrap_or_default();
                        match held.split_once('.') {
                            Some((ast, kernel)) if ast != "core" => {
                                front_ends.extend(front_end(&all, ast, kernel, wire));
                            }
                            _ => ctors.push(Ctor { wire, name: ctor_name, fields: fields(ctor)? }),
                        }
                    }
                    Shape::Union(ctors)
                }
                kind => return Err(format!("klr_schema.toml: {name} is a {kind}")),
            };
            parsed.push(Row { ast: string(new, "ast"), name, tag: int(new, "tag"), shape });
        }
        Ok(Schema { rows: parsed, front_ends })
    }

    pub fn row(&self, name: &str) -> Result<&Row> {
        self.rows.iter().find(|r| r.name == name).ok_or(format!("klr_schema.toml: no type {name}"))
    }

    /// The types that a file can hold: those of the envelope, and what they lead to.
    pub fn reachable(&self) -> Result<Vec<&Row>> {
        let mut seen = BTreeSet::new();
        let mut open: Vec<&Row> = self.rows.iter().filter(|r| r.ast == "file").collect();
        while let Some(row) = open.pop() {
            if seen.insert(row.name.as_str()) {
                for name in row.types().into_iter().filter_map(|t| t.named()) {
                    open.push(self.row(name)?);
                }
            }
        }
        Ok(self.rows.iter().filter(|r| seen.contains(r.name.as_str())).collect())
    }

    /// Whether the Rust type borrows from the file or the arena.
    pub fn borrows(&self, kind: &Type) -> Result<bool> {
        Ok(match kind {
            Type::Plain(name) => *name == "string",
            Type::List(_) => true,
            Type::Option(inner) => self.borrows(inner)?,
            Type::Proof => false,
            Type::Named(name) => self.row_borrows(self.row(name)?)?,
        })
    }

    pub fn row_borrows(&self, row: &Row) -> Result<bool> {
        match &row.shape {
            Shape::Enum(_) => Ok(false),
            Shape::Struct(_, _, fields) => {
                fields.iter().try_fold(false, |borrows, f| Ok(borrows || self.borrows(&f.kind)?))
            }
            Shape::Union(ctors) => ctors
                .iter()
                .flat_map(|c| &c.fields)
                .try_fold(false, |borrows, f| Ok(borrows || self.is_record(&f.kind)? || self.borrows(&f.kind)?)),
        }
    }

    /// Whether the type is a record, which a union holds by reference.
    pub fn is_record(&self, kind: &Type) -> Result<bool> {
        let Type::Named(name) = kind else { return Ok(false) };
        Ok(matches!(self.row(name)?.shape, Shape::Struct(..)))
    }
}

impl Row {
    fn types(&self) -> Vec<&Type> {
        match &self.shape {
            Shape::Enum(_) => Vec::new(),
            Shape::Struct(_, _, fields) => fields.iter().map(|f| &f.kind).collect(),
            Shape::Union(ctors) => ctors.iter().flat_map(|c| &c.fields).map(|f| &f.kind).collect(),
        }
    }
}

impl Type {
    fn named(&self) -> Option<&str> {
        match self {
            Type::Named(name) => Some(name),
            Type::Option(inner) | Type::List(inner) => inner.named(),
            Type::Plain(_) | Type::Proof => None,
        }
    }
}

fn front_end(all: &[&Table], ast: &str, kernel: &str, wire: u64) -> Vec<FrontEnd> {
    all.iter()
        .filter(|r| string(r, "ast") == ast && string(r, "name") == kernel)
        .map(|r| FrontEnd {
            wire,
            name: ast.into(),
            tag: int(r, "tag"),
            arity: int(r, "arity"),
            schemas: schemas(r).join(", "),
        })
        .collect()
}
