//! What the public interface cannot make or look at: every payload slot of every opcode, call bindings, the id counter.

#![allow(clippy::type_complexity)]

use crate::enums::bir::{DMAQueueType, Dtype, InstructionType as Op, MemoryType, TensorKind};
use crate::ir::raw::payload::{ABSENT, MaybeContent, SlotView, VERBATIM, make_maybe, read_maybe, view};
use crate::ir::raw::shapes::SHAPES;
use crate::ir::raw::slot::{MaybeType, Slot};
use crate::ir::raw::{ExprNode, MaybeAffine, Ptr, QuasiAffineExpr as RawExpr, owner};
use crate::ir::{
    APPair, BasicBlock, DMAQueue, Function, Instruction, MemoryLocation, Module, ModuleRef, Place, QuasiAffineExpr,
    Register, difference, id,
};
use crate::mem::StdString;
use crate::op::OPCODES;
use crate::{ErrorCode, Result};
use std::format;
use std::string::{String, ToString};
use std::vec::Vec;

/// What slots may refer to, found by name, so that it is there in a clone too.
struct Things<'m> {
    module: &'m ModuleRef,
    function: &'m Function,
    callee: &'m Function,
    kernel: &'m Function,
    registers: [&'m Register; 2],
    location: &'m MemoryLocation,
    block: &'m BasicBlock,
    other_block: &'m BasicBlock,
    looped: &'m Instruction,
    queue: &'m DMAQueue,
    dma: [&'m Instruction; 2],
    triggers: [&'m Instruction; 2],
}

fn things(module: &ModuleRef) -> Things<'_> {
    let function = module.find_function("main").unwrap();
    let queue = module.find_queue("queue").unwrap();
    let instance = queue.find_block("instance").unwrap();
    let block = function.find_block("block").unwrap();
    Things {
        module,
        function,
        callee: module.find_function("callee").unwrap(),
        kernel: module.nki_holder().unwrap().find_function("callee").unwrap(),
        registers: ["r0", "r1"].map(|r| function.find_register(r).unwrap()),
        location: function.find_location("x").unwrap(),
        block,
        other_block: function.find_block("other").unwrap(),
        looped: block.find_instruction("around").unwrap(),
        queue,
        dma: ["dma0", "dma1"].map(|d| instance.find_instruction(d).unwrap()),
        triggers: ["trigger0", "trigger1"].map(|t| block.find_instruction(t).unwrap()),
    }
}

/// The things, without instructions of every opcode.
fn base() -> Result<Module> {
    let module = Module::new()?;
    let main = module.add_function("main", Place::End)?.object;
    module.add_function("callee", Place::End)?.add_block("entry", Place::End)?;
    module.nki_holder()?.add_function("callee", Place::End)?;
    main.add_register("r0", Place::End)?;
    main.add_register("r1", Place::End)?;
    let set = main.add_set("x_set", TensorKind::Internal, Dtype::float32, Place::End)?;
    set.add_location("x", MemoryType::SB, Place::End)?;
    let block = main.add_block("block", Place::End)?.object;
    main.add_block("other", Place::End)?;
    let queue = module.add_queue("queue", DMAQueueType::dynamic, Place::End)?.object;
    let instance = queue.add_block("instance", Place::End)?.object;
    for name in ["dma0", "dma1"] {
        instance.add_instruction(Op::DMABlock, name, Place::End)?;
    }
    for name in ["trigger0", "trigger1"] {
        block.add_instruction(Op::DMATrigger, name, Place::End)?;
    }
    let around = block.add_instruction(Op::Loop, "around", Place::End)?.object;
    around.set_loop_axis("i", 0, 4, 1)?;
    around.block_holder().unwrap().add_block("body", Place::End)?;
    Ok(module)
}

impl<'m> Things<'m> {
    fn body(&self) -> &'m BasicBlock {
        self.looped.block_holder().unwrap().find_block("body").unwrap()
    }

    fn node(&self, variant: usize) -> Result<&'m ExprNode> {
        let axis = self.module.axis_value(self.looped.axis().unwrap())?;
        let register = self.module.register_value(self.registers[variant % 2])?;
        self.module.affine(&[(axis, 3), (register, variant as i64)], 1)
    }

    fn expr(&self, variant: usize) -> Result<RawExpr> {
        self.module.expression(self.node(variant)?).map(|e| e.raw())
    }

    /// A value that differs from that of the next variant: constant, expression, verbatim text, absent by turns.
    fn maybe(&self, kind: MaybeType, variant: usize) -> Result<MaybeAffine> {
        let state = self.module.module_state()?;
        Ok(match variant % 4 {
            0 => make_maybe(MaybeContent::Constant(1), 0, 0),
            1 if kind == MaybeType::I32 => make_maybe(MaybeContent::Constant(0xFFFF_FFFF), 0, 0),
            1 => make_maybe(MaybeContent::Affine(self.expr(variant)?), 1, 0),
            2 => {
                let text = state.alloc::<StdString>()?;
                text.init();
                text.set(&state.arena, &format!("{{\"verbatim\":{variant},\"and\":\"long\"}}"))?;
                make_maybe(MaybeContent::Verbatim(Some(text)), 0, VERBATIM)
            }
            _ => make_maybe(MaybeContent::Constant(0), 0, ABSENT),
        })
    }

    fn fill(&self, instruction: &'m Instruction, offset: u16, kind: Slot, variant: usize) -> Result<()> {
        let state = self.module.module_state()?;
        let arena = &state.arena;
        let v = variant as u32;
        match view(instruction, offset, kind).unwrap() {
            SlotView::Flag(f) => f.set(variant.is_multiple_of(2)),
            SlotView::Word(w) => w.set(if kind == Slot::F32 { f32::NAN.to_bits() + v } else { v + 1 }),
            SlotView::Words(w) => w.iter().enumerate().for_each(|(i, w)| w.set(i as u32 + v)),
            SlotView::Maybe(t, m) => m.set(self.maybe(t, variant)?),
            SlotView::MaybePair(t, [m, n]) => {
                m.set(self.maybe(t, variant + 1)?);
                n.set(self.maybe(t, variant)?);
            }
            SlotView::Text(t) => t.set(arena, &format!("a text that is not short {variant}"))?,
            SlotView::Json(j) if variant % 3 == 2 => j.set(None),
            SlotView::Json(j) => crate::ir::module::set_linked_text(state, j, &format!("{{\"a\":{variant}}}"))?,
            SlotView::Queue(q) => q.set(Some(self.queue).filter(|_| variant.is_multiple_of(2))),
            SlotView::Block(b) => b.set(Some([self.block, self.other_block][variant % 2])),
            SlotView::Function(f) => f.set(Some([self.callee, self.kernel, self.function][variant % 3])),
            SlotView::Trigger(i) => i.set(Some(self.triggers[variant % 2])),
            SlotView::VecWord(l) => l.assign(arena, &[7, v])?,
            SlotView::VecVecU32(l) => {
                l.clear();
                l.push_zeroed(arena)?;
                l.push_zeroed(arena)?.assign(arena, &[1, v, 3])?;
            }
            SlotView::VecVecU64(l) => {
                l.clear();
                l.push_zeroed(arena)?.assign(arena, &[u64::MAX, variant as u64])?;
            }
            SlotView::VecString(l) => l.assign(arena, &["i", &format!("an axis with a long name {variant}")])?,
            SlotView::VecRegister(l) => l.assign(arena, &[Ptr::to(self.registers[variant % 2])])?,
            SlotView::DmaBlocks(l) => {
                let [a, b] = self.dma.map(Ptr::to);
                l.assign(arena, &[a, if variant.is_multiple_of(2) { a } else { b }])?;
            }
            SlotView::VecExpr(l) => l.assign(arena, &[self.expr(0)?, self.expr(variant)?])?,
            SlotView::SmallWord(l) => l.assign(arena, &[0x7FC0_0001, v, 2, 3, 4, 5])?,
            SlotView::SmallPairs(l) => l.assign(arena, &[APPair { step: -1, num: variant as i64 }; 6])?,
            SlotView::SmallMaybe(t, l) => l.assign(arena, &[self.maybe(t, 2)?, self.maybe(t, variant)?])?,
            SlotView::Expr(e) => e.set(self.expr(variant)?),
            SlotView::RuntimeValue(n) => n.set(Some(self.module.register_value(self.registers[variant % 2])?)),
            SlotView::Axis if instruction.opcode()? == Op::Loop => {
                instruction.set_loop_axis(&format!("axis{variant}"), 0, 2, 1)?;
            }
            SlotView::Axis => {
                let lent = |v| self.expr(v).map(|e| QuasiAffineExpr::lend(e, self.module));
                instruction.set_dynamic_axis("j", lent(0)?, lent(variant)?, lent(2)?)?;
            }
            SlotView::Blocks => {}
        }
        Ok(())
    }

    /// Objects of the module that an expression leads to.
    fn owns_expr(&self, expr: RawExpr) -> bool {
        let root = QuasiAffineExpr::lend(expr, self.module).root();
        root.is_none_or(|r| self.owns_node(r)) && {
            let axes = expr.axes[0].get(self.module).copied();
            axes.is_none_or(|a| a == Ptr::to(self.looped.axis().unwrap()))
        }
    }

    fn owns_node(&self, node: &ExprNode) -> bool {
        let register = node.register().is_none_or(|r| self.registers.iter().any(|own| owner::same(*own, r)));
        let axis = node.axis().is_none_or(|a| owner::same(a, self.looped.axis().unwrap()));
        register && axis && node.terms().all(|(n, _)| self.owns_node(n))
    }

    fn owns_maybe(&self, kind: MaybeType, value: MaybeAffine) -> bool {
        match read_maybe(value, kind, self.module) {
            MaybeContent::Affine(expr) => self.owns_expr(expr),
            _ => true,
        }
    }

    /// Whether all that a slot leads to is of this module.
    fn owns(&self, instruction: &'m Instruction, offset: u16, kind: Slot) -> bool {
        let here = |module: Result<&ModuleRef>| module.is_ok_and(|m| owner::same(m, self.module));
        match view(instruction, offset, kind).unwrap() {
            SlotView::Maybe(t, m) => self.owns_maybe(t, m.get()),
            SlotView::MaybePair(t, pair) => pair.iter().all(|m| self.owns_maybe(t, m.get())),
            SlotView::Queue(q) => q.get().is_none_or(|q| here(q.module())),
            SlotView::Block(b) => b.get().is_none_or(|b| here(b.module())),
            SlotView::Function(f) => f.get().is_none_or(|f| here(f.module())),
            SlotView::Trigger(i) => i.get().is_none_or(|i| here(i.module())),
            SlotView::VecRegister(l) => l.iter().all(|r| here(r.get(self.module).unwrap().storage.module())),
            SlotView::DmaBlocks(l) => l.iter().all(|i| here(i.get(self.module).unwrap().module())),
            SlotView::VecExpr(l) => l.iter().all(|e| self.owns_expr(e)),
            SlotView::SmallMaybe(t, l) => l.iter().all(|m| self.owns_maybe(t, m)),
            SlotView::Expr(e) => self.owns_expr(e.get()),
            SlotView::RuntimeValue(n) => n.get().is_none_or(|n| self.owns_node(n)),
            SlotView::Axis => instruction.axis().is_none_or(|a| match a.as_dynamic() {
                Some(d) => [d.lb(), d.ub(), d.stride()].into_iter().all(|e| self.owns_expr(e.raw())),
                None => a.parent.get().is_some_and(|p| owner::same(p, instruction)),
            }),
            _ => true,
        }
    }
}

