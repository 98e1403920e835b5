//! CBOR as the twin of BIR JSON: what goes through it comes back, and what is wrong in it is found where it stands.
use bir_core::doc::{
    CborInput, CborOut, Format, Input, JsonInput, Limits, Output, ReadOptions, Sink, WarningKind, WriteOptions,
    read_cbor, read_document, read_json, write_cbor, write_document, write_json,
};
use bir_core::enums::bir::InstructionType;
use bir_core::ir::{BasicBlockHolder, Module, ModuleRef, Place, difference};
use bir_core::{Error, ErrorCode};
use proptest::prelude::*;
use serde_json::{Value, json};

#[path = "rich/mod.rs"]
mod rich;
mod samples;
use samples::{documents, examples, families, same};

const FORMS: [WriteOptions; 2] =
    [WriteOptions { compact: false, explicit: false }, WriteOptions { compact: false, explicit: true }];

fn json(module: &ModuleRef, options: &WriteOptions) -> String {
    let mut out = Vec::new();
    write_json(module, &mut out, options).unwrap();
    String::from_utf8(out).unwrap()
}

fn cbor(module: &ModuleRef, options: &WriteOptions) -> Vec<u8> {
    let mut out = Vec::new();
    write_cbor(module, &mut out, options).unwrap();
    out
}

fn load(bytes: &[u8]) -> Result<Module, Error> {
    read_document(bytes, &ReadOptions::default()).map(|loaded| loaded.module)
}

/// The tree of a document, whichever its form.
fn tree<'a>(mut input: impl Input<'a>) -> Value {
    let value = input.value().unwrap();
    input.finish().unwrap();
    value
}

fn cbor_tree(bytes: &[u8]) -> Value {
    tree(CborInput::new(bytes, Limits::default()))
}

fn json_tree(text: &str) -> Value {
    tree(JsonInput::new(text.as_bytes(), Limits::default()))
}

/// The CBOR of a tree, in which every length is known beforehand.
fn tree_to_cbor(value: &Value) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut out = CborOut::new(&mut bytes);
    out.value(value).unwrap();
    out.finish().unwrap();
    bytes
}

/// The same in another spelling: everything that can be of indefinite length is, numbers are as wide as can be.
fn tree_to_long_cbor(value: &Value, out: &mut Vec<u8>) {
    let text = |out: &mut Vec<u8>, text: &str| {
        out.push(0x7F);
        for c in text.chars() {
            let mut buffer = [0; 4];
            let bytes = c.encode_utf8(&mut buffer).as_bytes();
            out.extend([0x79, 0, bytes.len() as u8]);
            out.extend(bytes);
        }
        out.push(0xFF);
    };
    match value {
        Value::Null => out.push(0xF6),
        Value::Bool(value) => out.push(if *value { 0xF5 } else { 0xF4 }),
        Value::Number(n) => match (n.as_u64(), n.as_i64()) {
            (Some(n), _) => {
                out.push(0x1B);
                out.extend(n.to_be_bytes());
            }
            (_, Some(n)) => {
                out.push(0x3B);
                out.extend((-1 - n).to_be_bytes());
            }
            _ => {
                out.push(0xFB);
                out.extend(n.as_f64().unwrap().to_be_bytes());
            }
        },
        Value::String(s) => text(out, s),
        Value::Array(elements) => {
            out.push(0x9F);
            elements.iter().for_each(|e| tree_to_long_cbor(e, out));
            out.push(0xFF);
        }
        Value::Object(members) => {
            out.push(0xBF);
            // In another order too.
            for (key, value) in members.iter().rev() {
                text(out, key);
                tree_to_long_cbor(value, out);
            }
            out.push(0xFF);
        }
    }
}

