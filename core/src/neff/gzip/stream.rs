//! Inflates a gzip member that arrives in pieces, without zlib and into a window that the caller gives, and checks
//! everything the format lets one check.
#![forbid(unsafe_code)]

use super::head::Head;
use super::read::{fault, short};
use crate::error::Result;
use core::borrow::BorrowMut;
use core::fmt;
use core::ops::Range;
use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::core::inflate_flags::TINFL_FLAG_HAS_MORE_INPUT;
use miniz_oxide::inflate::core::{DecompressorOxide, decompress};

/// Size of the [`Window`] in bytes: as far back as a match can reach.
pub const WINDOW: usize = 1 << 15;

/// What was inflated last; matches refer to it.
pub type Window = [u8; WINDOW];

/// What the bytes of a gzip member meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Inflated {
    /// All bytes were taken; more are needed, or [`Gunzip::finish`] if there are none.
    NeedInput,
    /// So many bytes at this place of the window came out; the next step may overwrite them.
    Output(Range<usize>),
}

/// The state of a member. `W` is its window, borrowed or in a box. Takes about 11 KB without the window.
///
/// Errors are `BadCompression` with the byte offset in the member. After an error the state is of no use.
#[derive(Clone)]
pub struct Gunzip<W> {
    window: W,
    inflate: DecompressorOxide,
    part: Part,
    /// Bytes taken so far.
    at: u64,
    /// Where the next output goes.
    out: usize,
    /// The window was full when the last step ended, so more may come out without any input.
    more: bool,
    crc: crc32fast::Hasher,
    length: u64,
}

#[derive(Clone)]
enum Part {
    Head(Head),
    Body,
    /// Checksum and length, of which so many bytes are there.
    Trailer {
        bytes: [u8; 8],
        filled: usize,
    },
    /// Zeros.
    Padding,
}

impl<W> fmt::Debug for Gunzip<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gunzip").field("at", &self.at).field("length", &self.length).finish_non_exhaustive()
    }
}

impl<W: BorrowMut<Window>> Gunzip<W> {
    /// The state at the start of a member. What is in the window does not matter.
    pub fn new(window: W) -> Self {
        Gunzip {
            window,
            inflate: DecompressorOxide::new(),
            part: Part::Head(Head::new()),
            at: 0,
            out: 0,
            more: false,
            crc: crc32fast::Hasher::new(),
            length: 0,
        }
    }

    /// Takes bytes from the start of `input` until there is output, or none are left.
    ///
    /// # Errors
    ///
    /// Malformed header or DEFLATE stream, wrong checksum or length, or other bytes than zeros after the trailer.
    pub fn step(&mut self, input: &mut &[u8]) -> Result<Inflated> {
        loop {
            match &mut self.part {
                Part::Head(head) => {
                    let Some((&byte, rest)) = input.split_first() else { return Ok(Inflated::NeedInput) };
                    *input = rest;
                    self.at = self.at.saturating_add(1);
                    if head.take(byte)? {
                        self.part = Part::Body;
                    }
                }
                Part::Body => {
                    if let Some(output) = self.inflate(input)? {
                        return Ok(Inflated::Output(output));
                    }
                    if input.is_empty() && matches!(self.part, Part::Body) {
                        return Ok(Inflated::NeedInput);
                    }
                }
                Part::Trailer { bytes, filled } => {
                    let Some((&byte, rest)) = input.split_first() else { return Ok(Inflated::NeedInput) };
                    *input = rest;
                    if let Some(place) = bytes.get_mut(*filled) {
                        *place = byte;
                    }
                    *filled = filled.saturating_add(1);
                    if *filled == bytes.len() {
                        let trailer = *bytes;
                        self.check_trailer(trailer)?;
                        self.part = Part::Padding;
                    }
                    self.at = self.at.saturating_add(1);
                }
                Part::Padding => {
                    if let Some(surplus) = input.iter().position(|&b| b != 0) {
                        return Err(fault(self.at.saturating_add(surplus as u64), "data after the compressed data")
                            .expected_found("zeros", "other bytes"));
                    }
                    self.at = self.at.saturating_add(input.len() as u64);
                    *input = &[];
                    return Ok(Inflated::NeedInput);
                }
            }
        }
    }

    /// Checks that the member may end here.
    ///
    /// # Errors
    ///
    /// If it is cut short.
    pub fn finish(&self) -> Result<()> {
        match &self.part {
            Part::Padding => Ok(()),
            Part::Head(_) => Err(short(self.at, "a gzip header")),
            Part::Body => Err(short(self.at, "the end of the DEFLATE stream")),
            Part::Trailer { filled, .. } => {
                let start = self.at.saturating_sub(*filled as u64);
                Err(short(self.at, format_args!("a trailer of 8 bytes at byte {start}")))
            }
        }
    }

    /// The window, for the place that [`Inflated::Output`] names.
    pub fn window(&self) -> &Window {
        self.window.borrow()
    }

    /// Whether a step without input may give output.
    pub fn has_more(&self) -> bool {
        self.more
    }

    /// Bytes inflated so far.
    pub fn length(&self) -> u64 {
        self.length
    }

    fn inflate(&mut self, input: &mut &[u8]) -> Result<Option<Range<usize>>> {
        let window = self.window.borrow_mut();
        let (status, read, written) = decompress(&mut self.inflate, input, window, self.out, TINFL_FLAG_HAS_MORE_INPUT);
        let stuck = read == 0 && written == 0 && !input.is_empty();
        *input = input.get(read..).unwrap_or_default();
        self.at = self.at.saturating_add(read as u64);
        self.more = status == TINFLStatus::HasMoreOutput;
        match status {
            TINFLStatus::Done => self.part = Part::Trailer { bytes: [0; 8], filled: 0 },
            TINFLStatus::HasMoreOutput | TINFLStatus::NeedsMoreInput if !stuck => {}
            status => {
                return Err(fault(self.at, "malformed DEFLATE stream")
                    .expected_found("a valid block", format_args!("{status:?}")));
            }
        }
        let output = self.out..self.out.saturating_add(written);
        let bytes = window.get(output.clone()).unwrap_or_default();
        self.crc.update(bytes);
        self.length = self.length.saturating_add(bytes.len() as u64);
        self.out = output.end % WINDOW;
        Ok(Some(output).filter(|output| !output.is_empty()))
    }

    fn check_trailer(&self, trailer: [u8; 8]) -> Result<()> {
        let (crc, length) = trailer.split_at(4);
        let crc = u32::from_le_bytes(crc.try_into().unwrap_or_default());
        let length = u32::from_le_bytes(length.try_into().unwrap_or_default());
        let found = self.crc.clone().finalize();
        // Seven of the eight bytes are counted already.
        let at = self.at.saturating_sub(7);
        if crc != found {
            return Err(fault(at, "the checksum of the compressed data is wrong")
                .expected_found(format_args!("{found:08x}"), format_args!("{crc:08x}")));
        }
        if length != self.length as u32 {
            return Err(fault(at.saturating_add(4), "the length of the compressed data is wrong")
                .expected_found(self.length as u32, length));
        }
        Ok(())
    }
}
