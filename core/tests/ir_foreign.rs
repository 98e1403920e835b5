//! Objects of two modules never mix, and erased objects never change: either would leave a pointer to what is gone.
mod ir_common;
use bir_core::enums::bir::{Dtype, EdgeKind, EngineType, InstructionType as Op, MemoryType, TensorKind};
use bir_core::ir::{
    AffinePredicate, BasicBlockArgument, EdgeSet, ExprKind, Module, ModuleRef, OperandList, OperandSpec, Place,
    QuasiAffineExpr,
};
use bir_core::{ErrorCode, Result};
use ir_common::*;

const DTYPE: Dtype = Dtype::float32;

fn phi(m: &ModuleRef) -> &BasicBlockArgument {
    block(m, "b1").arguments().next().unwrap()
}

fn e(m: &ModuleRef) -> QuasiAffineExpr<'_> {
    inst(m, "inner").order().next().unwrap()
}

fn add<'m>(m: &'m ModuleRef, spec: OperandSpec<'_, 'm>) -> Result<()> {
    inst(m, "bare").add_operand(OperandList::Ins, &spec, Place::End).map(drop)
}

fn pattern_of<'m>(at: &'m ModuleRef, of: [&'m ModuleRef; 4]) -> Result<()> {
    let spec = OperandSpec::RegisterPattern {
        set: set(of[0], "x_set"),
        dtype: DTYPE,
        pattern: &pairs(1),
        register: register(of[1], "r1"),
        offset_register: Some(register(of[2], "r1")),
        sub_tensor_register: Some(register(of[3], "r1")),
    };
    add(at, spec)
}

/// An operation on an object of the first module that is given one of the second.
type Mix = for<'m> fn(&'m ModuleRef, &'m ModuleRef) -> Result<()>;

