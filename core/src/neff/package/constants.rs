//! What has to hold between the constants of a subgraph and their files.
#![forbid(unsafe_code)]

use super::members::Members;
use super::{Core, Node, PackageBuilder};
use crate::consts::npy::looks_like_npy;
use crate::contents::fill_at;
use crate::error::{Error, ErrorCode, Result};
use crate::fallible::{copy, push};
use crate::neff::descriptors::{Engine, Variable, VariableKind, graph_name};
use crate::neff::features::{BIN_WEIGHTS, VNC};
use crate::neff::path::safe_member_path;
use alloc::vec::Vec;

/// Whether a constant's file is stored as NPY, by its name.
fn is_npy(file_name: &str) -> bool {
    file_name.ends_with(".npy")
}

/// Checks that the file of every constant was added and is read by a runtime as it is meant.
pub(super) fn check(builder: &PackageBuilder<'_>, members: &Members<'_>) -> Result<()> {
    for (core, constants) in builder.cores.iter().map(|core| &core.constants).enumerate() {
        for constant in constants {
            let name = Engine::member(&graph_name(core), safe_member_path(&constant.file_name)?);
            let data = members.given(&name).ok_or_else(|| {
                Error::new(ErrorCode::UnresolvedRef, "the file of a constant was not added")
                    .expected_found(format_args!("the member `{name}`"), "")
                    .at(&constant.variable)
            })?;
            if is_npy(&constant.file_name) {
                continue;
            }
            let mut start = [0; 2];
            let count = fill_at(data, 0, &mut start)?;
            if start.get(..count).is_some_and(looks_like_npy) {
                return Err(Error::new(ErrorCode::Conflict, "a raw constant would be read as an NPY file")
                    .expected_found("an NPY file, or data that does not start with 93 4e", "93 4e")
                    .at(&name));
            }
        }
    }
    Ok(())
}

/// The given feature bits, with those that follow from the parts (`spec/neff.md` section 3, `spec/consts.md` 8.1).
pub(super) fn feature_bits(builder: &PackageBuilder<'_>) -> u64 {
    let raw = builder.cores.iter().flat_map(|core| &core.constants).any(|constant| !is_npy(&constant.file_name));
    let mut bits = builder.feature_bits;
    if raw {
        bits |= BIN_WEIGHTS;
    }
    if builder.nodes.iter().any(|node| node.cores.len() > 1) {
        bits |= VNC;
    }
    bits
}

/// The variables of a core in the order of their ids: inputs, the state buffer, outputs, constants, others.
pub(super) fn variables(node: &Node, core: &Core) -> Result<Vec<Variable>> {
    let mut variables = Vec::new();
    let mut add = |name: &str, kind, bytes, alignment| -> Result<()> {
        push(&mut variables, Variable { name: copy(name)?, kind, bytes, alignment })
    };
    for tensor in &node.inputs {
        add(&tensor.name, VariableKind::Input, Some(tensor.bytes), 0)?;
    }
    add("SB", VariableKind::StateBuffer, None, 0)?;
    for tensor in &node.outputs {
        add(&tensor.name, VariableKind::Output, Some(tensor.bytes), 0)?;
    }
    for constant in &core.constants {
        let kind = VariableKind::File { file_name: copy(&constant.file_name)?, offset: constant.offset };
        add(&constant.variable, kind, Some(constant.bytes), constant.alignment)?;
    }
    for variable in &core.variables {
        push(&mut variables, variable.clone())?;
    }
    Ok(variables)
}
