//! The ways a file can be wrong, as a closed list: callers act on some of them, and each has its own fixed text.
#![forbid(unsafe_code)]

use crate::error::{Error, ErrorCode, Position};

/// What is wrong with an NPY file (`spec/consts.md` section 3.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NpyFault {
    /// The file does not start with the six magic bytes.
    BadMagic,
    /// The format version is not 1.0, 2.0 or 3.0.
    Version,
    /// The file ends inside its header.
    TruncatedHeader,
    /// The header is longer than [`super::MAX_HEADER`].
    HeaderTooLong,
    /// The header is not the dictionary it has to be, or has an unknown or repeated key.
    HeaderSyntax,
    /// `descr`, `fortran_order` or `shape` is absent.
    MissingKey,
    /// The element type has no counterpart in the IR.
    UnsupportedDtype,
    /// Big-endian data where little-endian is needed, or a byte order the type does not have.
    ByteOrder,
    /// First index varies fastest where C order is needed.
    FortranOrder,
    /// The size of the data overflows.
    SizeOverflow,
    /// Fewer data bytes than the shape needs.
    ShortData,
    /// More data bytes than the shape needs.
    SurplusData,
    /// The shape is not the tensor's (NCC_INL001).
    ShapeMismatch,
    /// The element type is not the tensor's (NCC_INL002).
    TypeMismatch,
}

impl NpyFault {
    /// All faults.
    pub const ALL: [NpyFault; 14] = [
        NpyFault::BadMagic,
        NpyFault::Version,
        NpyFault::TruncatedHeader,
        NpyFault::HeaderTooLong,
        NpyFault::HeaderSyntax,
        NpyFault::MissingKey,
        NpyFault::UnsupportedDtype,
        NpyFault::ByteOrder,
        NpyFault::FortranOrder,
        NpyFault::SizeOverflow,
        NpyFault::ShortData,
        NpyFault::SurplusData,
        NpyFault::ShapeMismatch,
        NpyFault::TypeMismatch,
    ];

    /// The fixed message.
    pub const fn message(self) -> &'static str {
        match self {
            NpyFault::BadMagic => "not an NPY file: bad magic",
            NpyFault::Version => "unsupported NPY version",
            NpyFault::TruncatedHeader => "truncated NPY header",
            NpyFault::HeaderTooLong => "NPY header too long",
            NpyFault::HeaderSyntax => "malformed NPY header",
            NpyFault::MissingKey => "missing key in NPY header",
            NpyFault::UnsupportedDtype => "unsupported NPY element type",
            NpyFault::ByteOrder => "unsupported NPY byte order",
            NpyFault::FortranOrder => "NPY data in Fortran order",
            NpyFault::SizeOverflow => "NPY size overflow",
            NpyFault::ShortData => "NPY data too short",
            NpyFault::SurplusData => "surplus bytes after NPY data",
            NpyFault::ShapeMismatch => "NCC_INL001: mismatching layout for parameter",
            NpyFault::TypeMismatch => "NCC_INL002: numpy file type mismatch",
        }
    }

    /// A short stable name for programs: the code of the product where it has one, else a word of our own.
    pub const fn id(self) -> &'static str {
        match self {
            NpyFault::BadMagic => "npy_magic",
            NpyFault::Version => "npy_version",
            NpyFault::TruncatedHeader => "npy_truncated_header",
            NpyFault::HeaderTooLong => "npy_header_length",
            NpyFault::HeaderSyntax => "npy_header_syntax",
            NpyFault::MissingKey => "npy_missing_key",
            NpyFault::UnsupportedDtype => "npy_dtype",
            NpyFault::ByteOrder => "npy_byte_order",
            NpyFault::FortranOrder => "npy_fortran_order",
            NpyFault::SizeOverflow => "npy_size_overflow",
            NpyFault::ShortData => "npy_short_data",
            NpyFault::SurplusData => "npy_surplus_data",
            NpyFault::ShapeMismatch => "NCC_INL001",
            NpyFault::TypeMismatch => "NCC_INL002",
        }
    }

    /// The code of the error.
    pub const fn code(self) -> ErrorCode {
        match self {
            NpyFault::BadMagic | NpyFault::TruncatedHeader | NpyFault::HeaderSyntax => ErrorCode::Syntax,
            NpyFault::MissingKey => ErrorCode::MissingKey,
            NpyFault::Version | NpyFault::UnsupportedDtype | NpyFault::ByteOrder | NpyFault::FortranOrder => {
                ErrorCode::Unsupported
            }
            NpyFault::HeaderTooLong => ErrorCode::LimitExceeded,
            NpyFault::SizeOverflow | NpyFault::ShortData | NpyFault::SurplusData => ErrorCode::BadValue,
            NpyFault::ShapeMismatch | NpyFault::TypeMismatch => ErrorCode::Conflict,
        }
    }

    /// The fault of an error that this room made.
    pub fn of(error: &Error) -> Option<NpyFault> {
        NpyFault::ALL.into_iter().find(|fault| fault.code() == error.code && fault.message() == error.message)
    }

    /// The error without a place.
    pub(super) fn bare(self) -> Error {
        Error::new(self.code(), self.message())
    }

    /// The error at a byte offset of the file.
    pub(super) fn error(self, offset: u64) -> Error {
        self.bare().at_position(Position { line: 0, column: 0, offset })
    }
}
