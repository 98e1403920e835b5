//! Clones: complete, independent of their source, and all or nothing.

mod rich;

use bir_core::enums::bir::{DMAQueueType, Dtype, EdgeKind, InstructionType as Op, MemoryType, TensorKind};
use bir_core::ir::{
    EdgeSet, ExprKind, Function, Instruction, Module, ModuleRef, OperandList, OperandSpec, Place, difference,
};
use bir_core::{ErrorCode, Result};
use rich::{dump, dump_function, rich};

fn main_of(module: &ModuleRef) -> &Function {
    module.find_function("main").expect("the module has a main")
}

fn find<'m>(module: &'m ModuleRef, name: &str) -> &'m Instruction {
    main_of(module).find_instruction(name).expect("main has that instruction")
}

#[test]
fn a_cloned_module_equals_its_source_and_outlives_it() -> Result<()> {
    let module = rich()?;
    let before = dump(&module);
    let clone = module.clone_module()?;
    assert_eq!(difference(&module, &clone), None);
    assert!(module.structurally_equal(&clone));
    assert_eq!(dump(&module), before, "the source is as it was");
    assert_eq!(main_of(&clone).unique_id(), 0, "ids count from 0 again");
    assert_eq!(clone.next_unique_id(), module.next_unique_id());
    let second = clone.clone_module()?;
    let text = dump(&clone);
    drop(module);
    assert_eq!(dump(&clone), text);
    assert_eq!(difference(&clone, &second), None, "nothing of the clone lay in its source");
    assert_eq!(dump(&second), text, "the same order of construction gives the same ids");
    // Changes of one are no changes of the other.
    main_of(&clone).erase().expect_err("the queue uses x");
    clone.find_queue("q_dyn").expect("cloned").erase()?;
    main_of(&clone).erase()?;
    assert_eq!(dump(&second), text);
    Ok(())
}

#[test]
fn nodes_shared_by_expressions_stay_shared() -> Result<()> {
    let module = rich()?;
    let clone = module.clone_module()?;
    for m in [&module, &clone] {
        let addrs: Vec<_> = find(m, "I-1").operand(OperandList::Outs, 0).expect("an operand").addrs().collect();
        let first = addrs[0].root().expect("an expression");
        let (in_sum, _) = addrs[1].root().expect("an expression").terms().next().expect("a term");
        assert!(std::ptr::eq(first, in_sum));
        assert!(std::ptr::eq(
            first.terms().next().expect("a term").0.axis().expect("an axis"),
            find(m, "L0").axis().expect("i")
        ));
    }
    Ok(())
}

#[test]
fn expressions_with_many_paths_are_cloned_and_compared_node_by_node() -> Result<()> {
    let module = Module::new()?;
    let block = module.add_function("main", Place::End)?.add_block("b", Place::End)?.object;
    let looped = block.add_instruction(Op::Loop, "L", Place::End)?.object;
    let mut node = module.axis_value(looped.set_loop_axis("i", 0, 4, 1)?)?;
    for _ in 0..70 {
        node = module.sum(&[node, node])?;
    }
    for _ in 0..20_000 {
        node = module.unary(ExprKind::MultKind, node, 2, 0)?;
    }
    looped.set_order(&[module.expression(node)?])?;
    let clone = module.clone_module()?;
    assert_eq!(difference(&module, &clone), None);
    let other = looped.clone_to(block, None, Place::End)?.object;
    other.set_name("other")?;
    assert_eq!(difference(looped, other).expect("another name").path, "name");
    Ok(())
}

#[test]
fn an_instruction_in_its_own_function_keeps_what_lies_outside() -> Result<()> {
    let module = rich()?;
    let copy = find(&module, "I-2");
    let x = main_of(&module).find_location("x").expect("x");
    let (readers, block) = (x.base().reader_count(), copy.block().expect("in a block"));
    let placed = copy.clone_to(block, None, Place::Before(copy))?;
    assert!(placed.renamed);
    assert_eq!(placed.name(), "I-2_1");
    assert_eq!(copy.prev().expect("the clone").name(), "I-2_1");
    assert_eq!(x.base().reader_count(), readers + 1);
    let edges: Vec<_> = placed.dependencies(EdgeSet::Normal).map(|e| (e.target.name().to_string(), e.kind)).collect();
    assert_eq!(edges, [("I-1".to_string(), EdgeKind::Flow)]);
    assert_eq!(find(&module, "I-1").descendent_count(EdgeSet::Normal), 2);
    // Who waits for the source does not wait for the clone.
    assert_eq!(placed.descendent_count(EdgeSet::Normal), 0);
    assert_eq!(difference(copy, *placed).expect("another name").path, "name");
    placed.erase()?;
    let elsewhere = main_of(&module).find_block("exit").expect("exit");
    let placed = copy.clone_to(elsewhere, Some("I-2"), Place::Start)?;
    assert!(!placed.renamed);
    assert_eq!(difference(copy, *placed), None);
    Ok(())
}