const MIXED: &[(&str, Mix)] = &[
    ("move function", |a, b| function(a, "main").move_to(b.function_holder(), Place::End).map(drop)),
    ("move function to NKI", |a, b| function(a, "main").move_to(b.nki_holder()?, Place::End).map(drop)),
    ("move block", |a, b| block(a, "b1").move_to(function(b, "main").block_holder(), Place::End).map(drop)),
    ("move block to a queue", |a, b| block(a, "b1").move_to(queue(b, "q").block_holder(), Place::End).map(drop)),
    ("move block to a loop", |a, b| {
        block(a, "b2").move_to(inst(b, "loop").block_holder().unwrap(), Place::End).map(drop)
    }),
    ("move instruction", |a, b| inst(a, "copy").move_to(block(b, "b1"), Place::End).map(drop)),
    ("move set", |a, b| set(a, "x_set").storage().move_to(function(b, "main"), Place::End).map(drop)),
    ("move location", |a, b| location(a, "x").move_to(set(b, "x_set"), Place::End).map(drop)),
    ("move operand", |a, b| {
        inst(a, "copy").ins().next().unwrap().move_to(inst(b, "copy"), OperandList::Ins, Place::End)
    }),
    ("physical", |a, b| {
        add(a, OperandSpec::Physical { location: location(b, "x"), dtype: DTYPE, pattern: &pairs(1), offset: 0 })
    }),
    ("symbolic set", |a, b| {
        add(a, OperandSpec::Symbolic { set: set(b, "x_set"), dtype: DTYPE, pattern: &pairs(1), addrs: &[] })
    }),
    ("symbolic addrs", |a, b| {
        let addrs = [e(a), e(b)];
        add(a, OperandSpec::Symbolic { set: set(a, "x_set"), dtype: DTYPE, pattern: &pairs(1), addrs: &addrs })
    }),
    ("register pattern set", |a, b| pattern_of(a, [b, a, a, a])),
    ("register pattern regref", |a, b| pattern_of(a, [a, b, a, a])),
    ("register pattern offset", |a, b| pattern_of(a, [a, a, b, a])),
    ("register pattern sub tensor", |a, b| pattern_of(a, [a, a, a, b])),
    ("register", |a, b| add(a, OperandSpec::Register { register: register(b, "r0"), dtype: DTYPE })),
    ("symbolic immediate", |a, b| add(a, OperandSpec::SymbolicImmediate { dtype: DTYPE, values: &[], expr: e(b) })),
    ("set_storage", |a, b| inst(a, "copy").ins().next().unwrap().set_storage(location(b, "x").base())),
    ("set_register 0", |a, b| inst(a, "mixed").outs().next().unwrap().set_register(0, Some(register(b, "r0")))),
    ("set_register 1", |a, b| inst(a, "mixed").outs().next().unwrap().set_register(1, Some(register(b, "r0")))),
    ("set_register 2", |a, b| inst(a, "mixed").outs().next().unwrap().set_register(2, Some(register(b, "r0")))),
    ("set_addrs", |a, b| inst(a, "mixed").ins().next().unwrap().set_addrs(&[e(a), e(b)])),
    ("set_dynamic", |a, b| {
        inst(a, "copy").ins().next().unwrap().set_dynamic(Some(&dynamic_spec(&pairs(1), &[(e(a), 1), (e(b), 1)])))
    }),
    ("replace location", |a, b| location(a, "x").base().replace_all_uses_with(location(b, "x").base()).map(drop)),
    ("replace set", |a, b| {
        set(a, "x_set").storage().base().replace_all_uses_with(set(b, "x_set").storage().base()).map(drop)
    }),
    ("replace register", |a, b| {
        register(a, "r0").storage().base().replace_all_uses_with(register(b, "r0").storage().base()).map(drop)
    }),
    ("bind argument", |a, b| phi(a).set_location(Some(location(b, "x").base()))),
    ("incoming value", |a, b| phi(a).add_incoming(location(b, "x").base(), block(a, "b1"))),
    ("incoming block", |a, b| phi(a).add_incoming(location(a, "x").base(), block(b, "b1"))),
    ("edge", |a, b| inst(a, "bare").add_dependency(inst(b, "copy"), EdgeKind::Flow, EdgeSet::Normal).map(drop)),
    ("loop edge", |a, b| {
        inst(a, "plain").add_dependency(inst(b, "copy"), EdgeKind::Flow, EdgeSet::LoopCarried).map(drop)
    }),
    ("remove edge", |a, b| inst(a, "plain").remove_dependency(inst(b, "copy"), EdgeSet::Normal).map(drop)),
    ("unroll target", |a, b| inst(a, "bare").add_unroll_dependency(inst(b, "copy"), EdgeKind::Flow, &[], &[])),
    ("unroll expression", |a, b| {
        inst(a, "bare").add_unroll_dependency(inst(a, "copy"), EdgeKind::Flow, &[e(a), e(b)], &[])
    }),
    ("unroll predicate", |a, b| {
        let predicate = AffinePredicate { expr: e(b), op: 0 };
        inst(a, "bare").add_unroll_dependency(inst(a, "copy"), EdgeKind::Flow, &[e(a)], &[predicate])
    }),
    ("wait", |a, b| inst(a, "bare").add_wait(wait(Some(inst(b, "copy"))))),
    ("wait producer", |a, b| inst(a, "plain").set_wait_producer(0, Some(inst(b, "copy"))).map(drop)),
    ("alias", |a, b| location(a, "x").add_alias(location(b, "y"), 1)),
    ("pointer", |a, b| location(a, "p").set_pointer_ref_memloc(Some(location(b, "x")))),
    ("call", |a, b| a.add_call_binding(inst(b, "copy"), &[location(a, "x")])),
    ("location of a call", |a, b| a.add_call_binding(inst(a, "copy"), &[location(a, "x"), location(b, "x")])),
    ("loop nest", |a, b| {
        let axes = [inst(a, "loop").axis().unwrap(), inst(b, "loop").axis().unwrap()];
        inst(a, "inner").set_loopnest(&axes)
    }),
    ("loop nest, dynamic", |a, b| inst(a, "inner").set_loopnest(&[inst(b, "dyn").axis().unwrap()])),
    ("dynamic lb", |a, b| inst(a, "dyn").set_dynamic_axis("d", e(b), e(a), e(a)).map(drop)),
    ("dynamic ub", |a, b| inst(a, "dyn").set_dynamic_axis("d", e(a), e(b), e(a)).map(drop)),
    ("dynamic stride", |a, b| inst(a, "dyn").set_dynamic_axis("d", e(a), e(a), e(b)).map(drop)),
    ("predicates", |a, b| inst(a, "inner").set_predicates(&[AffinePredicate { expr: e(b), op: 0 }])),
    ("order", |a, b| inst(a, "inner").set_order(&[e(a), e(b)])),
    ("affine", |a, b| a.affine(&[(e(b).root().unwrap(), 1)], 0).map(drop)),
    ("sum", |a, b| a.sum(&[e(a).root().unwrap(), e(b).root().unwrap()]).map(drop)),
    ("axis_value", |a, b| a.axis_value(inst(b, "loop").axis().unwrap()).map(drop)),
    ("dynamic axis_value", |a, b| a.axis_value(inst(b, "dyn").axis().unwrap()).map(drop)),
    ("register_value", |a, b| a.register_value(register(b, "r0")).map(drop)),
    ("unary", |a, b| a.unary(ExprKind::MultKind, e(b).root().unwrap(), 2, 0).map(drop)),
    ("expression", |a, b| a.expression(e(b).root().unwrap()).map(drop)),
];

