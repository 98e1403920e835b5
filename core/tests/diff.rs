//! What changed between two modules: every kind of change to one object is that one change, told exactly.

mod changed;
mod rich;

use bir_core::Result;
use bir_core::diff::{Change, DiffOptions, Kind, Subject, What, diff};
use bir_core::enums::bir::{Dtype, EdgeKind, EngineType, InstructionType as Op, MemoryType, TensorKind};
use bir_core::ir::{BasicBlock, EdgeSet, Instruction, Module, OperandList, OperandSpec, Place, difference};
use changed::{changes, lines, mirrored};
use rich::changes::{BODY, CHANGES, at, block, find, main_of, operand};
use rich::{PATTERN, rich};

/// What single changes are that are not one changed field, in the order of the table.
const OTHERS: &[(&str, &[&str])] = &[
    ("functions[0].name", &["renamed function functions[0]: main -> Main"]),
    ("functions[2]", &["added function functions[2]"]),
    ("functions[0].name", &["added function functions[0]"]),
    ("functions[1].blocks[0].instructions[0]", &["removed instruction functions[1].blocks[0].instructions[0]"]),
    ("functions[0].allocations[0].name", &["renamed set functions[0].allocations[0]: x_set -> s"]),
    (
        "functions[0].allocations[0].memorylocations[0].alias",
        &["changed functions[0].allocations[0].memorylocations[0].alias: p_set/p 1 -> p_set/p 3"],
    ),
    (
        "functions[0].allocations[4].tensorId2MemLocSize",
        &["added location functions[0].allocations[4].memorylocations[1]"],
    ),
    ("functions[0].allocations[5]", &["added set functions[0].allocations[5]"]),
    (
        "functions[0].blocks[0].name",
        &["moved block functions[0].blocks[2] -> functions[0].blocks[0]: main[2] -> main[0]"],
    ),
    (
        "functions[0].blocks[1].arguments[0].incoming_values[0]",
        &[
            "changed functions[0].blocks[1].arguments[0].incoming_values[0]: x -> (none)",
            "changed functions[0].blocks[1].arguments[0].incoming_values[1]: y -> (none)",
        ],
    ),
    (
        "functions[0].blocks[1].instructions[0].name",
        &["renamed instruction functions[0].blocks[1].instructions[0]: I-4 -> I-5"],
    ),
    (
        "functions[0].blocks[1].instructions[0].dependencies",
        &["changed functions[0].blocks[1].instructions[0].dependencies: entry/I-0 Ordered -> entry/I-0 Flow"],
    ),
    (
        "L0.instructions[0].order[0].first",
        &[
            "changed L0.instructions[0].order[0].first: 0 -> 1",
            "changed L0.instructions[0].order[1]: an expression -> (none)",
        ],
    ),
    (
        "L0.instructions[0].order[0].coeff[0]",
        &[
            "changed L0.instructions[0].order[0].coeff[0]: 512 -> 511",
            "changed L0.instructions[0].order[1]: an expression -> (none)",
        ],
    ),
    (
        "L0.instructions[0].order[0].terms[0].axis",
        &[
            "changed L0.instructions[0].order[0].terms[0].axis: i of entry/L0 -> j of entry/L0/L0_body/D0",
            "changed L0.instructions[0].order[1]: an expression -> (none)",
        ],
    ),
    (
        "L0.instructions[0].outs[0].access_shape[0]",
        &[
            "changed L0.instructions[0].outs[0].access_shape[0]: 128 -> (none)",
            "changed L0.instructions[0].outs[0].access_shape[1]: 512 -> (none)",
        ],
    ),
    (
        "L0.instructions[0].outs[0].addrs[0].kind",
        &[
            "changed L0.instructions[0].outs[0].addrs[0].kind: AffExprKind -> ShardIDKind",
            "changed L0.instructions[0].outs[0].addrs[1]: an expression -> (none)",
        ],
    ),
    (
        "L0.instructions[1].ins[0].dynamic_ap_info.actual_ap[1]",
        &[
            "changed L0.instructions[1].ins[0].dynamic_ap_info.actual_ap[1]: [1, 512] -> (none)",
            "changed L0.instructions[1].ins[0].dynamic_ap_info.aff_expr[0]: an expression -> (none)",
            "changed L0.instructions[1].ins[0].dynamic_ap_info.aff_expr[1]: an expression -> (none)",
        ],
    ),
    (
        "L0.instructions[1].ins[0].dynamic_ap_info.aff_expr[0].offset_expr.n_terms",
        &[
            "changed L0.instructions[1].ins[0].dynamic_ap_info.aff_expr[0].offset_expr.n_terms: 1 -> 0",
            "changed L0.instructions[1].ins[0].dynamic_ap_info.aff_expr[1]: an expression -> (none)",
        ],
    ),
    ("L0.instructions[2].blocks[0].name", &["renamed block L0.instructions[2].blocks[0]: D0_body -> other"]),
    ("L0.instructions[2].blocks[1]", &["added block L0.instructions[2].blocks[1]"]),
    ("queues[0].name", &["moved queue queues[1] -> queues[0]: queues[1] -> queues[0]"]),
    (
        "queues[0].blocks[0].instructions[0].blocks[0].instructions[0].ins[0].location",
        &[
            "changed queues[0].blocks[0].instructions[0].blocks[0].instructions[0].ins[0].location: main/x_set/x -> nki:kernel/kx_set/kx",
        ],
    ),
    ("queues[1]", &["removed queue queues[1]"]),
];

