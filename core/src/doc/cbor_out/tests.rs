use super::*;
use crate::doc::output::Output;
use crate::error::ErrorCode;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use serde_json::{Value, json};

fn bytes(write: impl FnOnce(&mut CborOut<'_, Vec<u8>>) -> Result<()>) -> Result<Vec<u8>> {
    let mut sink = Vec::new();
    let mut out = CborOut::new(&mut sink);
    write(&mut out)?;
    out.finish()?;
    Ok(sink)
}

fn of(value: &Value) -> Vec<u8> {
    bytes(|out| out.value(value)).unwrap()
}

#[test]
fn numbers_take_the_fewest_bytes() {
    for (value, expected) in [
        (0, &b"\x00"[..]),
        (23, b"\x17"),
        (24, b"\x18\x18"),
        (255, b"\x18\xFF"),
        (256, b"\x19\x01\x00"),
        (65535, b"\x19\xFF\xFF"),
        (65536, b"\x1A\x00\x01\x00\x00"),
        (u64::from(u32::MAX), b"\x1A\xFF\xFF\xFF\xFF"),
        (1 << 32, b"\x1B\x00\x00\x00\x01\x00\x00\x00\x00"),
        (u64::MAX, b"\x1B\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"),
    ] {
        assert_eq!(bytes(|out| out.u64(value)).unwrap(), expected);
        // -1 - n is the same with another first byte.
        if let Ok(value) = i64::try_from(value) {
            let mut negative = expected.to_vec();
            assert_eq!(bytes(|out| out.i64(value)).unwrap(), expected);
            negative[0] |= 0x20;
            assert_eq!(bytes(|out| out.i64(-1 - value)).unwrap(), negative);
        }
    }
    assert_eq!(bytes(|out| out.i64(i64::MIN)).unwrap(), b"\x3B\x7F\xFF\xFF\xFF\xFF\xFF\xFF\xFF");
}

#[test]
fn floats_are_narrow_where_that_is_exact() {
    for (value, expected) in [
        (0.0, &b"\xFA\x00\x00\x00\x00"[..]),
        (-0.0, b"\xFA\x80\x00\x00\x00"),
        (1.5, b"\xFA\x3F\xC0\x00\x00"),
        (100000.0, b"\xFA\x47\xC3\x50\x00"),
        (f64::from(f32::MAX), b"\xFA\x7F\x7F\xFF\xFF"),
        (f64::from(f32::from_bits(1)), b"\xFA\x00\x00\x00\x01"),
        (0.1, b"\xFB\x3F\xB9\x99\x99\x99\x99\x99\x9A"),
        (1e300, b"\xFB\x7E\x37\xE4\x3C\x88\x00\x75\x9C"),
        // Next to the largest of 32 bits.
        (f64::from_bits(f64::from(f32::MAX).to_bits() + 1), b"\xFB\x47\xEF\xFF\xFF\xE0\x00\x00\x01"),
        (5e-324, b"\xFB\x00\x00\x00\x00\x00\x00\x00\x01"),
        (f64::INFINITY, b"\x63inf"),
        (f64::NEG_INFINITY, b"\x64-inf"),
        (f64::NAN, b"\x63nan"),
        (-f64::NAN, b"\x63nan"),
    ] {
        assert_eq!(bytes(|out| out.f64(value)).unwrap(), expected, "{value}");
    }
    // What JSON text of the same f32 reads as: 0.1 and 7.038530691851209e-26.
    for (value, expected) in [
        (0.1f32, &b"\xFB\x3F\xB9\x99\x99\x99\x99\x99\x9A"[..]),
        (0.5, b"\xFA\x3F\x00\x00\x00"),
        (-3.0, b"\xFA\xC0\x40\x00\x00"),
        (f32::from_bits(0x15AE_43FD), b"\xFA\x15\xAE\x43\xFD"),
        (-0.0, b"\xFA\x80\x00\x00\x00"),
        (f32::NAN, b"\x63nan"),
        (f32::NEG_INFINITY, b"\x64-inf"),
    ] {
        assert_eq!(bytes(|out| out.f32(value)).unwrap(), expected, "{value}");
    }
}

#[test]
fn lengths_are_the_same_whether_said_or_awaited() {
    for length in [0usize, 1, 23, 24, 255, 256, 65535, 65536, 70000] {
        let head = Head::new(major::ARRAY, length as u64);
        let array: Vec<u8> = head.bytes().iter().copied().chain(core::iter::repeat_n(0xF6, length)).collect();
        assert_eq!(of(&json!(vec![Value::Null; length])), array);
        let awaited = bytes(|out| {
            out.begin_array()?;
            (0..length).try_for_each(|_| out.null())?;
            out.end_array()
        });
        assert_eq!(awaited.unwrap(), array);

        let mut map = Head::new(major::MAP, length as u64).bytes().to_vec();
        (0..length).for_each(|_| map.extend(b"\x61k\xF5"));
        for said in [None, Some(length as u64)] {
            let written = bytes(|out| {
                match said {
                    Some(members) => out.begin_object_of(members)?,
                    None => out.begin_object()?,
                }
                for i in 0..length {
                    assert_eq!(out.count(), i as u64);
                    out.key("k")?;
                    out.bool(true)?;
                }
                out.end_object()
            });
            assert!(written.unwrap() == map, "{length} {said:?}");
        }

        let text = "x".repeat(length);
        let mut expected = Head::new(major::TEXT, length as u64).bytes().to_vec();
        expected.extend(text.bytes());
        assert_eq!(bytes(|out| out.string(&text)).unwrap(), expected);
    }
    assert_eq!(Head::new(major::MAP, 65536).bytes(), b"\xBA\x00\x01\x00\x00");
}

/// A tree of containers, half of them awaited, that all have more than 23 items: each inserted head moves what holds it.
#[test]
fn awaited_containers_may_lie_in_each_other() {
    fn tree(out: &mut CborOut<'_, Vec<u8>>, depth: u64) -> Result<()> {
        if depth == 0 {
            return out.u64(7);
        }
        if depth.is_multiple_of(2) {
            out.begin_array()?
        } else {
            out.begin_array_of(30)?
        }
        for _ in 0..30 {
            tree(out, depth - 1)?;
        }
        out.end_array()
    }
    let value = (0..4).fold(json!(7), |inner, _| json!(vec![inner; 30]));
    assert!(bytes(|out| tree(out, 4)).unwrap() == of(&value));
}

#[test]
fn calls_out_of_place_are_refused() {
    type Call = fn(&mut CborOut<'_, Vec<u8>>) -> Result<()>;
    let wrong: [(&str, Call); 15] = [
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
        ("no end of a known length", |o| o.begin_array_of(0)),
        ("a root behind the end", |o| o.begin_array().and_then(|()| o.end_array()).and_then(|()| o.begin_array())),
        ("fewer elements", |o| o.begin_array_of(2).and_then(|()| o.null()).and_then(|()| o.end_array())),
        ("more elements", |o| o.begin_array_of(0).and_then(|()| o.null()).and_then(|()| o.end_array())),
        ("fewer members", |o| o.begin_object_of(1).and_then(|()| o.end_object())),
    ];
    for (name, call) in wrong {
        assert_eq!(bytes(call).unwrap_err().code, ErrorCode::Internal, "{name}");
    }
}

/// Counts what comes; fails at a given call.
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
    let expected = of(&value);
    let run = |fail_at| {
        let mut meter = Meter { bytes: Vec::new(), sizes: Vec::new(), fail_at };
        let sink: &mut dyn Sink = &mut meter;
        let mut out = CborOut::new(sink);
        let result = out.value(&value).and_then(|()| {
            // All lengths are known: no more than a chunk is held.
            assert!(out.buffer.capacity() <= CHUNK);
            out.finish()
        });
        (result, meter)
    };
    let (result, meter) = run(usize::MAX);
    result.unwrap();
    assert!(meter.bytes == expected);
    assert!(meter.sizes.len() < 15, "{:?}", meter.sizes);
    for fail_at in 0..meter.sizes.len() {
        assert_eq!(run(fail_at).0.unwrap_err().code, ErrorCode::Io);
    }
}

#[test]
fn only_what_is_awaited_is_held() {
    let mut meter = Meter { bytes: Vec::new(), sizes: Vec::new(), fail_at: usize::MAX };
    let mut out = CborOut::new(&mut meter);
    out.begin_array_of(100).unwrap();
    let text = "x".repeat(1000);
    for i in 0..100 {
        out.begin_array().unwrap();
        for _ in 0..30 + i % 2 {
            out.string(&text).unwrap();
        }
        out.end_array().unwrap();
        assert!(out.buffer.len() <= 2 * CHUNK, "{}", out.buffer.len());
    }
    out.end_array().unwrap();
    out.finish().unwrap();
    let element = |i: usize| vec![text.clone(); 30 + i % 2];
    assert!(meter.bytes == of(&json!((0..100).map(element).collect::<Vec<Vec<String>>>())));
}

/// Whatever order the map keeps: a build with `serde_json/preserve_order` keeps that of the insertions.
#[test]
fn keys_of_values_come_out_sorted_by_bytes() {
    let value = json!({"b": 1, "aa": 2, "a": 3, "é": 4});
    assert_eq!(of(&value), b"\xA4\x61a\x03\x62aa\x02\x61b\x01\x62\xC3\xA9\x04");
}
