//! The objects of a module as a flat tree: a number for each, its owner, its place, its children.
#![forbid(unsafe_code)]

use super::change::Kind;
use crate::fallible::{append, format, push};
use crate::ir::pair::Pair;
use crate::ir::raw::state::{FixedState, fixed_state};
use crate::ir::{
    BasicBlock, BasicBlockHolder, DMAQueue, Function, Instruction, MemoryLocation, MemoryLocationSet, ModuleRef,
    Register, Storage,
};
use crate::mem::Str;
use crate::{Error, ErrorCode, Result};
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;
use hashbrown::HashMap;

/// Objects of a module that are counted: labels number those of two.
const MOST: u32 = u32::MAX / 2 - 1;

/// No node.
pub(super) const NONE: u32 = u32::MAX;

/// An object of a module.
#[derive(Clone, Copy)]
pub(super) enum Object<'m> {
    Module(&'m ModuleRef),
    Function(&'m Function),
    Queue(&'m DMAQueue),
    Set(&'m MemoryLocationSet),
    Register(&'m Register),
    Location(&'m MemoryLocation),
    Block(&'m BasicBlock),
    Instruction(&'m Instruction),
}

impl<'m> Object<'m> {
    pub(super) fn kind(self) -> Kind {
        match self {
            Object::Module(_) => Kind::Module,
            Object::Function(_) => Kind::Function,
            Object::Queue(_) => Kind::Queue,
            Object::Set(_) => Kind::Set,
            Object::Register(_) => Kind::Register,
            Object::Location(_) => Kind::Location,
            Object::Block(_) => Kind::Block,
            Object::Instruction(_) => Kind::Instruction,
        }
    }

    pub(super) fn name(self) -> Str<'m> {
        match self {
            Object::Module(_) => Str::EMPTY,
            Object::Function(o) => o.name(),
            Object::Queue(o) => o.name(),
            Object::Set(o) => o.storage().name(),
            Object::Register(o) => o.storage().name(),
            Object::Location(o) => o.name(),
            Object::Block(o) => o.name(),
            Object::Instruction(o) => o.name(),
        }
    }

    pub(super) fn id(self) -> i32 {
        match self {
            Object::Module(_) => -1,
            Object::Function(o) => o.unique_id(),
            Object::Queue(o) => o.unique_id(),
            Object::Set(o) => o.storage().unique_id(),
            Object::Register(o) => o.storage().unique_id(),
            Object::Location(o) => o.unique_id(),
            Object::Block(o) => o.unique_id(),
            Object::Instruction(o) => o.unique_id(),
        }
    }

    fn address(self) -> usize {
        fn of<T>(object: &T) -> usize {
            core::ptr::from_ref(object).addr()
        }
        match self {
            Object::Module(o) => of(o),
            Object::Function(o) => of(o),
            Object::Queue(o) => of(o),
            Object::Set(o) => of(o.storage()),
            Object::Register(o) => of(o.storage()),
            Object::Location(o) => of(o),
            Object::Block(o) => of(o),
            Object::Instruction(o) => of(o),
        }
    }

    /// The two as a pair to compare; `None` if they are of two kinds.
    pub(super) fn with(self, other: Object<'m>) -> Option<Pair<'m>> {
        Some(match (self, other) {
            (Object::Module(a), Object::Module(b)) => Pair::Module(a, b),
            (Object::Function(a), Object::Function(b)) => Pair::Function(a, b),
            (Object::Queue(a), Object::Queue(b)) => Pair::Queue(a, b),
            (Object::Set(a), Object::Set(b)) => Pair::Set(a, b),
            (Object::Register(a), Object::Register(b)) => Pair::Register(a, b),
            (Object::Location(a), Object::Location(b)) => Pair::Location(a, b),
            (Object::Block(a), Object::Block(b)) => Pair::Block(a, b),
            (Object::Instruction(a), Object::Instruction(b)) => Pair::Instruction(a, b),
            _ => return None,
        })
    }
}

/// Which list of its owner an object stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum List {
    Root,
    Functions,
    NkiFunctions,
    Queues,
    Allocations,
    Locations,
    Blocks,
    Instructions,
}

impl List {
    fn key(self) -> &'static str {
        match self {
            List::Root => "",
            List::Functions => "functions",
            List::NkiFunctions => "nki_functions.functions",
            List::Queues => "queues",
            List::Allocations => "allocations",
            List::Locations => "memorylocations",
            List::Blocks => "blocks",
            List::Instructions => "instructions",
        }
    }
}

/// An object with its place.
#[derive(Clone, Copy)]
pub(super) struct Node<'m> {
    pub(super) object: Object<'m>,
    pub(super) parent: u32,
    /// Position in its list.
    pub(super) index: u32,
    pub(super) list: List,
    first: u32,
    end: u32,
}

/// All objects of a module, owners before what they own, the children of each one after the other.
pub(super) struct Tree<'m> {
    nodes: Vec<Node<'m>>,
    /// Node of each address. Only asked, never walked.
    by_address: HashMap<usize, u32, FixedState>,
}

impl<'m> Tree<'m> {
    /// The tree of a module.
    ///
    /// # Errors
    /// `OutOfMemory`; `CorruptIr` for storage that is neither a set nor a register; `LimitExceeded` for more objects than
    /// 32 bits count.
    pub(super) fn of(module: &'m ModuleRef) -> Result<Self> {
        let mut tree = Tree { nodes: Vec::new(), by_address: HashMap::with_hasher(fixed_state()) };
        tree.add(NONE, List::Root, 0, Object::Module(module))?;
        let mut at = 0;
        while let Some(node) = tree.nodes.get(at as usize).copied() {
            let first = tree.len();
            tree.add_children(at, node.object)?;
            let end = tree.len();
            if let Some(node) = tree.nodes.get_mut(at as usize) {
                (node.first, node.end) = (first, end);
            }
            at = at.saturating_add(1);
        }
        Ok(tree)
    }

    fn add(&mut self, parent: u32, list: List, index: usize, object: Object<'m>) -> Result<()> {
        let index = u32::try_from(index).unwrap_or(NONE);
        let number = self.len();
        if number > MOST || index > MOST {
            return Err(Error::new(ErrorCode::LimitExceeded, "a module has too many objects to compare"));
        }
        push(&mut self.nodes, Node { object, parent, index, list, first: 0, end: 0 })?;
        self.by_address.try_reserve(1).map_err(|_| Error::out_of_memory())?;
        self.by_address.insert(object.address(), number);
        Ok(())
    }

    fn add_children(&mut self, at: u32, object: Object<'m>) -> Result<()> {
        match object {
            Object::Module(module) => {
                for (index, o) in module.functions().enumerate() {
                    self.add(at, List::Functions, index, Object::Function(o))?;
                }
                for (index, o) in module.nki_functions().enumerate() {
                    self.add(at, List::NkiFunctions, index, Object::Function(o))?;
                }
                for (index, o) in module.queues().enumerate() {
                    self.add(at, List::Queues, index, Object::Queue(o))?;
                }
                Ok(())
            }
            Object::Function(function) => {
                for (index, o) in function.storages().enumerate() {
                    self.add(at, List::Allocations, index, storage(o)?)?;
                }
                self.add_blocks(at, function.block_holder())
            }
            Object::Queue(queue) => self.add_blocks(at, queue.block_holder()),
            Object::Set(set) => {
                for (index, o) in set.locations().enumerate() {
                    self.add(at, List::Locations, index, Object::Location(o))?;
                }
                Ok(())
            }
            Object::Block(block) => {
                for (index, o) in block.instructions().enumerate() {
                    self.add(at, List::Instructions, index, Object::Instruction(o))?;
                }
                Ok(())
            }
            Object::Instruction(instruction) => match instruction.block_holder() {
                Some(holder) => self.add_blocks(at, holder),
                None => Ok(()),
            },
            Object::Register(_) | Object::Location(_) => Ok(()),
        }
    }

    fn add_blocks(&mut self, at: u32, holder: &'m BasicBlockHolder) -> Result<()> {
        for (index, o) in holder.blocks().enumerate() {
            self.add(at, List::Blocks, index, Object::Block(o))?;
        }
        Ok(())
    }

    /// Number of nodes.
    pub(super) fn len(&self) -> u32 {
        u32::try_from(self.nodes.len()).unwrap_or(NONE)
    }

    pub(super) fn node(&self, number: u32) -> Option<&Node<'m>> {
        self.nodes.get(number as usize)
    }

    pub(super) fn parent(&self, number: u32) -> u32 {
        self.node(number).map_or(NONE, |n| n.parent)
    }

    /// All children of a node.
    pub(super) fn children(&self, number: u32) -> Range<u32> {
        self.node(number).map_or(0..0, |n| n.first..n.end)
    }

    /// The children of a node that stand in one list.
    pub(super) fn listed(&self, number: u32, list: List) -> impl DoubleEndedIterator<Item = u32> {
        self.children(number).filter(move |c| self.node(*c).is_some_and(|n| n.list == list))
    }

    /// The node of the object at an address.
    pub(super) fn find(&self, address: usize) -> Option<u32> {
        self.by_address.get(&address).copied()
    }

    /// The document path of a node.
    ///
    /// # Errors
    /// `OutOfMemory`.
    pub(super) fn path(&self, number: u32) -> Result<String> {
        let mut chain = Vec::new();
        let mut at = self.node(number);
        while let Some(node) = at.filter(|n| n.list != List::Root) {
            push(&mut chain, (node.list, node.index))?;
            at = self.node(node.parent);
        }
        let mut path = String::new();
        for (list, index) in chain.iter().rev() {
            let separator = if path.is_empty() { "" } else { "." };
            append(&mut path, format_args!("{separator}{}[{index}]", list.key()))?;
        }
        Ok(path)
    }

    /// Where a node stands, for people: the names of its owners below its function, and its position.
    ///
    /// # Errors
    /// `OutOfMemory`.
    pub(super) fn place(&self, number: u32) -> Result<String> {
        let Some(node) = self.node(number) else { return Ok(String::new()) };
        let mut owners = Vec::new();
        let mut at = self.node(node.parent);
        while let Some(owner) = at.filter(|n| n.list != List::Root) {
            push(&mut owners, owner.object.name())?;
            if matches!(owner.object, Object::Function(_)) && owners.len() > 1 {
                owners.pop();
            }
            at = self.node(owner.parent);
        }
        let mut place = String::new();
        for name in owners.iter().rev() {
            let separator = if place.is_empty() { "" } else { "/" };
            append(&mut place, format_args!("{separator}{}", &**name))?;
        }
        if place.is_empty() {
            format(format_args!("{}[{}]", node.list.key(), node.index))
        } else {
            append(&mut place, format_args!("[{}]", node.index))?;
            Ok(place)
        }
    }

    /// Visits the subtree of a node in program order, owners first.
    ///
    /// # Errors
    /// What `visit` returns, and `OutOfMemory`.
    pub(super) fn walk(&self, root: u32, mut visit: impl FnMut(u32) -> Result<()>) -> Result<()> {
        let mut pending = Vec::new();
        push(&mut pending, root)?;
        while let Some(at) = pending.pop() {
            visit(at)?;
            for child in self.children(at).rev() {
                push(&mut pending, child)?;
            }
        }
        Ok(())
    }
}

fn storage(storage: &Storage) -> Result<Object<'_>> {
    match (storage.as_set(), storage.as_register()) {
        (Some(set), _) => Ok(Object::Set(set)),
        (_, Some(register)) => Ok(Object::Register(register)),
        _ => {
            let what = format_args!("corrupt IR: storage `{}` is neither a set nor a register", storage.name());
            Err(Error::new(ErrorCode::CorruptIr, what))
        }
    }
}
