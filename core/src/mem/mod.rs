//! Memory shared with C++: every object of the IR lies where libstdc++ (GCC 12) and LLVM put it, so that C++ passes, C
//! loaders and this crate work on the same bytes (`spec/layout.md` sections 3.1 to 3.3).
//!
//! Three rules make that sound, and every unsafe block of this room leans on them:
//!
//! - **One arena.** All objects that refer to each other, and all buffers they own, lie in one [`Arena`] at addresses that
//!   never change. No byte is returned before the arena itself goes, so a pointer once stored stays readable. Operations
//!   that store a pointer are therefore visible in this crate only: it keeps each module in one arena.
//! - **Cells.** Fields that change are [`Cell`](core::cell::Cell)s, so shared references are all that anybody holds.
//!   The types are `!Sync`; a module moves between threads as a whole.
//! - **No drops.** Nothing in the arena has a destructor: dropping a module frees a few chunks, whatever it holds.
//!
//! C++ may read everything and change values and links. It must not make a container free a buffer or node (a rehash, an
//! erase by key, a longer text): that memory belongs to the arena, not to `operator new`.
//!
//! All of them are valid, empty objects when their bytes are zero; strings, small vectors and tables point into themselves
//! and need an `init` at their final address before C++ reads them. On targets whose pointers are not 64 bits wide the
//! types have their natural sizes, and no C++ layout is claimed.

// The room offers each container's whole vocabulary; which words the other rooms use depends on the build's features.
#![allow(dead_code)]

pub mod ahead;
pub mod arena;
mod chunks;
pub mod hash;
mod hash_node;
pub(crate) mod huge_pages;
pub mod list;
mod policy;
pub(crate) mod prefetch;
pub mod smallvec;
pub mod string;
pub mod symtab;
mod values;
pub mod vector;
pub mod zeroable;

#[rustfmt::skip]
mod growth;
#[rustfmt::skip]
mod hash_params;
#[rustfmt::skip]
mod layout_asserts;

pub use arena::Arena;
pub use hash::{SEED, hash_bytes};
pub use list::IlistNode;
pub use smallvec::{InlineStorage, SmallVector, SmallVectorHeader};
pub use string::{StdString, Str};
pub use symtab::{Prepared, SymbolTable};
pub use vector::StdVector;
pub use zeroable::{Plain, Zeroable};
