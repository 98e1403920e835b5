//! Transfers by DMA: copies, scatters that add up, transposes, sums.

use super::super::access::{Access, Operand, dynamic_pattern};
use super::super::kernel::Lowering;
use super::super::row::OperatorRow;
use super::super::stop::{Field, Step, refuse, refuse_with};
use super::super::table::rule;
use super::super::wording;
use super::form;
use super::values::{list, mapped, oob_is_error};
use crate::enums::bir::{AluOpType, CopyMode, DGEType, DMAQoSClass, IndirectDim, TransposeOps};
use crate::enums::klr::{AluOp, DgeComputeOp, Engine};
use crate::fallible::push;
use crate::ir::{Instruction, OperandList};
use crate::klr::ast;
use crate::op::{Maybe, Value};
use alloc::vec::Vec;

/// The largest priority; P0 is the class of ordinal 2.
const MAX_PRIORITY: u64 = 14;

/// `dge`.
fn dge(mode: u64) -> Step<DGEType> {
    let found = u32::try_from(mode).ok().and_then(|mode| mapped("nat dgeMode to DGEType", mode));
    found.map_or_else(|| refuse_with(&rule::DGE_MODE, "dgeMode", mode), Ok)
}

/// The priority class of a priority.
pub(super) fn qos(priority: Option<u64>) -> Step<Option<DMAQoSClass>> {
    let Some(priority) = priority else { return Ok(None) };
    if priority > MAX_PRIORITY {
        return refuse_with(&wording::DMA_PRIORITY, "priority", priority);
    }
    Ok(Some(DMAQoSClass::from_ordinal(priority.cast_signed() + 2)?))
}

pub(super) fn copy<'k>(cx: &mut Lowering<'_, 'k>, row: &'static OperatorRow, r: &'k ast::NcDmaCopy<'k>) -> Step<()> {
    let mode = dge(r.dge_mode)?;
    let (dst_dynamic, src_dynamic) = (dynamic_pattern(&r.dst), dynamic_pattern(&r.src));
    if dst_dynamic.is_some() && src_dynamic.is_some() {
        return refuse(&rule::DMA_BOTH_DYNAMIC, Field::NONE);
    }
    if src_dynamic.is_some() && mode == DGEType::None {
        return refuse(&rule::DMA_DGE_SRC, "src");
    }
    if dst_dynamic.is_some() && mode == DGEType::None {
        return refuse(&rule::DMA_DGE_DST, "dst");
    }
    if r.engine != Engine::unassigned && mode != DGEType::HWDGE {
        return refuse(&rule::DMA_ENGINE, "engine");
    }
    for (pattern, field) in [(dst_dynamic, "dst"), (src_dynamic, "src")] {
        if let Some(pattern) = pattern {
            cx.check_dynamic(pattern, field.into())?;
        }
    }
    let adds = r.compute_op == DgeComputeOp::add;
    if adds && !r.unique_indices {
        return scatter(cx, row, r, dst_dynamic, src_dynamic.is_some());
    }
    let qos = qos(r.priority)?;

    let (mut dst, dst_index) = cx.dma_side(&r.dst, "dst")?;
    let (mut src, src_index) = cx.dma_side(&r.src, "src")?;
    let dynamic = dst_dynamic.is_some() || src_dynamic.is_some();
    if !dynamic && !dst.pattern.same_shape(&src.pattern) {
        dst.pattern = dst.pattern.canonical();
        src.pattern = src.pattern.canonical();
    }
    let engine = Some(r.engine).filter(|_| mode == DGEType::HWDGE);
    let variant = form(row, usize::from(dynamic))?;
    let instruction = cx.emit(variant, engine, &[src.into()], &[dst.into()])?;
    add_index(instruction, dst_index.or(src_index))?;
    let copy = instruction.as_dma_copy()?;
    copy.set_dge_type(mode)?;
    if adds {
        copy.set_cce_op(AluOpType::add)?;
    }
    copy.set_oob_is_err(Maybe::Constant(oob_is_error(r.oob_mode)))?;
    if let Some(qos) = qos {
        copy.set_dma_qos(qos)?;
    }
    Ok(())
}

/// The index tensor of a dynamic access is an indirection input.
fn add_index<'m>(instruction: &'m Instruction, index: Option<Access<'m>>) -> crate::Result<()> {
    index.map_or(Ok(()), |index| Operand::Access(index).add_to(instruction, OperandList::IndirectionIns))
}

