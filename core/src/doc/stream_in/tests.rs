use super::*;
use crate::doc::json_in::JsonInput;
use crate::doc::json_in::tests::any_value;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::string::{String, ToString};
use std::vec;
use std::vec::Vec;

/// Gives at most `step` bytes at a time.
struct Drops<'t> {
    text: &'t [u8],
    step: usize,
    reads: usize,
}

impl<'t> Drops<'t> {
    fn new(text: &'t [u8], step: usize) -> Self {
        Drops { text, step, reads: 0 }
    }
}

impl Source for Drops<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        self.reads += 1;
        let step = self.step.min(buffer.len());
        Source::read(&mut self.text, &mut buffer[..step])
    }
}

type Stream<'t> = StreamInput<JsonWindow, Drops<'t>>;

fn stream(text: &[u8], step: usize, limits: Limits) -> Stream<'_> {
    StreamInput::new(Drops::new(text, step), limits)
}

/// Reads everything through the steps that a reader takes.
fn walk<'a, I: Input<'a>>(input: &mut I) -> Result<Value> {
    Ok(match input.peek()? {
        ValueKind::Null => input.null().map(|()| Value::Null)?,
        ValueKind::Bool => input.bool()?.into(),
        ValueKind::Number => match input.number()? {
            Number::U64(v) => v.into(),
            Number::I64(v) => v.into(),
            Number::F64(v) => v.into(),
        },
        ValueKind::String => input.string()?.into_owned().into(),
        ValueKind::Array => {
            let mut elements = Vec::new();
            input.begin_array()?;
            while input.next_element()? {
                elements.push(walk(input)?);
            }
            elements.into()
        }
        ValueKind::Object => {
            let mut members = serde_json::Map::new();
            input.begin_object()?;
            while let Some(key) = input.next_key()? {
                members.insert(key.into_owned(), walk(input)?);
            }
            members.into()
        }
    })
}

fn outcome<'a>(mut input: impl Input<'a>) -> Result<Value> {
    let value = walk(&mut input)?;
    input.finish()?;
    Ok(value)
}

/// The stream gives what the whole text gives, errors with their places included, however the pieces are cut.
fn same_as_whole(text: &[u8], steps: &[usize]) {
    let limits = Limits { max_depth: 20, max_string_bytes: 300, ..Limits::default() };
    let whole = outcome(JsonInput::new(text, limits));
    for &step in steps {
        let pieces = outcome(stream(text, step, limits));
        assert_eq!(pieces, whole, "{} in pieces of {step}", String::from_utf8_lossy(text));
    }
}

#[test]
fn every_cut_of_a_text_reads_like_the_whole() {
    let texts: &[&[u8]] = &[
        br#"{"a": [1, -2.5e3, true, false, null, "x\u00e9\ud83d\ude00"], "b": {"c": {}}, "d": []}"#,
        "\u{feff} [\"\u{e9}\u{4e2d}\u{1F600}\", 12345678901234567890, 0]".as_bytes(),
        b"[1, 2",
        b"[1, 2}",
        b"[tru",
        b"[trux]",
        b"[1] x",
        b"[\"abc",
        b"[\"a\\ud800\"]",
        b"[\"a\\ud8",
        b"[0",
        b"[01]",
        b"-",
        b"",
        b"   ",
        b"[\"\xc3\"]",
        b"[\"\xc3",
        b"[1, \xff\xff\xff\xff\xff]",
        b"[1]\n\n  \xf0\x9f",
        b"{\"a\": 1,\n \"b\" 2}",
        b"[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]",
    ];
    for text in texts {
        same_as_whole(text, &[1, 2, 3, 4, 5, 7, 11, 64, 1 << 20]);
        for end in 0..text.len() {
            same_as_whole(&text[..end], &[1, 3]);
        }
    }
}

#[test]
fn lines_are_counted_over_what_has_gone() {
    let line = "\"some text that fills the line\",\n";
    let mut text = String::from("[\n");
    for _ in 0..20_000 {
        text.push_str(line);
    }
    text.push_str("  wrong]");
    let error = outcome(stream(text.as_bytes(), 1000, Limits::default())).unwrap_err();
    assert_eq!(error, outcome(JsonInput::new(text.as_bytes(), Limits::default())).unwrap_err());
    let position = error.position.unwrap();
    assert_eq!((position.line, position.column, position.offset), (20_002, 3, text.len() as u64 - 6));
}

#[test]
fn what_has_gone_has_no_line_any_more() {
    let text = std::format!("[{}1]", "\"0123456789\", ".repeat(100_000));
    let mut input = stream(text.as_bytes(), 1 << 16, Limits::default());
    walk(&mut input).unwrap();
    assert_eq!(input.position_of(5), Position { line: 0, column: 0, offset: 5 });
    let end = input.offset();
    assert_eq!(input.position_of(end).line, 1);
    assert_eq!(end, text.len() as u64);
}

