//! Common subexpression elimination: what it merges, every condition that forbids it, and a model that executes programs
//! before and after.

mod built;

use bir_core::enums::bir::{
    Dtype, EdgeKind, EngineType, IndirectDim, InstructionType as Op, MemoryAddressSpace, MemoryType, TensorKind,
    UpdateMode, WaitMode,
};
use bir_core::ir::{
    APPair, AffinePredicate, Argument, BasicBlock, DynamicSpec, EdgeSet, Function, Instruction, Module, OperandList,
    OperandSpec, Place, QuasiAffineExpr, Update, Wait,
};
use bir_core::op::OPCODES;
use bir_core::pass::cse::eligible::{COMPUTES, WRITES_OUTS_ONLY};
use bir_core::pass::cse::{CseReport, Why, cse_function, cse_module};
use built::{find, main_of, module_of, opcode, record};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeMap;

const PATTERN: [APPair; 2] = [APPair { step: 512, num: 128 }, APPair { step: 1, num: 512 }];

/// What a closure returns that is called for what it does.
fn done<T>(_: T) {}

fn operand<'m>(i: &'m Instruction, list: OperandList, location: &str) -> &'m Argument {
    let location = i.function().and_then(|f| f.find_location(location)).expect("a location");
    let spec = OperandSpec::Physical { location, dtype: Dtype::float32, pattern: &PATTERN, offset: 0 };
    i.add_operand(list, &spec, Place::End).expect("an operand")
}

fn reads<'m>(i: &'m Instruction, location: &str) -> &'m Argument {
    operand(i, OperandList::Ins, location)
}

fn writes<'m>(i: &'m Instruction, location: &str) -> &'m Argument {
    operand(i, OperandList::Outs, location)
}

/// A module with the block `entry`, empty.
fn empty() -> Module {
    module_of(vec![])
}

fn entry(module: &Module) -> &BasicBlock {
    main_of(module).find_block("entry").expect("an entry")
}

/// Adds an instruction at the end of a block.
fn add<'m>(block: &'m BasicBlock, op: Op, name: &str, from: &[&str], to: &[&str]) -> &'m Instruction {
    let i = block.add_instruction(op, name, Place::End).expect("an instruction").object;
    from.iter().for_each(|l| done(reads(i, l)));
    to.iter().for_each(|l| done(writes(i, l)));
    i
}

fn copy<'m>(module: &'m Module, name: &str, from: &str, to: &str) -> &'m Instruction {
    add(entry(module), Op::TensorCopy, name, &[from], &[to])
}

fn run(module: &Module) -> CseReport {
    cse_module(module).expect("the pass runs")
}

/// (removed, survivor) by name.
fn pairs(report: &CseReport) -> Vec<(&str, &str)> {
    report.merged.iter().map(|m| (m.removed.name.as_str(), m.survivor.name.as_str())).collect()
}

fn constant(module: &Module, c: i64) -> QuasiAffineExpr<'_> {
    module.expression(module.affine(&[], c).unwrap()).unwrap()
}

#[test]
fn a_repeated_copy_goes() {
    let module = empty();
    let first = copy(&module, "first", "a", "b");
    let between = copy(&module, "between", "b", "c");
    let again = copy(&module, "again", "a", "b");
    let ids = (first.unique_id(), again.unique_id());
    let report = run(&module);
    assert_eq!(pairs(&report), [("again", "first")]);
    let merge = &report.merged[0];
    assert_eq!((merge.survivor.id, merge.removed.id), ids);
    assert_eq!(merge.survivor.path, "functions[0].blocks[0].instructions[0]");
    assert_eq!(merge.removed.path, "functions[0].blocks[0].instructions[2]");
    assert!(again.is_erased() && !first.is_erased() && !between.is_erased());
    let blocks = 3;
    assert_eq!((report.blocks, report.instructions, report.candidates, report.kept.len()), (blocks, 3, 3, 0));
    assert_eq!(
        report.to_string(),
        format!(
            "merged `again` (id {}, functions[0].blocks[0].instructions[2]) into `first` (id {}, \
             functions[0].blocks[0].instructions[0])\n1 of 3 candidates merged, among 3 instructions in 3 blocks",
            ids.1, ids.0
        )
    );
    assert_eq!(run(&module).merged, []);
}

#[test]
fn what_follows_sees_through_a_merge() {
    let module = empty();
    copy(&module, "1", "a", "b");
    copy(&module, "2", "b", "c");
    copy(&module, "3", "a", "b");
    copy(&module, "4", "b", "c");
    copy(&module, "5", "a", "b");
    let report = run(&module);
    assert_eq!(pairs(&report), [("3", "1"), ("4", "2"), ("5", "1")]);
    assert_eq!(report.merged[2].removed.path, "functions[0].blocks[0].instructions[4]");
    assert_eq!(entry(&module).instruction_count(), 2);
}

/// Two copies from `a` to `b` with something done to the second, or put between them.
fn merged_after(change: impl for<'m> Fn(&'m Module, &'m Instruction, &'m Instruction)) -> bool {
    let module = empty();
    let first = copy(&module, "first", "a", "b");
    let second = copy(&module, "second", "a", "b");
    change(&module, first, second);
    let report = run(&module);
    assert!(report.merged.len() <= 1);
    report.merged.iter().all(|m| m.removed.name == "second") && !report.merged.is_empty()
}

/// Puts an instruction before the second copy.
fn between<'m>(second: &'m Instruction, op: Op, from: &[&str], to: &[&str]) -> &'m Instruction {
    let block = second.block().expect("in a block");
    let i = block.add_instruction(op, "between", Place::Before(second)).expect("an instruction").object;
    from.iter().for_each(|l| done(reads(i, l)));
    to.iter().for_each(|l| done(writes(i, l)));
    i
}