#[test]
fn a_loop_takes_its_axis_its_edges_and_its_blocks_along() -> Result<()> {
    let module = rich()?;
    let source = find(&module, "L0");
    let exit = main_of(&module).find_block("exit").expect("exit");
    let clone = source.clone_to(exit, None, Place::Start)?.object;
    assert_eq!(difference(source, clone), None);
    let inner = |l: &'_ Instruction, name: &str| {
        let holder = l.block_holder().expect("blocks");
        std::ptr::from_ref(holder.find_instruction(name).expect("nested"))
    };
    let holder = clone.block_holder().expect("blocks");
    let (memset, deep) = (holder.find_instruction("I-1").expect("I-1"), holder.find_instruction("I-3").expect("I-3"));
    assert!(std::ptr::eq(memset.loopnest().next().expect("i"), clone.axis().expect("i")));
    let carried = memset.dependencies(EdgeSet::LoopCarried).next().expect("an edge").target;
    assert!(std::ptr::eq(carried, inner(clone, "I-2")) && !std::ptr::eq(carried, inner(source, "I-2")));
    let outside = memset.dependencies(EdgeSet::Normal).next().expect("an edge").target;
    assert!(std::ptr::eq(outside, find(&module, "I-0")));
    assert!(std::ptr::eq(deep.unroll_dependencies().next().expect("an edge").0, memset));
    // Into its own body, which the clone then holds as it was before.
    let own_body = source.block_holder().expect("blocks").find_block("L0_body").expect("L0_body");
    let count = own_body.instruction_count();
    let nested = source.clone_to(own_body, None, Place::End)?.object;
    let nested_body = nested.block_holder().expect("blocks").find_block("L0_body").expect("L0_body");
    assert_eq!((own_body.instruction_count(), nested_body.instruction_count()), (count + 1, count));
    Ok(())
}

#[test]
fn a_block_takes_arguments_along_and_refers_to_itself() -> Result<()> {
    let module = rich()?;
    let main = main_of(&module);
    let body = main.find_block("body").expect("body");
    let a = main.find_location("a").expect("a");
    let clone = body.clone_to(main.block_holder(), Some("copy"), Place::After(body))?.object;
    assert_eq!(body.next().expect("the clone").name(), "copy");
    assert_eq!(difference(body, clone).expect("another name").path, "name");
    let phi = clone.find_argument("phi").expect("phi");
    let blocks: Vec<_> = phi.incoming().map(|(_, block)| block.name().to_string()).collect();
    assert_eq!(blocks, ["entry", "copy"]);
    assert!(std::ptr::eq(phi.location().expect("bound"), a.base()));
    let last = clone.find_instruction("I-4").expect("I-4");
    assert_eq!(last.dependency_count(EdgeSet::Normal), 2);
    let producers: Vec<_> = last.waits().map(|w| w.from.map(|f| f.name().to_string())).collect();
    assert_eq!(producers, [Some("I-2".into()), None, Some("I-0".into())]);
    clone.erase()?;
    // To where the name is free.
    let inside = find(&module, "L0").block_holder().expect("blocks");
    assert_eq!(difference(body, body.clone_to(inside, None, Place::Start)?.object), None);
    Ok(())
}

#[test]
fn a_function_is_cloned_with_its_storage() -> Result<()> {
    let module = rich()?;
    let main = main_of(&module);
    let mut before = String::new();
    dump_function(&mut before, main);
    let placed = main.clone_to(module.function_holder(), None, Place::End)?;
    assert!(placed.renamed);
    let clone = placed.object;
    let mut after = String::new();
    dump_function(&mut after, main);
    assert_eq!(after, before, "the source is as it was");
    assert_eq!(difference(main, clone).expect("another name").path, "name");
    for location in clone.sets().flat_map(|s| s.locations()) {
        for (other, _) in location.aliases() {
            assert!(std::ptr::eq(other.base().function().expect("in a function"), clone));
        }
        for user in location.base().readers().chain(location.base().writers()) {
            assert!(std::ptr::eq(user.function().expect("in a function"), clone));
        }
    }
    // A DMA block in a queue stays the producer; instructions of the function are the clone's.
    let waits: Vec<_> = clone.find_instruction("I-0").expect("I-0").waits().map(|w| w.from).collect();
    assert_eq!(waits[0].expect("a producer").name(), "dma_block_0");
    // As the only one of its name, in another holder.
    let nki = main.clone_to(module.nki_holder()?, None, Place::Start)?.object;
    assert_eq!(difference(main, nki), None);
    // And to another module, where the producer is found by name if it is there.
    for has_queue in [false, true] {
        let other = Module::new()?;
        if has_queue {
            let queue = other.add_queue("q_dyn", DMAQueueType::data, Place::End)?;
            queue.add_block("q_dyn_bb", Place::End)?.add_instruction(Op::DMABlock, "dma_block_0", Place::End)?;
        }
        let clone = main.clone_to(other.function_holder(), None, Place::End)?.object;
        let found = difference(main, clone).map(|d| d.path);
        assert_eq!(found, (!has_queue).then(|| "blocks[0].instructions[0].sync_info.on_wait[0].from".to_string()));
    }
    Ok(())
}

