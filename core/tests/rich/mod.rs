//! A module with everything that the public interface can put into one, and exact dumps of modules.
#![allow(dead_code)]

pub mod changes;

use bir_core::Result;
use bir_core::enums::bir::{
    ArchLevel, ArchRevision, DMAQueueType, Dtype, EdgeKind, EngineType, IndirectDim, InstructionType as Op,
    MemoryAddressSpace, MemoryType, NamedObjectOrigin, TensorClass, TensorKind, UpdateMode, WaitMode,
};
use bir_core::ir::{
    APPair, AffinePredicate, BasicBlock, BasicBlockHolder, DynamicSpec, EdgeSet, ExprKind, Function, Instruction,
    MemoryLocation, Module, ModuleRef, OperandList, OperandSpec, Place, StorageBase, Update, Wait,
};
use std::fmt::Write;

pub const PATTERN: [APPair; 2] = [APPair { step: 512, num: 128 }, APPair { step: 1, num: 512 }];

fn location<'m>(
    function: &'m Function,
    name: &str,
    kind: TensorKind,
    memory: MemoryType,
) -> Result<&'m MemoryLocation> {
    let set = function.add_set(&format!("{name}_set"), kind, Dtype::float32, Place::End)?.object;
    let location = set.add_location(name, memory, Place::End)?.object;
    location.set_dims(&[128, 2048])?;
    Ok(location)
}

fn physical<'a, 'm>(location: &'m MemoryLocation) -> OperandSpec<'a, 'm> {
    OperandSpec::Physical { location, dtype: Dtype::float32, pattern: &PATTERN, offset: 0 }
}

/// Sets, aliases, a pointer, registers; three blocks with block arguments, a static and a dynamic loop, all kinds of
/// operands, edges of all kinds, semaphores; a second and an NKI function; a queue with a DMA block.
pub fn rich() -> Result<Module> {
    let module = Module::new()?;
    module.set_arch(ArchLevel::MEMBERS[1]);
    module.set_revision(ArchRevision::MEMBERS[1]);
    module.set_artifact_path("a path that is longer than fifteen bytes")?;
    module.set_artifact_info("{\"eng_dma\":1}")?;
    module.set_attributes_json("{\"neuron_core_id\":0}")?;
    let main = module.add_function("main", Place::End)?.object;
    main.set_attributes(&["need_unroll", "an attribute that is not short"])?;
    main.set_origin(NamedObjectOrigin::Penguin);
    fill_main(&module, main)?;
    let callee = module.add_function("callee", Place::End)?.object;
    location(callee, "x", TensorKind::Internal, MemoryType::SB)?;
    callee.add_block("entry", Place::End)?.add_instruction(Op::Return, "ret", Place::End)?;
    let kernel = module.nki_holder()?.add_function("kernel", Place::End)?.object;
    kernel.set_origin(NamedObjectOrigin::NKI);
    let k = kernel.add_block("entry", Place::End)?.add_instruction(Op::TensorCopy, "copy", Place::End)?.object;
    let kx = location(kernel, "kx", TensorKind::Internal, MemoryType::SB)?;
    k.add_operand(OperandList::Outs, &physical(kx), Place::End)?;
    fill_queue(&module, main)?;
    Ok(module)
}

