//! Collectives. They keep the name of their builder, a prefix and a number of its own series.

use crate::lower_support::case::{Case, Is, case, is};
use crate::lower_support::{Ref, all, hbm, leak, list};
use bir_core::enums::klr::AluOp;
use bir_core::klr::ast::{CollectiveOp, Immediate, Operator, ReplicaGroup, SendRecv};
use serde_json::{Value, json};

fn dram(name: &'static str) -> Ref {
    all(hbm(name, &[4, 16]))
}

fn full(name: &str) -> String {
    format!("{name}:float32 [[16,4],[1,16]] +0")
}

/// Everything that any kind reads; each test says what of it arrives.
fn record(srcs: &[&'static str], dsts: &[&'static str]) -> CollectiveOp<'static> {
    let refs = |names: &[&'static str]| list(&names.iter().map(|n| dram(n)).collect::<Vec<_>>());
    CollectiveOp {
        dsts: refs(dsts),
        srcs: refs(srcs),
        op: Some(AluOp::max),
        replica_group: ReplicaGroup::Literal(list(&[list(&[0, 1]), list(&[2, 3])])),
        concat_dim: Some(0),
        source_target_pairs: Some(list(&[list(&[0, 1]), list(&[1, 0])])),
        channel_id: Some(6),
        num_channels: Some(8),
        priority: None,
    }
}

fn expected(prefix: &'static str, srcs: &[&str], dsts: &[&str], payload: Value) -> Is {
    let texts = |names: &[&str]| names.iter().map(|n| full(n)).collect::<Vec<_>>();
    let (ins, outs) = (texts(srcs), texts(dsts));
    let (ins, outs): (Vec<&str>, Vec<&str>) = (ins.iter().map(|t| &**t).collect(), outs.iter().map(|t| &**t).collect());
    is("CollectiveCompute", "Pool").numbered(prefix).ins(&ins).outs(&outs).set(payload)
}

/// Two tensors to two.
fn pairwise(
    make: fn(&'static CollectiveOp<'static>) -> Operator<'static>,
    prefix: &'static str,
    payload: Value,
) -> Case {
    let (srcs, dsts) = (["a", "b"], ["c", "d"]);
    case(make(leak(record(&srcs, &dsts))), expected(prefix, &srcs, &dsts, payload))
}

/// One tensor to one.
fn single(make: fn(&'static CollectiveOp<'static>) -> Operator<'static>, prefix: &'static str, payload: Value) -> Case {
    case(make(leak(record(&["a"], &["c"]))), expected(prefix, &["a"], &["c"], payload))
}

fn all_reduce_of_head() -> Case {
    let record = CollectiveOp { priority: Some(0), ..record(&["a"], &["c"]) };
    let payload = json!({
        "kind": "AllReduce", "replica_groups": [[0, 1], [2, 3]], "op": "max", "stream_id": -1, "dma_qos": "P0",
    });
    case(Operator::AllReduce(leak(record)), expected("AllReduce-", &["a"], &["c"], payload))
}

cases! {
    send_recv = case(
        Operator::SendRecv(leak(SendRecv {
            dst: dram("dst"),
            src: dram("src"),
            send_to_rank: Immediate::Int(1),
            recv_from_rank: Immediate::Int(1),
            pipe_id: Immediate::Int(3),
            use_gpsimd_dma: true,
        })),
        expected("LocalSendRecv-", &["src"], &["dst"], json!({
            "kind": "SendRecv", "is_local": true, "pipe_id": 3,
            "recv_from_rank": [{"kind": "AffExprKind", "terms": [], "c": 1}],
            "send_to_rank": {"kind": "AffExprKind", "terms": [], "c": 1},
            "initial_corebarrier": true, "use_gpsimd_dma": false, "stream_id": -1,
        })),
    ).on_core(0);
    all_reduce = pairwise(Operator::AllReduce, "AllReduce-", json!({
        "kind": "AllReduce", "replica_groups": [[0, 1], [2, 3]], "op": "max", "stream_id": -1,
    }));
    all_reduce_with_a_priority = all_reduce_of_head();
    all_gather = pairwise(Operator::AllGather, "AllGather-", json!({
        "kind": "AllGather", "replica_groups": [[0, 1], [2, 3]], "cc_dim": "Partition", "stream_id": -1,
    }));
    reduce_scatter = pairwise(Operator::ReduceScatter, "ReduceScatter-", json!({
        "kind": "ReduceScatter", "replica_groups": [[0, 1], [2, 3]], "op": "max", "cc_dim": "Partition", "stream_id": -1,
    }));
    collective_permute = single(Operator::CollectivePermute, "CollectivePermute-", json!({
        "kind": "Permute", "src_target_pairs": [[0, 1], [1, 0]], "replica_groups": [], "stream_id": -1,
    }));
    collective_permute_implicit = single(Operator::CollectivePermuteImplicit, "CollectivePermuteImplicit-", json!({
        "kind": "PermuteImplicit", "replica_groups": [[0, 1], [2, 3]], "cc_channel": 6, "stream_id": -1,
    }));
    collective_permute_implicit_reduce = case(
        Operator::CollectivePermuteImplicitReduce(leak(record(&["peer", "local"], &["c"]))),
        expected("CollectivePermuteImplicitReduce-", &["peer", "local"], &["c"], json!({
            "kind": "PermuteReduceImplicit", "replica_groups": [[0, 1], [2, 3]], "op": "max", "cc_channel": 6,
            "stream_id": -1,
        })),
    );
    all_to_all = pairwise(Operator::AllToAll, "AllToAll-", json!({
        "kind": "AllToAll", "replica_groups": [[0, 1], [2, 3]], "stream_id": -1,
    }));
}
