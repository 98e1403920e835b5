//! Operations among many cores.

use super::super::kernel::Lowering;
use super::super::number::u32_of;
use super::super::row::OperatorRow;
use super::super::stop::{Field, Step, refuse, refuse_with};
use super::super::table::rule;
use super::form;
use super::values::{alu, rows};
use crate::enums::bir::{CollectiveDimension, CollectiveKind};
use crate::fallible::push;
use crate::klr::ast::{CollectiveOp, Operator, ReplicaGroup};
use crate::op::{Maybe, Value};
use alloc::vec::Vec;

/// What a kind of collective needs.
struct Needs {
    kind: CollectiveKind,
    /// Numbers of sources and destinations; `None` for as many as one likes, but as many of each.
    tensors: Option<(usize, usize)>,
    groups: bool,
    op: bool,
    dim: bool,
    channel: bool,
    pairs: bool,
}

impl Needs {
    const fn of(kind: CollectiveKind) -> Needs {
        Needs { kind, tensors: None, groups: true, op: false, dim: false, channel: false, pairs: false }
    }

    fn of_operator(operator: &Operator<'_>) -> Needs {
        let one = Some((1, 1));
        match operator {
            Operator::AllReduce(_) => Needs { op: true, ..Needs::of(CollectiveKind::AllReduce) },
            Operator::AllGather(_) => Needs { dim: true, ..Needs::of(CollectiveKind::AllGather) },
            Operator::ReduceScatter(_) => Needs { op: true, dim: true, ..Needs::of(CollectiveKind::ReduceScatter) },
            Operator::CollectivePermute(_) => {
                Needs { tensors: one, groups: false, pairs: true, ..Needs::of(CollectiveKind::Permute) }
            }
            Operator::CollectivePermuteImplicit(_) => {
                Needs { tensors: one, channel: true, ..Needs::of(CollectiveKind::PermuteImplicit) }
            }
            Operator::CollectivePermuteImplicitReduce(_) => {
                let tensors = Some((2, 1));
                Needs { tensors, op: true, channel: true, ..Needs::of(CollectiveKind::PermuteReduceImplicit) }
            }
            _ => Needs::of(CollectiveKind::AllToAll),
        }
    }

    fn check_counts(&self, srcs: usize, dsts: usize) -> Step<()> {
        match self.tensors {
            Some((need_srcs, need_dsts)) if (srcs, dsts) != (need_srcs, need_dsts) => refuse_with(
                &rule::CC_COUNTS,
                "srcs",
                format_args!("{srcs} sources and {dsts} destinations, not {need_srcs} and {need_dsts}"),
            ),
            None if srcs == 0 || srcs != dsts => refuse_with(
                &rule::CC_COUNTS,
                "srcs",
                format_args!("{srcs} sources and {dsts} destinations, not one or more and as many of each"),
            ),
            _ => Ok(()),
        }
    }
}

pub(super) fn collective<'k>(
    cx: &mut Lowering<'_, 'k>,
    row: &'static OperatorRow,
    operator: &Operator<'k>,
    r: &'k CollectiveOp<'k>,
) -> Step<()> {
    let needs = Needs::of_operator(operator);
    needs.check_counts(r.srcs.len(), r.dsts.len())?;
    let groups = match r.replica_group {
        _ if !needs.groups => None,
        ReplicaGroup::Literal(groups) => Some(rows(groups, "replicaGroup")?),
        ReplicaGroup::Unspecified | ReplicaGroup::Named(_) => return refuse(&rule::CC_GROUPS, "replicaGroup"),
    };
    let op = match r.op {
        _ if !needs.op => None,
        Some(op) => Some(alu(op, "op")?),
        None => return refuse(&rule::CC_OP, "op"),
    };
    let dim = match r.concat_dim {
        _ if !needs.dim => None,
        Some(0) => Some(CollectiveDimension::Partition),
        Some(1) => Some(CollectiveDimension::Free),
        _ => return refuse(&rule::CC_DIM, "concatDim"),
    };
    let channel = match r.channel_id {
        _ if !needs.channel => None,
        Some(channel) => Some(u32_of(channel, "channel_id")?),
        None => return refuse(&rule::CC_CHANNEL, "channel_id"),
    };
    let pairs = match r.source_target_pairs {
        _ if !needs.pairs => None,
        Some(pairs) if pairs.iter().all(|pair| pair.len() == 2) => Some(rows(pairs, "sourceTargetPairs")?),
        _ => return refuse(&rule::CC_PAIRS, "sourceTargetPairs"),
    };
    let qos = super::dma::qos(r.priority)?;

    let mut dsts = Vec::new();
    for (index, dst) in r.dsts.iter().enumerate() {
        push(&mut dsts, cx.read(dst, Field::at("dsts", index))?)?;
    }
    let mut srcs = Vec::new();
    for (index, src) in r.srcs.iter().enumerate() {
        push(&mut srcs, cx.read(src, Field::at("srcs", index))?)?;
    }
    let instruction = cx.emit(form(row, 0)?, None, &srcs, &dsts)?;
    let collective = instruction.as_collective_compute()?;
    collective.set_kind(needs.kind)?;
    collective.set_stream_id(Maybe::Constant(-1))?;
    let lists: [(&str, Option<Value<'_>>); 2] = [("replica_groups", groups), ("src_target_pairs", pairs)];
    for (key, value) in lists {
        if let Some(value) = value {
            instruction.set(key, &value)?;
        }
    }
    if let Some(op) = op {
        collective.set_op(op)?;
    }
    if let Some(dim) = dim {
        collective.set_cc_dim(dim)?;
    }
    if let Some(channel) = channel {
        collective.set_cc_channel(Maybe::Constant(channel))?;
    }
    if let Some(qos) = qos {
        collective.set_dma_qos(qos)?;
    }
    Ok(())
}
