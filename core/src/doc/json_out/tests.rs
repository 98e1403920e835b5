use super::*;
use crate::doc::input::{Input, Limits};
use crate::doc::json_in::JsonInput;
use crate::doc::json_in::tests::any_value;
use crate::error::{Error, ErrorCode};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::fs;

fn text(style: Style, write: impl FnOnce(&mut JsonOut<'_, Vec<u8>>) -> Result<()>) -> Result<String> {
    let mut sink = Vec::new();
    let mut out = JsonOut::new(&mut sink, style);
    write(&mut out)?;
    out.finish()?;
    Ok(String::from_utf8(sink).unwrap())
}

fn read(text: &str) -> Value {
    let mut input = JsonInput::new(text.as_bytes(), Limits { max_depth: 1024, ..Limits::default() });
    let value = input.value().unwrap();
    input.finish().unwrap();
    value
}

fn sample(out: &mut JsonOut<'_, Vec<u8>>) -> Result<()> {
    out.begin_object()?;
    out.key("a")?;
    out.begin_array()?;
    out.u64(u64::MAX)?;
    out.i64(i64::MIN)?;
    out.i64(7)?;
    out.f32(0.1)?;
    out.f64(1e-7)?;
    out.begin_array()?;
    out.end_array()?;
    out.begin_object()?;
    out.end_object()?;
    out.end_array()?;
    out.key("b")?;
    out.begin_object()?;
    out.key("x")?;
    out.bool(true)?;
    out.key("y")?;
    out.bool(false)?;
    out.end_object()?;
    out.key("\n")?;
    out.null()?;
    out.key("s")?;
    out.string("\"\\/\u{8}\u{c}\n\r\t\u{0}\u{1f}\u{7f}é😀")?;
    out.key("n")?;
    out.f32(f32::NAN)?;
    out.end_object()
}

#[test]
fn both_styles() {
    assert_eq!(
        text(Style::Pretty, sample).unwrap(),
        r#"{
  "a": [
    18446744073709551615,
    -9223372036854775808,
    7,
    0.1,
    1e-07,
    [],
    {}
  ],
  "b": {
    "x": true,
    "y": false
  },
  "\n": null,
  "s": "\"\\/\b\f\n\r\t\u0000\u001f@é😀",
  "n": "nan"
}
"#
        .replace('@', "\u{7f}")
    );
    assert_eq!(
        text(Style::Compact, sample).unwrap(),
        "{\"a\":[18446744073709551615,-9223372036854775808,7,0.1,1e-07,[],{}],\"b\":{\"x\":true,\"y\":false},\
         \"\\n\":null,\"s\":\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0000\\u001f\u{7f}é😀\",\"n\":\"nan\"}"
    );
}

#[test]
fn integers() {
    for value in
        (0..64).flat_map(|bit| [1u64 << bit, (1 << bit) - 1]).chain((0..20).map(|e| 10u64.pow(e))).chain([u64::MAX])
    {
        assert_eq!(text(Style::Compact, |out| out.u64(value)).unwrap(), format!("{value}"));
        for value in [value as i64, (value as i64).wrapping_neg()] {
            assert_eq!(text(Style::Compact, |out| out.i64(value)).unwrap(), format!("{value}"));
        }
    }
}

#[test]
fn calls_out_of_place_are_refused() {
    type Call = fn(&mut JsonOut<'_, Vec<u8>>) -> Result<()>;
    let wrong: [(&str, Call); 11] = [
        ("no root", |_| Ok(())),
        ("two roots", |o| o.null().and_then(|()| o.null())),
        ("a key at the root", |o| o.key("k")),
        ("a key in an array", |o| o.begin_array().and_then(|()| o.key("k"))),
        ("no key", |o| o.begin_object().and_then(|()| o.null())),
        ("two keys", |o| o.begin_object().and_then(|()| o.key("k")).and_then(|()| o.key("k"))),
        ("a key without a value", |o| o.begin_object().and_then(|()| o.key("k")).and_then(|()| o.end_object())),
        ("an end at the root", |o| o.end_array()),
        ("the wrong end", |o| o.begin_array().and_then(|()| o.end_object())),
        ("no end", |o| o.begin_array()),
        ("a root behind the end", |o| o.begin_array().and_then(|()| o.end_array()).and_then(|()| o.begin_array())),
    ];
    for (name, call) in wrong {
        for style in [Style::Pretty, Style::Compact] {
            assert_eq!(text(style, call).unwrap_err().code, ErrorCode::Internal, "{name}");
        }
    }
}

/// Whatever order the map keeps: a build with `serde_json/preserve_order` keeps that of the insertions.
#[test]
fn keys_of_values_come_out_sorted_by_bytes() {
    let mut members = serde_json::Map::new();
    for key in ["é", "b", "aa", "a", "B", "", "_"] {
        members.insert(key.to_string(), json!({ "y": [], "x": {} }));
    }
    let inner = r#"{"x":{},"y":[]}"#;
    let want = ["", "B", "_", "a", "aa", "b", "é"].map(|key| format!("\"{key}\":{inner}")).join(",");
    let value = Value::Object(members);
    assert_eq!(text(Style::Compact, |out| out.value(&value)).unwrap(), format!("{{{want}}}"));
}

#[test]
fn deep_values_need_no_deep_stack() {
    let mut value = json!(1);
    for i in 0..1024 {
        value = if i % 2 == 0 { Value::Array(vec![value]) } else { json!({ "k": value }) };
    }
    for style in [Style::Pretty, Style::Compact] {
        let text = text(style, |out| out.value(&value)).unwrap();
        assert_eq!(read(&text), value);
        if style == Style::Pretty {
            assert!(text.contains(&format!("\n{}1\n", " ".repeat(2048))));
        }
    }
}

/// Passes on, and counts what comes; fails at a given call.
struct Meter {
    bytes: Vec<u8>,
    sizes: Vec<usize>,
    fail_at: usize,
}

impl Sink for Meter {
    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        if self.sizes.len() == self.fail_at {
            return Err(Error::new(ErrorCode::Io, "full"));
        }
        self.sizes.push(bytes.len());
        self.bytes.write(bytes)
    }
}

