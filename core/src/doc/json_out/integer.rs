//! Integers as decimal text: numbers are most of a document, and the formatter of `core` takes several times as long.
#![forbid(unsafe_code)]

/// The decimal text of a number.
pub(crate) struct Decimal {
    /// The digits, at the end.
    digits: [u8; 20],
    start: usize,
}

impl Decimal {
    pub(crate) fn bytes(&self) -> &[u8] {
        self.digits.get(self.start..).unwrap_or(&[])
    }
}

/// `value` in decimal, without leading zeros.
#[inline]
pub(crate) fn decimal(mut value: u64) -> Decimal {
    let mut text = Decimal { digits: [b'0'; 20], start: 20 };
    // The largest value has 20 digits, so the array never ends first.
    for place in text.digits.iter_mut().rev() {
        *place = b'0' + (value % 10) as u8;
        text.start -= 1;
        value /= 10;
        if value == 0 {
            break;
        }
    }
    text
}
