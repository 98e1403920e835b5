use super::*;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::fs;

fn input(text: &[u8]) -> JsonInput<'_> {
    JsonInput::new(text, Limits::default())
}

fn read(text: &[u8]) -> Result<Value> {
    let mut input = input(text);
    let value = input.value()?;
    input.finish()?;
    Ok(value)
}

fn skip(text: &[u8]) -> Result<()> {
    let mut input = input(text);
    input.skip()?;
    input.finish()
}

/// Builds the value through the single calls, as the document reader does.
pub(crate) fn walk<'a>(input: &mut impl Input<'a>) -> Result<Value> {
    Ok(match input.peek()? {
        ValueKind::Null => {
            input.null()?;
            Value::Null
        }
        ValueKind::Bool => input.bool()?.into(),
        ValueKind::Number => match input.number()? {
            Number::U64(v) => v.into(),
            Number::I64(v) => v.into(),
            Number::F64(v) => v.into(),
        },
        ValueKind::String => input.string()?.into(),
        ValueKind::Array => {
            input.begin_array()?;
            let mut out = Vec::new();
            while input.next_element()? {
                out.push(walk(input)?);
            }
            out.into()
        }
        ValueKind::Object => {
            input.begin_object()?;
            let mut out = serde_json::Map::new();
            while let Some(key) = input.next_key()? {
                out.insert(key.into_owned(), walk(input)?);
            }
            out.into()
        }
    })
}

fn error_of(text: &[u8]) -> (ErrorCode, String, String, u64) {
    let error = read(text).unwrap_err();
    let skipped = skip(text).unwrap_err();
    assert_eq!(skipped, error, "skip and value differ on {:?}", String::from_utf8_lossy(text));
    (error.code, error.expected, error.found, error.position.unwrap().offset)
}

#[test]
fn reads_value_by_value() {
    let text = br#" {"a" : [1, -2, 3.5, "x", "\u00e9\n", true, false, null], "b": {}, "c": []} "#;
    let mut input = input(text);
    input.begin_object().unwrap();
    assert_eq!(input.next_key().unwrap().as_deref(), Some("a"));
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
    assert!(input.next_element().unwrap());
    assert!(!input.bool().unwrap());
    assert!(input.next_element().unwrap());
    input.null().unwrap();
    assert!(!input.next_element().unwrap());
    assert_eq!(input.next_key().unwrap().as_deref(), Some("b"));
    input.begin_object().unwrap();
    assert_eq!(input.next_key().unwrap(), None);
    assert_eq!(input.next_key().unwrap().as_deref(), Some("c"));
    input.begin_array().unwrap();
    assert!(!input.next_element().unwrap());
    assert_eq!(input.next_key().unwrap(), None);
    input.finish().unwrap();
    assert_eq!(input.total(), Some(text.len() as u64));
    assert_eq!(input.offset(), text.len() as u64);
}

#[test]
fn numbers_are_exact() {
    let number = |text: &str| input(text.as_bytes()).number().unwrap();
    assert_eq!(number("0"), Number::U64(0));
    assert_eq!(number("18446744073709551615"), Number::U64(u64::MAX));
    assert_eq!(number("18446744073709551616"), Number::F64(18446744073709551616.0));
    assert_eq!(number("9999999999999999999"), Number::U64(9999999999999999999));
    assert_eq!(number("99999999999999999999"), Number::F64(1e20));
    assert_eq!(number("-9223372036854775808"), Number::I64(i64::MIN));
    assert_eq!(number("-9223372036854775809"), Number::F64(-9223372036854775808.0));
    assert_eq!(number("-1"), Number::I64(-1));
    assert_eq!(number("1e3"), Number::F64(1000.0));
    assert_eq!(number("1E+3"), Number::F64(1000.0));
    assert_eq!(number("1.5e-1"), Number::F64(0.15));
    assert_eq!(number("1e-999"), Number::F64(0.0));
    for zero in ["-0", "-0.0", "-0e5"] {
        assert!(matches!(number(zero), Number::F64(v) if v == 0.0 && v.is_sign_negative()), "{zero}");
    }
    for text in ["0.1", "123456789012345678901234567890", "2.2250738585072011e-308", "9007199254740993.0", "5e-324"] {
        assert_eq!(number(text), Number::F64(text.parse().unwrap()));
    }
    for text in ["1e999", "-1e400", "1.8e308"] {
        let error = input(text.as_bytes()).number().unwrap_err();
        assert_eq!(error.code, ErrorCode::BadValue);
        assert_eq!(read(text.as_bytes()).unwrap_err(), error);
        skip(text.as_bytes()).unwrap();
    }
}

