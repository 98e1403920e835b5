//! The pieces that all lines are made of.
#![forbid(unsafe_code)]

use super::PrintOptions;
use super::name::{is_bare, is_plain, quote};
use super::style::{Item, Output, Style};
use crate::Result;
use crate::doc::json_out::{float::shortest_f32, integer::decimal};
use crate::enums::{EnumInfo, IrEnum};
use crate::error::Error;
use crate::ir::Function;
use alloc::string::String;

/// Prints parts of a module into an [`Output`].
#[derive(Debug)]
pub struct Printer<'o, 'm, O: Output + ?Sized> {
    pub(super) out: &'o mut O,
    pub(super) all: bool,
    ids: bool,
    /// The function whose storages need no prefix.
    pub(super) here: Option<&'m Function>,
    scratch: String,
}

impl<'o, 'm, O: Output + ?Sized> Printer<'o, 'm, O> {
    /// A printer into `out`.
    pub fn new(out: &'o mut O, options: &PrintOptions) -> Self {
        let PrintOptions { all, ids } = *options;
        Printer { out, all, ids, here: None, scratch: String::new() }
    }

    /// One line, filled by `fill`.
    pub(super) fn line(
        &mut self,
        item: Item<'m>,
        depth: usize,
        fill: impl FnOnce(&mut Self) -> Result<()>,
    ) -> Result<()> {
        self.out.begin(item, depth)?;
        fill(self)?;
        self.out.end()
    }

    #[inline]
    pub(super) fn put(&mut self, style: Style, text: &str) -> Result<()> {
        self.out.piece(style, text)
    }

    #[inline]
    pub(super) fn plain(&mut self, text: &str) -> Result<()> {
        self.put(Style::Punctuation, text)
    }

    /// `keyword name (id 16):`; an instruction has no keyword.
    pub(super) fn head(&mut self, keyword: &str, name: &str, id: Option<i32>) -> Result<()> {
        if !keyword.is_empty() {
            self.put(Style::Keyword, keyword)?;
            self.plain(" ")?;
        }
        self.name(Style::Name, name)?;
        if let Some(id) = id.filter(|_| self.ids) {
            self.plain(" ")?;
            self.id(id)?;
        }
        self.plain(":")
    }

    /// `(id 16)`.
    pub(super) fn id(&mut self, id: i32) -> Result<()> {
        self.formatted(Style::Id, format_args!("(id {id})"))
    }

    /// Whether ids are shown.
    pub(super) fn shows_ids(&self) -> bool {
        self.ids
    }

    pub(super) fn formatted(&mut self, style: Style, value: core::fmt::Arguments<'_>) -> Result<()> {
        let mut text = core::mem::take(&mut self.scratch);
        text.clear();
        crate::fallible::append(&mut text, value)?;
        let result = self.out.piece(style, &text);
        self.scratch = text;
        result
    }

    /// A name, quoted if it needs that.
    pub(super) fn name(&mut self, style: Style, name: &str) -> Result<()> {
        if is_bare(name) { self.put(style, name) } else { self.quoted(style, name) }
    }

    pub(super) fn quoted(&mut self, style: Style, value: &str) -> Result<()> {
        let mut text = core::mem::take(&mut self.scratch);
        text.clear();
        quote(&mut text, value)?;
        let result = self.out.piece(style, &text);
        self.scratch = text;
        result
    }

    /// JSON as it is; quoted if it would end the line.
    pub(super) fn json(&mut self, json: &str) -> Result<()> {
        if is_plain(json) && !json.is_empty() { self.put(Style::Text, json) } else { self.quoted(Style::Text, json) }
    }

    /// ` key=`.
    pub(super) fn key(&mut self, key: &str) -> Result<()> {
        self.plain(" ")?;
        self.put(Style::Key, key)?;
        self.plain("=")
    }

    pub(super) fn unsigned(&mut self, value: u64) -> Result<()> {
        let digits = decimal(value);
        // Digits are ASCII.
        self.put(Style::Number, core::str::from_utf8(digits.bytes()).unwrap_or_default())
    }

    pub(super) fn signed(&mut self, value: i64) -> Result<()> {
        if value < 0 {
            self.put(Style::Number, "-")?;
        }
        self.unsigned(value.unsigned_abs())
    }

    pub(super) fn float(&mut self, value: f32) -> Result<()> {
        let text = shortest_f32(value);
        // What JSON has no number for is a text there.
        let text = core::str::from_utf8(text.bytes()).unwrap_or_default();
        self.put(Style::Number, text.trim_matches('"'))
    }

    pub(super) fn flag(&mut self, value: bool) -> Result<()> {
        self.put(Style::Member, if value { "true" } else { "false" })
    }

