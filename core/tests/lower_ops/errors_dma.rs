//! Errors of DMA and of collectives.

use crate::lower_support::{Op, Ref, all, at, by_register, by_value, by_vector, hbm, leak, list, refer, sb, x};
use crate::{Bad, bad};
use bir_core::enums::klr::{AluOp, DgeComputeOp, Engine, TransposeOps};
use bir_core::klr::ast::{
    Access, BirAccessPattern, CollectiveOp, DmaBounds, DmaCompute, DmaTranspose, Immediate, NcDmaCopy, Operator,
    ReplicaGroup, SendRecv,
};

fn dma(change: impl FnOnce(&mut NcDmaCopy<'static>)) -> Op {
    let mut record = NcDmaCopy {
        dst: x("dst"),
        src: x("src"),
        compute_op: DgeComputeOp::none,
        oob_mode: DmaBounds::Error,
        dge_mode: 1,
        unique_indices: false,
        priority: None,
        engine: Engine::unassigned,
    };
    change(&mut record);
    Operator::NcDmaCopy(leak(record))
}

const ROWS: &[(i64, u64)] = &[(64, 32), (1, 64)];

fn rows_by_vector() -> Ref {
    by_vector(hbm("table", &[128, 64]), 0, ROWS, sb("ix", &[32, 1]))
}

fn rows_by_value() -> Ref {
    by_value(hbm("table", &[128, 64]), 0, ROWS, sb("i", &[1, 1]), 0)
}

fn with_indices(dim: i64, scalar: bool) -> Ref {
    let scalar_offset = scalar.then(|| bir_core::klr::ast::ScalarOffset::Acc(Access::Simple(sb("i", &[1, 1]))));
    refer(BirAccessPattern {
        vector_offset: Some(Access::Simple(sb("ix", &[32, 1]))),
        scalar_offset,
        indirect_dim: dim,
        ..crate::lower_support::pattern(hbm("table", &[128, 64]), 0, ROWS)
    })
}

fn dma_transpose(dst: Ref, src: Ref, dge_mode: u64) -> Op {
    let (axes, oob_mode) = (TransposeOps::XZYW, DmaBounds::Error);
    Operator::DmaTranspose(leak(DmaTranspose { dst, src, axes, dtype: None, dge_mode, oob_mode, priority: None }))
}

fn four() -> Ref {
    at(hbm("four", &[8, 4, 2, 64]), 0, &[(512, 8), (128, 4), (64, 2), (1, 64)])
}

fn compute(reduce_op: AluOp, scales: &[Immediate]) -> Op {
    let record = DmaCompute { dst: x("dst"), srcs: list(&[x("a"), x("b")]), scales: list(scales), reduce_op };
    Operator::DmaCompute(leak(record))
}

fn collective(change: impl FnOnce(&mut CollectiveOp<'static>)) -> &'static CollectiveOp<'static> {
    let mut record = CollectiveOp {
        dsts: list(&[all(hbm("d", &[4, 4]))]),
        srcs: list(&[all(hbm("s", &[4, 4]))]),
        op: Some(AluOp::add),
        replica_group: ReplicaGroup::Literal(list(&[list(&[0, 1])])),
        concat_dim: Some(1),
        source_target_pairs: Some(list(&[list(&[0, 1])])),
        channel_id: Some(0),
        num_channels: None,
        priority: None,
    };
    change(&mut record);
    leak(record)
}

fn send_recv(send: Immediate, recv: Immediate, pipe: Immediate) -> Op {
    Operator::SendRecv(leak(SendRecv {
        dst: x("dst"),
        src: x("src"),
        send_to_rank: send,
        recv_from_rank: recv,
        pipe_id: pipe,
        use_gpsimd_dma: false,
    }))
}

const BOTH: &str = "Only one of the src and dst can contain dynamic access.";
const RANK: &str = "DMA Tranpose must have 4-D access pattern. Explicitly writing AP is required if slicing is not generating correct pattern";
const VECTOR_DIM: &str = "When using vector offset, the only supported indirectDim is 0";
const SCATTER_SCALAR: &str =
    "When unique_indices=True, it's expected that the vector_offset is set. Check the nisa.dma_copy call";
const ONE: Immediate = Immediate::Int(1);
const ZERO: Immediate = Immediate::Int(0);

pub(crate) fn rows() -> Vec<Bad> {
    let scatter = |dst, src| {
        dma(move |d| {
            d.compute_op = DgeComputeOp::add;
            (d.dst, d.src) = (dst, src);
        })
    };
    let mut rows = vec![
        bad(dma(|d| d.dge_mode = 4), "dge_mode", "dgeMode", ""),
        bad(dma(|d| d.dge_mode = 1 << 32), "dge_mode", "dgeMode", ""),
        bad(dma(|d| (d.dst, d.src) = (rows_by_value(), rows_by_vector())), "dma_both_dynamic", "", BOTH),
        bad(
            dma(|d| (d.src, d.dge_mode) = (rows_by_value(), 3)),
            "dma_dge_src",
            "src",
            "DGE must be enabled when dynamic src access in DMA is used",
        ),
        bad(
            dma(|d| (d.dst, d.dge_mode) = (rows_by_vector(), 3)),
            "dma_dge_dst",
            "dst",
            "DGE must be enabled when dynamic dst access in DMA is used",
        ),
        bad(
            dma(|d| d.engine = Engine::sp),
            "dma_engine",
            "engine",
            "dma_copy engine can only be specified when HWDGE mode is used.",
        ),
        bad(dma(|d| d.src = with_indices(0, true)), "both_offsets", "src", ""),
        bad(dma(|d| d.dst = with_indices(1, false)), "vector_dim", "dst.indirectDim", VECTOR_DIM),
        bad(
            dma(|d| d.src = by_register(hbm("table", &[128, 64]), 0, ROWS, "r.5", 0)),
            "scalar_register",
            "src.scalarOffset",
            "Cannot find register: r.5 for scalar offset",
        ),
        bad(
            scatter(all(hbm("table", &[128, 64])), rows_by_vector()),
            "dma_scatter_src",
            "src",
            "When unique_index=False, dynamic access in src is not supported",
        ),
        bad(
            scatter(x("dst"), x("src")),
            "dma_scatter_static",
            "dst",
            "Compiler Logic Fault: cannot extract dynamic ap from a static access!",
        ),
        bad(scatter(rows_by_value(), x("src")), "dma_scatter_scalar", "dst", SCATTER_SCALAR),
        bad(dma(|d| d.priority = Some(15)), "dma_priority", "priority", "The priority 15 is above 14"),
        bad(dma_transpose(x("dst"), four(), 0), "dma_transpose_rank", "dst", RANK),
        bad(dma_transpose(four(), x("src"), 0), "dma_transpose_rank", "src", RANK),
        bad(dma_transpose(four(), four(), 9), "dge_mode", "dgeMode", ""),
        bad(
            compute(AluOp::max, &[Immediate::Float(1.0), Immediate::Float(1.0)]),
            "dma_compute_reduce",
            "reduceOp",
            "dma_compute currently only supports nl.add as its reduce op!",
        ),
        bad(
            compute(AluOp::add, &[Immediate::Float(1.0), ONE]),
            "dma_compute_scale",
            "scales[1]",
            "scale values for dma_compute must be floats",
        ),
    ];
    rows.extend(collectives());
    rows.extend(sends());
    rows
}

fn collectives() -> Vec<Bad> {
    let two: &[Ref] = &[all(hbm("s", &[4, 4])), all(hbm("s2", &[4, 4]))];
    vec![
        bad(Operator::AllReduce(collective(|c| c.srcs = &[])), "cc_counts", "srcs", ""),
        bad(Operator::AllToAll(collective(|c| c.srcs = list(two))), "cc_counts", "srcs", ""),
        bad(
            Operator::CollectivePermute(collective(|c| (c.srcs, c.dsts) = (list(two), list(two)))),
            "cc_counts",
            "srcs",
            "",
        ),
        bad(Operator::CollectivePermuteImplicitReduce(collective(|_| {})), "cc_counts", "srcs", ""),
        bad(
            Operator::AllGather(collective(|c| c.replica_group = ReplicaGroup::Named("all"))),
            "cc_groups",
            "replicaGroup",
            "",
        ),
        bad(
            Operator::AllToAll(collective(|c| c.replica_group = ReplicaGroup::Unspecified)),
            "cc_groups",
            "replicaGroup",
            "",
        ),
        bad(Operator::ReduceScatter(collective(|c| c.op = None)), "cc_op", "op", ""),
        bad(Operator::AllGather(collective(|c| c.concat_dim = None)), "cc_dim", "concatDim", ""),
        bad(Operator::ReduceScatter(collective(|c| c.concat_dim = Some(2))), "cc_dim", "concatDim", ""),
        bad(Operator::CollectivePermuteImplicit(collective(|c| c.channel_id = None)), "cc_channel", "channel_id", ""),
        bad(
            Operator::CollectivePermute(collective(|c| c.source_target_pairs = None)),
            "cc_pairs",
            "sourceTargetPairs",
            "",
        ),
        bad(
            Operator::CollectivePermute(collective(|c| c.source_target_pairs = Some(list(&[list(&[1])])))),
            "cc_pairs",
            "sourceTargetPairs",
            "",
        ),
    ]
}

fn sends() -> Vec<Bad> {
    let float = Immediate::Float(1.0);
    const RECEIVES: &str = "SendRecv instruction on core 0 is receiving from itself!";
    const SENDS: &str = "SendRecv instruction on core 0 is sending to itself!";
    vec![
        bad(send_recv(float, float, float), "sr_send_int", "sendToRank", "The sendToRank must be a integer").on_core(0),
        bad(send_recv(ONE, float, float), "sr_recv_int", "recvFromRank", "The recvFromRank must be a integer")
            .on_core(0),
        bad(send_recv(ONE, ONE, float), "sr_pipe_int", "pipeId", "The pipeId must be a integer").on_core(0),
        bad(send_recv(ONE, ONE, ZERO), "sr_core", "recvFromRank", ""),
        // Receiving is looked at first.
        bad(send_recv(ZERO, ZERO, ZERO), "sr_self_recv", "recvFromRank", RECEIVES).on_core(0),
        bad(send_recv(ZERO, ONE, ZERO), "sr_self_send", "sendToRank", SENDS).on_core(0),
    ]
}