#[test]
fn objects_of_two_modules_do_not_mix() -> Result<()> {
    let (a, b) = (sample()?, sample()?);
    let (before_a, before_b) = (dump(&a), dump(&b));
    assert_eq!(before_a, before_b);
    for (name, mix) in MIXED {
        let error = mix(&a, &b).expect_err(name);
        assert_eq!(error.code, ErrorCode::ForeignModule, "{name}: {error}");
        assert_eq!((&dump(&a), &dump(&b)), (&before_a, &before_b), "{name}");
        // The same within one module is fine, so it was the module that was refused.
        let own = sample()?;
        if let Err(error) = mix(&own, &own) {
            assert_eq!(error.code, ErrorCode::BadValue, "{name}: {error}");
            assert!(["loop edge", "alias", "move block to a loop"].contains(name), "{name}: {error}");
        }
    }
    assert!(!location(&a, "x").remove_alias(location(&b, "y")));
    assert!(inst(&a, "plain").dependency_kind(inst(&b, "copy"), EdgeSet::Normal).is_none());
    assert_eq!((dump(&a), dump(&b)), (before_a, before_b));
    Ok(())
}

/// A place beside an object that is in another list, or in another module, is no place.
#[test]
fn places_lie_in_the_list() -> Result<()> {
    let (a, b) = (sample()?, sample()?);
    let before = dump(&a);
    for foreign in [&*a, &*b] {
        let main = function(&a, "main");
        let others = [
            main.add_block("n", Place::Before(function(foreign, "other").blocks().next().unwrap())).map(drop),
            main.add_register("n", Place::After(set(&b, "x_set").storage())).map(drop),
            block(&a, "b1").add_instruction(Op::NoOp, "n", Place::Before(inst(foreign, "bare"))).map(drop),
            set(&a, "x_set").add_location("n", MemoryType::SB, Place::After(location(foreign, "p"))).map(drop),
            a.add_function("n", Place::Before(function(foreign, "kernel"))).map(drop),
            inst(&a, "copy").move_to(block(&a, "b2"), Place::Before(inst(foreign, "loop"))).map(drop),
            // Beside itself, but in another block than the one that it is in.
            inst(&a, "copy").move_to(block(&a, "b2"), Place::Before(inst(foreign, "copy"))).map(drop),
            block(&a, "b2").add_argument("n", Place::Before(phi(foreign))).map(drop),
            inst(&a, "copy").ins().next().unwrap().move_to(
                inst(&a, "copy"),
                OperandList::Outs,
                Place::Before(inst(foreign, "mixed").outs().next().unwrap()),
            ),
        ];
        for (i, result) in others.into_iter().enumerate() {
            assert_eq!(result.unwrap_err().code, ErrorCode::NotFound, "{i}");
        }
        assert_eq!(dump(&a), before);
    }
    Ok(())
}

