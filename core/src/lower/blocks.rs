//! Which blocks of a body become blocks, and which are put in line (`spec/lowering.md` section 2, step 4).

use crate::enums::klr::BrCmpOp;
use crate::fallible::push;
use crate::ir::raw::state::{FixedState, fixed_state};
use crate::klr::ast::{Block, CmpBranch, Operator};
use crate::{Error, Result};
use alloc::vec::Vec;
use hashbrown::HashMap;

/// The plan of a body.
pub(super) struct Plan<'k> {
    /// The first block of each label.
    labels: HashMap<&'k str, usize, FixedState>,
    /// For each block whether its statements replace the one branch to it.
    inlined: Vec<bool>,
    /// Blocks with a label that an earlier one has, rising.
    pub duplicates: Vec<usize>,
    /// No-reorder blocks that do not end in an unconditional branch, rising.
    pub unended: Vec<usize>,
}

/// What leads to a block.
#[derive(Clone, Copy, Default)]
struct Ways {
    /// The block with the unconditional branch to it, if there is exactly one.
    host: Option<usize>,
    /// All ways, falling through included.
    count: usize,
}

/// The branch, if the statement is one.
fn branch<'k>(operator: &Operator<'k>) -> Option<&'k CmpBranch<'k>> {
    match operator {
        Operator::CmpBranch(branch) => Some(branch),
        _ => None,
    }
}

fn last_branch<'k>(block: &Block<'k>) -> Option<&'k CmpBranch<'k>> {
    branch(&block.body.last()?.op)
}

