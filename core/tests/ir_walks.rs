//! Walks: over lists that change under the walker, over loops nested deeper than a stack, over long edge sets and over
//! expressions with more paths than time.
mod ir_common;
use bir_core::enums::bir::{Dtype, EdgeKind, InstructionType as Op, MemoryType, TensorKind};
use bir_core::ir::{
    AffinePredicate, BasicBlock, EdgeSet, Function, IdObject, Instruction, Module, OperandList, OperandSpec, Place,
};
use bir_core::{ErrorCode, Result};
use ir_common::*;
use proptest::prelude::*;
use std::collections::BTreeMap;

fn fill(count: usize) -> Result<Module> {
    let m = Module::new()?;
    let main = m.add_function("main", Place::End)?.object;
    let b = main.add_block("b", Place::End)?.object;
    main.add_block("c", Place::End)?.add_instruction(Op::NoOp, "c0", Place::End)?;
    for i in 0..count {
        b.add_instruction(Op::NoOp, &format!("i{i}"), Place::End)?;
    }
    Ok(m)
}

/// What a walker does to the list when it meets an element.
#[derive(Clone, Copy, Debug)]
enum Act {
    Nothing,
    EraseThis,
    EraseNext,
    ErasePrev,
    EraseLast,
    MoveThisAway,
    MoveNextAway,
    MoveThisToEnd,
    MoveThisToStart,
    MoveNextToEnd,
    MoveNextToStart,
    Insert,
    UnlinkNextAndBack,
    EraseBlock,
}

const ACTS: &[Act] = &[
    Act::Nothing,
    Act::EraseThis,
    Act::EraseNext,
    Act::ErasePrev,
    Act::EraseLast,
    Act::MoveThisAway,
    Act::MoveNextAway,
    Act::MoveThisToEnd,
    Act::MoveThisToStart,
    Act::MoveNextToEnd,
    Act::MoveNextToStart,
    Act::Insert,
    Act::UnlinkNextAndBack,
    Act::EraseBlock,
];