#[test]
fn headers_that_forbid() {
    assert!(merged_after(|_, _, _| {}));
    // What does not matter.
    assert!(merged_after(|_, _, l| l.set_debug_json(Some("{\"line\":1}")).unwrap()));
    assert!(merged_after(|_, _, l| l.set_schedule(3, 4).unwrap()));
    // What does, on the later and on the earlier one.
    let engine = |_: &Module, i: &Instruction| i.set_engine(EngineType::DVE);
    let engine_id = |_: &Module, i: &Instruction| i.set_engine_id(1);
    let predicates = |m: &Module, i: &Instruction| {
        i.set_predicates(&[AffinePredicate { expr: constant(m, 1), op: 1 }]).unwrap();
    };
    let order = |m: &Module, i: &Instruction| i.set_order(&[constant(m, 1)]).unwrap();
    let passes = |_: &Module, i: &Instruction| i.set_optin_passes(&["dce"]).unwrap();
    let sync = |_: &Module, i: &Instruction| i.set_sync_info(true).unwrap();
    let update = |_: &Module, i: &Instruction| {
        let update = Update { id: 1, value: 1, mode: UpdateMode::MEMBERS[0], sync_type: 0, target_core: None };
        i.add_update(update).unwrap();
    };
    type Change<'c> = &'c dyn Fn(&Module, &Instruction);
    let changes: [Change<'_>; 7] = [&engine, &engine_id, &predicates, &order, &passes, &sync, &update];
    for (number, change) in changes.into_iter().enumerate() {
        assert!(!merged_after(|m, _, l| change(m, l)), "later, {number}");
        assert!(!merged_after(|m, e, _| change(m, e)), "earlier, {number}");
        // On both sides alike all but synchronisation is well.
        let both = merged_after(|m, e, l| {
            change(m, e);
            change(m, l);
        });
        assert_eq!(both, number < 5, "both, {number}");
    }
    assert!(!merged_after(|m, e, l| {
        e.set_predicates(&[AffinePredicate { expr: constant(m, 1), op: 1 }]).unwrap();
        l.set_predicates(&[AffinePredicate { expr: constant(m, 1), op: 0 }]).unwrap();
    }));
}

#[test]
fn operands_and_payload_that_differ() {
    assert!(!merged_after(|_, _, l| l.outs().next().unwrap().set_offset(1).unwrap()));
    assert!(!merged_after(|_, _, l| l.ins().next().unwrap().set_offset(1).unwrap()));
    assert!(!merged_after(|_, _, l| l.outs().next().unwrap().set_dtype(Dtype::int32).unwrap()));
    assert!(!merged_after(|_, _, l| l.ins().next().unwrap().set_pattern(&PATTERN[1..]).unwrap()));
    assert!(!merged_after(|m, _, l| {
        l.ins().next().unwrap().set_storage(main_of(m).find_location("c").unwrap().base()).unwrap();
    }));
    assert!(!merged_after(|m, _, l| {
        l.outs().next().unwrap().set_storage(main_of(m).find_location("c").unwrap().base()).unwrap();
    }));
    assert!(!merged_after(|_, _, l| done(reads(l, "a"))));
    let scalars = |first: f32, second: f32| {
        let payload = |c: f32| {
            let c = if c.is_nan() { json!("nan") } else { json!(c) };
            json!({"op0": "add", "op1": "bypass", "const0": c, "const1": 0, "reverse0": false, "reverse1": false})
        };
        let module =
            module_of(vec![record("e", "TensorScalar", payload(first)), record("l", "TensorScalar", payload(second))]);
        for i in ["e", "l"].map(|n| find(&module, n)) {
            reads(i, "a");
            writes(i, "b");
        }
        run(&module).merged.len()
    };
    assert_eq!([scalars(1.0, 1.0), scalars(1.0, 2.0), scalars(0.0, -0.0), scalars(f32::NAN, f32::NAN)], [1, 0, 1, 0]);
}

#[test]
fn writes_between_forbid() {
    assert!(merged_after(|_, _, l| done(between(l, Op::TensorCopy, &["b"], &["c"]))), "readers do not matter");
    assert!(!merged_after(|_, _, l| done(between(l, Op::TensorCopy, &["c"], &["a"]))), "input");
    assert!(!merged_after(|_, _, l| done(between(l, Op::TensorCopy, &["c"], &["b"]))), "output");
    // Whatever does it: DMA, random numbers, accumulators.
    for op in WRITES_OUTS_ONLY {
        assert!(!merged_after(|_, _, l| done(between(l, *op, &[], &["a"]))), "{op} to the input");
        assert!(!merged_after(|_, _, l| done(between(l, *op, &[], &["b"]))), "{op} to the output");
        assert!(merged_after(|_, _, l| done(between(l, *op, &["a", "b"], &["c"]))), "{op} elsewhere");
    }
    // A write before the first, or after the second, does not count.
    assert!(merged_after(|m, _, l| {
        let i = entry(m).add_instruction(Op::TensorCopy, "before", Place::Start).unwrap().object;
        writes(i, "a");
        let i = l.block().unwrap().add_instruction(Op::TensorCopy, "after", Place::End).unwrap().object;
        writes(i, "b");
    }));
}

#[test]
fn whatever_may_act_beyond_its_outputs_forbids() {
    for number in 0..110 {
        let op = opcode(number);
        let known = COMPUTES.contains(&op) || WRITES_OUTS_ONLY.contains(&op);
        let merged = merged_after(|_, _, l| done(between(l, op, &[], &[])));
        assert_eq!(merged, known, "{op}");
        // With synchronisation information, anything may have happened.
        assert!(!merged_after(|_, _, l| between(l, op, &[], &[]).set_sync_info(true).unwrap()), "{op}");
    }
}

/// Payload with which an opcode only computes.
fn computing(op: Op) -> Value {
    match op.ordinal() {
        4 => {
            json!({"scale": 1, "alpha": 0, "func": "Identity", "acc": "Idle", "op0": "bypass", "op1": "bypass", "reduce_op": "bypass"})
        }
        8 | 95 => json!({"accumulation_flag": 3}),
        9 => json!({"accumulation_flag": 3, "compress_ratio": 1}),
        10 => json!({"mode": "Const", "constant": 0}),
        _ => json!(null),
    }
}

/// Two equal instructions of that opcode and payload, from `a` to `b`.
fn twins(op: Op, payload: &Value, outs: &[&str]) -> Module {
    let module = if payload.is_null() {
        let module = empty();
        for name in ["e", "l"] {
            add(entry(&module), op, name, &[], &[]);
        }
        module
    } else {
        module_of(["e", "l"].map(|n| record(n, op.name(), payload.clone())).into())
    };
    for i in ["e", "l"].map(|n| find(&module, n)) {
        reads(i, "a");
        outs.iter().for_each(|o| done(writes(i, o)));
    }
    module
}

#[test]
fn only_what_computes_is_merged() {
    for number in 0..110 {
        let op = opcode(number);
        let report = run(&twins(op, &computing(op), &["b"]));
        assert_eq!(report.merged.len(), usize::from(COMPUTES.contains(&op)), "{op}");
        // Without an output there is no result.
        assert!(run(&twins(op, &computing(op), &[])).merged.is_empty(), "{op}");
    }
    // Families that must never be touched, whatever the lists say.
    for op in COMPUTES {
        let module = twins(*op, &computing(*op), &["b"]);
        let i = find(&module, "e");
        assert!(!i.is_dma() && !i.is_terminator() && !i.is_collective() && !i.is_dma_descriptor(), "{op}");
        assert_eq!(i.is_rng_instruction(), Ok(false), "{op}");
        assert_eq!(i.is_axi_instruction(), Ok(false), "{op}");
    }
}

#[test]
fn fields_that_decide() {
    for flag in 0..8 {
        for op in [Op::Matmult, Op::MatmultMx] {
            for zero_region in 0..2 {
                let payload = json!({"accumulation_flag": flag, "psum_zero_region": zero_region});
                let report = run(&twins(op, &payload, &["p"]));
                assert_eq!(
                    report.merged.len(),
                    usize::from(flag == 3 && zero_region == 0),
                    "{op} {flag} {zero_region}"
                );
            }
        }
    }
    let affine = |c| json!({"kind": "AffExprKind", "terms": [], "c": c});
    let merged = |op, payload: Value| run(&twins(op, &payload, &["b"])).merged.len();
    assert_eq!(merged(Op::Matmult, json!({"accumulation_flag": affine(3)})), 0);
    assert_eq!(merged(Op::Memset, json!({"mode": "Random", "constant": 0})), 0);
    assert_eq!(merged(Op::Memset, json!({"mode": "Const", "constant": affine(1)})), 1);
    assert_eq!(merged(Op::GenericCopy, json!({"can_read_uninit": affine(1)})), 0);
    assert_eq!(merged(Op::TensorCopy, json!({"can_read_uninit": affine(1)})), 1);
    for acc in ["Zero", "Accumulate", "ZeroAccumulate", "AddAccumulate", "LoadAccumulate"] {
        let with = |op: Op, key: &str, base: Value| {
            let mut payload = base;
            payload[key] = json!(acc);
            assert_eq!(merged(op, payload), 0, "{op} {acc}");
        };
        with(Op::Activation, "acc", computing(Op::Activation));
        with(Op::TensorTensor, "acc", json!({"op": "add"}));
        with(Op::TensorScalarPtr, "acc", json!({"op0": "add", "op1": "bypass", "reverse0": false, "reverse1": false}));
        with(Op::CopyPredicated, "accumulator_cmd", json!({}));
        with(Op::RangeSelect, "reduce_cmd", json!({"compare_op0": "is_gt", "compare_op1": "is_gt"}));
        with(Op::Exponential, "reduce_cmd", json!({}));
    }
    // A second output is an accumulator's.
    for op in [Op::Activation, Op::TensorScalarPtr, Op::CopyPredicated] {
        assert_eq!(run(&twins(op, &computing(op), &["b", "c"])).merged.len(), 0, "{op}");
    }
    assert_eq!(run(&twins(Op::QuantizeMx, &Value::Null, &["b", "c"])).merged.len(), 1);
    // A notification reaches another core.
    for (list, wanted) in [(json!([]), true), (json!([1]), false)] {
        let payload = json!({"mode": "Copy", "remote_notification": list});
        let module = module_of(vec![record("dma", "DMACopy", payload)]);
        let dma = find(&module, "dma");
        copy(&module, "e", "a", "b");
        dma.move_to(entry(&module), Place::End).unwrap();
        copy(&module, "l", "a", "b");
        assert_eq!(run(&module).merged.len(), usize::from(wanted));
    }
}

#[test]
fn in_place_results_are_not_repeated() {
    for list in [OperandList::Ins, OperandList::IndirectionIns] {
        let module = empty();
        for name in ["e", "l"] {
            operand(copy(&module, name, "a", "b"), list, "b");
        }
        assert!(run(&module).merged.is_empty(), "{list:?}");
    }
    // r0 = r0 + 1, and r1 = r0 + 1.
    for (target, wanted) in [("r0", 0), ("r1", 1)] {
        let module = empty();
        for name in ["e", "l"] {
            let i = add(entry(&module), Op::RegisterAlu, name, &[], &[]);
            let register = |name| OperandSpec::Register {
                register: main_of(&module).find_register(name).unwrap(),
                dtype: Dtype::int32,
            };
            i.add_operand(OperandList::Ins, &register("r0"), Place::End).unwrap();
            i.add_operand(OperandList::Ins, &OperandSpec::Immediate { dtype: Dtype::int32, bits: 1 }, Place::End)
                .unwrap();
            i.add_operand(OperandList::Outs, &register(target), Place::End).unwrap();
        }
        assert_eq!(run(&module).merged.len(), wanted, "{target}");
    }
}

/// Makes `second` and `first` write (or read) the whole set `b_set`.
fn symbolic<'m>(module: &'m Module, i: &'m Instruction, list: OperandList, set: &str, c: i64) -> &'m Argument {
    let set = main_of(module).find_set(set).unwrap();
    let addrs = [constant(module, c)];
    let spec = OperandSpec::Symbolic { set, dtype: Dtype::float32, pattern: &PATTERN, addrs: &addrs };
    i.add_operand(list, &spec, Place::End).unwrap()
}

#[test]
fn sets_count_as_a_whole_where_addresses_are_not_known() {
    // A sibling location is another place, unless the access is to the whole set.
    let sibling = |m: &Module| {
        main_of(m).find_set("a_set").unwrap().add_location("a2", MemoryType::SB, Place::End).unwrap();
    };
    assert!(merged_after(|m, _, l| {
        sibling(m);
        between(l, Op::TensorCopy, &[], &["a2"]);
    }));
    assert!(!merged_after(|m, _, l| done(symbolic(
        m,
        between(l, Op::TensorCopy, &[], &[]),
        OperandList::Outs,
        "a_set",
        0
    ))));
    assert!(!merged_after(|m, _, l| {
        let set = main_of(m).find_set("b_set").unwrap();
        let spec = OperandSpec::RegisterPattern {
            set,
            dtype: Dtype::float32,
            pattern: &PATTERN,
            register: main_of(m).find_register("r0").unwrap(),
            offset_register: None,
            sub_tensor_register: None,
        };
        between(l, Op::TensorCopy, &[], &[]).add_operand(OperandList::Outs, &spec, Place::End).unwrap();
    }));
    // Two equal symbolic accesses merge; other addresses do not; a write to any location of the set comes between.
    let whole = |c: i64, write: Option<&str>, in_place: bool| {
        let module = empty();
        sibling(&module);
        let mut last = None;
        for (name, c) in [("e", 0), ("l", c)] {
            let i = add(entry(&module), Op::TensorCopy, name, &[], &[if in_place { "a2" } else { "b" }]);
            symbolic(&module, i, OperandList::Ins, "a_set", c);
            last = Some(i);
        }
        if let Some(location) = write {
            between(last.unwrap(), Op::TensorCopy, &[], &[location]);
        }
        run(&module).merged.len()
    };
    assert_eq!(whole(0, None, false), 1);
    assert_eq!(whole(1, None, false), 0);
    assert_eq!(whole(0, Some("a2"), false), 0);
    assert_eq!(whole(0, Some("c"), false), 1);
    assert_eq!(whole(0, None, true), 0);
}

#[test]
fn aliases_pointers_and_addresses() {
    let dram = |m: &Module| {
        for name in ["x", "y"] {
            main_of(m).find_set(&format!("{name}_set")).unwrap().set_kind(TensorKind::Internal);
        }
        let set = main_of(m).add_set("z_set", TensorKind::Internal, Dtype::float32, Place::End).unwrap().object;
        set.add_location("z", MemoryType::DRAM, Place::End).unwrap();
    };
    // Copies from x to b with a write of y or z between.
    let from_x = |write: &str, change: &dyn Fn(&Module)| {
        let module = empty();
        dram(&module);
        let at = |n: &str| main_of(&module).find_location(n).unwrap();
        assert_ne!(at("x").unique_id(), at("y").unique_id());
        copy(&module, "e", "x", "b");
        add(entry(&module), Op::DMACopy, "w", &[], &[write]);
        copy(&module, "l", "x", "b");
        change(&module);
        run(&module).merged.len()
    };
    let alias = |a: &'static str, b: &'static str| {
        move |m: &Module| {
            let at = |n: &str| main_of(m).find_location(n).unwrap();
            at(a).add_alias(at(b), 1).unwrap();
        }
    };
    let none = |_: &Module| {};
    assert_eq!([from_x("y", &none), from_x("z", &none), from_x("x", &none)], [1, 1, 0]);
    assert_eq!(
        [from_x("y", &alias("x", "y")), from_x("y", &alias("y", "x")), from_x("z", &alias("x", "y"))],
        [0, 0, 1]
    );
    let chain = |m: &Module| {
        alias("x", "z")(m);
        alias("z", "y")(m);
    };
    assert_eq!(from_x("y", &chain), 0);
    // A pointer: nobody knows what a write through it changes, and nothing of it is merged.
    let pointer = |m: &Module| main_of(m).find_set("y_set").unwrap().set_kind(TensorKind::Pointer);
    assert_eq!([from_x("y", &pointer), from_x("z", &pointer)], [0, 1]);
    let target = |m: &Module| {
        let at = |n: &str| main_of(m).find_location(n).unwrap();
        main_of(m).find_set("x_set").unwrap().set_kind(TensorKind::Pointer);
        at("x").set_pointer_ref_memloc(Some(at("y"))).unwrap();
    };
    assert_eq!(from_x("z", &target), 0);
    // Addresses: [0, 2048) per partition in SB against others.
    let placed = |addr: u64, dims: &'static [u32], memory: MemoryType| {
        merged_after(move |m, _, l| {
            let at = |n: &str| main_of(m).find_location(n).unwrap();
            for (name, addr, dims) in [("a", 4096, &[128, 2048][..]), ("b", 8192, &[128, 2048]), ("c", addr, dims)] {
                at(name).set_addr(addr);
                at(name).set_allocated(true);
                at(name).set_dims(dims).unwrap();
            }
            at("c").set_memory_type(memory).unwrap();
            between(l, Op::TensorCopy, &[], &["c"]);
        })
    };
    let sb = MemoryType::SB;
    assert!(placed(0, &[128, 4096], sb) && placed(6144, &[128, 2048], sb) && placed(10240, &[1, 1], sb));
    assert!(!placed(0, &[128, 4097], sb) && !placed(6143, &[1, 1], sb) && !placed(4096, &[1, 1], sb));
    assert!(!placed(9000, &[1, 4], sb) && !placed(8000, &[1, 400], sb));
    assert!(placed(4096, &[128, 2048], MemoryType::PSUM));
    // Without a size it may reach anywhere; before it has an address it is elsewhere.
    assert!(!placed(0, &[], sb) && placed(20000, &[], sb));
    // Banks and partitions do not help.
    assert!(!merged_after(|m, _, l| {
        let at = |n: &str| main_of(m).find_location(n).unwrap();
        for name in ["a", "c"] {
            at(name).set_addr(64);
        }
        at("c").set_bank(1);
        at("c").set_base_partition(64);
        between(l, Op::TensorCopy, &[], &["c"]);
    }));
    // A chain: the first reaches into the second, the second into the third.
    assert!(!merged_after(|m, _, l| {
        for (name, addr, size) in [("p", 0, 4097), ("a", 4096, 2048), ("c", 6143, 1)] {
            let location = main_of(m).find_location(name).unwrap();
            location.set_memory_type(MemoryType::SB).unwrap();
            location.set_addr(addr);
            location.set_allocated(true);
            location.set_dims(&[1, size]).unwrap();
        }
        between(l, Op::TensorCopy, &[], &["c"]);
    }));
    // Two locations of one set at one address.
    assert!(!merged_after(|m, _, l| {
        let set = main_of(m).find_set("a_set").unwrap();
        let twin = set.add_location("a2", MemoryType::SB, Place::End).unwrap().object;
        for location in set.locations() {
            location.set_addr(64);
        }
        twin.set_dims(&[128, 4]).unwrap();
        between(l, Op::TensorCopy, &[], &["a2"]);
    }));
    // In place, seen through addresses only.
    assert!(!merged_after(|m, _, _| {
        for name in ["a", "b"] {
            main_of(m).find_location(name).unwrap().set_addr(64);
        }
    }));
}

