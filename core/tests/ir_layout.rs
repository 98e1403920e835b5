//! The memory contract: what C++ finds at the offsets of `spec/layout.toml`. No type of the library is asked for a place.
#![cfg(target_pointer_width = "64")]
mod ir_common;
use bir_core::Result;
use bir_core::enums::bir::{ArgumentKind, Dtype, EdgeKind, InstructionType as Op, MemoryType, TensorKind};
use bir_core::ir::{
    BasicBlockHolder, EdgeSet, Instruction, Module, ModuleRef, OperandList, OperandSpec, Place, StorageBase,
};
use bir_core::mem::hash_bytes;
use ir_common::raw::{LAYOUT, Raw, at};
use ir_common::*;

/// `spec/layout.md` section 3.3: sub-object, name, origin, opt-in mask, id, owner.
const NAMED: &[(&str, [usize; 6])] = &[
    ("Instruction", [0x08, 0x18, 0x38, 0x40, 0x48, 0x50]),
    ("BasicBlock", [0x48, 0x58, 0x78, 0x80, 0x88, 0x90]),
    ("DMAQueue", [0x58, 0x68, 0x88, 0x90, 0x98, 0xA0]),
    ("Function", [0xA0, 0xB0, 0xD0, 0xD8, 0xE0, 0xE8]),
    ("Storage", [0x118, 0x128, 0x148, 0x150, 0x158, 0x160]),
    ("MemoryLocation", [0x118, 0x128, 0x148, 0x150, 0x158, 0x160]),
];

fn offsets(class: &str) -> [usize; 6] {
    NAMED.iter().find(|n| n.0 == class).unwrap().1
}

/// The common bytes of a named object.
fn check_named(object: Raw, class: &str, name: &str, id: i32, owner: Raw) {
    let [_, name_at, origin, mask, id_at, owner_at] = offsets(class);
    assert_eq!(object.0 % 8, 0);
    assert_eq!(object.plus(name_at).string(), name);
    assert_eq!(object.plus(origin).i32(), if name == "kernel" { 2 } else { 0 });
    assert_eq!(object.plus(mask).u64(), 0xF);
    assert_eq!(object.plus(id_at).i32(), id);
    assert_eq!(object.plus(owner_at).deref(), owner, "the owner of {class} {name}");
}

/// The container at `container`: the list leads to exactly these objects, and so does the name table, by its own rules.
fn check_container(container: Raw, class: &str, objects: &[(Raw, String)]) {
    let node = offsets(class)[0];
    let listed: Vec<Raw> = container.field("NamedObjectContainer", "sentinel").list();
    assert_eq!(listed, objects.iter().map(|o| o.0.plus(node)).collect::<Vec<_>>(), "the list of {class}");
    let table = container.field("NamedObjectContainer", "symtab");
    let word = |field| table.field("SymbolTable", field);
    assert_eq!(word("element_count").u64(), objects.len() as u64);
    assert_eq!(word("max_load_factor").f32(), 1.0);
    let buckets = word("bucket_count").u64();
    if buckets == 1 {
        assert_eq!(word("buckets").deref(), word("single_bucket"));
    }
    let mut chained = 0;
    let mut node = word("before_begin").deref();
    while !node.is_null() {
        chained += 1;
        node = node.field("HashNode", "next").deref();
    }
    assert_eq!(chained, objects.len());
    for (object, name) in objects {
        let hash = hash_bytes(name.as_bytes(), 0xC70F_6907);
        // A slot leads to the node before the first one of its bucket.
        let mut node = word("buckets").deref().plus((hash % buckets) as usize * 8).deref();
        assert!(!node.is_null(), "the bucket of {name}");
        loop {
            node = node.field("HashNode", "next").deref();
            let cached = node.field("HashNode", "cached_hash").u64();
            assert_eq!(cached % buckets, hash % buckets, "{name} is missing in its bucket");
            if cached == hash && node.field("HashNode", "key").string() == *name {
                break;
            }
        }
        assert_eq!(node.field("HashNode", "value").deref(), *object, "the value is the whole object, not its node");
    }
}

/// The start of an instruction's object, where a structured one begins with its holder.
fn start(i: &Instruction) -> Raw {
    Raw(Raw::of(i).0 - if i.block_holder().is_some() { at("InstLoop", "axis") - 0xF8 } else { 0 })
}

