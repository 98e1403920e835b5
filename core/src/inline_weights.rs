//! Weights that a front end left beside its model become constants of the module, which [`pack`](crate::pack) can then put into
//! a package: the step `inline-weights` (`spec/consts.md` section 2), applied to BIR.
//!
//! This room knows modules and constants, and nobody below it knows it. Files come from the caller.
#![forbid(unsafe_code)]

use crate::consts::weights::{self, Metadata, ModelFiles, Parameter, Plan, Problem, ProblemKind, Unfit};
use crate::enums::bir::{MemoryType, TensorClass, TensorKind};
use crate::fallible::{format, push};
use crate::ir::{MemoryLocation, MemoryLocationSet, ModuleRef};
use crate::mem::Str;
use crate::pack::{Role, role};
use crate::{Error, ErrorCode, Result};
use alloc::string::String;
use alloc::vec::Vec;

/// Makes constants of the parameters that a model directory has weights for. `metadata` is the text of its `metadata.json`.
///
/// The parameters of a module are its input tensors, those that [`pack_module`](crate::pack::pack_module) would list as such: the
/// sets in module order, numbered from 0. A set with a weight becomes one of kind `Const` and class `ImmutableParameter` in DRAM
/// whose file is the one of the entry; the others keep their order. If there is any problem, all are in the plan and the
/// module is as before.
///
/// # Errors
/// `OutOfMemory`; `CorruptIr` for a module that cannot be read. The module is as before then.
pub fn inline_weights(module: &ModuleRef, metadata: &[u8], files: &mut (impl ModelFiles + ?Sized)) -> Result<Plan> {
    let mut warnings = Vec::new();
    let sets = parameters(module, &mut warnings)?;
    let mut described = Vec::new();
    for set in &sets {
        push(&mut described, parameter(set)?)?;
    }
    let mut plan = weights::plan(Metadata::parse(metadata)?, &described, files)?;
    for warning in warnings {
        let error = Error::new(ErrorCode::Conflict, warning);
        let kind = ProblemKind::Program;
        push(&mut plan.warnings, Problem { kind, number: None, parameter: String::new(), file: None, error })?;
    }
    if plan.is_good() {
        let mut changes = Changes::default();
        if let Err(error) = apply(&sets, &plan, &mut changes) {
            changes.undo();
            return Err(error);
        }
    }
    Ok(plan)
}

/// The parameters of a module, by number.
fn parameters<'m>(module: &'m ModuleRef, warnings: &mut Vec<String>) -> Result<Vec<&'m MemoryLocationSet>> {
    let mut sets = Vec::new();
    for set in module.functions().flat_map(|function| function.sets()) {
        if role(set, warnings)? == Some(Role::Input) {
            push(&mut sets, set)?;
        }
    }
    Ok(sets)
}

fn parameter(set: &MemoryLocationSet) -> Result<Parameter<'static>> {
    let mut shape = Vec::new();
    for dimension in set.tensor_shape() {
        push(&mut shape, dimension)?;
    }
    Ok(Parameter { name: format(set.name())?, dtype: set.dtype()?.name(), shape, unfit: unfit(set)? })
}

/// Why a set cannot be a constant, which nobody writes and which lies in DRAM.
fn unfit(set: &MemoryLocationSet) -> Result<Option<Unfit>> {
    let written = set.storage().base().writer_count() > 0 || set.locations().any(|l| l.base().writer_count() > 0);
    if written {
        return Ok(Some(Unfit { expected: "a tensor that the program only reads", found: "one that it writes" }));
    }
    for location in set.locations() {
        let memory = location.memory_type()?;
        if !matches!(memory, MemoryType::DRAM | MemoryType::Input) {
            return Ok(Some(Unfit { expected: "a tensor in DRAM", found: memory.name() }));
        }
    }
    Ok(None)
}

fn apply<'m>(sets: &[&'m MemoryLocationSet], plan: &Plan, changes: &mut Changes<'m>) -> Result<()> {
    for constant in &plan.constants {
        let Some(&set) = sets.get(constant.number) else { continue };
        push(&mut changes.files, (set, set.file()))?;
        set.set_file(&constant.file)?;
        for location in set.locations() {
            push(&mut changes.memory, (location, location.memory_type()?))?;
            location.set_memory_type(MemoryType::DRAM)?;
        }
    }
    // From here on nothing can fail.
    for set in plan.constants.iter().filter_map(|constant| sets.get(constant.number)) {
        set.set_kind(TensorKind::Const);
        set.set_tensor_class(TensorClass::ImmutableParameter);
    }
    Ok(())
}

/// What was changed, with its old value.
#[derive(Default)]
struct Changes<'m> {
    files: Vec<(&'m MemoryLocationSet, Str<'m>)>,
    memory: Vec<(&'m MemoryLocation, MemoryType)>,
}

impl Changes<'_> {
    fn undo(&self) {
        for (set, file) in &self.files {
            set.restore_file(*file);
        }
        for (location, memory) in &self.memory {
            // What it was is allowed: an error here would say that nothing was changed.
            let _ = location.set_memory_type(*memory);
        }
    }
}
