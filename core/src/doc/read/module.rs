//! The root object, functions holders and queues.
#![forbid(unsafe_code)]

use super::super::input::{Input, ValueKind};
use super::{Reader, address, compact};
use crate::enums::bir::{ArchLevel, ArchRevision, DMAQueueType, EngineType, ModuleAttribute};
use crate::enums::id;
use crate::ir::{FunctionHolder, Place};
use crate::{ErrorCode, Result};

/// The attributes of a module that are arrays (`spec/bir-json.md` section 3); they are no members of the enum of the others.
const ARRAY_ATTRIBUTES: [&str; 2] = ["replica_groups", "src_target_pairs"];

impl<'a, 'm, I: Input<'a>> Reader<'a, 'm, I> {
    /// The whole document, the wrapper `{"module": ...}` of a round-trip tool included.
    pub(super) fn document(&mut self) -> Result<()> {
        self.wrapped = self.is_wrapped()?;
        if self.wrapped {
            let mut has_module = false;
            self.object(|r, key| match &*key {
                "module" => r.under("module", |r| {
                    r.once(&mut has_module)?;
                    r.module()
                }),
                _ => r.unknown_key(&key),
            })?;
            if !has_module {
                return Err(self.missing("module"));
            }
        } else {
            self.module()?;
        }
        self.input.finish()?;
        self.resolve()
    }

    /// Looks only at the first key: that of a wrapper is `module`.
    fn is_wrapped(&mut self) -> Result<bool> {
        self.expect_kind(ValueKind::Object)?;
        let start = self.input.mark();
        self.input.begin_object()?;
        let wrapped = self.input.next_key()?.as_deref() == Some("module");
        self.input.reset(start);
        Ok(wrapped)
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
            _ => {
                r.path.push_name(&key);
                Err(r
                    .error(ErrorCode::BadValue, "nki_functions has exactly one key")
                    .expected_found("`functions`", format_args!("`{key}`")))
            }
        })
    }

    fn module_attributes(&mut self) -> Result<()> {
        let mark = self.input.mark();
        self.object(|r, key| {
            r.path.push_name(&key);
            if ARRAY_ATTRIBUTES.contains(&&*key) {
                r.expect_kind(ValueKind::Array)?;
                r.input.skip()?;
            } else {
                ModuleAttribute::from_name(&key).map_err(|e| r.place(e))?;
                match r.input.peek()? {
                    ValueKind::Object | ValueKind::Array => {
                        return Err(r.wrong_type("a boolean, an integer or a string"));
                    }
                    ValueKind::Number => r.integer(i64::MIN.into(), u64::MAX.into()).map(drop)?,
                    _ => r.input.skip()?,
                }
            }
            r.path.pop();
            Ok(())
        })?;
        let after = self.input.mark();
        self.input.reset(mark);
        let mut value = self.input.value()?;
        self.input.reset(after);
        if let Some(members) = value.as_object_mut() {
            members.retain(|_, member| !member.is_null());
        }
        let text = compact(&value)?;
        let text = if text == "{}" { "" } else { &text };
        self.module.set_attributes_json(text).map_err(|e| self.place(e))
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
            r.path.push_name(&key);
            let offset = r.at;
            let names = r.list(|r| Ok((r.string()?.into_owned(), r.at)))?;
            r.path.pop();
            r.pending.call(key.into_owned(), names, offset)
        })
    }

    pub(super) fn origin(&mut self) -> Result<crate::enums::bir::NamedObjectOrigin> {
        let origin = self.enum_value(id::NAMED_OBJECT_ORIGIN)?;
        crate::enums::bir::NamedObjectOrigin::from_ordinal(origin)
    }
}
