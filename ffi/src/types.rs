//! Types and constants

use bir_core::ir::{
    APPair, Argument, BasicBlock, BasicBlockArgument, BasicBlockHolder, DMAQueue, ExprKind, ExprNode, Function,
    FunctionHolder, Instruction, LoopAxis, MemoryLocation, MemoryLocationSet, ModuleRef, Register, StorageBase,
};
use core::ffi::c_char;

/// What a call did: BIR_STATUS_OK, or the number of the error. The numbers are stable.
pub type bir_status = i32;

/// The call did what it says.
pub const BIR_STATUS_OK: bir_status = 0;

/// The version of the binary interface, see bir_abi_version().
pub const BIR_ABI_VERSION: u32 = 1;

/// Edges within one run of the program text (`dependencies`).
pub const BIR_EDGE_SET_NORMAL: i32 = 0;
/// Edges from one loop iteration to the next (`loop_carried_dependencies`).
pub const BIR_EDGE_SET_LOOP_CARRIED: i32 = 1;

/// Encoders of arch level sunda (20).
pub const BIR_CORE_GENERATION_V2: i32 = 2;
/// Encoders of arch level gen3 (30).
pub const BIR_CORE_GENERATION_V3: i32 = 3;
/// Encoders of arch level core_v4 (40).
pub const BIR_CORE_GENERATION_V4: i32 = 4;

/// No object, see bir_module_find_by_id().
pub const BIR_OBJECT_NONE: i32 = 0;
/// A bir_function.
pub const BIR_OBJECT_FUNCTION: i32 = 1;
/// A bir_block.
pub const BIR_OBJECT_BLOCK: i32 = 2;
/// A bir_inst.
pub const BIR_OBJECT_INST: i32 = 3;
/// A bir_set; as a bir_storage it has the same address.
pub const BIR_OBJECT_SET: i32 = 4;
/// A bir_register; as a bir_storage it has the same address.
pub const BIR_OBJECT_REGISTER: i32 = 5;
/// A bir_location; as a bir_storage it has the same address.
pub const BIR_OBJECT_LOCATION: i32 = 6;
/// A bir_queue.
pub const BIR_OBJECT_QUEUE: i32 = 7;
/// A bir_operand.
pub const BIR_OBJECT_OPERAND: i32 = 8;

/// Expression node AffExprKind: first + the sum of coeff * expr over the terms.
pub const BIR_EXPR_KIND_AFF_EXPR: i32 = 0;
/// Expression node AffIVKind: the value of a loop axis.
pub const BIR_EXPR_KIND_AFF_IV: i32 = 1;
/// Expression node ShardIDKind: the shard id, below first.
pub const BIR_EXPR_KIND_SHARD_ID: i32 = 2;
/// Expression node IntRuntimeValueKind: the value of a register.
pub const BIR_EXPR_KIND_INT_RUNTIME_VALUE: i32 = 3;
/// Expression node SumKind: the sum of the terms.
pub const BIR_EXPR_KIND_SUM: i32 = 4;
/// Expression node MultKind: operand * first.
pub const BIR_EXPR_KIND_MULT: i32 = 5;
/// Expression node FloorDivKind: operand / first, rounded down.
pub const BIR_EXPR_KIND_FLOOR_DIV: i32 = 6;
/// Expression node ModuloKind: operand mod first.
pub const BIR_EXPR_KIND_MODULO: i32 = 7;
/// Expression node CCDivKind: as FloorDivKind, within the replica groups of number second.
pub const BIR_EXPR_KIND_CC_DIV: i32 = 8;
/// Expression node CCGetRankKind: the rank in iteration first on channel second.
pub const BIR_EXPR_KIND_CC_GET_RANK: i32 = 9;
/// Expression node IndirectArgId: the value of indirect argument first.
pub const BIR_EXPR_KIND_INDIRECT_ARG_ID: i32 = 10;

/// A predicate that holds when its expression is at least 0.
pub const BIR_PREDICATE_GE: u32 = 0;
/// A predicate that holds when its expression is 0.
pub const BIR_PREDICATE_EQ: u32 = 1;

