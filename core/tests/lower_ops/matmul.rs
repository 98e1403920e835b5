//! Matrix products, transposes on chip and the MX forms. The moving tensor comes first.

use crate::lower_support::case::{Case, Is, case, form, is};
use crate::lower_support::{Tensor, all, at, full, leak, list, sb, tensor, x};
use bir_core::enums::klr::{Dtype, Engine, MatmulPerfMode, Memory};
use bir_core::klr::ast::{MatMulMX, NcMatMul, Operator, QuantizeMX, Transpose};
use serde_json::json;

fn matmul(tile_position: &[u64], tile_size: &[u64], perf_mode: MatmulPerfMode) -> Operator<'static> {
    Operator::NcMatMul(leak(NcMatMul {
        dst: all(tensor("acc", Memory::psum, Dtype::float32, &[64, 64])),
        stationary: x("weights"),
        moving: x("ifmap"),
        is_stationary_one_zero: true,
        is_moving_zero: false,
        is_transpose: false,
        tile_position: list(tile_position),
        tile_size: list(tile_size),
        perf_mode,
    }))
}

fn matmult() -> Is {
    is("Matmult", "PE").ins(&[&full("ifmap"), &full("weights")]).outs(&["acc:float32 [[64,64],[1,64]] +0"])
}

fn mx(tile_position: Option<&[u64]>, tile_size: Option<&[u64]>) -> Operator<'static> {
    let scale = |name| all(tensor(name, Memory::sbuf, Dtype::uint8, &[128, 16]));
    let data = |name| all(tensor(name, Memory::sbuf, Dtype::float8_e4m3fn_x4, &[128, 64]));
    Operator::NcMatMulMX(leak(MatMulMX {
        dst: all(tensor("acc", Memory::psum, Dtype::float32, &[64, 64])),
        stationary: data("weights"),
        moving: data("ifmap"),
        stationary_scale: scale("weights_scale"),
        moving_scale: scale("ifmap_scale"),
        tile_position: tile_position.map(list),
        tile_size: tile_size.map(list),
    }))
}

fn matmult_mx() -> Is {
    is("MatmultMx", "PE")
        .ins(&[
            "ifmap:float8_e4m3fn_x4 [[64,128],[1,64]] +0",
            "weights:float8_e4m3fn_x4 [[64,128],[1,64]] +0",
            "ifmap_scale:uint8 [[16,128],[1,16]] +0",
            "weights_scale:uint8 [[16,128],[1,16]] +0",
        ])
        .outs(&["acc:float32 [[64,64],[1,64]] +0"])
}

/// Through the PE, against an identity matrix that is made before.
fn transpose_of_bfloat16() -> Case {
    let bf16 = |name, dims: &[u64]| -> Tensor { tensor(name, Memory::sbuf, Dtype::bfloat16, dims) };
    let record = Transpose {
        dst: all(bf16("dst", &[64, 128])),
        src: all(bf16("src", &[128, 64])),
        dtype: None,
        engine: Engine::unassigned,
    };
    let identity = "COMPILER-GENERATED-id.bfloat16:bfloat16 [[128,128],[1,128]] +0";
    form(
        1,
        Operator::Transpose(leak(record)),
        is("Matmult", "PE")
            .ins(&["src:bfloat16 [[64,128],[1,64]] +0", identity])
            .outs(&["dst:bfloat16 [[128,64],[1,128]] +0"])
            .set(json!({"is_transpose": true, "accumulation_flag": 0})),
    )
    .preceded(
        is("Memset", "Pool")
            .named("COMPILER-GENERATED-id.bfloat16_memset")
            .outs(&[identity])
            .set(json!({"mode": "Const", "constant": 0})),
    )
    .preceded(
        is("TensorScalarAffineSelect", "Pool")
            .named("COMPILER-GENERATED-id.bfloat16=IDAffineSelect(mask,fill=1)")
            .ins(&[identity])
            .outs(&[identity])
            .set(json!({
                "compare_op": "not_equal", "fill_value": 1.0, "base": 0, "pattern": [[-1, 128]], "channel_multiplier": 1,
            })),
    )
}

cases! {
    nc_mat_mul_with_a_tile = case(
        matmul(&[32, 64], &[64, 128], MatmulPerfMode::DoubleRow),
        matmult().set(json!({
            "is_transpose": false, "is_fmap_onezero": false, "is_weight_onezero": true, "perf_mode": "DoubleRow",
            "tile_size": [64, 128], "tile_position": [32, 64], "accumulation_flag": 0,
        })),
    );
    nc_mat_mul_without_a_tile = case(
        matmul(&[], &[], MatmulPerfMode::DoubleRowSwInterleave),
        matmult().set(json!({
            "is_transpose": false, "is_fmap_onezero": false, "is_weight_onezero": true, "perf_mode": "None",
            "tile_size": [-1, -1], "tile_position": [-1, -1], "accumulation_flag": 0,
        })),
    );
    transpose_of_float32 = form(
        0,
        Operator::Transpose(leak(Transpose {
            dst: all(sb("dst", &[32, 32])),
            src: at(sb("src", &[128, 64]), 32 * 64, &[(64, 32), (2, 32)]),
            dtype: None,
            engine: Engine::dve,
        })),
        is("StreamTranspose", "DVE")
            .ins(&["src:float32 [[64,32],[2,32]] +2048"])
            .outs(&["dst:float32 [[32,32],[1,32]] +0"]),
    );
    transpose_of_another_type = transpose_of_bfloat16();
    quantize_mx = case(
        Operator::QuantizeMX(leak(QuantizeMX {
            dst: all(tensor("dst", Memory::sbuf, Dtype::float8_e4m3fn_x4, &[128, 16])),
            src: all(tensor("src", Memory::sbuf, Dtype::bfloat16, &[128, 64])),
            dst_scale: all(tensor("scale", Memory::sbuf, Dtype::uint8, &[128, 16])),
        })),
        is("QuantizeMx", "DVE")
            .ins(&["src:bfloat16 [[64,128],[1,64]] +0"])
            .outs(&["dst:float8_e4m3fn_x4 [[16,128],[1,16]] +0", "scale:uint8 [[16,128],[1,16]] +0"]),
    );
    nc_mat_mul_mx_with_a_tile = case(
        mx(Some(&[0, 32]), Some(&[128, 32])),
        matmult_mx().set(json!({"tile_size": [128, 32], "tile_position": [0, 32]})),
    );
    nc_mat_mul_mx_without_a_tile = case(
        mx(None, None),
        matmult_mx().set(json!({"tile_size": [-1, -1], "tile_position": [-1, -1]})),
    );
}
