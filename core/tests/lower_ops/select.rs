//! Selecting, filling and searching.

use crate::lower_support::case::{Case, case, form, is};
use crate::lower_support::{Ref, all, at, data_pattern, float, full, hbm, leak, sb, tensor, x};
use bir_core::enums::klr::{AccumCmd, AluOp, DropoutThresholdType, Dtype, Engine, Memory};
use bir_core::klr::ast::{
    CopyPredicated, Dropout, FindIndex8, Immediate, Iota, MatchReplace8, Max8, MemSet, NcAffineSelect, NcRangeSelect,
    Operator, SelectReduce,
};
use bir_core::lower::LowerOptions;
use serde_json::{Value, json};

/// Eight values for each partition.
fn eight(name: &'static str) -> Ref {
    all(sb(name, &[128, 8]))
}

const DST8: &str = "dst:float32 [[8,128],[1,8]] +0";
const VALS: &str = "vals:float32 [[8,128],[1,8]] +0";

fn dropout(threshold_type: DropoutThresholdType, keep: bool) -> Case {
    let record = Dropout { dst: x("dst"), src: x("src"), threshold_type, threshold: float(0.1), dtype: None };
    case(
        Operator::Dropout(leak(record)),
        is("Dropout", "Unassigned")
            .ins(&[&full("src"), "imm:float32 0.1"])
            .outs(&[&full("dst")])
            .set(json!({"is_keep_threshold": keep})),
    )
}

fn memset(value: Immediate, constant: u32) -> Case {
    let dst = at(sb("dst", &[128, 64]), 64 * 32, &[(64, 32), (1, 64)]);
    case(
        Operator::MemSet(leak(MemSet { dst, value, dtype: Dtype::float32, engine: Engine::pool })),
        is("Memset", "Pool")
            .outs(&["dst:float32 [[64,32],[1,64]] +2048"])
            .set(json!({"mode": "Const", "constant": constant})),
    )
}

fn match_replace(dst_idx: Option<Ref>) -> Operator<'static> {
    Operator::MatchReplace8(leak(MatchReplace8 {
        dst: x("dst"),
        src: x("src"),
        vals: eight("vals"),
        replace_value: Immediate::Float(-1.5),
        dst_idx,
        dtype: None,
    }))
}

fn range_select() -> NcRangeSelect<'static> {
    NcRangeSelect {
        dst: x("dst"),
        reduce_command: AccumCmd::Idle,
        reduce_res: None,
        reduce_op: None,
        comp_op0: AluOp::is_ge,
        comp_op1: AluOp::is_lt,
        bound0: all(sb("low", &[128, 1])),
        bound1: all(sb("high", &[128, 1])),
        range_start: Immediate::Int(512),
        on_true_tile: x("data"),
        on_false_value: Immediate::Float(-2.5),
        dtype: None,
    }
}

const LOW: &str = "low:float32 [[1,128],[1,1]] +0";
const HIGH: &str = "high:float32 [[1,128],[1,1]] +0";
const SUM: &str = "sum:float32 [[1,128],[1,1]] +0";

fn copy_predicated(take_reverse: bool) -> Case {
    let predicate = all(tensor("mask", Memory::sbuf, Dtype::uint8, &[128, 64]));
    let record = CopyPredicated { dst: x("dst"), src: x("src"), predicate, dtype: None, reverse_pred: true };
    let case = case(
        Operator::CopyPredicated(leak(record)),
        is("CopyPredicated", "DVE")
            .ins(&["mask:uint8 [[64,128],[1,64]] +0", &full("src")])
            .outs(&[&full("dst")])
            .set(json!({"reverse_pred": take_reverse})),
    );
    Case { options: LowerOptions { reverse_pred: take_reverse, ..LowerOptions::default() }, ..case }
}

fn select_reduce(reduce_res: Option<Ref>, outs: &[&str], reduce_cmd: AccumCmd, command: &str) -> Case {
    let record = SelectReduce {
        dst: x("dst"),
        predicate: x("mask"),
        on_true: x("data"),
        on_false: float(-3.0),
        reduce_res,
        reduce_cmd,
        reduce_op: AluOp::max,
        reverse_pred: true,
        dtype: None,
    };
    let payload: Value = json!({"reduce_op": "max", "accumulator_cmd": command, "reverse_pred": true});
    case(
        Operator::SelectReduce(leak(record)),
        is("CopyPredicated", "DVE").ins(&[&full("mask"), &full("data"), "imm:float32 -3.0"]).outs(outs).set(payload),
    )
}

