//! Changes as texts, and that exchanged modules give the same ones the other way round.
#![allow(dead_code, reason = "each test file uses a part")]

use bir_core::diff::{Change, DiffOptions, Subject, What, diff};
use bir_core::ir::ModuleRef;

fn all(a: &ModuleRef, b: &ModuleRef) -> Vec<Change> {
    let found = diff(a, b, &DiffOptions::default()).expect("memory suffices");
    assert_eq!(found.dropped, 0);
    assert_eq!(found.is_empty(), a.structurally_equal(b), "{:#?}", found.changes);
    found.changes
}

/// A change with its paths, field and values: `changed functions[0].blocks[0].instructions[1].engine: Pool -> DVE`,
/// `moved instruction functions[0].blocks[0].instructions[1] -> functions[0].blocks[0].instructions[0]: ...`.
pub fn line(change: &Change) -> String {
    let path = |s: &Option<Subject>| s.as_ref().map(|s| s.path.clone()).unwrap_or_default();
    let (left, right) = (path(&change.left), path(&change.right));
    let (what, kind) = (change.what.word(), change.kind.word());
    let values = format!("{} -> {}", change.old, change.new);
    match change.what {
        What::Added => format!("added {kind} {right}"),
        What::Removed => format!("removed {kind} {left}"),
        What::Changed if left.is_empty() => format!("changed {}: {values}", change.field),
        What::Changed if left == right => format!("changed {left}.{}: {values}", change.field),
        What::Renamed if left == right => format!("renamed {kind} {left}: {values}"),
        What::Changed => format!("changed {left} -> {right}.{}: {values}", change.field),
        What::Renamed | What::Moved => format!("{what} {kind} {left} -> {right}: {values}"),
    }
}

/// All changes, as texts; there are some exactly if the modules are not equal.
#[track_caller]
pub fn changes(a: &ModuleRef, b: &ModuleRef) -> Vec<String> {
    all(a, b).iter().map(line).collect()
}

/// All changes as people read them.
pub fn lines(a: &ModuleRef, b: &ModuleRef) -> Vec<String> {
    all(a, b).iter().map(ToString::to_string).collect()
}

fn other_way(change: Change) -> Change {
    let what = match change.what {
        What::Added => What::Removed,
        What::Removed => What::Added,
        what => what,
    };
    Change { what, left: change.right, right: change.left, old: change.new, new: change.old, ..change }
}

/// Exchanged modules give the same changes the other way round, in another order.
#[track_caller]
pub fn mirrored(a: &ModuleRef, b: &ModuleRef) {
    let (forth, back) = (all(a, b), all(b, a).into_iter().map(other_way).collect::<Vec<_>>());
    let only = |here: &[Change], there: &[Change]| -> Vec<String> {
        here.iter().filter(|c| !there.contains(c)).map(line).collect()
    };
    assert_eq!((only(&forth, &back), only(&back, &forth)), (vec![], vec![]));
    assert_eq!(forth.len(), back.len());
}
