//! What is done with values: both schemas written, promises checked, a listing.
mod klr_common;
use bir_core::klr::ast::*;
use bir_core::klr::{
    Arena, DecodeOptions, EncodeOptions, File, Schema, check, decode, encode, write_json, write_listing,
};
use bir_core::{ErrorCode, doc::Style, enums::klr};
use klr_common::{EXAMPLE, files, read, reencoded};

const READ: DecodeOptions = DecodeOptions { proof_bytes: false, max_text_bytes: 1 << 16 };

fn to(schema: Schema) -> EncodeOptions {
    EncodeOptions { schema: Some(schema), proof_bytes: false }
}

fn tensor<'a>() -> TensorName<'a> {
    TensorName {
        name: "t",
        dtype: klr::Dtype::float32,
        shape: Shape { par_dim: 128, free_dims: &[4, 2] },
        address: Address {
            name: "m",
            memory: klr::Memory::sbuf,
            par_size: 128,
            free_size: 32,
            par_offset: Some(0),
            free_offset: Some(64),
            is_shared: false,
        },
        free_elements: 8,
        address_rotation: false,
    }
}

/// A file with one statement.
fn with_operator<'a>(arena: &'a Arena, op: Operator<'a>) -> File<'a> {
    let pos = Pos { line: 3, column: 9, line_end: None, column_end: None, filename: None };
    let body = arena.list(&[Stmt { op, name: Some("s"), pos }]).unwrap();
    let blocks = arena.list(&[Block { label: "b", no_reorder: true, body }]).unwrap();
    let kernel = LncKernel {
        name: "k",
        inputs: &[],
        outputs: &[],
        bodies: arena.list(&[blocks]).unwrap(),
        shared_constants: &[],
        shared_buffers: &[],
        edges: &[],
    };
    File {
        version: KLRFile { major: 0, minor: 0, patch: 12 },
        metadata: KLRMetaData { format: "NKI" },
        contents: Contents::Lnc(arena.value(kernel).unwrap()),
        schema: None,
        proof_bytes: false,
    }
}

fn statement<'a>(file: &File<'a>) -> &'a Stmt<'a> {
    &file.lnc().unwrap().bodies[0][0].body[0]
}

fn simple<'a>(arena: &'a Arena) -> TensorRef<'a> {
    TensorRef::Abstract(Access::Simple(arena.value(tensor()).unwrap()))
}

#[test]
fn each_schema_writes_its_own_fields() {
    let arena = Arena::new();
    let reference = simple(&arena);
    let reduce = TensorScalarReduce {
        dst: reference,
        src: reference,
        operand0: Operand::Imm(Immediate::Float(2.0)),
        op0: klr::AluOp::mult,
        reverse0: false,
        dtype: None,
        reduce_op: None,
        reduce_res: reference,
        reduce_cmd: None,
        reduce_init: None,
    };
    let file = with_operator(&arena, Operator::TensorScalarReduce(&reduce));
    // 2.24 is the default, and takes it as it is.
    let old = reencoded(&file, &EncodeOptions::default());
    assert_eq!(old, reencoded(&file, &to(Schema::V2_24)));
    let back = decode(&old, &arena, &READ).unwrap();
    assert_eq!((back.contents, back.schema), (file.contents, Some(Schema::V2_24)));
    // Head requires one of its two fields.
    let error = encode(&file, &mut Vec::new(), &to(Schema::Head)).unwrap_err();
    let path = "contents.lnc.bodies[0][0].body[0].op.tensorScalarReduce";
    assert_eq!((error.code, error.path.as_str()), (ErrorCode::MissingKey, path));

    let head = TensorScalarReduce { reduce_cmd: Some(klr::AccumCmd::Zero), ..reduce };
    let file = with_operator(&arena, Operator::TensorScalarReduce(&head));
    let error = encode(&file, &mut Vec::new(), &to(Schema::V2_24)).unwrap_err();
    assert_eq!((error.code, error.path.as_str()), (ErrorCode::Unsupported, path));
    let new = reencoded(&file, &to(Schema::Head));
    // AccumCmd.Zero and an empty option more.
    assert_eq!(new.len(), old.len() + 8);
    let back = decode(&new, &arena, &READ).unwrap();
    assert_eq!((back.contents, back.schema), (file.contents, Some(Schema::Head)));
}

