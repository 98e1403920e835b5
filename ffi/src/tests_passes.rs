//! Questions about instructions and passes through the boundary: failures write nothing; what they answer is tested in C.

use crate::block::*;
use crate::dependency::*;
use crate::family::*;
use crate::function::*;
use crate::instruction::*;
use crate::isa::*;
use crate::module::*;
use crate::operand::*;
use crate::pass::*;
use crate::records::*;
use crate::same::*;
use crate::set::*;
use crate::tests::{NO_TEXT, error, message};
use crate::types::*;
use bir_core::ErrorCode;
use bir_core::enums::bir::{Dtype, EdgeKind, InstructionArgumentType, InstructionType, MemoryType, TensorKind};
use core::mem::MaybeUninit;
use core::ptr::{null, null_mut};

const NULL: i32 = ErrorCode::NullArgument.number();
const NOT_FOUND: i32 = ErrorCode::NotFound.number();

/// A function with two equal copies and an instruction that waits for the second one.
struct Program {
    module: *mut bir_module,
    function: *mut bir_function,
    copies: [*mut bir_inst; 2],
}

impl Program {
    fn new() -> Program {
        let mut err = error();
        let e = &raw mut err;
        let dim = bir_dim { step: 1, num: 4 };
        let list = [InstructionArgumentType::Argument, InstructionArgumentType::Output];
        // SAFETY: all objects are of the one module, which the drop destroys.
        unsafe {
            let module = bir_module_create(e);
            let function = bir_module_add_function(module, c"f".as_ptr(), 1, null(), null_mut(), e);
            let block = bir_function_add_block(function, c"b".as_ptr(), 1, null(), null_mut(), e);
            let (kind, dtype) = (TensorKind::Internal.ordinal(), Dtype::float32.ordinal());
            let locations = [c"x", c"y"].map(|name| {
                let set = bir_function_add_set(function, name.as_ptr(), 1, kind, dtype, null(), null_mut(), e);
                bir_set_add_location(set, name.as_ptr(), 1, MemoryType::SB.ordinal(), null(), null_mut(), e)
            });
            let copies = [c"1", c"2"].map(|name| {
                let opcode = InstructionType::TensorCopy.ordinal();
                let inst = bir_block_add_inst(block, opcode, name.as_ptr(), 1, null(), null_mut(), e);
                for (list, location) in list.iter().zip(locations) {
                    bir_inst_add_physical_ap(inst, list.ordinal(), location, dtype, &raw const dim, 1, 0, null(), e);
                }
                inst
            });
            let opcode = InstructionType::NoOp.ordinal();
            let waiting = bir_block_add_inst(block, opcode, c"w".as_ptr(), 1, null(), null_mut(), e);
            let flow = EdgeKind::Flow.ordinal();
            bir_inst_add_dependency(waiting, copies[1], flow, BIR_EDGE_SET_NORMAL, null_mut(), e);
            assert_eq!(err.status, BIR_STATUS_OK, "{}", message(&err));
            Program { module, function, copies }
        }
    }

    /// Writes an opcode that is none, as foreign code might.
    fn corrupt(&self) {
        // SAFETY: `spec/layout.md` section 7 has the opcode at this offset of every instruction.
        unsafe { self.copies[1].cast::<u8>().add(0x58).cast::<i32>().write(110) };
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // SAFETY: made by `new`, and destroyed here only.
        unsafe { bir_module_destroy(self.module) };
    }
}

#[test]
fn null_is_refused_and_nothing_written() {
    let program = Program::new();
    let (i, e) = (program.copies[0].cast_const(), null_mut());
    let (class, family) = (c"InstDMA".as_ptr(), c"isDMAFamily".as_ptr());
    let (mut flag, mut number, mut text) = (7_u8, 7_i32, NO_TEXT);
    let mut count = 7_usize;
    let (f, n, t) = (&raw mut flag, &raw mut number, &raw mut text);
    // SAFETY: live objects or NULL, texts with their lengths, places that may be written or NULL.
    unsafe {
        for status in [
            bir_class_count(null_mut(), e),
            bir_class_name(0, null_mut(), e),
            bir_class_base(class, 7, null_mut(), e),
            bir_class_base(null(), 7, t, e),
            bir_class_opcode(class, 7, null_mut(), e),
            bir_class_opcode(null(), 7, n, e),
            bir_opcode_is_a(1, class, 7, null_mut(), e),
            bir_opcode_is_a(1, null(), 7, f, e),
            bir_inst_is_a(null(), class, 7, f, e),
            bir_inst_is_a(i, null(), 7, f, e),
            bir_inst_is_a(i, class, 7, null_mut(), e),
            bir_family_count(null_mut(), e),
            bir_family_name(0, null_mut(), e),
            bir_inst_in_family(null(), family, 11, f, e),
            bir_inst_in_family(i, null(), 11, f, e),
            bir_inst_in_family(i, family, 11, null_mut(), e),
            bir_inst_same(null(), i, f, e),
            bir_inst_same(i, null(), f, e),
            bir_inst_same(i, i, null_mut(), e),
            bir_inst_same_and_operands(null(), i, f, e),
            bir_inst_same_and_operands(i, null(), f, e),
            bir_inst_same_and_operands(i, i, null_mut(), e),
            bir_inst_same_computation(null(), i, f, e),
            bir_inst_same_computation(i, null(), f, e),
            bir_inst_same_computation(i, i, null_mut(), e),
            bir_module_cse(null_mut(), null_mut(), e),
            bir_function_cse(null_mut(), null_mut(), e),
            bir_cse_report_block_count(null(), &raw mut count, e),
            bir_cse_report_inst_count(null(), &raw mut count, e),
            bir_cse_report_candidate_count(null(), &raw mut count, e),
            bir_cse_report_merged_count(null(), &raw mut count, e),
            bir_cse_report_kept_count(null(), &raw mut count, e),
            bir_cse_report_text(null(), null_mut(), 0, &raw mut count, e),
        ] {
            assert_eq!(status, NULL);
        }
    }
    assert!(text.data.is_null());
    assert_eq!((flag, number, text.len, count), (7, 7, 0, 7));
}

