//! Damaged files: an error each time, never a panic, and never more memory than a small multiple of the file.
mod counting;
mod klr_common;
use bir_core::ErrorCode;
use bir_core::doc::Style;
use bir_core::klr::{Arena, DecodeOptions, check, decode, encode, write_json, write_listing};
use counting::{peak, with_allocations};
use klr_common::{EXAMPLE, read};
use proptest::prelude::*;

/// The most memory that reading so many bytes may take: a list's element is up to 16 times its bytes, lists that are not
/// yet filled lie in each other, and the arena grows by doubling.
fn allowed(bytes: usize) -> usize {
    4096 + 48 * bytes
}

const BOTH: [DecodeOptions; 2] = [
    DecodeOptions { proof_bytes: false, max_text_bytes: 1 << 16 },
    DecodeOptions { proof_bytes: true, max_text_bytes: 1 << 16 },
];

/// Reads the bytes in both ways; what can be read goes through everything that is done with files.
fn exercise(bytes: &[u8]) {
    for options in BOTH {
        let ((), used) = peak(|| {
            let arena = Arena::new();
            match decode(bytes, &arena, &options) {
                Ok(file) => {
                    let mut out = Vec::new();
                    encode(&file, &mut out, &Default::default()).unwrap();
                    let again = decode(&out, &arena, &options).unwrap();
                    let mut second = Vec::new();
                    encode(&again, &mut second, &Default::default()).unwrap();
                    assert_eq!(out, second);
                    write_json(&file, &mut out, Style::Pretty).unwrap();
                    write_listing(&file, &mut out).unwrap();
                    check(&file, 10).unwrap();
                }
                Err(error) => {
                    assert!(error.position.is_some_and(|p| p.offset <= bytes.len() as u64), "{error}");
                    assert_ne!(error.code, ErrorCode::OutOfMemory);
                    assert_ne!(error.code, ErrorCode::Internal);
                }
            }
        });
        // What is written is longer than what was read.
        assert!(used <= 4 * allowed(bytes.len()) + (256 << 10), "{used} for {} bytes", bytes.len());
    }
}

#[test]
fn a_file_cut_anywhere_is_an_error() {
    let files = [
        ("schema-2.24", "06_dma.klr"),
        ("schema-head", "14_two_cores_constants_edges.klr"),
        ("schema-head", "18_access_forms.klr"),
        ("proof-bytes", "18_access_forms.klr"),
    ];
    for (folder, name) in files {
        let bytes = read(folder, name);
        for len in 0..bytes.len() {
            let cut = &bytes[..len];
            for options in BOTH {
                let (error, used) = peak(|| decode(cut, &Arena::new(), &options).err());
                let error = error.unwrap_or_else(|| panic!("{name} is whole with {len} bytes"));
                let known = error.code == ErrorCode::Syntax || error.message.contains("proof field");
                assert!(known, "{name} of {len} bytes: {error}");
                assert!(error.position.unwrap().offset <= len as u64, "{error}");
                assert!(used <= allowed(len), "{used} for {len} bytes");
            }
        }
        let (file, used) = peak(|| decode(&bytes, &Arena::new(), &BOTH[1]).is_ok());
        assert!(file && used <= allowed(bytes.len()), "{used} for {} bytes", bytes.len());
    }
}

#[test]
fn every_byte_of_a_file_may_be_another() {
    let whole = read("schema-head", "01_load_add_store.klr");
    for original in [&EXAMPLE[..], &whole] {
        for at in 0..original.len() {
            let mut bytes = original.to_vec();
            for value in [0, 1, 0x17, 0x18, 0x1b, 0x3b, 0x60, 0x7b, 0x80, 0x81, 0x9b, 0x9f, 0xd9, 0xf4, 0xfa, 0xff] {
                bytes[at] = value;
                exercise(&bytes);
            }
            bytes[at] = original[at] ^ 1;
            exercise(&bytes);
        }
    }
}

