//! Damaged files: each one is refused with a fault that fits, or is another good file; none panics.
#![forbid(unsafe_code)]

use super::*;

/// Files of all versions, both orders of bytes and of elements.
fn samples() -> Vec<Vec<u8>> {
    let data: Vec<u8> = (0..24).collect();
    let mut files = vec![[header("<f4", &[2, 3]).unwrap(), data.clone()].concat()];
    for version in [1, 2, 3] {
        files.push(file(&[version, 0], &dictionary("'>u2'", "True", "(2, 3, 2)"), &data));
    }
    files
}

/// The result of both readers, which must agree except about what only one of them can do.
fn read(file: &[u8]) -> Option<NpyFault> {
    let mut last = None;
    for allow_conversion in [false, true] {
        let options = Options { allow_conversion };
        let whole = parse_with(file, options);
        let mut reader = NpyReader::new(options);
        let mut data = Vec::new();
        let streamed =
            file.chunks(11).try_for_each(|piece| reader.push(piece, &mut data)).and_then(|()| reader.finish());
        match (&whole, &streamed) {
            (Ok(npy), Ok(same)) => {
                assert_eq!(npy, same);
                assert_eq!(npy.converted(file).unwrap(), data);
            }
            (Ok(npy), Err(error)) => {
                assert!(npy.is_transposed());
                assert_eq!(NpyFault::of(error), Some(NpyFault::FortranOrder));
                assert_eq!(npy.converted(file).unwrap().len() as u64, npy.data_bytes);
            }
            (Err(error), _) => {
                let fault = NpyFault::of(error).unwrap_or_else(|| panic!("{error}"));
                assert!(error.position.is_some() && !error.expected.is_empty() && !error.found.is_empty(), "{error}");
                let other = NpyFault::of(streamed.as_ref().unwrap_err());
                assert!(other == Some(fault) || other == Some(NpyFault::FortranOrder), "{fault:?} {other:?}");
            }
        }
        last = whole.err().as_ref().and_then(NpyFault::of);
    }
    last
}

#[test]
fn a_file_cut_anywhere_is_truncated_or_short() {
    for file in samples() {
        assert_eq!(read(&file), None);
        let data_offset = parse_with(&file, Options { allow_conversion: true }).unwrap().data_offset;
        for cut in 0..file.len() {
            let fault = match cut {
                0..6 => NpyFault::BadMagic,
                _ if cut < data_offset => NpyFault::TruncatedHeader,
                _ => NpyFault::ShortData,
            };
            assert_eq!(read(&file[..cut]), Some(fault), "cut at {cut}");
        }
    }
}

/// Every value in every byte of the header.
#[test]
fn every_damaged_header_byte_is_a_fault_that_fits() {
    for file in samples() {
        let data_offset = parse_with(&file, Options { allow_conversion: true }).unwrap().data_offset;
        let text_at = if file[6] == 1 { 10 } else { 12 };
        for at in 0..data_offset {
            for value in (0..=255u8).filter(|value| *value != file[at]) {
                let mut damaged = file.clone();
                damaged[at] = value;
                let fault = read(&damaged);
                match at {
                    0..6 => assert_eq!(fault, Some(NpyFault::BadMagic)),
                    // Versions 2 and 3 differ in the encoding of the text only.
                    6 if (2..=3).contains(&file[6]) && (2..=3).contains(&value) => assert_eq!(fault, None),
                    6 if (1..=3).contains(&value) => assert!(fault.is_some()),
                    6 | 7 => assert_eq!(fault, Some(NpyFault::Version)),
                    // Another length moves the end of the text or of the data.
                    _ if at < text_at => assert!(fault.is_some(), "length {value} at {at}"),
                    _ => assert_ne!(fault, Some(NpyFault::BadMagic)),
                }
            }
        }
    }
}

proptest! {
    /// Several damages at once, and any bytes at all behind the magic.
    #[test]
    fn any_damage_is_survived(
        sample in 0usize..4,
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        cut in any::<prop::sample::Index>(),
        noise in prop::collection::vec(any::<u8>(), 0..300),
    ) {
        let mut file = samples().swap_remove(sample);
        for (at, value) in damage {
            let at = at.index(file.len());
            file[at] = value;
        }
        read(&file);
        read(&file[..cut.index(file.len())]);
        read(&noise);
        for version in 1..4u8 {
            read(&[&MAGIC[..], &[version, 0, noise.len() as u8, 0, 0, 0], &noise].concat());
        }
    }

    /// Text made of the pieces of headers, in any order.
    #[test]
    fn scrambled_text_is_survived(pieces in prop::collection::vec(prop::sample::select(&[
        "{", "}", "(", ")", ",", ":", " ", "'descr'", "\"shape\"", "'fortran_order'", "'<f4'", "'>u2'", "True", "False",
        "1", "0", "18446744073709551615", "\\", "'", "\n", "L", "-", "[", "é",
    ][..]), 0..24)) {
        read(&file(&[3, 0], &pieces.concat(), &[0; 8]));
    }
}
