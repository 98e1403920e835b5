//! Every single change that the public interface can make to the rich module.

// The table calls setters of all kinds in one form.
#![allow(clippy::unit_arg, clippy::type_complexity)]

use super::PATTERN;
use bir_core::Result;
use bir_core::enums::bir::{
    ArchLevel, ArchRevision, DMAQueueType, Dtype, EdgeKind, EngineType, IndirectDim, InstructionType as Op, MemoryType,
    NamedObjectOrigin, TensorKind, UpdateMode,
};
use bir_core::ir::{
    APPair, AffinePredicate, Argument, BasicBlock, DynamicSpec, EdgeSet, ExprKind, Function, Instruction,
    MemoryLocation, Module, ModuleRef, OperandList, OperandSpec, Place, QuasiAffineExpr, Update, Wait,
};

pub fn main_of(module: &ModuleRef) -> &Function {
    module.find_function("main").expect("the module has a main")
}

pub fn find<'m>(module: &'m ModuleRef, name: &str) -> &'m Instruction {
    main_of(module).find_instruction(name).expect("main has that instruction")
}

pub fn at<'m>(module: &'m ModuleRef, name: &str) -> &'m MemoryLocation {
    main_of(module).find_location(name).expect("main has that location")
}

pub fn block<'m>(module: &'m ModuleRef, name: &str) -> &'m BasicBlock {
    main_of(module).find_block(name).expect("main has that block")
}

pub fn operand<'m>(module: &'m ModuleRef, name: &str, list: OperandList, index: usize) -> &'m Argument {
    find(module, name).operand(list, index).expect("the instruction has that operand")
}

pub fn constant(module: &ModuleRef, c: i64) -> Result<QuasiAffineExpr<'_>> {
    module.expression(module.affine(&[], c)?)
}

