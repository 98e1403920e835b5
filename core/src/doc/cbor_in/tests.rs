use super::*;
use crate::doc::cbor_out::CborOut;
use crate::doc::json_in::tests::{any_value, walk};
use crate::doc::output::Output;
use alloc::borrow::ToOwned;
use alloc::string::{String, ToString};
use alloc::vec;
use proptest::prelude::*;
use serde_json::{Value, json};

fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.bytes().filter(|b| *b != b' ').collect();
    let byte = |pair: &[u8]| u8::from_str_radix(core::str::from_utf8(pair).unwrap(), 16).unwrap();
    digits.chunks(2).map(byte).collect()
}

fn limits(max_depth: u32, max_string_bytes: u64) -> Limits {
    Limits { max_depth, max_string_bytes, ..Limits::default() }
}

fn input(bytes: &[u8]) -> CborInput<'_> {
    CborInput::new(bytes, Limits::default())
}

fn finished<'a, T>(mut input: CborInput<'a>, read: impl FnOnce(&mut CborInput<'a>) -> Result<T>) -> Result<T> {
    let value = read(&mut input)?;
    input.finish()?;
    Ok(value)
}

/// The value, read in three ways that must agree.
fn read(bytes: &[u8]) -> Result<Value> {
    read_within(bytes, Limits::default())
}

fn read_within(bytes: &[u8], limits: Limits) -> Result<Value> {
    let start = CborInput::new(bytes, limits);
    let value = finished(start.clone(), |i| i.value());
    assert_eq!(finished(start.clone(), walk), value, "walk and value differ on {bytes:02X?}");
    assert_eq!(finished(start, |i| i.skip()), value.as_ref().map(|_| ()).map_err(Error::clone), "{bytes:02X?}");
    value
}

fn write(value: &Value) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut out = CborOut::new(&mut bytes);
    out.value(value).unwrap();
    out.finish().unwrap();
    bytes
}

fn error_of(bytes: &[u8]) -> (ErrorCode, String, String, u64) {
    let error = read(bytes).unwrap_err();
    let position = error.position.unwrap();
    assert_eq!((position.line, position.column), (0, 0));
    (error.code, error.expected, error.found, position.offset)
}

/// The examples of RFC 8949, appendix A, as far as JSON has the like of them. Those in the second list are not written so.
#[test]
fn the_examples_of_the_standard_are_read() {
    let as_written = [
        ("00", json!(0)),
        ("01", json!(1)),
        ("0a", json!(10)),
        ("17", json!(23)),
        ("1818", json!(24)),
        ("1819", json!(25)),
        ("1864", json!(100)),
        ("1903e8", json!(1000)),
        ("1a000f4240", json!(1000000)),
        ("1b000000e8d4a51000", json!(1000000000000u64)),
        ("1bffffffffffffffff", json!(18446744073709551615u64)),
        ("20", json!(-1)),
        ("29", json!(-10)),
        ("3863", json!(-100)),
        ("3903e7", json!(-1000)),
        ("fb3ff199999999999a", json!(1.1)),
        ("fa47c35000", json!(100000.0)),
        ("fa7f7fffff", json!(3.4028234663852886e+38)),
        ("fb7e37e43c8800759c", json!(1.0e+300)),
        ("fbc010666666666666", json!(-4.1)),
        ("f4", json!(false)),
        ("f5", json!(true)),
        ("f6", json!(null)),
        ("60", json!("")),
        ("6161", json!("a")),
        ("6449455446", json!("IETF")),
        ("62225c", json!("\"\\")),
        ("62c3bc", json!("\u{fc}")),
        ("63e6b0b4", json!("\u{6c34}")),
        ("64f0908591", json!("\u{10151}")),
        ("80", json!([])),
        ("83010203", json!([1, 2, 3])),
        ("8301820203820405", json!([1, [2, 3], [4, 5]])),
        (
            "98190102030405060708090a0b0c0d0e0f101112131415161718181819",
            json!([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25]),
        ),
        ("a0", json!({})),
        ("a26161016162820203", json!({"a": 1, "b": [2, 3]})),
        ("826161a161626163", json!(["a", {"b": "c"}])),
        ("a56161614161626142616361436164614461656145", json!({"a": "A", "b": "B", "c": "C", "d": "D", "e": "E"})),
    ];
    let only_read = [
        ("3bffffffffffffffff", json!(-18446744073709551616.0)),
        ("f90000", json!(0.0)),
        ("f98000", json!(-0.0)),
        ("f93c00", json!(1.0)),
        ("f93e00", json!(1.5)),
        ("f97bff", json!(65504.0)),
        ("f90001", json!(5.960464477539063e-8)),
        ("f90400", json!(0.00006103515625)),
        ("f9c400", json!(-4.0)),
        ("f97c00", json!("inf")),
        ("f97e00", json!("nan")),
        ("f9fc00", json!("-inf")),
        ("fa7f800000", json!("inf")),
        ("fa7fc00000", json!("nan")),
        ("faff800000", json!("-inf")),
        ("fb7ff0000000000000", json!("inf")),
        ("fb7ff8000000000000", json!("nan")),
        ("fbfff0000000000000", json!("-inf")),
        ("7f657374726561646d696e67ff", json!("streaming")),
        ("9fff", json!([])),
        ("9f018202039f0405ffff", json!([1, [2, 3], [4, 5]])),
        ("9f01820203820405ff", json!([1, [2, 3], [4, 5]])),
        ("83018202039f0405ff", json!([1, [2, 3], [4, 5]])),
        ("83019f0203ff820405", json!([1, [2, 3], [4, 5]])),
        (
            "9f0102030405060708090a0b0c0d0e0f101112131415161718181819ff",
            json!([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25]),
        ),
        ("bf61610161629f0203ffff", json!({"a": 1, "b": [2, 3]})),
        ("826161bf61626163ff", json!(["a", {"b": "c"}])),
        ("bf6346756ef563416d7421ff", json!({"Fun": true, "Amt": -2})),
    ];
    for (text, value) in &as_written {
        assert_eq!(write(value), hex(text), "{value}");
    }
    for (text, value) in as_written.into_iter().chain(only_read) {
        let found = read(&hex(text)).unwrap();
        assert_eq!(found, value, "{text}");
        // -0.0 equals 0.0.
        assert_eq!(found.to_string(), value.to_string(), "{text}");
    }
}