#[test]
fn files_of_either_schema_become_the_other() {
    let arena = Arena::new();
    // The same kernel without and with the fields of head, which are empty.
    let old = read("schema-2.24", "02_activation.klr");
    let new = read("schema-head", "02_activation.klr");
    let file = decode(&old, &arena, &READ).unwrap();
    assert_eq!(reencoded(&file, &to(Schema::Head)), new);
    let file = decode(&new, &arena, &READ).unwrap();
    assert_eq!(reencoded(&file, &to(Schema::V2_24)), old);
}

#[test]
fn a_tensor_is_kept_once() {
    let arena = Arena::new();
    let bytes = read("schema-2.24", "01_load_add_store.klr");
    let file = decode(&bytes, &arena, &READ).unwrap();
    let body = file.lnc().unwrap().bodies[0][0].body;
    let tensor = |reference: &TensorRef<'_>| match reference {
        TensorRef::Abstract(Access::BirPattern(pattern)) => std::ptr::from_ref(pattern.tensor).addr(),
        other => panic!("{other:?}"),
    };
    let (Operator::NcDmaCopy(load), Operator::TensorTensor(add)) = (body[0].op, body[2].op) else { panic!() };
    assert_eq!(tensor(&load.dst), tensor(&add.src0));
    assert_ne!(tensor(&load.dst), tensor(&add.src1));
}

#[test]
fn ordinals_count_from_one() {
    let arena = Arena::new();
    let op = Operator::RankId(arena.value(RankId { dst: "r" }).unwrap());
    assert_eq!((op.ctor(), op.ordinal(), op.name()), (59, 60, "rankId"));
    assert_eq!((DmaBounds::Skip.ordinal(), DmaBounds::Reg(1).ordinal()), (1, 3));
}

#[test]
fn reference_files_keep_their_promises() {
    for folder in ["schema-2.24", "schema-head"] {
        for (name, bytes) in files(folder, "klr") {
            let arena = Arena::new();
            let file = decode(&bytes, &arena, &READ).unwrap();
            let findings = check(&file, 10).unwrap();
            assert!(findings.list.is_empty() && findings.dropped == 0, "{folder}/{name}: {:?}", findings.list);
        }
    }
}

/// Path, code, expected and found of each finding.
fn findings(file: &File<'_>) -> Vec<(String, ErrorCode, String, String)> {
    let list = check(file, 100).unwrap().list;
    list.into_iter().map(|f| (f.path, f.code, f.expected, f.found)).collect()
}

#[test]
fn broken_promises_are_found() {
    let arena = Arena::new();
    let found = |bytes: &[u8]| findings(&decode(bytes, &Arena::new(), &READ).unwrap());
    let row = |path: &str, code, expected: &str, found: &str| (path.into(), code, expected.into(), found.into());
    assert_eq!(found(&EXAMPLE), []);
    // parDim 129 of parSize 128.
    let mut bytes = EXAMPLE;
    bytes[41] = 129;
    let path = "contents.lnc.inputs[0]";
    assert_eq!(found(&bytes), [row(path, ErrorCode::Conflict, "parDim 128 at most", "129")]);
    // freeElements 513 of 4 bytes in 2048.
    let mut bytes = EXAMPLE;
    bytes[72] = 1;
    let expected = "2048 bytes per partition at most";
    assert_eq!(found(&bytes), [row(path, ErrorCode::Conflict, expected, "513 elements of 4 bytes")]);
    // The same elements as bfloat16 are not too many.
    bytes[34] = 0;
    assert_eq!(found(&bytes), []);
    // freeElements beyond 32 bits, without overflow.
    let bytes = [&EXAMPLE[..70], &[0x1b, 255, 255, 255, 255, 255, 255, 255, 255], &EXAMPLE[73..]].concat();
    let most = "18446744073709551615";
    assert_eq!(
        found(&bytes),
        [
            row(path, ErrorCode::Conflict, expected, &format!("{most} elements of 4 bytes")),
            row(&format!("{path}.freeElements"), ErrorCode::BadValue, "4294967295 at most", most),
        ]
    );

    // An index too few, a step of 0, and an int beyond 32 bits.
    let slices =
        [Index::Slice(&Slice { l: 0, u: 128, step: 0 }), Index::Slice(&Slice { l: 0, u: 4, step: -(1 << 31) - 1 })];
    let tensor = tensor();
    let basic = AccessBasic { tensor: &tensor, indexes: &slices };
    let store = TensorStore { dst: TensorRef::Abstract(Access::Basic(&basic)), src: "r" };
    let file = with_operator(&arena, Operator::TensorStore(&store));
    let path = "contents.lnc.bodies[0][0].body[0].op.tensorStore.dst.abstract.basic";
    assert_eq!(
        findings(&file),
        [
            row(path, ErrorCode::Conflict, "3 indexes", "2"),
            row(&format!("{path}.indexes[0].slice"), ErrorCode::BadValue, "", ""),
            row(
                &format!("{path}.indexes[1].slice.step"),
                ErrorCode::BadValue,
                "-2147483648..=2147483647",
                "-2147483649"
            ),
        ]
    );
    // More than are kept are counted.
    let few = check(&file, 1).unwrap();
    assert_eq!((few.list.len(), few.dropped), (1, 2));
}

