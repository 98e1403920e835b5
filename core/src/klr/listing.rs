//! A kernel as text for people: one statement per line, as an assembler would list it.

use super::ast::{APPair, Access, BirAccessPattern, Block, Contents, Edges, Index, ScalarOffset, SharedConstantFile};
use super::ast::{Stmt, TensorName};
use super::file::File;
use super::schema::Head;
use super::trail::Trail;
use super::visit::{Visitor, Walk};
use crate::error::Result;
use crate::fallible::{append, push};
use crate::sink::Sink;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::{self, Display, Write};

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
        op.walk(&mut Fields { text: &mut self.text, trail: Trail::default(), open: Vec::new() })?;
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

struct Pair<'a>(&'a APPair);

impl Display for Pair<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let APPair { step, num, offset } = self.0;
        write!(f, "{step} x {num}")?;
        if *offset != 0 { write!(f, " + {offset}") } else { Ok(()) }
    }
}

fn pair(pair: &APPair, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    Pair(pair).fmt(f)
}

/// An access as an operand. Accesses within it are shown down to a fixed depth, so that showing needs a bounded stack.
struct Operand<'a> {
    access: &'a Access<'a>,
    depth: u32,
}

/// How deep accesses within accesses are shown.
const SHOWN_DEPTH: u32 = 16;

impl Display for Operand<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.access {
            Access::Simple(tensor) => Word(tensor.name).fmt(f),
            Access::Basic(access) => {
                let index = |index: &Index<'_>, f: &mut fmt::Formatter<'_>| match index {
                    Index::Coord(at) => write!(f, "{at}"),
                    Index::Slice(slice) => write!(f, "{}:{}:{}", slice.l, slice.u, slice.step),
                };
                write!(f, "{}[{}]", Word(access.tensor.name), List(access.indexes, index))
            }
            Access::Pattern(access) => {
                let name = Word(access.tensor.name);
                write!(f, "{name}[{} partitions from {}", access.par_num, access.par_offset)?;
                write!(f, "; {}; from {}", List(access.pattern, pair), access.free_offset)?;
                if !access.fixed_axis.is_empty() {
                    write!(f, "; fixed {}", List(access.fixed_axis, |axis: &u64, f| axis.fmt(f)))?;
                }
                f.write_char(']')
            }
            Access::BirPattern(access) => self.bir_pattern(access, f),
        }
    }
}

impl Operand<'_> {
    fn bir_pattern(&self, access: &BirAccessPattern<'_>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[{}", Word(access.tensor.name), List(access.pattern, pair))?;
        if access.offset != 0 {
            write!(f, "; from {}", access.offset)?;
        }
        match &access.scalar_offset {
            None => {}
            Some(ScalarOffset::Reg(register)) => write!(f, "; + {} on {}", Word(register), access.indirect_dim)?,
            Some(ScalarOffset::Acc(inner)) => {
                f.write_str("; + ")?;
                self.inner(inner, f)?;
                write!(f, " on {}", access.indirect_dim)?;
            }
        }
        if let Some(inner) = &access.vector_offset {
            f.write_str("; each + ")?;
            self.inner(inner, f)?;
            write!(f, " on {}", access.indirect_dim)?;
        }
        if let Some(dtype) = access.dtype_override {
            write!(f, "; as {dtype}")?;
        }
        f.write_char(']')
    }

    fn inner(&self, access: &Access<'_>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.depth.checked_sub(1) {
            Some(depth) => Operand { access, depth }.fmt(f),
            None => f.write_str("..."),
        }
    }
}

/// What is open around a value.
#[derive(Clone, Copy, PartialEq)]
enum Open {
    /// The constructor of the operator, or a record directly in it.
    Statement,
    /// A constructor that is not shown, e.g. that of an operand.
    Hidden,
    /// A constructor whose value stands in parentheses.
    Parentheses,
    /// A record in braces.
    Braces,
    /// A list.
    List,
}

/// Shows the fields of an operator. A field without a value leaves no trace.
struct Fields<'t> {
    text: &'t mut String,
    trail: Trail,
    /// What is open, and whether something was shown in it.
    open: Vec<(Open, bool)>,
}

/// Constructors that say nothing which their value does not.
fn is_hidden(head: &Head) -> bool {
    matches!(
        (head.name, head.ctor_name),
        ("TensorRef", "abstract") | ("Operand", _) | ("Immediate" | "ActivationImm", "int" | "float")
    )
}

impl Fields<'_> {
    fn put(&mut self, value: impl Display) -> Result<()> {
        append(self.text, value)
    }

    fn separate(&mut self) -> Result<()> {
        let Some((open, shown)) = self.open.last_mut() else { return Ok(()) };
        let separator = match (*open, *shown) {
            (Open::Statement, false) => " ",
            (_, false) => "",
            (_, true) => ", ",
        };
        *shown = true;
        append(self.text, separator)
    }
}

impl Visitor for Fields<'_> {
    fn nat(&mut self, value: u64) -> Result<()> {
        self.put(value)
    }

    fn int(&mut self, value: i64) -> Result<()> {
        self.put(value)
    }

    fn bool(&mut self, value: bool) -> Result<()> {
        self.put(value)
    }

    fn f32(&mut self, value: f32) -> Result<()> {
        // With its point: 1.0 is another immediate than 1.
        self.put(format_args!("{value:?}"))
    }

    fn text(&mut self, value: &str) -> Result<()> {
        self.put(Word(value))
    }

    fn member(&mut self, _tag: u8, _ctor: u8, name: &'static str) -> Result<()> {
        self.put(name)
    }

    fn none(&mut self) -> Result<()> {
        self.put("none")
    }

    fn begin_list(&mut self, _len: usize) -> Result<()> {
        push(&mut self.open, (Open::List, false))?;
        self.put('[')
    }

    fn element(&mut self, _index: usize) -> Result<()> {
        self.separate()
    }

    fn end_list(&mut self) -> Result<()> {
        self.open.pop();
        self.put(']')
    }

    fn begin(&mut self, head: &'static Head) -> Result<()> {
        self.trail.begin(head)?;
        let open = match self.open.last() {
            None => Open::Statement,
            Some((Open::Statement, _)) if head.is_record() && self.open.len() == 1 => Open::Statement,
            _ if head.is_record() => Open::Braces,
            _ if head.is_word() || is_hidden(head) => Open::Hidden,
            _ => Open::Parentheses,
        };
        push(&mut self.open, (open, false))?;
        match open {
            Open::Braces => self.put('{'),
            Open::Parentheses => self.put(format_args!("{}(", head.ctor_name)),
            Open::Hidden if head.is_word() => self.put(head.ctor_name),
            _ => Ok(()),
        }
    }

    fn end(&mut self, head: &'static Head) -> Result<()> {
        self.trail.end(head);
        match self.open.pop() {
            Some((Open::Braces, _)) => self.put('}'),
            Some((Open::Parentheses, _)) => self.put(')'),
            _ => Ok(()),
        }
    }

    fn field(&mut self, name: &'static str) -> Result<()> {
        self.separate()?;
        self.put(format_args!("{name}="))
    }

    fn wants_head_field(&mut self, _name: &'static str, present: bool) -> Result<bool> {
        Ok(present)
    }

    fn missing(&mut self, _name: &'static str) -> Result<()> {
        Ok(())
    }

    fn pair(&mut self, pair: &APPair) -> Result<()> {
        self.put(Pair(pair))
    }

    fn access(&mut self, access: &Access<'_>) -> Result<()> {
        self.put(Operand { access, depth: SHOWN_DEPTH })
    }
}
