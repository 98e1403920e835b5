//! What a row of [`super::table`] says.

use crate::enums::bir::{EngineType, InstructionType};

/// An operator of KLR.
#[derive(Debug)]
pub struct OperatorRow {
    /// The number in memory, from 1.
    pub ordinal: u8,
    /// The name in the schema.
    pub name: &'static str,
    /// The name of its record.
    pub record: &'static str,
    /// Whether it has a lowering.
    pub lowered: bool,
    /// The errors of its own, in the order in which they are looked for.
    pub errors: &'static [&'static Rule],
    /// Its instruction forms; none for a refused operator.
    pub variants: &'static [Variant],
}

/// One instruction form of an operator.
#[derive(Debug)]
pub struct Variant {
    /// When it is taken, in words; empty for the only form.
    pub when: &'static str,
    /// The opcode.
    pub opcode: InstructionType,
    /// How it is named when its statement has no name.
    pub prefix: Prefix,
    /// Its engine.
    pub engine: Engine,
    /// The `ins` in words.
    pub ins: &'static [&'static str],
    /// The `outs` in words.
    pub outs: &'static [&'static str],
}

/// What stands before the running number in a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prefix {
    /// This text.
    Text(&'static str),
    /// This text with `{dst}`, `{op}`, `{src0}` and `{src1}` filled in.
    Template(&'static str),
}

/// Where an engine comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// It is always this one.
    Fixed(EngineType),
    /// The field `engine` of the record.
    Mapped,
    /// The field `engine` if descriptors are generated in hardware, else Unassigned.
    MappedWithHwdge,
    /// That of a new instruction.
    Default,
}

/// How the reference ends where the library reports an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It throws, notes the text and goes on.
    Throw,
    /// An assertion ends the process.
    Assert,
    /// A fatal error ends the process.
    Fatal,
    /// It has no such check, or is not described.
    Own,
}

/// A rule that a kernel can break.
#[derive(Debug)]
pub struct Rule {
    /// Its name.
    pub id: &'static str,
    /// What the reference does.
    pub kind: Kind,
    /// Its text, with at most one placeholder in braces; `None` if the wording is ours, see [`Rule::wording`].
    pub text: Option<&'static str>,
}

impl Rule {
    /// Its text, with at most one placeholder in braces.
    #[must_use]
    pub fn wording(&self) -> &'static str {
        let own = || super::wording::OPEN.iter().find(|(id, _)| *id == self.id).map_or(self.id, |(_, text)| *text);
        self.text.unwrap_or_else(own)
    }
}
