//! Owners without counterpart, matched by what they own: each object that only one owner of each side has is a vote.
#![forbid(unsafe_code)]

use super::side::Side;
use super::tree::Object;
use crate::Result;
use crate::fallible::push;
use alloc::vec::Vec;

/// An object's digest and the owner that it lies in; no owner if it lies in several.
type Ballot = (u64, Option<u32>);

/// Pairs of owners that share at least half of what the larger one owns; the ones with the most in common first.
///
/// # Errors
/// `OutOfMemory`.
pub(super) fn vote(x: &Side<'_>, left: &[u32], y: &Side<'_>, right: &[u32]) -> Result<Vec<(u32, u32)>> {
    if left.is_empty() || right.is_empty() {
        return Ok(Vec::new());
    }
    let (ballots_x, sizes_x) = ballots(x, left)?;
    let (ballots_y, sizes_y) = ballots(y, right)?;
    let mut votes: Vec<(u32, u32)> = Vec::new();
    let mut others = ballots_y.iter().peekable();
    for (key, owner) in &ballots_x {
        while others.next_if(|o| o.0 < *key).is_some() {}
        if let (Some(x), Some((_, Some(y)))) = (owner, others.next_if(|o| o.0 == *key)) {
            push(&mut votes, (*x, *y))?;
        }
    }
    votes.sort_unstable();
    let mut ranking = Vec::new();
    for same in votes.chunk_by(|a, b| a == b) {
        let Some((x, y)) = same.first() else { continue };
        push(&mut ranking, (core::cmp::Reverse(same.len()), *x, *y))?;
    }
    ranking.sort_unstable();
    let mut found: Vec<(u32, u32)> = Vec::new();
    let (mut taken_x, mut taken_y) = (Taken::of(left)?, Taken::of(right)?);
    for (count, a, b) in ranking {
        let size = sizes_x.size(a).max(sizes_y.size(b));
        let alike = x.keys(a).class == y.keys(b).class && count.0.saturating_mul(2) >= size;
        if alike && x.is_free(a) && y.is_free(b) && taken_x.is_free(a) && taken_y.is_free(b) {
            taken_x.take(a);
            taken_y.take(b);
            push(&mut found, (a, b))?;
        }
    }
    found.sort_unstable();
    Ok(found)
}

/// Owners by number, with a mark.
struct Taken(Vec<(u32, bool)>);

impl Taken {
    fn of(numbers: &[u32]) -> Result<Self> {
        let mut list = Vec::new();
        numbers.iter().try_for_each(|n| push(&mut list, (*n, false)))?;
        list.sort_unstable();
        Ok(Taken(list))
    }

    fn is_free(&self, number: u32) -> bool {
        self.0.binary_search(&(number, false)).is_ok()
    }

    fn take(&mut self, number: u32) {
        if let Ok(at) = self.0.binary_search(&(number, false))
            && let Some(entry) = self.0.get_mut(at)
        {
            entry.1 = true;
        }
    }
}

/// Number of different objects in each owner.
struct Sizes(Vec<(u32, usize)>);

impl Sizes {
    fn size(&self, owner: u32) -> usize {
        let at = self.0.binary_search_by_key(&owner, |s| s.0);
        at.ok().and_then(|i| self.0.get(i)).map_or(0, |s| s.1)
    }
}

fn ballots(side: &Side<'_>, owners: &[u32]) -> Result<(Vec<Ballot>, Sizes)> {
    let mut all: Vec<(u64, u32)> = Vec::new();
    let mut sizes = Vec::new();
    for owner in owners.iter().filter(|o| side.is_free(**o)) {
        let before = all.len();
        side.tree.walk(*owner, |n| match side.tree.node(n).map(|n| n.object) {
            Some(Object::Instruction(_) | Object::Location(_) | Object::Register(_)) => {
                push(&mut all, (side.alike(n), *owner))
            }
            _ => Ok(()),
        })?;
        let own = all.get_mut(before..).unwrap_or_default();
        own.sort_unstable();
        push(&mut sizes, (*owner, own.chunk_by(|a, b| a == b).count()))?;
    }
    all.sort_unstable();
    all.dedup();
    sizes.sort_unstable();
    let mut ballots = Vec::new();
    for same in all.chunk_by(|a, b| a.0 == b.0) {
        match same {
            [(key, owner)] => push(&mut ballots, (*key, Some(*owner)))?,
            [(key, _), ..] => push(&mut ballots, (*key, None))?,
            [] => {}
        }
    }
    Ok((ballots, Sizes(sizes)))
}