#[test]
fn elsewhere_references_are_found_by_name() -> Result<()> {
    let module = rich()?;
    let copy = find(&module, "I-2");
    // The same module, another function: `callee` has x but neither a nor r1.
    let callee = module.find_function("callee").expect("callee");
    let target = callee.find_block("entry").expect("entry");
    let before = dump(&module);
    let error = copy.clone_to(target, None, Place::End).expect_err("callee has no axis i");
    assert_eq!(error.code, ErrorCode::UnresolvedRef);
    assert_eq!(error.path, "functions[0].blocks[0].instructions[1].blocks[0].instructions[1].ins[0]");
    assert!(error.message.contains("`i`"), "{error}");
    assert_eq!(dump(&module), before);
    let last = find(&module, "I-4");
    let error = last.clone_to(target, None, Place::End).expect_err("callee has no a");
    assert_eq!(error.code, ErrorCode::UnresolvedRef);
    assert_eq!(
        error.to_string(),
        "functions[0].blocks[1].instructions[0].ins[0]: location `a` does not exist in function `callee`"
    );
    assert_eq!(dump(&module), before);
    // With what is missing there, it works; edges and producers outside are left out.
    for name in ["a", "y"] {
        let set = callee.add_set(&format!("{name}_set"), TensorKind::Internal, Dtype::float32, Place::End)?;
        set.add_location(name, MemoryType::SB, Place::End)?;
    }
    let clone = last.clone_to(target, None, Place::End)?.object;
    let storage = clone.ins().next().expect("an operand").memory_location().expect("bound");
    assert!(std::ptr::eq(storage.base().function().expect("in a function"), callee));
    assert_eq!(clone.dependency_count(EdgeSet::Normal), 0);
    assert!(clone.waits().all(|w| w.from.is_none()));
    assert_eq!(difference(last, clone).expect("edges differ").path, "dependencies");
    // Axes are found in the loops around the target.
    callee.add_register("r1", Place::End)?;
    let looped = target.add_instruction(Op::Loop, "L9", Place::End)?.object;
    let axis = looped.set_loop_axis("i", 0, 9, 3)?;
    let inside = looped.block_holder().expect("blocks").add_block("b", Place::End)?.object;
    let clone = copy.clone_to(inside, None, Place::End)?.object;
    let dynamic = clone.ins().next().expect("an operand");
    assert!(dynamic.dynamic().is_some());
    let memset = find(&module, "I-1").clone_to(inside, None, Place::End)?;
    assert!(std::ptr::eq(memset.loopnest().next().expect("i"), axis));
    Ok(())
}

#[test]
fn a_block_needs_its_storage_in_the_other_module() -> Result<()> {
    let (module, other) = (rich()?, Module::new()?);
    let target = other.add_function("main", Place::End)?.object;
    let before = dump(&other);
    let blocks: Vec<_> = main_of(&module).blocks().collect();
    for block in &blocks[..2] {
        let error = block.clone_to(target.block_holder(), None, Place::End).expect_err("no storage there");
        assert_eq!(error.code, ErrorCode::UnresolvedRef, "{error}");
        assert_eq!(dump(&other), before);
    }
    for set in main_of(&module).sets() {
        set.clone_to(target, None, Place::End)
            .map(|_| ())
            .or_else(|e| if e.code == ErrorCode::UnresolvedRef { Ok(()) } else { Err(e) })?;
    }
    for register in main_of(&module).registers() {
        assert_eq!(difference(register, register.clone_to(target, None, Place::End)?.object), None);
    }
    let entry = blocks[0].clone_to(target.block_holder(), None, Place::End)?.object;
    let found = difference(blocks[0], entry).expect("the producer lies in a queue");
    assert_eq!(found.path, "instructions[0].sync_info.on_wait[0].from");
    assert_eq!((found.left.as_str(), found.right.as_str()), ("queue:q_dyn/q_dyn_bb/dma_block_0", "(none)"));
    Ok(())
}

