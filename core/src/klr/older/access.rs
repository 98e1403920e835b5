//! The three forms of access to a tensor.

use super::reader::{Reader, member};
use super::tensor::Tensor;
use crate::Result;
use crate::doc::Input;
use alloc::vec::Vec;

/// An access to a tensor.
#[derive(Clone, Debug, PartialEq)]
pub enum Access {
    /// The whole tensor.
    Simple(Tensor),
    /// One index per dimension.
    Basic {
        /// The tensor.
        tensor: Tensor,
        /// The indexes, the partition dimension first.
        indexes: Vec<Index>,
    },
    /// A pattern of the hardware.
    Pattern {
        /// The tensor.
        tensor: Tensor,
        /// Partitions, from the first one on.
        partitions: u64,
        /// In elements.
        offset: u64,
        /// The pairs behind that of the partitions.
        free: Vec<Pair>,
    },
}

/// The index of a dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Index {
    /// One coordinate.
    Coordinate(u64),
    /// A range.
    Slice(Slice),
}

/// From `start` to below `end`, every `step`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slice {
    /// The first coordinate.
    pub start: u64,
    /// The first coordinate that is out.
    pub end: u64,
    /// The distance.
    pub step: i64,
}

/// `num` times every `step` elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// In elements.
    pub step: i64,
    /// How often.
    pub num: u64,
}

impl Access {
    /// The tensor.
    #[must_use]
    pub fn tensor(&self) -> &Tensor {
        match self {
            Access::Simple(tensor) | Access::Basic { tensor, .. } | Access::Pattern { tensor, .. } => tensor,
        }
    }

    pub(super) fn read<'a, I: Input<'a>>(r: &mut Reader<I>) -> Result<Self> {
        r.constructor("an access", |r, form| match form {
            "simple" => Tensor::read(r).map(Access::Simple),
            "basic" => basic(r),
            "pattern" => pattern(r),
            _ => Err(r.unknown("access", "simple, basic or pattern", form)),
        })
    }
}

fn basic<'a, I: Input<'a>>(r: &mut Reader<I>) -> Result<Access> {
    let (mut tensor, mut indexes) = (None, None);
    r.object(|r, key| match key {
        "tensor" => member(r, "tensor", &mut tensor, Tensor::read),
        "indexes" => member(r, "indexes", &mut indexes, |r| r.list(Index::read)),
        _ => Err(r.unknown_key(key)),
    })?;
    Ok(Access::Basic { tensor: r.required("tensor", tensor)?, indexes: r.required("indexes", indexes)? })
}

fn pattern<'a, I: Input<'a>>(r: &mut Reader<I>) -> Result<Access> {
    let (mut tensor, mut partitions, mut offset, mut free) = (None, None, None, None);
    r.object(|r, key| match key {
        "tensor" => member(r, "tensor", &mut tensor, Tensor::read),
        "parNum" => member(r, "parNum", &mut partitions, Reader::nat),
        "offset" => member(r, "offset", &mut offset, Reader::nat),
        "freePattern" => member(r, "freePattern", &mut free, |r| r.list(Pair::read)),
        _ => Err(r.unknown_key(key)),
    })?;
    Ok(Access::Pattern {
        tensor: r.required("tensor", tensor)?,
        partitions: r.required("parNum", partitions)?,
        offset: r.required("offset", offset)?,
        free: r.required("freePattern", free)?,
    })
}

impl Pair {
    fn read<'a, I: Input<'a>>(r: &mut Reader<I>) -> Result<Self> {
        let (mut step, mut num) = (None, None);
        r.object(|r, key| match key {
            "step" => member(r, "step", &mut step, Reader::int),
            "num" => member(r, "num", &mut num, Reader::nat),
            _ => Err(r.unknown_key(key)),
        })?;
        Ok(Pair { step: r.required("step", step)?, num: r.required("num", num)? })
    }
}

impl Index {
    fn read<'a, I: Input<'a>>(r: &mut Reader<I>) -> Result<Self> {
        r.constructor("an index", |r, form| match form {
            "coord" => r.only("e", Reader::nat).map(Index::Coordinate),
            "slice" => r.only("slice", Slice::read).map(Index::Slice),
            _ => Err(r.unknown("index", "coord or slice", form)),
        })
    }
}

impl Slice {
    /// `[start, [end, step]]`.
    fn read<'a, I: Input<'a>>(r: &mut Reader<I>) -> Result<Self> {
        let (start, (end, step)) = r.pair(Reader::nat, |r| r.pair(Reader::nat, Reader::int))?;
        Ok(Slice { start, end, step })
    }

    /// How many coordinates; `None` if the step is 0.
    #[must_use]
    pub fn count(&self) -> Option<u64> {
        let distance = self.step.unsigned_abs();
        let span =
            if self.step < 0 { self.start.saturating_sub(self.end) } else { self.end.saturating_sub(self.start) };
        if distance == 0 { None } else { Some(span.div_ceil(distance)) }
    }
}
