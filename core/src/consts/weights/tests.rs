#![forbid(unsafe_code)]

use super::*;
use crate::consts::npy::{self, Npy, NpyFault};
use crate::error::{Error, ErrorCode, Result};
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use alloc::{format, vec};
use proptest::prelude::*;
use std::collections::BTreeMap;

/// A model directory in memory.
#[derive(Clone, Default)]
struct Memory(BTreeMap<String, Vec<u8>>);

impl Memory {
    fn with(mut self, path: &str, bytes: Vec<u8>) -> Memory {
        self.0.insert(path.into(), bytes);
        self
    }
}

impl ModelFiles for Memory {
    fn exists(&mut self, path: &str) -> Result<bool> {
        Ok(self.0.contains_key(path))
    }

    fn npy(&mut self, path: &str) -> Result<Npy> {
        let file = self.0.get(path).ok_or_else(|| Error::new(ErrorCode::NotFound, "the file does not exist"))?;
        npy::parse(file)
    }
}

fn npy_file(descr: &str, shape: &[u64]) -> Vec<u8> {
    let width = npy::Descr::parse(descr).unwrap().width as usize;
    let mut file = npy::header(descr, shape).unwrap();
    file.resize(file.len() + shape.iter().product::<u64>() as usize * width, 1);
    file
}

