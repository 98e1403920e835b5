//! Collects edges: those between the same two nodes for the same reason become one with a count, in bounded memory.
#![forbid(unsafe_code)]

use super::model::{Link, Relation};
use crate::Result;
use crate::fallible::push;
use alloc::vec::Vec;

/// Edges are merged once there are this many more than after the last merge.
const SLACK: usize = 1 << 18;

#[derive(Default)]
pub(super) struct Links {
    list: Vec<Link>,
    merged: usize,
}

impl Links {
    pub(super) fn add(&mut self, from: u32, to: u32, relation: Relation) -> Result<()> {
        push(&mut self.list, Link { to, from, relation, count: 1 })?;
        // Twice the rest, so that merging stays cheap however many remain.
        if self.list.len() > 2 * self.merged + SLACK {
            self.merge();
        }
        Ok(())
    }

    fn merge(&mut self) {
        self.list.sort_unstable();
        self.list.dedup_by(|next, kept| {
            let same = (next.to, next.from, next.relation) == (kept.to, kept.from, kept.relation);
            if same {
                kept.count = kept.count.saturating_add(next.count);
            }
            same
        });
        self.merged = self.list.len();
    }

    /// Whether there is such an edge; only what was merged counts.
    pub(super) fn has(&self, from: u32, to: u32, relation: Relation) -> bool {
        let merged = self.list.get(..self.merged).unwrap_or_default();
        merged.binary_search_by(|l| (l.to, l.from, l.relation).cmp(&(to, from, relation))).is_ok()
    }

    /// Merges what was added so far, for [`has`](Self::has).
    pub(super) fn settle(&mut self) {
        self.merge();
    }

    pub(super) fn finish(mut self) -> Vec<Link> {
        self.merge();
        self.list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_edges_are_counted() {
        let mut links = Links::default();
        for i in 0..(SLACK as u32 + 10) {
            links.add(i % 2, 7, Relation::Trigger).unwrap();
        }
        assert!(links.list.len() < 20);
        links.add(0, 6, Relation::Branch("target")).unwrap();
        links.settle();
        assert!(links.has(0, 7, Relation::Trigger) && !links.has(2, 7, Relation::Trigger));
        let list = links.finish();
        let counts: Vec<_> = list.iter().map(|l| (l.from, l.to, l.count)).collect();
        let half = SLACK as u64 / 2 + 5;
        assert_eq!(counts, [(0, 6, 1), (0, 7, half), (1, 7, half)]);
    }
}