const _: () = assert!(
    BIR_EXPR_KIND_AFF_EXPR == ExprKind::AffExprKind as i32
        && BIR_EXPR_KIND_AFF_IV == ExprKind::AffIVKind as i32
        && BIR_EXPR_KIND_SHARD_ID == ExprKind::ShardIDKind as i32
        && BIR_EXPR_KIND_INT_RUNTIME_VALUE == ExprKind::IntRuntimeValueKind as i32
        && BIR_EXPR_KIND_SUM == ExprKind::SumKind as i32
        && BIR_EXPR_KIND_MULT == ExprKind::MultKind as i32
        && BIR_EXPR_KIND_FLOOR_DIV == ExprKind::FloorDivKind as i32
        && BIR_EXPR_KIND_MODULO == ExprKind::ModuloKind as i32
        && BIR_EXPR_KIND_CC_DIV == ExprKind::CCDivKind as i32
        && BIR_EXPR_KIND_CC_GET_RANK == ExprKind::CCGetRankKind as i32
        && BIR_EXPR_KIND_INDIRECT_ARG_ID == ExprKind::IndirectArgId as i32
        && ExprKind::ALL.len() == 11
);

/// An opaque C type and the object of the core that lies at its address.
pub trait Opaque {
    /// The object.
    type Object;
    /// What it is, for messages.
    const WHAT: &'static str;
}

/// An opaque C type that is no object of a module: the caller owns it.
pub trait Handle: Opaque {}

macro_rules! opaque {
    ($name:ident, $object:ty, $what:literal) => {
        impl $crate::types::Opaque for $name {
            type Object = $object;
            const WHAT: &'static str = $what;
        }
    };
    ($name:ident, handle $object:ty, $what:literal) => {
        $crate::types::opaque!($name, $object, $what);
        impl $crate::types::Handle for $name {}
    };
}
pub(crate) use opaque;

/// A program and all its memory. Made by bir_module_create(), freed by bir_module_destroy(). The address is that of the
/// Module object (spec/layout.md section 4).
pub struct bir_module {
    _private: [u8; 0],
}
opaque!(bir_module, ModuleRef, "module");

/// What owns functions: a module has one holder for ordinary functions and one for NKI functions.
pub struct bir_function_holder {
    _private: [u8; 0],
}
opaque!(bir_function_holder, FunctionHolder, "function holder");

/// A function: blocks and storages (spec/layout.md section 5).
pub struct bir_function {
    _private: [u8; 0],
}
opaque!(bir_function, Function, "function");

/// What owns blocks: a part of a function, of a queue, or of an instruction with a body (Loop, DynamicForLoop, DMABlock,
/// DoWhile).
pub struct bir_block_holder {
    _private: [u8; 0],
}
opaque!(bir_block_holder, BasicBlockHolder, "block holder");

/// A basic block: instructions in program order, and block arguments.
pub struct bir_block {
    _private: [u8; 0],
}
opaque!(bir_block, BasicBlock, "block");

/// A block argument (phi node).
pub struct bir_block_arg {
    _private: [u8; 0],
}
opaque!(bir_block_arg, BasicBlockArgument, "block argument");

/// An instruction. The address is that of its Instruction part, which for an instruction with a body lies 0x58 bytes
/// behind the start of the object (spec/layout.md section 7).
pub struct bir_inst {
    _private: [u8; 0],
}
opaque!(bir_inst, Instruction, "instruction");

/// An operand of an instruction.
pub struct bir_operand {
    _private: [u8; 0],
}
opaque!(bir_operand, Argument, "operand");

/// What operands bind to: a set, a register or a location, all of which begin with their storage part and so have the same
/// address under both types. Sets and registers of a function share one list and one namespace; locations are in sets.
pub struct bir_storage {
    _private: [u8; 0],
}
opaque!(bir_storage, StorageBase, "storage");

/// A set of memory locations: a tensor (spec/layout.md section 8).
pub struct bir_set {
    _private: [u8; 0],
}
opaque!(bir_set, MemoryLocationSet, "set");

/// A memory location of a set.
pub struct bir_location {
    _private: [u8; 0],
}
opaque!(bir_location, MemoryLocation, "location");

/// A register of a function.
pub struct bir_register {
    _private: [u8; 0],
}
opaque!(bir_register, Register, "register");

/// A DMA queue of a module.
pub struct bir_queue {
    _private: [u8; 0],
}
opaque!(bir_queue, DMAQueue, "queue");

/// The axis of a loop, static or dynamic.
pub struct bir_axis {
    _private: [u8; 0],
}
opaque!(bir_axis, LoopAxis, "axis");