/// Every opcode once, every slot filled.
fn full(variant: usize) -> Result<Module> {
    let module = base()?;
    let things = things(&module);
    for (ordinal, shape) in SHAPES.iter().enumerate() {
        let opcode = Op::from_ordinal(ordinal as i64)?;
        let instruction = things.body().add_instruction(opcode, opcode.name(), Place::End)?.object;
        for (number, (offset, kind)) in shape.slots.iter().enumerate() {
            things.fill(instruction, *offset, *kind, variant + number)?;
        }
    }
    let state = module.module_state()?;
    let binding = module.call_bindings.push_zeroed(&state.arena)?;
    binding.call.set(things.body().find_instruction("Call"));
    binding.locations.assign(&state.arena, &[Ptr::to(things.location)])?;
    Ok(module)
}

fn path_of(ordinal: usize, offset: u16) -> String {
    let key = OPCODES[ordinal].fields.iter().find(|f| f.offset == offset).map_or("payload", |f| f.key);
    format!("functions[0].blocks[0].instructions[2].blocks[0].instructions[{ordinal}].{key}")
}

#[test]
fn every_slot_of_every_opcode_travels_and_is_compared() -> Result<()> {
    for variant in 0..4 {
        let module = full(variant)?;
        let clone = module.clone_module()?;
        assert_eq!(difference(&module, &clone), None);
        let own = things(&clone);
        let mut slots = 0;
        for (ordinal, shape) in SHAPES.iter().enumerate() {
            let instruction = own.body().instructions().nth(ordinal).unwrap();
            for (number, (offset, kind)) in shape.slots.iter().enumerate() {
                assert!(own.owns(instruction, *offset, *kind), "{:?} {offset:#x} {kind:?}", instruction.opcode());
                if *kind == Slot::Blocks {
                    continue;
                }
                own.fill(instruction, *offset, *kind, variant + number + 1)?;
                let found =
                    difference(&module, &clone).unwrap_or_else(|| panic!("{:?} {offset:#x}", instruction.opcode()));
                let expected = path_of(ordinal, *offset);
                assert!(found.path.starts_with(&expected), "{found}, not at {expected}");
                own.fill(instruction, *offset, *kind, variant + number)?;
                assert_eq!(difference(&module, &clone), None);
                slots += 1;
            }
        }
        assert!(slots > 250, "{slots}");
        drop(module);
        assert_eq!(difference(&clone, &clone.clone_module()?), None);
    }
    Ok(())
}

