//! The forms that instructions came in lately, as a tree of texts. A branch is the text between two values that differ from
//! instruction to instruction: commas, keys, and the values that are mostly the same. Where a document goes on as a branch does,
//! one comparison stands for all of its tokens; at the end of the last branch it is known what the whole instruction says.
#![forbid(unsafe_code)]

use super::super::super::input::Input;
use crate::Result;
use crate::enums::bir::{Dtype, EngineType, InstructionType, NamedObjectOrigin, UpdateMode, WaitMode};
use crate::fallible::push;
use crate::ir::{MAX_DIMS, OperandList};
use crate::op::Field;
use alloc::string::String;
use alloc::vec::Vec;

/// Branches at most, and bytes of their texts: beyond them, documents have no forms that come again.
const MOST_BRANCHES: usize = 1 << 13;
const MOST_BYTES: usize = 1 << 20;
/// Values of a form, at most.
pub(super) const MOST_VALUES: usize = 256;
/// Access patterns that a branch remembers, and bytes of their texts, at most.
const MOST_PATTERNS: usize = 3;
const LONGEST_PATTERN: usize = 512;
/// Branches at one place, at most: all of them may be compared in vain.
const MOST_BESIDE: u32 = 12;
/// How many more instructions may have been looked at in vain, to remember their forms, than were recalled: there are documents that
/// the tree cannot follow.
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
    Edges {
        at: At,
    },
    /// The `debug` object.
    Debug {
        at: At,
        text: Compact,
    },
    /// An operand that is a physical access pattern; what it names and says are numbers of values.
    Operand {
        list: OperandList,
        index: usize,
        at: At,
        dtype: Dtype,
        pattern: u16,
        memref: u16,
        memsetref: u16,
        offset: u16,
    },
    /// An immediate among the inputs; its value is read by itself.
    Immediate {
        index: usize,
        at: At,
        dtype: Dtype,
        value: u16,
    },
    /// Any other operand.
    OtherOperand {
        list: OperandList,
        index: usize,
        at: At,
    },
    /// That there is a `sync_info`.
    Sync {
        at: At,
    },
    /// An element of its `on_wait`; the producer is the number of a value.
    Wait {
        index: usize,
        at: At,
        id: Amount,
        value: Amount,
        mode: WaitMode,
        sync_type: Amount,
        from: Option<u16>,
    },
    /// An element of its `on_update`.
    Update {
        index: usize,
        at: At,
        id: Amount,
        value: Amount,
        mode: UpdateMode,
        sync_type: Amount,
        core: Option<Amount>,
    },
    /// A payload field with a constant.
    Constant {
        field: &'static Field,
        bits: Amount,
    },
    /// A payload field with two constants.
    Constants {
        field: &'static Field,
        bits: [u64; 2],
    },
    /// Any other member.
    Member {
        number: u8,
        at: At,
    },
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

/// An access pattern, and its text.
#[derive(Debug)]
struct Pattern {
    text: Vec<u8>,
    pairs: [[u64; 2]; MAX_DIMS],
    len: usize,
}

/// One branch.
#[derive(Debug)]
pub(super) struct Branch {
    pub(super) text: Vec<u8>,
    /// The access patterns that were taken here lately: mostly it is one of them again.
    patterns: Vec<Pattern>,
    /// The one to forget first.
    oldest: usize,
    pub(super) takes: Takes,
    /// The first branch behind this one.
    pub(super) behind: Option<u32>,
    /// The next one at the same place.
    pub(super) beside: Option<u32>,
}

impl Branch {
    /// Passes over the text of an access pattern that is remembered; gives its pairs.
    #[inline(always)]
    pub(super) fn pattern<'i, I: Input<'i>>(&self, input: &mut I) -> Option<&[[u64; 2]]> {
        let found = self.patterns.iter().find(|pattern| input.passes_text(&pattern.text))?;
        found.pairs.get(..found.len)
    }
}

