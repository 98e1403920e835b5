//! Functions, blocks and block arguments.
#![forbid(unsafe_code)]

use super::super::input::{Input, ValueKind};
use super::link::ArgumentLinks;
use super::{Reader, address, unresolved};
use crate::enums::bir::FunctionAttribute;
use crate::ir::{BasicBlock, BasicBlockHolder, Function, FunctionHolder, Place};
use crate::{Error, ErrorCode, Result};
use alloc::string::String;
use alloc::vec::Vec;

/// What an object is called until its name was read. Names come late in a sorted object, and a control character keeps this
/// apart from any name that a producer would choose.
pub(super) const LOADING: &str = "\u{1}loading";

impl<'a, 'm, I: Input<'a>> Reader<'_, 'a, 'm, I> {
    pub(super) fn function(&mut self, holder: &'m FunctionHolder) -> Result<()> {
        let function = holder.add_function(LOADING, Place::End).map_err(|e| self.place(e))?.object;
        self.scopes.open(function.block_holder())?;
        let mut name = None;
        let mut blocks = None;
        let (mut has_allocations, mut has_blocks) = (false, false);
        self.object(|r, key| match &*key {
            "name" => r.under("name", |r| {
                name = Some(r.string()?);
                Ok(())
            }),
            "origin" => r.under("origin", |r| r.origin().map(|o| function.set_origin(o))),
            "attributes" => r.under("attributes", |r| r.function_attributes(function)),
            "allocations" => r.under("allocations", |r| {
                r.once(&mut has_allocations)?;
                r.allocations(function)
            }),
            "blocks" if has_allocations => r.under("blocks", |r| {
                r.once(&mut has_blocks)?;
                r.array(|r, _| r.block(function.block_holder()))
            }),
            "blocks" => r.under("blocks", |r| {
                r.once(&mut has_blocks)?;
                r.later(&mut blocks)
            }),
            _ => r.unknown_key(&key),
        })?;
        for (key, present) in [("allocations", has_allocations), ("blocks", has_blocks || blocks.is_some())] {
            if !present {
                return Err(self.missing(key));
            }
        }
        let Some(name) = name else { return Err(self.missing("name")) };
        if let Some(mark) = blocks {
            self.taken_up(mark, |r| r.under("blocks", |r| r.array(|r, _| r.block(function.block_holder()))))?;
        }
        if let Some((owner, path, position)) = self.own_name.take().filter(|own| own.0 != name) {
            return Err(unresolved("function", &owner).at(path).at_position(position));
        }
        if function.set_name(&name).map_err(|e| self.place(e))? {
            self.renamed(address(holder), &name, address(function), &function.name())?;
        }
        self.resolve_function_level()
    }

    /// An array of names, or the older object of name to bool.
    fn function_attributes(&mut self, function: &'m Function) -> Result<()> {
        let names = match self.input.peek()? {
            ValueKind::Object => {
                let mut names: Vec<String> = Vec::new();
                self.object(|r, key| {
                    r.path.push_name(&key);
                    let engaged = r.bool()?;
                    r.path.pop();
                    if engaged {
                        names.try_reserve(1).map_err(|_| Error::out_of_memory())?;
                        names.push(key.into_owned());
                    }
                    Ok(())
                })?;
                // The order of keys means nothing.
                names.sort_unstable();
                names
            }
            ValueKind::Array => self.strings()?,
            _ => return Err(self.wrong_type("an array of names")),
        };
        // The roster is incomplete: unknown names are kept as text. Those known must be spelled as they are.
        debug_assert!(!FunctionAttribute::INFO.roster_complete);
        function.set_attributes(&names).map_err(|e| self.place(e))
    }

    pub(super) fn block(&mut self, holder: &'m BasicBlockHolder) -> Result<()> {
        let block = holder.add_block(LOADING, Place::End).map_err(|e| self.place(e))?.object;
        let mut name = None;
        let mut has_instructions = false;
        self.object(|r, key| match &*key {
            "name" => r.under("name", |r| {
                name = Some(r.string()?);
                Ok(())
            }),
            "origin" => r.under("origin", |r| r.origin().map(|o| block.set_origin(o))),
            "instructions" => r.under("instructions", |r| {
                r.once(&mut has_instructions)?;
                r.array(|r, _| r.instruction(block))
            }),
            "arguments" => r.under("arguments", |r| r.array(|r, _| r.block_argument(block))),
            _ => r.unknown_key(&key),
        })?;
        if !has_instructions {
            return Err(self.missing("instructions"));
        }
        let Some(name) = name else { return Err(self.missing("name")) };
        if block.set_name(&name).map_err(|e| self.place(e))? {
            self.renamed(address(holder), &name, address(block), &block.name())?;
        }
        Ok(())
    }

    fn block_argument(&mut self, block: &'m BasicBlock) -> Result<()> {
        let argument = block.add_argument("", Place::End).map_err(|e| self.place(e))?;
        let mut links = ArgumentLinks { path: crate::error::text(&self.path), offset: self.at, ..Default::default() };
        self.object(|r, key| match &*key {
            "name" => r.under("name", |r| {
                let name = r.string()?;
                argument.set_name(&name).map_err(|e| r.place(e))
            }),
            "location" => r.under("location", |r| r.argument_location("location", &mut links)),
            "memref" => r.under("memref", |r| r.argument_location("memref", &mut links)),
            "memsetref" => r.under("memsetref", |r| r.argument_location("memsetref", &mut links)),
            "regref" => r.under("regref", |r| r.argument_location("regref", &mut links)),
            "incoming_values" => r.under("incoming_values", |r| {
                r.array(|r, _| {
                    let pair = r.strings()?;
                    let [value, predecessor] = <[String; 2]>::try_from(pair).map_err(|pair| {
                        r.error(ErrorCode::WrongType, "")
                            .expected_found("[storage name, block name]", format_args!("{} names", pair.len()))
                    })?;
                    links.incoming.try_reserve(1).map_err(|_| Error::out_of_memory())?;
                    links.incoming.push((value, predecessor, r.at));
                    Ok(())
                })
            }),
            _ => r.unknown_key(&key),
        })?;
        self.pending.argument(block, argument, links)
    }

    fn argument_location(&mut self, key: &'static str, links: &mut ArgumentLinks) -> Result<()> {
        let name = self.string()?;
        if links.location.is_some() {
            return Err(self.error(ErrorCode::Conflict, "a block argument is bound to one storage"));
        }
        links.location = Some((key, name.into_owned(), self.at));
        Ok(())
    }
}
