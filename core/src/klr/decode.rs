//! Reads a file with the schema at hand: proof fields are counted and not there, so no general CBOR reader stays in step
//! (`spec/klr.md` section 2).
//!
//! Tags, constructors and field counts must be those of the schema. Integers and counts may be of any width; indefinite
//! lengths are refused. No length in the file is trusted: a list is kept only if the bytes left can hold it.

mod decoder;
mod items;
mod record;
mod refuse;
mod seen;

pub(crate) use decoder::{Decoder, Failed, Read};

use super::arena::Arena;
use super::ast::{Contents, KLRFile};
use super::file::File;
use super::front_end;
use crate::error::{Error, ErrorCode, Result};

/// The third version number of every file that the back end takes. It no longer moves with the schema.
const PATCH: u64 = 12;
/// How a file begins: the tag of CBOR that describes itself, which is also the record type and constructor of the version.
const MAGIC: &[u8] = &[0xd9, 0xd9, 0xf7];

/// What a reader accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DecodeOptions {
    /// Accept a byte `80` for each proof field, as the unmodified C++ writer leaves them. No known consumer takes that form.
    pub proof_bytes: bool,
    /// Bytes of one text at most. The reference reader refuses texts above 65,536 bytes.
    pub max_text_bytes: u64,
}

impl Default for DecodeOptions {
    /// No proof bytes, texts of 65,536 bytes.
    fn default() -> Self {
        DecodeOptions { proof_bytes: false, max_text_bytes: 1 << 16 }
    }
}

/// Reads a KLR file. Texts are borrowed from `bytes`; everything else is put into `arena`, where it stays also if the
/// file turns out to be bad.
///
/// # Errors
/// Position (a byte offset), path, expected and found are set. The path is that of the file's JSON form, without the `oper`
/// of a statement, e.g. `contents.lnc.bodies[0][1].body[3].op.tensorTensor.dst.abstract.birPattern.tensor`.
///
/// - `Syntax`: this is no KLR file, it ends too early, or bytes follow its end; a text is not UTF-8; a list is longer than the
///   rest of the file can be
/// - `WrongType`: another CBOR type or another record than the schema has there
/// - `UnknownEnum`: a constructor that the enum or union does not have
/// - `Unsupported`: the third version number is not 12 ("Wrong KLR version"); a record has another number of fields
///   ("unsupported KLR schema"); an indefinite length; proof bytes
/// - `Conflict`: records of both schemas in one file
/// - `WrongKind`: the contents are a front-end AST ("Wrong KLIR content type")
/// - `BadValue`: an integer beyond 64 bits
/// - `LimitExceeded`: a text beyond [`DecodeOptions::max_text_bytes`], or more than 64 records within each other
/// - `OutOfMemory`
pub fn decode<'a>(bytes: &'a [u8], arena: &'a Arena, options: &DecodeOptions) -> Result<File<'a>> {
    let mut decoder = Decoder::new(bytes, arena, *options);
    match file(&mut decoder) {
        Ok(file) => Ok(file),
        Err(failed) => Err(decoder.into_error(failed)),
    }
}

fn file<'a>(d: &mut Decoder<'a>) -> Read<File<'a>> {
    if !d.rest().starts_with(MAGIC) {
        let error = Error::new(ErrorCode::Syntax, "this is not a KLR file");
        return Err(d.fail(0, error.expected_found("`d9 d9 f7`", refuse::Bytes(d.rest()))));
    }
    let version: KLRFile = d.field("file")?;
    if version.patch != PATCH {
        let error = Error::new(ErrorCode::Unsupported, "Wrong KLR version");
        let found = format_args!("{}.{}.{}", version.major, version.minor, version.patch);
        let failed = d.fail(0, error.expected_found("0.0.12", found));
        return Err(d.in_field(failed, "file"));
    }
    let metadata = d.field("meta")?;
    let contents = contents(d).map_err(|failed| d.in_field(failed, "contents"))?;
    if !d.rest().is_empty() {
        let error = Error::new(ErrorCode::Syntax, "bytes follow the end of the file");
        return Err(d.fail(d.offset(), error.expected_found("the end", format_args!("{} bytes", d.rest().len()))));
    }
    Ok(File { version, metadata, contents, schema: d.schema(), proof_bytes: d.has_proof_bytes() })
}

