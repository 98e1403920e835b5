//! The writer: one walk over the module, keys sorted, defaults left out unless asked for.
#![forbid(unsafe_code)]

mod expr;
mod instruction;
mod module;
mod operand;
mod payload;
mod storage;

use super::json_out::{JsonOut, Style};
use crate::ir::{Instruction, MemoryLocationSet, ModuleRef};
use crate::sink::Sink;
use crate::{Error, ErrorCode, Result};
use alloc::string::String;

/// How a document is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WriteOptions {
    /// One line without spaces instead of two spaces of indentation.
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

/// As [`write_json`], with other names for the files of constants: `file` gives the name to write, or `None` to keep it.
pub(crate) fn write_json_with_files<S: Sink + ?Sized>(
    module: &ModuleRef,
    sink: &mut S,
    options: &WriteOptions,
    file: &dyn Fn(&MemoryLocationSet) -> Option<String>,
) -> Result<()> {
    let style = if options.compact { Style::Compact } else { Style::Pretty };
    let out = JsonOut::new(sink, style);
    let mut writer = Writer { out, explicit: options.explicit, module, places: None, scope: None, file };
    writer.module()?;
    writer.out.finish()
}

struct Writer<'s, 'm, S: Sink + ?Sized> {
    /// Other names for the files of constants.
    file: &'s dyn Fn(&MemoryLocationSet) -> Option<String>,
    out: JsonOut<'s, S>,
    explicit: bool,
    module: &'m ModuleRef,
    /// Places of instructions in the function or queue that is being written.
    places: Option<(usize, instruction::Places)>,
    /// The instruction from which a reader will look for the axes of expressions, outward.
    scope: Option<&'m Instruction>,
}

impl<'m, S: Sink + ?Sized> Writer<'_, 'm, S> {
    fn text(&mut self, key: &str, value: &str) -> Result<()> {
        self.out.key(key)?;
        self.out.string(value)
    }

    fn number(&mut self, key: &str, value: i64) -> Result<()> {
        self.out.key(key)?;
        self.out.i64(value)
    }

    fn unsigned(&mut self, key: &str, value: u64) -> Result<()> {
        self.out.key(key)?;
        self.out.u64(value)
    }

    fn flag(&mut self, key: &str, value: bool) -> Result<()> {
        if value || self.explicit {
            self.out.key(key)?;
            self.out.bool(value)?;
        }
        Ok(())
    }

    /// A name list; left out when empty unless `always`.
    fn names<'x>(&mut self, key: &str, names: impl Iterator<Item = crate::mem::Str<'x>>, always: bool) -> Result<()> {
        let mut names = names.peekable();
        if names.peek().is_none() && !always {
            return Ok(());
        }
        self.out.key(key)?;
        self.out.begin_array()?;
        for name in names {
            self.out.string(&name)?;
        }
        self.out.end_array()
    }

    /// Verbatim JSON, as it was given.
    fn verbatim(&mut self, text: &str) -> Result<()> {
        let value: serde_json::Value = serde_json::from_str(text).map_err(|e| {
            Error::new(ErrorCode::CorruptIr, format_args!("corrupt IR: text that should be JSON is not: {e}"))
        })?;
        self.out.value(&value)
    }

    fn verbatim_member(&mut self, key: &str, text: &str) -> Result<()> {
        if text.is_empty() {
            return Ok(());
        }
        self.out.key(key)?;
        self.verbatim(text)
    }
}