#[test]
fn each_single_change_is_told_once_and_nothing_else() -> Result<()> {
    let module = rich()?;
    let mut others = OTHERS.iter();
    for (path, change) in CHANGES {
        let clone = module.clone_module()?;
        assert_eq!(changes(&module, &clone), [""; 0]);
        change(&clone)?;
        let path = path.strip_prefix("L0.").map_or(path.to_string(), |rest| format!("{BODY}.{rest}"));
        let first = difference(&module, &clone).expect("a difference");
        let field = |text: &str| text.strip_prefix("main/").unwrap_or(text).replace(" of main/", " of ");
        let expected = [format!("changed {path}: {} -> {}", field(&first.left), field(&first.right))];
        let found = changes(&module, &clone);
        mirrored(&module, &clone);
        if found != expected {
            let (other, lines) = others.next().unwrap_or_else(|| panic!("{path}: {found:#?}"));
            let short = |text: &str| text.replace(BODY, "L0");
            assert_eq!(short(&path), *other);
            assert_eq!(found.iter().map(|l| short(l)).collect::<Vec<_>>(), *lines, "{path}");
        }
    }
    assert!(others.next().is_none());
    Ok(())
}

/// A function of `n` copies, `I-0` to `I-n`, each of another place of `x` to `a`, each depending on the one before; in
/// the block `entry`, followed by an empty block `exit`.
fn copies(n: usize) -> Result<Module> {
    let module = Module::new()?;
    let main = *module.add_function("main", Place::End)?;
    for (name, memory) in [("x", MemoryType::DRAM), ("a", MemoryType::SB)] {
        let set = *main.add_set(&format!("{name}_set"), TensorKind::Internal, Dtype::float32, Place::End)?;
        set.add_location(name, memory, Place::End)?.set_dims(&[128, 2048])?;
    }
    let entry = *main.add_block("entry", Place::End)?;
    main.add_block("exit", Place::End)?;
    let mut last = None;
    for number in 0..n {
        let copy = add_copy(&module, entry, &format!("I-{number}"), number as u64 * 64, Place::End)?;
        if let Some(last) = last {
            copy.add_dependency(last, EdgeKind::Flow, EdgeSet::Normal)?;
        }
        last = Some(copy);
    }
    Ok(module)
}

fn add_copy<'m>(
    module: &'m Module,
    block: &'m BasicBlock,
    name: &str,
    offset: u64,
    place: Place<'m, Instruction>,
) -> Result<&'m Instruction> {
    let copy = block.add_instruction(Op::TensorCopy, name, place)?.object;
    for (list, location, offset) in [(OperandList::Ins, "x", offset), (OperandList::Outs, "a", 0)] {
        let location = at(module, location);
        let spec = OperandSpec::Physical { location, dtype: Dtype::float32, pattern: &PATTERN, offset };
        copy.add_operand(list, &spec, Place::End)?;
    }
    Ok(copy)
}

const ENTRY: &str = "functions[0].blocks[0].instructions";

