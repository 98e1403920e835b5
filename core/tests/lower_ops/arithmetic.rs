//! Operations on tensors and scalars, and reductions.

use crate::lower_support::case::{Case, case, is};
use crate::lower_support::{all, at, float, full, int, leak, sb, tile, x};
use bir_core::enums::klr::{AccumCmd, AluOp, Engine, TensorScalarReverseOps, TensorSubDim};
use bir_core::klr::ast::{
    NcScalarTensorTensor, Operator, TensorPartitionReduce, TensorReduce, TensorScalar, TensorScalarCumulative,
    TensorScalarReduce, TensorTensor, TensorTensorScan,
};
use serde_json::json;

fn tensor_scalar(reverse: TensorScalarReverseOps) -> TensorScalar<'static> {
    TensorScalar {
        dst: x("dst"),
        src: x("src"),
        imm0: float(1.5),
        op0: AluOp::subtract,
        imm1: Some(int(-3)),
        op1: Some(AluOp::max),
        reverse,
        engine: Engine::pool,
        dtype: None,
    }
}

fn reduce(op: AluOp, op_dim: TensorSubDim, axis: &str) -> Case {
    let src = at(sb("src", &[128, 4, 16]), 0, &[(64, 128), (16, 4), (1, 16)]);
    let record =
        TensorReduce { dst: all(sb("dst", &[128, 4])), src, op, op_dim, negated: true, dtype: None, keepdims: true };
    case(
        Operator::TensorReduce(leak(record)),
        is("TensorReduce", "DVE")
            .ins(&["src:float32 [[64,128],[16,4],[1,16]] +0"])
            .outs(&["dst:float32 [[4,128],[1,4]] +0"])
            .set(json!({"op": "add", "axis": axis, "negate": true})),
    )
}

fn scalar_reduce(reduce_op: Option<AluOp>, op1: &str) -> Case {
    let record = TensorScalarReduce {
        dst: x("dst"),
        src: x("src"),
        operand0: float(4.0),
        op0: AluOp::mult,
        reverse0: true,
        dtype: None,
        reduce_op,
        reduce_res: all(sb("sum", &[128, 1])),
        reduce_cmd: None,
        reduce_init: None,
    };
    case(
        Operator::TensorScalarReduce(leak(record)),
        is("TensorScalarPtr", "Unassigned")
            .ins(&[&full("src"), "imm:float32 4.0"])
            .outs(&[&full("dst"), "sum:float32 [[1,128],[1,1]] +0"])
            .set(json!({"op0": "mult", "op1": op1, "reverse0": true, "acc": "ZeroAccumulate"})),
    )
}

/// What only the newest schema says: the command of the reduction.
fn scalar_reduce_of_head() -> Case {
    let Operator::TensorScalarReduce(record) = scalar_reduce(Some(AluOp::add), "add").op else { unreachable!() };
    case(
        Operator::TensorScalarReduce(leak(TensorScalarReduce { reduce_cmd: Some(AccumCmd::Accumulate), ..*record })),
        is("TensorScalarPtr", "Unassigned")
            .ins(&[&full("src"), "imm:float32 4.0"])
            .outs(&[&full("dst"), "sum:float32 [[1,128],[1,1]] +0"])
            .set(json!({"op0": "mult", "op1": "add", "reverse0": true, "acc": "AddAccumulate"})),
    )
}

