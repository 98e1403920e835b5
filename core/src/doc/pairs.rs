//! Arrays of pairs of simple values: access patterns and edges, a third of a document.
#![forbid(unsafe_code)]

use super::gap::Gap;

/// How an array of pairs was written when one was read last: what stood between its values.
#[derive(Clone, Copy, Debug)]
pub struct PairLayout {
    /// `[[`, before the first value.
    pub(super) open: Gap,
    /// `,`, within a pair.
    pub(super) middle: Gap,
    /// `],[`, between two pairs.
    pub(super) next: Gap,
    /// `]]`, behind the last value.
    pub(super) end: Gap,
    /// Bytes of `open` from the bracket of the pair on.
    pub(super) inside_open: u8,
    /// Bytes of `next` from the bracket of the second pair on.
    pub(super) inside_next: u8,
}

/// A pair of texts.
#[derive(Clone, Copy, Debug, Default)]
pub struct TextPair<'a> {
    /// The first.
    pub first: &'a str,
    /// The second.
    pub second: &'a str,
    /// Where the pair stands: the offset of its bracket.
    pub offset: u64,
}

impl PairLayout {
    /// Matches nowhere.
    pub(super) const NONE: PairLayout = PairLayout {
        open: Gap::NONE,
        middle: Gap::NONE,
        next: Gap::NONE,
        end: Gap::NONE,
        inside_open: 0,
        inside_next: 0,
    };

    /// Remembers what stands between the values of an array of pairs, given with where each value starts and ends. `None` if it is
    /// anything else. What stood between two pairs is kept from `before` if there is only one.
    pub(super) fn of(
        text: &[u8],
        mut values: impl Iterator<Item = (usize, usize)>,
        before: &PairLayout,
    ) -> Option<Self> {
        let mut layout = PairLayout { next: before.next, inside_next: before.inside_next, ..PairLayout::NONE };
        let mut behind = 0;
        while let Some((start, end)) = values.next() {
            let bracket = text.get(..start)?.iter().rposition(|b| *b == b'[')?;
            let inside = u8::try_from(start - bracket).ok()?;
            if behind == 0 {
                (layout.open, layout.inside_open) = (gap(text, 0, start, b"[[")?, inside);
            } else {
                (layout.next, layout.inside_next) = (gap(text, behind, start, b"],[")?, inside);
            }
            let second = values.next()?;
            layout.middle = gap(text, end, second.0, b",")?;
            behind = second.1;
        }
        layout.end = gap(text, behind, text.len(), b"]]")?;
        Some(layout)
    }
}

/// The text of a gap that has just these tokens, beside white space and the quotes of the values around it.
fn gap(text: &[u8], from: usize, to: usize, tokens: &[u8]) -> Option<Gap> {
    let text = text.get(from..to)?;
    let found = text.iter().filter(|b| !matches!(b, b' ' | b'\n' | b'\r' | b'\t' | b'"'));
    if found.eq(tokens) { Gap::new(text, false) } else { None }
}
