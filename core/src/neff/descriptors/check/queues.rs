//! Queue sets and the limits on them (`spec/neff.md` section 8.4b).
#![forbid(unsafe_code)]

use super::{Checker, Kind, inside};
use crate::error::ErrorCode;
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::{String, ToString};
use serde_json::Value;

/// The most hardware queues of one queue set.
const MAX_QUEUES_PER_SET: u64 = 16;
/// The most hardware queues of a definition.
const MAX_QUEUES: u64 = 11 * 16;
const TYPES: [&str; 6] = ["in", "out", "data", "embedding_update", "dynamic", "act_load"];
const OWNERS: [&str; 6] = ["pool", "act", "pe", "dma", "dve", "sp"];

/// What DMA blocks may name.
#[derive(Debug, Default)]
pub(super) struct Queues {
    pub sets: BTreeSet<String>,
    pub instances: BTreeSet<String>,
}

/// Checks `dma_queue` of a definition, which may be absent.
pub(super) fn check(checker: &mut Checker<'_>, definition: &Value, at: &str) -> Queues {
    let mut known = Queues::default();
    let sets = checker.optional(definition, at, "dma_queue", Kind::Object).and_then(Value::as_object);
    let mut total = 0u64;
    for (name, set) in sets.into_iter().flatten() {
        let at = &format!("{at} dma_queue.{name}");
        known.sets.insert(name.clone());
        let count = checker.optional_number(set, at, "num_queues").unwrap_or(1);
        if count == 0 || count > MAX_QUEUES_PER_SET {
            let message = "the number of queues of a set is wrong";
            let expected = format!("1 to {MAX_QUEUES_PER_SET}");
            checker.finding(ErrorCode::LimitExceeded, inside(at, "num_queues"), message, expected, count);
        }
        total = total.saturating_add(count);
        let kind = checker.optional_string(set, at, "type");
        checker.known(kind, at, "type", &TYPES);
        let owner = checker.optional_string(set, at, "owner");
        checker.known(owner, at, "owner", &OWNERS);
        let flag = |key: &str| set.get(key).and_then(Value::as_bool).unwrap_or(false);
        if flag("dge") && owner != Some("pool") {
            let found = owner.map_or("no owner".to_string(), |owner| format!("`{owner}`"));
            let message = "descriptors made by software need the Pool engine";
            checker.finding(ErrorCode::Conflict, inside(at, "owner"), message, "`pool`", found);
        }
        for key in ["semaphore", "semaphore_set"] {
            if let Some(semaphore) = set.get(key).filter(|_| flag("pinned")) {
                let message = "a queue of pinned weights has no semaphore";
                checker.finding(ErrorCode::Conflict, inside(at, key), message, "none", super::shown(semaphore));
            }
        }
        for instance in checker.optional_array(set, at, "queue_instances") {
            match instance.as_str() {
                Some(instance) => {
                    known.instances.insert(instance.to_string());
                }
                None => {
                    let place = inside(at, "queue_instances");
                    checker.finding(ErrorCode::WrongType, place, "a value has the wrong type", "a string", instance);
                }
            }
        }
    }
    if total > MAX_QUEUES {
        let place = format!("{at} dma_queue");
        let expected = format!("at most {MAX_QUEUES}");
        checker.finding(ErrorCode::LimitExceeded, place, "a definition has too many DMA queues", expected, total);
    }
    known
}
