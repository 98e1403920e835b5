//! From the accesses of the older form to patterns.

use super::super::access::Access;
use super::super::pattern::{BadPattern, Pattern};
use super::super::row::Rule;
use super::super::stop::{Field, Step, refuse_with};
use super::super::wording;
use super::Older;
use crate::enums::bir::TensorKind;
use crate::fallible::push;
use crate::klr::ast::APPair;
use crate::klr::older::{self, Index, Slice, Tensor};
use alloc::vec::Vec;

/// Pairs and offset, both in elements.
type Walk = (Vec<APPair>, u64);

/// What an access breaks: the rule and what its text names.
type Broken = (&'static Rule, u64);

impl<'m, 'k> Older<'m, 'k> {
    pub fn access(&mut self, access: &'k older::Access, field: Field) -> Step<Access<'m>> {
        let tensor = access.tensor();
        let known = self.tensor(tensor, TensorKind::Internal, field)?;
        // The tensor was made, so its size fits 32 bits.
        let elements = tensor.elements().unwrap_or(u64::MAX);
        let walk = match access {
            older::Access::Simple(_) => whole(tensor, elements)?,
            older::Access::Basic { indexes, .. } => match basic(tensor, elements, indexes)? {
                Ok(walk) => walk,
                Err((rule, number)) => return refuse_with(rule, field.part("indexes"), number),
            },
            older::Access::Pattern { partitions, offset, free, .. } => {
                let mut pairs = Vec::new();
                push(&mut pairs, pair(elements.cast_signed(), *partitions))?;
                for free in free {
                    push(&mut pairs, pair(free.step, free.num))?;
                }
                (pairs, *offset)
            }
        };
        let (pairs, offset) = walk;
        let pattern = match Pattern::new(&pairs) {
            Ok(pattern) => pattern,
            Err(BadPattern::Pairs(count)) => return refuse_with(&wording::ACCESS_PAIRS, field, count),
            Err(BadPattern::Count(num)) => return refuse_with(&wording::NUMBER_RANGE, field, num),
        };
        Ok(Access { location: known.location, dtype: known.dtype, pattern, offset, dynamic: None })
    }
}

const fn pair(step: i64, num: u64) -> APPair {
    APPair { step, num, offset: 0 }
}

/// `[[F, P], [1, F]]`.
fn whole(tensor: &Tensor, elements: u64) -> crate::Result<Walk> {
    let mut pairs = Vec::new();
    push(&mut pairs, pair(elements.cast_signed(), tensor.partitions))?;
    push(&mut pairs, pair(1, elements))?;
    Ok((pairs, 0))
}

/// One index per dimension. A coordinate takes one element of its dimension, which needs no pair of its own, but the
/// partitions have one always, and so does the rest.
fn basic(tensor: &Tensor, elements: u64, indexes: &[Index]) -> crate::Result<Result<Walk, Broken>> {
    let dims = core::iter::once(tensor.partitions).chain(tensor.free_dims.iter().copied());
    if dims.clone().count() != indexes.len() {
        return Ok(Err((&wording::ACCESS_INDEXES, indexes.len() as u64)));
    }
    let mut pairs = Vec::new();
    let mut offset = 0_u64;
    let mut stride = elements;
    for (number, (dim, index)) in dims.zip(indexes).enumerate() {
        if number > 0 {
            // A dimension of size 0 has no valid index.
            stride = stride.checked_div(dim).unwrap_or(0);
        }
        let (start, step, num) = match *index {
            Index::Coordinate(at) => (at, 1, 1),
            Index::Slice(slice) => (slice.start, slice.step, slice.count().unwrap_or(0)),
        };
        if let Some(outside) = outside(index, dim) {
            return Ok(Err((&wording::ACCESS_BOUNDS, outside)));
        }
        // All are below the number of elements, which fits 32 bits.
        offset = offset.saturating_add(start.saturating_mul(stride));
        if number == 0 || matches!(index, Index::Slice(_)) {
            push(&mut pairs, pair(step.saturating_mul(stride.cast_signed()), num))?;
        }
    }
    if pairs.len() == 1 {
        push(&mut pairs, pair(1, 1))?;
    }
    Ok(Ok((pairs, offset)))
}

/// The number of an index that its dimension does not have.
fn outside(index: &Index, dim: u64) -> Option<u64> {
    match *index {
        Index::Coordinate(at) => Some(at).filter(|at| *at >= dim),
        Index::Slice(Slice { step: 0, .. }) => Some(0),
        Index::Slice(slice @ Slice { start, end, step }) => {
            let highest = if step > 0 { end.checked_sub(1) } else { Some(start) };
            match highest {
                Some(highest) if highest < dim && slice.count() != Some(0) => None,
                _ => Some(start.max(end)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::enums::klr;

    /// Pairs and offset.
    type Plain = (Vec<(i64, u64)>, u64);

    fn walk(indexes: &[Index]) -> Result<Plain, (&'static str, u64)> {
        let dims = std::vec![4, 16];
        let tensor = Tensor {
            name: "t".into(),
            dtype: klr::Dtype::float32,
            partitions: 128,
            free_dims: dims,
            regions: Vec::new(),
        };
        let found = basic(&tensor, 64, indexes).unwrap();
        let plain = |pairs: Vec<APPair>| pairs.iter().map(|p| (p.step, p.num)).collect();
        found.map(|(pairs, offset)| (plain(pairs), offset)).map_err(|(rule, number)| (rule.id, number))
    }

    const fn slice(start: u64, end: u64, step: i64) -> Index {
        Index::Slice(Slice { start, end, step })
    }

    /// [128, 4, 16]: strides 64, 16, 1.
    #[test]
    fn indexes_become_pairs_and_an_offset() {
        let all = walk(&[slice(0, 128, 1), slice(0, 4, 1), slice(0, 16, 1)]).unwrap();
        assert_eq!(all, (std::vec![(64, 128), (16, 4), (1, 16)], 0));
        let part = walk(&[slice(32, 64, 1), slice(1, 4, 2), slice(3, 16, 5)]).unwrap();
        assert_eq!(part, (std::vec![(64, 32), (32, 2), (5, 3)], 32 * 64 + 16 + 3));
        let back = walk(&[slice(0, 128, 1), Index::Coordinate(3), slice(15, 3, -4)]).unwrap();
        assert_eq!(back, (std::vec![(64, 128), (-4, 3)], 3 * 16 + 15));
        let one = walk(&[Index::Coordinate(5), Index::Coordinate(2), Index::Coordinate(7)]).unwrap();
        assert_eq!(one, (std::vec![(64, 1), (1, 1)], 5 * 64 + 2 * 16 + 7));
    }

    #[test]
    fn indexes_must_lie_within_the_tensor() {
        let rest = slice(0, 16, 1);
        assert_eq!(walk(&[rest, rest]), Err(("access_indexes", 2)));
        assert_eq!(walk(&[Index::Coordinate(128), slice(0, 4, 1), rest]), Err(("access_bounds", 128)));
        assert_eq!(walk(&[slice(0, 129, 1), slice(0, 4, 1), rest]), Err(("access_bounds", 129)));
        assert_eq!(walk(&[slice(0, 128, 1), slice(4, 0, -1), rest]), Err(("access_bounds", 4)));
        assert_eq!(walk(&[slice(0, 128, 1), slice(2, 2, 1), rest]), Err(("access_bounds", 2)));
        assert_eq!(walk(&[slice(0, 128, 1), slice(0, 4, 0), rest]), Err(("access_bounds", 0)));
    }
}
