//! Operands of the generated program: patterns of two to four dimensions over a tensor.

use super::buffers::{Buffer, PARTITIONS};
use bir_core::ir::{APPair, OperandSpec};

/// A pattern over a tensor.
#[derive(Clone, Copy)]
pub struct Access<'m> {
    /// The tensor.
    pub buffer: Buffer<'m>,
    pairs: [APPair; 4],
    dims: usize,
    offset: u64,
}

/// An input.
#[derive(Clone, Copy)]
pub enum In<'m> {
    /// Elements of a tensor.
    Tensor(Access<'m>),
    /// A number, as float32.
    Float(f32),
}

const NONE: APPair = APPair { step: 0, num: 0 };

fn pair(step: u64, num: u64) -> APPair {
    APPair { step: step.cast_signed(), num: num.cast_signed() }
}

impl<'m> Buffer<'m> {
    /// All of it.
    pub fn whole(self) -> Access<'m> {
        self.columns_at(0, self.columns)
    }

    /// `count` neighbouring columns of all partitions.
    pub fn columns_at(self, offset: u64, count: u64) -> Access<'m> {
        let pairs = [pair(self.columns, PARTITIONS), pair(1, count), NONE, NONE];
        Access { buffer: self, pairs, dims: 2, offset }
    }

    /// `outer` groups of `inner` neighbouring columns, `stride` apart.
    pub fn groups(self, offset: u64, stride: u64, outer: u64, inner: u64) -> Access<'m> {
        let pairs = [pair(self.columns, PARTITIONS), pair(stride, outer), pair(1, inner), NONE];
        Access { buffer: self, pairs, dims: 3, offset }
    }

    /// As [`Buffer::groups`], with the outermost free dimension that tiling leaves behind.
    pub fn tiled(self, offset: u64, stride: u64, outer: u64, inner: u64) -> Access<'m> {
        let pairs = [pair(self.columns, PARTITIONS), pair(stride * outer, 1), pair(stride, outer), pair(1, inner)];
        Access { buffer: self, pairs, dims: 4, offset }
    }

    /// Each column's value, `times` over: a broadcast along the free dimension.
    pub fn broadcast(self, times: u64) -> Access<'m> {
        let pairs = [pair(self.columns, PARTITIONS), pair(1, self.columns), pair(0, times), NONE];
        Access { buffer: self, pairs, dims: 3, offset: 0 }
    }
}

impl<'m> Access<'m> {
    /// What the library makes an operand of.
    pub fn spec(&self) -> OperandSpec<'_, 'm> {
        let Access { buffer, pairs, dims, offset } = self;
        OperandSpec::Physical {
            location: buffer.location,
            dtype: buffer.dtype,
            pattern: &pairs[..*dims],
            offset: *offset,
        }
    }
}

impl<'m> From<Access<'m>> for In<'m> {
    fn from(access: Access<'m>) -> Self {
        In::Tensor(access)
    }
}
