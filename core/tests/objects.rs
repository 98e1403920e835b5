//! Objects of a module from the outside: names, places, ids, uses, edges.
use bir_core::enums::bir::{Dtype, EdgeKind, InstructionType as Op, MemoryType, TensorKind};
use bir_core::ir::{APPair, EdgeSet, IdObject, Module, OperandList, OperandSpec, Place};
use bir_core::{ErrorCode, Result};

#[test]
fn names_are_unique_and_ids_count_up() -> Result<()> {
    let module = Module::new()?;
    let main = module.add_function("main", Place::End)?.object;
    let block = main.add_block("Block1", Place::End)?.object;
    let names: Vec<String> = (0..4)
        .map(|_| block.add_instruction(Op::NoOp, "a", Place::End).map(|p| p.name().to_string()))
        .collect::<Result<_>>()?;
    assert_eq!(names, ["a", "a_1", "a_2", "a_3"]);
    assert_eq!(block.add_instruction(Op::NoOp, "a_1", Place::End)?.name(), "a_1_1");
    let second = block.find_instruction("a_2").unwrap();
    second.erase()?;
    assert_eq!(block.add_instruction(Op::NoOp, "a", Place::Start)?.name(), "a_2");
    assert_eq!((main.unique_id(), block.unique_id()), (0, 1));
    assert_eq!(module.next_unique_id(), 8);
    assert!(second.is_erased());
    assert_eq!(second.set_name("x").unwrap_err().code, ErrorCode::Detached);
    let order: Vec<String> = block.instructions().map(|i| i.name().to_string()).collect();
    assert_eq!(order, ["a_2", "a", "a_1", "a_3", "a_1_1"]);
    let back: Vec<String> = block.instructions().rev().map(|i| i.name().to_string()).collect();
    assert_eq!(back, ["a_1_1", "a_3", "a_1", "a", "a_2"]);
    Ok(())
}

#[test]
fn a_function_outside_a_module_gives_no_ids() -> Result<()> {
    let module = Module::new()?;
    let main = module.add_function("main", Place::End)?.object;
    main.unlink()?;
    assert_eq!(main.add_block("b", Place::End).unwrap_err().code, ErrorCode::Detached);
    assert!(module.find_function("main").is_none());
    main.move_to(module.function_holder(), Place::End)?;
    main.add_block("b", Place::End)?;
    Ok(())
}

#[test]
fn operands_enter_and_leave_use_lists() -> Result<()> {
    let module = Module::new()?;
    let main = module.add_function("main", Place::End)?.object;
    let block = main.add_block("b", Place::End)?.object;
    let set = main.add_set("x_set", TensorKind::Internal, Dtype::float32, Place::End)?.object;
    let x = set.add_location("x", MemoryType::SB, Place::End)?.object;
    let y = set.add_location("y", MemoryType::SB, Place::End)?.object;
    let i = block.add_instruction(Op::TensorCopy, "i", Place::End)?.object;
    let pattern = [APPair { step: 10, num: 10 }, APPair { step: 1, num: 10 }];
    let spec = OperandSpec::Physical { location: x, dtype: Dtype::float32, pattern: &pattern, offset: 0 };
    let read = i.add_operand(OperandList::Ins, &spec, Place::End)?;
    let write = i.add_operand(OperandList::Outs, &spec, Place::End)?;
    assert_eq!((x.base().reader_count(), x.base().writer_count()), (1, 1));
    assert_eq!(x.erase().unwrap_err().code, ErrorCode::StillReferenced);
    assert_eq!(x.base().replace_all_uses_with(y.base())?, 2);
    assert_eq!((x.base().reader_count(), y.base().reader_count(), y.base().writer_count()), (0, 1, 1));
    assert_eq!(read.memory_location().unwrap().name(), "y");
    write.move_to(i, OperandList::Ins, Place::Start)?;
    assert_eq!((y.base().reader_count(), y.base().writer_count()), (2, 0));
    assert!(matches!(module.find_by_id(read.unique_id())?, Some(IdObject::Argument(_))));
    i.erase()?;
    assert!(module.find_by_id(read.unique_id())?.is_none());
    assert_eq!(y.base().reader_count(), 0);
    y.erase()?;
    Ok(())
}

#[test]
fn edges_have_mirrors_and_share_the_schedule_until_written() -> Result<()> {
    let module = Module::new()?;
    let main = module.add_function("main", Place::End)?.object;
    let block = main.add_block("b", Place::End)?.object;
    let all: Vec<_> = (0..200)
        .map(|i| block.add_instruction(Op::NoOp, &format!("i{i}"), Place::End).map(|p| p.object))
        .collect::<Result<_>>()?;
    let last = all[199];
    assert!(last.shares_schedule());
    for i in (0..199).rev() {
        assert!(last.add_dependency(all[i], EdgeKind::Ordered, EdgeSet::Normal)?);
    }
    assert!(!last.add_dependency(all[7], EdgeKind::Flow, EdgeSet::Normal)?);
    assert!(!last.add_dependency(all[7], EdgeKind::Anti, EdgeSet::Normal)?);
    assert_eq!(last.dependency_kind(all[7], EdgeSet::Normal), Some(EdgeKind::Flow));
    assert_eq!(all[7].descendents(EdgeSet::Normal).next().unwrap().kind, EdgeKind::Flow);
    assert_eq!(last.dependency_count(EdgeSet::Normal), 199);
    let ids: Vec<i32> = last.dependencies(EdgeSet::Normal).map(|e| e.target.unique_id()).collect();
    assert!(ids.is_sorted());
    all[50].erase()?;
    assert_eq!(last.dependency_count(EdgeSet::Normal), 198);
    assert!(all[60].add_dependency(all[60], EdgeKind::Flow, EdgeSet::Normal).is_err());
    assert!(all[61].remove_dependency(all[60], EdgeSet::Normal).is_ok_and(|r| !r));
    assert!(last.remove_dependency(all[60], EdgeSet::Normal)?);
    assert_eq!(all[60].descendent_count(EdgeSet::Normal), 0);
    Ok(())
}