/// The remaining examples: good CBOR that no document can hold.
#[test]
fn what_json_has_no_like_of_is_refused() {
    for (text, expected, found, offset) in [
        ("c249010000000000000000", "a value", "tag 2", 0),
        ("c349010000000000000000", "a value", "tag 3", 0),
        ("f7", "a value", "`undefined`", 0),
        ("f0", "a value", "simple value 16", 0),
        ("f8ff", "a value", "simple value 255", 0),
        ("c074323031332d30332d32315432303a30343a30305a", "a value", "tag 0", 0),
        ("c11a514b67b0", "a value", "tag 1", 0),
        ("d74401020304", "a value", "tag 23", 0),
        ("d82076687474703a2f2f7777772e6578616d706c652e636f6d", "a value", "tag 32", 0),
        ("40", "a value", "a byte string", 0),
        ("4401020304", "a value", "a byte string", 0),
        ("5f42010243030405ff", "a value", "a byte string", 0),
        ("a201020304", "a text key", "a number", 1),
        ("81 d9d9f7 01", "a value", "tag 55799", 1),
        ("d9d9f7 d9d9f7 01", "a value", "tag 55799", 3),
        ("a1 6161 f7", "a value", "`undefined`", 3),
        ("a1 40 01", "a key", "a byte string", 1),
        ("bf f97e00 01 ff", "a text key", "the float NaN", 1),
        ("a1 80 01", "a text key", "an array", 1),
    ] {
        let want = (ErrorCode::Unsupported, expected.to_owned(), found.to_owned(), offset);
        assert_eq!(error_of(&hex(text)), want, "{text}");
    }
}

