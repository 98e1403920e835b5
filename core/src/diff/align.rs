//! Two sequences of keys aligned: which elements of the one are which of the other, none crossing another.
//!
//! Equal ends are taken first. What is left is solved exactly (Myers' greedy algorithm) as long as few elements are without
//! counterpart; else it is split at keys that occur once on each side (patience), and where there are none, equal keys
//! are paired in the order of their occurrence. So the time is about linear for any input.
#![forbid(unsafe_code)]

use super::increasing::longest;
use crate::fallible::push;
use crate::{Error, Result};
use alloc::vec::Vec;
use core::ops::Range;

/// Elements without counterpart up to which the first attempt is exact.
const FEW: usize = 128;
/// The same for a range that nothing splits.
const MANY: usize = 1024;
/// Product of lengths up to which a range is always solved exactly.
const SMALL: usize = 1 << 14;
/// How often a range is split.
const SPLITS: u8 = 32;

/// The key of an element; `None` is equal to nothing.
pub(super) type Key = Option<u64>;

struct Work {
    a: Range<usize>,
    b: Range<usize>,
    splits: u8,
}

/// Pairs of positions with equal keys, ascending on both sides.
///
/// # Errors
/// `OutOfMemory`.
pub(super) fn align(a: &[Key], b: &[Key]) -> Result<Vec<(usize, usize)>> {
    let mut pairs = Vec::new();
    let mut pending = Vec::new();
    push(&mut pending, Work { a: 0..a.len(), b: 0..b.len(), splits: 0 })?;
    while let Some(work) = pending.pop() {
        let Some(work) = trim(a, b, work, &mut pairs)? else { continue };
        let (left, right) = (slice(a, &work.a), slice(b, &work.b));
        let (from_a, from_b) = (work.a.start, work.b.start);
        let small = left.len().saturating_mul(right.len()) <= SMALL;
        let limit = if small { left.len().saturating_add(right.len()) } else { FEW };
        if small || work.splits == 0 {
            if let Some(found) = exact(left, right, limit)? {
                take(&mut pairs, &found, from_a, from_b)?;
                continue;
            }
        }
        let anchors = if work.splits < SPLITS { unique(left, right)? } else { Vec::new() };
        if anchors.is_empty() {
            let found = match exact(left, right, MANY)? {
                Some(found) => found,
                None => by_occurrence(left, right)?,
            };
            take(&mut pairs, &found, from_a, from_b)?;
            continue;
        }
        take(&mut pairs, &anchors, from_a, from_b)?;
        let splits = work.splits.saturating_add(1);
        let (mut x, mut y) = (work.a.start, work.b.start);
        for (i, j) in anchors {
            let (i, j) = (from_a.saturating_add(i), from_b.saturating_add(j));
            push(&mut pending, Work { a: x..i, b: y..j, splits })?;
            (x, y) = (i.saturating_add(1), j.saturating_add(1));
        }
        push(&mut pending, Work { a: x..work.a.end, b: y..work.b.end, splits })?;
    }
    pairs.sort_unstable();
    Ok(pairs)
}

fn slice<'k>(keys: &'k [Key], range: &Range<usize>) -> &'k [Key] {
    keys.get(range.clone()).unwrap_or_default()
}

fn same(a: &[Key], i: usize, b: &[Key], j: usize) -> bool {
    matches!((a.get(i), b.get(j)), (Some(Some(x)), Some(Some(y))) if x == y)
}

fn take(pairs: &mut Vec<(usize, usize)>, found: &[(usize, usize)], a: usize, b: usize) -> Result<()> {
    found.iter().try_for_each(|(i, j)| push(pairs, (a.saturating_add(*i), b.saturating_add(*j))))
}

/// Pairs equal ends; `None` if nothing is left on one side.
fn trim(a: &[Key], b: &[Key], mut work: Work, pairs: &mut Vec<(usize, usize)>) -> Result<Option<Work>> {
    while !work.a.is_empty() && !work.b.is_empty() && same(a, work.a.start, b, work.b.start) {
        push(pairs, (work.a.start, work.b.start))?;
        (work.a.start, work.b.start) = (work.a.start.saturating_add(1), work.b.start.saturating_add(1));
    }
    while !work.a.is_empty() && !work.b.is_empty() {
        let (i, j) = (work.a.end.saturating_sub(1), work.b.end.saturating_sub(1));
        if !same(a, i, b, j) {
            break;
        }
        push(pairs, (i, j))?;
        (work.a.end, work.b.end) = (i, j);
    }
    Ok(Some(work).filter(|w| !w.a.is_empty() && !w.b.is_empty()))
}