fn parameter(name: &str, dtype: &'static str, shape: &[u64]) -> Parameter<'static> {
    Parameter { name: name.into(), dtype, shape: shape.to_vec(), unfit: None }
}

fn metadata(weights: &str) -> String {
    format!("{{\n \"model_files\": \"graph.hlo\",\n \"version\": \"1.0\",\n \"weights\": {{{weights}}}\n}}\n")
}

fn planned(text: &str, parameters: &[Parameter<'_>], files: &Memory) -> Plan {
    plan(Metadata::parse(text.as_bytes()).unwrap(), parameters, &mut files.clone()).unwrap()
}

/// The problems of a `metadata.json` alone, as lines.
fn lines(text: &str) -> Vec<String> {
    Metadata::parse(text.as_bytes()).unwrap().problems.iter().map(ToString::to_string).collect()
}

fn ids(plan: &Plan) -> Vec<(Option<u64>, &'static str)> {
    plan.problems.iter().map(|problem| (problem.number, problem.kind.id())).collect()
}

#[test]
fn entries_become_constants_and_the_rest_moves_up() {
    let parameters = [
        parameter("x", "float32", &[4]),
        parameter("w", "bfloat16", &[2, 3]),
        parameter("y", "float32", &[4]),
        parameter("scale", "float8_e8m0fnu", &[]),
    ];
    let files = Memory::default()
        .with("graph.hlo", vec![])
        .with("weights/w.npy", npy_file("<V2", &[2, 3]))
        .with("weights/s.npy", npy_file("<V1", &[]));
    let text = metadata(r#""3": "./weights/s.npy", "01": "weights/w.npy""#);
    let plan = planned(&text, &parameters, &files);
    assert_eq!((plan.problems.as_slice(), plan.warnings.as_slice()), (&[][..], &[][..]));
    let constants: Vec<_> = plan.constants.iter().map(|c| (c.number, &*c.name, &*c.dtype, &*c.file)).collect();
    assert_eq!(constants, [(1, "w", "bfloat16", "weights/w.npy"), (3, "scale", "float8_e8m0fnu", "weights/s.npy")]);
    assert_eq!((plan.constants[0].npy.data_offset, plan.constants[0].npy.data_bytes), (128, 12));
    assert_eq!(plan.constants[0].tensor_class, "ImmutableParameter");
    assert_eq!(plan.renumbered, [Some(0), None, Some(1), None]);
    let remaining: Vec<_> = plan.remaining.iter().map(|r| (r.old, r.new, &*r.name)).collect();
    assert_eq!(remaining, [(0, 0, "x"), (2, 1, "y")]);
    // The older name of the table.
    assert_eq!(planned(&text.replace("\"weights\"", "\"weight_files\""), &parameters, &files), plan);
    let bad = planned(&text.replace("\"weights\"", "\"weight_files\"").replace("\"01\"", "\"9\""), &parameters, &files);
    assert_eq!(bad.problems[0].error.path, "weight_files.9");
    // One file may be the weight of two parameters.
    let twice =
        planned(&metadata(r#""0": "w.npy", "2": "w.npy""#), &parameters, &files.with("w.npy", npy_file("<f4", &[4])));
    assert_eq!((twice.is_good(), twice.constants.len()), (true, 2));
}

#[test]
fn all_problems_come_at_once_and_in_order() {
    let parameters = [
        parameter("a", "float32", &[2, 3]),
        parameter("b", "float32", &[2, 3]),
        parameter("c", "float16", &[4]),
        parameter("d", "float32", &[4]),
        parameter("e", "float32", &[4]),
        Parameter { unfit: Some(Unfit { expected: "DRAM", found: "SB" }), ..parameter("f", "float32", &[4]) },
        parameter("g", "float32", &[4]),
    ];
    let mut short = npy_file("<f4", &[4]);
    short.pop();
    let files = Memory::default()
        .with("a.npy", npy_file("<f4", &[3, 2]))
        .with("b.npy", npy_file("<i4", &[6]))
        .with("c.npy", npy_file("<f2", &[4]))
        .with("d.npy", short)
        .with("e.npy", b"GIF89a".to_vec())
        .with("good.npy", npy_file("<f4", &[4]));
    let text = metadata(
        r#""9": "gone.npy", "6": "/etc/passwd", "5": "good.npy", "4": "e.npy", "3": "d.npy",
           "02": "c.npy", "2": "c.npy", "1": "b.npy", "0": "a.npy", "x": "y", "7": 5, "99999999999999999999": "good.npy""#,
    );
    let plan = planned(&text, &parameters, &files);
    assert_eq!(
        ids(&plan),
        [
            (None, "parameter_number"),
            (None, "metadata"),
            (None, "model_file"),
            (Some(0), "NCC_INL001"),
            (Some(1), "NCC_INL001"),
            (Some(1), "NCC_INL002"),
            (Some(2), "duplicate"),
            (Some(3), "npy_short_data"),
            (Some(4), "npy_magic"),
            (Some(5), "program"),
            (Some(6), "unsafe_path"),
            (Some(9), "parameter_number"),
            (Some(9), "weight_file"),
            (Some(u64::MAX), "parameter_number"),
        ]
    );
    let shown: Vec<String> = plan.problems.iter().map(ToString::to_string).collect();
    for (at, line) in [
        (
            0,
            "metadata.json: weights.x: the key is not the number of a parameter: expected decimal digits only, found `x`",
        ),
        (1, "metadata.json: weights.7: a value has the wrong type: expected a string, found a number (line 5, "),
        (
            2,
            "metadata.json: model_files: Corrupted input dir, model file does not exist!: expected a file, found `graph.hlo` (line 2, column 17",
        ),
        (3, "a.npy: parameter 0 (`a`): NCC_INL001: mismatching layout for parameter: expected (2, 3), found (3, 2)"),
        (5, "b.npy: parameter 1 (`b`): NCC_INL002: numpy file type mismatch: expected float32, found <i4"),
        (
            6,
            "metadata.json: parameter 2 (`c`): weights.2: the parameter has an entry already: expected one entry, found another with the key `02` in line 5",
        ),
        (7, "d.npy: parameter 3 (`d`): NPY data too short: expected 16 bytes of data, found 15 bytes (byte 143)"),
        (9, "parameter 5 (`f`): the parameter cannot be a constant: expected DRAM, found SB"),
        (
            11,
            "metadata.json: parameter 9: weights.9: the program has no parameter number 9: expected a number below 7, found 9",
        ),
        (12, "gone.npy: parameter 9: the file does not exist"),
    ] {
        assert!(shown[at].starts_with(line), "{}", shown[at]);
    }
    assert_eq!(plan.constants.iter().map(|c| c.number).collect::<Vec<_>>(), [2], "the first of two entries is good");
    assert!(plan.renumbered.is_empty() && plan.remaining.is_empty());
}

#[test]
fn every_fault_of_a_file_has_its_kind() {
    let header = |text: &str| [&b"\x93NUMPY\x01\0"[..], &(text.len() as u16).to_le_bytes(), text.as_bytes()].concat();
    let dictionary = |descr: &str, order: &str, shape: &str| {
        header(&format!("{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}}}\n"))
    };
    let good = npy_file("<f4", &[2, 2]);
    let mut version = good.clone();
    version[6] = 9;
    let cases: [(Vec<u8>, NpyFault, &str); 14] = [
        (b"PK".to_vec(), NpyFault::BadMagic, "npy_magic"),
        (version, NpyFault::Version, "npy_version"),
        (good[..100].to_vec(), NpyFault::TruncatedHeader, "npy_truncated_header"),
        ([&b"\x93NUMPY\x02\0"[..], &70000u32.to_le_bytes()].concat(), NpyFault::HeaderTooLong, "npy_header_length"),
        (header("{"), NpyFault::HeaderSyntax, "npy_header_syntax"),
        (header("{}"), NpyFault::MissingKey, "npy_missing_key"),
        (dictionary("'|O'", "False", "(2, 2)"), NpyFault::UnsupportedDtype, "npy_dtype"),
        (dictionary("'>f4'", "False", "(2, 2)"), NpyFault::ByteOrder, "npy_byte_order"),
        (dictionary("'<f4'", "True", "(2, 2)"), NpyFault::FortranOrder, "npy_fortran_order"),
        (dictionary("'<f4'", "False", "(4294967296, 4294967296)"), NpyFault::SizeOverflow, "npy_size_overflow"),
        (good[..140].to_vec(), NpyFault::ShortData, "npy_short_data"),
        ([&good[..], &[0]].concat(), NpyFault::SurplusData, "npy_surplus_data"),
        (npy_file("<f4", &[4]), NpyFault::ShapeMismatch, "NCC_INL001"),
        (npy_file("<u4", &[2, 2]), NpyFault::TypeMismatch, "NCC_INL002"),
    ];
    assert_eq!(cases.each_ref().map(|case| case.1), NpyFault::ALL);
    for (file, fault, id) in cases {
        let files = Memory::default().with("graph.hlo", vec![]).with("w.npy", file);
        let plan = planned(&metadata(r#""0": "w.npy""#), &[parameter("w", "float32", &[2, 2])], &files);
        assert_eq!(ids(&plan), [(Some(0), id)]);
        let problem = &plan.problems[0];
        assert_eq!((problem.kind, problem.file.as_deref()), (ProblemKind::Npy(fault), Some("w.npy")));
        assert!(!problem.error.expected.is_empty() && !problem.error.found.is_empty(), "{problem}");
    }
}

#[test]
fn versions_that_the_runtime_misreads_are_a_warning() {
    let mut file = npy_file("<f4", &[2]);
    file[6] = 2;
    file.splice(8..10, 118u32.to_le_bytes());
    let files = Memory::default().with("graph.hlo", vec![]).with("w.npy", file);
    let plan = planned(&metadata(r#""0": "w.npy""#), &[parameter("w", "float32", &[2])], &files);
    assert!(plan.is_good() && plan.constants.len() == 1);
    assert_eq!(
        plan.warnings[0].to_string(),
        "w.npy: parameter 0 (`w`): unsupported NPY version: expected 1.0, the only one that the runtime reads, found 2.0 (byte 6)"
    );
}

#[test]
fn mistakes_in_the_json_have_their_line() {
    assert_eq!(lines(&metadata("")), [""; 0]);
    assert_eq!(
        lines("{\"model_files\": [\"a\"],\n \"version\": 1,\n \"weights\": [] }"),
        [
            "metadata.json: model_files: a value has the wrong type: expected a string, found an array (line 1, column 17, byte 16)",
            "metadata.json: version: a value has the wrong type: expected a string, found a number (line 2, column 13, byte 35)",
            "metadata.json: weights: a value has the wrong type: expected an object, found an array (line 3, column 13, byte 50)",
        ]
    );
    assert_eq!(
        lines("{}"),
        ["metadata.json: the key `model_files` is missing", "metadata.json: the key `weights` is missing"]
    );
    assert_eq!(
        lines("{\"model_files\": \"a\", \"weight_files\": {}, \"weights\": {}}"),
        [
            "metadata.json: weight_files: there must be one table of weights: expected `weights` only, found `weight_files` too \
          (line 1, column 38, byte 37)"
        ]
    );
    assert_eq!(
        lines("{\"model_files\": \"a\", \"weights\": {}, \"weights\": {}}"),
        ["metadata.json: weights: the key occurs twice (line 1, column 48, byte 47)"]
    );
    for text in [
        "",
        "[]",
        "{\"model_files\": \"a\", \"weights\": {\"0\": \"x\"}",
        "{\"model_files\": \"a\", \"weights\": {}} x",
        "\u{feff}",
        "{\"a\u{0}",
    ] {
        assert_eq!(lines(text).len(), 1, "{text:?} {:?}", lines(text));
    }
    for key in ["", " 1", "1 ", "+1", "-1", "1x", "0x1", "١", "1.0"] {
        let metadata = Metadata::parse(metadata(&format!("\"{key}\": \"w.npy\"")).as_bytes()).unwrap();
        assert_eq!(metadata.problems[0].kind, ProblemKind::ParameterNumber, "{key:?}");
        assert_eq!((metadata.problems[0].error.position.unwrap().line, metadata.entries.len()), (4, 0));
    }
    let read =
        Metadata::parse(metadata("\"7\": \"w.npy\"").replace("1.0", "2.0").replace("{\n", "{\n\"x\": [1],").as_bytes())
            .unwrap();
    let warnings: Vec<String> = read.warnings.iter().map(|w| w.error.path.clone()).collect();
    assert_eq!((warnings, read.problems.len(), read.entries[0].number), (vec!["x".into(), "version".into()], 0, 7));
}

#[test]
fn unsafe_paths_are_never_opened() {
    struct Untouched;
    impl ModelFiles for Untouched {
        fn exists(&mut self, path: &str) -> Result<bool> {
            panic!("{path}")
        }
        fn npy(&mut self, path: &str) -> Result<Npy> {
            panic!("{path}")
        }
    }
    for path in ["/w.npy", "../w.npy", "a/../../w.npy", "a\\\\b", "C:w.npy", "", "a//b", "w\\u0000.npy"] {
        let text = metadata(&format!("\"0\": \"{path}\"")).replace("graph.hlo", path);
        let parsed = Metadata::parse(text.as_bytes()).unwrap();
        let plan = plan(parsed, &[parameter("w", "float32", &[2])], &mut Untouched).unwrap();
        assert_eq!(ids(&plan), [(None, "unsafe_path"), (Some(0), "unsafe_path")], "{path}");
        assert!(plan.problems.iter().all(|p| p.error.code == ErrorCode::UnsafePath && p.error.position.is_some()));
    }
}

proptest! {
    /// Any set of entries: what is named becomes constant, the others keep their order without gaps.
    #[test]
    fn numbers_are_dense_and_keep_their_order(chosen in prop::collection::vec(any::<bool>(), 0..40)) {
        let parameters: Vec<_> = (0..chosen.len()).map(|i| parameter(&format!("p{i}"), "uint8", &[1])).collect();
        let entries: Vec<String> = (0..chosen.len()).rev().filter(|i| chosen[*i]).map(|i| format!("\"{i}\": \"w\"")).collect();
        let files = Memory::default().with("graph.hlo", vec![]).with("w", npy_file("|u1", &[1]));
        let plan = planned(&metadata(&entries.join(",")), &parameters, &files);
        prop_assert!(plan.is_good());
        prop_assert_eq!(plan.constants.iter().map(|c| c.number).collect::<Vec<_>>(),
            (0..chosen.len()).filter(|i| chosen[*i]).collect::<Vec<_>>());
        let news: Vec<usize> = plan.remaining.iter().map(|r| r.new).collect();
        prop_assert_eq!(&news, &(0..news.len()).collect::<Vec<_>>());
        prop_assert!(plan.remaining.iter().all(|r| !chosen[r.old] && plan.renumbered[r.old] == Some(r.new)));
    }

    /// Damaged text gives problems or another plan, never a panic, and the same each time.
    #[test]
    fn damaged_metadata_is_survived(at in any::<prop::sample::Index>(), value: u8, cut in any::<prop::sample::Index>()) {
        let mut text = metadata(r#""0": "w.npy", "1": "weights/w.npy""#).into_bytes();
        let at = at.index(text.len());
        text[at] = value;
        text.truncate(cut.index(text.len() * 2) + 1);
        let files = Memory::default().with("graph.hlo", vec![]).with("w.npy", npy_file("|u1", &[1]));
        let run = || plan(Metadata::parse(&text).unwrap(), &[parameter("a", "uint8", &[1])], &mut files.clone()).unwrap();
        prop_assert_eq!(run(), run());
    }
}