/// A list says how many elements follow; memory is taken only for as many as could.
#[test]
fn lengths_are_not_trusted() {
    const REST: usize = 1 << 20;
    // The lists of the kernel, each claiming as much as the rest could hold, within one another: bodies, blocks, statements.
    let head = &EXAMPLE[..75];
    let claim = |least: usize| {
        let count = ((REST / 2 / least) as u32).to_be_bytes();
        [&[0x9a], &count[..]].concat()
    };
    let block = [&[0xd9, 104, 0, 0x83, 0x61, b'b', 0xf4], &claim(35)[..]].concat();
    let empty_block = [0xd9, 104, 0, 0x83, 0x61, b'b', 0xf4, 0x80];
    let bytes = [head, &claim(1), &[0x80], &claim(7), &empty_block, &block, &[0; REST]].concat();
    let (error, used) = peak(|| decode(&bytes, &Arena::new(), &BOTH[0]).unwrap_err());
    assert_eq!(error.path, "contents.lnc.bodies[1][1].body[0]");
    assert!(used > bytes.len(), "the claims are as large as is taken: {used}");
    assert!(used <= allowed(bytes.len()), "{used} for {} bytes", bytes.len());
    // One element more than fits is refused before anything is taken.
    let bytes = [head, &[0x9a, 0, 0, 0x10, 1], &[0x80; 0x1000]].concat();
    let (error, used) = peak(|| decode(&bytes, &Arena::new(), &BOTH[0]).unwrap_err());
    assert_eq!((error.code, error.path.as_str()), (ErrorCode::Syntax, "contents.lnc.bodies"));
    assert!(used < 4096, "{used}");
}

/// An access may hold an access as its index, and so on.
#[test]
fn nesting_is_bounded() {
    let whole = read("schema-2.24", "01_load_add_store.klr");
    let at = whole.windows(4).position(|w| w == [0xd9, 182, 0, 0x86]).unwrap();
    // The access of dst, up to its scalarOffset: BirAccessPattern, tensor, offset, pattern.
    let access = at + 8;
    assert_eq!(whole[access..access + 4], [0xd9, 125, 3, 0x81]);
    let none = [0xd9, 255, 0, 0x80];
    let offset = access + whole[access + 60..].windows(4).position(|w| w == none).unwrap() + 60;
    // ScalarOffset.acc: an option, the union, and another access.
    let unit = [&[0xd9, 255, 1, 0x81, 0xd9, 123, 1, 0x81], &whole[access..offset]].concat();
    // No vector offset, dimension 0, no dtype: the end of an access whose scalarOffset is read.
    let end = [&none[..], &[0], &none].concat();
    let nested = |levels: usize| {
        let (before, rest) = whole.split_at(offset);
        [before, &unit.repeat(levels), &none, &end.repeat(levels), &rest[4..]].concat()
    };
    let arena = Arena::new();
    // Contents, LncKernel, Block, Stmt, Operator, TensorTensor and TensorRef are 7 levels, an access and its pattern 2, each
    // further one 3, and the tensor in the last one 2.
    let deepest = (64 - 7 - 2 - 2) / 3;
    let good = nested(deepest);
    let file = decode(&good, &arena, &BOTH[0]).unwrap();
    let mut out = Vec::new();
    encode(&file, &mut out, &Default::default()).unwrap();
    assert_eq!(out, good);
    out.clear();
    write_listing(&file, &mut out).unwrap();
    assert!(std::str::from_utf8(&out).unwrap().contains("..."), "the listing stops before the last access");
    exercise(&good);
    for levels in [deepest + 1, 1000, 20_000] {
        let error = decode(&nested(levels), &arena, &BOTH[0]).unwrap_err();
        assert_eq!((error.code, error.found.as_str()), (ErrorCode::LimitExceeded, "one more"), "{error}");
        assert!(error.path.starts_with(
            "contents.lnc.bodies[0][0].body[2].op.tensorTensor.dst.abstract.birPattern.scalarOffset.acc."
        ));
    }
}

/// Memory may run out at any allocation; then that is the error.
#[test]
fn memory_may_run_out() {
    let bytes = read("schema-2.24", "14_two_cores_constants_edges.klr");
    let mut failures = 0;
    loop {
        let result = with_allocations(failures, || {
            let arena = Arena::new();
            let file = decode(&bytes, &arena, &BOTH[0])?;
            let mut out = Vec::new();
            encode(&file, &mut out, &Default::default())?;
            write_json(&file, &mut out, Style::Compact)?;
            write_listing(&file, &mut out)?;
            check(&file, 10).map(|_| ())
        });
        match result {
            Ok(()) => break,
            Err(error) => assert_eq!(error.code, ErrorCode::OutOfMemory, "{failures}: {error}"),
        }
        failures += 1;
    }
    assert!(failures > 10, "{failures} allocations");
}

proptest! {
    #[test]
    fn random_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        exercise(&bytes);
        // Behind a good beginning.
        exercise(&[&EXAMPLE[..19], &bytes].concat());
        exercise(&[&EXAMPLE[..75], &bytes].concat());
    }

    #[test]
    fn random_changes(edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6), cut: prop::sample::Index) {
        let mut bytes = read("schema-head", "15_dynamic_access.klr");
        for (at, value) in edits {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        exercise(&bytes);
        bytes.remove(cut.index(bytes.len()));
        exercise(&bytes);
    }
}
