//! Kernels that were damaged: whatever the numbers in them, the lowering ends with findings, and what it made is a document.
mod klr_common;
use bir_core::doc::{ReadOptions, WriteOptions, read_json, write_json};
use bir_core::enums::bir::InstructionType;
use bir_core::ir::{Module, Place};
use bir_core::klr::{Arena, DecodeOptions, decode};
use bir_core::lower::{LowerOptions, lower_carriers, lower_file};
use bir_core::{ErrorCode, lower::Lowered};
use klr_common::files;

fn check(name: &str, lowered: &Lowered) {
    let mut bytes = Vec::new();
    write_json(&lowered.module, &mut bytes, &WriteOptions::default()).unwrap_or_else(|e| panic!("{name}: {e}"));
    read_json(&bytes, &ReadOptions::default()).unwrap_or_else(|e| panic!("{name}: {e}"));
}

/// Some sixty bytes of every file, each replaced by five other values in turn; those that still decode are lowered.
#[test]
fn damaged_bytes() {
    let mut decoded = 0;
    for (name, good) in files("schema-2.24", "klr") {
        if good.len() > 40_000 {
            continue;
        }
        let step = (good.len() / 60).max(1);
        for at in (0..good.len()).step_by(step) {
            for value in [0x00, 0x01, 0x18, 0x7f, 0xff] {
                let mut bytes = good.clone();
                bytes[at] = value;
                let arena = Arena::new();
                let Ok(file) = decode(&bytes, &arena, &DecodeOptions::default()) else { continue };
                let options = LowerOptions { core_id: Some(0), max_diagnostics: 3, ..LowerOptions::default() };
                let Ok(lowered) = lower_file(&file, &options) else { continue };
                decoded += 1;
                check(&format!("{name} at {at}"), &lowered);
            }
        }
    }
    assert!(decoded > 500, "{decoded}");
}

/// A carrier at every failing allocation: an error, never a panic, and the module can still be written.
#[test]
fn memory_that_runs_out() {
    let binary: String = klr_common::read("schema-2.24", "15_dynamic_access.klr").into_iter().map(char::from).collect();
    let mut failures = 0;
    for allocations in 0.. {
        let module = Module::new().unwrap();
        let main = module.add_function("main", Place::End).unwrap().object;
        let block = main.add_block("b", Place::End).unwrap().object;
        let carrier = block.add_instruction(InstructionType::NKIKLIRKernel, "call", Place::End).unwrap().object;
        let payload = carrier.as_nkiklir_kernel().unwrap();
        payload.set_klir_binary(&binary).unwrap();
        payload.set_nki_binary_version_identifier("1.0.0").unwrap();
        module.arena().unwrap().fail_after(Some(allocations));
        let result = lower_carriers(&module, &LowerOptions::default());
        module.arena().unwrap().fail_after(None);
        write_json(&module, &mut Vec::new(), &WriteOptions::default()).unwrap();
        match result {
            Ok(report) => {
                // The kernel has tensors and the carrier binds none.
                assert_eq!(report.diagnostics[0].id, "carrier_binding");
                break;
            }
            Err(error) => assert_eq!(error.code, ErrorCode::OutOfMemory),
        }
        assert_eq!(module.nki_functions().count(), 0, "after {allocations} allocations");
        failures += 1;
    }
    assert!(failures > 50, "{failures}");
}
