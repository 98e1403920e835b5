//! The instruction set: what `spec/instructions.toml` says of the 110 opcodes, as one table that every reader walks.

mod access;
#[rustfmt::skip]
pub mod accessors;
mod element;
mod field;
mod kind;
#[rustfmt::skip]
mod table;
mod typed;
mod value;

pub use element::Element;
pub use field::{Default, Emit, Field, MaybeType, OpcodeInfo, Presence, Same, Slot};
pub use kind::FieldKind;
pub use table::{OPCODES, RETIRED};
pub use typed::{FromValue, Json, Maybe, Member, ToValue};
pub use value::Value;
