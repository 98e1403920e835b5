//! `bench doc`: reading and writing of documents, ours and the baseline's, in turn and each in its own process.
use super::arguments::Options;
use super::best::Best;
use super::figures::{Figure, Target};
use super::inputs::{self, Document, FULL, Form};
use super::lines::{self, Line, phase};
use super::{baseline, report, room};
use crate::ci::Workspace;
use crate::generate::Result;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Ways in which a document comes to our reader, as `bir-bench load --from` knows them, with words for the table. The
/// first is the one that is timed.
const SOURCES: &[(&str, &str)] =
    &[("map", "mapped file"), ("stream", "file read piece by piece"), ("vec", "file read into memory")];

/// A load is over soon, and noise shows in a comparison of sizes.
const GROWTH_ROUNDS: usize = 5;

/// How much of the free memory the baseline may be expected to take.
const SHARE: f64 = 0.9;

/// What one program measured on one document.
#[derive(Clone, Copy, Debug, Default)]
struct Measured {
    load: Best,
    parse: Best,
    write: Best,
    streamed: Best,
    /// Memory is the same each time, and what it was last counts.
    peak: f64,
    /// Bytes of the module's objects.
    used: f64,
}

/// What others make of the same bytes.
#[derive(Clone, Copy, Debug, Default)]
struct Limits {
    /// simdjson walks over the document.
    parse: Best,
    /// As much fresh memory is filled as the module has.
    fill: Best,
}

struct Bench<'a> {
    options: &'a Options,
    form: Form,
    program: PathBuf,
    baseline: PathBuf,
}

/// Measures and prints.
pub fn run(workspace: &Workspace, options: &Options, form: Form) -> Result<()> {
    let bench = Bench { options, form, program: inputs::program(workspace)?, baseline: baseline::build(workspace)? };
    let sizes: &[usize] = if options.quick { &[FULL / 100] } else { &[FULL / 100, FULL / 10, FULL] };
    let mut documents = Vec::new();
    for &size in sizes {
        bench.say(&format!("document of {size} instructions"));
        documents.push(inputs::document(workspace, &bench.program, size, form)?);
    }
    let baseline_need = bench.check_baseline(&documents[0])?;
    let (compared, note) = fitting(&documents, baseline_need, room::available(&bench.program)?);
    let (ours, theirs) = bench.compare(compared)?;
    let limits = bench.limits(workspace, compared, ours.used)?;
    let mut figures = speed(compared, ours, theirs, limits);
    figures.extend(bench.memory(compared, theirs)?);
    figures.extend(bench.growth(&documents)?);
    let flags = baseline::CPP_FLAGS.join(" ");
    let mut head = format!(
        "{} instructions, {:.1} MB, {:.0} bytes per instruction, {}; best of {}, {}\nbaseline: c++ {flags}",
        compared.instructions,
        compared.bytes as f64 / 1e6,
        compared.bytes as f64 / compared.instructions as f64,
        form.name(),
        options.rounds,
        options.clock(),
    );
    if let Some(note) = &note {
        head = format!("{head}\n{note}");
    }
    let facts = json!({
        "instructions": compared.instructions,
        "bytes": compared.bytes,
        "form": form.name(),
        "baseline_flags": flags,
        "note": note,
    });
    report::print(options, &head, facts, &figures);
    Ok(())
}

/// The largest document that the baseline has room for, and a word if that is not the largest there is.
fn fitting(documents: &[Document], need: f64, available: Option<u64>) -> (&Document, Option<String>) {
    let fits = |document: &&Document| available.is_none_or(|free| need * document.bytes as f64 <= free as f64 * SHARE);
    let (smallest, largest) = (&documents[0], &documents[documents.len() - 1]);
    let chosen = documents.iter().rev().find(fits).unwrap_or(smallest);
    let note = (chosen.bytes < largest.bytes).then(|| {
        format!(
            "compared on {} instructions: for {} the baseline would need {:.1} GB, and {:.1} GB are free",
            chosen.instructions,
            largest.instructions,
            need * largest.bytes as f64 / 1e9,
            available.unwrap_or_default() as f64 / 1e9
        )
    });
    (chosen, note)
}

