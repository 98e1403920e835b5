//! One measurement per process, printed as a line of JSON; `cargo xtask bench` starts them in turn with the baselines
//! and makes the tables.

mod clock;
mod generate;
mod klr;
mod memory;
mod scan;
mod source;

use bir_core::doc::{ReadOptions, WriteOptions, write_json};
use bir_core::sink::{IoSink, Sink};
use clap::{Parser, Subcommand};
use clock::Clock;
use serde_json::json;
use source::Source;
use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};

#[global_allocator]
static ALLOCATOR: memory::Counting = memory::Counting;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

#[derive(Parser)]
#[command(about = "Measures how documents are read and written, and kernels lowered")]
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
}

fn main() -> Result<()> {
    let Arguments { cpu, command } = Arguments::parse();
    let clock = if cpu { Clock::Processor } else { Clock::Wall };
    match command {
        Command::Gen { instructions, output, compact } => generate(instructions, &output, compact),
        Command::KlrGen { kernel, bytes, output } => klr::generate(&kernel, bytes, &output),
        Command::Klr { kernel, times } => klr::lower(&kernel, times, clock),
        Command::Scan { document, times } => scan::run(&document, times, clock),
        Command::Load { document, from, times, count } => load(&document, from, times, count, clock),
        Command::Write { document, compact, times } => write(&document, compact, times, clock),
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

fn load(document: &Path, from: Source, times: usize, count: bool, clock: Clock) -> Result<()> {
    let bytes = std::fs::metadata(document)?.len();
    for _ in 0..times {
        let before = memory::status("VmHWM")?;
        if count {
            memory::count_from_now();
        }
        let start = clock.now();
        let loaded = from.load(document, &ReadOptions::default())?;
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