#[test]
fn reports_tell_where_they_end() {
    let program = Program::new();
    let mut report = null_mut();
    let mut merge = MaybeUninit::<bir_cse_merge>::zeroed();
    let mut kept = MaybeUninit::<bir_cse_kept>::zeroed();
    let (mut count, e) = (7, null_mut());
    // SAFETY: live objects or NULL, places that may be written or NULL; the report is destroyed last.
    unsafe {
        assert_eq!(bir_module_cse(program.module, &raw mut report, e), BIR_STATUS_OK);
        assert_eq!(bir_cse_report_merged_count(report, &raw mut count, e), BIR_STATUS_OK);
        assert_eq!(count, 1);
        assert_eq!(bir_cse_report_merged(report, 0, merge.as_mut_ptr(), e), BIR_STATUS_OK);
        assert_eq!(merge.assume_init().survivor.name.len, 1);
        let zero = MaybeUninit::<bir_cse_merge>::zeroed().assume_init();
        for index in [1, usize::MAX] {
            merge.write(zero);
            assert_eq!(bir_cse_report_merged(report, index, merge.as_mut_ptr(), e), NOT_FOUND);
            assert!(merge.assume_init().survivor.name.data.is_null());
            assert_eq!(bir_cse_report_kept(report, index, kept.as_mut_ptr(), e), NOT_FOUND);
            assert!(kept.assume_init().text.data.is_null());
        }
        assert_eq!(bir_cse_report_merged(report, 0, null_mut(), e), NULL);
        assert_eq!(bir_cse_report_text(report, null_mut(), 9, &raw mut count, e), NULL);
        assert_eq!(bir_cse_report_text(report, null_mut(), 0, null_mut(), e), NULL);
        bir_cse_report_destroy(report);
    }
}

#[test]
fn a_pass_that_fails_gives_no_report() {
    let program = Program::new();
    let (mut report, mut used) = (null_mut(), 0);
    let mut err = error();
    let e = &raw mut err;
    // SAFETY: live objects, places that may be written or NULL.
    unsafe {
        // No memory for the edge that has to move.
        assert_eq!(bir_module_memory_used(program.module, &raw mut used, e), BIR_STATUS_OK);
        assert_eq!(bir_module_set_memory_limit(program.module, used, e), BIR_STATUS_OK);
        assert_eq!(bir_module_cse(program.module, &raw mut report, e), ErrorCode::OutOfMemory.number());
        let mut erased = 7;
        assert_eq!(bir_inst_is_erased(program.copies[1], &raw mut erased, e), BIR_STATUS_OK);
        assert!(report.is_null() && erased == 0);
        assert_eq!(bir_module_set_memory_limit(program.module, u64::MAX, e), BIR_STATUS_OK);
        // No opcode.
        program.corrupt();
        assert_eq!(bir_function_cse(program.function, &raw mut report, e), ErrorCode::CorruptIr.number());
        assert!(report.is_null());
        assert!(!message(&err).is_empty());
    }
}

#[test]
fn foreign_numbers_are_answered_without_harm() {
    let program = Program::new();
    program.corrupt();
    let [good, bad] = program.copies;
    let (corrupt, mut flag, e) = (ErrorCode::CorruptIr.number(), 7_u8, null_mut());
    // SAFETY: live objects, places that may be written.
    unsafe {
        for (a, b) in [(good, bad), (bad, good), (bad, bad)] {
            assert_eq!(bir_inst_same(a, b, &raw mut flag, e), corrupt);
            assert_eq!(bir_inst_same_and_operands(a, b, &raw mut flag, e), corrupt);
            assert_eq!(bir_inst_same_computation(a, b, &raw mut flag, e), corrupt);
        }
        assert_eq!(bir_inst_in_family(bad, c"isDMAFamily".as_ptr(), usize::MAX, &raw mut flag, e), corrupt);
        assert_eq!(flag, 7);
        assert_eq!(bir_inst_is_a(bad, c"Instruction".as_ptr(), usize::MAX, &raw mut flag, e), BIR_STATUS_OK);
        assert_eq!(flag, 1);
        assert_eq!(bir_inst_is_a(bad, c"InstTensorCopy".as_ptr(), usize::MAX, &raw mut flag, e), BIR_STATUS_OK);
        assert_eq!(flag, 0);
    }
}
