//! `bench pack`: payloads of packages, ours and the baseline's, in turn and each in its own process; de-duplication, and what
//! it takes to look into a package.
use super::arguments::Options;
use super::best::Best;
use super::figures::{Figure, Target};
use super::lines::{self, Line, phase};
use super::weights::{self, Class, Weights};
use super::{baseline, inputs, report};
use crate::ci::Workspace;
use crate::generate::Result;
use serde_json::json;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Reads of the baseline: as the producer has them, and larger ones. The faster of both is compared.
const READS: [usize; 2] = [8192, 1 << 20];

/// Sizes of blobs that are hashed: small weights and parts of large ones.
const BLOBS: [usize; 2] = [4096, 1 << 20];

/// What packing may take of memory.
const ROOM: f64 = 64.0 * 1024.0 * 1024.0;

/// What looking into a package may take of the processor, in milliseconds.
const LOOK: f64 = 50.0;

/// How our side compresses, as `bir-bench archive --compression` knows it.
struct Kind {
    name: &'static str,
    /// What the baseline is told to do the same.
    baseline: &'static [&'static str],
    /// Whether both make the same bytes.
    same_bytes: bool,
    /// Its speed against the baseline's.
    target: Option<Target>,
    /// Whether it uses several threads, and so only the clock on the wall tells its speed.
    has_threads: bool,
}

const KINDS: &[Kind] = &[
    Kind { name: "exact", baseline: &[], same_bytes: true, target: Some(Target::AtLeast(1.0)), has_threads: false },
    Kind { name: "exact", baseline: &[], same_bytes: true, target: Some(Target::AtLeast(1.0)), has_threads: true },
    Kind { name: "parallel", baseline: &[], same_bytes: false, target: Some(Target::AtLeast(1.8)), has_threads: true },
    Kind { name: "none", baseline: &["--plain"], same_bytes: true, target: None, has_threads: false },
];

struct Bench<'a> {
    options: &'a Options,
    program: PathBuf,
    baseline: PathBuf,
    bir: PathBuf,
    threads: usize,
}

/// Measures and prints.
pub fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    let bench = Bench {
        options,
        program: inputs::program(workspace)?,
        baseline: baseline::build_packages(workspace)?,
        bir: inputs::optimised(workspace, "bir-cli", "bir")?,
        threads: std::thread::available_parallelism().map_or(1, usize::from),
    };
    let bytes = if options.quick { weights::FULL / 10 } else { weights::FULL };
    bench.say(&format!("weights of {} MB", bytes >> 20));
    let weights = weights::make(workspace, &bench.program, bytes)?;
    let mut figures = bench.hashing(bytes)?;
    figures.extend(bench.dedup(&weights)?);
    for class in &weights.classes {
        figures.extend(bench.archives(&weights, class)?);
    }
    figures.extend(bench.look(&weights)?);
    let flags = baseline::C_FLAGS.join(" ");
    let sizes: Vec<String> = weights.classes.iter().map(size).collect();
    let head = format!(
        "{}; {} threads; best of {}, {}\n{}\nbaseline: libarchive and zlib at level 1, cc {flags}",
        sizes.join(", "),
        bench.threads,
        options.rounds,
        options.clock(),
        avx512()
    );
    let classes: Vec<_> =
        weights.classes.iter().map(|c| json!({"name": c.name, "files": c.files, "bytes": c.bytes})).collect();
    let facts = json!({"classes": classes, "threads": bench.threads, "baseline_flags": flags});
    report::print(options, &head, facts, &figures);
    Ok(())
}

fn size(class: &Class) -> String {
    format!("{} {} files of {:.0} MB together", class.files, class.name, class.bytes / 1e6)
}

