//! The writer: one walk over the module, keys sorted, defaults left out unless asked for.
#![forbid(unsafe_code)]

mod ahead;
mod expr;
mod instruction;
mod large;
mod module;
mod number;
mod operand;
mod payload;
mod plan;
mod size;
mod storage;

use super::cbor_out::CborOut;
use super::format::Format;
use super::input::{Input, Limits};
use super::json_in::JsonInput;
use super::json_out::{JsonOut, Style};
use super::output::Output;
use super::value_out;
use crate::ir::{Edge, Instruction, MemoryLocationSet, ModuleRef};
use crate::sink::Sink;
use crate::{Error, ErrorCode, Result};
use alloc::string::String;
use alloc::vec::Vec;
use plan::Plans;

/// How a document is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WriteOptions {
    /// One line without spaces instead of two spaces of indentation; CBOR has neither.
    pub compact: bool,
    /// Every key, at its default too, and `no_spill` for `do_not_spill`: what older readers insist on.
    pub explicit: bool,
}

/// Writes a module as JSON. Equal modules give equal bytes.
///
/// # Errors
/// `CorruptIr` with the path for a module that contradicts itself (a reference to an erased object, a pack hint outside
/// PSUM), and whatever the sink reports.
pub fn write_json<S: Sink + ?Sized>(module: &ModuleRef, sink: &mut S, options: &WriteOptions) -> Result<()> {
    write_json_with_files(module, sink, options, &|_| None)
}

/// Writes a module as CBOR: the same tree as [`write_json`] writes, in the bytes of the original's JSON library. See
/// [`CborOut`] for the form and for the memory that it takes.
///
/// # Errors
/// As [`write_json`].
pub fn write_cbor<S: Sink + ?Sized>(module: &ModuleRef, mut sink: &mut S, options: &WriteOptions) -> Result<()> {
    // As in `write_json_with_files`.
    let sink: &mut dyn Sink = &mut sink;
    write(module, CborOut::new(sink), options)
}

/// Writes a module in either form; see [`write_json`] and [`write_cbor`].
///
/// # Errors
/// As [`write_json`].
pub fn write_document<S: Sink + ?Sized>(
    module: &ModuleRef,
    sink: &mut S,
    format: Format,
    options: &WriteOptions,
) -> Result<()> {
    match format {
        Format::Json => write_json(module, sink, options),
        Format::Cbor => write_cbor(module, sink, options),
    }
}

/// Writes a module to any output: [`write_json`] and [`write_cbor`] are this with those of the two forms.
/// [`WriteOptions::compact`] is the output's matter.
///
/// # Errors
/// As [`write_json`].
pub fn write(module: &ModuleRef, out: impl Output, options: &WriteOptions) -> Result<()> {
    write_with(module, out, options, &|_| None)
}

/// As [`write_json`], with other names for the files of constants: `file` gives the name to write, or `None` to keep it.
pub(crate) fn write_json_with_files<S: Sink + ?Sized>(
    module: &ModuleRef,
    mut sink: &mut S,
    options: &WriteOptions,
    file: &dyn Fn(&MemoryLocationSet) -> Option<String>,
) -> Result<()> {
    // One copy of the writer for all sinks: they are called rarely.
    let sink: &mut dyn Sink = &mut sink;
    let style = if options.compact { Style::Compact } else { Style::Pretty };
    sink.expect(size::of_text(module, style));
    write_with(module, JsonOut::new(sink, style), options, file)
}

fn write_with<O: Output>(
    module: &ModuleRef,
    out: O,
    options: &WriteOptions,
    file: &dyn Fn(&MemoryLocationSet) -> Option<String>,
) -> Result<()> {
    let explicit = options.explicit;
    let mut writer = Writer {
        out,
        explicit,
        module,
        places: None,
        scope: None,
        file,
        shallow: false,
        scratch: String::new(),
        plans: Plans::default(),
        edges: Vec::new(),
    };
    writer.large(module)?;
    writer.out.finish()
}

