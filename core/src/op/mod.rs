//! The instruction set: what `spec/instructions.toml` says of the 110 opcodes, as one table that every reader walks, and
//! the questions that a compiler asks of an instruction: its class, its families, whether another one is the same.

mod access;
#[rustfmt::skip]
pub mod accessors;
mod element;
pub mod family;
mod field;
mod isa;
mod kind;
pub(crate) mod read;
mod same_inst;
#[rustfmt::skip]
mod table;
mod typed;
mod value;

pub use element::Element;
pub use field::{Compares, Default, Emit, Field, MaybeType, OlderText, OpcodeInfo, Presence, Same, Slot};
pub use isa::{InstClass, is_a};
pub use kind::FieldKind;
pub(crate) use same_inst::check_constants;
pub use same_inst::{BAD_VARIANT, NOT_IMPLEMENTED, same_computation, same_inst, same_inst_and_operands};
pub use table::{OPCODES, RETIRED};
pub use typed::{FromValue, Json, Maybe, Member, ToValue};
pub use value::Value;