/// The most pairs there can be, if at most `limit` elements are left without one.
fn exact(a: &[Key], b: &[Key], limit: usize) -> Result<Option<Vec<(usize, usize)>>> {
    let signed = |n: usize| isize::try_from(n).map_err(|_| Error::out_of_memory());
    let (n, m) = (signed(a.len())?, signed(b.len())?);
    let limit = signed(limit.min(a.len().saturating_add(b.len())))?;
    // Furthest position in `a` per diagonal, for each number of unpaired elements: `rows[d][(k + d) / 2]`.
    let mut rows: Vec<Vec<isize>> = Vec::new();
    for d in 0..=limit {
        let mut row = Vec::new();
        for k in (-d..=d).step_by(2) {
            let mut x = match rows.last() {
                None => 0,
                Some(before) => step(before, d, k).1,
            };
            let mut y = x.wrapping_sub(k);
            while x < n && y < m && y >= 0 && same(a, x.cast_unsigned(), b, y.cast_unsigned()) {
                (x, y) = (x.wrapping_add(1), y.wrapping_add(1));
            }
            push(&mut row, x)?;
            if x >= n && y >= m {
                return backtrack(&rows, d, k, (x, y)).map(Some);
            }
        }
        push(&mut rows, row)?;
    }
    Ok(None)
}

/// From the row of `d - 1` to diagonal `k`: whether by an element of `b`, and where in `a` that ends.
fn step(before: &[isize], d: isize, k: isize) -> (bool, isize) {
    // Diagonal k - 1 stands at (k - 1 + d - 1) / 2 of that row, k + 1 one further.
    let at = k.wrapping_add(d).wrapping_sub(2) / 2;
    let lower = if k == d.wrapping_neg() { None } else { usize::try_from(at).ok().and_then(|i| before.get(i)) };
    let upper = usize::try_from(at.wrapping_add(1)).ok().filter(|_| k != d).and_then(|i| before.get(i));
    match (lower, upper) {
        (Some(l), Some(u)) if l < u => (true, *u),
        (Some(l), _) => (false, l.wrapping_add(1)),
        (None, Some(u)) => (true, *u),
        (None, None) => (false, 0),
    }
}

fn backtrack(rows: &[Vec<isize>], d: isize, k: isize, end: (isize, isize)) -> Result<Vec<(usize, usize)>> {
    let mut pairs = Vec::new();
    let (mut d, mut k) = (d, k);
    let (mut x, mut y) = end;
    loop {
        let before = usize::try_from(d.wrapping_sub(1)).ok().and_then(|i| rows.get(i));
        let (by_b, start) = match before {
            Some(before) => step(before, d, k),
            None => (false, 0),
        };
        while x > start {
            (x, y) = (x.wrapping_sub(1), y.wrapping_sub(1));
            push(&mut pairs, (x.cast_unsigned(), y.cast_unsigned()))?;
        }
        if before.is_none() {
            break;
        }
        if by_b {
            y = y.wrapping_sub(1);
            k = k.wrapping_add(1);
        } else {
            x = x.wrapping_sub(1);
            k = k.wrapping_sub(1);
        }
        d = d.wrapping_sub(1);
    }
    pairs.reverse();
    Ok(pairs)
}

/// Keys with their positions, in the order of keys.
fn sorted(keys: &[Key]) -> Result<Vec<(u64, usize)>> {
    let mut list = Vec::new();
    for (index, key) in keys.iter().enumerate() {
        if let Some(key) = key {
            push(&mut list, (*key, index))?;
        }
    }
    list.sort_unstable();
    Ok(list)
}

/// Equal keys with their positions on both sides.
fn each_common<'l>(
    a: &'l [(u64, usize)],
    b: &'l [(u64, usize)],
    mut visit: impl FnMut(&'l [(u64, usize)], &'l [(u64, usize)]) -> Result<()>,
) -> Result<()> {
    let mut right = b.chunk_by(|x, y| x.0 == y.0).peekable();
    for left in a.chunk_by(|x, y| x.0 == y.0) {
        let Some((key, _)) = left.first() else { continue };
        while right.next_if(|r| r.first().is_some_and(|r| r.0 < *key)).is_some() {}
        if let Some(found) = right.next_if(|r| r.first().is_some_and(|r| r.0 == *key)) {
            visit(left, found)?;
        }
    }
    Ok(())
}

/// The most pairs of keys that occur once on each side and do not cross.
fn unique(a: &[Key], b: &[Key]) -> Result<Vec<(usize, usize)>> {
    let (left, right) = (sorted(a)?, sorted(b)?);
    let mut pairs = Vec::new();
    each_common(&left, &right, |x, y| match (x, y) {
        ([(_, i)], [(_, j)]) => push(&mut pairs, (*i, *j)),
        _ => Ok(()),
    })?;
    uncrossed(pairs)
}

/// Equal keys by the order of their occurrence, as far as they do not cross.
fn by_occurrence(a: &[Key], b: &[Key]) -> Result<Vec<(usize, usize)>> {
    let (left, right) = (sorted(a)?, sorted(b)?);
    let mut pairs = Vec::new();
    each_common(&left, &right, |x, y| x.iter().zip(y).try_for_each(|(x, y)| push(&mut pairs, (x.1, y.1))))?;
    uncrossed(pairs)
}

