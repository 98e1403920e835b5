//! What stands around the values of an array of pairs: the same for all pairs of one depth, so it is made once.
#![forbid(unsafe_code)]

use super::Style;

/// Bytes of the longest text between two values, which are copied whole whatever counts of them.
pub(super) const LONGEST: usize = 64;

/// A text between values: its bytes, and how many count.
pub(super) type Line = ([u8; LONGEST], usize);

/// The texts of a pair in an array at some depth.
#[derive(Clone, Copy, Debug)]
pub(super) struct PairLines {
    depth: usize,
    /// From the array's bracket, or the comma behind the pair before, to the first value.
    pub(super) open: Line,
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
            depth,
            open: line(&[Piece::Line(outer), Piece::Byte(b'['), Piece::Line(inner)])?,
            middle: line(&[Piece::Byte(b','), Piece::Line(inner)])?,
            close: line(&[Piece::Line(outer), Piece::Byte(b']')])?,
        })
    }

    /// Whether these are the texts for `depth`.
    #[inline(always)]
    pub(super) fn is_for(&self, depth: usize) -> bool {
        self.depth == depth
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