impl<'k> Plan<'k> {
    /// Looks at all blocks of a body.
    pub fn new(body: &'k [Block<'k>]) -> Result<Plan<'k>> {
        let mut plan = Plan {
            labels: HashMap::with_hasher(fixed_state()),
            inlined: Vec::new(),
            duplicates: Vec::new(),
            unended: Vec::new(),
        };
        plan.labels.try_reserve(body.len()).map_err(|_| Error::out_of_memory())?;
        plan.inlined.try_reserve_exact(body.len()).map_err(|_| Error::out_of_memory())?;
        plan.inlined.resize(body.len(), false);
        for (index, block) in body.iter().enumerate() {
            if plan.labels.contains_key(block.label) {
                push(&mut plan.duplicates, index)?;
            } else {
                plan.labels.insert(block.label, index);
            }
            if block.no_reorder && last_branch(block).is_none_or(|b| b.op != BrCmpOp::always) {
                push(&mut plan.unended, index)?;
            }
        }
        if body.iter().any(|block| block.no_reorder) {
            plan.choose(body)?;
        }
        Ok(plan)
    }

    /// The first block of that label.
    pub fn find(&self, label: &str) -> Option<usize> {
        self.labels.get(label).copied()
    }

    /// Whether the statements of the block stand where the branch to it would be.
    pub fn is_inlined(&self, block: usize) -> bool {
        self.inlined.get(block).copied().unwrap_or(false)
    }

    /// Decides which no-reorder blocks are put in line.
    fn choose(&mut self, body: &'k [Block<'k>]) -> Result<()> {
        let mut ways: Vec<Ways> = Vec::new();
        ways.try_reserve_exact(body.len()).map_err(|_| Error::out_of_memory())?;
        ways.resize(body.len(), Ways::default());
        let mut leads = |to: Option<usize>, host: Option<usize>| {
            if let Some(way) = to.and_then(|to| ways.get_mut(to)) {
                way.count = way.count.saturating_add(1);
                way.host = host;
            }
        };
        // The first block is entered from outside.
        leads(Some(0), None);
        for (index, block) in body.iter().enumerate() {
            for branch in block.body.iter().filter_map(|s| branch(&s.op)) {
                if branch.op == BrCmpOp::always {
                    leads(self.find(branch.true_label), Some(index));
                } else {
                    leads(self.find(branch.true_label), None);
                    leads(self.find(branch.false_label), None);
                }
            }
            if last_branch(block).is_none() {
                leads(index.checked_add(1), None);
            }
        }
        let host = |index: usize| ways.get(index).filter(|way| way.count == 1).and_then(|way| way.host);
        for (index, block) in body.iter().enumerate() {
            let candidate = block.no_reorder && host(index).is_some() && self.unended.binary_search(&index).is_err();
            if let Some(inlined) = self.inlined.get_mut(index) {
                *inlined = candidate;
            }
        }
        self.break_cycles(host)
    }

    /// A ring of blocks that lead only to each other has no place to be put in line at: its blocks stay blocks.
    fn break_cycles(&mut self, host: impl Fn(usize) -> Option<usize>) -> Result<()> {
        // 0: not looked at, 1: ends in a real block, 2: on the present way.
        let mut state: Vec<u8> = Vec::new();
        state.try_reserve_exact(self.inlined.len()).map_err(|_| Error::out_of_memory())?;
        state.resize(self.inlined.len(), 0);
        let mut way: Vec<usize> = Vec::new();
        for start in 0..self.inlined.len() {
            let mut at = start;
            let ring = loop {
                match state.get(at) {
                    Some(2) => break true,
                    Some(0) if self.is_inlined(at) => {}
                    _ => break false,
                }
                if let Some(place) = state.get_mut(at) {
                    *place = 2;
                }
                push(&mut way, at)?;
                match host(at) {
                    Some(next) => at = next,
                    None => break false,
                }
            };
            let in_ring = way.iter().position(|index| ring && *index == at).unwrap_or(way.len());
            for (position, index) in way.drain(..).enumerate() {
                if let Some(place) = state.get_mut(index) {
                    *place = 1;
                }
                if let Some(inlined) = self.inlined.get_mut(index).filter(|_| position >= in_ring) {
                    *inlined = false;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::klr::ast::{Pos, Stmt};
    use std::boxed::Box;

    const POS: Pos<'static> = Pos { line: 0, column: 0, line_end: None, column_end: None, filename: None };

    fn jump(op: BrCmpOp, to: &'static str, or: &'static str) -> Stmt<'static> {
        let branch = CmpBranch { reg1: "a", reg2: "", imm: 0, op, true_label: to, false_label: or };
        Stmt { op: Operator::CmpBranch(Box::leak(Box::new(branch))), name: None, pos: POS }
    }

    fn block(label: &'static str, no_reorder: bool, body: Vec<Stmt<'static>>) -> Block<'static> {
        Block { label, no_reorder, body: body.leak() }
    }

    fn to(label: &'static str) -> Vec<Stmt<'static>> {
        std::vec![jump(BrCmpOp::always, label, "")]
    }

    fn inlined(body: Vec<Block<'static>>) -> Vec<bool> {
        let body: &'static [Block<'static>] = body.leak();
        let plan = Plan::new(body).unwrap();
        (0..body.len()).map(|i| plan.is_inlined(i)).collect()
    }

    #[test]
    fn a_block_with_one_unconditional_branch_to_it_is_put_in_line() {
        let body = std::vec![block("a", false, to("b")), block("b", true, to("c")), block("c", false, to("c"))];
        assert_eq!(inlined(body), [false, true, false]);
        // Also one within another one.
        let body = std::vec![block("a", false, to("b")), block("b", true, to("c")), block("c", true, to("d"))];
        assert_eq!(inlined(body), [false, true, true]);
    }

    #[test]
    fn other_ways_keep_it_a_block() {
        let both = std::vec![jump(BrCmpOp::lt_imm, "b", "c")];
        assert_eq!(inlined(std::vec![block("a", false, both), block("b", true, to("b2"))]), [false, false]);
        let twice = std::vec![block("a", false, to("b")), block("b", true, to("d")), block("c", false, to("b"))];
        assert_eq!(inlined(twice), [false, false, false]);
        // The entry, and a block that the one before falls into.
        let entry = std::vec![block("a", true, to("b")), block("b", false, to("a"))];
        assert_eq!(inlined(entry), [false, false]);
        let fallen = std::vec![block("a", false, to("c")), block("b", false, Vec::new()), block("c", true, to("d"))];
        assert_eq!(inlined(fallen), [false, false, false]);
    }

    #[test]
    fn rings_and_unended_blocks_stay() {
        let ring = std::vec![block("a", false, to("a")), block("b", true, to("c")), block("c", true, to("b"))];
        assert_eq!(inlined(ring), [false, false, false]);
        let own = std::vec![block("a", false, to("a")), block("b", true, to("b"))];
        assert_eq!(inlined(own), [false, false]);
        let body = std::vec![block("a", false, to("b")), block("b", true, Vec::new())].leak();
        let plan = Plan::new(body).unwrap();
        assert_eq!((plan.unended.as_slice(), plan.is_inlined(1)), (&[1][..], false));
    }

    #[test]
    fn the_first_of_a_label_counts() {
        let body = std::vec![block("a", false, to("b")), block("b", false, to("b")), block("a", false, to("b"))].leak();
        let plan = Plan::new(body).unwrap();
        assert_eq!((plan.find("a"), plan.find("x"), plan.duplicates.as_slice()), (Some(0), None, &[2][..]));
    }
}
