//! The root object, functions, blocks and queues.
#![forbid(unsafe_code)]

use super::Writer;
use crate::Result;
use crate::ir::{BasicBlock, BasicBlockArgument, BasicBlockHolder, DMAQueue, Function, FunctionHolder};
use crate::sink::Sink;

/// The version of the affine expression form that is written.
const VERSION: i64 = 2;

impl<'m, S: Sink + ?Sized> Writer<'_, 'm, S> {
    pub(super) fn module(&mut self) -> Result<()> {
        let module = self.module;
        self.out.begin_object()?;
        self.text("arch", module.arch()?.name())?;
        self.verbatim_member("artifact_info", &module.artifact_info())?;
        if !module.artifact_path().is_empty() || self.explicit {
            self.text("artifact_path", &module.artifact_path())?;
        }
        match (&*module.attributes_json(), self.explicit) {
            ("", true) => self.verbatim_member("attributes", "{}")?,
            (text, _) => self.verbatim_member("attributes", text)?,
        }
        let mut calls = module.call_bindings().peekable();
        if calls.peek().is_some() {
            self.out.key("call_to_physical_memlocs")?;
            let mut sorted: alloc::vec::Vec<_> = calls.collect();
            sorted.sort_by(|a, b| a.0.name().cmp(&b.0.name()));
            self.out.begin_object()?;
            for (call, locations) in sorted {
                self.out.key(&call.name())?;
                self.out.begin_array()?;
                for location in locations {
                    self.out.string(&location.name())?;
                }
                self.out.end_array()?;
            }
            self.out.end_object()?;
        }
        self.out.key("functions")?;
        self.functions(module.function_holder())?;
        let nki = module.nki_holder()?;
        if nki.function_count() > 0 {
            self.out.key("nki_functions")?;
            self.out.begin_object()?;
            self.out.key("functions")?;
            self.functions(nki)?;
            self.out.end_object()?;
        }
        if module.queue_count() > 0 || self.explicit {
            self.out.key("queues")?;
            self.out.begin_array()?;
            for queue in module.queues() {
                self.queue(queue)?;
            }
            self.out.end_array()?;
        }
        let revision = module.revision()?;
        if revision != crate::enums::bir::ArchRevision::v1 || self.explicit {
            self.text("revision", revision.name())?;
        }
        self.number("version", VERSION)?;
        self.out.end_object()
    }

    /// `main` first, the others in order (`spec/bir-json.md` section 1 rule 8).
    fn functions(&mut self, holder: &'m FunctionHolder) -> Result<()> {
        self.out.begin_array()?;
        let is_main = |f: &&Function| *f.name() == *"main";
        for function in holder.functions().filter(is_main).chain(holder.functions().filter(|f| !is_main(f))) {
            self.function(function)?;
        }
        self.out.end_array()
    }

    fn function(&mut self, function: &'m Function) -> Result<()> {
        self.out.begin_object()?;
        self.out.key("allocations")?;
        self.out.begin_array()?;
        for storage in function.storages() {
            self.storage(storage)?;
        }
        self.out.end_array()?;
        self.names("attributes", function.attributes(), self.explicit)?;
        self.blocks(function.block_holder())?;
        self.text("name", &function.name())?;
        self.text("origin", function.origin()?.name())?;
        self.out.end_object()
    }

    /// The `blocks` member of a holder, `main` first.
    pub(super) fn blocks(&mut self, holder: &'m BasicBlockHolder) -> Result<()> {
        self.out.key("blocks")?;
        self.out.begin_array()?;
        let is_main = |b: &&BasicBlock| *b.name() == *"main";
        for block in holder.blocks().filter(is_main).chain(holder.blocks().filter(|b| !is_main(b))) {
            self.block(block)?;
        }
        self.out.end_array()
    }

    fn block(&mut self, block: &'m BasicBlock) -> Result<()> {
        self.out.begin_object()?;
        if block.argument_count() > 0 {
            self.out.key("arguments")?;
            self.out.begin_array()?;
            for argument in block.arguments() {
                self.block_argument(argument)?;
            }
            self.out.end_array()?;
        }
        self.out.key("instructions")?;
        self.out.begin_array()?;
        for instruction in block.instructions() {
            self.instruction(instruction)?;
        }
        self.out.end_array()?;
        self.text("name", &block.name())?;
        self.text("origin", block.origin()?.name())?;
        self.out.end_object()
    }

    fn block_argument(&mut self, argument: &'m BasicBlockArgument) -> Result<()> {
        self.out.begin_object()?;
        if self.explicit || argument.incoming().next().is_some() {
            self.out.key("incoming_values")?;
            self.out.begin_array()?;
            for (value, predecessor) in argument.incoming() {
                self.out.begin_array()?;
                self.out.string(&value.name())?;
                self.out.string(&predecessor.name())?;
                self.out.end_array()?;
            }
            self.out.end_array()?;
        }
        let location = argument.location();
        let register = location.filter(|s| s.as_register().is_some());
        if let Some(storage) = location.filter(|_| register.is_none()) {
            let key = if storage.as_set().is_some() { "memsetref" } else { "memref" };
            self.text(key, &storage.name())?;
        }
        self.text("name", &argument.name())?;
        if let Some(register) = register {
            self.text("regref", &register.name())?;
        }
        self.out.end_object()
    }

    fn queue(&mut self, queue: &'m DMAQueue) -> Result<()> {
        self.out.begin_object()?;
        self.verbatim_member("attributes", &queue.attributes_json())?;
        self.blocks(queue.block_holder())?;
        let engine = queue.engine()?;
        if engine != crate::enums::bir::EngineType::Unassigned || self.explicit {
            self.text("engine", engine.name())?;
        }
        if queue.engine_id() != 0 || self.explicit {
            self.unsigned("engine_id", queue.engine_id().into())?;
        }
        self.text("name", &queue.name())?;
        if queue.num_dma_engines() != 0 || self.explicit {
            self.unsigned("num_dma_engines", queue.num_dma_engines().into())?;
        }
        self.text("origin", queue.origin()?.name())?;
        let queue_type = queue.queue_type()?;
        if queue_type != crate::enums::bir::DMAQueueType::data || self.explicit {
            self.text("type", queue_type.name())?;
        }
        self.out.end_object()
    }
}
