//! How much of a memory is in use when locations may share bytes.
#![forbid(unsafe_code)]

use crate::Result;
use crate::fallible::push;
use alloc::vec::Vec;

/// A rectangle of partitions and bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Area {
    /// First partition.
    pub base: u64,
    /// Number of partitions.
    pub partitions: u64,
    /// First byte in each of them.
    pub address: u64,
    /// Bytes in each of them.
    pub bytes: u64,
}

impl Area {
    /// The partition behind the last one.
    #[must_use]
    pub const fn end_partition(&self) -> u64 {
        self.base.saturating_add(self.partitions)
    }

    /// The byte behind the last one.
    #[must_use]
    pub const fn end(&self) -> u64 {
        self.address.saturating_add(self.bytes)
    }

    /// Bytes in all partitions.
    #[must_use]
    pub const fn size(&self) -> u64 {
        self.partitions.saturating_mul(self.bytes)
    }

    /// Whether the two share a byte.
    #[must_use]
    pub const fn overlaps(&self, other: &Area) -> bool {
        self.base < other.end_partition()
            && other.base < self.end_partition()
            && self.address < other.end()
            && other.address < self.end()
    }
}

/// Bytes in use of each partition, each byte counted once. What lies beyond the end does not count. The areas are sorted.
pub(super) fn used(areas: &mut [Area], partitions: u64, size: u64) -> Result<Vec<u64>> {
    areas.sort_unstable_by_key(|a| (a.address, a.base, a.bytes, a.partitions));
    let mut used = Vec::new();
    for partition in 0..partitions {
        let (mut sum, mut end) = (0u64, 0u64);
        for area in areas.iter().filter(|a| (a.base..a.end_partition()).contains(&partition)) {
            let (from, to) = (area.address.max(end), area.end().min(size));
            if to > from {
                sum += to - from;
                end = to;
            }
        }
        push(&mut used, sum)?;
    }
    Ok(used)
}

/// The ranges of addresses in use in any partition, merged, in order.
pub(super) fn ranges(areas: impl Iterator<Item = Area>, size: u64) -> Result<Vec<(u64, u64)>> {
    let mut list = Vec::new();
    for area in areas.filter(|a| a.bytes > 0 && a.partitions > 0) {
        push(&mut list, (area.address.min(size), area.end().min(size)))?;
    }
    list.sort_unstable();
    list.dedup_by(|next, kept| {
        let joins = next.0 <= kept.1;
        if joins {
            kept.1 = kept.1.max(next.1);
        }
        joins
    });
    Ok(list)
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn area(base: u64, partitions: u64, address: u64, bytes: u64) -> Area {
        Area { base, partitions, address, bytes }
    }

    #[test]
    fn shared_bytes_count_once() {
        // 0..100 and 50..150 in partitions 0 to 3, 120..130 in 2 to 5, and one that reaches beyond the end of 200.
        let mut areas = [area(0, 4, 50, 100), area(0, 4, 0, 100), area(2, 4, 120, 10), area(7, 9, 190, 100)];
        assert_eq!(used(&mut areas, 8, 200).unwrap(), [150, 150, 150, 150, 10, 10, 0, 10]);
        assert_eq!(ranges(areas.into_iter(), 200).unwrap(), [(0, 150), (190, 200)]);
        assert_eq!(ranges([area(0, 1, 0, 5), area(0, 0, 7, 5), area(0, 1, 5, 1)].into_iter(), 9).unwrap(), [(0, 6)]);
    }

    #[test]
    fn overlap_needs_partitions_and_bytes() {
        let a = area(0, 32, 0, 64);
        assert!(a.overlaps(&area(31, 1, 63, 1)) && a.overlaps(&a));
        assert!(!a.overlaps(&area(32, 1, 0, 64)) && !a.overlaps(&area(0, 32, 64, 1)));
        assert!(!a.overlaps(&area(u64::MAX, u64::MAX, 0, 1)) && a.overlaps(&area(0, u64::MAX, 0, u64::MAX)));
    }
}
