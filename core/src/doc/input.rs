//! The pull interface of a document, because the reader must not know whether its document is JSON text or CBOR and must
//! not build a tree of it: a program of 500 MB is walked once, value by value.
//!
//! The caller asks for what the place calls for. An object is read as `begin_object`, then `next_key` and one value in
//! turn until `next_key` gives `None`; an array as `begin_array`, then `next_element` and one value in turn until
//! `next_element` gives `false`. Calls in another order give errors or wrong values, but they never panic.
#![forbid(unsafe_code)]

use alloc::borrow::Cow;
use alloc::string::String;
use core::fmt::Display;

pub use super::gap::Gap;
pub use super::pairs::{PairLayout, TextPair};
use crate::error::{Error, ErrorCode, Position, Result};

/// The kind of a value in a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueKind {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool,
    /// An integer or a float.
    Number,
    /// A string.
    String,
    /// An array.
    Array,
    /// An object.
    Object,
}

impl ValueKind {
    /// The kind as an error message says it, with its article: "a string".
    pub const fn describe(self) -> &'static str {
        match self {
            ValueKind::Null => "null",
            ValueKind::Bool => "a boolean",
            ValueKind::Number => "a number",
            ValueKind::String => "a string",
            ValueKind::Array => "an array",
            ValueKind::Object => "an object",
        }
    }
}

/// A number of a document, exact: integers stay integers as far as 64 bits reach.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// An integer in `0..=u64::MAX`.
    U64(u64),
    /// A negative integer in `i64::MIN..0`.
    I64(i64),
    /// A number with a fraction or an exponent, an integer beyond the two ranges above, or `-0` (which keeps its sign so).
    /// Always finite.
    F64(f64),
}

impl core::fmt::Display for Number {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Number::U64(number) => number.fmt(f),
            Number::I64(number) => number.fmt(f),
            Number::F64(number) => number.fmt(f),
        }
    }
}

/// What an input accepts at most. A document beyond it is rejected with [`ErrorCode::LimitExceeded`], and the message
/// names the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Levels of nested arrays and objects; values above [`Limits::HIGHEST_DEPTH`] count as that.
    pub max_depth: u32,
    /// Bytes of one string or key as it stands in the input (in JSON: between its quotes, escapes not yet decoded).
    pub max_string_bytes: u64,
    /// Elements of one array, or members of one object.
    pub max_elements: u64,
    /// Bytes of a stream that are held in memory at a time: at least the largest instruction or storage, and what stands in
    /// an order that makes it wait (blocks before the allocations that they use). Documents in memory hold nothing.
    pub max_buffer_bytes: u64,
}

impl Limits {
    /// The highest usable `max_depth`: a value of that depth can still be dropped on a small thread stack.
    pub const HIGHEST_DEPTH: u32 = 1024;

    /// How deep instructions with blocks may nest, whatever `max_depth` says: they are read by recursion, which a thread's stack
    /// must have room for.
    pub const MAX_NESTED_BLOCKS: u32 = 24;

    /// How deep expressions may nest, whatever `max_depth` says, for the same reason.
    pub const MAX_NESTED_EXPRESSIONS: u32 = 64;

    /// The error that names a limit.
    #[cold]
    pub(crate) fn exceeded(name: &str, value: u64) -> Error {
        Error::new(ErrorCode::LimitExceeded, format_args!("the limit `{name}` of {value} is exceeded"))
    }
}

impl Default for Limits {
    /// 128 levels, 64 MiB, 2^28 elements, 1 GiB.
    fn default() -> Self {
        Limits { max_depth: 128, max_string_bytes: 64 << 20, max_elements: 1 << 28, max_buffer_bytes: 1 << 30 }
    }
}