#[test]
fn a_loop_with_all_opcodes_is_cloned_beside_itself() -> Result<()> {
    let module = full(1)?;
    let things = things(&module);
    let other = things.looped.clone_to(things.other_block, None, Place::Start)?.object;
    // Branches to the block around the loop stay what they are; so do queues, functions and DMA blocks.
    assert_eq!(difference(things.looped, other), None);
    let inner = other.block_holder().unwrap().find_instruction("CollectiveCompute").unwrap();
    for (offset, kind) in SHAPES[Op::CollectiveCompute.ordinal() as usize].slots {
        if let SlotView::Expr(e) = view(inner, *offset, *kind).unwrap() {
            let (axis, _) = QuasiAffineExpr::lend(e.get(), inner).root().unwrap().terms().next().unwrap();
            assert!(owner::same(axis.axis().unwrap(), other.axis().unwrap()));
        }
    }
    Ok(())
}

#[test]
fn payload_references_are_found_by_name_in_another_module() -> Result<()> {
    let module = full(0)?;
    let (from, other) = (things(&module), base()?);
    let to = things(&other);
    to.other_block.set_name("elsewhere")?;
    let mut unresolved: Vec<String> = Vec::new();
    for instruction in from.body().instructions() {
        let before = to.body().instruction_count();
        match instruction.clone_to(to.body(), None, Place::End) {
            Ok(clone) => {
                assert_eq!(difference(instruction, *clone), None);
                for (offset, kind) in SHAPES[instruction.opcode.get() as usize].slots {
                    assert!(to.owns(*clone, *offset, *kind), "{:?} {offset:#x}", instruction.opcode());
                }
            }
            Err(error) => {
                assert_eq!(error.code, ErrorCode::UnresolvedRef, "{error}");
                assert!(
                    error.path.starts_with("functions[0].blocks[0].instructions[2].blocks[0].instructions["),
                    "{error}"
                );
                assert_eq!(to.body().instruction_count(), before);
                unresolved.push(format!("{}: {}", &*instruction.name(), error.message));
            }
        }
    }
    let text = "block `other` does not exist in function `main`";
    let expected = ["CompareAndBranch", "BranchHint", "SwitchQueueInstance", "ResetQueueInstance"];
    assert_eq!(unresolved, expected.map(|name| format!("{name}: {text}")));
    Ok(())
}

