//! The edges of a graph: what each instruction waits for, starts and names, between the nodes that stand for both ends.
#![forbid(unsafe_code)]

use super::build::Builder;
use super::model::Relation;
use super::select::dma_blocks;
use crate::Result;
use crate::ir::EdgeSet;
use crate::op::{Slot, Value};

impl Builder<'_> {
    /// The node that stands for the object of that id.
    fn find(&self, id: i32) -> Option<u32> {
        let at = self.members.binary_search_by_key(&id, |(id, _)| *id).ok()?;
        self.members.get(at).map(|(_, node)| *node)
    }

    fn link(&mut self, from: Option<u32>, to: u32, relation: Relation) -> Result<()> {
        let Some(from) = from else {
            self.outside = self.outside.saturating_add(1);
            return Ok(());
        };
        if from == to
            && let Some(node) = self.nodes.get_mut(to as usize)
            && node.kind.is_collapsed()
        {
            node.inner_edges = node.inner_edges.saturating_add(1);
            return Ok(());
        }
        let collapsed = |n: u32| self.nodes.get(n as usize).is_some_and(|n| n.kind.is_collapsed());
        let relation = match relation {
            Relation::Sync(Some(_)) if collapsed(from) || collapsed(to) => Relation::Sync(None),
            other => other,
        };
        self.links.add(from, to, relation)
    }

    /// Adds all edges; the nodes must be there.
    pub(super) fn edges(&mut self) -> Result<()> {
        self.members.sort_unstable();
        let shown = core::mem::take(&mut self.shown);
        for (instruction, node) in shown.iter().copied() {
            for edge in instruction.dependencies(EdgeSet::Normal) {
                self.link(self.find(edge.target.unique_id()), node, Relation::Dependency(edge.kind))?;
            }
            for edge in instruction.dependencies(EdgeSet::LoopCarried) {
                self.link(self.find(edge.target.unique_id()), node, Relation::LoopCarried(edge.kind))?;
            }
            for (target, kind, ..) in instruction.unroll_dependencies() {
                self.link(self.find(target.unique_id()), node, Relation::Unroll(kind))?;
            }
            for wait in instruction.waits() {
                if let Some(from) = wait.from {
                    let relation = Relation::Sync(Some((wait.id, wait.value)));
                    self.link(self.find(from.unique_id()), node, relation)?;
                }
            }
            for block in dma_blocks(instruction)? {
                self.reach(node, self.find(block.unique_id()), Relation::Trigger)?;
            }
            for field in instruction.info()?.fields {
                if !matches!(field.slot, Slot::Block | Slot::Function) {
                    continue;
                }
                match instruction.get_field(field)? {
                    Value::Block(block) => {
                        self.reach(node, self.find(block.unique_id()), Relation::Branch(field.key))?;
                    }
                    Value::Function(function) => {
                        self.reach(node, self.find(function.unique_id()), Relation::Call(field.key))?;
                    }
                    _ => {}
                }
            }
        }
        // A DMA block that knows its trigger, while the trigger does not list it.
        self.links.settle();
        for (instruction, node) in shown {
            for field in instruction.info()?.fields.iter().filter(|f| f.slot == Slot::Trigger) {
                let Value::Instruction(trigger) = instruction.get_field(field)? else { continue };
                let from = self.find(trigger.unique_id());
                if from.is_none_or(|from| from != node && !self.links.has(from, node, Relation::Trigger)) {
                    self.link(from, node, Relation::Trigger)?;
                }
            }
        }
        Ok(())
    }

    fn reach(&mut self, from: u32, to: Option<u32>, relation: Relation) -> Result<()> {
        match to {
            Some(to) => self.link(Some(from), to, relation),
            None => {
                self.outside = self.outside.saturating_add(1);
                Ok(())
            }
        }
    }
}