/// Checks all that must hold for a module in both forms.
fn twins(module: &ModuleRef, name: &str) {
    for options in FORMS {
        let name = format!("{name} {options:?}");
        let text = json(module, &options);
        let bytes = cbor(module, &options);
        assert_eq!(Format::of(&bytes), Format::Cbor);
        let again = load(&bytes).unwrap_or_else(|e| panic!("{name}: {e}"));
        same(&json(&again, &options), &text, &name);
        assert!(cbor(&again, &options) == bytes, "{name}");
        assert!(difference(module, &*again).is_none());
        // One tree in both, and no byte more than it needs.
        let both = json_tree(&text);
        assert_eq!(cbor_tree(&bytes), both, "{name}");
        let whole = tree_to_cbor(&both);
        if let Some(at) = whole.iter().zip(&bytes).position(|(a, b)| a != b) {
            let around = |bytes: &[u8]| {
                String::from_utf8_lossy(&bytes[at - 40.min(at)..(at + 60).min(bytes.len())]).into_owned()
            };
            panic!("{name}, byte {at}:\n{:?}\n{:?}", around(&whole), around(&bytes));
        }
        assert_eq!(whole.len(), bytes.len(), "{name}");
        assert!(bytes.len() < text.len() / 2, "{name}");
        let mut long = vec![0xD9, 0xD9, 0xF7];
        tree_to_long_cbor(&both, &mut long);
        let again = load(&long).unwrap_or_else(|e| panic!("{name}: {e}"));
        same(&json(&again, &options), &text, &name);
    }
}

#[test]
fn every_document_goes_through_cbor_and_back() {
    let all: Vec<_> = documents().into_iter().chain(families()).collect();
    assert_eq!(all.len(), 4 + 3 + 7);
    for (name, source) in all {
        twins(&load(source.as_bytes()).unwrap(), &name);
        // What nobody normalised before: unknown spellings, `null`s and defaults of other producers.
        let foreign = tree_to_cbor(&json_tree(&source));
        let options = ReadOptions::default();
        let (a, b) = (read_json(source.as_bytes(), &options).unwrap(), read_cbor(&foreign, &options).unwrap());
        assert!(difference(&*a.module, &*b.module).is_none(), "{name}");
        assert_eq!(a.warnings.len(), b.warnings.len(), "{name}");
    }
}

#[test]
fn a_module_with_everything_goes_through_cbor_and_back() {
    // As far as documents can say it.
    let module = load(json(&rich::rich().unwrap(), &FORMS[0]).as_bytes()).unwrap();
    twins(&module, "rich");
}

/// Ids that do not rise in program order make the writer look for the places of edges' targets.
#[test]
fn moved_instructions_keep_their_order_of_edges() {
    let module = load(examples()[0].as_bytes()).unwrap();
    let block = module.find_function("sg0000").unwrap().blocks().next().unwrap();
    let last = block.instructions().last().unwrap();
    last.move_to(block, Place::Start).unwrap();
    let looped = block.add_instruction(InstructionType::Loop, "looped", Place::Start).unwrap().object;
    looped.set_loop_axis("i", 0, 8, 1).unwrap();
    for other in block.instructions().skip(1) {
        looped.add_dependency(other, bir_core::enums::bir::EdgeKind::Flow, bir_core::ir::EdgeSet::Normal).unwrap();
    }
    looped.block_holder().unwrap().add_block("body", Place::End).unwrap();
    twins(&module, "moved");
}

#[test]
fn documents_of_either_form_are_told_apart() {
    for (bytes, format) in [
        (&b""[..], Format::Json),
        (b"{}", Format::Json),
        (b" {}", Format::Json),
        (b"\xEF\xBB\xBF{}", Format::Json),
        (b"\x9F", Format::Json),
        (b"\xA0", Format::Cbor),
        (b"\xBF\xFF", Format::Cbor),
        (b"\xC0", Format::Json),
        (b"\xD8", Format::Json),
        (b"\xD9\xD9\xF7", Format::Cbor),
        (b"\xDA", Format::Json),
    ] {
        assert_eq!(Format::of(bytes), format, "{bytes:02X?}");
    }
    let module = load(examples()[0].as_bytes()).unwrap();
    for format in [Format::Json, Format::Cbor] {
        let mut out = Vec::new();
        write_document(&module, &mut out, format, &WriteOptions::default()).unwrap();
        assert_eq!(Format::of(&out), format);
        let other = read_document(&out, &ReadOptions::default()).unwrap();
        assert!(difference(&*module, &*other.module).is_none());
    }
    // Each reader insists on its own form.
    let bytes = cbor(&module, &FORMS[0]);
    assert_eq!(read_json(&bytes, &ReadOptions::default()).unwrap_err().code, ErrorCode::Syntax);
    assert_eq!(read_cbor(b"{}", &ReadOptions::default()).unwrap_err().code, ErrorCode::Syntax);
}

/// The bytes with one part of them replaced.
fn edited(bytes: &[u8], from: &[u8], to: &[u8]) -> (Vec<u8>, usize) {
    let at = bytes.windows(from.len()).position(|w| w == from).unwrap_or_else(|| panic!("no {from:02X?}"));
    ([&bytes[..at], to, &bytes[at + from.len()..]].concat(), at)
}

