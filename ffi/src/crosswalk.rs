//! From front-end numbers (klr) to object numbers (bir)

use crate::boundary::{copy_out, member, put};
use crate::types::{bir_error, bir_status};
use bir_core::enums::bir::{ActivationFunctionType, AluOpType, Dtype, EngineAccumulationType, EngineType};
use bir_core::enums::crosswalk;

/// The Dtype (BIR_DTYPE_*) of a front-end Dtype (BIR_KLR_DTYPE_*), see spec/enums.md section 3. Any other number is
/// an error: UNSUPPORTED for a member without counterpart, UNKNOWN_ENUM for a number that is no member, 0 included.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_translate_dtype(klr: u32, bir: *mut i32, err: *mut bir_error) -> bir_status {
    boundary!(err, { put(bir, crosswalk::DTYPE.translate(klr)?) })
}

/// The front-end Dtype numbers (BIR_KLR_DTYPE_*) that become a Dtype (BIR_DTYPE_*), rising; what only falls back to
/// it does not count. *count is their number; they are copied to klr if capacity, in elements, is large enough;
/// capacity 0 asks for the number only. UNKNOWN_ENUM for another number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_klr_sources_of_dtype(
    bir: i32,
    klr: *mut u32,
    capacity: usize,
    count: *mut usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let bir: Dtype = member(bir)?;
        copy_out(|| crosswalk::DTYPE.sources(bir.ordinal()), klr, capacity, count)
    })
}

/// The EngineType (BIR_ENGINE_TYPE_*) of a front-end Engine (BIR_KLR_ENGINE_*), see spec/enums.md section 3. Any
/// other number, 0 included, gives BIR_ENGINE_TYPE_UNASSIGNED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_translate_engine(klr: u32, bir: *mut i32, err: *mut bir_error) -> bir_status {
    boundary!(err, { put(bir, crosswalk::ENGINE.translate(klr)?) })
}

/// The front-end Engine numbers (BIR_KLR_ENGINE_*) that become a EngineType (BIR_ENGINE_TYPE_*), rising; what only
/// falls back to it does not count. *count is their number; they are copied to klr if capacity, in elements, is large
/// enough; capacity 0 asks for the number only. UNKNOWN_ENUM for another number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_klr_sources_of_engine(
    bir: i32,
    klr: *mut u32,
    capacity: usize,
    count: *mut usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let bir: EngineType = member(bir)?;
        copy_out(|| crosswalk::ENGINE.sources(bir.ordinal()), klr, capacity, count)
    })
}

/// The AluOpType (BIR_ALU_OP_TYPE_*) of a front-end AluOp (BIR_KLR_ALU_OP_*), see spec/enums.md section 3. Any other
/// number is an error: UNSUPPORTED for a member without counterpart, UNKNOWN_ENUM for a number that is no member, 0
/// included.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_translate_alu_op(klr: u32, bir: *mut i32, err: *mut bir_error) -> bir_status {
    boundary!(err, { put(bir, crosswalk::ALU_OP.translate(klr)?) })
}

/// The front-end AluOp numbers (BIR_KLR_ALU_OP_*) that become a AluOpType (BIR_ALU_OP_TYPE_*), rising; what only
/// falls back to it does not count. *count is their number; they are copied to klr if capacity, in elements, is large
/// enough; capacity 0 asks for the number only. UNKNOWN_ENUM for another number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_klr_sources_of_alu_op(
    bir: i32,
    klr: *mut u32,
    capacity: usize,
    count: *mut usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let bir: AluOpType = member(bir)?;
        copy_out(|| crosswalk::ALU_OP.sources(bir.ordinal()), klr, capacity, count)
    })
}

/// The ActivationFunctionType (BIR_ACTIVATION_FUNCTION_TYPE_*) of a front-end ActivationFunc
/// (BIR_KLR_ACTIVATION_FUNC_*), see spec/enums.md section 3. Any other number, 0 included, gives what
/// codegenActivation falls back to; it is never an error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_translate_activation(klr: u32, bir: *mut i32, err: *mut bir_error) -> bir_status {
    boundary!(err, { put(bir, crosswalk::ACTIVATION.translate(klr)?) })
}

/// The front-end ActivationFunc numbers (BIR_KLR_ACTIVATION_FUNC_*) that become a ActivationFunctionType
/// (BIR_ACTIVATION_FUNCTION_TYPE_*), rising; what only falls back to it does not count. *count is their number; they
/// are copied to klr if capacity, in elements, is large enough; capacity 0 asks for the number only. UNKNOWN_ENUM for
/// another number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_klr_sources_of_activation(
    bir: i32,
    klr: *mut u32,
    capacity: usize,
    count: *mut usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let bir: ActivationFunctionType = member(bir)?;
        copy_out(|| crosswalk::ACTIVATION.sources(bir.ordinal()), klr, capacity, count)
    })
}

/// The EngineAccumulationType (BIR_ENGINE_ACCUMULATION_TYPE_*) of a front-end AccumCmd (BIR_KLR_ACCUM_CMD_*), see
/// spec/enums.md section 3. Any other number is an error: UNSUPPORTED for a member without counterpart, UNKNOWN_ENUM
/// for a number that is no member, 0 included.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_translate_accum_cmd(klr: u32, bir: *mut i32, err: *mut bir_error) -> bir_status {
    boundary!(err, { put(bir, crosswalk::ACCUM_CMD.translate(klr)?) })
}

/// The front-end AccumCmd numbers (BIR_KLR_ACCUM_CMD_*) that become a EngineAccumulationType
/// (BIR_ENGINE_ACCUMULATION_TYPE_*), rising; what only falls back to it does not count. *count is their number; they
/// are copied to klr if capacity, in elements, is large enough; capacity 0 asks for the number only. UNKNOWN_ENUM for
/// another number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_klr_sources_of_accum_cmd(
    bir: i32,
    klr: *mut u32,
    capacity: usize,
    count: *mut usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let bir: EngineAccumulationType = member(bir)?;
        copy_out(|| crosswalk::ACCUM_CMD.sources(bir.ordinal()), klr, capacity, count)
    })
}