/// A node of an expression, and the expression of which it is the root. Nodes never change once made and may be shared
/// within their module.
pub struct bir_expr {
    _private: [u8; 0],
}
opaque!(bir_expr, ExprNode, "expression");

/// A text: UTF-8, not necessarily followed by a NUL.
///
/// Handed out, it lies in module memory and stays valid until the text is changed or the module destroyed, or in the
/// library itself (names of enums and errors) and stays valid for good, or in a handle and stays valid as long as that.
/// data is NULL only for an absent optional text. Handed in, len may be SIZE_MAX: the text ends at its NUL.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct bir_string {
    /// The first byte.
    pub data: *const c_char,
    /// Number of bytes.
    pub len: usize,
}

/// Bytes in a handle, valid as long as the handle.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct bir_bytes {
    /// The first byte; meaningless if there are none.
    pub data: *const u8,
    /// Number of bytes.
    pub len: usize,
}

/// Why a call failed. Owned by the caller, who sets size before the call; every call that is given one fills it, with
/// BIR_STATUS_OK and empty texts on success.
#[repr(C)]
pub struct bir_error {
    /// sizeof(bir_error), set by the caller: only members that lie within so many bytes are written. 0 stands for all.
    pub size: u32,
    /// The status.
    pub status: bir_status,
    /// Line in the input, from 1; 0 if there is none.
    pub line: u32,
    /// Column in the input, in bytes, from 1; 0 if there is none.
    pub column: u32,
    /// Offset in the input, in bytes, from 0; 0 if there is none.
    pub offset: u64,
    /// What went wrong, what was expected and what was found; ends with a NUL, cut between two characters if too long.
    pub message: [c_char; 512],
    /// The place: a document path or a field of a package; empty if there is none. Ends with a NUL, cut as the message.
    pub path: [c_char; 512],
}

/// One dimension of an access pattern: num elements, step elements apart (spec/layout.md section 11, APPair).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct bir_dim {
    /// Distance between two elements, in elements.
    pub step: i64,
    /// Number of elements.
    pub num: i64,
}

const _: () = assert!(
    size_of::<bir_dim>() == size_of::<APPair>()
        && core::mem::offset_of!(bir_dim, step) == core::mem::offset_of!(APPair, step)
        && core::mem::offset_of!(bir_dim, num) == core::mem::offset_of!(APPair, num)
);

/// A term: coeff * expr.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct bir_term {
    /// The expression.
    pub expr: *mut bir_expr,
    /// The factor.
    pub coeff: i64,
}

/// A predicate: a comparison of an expression with 0 (spec/layout.md section 11, AffinePredicate).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct bir_predicate {
    /// The expression; NULL for none.
    pub expr: *mut bir_expr,
    /// BIR_PREDICATE_GE or BIR_PREDICATE_EQ.
    pub op: u32,
}

/// The run-time part of a physical access pattern: its address is c + the sum of the terms, in elements
/// (spec/bir-json.md section 6).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct bir_dynamic_ap {
    /// Constant part, in elements.
    pub c: i64,
    /// Which dimension is indirect: IndirectDim, BIR_INDIRECT_DIM_*.
    pub indirect_dim: i32,
    /// Largest index.
    pub indirect_dim_max_index: i32,
}

/// An edge, seen from one of its ends (spec/layout.md section 6).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct bir_edge {
    /// The instruction at the other end.
    pub target: *mut bir_inst,
    /// EdgeKind, BIR_EDGE_KIND_*.
    pub kind: i32,
}

/// A wait on a semaphore (spec/layout.md section 6).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct bir_wait {
    /// Semaphore id.
    pub id: u32,
    /// Value waited for.
    pub value: u32,
    /// How the value is compared: WaitMode, BIR_WAIT_MODE_*.
    pub mode: i32,
    /// Sync type; no names are published.
    pub sync_type: i32,
    /// The producer, an instruction or DMA block; NULL for none.
    pub from: *mut bir_inst,
}

/// An update of a semaphore (spec/layout.md section 6).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct bir_update {
    /// Semaphore id.
    pub id: u32,
    /// Value of the update.
    pub value: u32,
    /// How the semaphore changes: UpdateMode, BIR_UPDATE_MODE_*.
    pub mode: i32,
    /// Sync type; no names are published.
    pub sync_type: i32,
    /// 1 if target_core counts, 0 if the semaphore is on this core.
    pub has_target_core: u8,
    /// Core of the semaphore.
    pub target_core: u32,
}