fn check_blocks(holder: &BasicBlockHolder, kind: i32, default_sched: &mut Option<Raw>) {
    let h = Raw::of(holder);
    assert_eq!(h.field("BasicBlockHolder", "holder_kind").i32(), kind);
    assert!(h.field("BasicBlockHolder", "vptr").deref().is_null());
    let blocks: Vec<_> = holder.blocks().map(|b| (Raw::of(b), b.name().to_string())).collect();
    check_container(h.field("BasicBlockHolder", "blocks"), "BasicBlock", &blocks);
    for b in holder.blocks() {
        check_named(Raw::of(b), "BasicBlock", &b.name(), b.unique_id(), h);
        let instructions: Vec<_> = b.instructions().map(|i| (Raw::of(i), i.name().to_string())).collect();
        check_container(Raw::of(b), "Instruction", &instructions);
        let arguments: Vec<_> = b.arguments().map(Raw::of).collect();
        assert_eq!(Raw::of(b).field("BasicBlock", "block_args").list(), arguments, "the node comes first");
        for i in b.instructions() {
            check_named(Raw::of(i), "Instruction", &i.name(), i.unique_id(), Raw::of(b));
            check_instruction(i, default_sched);
        }
    }
}

fn check_instruction(i: &Instruction, default_sched: &mut Option<Raw>) {
    let r = Raw::of(i);
    let field = |name| r.field("Instruction", name);
    assert!(field("vptr").deref().is_null());
    assert_eq!(field("opcode").i32(), i.opcode().unwrap().ordinal());
    assert_eq!(field("engine").i32(), i.engine().unwrap().ordinal());
    assert_eq!((field("scratch_98").i32(), field("tail_D8").bytes(24)), (0, vec![0; 24]));
    let sched = field("sched").deref();
    assert!(!sched.is_null());
    if i.shares_schedule() {
        assert_eq!(*default_sched.get_or_insert(sched), sched);
    } else {
        assert_ne!(Some(sched), *default_sched);
    }
    check_sched(sched);
    for (list, name) in OperandList::ALL.into_iter().zip(["ins", "indirection_ins", "outs"]) {
        let operands: Vec<_> = i.operands(list).map(|a| Raw::of(a).field("Argument", "node")).collect();
        assert_eq!(field(name).list(), operands);
        for a in i.operands(list) {
            let r = Raw::of(a);
            let field = |name| r.field("Argument", name);
            assert!(field("vptr").deref().is_null());
            assert_eq!(field("kind").i32(), a.kind().unwrap().ordinal());
            assert_eq!(field("parent").deref(), Raw::of(i));
            assert_eq!(field("unique_id").i32(), a.unique_id());
            assert_eq!(field("is_output").u8(), u8::from(list == OperandList::Outs));
            assert_eq!(field("dtype").i32(), a.dtype().unwrap().ordinal());
            assert_eq!(field("location").deref(), a.storage().map_or(Raw(0), Raw::of));
        }
    }
    if let Some(holder) = i.block_holder() {
        assert_eq!(start(i), Raw::of(holder));
        assert_eq!(Raw::of(i).0 - Raw::of(holder).0, 0x58);
        check_blocks(holder, 3 + i.opcode().unwrap().ordinal() - 105, default_sched);
    }
}

/// An edge set walks from its head to real elements, in ascending order of their keys.
fn check_edges(set: Raw) -> Vec<(Raw, u64)> {
    let field = |name| set.field("ConcurrentEdgeSet", name);
    assert_eq!((field("bucket_count").u64(), field("max_load_factor").f32()), (8, 4.0));
    assert_eq!(field("segment_table").deref(), field("embedded_segments"));
    let mut edges = vec![];
    let mut node = field("head_next").deref();
    let mut key = field("head_order_key").u64();
    assert_eq!(key & 1, 0);
    while !node.is_null() {
        let own = node.field("EdgeNode", "order_key").u64();
        assert!(own > key && own & 1 == 1);
        key = own;
        let word = node.field("EdgeNode", "edge").u64();
        edges.push((Raw((word & !7) as usize), word & 7));
        node = node.field("EdgeNode", "next").deref();
    }
    assert_eq!(field("element_count").u64(), edges.len() as u64);
    edges
}

