//! One function per operator: its checks in the order of `spec/lowering.toml`, its operands resolved in the order of the KLR
//! record, its instruction, its payload.
//!
//! Every check comes before the instruction is made, so a statement with an error leaves no instruction behind.

mod activation;
mod branch;
mod collective;
mod copy;
mod dma;
mod gather;
mod matmul;
mod misc;
mod random;
mod reduce;
mod register;
mod search;
mod select;
mod send;
mod tensor_scalar;
mod transpose;
mod values;

use super::kernel::Lowering;
use super::row::{OperatorRow, Variant};
use super::stop::Step;
use crate::klr::ast::Operator as Op;

/// Form `index` of an operator.
fn form(row: &'static OperatorRow, index: usize) -> Step<&'static Variant> {
    match row.variants.get(index) {
        Some(variant) => Ok(variant),
        None => Err(missing(row, index).into()),
    }
}

fn missing(row: &OperatorRow, index: usize) -> crate::Error {
    crate::Error::new(crate::ErrorCode::Internal, format_args!("{} has no form {index}", row.name))
}

/// Lowers an operator that has a lowering.
pub(super) fn lower<'m, 'k>(cx: &mut Lowering<'m, 'k>, row: &'static OperatorRow, operator: &Op<'k>) -> Step<()> {
    match operator {
        Op::NcActivate(r) | Op::ActivationReduce(r) => activation::activate(cx, row, r),
        Op::Activate2(r) => activation::activate2(cx, row, r),
        Op::Exponential(r) => activation::exponential(cx, row, r),
        Op::Reciprocal(r) => misc::unary(cx, row, &r.dst, &r.src, "src"),
        Op::BatchNormAggregate(r) => misc::unary(cx, row, &r.dst, &r.src, "src"),
        Op::BatchNormStats(r) => misc::batch_norm_stats(cx, row, r),
        Op::SequenceBounds(r) => misc::unary(cx, row, &r.dst, &r.segment_ids, "segmentIds"),
        Op::Dropout(r) => misc::dropout(cx, row, r),
        Op::Shuffle(r) => misc::shuffle(cx, row, r),
        Op::DevicePrint(r) => misc::device_print(cx, row, r),
        Op::CoreBarrier(r) => misc::core_barrier(cx, row, r),
        Op::NonzeroWithCount(r) => misc::nonzero_with_count(cx, row, r),
        Op::QuantizeMX(r) => misc::quantize_mx(cx, row, r),
        Op::MemSet(r) => misc::mem_set(cx, row, r),
        Op::Iota(r) => select::iota(cx, row, r),
        Op::NcAffineSelect(r) => select::affine_select(cx, row, r),
        Op::NcRangeSelect(r) => select::range_select(cx, row, r),
        Op::SelectReduce(r) => select::select_reduce(cx, row, r),
        Op::CopyPredicated(r) => select::copy_predicated(cx, row, r),
        Op::NcCopy(r) => copy::copy(cx, row, r),
        Op::NcDmaCopy(r) => dma::copy(cx, row, r),
        Op::DmaTranspose(r) => dma::transpose(cx, row, r),
        Op::DmaCompute(r) => dma::compute(cx, row, r),
        Op::FindIndex8(r) => search::find_index(cx, row, r),
        Op::MatchReplace8(r) => search::match_replace(cx, row, r),
        Op::Max8(r) => misc::unary(cx, row, &r.dst, &r.src, "src"),
        Op::NcLocalGather(r) => gather::local_gather(cx, row, r),
        Op::NcNGather(r) => gather::gather(cx, row, r),
        Op::NcMatMul(r) => matmul::matmul(cx, row, r),
        Op::NcMatMulMX(r) => matmul::matmul_mx(cx, row, r),
        Op::Transpose(r) => transpose::transpose(cx, row, r),
        Op::TensorReduce(r) => reduce::tensor_reduce(cx, row, r),
        Op::TensorPartitionReduce(r) => reduce::partition_reduce(cx, row, r),
        Op::TensorScalar(r) => tensor_scalar::tensor_scalar(cx, row, r),
        Op::NcScalarTensorTensor(r) => tensor_scalar::scalar_tensor_tensor(cx, row, r),
        Op::TensorTensorScan(r) => tensor_scalar::scan(cx, row, r),
        Op::TensorScalarReduce(r) => tensor_scalar::reduce(cx, row, r),
        Op::TensorScalarCumulative(r) => tensor_scalar::cumulative(cx, row, r),
        Op::TensorTensor(r) => tensor_scalar::tensor_tensor(cx, row, r),
        Op::SendRecv(r) => send::send_recv(cx, row, r),
        Op::AllReduce(r)
        | Op::AllGather(r)
        | Op::ReduceScatter(r)
        | Op::CollectivePermute(r)
        | Op::CollectivePermuteImplicit(r)
        | Op::CollectivePermuteImplicitReduce(r)
        | Op::AllToAll(r) => collective::collective(cx, row, operator, r),
        Op::TensorLoad(r) => register::load(cx, row, r),
        Op::TensorStore(r) => register::store(cx, row, r),
        Op::RegisterMove(r) => register::set(cx, row, r),
        Op::RegisterAluOp(r) => register::alu(cx, row, r),
        Op::RankId(r) => register::rank(cx, row, r),
        Op::CurrentProcessingRankId(r) => register::processing_rank(cx, row, r),
        Op::CmpBranch(r) => branch::branch(cx, row, r),
        Op::Rng(r) => random::rng(cx, row, r),
        Op::Rand2(r) => random::rand2(cx, row, r),
        Op::RandGetState(r) => random::get_state(cx, row, r),
        Op::SetRngSeed(r) => random::set_seed(cx, row, r),
        Op::RandSetState(r) => random::set_state(cx, row, r),
        Op::Activate(_)
        | Op::AffineSelect(_)
        | Op::Copy(_)
        | Op::DmaCopy(_)
        | Op::LoadMaskRegister(_)
        | Op::LoadStationary(_)
        | Op::LocalGather(_)
        | Op::MatMul(_)
        | Op::MatchValueLoad(_)
        | Op::RangeSelect(_)
        | Op::ScalarTensorTensor(_)
        | Op::SendRecvCompute(_)
        | Op::Broadcast(_)
        | Op::Send(_)
        | Op::Recv(_)
        | Op::ExtendedInst(_) => Err(unlisted(row).into()),
    }
}

/// The table says that the operator is lowered, and there is no code for it.
fn unlisted(row: &OperatorRow) -> crate::Error {
    crate::Error::new(crate::ErrorCode::Internal, format_args!("no lowering of {}", row.name))
}
