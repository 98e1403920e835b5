//! Which object of the one module is which of the other.
//!
//! Each list of a matched owner is aligned level by level. Names lead, unless going by structure leaves fewer changes: then
//! they were given anew, as loading does with repeated names. What the lists leave is looked for elsewhere in the
//! function: it moved. See `docs/choices.md`.
#![forbid(unsafe_code)]

use super::align::{Key, align, once};
use super::increasing::longest;
use super::level::{Level, NAMES, PARTS, STRUCTURE};
use super::side::{Known, Side};
use super::tree::{List, NONE, Object};
use super::vote::vote;
use crate::Result;
use crate::fallible::push;
use crate::ir::pair::differences;
use alloc::vec::Vec;

/// The two modules.
pub(super) struct Matching<'m> {
    pub(super) x: Side<'m>,
    pub(super) y: Side<'m>,
}

/// A list of two matched owners.
struct Group {
    x: u32,
    y: u32,
    list: List,
    /// Whether names are to be gone by; unknown at first.
    named: Option<bool>,
    /// Number of steps that were done.
    done: usize,
}

/// What is done to all lists, one after the other; between them, what they leave is looked for elsewhere.
const STEPS: [&[Level]; 3] = [NAMES, STRUCTURE, PARTS];

/// How to know what stands elsewhere in its function, after each step.
const WITHIN: &[Option<Level>] = &[Some(Level::NameAndAll), Some(Level::All), Some(Level::NameAndClass)];
/// How to know what stands in another function, where the same names may say something else.
const ACROSS: &[Option<Level>] = &[Some(Level::NameAndAll), Some(Level::All), None];

/// How often the steps are gone through: what is found elsewhere may own lists itself.
const ROUNDS: usize = 2;

impl<'m> Matching<'m> {
    /// Finds the counterparts of all objects.
    ///
    /// # Errors
    /// `OutOfMemory`.
    pub(super) fn find(&mut self) -> Result<()> {
        self.pair(0, 0);
        self.top()?;
        let pairs = self.top_pairs()?;
        let storage = |o: Object<'_>| matches!(o, Object::Set(_) | Object::Register(_) | Object::Location(_));
        self.digest(Known::Nothing, storage)?;
        self.regions(&pairs, &[List::Allocations, List::Locations])?;
        self.digest(Known::Storage, |o| matches!(o, Object::Block(_) | Object::Instruction(_)))?;
        for side in [&mut self.x, &mut self.y] {
            side.digest_dependencies(0)?;
        }
        self.regions(&pairs, &[List::Blocks, List::Instructions])
    }

    fn digest(&mut self, known: Known, which: impl Fn(Object<'_>) -> bool) -> Result<()> {
        for side in [&mut self.x, &mut self.y] {
            for number in side.tree.children(0) {
                side.digest(number, known, &which)?;
            }
        }
        Ok(())
    }

    /// What lies in matched functions and queues; then what went from one of them to another.
    fn regions(&mut self, pairs: &[(u32, u32)], lists: &[List]) -> Result<()> {
        for (x, y) in pairs {
            self.region(*x, *y, lists, WITHIN)?;
        }
        self.region(0, 0, lists, ACROSS)
    }

    fn pair(&mut self, x: u32, y: u32) {
        self.x.pair_with(x, y);
        self.y.pair_with(y, x);
    }

    /// Functions and queues, which are looked into only where names do not settle it.
    fn top(&mut self) -> Result<()> {
        for list in [List::Functions, List::NkiFunctions, List::Queues] {
            let group = Group { x: 0, y: 0, list, named: Some(true), done: 0 };
            self.ordered(&group, &[Level::NameAndClass])?;
            let free = |side: &Side<'_>| -> Result<Vec<u32>> {
                let mut free = Vec::new();
                side.tree.listed(0, list).filter(|n| side.is_free(*n)).try_for_each(|n| push(&mut free, n))?;
                Ok(free)
            };
            if free(&self.x)?.is_empty() || free(&self.y)?.is_empty() {
                continue;
            }
            self.elsewhere(0, 0, &[list], Level::NameAndClass)?;
            let (left, right) = (free(&self.x)?, free(&self.y)?);
            for x in &left {
                self.x.digest(*x, Known::Nothing, &|_| true)?;
            }
            for y in &right {
                self.y.digest(*y, Known::Nothing, &|_| true)?;
            }
            self.ordered(&group, STRUCTURE)?;
            self.elsewhere(0, 0, &[list], Level::All)?;
            self.ordered(&group, &[Level::WorksOn])?;
            self.vote(&left, &right)?;
        }
        Ok(())
    }