cases! {
    nc_scalar_tensor_tensor = case(
        Operator::NcScalarTensorTensor(leak(NcScalarTensorTensor {
            dst: x("dst"),
            data: x("data"),
            src0: float(0.5),
            src1: tile(x("other")),
            op0: AluOp::mult,
            op1: AluOp::subtract,
            reverse_operands: TensorScalarReverseOps::both,
            dtype: None,
        })),
        is("TensorScalarPtr", "Unassigned")
            .ins(&[&full("data"), "imm:float32 0.5", &full("other")])
            .outs(&[&full("dst")])
            .set(json!({
                "op0": "mult", "op1": "subtract", "reverse0": true, "reverse1": true, "is_scalar_tensor_tensor": true,
            })),
    );
    tensor_scalar_of_two_stages = case(
        Operator::TensorScalar(leak(tensor_scalar(TensorScalarReverseOps::second))),
        is("TensorScalarPtr", "Pool")
            .ins(&[&full("src"), "imm:float32 1.5", "imm:int32 -3"])
            .outs(&[&full("dst")])
            .set(json!({
                "op0": "subtract", "op1": "max", "reverse0": false, "reverse1": true, "is_tensor_scalar_addr": false,
                "acc": "Idle",
            })),
    );
    tensor_scalar_of_one_stage_with_a_tensor = case(
        Operator::TensorScalar(leak(TensorScalar {
            imm0: tile(all(sb("scalar", &[128, 1]))),
            imm1: None,
            op1: None,
            engine: Engine::act,
            ..tensor_scalar(TensorScalarReverseOps::first)
        })),
        is("TensorScalarPtr", "Activation")
            .ins(&[&full("src"), "scalar:float32 [[1,128],[1,1]] +0"])
            .outs(&[&full("dst")])
            .set(json!({
                "op0": "subtract", "op1": "bypass", "reverse0": true, "reverse1": false, "is_tensor_scalar_addr": true,
                "acc": "Idle",
            })),
    );
    tensor_tensor = case(
        Operator::TensorTensor(leak(TensorTensor {
            dst: x("dst"),
            src0: x("left"),
            src1: x("right"),
            op: AluOp::logical_shift_right,
            dtype: None,
            engine: Engine::dve,
        })),
        is("TensorTensor", "DVE")
            .ins(&[&full("left"), &full("right")])
            .outs(&[&full("dst")])
            .set(json!({"op": "logical_shift_right", "acc": "Idle"})),
    );
    tensor_tensor_scan = case(
        Operator::TensorTensorScan(leak(TensorTensorScan {
            dst: x("dst"),
            src0: x("left"),
            src1: x("right"),
            op0: AluOp::mult,
            op1: AluOp::add,
            reverse_operands: TensorScalarReverseOps::first,
            imm0: float(-0.0),
            accumulator_cmd: AccumCmd::Accumulate,
            dtype: None,
        })),
        is("TensorScalarPtr", "Unassigned")
            .ins(&[&full("left"), "imm:float32 -0.0", &full("right")])
            .outs(&[&full("dst")])
            .set(json!({
                "op0": "mult", "op1": "add", "reverse0": true, "reverse1": false, "acc": "AddAccumulate",
                "is_tensor_tensor_scan": true, "is_scalar_tensor_tensor": true,
            })),
    );
    tensor_reduce_over_x = reduce(AluOp::add, TensorSubDim::X, "X");
    tensor_reduce_over_xyzw = reduce(AluOp::add, TensorSubDim::XYZW, "XYZW");
    tensor_partition_reduce = case(
        Operator::TensorPartitionReduce(leak(TensorPartitionReduce {
            dst: all(sb("dst", &[1, 64])),
            op: AluOp::max,
            data: x("data"),
            dtype: None,
        })),
        is("TensorReduce", "DVE")
            .ins(&[&full("data")])
            .outs(&["dst:float32 [[64,1],[1,64]] +0"])
            .set(json!({"op": "max", "axis": "C", "negate": false})),
    );
    tensor_scalar_reduce = scalar_reduce(Some(AluOp::add), "add");
    tensor_scalar_reduce_without_a_reduction = scalar_reduce(None, "bypass");
    tensor_scalar_reduce_of_head = scalar_reduce_of_head();
    tensor_scalar_cumulative = case(
        Operator::TensorScalarCumulative(leak(TensorScalarCumulative {
            dst: x("dst"),
            src: x("src"),
            op0: AluOp::add,
            op1: AluOp::min,
            imm0: float(8.0),
            imm1: Some(tile(x("second"))),
            reduce_cmd: AccumCmd::ZeroAccumulate,
            reverse: TensorScalarReverseOps::second,
            dtype: None,
        })),
        is("TensorScalarCache", "DVE")
            .ins(&[&full("src"), "imm:float32 8.0", &full("second")])
            .outs(&[&full("dst")])
            .set(json!({
                "op0": "add", "op1": "min", "reverse0": false, "reverse1": true, "mode": "Cumulative",
                "acc": "ZeroAccumulate",
            })),
    );
}