/// What an edit of eight copies changes, told in one direction and checked in the other.
#[track_caller]
fn edited(edit: impl FnOnce(&Module) -> Result<()>) -> Vec<String> {
    let (a, b) = (copies(8).expect("eight copies"), copies(8).expect("eight copies"));
    edit(&b).expect("an edit");
    mirrored(&a, &b);
    changes(&a, &b).iter().map(|l| l.replace(ENTRY, "I")).collect()
}

#[test]
fn a_name_is_told_where_it_changed_not_where_it_is_used() {
    assert_eq!(edited(|m| find(m, "I-3").set_name("other").map(drop)), ["renamed instruction I[3]: I-3 -> other"]);
    let location = "functions[0].allocations[0].memorylocations[0]";
    assert_eq!(edited(|m| at(m, "x").set_name("z").map(drop)), [format!("renamed location {location}: x -> z")]);
    let set = "renamed set functions[0].allocations[0]: x_set -> z_set";
    assert_eq!(edited(|m| main_of(m).find_storage("x_set").expect("a set").set_name("z_set").map(drop)), [set]);
    let block_ = "renamed block functions[0].blocks[0]: entry -> first";
    assert_eq!(edited(|m| block(m, "entry").set_name("first").map(drop)), [block_]);
    assert_eq!(edited(|m| main_of(m).set_name("other").map(drop)), ["renamed function functions[0]: main -> other"]);
}

#[test]
fn renamed_and_changed() {
    let found = edited(|m| {
        find(m, "I-3").set_engine(EngineType::DVE);
        find(m, "I-3").set_name("other").map(drop)
    });
    assert_eq!(found, ["renamed instruction I[3]: I-3 -> other", "changed I[3].engine: Unassigned -> DVE"]);
    let found = edited(|m| {
        operand(m, "I-3", OperandList::Outs, 0).set_dtype(Dtype::int8)?;
        find(m, "I-3").set_name("other").map(drop)
    });
    assert_eq!(found, ["renamed instruction I[3]: I-3 -> other", "changed I[3].outs[0].dtype: float32 -> int8"]);
    // Blocks and functions are known by what lies in them.
    let found = edited(|m| {
        find(m, "I-3").set_engine(EngineType::DVE);
        block(m, "entry").set_name("first")?;
        main_of(m).set_name("other").map(drop)
    });
    let renamed =
        ["renamed function functions[0]: main -> other", "renamed block functions[0].blocks[0]: entry -> first"];
    assert_eq!(found, [renamed[0], renamed[1], "changed I[3].engine: Unassigned -> DVE"]);
    // Nothing in common: another instruction.
    let found = edited(|m| {
        let copy = add_copy(m, block(m, "entry"), "other", 9999, Place::Before(find(m, "I-7")))?;
        copy.set_engine(EngineType::DVE);
        find(m, "I-7").erase()
    });
    assert_eq!(found, ["removed instruction I[7]", "added instruction I[7]"]);
}

#[test]
fn one_more_or_less_shifts_nothing() {
    let found = edited(|m| add_copy(m, block(m, "entry"), "new", 77, Place::Before(find(m, "I-3"))).map(drop));
    assert_eq!(found, ["added instruction I[3]"]);
    let found = edited(|m| add_copy(m, block(m, "entry"), "new", 77, Place::Start).map(drop));
    assert_eq!(found, ["added instruction I[0]"]);
    // The edge to what is gone is gone, and is a field of the one that stays.
    assert_eq!(
        edited(|m| find(m, "I-3").erase()),
        ["removed instruction I[3]", "changed I[4] -> I[3].dependencies: entry/I-3 Flow -> (none)",]
    );
    assert_eq!(edited(|m| find(m, "I-7").erase()), ["removed instruction I[7]"]);
    // An operand more in front is not another operand at each place.
    let found = edited(|m| {
        let spec = OperandSpec::Physical { location: at(m, "a"), dtype: Dtype::int8, pattern: &PATTERN, offset: 0 };
        let first = operand(m, "I-3", OperandList::Ins, 0);
        find(m, "I-3").add_operand(OperandList::Ins, &spec, Place::Before(first)).map(drop)
    });
    assert_eq!(found, ["changed I[3].ins[0]: (none) -> PhysicalAccessPattern operand"]);
    // So is a set, a block.
    let set = |m: &Module| main_of(m).add_set("s", TensorKind::Internal, Dtype::int8, Place::Start).map(drop);
    assert_eq!(edited(set), ["added set functions[0].allocations[0]"]);
    assert_eq!(edited(|m| main_of(m).add_block("new", Place::Start).map(drop)), ["added block functions[0].blocks[0]"]);
}

