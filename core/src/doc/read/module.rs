//! The root object, functions holders and queues.
#![forbid(unsafe_code)]

use super::super::input::{Input, ValueKind};
use super::function::LOADING;
use super::{Reader, address, compact};
use crate::enums::bir::{ArchLevel, ArchRevision, DMAQueueType, EngineType, ModuleAttribute};
use crate::enums::id;
use crate::ir::{FunctionHolder, Place};
use crate::{ErrorCode, Result};

/// The attributes of a module that are arrays (`spec/bir-json.md` section 3); they are no members of the enum of the others.
const ARRAY_ATTRIBUTES: [&str; 2] = ["replica_groups", "src_target_pairs"];

impl<'a, 'm, I: Input<'a>> Reader<'_, 'a, 'm, I> {
    /// The whole document, the wrapper `{"module": ...}` of a round-trip tool included.
    pub(super) fn document(&mut self) -> Result<()> {
        self.look()?;
        self.wrapped = self.held(Self::is_wrapped)?;
        if self.wrapped {
            self.wrapper()?;
        } else {
            self.module()?;
        }
        self.input.finish()?;
        self.resolve()?;
        let (offset, total) = (self.input.offset(), self.input.total());
        self.watch.tell(offset, total)
    }

    /// Looks only at the first key: that of a wrapper is `module`.
    fn is_wrapped(&mut self) -> Result<bool> {
        self.expect_kind(ValueKind::Object)?;
        let start = self.input.mark();
        self.input.begin_object()?;
        let first = self.input.next_key()?;
        self.input.reset(start);
        Ok(first.as_deref() == Some("module"))
    }

    fn wrapper(&mut self) -> Result<()> {
        let mut has_module = false;
        self.object(|r, key| match &*key {
            "module" => r.under("module", |r| {
                r.once(&mut has_module)?;
                r.module()
            }),
            _ => r.unknown_key(&key),
        })?;
        if has_module { Ok(()) } else { Err(self.missing("module")) }
    }

    fn module(&mut self) -> Result<()> {
        let mut has_arch = false;
        let mut has_functions = false;
        let (mut has_calls, mut has_nki, mut has_queues) = (false, false, false);
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
            // After the functions, so that ids are given in the order of the original: functions, NKI functions, queues. Sorted
            // documents have that order, others make these two wait.
            "nki_functions" => r.under("nki_functions", |r| {
                r.once(&mut has_nki)?;
                if has_functions { r.nki_functions() } else { r.later(&mut nki) }
            }),
            "queues" => r.under("queues", |r| {
                r.once(&mut has_queues)?;
                if has_functions && nki.is_none() { r.queues() } else { r.later(&mut queues) }
            }),
            "attributes" => r.under("attributes", Self::module_attributes),
            "artifact_path" => r.under("artifact_path", |r| {
                let path = r.string()?;
                r.module.set_artifact_path(&path).map_err(|e| r.place(e))
            }),
            "artifact_info" => r.under("artifact_info", |r| {
                let info = r.attribute_object()?;
                r.module.set_artifact_info(&info).map_err(|e| r.place(e))
            }),
            "call_to_physical_memlocs" => r.under("call_to_physical_memlocs", |r| {
                r.once(&mut has_calls)?;
                r.call_bindings()
            }),
            _ => r.unknown_key(&key),
        })?;
        for (key, present) in [("version", self.version.is_some()), ("arch", has_arch), ("functions", has_functions)] {
            if !present {
                return Err(self.missing(key));
            }
        }
        if let Some(mark) = nki {
            self.taken_up(mark, |r| r.under("nki_functions", Self::nki_functions))?;
        }
        if let Some(mark) = queues {
            self.taken_up(mark, |r| r.under("queues", Self::queues))?;
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

    /// Keeps a value for [`Reader::taken_up`] and passes over it.
    pub(super) fn later(&mut self, slot: &mut Option<I::Mark>) -> Result<()> {
        self.input.hold();
        *slot = Some(self.input.mark());
        self.input.pass()
    }

    /// Reads what [`Reader::later`] kept.
    pub(super) fn taken_up<T>(&mut self, mark: I::Mark, read: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let value = self.at_mark(mark, read)?;
        self.input.release();
        Ok(value)
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
        let text = self.held(|r| {
            let mark = r.input.mark();
            r.object(|r, key| r.module_attribute(&key))?;
            r.input.reset(mark);
            let mut value = r.input.value()?;
            if let Some(members) = value.as_object_mut() {
                members.retain(|_, member| !member.is_null());
            }
            compact(&value)
        })?;
        let text = if text == "{}" { "" } else { &text };
        self.module.set_attributes_json(text).map_err(|e| self.place(e))
    }

    fn module_attribute(&mut self, key: &str) -> Result<()> {
        self.path.push_name(key);
        if ARRAY_ATTRIBUTES.contains(&key) {
            self.expect_kind(ValueKind::Array)?;
            self.input.skip()?;
        } else {
            ModuleAttribute::from_name(key).map_err(|e| self.place(e))?;
            match self.input.peek()? {
                ValueKind::Object | ValueKind::Array => {
                    return Err(self.wrong_type("a boolean, an integer or a string"));
                }
                ValueKind::Number => self.integer(i64::MIN.into(), u64::MAX.into()).map(drop)?,
                _ => self.input.skip()?,
            }
        }
        self.path.pop();
        Ok(())
    }

    fn queues(&mut self) -> Result<()> {
        self.array(|r, _| r.queue())
    }

    fn queue(&mut self) -> Result<()> {
        let queue = self.module.add_queue(LOADING, DMAQueueType::data, Place::End).map_err(|e| self.place(e))?.object;
        self.scopes.open(queue.block_holder())?;
        let mut name = None;
        let mut has_blocks = false;
        self.object(|r, key| match &*key {
            "name" => r.under("name", |r| {
                name = Some(r.string()?);
                Ok(())
            }),
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
            "blocks" => r.under("blocks", |r| {
                r.once(&mut has_blocks)?;
                r.array(|r, _| r.block(queue.block_holder()))
            }),
            _ => r.unknown_key(&key),
        })?;
        let Some(name) = name else { return Err(self.missing("name")) };
        if queue.set_name(&name).map_err(|e| self.place(e))? {
            self.renamed(address(self.module), &name, address(queue), &queue.name())?;
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
