//! The raw half of the objects: the structs that C++ sees, and the few operations on them that need `unsafe`.
//!
//! Everything here lies in the bump arena of one module: objects are never moved, never freed and never reused as another
//! type before the module goes. All members are cells. So a shared reference to an object stays valid for the life of the
//! module whatever happens to the program, and the upper half (`ir/*.rs`) needs no `unsafe` at all.
//!
//! The one rule that the upper half must keep: a [`Ptr`] or [`Link`] is only ever set to an object of the same module.
//!
//! The room is closed to the outside: with its functions safe code could store a pointer to an object of another module, or
//! follow one that has gone. What the outside needs is re-exported by `ir`.
#![allow(unsafe_code)]
// Generated members and casts form a whole vocabulary; not every word is used by the upper half.
#![allow(dead_code)]

#[rustfmt::skip]
pub mod layout;
pub mod cast;
pub mod edges;
pub mod halves;
pub mod list;
pub mod owner;
pub(crate) mod payload;
pub mod pointer;
#[rustfmt::skip]
pub mod shapes;
pub mod slot;
pub mod state;
pub mod values;

pub use layout::*;
pub use pointer::{Flag, Link, Ptr};
pub use state::ModuleState;
pub use values::*;
