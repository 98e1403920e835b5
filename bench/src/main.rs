//! One measurement per process, printed as a line of JSON; `cargo xtask bench` starts them in turn with the baselines
//! and makes the tables.

mod generate;
mod klr;
mod memory;
mod source;

use bir_core::doc::{Input, JsonInput, Limits, ReadOptions, ValueKind, WriteOptions, write_json};
use bir_core::sink::{IoSink, Sink};
use clap::{Parser, Subcommand};
use serde_json::json;
use source::Source;
use std::fs::File;
use std::hint::black_box;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::time::Instant;

#[global_allocator]
static ALLOCATOR: memory::Counting = memory::Counting;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

#[derive(Parser)]
#[command(about = "Measures how documents are read and written, and kernels lowered")]
struct Arguments {
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
    /// Reads a document once and writes it as often as asked.
    Write {
        document: PathBuf,
        /// Drops what is written piece by piece, as a stream does, instead of keeping the whole text.
        #[arg(long)]
        stream: bool,
        /// One line without spaces instead of the standard form.
        #[arg(long)]
        compact: bool,
        #[arg(long, default_value_t = 1)]
        times: usize,
    },
}

fn main() -> Result<()> {
    match Arguments::parse().command {
        Command::Gen { instructions, output, compact } => generate(instructions, &output, compact),
        Command::Scan { document, times } => scan(&document, times),
        Command::Load { document, from, times, count } => load(&document, from, times, count),
        Command::KlrGen { kernel, bytes, output } => klr::generate(&kernel, bytes, &output),
        Command::Klr { kernel, times } => klr::lower(&kernel, times),
        Command::Write { document, stream, compact, times } => write(&document, stream, compact, times),
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

fn load(document: &Path, from: Source, times: usize, count: bool) -> Result<()> {
    let bytes = std::fs::metadata(document)?.len();
    for _ in 0..times {
        let before = memory::status("VmHWM")?;
        if count {
            memory::count_from_now();
        }
        let start = Instant::now();
        let loaded = from.load(document, &ReadOptions::default())?;
        let seconds = start.elapsed().as_secs_f64();
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

fn write(document: &Path, stream: bool, compact: bool, times: usize) -> Result<()> {
    let loaded = Source::Map.load(document, &ReadOptions::default())?;
    let options = WriteOptions { compact, ..WriteOptions::default() };
    for _ in 0..times {
        let start = Instant::now();
        let bytes = if stream {
            let mut sink = Stream { buffer: Vec::with_capacity(1 << 20), bytes: 0 };
            write_json(&loaded.module, &mut sink, &options)?;
            sink.bytes
        } else {
            let mut text = Vec::new();
            write_json(&loaded.module, &mut text, &options)?;
            text.len() as u64
        };
        let seconds = start.elapsed().as_secs_f64();
        println!("{}", json!({"phase": "write", "bytes": bytes, "seconds": seconds}));
    }
    std::mem::forget(loaded);
    Ok(())
}

/// Walks over all tokens, as often as asked.
fn scan(document: &Path, times: usize) -> Result<()> {
    let file = File::open(document)?;
    // SAFETY: nothing writes to the file while a run lasts.
    let text = unsafe { memmap2::Mmap::map(&file) }?;
    for _ in 0..times {
        let start = Instant::now();
        let mut input = JsonInput::new(&text, Limits::default());
        let tokens = walk(&mut input)?;
        input.finish()?;
        let seconds = start.elapsed().as_secs_f64();
        println!("{}", json!({"phase": "scan", "bytes": text.len(), "tokens": tokens, "seconds": seconds}));
    }
    Ok(())
}

/// Number of values and keys. Recursion ends at the input's limit of nesting.
fn walk<'a>(input: &mut impl Input<'a>) -> bir_core::Result<u64> {
    let mut tokens = 1;
    match input.peek()? {
        ValueKind::Null => input.null()?,
        ValueKind::Bool => drop(input.bool()?),
        ValueKind::String => drop(black_box(input.string()?)),
        ValueKind::Object => {
            input.begin_object()?;
            while input.next_key()?.is_some() {
                tokens += 1 + walk(input)?;
            }
        }
        ValueKind::Array => {
            input.begin_array()?;
            while input.next_element()? {
                tokens += walk(input)?;
            }
        }
        _ => drop(black_box(input.number()?)),
    }
    Ok(tokens)
}