/// Nothing of a module that goes first stays behind in one that goes on. (That a value cannot outlive its own module is for
/// the compiler to refuse: see the example of `QuasiAffineExpr`.)
#[test]
fn a_module_that_goes_first_leaves_nothing_behind() -> Result<()> {
    let long = sample()?;
    {
        let short = sample()?;
        let error = inst(&long, "inner").set_order(&[e(&short)]).unwrap_err();
        assert_eq!(error.code, ErrorCode::ForeignModule);
    }
    assert_eq!(inst(&long, "inner").order().count(), 1);
    assert_eq!(expr(e(&long)), node(e(&long).root().unwrap()));
    Ok(())
}

/// Each change was refused because the object is gone, and the module is what it was.
fn refused(results: Vec<(&str, Result<()>)>, m: &Module, before: &str) {
    for (name, result) in results {
        let error = result.expect_err(name);
        assert_eq!(error.code, ErrorCode::Detached, "{name}: {error}");
    }
    assert_eq!(dump(m), before);
}

#[test]
fn erased_instructions_do_not_change() -> Result<()> {
    let m = sample()?;
    let (plain, copy, bare, inner) = (inst(&m, "plain"), inst(&m, "copy"), inst(&m, "bare"), inst(&m, "inner"));
    let (l, d) = (inst(&m, "loop"), inst(&m, "dyn"));
    let (b2, axis, expr) = (block(&m, "b2"), l.axis().unwrap(), e(&m));
    let operand = inst(&m, "mixed").ins().next().unwrap();
    for i in [l, d, plain] {
        i.erase()?;
    }
    let before = dump(&m);
    let spec = OperandSpec::Immediate { dtype: DTYPE, bits: 0 };
    let mut results = vec![];
    for i in [l, d, plain, inner] {
        assert!(
            i.is_erased() && !i.is_linked() && i.block().is_none() && i.function().is_none() && i.module().is_err()
        );
        assert!(i.next().is_none() && i.prev().is_none() && i.position().is_none() && i.path().is_empty());
        assert_eq!(i.operand_count(OperandList::Ins) + i.dependency_count(EdgeSet::Normal), 0);
        let mut text = String::new();
        instruction(&mut text, i);
        assert!(text.contains(i.name().as_str()));
        results.extend([
            ("set_name", i.set_name("x").map(drop)),
            ("unlink", i.unlink()),
            ("move_to", i.move_to(b2, Place::End).map(drop)),
            ("erase", i.erase()),
            ("add_operand", i.add_operand(OperandList::Ins, &spec, Place::End).map(drop)),
            ("operand to it", operand.move_to(i, OperandList::Ins, Place::End)),
            ("set_schedule", i.set_schedule(10, 20)),
            ("set_schedule", i.set_schedule(0, 0)),
            ("set_debug_json", i.set_debug_json(None)),
            ("set_debug_json", i.set_debug_json(Some("{}"))),
            ("set_optin_passes", i.set_optin_passes::<&str>(&[])),
            ("set_optin_passes", i.set_optin_passes(&["a"])),
            ("set_predicates", i.set_predicates(&[])),
            ("set_order", i.set_order(&[])),
            ("set_debug_update_semaphore", i.set_debug_update_semaphore(None)),
            ("set_debug_update_semaphore", i.set_debug_update_semaphore(Some(1))),
            ("add_dependency", i.add_dependency(copy, EdgeKind::Flow, EdgeSet::Normal).map(drop)),
            ("dependency on it", copy.add_dependency(i, EdgeKind::Flow, EdgeSet::Normal).map(drop)),
            ("remove_dependency", i.remove_dependency(copy, EdgeSet::Normal).map(drop)),
            ("remove_dependency on it", copy.remove_dependency(i, EdgeSet::Normal).map(drop)),
            ("add_unroll_dependency", i.add_unroll_dependency(copy, EdgeKind::Flow, &[], &[])),
            ("unroll dependency on it", copy.add_unroll_dependency(i, EdgeKind::Flow, &[], &[])),
            ("add_wait", i.add_wait(wait(None))),
            ("wait for it", copy.add_wait(wait(Some(i)))),
            ("set_wait_producer", i.set_wait_producer(0, None).map(drop)),
            ("add_update", i.add_update(update())),
            ("set_sync_info", i.set_sync_info(true)),
            ("set_sync_info", i.set_sync_info(false)),
            ("set_loopnest", i.set_loopnest(&[])),
        ]);
    }
    results.extend([
        ("set_loop_axis", l.set_loop_axis("i", 0, 1, 1).map(drop)),
        ("set_dynamic_axis", d.set_dynamic_axis("d", expr, expr, expr).map(drop)),
        ("add_block", l.block_holder().unwrap().add_block("b", Place::End).map(drop)),
        ("block to it", b2.move_to(l.block_holder().unwrap(), Place::End).map(drop)),
        ("nest of its axis", bare.set_loopnest(&[axis])),
        ("value of its axis", m.axis_value(axis).map(drop)),
    ]);
    refused(results, &m, &before);
    Ok(())
}

