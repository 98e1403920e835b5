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

pub mod raw;

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

pub use edge::{Edge, EdgeSet};
pub use equal::{Difference, Structure, difference};
pub use expr::{ExprKind, Term};
pub use lookup::{IdObject, Instructions};
pub(crate) use module::init as module_init;
pub use module::Module;
pub use named::Objects;
pub use operand::{DynamicSpec, OperandList, OperandSpec, Operands};
pub use place::{Place, Placed};
pub use raw::cast::HolderOwner;
pub use raw::layout::{
    Argument, BasicBlock, BasicBlockHolder, DMAQueue, DynamicForLoopAxis, Function, FunctionHolder, Instruction, LoopAxis,
    MemoryLocation, MemoryLocationSet, Register, Storage, StorageBase,
};
pub use raw::values::{APPair, AffinePredicate, BasicBlockArgument, ExprNode, Incoming, MaybeAffine, QuasiAffineExpr};
pub use sync::{Update, Wait};

/// The module as C++ sees it; what a [`Module`] derefs to.
pub use raw::layout::Module as ModuleRef;
