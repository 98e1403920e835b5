//! Block arguments (phi nodes): a storage that takes one of several values, by the block that control comes from.

use super::module::same;
use super::named::{self, node_at};
use super::place::Place;
use super::raw::{BasicBlock, BasicBlockArgument, Incoming, ModuleState, Ptr, StorageBase, list};
use crate::Result;
use crate::error::bail;
use crate::mem::Str;

impl BasicBlock {
    /// The block arguments, in order.
    pub fn arguments(&self) -> impl Iterator<Item = &BasicBlockArgument> {
        let mut next = list::first::<BasicBlockArgument>(&self.block_args);
        core::iter::from_fn(move || {
            let argument = next.take().filter(|a| a.owner.get().is_some_and(|o| same(o, self)))?;
            next = list::next(&self.block_args, argument);
            Some(argument)
        })
    }

    /// The first block argument.
    pub fn first_argument(&self) -> Option<&BasicBlockArgument> {
        list::first(&self.block_args)
    }

    /// The last block argument.
    pub fn last_argument(&self) -> Option<&BasicBlockArgument> {
        list::last(&self.block_args)
    }

    /// Number of block arguments.
    pub fn argument_count(&self) -> usize {
        self.arguments().count()
    }

    /// The block argument of that name.
    pub fn find_argument(&self, name: &str) -> Option<&BasicBlockArgument> {
        self.arguments().find(|a| *a.name.get() == *name)
    }

    /// Adds a block argument, unbound. Names of arguments are not made unique.
    pub fn add_argument<'m>(
        &'m self,
        name: &str,
        place: Place<'m, BasicBlockArgument>,
    ) -> Result<&'m BasicBlockArgument> {
        if let Place::Before(anchor) | Place::After(anchor) = place
            && !anchor.owner.get().is_some_and(|o| same(o, self))
        {
            bail!(NotFound, "the argument to insert beside is not in block `{}`", self.name());
        }
        let module = named::module_of(self)?;
        let state = module.module_state()?;
        let argument = state.alloc::<BasicBlockArgument>()?;
        argument.name.init();
        argument.name.set(&state.arena, name)?;
        argument.module.set(Some(module));
        argument.owner.set(Some(self));
        argument.node.insert_before(node_at(&self.block_args, place));
        Ok(argument)
    }
}

impl BasicBlockArgument {
    /// The argument's name.
    pub fn name(&self) -> Str<'_> {
        self.name.get()
    }

    /// The block; `None` once erased.
    pub fn block(&self) -> Option<&BasicBlock> {
        self.owner.get()
    }

    /// The next one of the block.
    pub fn next(&self) -> Option<&BasicBlockArgument> {
        list::next(&self.owner.get()?.block_args, self)
    }

    /// The one before of the block.
    pub fn prev(&self) -> Option<&BasicBlockArgument> {
        list::prev(&self.owner.get()?.block_args, self)
    }

    /// Whether it was erased.
    pub fn is_erased(&self) -> bool {
        self.module.is_null()
    }

    fn state(&self) -> Result<&ModuleState> {
        match self.module.get() {
            Some(module) => module.module_state(),
            None => bail!(Detached, "the block argument was erased"),
        }
    }

    /// Gives it another name.
    pub fn set_name(&self, name: &str) -> Result<()> {
        self.name.set(&self.state()?.arena, name)
    }

    /// The bound storage.
    pub fn location(&self) -> Option<&StorageBase> {
        self.location.get()
    }

    /// Binds it to a storage, or to none.
    pub fn set_location<'m>(&'m self, storage: Option<&'m StorageBase>) -> Result<()> {
        let state = self.state()?;
        if let Some(storage) = storage {
            self.check(storage)?;
            storage.block_arguments.push(&state.arena, Ptr::to(self))?;
        }
        if let Some(old) = self.location.get() {
            self.leave(old);
        }
        self.location.set(storage);
        Ok(())
    }

    /// Removes one entry of this argument from the users of `storage`. There is one for the binding and one for each pair.
    fn leave(&self, storage: &StorageBase) {
        let users = &storage.block_arguments;
        if let Some(index) = (0..users.len()).find(|i| users.get(*i) == Some(Ptr::to(self))) {
            users.remove(index);
        }
    }

    fn check(&self, storage: &StorageBase) -> Result<()> {
        match self.module.get() {
            Some(module) if same(storage.module()?, module) => Ok(()),
            _ => bail!(ForeignModule, "storage `{}` belongs to another module", storage.name()),
        }
    }

    /// (value, predecessor) pairs, in order.
    pub fn incoming(&self) -> impl Iterator<Item = (&StorageBase, &BasicBlock)> {
        self.incoming.iter().filter_map(|i| Some((i.value.get(self)?, i.predecessor.get(self)?)))
    }

    /// Adds a pair.
    pub fn add_incoming<'m>(&'m self, value: &'m StorageBase, predecessor: &'m BasicBlock) -> Result<()> {
        let state = self.state()?;
        self.check(value)?;
        if let Some(module) = self.module.get() {
            named::same_module(module, predecessor)?;
        }
        let pair = Incoming { value: Ptr::to(value), predecessor: Ptr::to(predecessor) };
        value.block_arguments.push(&state.arena, Ptr::to(self))?;
        if let Err(error) = self.incoming.push(&state.arena, pair) {
            value.block_arguments.truncate(value.block_arguments.len().saturating_sub(1));
            return Err(error);
        }
        Ok(())
    }

    /// Removes all pairs.
    pub fn clear_incoming(&self) {
        for value in self.incoming.iter().filter_map(|i| i.value.get(self)) {
            self.leave(value);
        }
        self.incoming.clear();
    }

    /// One step of replace-all-uses: one reference to `old`, the binding or that of a pair, becomes one to `new`.
    pub(crate) fn replace_storage<'m>(
        &'m self,
        state: &ModuleState,
        old: &'m StorageBase,
        new: &'m StorageBase,
    ) -> Result<()> {
        self.leave(old);
        new.block_arguments.push(&state.arena, Ptr::to(self))?;
        if self.location.ptr() == Ptr::to(old) {
            self.location.set(Some(new));
            return Ok(());
        }
        let pair = self.incoming.iter().enumerate().find(|(_, p)| p.value == Ptr::to(old));
        match pair {
            Some((index, pair)) => {
                self.incoming.set(index, Incoming { value: Ptr::to(new), ..pair });
                Ok(())
            }
            None => bail!(CorruptIr, "corrupt IR: a user of `{}` does not use it", old.name()),
        }
    }

    /// Takes it out of its block, for good.
    pub fn erase(&self) -> Result<()> {
        self.state()?;
        self.set_location(None)?;
        self.clear_incoming();
        self.node.remove();
        self.owner.set(None);
        self.module.set(None);
        Ok(())
    }
}
