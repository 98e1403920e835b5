//! A document as large as wanted: a chain of loads, computations and stores with their dependencies.

use bir_core::doc::{WriteOptions, write_json};
use bir_core::enums::bir::{Dtype, EdgeKind, EngineType, InstructionType, MemoryType, TensorKind};
use bir_core::ir::{APPair, EdgeSet, MemoryLocation, Module, OperandList, OperandSpec, Place};

/// The text of a module with that many instructions in blocks of 1000.
pub fn generate(instructions: usize) -> bir_core::Result<Vec<u8>> {
    let module = Module::new()?;
    let main = module.add_function("main", Place::End)?.object;
    let mut locations: Vec<&MemoryLocation> = Vec::new();
    for i in 0..200 {
        let kind = if i == 0 { TensorKind::ExternalInput } else { TensorKind::Internal };
        let set = main.add_set(&format!("t{i}_set"), kind, Dtype::bfloat16, Place::End)?.object;
        set.set_tensor_shape(&[128, 512])?;
        let location =
            set.add_location(&format!("t{i}"), if i % 7 == 0 { MemoryType::PSUM } else { MemoryType::SB }, Place::End)?;
        location.set_dims(&[128, 1024])?;
        location.set_addr(u64::from(i as u32) * 1024);
        location.set_tensor_id(0);
        location.set_allocated(true);
        locations.push(location.object);
    }
    let opcodes = [
        InstructionType::TensorCopy,
        InstructionType::TensorTensor,
        InstructionType::Activation,
        InstructionType::Matmult,
    ];
    let pattern = [APPair { step: 512, num: 128 }, APPair { step: 1, num: 512 }];
    let (mut block, mut previous) = (None, None);
    for i in 0..instructions {
        if i % 1000 == 0 {
            block = Some(main.add_block(&format!("Block{}", i / 1000), Place::End)?.object);
        }
        let Some(block) = block else { continue };
        let opcode = opcodes[i % opcodes.len()];
        let inst = block.add_instruction(opcode, &format!("I-{i}"), Place::End)?.object;
        inst.set_engine(EngineType::DVE);
        let operands = if opcode == InstructionType::TensorCopy { 1 } else { 2 };
        for o in 0..operands {
            let location = locations[(i * 7 + o * 13) % locations.len()];
            let spec = OperandSpec::Physical { location, dtype: Dtype::bfloat16, pattern: &pattern, offset: 0 };
            inst.add_operand(OperandList::Ins, &spec, Place::End)?;
        }
        let location = locations[(i * 11 + 5) % locations.len()];
        let spec = OperandSpec::Physical { location, dtype: Dtype::bfloat16, pattern: &pattern, offset: 0 };
        inst.add_operand(OperandList::Outs, &spec, Place::End)?;
        // Two of three instructions wait for the one before them.
        if let Some(previous) = previous.filter(|_| i % 3 != 0) {
            inst.add_dependency(previous, EdgeKind::Flow, EdgeSet::Normal)?;
        }
        previous = Some(inst);
    }
    let mut text = Vec::new();
    write_json(&module, &mut text, &WriteOptions::default())?;
    Ok(text)
}
