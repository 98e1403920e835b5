//! Structural comparison: every single change is found, at its path; what no document could tell makes no difference.

// The list of changes takes a function of one type for all.
#![allow(clippy::type_complexity)]

mod rich;

use bir_core::Result;
use bir_core::enums::bir::{ArchLevel, EdgeKind, EngineType, InstructionType as Op};
use bir_core::ir::{EdgeSet, ExprKind, Module, OperandList, Place, difference};
use rich::changes::{BODY, CHANGES, at, block, find, main_of, operand};
use rich::rich;

#[test]
fn every_single_change_is_found_at_its_path() -> Result<()> {
    let module = rich()?;
    for (number, (path, change)) in CHANGES.iter().enumerate() {
        let clone = module.clone_module()?;
        assert_eq!(difference(&module, &clone), None);
        change(&clone)?;
        let expected = path.strip_prefix("L0.").map_or(path.to_string(), |rest| format!("{BODY}.{rest}"));
        let found =
            difference(&module, &clone).unwrap_or_else(|| panic!("change {number} at {expected} was not found"));
        assert_eq!(found.path, expected, "change {number}: {found}");
        assert_ne!(found.left, found.right, "change {number}: {found}");
        let back = difference(&clone, &module).expect("differences go both ways");
        assert_eq!((&back.path, &back.left, &back.right), (&found.path, &found.right, &found.left), "change {number}");
        assert!(!module.structurally_equal(&clone));
    }
    assert!(CHANGES.len() > 100, "{}", CHANGES.len());
    Ok(())
}

#[test]
fn the_report_says_what_stands_there() -> Result<()> {
    let (module, clone) = (rich()?, rich()?);
    find(&clone, "I-4").set_engine(EngineType::DVE);
    let found = difference(&module, &clone).expect("another engine");
    assert_eq!(found.to_string(), "functions[0].blocks[1].instructions[0].engine: Pool here, DVE there");
    assert_eq!(found.what, "engine");
    let found = difference(find(&module, "I-4"), find(&clone, "I-4")).expect("another engine");
    assert_eq!(found.path, "engine");
    let clone = rich()?;
    find(&clone, "I-4").remove_dependency(find(&clone, "I-3"), EdgeSet::Normal)?;
    let found = difference(main_of(&module), main_of(&clone)).expect("an edge is gone");
    assert_eq!(found.path, "blocks[1].instructions[0].dependencies");
    assert_eq!((found.left.as_str(), found.right.as_str()), ("./entry/L0/L0_body/D0/D0_body/I-3 Flow", "(none)"));
    let clone = rich()?;
    block(&clone, "exit").erase()?;
    let found = difference(&module, &clone).expect("a block is gone");
    assert_eq!(
        (found.path.as_str(), found.left.as_str(), found.right.as_str()),
        ("functions[0].blocks[2]", "exit", "(none)")
    );
    Ok(())
}

#[test]
fn the_first_difference_in_program_order_counts() -> Result<()> {
    let (module, clone) = (rich()?, rich()?);
    let mut changes: Vec<(&str, fn(&Module))> = vec![
        ("queues[0].engine_id", |m| m.find_queue("q_dyn").expect("q_dyn").set_engine_id(9)),
        ("functions[0].blocks[1].instructions[0].engine_id", |m| find(m, "I-4").set_engine_id(9)),
        ("functions[0].blocks[0].instructions[1].blocks[0].instructions[2].engine_id", |m| {
            find(m, "D0").set_engine_id(9)
        }),
        ("functions[0].blocks[0].instructions[1].engine_id", |m| find(m, "L0").set_engine_id(9)),
        ("functions[0].allocations[0].partition_dim", |m| at(m, "x").set().expect("a set").set_partition_dim(9)),
        ("arch", |m| m.set_arch(ArchLevel::MEMBERS[0])),
    ];
    for (path, change) in changes.drain(..) {
        change(&clone);
        assert_eq!(difference(&module, &clone).expect("changed").path, path);
    }
    Ok(())
}

#[test]
fn ids_order_of_edges_and_sharing_make_no_difference() -> Result<()> {
    let build = |reverse: bool| -> Result<Module> {
        let module = Module::new()?;
        let block = module.add_function("main", Place::End)?.add_block("b", Place::End)?.object;
        let place = |reverse: bool| if reverse { Place::Start } else { Place::End };
        let names = ["a", "b", "c", "d"];
        if reverse {
            module.find_function("main").expect("main").add_register("gone", Place::End)?.erase()?;
            names.iter().rev().try_for_each(|n| block.add_instruction(Op::NoOp, n, place(true)).map(drop))?;
        } else {
            names.iter().try_for_each(|n| block.add_instruction(Op::NoOp, n, place(false)).map(drop))?;
        }
        let get = |n: &str| block.find_instruction(n).expect("made above");
        let mut targets = ["a", "b", "c"];
        if reverse {
            targets.reverse();
        }
        for target in targets {
            get("d").add_dependency(get(target), EdgeKind::Flow, EdgeSet::Normal)?;
        }
        let one = module.leaf(ExprKind::ShardIDKind, 4, 0)?;
        let two = if reverse { one } else { module.leaf(ExprKind::ShardIDKind, 4, 0)? };
        get("a").set_order(&[module.expression(module.sum(&[one, two])?)?])?;
        get("b").set_schedule(1, 1)?;
        get("b").set_schedule(0, 0)?;
        Ok(module)
    };
    assert_eq!(difference(&build(false)?, &build(true)?), None);
    Ok(())
}

#[test]
fn parts_compare_by_themselves() -> Result<()> {
    let (module, other) = (rich()?, rich()?);
    let (m, o) = (main_of(&module), main_of(&other));
    assert!(m.structurally_equal(o));
    assert!(m.sets().zip(o.sets()).all(|(a, b)| a.structurally_equal(b)));
    assert!(m.registers().zip(o.registers()).all(|(a, b)| a.structurally_equal(b)));
    assert!(
        at(&module, "x").structurally_equal(at(&other, "x")) && !at(&module, "x").structurally_equal(at(&other, "y"))
    );
    assert!(module.queues().zip(other.queues()).all(|(a, b)| a.structurally_equal(b)));
    assert!(m.blocks().zip(o.blocks()).all(|(a, b)| a.structurally_equal(b)));
    assert!(m.instructions().zip(o.instructions()).all(|(a, b)| a.structurally_equal(b)));
    let (a, b) = (operand(&module, "I-1", OperandList::Outs, 0), operand(&other, "I-1", OperandList::Outs, 0));
    assert!(a.structurally_equal(b));
    let (x, y) = (a.addrs().nth(1).expect("addrs"), b.addrs().nth(1).expect("addrs"));
    let (x, y) = (x.root().expect("an expression"), y.root().expect("an expression"));
    assert!(x.structurally_equal(y));
    assert_eq!(difference(x, y.terms().next().expect("a term").0).expect("another node").path, "kind");
    Ok(())
}
