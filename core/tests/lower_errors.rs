//! Each error that a kernel can trigger, with the place that its diagnostic names; and the operators that have no lowering.

mod klr_common;
mod lower_support;

#[path = "lower_ops/errors.rs"]
mod errors;
#[path = "lower_ops/errors_dma.rs"]
mod errors_dma;
#[path = "lower_ops/refused.rs"]
mod refused;

use bir_core::klr::ast::{BirAccessPattern, LncKernel, Operator, ScalarOffset, Shape, TensorName};
use bir_core::lower::{Diagnostic, LowerOptions, Lowered, Severity, lower_file};
use lower_support::*;
use std::collections::BTreeSet;

/// A statement and the one error that it gives: id, field, text. A text of `""` is ours to choose.
struct Bad {
    op: Op,
    id: &'static str,
    field: Option<&'static str>,
    text: &'static str,
    options: LowerOptions,
}

fn bad(op: Op, id: &'static str, field: &'static str, text: &'static str) -> Bad {
    let field = Some(field).filter(|f| !f.is_empty());
    Bad { op, id, field, text, options: LowerOptions::default() }
}

impl Bad {
    fn on_core(mut self, core: u32) -> Self {
        self.options.core_id = Some(core);
        self
    }

    fn strictly(mut self) -> Self {
        self.options.strict = true;
        self
    }
}

fn all_rows() -> Vec<Bad> {
    [errors::rows(), errors_dma::rows(), refused::rows()].into_iter().flatten().collect()
}

/// Kernel, block, statement, field, file, line, column.
type Place<'d> = (&'d str, Option<&'d str>, Option<&'d str>, Option<&'d str>, Option<&'d str>, u64, u64);

fn place(d: &Diagnostic) -> Place<'_> {
    let Diagnostic { kernel, block, statement, field, file, line, column, .. } = d;
    let [block, statement, field, file] = [block, statement, field, file].map(Option::as_deref);
    (kernel, block, statement, field, file, *line, *column)
}

#[test]
fn sixteen_operators_have_no_lowering() {
    let refused: BTreeSet<i32> = refused::rows().iter().map(|row| row.op.ordinal()).collect();
    assert_eq!(refused, BTreeSet::from([1, 4, 8, 11, 17, 18, 19, 21, 24, 27, 30, 43, 58, 62, 63, 70]));
}