#[test]
fn moved_in_its_list_and_out_of_it() {
    let entry = |m: &Module| -> Result<()> {
        find(m, "I-1").move_to(block(m, "entry"), Place::After(find(m, "I-5"))).map(drop)
    };
    assert_eq!(edited(entry), ["moved instruction I[1] -> I[5]: entry[1] -> entry[5]"]);
    let exit = |m: &Module| find(m, "I-1").move_to(block(m, "exit"), Place::End).map(drop);
    let to = "functions[0].blocks[1].instructions[0]";
    assert_eq!(edited(exit), [format!("moved instruction I[1] -> {to}: entry[1] -> exit[0]")]);
    // Moved and changed, moved and renamed.
    let found = edited(|m| {
        find(m, "I-1").set_engine(EngineType::DVE);
        exit(m)
    });
    let changed = format!("changed I[1] -> {to}.engine: Unassigned -> DVE");
    assert_eq!(found, [format!("moved instruction I[1] -> {to}: entry[1] -> exit[0]"), changed]);
    let found = edited(|m| {
        find(m, "I-1").set_name("other")?;
        find(m, "other").move_to(block(m, "exit"), Place::End).map(drop)
    });
    let renamed = format!("renamed instruction I[1] -> {to}: I-1 -> other");
    assert_eq!(found, [format!("moved instruction I[1] -> {to}: entry[1] -> exit[0]"), renamed]);
    // Two that change places: one of them moved.
    let found = edited(|m| find(m, "I-2").move_to(block(m, "entry"), Place::Before(find(m, "I-1"))).map(drop));
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("moved instruction I["), "{found:?}");
    // A location in another set.
    let found = edited(|m| {
        let target = main_of(m).find_set("a_set").expect("a set");
        at(m, "x").move_to(target, Place::End).map(drop)
    });
    let moved = "moved location functions[0].allocations[0].memorylocations[0] -> \
                 functions[0].allocations[1].memorylocations[1]: x_set[0] -> a_set[1]";
    assert!(found.iter().any(|l| l == moved), "{found:#?}");
}

#[test]
fn what_is_put_into_a_loop_moves_into_it() {
    let found = edited(|m| {
        let outer = block(m, "entry").add_instruction(Op::Loop, "L", Place::Before(find(m, "I-2")))?.object;
        outer.set_loop_axis("i", 0, 4, 1)?;
        let body = *outer.block_holder().expect("a loop").add_block("body", Place::End)?;
        find(m, "I-2").move_to(body, Place::End)?;
        find(m, "I-3").move_to(body, Place::End).map(drop)
    });
    assert_eq!(
        found,
        [
            "added instruction I[2]",
            "moved instruction I[2] -> I[2].blocks[0].instructions[0]: entry[2] -> entry/L/body[0]",
            "moved instruction I[3] -> I[2].blocks[0].instructions[1]: entry[3] -> entry/L/body[1]",
        ]
    );
}

#[test]
fn names_that_were_all_given_anew_do_not_mislead() -> Result<()> {
    // I-3 is new, and what was I-3 is I-4 now, and so on: by name, everything from there on would be another one.
    let (a, b) = (copies(8)?, copies(8)?);
    let new = add_copy(&b, block(&b, "entry"), "new", 77, Place::Before(find(&b, "I-3")))?;
    for number in (3..8).rev() {
        find(&b, &format!("I-{number}")).set_name(&format!("I-{}", number + 1))?;
    }
    new.set_name("I-3")?;
    let found: Vec<String> = changes(&a, &b).iter().map(|l| l.replace(ENTRY, "I")).collect();
    let renamed = |n: usize| format!("renamed instruction I[{n}] -> I[{}]: I-{n} -> I-{}", n + 1, n + 1);
    let mut expected = vec![String::from("added instruction I[3]")];
    expected.extend((3..8).map(renamed));
    assert_eq!(found, expected);
    mirrored(&a, &b);
    Ok(())
}

