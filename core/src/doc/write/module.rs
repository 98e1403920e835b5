//! The root object, functions, blocks and queues.
#![forbid(unsafe_code)]

use super::Writer;
use super::large::Members;
use crate::Result;
use crate::doc::output::Output;
use crate::ir::{BasicBlock, BasicBlockArgument, BasicBlockHolder, DMAQueue, Function, FunctionHolder, ModuleRef};

/// The version of the affine expression form that is written.
const VERSION: i64 = 2;

impl<'m> Members<'m> for &'m ModuleRef {
    fn write_members<O: Output>(self, w: &mut Writer<'_, 'm, O>) -> Result<()> {
        w.word("arch", self.arch()?.name())?;
        w.verbatim_member("artifact_info", &self.artifact_info())?;
        if !self.artifact_path().is_empty() || w.explicit {
            w.text("artifact_path", &self.artifact_path())?;
        }
        match (&*self.attributes_json(), w.explicit) {
            ("", true) => w.verbatim_member("attributes", "{}")?,
            (text, _) => w.verbatim_member("attributes", text)?,
        }
        let mut calls = self.call_bindings().peekable();
        if calls.peek().is_some() {
            w.out.schema_key("call_to_physical_memlocs")?;
            let mut sorted: alloc::vec::Vec<_> = calls.collect();
            sorted.sort_by(|a, b| a.0.name().cmp(&b.0.name()));
            w.out.begin_object_of(sorted.len() as u64)?;
            for (call, locations) in sorted {
                w.out.key(&call.name())?;
                w.out.begin_array()?;
                for location in locations {
                    w.out.string(&location.name())?;
                }
                w.out.end_array()?;
            }
            w.out.end_object()?;
        }
        w.out.schema_key("functions")?;
        w.functions(self.function_holder())?;
        let nki = self.nki_holder()?;
        if nki.function_count() > 0 {
            w.out.schema_key("nki_functions")?;
            w.out.begin_object_of(1)?;
            w.out.schema_key("functions")?;
            w.functions(nki)?;
            w.out.end_object()?;
        }
        if self.queue_count() > 0 || w.explicit {
            w.out.schema_key("queues")?;
            w.children(self.queues(), |w, queue| w.large(queue))?;
        }
        let revision = self.revision()?;
        if revision != crate::enums::bir::ArchRevision::v1 || w.explicit {
            w.word("revision", revision.name())?;
        }
        w.number("version", VERSION)
    }
}

impl<'m> Members<'m> for &'m Function {
    fn write_members<O: Output>(self, w: &mut Writer<'_, 'm, O>) -> Result<()> {
        w.out.schema_key("allocations")?;
        w.children(self.storages(), |w, storage| w.storage(storage))?;
        w.names("attributes", self.attributes(), w.explicit)?;
        w.blocks(self.block_holder())?;
        w.text("name", &self.name())?;
        w.word("origin", self.origin()?.name())
    }
}

impl<'m> Members<'m> for &'m BasicBlock {
    fn write_members<O: Output>(self, w: &mut Writer<'_, 'm, O>) -> Result<()> {
        if self.argument_count() > 0 {
            w.out.schema_key("arguments")?;
            w.out.begin_array_of(self.argument_count() as u64)?;
            for argument in self.arguments() {
                w.block_argument(argument)?;
            }
            w.out.end_array()?;
        }
        w.out.schema_key("instructions")?;
        w.children(self.instructions(), |w, instruction| w.instruction(instruction))?;
        w.text("name", &self.name())?;
        w.word("origin", self.origin()?.name())
    }
}

impl<'m> Members<'m> for &'m DMAQueue {
    fn write_members<O: Output>(self, w: &mut Writer<'_, 'm, O>) -> Result<()> {
        w.verbatim_member("attributes", &self.attributes_json())?;
        w.blocks(self.block_holder())?;
        let engine = self.engine()?;
        if engine != crate::enums::bir::EngineType::Unassigned || w.explicit {
            w.word("engine", engine.name())?;
        }
        if self.engine_id() != 0 || w.explicit {
            w.unsigned("engine_id", self.engine_id().into())?;
        }
        w.text("name", &self.name())?;
        if self.num_dma_engines() != 0 || w.explicit {
            w.unsigned("num_dma_engines", self.num_dma_engines().into())?;
        }
        w.word("origin", self.origin()?.name())?;
        let queue_type = self.queue_type()?;
        if queue_type != crate::enums::bir::DMAQueueType::data || w.explicit {
            w.word("type", queue_type.name())?;
        }
        Ok(())
    }
}

impl<'m, O: Output> Writer<'_, 'm, O> {
    /// `main` first, the others in order (`spec/bir-json.md` section 1 rule 8).
    fn functions(&mut self, holder: &'m FunctionHolder) -> Result<()> {
        let is_main = |f: &&Function| *f.name() == *"main";
        let functions = holder.functions().filter(is_main).chain(holder.functions().filter(|f| !is_main(f)));
        self.children(functions, |w, function| w.large(function))
    }

    /// The `blocks` member of a holder, `main` first.
    pub(super) fn blocks(&mut self, holder: &'m BasicBlockHolder) -> Result<()> {
        self.out.schema_key("blocks")?;
        let is_main = |b: &&BasicBlock| *b.name() == *"main";
        let blocks = holder.blocks().filter(is_main).chain(holder.blocks().filter(|b| !is_main(b)));
        self.children(blocks, |w, block| w.large(block))
    }

    fn block_argument(&mut self, argument: &'m BasicBlockArgument) -> Result<()> {
        self.out.begin_object()?;
        if self.explicit || argument.incoming().next().is_some() {
            self.out.schema_key("incoming_values")?;
            self.out.begin_array()?;
            for (value, predecessor) in argument.incoming() {
                self.out.begin_array()?;
                self.out.string(&value.name())?;
                self.out.string(&predecessor.name())?;
                self.out.end_array()?;
            }
            self.out.end_array()?;
        }
        let storage = argument.location();
        if let Some(storage) = storage.filter(|s| s.as_register().is_none()) {
            self.text(if storage.as_set().is_some() { "memsetref" } else { "memref" }, &storage.name())?;
        }
        self.text("name", &argument.name())?;
        if let Some(register) = storage.and_then(|s| s.as_register()) {
            self.text("regref", &register.name())?;
        }
        self.out.end_object()
    }
}
