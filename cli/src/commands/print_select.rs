//! What of a module is printed: functions and queues, in them blocks, in them instructions, each by name; instructions by id
//! too.

use crate::args::Print;
use crate::suggest;
use bir_core::ir::{BasicBlock, BasicBlockHolder, DMAQueue, Function, HolderOwner, Instruction, ModuleRef};
use bir_core::{Error, ErrorCode, Result};
use std::collections::{HashMap, HashSet};

/// Where blocks are looked for.
#[derive(Clone, Copy)]
pub enum Root<'m> {
    Function(&'m Function),
    Queue(&'m DMAQueue),
}

impl<'m> Root<'m> {
    fn holder(self) -> &'m BasicBlockHolder {
        match self {
            Root::Function(function) => function.block_holder(),
            Root::Queue(queue) => queue.block_holder(),
        }
    }
}

/// What is printed.
pub enum Selection<'m> {
    /// The whole module.
    Module,
    /// Functions and queues.
    Roots(Vec<Root<'m>>),
    /// Blocks.
    Blocks(Vec<&'m BasicBlock>),
    /// Instructions.
    Instructions(Vec<&'m Instruction>),
}

/// Finds what the arguments name, in the order of the module. A name that nothing has is an error. What lies inside of
/// something else that was asked for is not printed twice.
pub fn select<'m>(module: &'m ModuleRef, args: &Print) -> Result<Selection<'m>> {
    let roots = roots(module, args)?;
    if args.block.is_empty() && args.instruction.is_empty() {
        let whole = args.function.is_empty() && args.queue.is_empty();
        return Ok(if whole { Selection::Module } else { Selection::Roots(roots) });
    }
    let all = || roots.iter().flat_map(|root| root.holder().instructions());
    if args.block.is_empty() {
        return Ok(Selection::Instructions(instructions(&all().collect::<Vec<_>>(), &args.instruction)?));
    }
    let mut wanted = Wanted::new(&args.block);
    let blocks: Vec<&BasicBlock> =
        roots.iter().flat_map(|root| blocks_below(root.holder())).filter(|b| wanted.take(&b.name())).collect();
    wanted
        .check("block", || roots.iter().flat_map(|root| blocks_below(root.holder())).map(|b| b.name().to_string()))?;
    let chosen: HashSet<*const BasicBlock> = blocks.iter().map(|b| std::ptr::from_ref(*b)).collect();
    let inside = |block: Option<&'m BasicBlock>| {
        std::iter::successors(block, |b| outer(b)?.block()).any(|b| chosen.contains(&std::ptr::from_ref(b)))
    };
    if args.instruction.is_empty() {
        let outermost = blocks.into_iter().filter(|b| !inside(outer(b).and_then(Instruction::block)));
        return Ok(Selection::Blocks(outermost.collect()));
    }
    let all: Vec<&Instruction> = all().filter(|i| inside(i.block())).collect();
    Ok(Selection::Instructions(instructions(&all, &args.instruction)?))
}

/// All blocks below, nested ones included.
fn blocks_below(holder: &BasicBlockHolder) -> impl Iterator<Item = &BasicBlock> {
    let nested = holder.instructions().filter_map(Instruction::block_holder);
    std::iter::once(holder).chain(nested).flat_map(BasicBlockHolder::blocks)
}

/// The instruction that a nested block is part of.
fn outer(block: &BasicBlock) -> Option<&Instruction> {
    match block.holder()?.part_of()? {
        HolderOwner::Instruction(outer) => Some(outer),
        _ => None,
    }
}

fn roots<'m>(module: &'m ModuleRef, args: &Print) -> Result<Vec<Root<'m>>> {
    let functions = || module.functions().chain(module.nki_functions());
    if args.function.is_empty() && args.queue.is_empty() {
        return Ok(functions().map(Root::Function).chain(module.queues().map(Root::Queue)).collect());
    }
    let mut wanted = Wanted::new(&args.function);
    let mut roots = Vec::new();
    if !args.function.is_empty() {
        roots.extend(functions().filter(|f| wanted.take(&f.name())).map(Root::Function));
        wanted.check("function", || functions().map(|f| f.name().to_string()))?;
    }
    let mut wanted = Wanted::new(&args.queue);
    if !args.queue.is_empty() {
        roots.extend(module.queues().filter(|q| wanted.take(&q.name())).map(Root::Queue));
        wanted.check("queue", || module.queues().map(|q| q.name().to_string()))?;
    }
    Ok(roots)
}

/// Names that were asked for, and whether each was found. None at all means all.
struct Wanted<'a> {
    names: HashMap<&'a str, bool>,
}

impl<'a> Wanted<'a> {
    fn new(names: &'a [String]) -> Wanted<'a> {
        Wanted { names: names.iter().map(|name| (name.as_str(), false)).collect() }
    }

    fn take(&mut self, name: &str) -> bool {
        if self.names.is_empty() {
            return true;
        }
        self.names.get_mut(name).map(|found| *found = true).is_some()
    }

    /// Fails for the first name, in the order of the alphabet, that nothing had.
    fn check<N: Iterator<Item = String>>(&self, what: &str, names: impl FnOnce() -> N) -> Result<()> {
        match self.names.iter().filter(|(_, found)| !**found).map(|(name, _)| *name).min() {
            Some(missing) => Err(unknown(what, missing, &names().collect::<Vec<_>>())),
            None => Ok(()),
        }
    }
}

fn unknown(what: &str, missing: &str, names: &[String]) -> Error {
    suggest::unknown(what, missing, names.iter().map(String::as_str), "`bir print FILE` lists them all")
}

/// By name, or by id: `#16`, or a number that is nobody's name.
fn instructions<'m>(all: &[&'m Instruction], wanted: &[String]) -> Result<Vec<&'m Instruction>> {
    let mut chosen: HashSet<*const Instruction> = HashSet::new();
    for text in wanted {
        let mut choose = |matches: &dyn Fn(&Instruction) -> bool| {
            let found = all.iter().filter(|i| matches(i)).map(|i| std::ptr::from_ref(*i));
            let any = found.clone().next().is_some();
            chosen.extend(found);
            any
        };
        let id = text.strip_prefix('#').unwrap_or(text).parse::<i32>().ok();
        if choose(&|i| *i.name() == **text) || id.is_some_and(|id| choose(&|i| i.unique_id() == id)) {
            continue;
        }
        if let Some(id) = id {
            return Err(Error::new(ErrorCode::NotFound, format_args!("no instruction has the id {id}")));
        }
        return Err(unknown("instruction", text, &all.iter().map(|i| i.name().to_string()).collect::<Vec<_>>()));
    }
    let is_chosen = |i: &Instruction| chosen.contains(&std::ptr::from_ref(i));
    let around = |i: &'m Instruction| std::iter::successors(i.parent_instruction(), |i| i.parent_instruction());
    Ok(all.iter().copied().filter(|i| is_chosen(i) && !around(i).any(is_chosen)).collect())
}
