//! One error type for every room, because a caller has one question: where is it, what was expected, what was found.
//!
//! An [`Error`] never aborts while it is built: its texts are made with fallible allocation and are cut short, never
//! lost silently, when memory is out.

use alloc::string::String;
use core::fmt;

/// The result of every fallible operation of this crate.
pub type Result<T, E = Error> = core::result::Result<T, E>;

macro_rules! error_codes {
    ($($(#[$doc:meta])* $name:ident = $value:literal, $text:literal;)*) => {
        /// What kind of error it is. The numbers are stable: they are the `bir_status` values of the C API.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(i32)]
        #[non_exhaustive]
        pub enum ErrorCode { $($(#[$doc])* $name = $value,)* }

        impl ErrorCode {
            /// All codes, in the order of their numbers.
            pub const ALL: &'static [ErrorCode] = &[$(ErrorCode::$name,)*];
            /// The stable number.
            pub const fn number(self) -> i32 { self as i32 }
            /// The code as a word, e.g. `MissingKey`.
            pub const fn name(self) -> &'static str { match self { $(ErrorCode::$name => stringify!($name),)* } }
            /// One line that explains the code.
            pub const fn description(self) -> &'static str { match self { $(ErrorCode::$name => $text,)* } }
        }
    };
}

error_codes! {
    /// An object was required and NULL was given (C API only).
    NullArgument = 1, "an object is required and NULL was given";
    /// An allocation failed or the configured limit of the arena was reached.
    OutOfMemory = 2, "memory is out, or the arena's limit is reached";
    /// An argument or a value is outside its range.
    BadValue = 3, "a value is outside its range";
    /// A name or number is not a member of its enum.
    UnknownEnum = 4, "not a member of the enum";
    /// A reference names an object that does not exist.
    UnresolvedRef = 5, "a reference names an object that does not exist";
    /// A value has another JSON type than its key asks for.
    WrongType = 6, "a value has the wrong type";
    /// A required key is absent.
    MissingKey = 7, "a required key is absent";
    /// The text is not well-formed.
    Syntax = 8, "the text is not well-formed";
    /// A legal value that this library or this field cannot take.
    Unsupported = 9, "not supported";
    /// A name is taken (strict mode; otherwise the later object is renamed).
    DuplicateName = 10, "the name is taken";
    /// A configured limit was reached; the message names it.
    LimitExceeded = 11, "a configured limit is reached";
    /// The module's id counter is at its end.
    IdExhausted = 12, "the id counter is at its end";
    /// An object is not attached to a module, so it has no way to the id counter.
    Detached = 13, "the object is outside a module";
    /// Objects of two modules were mixed.
    ForeignModule = 14, "the object belongs to another module";
    /// An object or field is of another kind than the operation needs.
    WrongKind = 15, "the object is of another kind";
    /// An object cannot be erased because others refer to it.
    StillReferenced = 16, "others still refer to the object";
    /// The IR contradicts itself, e.g. an opcode number outside 0..=109.
    CorruptIr = 17, "corrupt IR";
    /// A file could not be read or written.
    Io = 18, "a file could not be read or written";
    /// A field of the package header is wrong.
    BadHeader = 19, "the package header is wrong";
    /// A digest does not match its data.
    HashMismatch = 20, "the digest does not match";
    /// The archive inside a package is malformed.
    BadArchive = 21, "the archive is malformed";
    /// Compressed data is malformed.
    BadCompression = 22, "the compressed data is malformed";
    /// A member name would leave the target folder or follows a link.
    UnsafePath = 23, "the path would leave its folder";
    /// A key is not known (strict mode; otherwise a warning).
    UnknownKey = 24, "the key is not known";
    /// Two things that must agree do not.
    Conflict = 25, "two values contradict each other";
    /// The caller asked to stop.
    Cancelled = 26, "cancelled";
    /// A defect of this library; please report it.
    Internal = 27, "a defect of this library";
    /// Nothing of that name, number or position exists.
    NotFound = 28, "not found";
}

/// A place in a text: line and column count from 1, in lines and bytes; the offset counts bytes from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// Line, from 1; 0 where the input has no lines (binary input).
    pub line: u32,
    /// Column in bytes, from 1; 0 where the input has no lines.
    pub column: u32,
    /// Byte offset from the start of the input.
    pub offset: u64,
}

/// An error: a stable code, the place, and what was expected and found there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The kind of error.
    pub code: ErrorCode,
    /// The place: a document path (`functions[0].blocks[1]`) or a field of a package; empty if there is none.
    pub path: String,
    /// What went wrong, without the place.
    pub message: String,
    /// What was expected; empty if the message says it all.
    pub expected: String,
    /// What was found instead; empty if nothing was.
    pub found: String,
    /// The place in the input, where there is an input.
    pub position: Option<Position>,
}

impl Error {
    /// An error without a place.
    pub fn new(code: ErrorCode, message: impl fmt::Display) -> Self {
        Error {
            code,
            path: String::new(),
            message: text(message),
            expected: String::new(),
            found: String::new(),
            position: None,
        }
    }

    /// The error of a failed allocation. Allocates nothing itself.
    pub const fn out_of_memory() -> Self {
        Error {
            code: ErrorCode::OutOfMemory,
            path: String::new(),
            message: String::new(),
            expected: String::new(),
            found: String::new(),
            position: None,
        }
    }

    /// Adds what was expected and what was found.
    #[must_use]
    pub fn expected_found(mut self, expected: impl fmt::Display, found: impl fmt::Display) -> Self {
        self.expected = text(expected);
        self.found = text(found);
        self
    }

    /// Sets the place, unless one is set already: the innermost place wins.
    #[must_use]
    pub fn at(mut self, path: impl fmt::Display) -> Self {
        if self.path.is_empty() {
            self.path = text(path);
        }
        self
    }

    /// Sets the place in the input, unless one is set already.
    #[must_use]
    pub fn at_position(mut self, position: Position) -> Self {
        self.position.get_or_insert(position);
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(if self.message.is_empty() { self.code.description() } else { &self.message })?;
        match (self.expected.is_empty(), self.found.is_empty()) {
            (false, false) => write!(f, ": expected {}, found {}", self.expected, self.found)?,
            (false, true) => write!(f, ": expected {}", self.expected)?,
            (true, false) => write!(f, ": found {}", self.found)?,
            (true, true) => {}
        }
        match self.position {
            Some(p) if p.line > 0 => write!(f, " (line {}, column {}, byte {})", p.line, p.column, p.offset),
            Some(p) => write!(f, " (byte {})", p.offset),
            None => Ok(()),
        }
    }
}

impl core::error::Error for Error {}

/// Formats into a string with fallible allocation; what no longer fits is left out.
pub(crate) fn text(value: impl fmt::Display) -> String {
    let mut out = String::new();
    // Without memory the text ends there, and the error still arrives.
    let _ = crate::fallible::append(&mut out, value);
    out
}

/// `Err(Error::new(code, format!(...)))`.
macro_rules! bail {
    ($code:ident, $($arg:tt)*) => {
        return Err($crate::error::Error::new($crate::error::ErrorCode::$code, core::format_args!($($arg)*)))
    };
}
pub(crate) use bail;

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn says_where_expected_and_found() {
        let e = Error::new(ErrorCode::WrongType, "`version` has the wrong type")
            .expected_found("an integer", "a string")
            .at("version")
            .at("not this one")
            .at_position(Position { line: 2, column: 5, offset: 17 });
        assert_eq!(
            e.to_string(),
            "version: `version` has the wrong type: expected an integer, found a string (line 2, column 5, byte 17)"
        );
    }

    #[test]
    fn numbers_are_dense_and_stable() {
        for (i, code) in ErrorCode::ALL.iter().enumerate() {
            assert_eq!(code.number(), i as i32 + 1, "{}", code.name());
        }
        assert_eq!(Error::out_of_memory().to_string(), "memory is out, or the arena's limit is reached");
    }
}
