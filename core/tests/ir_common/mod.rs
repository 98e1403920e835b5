//! What the tests of the objects share: a module with something of everything, and a text of all that can be read from it.
#![allow(dead_code, reason = "each test file uses a part")]

pub mod raw;

use bir_core::Result;
use bir_core::enums::bir::{
    ArchLevel, ArchRevision, DMAQueueType, Dtype, EdgeKind, EngineType, IndirectDim, InstructionType as Op, MemoryType,
    NamedObjectOrigin, TensorKind, UpdateMode, WaitMode,
};
use bir_core::ir::{
    APPair, AffinePredicate, Argument, BasicBlock, BasicBlockHolder, DMAQueue, DynamicSpec, EdgeSet, ExprKind,
    ExprNode, Function, FunctionHolder, Instruction, MemoryLocation, MemoryLocationSet, Module, ModuleRef, OperandList,
    OperandSpec, Place, QuasiAffineExpr, Register, StorageBase, Update, Wait,
};
use std::fmt::Write;

/// A text that does not fit into a string's inline buffer.
pub const LONG: &str = "a text of more than fifteen bytes";

pub fn pairs(dims: usize) -> Vec<APPair> {
    (0..dims).map(|i| APPair { step: i as i64 + 1, num: 2 }).collect()
}

/// Objects of [`sample`] by name.
pub fn function<'m>(m: &'m ModuleRef, name: &str) -> &'m Function {
    m.find_function(name).or_else(|| m.nki_holder().unwrap().find_function(name)).unwrap()
}
pub fn block<'m>(m: &'m ModuleRef, name: &str) -> &'m BasicBlock {
    function(m, "main").block_holder().find_block_below(name).unwrap()
}
pub fn inst<'m>(m: &'m ModuleRef, name: &str) -> &'m Instruction {
    function(m, "main").find_instruction(name).unwrap()
}
pub fn set<'m>(m: &'m ModuleRef, name: &str) -> &'m MemoryLocationSet {
    function(m, "main").find_set(name).unwrap()
}
pub fn register<'m>(m: &'m ModuleRef, name: &str) -> &'m Register {
    function(m, "main").find_register(name).unwrap()
}
pub fn location<'m>(m: &'m ModuleRef, name: &str) -> &'m MemoryLocation {
    function(m, "main").find_location(name).unwrap()
}
pub fn queue<'m>(m: &'m ModuleRef, name: &str) -> &'m DMAQueue {
    m.find_queue(name).unwrap()
}
/// `3 + 2 * i` over the axis of the loop, or a plain number where there is none.
pub fn expression(m: &ModuleRef) -> Result<QuasiAffineExpr<'_>> {
    let axis = inst(m, "loop").axis().unwrap();
    m.expression(m.affine(&[(m.axis_value(axis)?, 2)], 3)?)
}

/// A module with at least one object of each class, and each optional part of an object present once and absent once.
pub fn sample() -> Result<Module> {
    let module = Module::new()?;
    build(&module)?;
    Ok(module)
}

