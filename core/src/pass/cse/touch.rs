//! What storage an operand touches, and which touches may overlap.
//!
//! A physical pattern touches its location, a symbolic or register pattern its whole set, a register operand its register.
//! Sets count as one group, within which everything overlaps, if one of their locations is an alias of one of the other's,
//! if one is a pointer to the other, or if their addresses overlap: locations that have one, of one memory type, by byte
//! ranges, whatever their partitions or banks. Overlap carries on: if A meets B and B meets C, all three are one group.
#![forbid(unsafe_code)]

use crate::enums::bir::{MemoryAddressSpace, MemoryType, TensorKind};
use crate::fallible::push;
use crate::ir::raw::state::{FixedState, fixed_state};
use crate::ir::{Argument, Function, MemoryLocation, MemoryLocationSet, StorageBase};
use crate::{Error, Result};
use alloc::vec::Vec;
use hashbrown::HashMap;

/// A map by the address of an object: asked, never walked.
pub(super) type ByObject<T> = HashMap<usize, T, FixedState>;

/// The address of an object, as a key.
pub(super) fn key<T>(object: &T) -> usize {
    core::ptr::from_ref(object).addr()
}

/// An empty map by object.
pub(super) fn by_object<T>() -> ByObject<T> {
    HashMap::with_hasher(fixed_state())
}

/// Enters a value with fallible allocation.
pub(super) fn enter<T>(map: &mut ByObject<T>, object: usize, value: T) -> Result<()> {
    map.try_reserve(1).map_err(|_| Error::out_of_memory())?;
    map.insert(object, value);
    Ok(())
}

/// A part of storage. Keys are addresses of objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Touch {
    /// A group of sets that overlap, or a set whose locations overlap.
    Group(usize),
    /// A location of a set.
    Location {
        /// The set.
        set: usize,
        /// The location.
        location: usize,
    },
    /// All locations of a set.
    Whole(usize),
    /// A register.
    Register(usize),
}

/// What an operand touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// No storage: an immediate.
    Nothing,
    /// A part of storage.
    Part {
        /// The part.
        touch: Touch,
        /// Whether only this function's instructions see it: condition 4 of the [pass](super).
        private: bool,
    },
    /// Nobody knows: a pointer, or storage that was taken out of its function.
    Unknown,
}

/// The sets that a function can touch, in groups.
#[derive(Debug)]
pub struct Regions<'m> {
    index: ByObject<usize>,
    sets: Vec<&'m MemoryLocationSet>,
    /// Union-find: the parent of each set, itself at the root.
    parent: Vec<usize>,
    /// For a root: whether everything in the group overlaps.
    coarse: Vec<bool>,
    private: Vec<bool>,
}

/// Addresses of a location: memory type, first byte, byte behind the last, set.
type Range = (i32, u64, u64, usize);

impl<'m> Regions<'m> {
    /// The groups of a function's sets, and of those that they are aliases of.
    ///
    /// # Errors
    /// `UnknownEnum` for a number that is no kind, memory type or address space; `OutOfMemory`.
    pub fn of(function: &'m Function) -> Result<Self> {
        let mut regions = Regions {
            index: by_object(),
            sets: Vec::new(),
            parent: Vec::new(),
            coarse: Vec::new(),
            private: Vec::new(),
        };
        for set in function.sets() {
            regions.add(set)?;
        }
        let mut ranges = Vec::new();
        // Sets that come in as the other end of an alias are appended, and get their turn.
        let mut number = 0;
        while let Some(set) = regions.sets.get(number).copied() {
            for location in set.locations() {
                let pointed = location.pointer_ref_memloc();
                for other in location.aliases().map(|a| a.0).chain(pointed) {
                    if let Some(other) = other.set() {
                        let other = regions.add(other)?;
                        regions.join(number, other);
                    }
                }
                if let Some(range) = range(location, number)? {
                    push(&mut ranges, range)?;
                }
            }
            number += 1;
        }
        ranges.sort_unstable();
        let mut last: Option<Range> = None;
        for range in ranges {
            match &mut last {
                Some((memory, _, end, set)) if *memory == range.0 && range.1 < *end => {
                    *end = range.2.max(*end);
                    regions.join(*set, range.3);
                }
                _ => last = Some(range),
            }
        }
        // A root has the smallest number of its group, so parents are final before their children ask.
        for set in 0..regions.parent.len() {
            let root = regions.root(set);
            if let Some(parent) = regions.parent.get_mut(set) {
                *parent = root;
            }
        }
        Ok(regions)
    }

    /// The number of a set.
    fn add(&mut self, set: &'m MemoryLocationSet) -> Result<usize> {
        if let Some(number) = self.index.get(&key(set)) {
            return Ok(*number);
        }
        let number = self.sets.len();
        let private = is_private(set)?;
        push(&mut self.sets, set)?;
        push(&mut self.parent, number)?;
        push(&mut self.coarse, false)?;
        push(&mut self.private, private)?;
        enter(&mut self.index, key(set), number)?;
        Ok(number)
    }

    fn root(&self, mut set: usize) -> usize {
        while let Some(parent) = self.parent.get(set).copied().filter(|p| *p != set) {
            set = parent;
        }
        set
    }

    /// Joins the groups of two sets; of one set with itself, when its locations overlap.
    fn join(&mut self, a: usize, b: usize) {
        let root = self.root(a).min(self.root(b));
        // Everything on the way to either root leads to the common one from now on.
        for mut at in [a, b] {
            while let Some(parent) = self.parent.get_mut(at).filter(|p| **p != root) {
                at = core::mem::replace(parent, root);
            }
        }
        if let Some(coarse) = self.coarse.get_mut(root) {
            *coarse = true;
        }
    }

