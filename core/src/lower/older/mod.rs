//! The lowering of the older JSON form (`spec/lowering.md` section 10), as far as its operators go: `load`, `save`, `memset`,
//! `tensorScalar` and `tensorScalarAddr`. Everything else is a diagnostic at its statement.
//!
//! The documents of that time are the measure: one function `sg0000` with one block `Block1`, sets in shared address space,
//! inputs and outputs of memory types of their own, no engines. Where that translator stopped (slices of a part, hardware
//! patterns, placed tensors, memset), the rules of the present lowering are followed.

mod access;
mod statement;
mod tensors;

use super::Lowered;
use super::diagnostic::{Diagnostic, Filled, Findings, Severity};
use super::options::LowerOptions;
use super::row::Rule;
use super::stop::{Field, Refused, Step, Stop};
use crate::Result;
use crate::error::text;
use crate::fallible::{copy, format};
use crate::ir::{BasicBlock, Function, Module, Place};
use crate::klr::older::{Kernel, Statement};
use core::fmt;
use tensors::Tensors;

/// The names that the documents of that time give.
const FUNCTION: &str = "sg0000";
const BLOCK: &str = "Block1";

/// A kernel of the older form being lowered.
struct Older<'m, 'k> {
    kernel: &'k Kernel,
    function: &'m Function,
    block: &'m BasicBlock,
    findings: &'m mut Findings,
    strict: bool,
    tensors: Tensors<'m, 'k>,
    /// The statement, and its index in the body.
    statement: Option<(usize, &'k Statement)>,
    /// The running number of names.
    number: u32,
}

/// Lowers a kernel of the older JSON form into a module with one function `sg0000`.
///
/// It has one body, so a core other than 0 gets the tensors and no instructions, as [`lower_kernel`](super::lower_kernel)
/// does it.
///
/// # Errors
/// `OutOfMemory`, `IdExhausted`.
pub fn lower_older(kernel: &Kernel, options: &LowerOptions) -> Result<Lowered> {
    let module = Module::new()?;
    let core = options.core_id.unwrap_or(0);
    module.set_arch(options.arch);
    module.set_attributes_json(&format(format_args!("{{\"neuron_core_id\":{core}}}"))?)?;
    let mut findings = Findings::new(options.max_diagnostics);
    {
        let function = module.add_function(FUNCTION, Place::End)?.object;
        let block = function.add_block(BLOCK, Place::End)?.object;
        let mut older = Older {
            kernel,
            function,
            block,
            findings: &mut findings,
            strict: options.strict,
            tensors: Tensors::new(),
            statement: None,
            number: 0,
        };
        older.arguments()?;
        if core == 0 {
            older.body()?;
        }
    }
    let Findings { list, dropped, errors, .. } = findings;
    Ok(Lowered { module, diagnostics: list, dropped, error_count: errors })
}

impl<'k> Older<'_, 'k> {
    fn body(&mut self) -> Result<()> {
        let kernel = self.kernel;
        for (index, statement) in kernel.body.iter().enumerate() {
            self.statement = Some((index, statement));
            let step = self.lower(statement);
            self.note(step)?;
        }
        Ok(())
    }

    /// Notes a broken rule at the present statement; the walk goes on.
    fn note(&mut self, step: Step<()>) -> Result<()> {
        match step {
            Ok(()) => Ok(()),
            Err(Stop::Refused(Refused { rule, argument, field })) => self.find(Severity::Error, rule, field, argument),
            Err(Stop::Failed(error)) => Err(error),
        }
    }

    fn warn(&mut self, rule: &'static Rule, field: Field, argument: impl fmt::Display) -> Result<()> {
        self.find(if self.strict { Severity::Error } else { Severity::Warning }, rule, field, argument)
    }

    fn find(
        &mut self,
        severity: Severity,
        rule: &'static Rule,
        field: Field,
        argument: impl fmt::Display,
    ) -> Result<()> {
        let (statement, kernel) = (self.statement, &self.kernel.name);
        self.findings.add(severity, || {
            Ok(Diagnostic {
                severity,
                id: rule.id,
                kernel: copy(kernel)?,
                block: statement.map(|_| copy(BLOCK)).transpose()?,
                statement: statement.map(|(index, _)| format(format_args!("#{index}"))).transpose()?,
                operator: statement.and_then(|(_, statement)| statement::operator(statement)),
                field: (field != Field::NONE).then(|| format(field)).transpose()?,
                file: None,
                line: 0,
                column: 0,
                message: format(Filled(rule, &text(argument)))?,
            })
        })
    }
}
