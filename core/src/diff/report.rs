//! From matched objects to changes, in program order of the right side.
#![forbid(unsafe_code)]

use super::change::{Change, Changes, Kind, Subject, What};
use super::increasing::longest;
use super::side::{Known, Side};
use super::tree::{List, NONE, Object};
use crate::Result;
use crate::fallible::{copy, push};
use crate::ir::pair::differences;
use alloc::string::String;
use alloc::vec::Vec;

/// The order of the lists of an owner.
const LISTS: [List; 7] = [
    List::Functions,
    List::NkiFunctions,
    List::Queues,
    List::Allocations,
    List::Locations,
    List::Blocks,
    List::Instructions,
];

/// What is still to be told, the next at the end.
enum Item {
    /// An object of the right side; whether it left its order.
    Right(u32, bool),
    /// An object that only the left side has.
    Left(u32),
}

/// Tells the changes.
pub(super) struct Reporter<'s, 'm> {
    a: &'s Side<'m>,
    b: &'s Side<'m>,
    /// Whether counterparts were looked for from the right side to the left.
    swapped: bool,
    limit: usize,
    changes: Changes,
}

impl<'s, 'm> Reporter<'s, 'm> {
    pub(super) fn new(a: &'s Side<'m>, b: &'s Side<'m>, swapped: bool, limit: usize) -> Self {
        Reporter { a, b, swapped, limit, changes: Changes::default() }
    }

    /// All changes.
    ///
    /// # Errors
    /// `OutOfMemory`.
    pub(super) fn run(mut self) -> Result<Changes> {
        let mut pending = Vec::new();
        push(&mut pending, Item::Right(0, false))?;
        while let Some(item) = pending.pop() {
            match item {
                Item::Left(a) => self.removed(a)?,
                Item::Right(b, left_order) => {
                    match self.b.partner(b) {
                        NONE => self.added(b)?,
                        a => self.both(a, b, left_order)?,
                    }
                    let from = pending.len();
                    self.children(b, &mut pending)?;
                    if let Some(new) = pending.get_mut(from..) {
                        new.reverse();
                    }
                }
            }
        }
        Ok(self.changes)
    }

    /// What to tell of the lists of an object of the right side.
    fn children(&self, b: u32, items: &mut Vec<Item>) -> Result<()> {
        let a = self.b.partner(b);
        if a == NONE {
            // What has a counterpart came from elsewhere.
            return self.b.tree.children(b).try_for_each(|c| push(items, Item::Right(c, !self.b.is_free(c))));
        }
        for list in LISTS {
            let kept = self.kept(a, b, list)?;
            let mut kept = kept.iter().peekable();
            let mut left = self.a.tree.listed(a, list).peekable();
            // What is gone from between two that stayed comes before what is new there.
            let mut gone = |until: Option<u32>, items: &mut Vec<Item>| -> Result<()> {
                while let Some(other) = left.next_if(|c| Some(*c) != until) {
                    if self.a.is_free(other) {
                        push(items, Item::Left(other))?;
                    }
                }
                left.next();
                Ok(())
            };
            gone(kept.peek().map(|k| k.0), items)?;
            for child in self.b.tree.listed(b, list) {
                let in_order = kept.next_if(|k| k.1 == child).is_some();
                push(items, Item::Right(child, !in_order && !self.b.is_free(child)))?;
                if in_order {
                    gone(kept.peek().map(|k| k.0), items)?;
                }
            }
        }
        Ok(())
    }

    /// As many pairs of two lists as are in order on both sides, ascending.
    fn kept(&self, a: u32, b: u32, list: List) -> Result<Vec<(u32, u32)>> {
        let mut pairs = Vec::new();
        for child in self.b.tree.listed(b, list) {
            let partner = self.b.partner(child);
            if partner != NONE && self.a.tree.parent(partner) == a {
                // Which of several orders is kept must not depend on which side is which.
                push(&mut pairs, if self.swapped { (child, partner) } else { (partner, child) })?;
            }
        }
        pairs.sort_unstable();
        let mut kept = Vec::new();
        for index in longest(pairs.iter().map(|p| p.1))? {
            if let Some((x, y)) = pairs.get(index) {
                push(&mut kept, if self.swapped { (*y, *x) } else { (*x, *y) })?;
            }
        }
        Ok(kept)
    }

    fn is_full(&self) -> bool {
        self.changes.changes.len() >= self.limit
    }

