//! References by name: the names of a target and its owners, outward to the compared object or the function.
//!
//! Two references are equal when their chains are. A target inside the compared object is named relative to it, and one in
//! the function around it by the names below that function, so that clones elsewhere compare equal.

use crate::ir::raw::{
    BasicBlock, BasicBlockHolder, DMAQueue, Function, Instruction, LoopAxis, MemoryLocation, Storage, StorageBase,
    cast, owner::same,
};
use crate::mem::Str;
use alloc::string::String;

/// What references of one side are relative to.
#[derive(Clone, Copy, Default)]
pub(super) struct Scope<'x> {
    /// Address of the compared object; 0 if that is a module.
    pub(super) root: usize,
    /// Function around the object under comparison.
    pub(super) function: Option<&'x Function>,
    /// Name under which that function is known: that of the left side, on both sides.
    pub(super) known_as: Option<Str<'x>>,
}

impl<'x> Scope<'x> {
    /// Scopes for comparing `a`, in function `fa`, with `b`, in function `fb`.
    pub(super) fn pair<T>(a: &T, fa: Option<&'x Function>, b: &T, fb: Option<&'x Function>) -> (Self, Self) {
        let known_as = fa.filter(|_| fb.is_some()).map(Function::name);
        let root = |o: &T| core::ptr::from_ref(o).addr();
        (Scope { root: root(a), function: fa, known_as }, Scope { root: root(b), function: fb, known_as })
    }

    /// Scopes for comparing what two instructions compute: references are named below the functions, and nothing counts as
    /// part of the compared instructions.
    pub(super) fn of_functions(fa: Option<&'x Function>, fb: Option<&'x Function>) -> (Self, Self) {
        let known_as = fa.filter(|_| fb.is_some()).map(Function::name);
        (Scope { root: 0, function: fa, known_as }, Scope { root: 0, function: fb, known_as })
    }

    fn is_root<T>(&self, object: &T) -> bool {
        core::ptr::from_ref(object).addr() == self.root
    }
}