#[test]
fn escapes_are_decoded() {
    let text = r#""\"\\\/\b\f\n\r\t\u0000\u00E9\u4e2d\uD83D\uDE00\uFFFF plain \u0041""#;
    let want = "\"\\/\u{8}\u{c}\n\r\t\0é中😀\u{FFFF} plain A";
    assert_eq!(input(text.as_bytes()).string().unwrap(), want);
    assert_eq!(read(text.as_bytes()).unwrap(), json!(want));
    let key = read(br#"{"\u006bey": 1}"#).unwrap();
    assert_eq!(key, json!({"key": 1}));
}

#[test]
fn a_byte_order_mark_is_accepted_at_the_start_only() {
    assert_eq!(read(b"\xEF\xBB\xBF [1]").unwrap(), json!([1]));
    assert_eq!(error_of(b" \xEF\xBB\xBF[1]").3, 1);
}

#[test]
fn malformed_text_is_rejected_with_its_place() {
    use ErrorCode::Syntax;
    for (text, expected, found, offset) in [
        (&b""[..], "a value", "end of input", 0),
        (b"  ", "a value", "end of input", 2),
        (b"\0", "a value", "the character U+0000", 0),
        (b"x", "a value", "`x`", 0),
        (b"[1,]", "a value", "`]`", 3),
        (b"[,1]", "a value", "`,`", 1),
        (b"[1 2]", "`,` or `]`", "`2`", 3),
        (b"[1", "`,` or `]`", "end of input", 2),
        (b"[1}", "`,` or `]`", "`}`", 2),
        (b"[", "a value", "end of input", 1),
        (b"{", "a key or `}`", "end of input", 1),
        (b"{1:2}", "a key or `}`", "`1`", 1),
        (b"{\"a\" 1}", "`:`", "`1`", 5),
        (b"{\"a\":1,}", "a key", "`}`", 7),
        (b"{\"a\":1 x}", "`,` or `}`", "`x`", 7),
        (b"{\"a\":1]", "`,` or `}`", "`]`", 6),
        (b"{\"a\":", "a value", "end of input", 5),
        (b"{\"a\":}", "a value", "`}`", 5),
        (b"[1] /* c */", "end of input", "`/`", 4),
        (b"1 2", "end of input", "`2`", 2),
        (b"01", "no digit behind a leading 0", "`1`", 1),
        (b"-01", "no digit behind a leading 0", "`1`", 2),
        (b"-", "a digit", "end of input", 1),
        (b"+1", "a value", "`+`", 0),
        (b".5", "a value", "`.`", 0),
        (b"1.", "a digit", "end of input", 2),
        (b"1.e5", "a digit", "`e`", 2),
        (b"1e", "a digit", "end of input", 2),
        (b"1e+", "a digit", "end of input", 3),
        (b"0x10", "end of input", "`x`", 1),
        (b"NaN", "a value", "`N`", 0),
        (b"nul", "`null`", "end of input", 3),
        (b"trUe", "`true`", "`U`", 2),
        (b"falsy", "`false`", "`y`", 4),
        (b"nullx", "end of input", "`x`", 4),
        (b"\"abc", "`\"` at the end of the string", "end of input", 4),
        (b"\"a\nb\"", "an escaped control character", "the character U+000A", 2),
        (b"\"\\x\"", "one of `\"\\/bfnrtu` behind `\\`", "`x`", 2),
        (b"\"\\", "one of `\"\\/bfnrtu` behind `\\`", "end of input", 2),
        (b"\"\\u12G4\"", "a hexadecimal digit", "`G`", 5),
        (b"\"\\u12", "a hexadecimal digit", "end of input", 5),
        (b"\"\\uD800\"", "a surrogate pair", "`\\`", 1),
        (b"\"\\uD800\\n\"", "a surrogate pair", "`\\`", 1),
        (b"\"\\uD800\\uD800\"", "a surrogate pair", "`\\`", 1),
        (b"\"\\uDC00\"", "a surrogate pair", "`\\`", 1),
        (b"\"\\uD800\\u\"", "a hexadecimal digit", "`\"`", 9),
        (b"\"a\xFFb\"", "valid UTF-8", "byte 0xFF", 2),
        (b"\"\xC3", "valid UTF-8", "byte 0xC3", 1),
        (b"\"\xED\xA0\x80\"", "valid UTF-8", "byte 0xED", 1),
        (b"[1] \xFF", "valid UTF-8", "byte 0xFF", 4),
        ("[é]".as_bytes(), "a value", "`é`", 1),
    ] {
        let shown = String::from_utf8_lossy(text);
        assert_eq!(error_of(text), (Syntax, expected.to_string(), found.to_string(), offset), "{shown}");
    }
}

#[test]
fn a_wrong_kind_consumes_nothing() {
    let values: [(&[u8], ValueKind); 6] = [
        (b" null", ValueKind::Null),
        (b" true", ValueKind::Bool),
        (b" -1.5", ValueKind::Number),
        (b" \"s\"", ValueKind::String),
        (b" [1]", ValueKind::Array),
        (b" {\"a\":1}", ValueKind::Object),
    ];
    type Call = fn(&mut JsonInput<'_>) -> Result<()>;
    let calls: [(Call, ValueKind); 6] = [
        (|i| i.null(), ValueKind::Null),
        (|i| i.bool().map(drop), ValueKind::Bool),
        (|i| i.number().map(drop), ValueKind::Number),
        (|i| i.string().map(drop), ValueKind::String),
        (|i| i.begin_array(), ValueKind::Array),
        (|i| i.begin_object(), ValueKind::Object),
    ];
    for (text, kind) in values {
        for (call, wanted) in calls {
            let mut input = input(text);
            let result = call(&mut input);
            if kind == wanted {
                result.unwrap();
                continue;
            }
            let error = result.unwrap_err();
            assert_eq!(error.code, ErrorCode::WrongType);
            assert_eq!((error.expected.as_str(), error.found.as_str()), (wanted.describe(), kind.describe()));
            assert_eq!(error.position.unwrap().offset, 1);
            input.skip().unwrap();
            input.finish().unwrap();
        }
        let error = input(text).wrong_type("an integer");
        assert_eq!((error.code, error.expected.as_str()), (ErrorCode::WrongType, "an integer"));
        assert_eq!(error.found, kind.describe());
    }
    assert_eq!(input(b"?").null().unwrap_err().code, ErrorCode::Syntax);
    assert_eq!(
        input(b" \"s\"").number().unwrap_err().to_string(),
        "a value has the wrong type: expected a number, found a string (line 1, column 2, byte 1)"
    );
}

#[test]
fn limits_are_named() {
    let limits = Limits { max_depth: 3, max_string_bytes: 4, ..Limits::default() };
    let read = |text: &str| {
        let mut by_value = JsonInput::new(text.as_bytes(), limits);
        let mut by_skip = by_value.clone();
        let mut by_walk = by_value.clone();
        let value = by_value.value();
        assert_eq!(by_skip.skip().err(), value.as_ref().err().cloned());
        assert_eq!(walk(&mut by_walk), value);
        value
    };
    read(r#"[{"a":[1]},[[2]]]"#).unwrap();
    let error = read(r#"[{"a":[1, []]}]"#).unwrap_err();
    assert_eq!(error.code, ErrorCode::LimitExceeded);
    assert_eq!(error.message, "the limit `max_depth` of 3 is exceeded");
    assert_eq!(error.position.unwrap().offset, 10);
    read(r#"{"abcd":"abcd"}"#).unwrap();
    for (text, offset) in [(r#""abcde""#, 1), (r#"{"abcde":1}"#, 2), (r#""\n\n\n""#, 1), (r#""\u0041""#, 1)] {
        let error = read(text).unwrap_err();
        assert_eq!(error.code, ErrorCode::LimitExceeded, "{text}");
        assert_eq!(error.message, "the limit `max_string_bytes` of 4 is exceeded");
        assert_eq!(error.position.unwrap().offset, offset);
    }
}

#[test]
fn the_highest_depth_is_read_and_dropped() {
    let limits = Limits { max_depth: u32::MAX, ..Limits::default() };
    let nested = |depth: usize| format!("{}{}{}", "[{\"a\":".repeat(depth / 2), 1, "}]".repeat(depth / 2));
    let deep = nested(Limits::HIGHEST_DEPTH as usize);
    let value = JsonInput::new(deep.as_bytes(), limits).value().unwrap();
    assert_eq!(value.to_string(), deep);
    drop(value);
    JsonInput::new(deep.as_bytes(), limits).skip().unwrap();
    let deeper = nested(Limits::HIGHEST_DEPTH as usize + 2);
    assert_eq!(JsonInput::new(deeper.as_bytes(), limits).value().unwrap_err().code, ErrorCode::LimitExceeded);
    let endless = "[".repeat(1 << 20);
    let error = JsonInput::new(endless.as_bytes(), limits).skip().unwrap_err();
    assert_eq!(error.message, "the limit `max_depth` of 1024 is exceeded");
    let mut exact = JsonInput::new(b"[[[1]]]", Limits { max_depth: 2, ..limits });
    assert_eq!(exact.skip().unwrap_err().position.unwrap().offset, 2);
}

#[test]
fn a_mark_restores_the_nesting() {
    let text = br#"{"a": [1, {"b": 2}], "c": [[]]}"#;
    let mut input = input(text);
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
    assert_eq!(input.position_of(input.offset()).column, 7);
}

#[test]
fn positions_are_the_same_in_any_order() {
    let text = b"{\n  \"a\": 1,\r\n\n  \"\xC3\xA9\": 2\n}";
    let mut offsets: Vec<u64> = (0..=text.len() as u64 + 3).collect();
    let naive = |offset: u64| {
        let before = &text[..(offset as usize).min(text.len())];
        let line = before.iter().filter(|b| **b == b'\n').count() as u32 + 1;
        let column = before.iter().rev().take_while(|b| **b != b'\n').count() as u32 + 1;
        Position { line, column, offset: before.len() as u64 }
    };
    let input = input(text);
    for _ in 0..2 {
        for &offset in &offsets {
            assert_eq!(input.position_of(offset), naive(offset));
        }
        offsets.reverse();
    }
    for i in 0..200u64 {
        let offset = i * 7919 % (text.len() as u64 + 1);
        assert_eq!(input.position_of(offset), naive(offset));
    }
}

fn documents() -> Vec<(String, Vec<u8>)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/bir");
    let mut out: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "json"))
        .map(|path| (path.display().to_string(), fs::read(&path).unwrap()))
        .collect();
    out.sort();
    assert!(out.len() >= 8);
    out
}

#[test]
fn real_documents_read_like_serde_json_reads_them() {
    for (name, text) in documents() {
        let want: Value = serde_json::from_slice(&text).unwrap();
        assert_eq!(read(&text).unwrap(), want, "{name}");
        assert_eq!(walk(&mut input(&text)).unwrap(), want, "{name}");
        skip(&text).unwrap();
    }
}

#[test]
fn a_truncated_document_is_an_error_at_its_end() {
    for (name, text) in documents() {
        let end = text.trim_ascii_end().len();
        for cut in 0..end {
            let (code, _, found, offset) = error_of(&text[..cut]);
            assert_eq!((code, found.as_str()), (ErrorCode::Syntax, "end of input"), "{name} cut at {cut}");
            assert_eq!(offset, cut as u64, "{name} cut at {cut}");
        }
    }
}

/// Equal, where floats may differ as far as `serde_json` without its exact mode rounds them differently.
fn same(ours: &Value, theirs: &Value) -> bool {
    match (ours, theirs) {
        (Value::Number(a), Value::Number(b)) if a.is_f64() && b.is_f64() => {
            let (a, b) = (a.as_f64().unwrap(), b.as_f64().unwrap());
            a.to_bits() == b.to_bits() || (a - b).abs() <= a.abs() * 1e-14 + 1e-320
        }
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|((k, a), (l, b))| k == l && same(a, b))
        }
        _ => ours == theirs,
    }
}

/// Whether both agree on `text`. Known differences: `serde_json` takes no byte order mark, and near the largest float the
/// two may round to different sides of it.
fn compare(text: &[u8]) -> std::result::Result<(), TestCaseError> {
    let ours = read(text);
    match (&ours, serde_json::from_slice::<Value>(text)) {
        (Ok(ours), Ok(theirs)) => {
            prop_assert!(same(ours, &theirs), "{ours} is not {theirs}");
            prop_assert_eq!(&walk(&mut input(text)).unwrap(), ours);
            let (mut by_value, mut by_skip) = (input(text), input(text));
            by_value.value().unwrap();
            by_skip.skip().unwrap();
            prop_assert_eq!(by_value.mark(), by_skip.mark());
        }
        (Err(ours), Err(_)) => {
            prop_assert!(ours.position.is_some());
            match skip(text) {
                Err(skipped) if ours.code == ErrorCode::Syntax => prop_assert_eq!(&skipped, ours),
                Err(_) => prop_assert_eq!(ours.code, ErrorCode::BadValue),
                Ok(()) => prop_assert_eq!(ours.code, ErrorCode::BadValue),
            }
        }
        (Err(ours), Ok(_)) => prop_assert_eq!(ours.code, ErrorCode::BadValue, "only ours fails: {}", ours),
        (Ok(_), Err(_)) if text.starts_with(b"\xEF\xBB\xBF") => {}
        (Ok(ours), Err(theirs)) => {
            prop_assert!(theirs.to_string().contains("number out of range"), "{ours} is accepted, but {theirs}");
        }
    }
    Ok(())
}

pub(crate) fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<u64>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (0u64..1000).prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        (-1000i32..1000).prop_map(|v| Value::from(f64::from(v) / 8.0)),
        ".{0,20}".prop_map(Value::from),
        "[a-z_.0-9]{0,24}".prop_map(Value::from),
        prop::collection::vec(any::<char>(), 0..6).prop_map(|c| Value::from(c.into_iter().collect::<String>())),
    ];
    leaf.prop_recursive(5, 60, 8, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..8).prop_map(Value::Array),
            prop::collection::vec((".{0,6}", inner), 0..8).prop_map(|m| Value::Object(m.into_iter().collect())),
        ]
    })
}