#[test]
fn storage_that_others_see_is_left_alone() {
    type Change = fn(&Function, &str);
    let changes: [(&str, Change); 8] = [
        ("volatile", |f, n| f.find_set(&format!("{n}_set")).unwrap().set_volatile(true)),
        ("virtual", |f, n| f.find_set(&format!("{n}_set")).unwrap().set_virtual(true)),
        ("pointer", |f, n| f.find_set(&format!("{n}_set")).unwrap().set_kind(TensorKind::Pointer)),
        ("another core", |f, n| f.find_location(n).unwrap().set_written_by_another_core(true)),
        ("remote writer", |f, n| f.find_location(n).unwrap().set_remote_writer_func(Some("g")).unwrap()),
        ("shared later", |f, n| f.find_location(n).unwrap().set_is_shared_post_dram_alloc(true)),
        ("mirrored", |f, n| f.find_location(n).unwrap().set_remote_local_target(Some(("g", 1))).unwrap()),
        ("reserved", |f, n| f.find_location(n).unwrap().set_runtime_reserved(true)),
    ];
    for (what, change) in changes {
        for name in ["a", "b"] {
            assert!(!merged_after(|m, _, _| change(main_of(m), name)), "{what} {name}");
        }
        assert!(merged_after(|m, _, _| change(main_of(m), "c")), "{what}");
    }
    // A core's own buffers are seen by no other, whatever the address space says.
    let shared = |memory: MemoryType| {
        merged_after(|m, _, _| {
            for name in ["a", "b"] {
                main_of(m).find_location(name).unwrap().set_memory_type(memory).unwrap();
                main_of(m).find_set(&format!("{name}_set")).unwrap().set_addr_space(MemoryAddressSpace::Shared);
            }
        })
    };
    assert!(shared(MemoryType::SB) && shared(MemoryType::PSUM));
    assert!(!shared(MemoryType::DRAM) && !shared(MemoryType::Unallocated));
    // Storage outside of the function: nobody knows who else is there.
    assert!(!merged_after(|m, _, _| main_of(m).find_set("b_set").unwrap().unlink().unwrap()));
}

