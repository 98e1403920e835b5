//! What is in a document: functions, queues, opcodes, storage, constants, memory.

use crate::console::Console;
use crate::fault::{InFile, Outcome};
use crate::report::Report;
use crate::table::{Table, pairs};
use bir_core::Result;
use bir_core::doc::{Loaded, Warning};
use bir_core::enums::bir::TensorKind;
use bir_core::ir::{BasicBlockHolder, DMAQueue, Function, MemoryLocationSet, ModuleRef};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Name to number.
type Counts = BTreeMap<&'static str, u64>;

struct FunctionRow {
    name: String,
    nki: bool,
    blocks: usize,
    instructions: usize,
    sets: usize,
    locations: usize,
    registers: usize,
}

struct QueueRow {
    name: String,
    kind: &'static str,
    engine: &'static str,
    blocks: usize,
    instructions: usize,
}

struct ConstantRow {
    set: String,
    file: String,
    dtype: &'static str,
    shape: Vec<u64>,
    bytes: u64,
}

#[derive(Default)]
struct Facts {
    arch: &'static str,
    revision: &'static str,
    functions: Vec<FunctionRow>,
    queues: Vec<QueueRow>,
    opcodes: Counts,
    memory_types: Counts,
    constants: Vec<ConstantRow>,
    memory_used: u64,
    memory_reserved: u64,
}

/// Reports on a document that was read.
pub fn run(loaded: &Loaded, file: &str, console: &Console) -> Outcome<Report> {
    let facts = gather(&loaded.module).in_file(file)?;
    let warnings = (loaded.warnings.len() as u64).saturating_add(loaded.warnings_dropped);
    Ok(Report::new(text(&facts, file, warnings, console), document_json(&facts, file, warnings, &loaded.warnings)))
}

fn gather(module: &ModuleRef) -> Result<Facts> {
    let arena = module.arena()?;
    let mut facts = Facts {
        arch: module.arch()?.name(),
        revision: module.revision()?.name(),
        memory_used: arena.used_bytes(),
        memory_reserved: arena.reserved_bytes(),
        ..Facts::default()
    };
    for function in module.functions() {
        facts.function(function, false)?;
    }
    for function in module.nki_functions() {
        facts.function(function, true)?;
    }
    for queue in module.queues() {
        facts.queue(queue)?;
    }
    Ok(facts)
}

impl Facts {
    fn function(&mut self, function: &Function, nki: bool) -> Result<()> {
        let (blocks, instructions) = self.instructions(function.block_holder())?;
        let mut row = FunctionRow {
            name: function.name().to_string(),
            nki,
            blocks,
            instructions,
            sets: 0,
            locations: 0,
            registers: function.registers().count(),
        };
        for set in function.sets() {
            row.sets += 1;
            row.locations += set.location_count();
            for location in set.locations() {
                *self.memory_types.entry(location.memory_type()?.name()).or_default() += 1;
            }
            if set.kind()? == TensorKind::Const || !set.file().is_empty() {
                self.constants.push(constant(set)?);
            }
        }
        self.functions.push(row);
        Ok(())
    }

    fn queue(&mut self, queue: &DMAQueue) -> Result<()> {
        let (blocks, instructions) = self.instructions(queue.block_holder())?;
        self.queues.push(QueueRow {
            name: queue.name().to_string(),
            kind: queue.queue_type()?.name(),
            engine: queue.engine()?.name(),
            blocks,
            instructions,
        });
        Ok(())
    }

    /// Counts the blocks and instructions below a holder, nested ones included.
    fn instructions(&mut self, holder: &BasicBlockHolder) -> Result<(usize, usize)> {
        let (mut blocks, mut instructions) = (holder.block_count(), 0);
        for instruction in holder.instructions() {
            instructions += 1;
            blocks += instruction.block_holder().map_or(0, BasicBlockHolder::block_count);
            *self.opcodes.entry(instruction.opcode()?.name()).or_default() += 1;
        }
        Ok((blocks, instructions))
    }
}

fn constant(set: &MemoryLocationSet) -> Result<ConstantRow> {
    Ok(ConstantRow {
        set: set.name().to_string(),
        file: set.file().to_string(),
        dtype: set.dtype()?.name(),
        shape: set.tensor_shape().collect(),
        bytes: set.locations().fold(0, |sum: u64, location| sum.saturating_add(location.byte_size())),
    })
}

