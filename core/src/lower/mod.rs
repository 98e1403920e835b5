//! From the kernels of front ends (KLR) to BIR: the lowering of `spec/lowering.md`, driven by the rows of
//! `spec/lowering.toml`.
//!
//! [`lower_kernel`] makes a module of a kernel, [`lower_file`] of a decoded file, and [`lower_carriers`] lowers the kernels
//! that the instructions of a module carry. What a kernel breaks does not end the walk: every finding is a [`Diagnostic`]
//! with kernel, block, statement, operator, field and source position. An `Err` is a failure of the library itself, or a
//! file that is none.
//!
//! ```
//! use bir_core::klr::ast::LncKernel;
//! use bir_core::lower::{LowerOptions, lower_kernel};
//!
//! let kernel = LncKernel {
//!     name: "empty",
//!     inputs: &[],
//!     outputs: &[],
//!     bodies: &[&[]],
//!     shared_constants: &[],
//!     shared_buffers: &[],
//!     edges: &[],
//! };
//! let lowered = lower_kernel(&kernel, &LowerOptions::default())?;
//! assert!(lowered.is_good());
//! assert!(lowered.module.find_function("empty").is_some());
//! # Ok::<(), bir_core::Error>(())
//! ```
#![forbid(unsafe_code)]

mod access;
mod blocks;
mod carrier;
mod diagnostic;
mod dynamic;
mod edges;
mod emit;
mod kernel;
mod layout;
mod made;
mod number;
mod older;
mod ops;
mod options;
mod pattern;
mod row;
mod stop;
#[rustfmt::skip]
mod table;
#[cfg(test)]
mod table_tests;
mod tensors;
mod wording;

pub use carrier::{Report, lower_carriers};
pub use diagnostic::{Diagnostic, Severity};
pub use older::lower_older;
pub use options::LowerOptions;
pub use row::{Engine, Kind, OperatorRow, Prefix, Rule, Variant};
pub use table::{OPERATORS, RULES};
pub use wording::OWN;

use crate::Result;
use crate::ir::{Module, Place};
use crate::klr::File;
use crate::klr::ast::LncKernel;
use alloc::vec::Vec;
use diagnostic::Findings;
use kernel::Lowering;

/// A lowered kernel.
#[derive(Debug)]
pub struct Lowered {
    /// The module. Statements with an error have no instruction.
    pub module: Module,
    /// What the kernel breaks, in the order of the walk.
    pub diagnostics: Vec<Diagnostic>,
    /// Findings beyond [`LowerOptions::max_diagnostics`].
    pub dropped: u64,
    /// How many errors there are, kept or not.
    pub error_count: u64,
}

impl Lowered {
    /// The errors among the diagnostics.
    pub fn errors(&self) -> impl Iterator<Item = &Diagnostic> {
        self.diagnostics.iter().filter(|d| d.severity == Severity::Error)
    }

    /// Whether there is no error, kept or not: every statement was lowered.
    #[must_use]
    pub fn is_good(&self) -> bool {
        self.error_count == 0
    }
}

/// Lowers a kernel into a module with one function of its name (`spec/lowering.md` section 1, last paragraph).
///
/// # Errors
/// `OutOfMemory`, `IdExhausted`.
pub fn lower_kernel(kernel: &LncKernel<'_>, options: &LowerOptions) -> Result<Lowered> {
    let module = Module::new()?;
    module.set_arch(options.arch);
    let mut findings = Findings::new(options.max_diagnostics);
    {
        let function = module.add_function(kernel.name, Place::End)?.object;
        Lowering::new(&module, function, kernel, options, &mut findings).run()?;
    }
    let Findings { list, dropped, errors, .. } = findings;
    Ok(Lowered { module, diagnostics: list, dropped, error_count: errors })
}

/// Lowers the kernel of a file.
///
/// # Errors
/// `Unsupported`, "Wrong KLR version"; `WrongKind`, "Wrong KLIR content type"; else as [`lower_kernel`].
pub fn lower_file(file: &File<'_>, options: &LowerOptions) -> Result<Lowered> {
    if file.version.patch != u64::from(ACCEPTED_VERSION) {
        let error = crate::Error::new(crate::ErrorCode::Unsupported, table::rule::WRONG_VERSION.wording());
        return Err(error.expected_found(ACCEPTED_VERSION, file.version.patch).at("file.patch"));
    }
    lower_kernel(file.lnc()?, options)
}

/// The third number of the version that a back end accepts (`spec/klr.md` section 1).
const ACCEPTED_VERSION: u8 = 12;
