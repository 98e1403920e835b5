//! The order of an opcode's keys, header keys and payload fields merged; found once per opcode and writer.
#![forbid(unsafe_code)]

use super::number;
use crate::Result;
use crate::enums::bir::InstructionType;
use crate::fallible::push;
use crate::op::{Field, OPCODES, OpcodeInfo};
use alloc::vec::Vec;
use core::ops::Range;

/// The header keys, sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Header {
    Debug,
    Dependencies,
    DebugUpdateSemaphore,
    Engine,
    EngineId,
    IndirectionIns,
    Ins,
    LoopCarriedDependencies,
    Loopnest,
    Name,
    Opcode,
    OptinPasses,
    Order,
    Origin,
    Outs,
    Predicates,
    ScheduledEnd,
    ScheduledStart,
    SyncInfo,
    UnrollDependencies,
}

/// Each header key with its text.
const HEADER: [(Header, &str); 20] = [
    (Header::Debug, "debug"),
    (Header::Dependencies, "dependencies"),
    (Header::DebugUpdateSemaphore, "dma_trigger_debug_update_semaphore_id"),
    (Header::Engine, "engine"),
    (Header::EngineId, "engine_id"),
    (Header::IndirectionIns, "indirection_ins"),
    (Header::Ins, "ins"),
    (Header::LoopCarriedDependencies, "loop_carried_dependencies"),
    (Header::Loopnest, "loopnest"),
    (Header::Name, "name"),
    (Header::Opcode, "opcode"),
    (Header::OptinPasses, "optin_passes"),
    (Header::Order, "order"),
    (Header::Origin, "origin"),
    (Header::Outs, "outs"),
    (Header::Predicates, "predicates"),
    (Header::ScheduledEnd, "scheduled_end"),
    (Header::ScheduledStart, "scheduled_start"),
    (Header::SyncInfo, "sync_info"),
    (Header::UnrollDependencies, "unroll_dependencies"),
];

/// One key of an instruction.
#[derive(Clone, Copy)]
pub(super) enum Step {
    /// A header key, its text, and the number of its phrase.
    Header(Header, &'static str, usize),
    /// A payload field, and the first of [`FIELD`] numbers.
    Field(&'static Field, usize),
}

/// Phrases of a field: its key, and what two of its values make with it.
pub(super) const FIELD: usize = 3;

/// The keys of the opcodes that came.
#[derive(Default)]
pub(super) struct Plans {
    steps: Vec<Step>,
    /// Where the steps of an opcode lie; empty before it comes.
    opcodes: Vec<Range<usize>>,
    /// Numbers of phrases that opcodes have.
    numbers: usize,
}

impl Plans {
    /// Where the steps of an opcode lie.
    #[inline(always)]
    pub(super) fn of(&mut self, opcode: InstructionType) -> Result<Range<usize>> {
        match self.opcodes.get(opcode.ordinal() as usize) {
            Some(steps) if !steps.is_empty() => Ok(steps.clone()),
            _ => self.make(opcode),
        }
    }

    /// A step.
    #[inline(always)]
    pub(super) fn step(&self, index: usize) -> Option<Step> {
        self.steps.get(index).copied()
    }

    #[cold]
    #[inline(never)]
    fn make(&mut self, opcode: InstructionType) -> Result<Range<usize>> {
        while self.opcodes.len() < OPCODES.len() {
            push(&mut self.opcodes, 0..0)?;
        }
        let start = self.steps.len();
        let mut fields = OpcodeInfo::of(opcode).fields.iter().peekable();
        for (place, (header, key)) in HEADER.into_iter().enumerate() {
            while let Some(field) = fields.next_if(|field| field.key < key) {
                self.field(field)?;
            }
            // The opcode's own member is the same in all of its instructions.
            let number = if header == Header::Opcode { self.number(1) } else { number::header(place) };
            push(&mut self.steps, Step::Header(header, key, number))?;
        }
        for field in fields {
            self.field(field)?;
        }
        let steps = start..self.steps.len();
        if let Some(place) = self.opcodes.get_mut(opcode.ordinal() as usize) {
            *place = steps.clone();
        }
        Ok(steps)
    }

    fn field(&mut self, field: &'static Field) -> Result<()> {
        let number = self.number(FIELD);
        push(&mut self.steps, Step::Field(field, number))
    }

    fn number(&mut self, count: usize) -> usize {
        let first = number::FIRST_OPCODE + self.numbers;
        self.numbers += count;
        first
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_sorted_and_numbers_differ() {
        let mut plans = Plans::default();
        let mut numbers = Vec::new();
        for opcode in InstructionType::MEMBERS {
            let steps = plans.of(*opcode).unwrap();
            assert_eq!(steps, plans.of(*opcode).unwrap());
            let steps: Vec<Step> = steps.map(|index| plans.step(index).unwrap()).collect();
            let keys = steps.iter().map(|step| match step {
                Step::Header(_, key, _) => *key,
                Step::Field(field, _) => field.key,
            });
            assert!(keys.is_sorted_by(|a, b| a < b), "{opcode}");
            assert_eq!(steps.len(), HEADER.len() + OpcodeInfo::of(*opcode).fields.len());
            for step in steps {
                match step {
                    Step::Header(Header::Opcode, _, number) => numbers.push(number),
                    Step::Header(_, _, number) => assert!(number < number::FIRST_OPCODE),
                    Step::Field(_, number) => numbers.extend(number..number + FIELD),
                }
            }
        }
        assert!(numbers.is_sorted_by(|a, b| a < b) && numbers[0] == number::FIRST_OPCODE);
    }
}
