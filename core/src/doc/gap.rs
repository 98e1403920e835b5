//! The text between two values, remembered: a writer puts the same comma, line break, indentation and key between the same two
//! members of a million objects, and to compare some forty bytes at once costs less than to read them as tokens.
#![forbid(unsafe_code)]

/// Bytes of the longest text that is remembered: what is longer is indented deeper than real documents are.
const LONGEST: usize = 128;

/// What stood between two values: all from the comma to the value behind the next key, say, or the end of the object. It was read
/// once as tokens. So where the same bytes come again behind the same kind of place, they mean the same.
#[derive(Clone, Copy, Debug)]
pub struct Gap {
    bytes: [u8; LONGEST],
    len: u8,
    closes: bool,
}

impl Gap {
    /// Matches nowhere.
    pub(super) const NONE: Gap = Gap { bytes: [0; LONGEST], len: 0, closes: false };

    /// Remembers `text`; `None` if it is too long for that. `closes` says that it ends the object.
    pub(super) fn new(text: &[u8], closes: bool) -> Option<Gap> {
        let mut gap = Gap { len: u8::try_from(text.len()).ok()?, closes, ..Gap::NONE };
        gap.bytes.get_mut(..text.len())?.copy_from_slice(text);
        Some(gap)
    }

    /// Its length in bytes.
    #[inline(always)]
    pub(super) const fn len(&self) -> usize {
        self.len as usize
    }

    /// Whether it ends the object.
    #[inline(always)]
    pub(super) const fn closes(&self) -> bool {
        self.closes
    }

    /// Whether `text` begins with it.
    #[inline(always)]
    pub(super) fn begins(&self, text: &[u8]) -> bool {
        let (Some(own), Some(text)) = (self.bytes.get(..self.len()), text.get(..self.len())) else { return false };
        // The last bytes first: they are of the key, and most likely to differ. The pieces overlap, so that none is shorter.
        match self.len {
            16.. => {
                own.last_chunk::<16>() == text.last_chunk::<16>()
                    && own.as_chunks::<16>().0.iter().zip(text.as_chunks::<16>().0).all(|(a, b)| a == b)
            }
            8.. => own.last_chunk::<8>() == text.last_chunk::<8>() && own.first_chunk::<8>() == text.first_chunk::<8>(),
            1.. => own == text,
            0 => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    #[test]
    fn compares_every_byte() {
        for len in 1..=LONGEST {
            let text: Vec<u8> = (0..len).map(|i| i as u8).collect();
            let gap = Gap::new(&text, len % 2 == 0).unwrap();
            assert_eq!((gap.len(), gap.closes()), (len, len % 2 == 0));
            let mut longer = text.clone();
            longer.extend_from_slice(b"more");
            assert!(gap.begins(&text) && gap.begins(&longer) && !gap.begins(&text[..len - 1]), "{len}");
            for at in 0..len {
                longer[at] ^= 0x80;
                assert!(!gap.begins(&longer), "{at} of {len}");
                longer[at] ^= 0x80;
            }
        }
        assert!(!Gap::NONE.begins(b"") && !Gap::NONE.begins(&[0; 99]));
        assert!(Gap::new(&[1; LONGEST + 1], false).is_none() && Gap::new(&[1; 256], false).is_none());
    }
}