    pub(super) fn none(&mut self) -> Result<()> {
        self.put(Style::Member, "none")
    }

    /// The name of a member of an enum; `?9` for a number that is none.
    pub(super) fn ordinal(&mut self, info: &EnumInfo, style: Style, ordinal: i32) -> Result<()> {
        match info.by_ordinal(ordinal.into()) {
            Ok(member) => self.name(style, member.name),
            Err(_) => self.formatted(Style::Fault, format_args!("?{ordinal}")),
        }
    }

    /// As [`Self::ordinal`], for the enum of a type.
    pub(super) fn member<E: IrEnum>(&mut self, style: Style, ordinal: i32) -> Result<()> {
        self.ordinal(E::INFO, style, ordinal)
    }

    /// ` @Pool`.
    pub(super) fn engine(&mut self, ordinal: i32) -> Result<()> {
        match crate::enums::bir::EngineType::from_ordinal(ordinal.into()) {
            Ok(engine) => self.formatted(Style::Engine, format_args!(" @{}", engine.name())),
            Err(_) => self.formatted(Style::Fault, format_args!(" @?{ordinal}")),
        }
    }

    /// ` key=true`, or ` key=false` where everything is shown.
    pub(super) fn key_flag(&mut self, key: &str, value: bool) -> Result<()> {
        if value || self.all {
            self.key(key)?;
            self.flag(value)?;
        }
        Ok(())
    }

    /// ` key=5` unless it is `default`.
    pub(super) fn key_number(&mut self, key: &str, value: i64, default: i64) -> Result<()> {
        if value != default || self.all {
            self.key(key)?;
            self.signed(value)?;
        }
        Ok(())
    }

    /// As [`Self::key_number`].
    pub(super) fn key_unsigned(&mut self, key: &str, value: u64, default: u64) -> Result<()> {
        if value != default || self.all {
            self.key(key)?;
            self.unsigned(value)?;
        }
        Ok(())
    }

    /// ` key="text"` unless it is empty.
    pub(super) fn key_text(&mut self, key: &str, text: &str) -> Result<()> {
        if !text.is_empty() || self.all {
            self.key(key)?;
            self.quoted(Style::Text, text)?;
        }
        Ok(())
    }

    /// ` key={...}` unless it is empty.
    pub(super) fn key_json(&mut self, key: &str, json: &str) -> Result<()> {
        if !json.is_empty() || self.all {
            self.key(key)?;
            if json.is_empty() { self.none()? } else { self.json(json)? }
        }
        Ok(())
    }

    /// ` key=[a, b]` unless it is empty.
    pub(super) fn key_list<T>(
        &mut self,
        key: &str,
        items: impl Iterator<Item = T>,
        each: impl FnMut(&mut Self, T) -> Result<()>,
    ) -> Result<()> {
        let mut items = items.peekable();
        if items.peek().is_some() || self.all {
            self.key(key)?;
            self.list(items, each)?;
        }
        Ok(())
    }

    /// `[a, b]`.
    pub(super) fn list<T>(
        &mut self,
        items: impl Iterator<Item = T>,
        each: impl FnMut(&mut Self, T) -> Result<()>,
    ) -> Result<()> {
        self.plain("[")?;
        self.separated(items, each)?;
        self.plain("]")
    }

    /// `a, b`.
    pub(super) fn separated<T>(
        &mut self,
        items: impl Iterator<Item = T>,
        mut each: impl FnMut(&mut Self, T) -> Result<()>,
    ) -> Result<()> {
        for (index, item) in items.enumerate() {
            if index > 0 {
                self.plain(", ")?;
            }
            each(self, item)?;
        }
        Ok(())
    }

    /// An integer of any width.
    pub(super) fn integer(&mut self, value: i128) -> Result<()> {
        match (u64::try_from(value), i64::try_from(value)) {
            (Ok(value), _) => self.unsigned(value),
            (_, Ok(value)) => self.signed(value),
            _ => self.formatted(Style::Number, format_args!("{value}")),
        }
    }

    /// ` origin=Internal`, where everything is shown.
    pub(super) fn origin(&mut self, ordinal: i32) -> Result<()> {
        if self.all {
            self.key("origin")?;
            self.member::<crate::enums::bir::NamedObjectOrigin>(Style::Member, ordinal)?;
        }
        Ok(())
    }
}

/// What the caller must not lose: everything but corrupt IR, which is shown as what it is.
pub(super) fn readable<T>(value: Result<T>) -> Result<Option<T>> {
    match value {
        Ok(value) => Ok(Some(value)),
        Err(Error { code: crate::ErrorCode::OutOfMemory, .. }) => Err(Error::out_of_memory()),
        Err(_) => Ok(None),
    }
}