#[test]
fn malformed_items_are_rejected_with_their_place() {
    for (text, expected, found, offset) in [
        ("", "a value", "end of input", 0),
        ("d9d9f7", "a value", "end of input", 3),
        ("18", "1 more byte", "end of input", 1),
        ("19 01", "1 more byte", "end of input", 2),
        ("1a 01", "3 more bytes", "end of input", 2),
        ("3b 01020304050607", "1 more byte", "end of input", 8),
        ("f9 00", "1 more byte", "end of input", 2),
        ("1c", "a value", "byte 0x1C", 0),
        ("1d", "a value", "byte 0x1D", 0),
        ("1e", "a value", "byte 0x1E", 0),
        ("1f", "a value", "byte 0x1F", 0),
        ("3f", "a value", "byte 0x3F", 0),
        ("5c", "a value", "byte 0x5C", 0),
        ("7d", "a value", "byte 0x7D", 0),
        ("9e", "a value", "byte 0x9E", 0),
        ("bc", "a value", "byte 0xBC", 0),
        ("df", "a value", "byte 0xDF", 0),
        ("fc", "a value", "byte 0xFC", 0),
        ("ff", "a value", "a break", 0),
        // Small simple values, and those with a byte of their own, in two bytes.
        ("f8 14", "a value", "byte 0xF8", 0),
        ("f8 1f", "a value", "byte 0xF8", 0),
        ("01 02", "end of input", "byte 0x02", 1),
        ("80 0a", "end of input", "byte 0x0A", 1),
        ("81", "1 more byte", "end of input", 1),
        ("83 01 02", "1 more byte", "end of input", 3),
        ("82 81", "1 more byte", "end of input", 2),
        ("82 8101", "a value", "end of input", 3),
        ("81 ff", "a value", "a break", 1),
        ("9f", "a value or a break", "end of input", 1),
        ("9f 01", "a value or a break", "end of input", 2),
        ("9f ff ff", "end of input", "a break", 2),
        ("a1 61", "1 more byte", "end of input", 2),
        ("a1 6161", "a value", "end of input", 3),
        ("a2 6161 01 00", "a text key", "a number", 4),
        ("a1 ff 00", "a key", "a break", 1),
        ("bf", "a key or a break", "end of input", 1),
        ("bf 6161", "a value", "end of input", 3),
        ("bf 6161 ff", "a value", "a break", 3),
        ("bf 6161 01", "a key or a break", "end of input", 4),
        ("62 61", "1 more byte", "end of input", 2),
        ("7b 0000000000000005 6161", "3 more bytes", "end of input", 11),
        ("7f", "text of definite length or a break", "end of input", 1),
        ("7f 6161", "text of definite length or a break", "end of input", 3),
        ("7f 6261", "1 more byte", "end of input", 3),
        ("7f 01 ff", "text of definite length or a break", "byte 0x01", 1),
        ("7f 4161 ff", "text of definite length or a break", "byte 0x41", 1),
        ("7f 7f 6161 ff ff", "text of definite length or a break", "byte 0x7F", 1),
        ("62 61c3", "valid UTF-8", "byte 0xC3", 2),
        ("63 eda080", "valid UTF-8", "byte 0xED", 1),
        // A character may not go over two chunks.
        ("7f 61c3 61a9 ff", "valid UTF-8", "byte 0xC3", 2),
        ("a1 61ff 01", "valid UTF-8", "byte 0xFF", 2),
    ] {
        let (code, e, f, o) = error_of(&hex(text));
        assert_eq!((e.as_str(), f.as_str(), o), (expected, found, offset), "{text}");
        let unsupported = expected == "a text key";
        assert_eq!(code, if unsupported { ErrorCode::Unsupported } else { ErrorCode::Syntax }, "{text}");
    }
}

/// Nothing is asked for that the input does not have room for: were it so, this would not end.
#[test]
fn claimed_lengths_are_not_believed() {
    let huge = Limits { max_string_bytes: u64::MAX, ..Limits::default() };
    for (text, missing, offset) in [
        ("9b ffffffffffffffff", "18446744073709551615", 9),
        ("9b fffffffffffffffe 00", "18446744073709551613", 10),
        ("bb ffffffffffffffff", "18446744073709551615", 9),
        ("bb 7fffffffffffffff", "18446744073709551614", 9),
        ("7b ffffffffffffffff", "18446744073709551615", 9),
        ("7b 7fffffffffffffff 61", "9223372036854775806", 10),
        ("7f 7b ffffffffffffffff", "18446744073709551615", 10),
        ("9a ffffffff", "4294967295", 5),
        ("b9 0002 6161 00", "1", 6),
    ] {
        let error = read_within(&hex(text), huge).unwrap_err();
        assert_eq!(error.code, ErrorCode::Syntax, "{text}");
        let s = if missing == "1" { "" } else { "s" };
        let expected = alloc::format!("{missing} more byte{s}");
        assert_eq!((error.expected, error.position.unwrap().offset), (expected, offset));
    }
}