    /// What an operand touches.
    pub fn reach(&self, operand: &Argument) -> Reach {
        match operand.storage() {
            None => Reach::Nothing,
            Some(storage) => self.reach_of(storage).unwrap_or(Reach::Unknown),
        }
    }

    fn reach_of(&self, storage: &StorageBase) -> Option<Reach> {
        if let Some(register) = storage.as_register() {
            register.storage().function()?;
            return Some(Reach::Part { touch: Touch::Register(key(register)), private: true });
        }
        let location = storage.as_location();
        let set = location.map_or_else(|| storage.as_set(), MemoryLocation::set)?;
        let number = *self.index.get(&key(set))?;
        if set.kind() == Ok(TensorKind::Pointer) {
            return None;
        }
        let root = self.root(number);
        let touch = match location {
            _ if *self.coarse.get(root)? => Touch::Group(root),
            Some(location) => Touch::Location { set: key(set), location: key(location) },
            None => Touch::Whole(key(set)),
        };
        Some(Reach::Part { touch, private: *self.private.get(number)? })
    }
}

/// Whether only this core's instructions see the set: condition 4 of the [pass](super).
fn is_private(set: &MemoryLocationSet) -> Result<bool> {
    let mut on_chip = set.locations().next().is_some();
    for location in set.locations() {
        on_chip &= matches!(location.memory_type()?, MemoryType::SB | MemoryType::PSUM);
    }
    // The address space means something for DRAM only: a core's own buffers are seen by no other, whatever it says.
    let local = set.addr_space()? == MemoryAddressSpace::Local || on_chip;
    let own = !set.is_volatile() && !set.is_virtual() && local;
    let foreign = |l: &MemoryLocation| {
        let written = l.written_by_another_core() || l.remote_writer_func().is_some();
        written || l.is_shared_post_dram_alloc() || l.remote_local_target().is_some() || l.runtime_reserved()
    };
    Ok(own && set.kind()? != TensorKind::Pointer && !set.locations().any(foreign))
}

/// The addresses of a location, if it has any. One without a size reaches to the end of its memory.
fn range(location: &MemoryLocation, set: usize) -> Result<Option<Range>> {
    let memory = location.memory_type()?;
    let placed = location.is_allocated() || location.user_allocated() || location.addr() != 0;
    if !placed || memory == MemoryType::Unallocated {
        return Ok(None);
    }
    let size = if matches!(memory, MemoryType::SB | MemoryType::PSUM) && location.dims().len() > 1 {
        location.dims().skip(1).fold(1, |size: u64, dim| size.saturating_mul(dim.into()))
    } else {
        location.byte_size()
    };
    let start = location.addr();
    let end = if size == 0 { u64::MAX } else { start.saturating_add(size) };
    Ok(Some((memory.ordinal(), start, end, set)))
}

/// When each part of storage was last written; times rise.
#[derive(Debug)]
pub(super) struct Clock {
    /// By location or register.
    part: ByObject<u64>,
    /// By set: when anything of it was written.
    any: ByObject<u64>,
    /// By set: when it was written as a whole.
    whole: ByObject<u64>,
    /// By number of a group.
    group: ByObject<u64>,
}

impl Clock {
    pub(super) fn new() -> Self {
        Clock { part: by_object(), any: by_object(), whole: by_object(), group: by_object() }
    }

    /// Records a write.
    pub(super) fn write(&mut self, touch: Touch, time: u64) -> Result<()> {
        match touch {
            Touch::Group(group) => enter(&mut self.group, group, time),
            Touch::Register(register) => enter(&mut self.part, register, time),
            Touch::Location { set, location } => {
                enter(&mut self.part, location, time)?;
                enter(&mut self.any, set, time)
            }
            Touch::Whole(set) => {
                enter(&mut self.whole, set, time)?;
                enter(&mut self.any, set, time)
            }
        }
    }

    /// When something that overlaps was last written; 0 if never.
    pub(super) fn last_write(&self, touch: Touch) -> u64 {
        let time = |map: &ByObject<u64>, key| map.get(&key).copied().unwrap_or(0);
        match touch {
            Touch::Group(group) => time(&self.group, group),
            Touch::Register(register) => time(&self.part, register),
            Touch::Location { set, location } => time(&self.part, location).max(time(&self.whole, set)),
            Touch::Whole(set) => time(&self.any, set),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_knows_parts_and_wholes() {
        let mut clock = Clock::new();
        let (a, b) = (Touch::Location { set: 1, location: 10 }, Touch::Location { set: 1, location: 11 });
        let (whole, other) = (Touch::Whole(1), Touch::Location { set: 2, location: 12 });
        clock.write(a, 1).unwrap();
        assert_eq!([a, b, whole, other].map(|t| clock.last_write(t)), [1, 0, 1, 0]);
        clock.write(b, 2).unwrap();
        assert_eq!([a, b, whole, other].map(|t| clock.last_write(t)), [1, 2, 2, 0]);
        clock.write(whole, 3).unwrap();
        assert_eq!([a, b, whole, other].map(|t| clock.last_write(t)), [3, 3, 3, 0]);
        clock.write(Touch::Group(1), 4).unwrap();
        clock.write(Touch::Register(5), 5).unwrap();
        assert_eq!([Touch::Group(1), Touch::Group(0), Touch::Register(5)].map(|t| clock.last_write(t)), [4, 0, 5]);
        assert_eq!([a, whole].map(|t| clock.last_write(t)), [3, 3]);
    }
}