struct Writer<'s, 'm, O> {
    /// Other names for the files of constants.
    file: &'s dyn Fn(&MemoryLocationSet) -> Option<String>,
    out: O,
    explicit: bool,
    module: &'m ModuleRef,
    /// Places of instructions in the function or queue that is being written.
    places: Option<(usize, instruction::Places)>,
    /// The instruction from which a reader will look for the axes of expressions, outward.
    scope: Option<&'m Instruction>,
    /// Only the members of one object are wanted, not what they hold of the program.
    shallow: bool,
    /// Verbatim text on its way.
    scratch: String,
    plans: Plans,
    /// Edges on their way, to take memory for them once.
    edges: Vec<Edge<'m>>,
}

impl<'m, O: Output> Writer<'_, 'm, O> {
    fn text(&mut self, key: &'static str, value: &str) -> Result<()> {
        self.out.schema_key(key)?;
        self.out.string(value)
    }

    /// A word of the schema.
    fn word(&mut self, key: &'static str, value: &'static str) -> Result<()> {
        self.out.schema_key(key)?;
        self.out.schema_string(value)
    }

    /// The key of a phrase of its own.
    #[inline(always)]
    fn key(&mut self, number: usize, key: &'static str) -> Result<()> {
        self.out.phrase(number, |out| out.schema_key(key))
    }

    /// A key and a word, a phrase together.
    #[inline(always)]
    fn member(&mut self, number: usize, key: &'static str, word: &'static str) -> Result<()> {
        self.out.phrase(number, |out| {
            out.schema_key(key)?;
            out.schema_string(word)
        })
    }

    /// A key and the begin of its list, a phrase together.
    #[inline(always)]
    fn list_key(&mut self, number: usize, key: &'static str) -> Result<()> {
        self.out.phrase(number, |out| {
            out.schema_key(key)?;
            out.begin_array()
        })
    }

    fn number(&mut self, key: &'static str, value: i64) -> Result<()> {
        self.out.schema_key(key)?;
        self.out.i64(value)
    }

    fn unsigned(&mut self, key: &'static str, value: u64) -> Result<()> {
        self.out.schema_key(key)?;
        self.out.u64(value)
    }

    fn flag(&mut self, key: &'static str, value: bool) -> Result<()> {
        if value || self.explicit {
            self.out.schema_key(key)?;
            self.out.bool(value)?;
        }
        Ok(())
    }

    /// A name list; left out when empty unless `always`.
    fn names<'x>(
        &mut self,
        key: &'static str,
        names: impl Iterator<Item = crate::mem::Str<'x>>,
        always: bool,
    ) -> Result<()> {
        let mut names = names.peekable();
        if names.peek().is_none() && !always {
            return Ok(());
        }
        self.out.schema_key(key)?;
        self.out.begin_array()?;
        for name in names {
            self.out.string(&name)?;
        }
        self.out.end_array()
    }

    /// Verbatim JSON, as it was given.
    fn verbatim(&mut self, text: &str) -> Result<()> {
        if self.out.compact_object(text)? {
            return Ok(());
        }
        let mut input = JsonInput::new(text.as_bytes(), Limits::default());
        let start = input.mark();
        self.scratch.clear();
        if !O::LENGTHS && input.compact_object(&mut self.scratch)? && self.scratch == text {
            // Compact and sorted, as the reader keeps it: no tree is needed to write it in order.
            input.reset(start);
            return value_out::copy(&mut self.out, &mut input);
        }
        let value: serde_json::Value = serde_json::from_str(text).map_err(|e| {
            Error::new(ErrorCode::CorruptIr, format_args!("corrupt IR: text that should be JSON is not: {e}"))
        })?;
        self.out.value(&value)
    }

    fn verbatim_member(&mut self, key: &'static str, text: &str) -> Result<()> {
        if text.is_empty() {
            return Ok(());
        }
        self.out.schema_key(key)?;
        self.verbatim(text)
    }
}