#[test]
fn bytes_arrive_in_large_pieces_and_errors_come_back() {
    let value = json!([vec!["text"; 100_000], "x".repeat(200_000), [1, 2]]);
    let mut meter = Meter { bytes: Vec::new(), sizes: Vec::new(), fail_at: usize::MAX };
    let sink: &mut dyn Sink = &mut meter;
    let mut out = JsonOut::new(sink, Style::Compact);
    out.value(&value).unwrap();
    out.finish().unwrap();
    assert_eq!(String::from_utf8(meter.bytes).unwrap(), value.to_string());
    assert!(meter.sizes.len() < 20, "{:?}", meter.sizes);
    for fail_at in 0..meter.sizes.len() {
        let mut meter = Meter { bytes: Vec::new(), sizes: Vec::new(), fail_at };
        let mut out = JsonOut::new(&mut meter, Style::Compact);
        let result = out.value(&value).and_then(|()| out.finish());
        assert_eq!(result.unwrap_err().code, ErrorCode::Io);
    }
}

/// `serde_json` prints the same layout as nlohmann::json except for numbers with an exponent, and these documents have none.
#[test]
fn real_documents_look_like_the_original() {
    for name in ["cmp_ops", "minmax", "scale_add", "slices"] {
        let path = format!("{}/../tests/data/bir/{name}.bir.json", env!("CARGO_MANIFEST_DIR"));
        let mut value = read(&fs::read_to_string(path).unwrap());
        value.sort_all_objects();
        let pretty = text(Style::Pretty, |out| out.value(&value)).unwrap();
        assert_eq!(pretty.strip_suffix('\n').unwrap(), serde_json::to_string_pretty(&value).unwrap(), "{name}");
        assert_eq!(read(&pretty), value);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    #[test]
    fn reads_back_equal(value in any_value()) {
        for style in [Style::Pretty, Style::Compact] {
            let text = text(style, |out| out.value(&value)).unwrap();
            prop_assert_eq!(&read(&text), &value);
        }
    }

    #[test]
    fn strings_look_like_those_of_serde_json(s in ".*", chars in prop::collection::vec(any::<char>(), 0..40)) {
        for s in [s, chars.into_iter().collect()] {
            prop_assert_eq!(text(Style::Compact, |out| out.string(&s)).unwrap(), serde_json::to_string(&s).unwrap());
        }
    }
}

/// Keys and pairs are put from remembered text; the tree is written in another way.
#[test]
fn remembered_texts_are_the_same_at_every_depth() {
    const KEYS: [&str; 4] = ["a", "access", "num_tensor_indirect_indices", ""];
    for style in [Style::Pretty, Style::Compact] {
        let mut nested = json!(null);
        for _ in 0..40 {
            let mut object = serde_json::Map::new();
            object.insert(KEYS[3].to_string(), nested);
            object.insert(KEYS[0].to_string(), json!([[1, -2], [34, 567], [89_012, 9999], [10_000, i64::MIN]]));
            object.insert(KEYS[1].to_string(), json!([]));
            object.insert(KEYS[2].to_string(), json!([["x\ny", "Flow"], ["", "Anti"]]));
            nested = object.into();
        }
        fn write(out: &mut JsonOut<'_, Vec<u8>>, depth: usize) -> Result<()> {
            if depth == 0 {
                return out.null();
            }
            out.begin_object()?;
            out.schema_key(KEYS[3])?;
            write(out, depth - 1)?;
            out.schema_key(KEYS[0])?;
            out.begin_array()?;
            out.pairs([[1, -2], [34, 567], [89_012, 9999], [10_000, i64::MIN]].into_iter())?;
            out.end_array()?;
            out.schema_key(KEYS[1])?;
            out.begin_array()?;
            out.pairs(core::iter::empty())?;
            out.end_array()?;
            out.schema_key(KEYS[2])?;
            out.begin_array()?;
            out.name_and_word("x\ny", "Flow")?;
            out.name_and_word("", "Anti")?;
            out.end_array()?;
            out.end_object()
        }
        assert_eq!(text(style, |out| write(out, 40)).unwrap(), text(style, |out| out.value(&nested)).unwrap());
    }
}

#[test]
fn every_length_of_a_number() {
    for value in (0..=10_100).chain((0..20).flat_map(|n| [10_u64.pow(n) - 1, 10_u64.pow(n), u64::MAX])) {
        assert_eq!(text(Style::Compact, |out| out.u64(value)).unwrap(), value.to_string());
    }
}