#[test]
fn numbers_are_exact() {
    let number = |text: &str| input(&hex(text)).number().unwrap();
    assert_eq!(number("1b 7fffffffffffffff"), Number::U64(i64::MAX as u64));
    assert_eq!(number("1b ffffffffffffffff"), Number::U64(u64::MAX));
    assert_eq!(number("3b 7fffffffffffffff"), Number::I64(i64::MIN));
    assert_eq!(number("3b 7ffffffffffffffe"), Number::I64(i64::MIN + 1));
    assert_eq!(number("3b 8000000000000000"), Number::F64(-9223372036854775809.0));
    assert_eq!(number("3b ffffffffffffffff"), Number::F64(-18446744073709551616.0));
    // One number in every width.
    for text in ["17", "18 17", "19 0017", "1a 00000017", "1b 0000000000000017"] {
        assert_eq!(number(text), Number::U64(23));
    }
    for text in ["37", "38 17", "39 0017", "3a 00000017", "3b 0000000000000017"] {
        assert_eq!(number(text), Number::I64(-24));
    }
    assert_eq!(number("fa 3dcccccd"), Number::F64(f64::from(0.1f32)));
    assert_eq!(number("fb 3fb999999999999a"), Number::F64(0.1));
    assert_eq!(number("fa 00000001"), Number::F64(f64::from(f32::from_bits(1))));
    for text in ["f98000", "fa80000000", "fb8000000000000000"] {
        assert!(matches!(number(text), Number::F64(v) if v == 0.0 && v.is_sign_negative()), "{text}");
    }
}

/// Each of the 65536 against a conversion by other means: the bits moved to their places in 64.
#[test]
fn half_floats_are_widened_exactly() {
    for bits in 0..=u16::MAX {
        let (sign, exponent, fraction) = (u64::from(bits >> 15), u64::from(bits >> 10 & 31), u64::from(bits & 0x3FF));
        let wide = match (exponent, fraction) {
            (31, 1..) => None,
            (31, 0) => Some(sign << 63 | 0x7FF << 52),
            (0, 0) => Some(sign << 63),
            // Subnormal: the highest set bit becomes the implied one.
            (0, _) => {
                let top = 63 - u64::from(fraction.leading_zeros());
                Some(sign << 63 | (1023 - 24 + top) << 52 | (fraction << (52 - top) & ((1 << 52) - 1)))
            }
            _ => Some(sign << 63 | (1023 - 15 + exponent) << 52 | fraction << 42),
        };
        let found = head::half(bits);
        match wide {
            None => assert!(found.is_nan(), "{bits:04x}"),
            Some(wide) => assert_eq!(found.to_bits(), wide, "{bits:04x}"),
        }
    }
}

#[test]
fn reads_value_by_value() {
    let bytes = hex("d9d9f7 a2 6161 86 01 21 fa40600000 6178 7f 62c3a9 610a ff f5 6162 bf ff");
    let mut input = input(&bytes);
    assert_eq!(input.offset(), 3);
    input.begin_object().unwrap();
    assert!(matches!(input.next_key().unwrap(), Some(Cow::Borrowed("a"))));
    input.begin_array().unwrap();
    assert!(input.next_element().unwrap());
    assert_eq!(input.number().unwrap(), Number::U64(1));
    assert!(input.next_element().unwrap());
    assert_eq!(input.number().unwrap(), Number::I64(-2));
    assert!(input.next_element().unwrap());
    assert_eq!(input.number().unwrap(), Number::F64(3.5));
    assert!(input.next_element().unwrap());
    assert!(matches!(input.string().unwrap(), Cow::Borrowed("x")));
    assert!(input.next_element().unwrap());
    assert!(matches!(input.string().unwrap(), Cow::Owned(s) if s == "\u{e9}\n"));
    assert!(input.next_element().unwrap());
    assert!(input.bool().unwrap());
    assert!(!input.next_element().unwrap());
    assert_eq!(input.next_key().unwrap().as_deref(), Some("b"));
    input.begin_object().unwrap();
    assert_eq!(input.next_key().unwrap(), None);
    assert_eq!(input.next_key().unwrap(), None);
    input.finish().unwrap();
    assert_eq!(input.total(), Some(bytes.len() as u64));
    assert_eq!(input.offset(), bytes.len() as u64);
    // Calls behind the end are errors, not more.
    assert_eq!(input.next_key().unwrap_err().code, ErrorCode::Internal);
    assert_eq!(input.peek().unwrap_err().code, ErrorCode::Syntax);
}