impl Bench<'_> {
    /// What goes on, while it goes on; the result alone goes to standard output.
    fn say(&self, text: &str) {
        eprintln!("bench: {text}");
    }

    fn ours(&self, arguments: &[&str], document: &Path) -> Result<Vec<Line>> {
        let mut command = Command::new(&self.program);
        command.args(arguments).arg(document).args(self.options.clock_flag());
        lines::run(command)
    }

    fn theirs(&self, document: &Path, arguments: &[&str]) -> Result<Vec<Line>> {
        let mut command = Command::new(&self.baseline);
        command.arg(document).args(arguments).args(self.form.flag());
        command.args(self.options.clock_flag());
        lines::run(command)
    }

    /// Makes sure that the baseline does the whole work: what it reads it must be able to write. Gives the bytes that it
    /// needs per byte of document, the printed text included.
    fn check_baseline(&self, document: &Document) -> Result<f64> {
        let lines = self.theirs(&document.path, &["--write"])?;
        if !phase(&lines, "write")?.is_true("same") {
            return Err("the baseline did not write the document that it read".to_owned());
        }
        // A growing text may for a moment be there twice, half of it empty.
        Ok(phase(&lines, "load")?.number("peak")? / document.bytes as f64 + 3.0)
    }

    /// Loads and writes, in turn with the baseline.
    fn compare(&self, document: &Document) -> Result<(Measured, Measured)> {
        let (mut ours, mut theirs) = (Measured::default(), Measured::default());
        for round in 1..=self.options.rounds {
            self.say(&format!("round {round} of {}", self.options.rounds));
            let lines = self.ours(&["load", "--from", SOURCES[0].0], &document.path)?;
            let load = phase(&lines, "load")?;
            ours.load.take(load.number("seconds")?);
            ours.used = load.number("used")?;
            let lines = self.theirs(&document.path, &[])?;
            let load = phase(&lines, "load")?;
            theirs.load.take(load.number("seconds")?);
            theirs.parse.take(load.number("parse_seconds")?);
            theirs.peak = load.number("peak")?;
            theirs.write.take(phase(&lines, "dump")?.number("seconds")?);
            let write: Vec<&str> = ["write"].into_iter().chain(self.form.flag()).collect();
            let lines = self.ours(&write, &document.path)?;
            ours.write.take(phase(&lines, "write")?.number("seconds")?);
            ours.streamed.take(phase(&lines, "stream")?.number("seconds")?);
        }
        Ok((ours, theirs))
    }

    /// What could be at most; `None` if simdjson is not there.
    fn limits(&self, workspace: &Workspace, document: &Document, used: f64) -> Result<Option<Limits>> {
        let Some(program) = baseline::build_limits(workspace)? else { return Ok(None) };
        self.say("limits");
        let mut limits = Limits::default();
        for _ in 0..self.options.rounds {
            let mut command = Command::new(&program);
            command.arg(&document.path).arg(format!("{used:.0}")).args(self.options.cpu.then_some("--cpu"));
            let lines = lines::run(command)?;
            limits.parse.take(phase(&lines, "parse")?.number("seconds")?);
            limits.fill.take(phase(&lines, "fill")?.number("seconds")?);
        }
        Ok(Some(limits))
    }

    /// Peak memory of a process that loads, and what the allocator handed out to it.
    fn memory(&self, document: &Document, theirs: Measured) -> Result<Vec<Figure>> {
        self.say("memory");
        let bytes = document.bytes as f64;
        let figure = |name: String, ours: f64, other: f64, target| {
            let (ours, other) = (ours / 1e6, other / 1e6);
            Figure { name, ours, other, unit: "MB", target }
        };
        let mut figures = Vec::new();
        for (source, words) in SOURCES {
            let lines = self.ours(&["load", "--from", source], &document.path)?;
            let peak = phase(&lines, "load")?.number("peak")?;
            let lines = self.ours(&["load", "--count", "--from", source], &document.path)?;
            let heap = phase(&lines, "load")?.number("heap_peak")?;
            figures.push(figure(format!("peak / document, {words}"), peak, bytes, Some(Target::AtMost(3.0))));
            figures.push(figure(format!("peak / baseline, {words}"), peak, theirs.peak, Some(Target::AtMost(0.125))));
            figures.push(figure(format!("allocator's peak / document, {words}"), heap, bytes, None));
        }
        figures.push(figure("baseline's peak / document".to_owned(), theirs.peak, bytes, None));
        Ok(figures)
    }

    /// Load time per byte of each document, against the smallest one's.
    fn growth(&self, documents: &[Document]) -> Result<Vec<Figure>> {
        let mut figures = Vec::new();
        let mut smallest = None;
        for document in documents.iter().filter(|_| documents.len() > 1) {
            self.say(&format!("growth, {} instructions", document.instructions));
            let mut best = Best::default();
            for _ in 0..self.options.rounds.max(GROWTH_ROUNDS) {
                let lines = self.ours(&["load", "--from", SOURCES[0].0], &document.path)?;
                best.take(phase(&lines, "load")?.number("seconds")?);
            }
            let per_byte = best.seconds() * 1e9 / document.bytes as f64;
            let (instructions, other) = *smallest.get_or_insert((document.instructions, per_byte));
            if instructions != document.instructions {
                figures.push(Figure {
                    name: format!("load time per byte, {} / {instructions}", document.instructions),
                    ours: per_byte,
                    other,
                    unit: "ns/B",
                    target: Some(Target::Within(0.85, 1.15)),
                });
            }
        }
        Ok(figures)
    }
}