fn check_sched(sched: Raw) {
    for set in ["dependencies", "descendents", "loop_carried_dependencies", "loop_carried_descendents"] {
        check_edges(sched.field("InstructionSched", set));
    }
    for (list, inline) in [("sync_waits", 0xA08), ("sync_updates", 0xA40)] {
        let header = sched.field("InstructionSched", list);
        assert!(header.plus(12).u32() >= 1, "room for one element");
        if header.plus(12).u32() == 1 {
            assert_eq!(header.deref(), sched.plus(inline));
        }
    }
}

fn check_storage(s: &StorageBase, kind: i32, type_value: i32, tensor_kind: i32) {
    let r = Raw::of(s);
    let field = |name| r.field("StorageBase", name);
    assert!(field("vptr").deref().is_null());
    assert_eq!(field("storage_kind").i32(), kind);
    assert_eq!(field("type").deref().i32(), type_value);
    assert_eq!(field("kind").deref().i32(), tensor_kind);
    assert_eq!(field("pinned").deref().u8(), 0);
    for name in ["tensor_class", "addr_space"] {
        assert!(field(name).deref().i32() >= 0);
    }
    assert_eq!(field("byte_size").deref().u64(), s.as_location().map_or(0, |l| l.byte_size()));
}

#[test]
fn a_whole_module_reads_as_specified() -> Result<()> {
    let module = sample()?;
    let m: &ModuleRef = &module;
    // Long names and tables that grew.
    let main = function(m, "main");
    for i in 0..40 {
        main.add_block(&format!("block number {i} with a long name"), Place::Start)?;
        block(m, "b2").add_instruction(Op::NoOp, &format!("i{i}"), Place::Start)?;
    }
    for i in (0..40).step_by(3) {
        block(m, "b2").find_instruction(&format!("i{i}")).unwrap().erase()?;
    }
    let r = Raw::of(m);
    let field = |name| r.field("Module", name);
    assert_eq!(field("next_unique_id").u32(), m.next_unique_id());
    assert_eq!(field("arch").i32(), m.arch()?.ordinal());
    assert_eq!(field("arch_revision").i32(), m.revision()?.ordinal());
    let nki = m.nki_holder()?;
    assert_eq!(field("nki_functions").deref(), Raw::of(nki));
    assert_eq!(Raw::of(m.function_holder()), r);
    let queues: Vec<_> = m.queues().map(|q| (Raw::of(q), q.name().to_string())).collect();
    check_container(field("dma_queues"), "DMAQueue", &queues);
    let mut default_sched = None;
    for holder in [m.function_holder(), nki] {
        let h = Raw::of(holder);
        assert_eq!(h.field("FunctionHolder", "module").deref(), r);
        let functions: Vec<_> = holder.functions().map(|f| (Raw::of(f), f.name().to_string())).collect();
        check_container(h, "Function", &functions);
        for f in holder.functions() {
            check_named(Raw::of(f), "Function", &f.name(), f.unique_id(), h);
            assert_eq!(Raw::of(f.block_holder()), Raw::of(f));
            check_blocks(f.block_holder(), 0, &mut default_sched);
            let storages: Vec<_> = f.storages().map(|s| (Raw::of(s), s.name().to_string())).collect();
            check_container(Raw::of(f).field("Function", "storages"), "Storage", &storages);
            for s in f.storages() {
                check_named(Raw::of(s), "Storage", &s.name(), s.unique_id(), Raw::of(f));
                let Some(set) = s.as_set() else {
                    check_storage(s.base(), 2, MemoryType::REG.ordinal(), TensorKind::Internal.ordinal());
                    let registers = s.as_register().unwrap().num_physical_regs();
                    assert_eq!(Raw::of(s).field("Register", "num_physical_regs").i32(), registers);
                    continue;
                };
                check_storage(s.base(), 1, MemoryType::Unallocated.ordinal(), set.kind()?.ordinal());
                let set_field = |name| Raw::of(s).field("MemoryLocationSet", name);
                assert_eq!(set_field("dtype").i32(), set.dtype()?.ordinal());
                let locations: Vec<_> = set.locations().map(|l| (Raw::of(l), l.name().to_string())).collect();
                check_container(set_field("locations"), "MemoryLocation", &locations);
                for l in set.locations() {
                    check_named(Raw::of(l), "MemoryLocation", &l.name(), l.unique_id(), Raw::of(set));
                    check_storage(l.base(), 4, l.memory_type()?.ordinal(), set.kind()?.ordinal());
                    // Kind, class and address space are those of the set, in the set; the type is the location's own.
                    for name in ["kind", "tensor_class", "addr_space"] {
                        let shared = Raw::of(l).field("StorageBase", name).deref();
                        assert_eq!(shared, Raw::of(set).field("StorageBase", name).deref());
                    }
                }
            }
        }
    }
    for q in m.queues() {
        check_named(Raw::of(q), "DMAQueue", &q.name(), q.unique_id(), r);
        assert_eq!(Raw::of(q).field("DMAQueue", "queue_type").i32(), q.queue_type()?.ordinal());
        check_blocks(q.block_holder(), 1, &mut default_sched);
    }
    assert!(default_sched.is_some());
    Ok(())
}

