//! Memory may run out at any allocation. Then the operation is an error, the module is as it was, and trying again gives
//! what it would have given the first time: no id, name or entry was lost on the way.
mod ir_common;
use bir_core::enums::bir::{DMAQueueType, Dtype, EdgeKind, InstructionType as Op, MemoryType, TensorKind};
use bir_core::ir::{
    AffinePredicate, Argument, EdgeSet, ExprKind, ExprNode, Module, ModuleRef, OperandList, OperandSpec, Place,
    QuasiAffineExpr,
};
use bir_core::{ErrorCode, Result};
use ir_common::*;

/// Fails with the first line that differs.
fn same(found: &str, expected: &str, what: &str) {
    for (found, expected) in found.lines().zip(expected.lines()) {
        assert_eq!(found, expected, "{what}");
    }
    assert_eq!(found.len(), expected.len(), "{what}");
}

/// Runs `operation` on a fresh sample for each number of allocations that succeed, until the whole operation does.
/// `prepare` runs before and has no failures.
fn check_prepared(
    name: &str,
    prepare: impl Fn(&ModuleRef) -> Result<()>,
    operation: impl Fn(&ModuleRef) -> Result<()>,
) {
    let fresh = || {
        let module = sample().unwrap();
        prepare(&module).unwrap();
        module
    };
    let expected = {
        let module = fresh();
        operation(&module).unwrap_or_else(|e| panic!("{name}: {e}"));
        dump(&module)
    };
    for n in 0.. {
        let module = fresh();
        // The id table is built outside the arena, and its being there must change nothing.
        let before = dump(&module);
        let arena = module.arena().unwrap();
        arena.fail_after(Some(n));
        let result = operation(&module);
        arena.fail_after(None);
        let Err(error) = result else {
            assert!(n > 0, "{name} allocates nothing");
            same(&dump(&module), &expected, name);
            break;
        };
        assert_eq!(error.code, ErrorCode::OutOfMemory, "{name} after {n} allocations");
        same(&dump(&module), &before, name);
        operation(&module).unwrap_or_else(|e| panic!("{name} again: {e}"));
        same(&dump(&module), &expected, name);
    }
    // A limit of the arena is the same failure with a message of its own.
    let module = fresh();
    let before = dump(&module);
    let arena = module.arena().unwrap();
    arena.set_limit(Some(arena.used_bytes()));
    let error = operation(&module).unwrap_err();
    assert_eq!(error.code, ErrorCode::OutOfMemory, "{name}");
    assert!(error.message.contains(&arena.used_bytes().to_string()), "{name}: {error}");
    same(&dump(&module), &before, name);
    arena.set_limit(None);
    operation(&module).unwrap();
    same(&dump(&module), &expected, name);
}

fn check(name: &str, operation: impl Fn(&ModuleRef) -> Result<()>) {
    check_prepared(name, |_| Ok(()), operation);
}

/// Operand 0 of an instruction.
fn first<'m>(m: &'m ModuleRef, name: &str, list: OperandList) -> &'m Argument {
    inst(m, name).operand(list, 0).unwrap()
}

/// An expression of the sample.
fn sample_expr(m: &ModuleRef) -> QuasiAffineExpr<'_> {
    inst(m, "inner").order().next().unwrap()
}

fn root(m: &ModuleRef) -> &ExprNode {
    sample_expr(m).root().unwrap()
}

