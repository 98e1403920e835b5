//! Identity of constants and of payloads is their MD5, as in the product; this file is the only place that computes it.
#![forbid(unsafe_code)]

use crate::error::Result;
use crate::sink::Sink;
use alloc::string::String;

/// An MD5 digest, in the order of its bytes in files.
pub type Md5 = [u8; 16];

/// The MD5 of `bytes`.
pub fn md5(bytes: &[u8]) -> Md5 {
    let mut running = Running::new();
    running.update(bytes);
    running.finish()
}

/// Lowercase hexadecimal, two digits per byte.
pub fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |nibble: u8| char::from(DIGITS[usize::from(nibble & 15)]);
    bytes.iter().flat_map(|&byte| [digit(byte >> 4), digit(byte)]).collect()
}

/// An MD5 over data that arrives in pieces.
#[derive(Clone)]
pub struct Running(md5::Context);

impl Running {
    /// A digest of nothing yet.
    pub fn new() -> Self {
        Running(md5::Context::new())
    }

    /// Takes the next piece.
    pub fn update(&mut self, piece: &[u8]) {
        self.0.consume(piece);
    }

    /// The digest of all pieces.
    pub fn finish(self) -> Md5 {
        self.0.finalize().0
    }
}

impl Sink for Running {
    /// Takes the next piece; never fails.
    fn write(&mut self, piece: &[u8]) -> Result<()> {
        self.update(piece);
        Ok(())
    }
}

impl Default for Running {
    fn default() -> Self {
        Running::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_digests_whole_and_in_pieces() {
        assert_eq!(hex(&md5(b"")), "d41d8cd98f00b204e9800998ecf8427e");
        assert_eq!(hex(&md5(b"abc")), "900150983cd24fb0d6963f7d28e17f72");
        let mut running = Running::default();
        running.update(b"a");
        running.update(b"");
        running.update(b"bc");
        assert_eq!(running.finish(), md5(b"abc"));
    }
}