/// Adding to places that may occur twice: the index tensor is an input, and dst keeps its static part.
fn scatter<'k>(
    cx: &mut Lowering<'_, 'k>,
    row: &'static OperatorRow,
    r: &'k ast::NcDmaCopy<'k>,
    dst: Option<&'k ast::BirAccessPattern<'k>>,
    src_is_dynamic: bool,
) -> Step<()> {
    if src_is_dynamic {
        return refuse(&rule::DMA_SCATTER_SRC, "src");
    }
    let Some(pattern) = dst else { return refuse(&rule::DMA_SCATTER_STATIC, "dst") };
    if pattern.scalar_offset.is_some() {
        return refuse(&rule::DMA_SCATTER_SCALAR, "dst");
    }
    let Some(vector) = &pattern.vector_offset else { return refuse(&rule::DMA_SCATTER_VECTOR, "dst") };
    // check_dynamic has seen that the dimension is 0.
    let dim = IndirectDim::from_ordinal(pattern.indirect_dim)?;
    let field = Field::from("dst");
    let dst = cx.static_part(pattern, field)?.1;
    let index = cx.plain_access(vector, field.part("vectorOffset"))?;
    let src = cx.read(&r.src, "src")?;
    let instruction = cx.emit(form(row, 2)?, None, &[src, index.into()], &[dst.into()])?;
    let dims = list(core::iter::once(Value::Enum(IndirectDim::ID, dim.ordinal())))?;
    instruction.set("indirect_dims", &dims)?;
    instruction.as_generic_indirect_save()?.set_op(AluOpType::add)?;
    Ok(())
}

/// Number of pairs of a pattern; `None` for a reference that has no lowering, which is reported as such.
fn pairs(reference: &ast::TensorRef<'_>) -> Option<usize> {
    match reference {
        ast::TensorRef::Abstract(ast::Access::BirPattern(pattern)) => Some(pattern.pattern.len()),
        ast::TensorRef::Abstract(ast::Access::Simple(_)) | ast::TensorRef::Hbm(_) => Some(2),
        _ => None,
    }
}

/// The axes are not read: the result is always XZYW.
pub(super) fn transpose<'k>(
    cx: &mut Lowering<'_, 'k>,
    row: &'static OperatorRow,
    r: &'k ast::DmaTranspose<'k>,
) -> Step<()> {
    for (reference, field) in [(&r.dst, "dst"), (&r.src, "src")] {
        if pairs(reference).is_some_and(|count| count != 4) {
            return refuse(&rule::DMA_TRANSPOSE_RANK, field);
        }
    }
    let mode = dge(r.dge_mode)?;
    if let Some(pattern) = dynamic_pattern(&r.src) {
        cx.check_dynamic(pattern, "src".into())?;
    }
    let qos = qos(r.priority)?;
    let dst = cx.read(&r.dst, "dst")?;
    let (src, index) = cx.dma_side(&r.src, "src")?;
    let instruction = cx.emit(form(row, 0)?, None, &[src.into()], &[dst])?;
    add_index(instruction, index)?;
    let copy = instruction.as_dma_copy()?;
    copy.set_mode(CopyMode::Transpose)?;
    copy.set_transpose_op(TransposeOps::XZYW)?;
    copy.set_dge_type(mode)?;
    copy.set_oob_is_err(Maybe::Constant(oob_is_error(r.oob_mode)))?;
    if let Some(qos) = qos {
        copy.set_dma_qos(qos)?;
    }
    Ok(())
}

/// The sum of scaled sources.
pub(super) fn compute<'k>(
    cx: &mut Lowering<'_, 'k>,
    row: &'static OperatorRow,
    r: &'k ast::DmaCompute<'k>,
) -> Step<()> {
    if r.reduce_op != AluOp::add {
        return refuse(&rule::DMA_COMPUTE_REDUCE, "reduceOp");
    }
    let mut scales: Vec<Value<'_>> = Vec::new();
    for (index, scale) in r.scales.iter().enumerate() {
        let ast::Immediate::Float(scale) = *scale else {
            return refuse(&rule::DMA_COMPUTE_SCALE, Field::at("scales", index));
        };
        push(&mut scales, Value::Float(scale))?;
    }
    let dst = cx.read(&r.dst, "dst")?;
    let mut srcs = Vec::new();
    for (index, src) in r.srcs.iter().enumerate() {
        push(&mut srcs, cx.read(src, Field::at("srcs", index))?)?;
    }
    let instruction = cx.emit(form(row, 0)?, None, &srcs, &[dst])?;
    let copy = instruction.as_dma_copy()?;
    copy.set_mode(CopyMode::CCE)?;
    copy.set_cce_op(AluOpType::add)?;
    instruction.set("constants", &Value::List(scales))?;
    Ok(())
}
