//! Pieces of text put into room that is there: most pieces of a document are shorter than a vector register, so whole registers are
//! copied and only as much of them counts as is meant, which costs no call and no loop.
#![forbid(unsafe_code)]

use super::integer::decimal;
use crate::doc::scan;

/// Bytes of a text that is copied in one or two registers, at most.
pub(super) const SHORT: usize = 32;
/// Bytes of room for such a text with quotes and what stands behind it.
const QUOTED: usize = SHORT + 4;

/// Takes pieces one behind the other.
pub(super) trait Put {
    /// Room behind the pieces so far; `None` if there is none, which the taker remembers and tells at its end.
    fn room_of<const N: usize>(&mut self) -> Option<&mut [u8; N]>;

    /// Takes the first bytes of that room as put.
    fn add(&mut self, count: usize);

    /// Puts the first `count` of `N` bytes.
    #[inline(always)]
    fn put_of<const N: usize>(&mut self, bytes: &[u8; N], count: usize) {
        if let Some(chunk) = self.room_of::<N>() {
            *chunk = *bytes;
            self.add(count.min(N));
        }
    }

    /// Puts at most [`SHORT`] bytes.
    #[inline(always)]
    fn put_short(&mut self, bytes: &[u8]) {
        if let Some(room) = self.room_of::<SHORT>() {
            copy_short(room, bytes);
            self.add(bytes.len().min(SHORT));
        }
    }

    /// Puts a text of at most [`SHORT`] bytes between quotes, with nothing in it to escape, and behind it at most two bytes.
    #[inline(always)]
    fn put_short_quoted(&mut self, text: &[u8], behind: &[u8]) {
        let Some((quote, room)) = self.room_of::<QUOTED>().and_then(|room| room.split_first_mut()) else { return };
        *quote = b'"';
        copy_short(room, text);
        let close: [u8; 3] = match behind {
            [first, second] => [b'"', *first, *second],
            [first] => [b'"', *first, 0],
            _ => [b'"', 0, 0],
        };
        if let Some(end) = room.get_mut(text.len()..).and_then(|end| end.first_chunk_mut::<3>()) {
            *end = close;
        }
        self.add(text.len().min(SHORT) + 2 + behind.len().min(2));
    }

    /// Puts a text between quotes if it has 8 to 32 bytes and nothing to escape, which is looked for in the same registers; `false`,
    /// and nothing is put, if not.
    #[inline(always)]
    fn put_string(&mut self, text: &[u8]) -> bool {
        match text.len() {
            16..=SHORT => scan::is_plain_16(text) && self.put_both::<16>(text),
            8..16 => scan::is_plain_8(text) && self.put_both::<8>(text),
            _ => false,
        }
    }

    /// Puts a text of `N` to [`SHORT`] bytes between quotes by its first and its last `N` bytes.
    #[inline(always)]
    fn put_both<const N: usize>(&mut self, text: &[u8]) -> bool {
        let (Some(first), Some(last)) = (text.first_chunk::<N>(), text.last_chunk::<N>()) else { return false };
        let Some(room) = self.room_of::<QUOTED>() else { return true };
        if let Some((quote, room)) = room.split_first_mut()
            && let Some(start) = room.first_chunk_mut::<N>()
        {
            *quote = b'"';
            *start = *first;
        }
        if let Some((end, close)) =
            room.get_mut(text.len() + 1 - N..).and_then(|room| room.split_first_chunk_mut::<N>())
            && let Some(close) = close.first_mut()
        {
            *end = *last;
            *close = b'"';
        }
        self.add(text.len() + 2);
        true
    }

    /// Puts a number in decimal.
    #[inline(always)]
    fn put_signed(&mut self, value: i64) {
        if value < 0 {
            self.put_of(b"-", 1);
        }
        self.put_decimal(value.unsigned_abs());
    }

    /// Puts a number in decimal, without leading zeros.
    #[inline(always)]
    fn put_decimal(&mut self, value: u64) {
        match u16::try_from(value) {
            Ok(value @ 0..=9) => self.put_of(&[b'0' + value as u8], 1),
            Ok(value @ 0..=9999) => {
                let (digits, count) = four_digits(value);
                self.put_of(&digits, count);
            }
            _ => self.put_long_decimal(value),
        }
    }

    #[inline(never)]
    fn put_long_decimal(&mut self, value: u64) {
        self.put_short(decimal(value).bytes());
    }
}

/// The digits of a number below 10,000, and how many there are.
#[inline(always)]
fn four_digits(value: u16) -> ([u8; 4], usize) {
    let value = u32::from(value);
    // Both quotients are exact for all numbers of so many digits. The upper two digits in the lower half.
    let upper = (value * 5243) >> 19;
    let halves = upper | (value - upper * 100) << 16;
    let tens = ((halves * 103) >> 10) & 0x000F_000F;
    let digits = tens | (halves - tens * 10) << 8;
    // The last digit stays, be it zero.
    let zeros = ((digits | 1 << 24).trailing_zeros() / 8) as usize;
    (((digits | 0x3030_3030) >> (8 * zeros)).to_le_bytes(), 4 - zeros)
}

/// Copies a text of at most [`SHORT`] bytes, in two pieces that overlap unless it has exactly twice their length.
#[inline(always)]
fn copy_short(to: &mut [u8], text: &[u8]) {
    match text.len() {
        16.. => both::<16>(to, text),
        8.. => both::<8>(to, text),
        4.. => both::<4>(to, text),
        _ => to.iter_mut().zip(text).for_each(|(to, &byte)| *to = byte),
    }
}

/// Copies the first and the last `N` bytes of a text.
#[inline(always)]
fn both<const N: usize>(to: &mut [u8], text: &[u8]) {
    let (Some(first), Some(last)) = (text.first_chunk::<N>(), text.last_chunk::<N>()) else { return };
    if let Some(chunk) = to.first_chunk_mut::<N>() {
        *chunk = *first;
    }
    if let Some(chunk) = to.get_mut(text.len() - N..).and_then(|rest| rest.first_chunk_mut::<N>()) {
        *chunk = *last;
    }
}

/// Whether a text of at most [`SHORT`] bytes has nothing to escape.
#[inline(always)]
pub(super) fn is_plain(text: &[u8]) -> bool {
    match text.len() {
        16.. => scan::is_plain_16(text),
        8.. => scan::is_plain_8(text),
        _ => text.iter().all(|&byte| byte >= 0x20 && byte != b'"' && byte != b'\\'),
    }
}