#[test]
fn sizes_of_all_element_types() {
    let sizes = [2, 1, 1, 1, 2, 4, 4, 1, 2, 8, 4, 1, 2, 4, 8, 1, 1, 4, 4, 2];
    let arena = Arena::new();
    for (dtype, size) in klr::Dtype::MEMBERS.iter().zip(sizes) {
        let address = Address { free_size: 8 * size, ..tensor().address };
        let fits = TensorName { dtype: *dtype, address, ..tensor() };
        let tight = TensorName { address: Address { free_size: 8 * size - 1, ..address }, ..fits };
        for (tensor, count) in [(fits, 0), (tight, 1)] {
            let reference = TensorRef::Abstract(Access::Simple(&tensor));
            let load = TensorLoad { dst: "r", src: reference };
            let found = findings(&with_operator(&arena, Operator::TensorLoad(&load)));
            assert_eq!(found.len(), count, "{dtype}: {found:?}");
        }
    }
}

#[test]
fn values_too_deep_for_any_reader_are_refused() {
    let arena = Arena::new();
    let tensor = tensor();
    let mut access = Access::Simple(&tensor);
    for _ in 0..5000 {
        let pattern = BirAccessPattern {
            tensor: &tensor,
            offset: 0,
            pattern: &[],
            scalar_offset: Some(ScalarOffset::Acc(access)),
            vector_offset: None,
            indirect_dim: 0,
            dtype_override: None,
        };
        access = Access::BirPattern(arena.value(pattern).unwrap());
    }
    let load = TensorLoad { dst: "r", src: TensorRef::Abstract(access) };
    let file = with_operator(&arena, Operator::TensorLoad(&load));
    let mut out = Vec::new();
    let codes = [
        encode(&file, &mut out, &EncodeOptions::default()).unwrap_err().code,
        write_json(&file, &mut out, Style::Compact).unwrap_err().code,
        check(&file, 1).unwrap_err().code,
    ];
    assert_eq!(codes, [ErrorCode::LimitExceeded; 3]);
    // The listing leaves out what lies too deep.
    write_listing(&file, &mut out).unwrap();
}