/// A change, and the path where it is found.
pub type Change = (&'static str, fn(&Module) -> Result<()>);

pub const BODY: &str = "functions[0].blocks[0].instructions[1].blocks[0]";

/// `L0` stands for the path of the body of that loop.
pub const CHANGES: &[Change] = &[
    ("arch", |m| Ok(m.set_arch(ArchLevel::MEMBERS[0]))),
    ("revision", |m| Ok(m.set_revision(ArchRevision::MEMBERS[0]))),
    ("artifact_path", |m| m.set_artifact_path("")),
    ("artifact_info", |m| m.set_artifact_info("{}")),
    ("attributes", |m| m.set_attributes_json("{\"neuron_core_id\":1}")),
    ("functions[0].name", |m| main_of(m).set_name("Main").map(drop)),
    ("functions[0].origin", |m| Ok(main_of(m).set_origin(NamedObjectOrigin::Internal))),
    ("functions[0].attributes[1]", |m| main_of(m).set_attributes(&["need_unroll"])),
    ("functions[2]", |m| m.add_function("more", Place::End).map(drop)),
    ("functions[0].name", |m| m.add_function("more", Place::Start).map(drop)),
    ("functions[1].blocks[0].instructions[0]", |m| {
        m.find_function("callee").expect("callee").find_instruction("ret").expect("ret").erase()
    }),
    ("nki_functions.functions[0].origin", |m| {
        Ok(m.nki_holder()?.find_function("kernel").expect("kernel").set_origin(NamedObjectOrigin::Internal))
    }),
    // Storage.
    ("functions[0].allocations[0].name", |m| {
        main_of(m).find_set("x_set").expect("x_set").storage().set_name("s").map(drop)
    }),
    ("functions[0].allocations[0].kind", |m| Ok(at(m, "x").set().expect("a set").set_kind(TensorKind::Internal))),
    ("functions[0].allocations[0].dtype", |m| Ok(at(m, "x").set().expect("a set").set_dtype(Dtype::int8))),
    ("functions[0].allocations[0].tensor_shape[1]", |m| at(m, "x").set().expect("a set").set_tensor_shape(&[128, 1])),
    ("functions[0].allocations[0].partition_dim", |m| Ok(at(m, "x").set().expect("a set").set_partition_dim(0))),
    ("functions[0].allocations[0].file", |m| at(m, "x").set().expect("a set").set_file("weights.np")),
    ("functions[0].allocations[0].do_not_spill", |m| Ok(at(m, "x").set().expect("a set").set_do_not_spill(false))),
    ("functions[0].allocations[0].debug", |m| at(m, "x").set().expect("a set").set_debug_json("{}")),
    ("functions[0].allocations[0].memorylocations[0].addr", |m| Ok(at(m, "x").set_addr(0))),
    ("functions[0].allocations[0].memorylocations[0].base", |m| Ok(at(m, "x").set_base_partition(0))),
    ("functions[0].allocations[0].memorylocations[0].dims[0]", |m| at(m, "x").set_dims(&[1, 2048])),
    ("functions[0].allocations[0].memorylocations[0].dims[2]", |m| at(m, "x").set_dims(&[128, 2048, 1])),
    ("functions[0].allocations[0].memorylocations[0].pinned", |m| at(m, "x").set_pinned(false)),
    ("functions[0].allocations[0].memorylocations[0].optin_passes[1]", |m| at(m, "x").set_optin_passes(&["spill", ""])),
    ("functions[0].allocations[0].memorylocations[0].alloced_func", |m| at(m, "x").set_alloced_func(None)),
    ("functions[0].allocations[0].memorylocations[0].remote_local_target", |m| {
        at(m, "x").set_remote_local_target(Some(("remote", 4)))
    }),
    ("functions[0].allocations[0].memorylocations[0].device_print_metadata", |m| {
        at(m, "x").set_device_print_metadata_json("{\"rows\":3}")
    }),
    ("functions[0].allocations[0].memorylocations[0].runtime_reserved", |m| Ok(at(m, "x").set_runtime_reserved(false))),
    ("functions[0].allocations[0].memorylocations[0].alias", |m| at(m, "x").add_alias(at(m, "p"), 2)),
    ("functions[0].allocations[0].memorylocations[0].alias", |m| Ok(assert!(at(m, "p").remove_alias(at(m, "x"))))),
    ("functions[0].allocations[1].memorylocations[0].alias", |m| at(m, "y").add_alias(at(m, "p"), 1)),
    ("functions[0].allocations[3].memorylocations[0].type", |m| at(m, "a").set_memory_type(MemoryType::PSUM)),
    ("functions[0].allocations[2].memorylocations[0].pointer_ref_memloc", |m| {
        at(m, "p").set_pointer_ref_memloc(Some(at(m, "x")))
    }),
    ("functions[0].allocations[2].memorylocations[0].pointer_ref_memloc", |m| at(m, "p").set_pointer_ref_memloc(None)),
    ("functions[0].allocations[4].memorylocations[0].bank", |m| Ok(at(m, "psum").set_bank(2))),
    ("functions[0].allocations[4].memorylocations[0].pack_id_hint", |m| at(m, "psum").set_pack_id_hint(-1)),
    ("functions[0].allocations[4].tensorId2MemLocSize", |m| {
        at(m, "psum").set().expect("a set").add_location("z", MemoryType::PSUM, Place::End).map(drop)
    }),
    ("functions[0].allocations[5].dtype", |m| Ok(main_of(m).find_register("r0").expect("r0").set_dtype(None))),
    ("functions[0].allocations[5].num_physical_regs", |m| {
        Ok(main_of(m).find_register("r0").expect("r0").set_num_physical_regs(1))
    }),
    ("functions[0].allocations[5]", |m| {
        main_of(m).add_set(
            "r2",
            TensorKind::Internal,
            Dtype::int8,
            Place::Before(main_of(m).find_storage("r0").expect("r0")),
        )?;
        Ok(())
    }),
    // Blocks and their arguments.
    ("functions[0].blocks[0].name", |m| block(m, "exit").move_to(main_of(m).block_holder(), Place::Start).map(drop)),
    ("functions[0].blocks[2].origin", |m| Ok(block(m, "exit").set_origin(NamedObjectOrigin::NKI))),
    ("functions[0].blocks[1].arguments[0].name", |m| {
        block(m, "body").find_argument("phi").expect("phi").set_name("psi")
    }),
    ("functions[0].blocks[1].arguments[0].location", |m| {
        block(m, "body").find_argument("phi").expect("phi").set_location(Some(at(m, "psum").base()))
    }),
    ("functions[0].blocks[1].arguments[0].incoming_values[0]", |m| {
        Ok(block(m, "body").find_argument("phi").expect("phi").clear_incoming())
    }),
    ("functions[0].blocks[1].arguments[0].incoming_values[1].predecessor", |m| {
        let phi = block(m, "body").find_argument("phi").expect("phi");
        phi.clear_incoming();
        phi.add_incoming(at(m, "x").base(), block(m, "entry"))?;
        phi.add_incoming(at(m, "y").base(), block(m, "exit"))
    }),
    ("functions[0].blocks[1].arguments[1]", |m| block(m, "body").find_argument("register_phi").expect("phi").erase()),
    // Instructions: header.
    ("functions[0].blocks[1].instructions[0].name", |m| find(m, "I-4").set_name("I-5").map(drop)),
    ("functions[0].blocks[1].instructions[0].origin", |m| Ok(find(m, "I-4").set_origin(NamedObjectOrigin::NKI))),
    ("functions[0].blocks[2].instructions[0].opcode", |m| {
        find(m, "ret").erase()?;
        block(m, "exit").add_instruction(Op::Exit, "ret", Place::End).map(drop)
    }),
    ("functions[0].blocks[1].instructions[0].engine", |m| Ok(find(m, "I-4").set_engine(EngineType::DVE))),
    ("functions[0].blocks[1].instructions[0].engine_id", |m| Ok(find(m, "I-4").set_engine_id(0))),
    ("functions[0].blocks[1].instructions[0].scheduled_start", |m| find(m, "I-4").set_schedule(99, 200)),
    ("functions[0].blocks[1].instructions[0].scheduled_end", |m| find(m, "I-4").set_schedule(100, 201)),
    ("functions[0].blocks[1].instructions[0].optin_passes[0]", |m| find(m, "I-4").set_optin_passes::<&str>(&[])),
    ("functions[0].blocks[1].instructions[0].dependencies", |m| {
        find(m, "I-4").remove_dependency(find(m, "I-0"), EdgeSet::Normal).map(|found| assert!(found))
    }),
    ("functions[0].blocks[1].instructions[0].dependencies", |m| {
        find(m, "I-4").add_dependency(find(m, "I-0"), EdgeKind::Flow, EdgeSet::Normal).map(drop)
    }),
    ("functions[0].blocks[2].instructions[0].loop_carried_dependencies", |m| {
        find(m, "ret").add_dependency(find(m, "I-0"), EdgeKind::Flow, EdgeSet::LoopCarried).map(drop)
    }),
    ("L0.instructions[2].blocks[0].instructions[0].unroll_dependencies[1]", |m| {
        find(m, "I-3").add_unroll_dependency(find(m, "I-0"), EdgeKind::Flow, &[], &[])
    }),
    ("functions[0].blocks[2].instructions[0].sync_info", |m| find(m, "ret").set_sync_info(true)),
    ("functions[0].blocks[1].instructions[0].sync_info.on_wait[0].from", |m| {
        find(m, "I-4").set_wait_producer(0, Some(find(m, "I-1"))).map(|found| assert!(found))
    }),
    ("functions[0].blocks[1].instructions[0].sync_info.on_wait[3]", |m| {
        let wait = find(m, "I-4").waits().next().expect("a wait");
        find(m, "I-4").add_wait(Wait { id: 1, ..wait })
    }),
    ("functions[0].blocks[1].instructions[0].sync_info.on_update[2]", |m| {
        let mode = UpdateMode::MEMBERS[0];
        find(m, "I-4").add_update(Update { id: 1, value: 1, mode, sync_type: 0, target_core: None })
    }),
    ("functions[0].blocks[1].instructions[0].debug", |m| find(m, "I-4").set_debug_json(None)),
    ("functions[0].blocks[1].instructions[0].dma_trigger_debug_update_semaphore_id", |m| {
        find(m, "I-4").set_debug_update_semaphore(Some(7))
    }),
    ("L0.instructions[0].loopnest[0]", |m| find(m, "I-1").set_loopnest(&[])),
    ("L0.instructions[0].loopnest[0]", |m| {
        let other = find(m, "L0").axis().expect("i");
        let inner = find(m, "D0").axis().expect("j");
        assert_ne!(other.name(), inner.name());
        find(m, "I-1").set_loopnest(&[inner])
    }),
    ("L0.instructions[0].predicates[0].op", |m| {
        let expr = find(m, "I-1").predicates().next().expect("a predicate").expr;
        find(m, "I-1").set_predicates(&[AffinePredicate { expr, op: 0 }])
    }),
    ("L0.instructions[0].order[0].first", |m| {
        let axis = m.axis_value(find(m, "L0").axis().expect("i"))?;
        let changed = m.expression(m.affine(&[(axis, 512)], 1)?)?;
        find(m, "I-1").set_order(&[changed])
    }),
    ("L0.instructions[0].order[0].coeff[0]", |m| {
        let axis = m.axis_value(find(m, "L0").axis().expect("i"))?;
        let changed = m.expression(m.affine(&[(axis, 511)], 0)?)?;
        find(m, "I-1").set_order(&[changed])
    }),
    ("L0.instructions[0].order[0].terms[0].axis", |m| {
        let axis = m.axis_value(find(m, "D0").axis().expect("j"))?;
        let changed = m.expression(m.affine(&[(axis, 512)], 0)?)?;
        find(m, "I-1").set_order(&[changed])
    }),
    ("L0.instructions[0].order[1].terms[1].first", |m| {
        let old: Vec<_> = find(m, "I-1").order().collect();
        let shared = old[0].root().expect("an expression");
        let changed = m.expression(m.sum(&[shared, m.unary(ExprKind::ModuloKind, shared, 65, 0)?])?)?;
        find(m, "I-1").set_order(&[old[0], changed])
    }),
    ("L0.instructions[0].order[1].terms[1].kind", |m| {
        let old: Vec<_> = find(m, "I-1").order().collect();
        let shared = old[0].root().expect("an expression");
        let changed = m.expression(m.sum(&[shared, m.unary(ExprKind::FloorDivKind, shared, 64, 0)?])?)?;
        find(m, "I-1").set_order(&[old[0], changed])
    }),
    // Operands.
    ("functions[0].blocks[0].instructions[0].ins[0].value", |m| {
        operand(m, "I-0", OperandList::Ins, 0).set_immediate_bits(513)
    }),
    ("functions[0].blocks[0].instructions[0].ins[0].dtype", |m| {
        operand(m, "I-0", OperandList::Ins, 0).set_dtype(Dtype::int8)
    }),
    ("functions[0].blocks[0].instructions[0].outs[0].location", |m| {
        operand(m, "I-0", OperandList::Outs, 0)
            .set_storage(main_of(m).find_register("r1").expect("r1").storage().base())
    }),
    ("functions[0].blocks[0].instructions[0].ins[1]", |m| {
        let spec = OperandSpec::Immediate { dtype: Dtype::int8, bits: 0 };
        find(m, "I-0").add_operand(OperandList::Ins, &spec, Place::End).map(drop)
    }),
    ("L0.instructions[0].outs[0].pattern[1]", |m| {
        operand(m, "I-1", OperandList::Outs, 0).set_pattern(&[PATTERN[0], APPair { step: 1, num: 1 }])
    }),
    ("L0.instructions[0].outs[0].access_shape[0]", |m| operand(m, "I-1", OperandList::Outs, 0).set_access_shape(&[])),
    ("L0.instructions[0].outs[0].addrs[0].kind", |m| {
        operand(m, "I-1", OperandList::Outs, 0).set_addrs(&[m.expression(m.leaf(ExprKind::ShardIDKind, 4, 0)?)?])
    }),
    ("L0.instructions[0].outs[0].addrs[1]", |m| {
        let first = operand(m, "I-1", OperandList::Outs, 0).addrs().next().expect("an address");
        operand(m, "I-1", OperandList::Outs, 0).set_addrs(&[first])
    }),
    ("L0.instructions[0].outs[0].tensor_indirect_arg_id", |m| {
        operand(m, "I-1", OperandList::Outs, 0).set_tensor_indirection(-1, 3)
    }),
    ("L0.instructions[0].outs[0].symbolic_pwap", |m| {
        Ok(operand(m, "I-1", OperandList::Outs, 0).set_spelled_pwap(false))
    }),
    ("L0.instructions[1].ins[0].location", |m| operand(m, "I-2", OperandList::Ins, 0).set_storage(at(m, "y").base())),
    ("L0.instructions[1].ins[0].offset", |m| operand(m, "I-2", OperandList::Ins, 0).set_offset(0)),
    ("L0.instructions[1].ins[0].dynamic_ap_info", |m| operand(m, "I-2", OperandList::Ins, 0).set_dynamic(None)),
    ("L0.instructions[1].ins[0].dynamic_ap_info.actual_ap[1]", |m| {
        operand(m, "I-2", OperandList::Ins, 0).set_dynamic(Some(&DynamicSpec {
            actual_ap: &PATTERN[..1],
            aff_expr: &[],
            c: 9,
            indirect_dim: IndirectDim::MEMBERS[1],
            indirect_dim_max_index: 15,
        }))
    }),
    ("L0.instructions[1].ins[0].dynamic_ap_info.aff_expr[0].offset_expr.n_terms", |m| {
        operand(m, "I-2", OperandList::Ins, 0).set_dynamic(Some(&DynamicSpec {
            actual_ap: &PATTERN,
            aff_expr: &[(constant(m, 0)?, 4)],
            c: 9,
            indirect_dim: IndirectDim::MEMBERS[1],
            indirect_dim_max_index: 15,
        }))
    }),
    // Loops.
    ("functions[0].blocks[0].instructions[1].LoopAxis.name", |m| find(m, "L0").set_loop_axis("k", 0, 4, 1).map(drop)),
    ("functions[0].blocks[0].instructions[1].LoopAxis.lb", |m| find(m, "L0").set_loop_axis("i", -1, 4, 1).map(drop)),
    ("functions[0].blocks[0].instructions[1].LoopAxis.stride", |m| find(m, "L0").set_loop_axis("i", 0, 4, 2).map(drop)),
    ("L0.instructions[2].DynamicForLoopAxis.ub.kind", |m| {
        let axis = find(m, "D0").axis().and_then(|a| a.as_dynamic()).expect("j");
        find(m, "D0").set_dynamic_axis("j", axis.lb(), constant(m, 7)?, axis.stride()).map(drop)
    }),
    ("L0.instructions[2].blocks[0].name", |m| {
        find(m, "D0").block_holder().expect("blocks").blocks().next().expect("a block").set_name("other").map(drop)
    }),
    ("L0.instructions[2].blocks[1]", |m| {
        find(m, "D0").block_holder().expect("blocks").add_block("more", Place::End).map(drop)
    }),
    ("L0.instructions[2].blocks[0].instructions[0].ins[0].value_list[1]", |m| {
        let old = operand(m, "I-3", OperandList::Ins, 0);
        let expr = old.symbolic_immediate().expect("symbolic").1;
        let spec = OperandSpec::SymbolicImmediate { dtype: Dtype::int32, values: &[1, 3], expr };
        find(m, "I-3").add_operand(OperandList::Ins, &spec, Place::Before(old))?;
        old.erase()
    }),
    ("L0.instructions[2].blocks[0].instructions[0].ins[1].value_array[1]", |m| {
        operand(m, "I-3", OperandList::Ins, 1).set_immediate_array(&[5, 6])
    }),
    ("L0.instructions[2].blocks[0].instructions[0].indirection_ins[0].reg_ap_offset", |m| {
        operand(m, "I-3", OperandList::IndirectionIns, 0).set_register(1, None)
    }),
    ("L0.instructions[2].blocks[0].instructions[0].indirection_ins[0].regref", |m| {
        operand(m, "I-3", OperandList::IndirectionIns, 0).set_register(0, main_of(m).find_register("r1"))
    }),
    ("L0.instructions[2].blocks[0].instructions[0].indirection_ins[0].is_regloc_offset", |m| {
        operand(m, "I-3", OperandList::IndirectionIns, 0).set_register_constants(8, 1, false)
    }),
    // Queues.
    ("queues[0].name", |m| m.find_queue("q_dyn").expect("q_dyn").move_to(Place::End).map(drop)),
    ("queues[0].type", |m| Ok(m.find_queue("q_dyn").expect("q_dyn").set_queue_type(DMAQueueType::data))),
    ("queues[0].engine", |m| Ok(m.find_queue("q_dyn").expect("q_dyn").set_engine(EngineType::DMA))),
    ("queues[0].num_dma_engines", |m| Ok(m.find_queue("q_dyn").expect("q_dyn").set_num_dma_engines(0))),
    ("queues[0].attributes", |m| m.find_queue("q_dyn").expect("q_dyn").set_attributes_json("")),
    ("queues[0].blocks[0].instructions[0].blocks[0].instructions[0].ins[0].location", |m| {
        let holder = m.find_queue("q_dyn").expect("q_dyn").block_holder();
        let kx = m.nki_holder()?.find_function("kernel").expect("kernel").find_location("kx").expect("kx");
        holder.find_instruction("desc").expect("desc").ins().next().expect("an operand").set_storage(kx.base())
    }),
    ("queues[1]", |m| m.find_queue("q_empty").expect("q_empty").erase()),
];
