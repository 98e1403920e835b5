//! One side of a comparison: its objects, what is known of each to find its counterpart by, and the counterpart.
#![forbid(unsafe_code)]

use super::names::{Given, Name};
use super::tree::{NONE, Object, Tree};
use crate::fallible::push;
use crate::ir::pair::{Labels, digests};
use crate::ir::raw::state::{FixedState, fixed_state};
use crate::ir::{EdgeSet, ModuleRef, OperandList};
use crate::{Error, Result};
use alloc::vec::Vec;
use hashbrown::HashSet;

/// What is known of an object.
#[derive(Clone, Copy, Default)]
pub(super) struct Keys {
    pub(super) name: Name,
    /// Kind and opcode.
    pub(super) class: u64,
    /// Header and payload.
    pub(super) own: u64,
    /// What it works on: operands of an instruction, content of what holds other objects.
    pub(super) works_on: u64,
    /// All of it, with its dependencies; of a loop with its body.
    pub(super) full: u64,
    /// Whether it works on anything, so that equal digests say something.
    pub(super) telling: bool,
    /// Whether names were found to say nothing in its list.
    pub(super) distrusted: bool,
}

/// The number of a digest made from parts.
pub(super) fn mix(parts: impl core::hash::Hash) -> u64 {
    core::hash::BuildHasher::hash_one(&fixed_state(), parts)
}

/// A side of a comparison.
pub(super) struct Side<'m> {
    pub(super) tree: Tree<'m>,
    keys: Vec<Keys>,
    partner: Vec<u32>,
    /// What the labels of objects without counterpart start from.
    base: u32,
    second: bool,
}

/// Which objects have labels already.
#[derive(Clone, Copy)]
pub(super) enum Known {
    /// None.
    Nothing,
    /// Sets, registers and locations.
    Storage,
    /// All.
    Everything,
}

/// A side as the comparison of pairs asks it.
pub(super) struct Labelled<'s, 'm> {
    side: &'s Side<'m>,
    known: Known,
}

impl Labels for Labelled<'_, '_> {
    fn label(&self, address: usize) -> Option<u32> {
        let number = self.side.tree.find(address)?;
        let is_known = match (self.known, self.side.tree.node(number)?.object) {
            (Known::Everything, _) => true,
            (Known::Storage, Object::Set(_) | Object::Register(_) | Object::Location(_)) => true,
            (Known::Storage | Known::Nothing, _) => false,
        };
        is_known.then(|| self.side.label(number))
    }
}

impl<'m> Side<'m> {
    pub(super) fn of(module: &'m ModuleRef) -> Result<Self> {
        let tree = Tree::of(module)?;
        let count = tree.len() as usize;
        let (mut keys, mut partner) = (Vec::new(), Vec::new());
        keys.try_reserve_exact(count).map_err(|_| Error::out_of_memory())?;
        keys.resize(count, Keys::default());
        partner.try_reserve_exact(count).map_err(|_| Error::out_of_memory())?;
        partner.resize(count, NONE);
        let mut side = Side { tree, keys, partner, base: 0, second: false };
        side.name_all()?;
        Ok(side)
    }

    /// Makes it the second side, behind one of that many objects.
    pub(super) fn follow(&mut self, first: u32) {
        (self.second, self.base) = (true, first);
    }

    pub(super) fn labelled(&self, known: Known) -> Labelled<'_, 'm> {
        Labelled { side: self, known }
    }

    /// The label of a pair is the number of its first object.
    fn label(&self, number: u32) -> u32 {
        match self.partner(number) {
            partner if self.second && partner != NONE => partner,
            _ => self.base.wrapping_add(number),
        }
    }

    pub(super) fn partner(&self, number: u32) -> u32 {
        self.partner.get(number as usize).copied().unwrap_or(NONE)
    }

    pub(super) fn pair_with(&mut self, number: u32, partner: u32) {
        if let Some(slot) = self.partner.get_mut(number as usize) {
            *slot = partner;
        }
    }

    pub(super) fn is_free(&self, number: u32) -> bool {
        self.partner(number) == NONE
    }

    pub(super) fn keys(&self, number: u32) -> Keys {
        self.keys.get(number as usize).copied().unwrap_or_default()
    }

    pub(super) fn change_keys(&mut self, number: u32, change: impl FnOnce(&mut Keys)) {
        if let Some(keys) = self.keys.get_mut(number as usize) {
            change(keys);
        }
    }

