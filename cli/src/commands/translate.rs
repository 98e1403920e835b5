//! `bir translate`: the bridges from klr to bir, since the two number, count and spell the same ideas differently.

use super::enums::{by_name_or_number, full_name};
use crate::args::{Translate, number};
use crate::console::Console;
use crate::fault::Outcome;
use crate::report::Report;
use crate::suggest;
use crate::table::Table;
use bir_core::enums::crosswalk::{ACTIVATION, CROSSWALKS, Crosswalk, KLR_MAPS, OutOfRange};
use bir_core::enums::{EnumInfo, MemberInfo};
use bir_core::{Error, ErrorCode};
use serde_json::{Value, json};

/// Translates one member, or shows what can be translated.
pub fn run(args: &Translate, console: &Console) -> Outcome<Report> {
    let Some(name) = &args.relation else { return Ok(all(console)) };
    let relation = relation(name)?;
    Ok(match &args.value {
        None => table(relation, console),
        Some(value) if args.inverse => inverse(relation, value)?,
        Some(value) => forward(relation, value)?,
    })
}

fn relations() -> impl Iterator<Item = &'static Crosswalk> {
    CROSSWALKS.iter().chain(KLR_MAPS).copied()
}

/// The short name: the klr enum's in the style of the command line.
fn short(relation: &Crosswalk) -> String {
    if std::ptr::eq(relation, &ACTIVATION) {
        return String::from("activation");
    }
    let name = relation.klr_name.trim_start_matches("nat ");
    name.chars().enumerate().fold(String::new(), |mut out, (i, c)| {
        if c.is_ascii_uppercase() && i > 0 {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
        out
    })
}

/// The names that a relation answers to. Those of klr come first, because two relations may share their bir enum.
fn relation(name: &str) -> Result<&'static Crosswalk, Error> {
    let of_klr = |r: &&Crosswalk| {
        let klr = r.klr_name.trim_start_matches("nat ");
        short(r) == name || klr == name || name.strip_prefix("klr.") == Some(klr) || r.name == name
    };
    let of_bir = |r: &&Crosswalk| {
        let bir = r.bir_enum.info().name;
        bir == name || name.strip_prefix("bir.") == Some(bir)
    };
    relations().find(of_klr).or_else(|| relations().find(of_bir)).ok_or_else(|| {
        let shorts: Vec<String> = relations().map(short).collect();
        let names = shorts.iter().map(String::as_str).chain(relations().map(|r| r.klr_name));
        suggest::unknown("translation", name, names, "`bir translate` lists them")
    })
}

fn klr_member(relation: &Crosswalk, ordinal: u32) -> Option<&'static MemberInfo> {
    relation.klr_enum?.info().by_ordinal(i64::from(ordinal)).ok()
}

/// The name of the klr side with its space. One relation begins at a plain number, which the specification marks `nat`.
fn klr_name(relation: &Crosswalk) -> String {
    format!("klr.{}", relation.klr_name.trim_start_matches("nat "))
}

/// `name (ordinal)`, or the number alone.
fn spelled(member: Option<&MemberInfo>, ordinal: u32) -> String {
    member.map_or_else(|| ordinal.to_string(), |m| format!("{} ({ordinal})", m.name))
}

fn bir(info: &EnumInfo, member: &MemberInfo) -> String {
    format!("{} {} ({})", full_name(info), member.name, member.ordinal)
}

fn member(info: &EnumInfo, member: &MemberInfo) -> Value {
    json!({ "enum": full_name(info), "name": member.name, "ordinal": member.ordinal })
}

fn klr_json(relation: &Crosswalk, ordinal: u32) -> Value {
    let name = klr_member(relation, ordinal).map(|m| m.name);
    json!({ "enum": klr_name(relation), "name": name, "ordinal": ordinal })
}

fn forward(relation: &Crosswalk, value: &str) -> Result<Report, Error> {
    let ordinal = match (number(value), relation.klr_enum) {
        (Some(number), _) => u32::try_from(number).map_err(|_| {
            Error::new(ErrorCode::BadValue, "a klr ordinal is out of range").expected_found("0..=4294967295", number)
        })?,
        (None, Some(klr)) => {
            let ordinal = klr.info().by_name(value)?.ordinal;
            u32::try_from(ordinal)
                .map_err(|_| Error::new(ErrorCode::Internal, "a klr member has a negative ordinal"))?
        }
        (None, None) => {
            let message = format!("klr has no names for {}", short(relation));
            return Err(Error::new(ErrorCode::BadValue, message).expected_found("a number", format_args!("`{value}`")));
        }
    };
    let info = relation.bir_enum.info();
    let found = info.by_ordinal(i64::from(relation.translate(ordinal)?))?;
    let soft = !relation.pairs.iter().any(|(klr, _)| *klr == ordinal);
    let klr = spelled(klr_member(relation, ordinal), ordinal);
    let note = if soft { format!("  [soft default: {ordinal} is not in the table]") } else { String::new() };
    let text = format!("{} {klr} -> {}{note}\n", klr_name(relation), bir(info, found));
    let json = json!({
        "kind": "translate", "relation": relation.name, "klr": klr_json(relation, ordinal), "bir": member(info, found),
        "soft_default": soft,
    });
    Ok(Report::new(text, json))
}

