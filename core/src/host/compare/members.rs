//! Member against member, as far as the inventories and digests tell.
#![forbid(unsafe_code)]

use super::blocks::Place;
use super::bytes;
use super::side::{Print, Side};
use crate::Result;
use crate::consts::npy;
use crate::diff::{DiffOptions, diff};
use crate::doc::{ReadOptions, read_document};
use crate::neff::compare::{Difference, Differences, What, compare_json};
use crate::neff::inventory::{Item, parse};
use crate::neff::signature::is_signed;
use std::collections::{BTreeMap, BTreeSet};
use std::format;
use std::string::{String, ToString};
use std::vec::Vec;

/// Tells what differs; returns the places of which the bytes have to be looked at.
pub(super) fn compare(a: &Side, b: &Side, out: &mut Differences) -> Result<Vec<Place>> {
    let index = |side: &Side| -> BTreeMap<String, usize> {
        side.inventory.items().iter().enumerate().map(|(i, item)| (item.name.clone(), i)).collect()
    };
    let (left, right) = (index(a), index(b));
    let names: BTreeSet<&String> = left.keys().chain(right.keys()).collect();
    let mut places = Vec::new();
    for name in names {
        let signed = is_signed(name);
        match (left.get(name), right.get(name)) {
            (Some(&i), Some(&j)) => {
                let sides = (a.inventory.items().get(i), b.inventory.items().get(j));
                let prints = (a.prints.get(i), b.prints.get(j));
                let ((Some(x), Some(y)), (Some(p), Some(q))) = (sides, prints) else { continue };
                if x.size != y.size || p.blocks != q.blocks {
                    contents(x, y, p, q, signed, out, &mut places)?;
                }
                attributes(x, y, out)?;
            }
            (Some(&i), None) => one_sided(What::Removed, a.inventory.items().get(i), signed, out)?,
            (None, Some(&j)) => one_sided(What::Added, b.inventory.items().get(j), signed, out)?,
            (None, None) => {}
        }
    }
    order(a, b, &left, &right, out)?;
    Ok(places)
}

fn one_sided(what: What, item: Option<&Item>, signed: bool, out: &mut Differences) -> Result<()> {
    let Some(item) = item else { return Ok(()) };
    let size = bytes(item.size);
    let (old, new) = if what == What::Added { (String::new(), size) } else { (size, String::new()) };
    out.add(Difference { old, new, ..Difference::of_member(what, &item.name, signed) })
}

/// Contents that differ.
fn contents(
    x: &Item,
    y: &Item,
    p: &Print,
    q: &Print,
    signed: bool,
    out: &mut Differences,
    places: &mut Vec<Place>,
) -> Result<()> {
    let base = Difference::of_member(What::Changed, &x.name, signed);
    if let (Some(old), Some(new)) = (x.whole(), y.whole())
        && let (Ok(left), Ok(right)) = (parse(old), parse(new))
        && (left.is_object() || left.is_array())
    {
        if left == right {
            // A name for what differs, since all keys are equal. The signature covers bytes, not keys.
            let (old, new) = (bytes(x.size), bytes(y.size));
            let path = String::from("spelling");
            return out.add(Difference { path, old, new, matters: signed, ..base });
        }
        if is_document(&x.name)
            && let Some(told) = document(old, new, &base, out)?
            && told
        {
            return Ok(());
        }
        return compare_json(&left, &right, &base, out);
    }
    if p.payload.is_some() && q.payload.is_some() {
        return constant(x, y, p, q, base, out, places);
    }
    places.push(Place { base, path: String::new(), start: (0, 0), block: first_block(p, q) });
    Ok(())
}

/// An NPY file: its header, its data, or both.
fn constant(
    x: &Item,
    y: &Item,
    p: &Print,
    q: &Print,
    base: Difference,
    out: &mut Differences,
    places: &mut Vec<Place>,
) -> Result<()> {
    let start = |item: &Item| npy::runtime_payload_start(&item.kept, item.size).unwrap_or(item.size);
    let header = |item: &Item| {
        let end = usize::try_from(start(item)).unwrap_or(usize::MAX).min(item.kept.len());
        item.kept.get(..end).unwrap_or_default().to_vec()
    };
    let (old, new) = (header(x), header(y));
    if old != new {
        // Behind magic, version and length the header is text.
        let text = |bytes: &[u8]| {
            let start = if bytes.get(6) == Some(&1) { 10 } else { 12 };
            String::from_utf8_lossy(bytes.get(start..).unwrap_or_default()).trim().to_string()
        };
        let offset = old.iter().zip(&new).position(|(a, b)| a != b).unwrap_or_else(|| old.len().min(new.len()));
        let (old, new) = (text(&old), text(&new));
        out.add(Difference { path: "header".into(), offset: Some(offset as u64), old, new, ..base.clone() })?;
    }
    if p.payload != q.payload {
        let (start_x, start_y) = (start(x), start(y));
        // Blocks of both sides lie alike only if the headers are equally long.
        let block = if start_x == start_y { first_data_block(p, q, start_x) } else { None };
        places.push(Place { base, path: "data".into(), start: (start_x, start_y), block });
    }
    Ok(())
}