#[test]
fn aliases_follow_when_both_ends_are_there() -> Result<()> {
    let module = rich()?;
    let (main, callee) = (main_of(&module), module.find_function("callee").expect("callee"));
    let set = |name: &str| main.find_set(name).expect("a set");
    // In the same function the other end stays, and learns of the clone.
    let y = main.find_location("y").expect("y");
    let clone = set("x_set").clone_to(main, Some("x2_set"), Place::End)?;
    assert_eq!(y.aliases().count(), 2);
    clone.erase()?;
    assert_eq!(y.aliases().count(), 1);
    // In another one, y is cloned first and finds no DRAM location x; then p, whose target is y.
    callee.find_set("x_set").expect("x_set").erase()?;
    set("p_set").clone_to(callee, None, Place::End).expect_err("y is not there");
    assert_eq!(callee.storage_count(), 0);
    assert_eq!(set("y_set").clone_to(callee, None, Place::End)?.find_location("y").expect("y").aliases().count(), 0);
    let p = set("p_set").clone_to(callee, None, Place::End)?.find_location("p").expect("p");
    assert!(std::ptr::eq(p.pointer_ref_memloc().expect("y"), callee.find_location("y").expect("y")));
    let x = set("x_set").clone_to(callee, None, Place::End)?.object;
    assert_eq!(x.find_location("x").expect("x").aliases().count(), 2);
    assert_eq!(difference(set("x_set"), x), None);
    Ok(())
}

#[test]
fn what_lies_in_queues_refers_to_functions_by_name() -> Result<()> {
    let module = rich()?;
    let dma =
        module.find_queue("q_dyn").and_then(|q| q.block_holder().find_instruction("dma_block_0")).expect("a DMA block");
    let instance = module.find_queue("q_empty").expect("q_empty").add_block("instance", Place::End)?.object;
    assert_eq!(difference(dma, dma.clone_to(instance, None, Place::End)?.object), None);
    assert_eq!(main_of(&module).find_location("x").expect("x").base().reader_count(), 3);
    let other = Module::new()?;
    let target = other.add_queue("q", DMAQueueType::data, Place::End)?.add_block("instance", Place::End)?.object;
    let message =
        |clone: Result<bir_core::ir::Placed<'_, Instruction>>| clone.expect_err("something lacks").to_string();
    let place = "queues[0].blocks[0].instructions[0].blocks[0].instructions[0].ins[0]";
    let lacks_main = message(dma.clone_to(target, None, Place::End));
    assert_eq!(lacks_main, format!("{place}: function `main` does not exist in the target module"));
    let main = other.add_function("main", Place::End)?.object;
    let lacks_x = message(dma.clone_to(target, None, Place::End));
    assert_eq!(lacks_x, format!("{place}: location `x` does not exist in function `main`"));
    let set = main.add_set("x_set", TensorKind::Internal, Dtype::float32, Place::End)?;
    let x = set.add_location("x", MemoryType::DRAM, Place::End)?.object;
    assert_eq!(difference(dma, dma.clone_to(target, None, Place::End)?.object), None);
    assert_eq!(x.base().reader_count(), 1);
    Ok(())
}

/// Runs `clone` with a failure at the first allocation, at the second, and so on, until it succeeds; after each failure
/// the target must be as before. Returns the number of failures.
fn fail_everywhere(target: &ModuleRef, mut clone: impl FnMut() -> Result<()>) -> u64 {
    let before = dump(target);
    let arena = target.arena().expect("a module has an arena");
    for allocations in 0.. {
        arena.fail_after(Some(allocations));
        let done = clone();
        arena.fail_after(None);
        match done {
            Ok(()) => return allocations,
            Err(error) => {
                assert_eq!(error.code, ErrorCode::OutOfMemory, "{error}");
                assert_eq!(dump(target), before, "after {allocations} allocations");
            }
        }
    }
    unreachable!()
}

