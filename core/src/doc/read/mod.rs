//! The reader: one walk over the document, then the links that point forward.
//!
//! References are names, and bind to the first object that bore the name in the document; so the reader remembers which
//! objects it had to rename (`spec/layout.md` section 3.2, `spec/bir-json.md` section 2).
#![forbid(unsafe_code)]

mod expr;
mod function;
mod instruction;
mod keys;
mod layout;
mod link;
mod memo;
mod module;
mod operand;
mod payload;
mod storage;

pub(crate) use operand::{Immediate, immediate_range};

use super::input::{Input, Limits, Number, ValueKind};
use super::json_in::JsonInput;
use super::output::Output;
use super::pairs::{PairLayout, TextPair};
use super::path::Path;
use super::source::Source;
use super::stream_in::{JsonWindow, StreamInput};
use super::watch::Watch;
use crate::enums::EnumId;
use crate::error::text;
use crate::ir::raw::state::{FixedState, fixed_state};
use crate::ir::{BasicBlockHolder, Instruction, MemoryLocation, Module, ModuleRef, Storage};
use crate::mem::ahead::StartAhead;
use crate::{Error, ErrorCode, Position, Result};
use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use hashbrown::HashMap;
use layout::{Layout, Member, Place};

/// How a document is read.
#[derive(Clone, Debug)]
pub struct ReadOptions {
    /// Renames, unknown keys and bare edges are errors instead of warnings.
    pub strict: bool,
    /// Nesting and string limits.
    pub limits: Limits,
    /// Largest memory of the module, in bytes; `None` = no limit.
    pub max_module_bytes: Option<u64>,
    /// Warnings kept; later ones are only counted.
    pub max_warnings: usize,
    /// Who makes the module's memory ready while the document is read, such as
    /// `host::pages_ahead::start`; `None` = nobody. Nothing but the time depends on it.
    pub ahead: Option<StartAhead>,
}

impl Default for ReadOptions {
    fn default() -> Self {
        ReadOptions {
            strict: false,
            limits: Limits::default(),
            max_module_bytes: None,
            max_warnings: 1000,
            ahead: None,
        }
    }
}

/// What a warning is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WarningKind {
    /// A name was taken, so the object got another one.
    Renamed,
    /// A key that is not known; it was dropped.
    UnknownKey,
    /// A key of an older producer; it was dropped.
    IgnoredKey,
    /// A dependency given as a bare name; it counts as Flow.
    BareDependency,
    /// An immediate outside `ins`; it was put there.
    MovedImmediate,
}

impl WarningKind {
    /// The kind as a word.
    pub const fn name(self) -> &'static str {
        match self {
            WarningKind::Renamed => "Renamed",
            WarningKind::UnknownKey => "UnknownKey",
            WarningKind::IgnoredKey => "IgnoredKey",
            WarningKind::BareDependency => "BareDependency",
            WarningKind::MovedImmediate => "MovedImmediate",
        }
    }
}

/// Something worth knowing about a document that was read all the same.
#[derive(Clone, Debug)]
pub struct Warning {
    /// What it is about.
    pub kind: WarningKind,
    /// Where: a document path.
    pub path: String,
    /// What was found and done.
    pub message: String,
    /// Where in the text.
    pub position: Position,
}

impl core::fmt::Display for Warning {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{}: {}", self.path, self.message)?;
        match self.position {
            Position { line: 0, offset, .. } => write!(f, " (byte {offset})"),
            Position { line, column, .. } => write!(f, " (line {line}, column {column})"),
        }
    }
}

/// A module that was read, and what was noticed on the way.
#[derive(Debug)]
pub struct Loaded {
    /// The module.
    pub module: Module,
    /// Warnings, in the order of the text: the first [`ReadOptions::max_warnings`] of them.
    pub warnings: Vec<Warning>,
    /// Number of warnings beyond [`ReadOptions::max_warnings`].
    pub warnings_dropped: u64,
}

/// Reads a JSON document.
///
/// # Errors
/// The first error, with document path, line, column and byte offset; no module is made then. See `spec/bir-json.md`
/// section 9 for the conditions.
pub fn read_json(bytes: &[u8], options: &ReadOptions) -> Result<Loaded> {
    read(JsonInput::new(bytes, options.limits), options)
}

