//! One measurement per process, printed as a line of JSON; `cargo xtask bench` starts them in turn with the baselines
//! and makes the tables.

mod child;
mod clock;
mod generate;
mod klr;
mod memory;
mod pack;
mod scan;
mod source;
mod weights;

use bir_core::doc::{ReadOptions, WriteOptions, write_json};
use bir_core::mem::ahead::StartAhead;
use bir_core::sink::{IoSink, Sink};
use clap::{Parser, Subcommand};
use clock::Clock;
use pack::archive::Compression;
use serde_json::json;
use source::Source;
use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};

#[global_allocator]
static ALLOCATOR: memory::Counting = memory::Counting;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

#[derive(Parser)]
#[command(about = "Measures how documents are read and written, kernels lowered, and packages made")]
struct Arguments {
    /// Seconds are the processor's, which says more while others use the machine.
    #[arg(long, global = true)]
    cpu: bool,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Writes a generated document.
    Gen {
        #[arg(short = 'n', long, default_value_t = generate::FULL)]
        instructions: usize,
        #[arg(short, long)]
        output: PathBuf,
        /// One line without spaces instead of the standard form.
        #[arg(long)]
        compact: bool,
    },
    /// Walks over a document's tokens and makes nothing of them: what a reader cannot be faster than.
    Scan {
        document: PathBuf,
        #[arg(long, default_value_t = 1)]
        times: usize,
    },
    /// Reads a document, and again as often as asked: also for profilers.
    Load {
        document: PathBuf,
        /// How the document is read.
        #[arg(long, value_enum, default_value_t = Source::Map)]
        from: Source,
        #[arg(long, default_value_t = 1)]
        times: usize,
        /// Counts what the allocator hands out; times are worth less then.
        #[arg(long)]
        count: bool,
        /// Without the thread that has the module's memory cleared.
        #[arg(long)]
        alone: bool,
    },
    /// Writes a kernel that repeats another one.
    KlrGen {
        kernel: PathBuf,
        /// So many bytes, about.
        #[arg(long, default_value_t = 50_000_000)]
        bytes: usize,
        #[arg(short, long)]
        output: PathBuf,
    },
    /// Reads a kernel and lowers it, and again as often as asked: also for profilers.
    Klr {
        kernel: PathBuf,
        #[arg(long, default_value_t = 1)]
        times: usize,
    },
    /// Reads a document once and writes it as often as asked: as text in memory, and to a stream that drops it.
    Write {
        document: PathBuf,
        /// One line without spaces instead of the standard form.
        #[arg(long)]
        compact: bool,
        #[arg(long, default_value_t = 1)]
        times: usize,
    },
    /// Writes files as a package gets them, in classes, and a list of each class.
    Weights {
        /// Of all files together, about.
        #[arg(long, default_value_t = weights::FULL)]
        bytes: usize,
        /// The folder.
        #[arg(short, long)]
        output: PathBuf,
    },
    /// Writes the payload of a package from the files of a list.
    Archive {
        list: PathBuf,
        #[arg(short, long)]
        output: PathBuf,
        #[arg(long, value_enum, default_value_t = Compression::Exact)]
        compression: Compression,
        #[arg(long, default_value_t = 1)]
        threads: usize,
    },
    /// Writes a package with the files of lists as constants.
    Package {
        #[arg(required = true)]
        lists: Vec<PathBuf>,
        #[arg(short, long)]
        output: PathBuf,
        #[arg(long, value_enum, default_value_t = Compression::Exact)]
        compression: Compression,
    },
    /// Hashes blobs in memory.
    Hash {
        /// Of all blobs together.
        #[arg(long, default_value_t = 256 << 20)]
        bytes: usize,
        /// Of one blob.
        #[arg(long, default_value_t = 1 << 16)]
        size: usize,
    },
    /// Reads the files of a list and keeps nothing.
    Read {
        list: PathBuf,
        #[arg(long, default_value_t = 1)]
        threads: usize,
    },
    /// Finds equal files among those of a list.
    Dedup {
        list: PathBuf,
        #[arg(long, default_value_t = 1)]
        threads: usize,
    },
    /// Runs a program and says what it took.
    Child {
        #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
        words: Vec<String>,
    },
    /// Says how much memory a process may take here.
    Room,
}

