//! Puts an NKIKernel where a carrier was: same place, name, operands, edges and schedule.

use super::bind::Bindings;
use crate::Result;
use crate::enums::bir::{InstructionType, KernelSource};
use crate::fallible::{copy, push};
use crate::ir::{EdgeSet, Function, Instruction, ModuleRef, OperandList, Place};
use crate::op::Json;
use alloc::vec::Vec;

pub(super) fn replace<'m>(
    module: &'m ModuleRef,
    carrier: &'m Instruction,
    function: &'m Function,
    bindings: &Bindings,
) -> Result<()> {
    let Some(block) = carrier.block() else { return Ok(()) };
    let name = copy(&carrier.name())?;
    let call = block.add_instruction(InstructionType::NKIKernel, &name, Place::Before(carrier))?.object;

    let (from, to) = (carrier.as_nkiklir_kernel()?, call.as_nki_kernel()?);
    to.set_func(Some(function))?;
    to.set_kernel_source_val(KernelSource::Beta2)?;
    to.set_func_args(Json(Some(copy(&bindings.args)?)))?;
    to.set_func_outs(Json(Some(copy(&bindings.outs)?)))?;
    to.set_sb_buf_shape(from.sb_buf_shape()?)?;
    to.set_psum_buf_shape(from.psum_buf_shape()?)?;
    to.set_address_rotation_scope_val(from.address_rotation_scope_val()?)?;

    copy_header(carrier, call)?;
    for list in OperandList::ALL {
        for operand in carrier.operands(list) {
            operand.move_to(call, list, Place::End)?;
        }
    }
    move_edges(carrier, call)?;
    redirect_waits(module, carrier, call)?;
    carrier.erase()?;
    call.set_name(&name)?;
    Ok(())
}

/// What every instruction has, edges and operands excepted.
fn copy_header<'m>(carrier: &'m Instruction, call: &'m Instruction) -> Result<()> {
    call.set_origin(carrier.origin()?);
    call.set_engine(carrier.engine()?);
    call.set_engine_id(carrier.engine_id());
    call.set_schedule(carrier.scheduled_start(), carrier.scheduled_end())?;
    call.set_debug_json(carrier.debug_json().as_deref())?;
    call.set_debug_update_semaphore(carrier.debug_update_semaphore())?;
    let passes = gather(carrier.optin_passes())?;
    call.set_optin_passes(&passes)?;
    call.set_predicates(&gather(carrier.predicates())?)?;
    call.set_order(&gather(carrier.order())?)?;
    call.set_sync_info(carrier.has_sync_info())?;
    for wait in carrier.waits() {
        call.add_wait(wait)?;
    }
    for update in carrier.updates() {
        call.add_update(update)?;
    }
    for (target, kind, expressions, predicates) in carrier.unroll_dependencies() {
        call.add_unroll_dependency(target, kind, &expressions, &predicates)?;
    }
    Ok(())
}

fn gather<T>(items: impl Iterator<Item = T>) -> Result<Vec<T>> {
    let mut all = Vec::new();
    for item in items {
        push(&mut all, item)?;
    }
    Ok(all)
}

fn move_edges<'m>(carrier: &'m Instruction, call: &'m Instruction) -> Result<()> {
    for set in [EdgeSet::Normal, EdgeSet::LoopCarried] {
        for edge in gather(carrier.dependencies(set))? {
            let target = if core::ptr::eq(edge.target, carrier) { continue } else { edge.target };
            call.add_dependency(target, edge.kind, set)?;
        }
        for edge in gather(carrier.descendents(set))? {
            let waiting = if core::ptr::eq(edge.target, carrier) { continue } else { edge.target };
            waiting.add_dependency(call, edge.kind, set)?;
        }
    }
    Ok(())
}

/// Semaphores that wait for the carrier wait for the call.
fn redirect_waits<'m>(module: &'m ModuleRef, carrier: &'m Instruction, call: &'m Instruction) -> Result<()> {
    if !carrier.has_sync_info() {
        return Ok(());
    }
    let functions = module.functions().chain(module.nki_functions()).map(Function::block_holder);
    let queues = module.queues().map(|queue| queue.block_holder());
    for instruction in functions.chain(queues).flat_map(|holder| holder.instructions()) {
        let mut index = 0;
        while let Some(wait) = instruction.waits().nth(index) {
            if wait.from.is_some_and(|from| core::ptr::eq(from, carrier)) {
                instruction.set_wait_producer(index, Some(call))?;
            }
            index += 1;
        }
    }
    Ok(())
}