fn uncrossed(mut pairs: Vec<(usize, usize)>) -> Result<Vec<(usize, usize)>> {
    pairs.sort_unstable();
    let kept = longest(pairs.iter().map(|p| p.1))?;
    let mut kept = kept.into_iter().peekable();
    let mut index: usize = 0;
    pairs.retain(|_| {
        let keep = kept.next_if_eq(&index).is_some();
        index = index.saturating_add(1);
        keep
    });
    Ok(pairs)
}

/// Elements that occur once on each side, wherever they stand, as pairs of positions in the order of the left side.
///
/// # Errors
/// `OutOfMemory`.
pub(super) fn once(a: &[Key], b: &[Key]) -> Result<Vec<(usize, usize)>> {
    let (left, right) = (sorted(a)?, sorted(b)?);
    let mut pairs = Vec::new();
    each_common(&left, &right, |x, y| match (x, y) {
        ([(_, i)], [(_, j)]) => push(&mut pairs, (*i, *j)),
        _ => Ok(()),
    })?;
    pairs.sort_unstable();
    Ok(pairs)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(text: &str) -> Vec<Key> {
        text.bytes().map(|b| Some(u64::from(b)).filter(|_| b != b'-')).collect()
    }

    /// What is paired, as text; and what is not, per side.
    fn aligned(a: &str, b: &str) -> (String, String, String) {
        let pairs = align(&keys(a), &keys(b)).unwrap();
        assert!(pairs.is_sorted_by(|x, y| x.0 < y.0 && x.1 < y.1), "{pairs:?}");
        assert!(pairs.iter().all(|p| a.as_bytes()[p.0] == b.as_bytes()[p.1]));
        let both = pairs.iter().map(|p| char::from(a.as_bytes()[p.0])).collect();
        let left = (0..a.len()).filter(|i| !pairs.iter().any(|p| p.0 == *i)).map(|i| char::from(a.as_bytes()[i]));
        let right = (0..b.len()).filter(|i| !pairs.iter().any(|p| p.1 == *i)).map(|i| char::from(b.as_bytes()[i]));
        (both, left.collect(), right.collect())
    }
    use alloc::string::String;

    fn texts(a: &str, b: &str, c: &str) -> (String, String, String) {
        (a.into(), b.into(), c.into())
    }

    #[test]
    fn small_sequences_are_aligned_exactly() {
        assert_eq!(aligned("", "abc"), texts("", "", "abc"));
        assert_eq!(aligned("abc", "abc"), texts("abc", "", ""));
        assert_eq!(aligned("abcd", "axcd"), texts("acd", "b", "x"));
        assert_eq!(aligned("ststst", "sststst"), texts("ststst", "", "s"));
        assert_eq!(aligned("abcabba", "cbabac").0.len(), 4);
        assert_eq!(aligned("xaby", "zbaw").0.len(), 1);
        assert_eq!(aligned("a-b", "a-b"), texts("ab", "-", "-"));
    }

    /// The length of the longest common subsequence, by the table that everybody knows.
    fn common(a: &[Key], b: &[Key]) -> usize {
        let mut row = alloc::vec![0; b.len() + 1];
        for x in a {
            let mut diagonal = 0;
            for (j, y) in b.iter().enumerate() {
                let above = row[j + 1];
                row[j + 1] = if x == y { diagonal + 1 } else { above.max(row[j]) };
                diagonal = above;
            }
        }
        row[b.len()]
    }

    #[test]
    fn as_many_pairs_as_there_can_be() {
        let mut state: u64 = 1;
        let mut random = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        for round in 0..200 {
            let letters = 2 + round % 7;
            let a: Vec<Key> = (0..random(40)).map(|_| Some(random(letters))).collect();
            let b: Vec<Key> = (0..random(40)).map(|_| Some(random(letters))).collect();
            let pairs = align(&a, &b).unwrap();
            assert!(pairs.iter().all(|p| a[p.0] == b[p.1]));
            assert_eq!(pairs.len(), common(&a, &b), "{a:?} {b:?}");
        }
    }

    #[test]
    fn long_sequences_take_no_longer_than_they_are_long() {
        // All the same but for a few; all different; periods that are shifted; nothing in common.
        let length = 100_000_u64;
        let ones: Vec<Key> = (0..length).map(|_| Some(1)).collect();
        assert_eq!(align(&ones, &ones[..99_990]).unwrap().len(), 99_990);
        let distinct: Vec<Key> = (0..length).map(Some).collect();
        let mut shuffled = distinct.clone();
        shuffled.rotate_left(10);
        assert_eq!(align(&distinct, &shuffled).unwrap().len(), 99_990);
        let period: Vec<Key> = (0..length).map(|i| Some(i % 5)).collect();
        let mut edited = period.clone();
        edited.insert(10, Some(3));
        edited.insert(99_000, Some(2));
        edited.remove(50_000);
        assert_eq!(align(&period, &edited).unwrap().len(), 99_999);
        let others: Vec<Key> = (length..2 * length).map(Some).collect();
        assert!(align(&distinct, &others).unwrap().is_empty());
        let reversed: Vec<Key> = period.iter().rev().copied().collect();
        assert!(align(&period, &reversed).unwrap().len() >= 20_000);
    }
}