pub fn build(m: &ModuleRef) -> Result<()> {
    m.set_arch(ArchLevel::gen3);
    m.set_revision(ArchRevision::v1);
    m.set_artifact_path("out/")?;
    m.set_artifact_info("{}")?;
    m.set_attributes_json("{\"a\":1}")?;
    let main = m.add_function("main", Place::End)?.object;
    m.add_function("other", Place::End)?.add_block("ob", Place::End)?;
    m.nki_holder()?.add_function("kernel", Place::End)?.set_origin(NamedObjectOrigin::NKI);
    main.set_attributes(&["no_spill", LONG])?;
    let x_set = main.add_set("x_set", TensorKind::ExternalInput, Dtype::float32, Place::End)?.object;
    let x = x_set.add_location("x", MemoryType::DRAM, Place::End)?.object;
    let y = x_set.add_location("y", MemoryType::DRAM, Place::End)?.object;
    x_set.add_location("z", MemoryType::DRAM, Place::End)?;
    x.add_alias(y, 1)?;
    x.set_dims(&[128, 4])?;
    x.set_optin_passes(&["p"])?;
    x_set.set_tensor_shape(&[4, 128])?;
    let p_set = main.add_set("p_set", TensorKind::Pointer, Dtype::uint8, Place::End)?.object;
    let p = p_set.add_location("p", MemoryType::PSUM, Place::End)?.object;
    p.set_pointer_ref_memloc(Some(x))?;
    p.set_pack_id_hint(3)?;
    let r0 = main.add_register("r0", Place::End)?.object;
    main.add_register("r1", Place::End)?.set_num_physical_regs(2);
    let b1 = main.add_block("b1", Place::End)?.object;
    let b2 = main.add_block("b2", Place::End)?.object;
    let argument = b1.add_argument("phi", Place::End)?;
    argument.set_location(Some(x.base()))?;
    argument.add_incoming(y.base(), b2)?;
    let copy = b1.add_instruction(Op::TensorCopy, "copy", Place::End)?.object;
    copy.set_engine(EngineType::Activation);
    let dtype = Dtype::float32;
    let physical = OperandSpec::Physical { location: x, dtype, pattern: &pairs(2), offset: 4 };
    copy.add_operand(OperandList::Ins, &physical, Place::End)?;
    copy.add_operand(OperandList::Outs, &physical, Place::End)?;
    let body_loop = b1.add_instruction(Op::Loop, "loop", Place::End)?.object;
    body_loop.set_loop_axis("i", 0, 8, 2)?;
    let body = body_loop.block_holder().unwrap().add_block("body", Place::End)?.object;
    let inner = body.add_instruction(Op::NoOp, "inner", Place::End)?.object;
    inner.set_loopnest(&[body_loop.axis().unwrap()])?;
    let e = expression(m)?;
    inner.set_predicates(&[AffinePredicate { expr: e, op: 1 }])?;
    inner.set_order(&[e])?;
    let dynamic = b1.add_instruction(Op::DynamicForLoop, "dyn", Place::End)?.object;
    let bound = m.expression(m.register_value(r0)?)?;
    dynamic.set_dynamic_axis("d", QuasiAffineExpr::NONE, bound, e)?;
    let mixed = b2.add_instruction(Op::NoOp, "mixed", Place::End)?.object;
    let outs = OperandList::Outs;
    let indirect = OperandList::IndirectionIns;
    let symbolic = OperandSpec::Symbolic { set: x_set, dtype, pattern: &pairs(2), addrs: &[e] };
    mixed.add_operand(OperandList::Ins, &symbolic, Place::End)?.set_spelled_pwap(true);
    let by_register = OperandSpec::RegisterPattern {
        set: x_set,
        dtype,
        pattern: &pairs(1),
        register: r0,
        offset_register: Some(r0),
        sub_tensor_register: None,
    };
    mixed.add_operand(outs, &by_register, Place::End)?.set_register_constants(5, 6, true)?;
    mixed.add_operand(indirect, &OperandSpec::Register { register: r0, dtype: Dtype::uint32 }, Place::End)?;
    mixed.add_operand(outs, &OperandSpec::Immediate { dtype, bits: 0x3f80_0000 }, Place::End)?;
    let symbolic = OperandSpec::SymbolicImmediate { dtype, values: &[1, 2], expr: e };
    mixed.add_operand(OperandList::Ins, &symbolic, Place::End)?;
    let array = OperandSpec::ImmediateArray { dtype: Dtype::int32, values: &[1, -2, 3] };
    mixed.add_operand(OperandList::Ins, &array, Place::End)?;
    let plain = b2.add_instruction(Op::NoOp, "plain", Place::End)?.object;
    b2.add_instruction(Op::NoOp, "bare", Place::End)?;
    plain.add_dependency(copy, EdgeKind::Flow, EdgeSet::Normal)?;
    plain.add_dependency(mixed, EdgeKind::Anti, EdgeSet::LoopCarried)?;
    plain.add_wait(wait(Some(copy)))?;
    plain.add_update(update())?;
    plain.set_debug_json(Some("{\"line\":1}"))?;
    plain.set_optin_passes(&["one", "two"])?;
    plain.set_schedule(10, 20)?;
    plain.set_debug_update_semaphore(Some(9))?;
    plain.add_unroll_dependency(copy, EdgeKind::Flow, &[e], &[AffinePredicate { expr: e, op: 0 }])?;
    let q = m.add_queue("q", DMAQueueType::data, Place::End)?.object;
    m.add_queue("q2", DMAQueueType::input, Place::End)?.set_attributes_json("{}")?;
    m.add_call_binding(copy, &[x])?;
    q.add_block("qb", Place::End)?.add_instruction(Op::DMABlock, "dma", Place::End)?;
    Ok(())
}

