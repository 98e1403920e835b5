//! Element types of NPY files and the IR types they may hold, as one table.
#![forbid(unsafe_code)]

use core::fmt;

/// Byte order of the elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Order {
    /// `<`, also written `=`.
    Little,
    /// `>`.
    Big,
    /// `|`: the type has none.
    None,
}

/// The kind letter of an element type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DescrKind {
    /// `b`: boolean.
    Bool,
    /// `u`: unsigned integer.
    Unsigned,
    /// `i`: signed integer.
    Signed,
    /// `f`: floating point.
    Float,
    /// `V`: bytes without a meaning.
    Void,
}

impl DescrKind {
    const fn letter(self) -> char {
        match self {
            DescrKind::Bool => 'b',
            DescrKind::Unsigned => 'u',
            DescrKind::Signed => 'i',
            DescrKind::Float => 'f',
            DescrKind::Void => 'V',
        }
    }
}

/// An element type of an NPY file; displayed in the file's spelling, e.g. `<f4`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Descr {
    /// Byte order.
    pub order: Order,
    /// Kind.
    pub kind: DescrKind,
    /// Width of one element in bytes.
    pub width: u32,
}

/// One row of the mapping table.
#[derive(Clone, Copy, Debug)]
pub struct DescrRow {
    /// Kind of the file's element type.
    pub kind: DescrKind,
    /// Width in bytes.
    pub width: u32,
    /// How it is written into packages.
    pub written: &'static str,
    /// The IR types it may hold, in the IR's spelling. The first one is what the file itself says, except for void.
    pub dtypes: &'static [&'static str],
}

const fn row(kind: DescrKind, width: u32, written: &'static str, dtypes: &'static [&'static str]) -> DescrRow {
    DescrRow { kind, width, written, dtypes }
}

/// Which IR types an element type may hold (`spec/consts.md` section 3.2). Everything else is refused.
pub const TABLE: &[DescrRow] = &[
    row(DescrKind::Unsigned, 1, "|u1", &["uint8"]),
    row(DescrKind::Bool, 1, "|b1", &["uint8"]),
    row(DescrKind::Signed, 1, "|i1", &["int8"]),
    row(DescrKind::Unsigned, 2, "<u2", &["uint16"]),
    row(DescrKind::Signed, 2, "<i2", &["int16"]),
    row(DescrKind::Unsigned, 4, "<u4", &["uint32"]),
    row(DescrKind::Signed, 4, "<i4", &["int32"]),
    row(DescrKind::Unsigned, 8, "<u8", &["uint64"]),
    row(DescrKind::Signed, 8, "<i8", &["int64"]),
    row(DescrKind::Float, 2, "<f2", &["float16"]),
    row(DescrKind::Float, 4, "<f4", &["float32", "float32r"]),
    row(DescrKind::Void, 2, "<V2", &["bfloat16"]),
    row(DescrKind::Void, 1, "<V1", &["float8e3", "float8e4", "float8_e4m3fn", "float8_e8m0fnu", "float8e5"]),
    row(DescrKind::Float, 1, "<f1", &["float8e5"]),
];

/// How an element type of the IR is written: the first row that may hold it. `float8e5` becomes `<V1`, because numpy
/// itself refuses to read `<f1`. `None` if no NPY type may hold it (the packed four-lane types).
pub fn descr_for(dtype: &str) -> Option<Descr> {
    TABLE.iter().find(|row| row.dtypes.contains(&dtype)).and_then(|row| Descr::read(row.written.as_bytes()).ok())
}

/// Why a text is not an accepted element type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// Not in the table.
    Type,
    /// The byte order does not go with the type.
    Order,
}

impl Descr {
    /// Reads an element type; accepts what [`TABLE`] lists, in any byte order the format allows.
    pub fn parse(text: &str) -> Option<Descr> {
        Descr::read(text.as_bytes()).ok()
    }

    pub(super) fn read(text: &[u8]) -> Result<Descr, Refusal> {
        let [order, kind, width @ b'1'..=b'8'] = *text else { return Err(Refusal::Type) };
        let width = u32::from(width - b'0');
        let row = TABLE.iter().find(|row| row.kind.letter() == char::from(kind) && row.width == width);
        let kind = row.ok_or(Refusal::Type)?.kind;
        let order = match order {
            b'<' | b'=' => Order::Little,
            b'>' => Order::Big,
            b'|' if width == 1 || kind == DescrKind::Void => Order::None,
            b'|' => return Err(Refusal::Order),
            _ => return Err(Refusal::Type),
        };
        Ok(Descr { order, kind, width })
    }

    /// Row of the table; every value of this type that was read has one.
    pub fn row(self) -> Option<&'static DescrRow> {
        TABLE.iter().find(|row| row.kind == self.kind && row.width == self.width)
    }

    /// Whether elements of this type may be elements of the IR type `dtype` (the IR's spelling).
    pub fn may_hold(self, dtype: &str) -> bool {
        self.row().is_some_and(|row| row.dtypes.contains(&dtype))
    }
}

impl fmt::Display for Descr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let order = match self.order {
            Order::Little => '<',
            Order::Big => '>',
            Order::None => '|',
        };
        write!(f, "{order}{}{}", self.kind.letter(), self.width)
    }
}
