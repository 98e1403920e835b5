//! What a ustar header cannot hold travels in records `"<length> <key>=<value>\n"` of an extended header.
#![forbid(unsafe_code)]

use crate::error::{Error, Result};
use crate::neff::pieces::write_decimal;
use crate::sink::Sink;
use alloc::vec::Vec;

/// Appends one record. The length counts itself.
pub(super) fn push_record(out: &mut Vec<u8>, key: &str, value: &[u8]) -> Result<()> {
    // Space, `=` and newline.
    let rest = key.len().checked_add(value.len()).and_then(|n| n.checked_add(3)).ok_or_else(Error::out_of_memory)?;
    let mut length = rest;
    loop {
        let total = rest.checked_add(decimal_digits(length)).ok_or_else(Error::out_of_memory)?;
        if total == length {
            break;
        }
        length = total;
    }
    write_decimal(out, length as u64)?;
    for piece in [b" ", key.as_bytes(), b"=", value, b"\n"] {
        out.write(piece)?;
    }
    Ok(())
}

/// Appends one record with a decimal value.
pub(super) fn push_number(out: &mut Vec<u8>, key: &str, value: u64) -> Result<()> {
    let mut digits = Vec::new();
    write_decimal(&mut digits, value)?;
    push_record(out, key, &digits)
}

fn decimal_digits(value: usize) -> usize {
    value.checked_ilog10().map_or(1, |log| log as usize + 1)
}

/// A record, or the offset of the fault in the records.
pub(super) type Record<'r> = Result<(&'r [u8], &'r [u8]), usize>;

/// Reads the records of an extended header; stops after a fault.
pub(super) fn records(body: &[u8]) -> impl Iterator<Item = Record<'_>> {
    let mut at = 0usize;
    core::iter::from_fn(move || {
        let rest = body.get(at..).filter(|rest| !rest.is_empty())?;
        match first_record(rest) {
            Some((length, key, value)) => {
                at = at.saturating_add(length);
                Some(Ok((key, value)))
            }
            None => {
                let fault = at;
                at = body.len();
                Some(Err(fault))
            }
        }
    })
}

/// Length, key and value of the record at the start.
fn first_record(bytes: &[u8]) -> Option<(usize, &[u8], &[u8])> {
    let space = bytes.iter().take(21).position(|&b| b == b' ')?;
    let length = usize::try_from(decimal(bytes.get(..space)?)?).ok()?;
    let record = bytes.get(space.checked_add(1)?..length)?.strip_suffix(b"\n")?;
    let equals = record.iter().position(|&b| b == b'=').filter(|&at| at > 0)?;
    Some((length, record.get(..equals)?, record.get(equals + 1..)?))
}

/// An unsigned decimal number and nothing else.
pub(super) fn decimal(text: &[u8]) -> Option<u64> {
    if text.is_empty() {
        return None;
    }
    text.iter().try_fold(0u64, |value, &byte| {
        byte.is_ascii_digit().then_some(())?;
        value.checked_mul(10)?.checked_add(u64::from(byte - b'0'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lengths_count_themselves() {
        let mut out = Vec::new();
        push_record(&mut out, "hdrcharset", b"BINARY").unwrap();
        assert_eq!(out, b"21 hdrcharset=BINARY\n");
        // 9 → 10 and 99 → 101: the length grows with its own digits.
        for (value, start) in [(2, &b"9 "[..]), (3, b"11 "), (91, b"99 "), (92, b"101 ")] {
            let mut out = Vec::new();
            push_record(&mut out, "abc", &[b'x'; 100][..value]).unwrap();
            assert!(out.starts_with(start), "{}", out.escape_ascii());
            assert_eq!(out.len() as u64, decimal(&start[..start.len() - 1]).unwrap());
        }
    }

    #[test]
    fn refuses_malformed_records() {
        for body in [
            &b"9 abc=xx"[..],
            b"8 abc=xx\n",
            b"11 abc=xx\n",
            b" abc=x\n",
            b"x abc=x\n",
            b"6 ab\n\n",
            b"5 =x\n",
            b"0 a=b\n",
            b"99999999999999999999999 a=b\n",
            b"18446744073709551615 a=b\n",
        ] {
            assert!(records(body).any(|r| r.is_err()), "{}", body.escape_ascii());
        }
        let faults: Vec<_> = records(b"6 a=b\nx").collect();
        assert_eq!(faults, [Ok((&b"a"[..], &b"b"[..])), Err(6)]);
    }

    proptest! {
        #[test]
        fn round_trips(list in prop::collection::vec(("[a-z.A-Z]{1,12}", prop::collection::vec(any::<u8>(), 0..120)), 0..5)) {
            let mut body = Vec::new();
            for (key, value) in &list {
                push_record(&mut body, key, value).unwrap();
            }
            let read: Vec<_> = records(&body).map(|r| r.unwrap()).collect();
            prop_assert_eq!(read.len(), list.len());
            for ((key, value), (k, v)) in read.iter().zip(&list) {
                prop_assert_eq!((*key, *value), (k.as_bytes(), &v[..]));
            }
        }

        #[test]
        fn reading_never_panics(body in prop::collection::vec(any::<u8>(), 0..64)) {
            let _ = records(&body).count();
        }
    }
}
