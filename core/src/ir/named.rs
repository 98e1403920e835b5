//! What every named object can do: be put into its owner's list and name table, taken out, renamed, and walked.
//!
//! List and table change together or not at all: whatever needs memory happens before the first visible change.

use super::names;
use super::place::Place;
use super::raw::list::{self, Listed};
use super::raw::owner::{self, Named, same};
use super::raw::{Module, ModuleState, NamedObject, NamedObjectContainer};
use crate::error::bail;
use crate::mem::{IlistNode, StdString};
use crate::{Error, ErrorCode, Result};
use core::ptr::NonNull;

/// The state behind an object; fails once it is erased.
pub(crate) fn state_of<T: Named>(object: &T) -> Result<&ModuleState> {
    match module_of(object)?.state.get() {
        Some(state) => Ok(state),
        None => bail!(Detached, "{} `{}` has no module", T::WHAT, object.named().name()),
    }
}

/// The module that an object was made in; fails once it is erased.
pub(crate) fn module_of<T: Named>(object: &T) -> Result<&Module> {
    owner::module_of(object.named())
        .ok_or_else(|| Error::new(ErrorCode::Detached, format_args!("the {} was erased", T::WHAT)))
}

/// Fails if `object` was made in another module than `module`.
pub(crate) fn same_module<T: Named>(module: &Module, object: &T) -> Result<()> {
    if same(module_of(object)?, module) {
        return Ok(());
    }
    bail!(ForeignModule, "{} `{}` belongs to another module", T::WHAT, object.named().name())
}

/// The node that a new element of the list of `sentinel` goes before; the anchor's membership is the caller's to check.
pub(crate) fn node_at<'m, T: Listed>(sentinel: &'m IlistNode, place: Place<'m, T>) -> &'m IlistNode {
    match place {
        Place::End => sentinel,
        Place::Start => list::first::<T>(sentinel).map_or(sentinel, list::node),
        Place::Before(anchor) => list::node(anchor),
        Place::After(anchor) => list::next(sentinel, anchor).map_or(sentinel, list::node),
    }
}

/// Puts an unlinked object into `to` under `wanted` or, if that is taken, a new name. Returns whether it was renamed.
pub(crate) fn insert<'m, T: Named>(
    state: &'m ModuleState,
    to: &'m T::Owner,
    object: &'m T,
    wanted: &str,
    place: Place<'m, T>,
) -> Result<bool> {
    if let Place::Before(anchor) | Place::After(anchor) = place {
        if !owner::owner(anchor).is_some_and(|o| same(o, to)) {
            bail!(NotFound, "{} `{}` is not in the list to insert into", T::WHAT, anchor.named().name());
        }
        if same(anchor, object) {
            bail!(BadValue, "{} `{}` cannot be placed beside itself", T::WHAT, object.named().name());
        }
    }
    let container = T::container(to);
    let fresh = names::free_name(state, container, wanted)?;
    let name = &object.named().named_object_base.name;
    let old = name.get();
    set_fresh(state, container, name, fresh.as_deref().unwrap_or(wanted))?;
    // `free_name` has just looked for it.
    if let Err(error) = container.symtab.insert_new(&state.arena, name.get(), NonNull::from(object).cast()) {
        names::released(state, container, &name.get());
        name.share(old);
        return Err(error);
    }
    list::node(object).insert_before(node_at(&container.sentinel, place));
    owner::set_owner(object, Some(to));
    Ok(fresh.is_some())
}

/// Sets a name that `names` gave out; without memory it is free again.
fn set_fresh(state: &ModuleState, container: &NamedObjectContainer, name: &StdString, fresh: &str) -> Result<()> {
    name.set(&state.arena, fresh).inspect_err(|_| names::released(state, container, fresh))
}

/// Takes an object out of its owner's list and table; it keeps name and id. Does nothing if it is unlinked.
pub(crate) fn unlink<T: Named>(state: &ModuleState, object: &T) {
    let Some(from) = owner::owner(object) else { return };
    let container = T::container(from);
    let name = object.named().name();
    container.symtab.remove(&state.arena, &name);
    names::released(state, container, &name);
    list::node(object).remove();
    owner::set_owner(object, None);
}

/// Moves a linked object to another place, in the same owner or another one of the same module.
pub(crate) fn relocate<'m, T: Named>(to: &'m T::Owner, object: &'m T, place: Place<'m, T>) -> Result<bool> {
    let state = state_of(object)?;
    if let Place::Before(anchor) | Place::After(anchor) = place {
        if !owner::owner(anchor).is_some_and(|o| same(o, to)) {
            bail!(NotFound, "{} `{}` is not in the list to move to", T::WHAT, anchor.named().name());
        }
        if same(anchor, object) {
            return Ok(false);
        }
    }
    match owner::owner(object) {
        Some(from) if same(from, to) => {
            list::node(object).remove();
            list::node(object).insert_before(node_at(&T::container(to).sentinel, place));
            Ok(false)
        }
        from => {
            let name = object.named().name();
            let node = list::node(object);
            let next = from.and_then(|f| list::next::<T>(&T::container(f).sentinel, object));
            // The links are needed in the new list; they are restored if that fails.
            node.remove();
            match insert(state, to, object, &name, place) {
                Ok(renamed) => {
                    if let Some(from) = from {
                        T::container(from).symtab.remove(&state.arena, &name);
                        names::released(state, T::container(from), &name);
                    }
                    super::id::relinked(state, object.named().unique_id.get());
                    Ok(renamed)
                }
                Err(error) => {
                    if let Some(from) = from {
                        node.insert_before(next.map_or(&T::container(from).sentinel, list::node));
                    }
                    Err(error)
                }
            }
        }
    }
}