    fn top_pairs(&self) -> Result<Vec<(u32, u32)>> {
        let mut pairs = Vec::new();
        for x in self.x.tree.children(0) {
            let y = self.x.partner(x);
            if y != NONE {
                push(&mut pairs, (x, y))?;
            }
        }
        Ok(pairs)
    }

    /// What lies below two matched owners, in the lists of those kinds.
    fn region(&mut self, x: u32, y: u32, lists: &[List], elsewhere: &[Option<Level>]) -> Result<()> {
        let mut groups = Vec::new();
        self.open(&mut groups, x, y, lists)?;
        for round in 0..ROUNDS {
            for (index, elsewhere) in elsewhere.iter().enumerate() {
                let upto = round.saturating_mul(STEPS.len()).saturating_add(index).saturating_add(1);
                self.advance(&mut groups, lists, upto)?;
                let Some(level) = elsewhere else { continue };
                for (x, y) in self.elsewhere_in(x, y, lists, *level)? {
                    self.open(&mut groups, x, y, lists)?;
                }
            }
            let (left, right) = (self.free_owners(true, x, lists)?, self.free_owners(false, y, lists)?);
            for (x, y) in self.vote(&left, &right)? {
                self.open(&mut groups, x, y, lists)?;
            }
        }
        let all = ROUNDS.saturating_mul(STEPS.len()).saturating_add(1);
        self.advance(&mut groups, lists, all)
    }

    /// Enters the lists of two matched owners.
    fn open(&self, groups: &mut Vec<Group>, x: u32, y: u32, lists: &[List]) -> Result<()> {
        for list in lists {
            let (left, right) = (self.x.tree.listed(x, *list).next(), self.y.tree.listed(y, *list).next());
            if left.is_some() && right.is_some() {
                push(groups, Group { x, y, list: *list, named: None, done: 0 })?;
            }
        }
        Ok(())
    }

    /// Does the steps that groups lack, of `upto`; what is matched on the way opens groups that catch up.
    fn advance(&mut self, groups: &mut Vec<Group>, lists: &[List], upto: usize) -> Result<()> {
        let mut index = 0;
        while let Some(group) = groups.get_mut(index) {
            index = index.saturating_add(1);
            if group.named.is_none() {
                let named = self.goes_by_names(group)?;
                group.named = Some(named);
                if !named {
                    self.distrust(group);
                }
            }
            let mut found = Vec::new();
            while group.done < upto {
                let step = group.done.checked_rem(STEPS.len()).unwrap_or_default();
                group.done = group.done.saturating_add(1);
                // The first step goes by names.
                let levels = STEPS.get(step).filter(|_| step > 0 || group.named == Some(true));
                for pair in self.ordered(group, levels.copied().unwrap_or_default())? {
                    push(&mut found, pair)?;
                }
            }
            for (x, y) in found {
                self.open(groups, x, y, lists)?;
            }
        }
        Ok(())
    }

    fn distrust(&mut self, group: &Group) {
        for side in [(&mut self.x, group.x), (&mut self.y, group.y)] {
            let (side, owner) = side;
            for number in side.tree.children(owner) {
                if side.tree.node(number).is_some_and(|n| n.list == group.list) {
                    side.change_keys(number, |k| k.distrusted = true);
                }
            }
        }
    }