/// A document that is read value by value. `'a` is the life of the document's bytes.
///
/// Every method that reads can fail with
/// - [`ErrorCode::Syntax`]: the document is not well-formed; position, expected and found are set;
/// - [`ErrorCode::LimitExceeded`]: see [`Limits`];
/// - [`ErrorCode::WrongType`]: the next value is well-formed so far but of another kind; nothing is consumed, so the
///   caller may read it as what it is;
/// - [`ErrorCode::OutOfMemory`].
///
/// Duplicate keys of one object are given as they come; what they mean is the caller's choice.
pub trait Input<'a> {
    /// What [`Input::mark`] gives: small, plain data.
    type Mark: Copy;

    /// What [`Input::leaf`] gives.
    type Leaf<'l>: Input<'l>
    where
        Self: 'l;

    /// What [`Input::end_of`] gives.
    type End;

    /// The kind of the next value. Consumes only what stands before it.
    fn peek(&mut self) -> Result<ValueKind>;

    /// Reads a `null`.
    fn null(&mut self) -> Result<()>;

    /// Reads a `true` or `false`, and nothing else: 0 and 1 are numbers.
    fn bool(&mut self) -> Result<bool>;

    /// Reads a number. [`ErrorCode::BadValue`] if it is beyond the range of a 64-bit float.
    fn number(&mut self) -> Result<Number>;

    /// Reads a string; borrowed from the document unless it has to be decoded.
    fn string(&mut self) -> Result<Cow<'a, str>>;

    /// Enters an object.
    fn begin_object(&mut self) -> Result<()>;

    /// Moves to the next member of the object: its key, or `None` if the object has ended (its end is consumed).
    fn next_key(&mut self) -> Result<Option<Cow<'a, str>>>;

    /// Passes over `gap` if it comes next: as good as [`Input::next_key`], if it is what [`Input::gap`] gave for such a place
    /// of an object. Otherwise nothing is consumed.
    fn passes(&mut self, gap: &Gap) -> bool {
        let _ = gap;
        false
    }

    /// What was passed from `from`, a place right behind `begin_object` or the value of a member, to here, which is right before
    /// the value of the next member, or behind the end of the object: then it `closes`. `None` if it cannot be remembered.
    fn gap(&self, from: Self::Mark, closes: bool) -> Option<Gap> {
        let _ = (from, closes);
        None
    }

    /// Whether containers may be nested so many levels deeper here, and have so many elements, without a look at the limits; and
    /// whether this input knows [`Input::passes_text`] and the methods behind it at all.
    fn has_room(&self, levels: u32, elements: u64) -> bool {
        let _ = (levels, elements);
        false
    }

    /// Passes over `text` if it comes next, whatever containers it opens and closes: the caller knows what it means, and takes
    /// care that all that it opens is closed in the end. Otherwise nothing is consumed.
    fn passes_text(&mut self, text: &[u8]) -> bool {
        let _ = text;
        false
    }

    /// The text between two offsets.
    fn text_between(&self, from: u64, to: u64) -> Option<&'a str> {
        let _ = (from, to);
        None
    }

    /// The mark of a value at an offset, in a container that is nested so many levels deeper than this place.
    fn mark_at(&self, offset: u64, levels: u32) -> Self::Mark {
        let _ = (offset, levels);
        self.mark()
    }

    /// Reads a string if it comes next, without white space before it and anything escaped in it. Otherwise nothing is consumed,
    /// and nothing said about what comes: so too for the methods behind this one.
    fn plain_string(&mut self) -> Option<&'a str> {
        None
    }

    /// Reads an integer from 0 to `max` if it comes next in its plainest form.
    fn plain_integer(&mut self, max: u64) -> Option<u64> {
        let _ = max;
        None
    }

    /// Reads an array of pairs of plain integers that is laid out like this, if it has no more pairs than `out`; gives how many.
    /// They fit into an `i64`.
    fn number_pairs(&mut self, layout: &PairLayout, out: &mut [[u64; 2]]) -> Option<usize> {
        let _ = (layout, out);
        None
    }

    /// Reads an array of pairs of strings in the same way.
    fn text_pairs(&mut self, layout: &PairLayout, out: &mut [TextPair<'a>]) -> Option<usize> {
        let _ = (layout, out);
        None
    }

    /// How the array of pairs was laid out that was read from `from` to here; `before` says it for what it has not. Pairs of plain
    /// integers, or of `texts`.
    fn pair_layout(&self, from: Self::Mark, texts: bool, before: &PairLayout) -> Option<PairLayout> {
        let _ = (from, texts, before);
        None
    }

    /// Appends the text of the next value, an object, as [`Output::value`](super::Output::value) would write it compactly, if it is
    /// the same but for white space; `false` if not, and what was appended counts for nothing then.
    fn compact_object(&mut self, out: &mut String) -> Result<bool> {
        let _ = out;
        Ok(false)
    }

    /// Enters an array.
    fn begin_array(&mut self) -> Result<()>;

    /// Moves to the next element of the array; `false` if the array has ended (its end is consumed).
    fn next_element(&mut self) -> Result<bool>;

    /// Passes over one whole value. Syntax and limits are checked as if it were read, but the range of floats is not.
    fn skip(&mut self) -> Result<()>;

    /// Passes over one whole value that will be read later. [`Limits::max_depth`] holds; what else is wrong with the value shows
    /// then, and one without end ends with the input.
    fn pass(&mut self) -> Result<()> {
        self.skip()
    }

    /// The place before a value, right after `next_key`, `next_element` or `begin_*`, for a later [`Input::reset`]. Good
    /// while a [`Input::hold`] lasts that came before it.
    fn mark(&self) -> Self::Mark;

    /// Back to a place of this same input; the nesting is as it was there.
    fn reset(&mut self, mark: Self::Mark);

    /// An input that stands where this one stands and has all of the next value at hand, so that its marks are good for as long
    /// as it lives. What it has read counts here only after [`Input::rejoin`].
    ///
    /// # Errors
    /// Whatever keeps a stream from having so much at hand. What is wrong with the value itself shows when it is read.
    fn leaf(&mut self) -> Result<Self::Leaf<'_>>;

    /// Where a leaf stands now.
    fn end_of(leaf: &Self::Leaf<'_>) -> Self::End;

    /// Goes on where a leaf stood, which must be behind its value.
    fn rejoin(&mut self, end: Self::End);

    /// From here on marks are good until the [`Input::release`] that belongs to this call: a stream keeps what it reads. A
    /// document in memory has nothing to do, and its marks are always good.
    fn hold(&mut self) {}

    /// Ends what [`Input::hold`] began.
    fn release(&mut self) {}

    /// Reads one whole value verbatim. Of duplicate keys the last wins.
    fn value(&mut self) -> Result<serde_json::Value>;

    /// Bytes consumed. After [`Input::peek`] this is where the next value starts.
    fn offset(&self) -> u64;

    /// Bytes of the whole input, if known.
    fn total(&self) -> Option<u64>;

    /// Line, column and offset of an offset of this input; line and column are 0 where they are not known (binary inputs,
    /// and what a stream no longer holds). Costs time in proportion to its distance from the place asked
    /// for before, if it lies behind that, and from the start otherwise.
    fn position_of(&self, offset: u64) -> Position;

    /// Checks that nothing but white space follows.
    fn finish(&mut self) -> Result<()>;

    /// The error of a next value that is not what the caller wants ("an integer"); if there is no well-formed next value,
    /// the error that says so.
    fn wrong_type(&mut self, expected: impl Display) -> Error
    where
        Self: Sized,
    {
        match self.peek() {
            Ok(kind) => Error::new(ErrorCode::WrongType, "")
                .expected_found(expected, kind.describe())
                .at_position(self.position_of(self.offset())),
            Err(error) => error,
        }
    }
}
