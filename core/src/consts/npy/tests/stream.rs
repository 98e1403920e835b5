#![forbid(unsafe_code)]

use super::*;
use crate::sink::Sink;

/// Reads a file in pieces that end at `cuts`.
fn stream(file: &[u8], cuts: &[usize], options: Options) -> Result<(Npy, Vec<u8>)> {
    let (mut reader, mut data, mut from) = (NpyReader::new(options), Vec::new(), 0);
    for &cut in cuts.iter().chain([&file.len()]) {
        let to = cut.min(file.len()).max(from);
        reader.push(&file[from..to], &mut data)?;
        assert!(reader.head.len() <= NpyReader::MAX_HELD);
        from = to;
    }
    Ok((reader.finish()?, data))
}

/// Pieces of 1, 2, 3, … bytes over and over.
fn every(step: usize, file: &[u8]) -> Vec<usize> {
    (0..file.len()).step_by(step.max(1)).collect()
}

#[test]
fn pieces_of_any_size_give_the_header_and_the_data() {
    let data: Vec<u8> = (0..=255).collect();
    for version in [1, 2, 3] {
        let file = file(&[version, 0], &dictionary("'<f4'", "False", "(8, 8)"), &data);
        for step in [1, 2, 3, 5, 8, 64, 1000] {
            let (npy, read) = stream(&file, &every(step, &file), Options::default()).unwrap();
            assert_eq!((npy, read), (parse(&file).unwrap(), data.clone()));
        }
    }
}

#[test]
fn big_endian_elements_are_swapped_across_pieces() {
    let options = Options { allow_conversion: true };
    let data: Vec<u8> = (0..4096u32).map(|i| (i * 7 % 251) as u8).collect();
    for (descr, width) in [(">u1", 1), (">i2", 2), (">f2", 2), (">V2", 2), (">f4", 4), (">u8", 8)] {
        let shape = alloc::format!("({},)", data.len() / width);
        let file = file(&[1, 0], &dictionary(&alloc::format!("'{descr}'"), "False", &shape), &data);
        let whole = parse_with(&file, options).unwrap();
        let converted = whole.converted(&file).unwrap();
        let swapped: Vec<u8> = data.chunks(width).flat_map(|element| element.iter().rev().copied()).collect();
        assert_eq!(converted, swapped);
        for step in [1, 3, 7, 1021, 1024, 1027, 5000] {
            assert_eq!(
                stream(&file, &every(step, &file), options).unwrap(),
                (whole.clone(), swapped.clone()),
                "{descr}"
            );
        }
        if width > 1 {
            let error = stream(&file, &[], Options::default()).unwrap_err();
            assert_eq!(NpyFault::of(&error), Some(NpyFault::ByteOrder));
        }
    }
}

#[test]
fn fortran_order_needs_the_whole_file_unless_it_makes_no_difference() {
    let options = Options { allow_conversion: true };
    for (shape, bytes) in [("(2,)", 2), ("()", 1), ("(1, 2)", 2), ("(2, 1, 1)", 2), ("(0, 9, 9)", 0)] {
        let file = file(&[1, 0], &dictionary("'|u1'", "True", shape), &[1, 2][..bytes]);
        let (npy, data) = stream(&file, &[], options).unwrap();
        assert_eq!((npy.is_transposed(), data.as_slice()), (false, &[1, 2][..bytes]));
        assert_eq!(npy.converted(&file).unwrap(), data);
    }
    let file = file(&[1, 0], &dictionary("'|u1'", "True", "(2, 2)"), &[1, 2, 3, 4]);
    let error = stream(&file, &[], options).unwrap_err();
    assert_eq!(NpyFault::of(&error), Some(NpyFault::FortranOrder));
    assert!(error.expected.contains("in pieces"), "{error}");
    assert_eq!(parse_with(&file, options).unwrap().converted(&file).unwrap(), [1, 3, 2, 4]);
}