    /// Matches what is left of two lists, in order. Returns the new pairs.
    fn ordered(&mut self, group: &Group, levels: &[Level]) -> Result<Vec<(u32, u32)>> {
        let mut lists = self.lists(group)?;
        let mut new = Vec::new();
        for level in levels {
            for (i, j) in self.at_level(&mut lists, *level)? {
                push(&mut new, (i, j))?;
            }
        }
        for (x, y) in &new {
            self.pair(*x, *y);
        }
        Ok(new)
    }

    /// The two lists of a group, with the pairs in them that do not cross.
    fn lists(&self, group: &Group) -> Result<Lists> {
        let mut lists = Lists { x: Vec::new(), y: Vec::new(), pairs: Vec::new() };
        self.x.tree.listed(group.x, group.list).try_for_each(|n| push(&mut lists.x, n))?;
        self.y.tree.listed(group.y, group.list).try_for_each(|n| push(&mut lists.y, n))?;
        let mut pairs = Vec::new();
        for x in &lists.x {
            let y = self.x.partner(*x);
            if y != NONE && self.y.tree.parent(y) == group.y {
                push(&mut pairs, (*x, y))?;
            }
        }
        // Numbers of siblings ascend with their positions.
        for kept in longest(pairs.iter().map(|p| p.1))? {
            if let Some(pair) = pairs.get(kept) {
                push(&mut lists.pairs, *pair)?;
            }
        }
        Ok(lists)
    }

    /// Aligns the gaps between pairs by one level. Returns the new pairs, which `lists` has too; they are not entered.
    fn at_level(&self, lists: &mut Lists, level: Level) -> Result<Vec<(u32, u32)>> {
        let mut new = Vec::new();
        let mut known = lists.pairs.iter().copied();
        let (mut xs, mut ys) = (lists.x.iter().copied().peekable(), lists.y.iter().copied().peekable());
        let (mut gap_x, mut gap_y) = (Gap::default(), Gap::default());
        loop {
            let next = known.next();
            let (end_x, end_y) = next.unwrap_or((NONE, NONE));
            gap_x.fill(&self.x, &mut xs, end_x, level)?;
            gap_y.fill(&self.y, &mut ys, end_y, level)?;
            for (i, j) in align(&gap_x.keys, &gap_y.keys)? {
                let (Some(x), Some(y)) = (gap_x.numbers.get(i), gap_y.numbers.get(j)) else { continue };
                if level != Level::Near || self.is_near(*x, *y)? {
                    push(&mut new, (*x, *y))?;
                }
            }
            if next.is_none() {
                break;
            }
        }
        for pair in &new {
            push(&mut lists.pairs, *pair)?;
        }
        lists.pairs.sort_unstable();
        Ok(new)
    }

    /// Whether two objects differ in one field only.
    fn is_near(&self, x: u32, y: u32) -> Result<bool> {
        let (Some(a), Some(b)) = (self.x.tree.node(x), self.y.tree.node(y)) else { return Ok(false) };
        let Some(pair) = a.object.with(b.object) else { return Ok(false) };
        let labels = (self.x.labelled(Known::Everything), self.y.labelled(Known::Everything));
        Ok(differences(pair, (&labels.0, &labels.1), 0)?.1 <= 1)
    }

    /// Whether going by names first leaves no more changes than going by structure.
    fn goes_by_names(&self, group: &Group) -> Result<bool> {
        let by_names = self.cost(group, &[NAMES, STRUCTURE, PARTS])?;
        Ok(by_names == 0 || by_names <= self.cost(group, &[STRUCTURE, PARTS])?)
    }

    /// About how many changes the levels leave in two lists.
    fn cost(&self, group: &Group, steps: &[&[Level]]) -> Result<usize> {
        let mut lists = self.lists(group)?;
        for level in steps.iter().flat_map(|s| s.iter()).filter(|l| **l != Level::Near) {
            self.at_level(&mut lists, *level)?;
        }
        let single = |n: usize| n.saturating_sub(lists.pairs.len());
        let mut cost = single(lists.x.len()).saturating_add(single(lists.y.len())).saturating_mul(2);
        for (x, y) in &lists.pairs {
            let (a, b) = (self.x.keys(*x), self.y.keys(*y));
            let class = usize::from(a.class != b.class);
            let name = usize::from(a.name.text != b.name.text && a.name.given != b.name.given);
            let fields = if (a.own, a.works_on) == (b.own, b.works_on) { 0 } else { 2 };
            cost = cost.saturating_add(class).saturating_add(name).saturating_add(fields);
        }
        Ok(cost)
    }