#[test]
fn erased_blocks_functions_and_queues_do_not_change() -> Result<()> {
    let m = sample()?;
    let (b1, body, b2) = (block(&m, "b1"), block(&m, "body"), block(&m, "b2"));
    let (other, q, copy, argument) = (function(&m, "other"), queue(&m, "q"), inst(&m, "copy"), phi(&m));
    let (x, bare) = (location(&m, "x"), inst(&m, "bare"));
    let qb = q.find_block("qb").unwrap();
    b1.erase()?;
    other.erase()?;
    q.erase()?;
    let before = dump(&m);
    let mut results = vec![];
    for b in [b1, body, qb] {
        assert!(b.is_erased() && b.holder().is_none() && b.function().is_none() && b.next().is_none());
        assert_eq!((b.instructions().count(), b.arguments().count()), (0, 0));
        assert!(b.find_instruction("copy").is_none() && b.find_instruction_outward("copy").is_none());
        results.extend([
            ("set_name", b.set_name("x").map(drop)),
            ("unlink", b.unlink()),
            ("move_to", b.move_to(function(&m, "main").block_holder(), Place::End).map(drop)),
            ("erase", b.erase()),
            ("add_instruction", b.add_instruction(Op::NoOp, "x", Place::End).map(drop)),
            ("add_argument", b.add_argument("x", Place::End).map(drop)),
            ("instruction to it", bare.move_to(b, Place::End).map(drop)),
        ]);
    }
    assert!(copy.is_erased() && argument.block().is_none() && argument.location().is_none());
    results.extend([
        ("argument set_name", argument.set_name("x")),
        ("argument set_location", argument.set_location(None)),
        ("argument set_location", argument.set_location(Some(x.base()))),
        ("argument add_incoming", argument.add_incoming(x.base(), b2)),
        ("argument erase", argument.erase()),
    ]);
    assert!(other.holder().is_none() && other.blocks().next().is_none() && other.instructions().next().is_none());
    let main = function(&m, "main");
    results.extend([
        ("function set_name", other.set_name("x").map(drop)),
        ("function unlink", other.unlink()),
        ("function move_to", other.move_to(m.function_holder(), Place::End).map(drop)),
        ("function erase", other.erase()),
        ("function add_block", other.add_block("x", Place::End).map(drop)),
        ("function add_set", other.add_set("x", TensorKind::Internal, DTYPE, Place::End).map(drop)),
        ("function add_register", other.add_register("x", Place::End).map(drop)),
        ("function set_attributes", other.set_attributes(&["x"])),
        ("block to the function", main.find_block("b2").unwrap().move_to(other.block_holder(), Place::End).map(drop)),
        ("storage to the function", register(&m, "r1").storage().move_to(other, Place::End).map(drop)),
        ("queue set_name", q.set_name("x").map(drop)),
        ("queue unlink", q.unlink()),
        ("queue move_to", q.move_to(Place::End).map(drop)),
        ("queue erase", q.erase()),
        ("queue add_block", q.add_block("x", Place::End).map(drop)),
        ("queue set_attributes_json", q.set_attributes_json("{}")),
    ]);
    refused(results, &m, &before);
    assert!(q.engine()? == EngineType::Unassigned && q.find_block("qb").is_none() && q.module().is_err());
    Ok(())
}