fn listed(file: &File<'_>) -> String {
    let mut out = Vec::new();
    write_listing(file, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn a_listing_has_one_statement_per_line() {
    let arena = Arena::new();
    let bytes = read("schema-2.24", "14_two_cores_constants_edges.klr");
    let text = listed(&decode(&bytes, &arena, &READ).unwrap());
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "kernel two_cores, schema 2.24");
    for line in [
        "buffer exchange: float32[128, 64] in shared_hbm",
        "edge inst.1 -> inst.7, inst.8",
        "core 1",
        "  main.1:",
        "    inst.4: coreBarrier data=sem[1 x 1, 1 x 1], cores=[0, 1], engine=pool  ; kernels.py:4:2",
    ] {
        assert!(lines.contains(&line), "no {line:?} in\n{text}");
    }
    let bytes = read("schema-head", "15_dynamic_access.klr");
    let text = listed(&decode(&bytes, &arena, &READ).unwrap());
    for line in [
        "    inst.1: ncCopy dst=u[16 x 128, 1 x 16], src=t[256 x 128, 1 x 16; + reg.1 on 1], engine=dve  ; kernels.py:2:2",
        "    inst.9: ncCopy dst=u[16 x 128, 1 x 16], src=t[256 x 128, 0 x 4, 2 x 8; from 8], engine=pool  ; kernels.py:10:2",
    ] {
        assert!(text.lines().any(|l| l == line), "no {line:?} in\n{text}");
    }
}

#[test]
fn a_listing_shows_every_kind_of_value() {
    let arena = Arena::new();
    let tensor = TensorName { name: "a b\u{1b}", ..tensor() };
    let one = |op| listed(&with_operator(&arena, op)).lines().last().unwrap().to_owned();

    let indexes = [Index::Coord(7), Index::Slice(&Slice { l: 1, u: 4, step: -1 })];
    let basic =
        TensorRef::Abstract(Access::Basic(arena.value(AccessBasic { tensor: &tensor, indexes: &indexes }).unwrap()));
    let pairs = [APPair { step: 1, num: 8, offset: 0 }, APPair { step: -2, num: 3, offset: 5 }];
    let pattern = AccessPattern {
        tensor: &tensor,
        par_num: 64,
        pattern: &pairs,
        par_offset: 32,
        free_offset: 16,
        fixed_axis: &[1],
    };
    let pattern = TensorRef::Abstract(Access::Pattern(&pattern));
    let copy = Copy { dst: basic, src: pattern, op_dim: None };
    assert_eq!(
        one(Operator::Copy(&copy)),
        "    s: copy dst=\"a b\\u{1b}\"[7, 1:4:-1], \
         src=\"a b\\u{1b}\"[64 partitions from 32; 1 x 8, -2 x 3 + 5; from 16; fixed 1]  ; 3:9"
    );

    let view = TensorSram {
        name: "v",
        dtype: klr::Dtype::int8,
        par_num: 1,
        pattern: &pairs[..1],
        par_offset: 2,
        free_offset: 3,
    };
    let gather = LocalGather {
        dst: TensorRef::Sbuf(&view),
        src: TensorRef::Register(5),
        index_miss_behavior: IndexMissBehavior::Imm(Immediate::Pointer),
        free_pool_buffer: true,
    };
    assert_eq!(
        one(Operator::LocalGather(&gather)),
        "    s: localGather dst=sbuf({name=v, dtype=int8, parNum=1, pattern=[1 x 8], parOffset=2, freeOffset=3}), \
         src=register(5), indexMissBehavior=imm(pointer), freePoolBuffer=true  ; 3:9"
    );

    let select = RangeSelect {
        dst: TensorRef::Register(1),
        src: TensorRef::Register(2),
        reduce_command: klr::AccumCmd::Idle,
        reduce_op: klr::AluOp::max,
        base: f32::NEG_INFINITY,
        fill_value: 1.0,
        comp_op0: klr::AluOp::is_ge,
        comp_op1: klr::AluOp::r#mod,
        bound0: Immediate::Int(-3),
        bound1: Immediate::Register(4),
    };
    assert_eq!(
        one(Operator::RangeSelect(&select)),
        "    s: rangeSelect dst=register(1), src=register(2), reduceCommand=Idle, reduceOp=max, base=-inf, fillValue=1.0, \
         compOp0=is_ge, compOp1=mod, bound0=-3, bound1=register(4)  ; 3:9"
    );
    let file = with_operator(&arena, Operator::RangeSelect(&select));
    assert!(listed(&file).starts_with("kernel k, schema 2.24 or head\ncore 0\n  b: (no reorder)\n"));
    assert_eq!(statement(&file).name, Some("s"));
}