fn text(facts: &Facts, file: &str, warnings: u64, console: &Console) -> String {
    let mut text = pairs(&[
        ("document", file.to_owned()),
        ("arch", format!("{}, revision {}", facts.arch, facts.revision)),
        ("memory", format!("{} bytes used, {} reserved", facts.memory_used, facts.memory_reserved)),
        ("warnings", warnings.to_string()),
    ]);
    let mut table = Table::new(["FUNCTION", "BLOCKS", "INSTRUCTIONS", "SETS", "LOCATIONS", "REGISTERS"]);
    for f in &facts.functions {
        let name = if f.nki { format!("{} (nki)", f.name) } else { f.name.clone() };
        let counts = [f.blocks, f.instructions, f.sets, f.locations, f.registers];
        table.row(std::iter::once(name).chain(counts.map(|n| n.to_string())));
    }
    section(&mut text, table.render(console, ""), !facts.functions.is_empty());

    let mut table = Table::new(["QUEUE", "TYPE", "ENGINE", "BLOCKS", "INSTRUCTIONS"]);
    for q in &facts.queues {
        table.row([q.name.as_str(), q.kind, q.engine, &q.blocks.to_string(), &q.instructions.to_string()]);
    }
    section(&mut text, table.render(console, ""), !facts.queues.is_empty());

    for (heading, counts) in [("OPCODE", &facts.opcodes), ("MEMORY", &facts.memory_types)] {
        let mut table = Table::new([heading, "COUNT"]);
        let mut rows: Vec<_> = counts.iter().collect();
        rows.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        rows.iter().for_each(|(name, count)| table.row([name, count.to_string().as_str()]));
        section(&mut text, table.render(console, ""), !rows.is_empty());
    }

    let mut table = Table::new(["CONSTANT", "FILE", "DTYPE", "SHAPE", "BYTES"]);
    for c in &facts.constants {
        let file = if c.file.is_empty() { "-" } else { &c.file };
        let shape: Vec<String> = c.shape.iter().map(u64::to_string).collect();
        table.row([c.set.as_str(), file, c.dtype, &shape.join("x"), &c.bytes.to_string()]);
    }
    section(&mut text, table.render(console, ""), !facts.constants.is_empty());
    text
}

fn section(text: &mut String, table: String, shown: bool) {
    if shown {
        text.push('\n');
        text.push_str(&table);
    }
}

fn document_json(facts: &Facts, file: &str, warning_count: u64, warnings: &[Warning]) -> Value {
    let functions = facts.functions.iter().map(|f| {
        json!({
            "name": f.name, "nki": f.nki, "blocks": f.blocks, "instructions": f.instructions, "sets": f.sets,
            "locations": f.locations, "registers": f.registers,
        })
    });
    let queues = facts.queues.iter().map(|q| {
        json!({
            "name": q.name, "type": q.kind, "engine": q.engine, "blocks": q.blocks, "instructions": q.instructions,
        })
    });
    let constants = facts
        .constants
        .iter()
        .map(|c| json!({ "set": c.set, "file": c.file, "dtype": c.dtype, "shape": c.shape, "bytes": c.bytes }));
    let warnings = warnings.iter().map(|w| {
        let text = Some(w.position).filter(|p| p.line > 0);
        json!({
            "kind": w.kind.name(), "path": w.path, "message": w.message, "line": text.map(|p| p.line),
            "column": text.map(|p| p.column), "offset": w.position.offset,
        })
    });
    json!({
        "kind": "document",
        "file": file,
        "arch": facts.arch,
        "revision": facts.revision,
        "functions": functions.collect::<Vec<_>>(),
        "queues": queues.collect::<Vec<_>>(),
        "opcodes": facts.opcodes,
        "memory_types": facts.memory_types,
        "constants": constants.collect::<Vec<_>>(),
        "memory": { "used_bytes": facts.memory_used, "reserved_bytes": facts.memory_reserved },
        "warning_count": warning_count,
        "warnings": warnings.collect::<Vec<_>>(),
    })
}
