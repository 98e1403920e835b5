//! The instruction set: what `spec/instructions.toml` says of the 110 opcodes, as one table that every reader walks.

mod field;
#[rustfmt::skip]
mod table;

pub use field::{Default, Emit, Field, MaybeType, OpcodeInfo, Presence, Same, Slot};
pub use table::{OPCODES, RETIRED};
