//! `bir check`: everything that is wrong with a package, by the rules of its loaders.

use super::info_package::{finding_json, hex};
use crate::args::Check;
use crate::console::{Console, clean};
use crate::fault::Outcome;
use crate::files;
use crate::load;
use crate::package_pass::check;
use crate::report::Report;
use bir_core::host::survey::Checked;
use bir_core::neff::descriptors::Severity;
use serde_json::json;

/// Checks a package: its hash, its archive, and that everything in it fits together.
pub fn run(args: &Check, console: &Console) -> Outcome<Report> {
    let file = files::name(&args.neff);
    let mut package = load::package(&args.neff, &args.limits, console)?;
    let Checked { inventory, passed, findings: found } = check(&mut package, &file, console.quiet);
    let header = package.header();
    let computed_hash = passed.as_ref().ok().and_then(|passed| passed.computed_hash);
    let count = |severity| found.iter().filter(|f| f.severity == severity).count();
    let (errors, warnings, notes) = (count(Severity::Error), count(Severity::Warning), count(Severity::Note));
    let bad = errors > 0 || (args.strict && warnings > 0);

    let mut text = String::new();
    for finding in found.iter().filter(|f| !console.quiet || f.severity == Severity::Error) {
        let style = match finding.severity {
            Severity::Error => "1;31",
            Severity::Warning => "33",
            Severity::Note => "34",
        };
        let word = console.styled(style, &format!("{}:", finding.severity.name()));
        text += &format!("{word} {}\n", clean(&finding.error.to_string()));
    }
    let plural = |count: usize, word: &str| format!("{count} {word}{}", if count == 1 { "" } else { "s" });
    text += &format!(
        "{}: {}, {}, {}\n",
        clean(&file),
        plural(errors, "error"),
        plural(warnings, "warning"),
        plural(notes, "note")
    );
    let hash_ok = computed_hash.map(|computed| header.compare_hash(&computed).is_ok());
    let signature = passed.is_ok().then(|| inventory.ir_signature()).flatten().map(|s| hex(&s));
    let json = json!({
        "kind": "check",
        "file": file,
        "good": !bad,
        "hash_ok": hash_ok,
        "ir_signature": signature,
        "members": inventory.items().len(),
        "error_count": errors,
        "warning_count": warnings,
        "note_count": notes,
        "findings": found.iter().map(|f| finding_json(f, &file)).collect::<Vec<_>>(),
    });
    Ok(Report { different: bad, ..Report::new(text, json) })
}