/// Floats that JSON text has no number for: real ones of CBOR are read like the strings.
#[test]
fn floats_that_are_not_finite_read_like_the_text_form() {
    let source = documents()[0].1.clone();
    for (word, floats) in [
        ("inf", [&b"\xF9\x7C\x00"[..], b"\xFA\x7F\x80\x00\x00", b"\xFB\x7F\xF0\x00\x00\x00\x00\x00\x00"]),
        ("-inf", [b"\xF9\xFC\x00", b"\xFA\xFF\x80\x00\x00", b"\xFB\xFF\xF0\x00\x00\x00\x00\x00\x00"]),
        // Other bits of NaN too: text has but one.
        ("nan", [b"\xF9\x7E\x00", b"\xFA\xFF\xC0\x00\x01", b"\xFB\x7F\xF0\x00\x00\x00\x00\x00\x01"]),
    ] {
        let text = source.replacen("\"const0\": 2", &format!("\"const0\": \"{word}\""), 1);
        assert_ne!(text, source);
        let module = load(text.as_bytes()).unwrap();
        let written = json(&module, &FORMS[0]);
        assert!(written.contains(&format!("\"const0\": \"{word}\"")));
        let bytes = cbor(&module, &FORMS[0]);
        let spelled = tree_to_cbor(&json!(["const0", word]))[1..].to_vec();
        for float in floats {
            let (bytes, _) = edited(&bytes, &spelled, &[&spelled[..7], float].concat());
            let again = load(&bytes).unwrap();
            same(&json(&again, &FORMS[0]), &written, word);
            assert!(difference(&*module, &*again).is_none());
        }
    }
}

/// What is wrong with a document is the same in both forms; in CBOR the position is that of the item.
#[test]
fn errors_are_those_of_the_text_form() {
    let example = json_tree(&examples()[0]);
    let place = |pointer: &str, value: Value| {
        let mut changed = example.clone();
        *changed.pointer_mut(pointer).unwrap_or_else(|| panic!("no {pointer}")) = value;
        changed
    };
    let first = "/functions/0/blocks/0/instructions/0";
    let mut no_version = example.clone();
    no_version.as_object_mut().unwrap().remove("version");
    for (changed, code, path, marker) in [
        (no_version, ErrorCode::MissingKey, "", None),
        (place("/version", json!("marker")), ErrorCode::WrongType, "version", Some(0)),
        (place("/version", json!(2.5)), ErrorCode::WrongType, "version", None),
        (place("/arch", json!(["marker"])), ErrorCode::WrongType, "arch", Some(-1)),
        (place("/arch", json!("marker")), ErrorCode::UnknownEnum, "arch", Some(0)),
        (
            place("/functions/0/blocks/0/instructions/2/dependencies", json!({"marker": 1})),
            ErrorCode::WrongType,
            "functions[0].blocks[0].instructions[2].dependencies",
            Some(-1),
        ),
        (
            place(&format!("{first}/engine_id"), json!(-5)),
            ErrorCode::BadValue,
            "functions[0].blocks[0].instructions[0].engine_id",
            None,
        ),
        (
            place(&format!("{first}/queue"), json!("marker")),
            ErrorCode::UnresolvedRef,
            "functions[0].blocks[0].instructions[0].queue",
            None,
        ),
    ] {
        let text = serde_json::to_vec(&changed).unwrap();
        let bytes = tree_to_cbor(&changed);
        let (a, b) = (load(&text).unwrap_err(), load(&bytes).unwrap_err());
        assert_eq!((b.code, b.path.as_str()), (code, path), "{b}");
        assert_eq!(
            (a.code, &a.path, &a.message, &a.expected, &a.found),
            (b.code, &b.path, &b.message, &b.expected, &b.found)
        );
        let position = b.position.unwrap();
        assert_eq!((position.line, position.column), (0, 0));
        assert!(b.to_string().ends_with(&format!("(byte {})", position.offset)), "{b}");
        if let Some(before) = marker {
            let at = edited(&bytes, b"\x66marker", b"").1 as i64 + before;
            assert_eq!(position.offset as i64, at, "{b}");
        }
    }
}