#[test]
fn run_time_values_must_not_change() {
    let register = |m: &Module, i: &Instruction, list| {
        let spec = OperandSpec::Register { register: main_of(m).find_register("r0").unwrap(), dtype: Dtype::int32 };
        i.add_operand(list, &spec, Place::End).unwrap();
    };
    type Use = fn(&Module, &Instruction);
    let uses: [(&str, Use); 5] = [
        ("predicate", |m, i| {
            let register = main_of(m).find_register("r0").unwrap();
            let expr = m.expression(m.register_value(register).unwrap()).unwrap();
            i.set_predicates(&[AffinePredicate { expr, op: 0 }]).unwrap();
        }),
        ("dynamic", |m, i| {
            let register = main_of(m).find_register("r0").unwrap();
            let expr = m.expression(m.affine(&[], 1).unwrap()).unwrap();
            let runtime = m.expression(m.sum(&[m.register_value(register).unwrap()]).unwrap()).unwrap();
            let spec = DynamicSpec {
                actual_ap: &PATTERN,
                aff_expr: &[(expr, 1), (runtime, 4)],
                c: 0,
                indirect_dim: IndirectDim::MEMBERS[0],
                indirect_dim_max_index: 0,
            };
            i.ins().next().unwrap().set_dynamic(Some(&spec)).unwrap();
        }),
        ("address", |m, i| {
            let register = main_of(m).find_register("r0").unwrap();
            let other = main_of(m).find_register("r1").unwrap();
            let set = main_of(m).find_set("c_set").unwrap();
            let spec = OperandSpec::RegisterPattern {
                set,
                dtype: Dtype::float32,
                pattern: &PATTERN,
                register: other,
                offset_register: Some(register),
                sub_tensor_register: None,
            };
            i.add_operand(OperandList::Outs, &spec, Place::End).unwrap();
        }),
        ("literal", |m, i| {
            let register = main_of(m).find_register("r0").unwrap();
            let expr = m.expression(m.register_value(register).unwrap()).unwrap();
            let spec = OperandSpec::SymbolicImmediate { dtype: Dtype::int32, values: &[1], expr };
            i.add_operand(OperandList::Ins, &spec, Place::End).unwrap();
        }),
        ("input", |m, i| {
            let register = main_of(m).find_register("r0").unwrap();
            i.add_operand(OperandList::Ins, &OperandSpec::Register { register, dtype: Dtype::int32 }, Place::End)
                .unwrap();
        }),
    ];
    for (what, give) in uses {
        for written in [false, true] {
            let merged = merged_after(|m, e, l| {
                give(m, e);
                give(m, l);
                let move_to = between(l, Op::RegisterMove, &[], &[]);
                if written {
                    register(m, move_to, OperandList::Outs);
                }
            });
            assert_eq!(merged, !written, "{what}");
        }
    }
    // In a payload.
    let payload = json!({"can_read_uninit": {"kind": "IntRuntimeValueKind", "regref": "r0"}});
    for written in [false, true] {
        let module = module_of(["e", "l"].map(|n| record(n, "TensorCopy", payload.clone())).into());
        for i in ["e", "l"].map(|n| find(&module, n)) {
            reads(i, "a");
            writes(i, "b");
        }
        if written {
            register(&module, between(find(&module, "l"), Op::RegisterMove, &[], &[]), OperandList::Outs);
        }
        assert_eq!(run(&module).merged.len(), usize::from(!written));
    }
}

