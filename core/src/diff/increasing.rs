//! The longest increasing subsequence: of elements that are in order, as many as possible stay; the others moved.
#![forbid(unsafe_code)]

use crate::Result;
use crate::fallible::push;
use alloc::vec::Vec;

/// Positions of a longest strictly increasing subsequence, ascending.
///
/// # Errors
/// `OutOfMemory`.
pub(super) fn longest<T: Ord + Copy>(values: impl Iterator<Item = T>) -> Result<Vec<usize>> {
    // Per length, the position and value of the smallest last element; per element, the one before it.
    let mut ends: Vec<(usize, T)> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::new();
    for (index, value) in values.enumerate() {
        let length = ends.partition_point(|e| e.1 < value);
        push(&mut before, length.checked_sub(1).and_then(|l| ends.get(l)).map(|e| e.0))?;
        match ends.get_mut(length) {
            Some(end) => *end = (index, value),
            None => push(&mut ends, (index, value))?,
        }
    }
    let mut found = Vec::new();
    let mut at = ends.last().map(|e| e.0);
    while let Some(index) = at {
        push(&mut found, index)?;
        at = before.get(index).copied().flatten();
    }
    found.reverse();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_as_possible() {
        let longest = |values: &[i32]| longest(values.iter().copied()).unwrap();
        assert!(longest(&[]).is_empty());
        assert_eq!(longest(&[1, 2, 3]), [0, 1, 2]);
        assert_eq!(longest(&[3, 1, 2]), [1, 2]);
        assert_eq!(longest(&[1, 2, 9, 3, 4]), [0, 1, 3, 4]);
        assert_eq!(longest(&[2, 2, 2]).len(), 1);
    }
}