/// Reads a document from any input; see [`read_json`].
pub fn read<'a, I: Input<'a>>(input: I, options: &ReadOptions) -> Result<Loaded> {
    read_watched(input, options, &mut Watch::new())
}

/// As [`read`], while `watch` is told of the progress and may stop it.
///
/// # Errors
/// As [`read_json`]; [`ErrorCode::Cancelled`] when it was stopped.
pub fn read_watched<'a, I: Input<'a>>(input: I, options: &ReadOptions, watch: &mut Watch<'_>) -> Result<Loaded> {
    let module = Module::new()?;
    module.arena()?.set_limit(options.max_module_bytes);
    module.arena()?.set_ahead(options.ahead);
    let mut state = State::new(&module, options, watch.reborrow());
    let mut reader = Reader { input, state: &mut state, _bytes: core::marker::PhantomData };
    reader.document().map_err(|error| {
        let mut error = reader.place(error);
        // The arena does not know whose limit it keeps; where memory itself is out, it has nothing to say.
        if error.code == ErrorCode::OutOfMemory && options.max_module_bytes.is_some() && !error.message.is_empty() {
            error.message = text(format_args!("max_module_bytes: {}", error.message));
        }
        error
    })?;
    let (warnings, warnings_dropped) = (core::mem::take(&mut state.warnings), state.warnings_dropped);
    drop(state);
    module.arena()?.set_ahead(None);
    Ok(Loaded { module, warnings, warnings_dropped })
}

/// Reads a JSON document from a source, piece by piece: beside the module there is a buffer for about one instruction in
/// memory ([`Limits::max_buffer_bytes`]). Blocks that stand before the allocations of their function wait in the buffer.
///
/// An error that shows at the end only, such as a reference to what does not exist, has the byte offset of its place but no
/// line: the text has gone by then.
///
/// # Errors
/// As [`read_json`], and what the source reports.
pub fn read_json_stream<S: Source>(source: S, options: &ReadOptions, watch: &mut Watch<'_>) -> Result<Loaded> {
    read_watched(StreamInput::<JsonWindow, S>::new(source, options.limits), options, watch)
}

/// The names that an object bore in the document, where the final one differs.
#[derive(Default)]
struct Renames {
    /// (container address, name in the document) to the first renamed object that bore it.
    first: HashMap<(usize, String), usize, Fixed>,
    /// Addresses of renamed objects, with their names in the document.
    renamed: HashMap<usize, String, Fixed>,
}

/// The fixed hasher as a default.
#[derive(Clone)]
struct Fixed(FixedState);
impl Default for Fixed {
    fn default() -> Self {
        Fixed(fixed_state())
    }
}
impl core::hash::BuildHasher for Fixed {
    type Hasher = <FixedState as core::hash::BuildHasher>::Hasher;
    fn build_hasher(&self) -> Self::Hasher {
        self.0.build_hasher()
    }
}

/// What is known of the document so far.
struct State<'m> {
    watch: Watch<'m>,
    module: &'m ModuleRef,
    options: ReadOptions,
    path: Path,
    /// Where the value at `path` starts: what an error or a warning points at, however far its value was read.
    at: u64,
    /// The module stands in the wrapper `{"module": ...}`.
    wrapped: bool,
    warnings: Vec<Warning>,
    warnings_dropped: u64,
    renames: Renames,
    /// Names to objects that were renamed: sets and registers, locations.
    storages: HashMap<usize, &'m Storage, Fixed>,
    locations: HashMap<usize, &'m MemoryLocation, Fixed>,
    scopes: link::Scopes<'m>,
    pending: link::Pending<'m>,
    /// The first affine expression: where it stood, for the check of `version`.
    first_expr: Option<(String, Position)>,
    /// What an operand calls the function that is being read, whose own name may come later, and where.
    own_name: Option<(String, String, Position)>,
    version: Option<i64>,
    memo: memo::Memo,
    found_locations: memo::Locations<'m>,
    /// How access patterns and edges are laid out.
    pattern_layout: PairLayout,
    edge_layout: PairLayout,
    /// How instructions begin, until name and opcode are known.
    head_layout: Layout,
    /// How operands are laid out.
    operand_layout: Layout,
    /// How instructions are laid out, by opcode; empty before the first one.
    instruction_layouts: Vec<Layout>,
    /// The forms in which instructions came.
    forms: instruction::Forms,
    /// Instructions around the place of reading, that one included.
    nested_blocks: u32,
    /// Expressions around the place of reading, that one included.
    nested_expressions: u32,
}

