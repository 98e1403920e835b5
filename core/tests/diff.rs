mod rich;
use bir_core::diff::{Change, DiffOptions, diff};
use rich::changes::CHANGES;
use rich::rich;

fn line(c: &Change) -> String {
    format!("{} {} | {} | {} | {} | {} | {}", c.what.word(), c.kind.word(), c.left.as_ref().map_or("-", |s| &s.path), c.right.as_ref().map_or("-", |s| &s.path), c.field, c.old, c.new)
}

#[test]
fn show() {
    let module = rich().unwrap();
    for (path, change) in CHANGES {
        let clone = module.clone_module().unwrap();
        change(&clone).unwrap();
        let found = diff(&module, &clone, &DiffOptions::default()).unwrap();
        println!("# {path}");
        for c in &found.changes { println!("    {}", line(c)); }
        let back = diff(&clone, &module, &DiffOptions::default()).unwrap();
        let mut flipped: Vec<_> = back.changes.iter().map(|c| line(&flip(c))).collect();
        let mut forth: Vec<_> = found.changes.iter().map(line).collect();
        flipped.sort(); forth.sort();
        if flipped != forth { println!("!!! {flipped:#?}"); }
    }
}
fn flip(c: &Change) -> Change {
    use bir_core::diff::What;
    let what = match c.what { What::Added => What::Removed, What::Removed => What::Added, w => w };
    Change { what, kind: c.kind, left: c.right.clone(), right: c.left.clone(), field: c.field.clone(), old: c.new.clone(), new: c.old.clone() }
}
