//! The operators without a lowering. The number is that of the operator in memory: its constructor and 1.

use crate::lower_support::{data_pattern, leak, list, x};
use crate::{Bad, bad};
use bir_core::enums::klr::{AccumCmd, ActivationFunc, AffineSelectCmp, AluOp, DgeComputeOp, TensorScalarReverseOps};
use bir_core::klr::ast::{
    Activate, AffineSelect, CollectiveOp, Copy, DmaBounds, DmaCopy, ExtendedInst, Immediate, IndexMissBehavior,
    LoadMaskRegister, LoadStationary, LocalGather, MatMul, MatchValueLoad, Operator, RangeSelect, Recv, ReplicaGroup,
    ScalarTensorTensor, Send, SendRecvCompute,
};

const ONE: Immediate = Immediate::Float(1.0);

pub fn copy() -> &'static Copy<'static> {
    leak(Copy { dst: x("dst"), src: x("src"), op_dim: None })
}

fn operators() -> [(Operator<'static>, &'static str); 16] {
    let (dst, src) = (x("dst"), x("src"));
    let activate = Activate {
        dst,
        src,
        accumulator_cmd: AccumCmd::Idle,
        activation_func: ActivationFunc::exp,
        scale: ONE,
        bias: ONE,
        imm: ONE,
    };
    let affine_select = AffineSelect {
        dst,
        src,
        fill_mode: AffineSelectCmp::Eq,
        fill_reg: 0,
        mask_pattern: data_pattern(0, &[(1, 1)], 0),
    };
    let dma_copy = DmaCopy {
        dst,
        src,
        compute_op: DgeComputeOp::none,
        dst_bounds_check: DmaBounds::Skip,
        src_bounds_check: DmaBounds::Skip,
    };
    let local_gather = LocalGather { dst, src, index_miss_behavior: IndexMissBehavior::Skip, free_pool_buffer: false };
    let range_select = RangeSelect {
        dst,
        src,
        reduce_command: AccumCmd::Idle,
        reduce_op: AluOp::add,
        base: 0.0,
        fill_value: 0.0,
        comp_op0: AluOp::is_ge,
        comp_op1: AluOp::is_lt,
        bound0: ONE,
        bound1: ONE,
    };
    let scalar_tensor_tensor = ScalarTensorTensor {
        dst,
        src0: src,
        src1: src,
        op0: AluOp::add,
        op1: AluOp::add,
        reverse_operands: TensorScalarReverseOps::none,
        imm0: ONE,
        accumulator_cmd: AccumCmd::Idle,
    };
    let send_recv_compute = SendRecvCompute {
        dsts: list(&[dst]),
        srcs: list(&[src]),
        send_to_ranks: &[],
        recv_from_ranks: &[],
        pipe_id: ONE,
        op: AluOp::add,
    };
    let broadcast = CollectiveOp {
        dsts: list(&[dst]),
        srcs: list(&[src]),
        op: None,
        replica_group: ReplicaGroup::Unspecified,
        concat_dim: None,
        source_target_pairs: None,
        channel_id: None,
        num_channels: None,
        priority: None,
    };
    let extended = ExtendedInst { opcode: 7, has_read: false, has_write: false, ports: 0, data0: &[], data1: &[] };
    [
        (Operator::Activate(leak(activate)), "Unsupported operator 1"),
        (Operator::AffineSelect(leak(affine_select)), "Unsupported operator 4"),
        (Operator::Copy(copy()), "Unsupported operator 8"),
        (Operator::DmaCopy(leak(dma_copy)), "Unsupported operator 11"),
        (Operator::LoadMaskRegister(leak(LoadMaskRegister { reg_num: 0 })), "Unsupported operator 17"),
        (Operator::LoadStationary(leak(LoadStationary { src, is_transpose: false })), "Unsupported operator 18"),
        (Operator::LocalGather(leak(local_gather)), "Unsupported operator 19"),
        (Operator::MatMul(leak(MatMul { dst, moving: src })), "Unsupported operator 21"),
        (Operator::MatchValueLoad(leak(MatchValueLoad { src })), "Unsupported operator 24"),
        (Operator::RangeSelect(leak(range_select)), "Unsupported operator 27"),
        (Operator::ScalarTensorTensor(leak(scalar_tensor_tensor)), "Unsupported operator 30"),
        (Operator::SendRecvCompute(leak(send_recv_compute)), "Unsupported operator 43"),
        (Operator::Broadcast(leak(broadcast)), "Unsupported operator 58"),
        (Operator::Send(leak(Send { op: AluOp::add, srcs: list(&[src]), peer_id: 0 })), "Unsupported operator 62"),
        (
            Operator::Recv(leak(Recv { op: AluOp::add, dsts: list(&[dst]), replica_groups: &[], peer_id: 0 })),
            "Unsupported operator 63",
        ),
        (Operator::ExtendedInst(leak(extended)), "Unsupported operator 70"),
    ]
}

pub(crate) fn rows() -> Vec<Bad> {
    operators().into_iter().map(|(op, text)| bad(op, "op_kind", "", text)).collect()
}
