//! A kernel as text for people: one statement per line, as an assembler would list it.

mod fields;
mod operand;

use super::ast::{Block, Contents, Edges, SharedConstantFile, Stmt, TensorName};
use super::file::File;
use super::visit::Walk;
use crate::error::Result;
use crate::fallible::append;
use crate::sink::Sink;
use alloc::string::String;
use core::fmt::{self, Display};
use fields::Fields;

/// Writes a listing: name, schema, tensors, then every core, block and statement. An operand is shown as
/// `tensor[step x num, ...]`, with its offset, dynamic parts and type behind the pairs; options without value are left out.
///
/// The text is for reading: its form may change.
///
/// # Errors
/// Those of the sink, `OutOfMemory`, and `LimitExceeded` for more than 64 records within each other.
pub fn write_listing<S: Sink + ?Sized>(file: &File<'_>, sink: &mut S) -> Result<()> {
    let mut out = Lines { sink, text: String::new() };
    let schema = file.schema.map_or("2.24 or head", |schema| schema.name());
    match file.contents {
        Contents::Hlo(name) => out.line(format_args!("call of {}", Word(name)))?,
        Contents::Kernel(kernel) => {
            out.line(format_args!("kernel {}, before the launch-grid step, schema {schema}", Word(kernel.name)))?;
            out.tensors("input", kernel.inputs)?;
            out.tensors("output", kernel.outputs)?;
            out.blocks(kernel.body)?;
        }
        Contents::Lnc(kernel) => {
            out.line(format_args!("kernel {}, schema {schema}", Word(kernel.name)))?;
            out.tensors("input", kernel.inputs)?;
            out.tensors("output", kernel.outputs)?;
            for SharedConstantFile { name, file_name } in kernel.shared_constants {
                out.line(format_args!("constant {}: {}", Word(name), Word(file_name)))?;
            }
            out.tensors("buffer", kernel.shared_buffers)?;
            for Edges { from_edge, to_edges } in kernel.edges {
                out.line(format_args!("edge {} -> {}", Word(from_edge), List(to_edges, |name, f| Word(name).fmt(f))))?;
            }
            for (core, body) in kernel.bodies.iter().enumerate() {
                out.line(format_args!("core {core}"))?;
                out.blocks(body)?;
            }
        }
    }
    out.sink.write(out.text.as_bytes())
}

/// Bytes that are gathered before they go to the sink.
const CHUNK: usize = 64 << 10;

struct Lines<'s, S: Sink + ?Sized> {
    sink: &'s mut S,
    text: String,
}

impl<S: Sink + ?Sized> Lines<'_, S> {
    fn line(&mut self, line: impl Display) -> Result<()> {
        append(&mut self.text, line)?;
        self.end_line()
    }

    fn end_line(&mut self) -> Result<()> {
        append(&mut self.text, '\n')?;
        if self.text.len() >= CHUNK {
            self.sink.write(self.text.as_bytes())?;
            self.text.clear();
        }
        Ok(())
    }

    fn tensors(&mut self, what: &str, tensors: &[TensorName<'_>]) -> Result<()> {
        for tensor in tensors {
            self.line(format_args!("{what} {}", Declared(tensor)))?;
        }
        Ok(())
    }

    fn blocks(&mut self, blocks: &[Block<'_>]) -> Result<()> {
        for Block { label, no_reorder, body } in blocks {
            self.line(format_args!("  {}:{}", Word(label), if *no_reorder { " (no reorder)" } else { "" }))?;
            for statement in *body {
                self.statement(statement)?;
            }
        }
        Ok(())
    }

    fn statement(&mut self, Stmt { op, name, pos }: &Stmt<'_>) -> Result<()> {
        append(&mut self.text, "    ")?;
        if let Some(name) = name {
            append(&mut self.text, format_args!("{}: ", Word(name)))?;
        }
        append(&mut self.text, op.name())?;
        op.walk(&mut Fields::new(&mut self.text))?;
        append(&mut self.text, "  ; ")?;
        if let Some(file) = pos.filename {
            append(&mut self.text, format_args!("{}:", Word(file)))?;
        }
        append(&mut self.text, format_args!("{}:{}", pos.line, pos.column))?;
        self.end_line()
    }
}

/// A name as it is, or quoted where it would not read as one word.
struct Word<'a>(&'a str);

impl Display for Word<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plain = |c: char| c.is_alphanumeric() || "_.-/+$%@#".contains(c);
        if !self.0.is_empty() && self.0.chars().all(plain) { f.write_str(self.0) } else { write!(f, "{:?}", self.0) }
    }
}

/// Items with commas between them.
struct List<'a, T, F: Fn(&T, &mut fmt::Formatter<'_>) -> fmt::Result>(&'a [T], F);

impl<T, F: Fn(&T, &mut fmt::Formatter<'_>) -> fmt::Result> Display for List<'_, T, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, item) in self.0.iter().enumerate() {
            f.write_str(if i > 0 { ", " } else { "" })?;
            (self.1)(item, f)?;
        }
        Ok(())
    }
}

/// A tensor where it is declared.
struct Declared<'a>(&'a TensorName<'a>);

impl Display for Declared<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let TensorName { name, dtype, shape, address, .. } = self.0;
        write!(f, "{}: {dtype}[{}", Word(name), shape.par_dim)?;
        for dim in shape.free_dims {
            write!(f, ", {dim}")?;
        }
        write!(f, "] in {}", address.memory)?;
        if address.name != *name {
            write!(f, " {}", Word(address.name))?;
        }
        if let (Some(partition), Some(byte)) = (address.par_offset, address.free_offset) {
            write!(f, " at partition {partition}, byte {byte}")?;
        }
        f.write_str(if address.is_shared { ", shared" } else { "" })
    }
}