fn main() -> Result<()> {
    let Arguments { cpu, command } = Arguments::parse();
    let clock = if cpu { Clock::Processor } else { Clock::Wall };
    match command {
        Command::Gen { instructions, output, compact } => generate(instructions, &output, compact),
        Command::KlrGen { kernel, bytes, output } => klr::generate(&kernel, bytes, &output),
        Command::Klr { kernel, times } => klr::lower(&kernel, times, clock),
        Command::Scan { document, times } => scan::run(&document, times, clock),
        Command::Load { document, from, times, count, alone } => load(&document, from, times, count, alone, clock),
        Command::Write { document, compact, times } => write(&document, compact, times, clock),
        Command::Weights { bytes, output } => weights::generate(bytes, &output),
        Command::Archive { list, output, compression, threads } => {
            pack::archive::run(&list, &output, compression, threads, clock)
        }
        Command::Package { lists, output, compression } => pack::package::run(&lists, &output, compression),
        Command::Hash { bytes, size } => pack::hashing::run(bytes, size, clock),
        Command::Read { list, threads } => pack::dedup::read(&list, threads, clock),
        Command::Dedup { list, threads } => pack::dedup::merge(&list, threads, clock),
        Command::Child { words } => child::run(&words),
        Command::Room => {
            println!("{}", json!({"phase": "room", "available": memory::available()}));
            Ok(())
        }
    }
}

fn generate(instructions: usize, output: &Path, compact: bool) -> Result<()> {
    let (module, counts) = generate::build(instructions)?;
    // Under another name first: a file of the right name is a complete one.
    let partial = output.with_extension("partial");
    let mut sink = IoSink::new(BufWriter::with_capacity(1 << 20, File::create(&partial)?));
    write_json(&module, &mut sink, &WriteOptions { compact, ..WriteOptions::default() })?;
    sink.flush()?;
    std::fs::rename(&partial, output)?;
    let bytes = std::fs::metadata(output)?.len();
    let line = json!({
        "phase": "gen",
        "bytes": bytes,
        "instructions": counts.instructions,
        "bytes_per_instruction": bytes as f64 / counts.instructions.max(1) as f64,
        "operands": counts.operands,
        "dependencies": counts.dependencies,
        "synchronized": counts.synchronized,
        "tensors": counts.tensors,
        "blocks": counts.blocks,
    });
    println!("{line}");
    // The module's memory goes with the process.
    std::mem::forget(module);
    Ok(())
}

fn load(document: &Path, from: Source, times: usize, count: bool, alone: bool, clock: Clock) -> Result<()> {
    let ahead = if alone { None } else { Some(bir_core::host::pages_ahead::start as StartAhead) };
    let options = ReadOptions { ahead, ..ReadOptions::default() };
    let bytes = std::fs::metadata(document)?.len();
    for _ in 0..times {
        let before = memory::status("VmHWM")?;
        if count {
            memory::count_from_now();
        }
        let start = clock.now();
        let loaded = from.load(document, &options)?;
        let seconds = clock.now() - start;
        let peak = memory::status("VmHWM")?;
        let (heap_peak, heap_held) = memory::counted();
        if let Some(warning) = loaded.warnings.first() {
            return Err(format!("{}: {warning}", document.display()).into());
        }
        let line = json!({
            "phase": "load",
            "bytes": bytes,
            "seconds": seconds,
            // Only the first load of a process says something about memory.
            "peak": peak.saturating_sub(before),
            "held": loaded.module.arena()?.reserved_bytes(),
            "used": loaded.module.arena()?.used_bytes(),
            "heap_peak": count.then_some(heap_peak),
            "heap_held": count.then_some(heap_held),
        });
        println!("{line}");
        if times == 1 {
            std::mem::forget(loaded);
        }
    }
    Ok(())
}

/// Takes what is written into a buffer, as a file does, and drops it.
struct Stream {
    buffer: Vec<u8>,
    bytes: u64,
}

impl Sink for Stream {
    fn write(&mut self, bytes: &[u8]) -> bir_core::Result<()> {
        if self.buffer.len() + bytes.len() > self.buffer.capacity() {
            self.buffer.clear();
        }
        self.bytes += bytes.len() as u64;
        self.buffer.write(bytes)
    }
}

fn write(document: &Path, compact: bool, times: usize, clock: Clock) -> Result<()> {
    let loaded = Source::Map.load(document, &ReadOptions::default())?;
    let options = WriteOptions { compact, ..WriteOptions::default() };
    let report = |phase: &str, start: f64, bytes: u64| {
        let seconds = clock.now() - start;
        println!("{}", json!({"phase": phase, "bytes": bytes, "seconds": seconds}));
    };
    for _ in 0..times {
        let start = clock.now();
        let mut text = Vec::new();
        write_json(&loaded.module, &mut text, &options)?;
        report("write", start, text.len() as u64);
        drop(text);
        let start = clock.now();
        let mut sink = Stream { buffer: Vec::with_capacity(1 << 20), bytes: 0 };
        write_json(&loaded.module, &mut sink, &options)?;
        report("stream", start, sink.bytes);
    }
    std::mem::forget(loaded);
    Ok(())
}
