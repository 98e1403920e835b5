//! Every KLR file of the reference collection: read, written back, shown as JSON, or refused for the right reason.
mod klr_common;
use bir_core::ErrorCode;
use bir_core::doc::Style;
use bir_core::klr::{Arena, DecodeOptions, EncodeOptions, Schema, decode, write_json};
use klr_common::{files, read, reencoded};
use serde_json::Value;

const LEAN: DecodeOptions = DecodeOptions { proof_bytes: false, max_text_bytes: 1 << 16 };
const PROOFS: DecodeOptions = DecodeOptions { proof_bytes: true, ..LEAN };

/// The files that have none of the four records that tell the schemas apart.
const EITHER: &[&str] = &["18_access_forms", "20_contents_call_site", "21_boundaries"];

#[test]
fn current_files_are_read_shown_and_written_back() {
    for (folder, schema, count) in [("schema-2.24", Schema::V2_24, 36), ("schema-head", Schema::Head, 20)] {
        let all = files(folder, "klr");
        assert_eq!(all.len(), count, "{folder}");
        for (name, bytes) in all {
            let arena = Arena::new();
            let file = decode(&bytes, &arena, &LEAN).unwrap_or_else(|e| panic!("{folder}/{name}: {e}"));
            assert!(file.schema.is_none_or(|s| s == schema), "{folder}/{name}: {:?}", file.schema);
            if EITHER.contains(&name.as_str()) {
                assert_eq!(file.schema, None, "{folder}/{name}");
            }
            assert!(!file.proof_bytes);

            let mut json = Vec::new();
            write_json(&file, &mut json, Style::Compact).unwrap();
            let expected: Value = serde_json::from_slice(&read(folder, &format!("{name}.json"))).unwrap();
            let found: Value = serde_json::from_slice(&json).unwrap();
            assert!(found == expected, "{folder}/{name}.json");

            assert_eq!(reencoded(&file, &EncodeOptions::default()), bytes, "{folder}/{name}");
        }
    }
}

#[test]
fn proof_bytes_are_refused_unless_asked_for() {
    let names = [("01_load_add_store", 82), ("18_access_forms", 83)];
    let all = files("proof-bytes", "klr");
    assert_eq!(all.len(), names.len());
    for ((name, bytes), (expected, offset)) in all.iter().zip(names) {
        assert_eq!(name, expected);
        let arena = Arena::new();
        let error = decode(bytes, &arena, &LEAN).unwrap_err();
        assert_eq!((error.code, error.path.as_str()), (ErrorCode::Unsupported, "contents.lnc.inputs[0]"));
        assert!(error.message.starts_with("the file has a byte for each proof field"), "{error}");
        assert_eq!(error.position.unwrap().offset, offset);

        let file = decode(bytes, &arena, &PROOFS).unwrap();
        assert!(file.proof_bytes);
        let with = EncodeOptions { proof_bytes: true, ..EncodeOptions::default() };
        assert_eq!(&reencoded(&file, &with), bytes, "{name}");
        // Without the bytes it is the file of the other folder.
        let lean = read("schema-2.24", &format!("{name}.klr"));
        assert_eq!(reencoded(&file, &EncodeOptions::default()), lean, "{name}");
        // The option takes the usual form too.
        let same = decode(&lean, &arena, &PROOFS).unwrap();
        assert_eq!((same.contents, same.proof_bytes), (file.contents, false));
    }
}
