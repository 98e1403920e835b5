//! Semaphores: what an instruction waits for before it starts, and what it updates when it is done.

use super::named;
use super::raw::values::{SyncUpdate, SyncWait};
use super::raw::{Flag, Instruction, InstructionSched, Ptr};
use crate::Result;
use crate::enums::bir::{UpdateMode, WaitMode};

/// A wait on a semaphore.
#[derive(Clone, Copy, Debug)]
pub struct Wait<'m> {
    /// Semaphore id.
    pub id: u32,
    /// Value waited for.
    pub value: u32,
    /// How the value is compared.
    pub mode: WaitMode,
    /// Sync type; no names are published.
    pub sync_type: i32,
    /// The producer: an instruction or DMA block.
    pub from: Option<&'m Instruction>,
}

/// An update of a semaphore.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Update {
    /// Semaphore id.
    pub id: u32,
    /// Value of the update.
    pub value: u32,
    /// How the semaphore changes.
    pub mode: UpdateMode,
    /// Sync type; no names are published.
    pub sync_type: i32,
    /// Core of the semaphore; `None` = this one.
    pub target_core: Option<u32>,
}

/// Makes the two lists of a zeroed schedule block empty, each with its one inline element.
pub(crate) fn init(sched: &InstructionSched) {
    super::raw::init_sync(sched);
}

impl Instruction {
    /// Whether it has sync information, be it empty.
    pub fn has_sync_info(&self) -> bool {
        self.sched.get().is_some_and(|s| s.sync_engaged.get())
    }

    /// Waits, in order.
    pub fn waits(&self) -> impl Iterator<Item = Wait<'_>> {
        let sched = self.sched.get().filter(|s| s.sync_engaged.get());
        sched.into_iter().flat_map(|s| s.sync_waits.iter()).map(|w| Wait {
            id: w.id,
            value: w.value,
            mode: WaitMode::from_ordinal(w.wait_mode.into()).unwrap_or(default_wait_mode()),
            sync_type: w.sync_type,
            from: w.from.get(self),
        })
    }

    /// Updates, in order.
    pub fn updates(&self) -> impl Iterator<Item = Update> {
        let sched = self.sched.get().filter(|s| s.sync_engaged.get());
        sched.into_iter().flat_map(|s| s.sync_updates.iter()).map(|u| Update {
            id: u.id,
            value: u.value,
            mode: UpdateMode::from_ordinal(u.update_mode.into()).unwrap_or(default_update_mode()),
            sync_type: u.sync_type,
            target_core: (u.target_core_engaged != 0).then_some(u.target_core),
        })
    }

    /// Adds a wait. Sync information comes into being with the first.
    pub fn add_wait<'m>(&'m self, wait: Wait<'m>) -> Result<()> {
        let state = named::state_of(self)?;
        if let Some(from) = wait.from {
            named::same_module(named::module_of(self)?, from)?;
        }
        let raw = SyncWait {
            vptr: core::ptr::null(),
            sync_type: wait.sync_type,
            id: wait.id,
            wait_mode: wait.mode.ordinal(),
            value: wait.value,
            from: Ptr::to_option(wait.from),
            gap_20: 0,
        };
        self.change_sched(state, |sched| {
            sched.sync_waits.push(&state.arena, raw)?;
            sched.sync_engaged.set(true);
            Ok(())
        })
    }

    /// Sets the producer of wait `index`; returns whether there is such a wait.
    pub fn set_wait_producer<'m>(&'m self, index: usize, from: Option<&'m Instruction>) -> Result<bool> {
        let module = named::module_of(self)?;
        if let Some(from) = from {
            named::same_module(module, from)?;
        }
        let Some(sched) = self.sched.get().filter(|s| s.sync_engaged.get()) else { return Ok(false) };
        let Some(raw) = sched.sync_waits.get(index) else { return Ok(false) };
        Ok(sched.sync_waits.set(index, SyncWait { from: Ptr::to_option(from), ..raw }))
    }

    /// Adds an update. Sync information comes into being with the first.
    pub fn add_update(&self, update: Update) -> Result<()> {
        let state = named::state_of(self)?;
        let raw = SyncUpdate {
            vptr: core::ptr::null(),
            sync_type: update.sync_type,
            id: update.id,
            update_mode: update.mode.ordinal(),
            value: update.value,
            target_core_engaged: u8::from(update.target_core.is_some()),
            gap_19: [0; 3],
            target_core: update.target_core.unwrap_or_default(),
        };
        self.change_sched(state, |sched| {
            sched.sync_updates.push(&state.arena, raw)?;
            sched.sync_engaged.set(true);
            Ok(())
        })
    }

    /// Makes sync information exist, be it empty, or removes it with all waits and updates.
    pub fn set_sync_info(&self, engaged: bool) -> Result<()> {
        named::state_of(self)?;
        if engaged == self.has_sync_info() {
            return Ok(());
        }
        let sched = self.sched_mut()?;
        sched.sync_waits.clear();
        sched.sync_updates.clear();
        Flag::set(&sched.sync_engaged, engaged);
        Ok(())
    }
}

/// The mode of a wait that names none: `sem-ge-imm` (`spec/bir-json.md` section 5).
pub(crate) fn default_wait_mode() -> WaitMode {
    WaitMode::from_name("sem-ge-imm").unwrap_or(WaitMode::MEMBERS[0])
}

/// The mode of an update that names none: `sem-add-imm`.
pub(crate) fn default_update_mode() -> UpdateMode {
    UpdateMode::from_name("sem-add-imm").unwrap_or(UpdateMode::MEMBERS[0])
}
