//! Identity at its borders: the last id, objects with no way to the counter, and lookups after parts went and came back.
mod ir_common;
use bir_core::enums::bir::{DMAQueueType, Dtype, InstructionType as Op, MemoryType, TensorKind};
use bir_core::ir::{IdObject, Module, ModuleRef, OperandList, OperandSpec, Place};
use bir_core::{ErrorCode, Result};
use ir_common::raw::Raw;
use ir_common::*;

/// Each way to make an object that takes an id, on the sample.
type Make = fn(&ModuleRef) -> Result<i32>;
const MAKERS: &[(&str, Make)] = &[
    ("function", |m| Ok(m.add_function("new", Place::End)?.unique_id())),
    ("nki function", |m| Ok(m.nki_holder()?.add_function("new", Place::End)?.unique_id())),
    ("queue", |m| Ok(m.add_queue("new", DMAQueueType::data, Place::End)?.unique_id())),
    ("block", |m| Ok(function(m, "main").add_block("new", Place::End)?.unique_id())),
    ("loop block", |m| Ok(inst(m, "loop").block_holder().unwrap().add_block("new", Place::End)?.unique_id())),
    ("queue block", |m| Ok(queue(m, "q").add_block("new", Place::End)?.unique_id())),
    ("instruction", |m| Ok(block(m, "b1").add_instruction(Op::NoOp, "new", Place::End)?.unique_id())),
    ("nested instruction", |m| Ok(block(m, "body").add_instruction(Op::NoOp, "new", Place::End)?.unique_id())),
    ("queue instruction", |m| {
        Ok(queue(m, "q").find_block("qb").unwrap().add_instruction(Op::DMABlock, "new", Place::End)?.unique_id())
    }),
    ("set", |m| {
        Ok(function(m, "main").add_set("new", TensorKind::Internal, Dtype::int8, Place::End)?.storage().unique_id())
    }),
    ("register", |m| Ok(function(m, "main").add_register("new", Place::End)?.storage().unique_id())),
    ("location", |m| Ok(set(m, "x_set").add_location("new", MemoryType::SB, Place::End)?.unique_id())),
    ("operand", |m| {
        let spec = OperandSpec::Immediate { dtype: Dtype::int8, bits: 1 };
        Ok(inst(m, "inner").add_operand(OperandList::Ins, &spec, Place::End)?.unique_id())
    }),
];

fn set_counter(m: &ModuleRef, value: u32) {
    Raw::of(m).field("Module", "next_unique_id").write_u32(value);
    assert_eq!(m.next_unique_id(), value);
}

#[test]
fn each_object_takes_one_id() -> Result<()> {
    for (name, make) in MAKERS {
        let module = sample()?;
        let before = module.next_unique_id();
        assert_eq!(make(&module)?, before as i32, "{name}");
        assert_eq!(module.next_unique_id(), before + 1, "{name}");
    }
    // Block arguments take none, nor do names, edges and expressions.
    let module = sample()?;
    let before = module.next_unique_id();
    block(&module, "b1").add_argument("new", Place::End)?;
    expression(&module)?;
    assert_eq!(module.next_unique_id(), before);
    assert_eq!(Module::new()?.next_unique_id(), 0);
    Ok(())
}

#[test]
fn the_counter_ends_after_the_largest_signed_number() -> Result<()> {
    for (name, make) in MAKERS {
        let module = sample()?;
        set_counter(&module, i32::MAX as u32);
        assert_eq!(make(&module)?, i32::MAX, "{name}");
        assert!(module.find_by_id(i32::MAX)?.is_some(), "{name}");
        let before = dump(&module);
        for end in [i32::MAX as u32 + 1, u32::MAX] {
            set_counter(&module, end);
            for (name, make) in MAKERS {
                assert_eq!(make(&module).unwrap_err().code, ErrorCode::IdExhausted, "{name}");
                assert_eq!(module.next_unique_id(), end);
            }
        }
        set_counter(&module, i32::MAX as u32 + 1);
        assert_eq!(dump(&module), before, "{name}");
    }
    Ok(())
}