cases! {
    nc_affine_select = case(
        Operator::NcAffineSelect(leak(NcAffineSelect {
            dst: x("dst"),
            pred: data_pattern(-7, &[(-1, 64), (2, 1)], 3),
            on_true_tile: x("data"),
            on_false_value: Immediate::Float(-3.5),
            dtype: None,
            cmp_op: AluOp::is_ge,
        })),
        is("TensorScalarAffineSelect", "Pool").ins(&[&full("data")]).outs(&[&full("dst")]).set(json!({
            "base": -7, "pattern": [[-1, 64], [2, 1]], "channel_multiplier": 3, "compare_op": "is_ge", "fill_value": -3.5,
        })),
    );
    // 2.24 does not read reversePred.
    copy_predicated_as_the_reference = copy_predicated(false);
    copy_predicated_reversed = copy_predicated(true);
    dropout_by_keep_rate = dropout(DropoutThresholdType::KeepRate, true);
    dropout_by_drop_rate = dropout(DropoutThresholdType::DropRate, false);
    find_index8 = case(
        Operator::FindIndex8(leak(FindIndex8 { dst: eight("dst"), src: x("src"), vals: eight("vals"), dtype: None })),
        is("MaxIndex", "DVE").ins(&[VALS, &full("src")]).outs(&[DST8]),
    );
    iota = case(
        Operator::Iota(leak(Iota { dst: x("dst"), pattern: data_pattern(100, &[(2, 8), (-1, 8)], -4), dtype: None })),
        is("Iota", "Pool").outs(&[&full("dst")]).set(json!({
            "base": 100, "pattern": [[2, 8], [-1, 8]], "channel_multiplier": -4,
        })),
    );
    match_replace8 = form(
        0,
        match_replace(None),
        is("MatchReplace", "DVE").ins(&[VALS, &full("src")]).outs(&[&full("dst")]).set(json!({"imm_value": -1.5})),
    );
    match_replace8_with_indices = form(
        1,
        match_replace(Some(eight("found"))),
        is("MaxIndexAndMatchReplace", "DVE")
            .ins(&[VALS, &full("src")])
            .outs(&[&full("dst"), "found:float32 [[8,128],[1,8]] +0"])
            .set(json!({"imm_value": -1.5})),
    );
    max8 = case(
        Operator::Max8(leak(Max8 { dst: eight("dst"), src: x("src"), dtype: None })),
        is("Max", "DVE").ins(&[&full("src")]).outs(&[DST8]),
    );
    // The bits of 1.5f: sign 0, exponent 127, fraction .1.
    mem_set_of_a_float = memset(Immediate::Float(1.5), 0x3fc0_0000);
    mem_set_of_an_integer = memset(Immediate::Int(-2), 0xffff_fffe);
    nc_range_select = case(
        Operator::NcRangeSelect(leak(range_select())),
        is("RangeSelect", "DVE").ins(&[&full("data"), LOW, HIGH]).outs(&[&full("dst")]).set(json!({
            "compare_op0": "is_ge", "compare_op1": "is_lt", "reduce_op": "bypass", "reduce_cmd": "Idle",
            "fill_value": -2.5, "base": 512,
        })),
    );
    nc_range_select_with_a_reduction = case(
        Operator::NcRangeSelect(leak(NcRangeSelect {
            reduce_command: AccumCmd::ZeroAccumulate,
            reduce_res: Some(all(sb("sum", &[128, 1]))),
            reduce_op: Some(AluOp::max),
            ..range_select()
        })),
        is("RangeSelect", "DVE").ins(&[&full("data"), LOW, HIGH]).outs(&[&full("dst"), SUM]).set(json!({
            "compare_op0": "is_ge", "compare_op1": "is_lt", "reduce_op": "max", "reduce_cmd": "ZeroAccumulate",
            "fill_value": -2.5, "base": 512,
        })),
    );
    // Not a RangeSelect, for all its likeness.
    select_reduce_alone = select_reduce(None, &[&full("dst")], AccumCmd::Idle, "Idle");
    select_reduce_with_a_reduction =
        select_reduce(Some(all(sb("sum", &[128, 1]))), &[&full("dst"), SUM], AccumCmd::Accumulate, "AddAccumulate");
    memset_in_dram_by_another_engine = case(
        Operator::MemSet(leak(MemSet {
            dst: all(hbm("dst", &[4, 8])),
            value: Immediate::Int(7),
            dtype: Dtype::int8,
            engine: Engine::unassigned,
        })),
        is("Memset", "Unassigned")
            .outs(&["dst:float32 [[8,4],[1,8]] +0"])
            .set(json!({"mode": "Const", "constant": 7})),
    );
}
