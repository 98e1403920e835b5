//! Errors of single statements, all but those of DMA and collectives.

use crate::lower_support::{
    Op, Ref, all, at, by_register, by_vector, float, int, leak, list, pairs_of, refer, sb, tensor, tile, x,
};
use crate::{Bad, bad};
use bir_core::enums::klr::{
    AccumCmd, ActivationFunc, AluOp, BrCmpOp, Dtype, Engine, MatmulPerfMode, Memory, TensorScalarReverseOps,
};
use bir_core::klr::ast::{
    Access, AccessBasic, AccessPattern, BirAccessPattern, CmpBranch, Immediate, MatMulMX, MatchReplace8, Max8, MemSet,
    NcActivate, NcCopy, NcLocalGather, NcMatMul, NonzeroWithCount, Operand, Operator, RegisterMove, ScalarOffset,
    Shuffle, TensorScalar, TensorSram, Transpose,
};

pub fn max8(src: Ref) -> Op {
    Operator::Max8(leak(Max8 { dst: all(sb("dst", &[128, 8])), src, dtype: None }))
}

pub fn copy_from(src: Ref) -> Op {
    copy(x("dst"), src)
}

fn copy(dst: Ref, src: Ref) -> Op {
    Operator::NcCopy(leak(NcCopy { dst, src, dtype: None, engine: Engine::dve }))
}

pub fn gather(num_valid: Option<i64>) -> Op {
    local_gather(num_valid.map(Immediate::Int), Immediate::Int(1))
}

fn local_gather(num_valid_indicies: Option<Immediate>, num_elem_per_idx: Immediate) -> Op {
    let index = all(tensor("index", Memory::sbuf, Dtype::uint16, &[128, 4]));
    let src = all(sb("src", &[128, 512]));
    Operator::NcLocalGather(leak(NcLocalGather { dst: x("dst"), src, index, num_elem_per_idx, num_valid_indicies }))
}

fn sram(name: &'static str) -> &'static TensorSram<'static> {
    leak(TensorSram {
        name,
        dtype: Dtype::float32,
        par_num: 128,
        pattern: pairs_of(&[(1, 64)]),
        par_offset: 0,
        free_offset: 0,
    })
}

fn activate(change: fn(&mut NcActivate<'static>)) -> Op {
    let mut record = NcActivate {
        dst: x("dst"),
        src: x("src"),
        accumulator_cmd: AccumCmd::Idle,
        activation_func: ActivationFunc::exp,
        scale: float(1.0),
        bias: Some(all(sb("bias", &[128, 1]))),
        reduce_op: None,
        reduce_res: None,
        dtype: None,
    };
    change(&mut record);
    Operator::NcActivate(leak(record))
}

fn matmul(tile_position: &[u64], tile_size: &[u64]) -> Op {
    Operator::NcMatMul(leak(NcMatMul {
        dst: all(tensor("acc", Memory::psum, Dtype::float32, &[64, 64])),
        stationary: x("weights"),
        moving: x("ifmap"),
        is_stationary_one_zero: false,
        is_moving_zero: false,
        is_transpose: false,
        tile_position: list(tile_position),
        tile_size: list(tile_size),
        perf_mode: MatmulPerfMode::None,
    }))
}

fn matmul_mx() -> Op {
    let [dst, stationary, moving, stationary_scale, moving_scale] = ["a", "b", "c", "d", "e"].map(x);
    let (tile_position, tile_size) = (Some(list(&[0_u64, 0])), Some(list(&[1_u64, 2, 3])));
    let record = MatMulMX { dst, stationary, moving, stationary_scale, moving_scale, tile_position, tile_size };
    Operator::NcMatMulMX(leak(record))
}

fn transpose(dims: &[u64], engine: Engine) -> Op {
    Operator::Transpose(leak(Transpose { dst: all(sb("dst", dims)), src: all(sb("src", dims)), dtype: None, engine }))
}

fn match_replace(replace_value: Immediate) -> Op {
    let vals = all(sb("vals", &[128, 8]));
    let (dst, src) = (x("dst"), x("src"));
    Operator::MatchReplace8(leak(MatchReplace8 { dst, src, vals, replace_value, dst_idx: None, dtype: None }))
}

fn nonzero(index_offset: Immediate, padding_val: Immediate) -> Op {
    Operator::NonzeroWithCount(leak(NonzeroWithCount { dst: x("dst"), src: x("src"), index_offset, padding_val }))
}

fn tensor_scalar(imm0: Operand<'static>, imm1: Option<Operand<'static>>) -> Op {
    Operator::TensorScalar(leak(TensorScalar {
        dst: x("dst"),
        src: x("src"),
        imm0,
        op0: AluOp::add,
        imm1,
        op1: Some(AluOp::add),
        reverse: TensorScalarReverseOps::none,
        engine: Engine::dve,
        dtype: None,
    }))
}

fn branch(reg1: &'static str, true_label: &'static str) -> Op {
    let (reg2, op, false_label) = ("r2", BrCmpOp::lt_imm, "main.1");
    Operator::CmpBranch(leak(CmpBranch { reg1, reg2, imm: 0, op, true_label, false_label }))
}

/// An access to t with 32 rows by a list of indices.
fn by_indices(name: &'static str) -> Ref {
    by_vector(sb(name, &[128, 64]), 0, &[(64, 32), (1, 64)], sb("ix", &[32, 1]))
}

fn by_value(name: &'static str, value: &'static str) -> BirAccessPattern<'static> {
    BirAccessPattern {
        scalar_offset: Some(ScalarOffset::Acc(Access::Simple(sb(value, &[1, 1])))),
        ..crate::lower_support::pattern(sb(name, &[128, 64]), 0, &[(64, 128), (1, 8)])
    }
}