#[test]
fn expressions_too_large_are_left_alone() {
    // 2 to the 40 paths through 41 nodes.
    let module = empty();
    let mut node = module.affine(&[], 1).unwrap();
    for _ in 0..40 {
        node = module.sum(&[node, node]).unwrap();
    }
    for name in ["e", "l"] {
        let i = copy(&module, name, "a", "b");
        i.set_order(&[module.expression(node).unwrap()]).unwrap();
    }
    let report = run(&module);
    assert_eq!((report.candidates, report.merged.len()), (0, 0));
    // A small one is not.
    assert!(merged_after(|m, e, l| {
        let small = m.expression(m.sum(&[m.affine(&[], 1).unwrap(); 8]).unwrap()).unwrap();
        [e, l].into_iter().for_each(|i| i.set_order(&[small]).unwrap());
    }));
}

#[test]
fn loops_and_their_axes() {
    let module = empty();
    let looped = add(entry(&module), Op::Loop, "loop", &[], &[]);
    let axis = looped.set_loop_axis("i", 0, 4, 1).unwrap();
    copy(&module, "after", "a", "b");
    let body = *looped.block_holder().unwrap().add_block("body", Place::End).unwrap();
    let inner = add(body, Op::Loop, "inner", &[], &[]);
    let other = inner.set_loop_axis("i", 0, 4, 1).unwrap();
    let deep = *inner.block_holder().unwrap().add_block("deep", Place::End).unwrap();
    for (name, nest) in [("1", &[axis][..]), ("2", &[axis]), ("3", &[axis, other]), ("4", &[other]), ("5", &[axis])] {
        let i = add(deep, Op::TensorCopy, name, &["a"], &["b"]);
        i.set_loopnest(nest).unwrap();
    }
    let outer = add(body, Op::TensorCopy, "outer", &["a"], &["b"]);
    outer.set_loopnest(&[axis]).unwrap();
    let value = |axis| module.expression(module.axis_value(axis).unwrap()).unwrap();
    let predicate = |axis| [AffinePredicate { expr: value(axis), op: 0 }];
    // Axes of one name, but not one axis.
    for (name, axis) in [("p", axis), ("q", other), ("r", axis)] {
        let i = add(deep, Op::TensorCopy, name, &["a"], &["c"]);
        i.set_predicates(&predicate(axis)).unwrap();
    }
    let report = run(&module);
    // "5" is like "1", but "3" and "4" wrote the output after it; "outer" and "after" are in other blocks.
    assert_eq!(pairs(&report), [("2", "1")]);
    let path = "functions[0].blocks[0].instructions[0].blocks[0].instructions[0].blocks[0].instructions[1]";
    assert_eq!(report.merged[0].removed.path, path);
    assert_eq!(report.blocks, 5);
    for name in ["3", "4"] {
        deep.find_instruction(name).unwrap().erase().unwrap();
    }
    deep.find_instruction("q").unwrap().erase().unwrap();
    assert_eq!(pairs(&run(&module)), [("5", "1"), ("r", "p")]);
    // The function itself can be given.
    assert_eq!(cse_function(main_of(&module)).unwrap().instructions, 6);
}