/// Gives an object another name; if it is taken, the rule of `names` applies. Returns whether that was so.
pub(crate) fn rename<T: Named>(object: &T, wanted: &str) -> Result<bool> {
    let state = state_of(object)?;
    let name = &object.named().named_object_base.name;
    let old = name.get();
    if *old == *wanted {
        return Ok(false);
    }
    let Some(owner) = owner::owner(object) else {
        name.set(&state.arena, wanted)?;
        return Ok(false);
    };
    let container = T::container(owner);
    let fresh = names::free_name(state, container, wanted)?;
    set_fresh(state, container, name, fresh.as_deref().unwrap_or(wanted))?;
    match container.symtab.insert(&state.arena, name.get(), NonNull::from(object).cast()) {
        Ok(_) => {
            container.symtab.remove(&state.arena, &old);
            names::released(state, container, &old);
            Ok(fresh.is_some())
        }
        Err(error) => {
            names::released(state, container, &name.get());
            name.share(old);
            Err(error)
        }
    }
}

/// Marks an unlinked object as erased: every later change through it fails.
pub(crate) fn mark_erased(named: &NamedObject) {
    owner::set_module_of(named, None);
}

/// Walks the objects of one owner. Safe against changes: an object that leaves the owner ends the walk at the latest when
/// it would have been next.
pub struct Objects<'m, T: Named> {
    owner: &'m T::Owner,
    front: Option<&'m T>,
    back: Option<&'m T>,
}

impl<T: Named> Clone for Objects<'_, T> {
    fn clone(&self) -> Self {
        Objects { owner: self.owner, front: self.front, back: self.back }
    }
}

impl<'m, T: Named> Objects<'m, T> {
    pub(crate) fn of(owner: &'m T::Owner) -> Self {
        let sentinel = &T::container(owner).sentinel;
        Objects { owner, front: list::first(sentinel), back: list::last(sentinel) }
    }

    fn valid(&self, object: &'m T) -> Option<&'m T> {
        owner::owner(object).is_some_and(|o| same(o, self.owner)).then_some(object)
    }
}

impl<'m, T: Named> Iterator for Objects<'m, T> {
    type Item = &'m T;

    fn next(&mut self) -> Option<&'m T> {
        let object = self.front.take().and_then(|o| self.valid(o))?;
        if self.back.is_some_and(|b| same(b, object)) {
            self.back = None;
        } else {
            self.front = list::next(&T::container(self.owner).sentinel, object);
        }
        Some(object)
    }
}

impl<'m, T: Named> DoubleEndedIterator for Objects<'m, T> {
    fn next_back(&mut self) -> Option<&'m T> {
        let object = self.back.take().and_then(|o| self.valid(o))?;
        if self.front.is_some_and(|f| same(f, object)) {
            self.front = None;
        } else {
            self.back = list::prev(&T::container(self.owner).sentinel, object);
        }
        Some(object)
    }
}

/// The methods that all named objects share.
macro_rules! named_methods {
    ($type:ident, $what:literal) => {
        impl $type {
            #[doc = concat!("The ", $what, "'s name, unique in its owner.")]
            pub fn name(&self) -> $crate::mem::Str<'_> {
                self.named.name()
            }

            /// Gives it another name. If the name is taken in the owner, it becomes `<name>_<n>` (`spec/layout.md` section
            /// 3.2); returns whether that happened.
            pub fn set_name(&self, name: &str) -> $crate::Result<bool> {
                $crate::ir::named::rename(self, name)
            }

            /// The id, unique in the module; -1 before one was given.
            pub fn unique_id(&self) -> i32 {
                self.named.unique_id.get()
            }

            /// Where the object came from.
            pub fn origin(&self) -> $crate::Result<$crate::enums::bir::NamedObjectOrigin> {
                $crate::enums::bir::NamedObjectOrigin::from_ordinal(self.named.named_object_base.origin.get().into())
            }

            /// Sets where the object came from.
            pub fn set_origin(&self, origin: $crate::enums::bir::NamedObjectOrigin) {
                self.named.named_object_base.origin.set(origin.ordinal());
            }

            /// The module that it was made in, whether linked or not; an error once it is erased.
            pub fn module(&self) -> $crate::Result<&$crate::ir::ModuleRef> {
                $crate::ir::named::module_of(self)
            }

            /// Whether it is in an owner's list and table.
            pub fn is_linked(&self) -> bool {
                $crate::ir::raw::owner::owner(self).is_some()
            }

            /// Whether it was erased.
            pub fn is_erased(&self) -> bool {
                self.module().is_err()
            }

            /// The next one in the owner.
            pub fn next(&self) -> Option<&Self> {
                let owner = $crate::ir::raw::owner::owner(self)?;
                let container = <Self as $crate::ir::raw::owner::Named>::container(owner);
                $crate::ir::raw::list::next(&container.sentinel, self)
            }

            /// The one before in the owner.
            pub fn prev(&self) -> Option<&Self> {
                let owner = $crate::ir::raw::owner::owner(self)?;
                let container = <Self as $crate::ir::raw::owner::Named>::container(owner);
                $crate::ir::raw::list::prev(&container.sentinel, self)
            }
        }
    };
}
pub(crate) use named_methods;

/// Looks a name up in one owner.
pub(crate) fn find<'m, T: Named>(owner: &'m T::Owner, name: &str) -> Option<&'m T> {
    let found = T::container(owner).symtab.find(name)?;
    super::raw::owner::element::<T>(owner, found)
}
