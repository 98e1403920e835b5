//! Kernels carried by instructions of a module, lowered in place.
mod klr_common;
use bir_core::doc::{ReadOptions, WriteOptions, read_json, write_json};
use bir_core::enums::bir::{
    AddressRotationScope, Dtype, EdgeKind, InstructionType, KernelSource, MemoryType, TensorKind,
};
use bir_core::ir::{APPair, EdgeSet, Instruction, Module, OperandList, OperandSpec, Place, difference};
use bir_core::klr::{Arena, DecodeOptions, EncodeOptions, decode, encode};
use bir_core::lower::{LowerOptions, Report, lower_carriers};
use bir_core::op::Json;

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let bits = chunk.iter().enumerate().fold(0_u32, |bits, (i, b)| bits | u32::from(*b) << (16 - 8 * i));
        for i in 0..4 {
            let digit = char::from(DIGITS[(bits >> (18 - 6 * i) & 63) as usize]);
            text.push(if i > chunk.len() { '=' } else { digit });
        }
    }
    text
}

fn kernel(name: &str) -> Vec<u8> {
    klr_common::read("schema-2.24", &format!("{name}.klr"))
}

/// A module whose only function holds three tensors `x`, `y`, `z`, a NoOp, the carrier, and a NoOp.
fn module(format: &str, binary: &str) -> Module {
    let module = Module::new().unwrap();
    {
        let main = module.add_function("main", Place::End).unwrap().object;
        let tensors = ["x", "y", "z"].map(|name| {
            let set = main.add_set(&format!("{name}_set"), TensorKind::Internal, Dtype::float32, Place::End).unwrap();
            let location = set.add_location(name, MemoryType::DRAM, Place::End).unwrap().object;
            location.set_dims(&[128, 2048]).unwrap();
            location
        });
        let block = main.add_block("Block1", Place::End).unwrap().object;
        let before = block.add_instruction(InstructionType::NoOp, "before", Place::End).unwrap().object;
        let carrier = block.add_instruction(InstructionType::NKIKLIRKernel, "call", Place::End).unwrap().object;
        let after = block.add_instruction(InstructionType::NoOp, "after", Place::End).unwrap().object;
        carrier.add_dependency(before, EdgeKind::Flow, EdgeSet::Normal).unwrap();
        after.add_dependency(carrier, EdgeKind::Anti, EdgeSet::Normal).unwrap();
        carrier.set_debug_json(Some(r#"{"lineno":7}"#)).unwrap();
        let pattern = [APPair { step: 512, num: 128 }, APPair { step: 1, num: 512 }];
        let lists = [OperandList::Ins, OperandList::Ins, OperandList::Outs];
        for (location, list) in tensors.into_iter().zip(lists) {
            let spec = OperandSpec::Physical { location, dtype: Dtype::float32, pattern: &pattern, offset: 0 };
            carrier.add_operand(list, &spec, Place::End).unwrap();
        }
        let payload = carrier.as_nkiklir_kernel().unwrap();
        payload.set_kernel_format(format).unwrap();
        payload.set_klir_binary(binary).unwrap();
        payload.set_nki_binary_version_identifier("1.0.0").unwrap();
        payload.set_sb_buf_shape([128, 64]).unwrap();
        payload.set_psum_buf_shape([1, 2, 16]).unwrap();
        payload.set_address_rotation_scope_val(AddressRotationScope::Kernel).unwrap();
    }
    module
}

fn call(module: &Module) -> &Instruction {
    module.find_function("main").unwrap().find_instruction("call").unwrap()
}

fn run(module: &Module) -> Report {
    lower_carriers(module, &LowerOptions::default()).unwrap()
}

fn maps(module: &Module) -> (String, String) {
    let call = call(module).as_nki_kernel().unwrap();
    (call.func_args().unwrap().0.unwrap(), call.func_outs().unwrap().0.unwrap())
}

fn round_trip(module: &Module) {
    let mut bytes = Vec::new();
    write_json(module, &mut bytes, &WriteOptions::default()).unwrap();
    let loaded = read_json(&bytes, &ReadOptions::default()).unwrap();
    assert!(loaded.warnings.is_empty(), "{:?}", loaded.warnings);
    assert!(difference(module, &loaded.module).is_none());
    let mut again = Vec::new();
    write_json(&loaded.module, &mut again, &WriteOptions::default()).unwrap();
    assert!(again == bytes);
}

/// The kernel of `01_load_add_store` has the inputs `a` and `b` and the output `tensor2`.
#[test]
fn a_carrier_becomes_a_call_of_a_new_function() {
    let module = module("klr", &base64(&kernel("01_load_add_store")));
    let report = run(&module);
    assert_eq!((report.lowered, report.refused, report.diagnostics.len()), (1, 0, 0), "{:?}", report.diagnostics);

    let main = module.find_function("main").unwrap();
    let names: Vec<_> = main.instructions().map(|i| i.name().to_string()).collect();
    assert_eq!(names, ["before", "call", "after"]);
    let call = call(&module);
    let payload = call.as_nki_kernel().unwrap();
    let function = payload.func().unwrap().unwrap();
    assert_eq!(module.nki_functions().map(|f| f.name().to_string()).collect::<Vec<_>>(), [function.name().to_string()]);
    assert_eq!(function.instructions().count(), 4);
    assert_eq!(function.find_set("a_set").unwrap().kind().unwrap(), TensorKind::Input);
    assert_eq!(payload.kernel_source_val().unwrap(), KernelSource::Beta2);
    assert_eq!(maps(&module), (r#"{"a":"x","b":"y"}"#.to_owned(), r#"{"tensor2":"z"}"#.to_owned()));
    assert_eq!((payload.sb_buf_shape().unwrap(), payload.psum_buf_shape().unwrap()), ([128, 64], [1, 2, 16]));
    assert_eq!(payload.address_rotation_scope_val().unwrap(), AddressRotationScope::Kernel);

    assert_eq!(call.debug_json().unwrap(), r#"{"lineno":7}"#);
    assert_eq!((call.ins().count(), call.outs().count()), (2, 1));
    let edge = call.dependencies(EdgeSet::Normal).next().unwrap();
    assert_eq!((edge.target.name().to_string(), edge.kind), ("before".to_owned(), EdgeKind::Flow));
    let edge = main.find_instruction("after").unwrap().dependencies(EdgeSet::Normal).next().unwrap();
    assert_eq!((edge.target.name().to_string(), edge.kind), ("call".to_owned(), EdgeKind::Anti));
    round_trip(&module);
}

#[test]
fn bytes_may_stand_one_per_character() {
    let text: String = kernel("01_load_add_store").into_iter().map(char::from).collect();
    assert_eq!(run(&module("", &text)).lowered, 1);
}

#[test]
fn tensors_are_bound_by_name_or_by_order() {
    let binary = base64(&kernel("01_load_add_store"));
    let bound = |args: &str| {
        let module = module("klr", &binary);
        let payload = call(&module).as_nkiklir_kernel().unwrap();
        payload.set_func_args(Json(Some(args.to_owned()))).unwrap();
        let report = run(&module);
        (report.lowered == 1).then(|| maps(&module).0).ok_or_else(|| report.diagnostics[0].message.clone())
    };
    assert_eq!(bound(r#"{"b":"q","a":"p"}"#).unwrap(), r#"{"a":"p","b":"q"}"#);
    assert_eq!(bound(r#"{"second":"q","first":"p"}"#).unwrap(), r#"{"a":"q","b":"p"}"#);
    let text = "The carrier does not bind the tensors of the kernel: 1 inputs for 2";
    assert_eq!(bound(r#"{"a":"p"}"#).unwrap_err(), text);
    assert!(bound("[]").unwrap_err().starts_with("The carrier does not bind the tensors of the kernel: "));
}

#[test]
fn a_document_gives_the_function_of_the_core() {
    let document = {
        let inner = Module::new().unwrap();
        for (name, blocks) in [("core0", 1), ("core1", 2)] {
            let function = inner.add_function(name, Place::End).unwrap().object;
            for (tensor, kind) in [("p", TensorKind::Input), ("q", TensorKind::Input), ("r", TensorKind::Output)] {
                let set = function.add_set(&format!("{tensor}_set"), kind, Dtype::float32, Place::End).unwrap();
                set.add_location(tensor, MemoryType::DRAM, Place::End).unwrap();
            }
            for block in 0..blocks {
                let block = function.add_block(&format!("b{block}"), Place::End).unwrap().object;
                block.add_instruction(InstructionType::NoOp, "I", Place::End).unwrap();
            }
        }
        let mut bytes = Vec::new();
        write_json(&inner, &mut bytes, &WriteOptions::default()).unwrap();
        String::from_utf8(bytes).unwrap()
    };
    for (core, name, blocks) in [(None, "core0", 1), (Some(1), "core1", 2)] {
        let module = module("bir", &document);
        let report = lower_carriers(&module, &LowerOptions { core_id: core, ..LowerOptions::default() }).unwrap();
        assert_eq!(report.lowered, 1, "{:?}", report.diagnostics);
        let function = call(&module).as_nki_kernel().unwrap().func().unwrap().unwrap();
        assert_eq!((function.name().to_string(), function.block_count()), (name.to_owned(), blocks));
        assert_eq!(maps(&module), (r#"{"p":"x","q":"y"}"#.to_owned(), r#"{"r":"z"}"#.to_owned()));
        round_trip(&module);
    }
    let module = module("bir", &document);
    let report = lower_carriers(&module, &LowerOptions { core_id: Some(2), ..LowerOptions::default() }).unwrap();
    assert_eq!((report.lowered, report.diagnostics[0].id), (0, "carrier_function"));
    assert_eq!(report.diagnostics[0].message, "The kernel's document has no function 2");
}

/// A carrier that cannot be lowered stays as it is, and nothing else is left behind.
#[test]
fn broken_carriers_stay() {
    let broken = |format: &str, binary: &str, id: &str, text: &str| {
        let module = module(format, binary);
        let report = run(&module);
        assert_eq!((report.lowered, report.refused), (0, 1), "{id}");
        let finding = &report.diagnostics[0];
        assert!(finding.id == id && finding.message.contains(text), "{finding}");
        assert_eq!(call(&module).opcode().unwrap(), InstructionType::NKIKLIRKernel);
        assert_eq!(module.nki_functions().count(), 0);
        report
    };
    let good = kernel("01_load_add_store");
    broken("klr", "", "carrier_binary", "neither KLR");
    broken("klr", "no kernel", "carrier_binary", "neither KLR");
    broken("klr", &base64(&good[..good.len() / 2]), "carrier_binary", "(byte ");
    broken("bir", "{", "carrier_binary", "(line 1");
    broken("klr", &base64(&kernel("19_contents_kernel")), "wrong_contents", "Wrong KLIR content type");
    let mut old = good.clone();
    old[6] = 11;
    broken("klr", &base64(&old), "wrong_version", "Wrong KLR version");
    let report = broken("klr", &base64(&kernel("17_no_lowering")), "op_kind", "Unsupported operator 1");
    assert_eq!(report.diagnostics.len(), 17);
    assert_eq!(report.diagnostics[0].kernel, "no_lowering");
    let report = broken("klr", &base64(&kernel("14_two_cores_constants_edges")), "core_id_unset", "2 bodies");
    assert_eq!(report.diagnostics.len(), 1);

    let other = module("klr", &base64(&good));
    call(&other).as_nkiklir_kernel().unwrap().set_nki_binary_version_identifier("2.0.0").unwrap();
    let report = run(&other);
    assert_eq!(
        report.diagnostics[0].to_string(),
        "kernel call, block Block1, statement call (NKIKLIRKernel): The binary version is 2.0.0, not 1.0.0"
    );
}

#[test]
fn formal_tensors_on_chip_need_addresses() {
    let bytes = kernel("01_load_add_store");
    let arena = Arena::new();
    let mut file = decode(&bytes, &arena, &DecodeOptions::default()).unwrap();
    let mut kernel = *file.lnc().unwrap();
    let mut tensor = kernel.inputs[0];
    tensor.address.memory = bir_core::enums::klr::Memory::sbuf;
    let inputs = [tensor, kernel.inputs[1]];
    kernel.inputs = &inputs;
    file.contents = bir_core::klr::ast::Contents::Lnc(&kernel);
    let mut changed = Vec::new();
    encode(&file, &mut changed, &EncodeOptions::default()).unwrap();
    let report = run(&module("klr", &base64(&changed)));
    let [finding] = &report.diagnostics[..] else { panic!("{:?}", report.diagnostics) };
    assert_eq!((finding.id, report.refused), ("not_allocated", 1));
    assert_eq!(finding.message, "The on-chip tensor a has no address: both offsets are needed");
}

#[test]
fn a_module_without_carriers_stays() {
    let module = Module::new().unwrap();
    let report = run(&module);
    assert_eq!((report.lowered, report.refused, report.dropped), (0, 0, 0));
}
