//! Functions, queues and modules.

use super::chain::Scope;
use super::differ::{Check, Differ};
use crate::enums::bir::DMAQueueType;
use crate::enums::id;
use crate::ir::ModuleRef;
use crate::ir::raw::values::CallBinding;
use crate::ir::raw::{DMAQueue, Function, MemoryLocation};

impl<'x> Differ<'x> {
    pub(super) fn function(&mut self, a: &'x Function, b: &'x Function) -> Check {
        self.own_of_function(a, b)?;
        self.storages(a, b)?;
        self.holders(a.block_holder(), b.block_holder())
    }

    /// Everything of two functions but storage and blocks.
    pub(super) fn own_of_function(&mut self, a: &'x Function, b: &'x Function) -> Check {
        self.named(&a.named, &b.named)?;
        self.values("attributes", a.attributes(), b.attributes())
    }

    pub(super) fn dma_queue(&mut self, a: &'x DMAQueue, b: &'x DMAQueue) -> Check {
        self.own_of_queue(a, b)?;
        self.holders(a.block_holder(), b.block_holder())
    }

    /// Everything of two queues but blocks.
    pub(super) fn own_of_queue(&mut self, a: &'x DMAQueue, b: &'x DMAQueue) -> Check {
        self.named(&a.named, &b.named)?;
        self.ordinal("type", DMAQueueType::ID, a.queue_type.get(), b.queue_type.get())?;
        self.ordinal("engine", id::ENGINE_TYPE, a.engine.get(), b.engine.get())?;
        self.value("engine_id", a.engine_id(), b.engine_id())?;
        self.value("num_dma_engines", a.num_dma_engines(), b.num_dma_engines())?;
        self.str("attributes", &a.attributes_json(), &b.attributes_json())
    }

    /// A function of a module: references in it are relative to it.
    fn member_function(&mut self, a: &'x Function, b: &'x Function) -> Check {
        let around = (self.a, self.b);
        let known_as = Some(a.name());
        self.a = Scope { function: Some(a), known_as, ..around.0 };
        self.b = Scope { function: Some(b), known_as, ..around.1 };
        self.function(a, b)?;
        (self.a, self.b) = around;
        Ok(())
    }

    fn header_of_module(&mut self, a: &'x ModuleRef, b: &'x ModuleRef) -> Check {
        self.ordinal("arch", id::ARCH_LEVEL, a.arch.get(), b.arch.get())?;
        self.ordinal("revision", id::ARCH_REVISION, a.arch_revision.get(), b.arch_revision.get())?;
        self.str("artifact_path", &a.artifact_path(), &b.artifact_path())?;
        self.str("artifact_info", &a.artifact_info(), &b.artifact_info())?;
        self.str("attributes", &a.attributes_json(), &b.attributes_json())
    }

    /// Everything of two modules but functions and queues.
    pub(super) fn own_of_module(&mut self, a: &'x ModuleRef, b: &'x ModuleRef) -> Check {
        self.header_of_module(a, b)?;
        self.call_bindings(a, b)
    }

    fn call_bindings(&mut self, a: &'x ModuleRef, b: &'x ModuleRef) -> Check {
        let show =
            |c: &&CallBinding| c.call.get().map_or_else(alloc::string::String::new, |c| crate::error::text(c.name()));
        let bindings = (a.call_bindings.iter_refs(), b.call_bindings.iter_refs());
        self.list("call_to_physical_memlocs", bindings.0, bindings.1, show, |d, x, y| {
            d.instruction_ref("call", x.call.get(), y.call.get())?;
            let (locations_a, locations_b) = (x.locations.iter(), y.locations.iter());
            let (locations_a, locations_b) =
                (locations_a.filter_map(|l| l.get(x)), locations_b.filter_map(|l| l.get(y)));
            let show = |l: &&MemoryLocation| crate::error::text(l.name());
            d.list("locations", locations_a, locations_b, show, |d, x, y| {
                d.storage_ref("", Some(x.base()), Some(y.base()))
            })
        })
    }

    pub(super) fn module(&mut self, a: &'x ModuleRef, b: &'x ModuleRef) -> Check {
        self.header_of_module(a, b)?;
        let show = |f: &&Function| crate::error::text(f.name());
        self.list("functions", a.functions(), b.functions(), show, Self::member_function)?;
        self.at("nki_functions", |d| {
            d.list("functions", a.nki_functions(), b.nki_functions(), show, Self::member_function)
        })?;
        let show = |q: &&DMAQueue| crate::error::text(q.name());
        self.list("queues", a.queues(), b.queues(), show, Self::dma_queue)?;
        self.call_bindings(a, b)
    }
}
