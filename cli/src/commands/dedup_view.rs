//! What could be merged, for people and for programs.

use crate::console::Console;
use crate::fault::Failure;
use crate::table::Table;
use bir_core::host::dedup::{DedupReport, DedupedFile};
use serde_json::{Value, json};
use std::cmp::Reverse;

/// Files that are equal.
struct Group<'r> {
    /// The one that stands for them.
    first: &'r DedupedFile,
    /// The others.
    others: Vec<&'r DedupedFile>,
}

impl Group<'_> {
    fn saved(&self) -> u64 {
        self.others.iter().fold(0, |sum, file| sum.saturating_add(file.bytes))
    }
}

/// The groups, the largest saving first, then by name.
fn groups(report: &DedupReport) -> Vec<Group<'_>> {
    let mut others: Vec<Vec<&DedupedFile>> = report.files.iter().map(|_| Vec::new()).collect();
    for file in report.files.iter().filter(|file| file.matched) {
        if let Some(to) = others.get_mut(file.stored_as) {
            to.push(file);
        }
    }
    let all = report.files.iter().zip(others).map(|(first, others)| Group { first, others });
    let mut groups: Vec<Group<'_>> = all.filter(|group| !group.others.is_empty()).collect();
    groups.sort_by(|a, b| (Reverse(a.saved()), &a.first.name).cmp(&(Reverse(b.saved()), &b.first.name)));
    groups
}

fn key(file: &DedupedFile) -> &str {
    file.key.as_deref().unwrap_or("-")
}

/// The text for people; with `keys`, the key of every file.
pub fn text(report: &DedupReport, keys: bool, console: &Console) -> String {
    let mut text = String::new();
    let groups = groups(report);
    if !groups.is_empty() {
        let mut table = Table::new(["SAVED", "SIZE", "FILES", "KEY", "FILE"]);
        for group in &groups {
            let numbers = [group.saved(), group.first.bytes, group.others.len() as u64 + 1].map(|n| n.to_string());
            let [saved, size, count] = &numbers;
            table.row([saved, size, count, key(group.first), &group.first.name]);
            for other in &group.others {
                table.row(["-", "-", "-", "-", &format!("= {}", other.name)]);
            }
        }
        text += &table.render(console, "");
        text.push('\n');
    }
    if keys && !report.files.is_empty() {
        let mut table = Table::new(["KEY", "SIZE", "FILE"]);
        report.files.iter().for_each(|file| table.row([key(file), &file.bytes.to_string(), &file.name]));
        text += &table.render(console, "");
        text.push('\n');
    }
    let count = report.files.len();
    text += &format!(
        "{count} {}, {} unique, {} bytes; merging saves {} bytes\n",
        if count == 1 { "file" } else { "files" },
        report.unique_files,
        report.bytes,
        report.saved_bytes
    );
    text
}

/// The object for programs.
pub fn json(report: &DedupReport, inputs: &[String], problems: &[Failure]) -> Value {
    let name = |place: usize| report.files.get(place).map(|file| file.name.as_str());
    let files = report.files.iter().map(|file| {
        json!({
            "name": file.name, "bytes": file.bytes, "key": file.key, "stored_as": name(file.stored_as),
            "matched": file.matched,
        })
    });
    let groups = groups(report).into_iter().map(|group| {
        json!({
            "file": group.first.name, "bytes": group.first.bytes, "key": group.first.key, "saved_bytes": group.saved(),
            "merged": group.others.iter().map(|file| &file.name).collect::<Vec<_>>(),
        })
    });
    let skipped = report.skipped.iter().map(|s| json!({ "path": s.path.to_string_lossy(), "found": s.found }));
    json!({
        "kind": "dedup",
        "inputs": inputs,
        "files": files.collect::<Vec<_>>(),
        "groups": groups.collect::<Vec<_>>(),
        "unique_files": report.unique_files,
        "bytes": report.bytes,
        "saved_bytes": report.saved_bytes,
        "message": report.message(),
        "problems": problems.iter().map(Failure::json).collect::<Vec<_>>(),
        "skipped": skipped.collect::<Vec<_>>(),
    })
}
