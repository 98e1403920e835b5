//! `spec/enums.toml` as Rust values, checked as far as the generated code relies on it.

use super::super::Result;
use super::text;
use std::collections::BTreeSet;
use toml::{Table, Value};

pub struct Spec {
    pub enums: Vec<Enum>,
    pub table: Table,
}

pub struct Enum {
    pub id: usize,
    pub name: String,
    pub space: String,
    pub count: i64,
    pub complete: bool,
    pub members: Vec<Member>,
    /// The entry without its members.
    pub table: Table,
}

pub struct Member {
    pub name: String,
    pub ordinal: i32,
    /// Every other key.
    pub extra: Table,
}

impl Spec {
    pub fn read(table: &Table) -> Result<Self> {
        let mut spec = Spec { enums: Vec::new(), table: table.clone() };
        for (id, row) in spec.rows("enum")?.into_iter().enumerate() {
            spec.enums.push(Enum::read(id, row)?);
        }
        let names: BTreeSet<_> = spec.enums.iter().map(|e| (&e.space, &e.name)).collect();
        if names.len() != spec.enums.len() {
            return Err("spec/enums.toml: an enum is listed twice".into());
        }
        Ok(spec)
    }

    /// The rows of a `[[name]]` array.
    pub fn rows(&self, name: &str) -> Result<Vec<Table>> {
        let rows = self.table.get(name).and_then(Value::as_array).ok_or(format!("spec/enums.toml: no [[{name}]]"))?;
        rows.iter().map(|r| r.as_table().cloned().ok_or(format!("[[{name}]]: not a table"))).collect()
    }

    pub fn find(&self, space: &str, name: &str) -> Result<&Enum> {
        let found = self.enums.iter().find(|e| e.space == space && e.name == name);
        found.ok_or_else(|| format!("spec/enums.toml: no enum {space}.{name}"))
    }
}

impl Enum {
    fn read(id: usize, mut table: Table) -> Result<Self> {
        let name = str_of(&table, "name")?.to_owned();
        let mut members = Vec::new();
        if let Some(rows) = table.remove("member") {
            for row in rows.as_array().into_iter().flatten() {
                let mut extra = row.as_table().cloned().ok_or(format!("{name}: a member is no table"))?;
                let member_name = str_of(&extra, "name")?.to_owned();
                let ordinal = int_of(&extra, "ordinal")?;
                let ordinal =
                    i32::try_from(ordinal).map_err(|_| format!("{name}.{member_name}: {ordinal} needs 64 bits"))?;
                extra.remove("name");
                extra.remove("ordinal");
                members.push(Member { name: member_name, ordinal, extra });
            }
        }
        let count = int_of(&table, "count")?;
        let complete = table.get("roster").is_none();
        let distinct = |set: BTreeSet<String>, what: &str| {
            if set.len() == members.len() { Ok(()) } else { Err(format!("{name}: two members share {what}")) }
        };
        distinct(members.iter().map(|m| m.name.clone()).collect(), "a name")?;
        distinct(members.iter().map(|m| text::ident(&m.name)).collect(), "an identifier")?;
        // The generated types have constants of these names, which a member would hide.
        if let Some(m) =
            members.iter().find(|m| ["ID", "INFO", "MEMBERS", "DEFAULT"].contains(&text::ident(&m.name).as_str()))
        {
            return Err(format!("{name}: no member can be called {}", m.name));
        }
        if !members.windows(2).all(|pair| pair[0].ordinal < pair[1].ordinal) {
            return Err(format!("{name}: ordinals do not rise"));
        }
        if complete && members.len() as i64 != count {
            return Err(format!("{name}: {} members listed, count says {count}", members.len()));
        }
        Ok(Enum { id, space: str_of(&table, "space")?.into(), name, count, complete, members, table })
    }

    /// The name of its id constant: bare for bir, with the space for the others.
    pub fn constant(&self) -> String {
        let name = text::upper_snake(&self.name);
        if self.space == "bir" { name } else { format!("{}_{name}", self.space.to_uppercase()) }
    }

    pub fn str(&self, key: &str) -> Result<&str> {
        str_of(&self.table, key).map_err(|e| format!("{}: {e}", self.name))
    }

    pub fn notes(&self) -> Result<Vec<String>> {
        strings(&self.table, "notes")
    }