impl<'m> State<'m> {
    fn new(module: &'m ModuleRef, options: &ReadOptions, watch: Watch<'m>) -> Self {
        State {
            watch,
            module,
            options: options.clone(),
            path: Path::new(),
            at: 0,
            wrapped: false,
            warnings: Vec::new(),
            warnings_dropped: 0,
            renames: Renames::default(),
            storages: HashMap::default(),
            locations: HashMap::default(),
            scopes: link::Scopes::default(),
            pending: link::Pending::default(),
            first_expr: None,
            own_name: None,
            version: None,
            memo: memo::Memo::default(),
            found_locations: memo::Locations::default(),
            pattern_layout: PairLayout::NONE,
            edge_layout: PairLayout::NONE,
            head_layout: Layout::default(),
            operand_layout: Layout::default(),
            instruction_layouts: Vec::new(),
            forms: instruction::Forms::default(),
            nested_blocks: 0,
            nested_expressions: 0,
        }
    }
}

/// An input with what is known of its document. Instructions and storages are read by a reader of their own over the same
/// state, because a stream lends its window for one of them at a time.
struct Reader<'r, 'a, 'm, I> {
    input: I,
    state: &'r mut State<'m>,
    _bytes: core::marker::PhantomData<&'a ()>,
}

impl<'m, I> core::ops::Deref for Reader<'_, '_, 'm, I> {
    type Target = State<'m>;
    fn deref(&self) -> &State<'m> {
        self.state
    }
}

impl<'m, I> core::ops::DerefMut for Reader<'_, '_, 'm, I> {
    fn deref_mut(&mut self) -> &mut State<'m> {
        self.state
    }
}

impl<'a, 'm, I: Input<'a>> Reader<'_, 'a, 'm, I> {
    /// Reads the next value, whole, by a reader of its own.
    fn leaf(&mut self, read: impl for<'l> FnOnce(&mut Reader<'_, 'l, 'm, I::Leaf<'l>>) -> Result<()>) -> Result<()> {
        let leaf = self.input.leaf()?;
        let end = {
            let mut reader = Reader { input: leaf, state: &mut *self.state, _bytes: core::marker::PhantomData };
            read(&mut reader).map_err(|error| reader.place(error))?;
            I::end_of(&reader.input)
        };
        self.input.rejoin(end);
        Ok(())
    }

    fn here(&self) -> Position {
        self.input.position_of(self.at)
    }

    /// Tells those who watch where the reading is.
    #[inline]
    fn look(&mut self) -> Result<()> {
        let (offset, total) = (self.input.offset(), self.input.total());
        self.watch.look(offset, total)
    }

    /// An error at the current path and place.
    fn error(&self, code: ErrorCode, message: impl core::fmt::Display) -> Error {
        Error::new(code, message).at(&self.path).at_position(self.here())
    }

    /// Adds path and place to an error of a lower room.
    fn place(&self, error: Error) -> Error {
        let error = if error.position.is_some() { error } else { error.at_position(self.here()) };
        error.at(&self.path)
    }

    /// Adds path and place to an error about the value of a key that was read already.
    fn place_at(&mut self, key: &'static str, offset: u64, error: Error) -> Error {
        self.path.push_key(key);
        let error = error.at(&self.path).at_position(self.input.position_of(offset));
        self.path.pop();
        error
    }

    fn warn(&mut self, kind: WarningKind, message: impl core::fmt::Display) -> Result<()> {
        let strict_code = match kind {
            WarningKind::Renamed => Some(ErrorCode::DuplicateName),
            WarningKind::UnknownKey | WarningKind::IgnoredKey => Some(ErrorCode::UnknownKey),
            WarningKind::BareDependency => Some(ErrorCode::WrongType),
            WarningKind::MovedImmediate => Some(ErrorCode::WrongKind),
        };
        if let Some(code) = strict_code.filter(|_| self.options.strict) {
            return Err(self.error(code, message));
        }
        // A name may be found taken when its object was read to the end, so a warning may belong before earlier ones.
        let at = self.warnings.partition_point(|w| w.position.offset <= self.at);
        if self.warnings.len() >= self.options.max_warnings {
            self.warnings_dropped += 1;
            if at == self.warnings.len() {
                return Ok(());
            }
            self.warnings.pop();
        }
        self.warnings.try_reserve(1).map_err(|_| Error::out_of_memory())?;
        let warning = Warning { kind, path: text(&self.path), message: text(message), position: self.here() };
        self.warnings.insert(at, warning);
        Ok(())
    }

