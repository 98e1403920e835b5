//! Kernels that the instructions of a module carry (`spec/lowering.md` section 1): each NKIKLIRKernel becomes an NKIKernel
//! that calls a function of its own.

mod binary;
mod bind;
mod replace;

use super::diagnostic::{Diagnostic, Filled, Findings, Severity};
use super::kernel::Lowering;
use super::layout::memory_type;
use super::options::LowerOptions;
use super::row::Rule;
use super::table::rule;
use super::wording;
use crate::doc::{ReadOptions, read_json};
use crate::enums::bir::{InstructionType, MemoryType};
use crate::error::text;
use crate::fallible::{copy, format, push};
use crate::ir::{Function, Instruction, Module, ModuleRef, Place};
use crate::klr::ast::{LncKernel, TensorName};
use crate::klr::{Arena, DecodeOptions, decode};
use crate::{Error, ErrorCode, Result};
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

/// The format of a binary that is a BIR document.
const DOCUMENT: &str = "bir";
/// The version that the binary of a KLR kernel must have.
const BINARY_VERSION: &str = "1.0.0";

/// What became of the carriers of a module.
#[derive(Debug)]
pub struct Report {
    /// What the kernels break.
    pub diagnostics: Vec<Diagnostic>,
    /// Findings beyond [`LowerOptions::max_diagnostics`].
    pub dropped: u64,
    /// How many carriers were replaced.
    pub lowered: usize,
    /// How many were left as they are, because their kernel has errors.
    pub refused: usize,
}

/// A carrier that cannot be lowered.
struct Refused {
    rule: &'static Rule,
    argument: String,
}

fn refused(rule: &'static Rule, argument: impl fmt::Display) -> Refused {
    Refused { rule, argument: text(argument) }
}

/// How the lowering of a carrier ends, short of a failure of the library.
type Outcome<T> = Result<core::result::Result<T, Refused>>;

/// Lowers the kernels of all carriers, in place. One whose kernel has errors stays as it is.
///
/// # Errors
/// `OutOfMemory`, `IdExhausted`; carriers before the failure are lowered then, later ones are not.
pub fn lower_carriers(module: &ModuleRef, options: &LowerOptions) -> Result<Report> {
    let mut findings = Findings::new(options.max_diagnostics);
    let (mut lowered, mut refused) = (0, 0);
    for carrier in carriers(module)? {
        match lower(module, carrier, options, &mut findings)? {
            true => lowered += 1,
            false => refused += 1,
        }
    }
    Ok(Report { diagnostics: findings.list, dropped: findings.dropped, lowered, refused })
}

/// All carriers, in program order.
fn carriers(module: &ModuleRef) -> Result<Vec<&Instruction>> {
    let mut found = Vec::new();
    for function in module.functions().chain(module.nki_functions()) {
        for instruction in function.instructions() {
            if instruction.opcode()? == InstructionType::NKIKLIRKernel {
                push(&mut found, instruction)?;
            }
        }
    }
    Ok(found)
}

/// Lowers one carrier; returns whether it was replaced.
fn lower<'m>(
    module: &'m ModuleRef,
    carrier: &'m Instruction,
    options: &LowerOptions,
    findings: &mut Findings,
) -> Result<bool> {
    let payload = carrier.as_nkiklir_kernel()?;
    let outcome = if payload.kernel_format()? == DOCUMENT {
        document(module, carrier, options)?
    } else {
        match kernel(module, carrier, options, findings)? {
            Some(outcome) => outcome,
            // Its findings are noted.
            None => return Ok(false),
        }
    };
    let failed = match outcome {
        Err(failed) => failed,
        Ok(made) => match bind::bind(carrier, &made) {
            Ok(bindings) => {
                replace::replace(module, carrier, made.function, &bindings)?;
                return Ok(true);
            }
            Err(Bad::Failed(error)) => return Err(error),
            Err(Bad::Binding(argument)) => {
                made.function.erase()?;
                Refused { rule: &wording::CARRIER_BINDING, argument }
            }
        },
    };
    note(carrier, &failed, findings)?;
    Ok(false)
}

/// Why the tensors of a carrier cannot be bound.
enum Bad {
    Failed(Error),
    Binding(String),
}

impl From<Error> for Bad {
    fn from(error: Error) -> Self {
        Bad::Failed(error)
    }
}

/// The function of a carrier, and the names of its inputs and outputs.
struct Made<'m> {
    function: &'m Function,
    inputs: Vec<String>,
    outputs: Vec<String>,
}

fn note(carrier: &Instruction, failed: &Refused, findings: &mut Findings) -> Result<()> {
    findings.add(Severity::Error, || {
        Ok(Diagnostic {
            severity: Severity::Error,
            id: failed.rule.id,
            kernel: copy(&carrier.name())?,
            block: carrier.block().map(|b| copy(&b.name())).transpose()?,
            statement: Some(copy(&carrier.name())?),
            operator: Some(InstructionType::NKIKLIRKernel.name()),
            field: None,
            file: None,
            line: 0,
            column: 0,
            message: format(Filled(failed.rule, &failed.argument))?,
        })
    })
}

