//! Kernels: one of the reference collection repeated to any size, then read and lowered.

use crate::clock::Clock;
use crate::{Result, memory};
use bir_core::klr::ast::{Block, Contents, LncKernel, Stmt};
use bir_core::klr::{self, Arena, DecodeOptions, EncodeOptions, File};
use bir_core::lower::{LowerOptions, lower_file};
use bir_core::sink::IoSink;
use serde_json::json;
use std::io::BufWriter;
use std::path::Path;

/// Writes a kernel whose statements are those of another one, again and again, up to so many bytes. Blocks and statements
/// get names of their own, as those of a real kernel have.
pub fn generate(kernel: &Path, bytes: usize, output: &Path) -> Result<()> {
    let source = std::fs::read(kernel)?;
    let arena = Arena::new();
    let file = klr::decode(&source, &arena, &DecodeOptions::default())?;
    let lnc = file.lnc()?;
    let body = lnc.bodies.first().copied().ok_or("the kernel has no body")?;
    let rounds = (bytes / source.len()).max(1);
    let names: Vec<(String, Vec<String>)> = (0..rounds)
        .flat_map(|round| body.iter().map(move |block| (round, block)))
        .map(|(round, block)| {
            let statements = (0..block.body.len()).map(|i| format!("inst.{round}.{i}")).collect();
            (format!("{}.{round}", block.label), statements)
        })
        .collect();
    let blocks: Vec<Vec<Stmt<'_>>> = names
        .iter()
        .zip(body.iter().cycle())
        .map(|((_, names), block)| {
            let statements = block.body.iter().zip(names);
            statements.map(|(statement, name)| Stmt { name: Some(name.as_str()), ..*statement }).collect()
        })
        .collect();
    let blocks: Vec<Block<'_>> =
        names.iter().zip(&blocks).map(|((label, _), body)| Block { label, no_reorder: false, body }).collect();
    let bodies = [blocks.as_slice()];
    let repeated = LncKernel { bodies: &bodies, edges: &[], ..*lnc };
    let repeated = File { contents: Contents::Lnc(&repeated), ..file };
    // Under another name first: a file of the right name is a complete one.
    let partial = output.with_extension("partial");
    let mut sink = IoSink::new(BufWriter::with_capacity(1 << 20, std::fs::File::create(&partial)?));
    klr::encode(&repeated, &mut sink, &EncodeOptions::default())?;
    sink.flush()?;
    std::fs::rename(&partial, output)?;
    let written = std::fs::metadata(output)?.len();
    let statements: usize = blocks.iter().map(|block| block.body.len()).sum();
    println!("{}", json!({"phase": "gen", "bytes": written, "statements": statements, "rounds": rounds}));
    Ok(())
}

/// Reads a kernel and lowers it, as often as asked.
pub fn lower(kernel: &Path, times: usize, clock: Clock) -> Result<()> {
    let file = std::fs::File::open(kernel)?;
    // SAFETY: nothing writes to the file while a run lasts.
    let bytes = unsafe { memmap2::Mmap::map(&file) }?;
    for _ in 0..times {
        let before = memory::status("VmHWM")?;
        let start = clock.now();
        let arena = Arena::new();
        let decoded = klr::decode(&bytes, &arena, &DecodeOptions::default())?;
        let decode_seconds = clock.now() - start;
        let decode_peak = memory::status("VmHWM")?.saturating_sub(before);
        let start = clock.now();
        let lowered = lower_file(&decoded, &LowerOptions::default())?;
        let lower_seconds = clock.now() - start;
        if let Some(diagnostic) = lowered.diagnostics.first() {
            return Err(format!("{}: {diagnostic}", kernel.display()).into());
        }
        let instructions: usize =
            lowered.module.functions().flat_map(|f| f.blocks()).map(|block| block.instruction_count()).sum();
        let line = json!({
            "phase": "lower",
            "bytes": bytes.len(),
            "instructions": instructions,
            "decode_seconds": decode_seconds,
            "lower_seconds": lower_seconds,
            "seconds": decode_seconds + lower_seconds,
            // Only the first run of a process says something about memory.
            "decode_peak": decode_peak,
            "peak": memory::status("VmHWM")?.saturating_sub(before),
            "used": lowered.module.arena()?.used_bytes(),
            "held": lowered.module.arena()?.reserved_bytes(),
        });
        println!("{line}");
        if times == 1 {
            std::mem::forget((lowered, arena));
            return Ok(());
        }
    }
    Ok(())
}