fn first_block(p: &Print, q: &Print) -> Option<u64> {
    let shorter = p.blocks.len().min(q.blocks.len());
    let first = p.blocks.iter().zip(&q.blocks).position(|(a, b)| a != b);
    Some(first.unwrap_or(shorter) as u64)
}

/// The first block from the data's first one on that differs.
fn first_data_block(p: &Print, q: &Print, start: u64) -> Option<u64> {
    let from = usize::try_from(start / super::side::BLOCK as u64).ok()?;
    let pairs = p.blocks.iter().zip(&q.blocks).skip(from);
    let found = pairs.into_iter().position(|(a, b)| a != b).map(|i| i.saturating_add(from));
    Some(found.unwrap_or_else(|| p.blocks.len().min(q.blocks.len())) as u64)
}

fn is_document(name: &str) -> bool {
    let base = name.rsplit('/').next().unwrap_or(name);
    base == "bir.json" || base.ends_with(".bir.json")
}

/// Compares two programs by their objects; `None` if one of them cannot be loaded, false if no object differs.
fn document(old: &[u8], new: &[u8], base: &Difference, out: &mut Differences) -> Result<Option<bool>> {
    let load = |bytes: &[u8]| read_document(bytes, &ReadOptions::default()).ok();
    let (Some(left), Some(right)) = (load(old), load(new)) else { return Ok(None) };
    let found = diff(&left.module, &right.module, &DiffOptions::default())?;
    for change in &found.changes {
        let subject = change.right.as_ref().or(change.left.as_ref());
        let object = subject.map_or("", |subject| subject.path.as_str());
        let dot = if object.is_empty() || change.field.is_empty() { "" } else { "." };
        let path = format!("{object}{dot}{}", change.field);
        let what = match change.what {
            crate::diff::What::Added => What::Added,
            crate::diff::What::Removed => What::Removed,
            _ => What::Changed,
        };
        let name = |subject: &Option<crate::diff::Subject>| {
            subject.as_ref().map(|s| format!("{} {}", change.kind.word(), s.name)).unwrap_or_default()
        };
        let (old, new) = match what {
            What::Changed => (change.old.clone(), change.new.clone()),
            _ => (name(&change.left), name(&change.right)),
        };
        out.add(Difference { what, path, old, new, ..base.clone() })?;
    }
    out.dropped = out.dropped.saturating_add((found.total().saturating_sub(found.changes.len())) as u64);
    Ok(Some(!found.is_empty()))
}

/// What the archive says of a member beside its contents.
fn attributes(x: &Item, y: &Item, out: &mut Differences) -> Result<()> {
    let pairs = [
        ("mode", format!("{:04o}", x.mode), format!("{:04o}", y.mode)),
        ("uid", x.uid.to_string(), y.uid.to_string()),
        ("gid", x.gid.to_string(), y.gid.to_string()),
        ("mtime", x.mtime.to_string(), y.mtime.to_string()),
    ];
    for (path, old, new) in pairs.into_iter().filter(|(_, old, new)| old != new) {
        let base = Difference::of_member(What::Changed, &x.name, false);
        out.add(Difference { path: path.into(), old, new, matters: false, ..base })?;
    }
    Ok(())
}

/// The order of members, which the IR signature follows.
fn order(
    a: &Side,
    b: &Side,
    left: &BTreeMap<String, usize>,
    right: &BTreeMap<String, usize>,
    out: &mut Differences,
) -> Result<()> {
    let common = |side: &Side, other: &BTreeMap<String, usize>, signed: bool| -> Vec<String> {
        let names = side.inventory.items().iter().map(|item| item.name.clone());
        names.filter(|name| other.contains_key(name) && (!signed || is_signed(name))).collect()
    };
    let (x, y) = (common(a, right, false), common(b, left, false));
    let Some(first) = x.iter().zip(&y).position(|(a, b)| a != b) else { return Ok(()) };
    let signed = common(a, right, true) != common(b, left, true);
    let name = |list: &[String]| list.get(first).cloned().unwrap_or_default();
    let difference = Difference::of_package("order of members", name(&x), name(&y));
    out.add(Difference { matters: signed, changes_hash: true, changes_signature: signed, ..difference })
}