#[test]
fn values_lie_where_pointers_and_vectors_lead() -> Result<()> {
    let module = sample()?;
    let m: &ModuleRef = &module;
    let plain = Raw::of(inst(m, "plain"));
    let sched = plain.field("Instruction", "sched").deref();
    let field = |name| sched.field("InstructionSched", name);
    let copy = Raw::of(inst(m, "copy"));
    assert_eq!(check_edges(field("dependencies")), [(copy, EdgeKind::Flow.ordinal() as u64)]);
    let mixed = Raw::of(inst(m, "mixed"));
    assert_eq!(check_edges(field("loop_carried_dependencies")), [(mixed, EdgeKind::Anti.ordinal() as u64)]);
    let back = copy.field("Instruction", "sched").deref().field("InstructionSched", "descendents");
    assert_eq!(check_edges(back), [(plain, EdgeKind::Flow.ordinal() as u64)]);
    assert_eq!((field("scheduled_start").i64(), field("scheduled_end").i64()), (10, 20));
    // The text of `debug` lies elsewhere: C++ must not take it for the record of the original.
    assert_eq!((field("sync_engaged").u8(), field("debug_engaged").u8()), (1, 0));
    assert!(inst(m, "plain").debug_json().is_some());
    let wait = field("sync_waits").deref();
    let value = |name| wait.field("SyncWait", name);
    assert_eq!((value("id").u32(), value("value").u32(), value("sync_type").i32()), (7, 8, 1));
    assert_eq!(value("from").deref(), copy);
    let update = field("sync_updates").deref();
    let value = |name| update.field("SyncUpdate", name);
    assert_eq!((value("id").u32(), value("value").u32(), value("sync_type").i32()), (3, 4, 2));
    assert_eq!((value("target_core_engaged").u8(), value("target_core").u32()), (1, 5));
    assert_eq!(field("sync_updates").plus(8).u32(), 1);

    // Expressions: a root with its header, and the flat set of axes.
    let inner = Raw::of(inst(m, "inner"));
    let axis = Raw::of(inst(m, "loop").axis().unwrap());
    let (predicates, count, _) = inner.field("Instruction", "predicates").vector(40);
    assert_eq!((count, predicates.plus(32).u32()), (1, 1));
    let root = predicates.field("QuasiAffineExpr", "expr").deref();
    assert_eq!(root.field("PelicanExpr", "refcount").u64(), 1);
    assert_eq!(root.field("PelicanExpr", "kind").i32(), 0);
    let (axes, count, _) = predicates.field("QuasiAffineExpr", "axes").vector(8);
    assert_eq!((count, axes.deref()), (1, axis));
    let (nest, count, _) = inner.field("Instruction", "loopnest").vector(8);
    assert_eq!((count, nest.deref()), (1, axis));
    let order = inner.field("Instruction", "sched").deref().field("InstructionSched", "order");
    assert_eq!(order.vector(32).1, 1);

    // Axes: the loop's, at 0x150 from the object start, and the dynamic one at 0x148.
    let loop_start = start(inst(m, "loop"));
    assert_eq!(loop_start.field("InstLoop", "axis").deref(), axis);
    let bounds = |name| axis.field("LoopAxis", name);
    assert_eq!((bounds("lb").i32(), bounds("ub").i64(), bounds("stride").i64()), (0, 8, 2));
    let dynamic = start(inst(m, "dyn"));
    let axis = dynamic.field("InstDynamicForLoop", "axis").deref();
    let part = |name| axis.field("DynamicForLoopAxis", name);
    assert_eq!(part("parent").deref(), dynamic);
    assert_eq!(part("name").string(), "d");
    assert_eq!((part("dynamic_flag").u64(), part("has_runtime_flag").u32()), (1, 1));
    assert!(part("lb").deref().is_null() && !part("ub").deref().is_null());
    assert_eq!(
        part("flags_blob").bytes(16),
        [0; 16],
        "lb and ub of a dynamic axis read as 0 for a reader of static ones"
    );

    // Aliases: on both ends, with the bits in the low bits of the pointer.
    let (x, y) = (Raw::of(location(m, "x")), Raw::of(location(m, "y")));
    for (from, to) in [(x, y), (y, x)] {
        assert_eq!(from.field("MemoryLocation", "alias_size").u64(), 1);
        assert_eq!(from.field("MemoryLocation", "alias_begin").deref().u64(), to.0 as u64 | 1);
    }
    assert_eq!(x.field("StorageBase", "dims").deref().u32(), 128);
    assert_eq!(x.field("StorageBase", "byte_size").deref().u64(), 512);
    let p = Raw::of(location(m, "p"));
    assert_eq!(p.field("MemoryLocation", "pointer_ref_memloc").deref(), x);
    assert_eq!(p.field("MemoryLocation", "pack_id_hint").i32(), 3);
    Ok(())
}

