//! The root object, functions holders and queues.
#![forbid(unsafe_code)]

use super::super::input::{Input, ValueKind};
use super::{Reader, address};
use crate::enums::bir::{ArchLevel, ArchRevision, DMAQueueType, EngineType, ModuleAttribute};
use crate::enums::id;
use crate::ir::{FunctionHolder, Place};
use crate::{ErrorCode, Result};
use alloc::string::String;

impl<'a, 'm, I: Input<'a>> Reader<'a, 'm, I> {
    /// The whole document, the wrapper `{"module": ...}` of a round-trip tool included.
    pub(super) fn document(&mut self) -> Result<()> {
        let [wrapped, version] = self.scan_root()?;
        match (wrapped, version) {
            (Some(mark), None) => {
                self.at_mark(mark, |r| r.under("module", Self::module))?;
                self.input.skip()?;
            }
            _ => self.module()?,
        }
        self.input.finish()?;
        self.resolve()
    }

    /// Looks only at the first keys: a wrapper has one key, `module`.
    fn scan_root(&mut self) -> Result<[Option<I::Mark>; 2]> {
        self.expect_kind(ValueKind::Object)?;
        let start = self.input.mark();
        self.input.begin_object()?;
        let first = self.input.next_key()?;
        let mark = self.input.mark();
        self.input.reset(start);
        Ok(if first.as_deref() == Some("module") { [Some(mark), None] } else { [None, Some(mark)] })
    }

    fn module(&mut self) -> Result<()> {
        let mut has_arch = false;
        let mut has_functions = false;
        let mut calls = None;
        let mut nki = None;
        let mut queues = None;
        self.object(|r, key| match &*key {
            "version" => r.under("version", |r| {
                r.version = Some(r.i64()?);
                Ok(())
            }),
            "arch" => r.under("arch", |r| {
                has_arch = true;
                let arch = r.enum_value(id::ARCH_LEVEL)?;
                r.module.set_arch(ArchLevel::from_ordinal(arch)?);
                Ok(())
            }),
            "revision" => r.under("revision", |r| {
                let revision = r.enum_value(id::ARCH_REVISION)?;
                r.module.set_revision(ArchRevision::from_ordinal(revision)?);
                Ok(())
            }),
            "functions" => r.under("functions", |r| {
                r.once(&mut has_functions)?;
                let holder = r.module.function_holder();
                r.array(|r, _| r.function(holder))
            }),
            // Later passes over these two keep the ids in the order of the original: functions, NKI functions, queues.
            "nki_functions" => r.under("nki_functions", |r| r.later(&mut nki)),
            "queues" => r.under("queues", |r| r.later(&mut queues)),
            "attributes" => r.under("attributes", Self::module_attributes),
            "artifact_path" => r.under("artifact_path", |r| {
                let path = r.string()?;
                r.module.set_artifact_path(&path).map_err(|e| r.place(e))
            }),
            "artifact_info" => r.under("artifact_info", |r| {
                let info = r.attribute_object()?;
                r.module.set_artifact_info(&info).map_err(|e| r.place(e))
            }),
            "call_to_physical_memlocs" => r.under("call_to_physical_memlocs", |r| r.later(&mut calls)),
            _ => r.unknown_key(&key),
        })?;
        for (key, present) in [("version", self.version.is_some()), ("arch", has_arch), ("functions", has_functions)] {
            if !present {
                return Err(self.missing(key));
            }
        }
        if let Some(mark) = nki {
            self.at_mark(mark, |r| r.under("nki_functions", Self::nki_functions))?;
        }
        if let Some(mark) = queues {
            self.at_mark(mark, |r| r.under("queues", |r| r.array(|r, _| r.queue())))?;
        }
        if let Some(mark) = calls {
            self.at_mark(mark, |r| r.under("call_to_physical_memlocs", Self::call_bindings))?;
        }
        self.check_version()
    }

    /// Fails when a key that may stand only once stands twice.
    pub(super) fn once(&mut self, seen: &mut bool) -> Result<()> {
        if core::mem::replace(seen, true) {
            return Err(self.error(ErrorCode::Conflict, "the key stands twice in one object"));
        }
        Ok(())
    }

    /// Keeps a value for later and passes over it.
    pub(super) fn later(&mut self, slot: &mut Option<I::Mark>) -> Result<()> {
        if slot.replace(self.input.mark()).is_some() {
            return Err(self.error(ErrorCode::Conflict, "the key stands twice in one object"));
        }
        self.input.skip()
    }

    /// `version` says how affine expressions are written; without any, it is not looked at.
    fn check_version(&mut self) -> Result<()> {
        let version = self.version.unwrap_or_default();
        match self.first_expr.take() {
            Some((path, position)) if !matches!(version, 1 | 2) => Err(crate::Error::new(
                ErrorCode::BadValue,
                "the version does not say how this affine expression is written",
            )
            .expected_found("version 1 (old) or 2 (new)", format_args!("version {version}"))
            .at(path)
            .at_position(position)),
            _ => Ok(()),
        }
    }

    fn nki_functions(&mut self) -> Result<()> {
        let holder: &'m FunctionHolder = self.module.nki_holder()?;
        self.object(|r, key| match &*key {
            "functions" => r.under("functions", |r| r.array(|r, _| r.function(holder))),
            _ => Err(r
                .error(ErrorCode::BadValue, "nki_functions has exactly one key")
                .expected_found("`functions`", format_args!("`{key}`"))),
        })
    }

    fn module_attributes(&mut self) -> Result<()> {
        let mark = self.input.mark();
        self.object(|r, key| {
            ModuleAttribute::from_name(&key).map_err(|e| r.place(e))?;
            r.input.skip()
        })?;
        let after = self.input.mark();
        self.input.reset(mark);
        let text = self.attribute_object()?;
        self.input.reset(after);
        self.module.set_attributes_json(&text).map_err(|e| self.place(e))
    }

    fn queue(&mut self) -> Result<()> {
        let [name] = self.scan(["name"])?;
        let name = self.required("name", name, |r| r.string())?;
        let placed = self.module.add_queue(&name, DMAQueueType::data, Place::End).map_err(|e| self.place(e))?;
        let queue = placed.object;
        if placed.renamed {
            self.renamed(address(self.module), &name, address(queue), &queue.name())?;
        }
        self.scopes.open(queue.block_holder())?;
        let mut blocks = None;
        self.object(|r, key| match &*key {
            "name" => r.input.skip(),
            "origin" => r.under("origin", |r| r.origin().map(|o| queue.set_origin(o))),
            "type" => r.under("type", |r| {
                let queue_type = r.enum_value(id::DMA_QUEUE_TYPE)?;
                queue.set_queue_type(DMAQueueType::from_ordinal(queue_type)?);
                Ok(())
            }),
            "engine" => r.under("engine", |r| {
                let engine = r.enum_value(id::ENGINE_TYPE)?;
                queue.set_engine(EngineType::from_ordinal(engine)?);
                Ok(())
            }),
            "engine_id" => r.under("engine_id", |r| r.u32().map(|v| queue.set_engine_id(v))),
            "num_dma_engines" => r.under("num_dma_engines", |r| r.u32().map(|v| queue.set_num_dma_engines(v))),
            "attributes" => r.under("attributes", |r| {
                let text = r.attribute_object()?;
                queue.set_attributes_json(&text).map_err(|e| r.place(e))
            }),
            "blocks" => r.under("blocks", |r| r.later(&mut blocks)),
            _ => r.unknown_key(&key),
        })?;
        if let Some(mark) = blocks {
            self.at_mark(mark, |r| r.under("blocks", |r| r.array(|r, _| r.block(queue.block_holder()))))?;
        }
        self.resolve_function_level()
    }

    fn call_bindings(&mut self) -> Result<()> {
        self.object(|r, key| {
            let offset = r.input.offset();
            let names = r.strings()?;
            r.pending.call(String::from(&*key), names, offset)
        })
    }

    pub(super) fn origin(&mut self) -> Result<crate::enums::bir::NamedObjectOrigin> {
        let origin = self.enum_value(id::NAMED_OBJECT_ORIGIN)?;
        crate::enums::bir::NamedObjectOrigin::from_ordinal(origin)
    }
}