#[test]
fn erased_storage_and_operands_do_not_change() -> Result<()> {
    let m = sample()?;
    let (x_set, x, y) = (set(&m, "x_set"), location(&m, "x"), location(&m, "y"));
    let (p_set, p, r1) = (set(&m, "p_set"), location(&m, "p"), register(&m, "r1"));
    let (z, argument) = (location(&m, "z"), phi(&m));
    let mut operands = vec![];
    for name in ["copy", "mixed"] {
        operands.extend(OperandList::ALL.into_iter().flat_map(|l| inst(&m, name).operands(l)));
    }
    operands.iter().try_for_each(|o| o.erase())?;
    r1.erase()?;
    p_set.erase()?;
    z.erase()?;
    let before = dump(&m);
    let mut results = vec![];
    for o in &operands {
        assert!(o.is_erased() && o.next().is_none() && o.prev().is_none());
        results.extend([
            ("erase", o.erase()),
            ("move_to", o.move_to(inst(&m, "bare"), OperandList::Ins, Place::End)),
            ("set_dtype", o.set_dtype(DTYPE)),
            ("set_storage", o.set_storage(x.base())),
            ("set_pattern", o.set_pattern(&pairs(1))),
            ("set_access_shape", o.set_access_shape(&[1])),
            ("set_offset", o.set_offset(1)),
            ("set_dynamic", o.set_dynamic(None)),
            ("set_addrs", o.set_addrs(&[])),
            ("set_tensor_indirection", o.set_tensor_indirection(1, 1)),
            ("set_register", o.set_register(0, None)),
            ("set_register_constants", o.set_register_constants(1, 1, false)),
            ("set_immediate_bits", o.set_immediate_bits(1)),
            ("set_immediate_array", o.set_immediate_array(&[1])),
        ]);
    }
    for s in [p_set.storage(), r1.storage()] {
        assert!(s.is_erased() && s.function().is_none() && s.next().is_none() && s.base().function().is_none());
        results.extend([
            ("set_name", s.set_name("x").map(drop)),
            ("unlink", s.unlink()),
            ("move_to", s.move_to(function(&m, "main"), Place::End).map(drop)),
            ("erase", s.erase()),
            ("replace by it", s.base().replace_all_uses_with(s.base()).map(drop)),
            ("bind to it", argument.set_location(Some(s.base()))),
            ("value of it", argument.add_incoming(s.base(), block(&m, "b1"))),
        ]);
    }
    assert_eq!((p_set.location_count(), p_set.find_location("p").is_none()), (0, true));
    results.extend([
        ("replace set", p_set.storage().base().replace_all_uses_with(x_set.storage().base()).map(drop)),
        ("replace by set", x_set.storage().base().replace_all_uses_with(p_set.storage().base()).map(drop)),
        ("add_location", p_set.add_location("x", MemoryType::SB, Place::End).map(drop)),
        ("set_tensor_shape", p_set.set_tensor_shape(&[1])),
        ("set_file", p_set.set_file("x")),
        ("set_debug_json", p_set.set_debug_json("x")),
        ("location to it", y.move_to(p_set, Place::End).map(drop)),
        ("register_value", m.register_value(r1).map(drop)),
        ("operand", add(&m, OperandSpec::Register { register: r1, dtype: DTYPE })),
    ]);
    for l in [p, z] {
        assert!(l.is_erased() && l.set().is_none() && l.aliases().next().is_none() && l.next().is_none());
        assert!(l.base().memory_type().is_ok() && l.base().tensor_kind().is_ok() && l.dims().count() == 0);
        results.extend([
            ("set_name", l.set_name("x").map(drop)),
            ("unlink", l.unlink()),
            ("move_to", l.move_to(x_set, Place::End).map(drop)),
            ("erase", l.erase()),
            ("set_memory_type", l.set_memory_type(MemoryType::SB)),
            ("set_pinned", l.set_pinned(true)),
            ("set_dims", l.set_dims(&[1])),
            ("set_pack_id_hint", l.set_pack_id_hint(-1)),
            ("set_pointer_ref_memloc", l.set_pointer_ref_memloc(None)),
            (
                "pointer to it",
                y.set_pointer_ref_memloc(Some(l)).or_else(|e| {
                    // Only a Pointer may have one; the erased set's own location would be the only one here.
                    if e.code == ErrorCode::BadValue { l.set_pointer_ref_memloc(Some(l)) } else { Err(e) }
                }),
            ),
            ("set_optin_passes", l.set_optin_passes(&["x"])),
            ("set_alloced_func", l.set_alloced_func(None)),
            ("set_remote_writer_func", l.set_remote_writer_func(None)),
            ("set_remote_local_target", l.set_remote_local_target(None)),
            ("set_device_print_metadata_json", l.set_device_print_metadata_json("x")),
            ("operand", add(&m, OperandSpec::Physical { location: l, dtype: DTYPE, pattern: &pairs(1), offset: 0 })),
        ]);
        assert!(!l.remove_alias(x));
    }
    results.push(("alias with it", x.add_alias(z, 1)));
    results.push(("alias of it", z.add_alias(x, 1)));
    refused(results, &m, &before);
    Ok(())
}