fn fill_storage(main: &Function) -> Result<()> {
    let x = location(main, "x", TensorKind::ExternalInput, MemoryType::DRAM)?;
    let y = location(main, "y", TensorKind::Internal, MemoryType::DRAM)?;
    let pointer = location(main, "p", TensorKind::Pointer, MemoryType::DRAM)?;
    location(main, "a", TensorKind::Internal, MemoryType::SB)?;
    let psum = location(main, "psum", TensorKind::Internal, MemoryType::PSUM)?;
    x.add_alias(y, 3)?;
    x.add_alias(pointer, 1)?;
    pointer.set_pointer_ref_memloc(Some(y))?;
    psum.set_bank(-2);
    psum.set_pack_id_hint(4)?;
    x.set_addr(0x1000);
    x.set_base_partition(32);
    x.set_tensor_id(0);
    x.set_var_id(7);
    x.set_allocated(true);
    x.set_pinned(true)?;
    x.set_optin_passes(&["spill", "an opt-in pass with a long name"])?;
    x.set_alloced_func(Some("main"))?;
    x.set_remote_writer_func(Some("a function of another core"))?;
    x.set_remote_local_target(Some(("remote", 3)))?;
    x.set_device_print_metadata_json("{\"rows\":2}")?;
    x.set_runtime_reserved(true);
    let set = x.set().expect("x has a set");
    set.set_tensor_shape(&[128, 512])?;
    set.set_partition_dim(1);
    set.set_file("weights.npy")?;
    set.set_debug_json("{\"tensor_name\":\"x\"}")?;
    set.set_do_not_spill(true);
    set.set_tensor_class(TensorClass::MEMBERS[1]);
    set.set_addr_space(MemoryAddressSpace::MEMBERS[1]);
    let r0 = main.add_register("r0", Place::End)?.object;
    r0.set_dtype(Some(Dtype::int32));
    r0.set_num_physical_regs(2);
    main.add_register("r1", Place::End)?;
    Ok(())
}