    /// Runs `read` one path segment deeper.
    fn under<T>(&mut self, key: &'static str, read: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.path.push_key(key);
        let value = read(self)?;
        self.path.pop();
        Ok(value)
    }

    /// Reads an array; `element` gets the index.
    fn array(&mut self, mut element: impl FnMut(&mut Self, usize) -> Result<()>) -> Result<()> {
        self.expect_kind(ValueKind::Array)?;
        let start = self.at;
        self.input.begin_array()?;
        let mut index = 0;
        while self.input.next_element()? {
            self.check_elements(index)?;
            self.at = self.input.offset();
            self.path.push_index(index);
            element(self, index)?;
            self.path.pop();
            index += 1;
        }
        self.at = start;
        Ok(())
    }

    /// Reads an object; `member` gets the key and must consume the value. `null` members are absent: never given.
    fn object(&mut self, mut member: impl FnMut(&mut Self, Cow<'a, str>) -> Result<()>) -> Result<()> {
        self.expect_kind(ValueKind::Object)?;
        let start = self.at;
        self.input.begin_object()?;
        let mut index = 0;
        while let Some(key) = self.input.next_key()? {
            if self.has_value(&mut index)? {
                member(self, key)?;
            }
        }
        self.at = start;
        Ok(())
    }

    /// As [`Reader::object`], for objects of a kind that comes often. `number` numbers the keys that `layout` remembers.
    #[inline(always)]
    fn laid_out(
        &mut self,
        layout: &mut Layout,
        number: impl Fn(&str) -> Option<u8> + Copy,
        mut member: impl FnMut(&mut Self, Member<'a>) -> Result<()>,
    ) -> Result<()> {
        self.expect_kind(ValueKind::Object)?;
        let start = self.at;
        self.input.begin_object()?;
        let mut index = 0;
        let mut place = Place::START;
        while let Some(found) = layout.next(&mut self.input, place, number)? {
            place = Place::behind(found.number());
            if self.has_value(&mut index)? {
                member(self, found)?;
            }
        }
        self.at = start;
        Ok(())
    }

    /// Counts a member whose key was read, and goes to its value; `false` behind a `null`, which stands for none.
    #[inline(always)]
    fn has_value(&mut self, index: &mut usize) -> Result<bool> {
        self.check_elements(*index)?;
        *index += 1;
        if self.input.peek()? == ValueKind::Null {
            self.input.null()?;
            return Ok(false);
        }
        self.at = self.input.offset();
        Ok(true)
    }

    /// Whether one more than `count` elements are allowed.
    #[inline]
    fn check_elements(&self, count: usize) -> Result<()> {
        let max = self.options.limits.max_elements;
        if count as u64 >= max { Err(self.place(Limits::exceeded("max_elements", max))) } else { Ok(()) }
    }

    /// Runs `read` for something that may be nested in its like; `depth` is where that is counted, `name` its limit.
    fn nested<T>(
        &mut self,
        depth: for<'s> fn(&'s mut State<'m>) -> &'s mut u32,
        name: &str,
        limit: u32,
        read: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        if *depth(self.state) >= limit {
            return Err(self.place(Limits::exceeded(name, limit.into())));
        }
        *depth(self.state) += 1;
        let value = read(self)?;
        *depth(self.state) -= 1;
        Ok(value)
    }

    /// Runs `read` while marks are good.
    fn held<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.input.hold();
        let value = read(self)?;
        self.input.release();
        Ok(value)
    }

    /// Finds the values of some keys of the next object without reading it: the first of each key, and not looking further
    /// than the last one found. The input is back at the object's start afterwards.
    fn scan<const N: usize>(&mut self, keys: [&str; N]) -> Result<[Option<I::Mark>; N]> {
        self.scan_with(None, keys)
    }

    /// As [`Reader::scan`], for objects of a kind that comes often if there is a layout.
    fn scan_with<const N: usize>(
        &mut self,
        layout: Option<&mut Layout>,
        keys: [&str; N],
    ) -> Result<[Option<I::Mark>; N]> {
        self.expect_kind(ValueKind::Object)?;
        let start = self.input.mark();
        let mut found = [None; N];
        let mut missing = N;
        self.input.begin_object()?;
        // Only the keys that are looked for need numbers of their own.
        let number = |key: &str| keys.iter().position(|k| *k == key).map_or_else(|| other_number(key), |i| i as u8);
        let (known, mut none) = (layout.is_some(), Layout::default());
        let layout = layout.unwrap_or(&mut none);
        let mut place = if known { Place::START } else { Place::UNKNOWN };
        while let Some(member) = layout.next(&mut self.input, place, |key| Some(number(key)))? {
            place = if known { Place::behind(member.number()) } else { Place::UNKNOWN };
            let slot = member.number().and_then(|number| found.get_mut(usize::from(number)));
            if let Some(slot) = slot.filter(|slot| slot.is_none()) {
                if self.input.peek()? != ValueKind::Null {
                    *slot = Some(self.input.mark());
                    missing -= 1;
                    if missing == 0 {
                        break;
                    }
                }
            }
            self.input.pass()?;
        }
        self.input.reset(start);
        Ok(found)
    }

    /// Reads the value at `mark`, then returns to where the input is now.
    fn at_mark<T>(&mut self, mark: I::Mark, read: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let (back, at) = (self.input.mark(), self.at);
        self.input.reset(mark);
        self.at = self.input.offset();
        let value = read(self)?;
        self.input.reset(back);
        self.at = at;
        Ok(value)
    }

    /// A required value found by [`Reader::scan`].
    fn required<T>(
        &mut self,
        key: &'static str,
        mark: Option<I::Mark>,
        read: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        match mark {
            Some(mark) => self.at_mark(mark, |r| r.under(key, read)),
            None => Err(self.missing(key)),
        }
    }

    /// The error of an object that lacks a key. It points at the object.
    fn missing(&self, key: &str) -> Error {
        self.error(ErrorCode::MissingKey, "").expected_found(format_args!("`{key}`"), "")
    }

    fn expect_kind(&mut self, kind: ValueKind) -> Result<()> {
        self.expect_kind_as(kind, kind.describe())
    }

    fn wrong_type(&mut self, expected: impl core::fmt::Display) -> Error {
        self.input.wrong_type(expected).at(&self.path)
    }

    #[inline]
    fn string(&mut self) -> Result<Cow<'a, str>> {
        let offset = self.input.offset();
        if let Some(text) = self.input.plain_string() {
            self.at = offset;
            return Ok(Cow::Borrowed(text));
        }
        self.any_string()
    }