#[test]
fn queues_and_other_functions() {
    let module = empty();
    let kernel = module.nki_holder().unwrap().add_function("kernel", Place::End).unwrap().object;
    let set = kernel.add_set("k_set", TensorKind::Internal, Dtype::float32, Place::End).unwrap().object;
    set.add_location("k", MemoryType::SB, Place::End).unwrap();
    let block = *kernel.add_block("kb", Place::End).unwrap();
    for name in ["1", "2"] {
        add(block, Op::Memset, name, &[], &["k"]);
    }
    let report = run(&module);
    assert_eq!(pairs(&report), [("2", "1")]);
    assert_eq!(report.merged[0].removed.path, "nki_functions.functions[0].blocks[0].instructions[1]");
    // Blocks of queues are not looked at.
    assert_eq!((report.blocks, report.instructions), (4, 2));
    let erased = module.add_function("gone", Place::End).unwrap().object;
    erased.erase().unwrap();
    assert_eq!(cse_function(erased).unwrap_err().code, bir_core::ErrorCode::Detached);
}

type Edges = Vec<(String, String, EdgeKind)>;

/// All edges of a set, by name.
fn edges(module: &Module, set: EdgeSet) -> Edges {
    let mut all: Edges = main_of(module)
        .instructions()
        .flat_map(|i| i.dependencies(set).map(move |e| (i.name().to_string(), e.target.name().to_string(), e.kind)))
        .collect();
    all.sort();
    all
}

#[test]
fn edges_move_to_the_survivor() {
    for set in [EdgeSet::Normal, EdgeSet::LoopCarried] {
        let module = empty();
        let before = copy(&module, "before", "c", "a");
        let also = copy(&module, "also", "p", "c");
        let first = copy(&module, "first", "a", "b");
        let second = copy(&module, "second", "a", "b");
        let after = copy(&module, "after", "b", "x");
        let last = copy(&module, "last", "b", "y");
        first.add_dependency(before, EdgeKind::Ordered, set).unwrap();
        second.add_dependency(before, EdgeKind::Flow, set).unwrap();
        second.add_dependency(also, EdgeKind::Anti, set).unwrap();
        second.add_dependency(first, EdgeKind::Output, set).unwrap();
        after.add_dependency(first, EdgeKind::Anti, set).unwrap();
        after.add_dependency(second, EdgeKind::Flow, set).unwrap();
        last.add_dependency(second, EdgeKind::Flow, set).unwrap();
        let larger = |a: EdgeKind, b: EdgeKind| if a.ordinal() > b.ordinal() { a } else { b };
        let report = run(&module);
        assert_eq!(pairs(&report), [("second", "first")]);
        let wanted = [
            ("after", "first", larger(EdgeKind::Anti, EdgeKind::Flow)),
            ("first", "also", EdgeKind::Anti),
            ("first", "before", larger(EdgeKind::Ordered, EdgeKind::Flow)),
            ("last", "first", EdgeKind::Flow),
        ];
        assert_eq!(edges(&module, set), wanted.map(|(a, b, k)| (a.to_string(), b.to_string(), k)), "{set:?}");
        for (from, to, kind) in [(after, first, wanted[0].2), (first, also, wanted[1].2)] {
            let mirror: Vec<_> = to.descendents(set).filter(|e| std::ptr::eq(e.target, from)).map(|e| e.kind).collect();
            assert_eq!(mirror, [kind]);
        }
        assert_eq!(second.dependency_count(set) + second.descendent_count(set), 0);
    }
}