/// An error that a carrier's contents cause, as opposed to one of the library.
fn of_contents(error: Error) -> Result<Refused> {
    match error.code {
        ErrorCode::OutOfMemory | ErrorCode::IdExhausted | ErrorCode::Internal | ErrorCode::Detached => Err(error),
        ErrorCode::Unsupported if error.message == rule::WRONG_VERSION.wording() => {
            Ok(refused(&rule::WRONG_VERSION, ""))
        }
        ErrorCode::WrongKind if error.message == rule::WRONG_CONTENTS.wording() => {
            Ok(refused(&rule::WRONG_CONTENTS, ""))
        }
        _ => Ok(refused(&wording::CARRIER_BINARY, error)),
    }
}

/// A binary that is a document: the function whose index is the core id goes to the NKI functions.
fn document<'m>(module: &'m ModuleRef, carrier: &Instruction, options: &LowerOptions) -> Outcome<Made<'m>> {
    let binary = carrier.as_nkiklir_kernel()?.klir_binary()?;
    let loaded: Module = match read_json(binary.as_bytes(), &ReadOptions::default()) {
        Ok(loaded) => loaded.module,
        Err(error) => return of_contents(error).map(Err),
    };
    let core = options.core_id.unwrap_or(0);
    let found = usize::try_from(core).ok().and_then(|index| loaded.functions().nth(index));
    let Some(function) = found else { return Ok(Err(refused(&wording::CARRIER_FUNCTION, core))) };
    let placed = match function.clone_to(module.nki_holder()?, None, Place::End) {
        Ok(placed) => placed.object,
        Err(error) => return of_contents(error).map(Err),
    };
    let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
    for set in placed.sets() {
        let names = match set.kind()?.ordinal() {
            // The groups of `spec/enums.md` section 5.
            0..=2 => &mut inputs,
            3..=5 => &mut outputs,
            _ => continue,
        };
        let location = set.locations().next().map_or_else(|| set.name(), |location| location.name());
        push(names, copy(&location)?)?;
    }
    Ok(Ok(Made { function: placed, inputs, outputs }))
}

/// A KLR binary. `None` if the kernel has errors, which are noted.
fn kernel<'m>(
    module: &'m ModuleRef,
    carrier: &Instruction,
    options: &LowerOptions,
    findings: &mut Findings,
) -> Result<Option<core::result::Result<Made<'m>, Refused>>> {
    let payload = carrier.as_nkiklir_kernel()?;
    let version = payload.nki_binary_version_identifier()?;
    if version != BINARY_VERSION {
        return Ok(Some(Err(refused(&wording::CARRIER_VERSION, version))));
    }
    let text = payload.klir_binary()?;
    let Some(bytes) = binary::bytes(&text)? else {
        return Ok(Some(Err(refused(&wording::CARRIER_BINARY, "it is neither KLR nor a text form of it"))));
    };
    let arena = Arena::new();
    let file = match decode(&bytes, &arena, &DecodeOptions::default()) {
        Ok(file) => file,
        Err(error) => return of_contents(error).map(|failed| Some(Err(failed))),
    };
    let kernel = match file.lnc() {
        Ok(kernel) => kernel,
        Err(error) => return of_contents(error).map(|failed| Some(Err(failed))),
    };
    for tensor in kernel.inputs.iter().chain(kernel.outputs) {
        if is_unplaced(tensor) {
            return Ok(Some(Err(refused(&rule::NOT_ALLOCATED, tensor.name))));
        }
    }
    fill(module, kernel, options, findings).map(|made| made.map(Ok))
}

/// Whether a tensor lies on chip and has no address.
fn is_unplaced(tensor: &TensorName<'_>) -> bool {
    let address = &tensor.address;
    let on_chip = matches!(memory_type(address.memory), Some(MemoryType::SB | MemoryType::PSUM));
    on_chip && (address.par_offset.is_none() || address.free_offset.is_none())
}

/// The kernel in a new NKI function; `None` if it has errors.
fn fill<'m>(
    module: &'m ModuleRef,
    kernel: &LncKernel<'_>,
    options: &LowerOptions,
    findings: &mut Findings,
) -> Result<Option<Made<'m>>> {
    let function = module.nki_holder()?.add_function(kernel.name, Place::End)?.object;
    let before = findings.errors;
    let run = Lowering::new(module, function, kernel, options, findings).run();
    if run.is_err() || findings.errors != before {
        function.erase()?;
        return run.map(|()| None);
    }
    let names = |tensors: &[TensorName<'_>]| -> Result<Vec<String>> {
        let mut all = Vec::new();
        for tensor in tensors {
            push(&mut all, copy(tensor.name)?)?;
        }
        Ok(all)
    };
    Ok(Some(Made { function, inputs: names(kernel.inputs)?, outputs: names(kernel.outputs)? }))
}