    #[inline(never)]
    fn any_string(&mut self) -> Result<Cow<'a, str>> {
        self.expect_kind(ValueKind::String)?;
        self.input.string()
    }

    /// A boolean; 0 and 1 count too.
    fn bool(&mut self) -> Result<bool> {
        match self.input.peek()? {
            ValueKind::Bool => self.input.bool(),
            ValueKind::Number => match self.input.number()? {
                Number::U64(0) => Ok(false),
                Number::U64(1) => Ok(true),
                _ => {
                    Err(self.error(ErrorCode::WrongType, "").expected_found("a boolean", "a number other than 0 and 1"))
                }
            },
            _ => Err(self.wrong_type("a boolean")),
        }
    }

    /// An integer from `min` to `max`.
    fn integer(&mut self, min: i128, max: i128) -> Result<i128> {
        self.expect_kind_as(ValueKind::Number, "an integer")?;
        let offset = self.input.offset();
        let found = self.input.number()?;
        let value = match found {
            Number::U64(v) => i128::from(v),
            Number::I64(v) => i128::from(v),
            Number::F64(0.0) => 0,
            Number::F64(v) => {
                return Err(Error::new(ErrorCode::WrongType, "")
                    .expected_found("an integer", format_args!("{v}"))
                    .at_position(self.input.position_of(offset))
                    .at(&self.path));
            }
        };
        if value < min || value > max {
            return Err(Error::new(ErrorCode::BadValue, "the number is out of range")
                .expected_found(format_args!("{min} to {max}"), format_args!("{value}"))
                .at_position(self.input.position_of(offset))
                .at(&self.path));
        }
        Ok(value)
    }

    fn expect_kind_as(&mut self, kind: ValueKind, what: &str) -> Result<()> {
        if self.input.peek()? != kind {
            return Err(self.wrong_type(what));
        }
        self.at = self.input.offset();
        Ok(())
    }

    /// An integer from 0 to `max` in its plainest form.
    #[inline(always)]
    fn plain(&mut self, max: u64) -> Option<u64> {
        let offset = self.input.offset();
        let value = self.input.plain_integer(max)?;
        self.at = offset;
        Some(value)
    }

    fn u32(&mut self) -> Result<u32> {
        if let Some(value) = self.plain(u32::MAX.into()) {
            return Ok(value as u32);
        }
        Ok(self.integer(0, u32::MAX.into())? as u32)
    }

    fn u64(&mut self) -> Result<u64> {
        if let Some(value) = self.plain(u64::MAX) {
            return Ok(value);
        }
        Ok(self.integer(0, u64::MAX.into())? as u64)
    }

    fn i32(&mut self) -> Result<i32> {
        if let Some(value) = self.plain(i32::MAX as u64) {
            return Ok(value as i32);
        }
        Ok(self.integer(i32::MIN.into(), i32::MAX.into())? as i32)
    }

    fn i64(&mut self) -> Result<i64> {
        if let Some(value) = self.plain(i64::MAX as u64) {
            return Ok(value as i64);
        }
        Ok(self.integer(i64::MIN.into(), i64::MAX.into())? as i64)
    }

    /// A float: any number, or the strings `inf`, `-inf`, `nan`.
    fn f64(&mut self) -> Result<f64> {
        match self.input.peek()? {
            ValueKind::Number => Ok(match self.input.number()? {
                Number::U64(v) => v as f64,
                Number::I64(v) => v as f64,
                Number::F64(v) => v,
            }),
            ValueKind::String => match &*self.input.string()? {
                "inf" => Ok(f64::INFINITY),
                "-inf" => Ok(f64::NEG_INFINITY),
                "nan" => Ok(f64::NAN),
                other => Err(self
                    .error(ErrorCode::BadValue, "")
                    .expected_found("a number or one of `inf`, `-inf`, `nan`", format_args!("`{other}`"))),
            },
            _ => Err(self.wrong_type("a number")),
        }
    }

    /// The nearest float of 32 bits. A finite number beyond their range would become infinite: an error.
    fn f32(&mut self) -> Result<f32> {
        self.input.peek()?;
        let offset = self.input.offset();
        let wide = self.f64()?;
        let narrow = wide as f32;
        if narrow.is_finite() || !wide.is_finite() {
            return Ok(narrow);
        }
        Err(Error::new(ErrorCode::BadValue, "the number is beyond the range of a 32-bit float")
            .expected_found(format_args!("{:e} to {:e}", f32::MIN, f32::MAX), format_args!("{wide:e}"))
            .at_position(self.input.position_of(offset))
            .at(&self.path))
    }

    /// A member of an enum, by name; by number too where the enum allows it.
    fn enum_value(&mut self, id: EnumId) -> Result<i64> {
        let info = id.info();
        let offset = self.input.offset();
        if let Some(name) = self.input.plain_string() {
            return self.member(id, name, offset);
        }
        match self.input.peek()? {
            ValueKind::String => {
                let offset = self.input.offset();
                let name = self.input.string()?;
                self.member(id, &name, offset)
            }
            ValueKind::Number if info.json_read_number => {
                let number = self.i64()?;
                info.by_ordinal(number).map(|m| m.ordinal.into()).map_err(|e| self.place(e))
            }
            _ => Err(self.wrong_type(format_args!("a name of {}", info.name))),
        }
    }

    /// The member of an enum whose name stood at `offset`.
    #[inline]
    fn member(&mut self, id: EnumId, name: &str, offset: u64) -> Result<i64> {
        match self.state.memo.member(id, name) {
            Ok(member) => Ok(member.ordinal.into()),
            Err(error) => Err(error.at_position(self.input.position_of(offset)).at(&self.path)),
        }
    }

    /// A whole value kept verbatim, as compact JSON with sorted keys.
    fn verbatim(&mut self) -> Result<String> {
        let value = self.input.value()?;
        compact(&value)
    }

    /// A verbatim value that must be an object.
    fn verbatim_object(&mut self) -> Result<String> {
        self.expect_kind(ValueKind::Object)?;
        let mut text = String::new();
        if self.input.compact_object(&mut text)? {
            return Ok(text);
        }
        self.verbatim()
    }

    /// A verbatim object whose default is the empty one: that counts as none.
    fn attribute_object(&mut self) -> Result<String> {
        let text = self.verbatim_object()?;
        Ok(if text == "{}" { String::new() } else { text })
    }

    fn strings(&mut self) -> Result<Vec<String>> {
        let mut list = Vec::new();
        self.array(|r, _| {
            let text = r.string()?.into_owned();
            list.try_reserve(1).map_err(|_| Error::out_of_memory())?;
            list.push(text);
            Ok(())
        })?;
        Ok(list)
    }

    fn list<T>(&mut self, mut element: impl FnMut(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        let mut list = Vec::new();
        self.array(|r, _| {
            let value = element(r)?;
            list.try_reserve(1).map_err(|_| Error::out_of_memory())?;
            list.push(value);
            Ok(())
        })?;
        Ok(list)
    }

    /// An unknown key: warned about and dropped.
    fn unknown_key(&mut self, key: &str) -> Result<()> {
        self.path.push_name(key);
        self.warn(WarningKind::UnknownKey, format_args!("unknown key `{key}`; dropped"))?;
        self.input.skip()?;
        self.path.pop();
        Ok(())
    }

    /// Remembers that `object` in `container` bore `name` in the document but is called otherwise now.
    fn renamed(&mut self, container: usize, name: &str, object: usize, now: &str) -> Result<()> {
        self.warn(WarningKind::Renamed, format_args!("the name `{name}` is taken; the object is now `{now}`"))?;
        let renames = &mut self.renames;
        renames.first.try_reserve(1).map_err(|_| Error::out_of_memory())?;
        renames.renamed.try_reserve(1).map_err(|_| Error::out_of_memory())?;
        renames.first.entry((container, String::from(name))).or_insert(object);
        renames.renamed.insert(object, String::from(name));
        Ok(())
    }

    /// Picks the object that a name in the document means: `found` is what the table has under that name now.
    fn original(&self, container: usize, name: &str, found: Option<usize>) -> Option<usize> {
        if self.renames.renamed.is_empty() {
            return found;
        }
        if let Some(object) = found.filter(|o| !self.renames.renamed.contains_key(o)) {
            return Some(object);
        }
        self.renames.first.get(&(container, String::from(name))).copied()
    }
}