/// What is in use is not erased, and nothing around it either; incoming values of block arguments are uses, too.
#[test]
fn what_is_in_use_stays_whole() -> Result<()> {
    let m = sample()?;
    let main = function(&m, "main");
    let before = dump(&m);
    for result in
        [location(&m, "x").erase(), location(&m, "y").erase(), set(&m, "x_set").erase(), register(&m, "r0").erase()]
    {
        assert_eq!(result.unwrap_err().code, ErrorCode::StillReferenced);
        assert_eq!(dump(&m), before);
    }
    // A use from a queue keeps the whole function; so does a block argument there.
    let qb = queue(&m, "q").find_block("qb").unwrap();
    let outside = qb.add_argument("outside", Place::End)?;
    for bind in [true, false] {
        match bind {
            true => outside.set_location(Some(location(&m, "z").base()))?,
            false => outside.add_incoming(register(&m, "r1").storage().base(), qb)?,
        }
        let before = dump(&m);
        assert_eq!(main.erase().unwrap_err().code, ErrorCode::StillReferenced);
        assert_eq!(dump(&m), before);
        outside.set_location(None)?;
        outside.clear_incoming();
    }
    let operand = inst(&m, "copy").ins().next().unwrap();
    let dma = qb.find_instruction("dma").unwrap();
    operand.move_to(dma, OperandList::Ins, Place::End)?;
    let before = dump(&m);
    assert_eq!(main.erase().unwrap_err().code, ErrorCode::StillReferenced);
    assert_eq!(dump(&m), before);
    operand.erase()?;
    // An unlinked user counts as well: it may come back.
    let copy = inst(&m, "copy");
    copy.unlink()?;
    assert_eq!(main.erase().unwrap_err().code, ErrorCode::StillReferenced);
    copy.erase()?;
    main.erase()?;
    assert!(m.find_function("main").is_none());
    Ok(())
}