#[test]
fn the_header_is_known_before_the_data_comes() {
    let mut reader = NpyReader::new(Options::default());
    let head = header("<f4", &[1 << 40]).unwrap();
    let mut nothing = Vec::new();
    reader.push(&head[..127], &mut nothing).unwrap();
    assert_eq!(reader.header(), None);
    reader.push(&head[127..], &mut nothing).unwrap();
    let npy = reader.header().unwrap().clone();
    assert_eq!((npy.data_bytes, npy.data_offset), (1 << 42, 128));
    npy.check_file_bytes((1 << 42) + 128).unwrap();
    for (bytes, fault, at) in [
        (0, NpyFault::ShortData, 128),
        (1 << 42, NpyFault::ShortData, 1 << 42),
        (1 << 43, NpyFault::SurplusData, (1 << 42) + 128),
    ] {
        let error = npy.check_file_bytes(bytes).unwrap_err();
        assert_eq!((NpyFault::of(&error), error.position.unwrap().offset), (Some(fault), at));
    }
    assert_eq!(NpyFault::of(&reader.finish().unwrap_err()), Some(NpyFault::ShortData));
}

#[test]
fn nothing_is_taken_after_an_error() {
    struct Full;
    impl Sink for Full {
        fn write(&mut self, _: &[u8]) -> Result<()> {
            Err(Error::new(ErrorCode::Io, "the disk is full"))
        }
    }
    let file = file(&[1, 0], &dictionary("'|u1'", "False", "(2,)"), &[1, 2]);
    let mut reader = NpyReader::new(Options::default());
    assert_eq!(reader.push(&file, &mut Full).unwrap_err().code, ErrorCode::Io);
    assert_eq!(reader.push(&[], &mut Vec::new()).unwrap_err().code, ErrorCode::Conflict);
    assert_eq!(reader.finish().unwrap_err().code, ErrorCode::Conflict);

    let (mut reader, mut data) = (NpyReader::new(Options::default()), Vec::new());
    reader.push(&file, &mut data).unwrap();
    let surplus = reader.push(&[3], &mut data).unwrap_err();
    assert_eq!((NpyFault::of(&surplus), data.as_slice()), (Some(NpyFault::SurplusData), &[1, 2][..]));
    assert!(reader.finish().is_err());
    let error = stream(b"GIF89a..", &[1], Options::default()).unwrap_err();
    assert_eq!(NpyFault::of(&error), Some(NpyFault::BadMagic));
}

#[test]
fn a_writer_takes_exactly_what_it_promised() {
    let mut writer = NpyWriter::for_dtype(Vec::new(), "bfloat16", &[2, 2]).unwrap();
    writer.write(&[1; 5]).unwrap();
    let surplus = writer.write(&[2; 4]).unwrap_err();
    assert_eq!(NpyFault::of(&surplus), Some(NpyFault::SurplusData));
    assert_eq!((surplus.expected.as_str(), surplus.found.as_str()), ("8 bytes of data", "9 bytes"));
    assert_eq!(writer.missing(), 3);
    writer.write(&[2; 3]).unwrap();
    let file = writer.finish().unwrap();
    assert_eq!(file, [header("<V2", &[2, 2]).unwrap(), vec![1, 1, 1, 1, 1, 2, 2, 2]].concat());

    let mut writer = NpyWriter::new(Vec::new(), "<f4", &[1]).unwrap();
    writer.write(&[0; 3]).unwrap();
    let short = writer.finish().unwrap_err();
    assert_eq!((NpyFault::of(&short), short.position.unwrap().offset), (Some(NpyFault::ShortData), 131));
    assert!(NpyWriter::new(Vec::new(), "<f4", &[0, u64::MAX]).unwrap().finish().is_ok());
    let refused = |descr, shape: &[u64]| NpyFault::of(&NpyWriter::new(Vec::new(), descr, shape).unwrap_err());
    assert_eq!(refused("<f4", &[1 << 62]), Some(NpyFault::SizeOverflow));
    assert_eq!(refused(">f4", &[1]), Some(NpyFault::ByteOrder));
    assert_eq!(refused("|O", &[1]), Some(NpyFault::UnsupportedDtype));
    let unknown = NpyWriter::for_dtype(Vec::new(), "float4_e2m1fn_x4", &[1]).unwrap_err();
    assert_eq!(NpyFault::of(&unknown), Some(NpyFault::UnsupportedDtype));
}