/// A value that was passed.
#[derive(Clone, Copy, Debug, Default)]
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
    pub(super) branches: Vec<Branch>,
    first: Option<u32>,
    forms: Vec<Form>,
    bytes: usize,
    /// What was looked at in vain, less what was recalled.
    in_vain: u32,
    /// How often a form was to be remembered that was known.
    #[cfg(test)]
    known: u32,
    /// The values of the instruction that is being read, up to [`MOST_VALUES`], and the pairs of its access patterns.
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

    /// Gives the parts of a form back when its instruction was made.
    pub(super) fn keep(&mut self, number: u32, parts: Vec<Part>) {
        self.in_vain = self.in_vain.saturating_sub(1);
        if let Some(form) = self.forms.get_mut(number as usize) {
            form.parts = parts;
        }
    }

    /// Notes that there was no form to remember.
    pub(super) fn looked_in_vain(&mut self) {
        self.in_vain = self.in_vain.saturating_add(1);
    }

    /// How many forms there are, and how many of them were to be added again.
    #[cfg(test)]
    pub(super) fn told(&self) -> (usize, u32) {
        (self.forms.len(), self.known)
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
        if self.taken.is_empty() {
            self.taken.try_reserve_exact(MOST_VALUES).map_err(|_| crate::Error::out_of_memory())?;
            self.taken.resize(MOST_VALUES, Taken::default());
        }
        let known = self.branches.len();
        let number = self.forms.len() as u32;
        if self.go(from, last, Takes::Nothing(number))?.is_some() && self.branches.len() > known {
            push(&mut self.forms, form)?;
        } else {
            self.looked_in_vain();
            #[cfg(test)]
            {
                self.known += 1;
            }
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
            self.looked_in_vain();
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
        push(&mut self.branches, Branch { text: own, patterns: Vec::new(), oldest: 0, takes, behind: None, beside })?;
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

    /// Remembers an access pattern that was taken by a branch.
    #[cold]
    #[inline(never)]
    pub(super) fn remember(&mut self, branch: u32, text: &str, pairs: [[u64; 2]; MAX_DIMS], len: usize) -> Result<()> {
        let Some(branch) = self.branches.get_mut(branch as usize) else { return Ok(()) };
        if text.len() > LONGEST_PATTERN {
            return Ok(());
        }
        if branch.patterns.len() < MOST_PATTERNS {
            // Room for all at once: they stay.
            branch.patterns.try_reserve_exact(MOST_PATTERNS).map_err(|_| crate::Error::out_of_memory())?;
            branch.patterns.push(Pattern { text: Vec::new(), pairs, len });
        }
        let place = branch.oldest % MOST_PATTERNS;
        branch.oldest = place + 1;
        if let Some(pattern) = branch.patterns.get_mut(place) {
            pattern.text.clear();
            pattern.text.try_reserve(text.len()).map_err(|_| crate::Error::out_of_memory())?;
            pattern.text.extend_from_slice(text.as_bytes());
            (pattern.pairs, pattern.len) = (pairs, len);
        }
        Ok(())
    }

    /// The first branch behind another one.
    fn behind(&self, from: Option<u32>) -> Option<u32> {
        match from {
            Some(from) => self.branch(from).and_then(|branch| branch.behind),
            None => self.first,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec;

    fn form() -> Form {
        Form { opcode: InstructionType::Activation, name: 0, parts: Vec::new() }
    }

    /// The forms' numbers at the ends of a tree, in the order in which they are looked for.
    fn ends(forms: &Forms, from: Option<u32>) -> Vec<u32> {
        let (mut found, mut next) = (Vec::new(), forms.behind(from));
        while let Some(at) = next {
            let branch = forms.branch(at).unwrap();
            match branch.takes {
                Takes::Nothing(number) => found.push(number),
                _ => found.extend(ends(forms, Some(at))),
            }
            next = branch.beside;
        }
        found
    }

    #[test]
    fn longer_texts_come_first_and_nothing_comes_twice() {
        let mut forms = Forms::default();
        forms.add(&[("a", Takes::Text), ("b", Takes::Edges)], "c", form()).unwrap();
        forms.add(&[("a", Takes::Text), ("bb", Takes::Edges)], "c", form()).unwrap();
        forms.add(&[("abc", Takes::Text)], "c", form()).unwrap();
        forms.add(&[("a", Takes::Integer(7))], "", form()).unwrap();
        assert_eq!(ends(&forms, None), [2, 1, 0, 3]);
        assert_eq!((forms.forms.len(), forms.branches.len(), forms.in_vain), (4, 9, 0));
        forms.add(&[("a", Takes::Text), ("bb", Takes::Edges)], "c", form()).unwrap();
        assert_eq!((forms.forms.len(), forms.branches.len(), forms.in_vain), (4, 9, 1));
    }

    #[test]
    fn what_is_recalled_pays_for_what_is_looked_at_in_vain() {
        let mut forms = Forms::default();
        for _ in 0..MOST_IN_VAIN {
            assert!(forms.has_room());
            forms.looked_in_vain();
        }
        assert!(!forms.has_room());
        forms.keep(0, Vec::new());
        assert!(forms.has_room());
    }

    #[test]
    fn the_tree_is_bounded() {
        let mut forms = Forms::default();
        let texts: Vec<String> = (0..200).map(|i| std::format!("{i}")).collect();
        for text in &texts {
            forms.add(&[(text.as_str(), Takes::Text)], "", form()).unwrap();
        }
        assert_eq!((forms.forms.len(), forms.has_room()), (MOST_BESIDE as usize, false));
        let mut forms = Forms::default();
        let long = vec![("x", Takes::Text); MOST_BRANCHES];
        assert!(forms.has_room());
        forms.add(&long, "", form()).unwrap();
        assert!(!forms.has_room());
        let mut forms = Forms::default();
        forms.add(&[(&" ".repeat(MOST_BYTES), Takes::Text)], "", form()).unwrap();
        assert!(!forms.has_room());
    }
}