#[test]
fn what_another_module_lacks_is_named() -> Result<()> {
    let module = full(0)?;
    let from = things(&module);
    let lacking: [(&str, &str, fn(&Things<'_>) -> Result<()>); 5] = [
        ("DMATrigger", "queue `queue` does not exist in the target module", |t| t.queue.erase()),
        ("DMATrigger", "instruction `dma0` does not exist in queue `queue`", |t| t.dma[0].erase()),
        ("DMABlock", "instruction `trigger0` does not exist in function `main`", |t| t.triggers[0].erase()),
        ("Call", "function `callee` does not exist in the target module", |t| {
            t.callee.erase()?;
            t.kernel.erase()
        }),
        ("Drain", "register `r0` does not exist in function `main`", |t| t.registers[0].erase()),
    ];
    for (name, message, remove) in lacking {
        let other = base()?;
        let to = things(&other);
        remove(&to)?;
        let source = from.body().find_instruction(name).unwrap();
        if name == "Drain" {
            let lone = from.module.register_value(from.registers[0])?;
            source.set_order(&[from.module.expression(lone)?])?;
        }
        let error = source.clone_to(to.body(), None, Place::End).unwrap_err();
        assert_eq!((error.code, error.message.as_str()), (ErrorCode::UnresolvedRef, message));
        assert_eq!(to.body().instruction_count(), 0);
    }
    Ok(())
}

/// What a failed clone must leave as it was and a dump through the public interface does not show.
fn counts(module: &ModuleRef) -> Vec<String> {
    let holder = |h: &crate::ir::FunctionHolder| h.functions().map(|f| f.name().to_string()).collect::<Vec<_>>();
    let mut all = holder(module.function_holder());
    all.extend(holder(module.nki_holder().unwrap()));
    for function in module.functions() {
        all.extend(function.instructions().map(|i| i.name().to_string()));
        for storage in function.storages() {
            let locations = storage.as_set().into_iter().flat_map(|s| s.locations()).map(MemoryLocation::base);
            for base in locations.chain(Some(storage.base())) {
                let users = (base.reader_count(), base.writer_count(), base.block_arguments.len());
                all.push(format!("{} {users:?}", &*base.name()));
            }
        }
    }
    all.push(format!("{} {} {}", module.queue_count(), module.call_bindings.len(), module.next_unique_id()));
    all
}

#[test]
fn no_allocation_may_fail_halfway() -> Result<()> {
    let module = full(0)?;
    let from = things(&module);
    let argument = from.other_block.add_argument("phi", Place::End)?;
    argument.set_location(Some(from.location.base()))?;
    argument.add_incoming(from.location.base(), from.block)?;
    let arena = module.arena()?;
    for (what, clone) in [
        ("loop", (|t| t.looped.clone_to(t.other_block, None, Place::End)?.erase()) as fn(&Things<'_>) -> Result<()>),
        ("block", |t| t.other_block.clone_to(t.function.block_holder(), None, Place::End)?.erase()),
        ("function", |t| t.function.clone_to(t.module.function_holder(), None, Place::End)?.erase()),
    ] {
        let before = counts(&module);
        let mut failures = 0;
        loop {
            arena.fail_after(Some(failures));
            let done = clone(&from);
            arena.fail_after(None);
            if done.is_ok() {
                break;
            }
            assert_eq!(done.unwrap_err().code, ErrorCode::OutOfMemory);
            assert_eq!(counts(&module), before, "{what} after {failures} allocations");
            failures += 1;
        }
        assert!(failures > 1, "{what}");
    }
    let target = Module::new()?;
    let empty = counts(&target);
    for allocations in 0.. {
        target.arena()?.fail_after(Some(allocations));
        let done = module.clone_into(&target);
        target.arena()?.fail_after(None);
        if done.is_ok() {
            break;
        }
        assert_eq!(counts(&target), empty, "after {allocations} allocations");
        assert!(target.artifact_path().is_empty());
    }
    assert_eq!(difference(&module, &target), None);
    assert_eq!(target.call_bindings.len(), 1);
    Ok(())
}

#[test]
fn the_last_ids_are_given_back_when_they_do_not_suffice() -> Result<()> {
    let module = full(0)?;
    let from = things(&module);
    module.next_unique_id.set(id::LAST_ID - 20);
    let before = counts(&module);
    let error = from.looped.clone_to(from.other_block, None, Place::End).unwrap_err();
    assert_eq!(error.code, ErrorCode::IdExhausted);
    assert_eq!(counts(&module), before);
    from.body().find_instruction("NoOp").unwrap().clone_to(from.other_block, None, Place::End)?;
    assert_eq!(module.next_unique_id(), id::LAST_ID - 19);
    Ok(())
}

#[test]
fn ids_that_were_given_back_are_looked_up_right() -> Result<()> {
    let module = base()?;
    let from = things(&module);
    let next = module.next_unique_id() as i32;
    assert!(module.find_by_id(0)?.is_some());
    module.arena()?.fail_after(Some(4));
    from.looped.clone_to(from.other_block, None, Place::End).unwrap_err();
    module.arena()?.fail_after(None);
    assert!(module.find_by_id(next)?.is_none());
    let made = from.other_block.add_instruction(Op::NoOp, "new", Place::End)?.object;
    assert_eq!(made.unique_id(), next);
    assert_eq!(module.find_by_id(next)?.map(|o| o.id()), Some(next));
    Ok(())
}

#[test]
fn call_bindings_and_foreign_numbers_are_compared() -> Result<()> {
    let module = full(0)?;
    let clone = module.clone_module()?;
    let own = things(&clone);
    let changes: [(&str, fn(&Things<'_>)); 6] = [
        ("call_to_physical_memlocs[0].locations[0]", |t| t.module.call_bindings.get_ref(0).unwrap().locations.clear()),
        ("call_to_physical_memlocs[0].call", |t| t.module.call_bindings.get_ref(0).unwrap().call.set(None)),
        ("functions[0].blocks[0].instructions[2].optin_passes_mask", |t| {
            t.looped.named.named_object_base.optin_passes_mask.set(0xE);
        }),
        ("functions[0].blocks[0].instructions[2].engine", |t| t.looped.engine.set(99)),
        ("functions[0].allocations[2].type", |t| t.location.set().unwrap().type_value.set(2)),
        ("arch", |t| t.module.arch.set(-7)),
    ];
    for (path, change) in changes {
        change(&own);
        assert_eq!(difference(&module, &clone).unwrap().path, path);
        // Numbers that no enum knows are cloned as they stand.
        assert_eq!(difference(&clone, &clone.clone_module()?), None);
    }
    Ok(())
}