#[test]
fn operands_lie_as_their_classes_say() -> Result<()> {
    let module = sample()?;
    let m: &ModuleRef = &module;
    let (bare, dtype) = (inst(m, "bare"), Dtype::float32);
    let x = location(m, "x");
    for dims in 1..=5_usize {
        let pattern = pairs(dims);
        let spec = OperandSpec::Physical { location: x, dtype, pattern: &pattern, offset: 77 };
        let operand = bare.add_operand(OperandList::Outs, &spec, Place::End)?;
        let r = Raw::of(operand);
        let field = |name| r.field("AccessPattern", name);
        assert_eq!(field("pattern_size").u32() as usize, dims);
        assert_eq!(field("pattern_data").deref() == field("pattern_inline"), dims <= 4);
        for (i, pair) in pattern.iter().enumerate() {
            let element = field("pattern_data").deref().plus(16 * i);
            let (step, num) = (element.field("APPair", "step").i64(), element.field("APPair", "num").i64());
            assert_eq!((step, num), (pair.step, pair.num));
        }
        assert_eq!((field("shape_size").u32(), field("shape_cap").u32()), (0, 4));
        assert_eq!(field("shape_data").deref(), field("shape_inline"));
        assert_eq!(r.field("PhysicalAccessPattern", "offset").u64(), 77);
        assert!(r.field("PhysicalAccessPattern", "dynamic_ap_info").deref().is_null());
        let e = inst(m, "inner").order().next().unwrap();
        operand.set_dynamic(Some(&dynamic_spec(&pattern, &[(e, -3)])))?;
        let info = r.field("PhysicalAccessPattern", "dynamic_ap_info").deref();
        let (terms, count, _) = info.field("DynamicAPINFO", "aff_expr").vector(40);
        assert_eq!((count, terms.plus(32).i64()), (1, -3));
        assert_eq!((info.field("DynamicAPINFO", "c").i64(), info.plus(8).u32() as usize), (1, dims));
    }
    let mixed = inst(m, "mixed");
    let by_kind = |kind: ArgumentKind| {
        let mut all = OperandList::ALL.into_iter().flat_map(|l| mixed.operands(l));
        Raw::of(all.find(|a| a.kind() == Ok(kind)).unwrap())
    };
    let (r0, x_set) = (Raw::of(register(m, "r0")), Raw::of(set(m, "x_set")));
    let r = by_kind(ArgumentKind::RegisterAccessPattern);
    let field = |name| r.field("RegisterAccessPattern", name);
    assert_eq!(r.field("Argument", "location").deref(), x_set);
    assert_eq!((field("reg_loc").deref(), field("reg_ap_offset").deref()), (r0, r0));
    assert!(field("reg_sub_tensor_id").deref().is_null());
    assert_eq!((field("const_ap_offset").u64(), field("const_sub_tensor_id").i32()), (5, 6));
    assert_eq!(field("is_regloc_offset").u8(), 1);
    let r = by_kind(ArgumentKind::SymbolicAccessPattern);
    assert_eq!(r.field("SymbolicAccessPattern", "tensor_indirect_arg_id").i32(), -1);
    assert_eq!(r.field("SymbolicAccessPattern", "addrs").vector(32).1, 1);
    let r = by_kind(ArgumentKind::ImmediateValue);
    assert_eq!(r.field("ImmediateValue", "value").u64(), 0x3f80_0000);
    let r = by_kind(ArgumentKind::SymbolicImmediateValue);
    let field = |name| r.field("SymbolicImmediateValue", name);
    assert_eq!(field("value_list").vector(8).1, 2);
    assert!(!field("expr").deref().is_null());
    let map = field("coeff_map");
    assert_eq!((map.plus(0x18).deref(), map.plus(0x20).deref()), (map.plus(8), map.plus(8)));
    let r = by_kind(ArgumentKind::ImmediateArray);
    let field = |name| r.field("ImmediateArray", name);
    assert_eq!((field("size").u32(), field("cap").u32(), field("data").deref()), (3, 8, field("inline")));
    assert_eq!(field("inline").plus(8).i64(), -2);
    assert_eq!(by_kind(ArgumentKind::RegisterAccess).field("Argument", "location").deref(), r0);
    Ok(())
}

