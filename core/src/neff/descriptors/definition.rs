//! The definition of one subgraph: its engine files, variables and DMA queues (`spec/neff.md` section 8.3).
#![forbid(unsafe_code)]

use super::engine::Engine;
use super::variable::{Variable, VariableKind};
use crate::error::{Error, ErrorCode, Result};
use crate::neff::features::def_names;
use crate::neff::json::JsonWriter;
use alloc::string::String;
use alloc::vec::Vec;

/// The most hardware queues of one queue set.
const MAX_QUEUES_PER_SET: u32 = 16;
/// The most hardware queues of a definition.
const MAX_QUEUES: u64 = 11 * 16;

/// What a queue set is for (`spec/neff.md` section 8.4b).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum QueueKind {
    /// Inputs.
    In,
    /// Outputs.
    Out,
    /// Everything else, weights among it.
    Data,
    /// Updates of embedding tables.
    EmbeddingUpdate,
    /// Descriptors made at run time.
    Dynamic,
    /// Activation tables.
    ActLoad,
}

impl QueueKind {
    /// The value of `type`.
    pub const fn name(self) -> &'static str {
        match self {
            QueueKind::In => "in",
            QueueKind::Out => "out",
            QueueKind::Data => "data",
            QueueKind::EmbeddingUpdate => "embedding_update",
            QueueKind::Dynamic => "dynamic",
            QueueKind::ActLoad => "act_load",
        }
    }
}

/// A DMA queue set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Queue {
    /// Name, unique in the definition.
    pub name: String,
    /// What it is for.
    pub kind: QueueKind,
    /// The engine that triggers it.
    pub owner: Engine,
    /// The semaphore it signals; none for pinned weights.
    pub semaphore: Option<u32>,
    /// Number of hardware queues, 1 to 16; 1 is the default and is not written.
    pub num_queues: u32,
}

/// `sgNN/def.json`.
#[derive(Clone, Copy, Debug)]
pub struct Definition<'d> {
    /// All variables; the place of each is its id, so ids are dense.
    pub variables: &'d [Variable],
    /// All queue sets.
    pub queues: &'d [Queue],
    /// The header's feature bits, which become `neff_features`.
    pub feature_bits: u64,
}

impl Definition<'_> {
    /// The member.
    ///
    /// # Errors
    ///
    /// `DuplicateName` for two variables or queues of one name, `MissingKey` for no output or a variable without a
    /// size, `BadValue` and `LimitExceeded` for values a loader or the producer refuses, `UnsafePath` for the file of a
    /// constant, `UnresolvedRef` for a reference to a variable that is not there, `OutOfMemory`.
    pub fn json(&self) -> Result<Vec<u8>> {
        self.variables.iter().try_for_each(Variable::check)?;
        if !self.variables.iter().any(|variable| variable.kind == VariableKind::Output) {
            return Err(Error::new(ErrorCode::MissingKey, "a definition needs at least one output")
                .expected_found("a variable of type `output`", "none")
                .at("var"));
        }
        self.check_queues()?;
        let variables = sorted(self.variables, |variable| &variable.name)?;
        let queues = sorted(self.queues, |queue| &queue.name)?;
        let id_of = |name: &str| {
            let place = variables.binary_search_by(|(_, variable)| variable.name.as_str().cmp(name)).ok()?;
            variables.get(place).map(|(id, _)| *id)
        };

        JsonWriter::document(|w| {
            w.object(|w| {
                engine(w, Engine::Act)?;
                w.key("dma_queue")?.object(|w| queues.iter().try_for_each(|(_, queue)| queue.write(w)))?;
                engine(w, Engine::Dve)?;
                w.key("name")?.string("definition")?;
                w.key("neff_features")?.strings(def_names(self.feature_bits))?;
                engine(w, Engine::Pe)?;
                engine(w, Engine::Pool)?;
                w.key("replica_groups")?.array(|_| Ok(()))?;
                w.key("runtime_statebuffer_reservation")?.array(|_| Ok(()))?;
                engine(w, Engine::Sp)?;
                w.key("src_target_pairs")?.array(|_| Ok(()))?;
                w.key("var")?
                    .object(|w| variables.iter().try_for_each(|(id, variable)| variable.write(w, *id, &id_of)))?;
                w.key("version")?.string("0.6")
            })
        })
    }

    fn check_queues(&self) -> Result<()> {
        let mut total = 0u64;
        for queue in self.queues {
            if queue.num_queues == 0 || queue.num_queues > MAX_QUEUES_PER_SET {
                return Err(Error::new(ErrorCode::BadValue, "the number of queues of a set is wrong")
                    .expected_found(format_args!("1 to {MAX_QUEUES_PER_SET}"), queue.num_queues)
                    .at(&queue.name));
            }
            total = total.saturating_add(u64::from(queue.num_queues));
        }
        if total > MAX_QUEUES {
            return Err(Error::new(ErrorCode::LimitExceeded, "a definition has too many DMA queues")
                .expected_found(format_args!("at most {MAX_QUEUES}"), total)
                .at("dma_queue"));
        }
        Ok(())
    }
}

fn engine(w: &mut JsonWriter, engine: Engine) -> Result<()> {
    w.key(engine.key())?.string(engine.json_name())?;
    w.key(engine.instr_key())?.string(engine.bin_name())
}

impl Queue {
    fn write(&self, w: &mut JsonWriter) -> Result<()> {
        w.key(&self.name)?.object(|w| {
            if self.num_queues != 1 {
                w.key("num_queues")?.number(self.num_queues)?;
            }
            w.key("owner")?.string(self.owner.key())?;
            if let Some(semaphore) = self.semaphore {
                w.key("semaphore")?.number(semaphore)?;
            }
            w.key("type")?.string(self.kind.name())
        })
    }
}

/// Places and items in the order of their names, which have to differ.
fn sorted<T>(items: &[T], name: impl Fn(&T) -> &String) -> Result<Vec<(usize, &T)>> {
    let mut sorted = Vec::new();
    sorted.try_reserve_exact(items.len()).map_err(|_| Error::out_of_memory())?;
    sorted.extend(items.iter().enumerate());
    sorted.sort_unstable_by(|a, b| name(a.1).cmp(name(b.1)));
    for pair in sorted.windows(2) {
        if let [(_, a), (_, b)] = pair
            && name(a) == name(b)
        {
            return Err(Error::new(ErrorCode::DuplicateName, "two entries of a definition have one name").at(name(a)));
        }
    }
    Ok(sorted)
}