impl Bench<'_> {
    /// What goes on, while it goes on; the result alone goes to standard output.
    fn say(&self, text: &str) {
        eprintln!("bench: {text}");
    }

    fn ours(&self, words: &[&str], paths: &[&Path], clock: Option<&str>) -> Result<Vec<Line>> {
        let mut command = Command::new(&self.program);
        command.args(words).args(paths).args(clock);
        lines::run(command)
    }

    fn our_archive(&self, class: &Class, kind: &Kind, output: &Path) -> Result<Line> {
        let clock = self.options.clock_flag().filter(|_| !kind.has_threads);
        let threads = if kind.has_threads { self.threads } else { 1 }.to_string();
        let words = ["archive", "--compression", kind.name, "--threads", &threads];
        let lines = self.ours(&words, &[&class.list, Path::new("--output"), output], clock)?;
        phase(&lines, "archive").cloned()
    }

    fn their_archive(&self, class: &Class, kind: &Kind, read: usize, output: &Path) -> Result<Line> {
        let mut command = Command::new(&self.baseline);
        command.arg(&class.list).arg(output).args(["--read", &read.to_string()]).args(kind.baseline);
        command.args(self.options.clock_flag().filter(|_| !kind.has_threads));
        phase(&lines::run(command)?, "archive").cloned()
    }

    /// Makes sure that both do the same work. Whoever measures writes to nowhere: the disk has its own speed.
    fn check(&self, weights: &Weights, class: &Class, kind: &Kind) -> Result<()> {
        if !kind.same_bytes {
            return Ok(());
        }
        let outputs = ["ours", "theirs"].map(|name| weights.folder.join(name));
        self.our_archive(class, kind, &outputs[0])?;
        self.their_archive(class, kind, READS[0], &outputs[1])?;
        let same = is_same(&outputs[0], &outputs[1])?;
        for output in outputs {
            fs::remove_file(&output).map_err(|e| format!("{}: {e}", output.display()))?;
        }
        if same { Ok(()) } else { Err(format!("{}, {}: the baseline writes other bytes", kind.name, class.name)) }
    }

    /// All kinds of payload of a class; what is compressed in pieces is also compared with what is not.
    fn archives(&self, weights: &Weights, class: &Class) -> Result<Vec<Figure>> {
        let mut figures: Vec<Figure> = Vec::new();
        let mut exact = None;
        for kind in KINDS {
            let name = self.name(kind);
            self.say(&format!("{name}, {}", class.name));
            self.check(weights, class, kind)?;
            let measured = self.archive(class, kind)?;
            let speed = measured[0].ours;
            figures.extend(measured);
            match (kind.name, kind.has_threads, exact) {
                ("exact", false, _) => exact = Some(speed),
                ("parallel", _, Some(other)) => figures.push(Figure {
                    name: format!("{name} / exact, {}", class.name),
                    ours: speed,
                    other,
                    unit: "MB/s",
                    target: None,
                }),
                _ => {}
            }
        }
        Ok(figures)
    }

    /// A kind and its threads.
    fn name(&self, kind: &Kind) -> String {
        let threads = if kind.has_threads { format!(" x{}", self.threads) } else { String::new() };
        format!("{}{threads}", kind.name)
    }

    /// Speed against the baseline, and peak of memory.
    fn archive(&self, class: &Class, kind: &Kind) -> Result<[Figure; 2]> {
        let nowhere = Path::new("/dev/null");
        let (mut ours, mut theirs, mut peak) = (Best::default(), Best::default(), 0.0);
        for _ in 0..self.options.rounds {
            let line = self.our_archive(class, kind, nowhere)?;
            ours.take(line.number("seconds")?);
            peak = line.number("peak")?;
            for read in READS {
                theirs.take(self.their_archive(class, kind, read, nowhere)?.number("seconds")?);
            }
        }
        let speed = |best: Best| class.bytes / best.seconds() / 1e6;
        let mib = |bytes: f64| bytes / f64::from(1 << 20);
        let (name, target) = (self.name(kind), &kind.target);
        Ok([
            Figure {
                name: format!("{name} / libarchive, {}", class.name),
                ours: speed(ours),
                other: speed(theirs),
                unit: "MB/s",
                target: *target,
            },
            Figure {
                name: format!("memory of {name}, {}", class.name),
                ours: mib(peak),
                other: mib(ROOM),
                unit: "MiB",
                target: Some(Target::AtMost(1.0)),
            },
        ])
    }

    /// MD5 of many blobs on one core.
    fn hashing(&self, bytes: usize) -> Result<Vec<Figure>> {
        let mut figures = Vec::new();
        for size in BLOBS {
            self.say(&format!("MD5, blobs of {size} bytes"));
            let (mut ours, mut theirs, mut best) = (Best::default(), Best::default(), String::new());
            let mut kernels: Vec<(String, Best)> = Vec::new();
            for _ in 0..self.options.rounds {
                let words = ["hash", "--bytes", &(bytes / 4).to_string(), "--size", &size.to_string()];
                let lines = self.ours(&words, &[], self.options.clock_flag())?;
                let line = phase(&lines, "hash")?;
                ours.take(line.number("seconds")?);
                theirs.take(line.number("crate_seconds")?);
                best = line.text("kernel")?.to_owned();
                for line in &lines {
                    if line.text("phase")? != "kernel" {
                        continue;
                    }
                    let name = line.text("name")?;
                    let place = kernels.iter().position(|(known, _)| known == name).unwrap_or_else(|| {
                        kernels.push((name.to_owned(), Best::default()));
                        kernels.len() - 1
                    });
                    kernels[place].1.take(line.number("seconds")?);
                }
            }
            let speed = |best: Best| bytes as f64 / 4.0 / best.seconds() / 1e6;
            figures.push(Figure {
                name: format!("MD5 / md5 crate, blobs of {} KiB", size >> 10),
                ours: speed(ours),
                other: speed(theirs),
                unit: "MB/s",
                target: hash_target(&best),
            });
            for (name, seconds) in kernels {
                figures.push(Figure {
                    name: format!("the same, {name}"),
                    ours: speed(seconds),
                    other: speed(theirs),
                    unit: "MB/s",
                    target: None,
                });
            }
        }
        Ok(figures)
    }

    /// De-duplication of each class against reading it on as many threads.
    fn dedup(&self, weights: &Weights) -> Result<Vec<Figure>> {
        let threads = self.threads.to_string();
        let mut figures = Vec::new();
        for class in &weights.classes {
            self.say(&format!("de-duplication, {}", class.name));
            let (mut merge, mut read) = (Best::default(), Best::default());
            for _ in 0..self.options.rounds {
                let lines = self.ours(&["dedup", "--threads", &threads], &[&class.list], None)?;
                merge.take(phase(&lines, "dedup")?.number("seconds")?);
                let lines = self.ours(&["read", "--threads", &threads], &[&class.list], None)?;
                read.take(phase(&lines, "read")?.number("seconds")?);
            }
            figures.push(Figure {
                name: format!("dedup / reading, {} {} files", class.files, class.name),
                ours: merge.seconds() * 1e3,
                other: read.seconds() * 1e3,
                unit: "ms",
                target: (class.name == "small").then_some(Target::AtMost(1.3)),
            });
        }
        Ok(figures)
    }

    /// Processor time of `bir info` on packages of the large files.
    fn look(&self, weights: &Weights) -> Result<Vec<Figure>> {
        let lists: Vec<&Path> =
            weights.classes.iter().filter(|class| class.name != "small").map(|class| class.list.as_path()).collect();
        let mut figures = Vec::new();
        // The number of threads changes no byte of a package.
        for kind in KINDS.iter().filter(|kind| kind.name != "exact" || !kind.has_threads) {
            let file = weights.folder.join(format!("{}.neff", kind.name));
            // What the library writes may have changed, so they are made each time.
            self.say(&format!("package, {}", kind.name));
            let paths: Vec<&Path> = lists.iter().copied().chain([Path::new("--output"), &file]).collect();
            self.ours(&["package", "--compression", kind.name], &paths, None)?;
            self.say(&format!("bir info, {}", kind.name));
            let (mut best, mut hashed, mut peak) = (Best::default(), Best::default(), 0.0);
            for _ in 0..self.options.rounds {
                let (info, ignore) = (Path::new("info"), Path::new("--ignore-hash"));
                let lines = self.ours(&["child", "--"], &[&self.bir, info, ignore, &file], None)?;
                let line = phase(&lines, "child")?;
                best.take(line.number("cpu_seconds")?);
                peak = line.number("peak")?;
                let lines = self.ours(&["child", "--"], &[&self.bir, info, &file], None)?;
                hashed.take(phase(&lines, "child")?.number("cpu_seconds")?);
            }
            fs::remove_file(&file).map_err(|e| format!("{}: {e}", file.display()))?;
            figures.push(Figure {
                name: format!("bir info --ignore-hash, {}", kind.name),
                ours: best.seconds() * 1e3,
                other: LOOK,
                unit: "ms",
                target: Some(Target::AtMost(1.0)),
            });
            figures.push(Figure {
                name: format!("bir info, {}, with the hash check", kind.name),
                ours: hashed.seconds() * 1e3,
                other: LOOK,
                unit: "ms",
                target: None,
            });
            figures.push(Figure {
                name: format!("bir info, {}, memory", kind.name),
                ours: peak / f64::from(1 << 20),
                other: ROOM / f64::from(1 << 20),
                unit: "MiB",
                target: None,
            });
        }
        Ok(figures)
    }
}

