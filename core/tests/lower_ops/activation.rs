//! Activations and what belongs to them. An Activation has exactly four ins: data, bias, scale, and 0.0.

use crate::lower_support::case::{Case, Is, case, is};
use crate::lower_support::{Ref, all, at, float, full, leak, sb, tile, x};
use bir_core::enums::klr::{AccumCmd, ActivationFunc, AluOp};
use bir_core::klr::ast::{Activate2, Exponential, NcActivate, Operator, Reciprocal};
use serde_json::json;

fn activate() -> NcActivate<'static> {
    NcActivate {
        dst: x("dst"),
        src: at(sb("src", &[128, 4, 64]), 32 * 256 + 8, &[(256, 64), (64, 4), (2, 16)]),
        accumulator_cmd: AccumCmd::Idle,
        activation_func: ActivationFunc::exp,
        scale: float(2.0),
        bias: Some(all(sb("bias", &[128, 1]))),
        reduce_op: None,
        reduce_res: None,
        dtype: None,
    }
}

const SRC: &str = "src:float32 [[256,64],[64,4],[2,16]] +8200";
const BIAS: &str = "bias:float32 [[1,128],[1,1]] +0";
const ZERO_BIAS: &str = "COMPILER-GENERATED-zero_bias_act_0:float32 [[1,128],[1,1]] +0";
const ZERO: &str = "imm:float32 0.0";

/// Made once per kernel, before everything that needs it.
fn zero_bias() -> Is {
    is("Memset", "Pool")
        .named("COMPILER-GENERATED-memset_zero_bias_0")
        .outs(&[ZERO_BIAS])
        .set(json!({"mode": "Const", "constant": 0}))
}

/// The statement's second output takes what was accumulated.
fn activation_reduce() -> Case {
    let record = NcActivate {
        accumulator_cmd: AccumCmd::ZeroAccumulate,
        activation_func: ActivationFunc::gelu_apprx_sigmoid_dx,
        scale: tile(all(sb("scale", &[128, 1]))),
        reduce_op: Some(AluOp::add),
        reduce_res: Some(all(sb("sum", &[128, 1]))),
        ..activate()
    };
    case(
        Operator::ActivationReduce(leak(record)),
        is("Activation", "Activation")
            .ins(&[SRC, BIAS, "scale:float32 [[1,128],[1,1]] +0", ZERO])
            .outs(&[&full("dst"), "sum:float32 [[1,128],[1,1]] +0"])
            .set(json!({"func": "Derivative_Gelu_apprx_sigmoid", "acc": "ZeroAccumulate", "scale": 1.0, "alpha": 0.0})),
    )
}

fn exponential(reduce_res: Option<Ref>) -> Case {
    let record = Exponential {
        dst: x("dst"),
        src: x("src"),
        max_value: tile(all(sb("max", &[128, 1]))),
        reduce_res,
        reducecmd: AccumCmd::Accumulate,
        reduce_init: float(0.25),
    };
    case(
        Operator::Exponential(leak(record)),
        is("Exponential", "DVE")
            .ins(&[&full("src"), "max:float32 [[1,128],[1,1]] +0", "imm:float32 0.25"])
            .outs(&[&full("dst")])
            .set(json!({"reduce_cmd": "AddAccumulate"})),
    )
}

cases! {
    nc_activate_with_a_bias = case(
        Operator::NcActivate(leak(activate())),
        is("Activation", "Activation")
            .ins(&[SRC, BIAS, "imm:float32 2.0", ZERO])
            .outs(&[&full("dst")])
            .set(json!({"func": "Exp", "acc": "Idle", "scale": 2.0, "alpha": 0.0})),
    );
    nc_activate_without_a_bias_takes_the_zero_bias = case(
        Operator::NcActivate(leak(NcActivate { bias: None, activation_func: ActivationFunc::log, ..activate() })),
        is("Activation", "Activation")
            .ins(&[SRC, ZERO_BIAS, "imm:float32 2.0", ZERO])
            .outs(&[&full("dst")])
            .set(json!({"func": "Ln", "acc": "Idle", "scale": 2.0, "alpha": 0.0})),
    ).preceded(zero_bias());
    activation_reduce_has_the_accumulator_as_second_out = activation_reduce();
    activate2 = case(
        Operator::Activate2(leak(Activate2 {
            dst: x("dst"),
            src: x("src"),
            op0: AluOp::mult,
            op1: AluOp::add,
            imm0: float(2.0),
            imm1: tile(all(sb("shift", &[128, 1]))),
            activation_func: ActivationFunc::relu,
            relu_param: float(-0.5),
            reduce_op: AluOp::max,
            reduce_res: Some(all(sb("top", &[128, 1]))),
            reduce_cmd: AccumCmd::Zero,
            reverse0: true,
            reverse1: false,
            dtype: None,
        })),
        is("Activation", "Activation")
            .ins(&[&full("src"), "imm:float32 2.0", "shift:float32 [[1,128],[1,1]] +0", "imm:float32 -0.5"])
            .outs(&[&full("dst"), "top:float32 [[1,128],[1,1]] +0"])
            .set(json!({
                "is_activate2": true, "func": "Relu", "op0": "mult", "op1": "add", "reduce_op": "max", "acc": "Zero",
                "reverse0": true, "reverse1": false,
            })),
    );
    exponential_alone = exponential(None);
    exponential_with_a_drain = exponential(Some(all(sb("sum", &[128, 1])))).followed(
        is("DveReadAccumulator", "DVE")
            .numbered("DveReadAccumulator-")
            .outs(&["sum:float32 [[1,128],[1,1]] +0"])
            .set(json!({"negated": 0})),
    );
    reciprocal = case(
        Operator::Reciprocal(leak(Reciprocal { dst: x("dst"), src: x("src"), dtype: None })),
        is("Reciprocal", "DVE").ins(&[&full("src")]).outs(&[&full("dst")]),
    );
}