#[test]
fn among_equal_ones_names_decide() -> Result<()> {
    let equal = || -> Result<Module> {
        let module = copies(0)?;
        ["a", "b", "c", "d"]
            .iter()
            .try_for_each(|n| add_copy(&module, block(&module, "entry"), n, 0, Place::End).map(drop))?;
        Ok(module)
    };
    let (a, b) = (equal()?, equal()?);
    find(&b, "a").erase()?;
    assert_eq!(changes(&a, &b), [format!("removed instruction {ENTRY}[0]")]);
    find(&b, "d").move_to(block(&b, "entry"), Place::Start)?;
    let moved = format!("moved instruction {ENTRY}[3] -> {ENTRY}[0]: entry[3] -> entry[0]");
    assert_eq!(changes(&a, &b), [format!("removed instruction {ENTRY}[0]"), moved]);
    mirrored(&a, &b);
    Ok(())
}

#[test]
fn another_opcode_of_the_same_name() {
    let found = edited(|m| {
        let last = find(m, "I-7");
        last.set_name("old")?;
        let new = *block(m, "entry").add_instruction(Op::Activation, "I-7", Place::After(last))?;
        new.add_dependency(find(m, "I-6"), EdgeKind::Flow, EdgeSet::Normal)?;
        for (list, location, offset) in [(OperandList::Ins, "x", 7 * 64), (OperandList::Outs, "a", 0)] {
            let location = at(m, location);
            let spec = OperandSpec::Physical { location, dtype: Dtype::float32, pattern: &PATTERN, offset };
            new.add_operand(list, &spec, Place::End)?;
        }
        last.erase()
    });
    assert_eq!(found, ["changed I[7].opcode: TensorCopy -> Activation"]);
}

#[test]
fn owners_come_and_go_with_what_they_own() -> Result<()> {
    let (a, b) = (copies(3)?, copies(3)?);
    block(&b, "entry").erase()?;
    let found = diff(&a, &b, &DiffOptions::default())?;
    assert_eq!(found.changes.len(), 1);
    let removed = found.changes[0].left.as_ref().expect("the left side had it");
    assert_eq!(
        (removed.name.as_str(), removed.path.as_str(), removed.instructions),
        ("entry", "functions[0].blocks[0]", 3)
    );
    assert_eq!(found.changes[0].right, None);
    assert_eq!(found.summary().to_string(), "1 block removed");
    Ok(())
}

#[test]
fn changes_are_data() -> Result<()> {
    let (a, b) = (copies(8)?, copies(8)?);
    find(&b, "I-3").set_engine(EngineType::DVE);
    let found = diff(&a, &b, &DiffOptions::default())?;
    let subject = |m: &Module| Subject {
        name: "I-3".into(),
        path: format!("{ENTRY}[3]"),
        id: find(m, "I-3").unique_id(),
        opcode: "TensorCopy".into(),
        instructions: 0,
    };
    assert_eq!(
        found.changes,
        [Change {
            what: What::Changed,
            kind: Kind::Instruction,
            left: Some(subject(&a)),
            right: Some(subject(&b)),
            field: "engine".into(),
            old: "Unassigned".into(),
            new: "DVE".into(),
        }]
    );
    let text =
        "changed instruction `I-3` (TensorCopy) at functions[0].blocks[0].instructions[3]: engine: Unassigned -> DVE";
    assert_eq!(lines(&a, &b), [text]);
    Ok(())
}

#[test]
fn changes_beyond_the_limit_are_counted() -> Result<()> {
    let (a, b) = (copies(8)?, copies(8)?);
    for number in 0..6 {
        find(&b, &format!("I-{number}")).set_engine(EngineType::DVE);
        find(&b, &format!("I-{number}")).set_engine_id(3);
    }
    find(&b, "I-7").erase()?;
    at(&b, "x").set_name("z")?;
    let all = diff(&a, &b, &DiffOptions::default())?;
    assert_eq!((all.changes.len(), all.dropped), (14, 0));
    for limit in 0..16 {
        let some = diff(&a, &b, &DiffOptions::default().max_changes(limit))?;
        assert_eq!(some.changes, all.changes[..limit.min(14)]);
        assert_eq!(some.total(), 14);
        assert_eq!(some.summary().to_string(), "6 instructions changed, 1 removed; 1 location renamed");
        assert!(!some.is_empty());
    }
    assert_eq!(all.count(Kind::Instruction).of(What::Changed), 6);
    assert_eq!(diff(&a, &a, &DiffOptions::default())?.summary().to_string(), "no differences");
    Ok(())
}