/// A number from 64 to 127 for a key that nobody looks for: often another one for another key.
fn other_number(key: &str) -> u8 {
    let (first, last) = (key.bytes().next().unwrap_or(0), key.bytes().next_back().unwrap_or(0));
    64 + (first.wrapping_mul(5).wrapping_add(last).wrapping_add(key.len() as u8) & 63)
}

/// The error of a name that no object of a kind ("location") has.
fn unresolved(kind: &str, name: &str) -> Error {
    Error::new(ErrorCode::UnresolvedRef, format_args!("there is no {kind} `{name}`"))
        .expected_found(format_args!("the name of a {kind}"), "none of that name")
}

/// The address of an object, as a key.
fn address<T>(object: &T) -> usize {
    core::ptr::from_ref(object).addr()
}

/// Compact JSON of a value.
fn compact(value: &serde_json::Value) -> Result<String> {
    let mut out: Vec<u8> = Vec::new();
    let mut json = super::JsonOut::new(&mut out, super::Style::Compact);
    json.value(value)?;
    json.finish()?;
    String::from_utf8(out).map_err(|_| Error::new(ErrorCode::Internal, "verbatim JSON is not UTF-8"))
}

/// The scope of instruction names: a function's or a queue's own holder.
fn root_holder(instruction: &Instruction) -> Option<&BasicBlockHolder> {
    let mut holder = instruction.block()?.holder()?;
    while let Some(crate::ir::HolderOwner::Instruction(outer)) = holder.part_of() {
        holder = outer.block()?.holder()?;
    }
    Some(holder)
}
