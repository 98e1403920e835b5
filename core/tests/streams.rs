//! Documents that come in pieces: the same module, the same errors and the same warnings as from the whole text, with a
//! small window; and those who watch.
use bir_core::doc::{
    Limits, Loaded, Progress, ReadOptions, Source, Watch, WriteOptions, read_json, read_json_stream, write_json,
};
use bir_core::{Error, ErrorCode, Result};
use std::fs;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

fn documents() -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<PathBuf> = ["bir", "families"]
        .iter()
        .flat_map(|folder| {
            let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../tests/data").join(folder);
            fs::read_dir(folder).unwrap().map(|e| e.unwrap().path())
        })
        .filter(|p| p.to_string_lossy().ends_with(".bir.json"))
        .collect();
    files.sort();
    assert!(files.len() >= 11);
    let prose = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../spec/bir-json.md")).unwrap();
    let examples = prose.split("```json\n").skip(1).map(|b| b.split("```").next().unwrap().as_bytes().to_vec());
    let files = files.into_iter().map(|p| (p.display().to_string(), fs::read(p).unwrap()));
    files.chain(examples.enumerate().map(|(i, e)| (format!("example {}", i + 1), e))).collect()
}

/// Gives at most `step` bytes at a time.
struct Drops<'t>(&'t [u8], usize);

impl Source for Drops<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        let step = self.1.min(buffer.len());
        Source::read(&mut self.0, &mut buffer[..step])
    }
    fn total(&self) -> Option<u64> {
        Some(self.0.len() as u64)
    }
}

fn stream(text: &[u8], step: usize, options: &ReadOptions) -> Result<Loaded> {
    read_json_stream(Drops(text, step), options, &mut Watch::new())
}

fn written(loaded: &Loaded) -> String {
    let mut out = Vec::new();
    write_json(&loaded.module, &mut out, &WriteOptions::default()).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn a_stream_gives_the_module_and_the_warnings_of_the_whole_text() {
    let options = ReadOptions::default();
    for (name, text) in documents() {
        let whole = read_json(&text, &options).unwrap();
        for step in [1, 100, 1 << 20] {
            let pieces = stream(&text, step, &options).unwrap_or_else(|e| panic!("{name}: {e}"));
            assert!(pieces.module.structurally_equal(&whole.module), "{name}");
            assert_eq!(written(&pieces), written(&whole), "{name}");
            let texts = |l: &Loaded| l.warnings.iter().map(ToString::to_string).collect::<Vec<_>>();
            assert_eq!(texts(&pieces), texts(&whole), "{name}");
        }
    }
}

/// The document with the keys of every object in reverse order.
fn reversed(text: &[u8]) -> Vec<u8> {
    fn write(value: &serde_json::Value, out: &mut String) {
        match value {
            serde_json::Value::Array(elements) => {
                out.push('[');
                for (i, element) in elements.iter().enumerate() {
                    out.push_str(if i > 0 { ", " } else { "" });
                    write(element, out);
                }
                out.push(']');
            }
            serde_json::Value::Object(members) => {
                out.push('{');
                for (i, (key, value)) in members.iter().rev().enumerate() {
                    out.push_str(if i > 0 { ", " } else { "" });
                    out.push_str(&format!("{}: ", serde_json::Value::from(key.as_str())));
                    write(value, out);
                }
                out.push('}');
            }
            plain => out.push_str(&plain.to_string()),
        }
    }
    let mut out = String::new();
    write(&serde_json::from_slice(text).unwrap(), &mut out);
    out.into_bytes()
}

#[test]
fn the_order_of_keys_does_not_matter_to_a_stream_either() {
    let options = ReadOptions::default();
    for (name, text) in documents() {
        let whole = read_json(&text, &options).unwrap();
        let back = reversed(&text);
        assert_ne!(back, text);
        for loaded in [read_json(&back, &options), stream(&back, 50, &options)] {
            let loaded = loaded.unwrap_or_else(|e| panic!("{name}: {e}"));
            assert!(loaded.module.structurally_equal(&whole.module), "{name}");
            assert_eq!(written(&loaded), written(&whole), "{name}");
        }
    }
}

#[test]
fn errors_of_a_stream_are_those_of_the_whole_text() {
    let options = ReadOptions::default();
    let (_, text) = documents().pop().unwrap();
    let text = String::from_utf8(text).unwrap();
    for (from, to) in [
        ("\"version\": 2", "\"version\": \"2\""),
        ("\"TensorCopy\"", "\"TensorCopi\""),
        ("\"memref\": \"d\"", "\"memref\": \"zz\""),
        ("[\"T-0\", \"Flow\"]", "[\"T-9\", \"Flow\"]"),
        ("\"wait_value\": 16", "\"wait_value\": 16,"),
        ("\"queue\": \"q_dyn\"", "\"queue\": \"q_none\""),
    ] {
        let broken = text.replacen(from, to, 1);
        assert_ne!(broken, text, "{from}");
        let whole = read_json(broken.as_bytes(), &options).unwrap_err();
        for step in [1, 37, 1 << 20] {
            assert_eq!(stream(broken.as_bytes(), step, &options).unwrap_err(), whole, "{to}");
        }
    }
    for end in (0..text.len()).step_by(7) {
        let whole = read_json(&text.as_bytes()[..end], &options).unwrap_err();
        assert_eq!(stream(&text.as_bytes()[..end], 13, &options).unwrap_err(), whole, "cut at {end}");
    }
}

/// A document of `count` instructions in one block, with the keys in order or with the allocations last.
fn long(count: usize, sorted: bool) -> String {
    let instructions: Vec<String> = (0..count)
        .map(|i| {
            format!(
                r#"{{"ins": [{{"ap": [[1, 128]], "dtype": "float32", "kind": "physical_ap", "memref": "a"}}], "name": "I-{i}",
                    "opcode": "TensorCopy", "outs": []}}"#
            )
        })
        .collect();
    let blocks = format!(r#""blocks": [{{"instructions": [{}], "name": "b"}}]"#, instructions.join(", "));
    let allocations = r#""allocations": [{"name": "a_set", "kind": "Internal", "dtype": "float32",
        "memorylocations": [{"name": "a", "type": "SB", "dims": [128, 4]}]}]"#;
    let (first, second) = if sorted { (allocations, blocks.as_str()) } else { (blocks.as_str(), allocations) };
    format!(r#"{{"arch": "gen3", "functions": [{{{first}, {second}, "name": "main"}}], "version": 2}}"#)
}

