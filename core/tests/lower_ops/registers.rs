//! Registers, branches, ranks and barriers. Registers are int32, ranks uint32.

use crate::lower_support::case::{Case, case, form, is};
use crate::lower_support::{all, at, leak, list, make_register, sb, tensor};
use bir_core::enums::klr::{AluOp, BrCmpOp, Dtype, Engine, Memory};
use bir_core::klr::ast::{
    CmpBranch, CoreBarrier, CurrentProcessingRankId, Operator, RankId, RegisterAluOp, RegisterMove, TensorLoad,
    TensorStore,
};
use serde_json::json;

fn branch(op: BrCmpOp) -> Operator<'static> {
    let (true_label, false_label) = ("then.1", "else.1");
    Operator::CmpBranch(leak(CmpBranch { reg1: "left", reg2: "right", imm: -9, op, true_label, false_label }))
}

/// A comparison with the immediate or the second register; the number is that of KLR less 2.
fn compare(op: BrCmpOp, name: &str, second: &str) -> Case {
    form(
        0,
        branch(op),
        is("CompareAndBranch", "ALL")
            .ins(&["reg:left int32", second])
            .set(json!({"comp_op": name, "on_true": "then.1", "on_false": "else.1"})),
    )
    .after(make_register("left"))
    .after(make_register("right"))
    .with_block("then.1")
    .with_block("else.1")
}

const IMM: &str = "imm:int32 -9";
const REG: &str = "reg:right int32";

cases! {
    tensor_load_makes_its_register = case(
        Operator::TensorLoad(leak(TensorLoad {
            dst: "count",
            src: at(tensor("counts", Memory::sbuf, Dtype::int32, &[1, 8]), 5, &[(8, 1), (1, 1)]),
        })),
        is("TensorLoad", "ALL").ins(&["counts:int32 [[8,1],[1,1]] +5"]).outs(&["reg:count int32"]),
    );
    tensor_store = case(
        Operator::TensorStore(leak(TensorStore {
            dst: all(tensor("counts", Memory::sbuf, Dtype::int32, &[1, 1])),
            src: "count",
        })),
        is("TensorSave", "ALL").ins(&["reg:count int32"]).outs(&["counts:int32 [[1,1],[1,1]] +0"]),
    );
    register_move = case(
        Operator::RegisterMove(leak(RegisterMove { dst: "i", imm: -2_147_483_648 })),
        is("RegisterMove", "ALL").ins(&["imm:int32 -2147483648"]).outs(&["reg:i int32"]),
    );
    branch_lt_imm = compare(BrCmpOp::lt_imm, "IS_LTIMM", IMM);
    branch_le_imm = compare(BrCmpOp::le_imm, "IS_LEIMM", IMM);
    branch_eq_imm = compare(BrCmpOp::eq_imm, "IS_EQIMM", IMM);
    branch_ne_imm = compare(BrCmpOp::ne_imm, "IS_NEIMM", IMM);
    branch_ge_imm = compare(BrCmpOp::ge_imm, "IS_GEIMM", IMM);
    branch_gt_imm = compare(BrCmpOp::gt_imm, "IS_GTIMM", IMM);
    branch_lt_reg = compare(BrCmpOp::lt_reg, "IS_LTREG", REG);
    branch_le_reg = compare(BrCmpOp::le_reg, "IS_LEREG", REG);
    branch_eq_reg = compare(BrCmpOp::eq_reg, "IS_EQREG", REG);
    branch_ne_reg = compare(BrCmpOp::ne_reg, "IS_NEREG", REG);
    branch_ge_reg = compare(BrCmpOp::ge_reg, "IS_GEREG", REG);
    branch_gt_reg = compare(BrCmpOp::gt_reg, "IS_GTREG", REG);
    // Takes trueLabel and nothing else: neither the registers nor the other block need to exist.
    branch_always = form(1, branch(BrCmpOp::always), is("UnconditionalBranch", "ALL").set(json!({"target": "then.1"})))
        .with_block("then.1");
    register_alu_op_makes_both_registers = case(
        Operator::RegisterAluOp(leak(RegisterAluOp { dst: "j", src: "i", imm: 4, op: AluOp::arith_shift_left })),
        is("RegisterAlu", "ALL")
            .ins(&["reg:i int32", "imm:int32 4"])
            .outs(&["reg:j int32"])
            .set(json!({"op": "arith_shift_left"})),
    );
    rank_id = case(
        Operator::RankId(leak(RankId { dst: "rank" })),
        is("GetGlobalRankId", "ALL").outs(&["reg:rank uint32"]).set(json!({"world_size": 0})),
    );
    current_processing_rank_id = case(
        Operator::CurrentProcessingRankId(leak(CurrentProcessingRankId {
            dst: "rank",
            iteration_id: 2,
            channel_id: 3,
            num_channels: 9,
            replica_group: list(&[list(&[0, 2]), list(&[1, 3])]),
        })),
        is("GetCurProcessingRankID", "ALL").outs(&["reg:rank uint32"]).set(json!({
            "iter_id": 2, "channel_id": 3, "replica_groups": [[0, 2], [1, 3]], "stream_id": -1,
        })),
    );
    core_barrier = case(
        Operator::CoreBarrier(leak(CoreBarrier {
            data: all(sb("data", &[1, 1])),
            cores: list(&[0, 1]),
            engine: Engine::pool,
        })),
        is("CoreBarrier", "Pool")
            .ins(&["data:float32 [[1,1],[1,1]] +0"])
            .outs(&["data:float32 [[1,1],[1,1]] +0"])
            .set(json!({"cores": [0, 1], "id": 0, "runtime_semaphore": 0})),
    );
}
