//! Bytes and shapes as error messages and headers show them.
#![forbid(unsafe_code)]

use core::fmt;

/// Bytes in hexadecimal, separated by spaces.
pub(super) struct Hex<'a>(pub(super) &'a [u8]);

impl fmt::Display for Hex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().enumerate().try_for_each(|(i, byte)| write!(f, "{}{byte:02x}", if i == 0 { "" } else { " " }))
    }
}

/// A shape as Python writes it: `()`, `(4,)`, `(2, 3)`.
pub(crate) struct Shape<'a>(pub(crate) &'a [u64]);

impl fmt::Display for Shape<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(")?;
        for (i, dimension) in self.0.iter().enumerate() {
            write!(f, "{}{dimension}", if i == 0 { "" } else { ", " })?;
        }
        f.write_str(if self.0.len() == 1 { ",)" } else { ")" })
    }
}

/// Text of a header between backquotes, in the encoding of its version; control characters are escaped.
pub(super) struct Quoted<'a> {
    pub(super) text: &'a [u8],
    /// UTF-8, else Latin-1.
    pub(super) utf8: bool,
}

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // An error message needs no more to be understood.
        const SHOWN: usize = 64;
        let mut show = |c: char| if c.is_control() { write!(f, "{}", c.escape_default()) } else { write!(f, "{c}") };
        show('`')?;
        match core::str::from_utf8(self.text) {
            Ok(text) if self.utf8 => text.chars().take(SHOWN).try_for_each(&mut show)?,
            _ => self.text.iter().take(SHOWN).copied().map(char::from).try_for_each(&mut show)?,
        }
        if self.text.len() > SHOWN {
            show('…')?;
        }
        show('`')
    }
}