pub fn wait(from: Option<&Instruction>) -> Wait<'_> {
    Wait { id: 7, value: 8, mode: WaitMode::MEMBERS[1], sync_type: 1, from }
}

pub fn update() -> Update {
    Update { id: 3, value: 4, mode: UpdateMode::MEMBERS[1], sync_type: 2, target_core: Some(5) }
}

pub fn dynamic_spec<'a>(actual_ap: &'a [APPair], aff_expr: &'a [(QuasiAffineExpr<'a>, i64)]) -> DynamicSpec<'a> {
    DynamicSpec { actual_ap, aff_expr, c: 1, indirect_dim: IndirectDim::MEMBERS[0], indirect_dim_max_index: 9 }
}

/// Everything that the getters tell of a module, as text without addresses.
pub fn dump(m: &ModuleRef) -> String {
    let mut out = String::new();
    let o = &mut out;
    let nki = m.nki_holder().unwrap();
    let _ = writeln!(
        o,
        "module next={} {:?} {:?} path={:?} info={:?} attributes={:?} counts={} {} {}",
        m.next_unique_id(),
        m.arch(),
        m.revision(),
        m.artifact_path(),
        m.artifact_info(),
        m.attributes_json(),
        m.function_count(),
        nki.function_count(),
        m.queue_count()
    );
    holder(o, m.function_holder());
    holder(o, nki);
    for q in m.queues() {
        assert!(std::ptr::eq(m.find_queue(&q.name()).unwrap(), q));
        let _ = writeln!(
            o,
            "queue {:?} {:?} {:?} {:?} {} {} {:?}",
            q,
            q.origin(),
            q.queue_type(),
            q.engine(),
            q.engine_id(),
            q.num_dma_engines(),
            q.attributes_json()
        );
        blocks(o, q.block_holder());
    }
    for (call, locations) in m.call_bindings() {
        let _ = writeln!(o, "call {call:?} {:?}", locations.collect::<Vec<_>>());
    }
    ids(o, m);
    out
}

fn ids(o: &mut String, m: &ModuleRef) {
    for id in -1..=m.next_unique_id().min(500) as i32 {
        if let Some(found) = m.find_by_id(id).unwrap() {
            let _ = writeln!(o, "id {id} {found:?}");
        }
    }
}

fn holder(o: &mut String, h: &FunctionHolder) {
    for f in h.functions() {
        assert!(std::ptr::eq(h.find_function(&f.name()).unwrap(), f));
        let attributes: Vec<_> = f.attributes().collect();
        let _ = writeln!(o, "function {f:?} {:?} {attributes:?} storages={}", f.origin(), f.storage_count());
        for s in f.storages() {
            assert!(std::ptr::eq(f.find_storage(&s.name()).unwrap(), s));
            let _ = write!(o, " storage {s:?} {:?} ", s.origin());
            base(o, s.base());
            if let Some(set) = s.as_set() {
                dump_set(o, set);
            }
            if let Some(r) = s.as_register() {
                let _ = writeln!(o, "  register {:?} {}", r.dtype(), r.num_physical_regs());
            }
        }
        blocks(o, f.block_holder());
    }
}