fn fill_main(module: &Module, main: &Function) -> Result<()> {
    fill_storage(main)?;
    let at = |name: &str| main.find_location(name).expect("made above");
    let r = |name: &str| main.find_register(name).expect("made above");
    let a_set = at("a").set().expect("in a set");
    let entry = main.add_block("entry", Place::End)?.object;
    let body = main.add_block("body", Place::End)?.object;
    let exit = main.add_block("exit", Place::End)?.object;

    let first = entry.add_instruction(Op::RegisterMove, "I-0", Place::End)?.object;
    first.set_engine(EngineType::ALL);
    first.add_operand(OperandList::Ins, &OperandSpec::Immediate { dtype: Dtype::int32, bits: 512 }, Place::End)?;
    first.add_operand(
        OperandList::Outs,
        &OperandSpec::Register { register: r("r0"), dtype: Dtype::int32 },
        Place::End,
    )?;

    let outer = entry.add_instruction(Op::Loop, "L0", Place::End)?.object;
    let i = outer.set_loop_axis("i", 0, 4, 1)?;
    let loop_body = outer.block_holder().expect("a loop holds blocks").add_block("L0_body", Place::End)?.object;
    let shared = module.affine(&[(module.axis_value(i)?, 512)], 0)?;
    let addr = module.expression(shared)?;
    let doubled = module.expression(module.sum(&[shared, module.unary(ExprKind::ModuloKind, shared, 64, 0)?])?)?;
    let runtime = module.expression(module.register_value(r("r1"))?)?;

    let inner = loop_body.add_instruction(Op::Memset, "I-1", Place::End)?.object;
    inner.set_loopnest(&[i])?;
    inner.set_predicates(&[AffinePredicate { expr: addr, op: 1 }])?;
    inner.set_order(&[addr, doubled])?;
    let symbolic =
        OperandSpec::Symbolic { set: a_set, dtype: Dtype::float32, pattern: &PATTERN, addrs: &[addr, doubled] };
    let out = inner.add_operand(OperandList::Outs, &symbolic, Place::End)?;
    out.set_access_shape(&[128, 512])?;
    out.set_tensor_indirection(2, 3)?;
    out.set_spelled_pwap(true);

    let copy = loop_body.add_instruction(Op::TensorCopy, "I-2", Place::End)?.object;
    let read = copy.add_operand(OperandList::Ins, &physical(at("x")), Place::End)?;
    read.set_offset(16)?;
    read.set_dynamic(Some(&DynamicSpec {
        actual_ap: &PATTERN,
        aff_expr: &[(addr, 4), (runtime, -1)],
        c: 9,
        indirect_dim: IndirectDim::MEMBERS[1],
        indirect_dim_max_index: 15,
    }))?;
    copy.add_operand(OperandList::Outs, &physical(at("a")), Place::End)?;

    let dynamic = loop_body.add_instruction(Op::DynamicForLoop, "D0", Place::End)?.object;
    let one = module.expression(module.affine(&[], 1)?)?;
    let j = dynamic.set_dynamic_axis("j", addr, runtime, one)?.as_axis();
    let dynamic_body = dynamic.block_holder().expect("a loop holds blocks").add_block("D0_body", Place::End)?.object;
    let deep = dynamic_body.add_instruction(Op::TensorCopy, "I-3", Place::End)?.object;
    deep.set_loopnest(&[i, j])?;
    let both = module.expression(module.affine(&[(module.axis_value(i)?, 1), (module.axis_value(j)?, 2)], 3)?)?;
    let immediate = OperandSpec::SymbolicImmediate { dtype: Dtype::int32, values: &[1, 2], expr: both };
    deep.add_operand(OperandList::Ins, &immediate, Place::End)?;
    deep.add_operand(
        OperandList::Ins,
        &OperandSpec::ImmediateArray { dtype: Dtype::int32, values: &[5, -6] },
        Place::End,
    )?;
    let access = OperandSpec::RegisterPattern {
        set: a_set,
        dtype: Dtype::float32,
        pattern: &PATTERN,
        register: r("r0"),
        offset_register: Some(r("r0")),
        sub_tensor_register: Some(r("r1")),
    };
    let access = deep.add_operand(OperandList::IndirectionIns, &access, Place::End)?;
    access.set_register_constants(8, 1, true)?;

    inner.add_dependency(first, EdgeKind::Flow, EdgeSet::Normal)?;
    copy.add_dependency(inner, EdgeKind::Flow, EdgeSet::Normal)?;
    inner.add_dependency(copy, EdgeKind::Anti, EdgeSet::LoopCarried)?;
    deep.add_dependency(copy, EdgeKind::Output, EdgeSet::Normal)?;
    deep.add_unroll_dependency(inner, EdgeKind::Flow, &[addr], &[AffinePredicate { expr: both, op: 0 }])?;

    let last = body.add_instruction(Op::TensorCopy, "I-4", Place::End)?.object;
    last.set_engine(EngineType::Pool);
    last.set_engine_id(1);
    last.set_schedule(100, 200)?;
    last.set_debug_json(Some("{\"lineno\":42,\"file\":\"a.py\"}"))?;
    last.set_optin_passes(&["dce"])?;
    last.set_debug_update_semaphore(Some(6))?;
    last.set_origin(NamedObjectOrigin::Penguin);
    last.add_operand(OperandList::Ins, &physical(at("a")), Place::End)?;
    last.add_operand(OperandList::Outs, &physical(at("y")), Place::End)?;
    last.add_dependency(first, EdgeKind::Ordered, EdgeSet::Normal)?;
    last.add_dependency(deep, EdgeKind::Flow, EdgeSet::Normal)?;
    for (id, from) in [(3, Some(copy)), (4, None), (5, Some(first))] {
        last.add_wait(Wait { id, value: 16, mode: WaitMode::MEMBERS[0], sync_type: 1, from })?;
    }
    for target_core in [None, Some(1)] {
        last.add_update(Update { id: 7, value: 2, mode: UpdateMode::MEMBERS[0], sync_type: 2, target_core })?;
    }
    let phi = body.add_argument("phi", Place::End)?;
    phi.set_location(Some(at("a").base()))?;
    phi.add_incoming(at("x").base(), entry)?;
    phi.add_incoming(at("y").base(), body)?;
    let register_phi = body.add_argument("register_phi", Place::End)?;
    register_phi.set_location(Some(r("r1").storage().base()))?;
    exit.add_instruction(Op::Return, "ret", Place::End)?;
    Ok(())
}