fn inverse(relation: &Crosswalk, value: &str) -> Result<Report, Error> {
    let info = relation.bir_enum.info();
    let found = by_name_or_number(info, value)?;
    let sources: Vec<u32> = relation.sources(found.ordinal).collect();
    let soft = relation.out_of_range == OutOfRange::Default(found.ordinal);
    let names: Vec<String> = sources.iter().map(|klr| spelled(klr_member(relation, *klr), *klr)).collect();
    let from = match names.is_empty() {
        true => String::from("unreachable"),
        false => format!("{} {}", klr_name(relation), names.join(", ")),
    };
    let note = if soft { "  [soft default of every other klr number]" } else { "" };
    let text = format!("{} <- {from}{note}\n", bir(info, found));
    let klr: Vec<Value> = sources.iter().map(|klr| klr_json(relation, *klr)).collect();
    let json = json!({
        "kind": "translate-inverse", "relation": relation.name, "bir": member(info, found), "klr": klr,
        "reachable": !sources.is_empty(), "soft_default": soft,
    });
    Ok(Report::new(text, json))
}

fn table(relation: &Crosswalk, console: &Console) -> Report {
    let info = relation.bir_enum.info();
    let name_of = |bir: i32| info.by_ordinal(i64::from(bir)).map_or("-", |m| m.name);
    let mut table = Table::new(["KLR", &klr_name(relation), "BIR", &full_name(info)]);
    for (klr, bir) in relation.pairs {
        let name = klr_member(relation, *klr).map_or("-", |m| m.name);
        table.row([klr.to_string().as_str(), name, &bir.to_string(), name_of(*bir)]);
    }
    let mut text = table.render(console, "");
    for (klr, message) in relation.rejected {
        text += &format!("{} is refused: {message}\n", spelled(klr_member(relation, *klr), *klr));
    }
    let other = match relation.out_of_range {
        OutOfRange::Error(message) => format!("error: {message}"),
        OutOfRange::Default(bir) => format!("{} ({bir})", name_of(bir)),
    };
    text += &format!("any other number: {other}\n");
    if !relation.unreachable.is_empty() {
        let names: Vec<&str> = relation.unreachable.iter().map(|bir| name_of(*bir)).collect();
        text += &format!("unreachable: {}\n", names.join(", "));
    }
    Report::new(text, relation_json(relation))
}

fn relation_json(relation: &Crosswalk) -> Value {
    let info = relation.bir_enum.info();
    let pairs = relation.pairs.iter().map(|(klr, bir)| {
        json!({
            "klr": klr, "klr_name": klr_member(relation, *klr).map(|m| m.name), "bir": bir,
            "bir_name": info.by_ordinal(i64::from(*bir)).map(|m| m.name).ok(),
        })
    });
    let rejected = relation.rejected.iter().map(|(klr, message)| json!({ "klr": klr, "message": message }));
    let (default, message) = match relation.out_of_range {
        OutOfRange::Error(message) => (None, Some(message)),
        OutOfRange::Default(bir) => (Some(bir), None),
    };
    json!({
        "name": short(relation),
        "relation": relation.name,
        "klr_enum": klr_name(relation),
        "bir_enum": full_name(info),
        "pairs": pairs.collect::<Vec<_>>(),
        "rejected": rejected.collect::<Vec<_>>(),
        "out_of_range_default": default,
        "out_of_range_message": message,
        "unreachable": relation.unreachable,
        "rule": relation.rule,
    })
}

fn all(console: &Console) -> Report {
    let mut table = Table::new(["NAME", "FROM", "TO", "PAIRS"]);
    for relation in relations() {
        let klr = klr_name(relation);
        let bir = full_name(relation.bir_enum.info());
        table.row([short(relation), klr, bir, relation.pairs.len().to_string()]);
    }
    let all: Vec<Value> = relations().map(relation_json).collect();
    Report::new(table.render(console, ""), json!({ "translations": all }))
}