fn base(o: &mut String, s: &StorageBase) {
    let users = |list: &mut dyn Iterator<Item = &Argument>| list.map(Argument::unique_id).collect::<Vec<_>>();
    let _ = writeln!(
        o,
        "{:?} {:?} readers={:?} {} writers={:?} {}",
        s.tensor_kind(),
        s.memory_type(),
        users(&mut s.readers()),
        s.reader_count(),
        users(&mut s.writers()),
        s.writer_count()
    );
}

fn dump_set(o: &mut String, s: &MemoryLocationSet) {
    let shape: Vec<_> = s.tensor_shape().collect();
    let flags = [s.do_not_spill(), s.do_not_rotate(), s.is_virtual(), s.is_volatile(), s.is_allocated()];
    let _ = writeln!(
        o,
        "  set {:?} {:?} {:?} {:?} {shape:?} {} {:?} {:?} {} {flags:?}",
        s.dtype(),
        s.kind(),
        s.tensor_class(),
        s.addr_space(),
        s.partition_dim(),
        s.file(),
        s.debug_json(),
        s.tensor_id_to_location_size()
    );
    for l in s.locations() {
        assert!(std::ptr::eq(s.find_location(&l.name()).unwrap(), l));
        let _ = write!(o, "  location {l:?} {:?} ", l.origin());
        base(o, l.base());
        let aliases: Vec<_> = l.aliases().map(|(other, bits)| (other.unique_id(), bits)).collect();
        let flags = [
            l.location_alt(),
            l.written_by_another_core(),
            l.is_shared_post_dram_alloc(),
            l.runtime_reserved(),
            l.user_allocated(),
            l.is_pinned(),
            l.is_allocated(),
        ];
        let _ = writeln!(
            o,
            "   {:?} dims={:?} {} bank={} addr={} base={} ids={} {} {} {} hint={} ptr={:?} passes={:?} {:?} {:?} {:?} {:?} {aliases:?} {flags:?}",
            l.memory_type(),
            l.dims().collect::<Vec<_>>(),
            l.byte_size(),
            l.bank(),
            l.addr(),
            l.base_partition(),
            l.tensor_id(),
            l.var_id(),
            l.table_entry_id(),
            l.mem_loc_set_id(),
            l.pack_id_hint(),
            l.pointer_ref_memloc(),
            l.optin_passes().collect::<Vec<_>>(),
            l.alloced_func(),
            l.remote_writer_func(),
            l.remote_local_target(),
            l.device_print_metadata_json()
        );
    }
}

fn blocks(o: &mut String, h: &BasicBlockHolder) {
    let back: Vec<_> = h.blocks().rev().map(BasicBlock::unique_id).collect();
    let _ = writeln!(o, " blocks {} {back:?}", h.block_count());
    for b in h.blocks() {
        assert!(std::ptr::eq(h.find_block(&b.name()).unwrap(), b));
        let _ = writeln!(o, " block {b:?} {:?} {} {}", b.origin(), b.instruction_count(), b.argument_count());
        for a in b.arguments() {
            let incoming: Vec<_> = a.incoming().map(|(s, b)| (s.name(), b.unique_id())).collect();
            let _ = writeln!(o, "  argument {:?} {:?} {incoming:?}", a.name(), a.location());
        }
        for i in b.instructions() {
            assert!(std::ptr::eq(b.find_instruction(&i.name()).unwrap(), i));
            instruction(o, i);
        }
    }
}

