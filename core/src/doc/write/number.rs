//! The numbers of phrases (see [`Output::phrase`](crate::doc::output::Output::phrase)): one for each part of an instruction that is
//! the same wherever it comes.
#![forbid(unsafe_code)]

use crate::enums::bir::{Dtype, EngineType, NamedObjectOrigin};

/// Numbers of phrases that differ by a member of an enum. All ordinals are smaller.
const MEMBERS: usize = 32;
/// Numbers of the header keys.
const HEADERS: usize = 32;

/// The end of an operand.
pub(super) const END: usize = 0;
/// The end of a list.
pub(super) const LIST_END: usize = 1;
/// The begin of an instruction.
pub(super) const INSTRUCTION: usize = 2;
/// The end of an instruction.
pub(super) const INSTRUCTION_END: usize = 3;
/// `optin_passes` without any.
pub(super) const NO_PASSES: usize = 4;
const FIRST_HEADER: usize = 8;
const FIRST_ENGINE: usize = FIRST_HEADER + HEADERS;
const FIRST_ORIGIN: usize = FIRST_ENGINE + MEMBERS;
const FIRST_IMMEDIATE: usize = FIRST_ORIGIN + MEMBERS;
/// The first number for phrases of opcodes, which get theirs when they come.
pub(super) const FIRST_OPCODE: usize = FIRST_IMMEDIATE + MEMBERS;

/// What stands before the value of a header key, which may be more than the key.
#[inline(always)]
pub(super) fn header(place: usize) -> usize {
    FIRST_HEADER + place % HEADERS
}

/// The whole `engine` member.
#[inline(always)]
pub(super) fn engine(engine: EngineType) -> usize {
    FIRST_ENGINE + engine.ordinal() as usize % MEMBERS
}

/// The whole `origin` member.
#[inline(always)]
pub(super) fn origin(origin: NamedObjectOrigin) -> usize {
    FIRST_ORIGIN + origin.ordinal() as usize % MEMBERS
}

/// The begin of an immediate up to its value.
#[inline(always)]
pub(super) fn immediate(dtype: Dtype) -> usize {
    FIRST_IMMEDIATE + dtype.ordinal() as usize % MEMBERS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_members_have_one_number() {
        assert!(EngineType::MEMBERS.iter().all(|m| (0..MEMBERS as i32).contains(&m.ordinal())));
        assert!(NamedObjectOrigin::MEMBERS.iter().all(|m| (0..MEMBERS as i32).contains(&m.ordinal())));
        assert!(Dtype::MEMBERS.iter().all(|m| (0..MEMBERS as i32).contains(&m.ordinal())));
    }
}