/// Pieces that make a mutation likely to stay close to JSON.
const PIECES: &[&[u8]] = &[
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b"\"",
    b"\\",
    b"\\u",
    b"\\ud83d",
    b"\\uDE00",
    b"\\n",
    b"/",
    b"0",
    b"9",
    b"-",
    b"+",
    b".",
    b"e",
    b"E",
    b"1e5",
    b"true",
    b"false",
    b"null",
    b" ",
    b"\n",
    b"\t",
    b"\r",
    b"\0",
    b"\x1f",
    b"\x7f",
    b"\xC3",
    b"\xA9",
    b"\xED\xA0\x80",
    b"\xF0\x9F\x98\x80",
    b"\xFF",
    b"\"\":",
    b"[]",
    b"{}",
    b"18446744073709551616",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    #[test]
    fn agrees_with_serde_json_on_json(value in any_value(), pretty: bool) {
        let text = if pretty { serde_json::to_vec_pretty(&value) } else { serde_json::to_vec(&value) }.unwrap();
        prop_assert_eq!(read(&text).unwrap(), value);
        compare(&text)?;
    }

    #[test]
    fn agrees_with_serde_json_on_damaged_json(
        value in any_value(),
        pretty: bool,
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0usize..3, any::<prop::sample::Index>()), 1..4),
    ) {
        let mut text = if pretty { serde_json::to_vec_pretty(&value) } else { serde_json::to_vec(&value) }.unwrap();
        for (place, cut, piece) in edits {
            let at = place.index(text.len() + 1);
            let end = (at + cut).min(text.len());
            text.splice(at..end, PIECES[piece.index(PIECES.len())].iter().copied());
            compare(&text)?;
        }
    }

    #[test]
    fn agrees_with_serde_json_on_pieces(pieces in prop::collection::vec(prop::sample::select(PIECES), 0..12)) {
        compare(&pieces.concat())?;
    }

    #[test]
    fn calls_in_any_order_never_panic(
        pieces in prop::collection::vec(prop_oneof![
            prop::sample::select(PIECES).prop_map(<[u8]>::to_vec),
            prop::collection::vec(any::<u8>(), 0..4),
        ], 0..20),
        calls in prop::collection::vec(0..14, 0..60),
    ) {
        let text = pieces.concat();
        let mut input = input(&text);
        let mut mark = input.mark();
        for call in calls {
            let error = match call {
                0 => input.peek().err(),
                1 => input.null().err(),
                2 => input.bool().err(),
                3 => input.number().err(),
                4 => input.string().err(),
                5 => input.begin_object().err(),
                6 => input.next_key().err(),
                7 => input.begin_array().err(),
                8 => input.next_element().err(),
                9 => input.skip().err(),
                10 => input.value().err(),
                11 => input.finish().err(),
                12 => { mark = input.mark(); None }
                _ => { input.reset(mark); None }
            };
            prop_assert!(input.offset() <= text.len() as u64);
            if let Some(error) = error {
                prop_assert_ne!(error.code, ErrorCode::Internal);
                prop_assert!(error.position.unwrap().offset <= text.len() as u64);
            }
        }
    }

    #[test]
    fn floats_are_the_nearest(text in "-?(0|[1-9][0-9]{0,25})\\.[0-9]{1,25}([eE][+-]?[0-9]{1,3})?") {
        let want: f64 = text.parse().unwrap();
        match input(text.as_bytes()).number() {
            Ok(Number::F64(value)) => prop_assert_eq!(value.to_bits(), want.to_bits()),
            Ok(other) => prop_assert!(false, "{:?}", other),
            Err(error) => prop_assert!(want.is_infinite() && error.code == ErrorCode::BadValue),
        }
    }
}