/// A part of a chain.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Part<'x> {
    Name(Str<'x>),
    /// The compared object.
    Root,
    /// A function, ordinary or NKI.
    Function(Str<'x>, bool),
    Queue(Str<'x>),
    /// An owner is missing.
    Detached,
}

#[derive(Clone, Copy)]
enum At<'x> {
    Instruction(&'x Instruction),
    Block(&'x BasicBlock),
    Holder(&'x BasicBlockHolder),
    Storage(&'x Storage),
    Location(&'x MemoryLocation),
    Function(&'x Function),
    Queue(&'x DMAQueue),
    Detached,
    Done,
}

/// The parts of a reference, innermost first.
#[derive(Clone, Copy)]
pub(super) struct Chain<'x> {
    scope: Scope<'x>,
    at: At<'x>,
}

impl<'x> Chain<'x> {
    pub(super) fn instruction(scope: Scope<'x>, target: &'x Instruction) -> Self {
        Chain { scope, at: At::Instruction(target) }
    }

    pub(super) fn block(scope: Scope<'x>, target: &'x BasicBlock) -> Self {
        Chain { scope, at: At::Block(target) }
    }

    pub(super) fn function(scope: Scope<'x>, target: &'x Function) -> Self {
        Chain { scope, at: At::Function(target) }
    }

    pub(super) fn queue(scope: Scope<'x>, target: &'x DMAQueue) -> Self {
        Chain { scope, at: At::Queue(target) }
    }

    pub(super) fn storage(scope: Scope<'x>, target: &'x StorageBase) -> Self {
        let at = match (target.as_location(), cast::as_storage(target)) {
            (Some(location), _) => At::Location(location),
            (_, Some(storage)) => At::Storage(storage),
            _ => At::Detached,
        };
        Chain { scope, at }
    }

    /// The address of the target; `None` for one that nobody knows.
    pub(super) fn address(&self) -> Option<usize> {
        fn of<T>(object: &T) -> Option<usize> {
            Some(core::ptr::from_ref(object).addr())
        }
        match self.at {
            At::Instruction(o) => of(o),
            At::Block(o) => of(o),
            At::Holder(o) => of(o),
            At::Storage(o) => of(o),
            At::Location(o) => of(o),
            At::Function(o) => of(o),
            At::Queue(o) => of(o),
            At::Detached | At::Done => None,
        }
    }

    /// Whether the target lies in the compared object.
    fn is_inside(self) -> bool {
        self.scope.root == 0 || self.last() == Some(Part::Root)
    }

    fn step<T>(&self, object: &'x T, name: Str<'x>, outward: Option<At<'x>>) -> (Part<'x>, At<'x>) {
        if self.scope.is_root(object) {
            (Part::Root, At::Done)
        } else {
            (Part::Name(name), outward.unwrap_or(At::Detached))
        }
    }
}

impl<'x> Iterator for Chain<'x> {
    type Item = Part<'x>;

    fn next(&mut self) -> Option<Part<'x>> {
        if let At::Holder(holder) = self.at {
            self.at = match holder.part_of() {
                Some(cast::HolderOwner::Function(function)) => At::Function(function),
                Some(cast::HolderOwner::Queue(queue)) => At::Queue(queue),
                Some(cast::HolderOwner::Instruction(instruction)) => At::Instruction(instruction),
                None => At::Detached,
            };
        }
        let (part, at) = match self.at {
            At::Done | At::Holder(_) => return None,
            At::Detached => (Part::Detached, At::Done),
            At::Instruction(i) => self.step(i, i.name(), i.block().map(At::Block)),
            At::Block(b) => self.step(b, b.name(), b.holder().map(At::Holder)),
            At::Location(l) => self.step(l, l.name(), l.set().map(|s| At::Storage(s.storage()))),
            At::Storage(s) => self.step(s, s.name(), s.function().map(At::Function)),
            At::Queue(q) if self.scope.is_root(q) => (Part::Root, At::Done),
            At::Queue(q) => (Part::Queue(q.name()), At::Done),
            At::Function(f) if self.scope.is_root(f) => (Part::Root, At::Done),
            At::Function(f) => match (self.scope.function, self.scope.known_as) {
                (Some(own), Some(name)) if same(own, f) => (Part::Function(name, false), At::Done),
                _ => (Part::Function(f.name(), is_nki(f)), At::Done),
            },
        };
        self.at = at;
        Some(part)
    }
}

/// Whether the function is an NKI function.
fn is_nki(function: &Function) -> bool {
    let Some(holder) = function.holder() else { return false };
    holder.module().and_then(|m| m.nki_functions.get()).is_some_and(|n| same(n, holder))
}

impl core::fmt::Display for Chain<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        // Outermost first. Chains are as short as the nesting is deep.
        let chain = *self;
        let count = chain.count();
        for index in (0..count).rev() {
            let Some(part) = { chain }.nth(index) else { continue };
            // The own function of a pair, which goes without saying.
            if index > 0 && matches!(part, Part::Function(name, false) if name.is_empty()) {
                continue;
            }
            match part {
                Part::Name(name) => f.write_str(&name)?,
                Part::Root => f.write_str(".")?,
                Part::Function(name, false) => f.write_str(&name)?,
                Part::Function(name, true) => write!(f, "nki:{}", &*name)?,
                Part::Queue(name) => write!(f, "queue:{}", &*name)?,
                Part::Detached => f.write_str("(outside)")?,
            }
            if index > 0 {
                f.write_str("/")?;
            }
        }
        Ok(())
    }
}

/// A loop axis: by name, and by its loop where that lies in the compared object.
#[derive(Clone, Copy)]
pub(super) struct Axis<'x> {
    name: Str<'x>,
    parent: Option<Chain<'x>>,
}

impl<'x> Axis<'x> {
    pub(super) fn new(scope: Scope<'x>, axis: &'x LoopAxis) -> Self {
        let parent = match axis.as_dynamic() {
            Some(dynamic) => dynamic.parent.get().map(|l| &l.instruction),
            None => axis.parent.get(),
        };
        let parent = parent.map(|p| Chain::instruction(scope, p)).filter(|c| c.is_inside());
        Axis { name: axis.name(), parent }
    }

    /// Its loop, where that counts.
    pub(super) fn parent(&self) -> Option<Chain<'x>> {
        self.parent
    }

    pub(super) fn equals(&self, other: &Self) -> bool {
        self.name == other.name
            && match (self.parent, other.parent) {
                (Some(a), Some(b)) => a.eq(b),
                (None, None) => true,
                _ => false,
            }
    }
}

impl core::fmt::Display for Axis<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(&self.name)?;
        match &self.parent {
            Some(parent) => write!(f, " of {parent}"),
            None => Ok(()),
        }
    }
}

/// An optional reference as text.
pub(super) fn shown(chain: Option<Chain<'_>>) -> String {
    chain.map_or_else(|| crate::error::text(super::differ::NONE), crate::error::text)
}