/// Every row alone: one error with its whole place, no instruction, and the statement behind it is lowered.
#[test]
fn each_error_names_its_place_and_the_walk_goes_on() {
    let mut wrong = Vec::new();
    for row in all_rows() {
        let body = [statement(Some("inst.7"), 12, row.op), statement(Some("inst.8"), 13, plain_op())];
        let lowered = lower(&kernel(&[block("main.1", &body)]), &row.options);
        let what = format!("{} of {} ({:?})", row.id, row.op.name(), row.field);
        let errors: Vec<_> = lowered.errors().collect();
        let [error] = errors.as_slice() else {
            wrong.push(format!("{what}: {} errors: {:?}", errors.len(), lowered.diagnostics));
            continue;
        };
        let expected = (KERNEL, Some("main.1"), Some("inst.7"), row.field, Some(FILE), 12, 5);
        let own = row.text.is_empty() && !error.message.is_empty() && !error.message.contains('{');
        if (error.id, error.operator) != (row.id, Some(row.op.name()))
            || place(error) != expected
            || !(own || error.message == row.text)
        {
            wrong.push(format!("{what}: expected {:?} at {expected:?}\n    found {error:?}", row.text));
        }
        let names: Vec<_> = instructions(&document(&lowered.module), 0).iter().map(|i| i["name"].clone()).collect();
        if names != ["inst.8"] {
            wrong.push(format!("{what}: the block holds {names:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Errors that values of the decoder cannot trigger, and why.
const OUT_OF_REACH: &[(&str, &str)] = &[
    ("stmt_kind", "a statement is an operator; the decoder refuses any other"),
    ("operand_kind", "the decoder refuses an unknown constructor"),
    ("activation_scale_kind", "the decoder refuses an unknown constructor"),
    ("dtype", "the decoder refuses an unknown member"),
    ("alu", "the decoder refuses an unknown member"),
    ("accum", "the decoder refuses an unknown member; LoadAccumulate has its own error"),
    ("subdim", "the decoder refuses an unknown member"),
    ("dma_compute_op", "the decoder refuses an unknown member"),
    ("not_birap", "only a birPattern has dynamic offsets"),
    ("dma_scatter_vector", "a dynamic access has a scalar or a vector offset, and the scalar has its own error"),
    ("gather_geometry", "reported as a warning; the next test"),
    ("not_allocated", "only of a carrier's tensors"),
];

#[test]
fn every_error_of_the_table_has_a_row_or_a_reason() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../spec/lowering.toml");
    let table: toml::Table = std::fs::read_to_string(path).unwrap().parse().unwrap();
    let ids: BTreeSet<&str> = table["error"].as_array().unwrap().iter().map(|e| e["id"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), 62);
    let mut seen: BTreeSet<&str> = all_rows().iter().map(|row| row.id).filter(|id| ids.contains(id)).collect();
    // Of whole kernels and files: the tests below.
    seen.extend(["core_id_unset", "no_reorder", "edge_name", "wrong_version", "wrong_contents"]);
    let reasons: BTreeSet<&str> = OUT_OF_REACH.iter().map(|(id, _)| *id).collect();
    assert_eq!(seen.intersection(&reasons).count(), 0);
    let missing: Vec<_> = ids.iter().filter(|id| !seen.contains(*id) && !reasons.contains(*id)).collect();
    assert!(missing.is_empty(), "{missing:?}");
    // The given texts are those of the table, with the placeholder filled in.
    for row in all_rows() {
        let Some(error) = table["error"].as_array().unwrap().iter().find(|e| e["id"].as_str() == Some(row.id)) else {
            continue;
        };
        let text = error["text"].as_str().unwrap();
        if text.starts_with('(') {
            assert_eq!(row.text, "", "{}", row.id);
            continue;
        }
        let around =
            text.split_once('{').map_or((text, ""), |(before, rest)| (before, rest.split_once('}').unwrap().1));
        assert!(row.text.starts_with(around.0) && row.text.ends_with(around.1), "{}: {}", row.id, row.text);
    }
}

#[test]
fn a_gather_that_does_not_fit_is_reported_but_lowered() {
    // 65 indices of one element each do not fill 64 elements.
    let lowered = lower(&kernel(&[block("main.1", &[statement(Some("g"), 3, errors::gather(Some(63)))])]), &options());
    assert!(lowered.is_good());
    let [warning] = lowered.diagnostics.as_slice() else { panic!("{:?}", lowered.diagnostics) };
    assert_eq!((warning.severity, warning.id), (Severity::Warning, "gather_geometry"));
    assert_eq!(place(warning), (KERNEL, Some("main.1"), Some("g"), Some("dst"), Some(FILE), 3, 5));
    assert_eq!(instructions(&document(&lowered.module), 0)[0]["opcode"], "IndirectCopy");
    let strict = LowerOptions { strict: true, ..options() };
    let lowered = lower(&kernel(&[block("main.1", &[statement(Some("g"), 3, errors::gather(Some(63)))])]), &strict);
    assert!(!lowered.is_good());
}

fn options() -> LowerOptions {
    LowerOptions::default()
}

fn ids(lowered: &Lowered) -> Vec<&str> {
    lowered.diagnostics.iter().map(|d| d.id).collect()
}

/// Errors of several statements and blocks come in the order of the walk, each with its own place.
#[test]
fn all_errors_of_a_kernel_are_collected_in_order() {
    let first = [
        statement(Some("a"), 1, refused::rows()[0].op),
        statement(Some("b"), 2, plain_op()),
        statement(None, 3, errors::rows()[0].op),
    ];
    let second = [statement(Some("d"), 4, errors_dma::rows()[0].op), statement(None, 5, plain_op())];
    let kernel = LncKernel {
        edges: list(&[edge("b", &["nobody"])]),
        ..kernel(&[block("main.1", &first), block("main.2", &second)])
    };
    let lowered = lower(&kernel, &options());
    let found: Vec<_> = lowered.diagnostics.iter().map(|d| (d.id, place(d))).collect();
    let at = |block, statement, field, line| (KERNEL, Some(block), Some(statement), field, Some(FILE), line, 5);
    assert_eq!(
        found,
        [
            ("op_kind", at("main.1", "a", None, 1)),
            (errors::rows()[0].id, at("main.1", "#2", errors::rows()[0].field, 3)),
            (errors_dma::rows()[0].id, at("main.2", "d", errors_dma::rows()[0].field, 4)),
            ("edge_name", (KERNEL, None, None, Some("edges[0].toEdges"), None, 0, 0)),
        ]
    );
    assert!(!lowered.is_good());
    let document = document(&lowered.module);
    assert_eq!(instructions(&document, 0).len(), 1);
    assert_eq!(instructions(&document, 1).len(), 1);
    // The rest is counted.
    let few = lower(&kernel, &LowerOptions { max_diagnostics: 1, ..options() });
    assert_eq!((ids(&few), few.dropped, few.is_good()), (vec!["op_kind"], 3, false));
}

#[test]
fn a_diagnostic_reads_from_the_kernel_to_the_text() {
    let body = [statement(Some("inst.3"), 12, Operator::Copy(refused::copy()))];
    let lowered = lower(&kernel(&[block("main.1", &body)]), &options());
    assert_eq!(
        lowered.diagnostics[0].to_string(),
        "kernel kern, block main.1, statement inst.3 (copy), kernel.py:12:5: Unsupported operator 8"
    );
}

#[test]
fn several_bodies_need_a_core() {
    let one = list(&[block("main.1", &[statement(Some("core0"), 1, plain_op())])]);
    let two = list(&[block("main.1", &[statement(Some("core1"), 1, plain_op())])]);
    let kernel = LncKernel { bodies: list(&[one, two]), ..kernel(&[]) };
    let unset = lower(&kernel, &options());
    assert_eq!((ids(&unset), place(&unset.diagnostics[0]).3), (vec!["core_id_unset"], Some("bodies")));
    for (core, name) in [(0, "core0"), (1, "core1")] {
        let lowered = lower(&kernel, &LowerOptions { core_id: Some(core), ..options() });
        assert!(lowered.diagnostics.is_empty());
        assert_eq!(instructions(&document(&lowered.module), 0)[0]["name"], name);
    }
    // A core without a body has nothing to do, which is no error.
    let idle = lower(&kernel, &LowerOptions { core_id: Some(2), ..options() });
    assert!(idle.diagnostics.is_empty());
    assert_eq!(document(&idle.module)["functions"][0]["blocks"].as_array().unwrap().len(), 0);
}

#[test]
fn a_block_that_must_not_be_reordered_ends_in_a_branch() {
    let mut held = block("held.1", &[statement(Some("a"), 1, plain_op())]);
    held.no_reorder = true;
    let lowered = lower(&kernel(&[block("main.1", &[statement(Some("b"), 2, plain_op())]), held]), &options());
    let [error] = lowered.diagnostics.as_slice() else { panic!("{:?}", lowered.diagnostics) };
    assert_eq!(
        (error.id, error.block.as_deref(), error.field.as_deref()),
        ("no_reorder", Some("held.1"), Some("noReorder"))
    );
}

#[test]
fn an_edge_names_statements() {
    let body = [statement(Some("a"), 1, plain_op()), statement(Some("b"), 2, plain_op())];
    let with = |edges: &[bir_core::klr::ast::Edges<'static>]| {
        lower(&LncKernel { edges: list(edges), ..kernel(&[block("main.1", &body)]) }, &options())
    };
    let lowered = with(&[edge("nobody", &["b"])]);
    assert_eq!(ids(&lowered), ["edge_name"]);
    assert_eq!(lowered.diagnostics[0].message, "nobody is not found, unable to complete dependency edge insertion");
    assert_eq!(place(&lowered.diagnostics[0]), (KERNEL, None, None, Some("edges[0].fromEdge"), None, 0, 0));
    // The target waits for the source, once, kind Ordered.
    let lowered = with(&[edge("a", &["b"]), edge("a", &["b", "b"])]);
    assert!(lowered.diagnostics.is_empty());
    let instructions = instructions(&document(&lowered.module), 0);
    assert_eq!(instructions[1]["dependencies"].to_string(), r#"[["a","Ordered"]]"#);
    assert!(instructions[0]["dependencies"].as_array().is_none_or(Vec::is_empty));
}

/// Only the third number of the version counts, and only lnc contents are lowered.
#[test]
fn a_file_must_be_of_the_right_version_and_contents() {
    let good = klr_common::read("schema-2.24", "01_load_add_store.klr");
    let lower = |bytes: &[u8]| {
        let arena = bir_core::klr::Arena::new();
        // The version is refused where the file is read, the contents where they are lowered.
        bir_core::klr::decode(bytes, &arena, &bir_core::klr::DecodeOptions::default())
            .and_then(|file| lower_file(&file, &options()))
            .map(|lowered| lowered.is_good())
            .map_err(|e| e.message)
    };
    assert_eq!(lower(&good), Ok(true));
    // `d9 d9 f7 83 00 00 0c`: the numbers are the last three bytes.
    let patched = |at: usize| {
        let mut other = good.clone();
        assert_eq!(other[4..7], [0, 0, 12]);
        other[at] = 11;
        other
    };
    assert_eq!(lower(&patched(6)), Err("Wrong KLR version".to_owned()));
    assert_eq!(lower(&patched(4)), Ok(true));
    assert_eq!(lower(&patched(5)), Ok(true));
    for name in ["19_contents_kernel.klr", "20_contents_call_site.klr"] {
        let bytes = klr_common::read("schema-2.24", name);
        assert_eq!(lower(&bytes), Err("Wrong KLIR content type".to_owned()), "{name}");
    }
}

/// Two tensors of one name must agree.
#[test]
fn a_name_is_one_tensor() {
    let same = |change: fn(&mut TensorName<'static>)| {
        let mut other = *sb("t", &[128, 64]);
        change(&mut other);
        let body = [
            statement(Some("a"), 1, errors::max8(all(sb("t", &[128, 64])))),
            statement(Some("b"), 2, errors::max8(all(leak(other)))),
        ];
        let lowered = lower(&kernel(&[block("main.1", &body)]), &options());
        lowered.diagnostics.iter().map(|d| (d.severity, d.field.clone().unwrap())).collect::<Vec<_>>()
    };
    assert_eq!(same(|_| {}), []);
    let error = [(Severity::Error, "src".to_owned())];
    assert_eq!(same(|t| t.dtype = bir_core::enums::klr::Dtype::int32), error);
    assert_eq!(same(|t| t.shape = Shape { par_dim: 64, ..t.shape }), error);
    assert_eq!(same(|t| t.shape = Shape { free_dims: &[8, 8], ..t.shape }), error);
}

/// The register of an offset must have been made before, by a statement that comes earlier.
#[test]
fn a_register_is_made_before_it_is_used() {
    let access = refer(BirAccessPattern {
        scalar_offset: Some(ScalarOffset::Reg("r")),
        ..pattern(sb("src", &[128, 64]), 0, &[(64, 128), (1, 8)])
    });
    let copy = errors::copy_from(access);
    let before = [statement(None, 1, make_register("r")), statement(None, 2, copy)];
    let after = [statement(None, 1, copy), statement(None, 2, make_register("r"))];
    assert_eq!(ids(&lower(&kernel(&[block("main.1", &before)]), &options())), [""; 0]);
    assert_eq!(ids(&lower(&kernel(&[block("main.1", &after)]), &options())), ["scalar_register"]);
}
