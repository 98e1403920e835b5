//! Random edits: a module has no changes to itself, there are changes exactly if two modules are not equal, and exchanged
//! modules give the same changes the other way round.

mod changed;
mod rich;

use bir_core::Result;
use bir_core::diff::{Change, DiffOptions, What, diff};
use bir_core::enums::bir::{EdgeKind, EngineType, InstructionType as Op, MemoryType};
use bir_core::ir::{BasicBlock, EdgeSet, Instruction, MemoryLocation, Module, ModuleRef, Place};
use changed::{changes, mirrored};
use proptest::prelude::*;
use rich::rich;

/// One edit: what to do, and numbers to choose with.
type Step = (u8, [usize; 3]);

const NAMES: [&str; 8] = ["I-4", "n", "n_1", "n_2", "entry", "x", "a name of more than fifteen bytes", "L0"];
const OPS: [Op; 4] = [Op::NoOp, Op::TensorCopy, Op::Loop, Op::Memset];

fn pick<T: Copy>(list: &[T], number: usize) -> Option<T> {
    list.get(number.checked_rem(list.len())?).copied()
}

fn instructions(module: &ModuleRef) -> Vec<&Instruction> {
    let functions = module.functions().chain(module.nki_functions());
    functions.flat_map(|f| f.instructions()).collect()
}

fn blocks(module: &ModuleRef) -> Vec<&BasicBlock> {
    let own = module.functions().flat_map(|f| f.blocks());
    own.chain(instructions(module).into_iter().filter_map(|i| i.block_holder()).flat_map(|h| h.blocks())).collect()
}

fn locations(module: &ModuleRef) -> Vec<&MemoryLocation> {
    module.functions().flat_map(|f| f.sets()).flat_map(|s| s.locations()).collect()
}

/// Does one edit, if there is something to do it to. Edits that the module refuses change nothing.
fn edit(module: &ModuleRef, (what, [a, b, c]): Step) {
    let (all, blocks) = (instructions(module), blocks(module));
    let (name, engine) = (NAMES[c % NAMES.len()], EngineType::MEMBERS[c % EngineType::MEMBERS.len()]);
    let done: Option<Result<()>> = (|| match what % 14 {
        0 => Some(pick(&all, a)?.set_name(name).map(drop)),
        1 => Some(pick(&blocks, a)?.set_name(name).map(drop)),
        2 => Some(pick(&locations(module), a)?.set_name(name).map(drop)),
        3 => Some(pick(&module.functions().collect::<Vec<_>>(), a)?.set_name(name).map(drop)),
        4 => {
            pick(&all, a)?.set_engine(engine);
            None
        }
        5 => {
            let target = pick(&blocks, b)?;
            let place = match pick(&target.instructions().collect::<Vec<_>>(), c) {
                Some(anchor) => Place::Before(anchor),
                None => Place::End,
            };
            Some(pick(&all, a)?.move_to(target, place).map(drop))
        }
        6 => Some(pick(&all, a)?.erase()),
        7 | 8 => Some(pick(&blocks, a)?.add_instruction(pick(&OPS, b)?, name, Place::Start).map(drop)),
        9 => {
            let (from, to) = (pick(&all, a)?, pick(&all, b)?);
            Some(from.add_dependency(to, EdgeKind::MEMBERS[1 + c % 3], EdgeSet::Normal).map(drop))
        }
        10 => Some(pick(&all, a)?.outs().next()?.set_offset((c % 1000) as u64 * 4)),
        11 => Some(pick(&blocks, a)?.erase()),
        12 => {
            let location = pick(&locations(module), a)?;
            let target = pick(&module.functions().next()?.sets().collect::<Vec<_>>(), b)?;
            Some(location.move_to(target, Place::Start).map(drop))
        }
        _ => {
            let set = pick(&module.functions().next()?.sets().collect::<Vec<_>>(), a)?;
            Some(set.add_location(name, MemoryType::DRAM, Place::End).map(drop))
        }
    })();
    // Whatever the module refuses is not under test here.
    drop(done);
}

/// The rich module after edits. It is built anew each time: what refers to an erased object cannot be cloned.
fn edited(steps: &[&[Step]]) -> Module {
    let module = rich().unwrap();
    steps.iter().flat_map(|s| s.iter()).for_each(|s| edit(&module, *s));
    module
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    proptest::collection::vec((any::<u8>(), any::<[usize; 3]>()), 0..12)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 120, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn changes_exactly_if_not_equal_and_the_same_both_ways(before in steps(), left in steps(), right in steps()) {
        let (a, b) = (edited(&[&before, &left]), edited(&[&before, &right]));
        prop_assert!(changes(&a, &a).is_empty());
        prop_assert!(changes(&a, &edited(&[&before, &left])).is_empty());
        // Counts whether the modules are equal, too.
        mirrored(&a, &b);
    }

    #[test]
    fn each_edit_is_at_most_a_few_changes(before in steps(), step in (any::<u8>(), any::<[usize; 3]>())) {
        // A location that gets another name on its way into another set is another one.
        prop_assume!(step.0 % 14 != 12);
        let (base, edited) = (edited(&[&before]), edited(&[&before, &[step]]));
        let found = diff(&base, &edited, &DiffOptions::default()).unwrap();
        // What referred to something that is erased now refers to nothing; all else is one change, and a name that had
        // to be changed on the way.
        let is_left_behind = |c: &&Change| {
            c.what == What::Changed && (c.field.contains("dependencies") || c.new.contains("(outside)"))
        };
        let own = found.changes.iter().filter(|c| !is_left_behind(c)).count();
        prop_assert!(own <= 2, "{step:?}: {:#?}", changes(&base, &edited));
    }
}