    /// Objects of those lists below two owners that have no counterpart yet.
    fn free_below(&self, first: bool, root: u32, lists: &[List]) -> Result<Vec<u32>> {
        let side = if first { &self.x } else { &self.y };
        let mut free = Vec::new();
        side.tree.walk(root, |n| {
            let listed = side.tree.node(n).is_some_and(|n| lists.contains(&n.list));
            if listed && side.is_free(n) { push(&mut free, n) } else { Ok(()) }
        })?;
        Ok(free)
    }

    fn free_owners(&self, first: bool, root: u32, lists: &[List]) -> Result<Vec<u32>> {
        let side = if first { &self.x } else { &self.y };
        let mut free = self.free_below(first, root, lists)?;
        free.retain(|n| matches!(side.tree.node(*n).map(|n| n.object), Some(Object::Block(_) | Object::Set(_))));
        Ok(free)
    }

    /// Matches what stands elsewhere below two owners and can be told from all others there.
    fn elsewhere_in(&mut self, x: u32, y: u32, lists: &[List], level: Level) -> Result<Vec<(u32, u32)>> {
        let (left, right) = (self.free_below(true, x, lists)?, self.free_below(false, y, lists)?);
        if left.is_empty() || right.is_empty() {
            return Ok(Vec::new());
        }
        let key = |side: &Side<'_>, number: u32| -> Key {
            let keys = side.keys(number);
            let known = match level {
                Level::NameAndAll => true,
                Level::All => keys.telling,
                _ => !keys.name.shared && !keys.distrusted,
            };
            level.key(side, number).filter(|_| known)
        };
        let keys = |side: &Side<'_>, numbers: &[u32]| -> Result<Vec<Key>> {
            let mut all = Vec::new();
            numbers.iter().try_for_each(|n| push(&mut all, key(side, *n)))?;
            Ok(all)
        };
        let mut found = Vec::new();
        for (i, j) in once(&keys(&self.x, &left)?, &keys(&self.y, &right)?)? {
            let (Some(a), Some(b)) = (left.get(i), right.get(j)) else { continue };
            self.pair(*a, *b);
            push(&mut found, (*a, *b))?;
        }
        Ok(found)
    }

    fn elsewhere(&mut self, x: u32, y: u32, lists: &[List], level: Level) -> Result<()> {
        self.elsewhere_in(x, y, lists, level).map(drop)
    }

    /// Matches owners by what they own.
    fn vote(&mut self, left: &[u32], right: &[u32]) -> Result<Vec<(u32, u32)>> {
        let found = vote(&self.x, left, &self.y, right)?;
        for (x, y) in &found {
            self.pair(*x, *y);
        }
        Ok(found)
    }
}

/// Two lists and the pairs in them, ascending.
struct Lists {
    x: Vec<u32>,
    y: Vec<u32>,
    pairs: Vec<(u32, u32)>,
}

/// What stands between two pairs on one side.
#[derive(Default)]
struct Gap {
    numbers: Vec<u32>,
    keys: Vec<Key>,
}

impl Gap {
    /// Takes what has no counterpart up to the object `end`, and that object too.
    fn fill(
        &mut self,
        side: &Side<'_>,
        numbers: &mut core::iter::Peekable<impl Iterator<Item = u32>>,
        end: u32,
        level: Level,
    ) -> Result<()> {
        self.numbers.clear();
        self.keys.clear();
        while let Some(number) = numbers.next_if(|n| *n != end) {
            if side.is_free(number) {
                push(&mut self.numbers, number)?;
                push(&mut self.keys, level.key(side, number))?;
            }
        }
        numbers.next();
        Ok(())
    }
}
