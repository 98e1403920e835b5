//! Replica groups and the world size that follows from them (`spec/neff.md` sections 8.3 and 8.8).
#![forbid(unsafe_code)]

use super::{Checker, shown};
use crate::error::ErrorCode;
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::vec::Vec;
use serde_json::Value;

/// Checks the collective metadata of a definition, all of which may be absent.
pub(super) fn check(checker: &mut Checker<'_>, definition: &Value, at: &str) {
    let topologies = checker.optional_array(definition, at, "replica_groups");
    let explicit = checker.optional_number(definition, at, "#rank_world_size");
    checker.optional_number(definition, at, "num_streams");
    checker.optional_array(definition, at, "src_target_pairs");
    let mut world: Option<(usize, usize)> = None;
    for (t, topology) in topologies.iter().enumerate() {
        let place = format!("{at} replica_groups[{t}]");
        let Some(groups) = topology.as_array() else {
            checker.finding(ErrorCode::WrongType, place, "a value has the wrong type", "an array", shown(topology));
            continue;
        };
        // One empty list of groups is how "none" is written by one known producer.
        if groups.is_empty() && topologies.len() > 1 {
            let message = "no group: tools take the package for several programs";
            checker.warning(ErrorCode::Conflict, &place, message, "at least one group", "none");
            continue;
        }
        let largest = groups.iter().filter_map(|group| group.as_array().map(Vec::len)).max().unwrap_or(0);
        match world {
            Some((first, size)) if size != largest && !groups.is_empty() => {
                let message = "the largest groups differ: tools take the package for several programs";
                let expected = format!("{size} ranks, as in topology {first}");
                checker.warning(ErrorCode::Conflict, &place, message, expected, format!("{largest} ranks"));
            }
            Some(_) => {}
            None if groups.is_empty() => {}
            None => world = Some((t, largest)),
        }
        let mut ranks = BTreeSet::new();
        for (g, group) in groups.iter().enumerate() {
            let place = format!("{place}[{g}]");
            let Some(group) = group.as_array() else {
                checker.finding(ErrorCode::WrongType, place, "a value has the wrong type", "an array", shown(group));
                continue;
            };
            for rank in group {
                match rank.as_u64() {
                    None => {
                        let found = shown(rank);
                        checker.finding(ErrorCode::WrongType, &place, "a value has the wrong type", "a rank", found);
                    }
                    Some(rank) if !ranks.insert(rank) => {
                        checker.warning(ErrorCode::Conflict, &place, "a rank is in two groups", "each rank once", rank);
                    }
                    Some(_) => {}
                }
            }
        }
    }
    if let (Some(explicit), Some((_, largest))) = (explicit, world)
        && explicit < largest as u64
    {
        let place = format!("{at} #rank_world_size");
        let message = "the world is smaller than a group";
        checker.warning(ErrorCode::Conflict, place, message, format!("at least {largest}"), explicit);
    }
}