    /// Names and classes of all objects.
    fn name_all(&mut self) -> Result<()> {
        for owner in 0..self.tree.len() {
            let mut children = self.tree.children(owner);
            while let Some(list) = self.tree.node(children.start).filter(|_| !children.is_empty()).map(|n| n.list) {
                let mut given = Given::new();
                let mut sources: HashSet<u64, FixedState> = HashSet::with_hasher(fixed_state());
                let from = children.start;
                while let Some(node) = self.tree.node(children.start).filter(|n| n.list == list) {
                    if children.next().is_none() {
                        break;
                    }
                    let number = children.start.wrapping_sub(1);
                    let name = given.take(node.object.name().as_str())?;
                    if name.shared {
                        sources.try_reserve(1).map_err(|_| Error::out_of_memory())?;
                        sources.insert(name.given);
                    }
                    let opcode = if let Object::Instruction(i) = node.object { i.opcode.get() } else { -1 };
                    let class = mix((node.object.kind(), opcode));
                    self.change_keys(number, |k| (k.name, k.class) = (name, class));
                }
                for number in from..children.start {
                    self.change_keys(number, |k| k.name.shared |= sources.contains(&k.name.text));
                }
            }
        }
        Ok(())
    }

    /// Digests of the objects of a subtree, of those that `which` takes. Owners get the content of what they own, so a
    /// whole subtree should be taken.
    ///
    /// # Errors
    /// `OutOfMemory`.
    pub(super) fn digest(&mut self, root: u32, known: Known, which: &impl Fn(Object<'_>) -> bool) -> Result<()> {
        let mut numbers = Vec::new();
        self.tree.walk(root, |n| push(&mut numbers, n))?;
        for number in &numbers {
            self.digest_own(*number, known, which)?;
        }
        // Owners after what they own.
        for number in numbers.iter().rev() {
            self.digest_content(*number, which)?;
        }
        Ok(())
    }

    /// Adds dependencies to the digests of a subtree, when those of all that may depend on each other are made.
    ///
    /// # Errors
    /// `OutOfMemory`.
    pub(super) fn digest_dependencies(&mut self, root: u32) -> Result<()> {
        let mut numbers = Vec::new();
        self.tree.walk(root, |n| push(&mut numbers, n))?;
        numbers.into_iter().for_each(|n| self.digest_whole(n));
        Ok(())
    }

    fn digest_own(&mut self, number: u32, known: Known, which: &impl Fn(Object<'_>) -> bool) -> Result<()> {
        let Some(object) = self.tree.node(number).map(|n| n.object).filter(|o| which(*o)) else { return Ok(()) };
        let Some(pair) = object.with(object) else { return Ok(()) };
        let found = digests(pair, &self.labelled(known))?;
        let operands = |i: &crate::ir::Instruction| OperandList::ALL.iter().any(|l| i.operands(*l).next().is_some());
        let telling = matches!(object, Object::Instruction(i) if operands(i));
        self.change_keys(number, |k| (k.own, k.works_on, k.telling) = (found.own, found.operands, telling));
        Ok(())
    }

    /// What an owner holds, without names; it counts for all but instructions, whose bodies only tell apart equal ones.
    fn digest_content(&mut self, number: u32, which: &impl Fn(Object<'_>) -> bool) -> Result<()> {
        let Some(object) = self.tree.node(number).map(|n| n.object).filter(|o| which(*o)) else { return Ok(()) };
        let children = self.tree.children(number);
        let mut content: u64 = 0;
        for child in children.clone() {
            content = mix((content, self.keys(child).full));
        }
        self.change_keys(number, |k| {
            if !children.is_empty() {
                k.telling = true;
            }
            if !matches!(object, Object::Instruction(_)) && !children.is_empty() {
                k.works_on = content;
            }
            k.full = mix((k.class, k.own, k.works_on, content));
        });
        Ok(())
    }

    /// Adds to an instruction's digest what the instructions are that it depends on and that depend on it.
    fn digest_whole(&mut self, number: u32) {
        let Some(Object::Instruction(i)) = self.tree.node(number).map(|n| n.object) else { return };
        let mut edges: u64 = 0;
        for set in [EdgeSet::Normal, EdgeSet::LoopCarried] {
            let both = i.dependencies(set).map(|e| (0, e)).chain(i.descendents(set).map(|e| (1, e)));
            for (direction, edge) in both {
                let target = self.tree.find(core::ptr::from_ref(edge.target).addr()).map(|t| self.keys(t));
                let target = target.map(|k| (k.class, k.own, k.works_on));
                edges = edges.wrapping_add(mix((direction, set as u8, edge.kind as i32, target)));
            }
        }
        self.change_keys(number, |k| k.full = mix((k.full, edges)));
    }

    /// What two objects have in common whose fields and content are equal, dependencies and names apart.
    pub(super) fn alike(&self, number: u32) -> u64 {
        let keys = self.keys(number);
        mix((keys.class, keys.own, keys.works_on))
    }
}
