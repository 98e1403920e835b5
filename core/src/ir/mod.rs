//! The objects of a program: modules, functions, blocks, instructions, operands, storage, queues, edges and expressions.
//!
//! An object is seen through a plain reference with the life of its module: `&'m Function`, `&'m Instruction`. References
//! are small, copy freely and stay valid whatever happens to the program, because all members are cells and memory is only
//! given back with the module. So changes go through shared references too; a [`Module`] may move to another thread, but
//! never be used by two at once (it is `Send`, not `Sync`).
//!
//! ```
//! use bir_core::ir::{Module, Place};
//! use bir_core::enums::bir::InstructionType;
//!
//! let module = Module::new()?;
//! let main = module.add_function("main", Place::End)?;
//! let block = main.add_block("Block1", Place::End)?;
//! let first = block.add_instruction(InstructionType::NoOp, "I-0", Place::End)?;
//! let second = block.add_instruction(InstructionType::NoOp, "I-0", Place::End)?;
//! assert_eq!(first.name(), "I-0");
//! assert_eq!(second.name(), "I-0_1"); // taken, so renamed
//! assert!(second.renamed);
//! # Ok::<(), bir_core::Error>(())
//! ```
//!
//! An object that was erased stays readable, but everything that would change it fails with `Detached`.

pub(crate) mod raw;

mod axis;
mod block;
mod block_argument;
mod clone;
mod debug;
mod edge;
mod equal;
mod expr;
mod function;
mod id;
mod instruction;
mod lookup;
mod module;
mod named;
mod names;
mod operand;
mod place;
mod queue;
mod storage;
mod sync;
mod uses;

pub(crate) use clone::location_path;
pub use edge::{Edge, EdgeSet};
pub(crate) use equal::computed;
pub(crate) use equal::pair;
pub use equal::{Difference, Structure, difference, try_difference};
pub use expr::{AffinePredicate, ExprKind, QuasiAffineExpr, Term};
pub(crate) use expr::{own_node, stored as stored_expressions};
pub(crate) use instruction::function_path;
pub use lookup::{IdObject, Instructions};
pub use module::Module;
pub(crate) use module::{init as module_init, set_linked_text};
pub use named::Objects;
pub(crate) use operand::check_immediate_dtype;
pub use operand::{DynamicSpec, MAX_DIMS, OperandList, OperandSpec, Operands};
pub use place::{Place, Placed};
pub use raw::cast::HolderOwner;
pub use raw::layout::{
    Argument, BasicBlock, BasicBlockHolder, DMAQueue, DynamicAPINFO, DynamicForLoopAxis, Function, FunctionHolder,
    Instruction, LAYOUT_HASH, LoopAxis, MemoryLocation, MemoryLocationSet, Register, Storage, StorageBase,
};
pub use raw::state::from_address;
pub use raw::values::{APPair, BasicBlockArgument, ExprNode, MaybeAffine};
pub use sync::{Update, Wait};
pub(crate) use sync::{default_update_mode, default_wait_mode};

/// The module as C++ sees it; what a [`Module`] derefs to.
pub use raw::layout::Module as ModuleRef;