fn act(i: &Instruction, b: &BasicBlock, away: &BasicBlock, act: Act) -> Result<()> {
    let not_this = |o: Option<&'_ Instruction>| o.filter(|o| !std::ptr::eq(*o, i)).map(Instruction::unique_id);
    let by_id = |id: i32| b.instructions().find(|x| x.unique_id() == id);
    match act {
        Act::Nothing => {}
        Act::EraseThis => i.erase()?,
        Act::EraseNext => i.next().map_or(Ok(()), Instruction::erase)?,
        Act::ErasePrev => i.prev().map_or(Ok(()), Instruction::erase)?,
        Act::EraseLast => not_this(b.instructions().next_back()).and_then(by_id).map_or(Ok(()), Instruction::erase)?,
        Act::MoveThisAway => drop(i.move_to(away, Place::End)?),
        Act::MoveNextAway => drop(i.next().map(|n| n.move_to(away, Place::Start)).transpose()?),
        Act::MoveThisToEnd => drop(i.move_to(b, Place::End)?),
        Act::MoveThisToStart => drop(i.move_to(b, Place::Start)?),
        Act::MoveNextToEnd => drop(i.next().map(|n| n.move_to(b, Place::End)).transpose()?),
        Act::MoveNextToStart => drop(i.next().map(|n| n.move_to(b, Place::Start)).transpose()?),
        Act::Insert => {
            b.add_instruction(Op::NoOp, "new", Place::After(i))?;
        }
        Act::UnlinkNextAndBack => {
            if let Some(n) = i.next() {
                n.unlink()?;
                n.move_to(b, Place::After(i))?;
            }
        }
        Act::EraseBlock => b.erase()?,
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

    /// Whatever happens to a list during a walk, the walk ends, yields only what is in the list at that moment, and each
    /// element at most once per time that it was put somewhere.
    #[test]
    fn lists_may_change_under_the_walker(
        acts in prop::collection::vec((prop::sample::select(ACTS), any::<bool>()), 1..30),
        count in 0_usize..8,
        whole_function in any::<bool>(),
    ) {
        let m = fill(count).unwrap();
        let main = m.find_function("main").unwrap();
        let (b, away) = (main.find_block("b").unwrap(), main.find_block("c").unwrap());
        let mut acts = acts.into_iter();
        let mut steps = 0;
        if whole_function {
            for i in main.instructions() {
                steps += 1;
                prop_assert!(!i.is_erased() && i.function().is_some_and(|f| std::ptr::eq(f, main)));
                let Some((what, _)) = acts.next() else { break };
                if i.block().is_some_and(|o| std::ptr::eq(o, b)) {
                    act(i, b, away, what).unwrap();
                }
            }
        } else {
            let mut walk = b.instructions();
            for (what, back) in acts {
                let Some(i) = (if back { walk.next_back() } else { walk.next() }) else { break };
                steps += 1;
                prop_assert!(!i.is_erased() && i.block().is_some_and(|o| std::ptr::eq(o, b)));
                act(i, b, away, what).unwrap();
            }
            // What is left of the walk ends by itself.
            prop_assert!(walk.count() <= b.instruction_count());
        }
        prop_assert!(steps <= 30);
        // The lists are whole afterwards.
        let forward: Vec<i32> = b.instructions().map(Instruction::unique_id).collect();
        let mut backward: Vec<i32> = b.instructions().rev().map(Instruction::unique_id).collect();
        backward.reverse();
        prop_assert_eq!(forward.len(), b.instruction_count());
        prop_assert_eq!(forward, backward);
    }

    /// Long edge sets keep order, kinds and mirrors, with index and without.
    #[test]
    fn long_edge_sets_agree_with_a_map(
        edits in prop::collection::vec((0_usize..150, 0_u8..4, prop::bool::weighted(0.8), any::<bool>()), 200..700),
    ) {
        let m = fill(151).unwrap();
        let b = m.find_function("main").unwrap().find_block("b").unwrap();
        let all: Vec<&Instruction> = b.instructions().collect();
        let hub = all[150];
        let kinds = [EdgeKind::Ordered, EdgeKind::Anti, EdgeKind::Output, EdgeKind::Flow];
        let mut model: [BTreeMap<i32, u8>; 2] = Default::default();
        for (other, kind, add, outward) in edits {
            let (from, to) = if outward { (hub, all[other]) } else { (all[other], hub) };
            let map = &mut model[usize::from(outward)];
            if add {
                let new = from.add_dependency(to, kinds[usize::from(kind)], EdgeSet::Normal).unwrap();
                prop_assert_eq!(new, !map.contains_key(&(other as i32)));
                let entry = map.entry(other as i32).or_default();
                *entry = (*entry).max(kinds[usize::from(kind)].ordinal() as u8);
            } else {
                let removed = from.remove_dependency(to, EdgeSet::Normal).unwrap();
                prop_assert_eq!(removed, map.remove(&(other as i32)).is_some());
            }
        }
        let number = |i: &Instruction| all.iter().position(|x| std::ptr::eq(*x, i)).unwrap() as i32;
        let out: Vec<(i32, u8)> =
            hub.dependencies(EdgeSet::Normal).map(|e| (number(e.target), e.kind.ordinal() as u8)).collect();
        let back: Vec<(i32, u8)> =
            hub.descendents(EdgeSet::Normal).map(|e| (number(e.target), e.kind.ordinal() as u8)).collect();
        prop_assert_eq!(out, model[1].clone().into_iter().collect::<Vec<_>>());
        prop_assert_eq!(back, model[0].clone().into_iter().collect::<Vec<_>>());
        for (i, other) in all[..150].iter().enumerate() {
            let kind = hub.dependency_kind(other, EdgeSet::Normal).map(|k| k.ordinal() as u8);
            prop_assert_eq!(kind, model[1].get(&(i as i32)).copied());
        }
        hub.erase().unwrap();
        for i in &all[..150] {
            prop_assert_eq!(i.dependency_count(EdgeSet::Normal) + i.descendent_count(EdgeSet::Normal), 0);
        }
    }
}

#[test]
fn edges_operands_users_and_arguments_may_change_under_the_walker() -> Result<()> {
    // Edges: an edge that was removed meanwhile is not met again, however many go.
    for (this, next) in [(true, false), (false, true), (true, true)] {
        let m = fill(10)?;
        let all: Vec<&Instruction> = m.find_function("main").unwrap().find_block("b").unwrap().instructions().collect();
        for i in 0..9 {
            all[9].add_dependency(all[i], EdgeKind::Flow, EdgeSet::Normal)?;
        }
        let mut met = vec![];
        for edge in all[9].dependencies(EdgeSet::Normal) {
            let id = edge.target.unique_id();
            assert!(all[9].dependency_kind(edge.target, EdgeSet::Normal).is_some(), "{id} was removed");
            met.push(id);
            let after = edge.target.next();
            if this {
                all[9].remove_dependency(edge.target, EdgeSet::Normal)?;
            }
            if let Some(after) = after.filter(|_| next) {
                let _ = all[9].remove_dependency(after, EdgeSet::Normal)?;
            }
        }
        assert!(met.is_sorted() && met.len() <= 9);
        // Adding while walking: the walk sees what lies ahead, and ends.
        for (count, edge) in all[9].descendents(EdgeSet::LoopCarried).enumerate() {
            assert!(count < 10, "{edge:?}");
        }
    }
    // Operands and the users of a storage.
    let m = fill(2)?;
    let main = m.find_function("main").unwrap();
    let set = main.add_set("s", TensorKind::Internal, Dtype::float32, Place::End)?.object;
    let location = set.add_location("l", MemoryType::SB, Place::End)?.object;
    let i = main.find_block("b").unwrap().instructions().next().unwrap();
    let spec = OperandSpec::Physical { location, dtype: Dtype::float32, pattern: &pairs(1), offset: 0 };
    for erase_next in [false, true] {
        for _ in 0..5 {
            i.add_operand(OperandList::Ins, &spec, Place::End)?;
        }
        for operand in i.ins() {
            assert!(!operand.is_erased());
            if erase_next { operand.next().map_or(Ok(()), |o| o.erase())? } else { operand.erase()? }
        }
        for operand in i.ins() {
            operand.move_to(i, OperandList::Outs, Place::Start)?;
        }
        for operand in location.base().writers() {
            operand.erase()?;
        }
        while let Some(operand) = location.base().writers().next() {
            operand.erase()?;
        }
        assert_eq!(i.ins().count() + i.outs().count() + location.base().reader_count(), 0);
    }
    // Block arguments.
    let b = main.find_block("b").unwrap();
    for _ in 0..5 {
        b.add_argument("a", Place::End)?;
    }
    let mut met = 0;
    for argument in b.arguments() {
        met += 1;
        argument.erase()?;
    }
    assert_eq!((met, b.argument_count()), (5, 0));
    let (one, two) = (b.add_argument("a", Place::End)?, b.add_argument("b", Place::End)?);
    assert_eq!(
        b.arguments()
            .inspect(|a| if std::ptr::eq(*a, one) {
                two.erase().unwrap()
            })
            .count(),
        1
    );
    Ok(())
}

/// Loops within loops, `depth` of them, in an owner's block; returns the innermost block.
fn nest(mut block: &BasicBlock, depth: usize) -> Result<&BasicBlock> {
    for _ in 0..depth {
        let l = block.add_instruction(Op::Loop, "l", Place::End)?.object;
        block.add_instruction(Op::NoOp, "n", Place::End)?;
        block = l.block_holder().unwrap_or_else(|| unreachable!()).add_block("body", Place::End)?.object;
    }
    Ok(block)
}

fn deep(depth: usize) -> Result<()> {
    let m = Module::new()?;
    let main: &Function = m.add_function("main", Place::End)?.object;
    let outer = main.add_block("b", Place::End)?.object;
    let inner = nest(outer, depth)?;
    let last = inner.add_instruction(Op::NoOp, "last", Place::End)?.object;
    let spec = OperandSpec::Immediate { dtype: Dtype::int8, bits: 0 };
    let operand = last.add_operand(OperandList::Ins, &spec, Place::End)?;
    assert!(std::ptr::eq(main.find_instruction("last").unwrap(), last));
    assert!(std::ptr::eq(inner.function().unwrap(), main));
    assert!(std::ptr::eq(last.function().unwrap(), main));
    assert_eq!(main.instructions().count(), 2 * depth + 1);
    assert!(main.find_instruction("none").is_none() && main.block_holder().find_block_below("none").is_none());
    assert!(inner.holder().unwrap().find_block_outward("b").is_some());
    assert!(inner.find_instruction_outward("none").is_none() && last.find_axis_outward("none").is_none());
    assert!(matches!(m.find_by_id(operand.unique_id())?, Some(IdObject::Argument(_))));
    assert_eq!(last.path().matches("blocks[0]").count(), depth + 1);
    // A loop cannot go into itself, however deep.
    let l = outer.find_instruction("l").unwrap();
    assert!(l.move_to(inner, Place::End).is_err() && outer.move_to(inner.holder().unwrap(), Place::End).is_err());
    // Out, and back elsewhere: nothing below needs a visit.
    l.unlink()?;
    assert!(last.function().is_none() && m.find_by_id(last.unique_id())?.is_none());
    let q = m.add_queue("q", bir_core::enums::bir::DMAQueueType::data, Place::End)?.object;
    let qb = q.add_block("qb", Place::End)?.object;
    l.move_to(qb, Place::End)?;
    assert!(m.find_by_id(last.unique_id())?.is_some() && last.function().is_none());
    l.move_to(outer, Place::End)?;
    // Each way to erase it goes down all the way.
    let check = |erase: &dyn Fn() -> Result<()>, last: &Instruction| -> Result<()> {
        erase()?;
        assert!(last.is_erased());
        Ok(())
    };
    check(&|| l.erase(), last)?;
    assert_eq!(main.instructions().count(), 1);
    let b2 = main.add_block("b2", Place::End)?.object;
    let last = nest(b2, depth)?.add_instruction(Op::NoOp, "last", Place::End)?.object;
    check(&|| b2.erase(), last)?;
    let last = nest(qb, depth)?.add_instruction(Op::NoOp, "last", Place::End)?.object;
    check(&|| q.erase(), last)?;
    let last = nest(outer, depth)?.add_instruction(Op::NoOp, "last", Place::End)?.object;
    check(&|| main.erase(), last)?;
    assert_eq!((m.function_count(), m.queue_count()), (0, 0));
    Ok(())
}

#[test]
fn loops_may_nest_deeper_than_the_stack() {
    // So little stack that one frame per level would not fit.
    let thread = std::thread::Builder::new().stack_size(64 << 10).spawn(|| deep(1500)).unwrap();
    thread.join().unwrap().unwrap();
}

/// Each node is twice an operand of the next: 2^60 paths, 60 nodes.
#[test]
fn shared_nodes_count_once() -> Result<()> {
    let m = sample()?;
    let mut root = m.axis_value(inst(&m, "loop").axis().unwrap())?;
    for _ in 0..60 {
        root = m.sum(&[root, root])?;
    }
    let e = m.expression(root)?;
    assert!(std::ptr::eq(e.root().unwrap(), root));
    inst(&m, "bare").set_order(&[e])?;
    // A chain as deep as it is long.
    for _ in 0..100_000 {
        root = m.affine(&[(root, 1)], 1)?;
    }
    assert!(!m.expression(root)?.is_none());
    Ok(())
}

/// Predicates have two comparisons; another number is refused before anything changes.
#[test]
fn unknown_comparisons_are_refused() -> Result<()> {
    let m = sample()?;
    let (expr, bare) = (inst(&m, "inner").order().next().unwrap(), inst(&m, "bare"));
    let predicate = |op| AffinePredicate { expr, op };
    bare.set_predicates(&[predicate(0), predicate(1)])?;
    let before = dump(&m);
    assert_eq!(bare.set_predicates(&[predicate(1), predicate(2)]).unwrap_err().code, ErrorCode::BadValue);
    let unroll = bare.add_unroll_dependency(inst(&m, "copy"), EdgeKind::Flow, &[], &[predicate(u32::MAX)]);
    assert_eq!(unroll.unwrap_err().code, ErrorCode::BadValue);
    assert_eq!(dump(&m), before);
    Ok(())
}
