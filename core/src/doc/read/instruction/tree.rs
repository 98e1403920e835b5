//! The forms that instructions came in lately, as a tree of texts. A branch is the text between two values that differ from
//! instruction to instruction: commas, keys, and the values that are mostly the same. Where a document goes on as a branch does,
//! one comparison stands for all of its tokens; at the end of the last branch it is known what the whole instruction says.
#![forbid(unsafe_code)]

use crate::Result;
use crate::enums::bir::{Dtype, EngineType, InstructionType, NamedObjectOrigin};
use crate::fallible::push;
use crate::ir::OperandList;
use crate::op::Field;
use alloc::string::String;
use alloc::vec::Vec;

/// Branches at most, and bytes of their texts: beyond them, documents have no forms that come again.
const MOST_BRANCHES: usize = 1 << 13;
const MOST_BYTES: usize = 1 << 20;
/// Branches at one place, at most: all of them may be compared in vain.
const MOST_BESIDE: u32 = 12;
/// Forms that were remembered in vain, at most: there are documents that the tree cannot follow.
const MOST_IN_VAIN: u32 = 64;

/// What stands behind the text of a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Takes {
    /// A plain string.
    Text,
    /// A plain integer up to this.
    Integer(u64),
    /// An access pattern.
    Pattern,
    /// The edges; once in an instruction.
    Edges,
    /// Any value, so many levels inside the instruction.
    Value(u8),
    /// Nothing: the instruction has ended, and has the form with this number.
    Nothing(u32),
}

/// A number that an instruction says.
#[derive(Clone, Copy, Debug)]
pub(super) enum Amount {
    /// In the text of a branch.
    Known(u64),
    /// As the value with this number.
    Taken(u16),
}

/// The place of a value.
#[derive(Clone, Copy, Debug)]
pub(super) enum At {
    /// That of the value with this number.
    Taken(u16),
    /// So many bytes behind the start of the branch that leads to the value with this number.
    Branch(u16, u32),
}

/// A part of an instruction.
#[derive(Debug)]
pub(super) enum Part {
    Engine(EngineType),
    EngineId(Amount),
    ScheduledStart(Amount),
    ScheduledEnd(Amount),
    Origin(NamedObjectOrigin),
    /// The edges.
    Edges { at: At },
    /// The `debug` object.
    Debug { at: At, text: Compact },
    /// An operand that is a physical access pattern; what it names and says are numbers of values.
    Operand { list: OperandList, index: usize, at: At, dtype: Dtype, pattern: u16, memref: u16, memsetref: u16, offset: u16 },
    /// Any other operand.
    OtherOperand { list: OperandList, index: usize, at: At },
    /// A payload field with a constant.
    Constant { field: &'static Field, bits: Amount },
    /// A payload field with two constants.
    Constants { field: &'static Field, bits: [u64; 2] },
    /// Any other member.
    Member { number: u8, at: At },
}

/// An object as compact text, but for some of its values: these stand behind the texts.
#[derive(Debug, Default)]
pub(super) struct Compact {
    pub(super) before: Vec<(String, u16)>,
    pub(super) last: String,
}

/// What an instruction of one form says.
#[derive(Debug)]
pub(super) struct Form {
    pub(super) opcode: InstructionType,
    /// The value that is its name.
    pub(super) name: u16,
    /// In the order of the text.
    pub(super) parts: Vec<Part>,
}

/// One branch.
#[derive(Debug)]
pub(super) struct Branch {
    pub(super) text: Vec<u8>,
    pub(super) takes: Takes,
    /// The first branch behind this one.
    pub(super) behind: Option<u32>,
    /// The next one at the same place.
    pub(super) beside: Option<u32>,
}

/// A value that was passed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Taken {
    /// Where it starts and ends.
    pub(super) start: u64,
    pub(super) end: u64,
    /// The integer that it is, or the number of pairs of an access pattern.
    pub(super) number: u64,
}

/// The tree.
#[derive(Debug, Default)]
pub(in super::super) struct Forms {
    branches: Vec<Branch>,
    first: Option<u32>,
    forms: Vec<Form>,
    bytes: usize,
    in_vain: u32,
    /// The values of the instruction that is being read, and the pairs of its access patterns.
    pub(super) taken: Vec<Taken>,
    pub(super) pairs: Vec<[u64; 2]>,
    /// Where the text of its `debug` object is put together.
    pub(super) text: String,
}

impl Forms {
    /// The first branch.
    #[inline(always)]
    pub(super) fn first(&self) -> Option<u32> {
        self.first
    }

