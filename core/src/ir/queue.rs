//! DMA queues: named holders of blocks, whose instructions are DMA blocks.

use super::named::{self, Objects, named_methods};
use super::place::{Place, Placed};
use super::raw::{BasicBlock, BasicBlockHolder, DMAQueue};
use crate::Result;
use crate::enums::bir::{DMAQueueType, EngineType};
use crate::mem::Str;

named_methods!(DMAQueue, "queue");

impl DMAQueue {
    /// Its own part that holds the blocks.
    pub fn block_holder(&self) -> &BasicBlockHolder {
        &self.basic_block_holder
    }

    /// The blocks (queue instances), in order.
    pub fn blocks(&self) -> Objects<'_, BasicBlock> {
        self.basic_block_holder.blocks()
    }

    /// Number of blocks.
    pub fn block_count(&self) -> usize {
        self.basic_block_holder.blocks.len()
    }

    /// The block of that name.
    pub fn find_block(&self, name: &str) -> Option<&BasicBlock> {
        self.basic_block_holder.find_block(name)
    }

    /// Adds a block. A taken name is changed.
    pub fn add_block<'m>(&'m self, name: &str, place: Place<'m, BasicBlock>) -> Result<Placed<'m, BasicBlock>> {
        self.basic_block_holder.add_block(name, place)
    }

    /// Queue type.
    pub fn queue_type(&self) -> Result<DMAQueueType> {
        DMAQueueType::from_ordinal(self.queue_type.get().into())
    }

    /// Sets the queue type.
    pub fn set_queue_type(&self, queue_type: DMAQueueType) {
        self.queue_type.set(queue_type.ordinal());
    }

    /// Engine that feeds the queue.
    pub fn engine(&self) -> Result<EngineType> {
        EngineType::from_ordinal(self.engine.get().into())
    }

    /// Sets the engine.
    pub fn set_engine(&self, engine: EngineType) {
        self.engine.set(engine.ordinal());
    }

    /// Which engine of that type.
    pub fn engine_id(&self) -> u32 {
        self.engine_id.get()
    }

    /// Sets which engine of that type.
    pub fn set_engine_id(&self, id: u32) {
        self.engine_id.set(id);
    }

    /// Number of DMA engines; 0 = not given.
    pub fn num_dma_engines(&self) -> u32 {
        self.num_dma_engines.get()
    }

    /// Sets the number of DMA engines.
    pub fn set_num_dma_engines(&self, count: u32) {
        self.num_dma_engines.set(count);
    }

    /// Attributes: a compact JSON object kept verbatim; empty if there are none.
    pub fn attributes_json(&self) -> Str<'_> {
        self.attributes.get()
    }

    /// Replaces the attributes by a JSON object.
    pub fn set_attributes_json(&self, json: &str) -> Result<()> {
        self.attributes.set(&named::state_of(self)?.arena, json)
    }

    /// Takes the queue out of its module's list and table; it stays whole.
    pub fn unlink(&self) -> Result<()> {
        named::unlink(named::state_of(self)?, self);
        Ok(())
    }

    /// Puts the queue at another place of its module, or back into it. Returns whether it was renamed.
    pub fn move_to<'m>(&'m self, place: Place<'m, DMAQueue>) -> Result<bool> {
        named::relocate(named::module_of(self)?, self, place)
    }

    /// Erases the queue with its blocks. References to it are the caller's to change first.
    pub fn erase(&self) -> Result<()> {
        let state = named::state_of(self)?;
        super::block::erase_blocks(&self.basic_block_holder)?;
        named::unlink(state, self);
        named::mark_erased(&self.named);
        Ok(())
    }
}