#[test]
fn creation() {
    for name in ["f", LONG, "main"] {
        check("add_function", |m| m.add_function(name, Place::Start).map(drop));
        check("nki add_function", |m| m.nki_holder()?.add_function(name, Place::End).map(drop));
    }
    for name in ["q9", LONG, "q"] {
        check("add_queue", |m| m.add_queue(name, DMAQueueType::data, Place::Start).map(drop));
    }
    for name in ["b9", LONG, "b1"] {
        check("add_block", |m| function(m, "main").add_block(name, Place::Start).map(drop));
        check("add_block to a loop", |m| inst(m, "loop").block_holder().unwrap().add_block(name, Place::End).map(drop));
        check("add_block to a queue", |m| queue(m, "q").add_block(name, Place::End).map(drop));
        check("add_argument", |m| block(m, "b1").add_argument(name, Place::Start).map(drop));
    }
    for op in (0..110).map(|n| Op::from_ordinal(n).unwrap()) {
        check(op.name(), |m| block(m, "b1").add_instruction(op, "copy", Place::Start).map(drop));
    }
    check("long instruction", |m| block(m, "b1").add_instruction(Op::NoOp, LONG, Place::Start).map(drop));
    for name in ["s9", LONG, "x_set"] {
        let kind = TensorKind::Internal;
        check("add_set", |m| function(m, "main").add_set(name, kind, Dtype::int8, Place::Start).map(drop));
        check("add_register", |m| function(m, "main").add_register(name, Place::Start).map(drop));
    }
    for name in ["l9", LONG, "x"] {
        check("add_location", |m| set(m, "x_set").add_location(name, MemoryType::SB, Place::Start).map(drop));
    }
}

/// A long name that is taken gets a new one, for which memory may run out after it was chosen: it must be free again.
#[test]
fn names_chosen_in_vain_are_free_again() {
    let take = |m: &ModuleRef| {
        function(m, "main").add_block(LONG, Place::End)?;
        function(m, "other").add_block(LONG, Place::End)?;
        block(m, "b1").add_instruction(Op::NoOp, LONG, Place::End)?;
        block(m, "b2").add_instruction(Op::NoOp, LONG, Place::End).map(drop)
    };
    check_prepared("create", take, |m| function(m, "main").add_block(LONG, Place::End).map(drop));
    check_prepared("create twice", take, |m| {
        block(m, "b1").add_instruction(Op::NoOp, LONG, Place::End)?;
        Ok(())
    });
    check_prepared("rename", take, |m| block(m, "b1").set_name(LONG).map(|renamed| assert!(renamed)));
    check_prepared("rename", take, |m| inst(m, "copy").set_name(LONG).map(|renamed| assert!(renamed)));
    check_prepared("move", take, |m| {
        let b2 = block(m, "b2");
        block(m, "b1").find_instruction(LONG).unwrap().move_to(b2, Place::Start).map(|renamed| assert!(renamed))
    });
    check_prepared("move block", take, |m| {
        let from = function(m, "other").find_block(LONG).unwrap();
        from.move_to(function(m, "main").block_holder(), Place::Start).map(|renamed| assert!(renamed))
    });
}

#[test]
fn operands() {
    let dtype = Dtype::float32;
    for list in OperandList::ALL {
        check("physical", |m| {
            let spec = OperandSpec::Physical { location: location(m, "y"), dtype, pattern: &pairs(5), offset: 1 };
            inst(m, "bare").add_operand(list, &spec, Place::End).map(drop)
        });
        check("symbolic", |m| {
            let addrs = [inst(m, "inner").order().next().unwrap()];
            let spec = OperandSpec::Symbolic { set: set(m, "p_set"), dtype, pattern: &pairs(5), addrs: &addrs };
            inst(m, "bare").add_operand(list, &spec, Place::End).map(drop)
        });
        check("register pattern", |m| {
            let spec = OperandSpec::RegisterPattern {
                set: set(m, "p_set"),
                dtype,
                pattern: &pairs(5),
                register: register(m, "r1"),
                offset_register: Some(register(m, "r0")),
                sub_tensor_register: Some(register(m, "r1")),
            };
            inst(m, "bare").add_operand(list, &spec, Place::End).map(drop)
        });
        check("register", |m| {
            let spec = OperandSpec::Register { register: register(m, "r1"), dtype };
            inst(m, "bare").add_operand(list, &spec, Place::End).map(drop)
        });
    }
    check("immediate", |m| {
        let spec = OperandSpec::Immediate { dtype, bits: 1 };
        inst(m, "bare").add_operand(OperandList::Ins, &spec, Place::End).map(drop)
    });
    check("symbolic immediate", |m| {
        let expr = sample_expr(m);
        let spec = OperandSpec::SymbolicImmediate { dtype, values: &[1, 2, 3], expr };
        inst(m, "bare").add_operand(OperandList::Ins, &spec, Place::End).map(drop)
    });
    check("array", |m| {
        let spec = OperandSpec::ImmediateArray { dtype, values: &[1; 9] };
        inst(m, "bare").add_operand(OperandList::Ins, &spec, Place::End).map(drop)
    });
}

