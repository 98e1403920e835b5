//! One header block: 512 bytes of fixed fields and their checksum.
#![forbid(unsafe_code)]

use super::{BLOCK, OWNER, name, number};
use crate::error::{Error, ErrorCode, Result};
use core::ops::Range;

pub(super) const NAME: Range<usize> = 0..100;
pub(super) const MODE: Range<usize> = 100..108;
pub(super) const UID: Range<usize> = 108..116;
pub(super) const GID: Range<usize> = 116..124;
pub(super) const SIZE: Range<usize> = 124..136;
pub(super) const MTIME: Range<usize> = 136..148;
pub(super) const CHECKSUM: Range<usize> = 148..156;
pub(super) const TYPE: usize = 156;
pub(super) const MAGIC: Range<usize> = 257..265;
const USER: Range<usize> = 265..297;
const GROUP: Range<usize> = 297..329;
const DEVICE_MAJOR: Range<usize> = 329..337;
const DEVICE_MINOR: Range<usize> = 337..345;
pub(super) const PREFIX: Range<usize> = 345..500;

/// The largest owner number that six octal digits hold.
pub(super) const MAX_OCTAL_ID: u64 = 0o777777;

/// What varies between header blocks.
pub(super) struct Fields<'a> {
    /// A name that [`name::split`] accepts.
    pub name: &'a [u8],
    pub mode: u32,
    pub uid: u64,
    pub gid: u64,
    pub size: u64,
    pub typeflag: u8,
}

/// The block of a member with owner `nobody` and time 0 (`spec/neff.md` section 4.3).
pub(super) fn encode(fields: &Fields<'_>) -> Result<[u8; BLOCK]> {
    let (prefix, base) = name::split(fields.name)
        .ok_or_else(|| Error::new(ErrorCode::Internal, "a shortened member name does not fit its header"))?;
    let mut block = [0u8; BLOCK];
    copy(&mut block, NAME, base);
    copy(&mut block, PREFIX, prefix);
    let mut octal = |range: Range<usize>, value: u64, digits: usize, terminator: &[u8]| {
        if let Some(field) = block.get_mut(range) {
            number::write(field, value, digits, terminator);
        }
    };
    octal(MODE, u64::from(fields.mode & 0o7777), 6, b" \0");
    octal(UID, fields.uid, 6, b" \0");
    octal(GID, fields.gid, 6, b" \0");
    octal(SIZE, fields.size, 11, b" ");
    octal(MTIME, 0, 11, b" ");
    octal(DEVICE_MAJOR, 0, 6, b" \0");
    octal(DEVICE_MINOR, 0, 6, b" \0");
    copy(&mut block, TYPE..TYPE + 1, &[fields.typeflag]);
    copy(&mut block, MAGIC, b"ustar\x0000");
    copy(&mut block, USER, OWNER.as_bytes());
    copy(&mut block, GROUP, OWNER.as_bytes());
    let (sum, _) = checksums(&block);
    if let Some(field) = block.get_mut(CHECKSUM) {
        number::write(field, sum, 6, b"\0 ");
    }
    Ok(block)
}

/// Copies a value to the start of a field.
fn copy(block: &mut [u8; BLOCK], range: Range<usize>, value: &[u8]) {
    if let Some(field) = block.get_mut(range) {
        field.iter_mut().zip(value).for_each(|(to, from)| *to = *from);
    }
}

/// The sum of all bytes with the checksum field as spaces: of unsigned and, as some old writers have it, signed bytes.
pub(super) fn checksums(block: &[u8; BLOCK]) -> (u64, i64) {
    let bytes = block.iter().enumerate().map(|(i, &b)| if CHECKSUM.contains(&i) { b' ' } else { b });
    bytes.fold((0, 0), |(unsigned, signed), b| (unsigned + u64::from(b), signed + i64::from(b as i8)))
}
