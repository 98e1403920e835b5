//! The walk over a kernel (`spec/lowering.md` section 2).

use super::blocks::Plan;
use super::diagnostic::{Diagnostic, Filled, Findings, Severity};
use super::emit::Numbers;
use super::layout::memory_type;
use super::made::Made;
use super::options::LowerOptions;
use super::row::Rule;
use super::stop::{Field, Refused, Step, Stop};
use super::table::{OPERATORS, rule};
use super::tensors::Tensors;
use super::{ops, wording};
use crate::enums::bir::{InstructionType, TensorKind};
use crate::error::text;
use crate::fallible::{copy, format, push};
use crate::ir::raw::state::{FixedState, fixed_state};
use crate::ir::{BasicBlock, Function, Instruction, ModuleRef, Place, Register};
use crate::klr::ast::{Block, LncKernel, Operator, Stmt};
use crate::{Error, Result};
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use hashbrown::HashMap;

/// One kernel being lowered into one function.
pub(super) struct Lowering<'m, 'k> {
    pub module: &'m ModuleRef,
    pub function: &'m Function,
    pub options: &'m LowerOptions,
    pub kernel: &'k LncKernel<'k>,
    pub findings: &'m mut Findings,
    pub tensors: Tensors<'m, 'k>,
    pub registers: HashMap<&'k str, &'m Register, FixedState>,
    pub plan: Option<Plan<'k>>,
    /// The block of each label that is one.
    pub blocks: Vec<Option<&'m BasicBlock>>,
    /// Where instructions are added.
    pub block: Option<&'m BasicBlock>,
    /// The statement being lowered.
    pub spot: Spot<'k>,
    pub numbers: Numbers,
    pub made: Made<'m>,
    /// The instruction of each named statement, if there are edges; `None` for one without an instruction.
    pub named: HashMap<&'k str, Option<&'m Instruction>, FixedState>,
    pub name_buffer: String,
    pub debug_buffer: Vec<u8>,
}

/// Where in the kernel the walk is.
#[derive(Clone, Copy, Default)]
pub(super) struct Spot<'k> {
    pub block: Option<&'k Block<'k>>,
    pub statement: Option<&'k Stmt<'k>>,
    /// Its index in the block.
    pub index: usize,
    /// Whether its main instruction was made.
    pub main_made: bool,
}

impl<'m, 'k> Lowering<'m, 'k> {
    pub fn new(
        module: &'m ModuleRef,
        function: &'m Function,
        kernel: &'k LncKernel<'k>,
        options: &'m LowerOptions,
        findings: &'m mut Findings,
    ) -> Self {
        Lowering {
            module,
            function,
            options,
            kernel,
            findings,
            tensors: Tensors::new(),
            registers: HashMap::with_hasher(fixed_state()),
            plan: None,
            blocks: Vec::new(),
            block: None,
            spot: Spot::default(),
            numbers: Numbers::default(),
            made: Made::default(),
            named: HashMap::with_hasher(fixed_state()),
            name_buffer: String::new(),
            debug_buffer: Vec::new(),
        }
    }

    /// Lowers the kernel. What it breaks is in the findings; an error is a failure of the library.
    pub fn run(&mut self) -> Result<()> {
        self.storages()?;
        let Some(body) = self.body()? else { return Ok(()) };
        self.make_blocks(body)?;
        for (index, block) in body.iter().enumerate() {
            if let Some(target) = self.blocks.get(index).copied().flatten() {
                self.block = Some(target);
                self.fill(body, block)?;
            }
        }
        self.resume(body)?;
        self.spot = Spot::default();
        super::edges::add(self, body)?;
        super::made::place(self)
    }

    /// Shared constants, inputs, outputs, shared buffers, in this order.
    fn storages(&mut self) -> Result<()> {
        let kernel = self.kernel;
        for (index, constant) in kernel.shared_constants.iter().enumerate() {
            let step = self.constant(constant, Field::at("sharedConstants", index));
            self.note(step)?;
        }
        let lists = [
            ("inputs", TensorKind::Input, kernel.inputs),
            ("outputs", TensorKind::Output, kernel.outputs),
            ("sharedBuffers", TensorKind::Internal, kernel.shared_buffers),
        ];
        for (name, kind, list) in lists {
            for (index, tensor) in list.iter().enumerate() {
                let field = Field::at(name, index);
                if memory_type(tensor.address.memory).is_none() {
                    // It becomes no location, which is an error only where an operand needs one.
                    self.warn(&wording::TENSOR_MEMORY, field, tensor.name)?;
                    continue;
                }
                let step = self.tensor_of_kind(tensor, kind, field).map(drop);
                self.note(step)?;
            }
        }
        Ok(())
    }