    #[inline(always)]
    pub(super) fn branch(&self, number: u32) -> Option<&Branch> {
        self.branches.get(number as usize)
    }

    /// The parts of the form with that number, to be given back to [`Forms::keep`], with name and opcode.
    pub(super) fn take(&mut self, number: u32) -> Option<(InstructionType, u16, Vec<Part>)> {
        let form = self.forms.get_mut(number as usize)?;
        Some((form.opcode, form.name, core::mem::take(&mut form.parts)))
    }

    /// Gives the parts of a form back.
    pub(super) fn keep(&mut self, number: u32, parts: Vec<Part>) {
        if let Some(form) = self.forms.get_mut(number as usize) {
            form.parts = parts;
        }
    }

    /// Whether there is room for another form.
    pub(super) fn has_room(&self) -> bool {
        self.branches.len() < MOST_BRANCHES && self.bytes < MOST_BYTES && self.in_vain < MOST_IN_VAIN
    }

    /// Remembers a form: the texts before its values, and what takes these.
    pub(super) fn add(&mut self, way: &[(&str, Takes)], last: &str, form: Form) -> Result<()> {
        let mut from = None;
        for (text, takes) in way {
            match self.go(from, text, *takes)? {
                Some(branch) => from = Some(branch),
                None => return Ok(()),
            }
        }
        let known = self.branches.len();
        let number = self.forms.len() as u32;
        if self.go(from, last, Takes::Nothing(number))?.is_some() && self.branches.len() > known {
            push(&mut self.forms, form)?;
        } else {
            self.in_vain += 1;
        }
        Ok(())
    }

    /// The branch with that text, which is made if there is none; `None` if there is no room for it.
    fn go(&mut self, from: Option<u32>, text: &str, takes: Takes) -> Result<Option<u32>> {
        let number = self.branches.len() as u32;
        let ends = |takes| matches!(takes, Takes::Nothing(_));
        let (mut before, mut count) = (None, 0);
        let mut next = self.behind(from);
        while let Some(at) = next {
            let Some(branch) = self.branch(at) else { break };
            if branch.text == text.as_bytes() && (branch.takes == takes || ends(branch.takes) && ends(takes)) {
                return Ok(Some(at));
            }
            // Longer texts come first: a text that begins like another one is the more exact of both.
            if branch.text.len() >= text.len() {
                before = Some(at);
            }
            (next, count) = (branch.beside, count + 1);
        }
        if count >= MOST_BESIDE {
            self.in_vain += 1;
            return Ok(None);
        }
        let mut own = Vec::new();
        own.try_reserve_exact(text.len()).map_err(|_| crate::Error::out_of_memory())?;
        own.extend_from_slice(text.as_bytes());
        self.bytes = self.bytes.saturating_add(text.len());
        let beside = match before {
            Some(before) => self.branch(before).and_then(|branch| branch.beside),
            None => self.behind(from),
        };
        push(&mut self.branches, Branch { text: own, takes, behind: None, beside })?;
        let link = match (before, from) {
            (Some(before), _) => self.branches.get_mut(before as usize).map(|branch| &mut branch.beside),
            (None, Some(from)) => self.branches.get_mut(from as usize).map(|branch| &mut branch.behind),
            (None, None) => Some(&mut self.first),
        };
        if let Some(link) = link {
            *link = Some(number);
        }
        Ok(Some(number))
    }

    /// The first branch behind another one.
    fn behind(&self, from: Option<u32>) -> Option<u32> {
        match from {
            Some(from) => self.branch(from).and_then(|branch| branch.behind),
            None => self.first,
        }
    }
}
