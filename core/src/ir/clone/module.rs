//! Whole functions and modules.

use super::cloner::{Cloner, Root};
use super::plan::Plan;
use super::storage::copy_named;
use crate::Result;
use crate::enums::bir::DMAQueueType;
use crate::error::bail;
use crate::ir::named;
use crate::ir::raw::values::CallBinding;
use crate::ir::raw::{Function, FunctionHolder, Instruction, Module as ModuleRef, Ptr, owner::same};
use crate::ir::{Module, Place, Placed};
use crate::mem::Str;
use alloc::vec::Vec;

impl<'s, 't> Cloner<'s, 't> {
    /// A function with its storages, without contents of its blocks.
    pub(super) fn make_function(
        &mut self,
        from: &'s Function,
        holder: &'t FunctionHolder,
        name: &str,
        place: Place<'t, Function>,
    ) -> Result<Placed<'t, Function>> {
        let placed = self.make(|| holder.add_function(name, place), |p| Root::Function(p.object))?;
        let to = placed.object;
        self.functions.insert(from, to)?;
        copy_named(&from.named, &to.named);
        to.set_attributes(&crate::ir::expr::collect(from.attributes(), from.attributes.len())?)?;
        self.make_storages(from, to)?;
        Ok(placed)
    }

    fn make_queues(&mut self, from: &'s ModuleRef) -> Result<()> {
        for queue in from.queues() {
            let target = self.to;
            let add = || target.add_queue(&queue.name(), DMAQueueType::data, Place::End);
            let to = self.make(add, |p| Root::Queue(p.object))?.object;
            self.queues.insert(queue, to)?;
            copy_named(&queue.named, &to.named);
            to.queue_type.set(queue.queue_type.get());
            to.engine.set(queue.engine.get());
            to.engine_id.set(queue.engine_id.get());
            to.num_dma_engines.set(queue.num_dma_engines.get());
            to.set_attributes_json(&queue.attributes_json())?;
        }
        Ok(())
    }

    fn contents(&mut self, from: &'s ModuleRef) -> Result<()> {
        let functions: Vec<&'s Function> = {
            let all = from.functions().chain(from.nki_functions());
            crate::ir::expr::collect(all, from.function_count())?
        };
        let nki = self.to.nki_holder()?;
        for function in from.functions() {
            self.make_function(function, self.to.function_holder(), &function.name(), Place::End)?;
        }
        for function in from.nki_functions() {
            self.make_function(function, nki, &function.name(), Place::End)?;
        }
        self.make_queues(from)?;
        let mut plan = Plan::default();
        for function in &functions {
            plan.add_holder(function.block_holder())?;
        }
        for queue in from.queues() {
            plan.add_holder(queue.block_holder())?;
        }
        self.make_planned(&plan)?;
        for function in &functions {
            self.link_storages(function)?;
        }
        self.fill_planned(&plan)?;
        self.call_bindings(from)
    }

    fn call_bindings(&mut self, from: &'s ModuleRef) -> Result<()> {
        for (number, binding) in from.call_bindings.iter_refs().enumerate() {
            let place = |e: crate::Error| e.at(format_args!("call_to_physical_memlocs[{number}]"));
            self.call_binding(from, binding).map_err(place)?;
        }
        Ok(())
    }

    fn call_binding(&mut self, from: &'s ModuleRef, binding: &'s CallBinding) -> Result<()> {
        let call: Option<&'t Instruction> = binding.call.get().map(|c| self.instruction(c)).transpose()?;
        let locations = binding.locations.iter().filter_map(|l| l.get(from));
        let locations = super::expr::try_collect(locations.map(|l| Ok(Ptr::to(self.location(l)?))))?;
        let to = self.to.call_bindings.push_zeroed(&self.state.arena)?;
        to.call.set(call);
        to.locations.assign(&self.state.arena, &locations)
    }
}

impl Function {
    /// Clones the function with its storages, blocks and instructions to a place in `holder`, of the same or another
    /// module. `None` keeps the name; a taken one is changed.
    ///
    /// Calls of the function by itself become calls of the clone. Queues, DMA blocks and other functions stay what they are
    /// in the same module; in another one, those of the same name take their place. Edges to instructions outside the
    /// function are dropped, and so are alias edges to locations that do not exist in the other module.
    ///
    /// # Errors
    /// `UnresolvedRef` if another module lacks something; `Detached`, `IdExhausted`, `OutOfMemory`, `NotFound` for a place
    /// elsewhere. Whatever the error, the target is as before.
    pub fn clone_to<'t>(
        &self,
        holder: &'t FunctionHolder,
        name: Option<&str>,
        place: Place<'t, Function>,
    ) -> Result<Placed<'t, Function>> {
        let Some(module) = holder.module() else { bail!(Detached, "the function holder is outside a module") };
        let mut plan = Plan::default();
        plan.add_holder(self.block_holder())?;
        Cloner::new(named::module_of(self)?, module)?.run(|cloner| {
            let placed = cloner.make_function(self, holder, name.unwrap_or(&self.name()), place)?;
            cloner.from_function = Some(self);
            cloner.to_function = Some(placed.object);
            cloner.make_planned(&plan)?;
            cloner.link_storages(self)?;
            cloner.fill_planned(&plan)?;
            Ok(placed)
        })
    }
}

impl ModuleRef {
    /// A new module with clones of everything in this one, in the same order and under the same names. Ids count from 0 in
    /// the order of construction: ids are never stored (`spec/layout.md` section 4).
    ///
    /// # Errors
    /// `UnresolvedRef` if something refers to an object that was taken out of the module; `OutOfMemory`, `CorruptIr`.
    pub fn clone_module(&self) -> Result<Module> {
        let module = Module::new()?;
        self.clone_into(&module)?;
        Ok(module)
    }

    /// As [`ModuleRef::clone_module`], into an empty module that the caller made, e.g. to give it a memory limit first.
    ///
    /// # Errors
    /// `Conflict` if `target` holds a function or queue. Whatever the error, the target is as before.
    pub fn clone_into(&self, target: &ModuleRef) -> Result<()> {
        let is_empty = target.function_count() == 0
            && target.nki_holder()?.function_count() == 0
            && target.queue_count() == 0
            && target.call_bindings.is_empty();
        if !is_empty || same(self, target) {
            bail!(Conflict, "a module can only be cloned into an empty one");
        }
        let (from, to) = (self.module_state()?, target.module_state()?);
        let texts = [
            (&self.artifact_path, &target.artifact_path),
            (&self.artifact_info, &target.artifact_info),
            (&self.attributes, &target.attributes),
        ];
        let before: [Str<'_>; 3] = texts.map(|t| t.1.get());
        let vtables: [*const (); 110] = to.vtables.each_ref().map(core::cell::Cell::get);
        // Objects of the clone are to work with the same C++ host.
        for (a, b) in from.vtables.iter().zip(&to.vtables) {
            if b.get().is_null() {
                b.set(a.get());
            }
        }
        let done = Cloner::new(self, target)?.run(|cloner| {
            cloner.contents(self)?;
            texts.iter().try_for_each(|(a, b)| b.set(&to.arena, &a.get()))
        });
        match done {
            Ok(()) => {
                target.arch.set(self.arch.get());
                target.arch_revision.set(self.arch_revision.get());
            }
            Err(_) => {
                target.call_bindings.clear();
                texts.iter().zip(before).for_each(|((_, b), text)| b.share(text));
                to.vtables.iter().zip(vtables).for_each(|(cell, vtable)| cell.set(vtable));
            }
        }
        done
    }
}