#[test]
fn operand_changes() {
    let (ins, outs) = (OperandList::Ins, OperandList::Outs);
    check("set_storage", |m| first(m, "copy", ins).set_storage(location(m, "z").base()));
    check("set_pattern", |m| first(m, "copy", ins).set_pattern(&pairs(5)));
    check("set_access_shape", |m| first(m, "copy", ins).set_access_shape(&[1, 2, 3, 4, 5]));
    check("set_dynamic", |m| {
        let e = sample_expr(m);
        first(m, "copy", ins).set_dynamic(Some(&dynamic_spec(&pairs(5), &[(e, 1), (e, 2)])))
    });
    check("set_addrs", |m| {
        let e = sample_expr(m);
        first(m, "mixed", ins).set_addrs(&[e, e, e])
    });
    for index in 0..3 {
        check("set_register", |m| first(m, "mixed", outs).set_register(index, Some(register(m, "r1"))));
    }
    check("set_immediate_array", |m| inst(m, "mixed").operand(ins, 3).unwrap().set_immediate_array(&[1; 9]));
    check("move_to another list", |m| {
        let to = inst(m, "bare");
        // The writers of `x` have room for one.
        first(m, "copy", ins).move_to(to, outs, Place::End)
    });
    let write_y = |m: &ModuleRef| {
        let (location, dtype) = (location(m, "y"), Dtype::int8);
        let spec = OperandSpec::Physical { location, dtype, pattern: &pairs(1), offset: 0 };
        inst(m, "bare").add_operand(outs, &spec, Place::End).map(drop)
    };
    // Without readers so far, `y` has no room for them.
    check_prepared("move_to the readers", write_y, |m| {
        location(m, "y").base().writers().next().unwrap().move_to(inst(m, "copy"), ins, Place::Start)
    });
}

#[test]
fn names_and_places() {
    for name in ["n", LONG, "taken"] {
        let taken = |m: &ModuleRef| {
            m.add_function("taken", Place::End)?;
            m.nki_holder()?.add_function("taken", Place::End)?;
            function(m, "main").add_block("taken", Place::End)?;
            block(m, "b1").add_instruction(Op::NoOp, "taken", Place::End)?;
            function(m, "main").add_register("taken", Place::End)?;
            set(m, "x_set").add_location("taken", MemoryType::SB, Place::End)?;
            m.add_queue("taken", DMAQueueType::data, Place::End).map(drop)
        };
        check_prepared("function", taken, |m| function(m, "kernel").set_name(name).map(drop));
        check_prepared("block", taken, |m| block(m, "b2").set_name(name).map(drop));
        check_prepared("instruction", taken, |m| inst(m, "copy").set_name(name).map(drop));
        check_prepared("set", taken, |m| set(m, "x_set").storage().set_name(name).map(drop));
        check_prepared("location", taken, |m| location(m, "x").set_name(name).map(drop));
        check_prepared("queue", taken, |m| queue(m, "q").set_name(name).map(drop));
    }
    check("argument", |m| block(m, "b1").arguments().next().unwrap().set_name(LONG));
    check("function", |m| function(m, "kernel").move_to(m.function_holder(), Place::Start).map(drop));
    check("block", |m| block(m, "b1").move_to(function(m, "other").block_holder(), Place::Start).map(drop));
    check("block to a queue", |m| block(m, "b1").move_to(queue(m, "q").block_holder(), Place::End).map(drop));
    check("instruction", |m| inst(m, "loop").move_to(block(m, "b2"), Place::After(inst(m, "mixed"))).map(drop));
    check("storage", |m| set(m, "x_set").storage().move_to(function(m, "other"), Place::End).map(drop));
    check("location", |m| location(m, "x").move_to(set(m, "p_set"), Place::Start).map(drop));
    // Nodes of the name tables are kept, so putting back what was taken out needs memory only for a table that grew.
    check_prepared(
        "put back",
        |m| {
            for i in 0..13 - block(m, "b2").instruction_count() {
                block(m, "b2").add_instruction(Op::NoOp, &format!("n{i}"), Place::End)?;
            }
            inst(m, "copy").unlink()
        },
        |m| {
            let copy = inst(m, "plain").dependencies(EdgeSet::Normal).next().unwrap().target;
            copy.move_to(block(m, "b2"), Place::Start).map(drop)
        },
    );
}