/// The initial values of the table, wherever they are plain: numbers, null, false, empty.
#[test]
fn fresh_objects_hold_the_initial_values() -> Result<()> {
    let m = Module::new()?;
    let main = m.add_function("f", Place::End)?.object;
    let block = main.add_block("b", Place::End)?.object;
    let set = main.add_set("s", TensorKind::Internal, Dtype::float32, Place::End)?.object;
    let location = set.add_location("l", MemoryType::SB, Place::End)?.object;
    let register = main.add_register("r", Place::End)?.object;
    let queue = m.add_queue("q", bir_core::enums::bir::DMAQueueType::data, Place::End)?.object;
    let mut fresh: Vec<(&str, Raw)> = vec![
        ("FunctionHolder", Raw::of(&*m)),
        ("Function", Raw::of(main)),
        ("BasicBlockHolder", Raw::of(main)),
        ("BasicBlock", Raw::of(block)),
        ("MemoryLocationSet", Raw::of(set)),
        ("Storage", Raw::of(set)),
        ("StorageBase", Raw::of(set)),
        ("StorageBase", Raw::of(register)),
        ("StorageBase", Raw::of(location)),
        ("MemoryLocation", Raw::of(location)),
        ("Register", Raw::of(register)),
        ("DMAQueue", Raw::of(queue)),
    ];
    for (class, op) in [
        ("Instruction", Op::NoOp),
        ("InstDMA", Op::DMA),
        ("InstSwitchQueueInstance", Op::SwitchQueueInstance),
        ("InstLoop", Op::Loop),
        ("InstDynamicForLoop", Op::DynamicForLoop),
    ] {
        let i = block.add_instruction(op, class, Place::End)?.object;
        fresh.push((class, start(i)));
        fresh.push(("Instruction", Raw::of(i)));
        fresh.push(("InstructionSched", Raw::of(i).field("Instruction", "sched").deref()));
        fresh.push(("NamedObject", Raw::of(i).plus(8)));
        fresh.push(("NamedObjectBase", Raw::of(i).plus(0x18)));
    }
    let own = block.add_instruction(Op::NoOp, "own", Place::End)?.object;
    own.set_sync_info(true)?;
    let sched = Raw::of(own).field("Instruction", "sched").deref();
    for edges in ["dependencies", "descendents", "loop_carried_dependencies", "loop_carried_descendents"] {
        fresh.push(("ConcurrentEdgeSet", sched.field("InstructionSched", edges)));
    }
    let pattern = pairs(1);
    let dtype = Dtype::float32;
    for (class, spec) in [
        ("PhysicalAccessPattern", OperandSpec::Physical { location, dtype, pattern: &pattern, offset: 0 }),
        ("SymbolicAccessPattern", OperandSpec::Symbolic { set, dtype, pattern: &pattern, addrs: &[] }),
        (
            "RegisterAccessPattern",
            OperandSpec::RegisterPattern {
                set,
                dtype,
                pattern: &pattern,
                register,
                offset_register: None,
                sub_tensor_register: None,
            },
        ),
        ("ImmediateValue", OperandSpec::Immediate { dtype, bits: 0 }),
        ("ImmediateArray", OperandSpec::ImmediateArray { dtype, values: &[] }),
    ] {
        fresh.push((class, Raw::of(own.add_operand(OperandList::Ins, &spec, Place::End)?)));
    }
    // What this test gave a value to, and what other members of the same object fill.
    let given = ["pattern_size", "storage_kind", "reg_loc", "unique_id", "holder_kind"];
    let mut checked = 0;
    for (class, object) in fresh {
        for (name, row) in &LAYOUT[class] {
            let Some(initial) = row.initial.as_deref().filter(|_| !given.contains(&name.as_str())) else { continue };
            let initial = initial.split(' ').next().unwrap();
            let here = object.plus(row.offset);
            let what = format!("{class}::{name} = {initial}");
            let value = match row.size {
                1 => i64::from(here.u8()),
                4 => i64::from(here.i32()),
                8 => here.i64(),
                _ => {
                    if row.kind.starts_with("StdVector") {
                        assert_eq!(here.bytes(24), [0; 24], "{what}");
                        checked += 1;
                    }
                    continue;
                }
            };
            match initial {
                "null" | "false" => assert_eq!(value, 0, "{what}"),
                "4.0" => assert_eq!(here.f32(), 4.0),
                "0xF" => assert_eq!(value, 15),
                _ => match initial.parse::<i64>() {
                    Ok(number) => assert_eq!(value, number, "{what}"),
                    Err(_) => continue,
                },
            }
            checked += 1;
        }
    }
    assert!(checked > 150, "{checked} values");
    Ok(())
}