#[test]
fn a_warning_tells_its_byte() {
    let mut changed = json_tree(&examples()[0]);
    changed["functions"][0]["mood"] = json!([1, {}]);
    let bytes = tree_to_cbor(&changed);
    let loaded = read_cbor(&bytes, &ReadOptions::default()).unwrap();
    let warning = &loaded.warnings[0];
    assert_eq!((warning.kind, warning.path.as_str()), (WarningKind::UnknownKey, "functions[0].mood"));
    let behind_key = edited(&bytes, b"\x64mood", b"").1 + 5;
    assert_eq!(warning.position.offset, behind_key as u64);
    assert!(warning.to_string().ends_with(&format!(" (byte {behind_key})")), "{warning}");
    let strict = ReadOptions { strict: true, ..ReadOptions::default() };
    assert_eq!(read_cbor(&bytes, &strict).unwrap_err().code, ErrorCode::UnknownKey);
}

#[test]
fn limits_hold_for_cbor() {
    let bytes = cbor(&load(examples()[1].as_bytes()).unwrap(), &FORMS[0]);
    for (limits, name) in [
        (Limits { max_depth: 5, ..Limits::default() }, "max_depth"),
        (Limits { max_string_bytes: 3, ..Limits::default() }, "max_string_bytes"),
    ] {
        let error = read_cbor(&bytes, &ReadOptions { limits, ..ReadOptions::default() }).unwrap_err();
        assert_eq!(error.code, ErrorCode::LimitExceeded);
        assert!(error.message.contains(name), "{error}");
    }
}

#[test]
fn truncated_documents_fail_at_their_end_and_nothing_else() {
    let source = &documents()[0].1;
    let bytes = cbor(&load(source.as_bytes()).unwrap(), &FORMS[0]);
    let mut long = Vec::new();
    tree_to_long_cbor(&cbor_tree(&bytes), &mut long);
    for bytes in [bytes, long] {
        load(&bytes).unwrap();
        for cut in 0..bytes.len() {
            let error = read_cbor(&bytes[..cut], &ReadOptions::default()).unwrap_err();
            assert_eq!((error.code, error.found.as_str()), (ErrorCode::Syntax, "end of input"), "{cut}: {error}");
            assert_eq!(error.position.unwrap().offset, cut as u64, "{error}");
        }
        let longer = [&bytes[..], b"\n"].concat();
        assert_eq!(load(&longer).unwrap_err().position.unwrap().offset, bytes.len() as u64);
    }
}

/// Takes pieces and remembers their sizes.
#[derive(Default)]
struct Pieces {
    bytes: Vec<u8>,
    largest: usize,
}

impl Sink for Pieces {
    fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.largest = self.largest.max(bytes.len());
        self.bytes.write(bytes)
    }
}

/// The whole program in loops in loops: what is held back is one instruction, not one loop.
#[test]
fn memory_for_writing_is_bounded_however_deep_the_program_lies() {
    fn fill(holder: &BasicBlockHolder, depth: u32) {
        let block = holder.add_block("body", Place::End).unwrap().object;
        for i in 0..1500 {
            block.add_instruction(InstructionType::NoOp, &format!("{depth}_{i}"), Place::End).unwrap();
        }
        if depth < 4 {
            let looped = block.add_instruction(InstructionType::Loop, "looped", Place::End).unwrap().object;
            looped.set_loop_axis("i", 0, 8, 1).unwrap();
            fill(looped.block_holder().unwrap(), depth + 1);
        }
    }
    let module = Module::new().unwrap();
    fill(module.add_function("main", Place::End).unwrap().object.block_holder(), 0);
    let mut pieces = Pieces::default();
    write_cbor(&module, &mut pieces, &FORMS[0]).unwrap();
    assert!(pieces.bytes.len() > 500_000, "{}", pieces.bytes.len());
    assert!(pieces.largest <= 130_000, "{}", pieces.largest);
    let again = load(&pieces.bytes).unwrap();
    assert!(difference(&*module, &*again).is_none());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    /// A document with some bytes changed, inserted or left out is read or refused.
    #[test]
    fn damaged_documents_never_panic(
        which in 0usize..14,
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0u8..3), 1..6),
    ) {
        let all: Vec<_> = documents().into_iter().chain(families()).collect();
        let mut bytes = tree_to_cbor(&json_tree(&all[which].1));
        for (at, byte, how) in edits {
            let at = at.index(bytes.len());
            match how {
                0 => bytes[at] = byte,
                1 => bytes.insert(at, byte),
                _ => drop(bytes.remove(at)),
            }
        }
        if let Err(error) = read_cbor(&bytes, &ReadOptions::default()) {
            prop_assert!(error.position.is_some_and(|p| p.offset <= bytes.len() as u64), "{}", error);
        }
    }
}
