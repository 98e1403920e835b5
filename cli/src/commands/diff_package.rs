//! What changed between two packages, and which of it changes the hash or the IR signature.

use super::info_package::hex;
use crate::args::Diff;
use crate::console::{Console, clean};
use crate::fault::{Fault, Outcome};
use crate::load::PackageInput;
use crate::progress::Progress;
use crate::report::Report;
use bir_core::host::compare::{CompareOptions, Comparison, compare};
use bir_core::neff::compare::{Difference, What};
use serde_json::{Value, json};

const RED: &str = "31";
const GREEN: &str = "32";
const YELLOW: &str = "33";

/// Compares two packages.
pub fn run(
    mut a: PackageInput,
    mut b: PackageInput,
    names: [&str; 2],
    args: &Diff,
    console: &Console,
) -> Outcome<Report> {
    let total = a.size().saturating_add(b.size());
    let progress = Progress::bytes(console.quiet, total, String::from("Comparing"));
    let bar = progress.handle();
    let options = CompareOptions { all: args.all, max_differences: args.limit };
    let found = compare(&mut a, &mut b, options, &mut |bytes| bar.position(bytes));
    drop(progress);
    let found = found.map_err(|(right, error)| Fault::of_file(names[usize::from(right)], error))?;
    for (file, error) in names.into_iter().zip(&found.hash_errors) {
        if let Some(error) = error {
            if args.strict {
                return Err(Fault::of_file(file, error.clone()));
            }
            console.warnings(file, [error.to_string()].into_iter(), 0);
        }
    }
    let different = found.differences.any_matters || (args.all && found.differences.total() > 0);
    let report = Report::new(text(&found, console), as_json(&found, names, different));
    Ok(Report { different, ..report })
}

/// One block of lines for each part, and the summary.
fn text(found: &Comparison, console: &Console) -> String {
    let mut text = String::new();
    for part in found.differences.list.chunk_by(|x, y| x.member == y.member) {
        let whole = part.first().filter(|d| d.path.is_empty() && d.what != What::Changed);
        let (sign, style) = match whole.map(|d| d.what) {
            Some(What::Added) => ("+", GREEN),
            Some(What::Removed) => ("-", RED),
            _ => ("~", YELLOW),
        };
        let name = match part.first().and_then(|d| d.member.as_deref()) {
            Some(member) => format!("member {}", clean(member)),
            None => String::from("package"),
        };
        let size = whole.map(|d| format!("  {}{}", d.old, d.new)).unwrap_or_default();
        let effects = effects(part, console);
        text += &format!("{}{size}{effects}\n", console.styled(style, &format!("{sign} {name}")));
        let width = part.iter().map(|d| d.path.chars().count()).max().unwrap_or(0).min(40);
        for difference in part.iter().filter(|_| whole.is_none()) {
            text += &line(difference, width, console);
        }
    }
    if found.differences.dropped > 0 {
        text += &format!("and {} more\n", found.differences.dropped);
    }
    if !text.is_empty() {
        text.push('\n');
    }
    text + &console.bold(&summary(found)) + "\n"
}

/// What a part changes beside itself.
fn effects(part: &[Difference], console: &Console) -> String {
    let words: Vec<&str> =
        [("hash", part.iter().any(|d| d.changes_hash)), ("IR signature", part.iter().any(|d| d.changes_signature))]
            .into_iter()
            .filter_map(|(word, changed)| changed.then_some(word))
            .collect();
    match words.as_slice() {
        [] => String::new(),
        words => console.styled("2", &format!("  [changes the {}]", words.join(" and the "))),
    }
}

fn line(difference: &Difference, width: usize, console: &Console) -> String {
    let shown = |text: &str, style| match text {
        "" => String::from("(none)"),
        text => console.styled(style, &clean(text)),
    };
    let place = difference.offset.map(|offset| format!("  (byte {offset})")).unwrap_or_default();
    let label = if difference.path.is_empty() { "contents" } else { &difference.path };
    let width = width.max(8);
    format!(
        "    {:width$}  {} -> {}{place}\n",
        clean(label),
        shown(&difference.old, RED),
        shown(&difference.new, GREEN)
    )
}

fn summary(found: &Comparison) -> String {
    let list = &found.differences.list;
    let fields = list.iter().filter(|d| d.member.is_none()).count();
    let members = |what: Option<What>| {
        let mut names: Vec<&str> = list
            .iter()
            .filter(|d| match what {
                Some(what) => d.path.is_empty() && d.what == what,
                None => !d.path.is_empty() || d.what == What::Changed,
            })
            .filter_map(|d| d.member.as_deref())
            .collect();
        names.dedup();
        names.len()
    };
    let counts = [
        (fields, "header field", "changed"),
        (members(None), "member", "changed"),
        (members(Some(What::Added)), "member", "added"),
        (members(Some(What::Removed)), "member", "removed"),
    ];
    let parts: Vec<String> = counts
        .into_iter()
        .filter(|(count, ..)| *count > 0)
        .map(|(count, word, what)| format!("{count} {word}{} {what}", if count == 1 { "" } else { "s" }))
        .collect();
    let first = if parts.is_empty() { String::from("no differences") } else { parts.join(", ") };
    let same = |equal: bool| if equal { "equal" } else { "different" };
    let hash = same(found.hashes[0] == found.hashes[1]);
    let signature = same(found.signatures[0] == found.signatures[1]);
    format!("{first}; hash {hash}, IR signature {signature}")
}

fn as_json(found: &Comparison, names: [&str; 2], different: bool) -> Value {
    let change = |d: &Difference| {
        json!({
            "what": d.what.word(),
            "member": d.member,
            "path": d.path,
            "offset": d.offset,
            "old": d.old,
            "new": d.new,
            "matters": d.matters,
            "changes_hash": d.changes_hash,
            "changes_signature": d.changes_signature,
        })
    };
    let hashes = found.hashes.map(|hash| hash.map(|hash| hex(&hash)));
    let signatures = found.signatures.map(|signature| hex(&signature));
    json!({
        "kind": "package_diff",
        "left": names[0],
        "right": names[1],
        "equal": !different,
        "change_count": found.differences.total(),
        "changes": found.differences.list.iter().map(change).collect::<Vec<_>>(),
        "hashes": hashes,
        "hash_equal": found.hashes[0] == found.hashes[1],
        "ir_signatures": signatures,
        "ir_signature_equal": found.signatures[0] == found.signatures[1],
        "summary": summary(found),
    })
}