#[test]
fn instruction_parts() {
    check("set_schedule", |m| inst(m, "bare").set_schedule(1, 2));
    for name in ["bare", "plain"] {
        check("set_debug_json", |m| inst(m, name).set_debug_json(Some(LONG)));
        check("set_optin_passes", |m| inst(m, name).set_optin_passes(&["a", LONG]));
        check("set_order", |m| {
            let e = sample_expr(m);
            inst(m, name).set_order(&[e, e])
        });
        check("set_predicates", |m| {
            let expr = sample_expr(m);
            inst(m, name).set_predicates(&[AffinePredicate { expr, op: 0 }; 2])
        });
        check("add_wait", |m| inst(m, name).add_wait(wait(Some(inst(m, "copy")))));
        check("add_update", |m| inst(m, name).add_update(update()));
        check("add_unroll_dependency", |m| {
            let expr = sample_expr(m);
            let predicate = AffinePredicate { expr, op: 0 };
            inst(m, name).add_unroll_dependency(inst(m, "copy"), EdgeKind::Flow, &[expr], &[predicate])
        });
        for set in [EdgeSet::Normal, EdgeSet::LoopCarried] {
            let target = "inner";
            check("add_dependency", |m| {
                inst(m, name).add_dependency(inst(m, target), EdgeKind::Flow, set).map(|new| assert!(new))
            });
            check("add_dependency from", |m| {
                inst(m, target).add_dependency(inst(m, name), EdgeKind::Flow, set).map(|new| assert!(new))
            });
        }
        check("set_loopnest", |m| inst(m, name).set_loopnest(&[inst(m, "loop").axis().unwrap()]));
    }
    check("set_sync_info", |m| inst(m, "bare").set_sync_info(true));
    check("set_debug_update_semaphore", |m| inst(m, "bare").set_debug_update_semaphore(Some(1)));
    check("set_loop_axis", |m| inst(m, "loop").set_loop_axis(LONG, 1, 2, 3).map(drop));
    check("set_dynamic_axis", |m| {
        let e = sample_expr(m);
        inst(m, "dyn").set_dynamic_axis(LONG, e, e, e).map(drop)
    });
    for op in [Op::Loop, Op::DynamicForLoop] {
        let add = |m: &ModuleRef| block(m, "b1").add_instruction(op, "new", Place::End).map(drop);
        check_prepared("first axis", add, |m| {
            let e = sample_expr(m);
            match op {
                Op::Loop => inst(m, "new").set_loop_axis(LONG, 1, 2, 3).map(drop),
                _ => inst(m, "new").set_dynamic_axis("n", e, e, e).map(drop),
            }
        });
    }
}

