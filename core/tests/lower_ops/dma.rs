//! Copies: by an engine and by DMA, static and dynamic.
//!
//! The address of a dynamic DMA is `c + coef x value` in elements; what is accessed there is `actual_ap`, the operand's own
//! pattern is that of the whole location.

use crate::lower_support::case::{Case, case, form, is};
use crate::lower_support::{
    Ref, all, at, by_register, by_value, by_vector, full, hbm, leak, list, make_register, sb, tensor, x,
};
use bir_core::enums::klr::{AluOp, DgeComputeOp, Dtype, Engine, Memory, TransposeOps};
use bir_core::klr::ast::{DmaBounds, DmaCompute, DmaTranspose, Immediate, NcCopy, NcDmaCopy, Operator};
use serde_json::json;

fn nc_copy(dst: Ref, src: Ref, engine: Engine) -> Operator<'static> {
    Operator::NcCopy(leak(NcCopy { dst, src, dtype: None, engine }))
}

fn dma(dst: Ref, src: Ref) -> NcDmaCopy<'static> {
    NcDmaCopy {
        dst,
        src,
        compute_op: DgeComputeOp::none,
        oob_mode: DmaBounds::Error,
        dge_mode: 0,
        unique_indices: false,
        priority: None,
        engine: Engine::unassigned,
    }
}

fn nc_dma_copy(record: NcDmaCopy<'static>) -> Operator<'static> {
    Operator::NcDmaCopy(leak(record))
}

/// A DRAM tensor of 128 x 64, all of it.
const TABLE: &str = "table:float32 [[64,128],[1,64]] +0";

fn table() -> Ref {
    all(hbm("table", &[128, 64]))
}

fn index() -> &'static bir_core::klr::ast::TensorName<'static> {
    tensor("index", Memory::sbuf, Dtype::int32, &[32, 1])
}

/// 32 rows of a table, those that the value selects; 5 elements in.
fn rows_by_register() -> Ref {
    by_register(hbm("table", &[128, 64]), 5, &[(64, 32), (1, 32)], "row", 0)
}

fn plain_dma() -> Case {
    form(
        0,
        nc_dma_copy(dma(x("dst"), table())),
        is("DMACopy", "Unassigned").ins(&[TABLE]).outs(&[&full("dst")]).set(json!({
            "dge_type": "Unassigned", "cce_op": "bypass", "oob_is_err": true, "dma_qos": "Unassigned",
        })),
    )
}

fn dma_transpose(src: Ref) -> Operator<'static> {
    let dst = at(sb("dst", &[64, 2, 4, 8]), 0, &[(64, 64), (32, 2), (8, 4), (1, 8)]);
    Operator::DmaTranspose(leak(DmaTranspose {
        dst,
        src,
        axes: TransposeOps::WZXY,
        dtype: None,
        dge_mode: 2,
        oob_mode: DmaBounds::Reg(3),
        priority: None,
    }))
}

const TRANSPOSED: &str = "dst:float32 [[64,64],[32,2],[8,4],[1,8]] +0";