    /// The member with this ordinal.
    pub fn member(&self, ordinal: i64) -> Result<&Member> {
        let found = self.members.iter().find(|m| i64::from(m.ordinal) == ordinal);
        found.ok_or_else(|| format!("{}: no member {ordinal}", self.name))
    }

    /// The path of a member in generated Rust, from inside the room.
    pub fn path(&self, ordinal: i64) -> Result<String> {
        Ok(format!("{}::{}::{}", self.space, self.name, text::ident(&self.member(ordinal)?.name)))
    }

    /// The keys that members have beside ordinal and name, by first appearance.
    pub fn keys(&self) -> Vec<String> {
        let mut keys: Vec<String> = Vec::new();
        for key in self.members.iter().flat_map(|m| m.extra.keys()) {
            if !keys.contains(key) {
                keys.push(key.clone());
            }
        }
        keys.sort();
        keys
    }

    /// The constructor's value, else 0 where it is a member.
    pub fn default(&self) -> Result<Option<i32>> {
        let ordinal = match self.table.get("ctor_default") {
            Some(v) => Some(v.as_integer().ok_or(format!("{}: ctor_default is no integer", self.name))?),
            None => self.members.iter().any(|m| m.ordinal == 0).then_some(0),
        };
        ordinal.map(|o| self.member(o).map(|m| m.ordinal)).transpose()
    }

    /// Whether members have silicon bytes.
    pub fn has_wire(&self) -> bool {
        self.members
            .iter()
            .any(|m| ["l3_core_v2v3", "l3_core_v3", "l3_core_v4"].iter().any(|k| m.extra.contains_key(*k)))
    }

    /// The silicon byte on CoreV2, CoreV3 and CoreV4. Without a CoreV4 column the generations agree
    /// (`l3_generation_note` of the specification).
    pub fn wire(&self, member: &Member) -> Result<[Option<u8>; 3]> {
        let v4_column = self.members.iter().any(|m| m.extra.contains_key("l3_core_v4"));
        let get = |key: &str| -> Result<Option<u8>> {
            let Some(value) = member.extra.get(key) else { return Ok(None) };
            let byte = value.as_integer().and_then(|v| u8::try_from(v).ok());
            byte.map(Some).ok_or(format!("{}.{}: {key} is no byte", self.name, member.name))
        };
        let both = get("l3_core_v2v3")?;
        let v3 = get("l3_core_v3")?;
        if both.is_some() && v3.is_some() {
            return Err(format!("{}.{}: two columns for CoreV3", self.name, member.name));
        }
        let v4 = if v4_column { get("l3_core_v4")? } else { both };
        let bytes = [both, both.or(v3), v4];
        let columns: &[(&str, Option<u8>)] =
            &[("l3_core_v2v3_status", both), ("l3_core_v4_status", get("l3_core_v4")?)];
        for (key, byte) in columns {
            match member.extra.get(*key).map(Value::as_str) {
                None => {}
                Some(Some("no wire byte")) if byte.is_none() => {}
                Some(other) => return Err(format!("{}.{}: {key} = {other:?} beside {byte:?}", self.name, member.name)),
            }
        }
        Ok(bytes)
    }
}

pub fn str_of<'a>(table: &'a Table, key: &str) -> Result<&'a str> {
    table.get(key).and_then(Value::as_str).ok_or(format!("no text `{key}`"))
}

/// The text, empty if there is none.
pub fn str_or_empty<'a>(table: &'a Table, key: &str) -> Result<&'a str> {
    if table.contains_key(key) { str_of(table, key) } else { Ok("") }
}

pub fn int_of(table: &Table, key: &str) -> Result<i64> {
    table.get(key).and_then(Value::as_integer).ok_or(format!("no integer `{key}`"))
}

/// The integers of a list, empty if there is none.
pub fn ints(table: &Table, key: &str) -> Result<Vec<i64>> {
    let Some(value) = table.get(key) else { return Ok(Vec::new()) };
    let items = value.as_array().ok_or(format!("`{key}` is no list"))?;
    items.iter().map(|v| v.as_integer().ok_or(format!("`{key}` holds no integer"))).collect()
}

/// The texts of a list, empty if there is none.
pub fn strings(table: &Table, key: &str) -> Result<Vec<String>> {
    let Some(value) = table.get(key) else { return Ok(Vec::new()) };
    let items = value.as_array().ok_or(format!("`{key}` is no list"))?;
    items.iter().map(|v| v.as_str().map(str::to_owned).ok_or(format!("`{key}` holds no text"))).collect()
}