#[test]
fn a_schedule_block_is_shared_until_written() -> Result<()> {
    let m = sample()?;
    let bare = inst(&m, "bare");
    let sched = at("Instruction", "sched");
    let other = Raw::of(queue(&m, "q").block_holder().find_instruction("dma").unwrap());
    let shared = Raw::of(bare).plus(sched).deref();
    assert!(!shared.is_null() && other.plus(sched).deref() == shared);
    // Reading, and writing what is there already, does not make one of its own.
    bare.set_schedule(0, 0)?;
    bare.set_debug_json(None)?;
    bare.set_sync_info(false)?;
    bare.set_order(&[])?;
    bare.set_optin_passes::<&str>(&[])?;
    bare.set_debug_update_semaphore(None)?;
    assert!(!bare.remove_dependency(inst(&m, "copy"), EdgeSet::Normal)?);
    assert_eq!(Raw::of(bare).plus(sched).deref(), shared);
    let before = shared.bytes(0xA98);
    bare.set_schedule(1, 0)?;
    assert_ne!(Raw::of(bare).plus(sched).deref(), shared);
    assert_eq!(shared.bytes(0xA98), before);
    Ok(())
}

/// An erased object's memory is not given to another: who kept its address finds the old object, marked as erased.
#[test]
fn memory_of_erased_objects_is_not_reused() -> Result<()> {
    let m = sample()?;
    let b2 = block(&m, "b2");
    let mut seen: Vec<usize> = vec![];
    for _ in 0..50 {
        let i = b2.add_instruction(Op::Matmult, "new", Place::End)?.object;
        assert!(!seen.contains(&Raw::of(i).0));
        seen.push(Raw::of(i).0);
        i.erase()?;
        assert!(Raw::of(i).field("Instruction", "named").deref().is_null(), "no links");
        assert!(Raw::of(i).plus(offsets("Instruction")[5]).deref().is_null(), "no owner");
        assert_eq!((i.name().as_str(), i.is_erased()), ("new", true));
    }
    Ok(())
}