#[test]
fn a_wrong_kind_consumes_nothing() {
    let values = [
        ("f6", ValueKind::Null),
        ("f4", ValueKind::Bool),
        ("20", ValueKind::Number),
        ("fa3f800000", ValueKind::Number),
        ("6173", ValueKind::String),
        ("f97c00", ValueKind::String),
        ("8101", ValueKind::Array),
        ("bf616101ff", ValueKind::Object),
    ];
    type Call = fn(&mut CborInput<'_>) -> Result<()>;
    let calls: [(Call, ValueKind); 6] = [
        (|i| i.null(), ValueKind::Null),
        (|i| i.bool().map(drop), ValueKind::Bool),
        (|i| i.number().map(drop), ValueKind::Number),
        (|i| i.string().map(drop), ValueKind::String),
        (|i| i.begin_array(), ValueKind::Array),
        (|i| i.begin_object(), ValueKind::Object),
    ];
    for (text, kind) in values {
        let bytes = hex(&alloc::format!("82 01 {text}"));
        let mut input = input(&bytes);
        input.begin_array().unwrap();
        assert!(input.next_element().unwrap());
        input.skip().unwrap();
        assert!(input.next_element().unwrap());
        assert_eq!(input.peek().unwrap(), kind);
        let start = input.mark();
        for (call, wanted) in calls {
            input.reset(start);
            let result = call(&mut input);
            if kind == wanted {
                result.unwrap();
                continue;
            }
            let error = result.unwrap_err();
            assert_eq!((error.code, error.expected.as_str()), (ErrorCode::WrongType, wanted.describe()));
            let found = if text == "f97c00" { "an infinite float" } else { kind.describe() };
            assert_eq!((error.found.as_str(), error.position.unwrap().offset), (found, 2));
            assert_eq!(input.mark(), start);
            input.skip().unwrap();
            assert!(!input.next_element().unwrap());
            input.finish().unwrap();
        }
    }
    assert_eq!(
        input(&hex("6173")).number().unwrap_err().to_string(),
        "a value has the wrong type: expected a number, found a string (byte 0)"
    );
}

#[test]
fn limits_are_named() {
    let limits = limits(3, 4);
    let read = |value: &str| read_within(&hex(value), limits);
    read("82 a1 6161 8101 81 8102").unwrap();
    for (text, offset) in [("81 a1 6161 82 01 80", 6), ("9f 9f 9f a0 ff ff ff", 3)] {
        let error = read(text).unwrap_err();
        assert_eq!(error.code, ErrorCode::LimitExceeded);
        assert_eq!(error.message, "the limit `max_depth` of 3 is exceeded");
        assert_eq!(error.position.unwrap().offset, offset);
    }
    read("a1 6461626364 6461626364").unwrap();
    read("7f 6161 60 63616263 ff").unwrap();
    for (text, offset) in
        [("656162636465", 1), ("a1 656162636465 01", 2), ("7f 63616263 626465 ff", 6), ("7a 00000005", 5)]
    {
        let error = read(text).unwrap_err();
        assert_eq!(error.code, ErrorCode::LimitExceeded, "{text}");
        assert_eq!(error.message, "the limit `max_string_bytes` of 4 is exceeded");
        assert_eq!(error.position.unwrap().offset, offset, "{text}");
    }
}

#[test]
fn the_highest_depth_is_read_and_dropped() {
    let limits = Limits { max_depth: u32::MAX, ..Limits::default() };
    let nested = |depth: u32| hex(&("81 a1 6161".repeat(depth as usize / 2) + "01"));
    let deep = nested(Limits::HIGHEST_DEPTH);
    let value = CborInput::new(&deep, limits).value().unwrap();
    assert_eq!(write(&value), deep);
    CborInput::new(&deep, limits).skip().unwrap();
    for endless in [vec![0x81; 1 << 20], vec![0x9F; 1 << 20], nested(Limits::HIGHEST_DEPTH + 2)] {
        for error in [
            CborInput::new(&endless, limits).skip().unwrap_err(),
            CborInput::new(&endless, limits).value().unwrap_err(),
        ] {
            assert_eq!(error.message, "the limit `max_depth` of 1024 is exceeded");
        }
    }
}

#[test]
fn a_mark_restores_the_nesting() {
    for text in ["a2 6161 82 01 a1 6162 02 6163 81 80", "bf 6161 9f 01 bf 6162 02 ff ff 6163 9f 9f ff ff ff"] {
        let bytes = hex(text);
        let mut input = input(&bytes);
        input.begin_object().unwrap();
        let first = input.mark();
        assert_eq!(input.next_key().unwrap().as_deref(), Some("a"));
        let a = input.mark();
        input.begin_array().unwrap();
        let inside = input.mark();
        input.reset(a);
        assert_eq!(input.value().unwrap(), json!([1, {"b": 2}]));
        assert_eq!(input.next_key().unwrap().as_deref(), Some("c"));
        input.skip().unwrap();
        assert_eq!(input.next_key().unwrap(), None);
        input.finish().unwrap();
        input.reset(inside);
        assert!(input.next_element().unwrap());
        assert_eq!(input.number().unwrap(), Number::U64(1));
        assert!(input.next_element().unwrap());
        assert_eq!(input.value().unwrap(), json!({"b": 2}));
        assert!(!input.next_element().unwrap());
        assert_eq!(input.next_key().unwrap().as_deref(), Some("c"));
        input.reset(first);
        assert_eq!(input.next_key().unwrap().as_deref(), Some("a"));
    }
}

/// One place in the document, and all that is behind it: the values as they come, and the ends of containers.
fn rest(mut input: CborInput<'_>) -> Vec<String> {
    let mut events = Vec::new();
    while input.depth > 0 {
        if input.level.map {
            match input.next_key().unwrap() {
                Some(key) => events.push(alloc::format!("{key}: {}", input.value().unwrap())),
                None => events.push("}".to_owned()),
            }
        } else if input.next_element().unwrap() {
            events.push(input.value().unwrap().to_string());
        } else {
            events.push("]".to_owned());
        }
    }
    input.finish().unwrap();
    events
}

/// Marks before every value of a document with what was still to come there; then from every mark to every other.
#[test]
fn every_mark_leads_back_from_everywhere() {
    let bytes = hex("a3 6161 83 01 82 02 a1 6178 9f 03 8104 ff 05 6162 bf 6179 82 80 a0 ff 6163 82 8106 8107");
    let mut marks = Vec::new();
    fn visit(input: &mut CborInput<'_>, marks: &mut Vec<(CborMark, Vec<String>)>) {
        match input.peek().unwrap() {
            ValueKind::Array => {
                input.begin_array().unwrap();
                marks.push((input.mark(), rest(input.clone())));
                while input.next_element().unwrap() {
                    visit(input, marks);
                    marks.push((input.mark(), rest(input.clone())));
                }
            }
            ValueKind::Object => {
                input.begin_object().unwrap();
                marks.push((input.mark(), rest(input.clone())));
                while input.next_key().unwrap().is_some() {
                    visit(input, marks);
                    marks.push((input.mark(), rest(input.clone())));
                }
            }
            _ => input.skip().unwrap(),
        }
    }
    visit(&mut input(&bytes), &mut marks);
    // Thirteen containers with nineteen items.
    assert_eq!(marks.len(), 13 + 19);
    assert_eq!(marks[0].1, ["a: [1,[2,{\"x\":[3,[4]]}],5]", "b: {\"y\":[[],{}]}", "c: [[6],[7]]", "}"]);
    let mut wandering = input(&bytes);
    for (from, _) in &marks {
        for (to, expected) in &marks {
            wandering.reset(*from);
            // What is read here overwrites what was known of deeper levels.
            let more = if wandering.level.map { wandering.skip_key() } else { wandering.next_element() };
            if more.unwrap() {
                wandering.skip().unwrap();
            }
            wandering.reset(*to);
            assert_eq!(&rest(wandering.clone()), expected, "{from:?} {to:?}");
        }
    }
}

#[test]
fn a_mark_of_another_input_is_an_error_at_most() {
    let (deep, flat) = (hex("81 81 81 81 81 01"), hex("82 01 02"));
    let mut other = input(&deep);
    for _ in 0..5 {
        other.begin_array().unwrap();
    }
    let mut input = input(&flat);
    input.reset(other.mark());
    assert!(input.next_element().unwrap());
    assert_eq!(input.skip().unwrap_err().code, ErrorCode::Syntax);
    assert!(!matches!(input.next_element(), Ok(true)));
    input.reset(CborMark { pos: 1, depth: 3, level: Level { start: 0, left: 1, map: false } });
    assert!(input.next_element().unwrap());
    input.skip().unwrap();
    assert_eq!(input.next_element().unwrap_err().code, ErrorCode::Internal);
}

#[test]
fn a_truncated_document_is_an_error_at_its_end() {
    let value = json!({"a": [1, -500, 1.5, 0.1, "text", null, true, [], {}], "b": {"c": "x".repeat(300), "d": 70000}});
    let definite = write(&value);
    let indefinite = hex("bf 6161 9f 01 f93e00 7f 6162 6163 ff bf ff ff 6162 9f ff ff");
    assert_eq!(read(&indefinite).unwrap(), json!({"a": [1, 1.5, "bc", {}], "b": []}));
    for bytes in [definite, indefinite] {
        for cut in 0..bytes.len() {
            let (code, _, found, offset) = error_of(&bytes[..cut]);
            assert_eq!((code, found.as_str(), offset), (ErrorCode::Syntax, "end of input", cut as u64));
        }
    }
}

#[test]
fn duplicate_keys_are_given_as_they_come() {
    let bytes = hex("a2 6161 01 6161 02");
    assert_eq!(read(&bytes).unwrap(), json!({"a": 2}));
    let mut input = input(&bytes);
    input.begin_object().unwrap();
    for value in [1, 2] {
        assert_eq!(input.next_key().unwrap().as_deref(), Some("a"));
        assert_eq!(input.number().unwrap(), Number::U64(value));
    }
}

/// Heads that make it likely that a mutation stays close to CBOR.
const PIECES: &[&[u8]] = &[
    b"\x00",
    b"\x17",
    b"\x18",
    b"\x19",
    b"\x1B",
    b"\x20",
    b"\x3B",
    b"\x41a",
    b"\x5F",
    b"\x60",
    b"\x61a",
    b"\x62\xC3\xA9",
    b"\x78\x01b",
    b"\x7B",
    b"\x7F",
    b"\x80",
    b"\x81",
    b"\x82",
    b"\x98\x03",
    b"\x9B",
    b"\x9F",
    b"\xA0",
    b"\xA1",
    b"\xA2",
    b"\xB8\x02",
    b"\xBF",
    b"\xC2",
    b"\xD9\xD9\xF7",
    b"\xF4",
    b"\xF6",
    b"\xF7",
    b"\xF8",
    b"\xF9\x7E\x00",
    b"\xFA",
    b"\xFB",
    b"\xFF",
    b"\xFF",
    b"\x61k",
    b"\x61k",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    /// `read` compares three ways to read; none may panic.
    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        if let Err(error) = read(&bytes) {
            prop_assert!(error.position.is_some_and(|p| p.offset <= bytes.len() as u64));
        }
    }

    #[test]
    fn likely_bytes_are_read_or_refused(pieces in prop::collection::vec(prop::sample::select(PIECES), 0..20), depth in 0u32..5) {
        let bytes = pieces.concat();
        for limits in [limits(depth, 2), Limits::default()] {
            if let Err(error) = read_within(&bytes, limits) {
                prop_assert!(error.position.is_some_and(|p| p.offset <= bytes.len() as u64));
            }
        }
    }

    /// Calls in any order, marks of other places included: errors and wrong values, but an end.
    #[test]
    fn calls_in_any_order_never_panic(
        pieces in prop::collection::vec(prop::sample::select(PIECES), 0..20),
        calls in prop::collection::vec(0u8..12, 0..40),
    ) {
        let bytes = pieces.concat();
        let mut input = input(&bytes);
        let mut marks = vec![input.mark()];
        for call in calls {
            let _ = match call {
                0 => input.peek().map(drop),
                1 => input.null(),
                2 => input.number().map(drop),
                3 => input.string().map(drop),
                4 => input.begin_object(),
                5 => input.next_key().map(drop),
                6 => input.begin_array(),
                7 => input.next_element().map(drop),
                8 => input.skip(),
                9 => input.value().map(drop),
                10 => {
                    marks.push(input.mark());
                    Ok(())
                }
                _ => {
                    input.reset(marks[marks.len() / 2]);
                    Ok(())
                }
            };
        }
    }

    #[test]
    fn what_was_written_reads_back(value in any_value()) {
        prop_assert_eq!(&read(&write(&value)).unwrap(), &value);
    }
}