#[test]
fn nothing_is_left_behind_when_memory_runs_out() -> Result<()> {
    let module = rich()?;
    let main = main_of(&module);
    let body = main.find_block("body").expect("body");
    let exit = main.find_block("exit").expect("exit");
    let reference = module.clone_module()?;
    let holder = main.block_holder();
    let failures = [
        fail_everywhere(&module, || {
            find(&module, "L0").clone_to(exit, Some("loop"), Place::Start).map(|l| l.erase())?
        }),
        fail_everywhere(&module, || body.clone_to(holder, None, Place::Start).map(|b| b.erase())?),
        fail_everywhere(&module, || main.clone_to(module.nki_holder()?, None, Place::Start).map(|f| f.erase())?),
        fail_everywhere(&module, || main.find_set("x_set").expect("x_set").clone_to(main, None, Place::End)?.erase()),
        fail_everywhere(&module, || {
            main.find_register("r0").expect("r0").clone_to(main, Some("a register of its own"), Place::End)?.erase()
        }),
    ];
    assert!(failures.iter().all(|f| *f > 1), "{failures:?}");
    assert_eq!(difference(&module, &reference), None);
    Ok(())
}

#[test]
fn a_module_is_cloned_whole_or_not_at_all() -> Result<()> {
    let module = rich()?;
    let before = dump(&module);
    let target = Module::new()?;
    let failures = fail_everywhere(&target, || module.clone_into(&target));
    assert!(failures > 100, "{failures}");
    assert_eq!(difference(&module, &target), None);
    assert_eq!(dump(&module), before);
    assert_eq!(module.clone_into(&target).expect_err("not empty").code, ErrorCode::Conflict);
    assert_eq!(module.clone_into(&module).expect_err("itself").code, ErrorCode::Conflict);
    let limited = Module::new()?;
    limited.arena()?.set_limit(Some(limited.arena()?.used_bytes() + 4096));
    let empty = dump(&limited);
    assert_eq!(module.clone_into(&limited).expect_err("too small").code, ErrorCode::OutOfMemory);
    assert_eq!(dump(&limited), empty);
    Ok(())
}

#[test]
fn what_was_taken_out_cannot_be_cloned_over() -> Result<()> {
    let module = rich()?;
    main_of(&module).find_location("psum").expect("psum").unlink()?;
    module.clone_module()?;
    let a = main_of(&module).find_location("a").expect("a");
    a.unlink()?;
    let error = module.clone_module().expect_err("operands use a");
    assert_eq!(error.code, ErrorCode::UnresolvedRef);
    assert_eq!(error.path, "functions[0].blocks[1].arguments[0]");
    // Within the module it may still be used.
    find(&module, "I-2").clone_to(main_of(&module).find_block("exit").expect("exit"), None, Place::End)?;
    Ok(())
}

#[test]
fn places_elsewhere_and_targets_outside_a_module_fail() -> Result<()> {
    let module = rich()?;
    let main = main_of(&module);
    let before = dump(&module);
    let (copy, exit) = (find(&module, "I-2"), main.find_block("exit").expect("exit"));
    assert_eq!(copy.clone_to(exit, None, Place::After(copy)).expect_err("elsewhere").code, ErrorCode::NotFound);
    assert_eq!(dump(&module), before);
    let callee = module.find_function("callee").expect("callee");
    callee.unlink()?;
    let entry = callee.find_block("entry").expect("entry");
    assert_eq!(copy.clone_to(entry, None, Place::End).expect_err("detached").code, ErrorCode::Detached);
    let register = main.find_register("r0").expect("r0");
    assert_eq!(register.clone_to(callee, None, Place::End).expect_err("detached").code, ErrorCode::Detached);
    // An unlinked source is as good as a linked one.
    let back = callee.clone_to(module.function_holder(), None, Place::End)?.object;
    assert_eq!(difference(callee, back), None);
    Ok(())
}

#[test]
fn deep_nesting_costs_no_stack() -> Result<()> {
    let module = Module::new()?;
    let main = module.add_function("main", Place::End)?.object;
    let set = main.add_set("s", TensorKind::Internal, Dtype::float32, Place::End)?.object;
    let x = set.add_location("x", MemoryType::SB, Place::End)?.object;
    let mut block = main.add_block("b", Place::End)?.object;
    for level in 0..600 {
        let looped = block.add_instruction(Op::Loop, "loop", Place::End)?.object;
        looped.set_loop_axis(&format!("i{level}"), 0, 2, 1)?;
        block = looped.block_holder().expect("blocks").add_block("b", Place::End)?.object;
    }
    let inner = block.add_instruction(Op::Memset, "inner", Place::End)?.object;
    let spec = OperandSpec::Physical { location: x, dtype: Dtype::float32, pattern: &rich::PATTERN, offset: 0 };
    inner.add_operand(OperandList::Outs, &spec, Place::End)?;
    let clone = module.clone_module()?;
    assert_eq!(difference(&module, &clone), None);
    clone.functions().next().expect("main").instructions().last().expect("inner").set_engine_id(3);
    assert!(difference(&module, &clone).expect("another engine").path.ends_with("].engine_id"));
    Ok(())
}