/// One binding of a block argument: the value that it takes when control comes from the block.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct bir_incoming {
    /// The value's storage.
    pub value: *mut bir_storage,
    /// The block that it comes from.
    pub predecessor: *mut bir_block,
}

/// An alias edge of a location (spec/layout.md section 8).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct bir_alias {
    /// The location at the other end.
    pub location: *mut bir_location,
    /// Alias bits, 1 to 7.
    pub bits: u8,
}

/// An element of a list of maybe-affine values.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct bir_maybe_affine {
    /// The expression; NULL for a constant.
    pub expr: *mut bir_expr,
    /// The constant, if there is no expression.
    pub constant: i64,
}

/// What is known of an opcode (spec/instructions.toml). The caller sets size before the call. Texts lie in the library.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct bir_opcode_info {
    /// sizeof(bir_opcode_info), set by the caller: only members that lie within so many bytes are written. 0 stands for all.
    pub size: u32,
    /// 1 if no object of the original has this opcode itself, only more special ones do.
    pub is_abstract: u8,
    /// Name in documents, e.g. `TensorCopy`.
    pub name: bir_string,
    /// Name of the C++ class, e.g. `InstTensorCopy`.
    pub class_name: bir_string,
    /// Name of the C++ base class.
    pub base: bir_string,
    /// What it is for, in a word or two.
    pub family: bir_string,
    /// Size of the object in bytes, what the library keeps behind the published part included.
    pub object_size: u32,
    /// Size of the object in bytes as published.
    pub published_size: u32,
    /// The least number of `ins`; -1 if unknown.
    pub min_ins: i32,
    /// The largest number of `ins`; -1 if unknown or without limit.
    pub max_ins: i32,
    /// The least number of `outs`; -1 if unknown.
    pub min_outs: i32,
    /// The largest number of `outs`; -1 if unknown or without limit.
    pub max_outs: i32,
    /// The first arch level that has it; -1 if unknown.
    pub min_arch: i32,
    /// The last arch level that has it; -1 if unknown or without limit.
    pub max_arch: i32,
}

/// What is known of a field (spec/instructions.toml). The caller sets size before the call. Texts lie in the library.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct bir_field_info {
    /// sizeof(bir_field_info), set by the caller: only members that lie within so many bytes are written. 0 stands for all.
    pub size: u32,
    /// What the elements are, for a maybe-affine field what its constants are: BIR_FIELD_KIND_*.
    pub kind: i32,
    /// Key in documents.
    pub key: bir_string,
    /// Type in the words of the specification.
    pub type_text: bir_string,
    /// Offset in bytes from the start of the object, which for an instruction with a body is not where bir_inst is. Nested
    /// blocks take no room there.
    pub offset: u32,
    /// 1 if the offset is published; 0 for one of the library's own.
    pub offset_known: u8,
    /// 0 for one value, 1 for a list, 2 for a list of lists.
    pub list_depth: u8,
    /// 1 if elements may be expressions instead of constants.
    pub is_maybe_affine: u8,
    /// 1 if bir_inst_set_absent() can take the value away.
    pub can_be_absent: u8,
    /// 1 if bir_inst_set_json() can set it: of kind BIR_FIELD_KIND_JSON, or where documents may have an older form.
    pub takes_json: u8,
    /// The length of a list that cannot have another one; else 0.
    pub fixed_length: u32,
    /// The enum, BIR_ENUM_*, of elements that are members of one; else UINT32_MAX.
    pub enum_id: u32,
    /// The smallest integer, of kind BIR_FIELD_KIND_INT; else 0.
    pub min_int: i64,
    /// The largest integer, of kind BIR_FIELD_KIND_INT; else 0.
    pub max_int: u64,
    /// Whether documents need the key: BIR_FIELD_PRESENCE_*.
    pub presence: i32,
    /// 1 if a new instruction has default_int or, of kind BIR_FIELD_KIND_FLOAT, default_float here, in a list of fixed length
    /// in each element. 0 if a list or text is empty, anything else is absent.
    pub has_default: u8,
    /// A boolean, an integer or the number of an enum's member.
    pub default_int: i64,
    /// A float.
    pub default_float: f64,
}
