//! The element type of a file of which only the beginning is at hand.
#![forbid(unsafe_code)]

use super::{Descr, DescrKind, MAGIC, Options, Prefix, parse_prefix};

/// What the header at the start of `head` says of the elements; `None` if it is no NPY header, or not all of it is there.
fn descr_of_head(head: &[u8]) -> Option<Descr> {
    // Most files are none, and an error costs more than reading a small one.
    if !head.starts_with(&MAGIC) {
        return None;
    }
    // What cannot be read in place has a type all the same.
    match parse_prefix(head, Options { allow_conversion: true }) {
        Ok(Prefix::Whole(npy)) => Some(npy.descr),
        Ok(Prefix::Needs(_)) | Err(_) => None,
    }
}

/// The element type of the IR that the header at the start of `head` states, in the IR's spelling; `None` if it states
/// none, or one of several (a void type that several may hide behind).
pub fn dtype_of_head(head: &[u8]) -> Option<&'static str> {
    let descr = descr_of_head(head)?;
    match (descr.kind, descr.row()?.dtypes) {
        (DescrKind::Void, [only]) => Some(only),
        (DescrKind::Void, _) => None,
        (_, [first, ..]) => Some(first),
        (_, []) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::consts::npy;

    #[test]
    fn states_the_type_if_there_is_one() {
        for (descr, dtype) in [
            ("<f4", Some("float32")),
            ("|b1", Some("uint8")),
            ("|i1", Some("int8")),
            (">i8", Some("int64")),
            ("<V2", Some("bfloat16")),
            ("|V1", None),
        ] {
            // Written by hand: the writer knows no other byte order.
            let mut file = npy::header("<f4", &[3]).unwrap();
            let at = file.windows(3).position(|w| w == b"<f4").unwrap();
            file[at..at + 3].copy_from_slice(descr.as_bytes());
            assert_eq!(dtype_of_head(&file), dtype, "{descr}");
            assert_eq!(dtype_of_head(&file[..file.len() - 1]), None);
            file.extend_from_slice(&[0; 5]);
            assert_eq!(dtype_of_head(&file), dtype, "{descr}");
        }
        for head in
            [&b""[..], b"\x93NUMPY", b"\x93NUMPY\x01\x00\x02\x00{}", b"\x93NUMPY\x02\x00\xff\xff\xff\xff{}", b"raw"]
        {
            assert_eq!(dtype_of_head(head), None);
        }
    }
}