fn fill_queue(module: &Module, main: &Function) -> Result<()> {
    let queue = module.add_queue("q_dyn", DMAQueueType::MEMBERS[8], Place::End)?.object;
    queue.set_engine(EngineType::Pool);
    queue.set_engine_id(2);
    queue.set_num_dma_engines(16);
    queue.set_attributes_json("{\"kept\":[1,2,3],\"verbatim\":true}")?;
    let instance = queue.add_block("q_dyn_bb", Place::End)?.object;
    let dma = instance.add_instruction(Op::DMABlock, "dma_block_0", Place::End)?.object;
    let nested = dma.block_holder().expect("a DMA block holds blocks").add_block("descriptors", Place::End)?.object;
    let descriptor = nested.add_instruction(Op::DMADescriptorCopy, "desc", Place::End)?.object;
    let x = main.find_location("x").expect("made above");
    descriptor.add_operand(OperandList::Ins, &physical(x), Place::End)?;
    let wait = Wait { id: 9, value: 1, mode: WaitMode::MEMBERS[1], sync_type: 0, from: Some(dma) };
    main.find_instruction("I-0").expect("made above").add_wait(wait)?;
    module.add_queue("q_empty", DMAQueueType::data, Place::End)?;
    Ok(())
}

/// Everything observable of a module, ids and the order of use lists included.
pub fn dump(module: &ModuleRef) -> String {
    let mut out = format!("next {} {}\n", module.next_unique_id(), module.artifact_path());
    for function in module.functions().chain(module.nki_functions()) {
        dump_function(&mut out, function);
    }
    for queue in module.queues() {
        writeln!(out, "{queue:?} {}", queue.attributes_json()).expect("text");
        dump_blocks(&mut out, queue.block_holder());
    }
    out
}

/// Everything observable of a function.
pub fn dump_function(out: &mut String, function: &Function) {
    writeln!(out, "{function:?} storages {} blocks {}", function.storage_count(), function.block_count())
        .expect("text");
    for storage in function.storages() {
        dump_uses(out, storage.base());
        for location in storage.as_set().into_iter().flat_map(|s| s.locations()) {
            dump_uses(out, location.base());
            let mut aliases: Vec<_> = location.aliases().map(|(l, b)| (l.unique_id(), b)).collect();
            aliases.sort_unstable();
            writeln!(out, "  aliases {aliases:?} at {:?}", location.pointer_ref_memloc()).expect("text");
        }
    }
    dump_blocks(out, function.block_holder());
}

fn dump_uses(out: &mut String, storage: &StorageBase) {
    let ids =
        |users: &mut dyn Iterator<Item = &bir_core::ir::Argument>| users.map(|a| a.unique_id()).collect::<Vec<_>>();
    let (readers, writers) = (ids(&mut storage.readers()), ids(&mut storage.writers()));
    writeln!(out, "{storage:?} read by {readers:?} written by {writers:?}").expect("text");
}

fn dump_blocks(out: &mut String, holder: &BasicBlockHolder) {
    for block in holder.blocks() {
        dump_block(out, block);
    }
}

/// Everything observable of a block.
pub fn dump_block(out: &mut String, block: &BasicBlock) {
    writeln!(out, "{block:?} arguments {}", block.argument_count()).expect("text");
    for argument in block.arguments() {
        let incoming: Vec<_> = argument.incoming().collect();
        writeln!(out, "{argument:?} {:?} {incoming:?}", argument.location()).expect("text");
    }
    for instruction in block.instructions() {
        dump_instruction(out, instruction);
        if let Some(holder) = instruction.block_holder() {
            dump_blocks(out, holder);
        }
    }
}

fn dump_instruction(out: &mut String, i: &Instruction) {
    let edges: Vec<_> = [EdgeSet::Normal, EdgeSet::LoopCarried]
        .into_iter()
        .flat_map(|s| i.dependencies(s).chain(i.descendents(s)).map(|e| (e.target.unique_id(), e.kind)))
        .collect();
    let operands: Vec<_> = OperandList::ALL
        .into_iter()
        .flat_map(|l| i.operands(l))
        .map(|o| (o.unique_id(), o.list(), o.storage(), o.pattern().collect::<Vec<_>>()))
        .collect();
    let waits: Vec<_> = i.waits().collect();
    writeln!(out, "{i:?} own schedule {} edges {edges:?} {waits:?}", !i.shares_schedule()).expect("text");
    writeln!(out, "  axis {:?} nest {:?} {operands:?}", i.axis(), i.loopnest().collect::<Vec<_>>()).expect("text");
}