#[test]
fn the_window_stays_small_unless_it_is_held() {
    let text = std::format!("[{}1]", "[1, 2, 3], ".repeat(600_000));
    let mut input = stream(text.as_bytes(), 1 << 16, Limits::default());
    input.begin_array().unwrap();
    let mut largest = 0;
    for _ in 0..100_000 {
        assert!(input.next_element().unwrap());
        input.skip().unwrap();
        largest = largest.max(input.window.len());
    }
    assert!(largest <= 4 * CHUNK, "{largest}");

    assert!(input.next_element().unwrap());
    input.hold();
    let mark = input.mark();
    let offset = input.offset();
    for _ in 0..90_000 {
        input.skip().unwrap();
        assert!(input.next_element().unwrap());
    }
    assert!(input.window.len() > 90_000 * 11);
    input.reset(mark);
    input.release();
    assert_eq!(input.offset(), offset);
    assert_eq!(input.value().unwrap(), json!([1, 2, 3]));
    while input.next_element().unwrap() {
        input.skip().unwrap();
    }
    assert_eq!(input.window.len().max(4 * CHUNK), 4 * CHUNK);
    input.finish().unwrap();
}

#[test]
fn the_buffer_has_a_limit() {
    let limits = Limits { max_buffer_bytes: 100_000, max_string_bytes: u64::MAX, ..Limits::default() };
    for text in [std::format!("[\"{}\"]", "x".repeat(1_000_000)), std::format!("[\"{}", "x".repeat(1_000_000))] {
        let mut source = Drops::new(text.as_bytes(), 4096);
        let mut input: StreamInput<JsonWindow, _> = StreamInput::new(&mut source, limits);
        let error = walk(&mut input).unwrap_err();
        assert_eq!(error.to_string(), "the limit `max_buffer_bytes` of 100000 is exceeded");
        assert_eq!(error.code, ErrorCode::LimitExceeded);
        assert!(source.reads < 70, "{} reads", source.reads);
    }
}

#[test]
fn a_source_that_fails_or_lies_is_an_error() {
    struct Fails(usize);
    impl Source for Fails {
        fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
            match self.0 {
                0 => Ok(buffer.len() + 1),
                1 => Err(Error::new(ErrorCode::Io, "the cable is out")),
                n => {
                    self.0 = n - 1;
                    buffer[0] = b' ';
                    Ok(1)
                }
            }
        }
    }
    for (fails, message) in [
        (0, "a source says that it read more than there is room for"),
        (1, "the cable is out"),
        (5, "the cable is out"),
    ] {
        let mut input: StreamInput<JsonWindow, _> = StreamInput::new(Fails(fails), Limits::default());
        let error = input.peek().unwrap_err();
        assert_eq!((error.code, error.message.as_str()), (ErrorCode::Io, message));
    }
}

#[test]
fn elements_have_a_limit() {
    let limits = Limits { max_elements: 3, ..Limits::default() };
    for (text, offset) in [("[1, 2, 3, 4]", Some(10)), ("[1, 2, 3]", None), (r#"{"a":1,"b":2,"c":3,"d":4}"#, Some(23))]
    {
        let found = JsonInput::new(text.as_bytes(), limits).value();
        assert_eq!(found.clone().err().map(|e| e.position.unwrap().offset), offset, "{text}");
        if let Err(error) = found {
            assert_eq!(error.message, "the limit `max_elements` of 3 is exceeded");
            assert_eq!(stream(text.as_bytes(), 2, limits).value().unwrap_err(), error);
        }
    }
}

proptest! {
    #[test]
    fn any_value_reads_the_same_in_any_pieces(value in any_value(), step in 1usize..40) {
        let text = serde_json::to_vec_pretty(&value).unwrap();
        let limits = Limits::default();
        prop_assert_eq!(outcome(stream(&text, step, limits)), outcome(JsonInput::new(&text, limits)));
        prop_assert_eq!(stream(&text, step, limits).value(), JsonInput::new(&text, limits).value());
    }

    #[test]
    fn any_bytes_read_the_same_in_any_pieces(
        text in prop::collection::vec(prop_oneof![
            Just(b'['), Just(b']'), Just(b'{'), Just(b'}'), Just(b','), Just(b':'), Just(b'"'), Just(b'\\'), Just(b'u'),
            Just(b'1'), Just(b'-'), Just(b'e'), Just(b'.'), Just(b't'), Just(b'\n'), Just(0xC3), Just(0xA9), any::<u8>(),
        ], 0..60),
        step in 1usize..9,
    ) {
        let limits = Limits { max_depth: 20, max_string_bytes: 20, ..Limits::default() };
        prop_assert_eq!(outcome(stream(&text, step, limits)), outcome(JsonInput::new(&text, limits)));
    }
}