fn contents<'a>(d: &mut Decoder<'a>) -> Read<Contents<'a>> {
    let (start, before) = (d.offset(), d.rest());
    let record = d.record("Contents")?;
    if record.tag == Contents::TAG && record.fields == 1 {
        if let Some(name) = front_end::name(record.ctor) {
            let failed = front_end::refuse(d, name);
            return Err(d.in_field(failed, name));
        }
        // In 0.0.12 the name at a call site had the constructor that the kernel has now.
        if record.ctor == 2 && matches!(d.rest().first(), Some(0x60..=0x7b)) {
            let name = <&str>::decode(d)?;
            let message = "Wrong KLIR content type: the name of a kernel at a call site, in the schema 0.0.12";
            let found = format_args!("the name `{name}`");
            return Err(d.fail(start, Error::new(ErrorCode::WrongKind, message).expected_found("a core kernel", found)));
        }
    }
    d.back_to(before);
    Contents::decode(d)
}

/// A value that is read from a file. `'a` is the life of the file's bytes and of the arena.
pub(crate) trait Decode<'a>: Copy + 'a {
    /// The fewest bytes such a value takes.
    const MIN_BYTES: usize;

    /// Reads the value.
    fn decode(d: &mut Decoder<'a>) -> Read<Self>;

    /// Reads the value and keeps it.
    #[inline]
    fn decode_shared(d: &mut Decoder<'a>) -> Read<&'a Self> {
        let value = Self::decode(d)?;
        d.keep(value)
    }
}

/// The least number of a list that is not empty.
pub(crate) const fn least(numbers: &[usize]) -> usize {
    let mut rest = numbers;
    let mut least = usize::MAX;
    while let [first, others @ ..] = rest {
        if *first < least {
            least = *first;
        }
        rest = others;
    }
    least
}

impl<'a> Decode<'a> for u64 {
    const MIN_BYTES: usize = 1;

    #[inline]
    fn decode(d: &mut Decoder<'a>) -> Read<Self> {
        d.nat()
    }
}

impl<'a> Decode<'a> for i64 {
    const MIN_BYTES: usize = 1;

    #[inline]
    fn decode(d: &mut Decoder<'a>) -> Read<Self> {
        d.int()
    }
}

impl<'a> Decode<'a> for bool {
    const MIN_BYTES: usize = 1;

    #[inline]
    fn decode(d: &mut Decoder<'a>) -> Read<Self> {
        d.bool()
    }
}

impl<'a> Decode<'a> for f32 {
    const MIN_BYTES: usize = 5;

    #[inline]
    fn decode(d: &mut Decoder<'a>) -> Read<Self> {
        d.f32()
    }
}

impl<'a> Decode<'a> for &'a str {
    const MIN_BYTES: usize = 1;

    #[inline]
    fn decode(d: &mut Decoder<'a>) -> Read<Self> {
        d.text()
    }
}

impl<'a, T: Decode<'a>> Decode<'a> for &'a T {
    const MIN_BYTES: usize = T::MIN_BYTES;

    #[inline]
    fn decode(d: &mut Decoder<'a>) -> Read<Self> {
        T::decode_shared(d)
    }
}

impl<'a, T: Decode<'a>> Decode<'a> for Option<T> {
    const MIN_BYTES: usize = 4;

    #[inline]
    fn decode(d: &mut Decoder<'a>) -> Read<Self> {
        if d.option()? { T::decode(d).map(Some) } else { Ok(None) }
    }
}

impl<'a, T: Decode<'a>> Decode<'a> for &'a [T] {
    const MIN_BYTES: usize = 1;

    fn decode(d: &mut Decoder<'a>) -> Read<Self> {
        let len = d.list(T::MIN_BYTES)?;
        if len == 0 {
            return Ok(&[]);
        }
        let first = match T::decode(d) {
            Ok(first) => first,
            Err(failed) => return Err(d.in_element(failed, 0)),
        };
        let list = d.room(len, first)?;
        for (index, place) in list.iter_mut().enumerate().skip(1) {
            match T::decode(d) {
                Ok(value) => *place = value,
                Err(failed) => return Err(d.in_element(failed, index)),
            }
        }
        Ok(list)
    }
}
