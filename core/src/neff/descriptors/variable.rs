//! Variables are the memory a runtime sets up before a program runs (`spec/neff.md` section 8.4).
#![forbid(unsafe_code)]

use crate::error::{Error, ErrorCode, Result};
use crate::neff::json::JsonWriter;
use crate::neff::path::safe_member_path;
use alloc::string::String;
use alloc::vec::Vec;

/// Size of a pointer in bytes.
const POINTER_BYTES: u64 = 8;

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
        /// Where the constant starts in the data of the file, in bytes. The compiler's constants all start at 0; anything else
        /// is written as `var_offset`, a key of the producer that known runtimes do not read (`spec/neff.md` section 8.4).
        offset: u64,
    },
    /// Private scratch memory.
    TmpBuf,
    /// A place in the shared scratch memory.
    Virtual {
        /// Where it starts there, in bytes.
        offset: u64,
        /// Which shared memory.
        backing: Backing,
    },
    /// The address of another variable, 8 bytes.
    Pointer {
        /// Name of the other variable.
        to: String,
    },
    /// Several variables under one name.
    List {
        /// Their names, in order.
        of: Vec<String>,
    },
    /// A table of pointers to variables.
    DgeTable {
        /// Their names, in order.
        of: Vec<String>,
    },
}

/// The shared memory behind a virtual variable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Backing {
    /// The one of the core; not written, because it is the default.
    #[default]
    Main,
    /// The one shared between cores.
    Sharded,
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
            VariableKind::Virtual { .. } => "virtual",
            VariableKind::Pointer { .. } => "pointer",
            VariableKind::List { .. } => "list",
            VariableKind::DgeTable { .. } => "dge-table",
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
    /// Size in bytes; for a constant without the NPY header. The state buffer and lists have none; a pointer has 8 whatever
    /// stands here.
    pub bytes: Option<u64>,
    /// Device alignment in bytes, a power of two; 0 for none.
    pub alignment: u64,
}

/// The id of the variable of a name.
pub(super) type IdOf<'i> = dyn Fn(&str) -> Option<usize> + 'i;

impl Variable {
    pub(super) fn check(&self) -> Result<()> {
        if self.alignment != 0 && !self.alignment.is_power_of_two() {
            return Err(Error::new(ErrorCode::BadValue, "the alignment of a variable is wrong")
                .expected_found("0 or a power of two", self.alignment)
                .at(&self.name));
        }
        match (&self.kind, self.bytes) {
            (
                VariableKind::StateBuffer
                | VariableKind::Pointer { .. }
                | VariableKind::List { .. }
                | VariableKind::DgeTable { .. },
                _,
            )
            | (_, Some(_)) => {}
            _ => {
                return Err(Error::new(ErrorCode::MissingKey, "a variable has no size")
                    .expected_found("a size in bytes", "")
                    .at(&self.name));
            }
        }
        if let VariableKind::File { file_name, .. } = &self.kind {
            safe_member_path(file_name)?;
        }
        Ok(())
    }

    pub(super) fn write(&self, w: &mut JsonWriter, id: usize, id_of: &IdOf<'_>) -> Result<()> {
        w.key(&self.name)?.object(|w| {
            if self.alignment != 0 {
                w.key("alignment")?.number(self.alignment)?;
            }
            let mut bytes = self.bytes;
            match &self.kind {
                VariableKind::File { file_name, .. } => w.key("file_name")?.string(file_name)?,
                VariableKind::Virtual { offset, backing } => {
                    if *backing == Backing::Sharded {
                        w.key("backing_buf")?.string("sharded")?;
                    }
                    w.key("backing_variable_off")?.number(*offset)?;
                }
                VariableKind::Pointer { to } => {
                    w.key("referenced_var_id")?.number(self.id(to, id_of)?)?;
                    bytes = Some(POINTER_BYTES);
                }
                VariableKind::List { of } | VariableKind::DgeTable { of } => {
                    w.key("list")?.array(|w| of.iter().try_for_each(|name| w.number(self.id(name, id_of)?)))?;
                    bytes = None;
                }
                VariableKind::StateBuffer | VariableKind::Input | VariableKind::Output | VariableKind::TmpBuf => {}
            }
            if let Some(bytes) = bytes {
                w.key("size")?.number(bytes)?;
            }
            w.key("type")?.string(self.kind.name())?;
            w.key("var_id")?.number(id as u64)?;
            match self.kind {
                VariableKind::File { offset, .. } if offset != 0 => w.key("var_offset")?.number(offset),
                _ => Ok(()),
            }
        })
    }

    fn id(&self, name: &str, id_of: &IdOf<'_>) -> Result<u64> {
        let id = id_of(name).ok_or_else(|| {
            Error::new(ErrorCode::UnresolvedRef, "a variable refers to one that does not exist")
                .expected_found("the name of a variable", name)
                .at(&self.name)
        })?;
        Ok(id as u64)
    }
}
