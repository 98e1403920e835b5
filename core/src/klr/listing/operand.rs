//! Accesses as operands.

use super::super::ast::{APPair, Access, BirAccessPattern, Index, ScalarOffset};
use super::{List, Word};
use core::fmt::{self, Display, Write};

/// One dimension of a pattern.
pub(super) struct Pair<'a>(pub &'a APPair);

impl Display for Pair<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let APPair { step, num, offset } = self.0;
        write!(f, "{step} x {num}")?;
        if *offset != 0 { write!(f, " + {offset}") } else { Ok(()) }
    }
}

fn pair(pair: &APPair, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    Pair(pair).fmt(f)
}

/// An access as an operand. Accesses within it are shown down to a fixed depth, so that showing needs a bounded stack.
pub(super) struct Operand<'a> {
    pub access: &'a Access<'a>,
    /// How deep further accesses are shown.
    pub depth: u32,
}

/// How deep accesses within accesses are shown.
pub(super) const SHOWN_DEPTH: u32 = 16;

impl Display for Operand<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.access {
            Access::Simple(tensor) => Word(tensor.name).fmt(f),
            Access::Basic(access) => {
                let index = |index: &Index<'_>, f: &mut fmt::Formatter<'_>| match index {
                    Index::Coord(at) => write!(f, "{at}"),
                    Index::Slice(slice) => write!(f, "{}:{}:{}", slice.l, slice.u, slice.step),
                };
                write!(f, "{}[{}]", Word(access.tensor.name), List(access.indexes, index))
            }
            Access::Pattern(access) => {
                let name = Word(access.tensor.name);
                write!(f, "{name}[{} partitions from {}", access.par_num, access.par_offset)?;
                write!(f, "; {}; from {}", List(access.pattern, pair), access.free_offset)?;
                if !access.fixed_axis.is_empty() {
                    write!(f, "; fixed {}", List(access.fixed_axis, |axis: &u64, f| axis.fmt(f)))?;
                }
                f.write_char(']')
            }
            Access::BirPattern(access) => self.bir_pattern(access, f),
        }
    }
}

impl Operand<'_> {
    fn bir_pattern(&self, access: &BirAccessPattern<'_>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[{}", Word(access.tensor.name), List(access.pattern, pair))?;
        if access.offset != 0 {
            write!(f, "; from {}", access.offset)?;
        }
        match &access.scalar_offset {
            None => {}
            Some(ScalarOffset::Reg(register)) => write!(f, "; + {} on {}", Word(register), access.indirect_dim)?,
            Some(ScalarOffset::Acc(inner)) => {
                f.write_str("; + ")?;
                self.inner(inner, f)?;
                write!(f, " on {}", access.indirect_dim)?;
            }
        }
        if let Some(inner) = &access.vector_offset {
            f.write_str("; each + ")?;
            self.inner(inner, f)?;
            write!(f, " on {}", access.indirect_dim)?;
        }
        if let Some(dtype) = access.dtype_override {
            write!(f, "; as {dtype}")?;
        }
        f.write_char(']')
    }

    fn inner(&self, access: &Access<'_>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.depth.checked_sub(1) {
            Some(depth) => Operand { access, depth }.fmt(f),
            None => f.write_str("..."),
        }
    }
}