/// A file of any kind becomes the file that a package takes, in pieces, with a reader in front of a writer.
#[test]
fn a_reader_feeds_a_writer() {
    let data: Vec<u8> = (0..24).collect();
    let file = file(&[3, 0], &dictionary("\">u4\"", "False", "(2, 3)"), &data);
    let options = Options { allow_conversion: true };
    let mut reader = NpyReader::new(options);
    let head = parse_with(&file, options).unwrap().data_offset;
    reader.push(&file[..head], &mut Vec::new()).unwrap();
    let mut writer = NpyWriter::for_dtype(Vec::new(), "uint32", &reader.header().unwrap().shape).unwrap();
    for piece in file[head..].chunks(5) {
        reader.push(piece, &mut writer).unwrap();
    }
    let written = writer.finish().unwrap();
    assert_eq!(reader.finish().unwrap().converted(&file).unwrap(), parse(&written).unwrap().data(&written).unwrap());
    parse(&written).unwrap().check_runtime().unwrap();
}

proptest! {
    /// Any shape, type and cutting: what was written in pieces is read in pieces.
    #[test]
    fn files_round_trip(
        row in 0..TABLE.len(),
        shape in prop::collection::vec(0u64..6, 0..6),
        seed: u8,
        mut cuts in prop::collection::vec(0usize..4000, 0..9),
    ) {
        let descr = TABLE[row].written;
        let bytes = shape.iter().product::<u64>() * u64::from(TABLE[row].width);
        let data: Vec<u8> = (0..bytes).map(|i| (i as u8).wrapping_mul(31).wrapping_add(seed)).collect();
        cuts.sort_unstable();
        let (mut writer, mut from) = (NpyWriter::new(Vec::new(), descr, &shape).unwrap(), 0);
        for cut in cuts.iter().map(|cut| cut % (data.len() + 1)).chain([data.len()]) {
            let to = cut.max(from);
            writer.write(&data[from..to]).unwrap();
            from = to;
        }
        let file = writer.finish().unwrap();
        let (npy, read) = stream(&file, &cuts, Options::default()).unwrap();
        prop_assert_eq!(&npy.shape, &shape);
        prop_assert_eq!(npy.descr.to_string(), descr);
        prop_assert_eq!(&read, &data);
        prop_assert_eq!(parse(&file).unwrap(), npy);
    }

    /// Both readers say the same of any file that begins well, whatever follows and wherever it is cut.
    #[test]
    fn both_readers_find_the_same(
        version in 1u8..4,
        order in "[<>=|]",
        kind in prop::sample::select(&["u1", "b1", "i2", "f2", "f4", "u8", "V1", "V2", "f8"][..]),
        fortran: bool,
        shape in prop::collection::vec(0u64..4, 0..4),
        excess in -3isize..4,
        allow_conversion: bool,
        mut cuts in prop::collection::vec(0usize..200, 0..5),
    ) {
        let options = Options { allow_conversion };
        let tuple = shape.iter().fold(String::new(), |text, d| text + &d.to_string() + ",");
        let text = dictionary(
            &alloc::format!("'{order}{kind}'"), if fortran { "True" } else { "False" }, &alloc::format!("({tuple})"));
        let width = usize::from(kind.as_bytes()[1] - b'0');
        let needed = shape.iter().product::<u64>() as usize * width;
        let data: Vec<u8> = (0..needed.saturating_add_signed(excess)).map(|i| i as u8).collect();
        let file = file(&[version, 0], &text, &data);
        cuts.sort_unstable();
        match (parse_with(&file, options), stream(&file, &cuts, options)) {
            (Ok(npy), Ok((streamed, data))) => {
                prop_assert_eq!(npy.converted(&file).unwrap(), data);
                prop_assert_eq!(npy, streamed);
            }
            (Ok(npy), Err(error)) => {
                prop_assert!(npy.is_transposed());
                prop_assert_eq!(NpyFault::of(&error), Some(NpyFault::FortranOrder));
            }
            (Err(whole), Err(pieces)) if NpyFault::of(&pieces) != Some(NpyFault::FortranOrder) => {
                prop_assert_eq!(NpyFault::of(&whole), NpyFault::of(&pieces));
                prop_assert_eq!((&whole.expected, whole.position), (&pieces.expected, pieces.position));
            }
            (Err(_), Err(_)) => {}
            (Err(whole), Ok(_)) => prop_assert!(false, "only the whole file is refused: {}", whole),
        }
    }
}
