//! What stands around the values of an array of pairs: the same for all pairs of one depth, so it is made once.
#![forbid(unsafe_code)]

use super::Style;
use crate::error::{Error, Result};
use alloc::vec::Vec;

/// Bytes of the longest text between two values, which are copied whole whatever counts of them.
pub(super) const LONGEST: usize = 64;

/// A text between values: its bytes, and how many count.
pub(super) type Line = ([u8; LONGEST], usize);

/// The texts for each depth.
#[derive(Debug, Default)]
pub(super) struct AllPairLines(Vec<Option<PairLines>>);

impl AllPairLines {
    /// What stands around the values of a pair that is an element at this depth; `None` if it is too long.
    #[inline(always)]
    pub(super) fn get(&mut self, style: Style, depth: usize) -> Result<Option<&PairLines>> {
        if !matches!(self.0.get(depth), Some(Some(_))) {
            self.make(style, depth)?;
        }
        Ok(self.0.get(depth).and_then(Option::as_ref))
    }

    #[cold]
    #[inline(never)]
    fn make(&mut self, style: Style, depth: usize) -> Result<()> {
        let Some(lines) = PairLines::new(style, depth) else { return Ok(()) };
        if let Some(more) = (depth + 1).checked_sub(self.0.len()) {
            self.0.try_reserve(more).map_err(|_| Error::out_of_memory())?;
            self.0.resize(depth + 1, None);
        }
        if let Some(place) = self.0.get_mut(depth) {
            *place = Some(lines);
        }
        Ok(())
    }
}

/// The texts of a pair in an array at some depth.
#[derive(Clone, Copy, Debug)]
pub(super) struct PairLines {
    /// From the array's bracket to the first value.
    first: Line,
    /// From behind the pair before to the first value.
    next: Line,
    /// From the first value to the second.
    pub(super) middle: Line,
    /// From the second value to behind the pair.
    pub(super) close: Line,
}

impl PairLines {
    /// The texts in an array whose elements stand at `depth`; `None` if they are too long.
    pub(super) fn new(style: Style, depth: usize) -> Option<PairLines> {
        let outer = match style {
            Style::Pretty => 1 + 2 * depth,
            Style::Compact => 0,
        };
        let inner = if outer == 0 { 0 } else { outer + 2 };
        Some(PairLines {
            first: line(&[Piece::Line(outer), Piece::Byte(b'['), Piece::Line(inner)])?,
            next: line(&[Piece::Byte(b','), Piece::Line(outer), Piece::Byte(b'['), Piece::Line(inner)])?,
            middle: line(&[Piece::Byte(b','), Piece::Line(inner)])?,
            close: line(&[Piece::Line(outer), Piece::Byte(b']')])?,
        })
    }

    /// What stands before the first value of a pair.
    #[inline(always)]
    pub(super) fn open(&self, first: bool) -> &Line {
        if first { &self.first } else { &self.next }
    }
}

enum Piece {
    Byte(u8),
    /// A line break and spaces, so many bytes together.
    Line(usize),
}

fn line(pieces: &[Piece]) -> Option<Line> {
    let mut bytes = [b' '; LONGEST];
    let mut len = 0;
    for piece in pieces {
        let (first, more) = match *piece {
            Piece::Line(0) => continue,
            Piece::Line(count) => (b'\n', count),
            Piece::Byte(byte) => (byte, 1),
        };
        *bytes.get_mut(len)? = first;
        len += more;
    }
    (len <= LONGEST).then_some((bytes, len))
}
