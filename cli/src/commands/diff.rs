//! `bir diff`: what changed between two documents, or two packages.

use super::diff_package;
use crate::args::Diff;
use crate::console::{Console, clean};
use crate::fault::{Fault, Outcome};
use crate::files;
use crate::load::{self, Content};
use crate::progress::Progress;
use crate::report::Report;
use bir_core::diff::{Change, Changes, DiffOptions, Kind, Subject, What, diff};
use serde_json::{Map, Value, json};

// Styles of what is gone, what is new, and what was changed.
const RED: &str = "31";
const GREEN: &str = "32";
const YELLOW: &str = "33";

/// Values longer than this are cut to where they differ.
const LONG: usize = 100;
/// What is left around the place where long values differ.
const CONTEXT: usize = 20;

/// Compares two documents or two packages; the content decides.
pub fn run(args: &Diff, console: &Console) -> Outcome<Report> {
    if files::is_standard(&args.a) && files::is_standard(&args.b) {
        return Err(Fault::Usage(String::from("only one of the two can come from standard input")));
    }
    let (left, right) = (files::name(&args.a), files::name(&args.b));
    let (a, b) = (files::open(&args.a)?, files::open(&args.b)?);
    if Content::of(a.head()) == Content::Package && Content::of(b.head()) == Content::Package {
        let open = |opened, path| load::opened_package(opened, path, &args.limits, console);
        return diff_package::run(open(a, &args.a)?, open(b, &args.b)?, [&left, &right], args, console);
    }
    let load = |opened, path| load::opened_document(opened, path, args.strict, console);
    let (a, b) = (load(a, &args.a)?.module, load(b, &args.b)?.module);
    let found = {
        let _progress = Progress::spinner(console.quiet, String::from("Comparing"));
        diff(&a, &b, &DiffOptions::default().max_changes(args.limit))?
    };
    let report = Report::new(text(&found, console), as_json(&found, &left, &right));
    Ok(Report { different: !found.is_empty(), ..report })
}

/// One block of lines for each object, and the summary.
fn text(found: &Changes, console: &Console) -> String {
    let mut text = String::new();
    let subjects = |c: &Change| (c.left.as_ref().map(|s| s.path.clone()), c.right.as_ref().map(|s| s.path.clone()));
    for object in found.changes.chunk_by(|x, y| x.kind == y.kind && subjects(x) == subjects(y)) {
        text += &heading(object, console);
        let width = object.iter().map(|c| label(c).chars().count()).max().unwrap_or(0).min(40);
        for change in object.iter().filter(|c| !matches!(c.what, What::Added | What::Removed)) {
            let (old, new) = shortened(&clean(&change.old), &clean(&change.new));
            let (old, new) = (console.styled(RED, &shown(old)), console.styled(GREEN, &shown(new)));
            text += &format!("    {:width$}  {old} -> {new}\n", clean(label(change)));
        }
    }
    if found.dropped > 0 {
        text += &format!("and {} more\n", found.dropped);
    }
    if !text.is_empty() {
        text.push('\n');
    }
    text + &console.bold(&found.summary().to_string()) + "\n"
}

fn label(change: &Change) -> &str {
    match change.what {
        What::Moved => "moved",
        What::Renamed => "renamed",
        _ => &change.field,
    }
}

/// A value that is empty is to be seen.
fn shown(value: String) -> String {
    if value.is_empty() { String::from("\"\"") } else { value }
}

/// The line that names an object.
fn heading(object: &[Change], console: &Console) -> String {
    let Some(change) = object.first() else { return String::new() };
    let Some(subject) = change.right.as_ref().or(change.left.as_ref()) else { return String::new() };
    let (sign, style) = match change.what {
        What::Added => ("+", GREEN),
        What::Removed => ("-", RED),
        _ => ("~", YELLOW),
    };
    let mut line = format!("{sign} {}", change.kind.word());
    if change.kind != Kind::Module {
        line += &format!(" {}", shown(clean(&subject.name)));
    }
    if !subject.opcode.is_empty() {
        line += &format!(" ({})", subject.opcode);
    }
    match subject.instructions {
        0 => {}
        1 => line += " with 1 instruction",
        n => line += &format!(" with {n} instructions"),
    }
    let path = |s: &Option<Subject>| s.as_ref().map(|s| s.path.clone()).filter(|p| !p.is_empty());
    let places: Vec<String> = path(&change.left).into_iter().chain(path(&change.right)).collect();
    let place = match places.as_slice() {
        [] => String::new(),
        [a, b] if a != b => format!("  {a} -> {b}"),
        [a, ..] => format!("  {a}"),
    };
    format!("{}{}\n", console.styled(style, &line), console.styled("2", &place))
}

/// Two long values, cut to where they differ.
fn shortened(old: &str, new: &str) -> (String, String) {
    let (old, new): (Vec<char>, Vec<char>) = (old.chars().collect(), new.chars().collect());
    let shorter = old.len().min(new.len());
    let head = old.iter().zip(&new).take_while(|(x, y)| x == y).count();
    let tail = old.iter().rev().zip(new.iter().rev()).take(shorter - head).take_while(|(x, y)| x == y).count();
    let cut = |value: &[char]| {
        if value.len() <= LONG {
            return value.iter().collect();
        }
        let (from, to) = (head.saturating_sub(CONTEXT), (value.len() - tail + CONTEXT).min(value.len()));
        let to = to.min(from + LONG);
        let dots = |cut: bool| if cut { "..." } else { "" };
        let middle: String = value.iter().skip(from).take(to - from).collect();
        format!("{}{middle}{}", dots(from > 0), dots(to < value.len()))
    };
    (cut(&old), cut(&new))
}

fn as_json(found: &Changes, left: &str, right: &str) -> Value {
    let subject = |s: &Option<Subject>| {
        s.as_ref().map(|s| {
            json!({
                "name": s.name,
                "path": s.path,
                "id": s.id,
                "opcode": Some(&s.opcode).filter(|o| !o.is_empty()),
                "instructions": s.instructions,
            })
        })
    };
    let change = |c: &Change| {
        let told = !matches!(c.what, What::Added | What::Removed);
        json!({
            "what": c.what.word(),
            "kind": c.kind.word(),
            "left": subject(&c.left),
            "right": subject(&c.right),
            "field": Some(&c.field).filter(|_| told),
            "old": Some(&c.old).filter(|_| told),
            "new": Some(&c.new).filter(|_| told),
        })
    };
    let counts: Map<String, Value> = Kind::ALL
        .iter()
        .filter_map(|kind| {
            let count = found.count(*kind);
            let of = What::ALL.iter().filter(|w| count.of(**w) > 0);
            let of: Map<String, Value> = of.map(|w| (w.word().to_owned(), json!(count.of(*w)))).collect();
            (!of.is_empty()).then(|| (kind.word().to_owned(), Value::Object(of)))
        })
        .collect();
    json!({
        "kind": "diff",
        "left": left,
        "right": right,
        "equal": found.is_empty(),
        "change_count": found.total(),
        "changes": found.changes.iter().map(change).collect::<Vec<_>>(),
        "counts": counts,
        "summary": found.summary().to_string(),
    })
}
