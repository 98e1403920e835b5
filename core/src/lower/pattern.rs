//! Pairs of an access pattern: at most four, the first for the partitions (`spec/lowering.md` section 3.2).

use crate::ir::APPair;
use crate::klr::ast;

/// The largest number of pairs that the lowering emits.
pub(super) const MAX_PAIRS: usize = 4;

/// The pairs of a pattern, outermost first.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pattern {
    pairs: [APPair; MAX_PAIRS],
    len: usize,
}

/// Why pairs are no pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BadPattern {
    /// So many pairs, after merging.
    Pairs(usize),
    /// A pair has so many elements.
    Count(u64),
}

impl Pattern {
    /// Two pairs: every element of `rows` partitions of `elements` each.
    pub fn whole(rows: i64, elements: i64) -> Pattern {
        let none = APPair { step: 0, num: 0 };
        Pattern { pairs: [APPair { step: elements, num: rows }, APPair { step: 1, num: elements }, none, none], len: 2 }
    }

    /// The pairs as they stand; more than four are merged.
    pub fn new(pairs: &[ast::APPair]) -> Result<Pattern, BadPattern> {
        let merges = pairs.len() > MAX_PAIRS;
        let mut pattern = Pattern::default();
        let mut overflow = 0_usize;
        for pair in pairs {
            let num = i64::try_from(pair.num).map_err(|_| BadPattern::Count(pair.num))?;
            let pair = APPair { step: pair.step, num };
            if merges && pattern.merge(pair) {
                continue;
            }
            if !pattern.push(pair) {
                overflow = overflow.saturating_add(1);
            }
        }
        if pattern.len == 0 || overflow > 0 {
            return Err(BadPattern::Pairs(pattern.len.saturating_add(overflow)));
        }
        Ok(pattern)
    }

    pub fn as_slice(&self) -> &[APPair] {
        self.pairs.get(..self.len).unwrap_or_default()
    }

    /// The partition pair.
    pub fn first(&self) -> APPair {
        self.as_slice().first().copied().unwrap_or_default()
    }

    fn push(&mut self, pair: APPair) -> bool {
        let Some(place) = self.pairs.get_mut(self.len) else { return false };
        *place = pair;
        self.len += 1;
        true
    }

    /// Merges a pair into the last one if the two walk evenly and the last one is not that of the partitions.
    fn merge(&mut self, inner: APPair) -> bool {
        if self.len < 2 {
            return false;
        }
        let Some(outer) = self.pairs.get_mut(self.len - 1) else { return false };
        match (inner.step.checked_mul(inner.num), outer.num.checked_mul(inner.num)) {
            (Some(step), Some(num)) if step == outer.step => {
                *outer = APPair { step: inner.step, num };
                true
            }
            _ => false,
        }
    }

    /// The same elements in the same order with the fewest pairs: neighbours that walk evenly are merged, and pairs of one
    /// element left out, never across the partition pair. At least two pairs stay.
    pub fn canonical(&self) -> Pattern {
        let mut pattern = Pattern::default();
        for (index, pair) in self.as_slice().iter().enumerate() {
            if index > 0 && pair.num == 1 || pattern.merge(*pair) {
                continue;
            }
            pattern.push(*pair);
        }
        if pattern.len < 2 && self.len > 1 {
            pattern.push(APPair { step: 1, num: 1 });
        }
        pattern
    }

    /// Whether the other one has the same number of elements in each dimension.
    pub fn same_shape(&self, other: &Pattern) -> bool {
        let extents = |pattern: &'_ Pattern| pattern.pairs.map(|pair| pair.num);
        self.len == other.len && extents(self) == extents(other)
    }

    /// Number of elements behind the partition pair; `None` if it does not fit 64 bits.
    pub fn elements_per_partition(&self) -> Option<i64> {
        self.as_slice().iter().skip(1).try_fold(1_i64, |product, pair| product.checked_mul(pair.num))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    fn klr(pairs: &[(i64, u64)]) -> Vec<ast::APPair> {
        pairs.iter().map(|(step, num)| ast::APPair { step: *step, num: *num, offset: 7 }).collect()
    }

    fn new(pairs: &[(i64, u64)]) -> Result<Vec<(i64, i64)>, BadPattern> {
        Pattern::new(&klr(pairs)).map(plain)
    }

    fn plain(pattern: Pattern) -> Vec<(i64, i64)> {
        pattern.as_slice().iter().map(|p| (p.step, p.num)).collect()
    }

    #[test]
    fn up_to_four_pairs_stay_as_they_are() {
        assert_eq!(new(&[(512, 128), (1, 512)]).unwrap(), [(512, 128), (1, 512)]);
        assert_eq!(new(&[(512, 128), (256, 2), (16, 16), (1, 16)]).unwrap().len(), 4);
        assert_eq!(new(&[(-4, 1)]).unwrap(), [(-4, 1)]);
        assert_eq!(new(&[]), Err(BadPattern::Pairs(0)));
        assert_eq!(new(&[(1, u64::MAX)]), Err(BadPattern::Count(u64::MAX)));
    }

    #[test]
    fn five_pairs_are_merged_but_never_across_the_partitions() {
        // 256 = 16 x 16 and 16 = 1 x 16: three of them become one of 2 x 16 x 16; 512 = 512 x 1 x 128 is not looked at.
        let merged = new(&[(512, 128), (512, 1), (256, 2), (16, 16), (1, 16)]).unwrap();
        assert_eq!(merged, [(512, 128), (1, 512)]);
        assert_eq!(new(&[(512, 128), (0, 3), (64, 4), (4, 8), (1, 2)]), Err(BadPattern::Pairs(5)));
        // Only 64 = 8 x 8 merges.
        let merged = new(&[(512, 128), (0, 3), (64, 4), (8, 8), (1, 2)]).unwrap();
        assert_eq!(merged, [(512, 128), (0, 3), (8, 32), (1, 2)]);
        // Products beyond 64 bits merge nothing.
        let far = [(1, 2), (0, 2), (i64::MAX, 2), (i64::MAX, i64::MAX as u64), (3, 3)];
        assert_eq!(new(&far), Err(BadPattern::Pairs(5)));
    }

    #[test]
    fn the_canonical_form_merges_and_drops_single_elements() {
        let canonical = |pairs: &[(i64, u64)]| plain(Pattern::new(&klr(pairs)).unwrap().canonical());
        assert_eq!(canonical(&[(512, 128), (256, 2), (1, 256)]), [(512, 128), (1, 512)]);
        assert_eq!(canonical(&[(512, 128), (77, 1), (2, 256)]), [(512, 128), (2, 256)]);
        assert_eq!(canonical(&[(512, 1), (77, 1)]), [(512, 1), (1, 1)]);
        assert_eq!(canonical(&[(512, 128), (0, 4), (1, 8)]), [(512, 128), (0, 4), (1, 8)]);
    }

    #[test]
    fn shapes_and_sizes() {
        let of = |pairs: &[(i64, u64)]| Pattern::new(&klr(pairs)).unwrap();
        assert!(of(&[(9, 2), (1, 3)]).same_shape(&of(&[(5, 2), (7, 3)])));
        assert!(!of(&[(9, 2), (1, 3)]).same_shape(&of(&[(9, 2), (1, 3), (1, 1)])));
        assert_eq!(of(&[(9, 2), (4, 3), (1, 4)]).elements_per_partition(), Some(12));
        assert_eq!(of(&[(1, 2), (1, 1 << 62), (1, 2)]).elements_per_partition(), None);
        assert_eq!(plain(Pattern::whole(128, 64)), [(64, 128), (1, 64)]);
    }
}