    fn tell(&mut self, change: impl FnOnce(&Self) -> Result<Change>) -> Result<()> {
        if self.is_full() {
            self.changes.dropped = self.changes.dropped.saturating_add(1);
            return Ok(());
        }
        let change = change(self)?;
        push(&mut self.changes.changes, change)
    }

    fn kind(&self, b: u32) -> Kind {
        self.b.tree.node(b).map_or(Kind::Module, |n| n.object.kind())
    }

    fn removed(&mut self, a: u32) -> Result<()> {
        let kind = self.a.tree.node(a).map_or(Kind::Module, |n| n.object.kind());
        self.changes.counted(kind, What::Removed);
        self.tell(|s| {
            let left = Some(subject(s.a, a)?);
            let (field, old, new) = Default::default();
            Ok(Change { what: What::Removed, kind, left, right: None, field, old, new })
        })
    }

    fn added(&mut self, b: u32) -> Result<()> {
        if self.b.is_free(self.b.tree.parent(b)) {
            // It came with its owner.
            return Ok(());
        }
        let kind = self.kind(b);
        self.changes.counted(kind, What::Added);
        self.tell(|s| {
            let right = Some(subject(s.b, b)?);
            let (field, old, new) = Default::default();
            Ok(Change { what: What::Added, kind, left: None, right, field, old, new })
        })
    }

    fn both(&mut self, a: u32, b: u32, left_order: bool) -> Result<()> {
        let kind = self.kind(b);
        if left_order {
            self.changes.counted(kind, What::Moved);
            self.tell(|s| {
                let (old, new) = (s.a.tree.place(a)?, s.b.tree.place(b)?);
                s.change(What::Moved, a, b, copy("position")?, old, new)
            })?;
        }
        let (name_a, name_b) = (self.a.keys(a).name, self.b.keys(b).name);
        if name_a.text != name_b.text && name_a.given != name_b.given {
            self.changes.counted(kind, What::Renamed);
            self.tell(|s| {
                let name = |side: &Side<'_>, n| side.tree.node(n).map_or(Ok(String::new()), |n| copy(&n.object.name()));
                let (old, new) = (name(s.a, a)?, name(s.b, b)?);
                s.change(What::Renamed, a, b, copy("name")?, old, new)
            })?;
        }
        self.fields(kind, a, b)
    }

    fn fields(&mut self, kind: Kind, a: u32, b: u32) -> Result<()> {
        let (Some(x), Some(y)) = (self.a.tree.node(a), self.b.tree.node(b)) else { return Ok(()) };
        let Some(pair) = x.object.with(y.object) else { return Ok(()) };
        let labels = (self.a.labelled(Known::Everything), self.b.labelled(Known::Everything));
        let room = self.limit.saturating_sub(self.changes.changes.len());
        let (found, count) = differences(pair, (&labels.0, &labels.1), room)?;
        if count > 0 {
            self.changes.counted(kind, What::Changed);
        }
        self.changes.dropped = self.changes.dropped.saturating_add(count.saturating_sub(found.len()));
        for difference in found {
            let change = self.change(What::Changed, a, b, difference.path, difference.left, difference.right)?;
            push(&mut self.changes.changes, change)?;
        }
        Ok(())
    }

    fn change(&self, what: What, a: u32, b: u32, field: String, old: String, new: String) -> Result<Change> {
        let (left, right) = (Some(subject(self.a, a)?), Some(subject(self.b, b)?));
        Ok(Change { what, kind: self.kind(b), left, right, field, old, new })
    }
}

fn subject(side: &Side<'_>, number: u32) -> Result<Subject> {
    let Some(node) = side.tree.node(number) else { return Ok(Subject::default()) };
    let opcode = match node.object {
        Object::Instruction(i) => crate::fallible::format(i.opcode().map_or("?", |o| o.name()))?,
        _ => String::new(),
    };
    let mut instructions: usize = 0;
    if side.is_free(number) {
        side.tree.walk(number, |n| {
            let counts = matches!(side.tree.node(n).map(|n| n.object), Some(Object::Instruction(_)));
            if n != number && counts && side.is_free(n) {
                instructions = instructions.saturating_add(1);
            }
            Ok(())
        })?;
    }
    let (name, path) = (copy(&node.object.name())?, side.tree.path(number)?);
    Ok(Subject { name, path, id: node.object.id(), opcode, instructions })
}
