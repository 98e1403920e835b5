//! The header of a gzip member, byte by byte, because it may arrive so.
#![forbid(unsafe_code)]

use super::read::fault;
use crate::error::Result;

/// Header checksum, extra field, file name, comment.
const FHCRC: u8 = 2;
const FEXTRA: u8 = 4;
const FNAME: u8 = 8;
const FCOMMENT: u8 = 16;

/// A header of which a part was read.
#[derive(Clone, Debug)]
pub(super) struct Head {
    part: Part,
    flags: u8,
    /// Bytes read.
    at: u64,
    crc: crc32fast::Hasher,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// The ten bytes that every header has.
    Fixed,
    /// A number of two bytes, of which the low one may be there.
    ExtraLength {
        low: Option<u8>,
    },
    Extra {
        left: u16,
    },
    Name,
    Comment,
    /// As `ExtraLength`.
    Checksum {
        low: Option<u8>,
    },
    Done,
}

impl Head {
    pub fn new() -> Self {
        Head { part: Part::Fixed, flags: 0, at: 0, crc: crc32fast::Hasher::new() }
    }

    /// Takes one byte; tells whether it was the last.
    pub fn take(&mut self, byte: u8) -> Result<bool> {
        let at = self.at;
        self.at = at.saturating_add(1);
        if !matches!(self.part, Part::Checksum { .. }) {
            self.crc.update(&[byte]);
        }
        match self.part {
            Part::Fixed => {
                match (at, byte) {
                    (0, 0x1f) | (1, 0x8b) | (2, 8) => {}
                    (0 | 1, found) => {
                        return Err(fault(at, "not gzip data").expected_found(
                            ["1f", "8b"].get(at as usize).unwrap_or(&""),
                            format_args!("{found:02x}"),
                        ));
                    }
                    (2, found) => return Err(fault(2, "unknown compression method").expected_found(8, found)),
                    (3, flags) if flags & 0xe0 != 0 => {
                        return Err(fault(3, "reserved gzip flags are set")
                            .expected_found("at most 1f", format_args!("{flags:02x}")));
                    }
                    (3, flags) => self.flags = flags,
                    _ => {}
                }
                if at == 9 {
                    self.part = self.first_of(FEXTRA);
                }
            }
            Part::ExtraLength { low: None } => self.part = Part::ExtraLength { low: Some(byte) },
            Part::ExtraLength { low: Some(low) } => {
                self.part = match u16::from_le_bytes([low, byte]) {
                    0 => self.first_of(FNAME),
                    left => Part::Extra { left },
                };
            }
            Part::Extra { left: 0 | 1 } => self.part = self.first_of(FNAME),
            Part::Extra { left } => self.part = Part::Extra { left: left - 1 },
            Part::Name if byte == 0 => self.part = self.first_of(FCOMMENT),
            Part::Comment if byte == 0 => self.part = self.first_of(FHCRC),
            Part::Name | Part::Comment => {}
            Part::Checksum { low: None } => self.part = Part::Checksum { low: Some(byte) },
            Part::Checksum { low: Some(low) } => {
                let stored = u16::from_le_bytes([low, byte]);
                let found = self.crc.clone().finalize() as u16;
                if stored != found {
                    return Err(fault(at.saturating_sub(1), "the checksum of the gzip header is wrong")
                        .expected_found(format_args!("{found:04x}"), format_args!("{stored:04x}")));
                }
                self.part = Part::Done;
            }
            Part::Done => {}
        }
        Ok(self.part == Part::Done)
    }

    /// The first optional part that is there, from the one of `flag` on.
    fn first_of(&self, flag: u8) -> Part {
        let parts = [
            (FEXTRA, Part::ExtraLength { low: None }),
            (FNAME, Part::Name),
            (FCOMMENT, Part::Comment),
            (FHCRC, Part::Checksum { low: None }),
        ];
        let there = parts.into_iter().skip_while(|(bit, _)| *bit != flag).find(|(bit, _)| self.flags & bit != 0);
        there.map_or(Part::Done, |(_, part)| part)
    }
}