/// Below each kind of unlinked owner, whatever needs an id is refused and changes nothing, at any depth; put back, it works.
#[test]
fn no_ids_outside_a_module() -> Result<()> {
    let nested = ["nested instruction", "operand"];
    let in_loop = ["loop block", "nested instruction", "operand"];
    let in_block = ["instruction", "loop block", "nested instruction", "operand"];
    let everything =
        ["block", "instruction", "loop block", "nested instruction", "operand", "set", "register", "location"];
    // Objects are found by name before they are unlinked, so each case holds on to them.
    for (what, names) in [
        ("function", &everything[..]),
        ("block", &in_block),
        ("loop", &in_loop),
        ("body", &nested),
        ("set", &["location"]),
        ("inner", &["operand"]),
        ("queue", &["queue block", "queue instruction"]),
        ("queue block", &["queue instruction"]),
    ] {
        let m = sample()?;
        let main = function(&m, "main");
        let (b1, body, l, inner) = (block(&m, "b1"), block(&m, "body"), inst(&m, "loop"), inst(&m, "inner"));
        let (q, s) = (queue(&m, "q"), set(&m, "x_set"));
        let qb = q.find_block("qb").unwrap();
        let make = |name: &str| -> Result<i32> {
            Ok(match name {
                "block" => main.add_block("new", Place::End)?.unique_id(),
                "instruction" => b1.add_instruction(Op::NoOp, "new", Place::End)?.unique_id(),
                "loop block" => l.block_holder().unwrap().add_block("new", Place::End)?.unique_id(),
                "nested instruction" => body.add_instruction(Op::NoOp, "new", Place::End)?.unique_id(),
                "operand" => {
                    let spec = OperandSpec::Immediate { dtype: Dtype::int8, bits: 1 };
                    inner.add_operand(OperandList::Ins, &spec, Place::End)?.unique_id()
                }
                "set" => main.add_set("new", TensorKind::Internal, Dtype::int8, Place::End)?.storage().unique_id(),
                "register" => main.add_register("new", Place::End)?.storage().unique_id(),
                "location" => s.add_location("new", MemoryType::SB, Place::End)?.unique_id(),
                "queue block" => q.add_block("new", Place::End)?.unique_id(),
                "queue instruction" => qb.add_instruction(Op::DMABlock, "new", Place::End)?.unique_id(),
                _ => unreachable!(),
            })
        };
        let (unlink, back): (&dyn Fn() -> Result<()>, &dyn Fn() -> Result<bool>) = match what {
            "function" => (&|| main.unlink(), &|| main.move_to(m.function_holder(), Place::Start)),
            "block" => (&|| b1.unlink(), &|| b1.move_to(main.block_holder(), Place::Start)),
            "loop" => (&|| l.unlink(), &|| l.move_to(b1, Place::After(inst(&m, "copy")))),
            "body" => (&|| body.unlink(), &|| body.move_to(l.block_holder().unwrap(), Place::End)),
            "set" => (&|| s.unlink(), &|| s.storage().move_to(main, Place::Start)),
            "inner" => (&|| inner.unlink(), &|| inner.move_to(body, Place::End)),
            "queue" => (&|| q.unlink(), &|| q.move_to(Place::Start)),
            _ => (&|| qb.unlink(), &|| qb.move_to(q.block_holder(), Place::End)),
        };
        let before = dump(&m);
        unlink()?;
        let unlinked = dump(&m);
        for name in names {
            let error = make(name).unwrap_err();
            assert_eq!(error.code, ErrorCode::Detached, "{name} below an unlinked {what}");
            assert!(error.message.contains("outside a module"), "{error}");
        }
        assert_eq!(dump(&m), unlinked);
        assert!(!back()?);
        assert_eq!(dump(&m), before, "{what} put back");
        for name in names {
            let id = make(name)?;
            assert!(m.find_by_id(id)?.is_some(), "{name}");
        }
    }
    Ok(())
}

/// The id table is built by the first lookup, from what is attached then. What comes back later must be found all the same.
#[test]
fn what_was_outside_at_the_first_lookup_is_found_when_it_is_back() -> Result<()> {
    for built_before in [false, true] {
        let m = sample()?;
        let (main, l, inner) = (function(&m, "main"), inst(&m, "loop"), inst(&m, "inner"));
        let b1 = block(&m, "b1");
        let operand = inst(&m, "mixed").operand(OperandList::Ins, 0).unwrap();
        if built_before {
            assert!(m.find_by_id(inner.unique_id())?.is_some());
        }
        l.unlink()?;
        assert!(m.find_by_id(inner.unique_id())?.is_none());
        // An operand that moves to an instruction outside is outside, too.
        operand.move_to(inner, OperandList::Ins, Place::End)?;
        assert!(m.find_by_id(operand.unique_id())?.is_none());
        l.move_to(b1, Place::Start)?;
        assert!(matches!(m.find_by_id(inner.unique_id())?, Some(IdObject::Instruction(i)) if std::ptr::eq(i, inner)));
        assert!(matches!(m.find_by_id(operand.unique_id())?, Some(IdObject::Argument(a)) if std::ptr::eq(a, operand)));
        main.unlink()?;
        assert!(m.find_by_id(l.unique_id())?.is_none());
        main.move_to(m.nki_holder()?, Place::End)?;
        assert!(m.find_by_id(l.unique_id())?.is_some());
    }
    // An operand leaves an instruction that was outside when the table was built.
    let m = sample()?;
    let mixed = inst(&m, "mixed");
    let operand = mixed.operand(OperandList::Ins, 0).unwrap();
    mixed.unlink()?;
    assert!(m.find_by_id(operand.unique_id())?.is_none());
    operand.move_to(inst(&m, "copy"), OperandList::Ins, Place::End)?;
    assert!(m.find_by_id(operand.unique_id())?.is_some());
    Ok(())
}