/// The reason why the second of two copies stays, after a change.
fn kept_after(change: impl for<'m> Fn(&'m Module, &'m Instruction, &'m Instruction)) -> Vec<Why> {
    let module = empty();
    let first = copy(&module, "first", "a", "b");
    let second = copy(&module, "second", "a", "b");
    change(&module, first, second);
    let before = (edges(&module, EdgeSet::Normal), edges(&module, EdgeSet::LoopCarried));
    let report = run(&module);
    if !report.kept.is_empty() {
        assert!(report.merged.is_empty() && !second.is_erased());
        assert_eq!((edges(&module, EdgeSet::Normal), edges(&module, EdgeSet::LoopCarried)), before);
        assert_eq!((&*report.kept[0].same_as.name, &*report.kept[0].instruction.name), ("first", "second"));
    }
    report.kept.iter().map(|k| k.why).collect()
}

#[test]
fn edges_that_would_turn_around_forbid() {
    let flow = EdgeKind::Flow;
    // A reader between, which the second copy must not overtake.
    assert_eq!(
        kept_after(|_, _, l| {
            let reader = between(l, Op::TensorCopy, &["b"], &["c"]);
            l.add_dependency(reader, EdgeKind::Anti, EdgeSet::Normal).unwrap();
        }),
        [Why::WaitsForLater]
    );
    assert_eq!(
        kept_after(|_, _, l| {
            let reader = between(l, Op::TensorCopy, &["b"], &["c"]);
            reader.add_dependency(l, flow, EdgeSet::Normal).unwrap();
        }),
        []
    );
    assert_eq!(
        kept_after(|_, e, l| done(e.add_dependency(l, flow, EdgeSet::Normal).unwrap())),
        [Why::WaitedForEarlier]
    );
    assert_eq!(
        kept_after(|m, _, l| {
            let early = entry(m).add_instruction(Op::NoOp, "early", Place::Start).unwrap().object;
            early.add_dependency(l, flow, EdgeSet::Normal).unwrap();
        }),
        [Why::WaitedForEarlier]
    );
    // In another block, before and after; in a queue nobody knows.
    let in_block = |name: &'static str, waits: bool| {
        kept_after(move |m, _, l| {
            let other = add(main_of(m).find_block(name).unwrap(), Op::NoOp, "other", &[], &[]);
            if waits {
                l.add_dependency(other, flow, EdgeSet::Normal)
            } else {
                other.add_dependency(l, flow, EdgeSet::Normal)
            }
            .unwrap();
        })
    };
    assert_eq!(in_block("t0", true), [Why::WaitsForLater]);
    assert_eq!(in_block("t0", false), []);
    assert_eq!(
        kept_after(|m, _, l| {
            let block = m.find_queue("q0").unwrap().block_holder().find_instruction("d0").unwrap();
            l.add_dependency(block, flow, EdgeSet::Normal).unwrap();
        }),
        [Why::WaitsForLater]
    );
    // From one iteration to the next, any direction will do.
    for turned in [false, true] {
        assert_eq!(
            kept_after(|_, e, l| {
                let (a, b) = if turned { (l, e) } else { (e, l) };
                a.add_dependency(b, flow, EdgeSet::LoopCarried).unwrap();
            }),
            []
        );
    }
}

#[test]
fn references_forbid() {
    fn wait(from: Option<&Instruction>) -> Wait<'_> {
        Wait { id: 1, value: 1, mode: WaitMode::MEMBERS[0], sync_type: 0, from }
    }
    assert_eq!(
        kept_after(|m, _, l| {
            let i = add(main_of(m).find_block("t0").unwrap(), Op::NoOp, "w", &[], &[]);
            i.add_wait(wait(Some(l))).unwrap();
        }),
        [Why::Referenced]
    );
    assert_eq!(
        kept_after(|m, _, l| {
            let block = m.find_queue("q1").unwrap().block_holder().find_instruction("d1").unwrap();
            block.add_unroll_dependency(l, EdgeKind::Flow, &[], &[]).unwrap();
        }),
        [Why::Referenced]
    );
    assert_eq!(
        kept_after(|_, e, l| l.add_unroll_dependency(e, EdgeKind::Flow, &[], &[]).unwrap()),
        [Why::HasUnrollDependencies]
    );
    assert_eq!(kept_after(|_, _, l| l.set_debug_update_semaphore(Some(1)).unwrap()), [Why::HasDebugSemaphore]);
    // References to the one that stays do not matter.
    assert_eq!(
        kept_after(|m, e, _| {
            let i = add(main_of(m).find_block("t0").unwrap(), Op::NoOp, "w", &[], &[]);
            i.add_wait(wait(Some(e))).unwrap();
            e.set_debug_update_semaphore(Some(1)).unwrap();
        }),
        []
    );
}

#[test]
fn many_instructions_take_little_time() {
    let module = empty();
    let block = entry(&module);
    const N: u64 = 20_000;
    for n in 0..N {
        let i = copy(&module, "i", "a", "b");
        i.ins().next().unwrap().set_offset(n % 3).unwrap();
        i.outs().next().unwrap().set_offset(n % 3).unwrap();
        let i = copy(&module, "j", "a", "c");
        i.ins().next().unwrap().set_offset(7).unwrap();
        if n % 1000 == 0 {
            add(block, Op::Halt, "halt", &[], &[]);
        }
    }
    let start = std::time::Instant::now();
    let report = run(&module);
    // The `i` overwrite each other; of the `j` one is left after each Halt.
    assert_eq!(report.merged.len() as u64, N - N / 1000 - 1);
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}

/// A program of the model: each instruction computes a cell from a cell.
#[derive(Clone, Debug)]
struct Step {
    op: usize,
    engine: usize,
    from: (usize, u64),
    to: (usize, u64),
    /// Edges to earlier instructions: distance and kind.
    edges: Vec<(usize, usize, bool)>,
}