/// All of one instruction, nested blocks included.
pub fn instruction(o: &mut String, i: &Instruction) {
    let _ = writeln!(
        o,
        "  {i:?} {:?} {:?} at {} {:?} {} shared={} {} {} debug={:?} passes={:?} semaphore={:?} sync={}",
        i.origin(),
        i.opcode(),
        i.path(),
        i.engine(),
        i.engine_id(),
        i.shares_schedule(),
        i.scheduled_start(),
        i.scheduled_end(),
        i.debug_json(),
        i.optin_passes().collect::<Vec<_>>(),
        i.debug_update_semaphore(),
        i.has_sync_info()
    );
    for w in i.waits() {
        let _ = writeln!(o, "   {w:?}");
    }
    for u in i.updates() {
        let _ = writeln!(o, "   {u:?}");
    }
    for p in i.predicates() {
        let _ = writeln!(o, "   predicate {} {}", p.op, expr(p.expr));
    }
    for e in i.order() {
        let _ = writeln!(o, "   order {}", expr(e));
    }
    for a in i.loopnest() {
        let _ = writeln!(o, "   nest {a:?}");
    }
    if let Some(a) = i.axis() {
        let _ = writeln!(o, "   {a:?} {} {} {} {}", a.lb(), a.ub(), a.stride(), a.trip_count());
        if let Some(d) = a.as_dynamic() {
            let _ = writeln!(o, "   dynamic {} {} {}", expr(d.lb()), expr(d.ub()), expr(d.stride()));
        }
    }
    for set in [EdgeSet::Normal, EdgeSet::LoopCarried] {
        for e in i.dependencies(set).chain(i.descendents(set)) {
            let _ = writeln!(o, "   {set:?} {e:?}");
        }
        let _ = writeln!(o, "   {} {}", i.dependency_count(set), i.descendent_count(set));
    }
    for (target, kind, exprs, predicates) in i.unroll_dependencies() {
        let exprs: Vec<_> = exprs.into_iter().map(expr).collect();
        let predicates: Vec<_> = predicates.into_iter().map(|p| (p.op, expr(p.expr))).collect();
        let _ = writeln!(o, "   unroll {target:?} {kind:?} {exprs:?} {predicates:?}");
    }
    for list in OperandList::ALL {
        let back: Vec<_> = i.operands(list).rev().map(Argument::unique_id).collect();
        let _ = writeln!(o, "   {list:?} {} {back:?}", i.operand_count(list));
        for a in i.operands(list) {
            operand(o, a);
        }
    }
    if let Some(h) = i.block_holder() {
        blocks(o, h);
    }
}

fn operand(o: &mut String, a: &Argument) {
    let _ = writeln!(
        o,
        "   {a:?} {:?} {:?} out={} active={} {:?} of {:?} ap={:?} shape={:?} offset={:?} bits={:?} array={:?} {:?} {:?} pwap={} {:?}",
        a.kind(),
        a.list(),
        a.is_output(),
        a.is_active(),
        a.dtype(),
        a.storage(),
        a.pattern().collect::<Vec<_>>(),
        a.access_shape().collect::<Vec<_>>(),
        a.offset(),
        a.immediate_bits(),
        a.immediate_array().collect::<Vec<_>>(),
        a.tensor_indirection(),
        a.register_constants(),
        a.is_spelled_pwap(),
        [a.register(0), a.register(1), a.register(2)],
    );
    for e in a.addrs() {
        let _ = writeln!(o, "    addr {}", expr(e));
    }
    if let Some((values, e)) = a.symbolic_immediate() {
        let _ = writeln!(o, "    values {:?} {}", values.collect::<Vec<_>>(), expr(e));
    }
    let _ = writeln!(o, "    dynamic={}", a.dynamic().is_some());
}

pub fn expr(e: QuasiAffineExpr<'_>) -> String {
    e.root().map_or("none".into(), node)
}

pub fn node(n: &ExprNode) -> String {
    let terms: Vec<_> = n.terms().map(|(t, c)| format!("{c}*{}", node(t))).collect();
    let kind = n.kind().map_or("?", ExprKind::name);
    let inner = n.operand().map(node);
    format!("{kind}({},{},{:?},{:?},{inner:?},{terms:?})", n.first(), n.second(), n.axis(), n.register())
}
