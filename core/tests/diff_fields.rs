//! Each field of each opcode, changed by itself, is one change: that field of that instruction.

mod changed;
mod fields;

use bir_core::Result;
use bir_core::enums::bir::InstructionType as Op;
use bir_core::ir::{Instruction, Module, Place};
use bir_core::op::{Field, OpcodeInfo, Slot, Value};
use changed::{changes, mirrored};
use fields::Fixture;

/// A module with one instruction of the opcode between two others.
fn between<'m>(module: &'m Module, opcode: Op) -> Result<(Fixture<'m>, &'m Instruction)> {
    let fixture = Fixture::new(module)?;
    fixture.block.add_instruction(Op::NoOp, "before", Place::End)?;
    let instruction = fixture.block.add_instruction(opcode, "it", Place::End)?.object;
    fixture.block.add_instruction(Op::NoOp, "behind", Place::End)?;
    Ok((fixture, instruction))
}

/// In how many places a value differs from the default: lists are told by element.
fn places(field: &Field, value: &Value<'_>) -> usize {
    match (field.slot, value) {
        // Its second number is the default.
        (Slot::MaybePair(_), _) => 2,
        (_, Value::List(items)) => items.len(),
        _ => 1,
    }
}

#[test]
fn each_field_of_each_opcode() -> Result<()> {
    let mut checked = 0;
    for opcode in Op::MEMBERS {
        for field in OpcodeInfo::of(*opcode).fields {
            for affine in [false, true] {
                let (a, b) = (Module::new()?, Module::new()?);
                between(&a, *opcode)?;
                let (fixture, instruction) = between(&b, *opcode)?;
                let Some(value) = fixture.other_value(field, affine)? else { continue };
                instruction.set_field(field, &value)?;
                let found = changes(&a, &b);
                let start = format!("changed functions[0].blocks[0].instructions[1].{}", field.key);
                let is_of_it = |line: &String| {
                    line.strip_prefix(&start).is_some_and(|rest| rest.starts_with(": ") || rest.starts_with('['))
                };
                assert!(found.iter().all(is_of_it), "{}.{}: {found:#?}", opcode.name(), field.key);
                assert_eq!(found.len(), places(field, &value), "{}.{}: {found:#?}", opcode.name(), field.key);
                mirrored(&a, &b);
                checked += 1;
            }
        }
    }
    assert!(checked > 600, "{checked}");
    Ok(())
}