/// Rates as figures.
fn speed(document: &Document, ours: Measured, theirs: Measured, limits: Option<Limits>) -> Vec<Figure> {
    let rate = |seconds: f64| document.bytes as f64 / 1e6 / seconds;
    let figure = |name: &str, ours: Best, other: Best, target| {
        let (ours, other) = (rate(ours.seconds()), rate(other.seconds()));
        Figure { name: name.to_owned(), ours, other, unit: "MB/s", target }
    };
    let mut figures = vec![
        figure("load / baseline", ours.load, theirs.load, Some(Target::AtLeast(10.0))),
        figure("load / nlohmann's parse alone", ours.load, theirs.parse, Some(Target::AtLeast(3.9))),
        figure("write into memory / nlohmann's dump", ours.write, theirs.write, Some(Target::AtLeast(8.0))),
        figure("write to a stream / nlohmann's dump", ours.streamed, theirs.write, None),
    ];
    if let Some(limits) = limits {
        figures.push(figure("limit: simdjson's parse alone / baseline", limits.parse, theirs.load, None));
        let both = limits.parse.seconds() + limits.fill.seconds();
        let name = "limit: the same and filling the module's memory / baseline".to_owned();
        let (ours, other) = (rate(both), rate(theirs.load.seconds()));
        figures.push(Figure { name, ours, other, unit: "MB/s", target: None });
    }
    figures
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(instructions: usize) -> Document {
        Document { path: PathBuf::new(), instructions, bytes: instructions as u64 * 1000 }
    }

    #[test]
    fn the_baseline_gets_the_largest_document_that_fits() {
        let documents = [document(10), document(100), document(1000)];
        let chosen = |available| {
            let (document, note) = fitting(&documents, 8.0, available);
            (document.instructions, note.is_some())
        };
        assert_eq!(chosen(None), (1000, false));
        assert_eq!(chosen(Some(9_000_000)), (1000, false));
        assert_eq!(chosen(Some(8_000_000)), (100, true));
        assert_eq!(chosen(Some(1)), (10, true));
    }
}