#[test]
fn texts_and_storage_parts() {
    check("set_artifact_path", |m| m.set_artifact_path(LONG));
    check("set_artifact_info", |m| m.set_artifact_info(LONG));
    check("set_attributes_json", |m| m.set_attributes_json(LONG));
    check("add_call_binding", |m| m.add_call_binding(inst(m, "bare"), &[location(m, "x"), location(m, "y")]));
    check("set_attributes", |m| function(m, "main").set_attributes(&["a", LONG, "b"]));
    check("queue attributes", |m| queue(m, "q").set_attributes_json(LONG));
    check("set_tensor_shape", |m| set(m, "x_set").set_tensor_shape(&[1; 9]));
    check("set_file", |m| set(m, "x_set").set_file(LONG));
    for text in ["{}", LONG] {
        check("set debug", |m| set(m, "x_set").set_debug_json(text));
        check("device print", |m| location(m, "x").set_device_print_metadata_json(text));
    }
    check("set_dims", |m| location(m, "x").set_dims(&[1, 2, 3]));
    check("optin passes", |m| location(m, "x").set_optin_passes(&["a", LONG]));
    check("alloced_func", |m| location(m, "x").set_alloced_func(Some(LONG)));
    check("remote_writer_func", |m| location(m, "x").set_remote_writer_func(Some(LONG)));
    check("remote_local_target", |m| location(m, "x").set_remote_local_target(Some((LONG, 3))));
    check("add_alias", |m| location(m, "z").add_alias(location(m, "x"), 3));
    check("set_location", |m| {
        block(m, "b1").arguments().next().unwrap().set_location(Some(register(m, "r1").storage().base()))
    });
    check("add_incoming", |m| {
        let (value, from) = (register(m, "r1").storage().base(), block(m, "b1"));
        block(m, "b1").arguments().next().unwrap().add_incoming(value, from)
    });
    check("replace location", |m| location(m, "x").base().replace_all_uses_with(location(m, "z").base()).map(drop));
    check("replace incoming", |m| location(m, "y").base().replace_all_uses_with(location(m, "z").base()).map(drop));
    check("replace set", |m| {
        set(m, "x_set").storage().base().replace_all_uses_with(set(m, "p_set").storage().base()).map(drop)
    });
    check("replace register", |m| {
        register(m, "r0").storage().base().replace_all_uses_with(register(m, "r1").storage().base()).map(drop)
    });
}

#[test]
fn expressions() {
    check("leaf", |m| m.leaf(ExprKind::ShardIDKind, 1, 0).map(drop));
    check("affine", |m| m.affine(&[(root(m), 2), (root(m), 3)], 1).map(drop));
    check("sum", |m| m.sum(&[root(m), root(m)]).map(drop));
    check("axis_value", |m| m.axis_value(inst(m, "loop").axis().unwrap()).map(drop));
    check("register_value", |m| m.register_value(register(m, "r0")).map(drop));
    check("unary", |m| m.unary(ExprKind::MultKind, root(m), 2, 0).map(drop));
    check("expression", |m| m.expression(root(m)).map(drop));
}

/// A module that cannot even be set up is an error, not an abort; nothing is left behind that a leak checker would find.
#[test]
fn limits_are_lifted_again() -> Result<()> {
    let module = Module::new()?;
    let arena = module.arena()?;
    arena.set_limit(Some(arena.used_bytes() + 2000));
    let main = module.add_function("main", Place::End)?.object;
    let mut count = 0;
    let error = loop {
        match main.add_block("b", Place::End) {
            Ok(_) => count += 1,
            Err(error) => break error,
        }
    };
    assert_eq!(error.code, ErrorCode::OutOfMemory);
    assert_eq!((main.block_count(), module.next_unique_id()), (count, count as u32 + 1));
    arena.set_limit(None);
    assert_eq!(main.add_block("b", Place::End)?.name(), format!("b_{count}").as_str());
    Ok(())
}