pub(crate) fn rows() -> Vec<Bad> {
    let t = sb("t", &[128, 64]);
    let basic = Access::Basic(leak(AccessBasic { tensor: t, indexes: &[] }));
    let hardware = Access::Pattern(leak(AccessPattern {
        tensor: t,
        par_num: 128,
        pattern: pairs_of(&[(1, 64)]),
        par_offset: 0,
        free_offset: 0,
        fixed_axis: &[],
    }));
    let both = BirAccessPattern { vector_offset: Some(Access::Simple(sb("ix", &[32, 1]))), ..by_value("src", "i") };
    let abstracted = |access| bir_core::klr::ast::TensorRef::Abstract(access);
    let reference = bir_core::klr::ast::TensorRef::Sbuf(sram("s"));
    let psum = bir_core::klr::ast::TensorRef::Psum(sram("p"));
    let register = bir_core::klr::ast::TensorRef::Register(3);
    let deep = at(t, 0, &[(64, 128), (0, 3), (16, 2), (4, 2), (1, 2)]);
    let nested = refer(BirAccessPattern {
        scalar_offset: Some(ScalarOffset::Acc(basic)),
        ..crate::lower_support::pattern(t, 0, &[(64, 128), (1, 8)])
    });
    const REF: &str = "Unsupported tensorRef type encountered!";
    const DYNAMIC: &str = "Dynamic Access is not allowed in the instruction.";
    const IMMEDIATE: &str = "Unsupported immediate type encountered";
    const COPY_BOTH: &str = "Only one of src and dst can have dynamic access in tensor_copy.";
    const COPY_SCALAR: &str = "Dynamic access must have scalarOffset";
    const COPY_VECTOR: &str = "tensor_copy only supports scalar_offset for dynamic access, not vector_offset.";
    const PE: &str = "TransposeOp should only happen on DVE. The PE variant should have been legalized by the FE!";
    let memset = |value| MemSet { dst: x("dst"), value, dtype: Dtype::float32, engine: Engine::dve };
    let shuffle = |mask: &[Immediate]| Shuffle { dst: x("dst"), src: x("src"), shuffle_mask: list(mask), dtype: None };
    vec![
        bad(max8(reference), "tensorref_kind", "src", REF),
        bad(max8(psum), "tensorref_kind", "src", REF),
        bad(copy(register, x("src")), "tensorref_kind", "dst", REF),
        bad(max8(abstracted(basic)), "access_kind", "src", "Unsupported access type encountered 2"),
        bad(max8(abstracted(hardware)), "access_kind", "src", "Unsupported access type encountered 3"),
        bad(copy_from(nested), "access_kind", "src.scalarOffset", "Unsupported access type encountered 2"),
        bad(max8(by_indices("src")), "dynamic_forbidden", "src", DYNAMIC),
        bad(max8(refer(by_value("src", "i"))), "dynamic_forbidden", "src", DYNAMIC),
        bad(tensor_scalar(tile(refer(by_value("s", "i"))), None), "dynamic_forbidden", "imm0", DYNAMIC),
        bad(tensor_scalar(Operand::Imm(Immediate::Register(1)), None), "immediate_kind", "imm0", IMMEDIATE),
        bad(tensor_scalar(int(1), Some(Operand::Imm(Immediate::Pointer))), "immediate_kind", "imm1", IMMEDIATE),
        bad(Operator::MemSet(leak(memset(Immediate::Pointer))), "immediate_kind", "value", IMMEDIATE),
        bad(
            activate(|a| a.accumulator_cmd = AccumCmd::LoadAccumulate),
            "load_accumulate",
            "accumulatorCmd",
            "LoadAccumulate is not supported",
        ),
        bad(activate(|a| a.scale = int(1)), "activation_scale_int", "scale", "scale for activation must be a float32"),
        bad(
            activate(|a| a.reduce_op = Some(AluOp::mult)),
            "activation_reduce_op",
            "reduceOp",
            "Accumulation is the only supported op on activation_reduce",
        ),
        bad(matmul(&[0, 0], &[32]), "matmul_tile", "tileSize", ""),
        bad(matmul(&[0, 0], &[]), "matmul_tile", "tileSize", ""),
        bad(matmul(&[], &[32, 32]), "matmul_tile", "tilePosition", ""),
        bad(matmul(&[], &[]), "matmul_tile", "tilePosition", "").strictly(),
        bad(matmul_mx(), "matmul_tile", "tileSize", ""),
        bad(transpose(&[32, 32], Engine::pe), "pe_transpose", "engine", PE),
        bad(
            transpose(&[64, 32], Engine::dve),
            "stream_transpose_size",
            "dst",
            "Operand must be no larger than (32, 32) (64, 32)",
        ),
        bad(
            transpose(&[32, 33], Engine::dve),
            "stream_transpose_size",
            "dst",
            "Operand must be no larger than (32, 32) (32, 33)",
        ),
        bad(copy(by_indices("dst"), refer(by_value("src", "i"))), "copy_both_dynamic", "", COPY_BOTH),
        bad(copy_from(by_indices("src")), "copy_no_scalar", "src", COPY_SCALAR),
        bad(copy_from(refer(both)), "copy_vector", "src.vectorOffset", COPY_VECTOR),
        bad(
            copy_from(by_register(t, 0, &[(64, 128), (1, 8)], "r9", 0)),
            "scalar_register",
            "src.scalarOffset",
            "Cannot find register: r9 for scalar offset",
        ),
        bad(
            match_replace(Immediate::Int(0)),
            "match_replace_float",
            "replaceValue",
            "The replace value for MatchReplace8 must be a float",
        ),
        bad(match_replace(Immediate::Pointer), "immediate_kind", "replaceValue", IMMEDIATE),
        bad(
            nonzero(Immediate::Float(1.0), Immediate::Int(0)),
            "nonzero_offset",
            "indexOffset",
            "indexOffset must be int32",
        ),
        bad(
            nonzero(Immediate::Int(0), Immediate::Float(1.0)),
            "nonzero_padding",
            "paddingVal",
            "paddingVal must be int32",
        ),
        bad(
            local_gather(Some(Immediate::Float(1.0)), Immediate::Int(1)),
            "gather_count",
            "numValidIndicies",
            "num_valid_indices for local gather must be an integer",
        ),
        bad(local_gather(None, Immediate::Pointer), "immediate_kind", "numElemPerIdx", IMMEDIATE),
        bad(
            Operator::Shuffle(leak(shuffle(&[Immediate::Int(0), Immediate::Float(1.0)]))),
            "shuffle_mask",
            "shuffleMask[1]",
            "",
        ),
        // Rules of our own, where the reference has none or would crash.
        bad(max8(deep), "access_pairs", "src.pattern", "An access pattern has one to four pairs after merging, not 5"),
        bad(
            max8(at(t, 0, &[])),
            "access_pairs",
            "src.pattern",
            "An access pattern has one to four pairs after merging, not 0",
        ),
        bad(branch("r1", "main.1"), "unknown_register", "reg1", "The register r1 does not exist"),
        bad(copy_from(by_register_of_dim("r", 2)), "indirect_dim", "src.indirectDim", "The tensor has no dimension 2"),
        bad(
            Operator::RegisterMove(leak(RegisterMove { dst: "r", imm: 1 << 31 })),
            "number_range",
            "imm",
            "The number 2147483648 is out of range",
        ),
    ]
}

/// An access that selects a dimension by a tensor.
fn by_register_of_dim(value: &'static str, dim: i64) -> Ref {
    refer(BirAccessPattern { indirect_dim: dim, ..by_value("src", value) })
}