/// Says when the widest vectors are not measured.
fn avx512() -> &'static str {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx512f") {
        return "AVX-512: measured";
    }
    "AVX-512: not on this processor, so its target (10 times the md5 crate) is not measured"
}

/// How many times faster than the crate, by the instruction set.
fn hash_target(kernel: &str) -> Option<Target> {
    match kernel {
        "avx512" => Some(Target::AtLeast(10.0)),
        "avx2" => Some(Target::AtLeast(5.0)),
        _ => None,
    }
}

/// Whether two files have the same bytes.
fn is_same(a: &Path, b: &Path) -> Result<bool> {
    let open = |path: &Path| File::open(path).map_err(|e| format!("{}: {e}", path.display()));
    let (mut a_file, mut b_file) = (open(a)?, open(b)?);
    let (mut a_piece, mut b_piece) = (Vec::new(), Vec::new());
    loop {
        for (path, file, piece) in [(a, &mut a_file, &mut a_piece), (b, &mut b_file, &mut b_piece)] {
            piece.clear();
            file.take(1 << 20).read_to_end(piece).map_err(|e| format!("{}: {e}", path.display()))?;
        }
        if a_piece != b_piece || a_piece.is_empty() {
            return Ok(a_piece == b_piece);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_compared_to_their_ends() {
        let folder = inputs::folder_of(&Workspace::current()).unwrap();
        let [a, b] = ["a", "b"].map(|name| folder.join(format!("same-{}-{name}", std::process::id())));
        let content = vec![7; (1 << 20) + 5];
        fs::write(&a, &content).unwrap();
        for (other, same) in [(content.clone(), true), (content[1..].to_vec(), false), (Vec::new(), false)] {
            fs::write(&b, other).unwrap();
            assert_eq!((is_same(&a, &b), is_same(&b, &a)), (Ok(same), Ok(same)));
        }
        fs::remove_file(&a).unwrap();
        fs::remove_file(&b).unwrap();
        assert!(is_same(&a, &b).is_err());
    }

    #[test]
    fn wide_vectors_have_targets() {
        assert_eq!(hash_target("avx2"), Some(Target::AtLeast(5.0)));
        assert_eq!(hash_target("avx512"), Some(Target::AtLeast(10.0)));
        assert_eq!(hash_target("sse2"), None);
    }
}