const OPS: [Op; 4] = [Op::TensorCopy, Op::Reciprocal, Op::Load, Op::Halt];
const PLACES: [&str; 4] = ["a", "b", "c", "p"];

fn step() -> impl Strategy<Value = Step> {
    let cell = || (0..PLACES.len(), 0..2_u64);
    let edges = prop::collection::vec((1..6_usize, 0..4_usize, any::<bool>()), 0..3);
    let op = prop_oneof![6 => 0..2_usize, 1 => Just(2_usize), 1 => Just(3_usize)];
    (op, 0..2_usize, cell(), cell(), edges).prop_map(|(op, engine, from, to, edges)| Step {
        op,
        engine,
        from,
        to,
        edges,
    })
}

const KINDS: [EdgeKind; 4] = [EdgeKind::Flow, EdgeKind::Anti, EdgeKind::Output, EdgeKind::Ordered];

fn program(steps: &[Step]) -> Module {
    let module = empty();
    let mut made: Vec<&Instruction> = Vec::new();
    for (n, s) in steps.iter().enumerate() {
        let i = add(entry(&module), OPS[s.op], &format!("i{n}"), &[], &[]);
        i.set_engine([EngineType::Pool, EngineType::DVE][s.engine]);
        if OPS[s.op] != Op::Halt {
            reads(i, PLACES[s.from.0]).set_offset(s.from.1).unwrap();
            writes(i, PLACES[s.to.0]).set_offset(s.to.1).unwrap();
        }
        for (distance, kind, carried) in &s.edges {
            if let Some(target) = n.checked_sub(*distance).and_then(|t| made.get(t)) {
                let set = if *carried { EdgeSet::LoopCarried } else { EdgeSet::Normal };
                i.add_dependency(target, KINDS[*kind], set).unwrap();
            }
        }
        made.push(i);
    }
    module
}

type Cell = (String, u64);

/// Executes what is left of a block on symbolic values: the state at the end, and what each instruction read.
fn execute(module: &Module) -> (BTreeMap<Cell, String>, BTreeMap<String, String>) {
    let mut cells: BTreeMap<Cell, String> = BTreeMap::new();
    let mut read = BTreeMap::new();
    let cell = |a: &Argument| (a.memory_location().unwrap().name().to_string(), a.offset().unwrap());
    let mut number = 0;
    for i in entry(module).instructions() {
        let op = i.opcode().unwrap();
        if op == Op::Halt {
            // Anything may have been written.
            for place in PLACES {
                for offset in 0..2 {
                    cells.insert((place.to_string(), offset), format!("halt {} {place} {offset}", i.name()));
                }
            }
            continue;
        }
        let from = cell(i.ins().next().unwrap());
        let value = cells.get(&from).cloned().unwrap_or_else(|| format!("{}{}", from.0, from.1));
        read.insert(i.name().to_string(), value.clone());
        // A number for each computed value, so that texts stay short.
        let text = format!("{op}({value})");
        number += 1;
        let value = if op == Op::Load { format!("load {} {text}", i.name()) } else { text };
        cells.insert(
            cell(i.outs().next().unwrap()),
            if value.len() > 400 { format!("{number} {}", i.name()) } else { value },
        );
    }
    (cells, read)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn programs_compute_the_same(steps in prop::collection::vec(step(), 0..24)) {
        let module = program(&steps);
        let (cells, read) = execute(&module);
        let before = [EdgeSet::Normal, EdgeSet::LoopCarried].map(|s| edges(&module, s));
        let report = run(&module);
        let (cells_after, read_after) = execute(&module);
        prop_assert_eq!(&cells, &cells_after);
        for (name, value) in &read_after {
            prop_assert_eq!(Some(value), read.get(name));
        }
        // Each removed instruction is gone, its survivor stays, and both wrote the same cell.
        let gone: BTreeMap<&str, &str> = pairs(&report).into_iter().collect();
        prop_assert_eq!(entry(&module).instruction_count() + gone.len(), steps.len());
        for (removed, survivor) in &gone {
            prop_assert!(entry(&module).find_instruction(removed).is_none());
            prop_assert!(entry(&module).find_instruction(survivor).is_some());
            let step = |name: &str| &steps[name[1..].parse::<usize>().unwrap()];
            let (r, s) = (step(removed), step(survivor));
            prop_assert_eq!((r.op, r.engine, r.from, r.to), (s.op, s.engine, s.from, s.to));
        }
        // Edges are those of before, with survivors in place of what was removed.
        for (set, before) in [EdgeSet::Normal, EdgeSet::LoopCarried].into_iter().zip(before) {
            let now = |name: &str| gone.get(name).map_or(name, |s| *s).to_string();
            let mut wanted: BTreeMap<(String, String), EdgeKind> = BTreeMap::new();
            for (from, to, kind) in before {
                let (from, to) = (now(&from), now(&to));
                if from != to {
                    let known = wanted.entry((from, to)).or_insert(kind);
                    if kind.ordinal() > known.ordinal() {
                        *known = kind;
                    }
                }
            }
            let mut wanted: Edges = wanted.into_iter().map(|((f, t), k)| (f, t, k)).collect();
            wanted.sort();
            let after = edges(&module, set);
            prop_assert_eq!(&after, &wanted);
            if set == EdgeSet::Normal {
                for (from, to, _) in after {
                    let number = |name: &str| name[1..].parse::<usize>().unwrap();
                    prop_assert!(number(&to) < number(&from));
                }
            }
        }
        // The same program gives the same report, and nothing is left to do.
        prop_assert_eq!(run(&program(&steps)), report.clone());
        let again = run(&module);
        prop_assert_eq!(again.merged, vec![]);
        prop_assert_eq!(again.kept.len(), report.kept.len());
    }
}

#[test]
fn the_lists_name_real_opcodes_once() {
    let all: Vec<i32> = COMPUTES.iter().chain(WRITES_OUTS_ONLY).map(|o| o.ordinal()).collect();
    let mut sorted = all.clone();
    sorted.sort_unstable();
    sorted.dedup();
    assert_eq!(sorted.len(), all.len());
    assert!(all.iter().all(|o| !OPCODES[*o as usize].is_abstract));
}