cases! {
    nc_copy_of_static_sides = form(
        0,
        nc_copy(x("dst"), at(sb("src", &[128, 4, 16]), 16, &[(64, 128), (16, 2), (-1, 16)]), Engine::act),
        is("TensorCopy", "Activation")
            .ins(&["src:float32 [[64,128],[16,2],[-1,16]] +16"])
            .outs(&[&full("dst")]),
    );
    // [128, 4, 16]: one step of dimension 1 is 16 elements.
    nc_copy_from_a_dynamic_source = form(
        1,
        nc_copy(x("dst"), by_register(sb("src", &[128, 4, 16]), 3, &[(64, 128), (1, 16)], "i", 1), Engine::pool),
        is("TensorCopyDynamicSrc", "Pool")
            .ins(&["src:float32 [[64,128],[1,16]] +3", "reg:i int32"])
            .outs(&[&full("dst")])
            .set(json!({"scale": 16})),
    ).after(make_register("i"));
    // One step of dimension 0 is a whole row.
    nc_copy_to_a_dynamic_destination = form(
        2,
        nc_copy(
            by_value(sb("dst", &[128, 4, 16]), 0, &[(64, 1), (1, 16)], tensor("i", Memory::sbuf, Dtype::int32, &[1, 1]), 0),
            x("src"),
            Engine::dve,
        ),
        is("TensorCopyDynamicDst", "DVE")
            .ins(&[&full("src"), "i:int32 [[1,1],[1,1]] +0"])
            .outs(&["dst:float32 [[64,1],[1,16]] +0"])
            .set(json!({"scale": 64})),
    );
    nc_dma_copy_without_descriptors_of_its_own = plain_dma();
    nc_dma_copy_by_hardware_descriptors_adds = form(
        0,
        nc_dma_copy(NcDmaCopy {
            compute_op: DgeComputeOp::add,
            unique_indices: true,
            oob_mode: DmaBounds::Skip,
            dge_mode: 2,
            engine: Engine::sp,
            ..dma(x("dst"), table())
        }),
        is("DMACopy", "SP").ins(&[TABLE]).outs(&[&full("dst")]).set(json!({
            "dge_type": "HWDGE", "cce_op": "add", "oob_is_err": false, "dma_qos": "Unassigned",
        })),
    );
    nc_dma_copy_without_a_descriptor_engine = form(
        0,
        nc_dma_copy(NcDmaCopy { dge_mode: 3, oob_mode: DmaBounds::Reg(1), ..dma(x("dst"), table()) }),
        is("DMACopy", "Unassigned").ins(&[TABLE]).outs(&[&full("dst")]).set(json!({
            "dge_type": "None", "cce_op": "bypass", "oob_is_err": true, "dma_qos": "Unassigned",
        })),
    );
    // The source has three pairs that say the same as two: with unequal shapes both become canonical.
    nc_dma_copy_of_unequal_shapes = form(
        0,
        nc_dma_copy(dma(x("dst"), at(hbm("table", &[128, 64]), 0, &[(64, 128), (32, 2), (1, 32)]))),
        is("DMACopy", "Unassigned").ins(&[TABLE]).outs(&[&full("dst")]).set(json!({
            "dge_type": "Unassigned", "cce_op": "bypass", "oob_is_err": true,
        })),
    );
    // Only the newest schema has a priority: class P{n}.
    nc_dma_copy_of_head = form(
        0,
        nc_dma_copy(NcDmaCopy { priority: Some(14), ..dma(x("dst"), table()) }),
        is("DMACopy", "Unassigned").ins(&[TABLE]).outs(&[&full("dst")]).set(json!({
            "dge_type": "Unassigned", "cce_op": "bypass", "oob_is_err": true, "dma_qos": "P14",
        })),
    );
    nc_dma_copy_from_rows_by_register = form(
        1,
        nc_dma_copy(NcDmaCopy { dge_mode: 1, ..dma(all(sb("dst", &[32, 32])), rows_by_register()) }),
        is("DMACopy", "Unassigned")
            .ins(&[r#"table:float32 [[64,128],[1,64]] +0 dynamic {"actual_ap":[[64,32],[1,32]],"aff_expr":[{"coef":64,"offset_expr":{"kind":"IntRuntimeValueKind","regref":"row"}}],"c":5,"indirect_dim":"W","indirect_dim_max_index":0}"#])
            .outs(&["dst:float32 [[32,32],[1,32]] +0"])
            .set(json!({"dge_type": "SWDGE", "cce_op": "bypass", "oob_is_err": true})),
    ).after(make_register("row"));
    // [128, 8, 8]: one step of dimension 1 is 8 elements.
    nc_dma_copy_to_columns_by_value = form(
        1,
        nc_dma_copy(dma(
            by_value(hbm("table", &[128, 8, 8]), 0, &[(64, 32), (1, 8)], tensor("col", Memory::sbuf, Dtype::int32, &[1, 1]), 1),
            all(sb("src", &[32, 8])),
        )),
        is("DMACopy", "Unassigned")
            .ins(&["src:float32 [[8,32],[1,8]] +0"])
            .indirection(&["col:int32 [[1,1],[1,1]] +0"])
            .outs(&[r#"table:float32 [[64,128],[1,64]] +0 dynamic {"actual_ap":[[64,32],[1,8]],"aff_expr":[{"coef":8,"offset_expr":{"arg_id":1,"kind":"IndirectArgId"}}],"c":0,"indirect_dim":"W","indirect_dim_max_index":0}"#])
            .set(json!({"dge_type": "Unassigned", "cce_op": "bypass", "oob_is_err": true})),
    );
    nc_dma_copy_from_rows_by_vector = form(
        1,
        nc_dma_copy(NcDmaCopy {
            dge_mode: 2,
            engine: Engine::act,
            ..dma(all(sb("dst", &[32, 64])), by_vector(hbm("table", &[128, 64]), 64, &[(64, 32), (1, 64)], index()))
        }),
        is("DMACopy", "Activation")
            .ins(&[r#"table:float32 [[64,128],[1,64]] +0 dynamic {"actual_ap":[[64,32],[1,64]],"aff_expr":[{"coef":64,"offset_expr":{"arg_id":1,"kind":"IndirectArgId"}}],"c":64,"indirect_dim":"W","indirect_dim_max_index":128}"#])
            .indirection(&["index:int32 [[1,32],[1,1]] +0"])
            .outs(&["dst:float32 [[64,32],[1,64]] +0"])
            .set(json!({"dge_type": "HWDGE", "cce_op": "bypass", "oob_is_err": true})),
    );
    // The indices leave the destination and become the second input.
    nc_dma_copy_that_adds_where_indices_repeat = form(
        2,
        nc_dma_copy(NcDmaCopy {
            compute_op: DgeComputeOp::add,
            ..dma(by_vector(hbm("table", &[128, 64]), 64, &[(64, 32), (1, 64)], index()), all(sb("src", &[32, 64])))
        }),
        is("GenericIndirectSave", "Unassigned")
            .ins(&["src:float32 [[64,32],[1,64]] +0", "index:int32 [[1,32],[1,1]] +0"])
            .outs(&["table:float32 [[64,32],[1,64]] +64"])
            .set(json!({"indirect_dims": ["W"], "op": "add"})),
    );
    dma_transpose_of_static_sides = case(
        dma_transpose(at(hbm("src", &[8, 4, 2, 64]), 0, &[(512, 8), (128, 4), (64, 2), (1, 64)])),
        is("DMACopy", "Pool")
            .ins(&["src:float32 [[512,8],[128,4],[64,2],[1,64]] +0"])
            .outs(&[TRANSPOSED])
            .set(json!({"mode": "Transpose", "transpose_op": "XZYW", "dge_type": "HWDGE", "oob_is_err": true})),
    );
    dma_transpose_of_a_dynamic_source = case(
        dma_transpose(by_register(
            hbm("src", &[8, 4, 2, 64]), 0, &[(512, 8), (128, 4), (64, 2), (1, 64)], "row", 2,
        )),
        is("DMACopy", "Pool")
            .ins(&[r#"src:float32 [[512,8],[1,512]] +0 dynamic {"actual_ap":[[512,8],[128,4],[64,2],[1,64]],"aff_expr":[{"coef":64,"offset_expr":{"kind":"IntRuntimeValueKind","regref":"row"}}],"c":0,"indirect_dim":"W","indirect_dim_max_index":0}"#])
            .outs(&[TRANSPOSED])
            .set(json!({"mode": "Transpose", "transpose_op": "XZYW", "dge_type": "HWDGE", "oob_is_err": true})),
    ).after(make_register("row"));
    dma_compute = case(
        Operator::DmaCompute(leak(DmaCompute {
            dst: x("dst"),
            srcs: list(&[table(), x("other")]),
            scales: list(&[Immediate::Float(0.5), Immediate::Float(2.0)]),
            reduce_op: AluOp::add,
        })),
        is("DMACopy", "Unassigned")
            .ins(&[TABLE, &full("other")])
            .outs(&[&full("dst")])
            .set(json!({"mode": "CCE", "constants": [0.5, 2.0], "cce_op": "add"})),
    );
}