#[test]
fn the_buffer_holds_one_instruction_and_not_the_document() {
    let small = Limits { max_buffer_bytes: 200_000, ..Limits::default() };
    let options = ReadOptions { limits: small, ..ReadOptions::default() };
    let text = long(20_000, true);
    assert!(text.len() > 3_000_000);
    let loaded = stream(text.as_bytes(), 4096, &options).unwrap();
    assert_eq!(loaded.module.find_function("main").unwrap().instructions().count(), 20_000);

    // Blocks before the allocations have to wait, and that has a limit with a name.
    let text = long(20_000, false);
    let error = stream(text.as_bytes(), 4096, &options).unwrap_err();
    assert_eq!(error.code, ErrorCode::LimitExceeded);
    assert_eq!(error.message, "the limit `max_buffer_bytes` of 200000 is exceeded");
    assert_eq!(error.path, "functions[0].blocks");
    let loaded = stream(text.as_bytes(), 4096, &ReadOptions::default()).unwrap();
    assert_eq!(loaded.module.find_function("main").unwrap().instructions().count(), 20_000);
}

#[test]
fn elements_of_arrays_and_members_of_objects_have_a_limit() {
    let text = long(11, true);
    let read = |max_elements| {
        let limits = Limits { max_elements, ..Limits::default() };
        read_json(text.as_bytes(), &ReadOptions { limits, ..ReadOptions::default() })
    };
    read(11).unwrap();
    let error = read(10).unwrap_err();
    assert_eq!(
        (error.code, error.message.as_str()),
        (ErrorCode::LimitExceeded, "the limit `max_elements` of 10 is exceeded")
    );
    assert_eq!(error.path, "functions[0].blocks[0].instructions");
    // An instruction has four members, a location three.
    let error = read(3).unwrap_err();
    assert_eq!(error.path, "functions[0].allocations[0]");
}

#[test]
fn progress_is_told_and_can_stop_the_reading() {
    let text = long(20_000, true);
    let options = ReadOptions::default();
    let run = |stop_at: u64, streamed: bool| {
        let mut seen: Vec<Progress> = Vec::new();
        let mut progress = |p: &Progress| {
            seen.push(*p);
            if p.instructions >= stop_at { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let mut watch = Watch::new().progress(&mut progress);
        let result = if streamed {
            read_json_stream(Drops(text.as_bytes(), 1 << 20), &options, &mut watch)
        } else {
            bir_core::doc::read_watched(
                bir_core::doc::JsonInput::new(text.as_bytes(), options.limits),
                &options,
                &mut watch,
            )
        };
        (result.map(drop), seen)
    };
    for streamed in [false, true] {
        let (result, seen) = run(u64::MAX, streamed);
        result.unwrap();
        assert_eq!((seen[0].bytes, seen[0].instructions), (0, 0));
        let last = seen.last().unwrap();
        assert_eq!((last.bytes, last.instructions), (text.len() as u64, 20_000));
        assert!(seen.len() >= text.len() / (1 << 20) && seen.len() <= text.len() / (1 << 20) + 3, "{}", seen.len());
        assert!(seen.is_sorted_by_key(|p| p.bytes) && seen.is_sorted_by_key(|p| p.instructions));
        assert!(streamed || seen.iter().all(|p| p.total == Some(text.len() as u64)));

        let (result, seen) = run(1, streamed);
        let error: Error = result.unwrap_err();
        assert_eq!((error.code, error.message.as_str()), (ErrorCode::Cancelled, "the reading was stopped"));
        assert!(error.path.starts_with("functions[0].blocks[0].instructions["), "{}", error.path);
        assert_eq!(seen.len(), 2);
    }
}

#[test]
fn a_flag_stops_the_reading() {
    let text = long(1000, true);
    let flag = AtomicBool::new(false);
    let options = ReadOptions::default();
    let read = || read_json_stream(text.as_bytes(), &options, &mut Watch::new().cancel(&flag));
    read().unwrap();
    flag.store(true, Ordering::Relaxed);
    assert_eq!(read().unwrap_err().code, ErrorCode::Cancelled);
}

#[cfg(feature = "std")]
#[test]
fn a_file_is_a_source() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../tests/data/bir/scale_add.bir.json");
    let file = fs::File::open(&path).unwrap();
    let total = file.metadata().unwrap().len();
    let options = ReadOptions::default();
    let loaded =
        read_json_stream(bir_core::doc::IoSource::new(file, Some(total)), &options, &mut Watch::new()).unwrap();
    assert_eq!(written(&loaded), written(&read_json(&fs::read(&path).unwrap(), &options).unwrap()));
    let folder = fs::File::open(path.parent().unwrap()).unwrap();
    let error = read_json_stream(bir_core::doc::IoSource::new(folder, None), &options, &mut Watch::new()).unwrap_err();
    assert_eq!(error.code, ErrorCode::Io);
}