    /// The blocks of this core; `None` if it has nothing to do.
    fn body(&mut self) -> Result<Option<&'k [Block<'k>]>> {
        let bodies = self.kernel.bodies;
        let index = match self.options.core_id {
            Some(core) => usize::try_from(core).unwrap_or(usize::MAX),
            None if bodies.len() > 1 => {
                self.error(&rule::CORE_ID_UNSET, Field::from("bodies"), bodies.len())?;
                return Ok(None);
            }
            None => 0,
        };
        Ok(bodies.get(index).copied())
    }

    /// Makes all blocks, so that branches find theirs.
    fn make_blocks(&mut self, body: &'k [Block<'k>]) -> Result<()> {
        let plan = Plan::new(body)?;
        for (index, block) in body.iter().enumerate() {
            self.spot = Spot { block: Some(block), ..Spot::default() };
            if plan.duplicates.binary_search(&index).is_ok() {
                self.error(&wording::DUPLICATE_LABEL, Field::from("label"), block.label)?;
            }
            if plan.unended.binary_search(&index).is_ok() {
                self.error(&rule::NO_REORDER, Field::from("noReorder"), "")?;
            }
            let made = match plan.is_inlined(index) {
                true => None,
                false => Some(self.function.add_block(block.label, Place::End)?.object),
            };
            push(&mut self.blocks, made)?;
        }
        self.plan = Some(plan);
        Ok(())
    }

    /// Lowers the statements of a block, and in the place of branches those of the blocks that are put in line there.
    fn fill(&mut self, body: &'k [Block<'k>], block: &'k Block<'k>) -> Result<()> {
        let mut outer: Vec<(&'k Block<'k>, usize)> = Vec::new();
        let (mut block, mut index) = (block, 0);
        loop {
            let Some(statement) = block.body.get(index) else {
                match outer.pop() {
                    Some(back) => (block, index) = back,
                    None => return Ok(()),
                }
                continue;
            };
            self.spot = Spot { block: Some(block), statement: Some(statement), index, main_made: false };
            index += 1;
            if let Some(inner) = self.in_line(body, &statement.op) {
                self.remember(None)?;
                push(&mut outer, (block, index))?;
                (block, index) = (inner, 0);
                continue;
            }
            let step = self.statement(statement);
            if self.note(step)? && !self.spot.main_made {
                // Refused: an edge that names it is not another error.
                self.remember(None)?;
            }
        }
    }

    /// The block that replaces the statement.
    fn in_line(&self, body: &'k [Block<'k>], operator: &Operator<'k>) -> Option<&'k Block<'k>> {
        let plan = self.plan.as_ref()?;
        let Operator::CmpBranch(branch) = operator else { return None };
        if branch.op != crate::enums::klr::BrCmpOp::always {
            return None;
        }
        body.get(plan.find(branch.true_label).filter(|index| plan.is_inlined(*index))?)
    }

    fn statement(&mut self, statement: &'k Stmt<'k>) -> Step<()> {
        let ordinal = statement.op.ordinal();
        // The table has one row per constructor (a test compares the two).
        let row = usize::try_from(ordinal).ok().and_then(|n| OPERATORS.get(n.checked_sub(1)?));
        match row {
            Some(row) if row.lowered => ops::lower(self, row, &statement.op),
            _ => super::stop::refuse_with(&rule::OP_KIND, Field::NONE, ordinal),
        }
    }

    /// Notes the instruction of the present statement for the edges.
    pub fn remember(&mut self, instruction: Option<&'m Instruction>) -> Result<()> {
        if self.kernel.edges.is_empty() {
            return Ok(());
        }
        let Some(name) = self.spot.statement.and_then(|s| s.name) else { return Ok(()) };
        self.named.try_reserve(1).map_err(|_| Error::out_of_memory())?;
        // The first statement of a name counts.
        self.named.entry(name).or_insert(instruction);
        Ok(())
    }

    /// Lets an empty last block lead to a block where the next kernel takes over.
    fn resume(&mut self, body: &'k [Block<'k>]) -> Result<()> {
        let Some((last, block)) = body.last().zip(self.blocks.last().copied().flatten()) else { return Ok(()) };
        if !last.body.is_empty() {
            return Ok(());
        }
        let name = format(format_args!("{}-RESUME-Block-compiler-inserted", self.kernel.name))?;
        let resume = self.function.add_block(&name, Place::End)?.object;
        self.spot = Spot { block: Some(last), ..Spot::default() };
        self.block = Some(block);
        let branch = self.make_instruction(
            InstructionType::UnconditionalBranch,
            "UnconditionalBranch-",
            crate::enums::bir::EngineType::ALL,
        )?;
        branch.as_unconditional_branch()?.set_target(Some(resume))
    }

    /// Notes a broken rule. Returns whether there was one.
    pub fn note(&mut self, step: Step<()>) -> Result<bool> {
        match step {
            Ok(()) => Ok(false),
            Err(Stop::Refused(Refused { rule, argument, field })) => self.error(rule, field, argument).map(|()| true),
            Err(Stop::Failed(error)) => Err(error),
        }
    }

    /// Notes an error at the present statement.
    pub fn error(&mut self, rule: &'static Rule, field: Field, argument: impl fmt::Display) -> Result<()> {
        self.find(Severity::Error, rule, field, argument)
    }

    /// Notes a warning at the present statement, in strict mode an error.
    pub fn warn(&mut self, rule: &'static Rule, field: Field, argument: impl fmt::Display) -> Result<()> {
        let severity = if self.options.strict { Severity::Error } else { Severity::Warning };
        self.find(severity, rule, field, argument)
    }

    fn find(
        &mut self,
        severity: Severity,
        rule: &'static Rule,
        field: Field,
        argument: impl fmt::Display,
    ) -> Result<()> {
        let Spot { block, statement, index, .. } = self.spot;
        let kernel = self.kernel.name;
        self.findings.add(severity, || {
            let message = format(Filled(rule, &text(argument)))?;
            let name = |s: &Stmt<'_>| match s.name {
                Some(name) => copy(name),
                None => format(format_args!("#{index}")),
            };
            Ok(Diagnostic {
                severity,
                id: rule.id,
                kernel: copy(kernel)?,
                block: block.map(|b| copy(b.label)).transpose()?,
                statement: statement.map(name).transpose()?,
                operator: statement.map(|s| s.op.name()),
                field: (field != Field::NONE).then(|| format(field)).transpose()?,
                file: statement.and_then(|s| s.pos.filename).map(copy).transpose()?,
                line: statement.map_or(0, |s| s.pos.line),
                column: statement.map_or(0, |s| s.pos.column),
                message,
            })
        })
    }
}
