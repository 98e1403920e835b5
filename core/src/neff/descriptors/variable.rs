//! Variables are the memory a runtime sets up before a program runs (`spec/neff.md` section 8.4).
#![forbid(unsafe_code)]

use crate::error::{Error, ErrorCode, Result};
use crate::neff::json::JsonWriter;
use crate::neff::path::safe_member_path;
use alloc::string::String;

/// What a variable is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VariableKind {
    /// The on-chip state buffer.
    StateBuffer,
    /// An input of the program.
    Input,
    /// An output of the program.
    Output,
    /// A constant, copied to device memory at load.
    File {
        /// Name of the member relative to the subgraph's folder.
        file_name: String,
    },
    /// Private scratch memory.
    TmpBuf,
}

impl VariableKind {
    /// The value of `type`.
    pub const fn name(&self) -> &'static str {
        match self {
            VariableKind::StateBuffer => "state-buffer",
            VariableKind::Input => "input",
            VariableKind::Output => "output",
            VariableKind::File { .. } => "file",
            VariableKind::TmpBuf => "tmp-buf",
        }
    }
}

/// One variable; its id is its place in the definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Name, unique in the definition.
    pub name: String,
    /// What it is.
    pub kind: VariableKind,
    /// Size in bytes; for a constant without the NPY header. The state buffer has none.
    pub bytes: Option<u64>,
    /// Device alignment in bytes, a power of two; 0 for none.
    pub alignment: u64,
}

impl Variable {
    pub(super) fn check(&self) -> Result<()> {
        if self.alignment != 0 && !self.alignment.is_power_of_two() {
            return Err(Error::new(ErrorCode::BadValue, "the alignment of a variable is wrong")
                .expected_found("0 or a power of two", self.alignment)
                .at(&self.name));
        }
        match (&self.kind, self.bytes) {
            (VariableKind::StateBuffer, _) | (_, Some(_)) => {}
            _ => {
                return Err(Error::new(ErrorCode::MissingKey, "a variable has no size")
                    .expected_found("a size in bytes", "")
                    .at(&self.name));
            }
        }
        if let VariableKind::File { file_name } = &self.kind {
            safe_member_path(file_name)?;
        }
        Ok(())
    }

    pub(super) fn write(&self, w: &mut JsonWriter, id: usize) -> Result<()> {
        w.key(&self.name)?.object(|w| {
            if self.alignment != 0 {
                w.key("alignment")?.number(self.alignment)?;
            }
            if let VariableKind::File { file_name } = &self.kind {
                w.key("file_name")?.string(file_name)?;
            }
            if let Some(bytes) = self.bytes {
                w.key("size")?.number(bytes)?;
            }
            w.key("type")?.string(self.kind.name())?;
            w.key("var_id")?.number(id as u64)
        })
    }
}
