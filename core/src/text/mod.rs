//! The readable form of a module: a compact listing for people who stare at programs all day, one line per object, made to
//! be searched and compared.
//!
//! ```text
//! scale (id 13): TensorScalar @Pool load.2.6[10 x 10, 1 x 10]:float32 -> tsc.3.6[10 x 10, 1 x 10]:float32 op0=mult op1=add
//! ```
//!
//! By default what differs from its default is shown; [`PrintOptions::all`] shows everything that the module holds. The same
//! module gives the same bytes, on any machine. A module that contradicts itself is printed too: what should not be there
//! shows with a `?` or `!`, and expressions too large to read are cut (`...`). The grammar is in `docs/text.md`; it is for
//! people and may grow. Programs read documents.
//!
//! ```
//! use bir_core::doc::{ReadOptions, read_json};
//! use bir_core::text::{PrintOptions, print_module};
//!
//! let text = br#"{"version": 2, "arch": "gen3", "functions":
//!     [{"name": "main", "allocations": [], "blocks": [{"name": "entry", "instructions": [
//!         {"name": "ret", "opcode": "Return", "engine": "Pool", "ins": [], "outs": []}]}]}]}"#;
//! let module = read_json(text, &ReadOptions::default())?.module;
//! let mut out = Vec::new();
//! print_module(&module, &mut out, &PrintOptions::default())?;
//! let expected = "module: arch=gen3\n\nfunction main (id 0):\n  block entry (id 1):\n    ret (id 2): Return @Pool\n";
//! assert_eq!(String::from_utf8_lossy(&out), expected);
//! # Ok::<(), bir_core::Error>(())
//! ```
#![forbid(unsafe_code)]

mod expr;
mod instruction;
mod module;
mod name;
mod operand;
mod payload;
mod printer;
mod reference;
mod storage;
mod style;

pub use printer::Printer;
pub use style::{Item, Output, Plain, Style};

use crate::Result;
use crate::ir::{Argument, BasicBlock, Function, Instruction, ModuleRef, QuasiAffineExpr};
use crate::op::Field;
use crate::sink::Sink;
use alloc::string::String;

/// How much is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PrintOptions {
    /// Everything: what is at its default too, schedules, debug texts, origins, the kinds of nodes in formulas.
    pub all: bool,
    /// The ids, as errors show them. Without them, texts of two modules differ less: an id moves all that follow it.
    pub ids: bool,
}

impl Default for PrintOptions {
    /// What differs from the default, with ids.
    fn default() -> Self {
        PrintOptions { all: false, ids: true }
    }
}

fn print<'m, S: Sink + ?Sized>(
    sink: &mut S,
    options: &PrintOptions,
    fill: impl FnOnce(&mut Printer<'_, 'm, Plain<'_, S>>) -> Result<()>,
) -> Result<()> {
    let mut out = Plain::new(sink);
    fill(&mut Printer::new(&mut out, options))?;
    out.finish()
}

/// Prints a module.
///
/// # Errors
/// `OutOfMemory`, and those of the sink.
pub fn print_module<S: Sink + ?Sized>(module: &ModuleRef, sink: &mut S, options: &PrintOptions) -> Result<()> {
    print(sink, options, |p| p.module(module))
}

/// Prints a function with its storages and blocks.
///
/// # Errors
/// As [`print_module`].
pub fn print_function<S: Sink + ?Sized>(function: &Function, sink: &mut S, options: &PrintOptions) -> Result<()> {
    print(sink, options, |p| p.function(function))
}

/// Prints a block with its instructions.
///
/// # Errors
/// As [`print_module`].
pub fn print_block<S: Sink + ?Sized>(block: &BasicBlock, sink: &mut S, options: &PrintOptions) -> Result<()> {
    print(sink, options, |p| p.block(block))
}

/// Prints an instruction, with its nested blocks: one line if it has none.
///
/// # Errors
/// As [`print_module`].
pub fn print_instruction<S: Sink + ?Sized>(
    instruction: &Instruction,
    sink: &mut S,
    options: &PrintOptions,
) -> Result<()> {
    print(sink, options, |p| p.instruction(instruction))
}

/// A part of a line as text, seen from `function`.
fn part<'m>(
    function: Option<&'m Function>,
    options: &PrintOptions,
    fill: impl FnOnce(&mut Printer<'_, 'm, String>) -> Result<()>,
) -> Result<String> {
    let mut text = String::new();
    let mut printer = Printer::new(&mut text, options);
    printer.here = function;
    fill(&mut printer)?;
    Ok(text)
}

/// An operand as text: `x[512 x 128, 1 x 512]+16:float32`.
///
/// # Errors
/// `OutOfMemory`.
pub fn operand_text(operand: &Argument, options: &PrintOptions) -> Result<String> {
    part(operand.function(), options, |p| p.operand(operand))
}

/// The value of a payload field as text, whatever its kind: `mult`, `[1, 2]`, `(512*i + 3)`. Nested blocks are a list of
/// their names.
///
/// # Errors
/// `OutOfMemory`; `CorruptIr` if the field is not one of the instruction's opcode.
pub fn field_text(instruction: &Instruction, field: &'static Field, options: &PrintOptions) -> Result<String> {
    part(instruction.function(), options, |p| p.field_value(instruction, field))
}

/// An expression as text: `512*i + 3`; `none` if there is none.
///
/// # Errors
/// `OutOfMemory`.
pub fn expression_text(expr: QuasiAffineExpr<'_>, options: &PrintOptions) -> Result<String> {
    part(None, options, |p| p.expr(expr, expr::Binding::Sum))
}
