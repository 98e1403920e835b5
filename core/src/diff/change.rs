//! A change as data.
#![forbid(unsafe_code)]

use crate::Result;
use crate::fallible::push;
use crate::ir::Difference;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

macro_rules! words {
    ($(#[$doc:meta])* $type:ident: $($(#[$member:meta])* $name:ident = $number:literal, $word:literal;)*) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(i32)]
        pub enum $type { $($(#[$member])* $name = $number,)* }

        impl $type {
            /// All, in the order of their numbers.
            pub const ALL: &'static [$type] = &[$($type::$name,)*];
            /// The stable number.
            pub const fn number(self) -> i32 { self as i32 }
            /// The word for it, in lower case.
            pub const fn word(self) -> &'static str { match self { $($type::$name => $word,)* } }
        }
    };
}

words! {
    /// What happened.
    What:
    /// Only the right side has the object.
    Added = 0, "added";
    /// Only the left side has the object.
    Removed = 1, "removed";
    /// The object stands elsewhere among its neighbours, or in another owner.
    Moved = 2, "moved";
    /// The object has another name.
    Renamed = 3, "renamed";
    /// A field has another value.
    Changed = 4, "changed";
}

words! {
    /// What kind of object it happened to.
    Kind:
    /// The module itself.
    Module = 0, "module";
    /// Function, ordinary or NKI.
    Function = 1, "function";
    /// DMA queue.
    Queue = 2, "queue";
    /// Set of memory locations.
    Set = 3, "set";
    /// Memory location.
    Location = 4, "location";
    /// Register.
    Register = 5, "register";
    /// Basic block.
    Block = 6, "block";
    /// Instruction.
    Instruction = 7, "instruction";
}

/// An object of one side.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Subject {
    /// Its name; empty for the module.
    pub name: String,
    /// Its document path: `functions[0].blocks[1].instructions[4]`; empty for the module.
    pub path: String,
    /// Its id, as errors print it; -1 for the module. Ids of the two sides have nothing to do with each other.
    pub id: i32,
    /// The opcode of an instruction; empty for others.
    pub opcode: String,
    /// Instructions in it, nested ones included, that came or went with it.
    pub instructions: usize,
}

/// One change from the left to the right side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// What happened.
    pub what: What,
    /// To what kind of object.
    pub kind: Kind,
    /// The object on the left side; `None` if it was added.
    pub left: Option<Subject>,
    /// The object on the right side; `None` if it was removed.
    pub right: Option<Subject>,
    /// The field below the object, `outs[0].pattern[1]`; `name` if it was renamed, `position` if it was moved; empty if
    /// it was added or removed.
    pub field: String,
    /// The field's value on the left side; `(none)` if there is none, empty if the object was added or removed.
    pub old: String,
    /// The field's value on the right side, likewise.
    pub new: String,
}

/// How many objects of a kind changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Count {
    /// Added, without what came in an added owner.
    pub added: usize,
    /// Removed, without what went with a removed owner.
    pub removed: usize,
    /// Moved.
    pub moved: usize,
    /// Renamed.
    pub renamed: usize,
    /// With at least one changed field.
    pub changed: usize,
}

impl Count {
    /// The number for one kind of change.
    pub fn of(&self, what: What) -> usize {
        match what {
            What::Added => self.added,
            What::Removed => self.removed,
            What::Moved => self.moved,
            What::Renamed => self.renamed,
            What::Changed => self.changed,
        }
    }

    pub(super) fn add(&mut self, what: What) {
        let count = match what {
            What::Added => &mut self.added,
            What::Removed => &mut self.removed,
            What::Moved => &mut self.moved,
            What::Renamed => &mut self.renamed,
            What::Changed => &mut self.changed,
        };
        *count = count.saturating_add(1);
    }
}

/// What changed between two modules.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Changes {
    /// The changes in program order of the right side; what was removed stands where it was on the left side.
    pub changes: Vec<Change>,
    /// Changes beyond the limit, which are only counted.
    pub dropped: usize,
    counts: [Count; Kind::ALL.len()],
}

impl Changes {
    /// Whether nothing changed: then the modules are structurally equal.
    pub fn is_empty(&self) -> bool {
        self.total() == 0
    }

    /// Number of all changes.
    pub fn total(&self) -> usize {
        self.changes.len().saturating_add(self.dropped)
    }

    /// How many objects of that kind changed. The limit makes no difference to it.
    pub fn count(&self, kind: Kind) -> Count {
        self.counts.get(kind as usize).copied().unwrap_or_default()
    }

    pub(super) fn counted(&mut self, kind: Kind, what: What) {
        if let Some(count) = self.counts.get_mut(kind as usize) {
            count.add(what);
        }
    }

    /// A difference of the modules that no object was found to have.
    pub(super) fn unexplained(&mut self, found: Difference, limit: usize) -> Result<()> {
        self.counted(Kind::Module, What::Changed);
        if limit == 0 {
            self.dropped = self.dropped.saturating_add(1);
            return Ok(());
        }
        let Difference { path: field, left: old, right: new, .. } = found;
        let module = Subject { id: -1, ..Subject::default() };
        let (left, right) = (Some(module.clone()), Some(module));
        push(&mut self.changes, Change { what: What::Changed, kind: Kind::Module, left, right, field, old, new })
    }

    /// The summary: one line without its end, like `2 instructions changed, 1 added; 1 set renamed`.
    pub fn summary(&self) -> impl fmt::Display {
        Summary(self.counts)
    }
}

struct Summary([Count; Kind::ALL.len()]);

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const ORDER: [What; 5] = [What::Changed, What::Added, What::Removed, What::Moved, What::Renamed];
        let mut separator = "";
        for (kind, count) in Kind::ALL.iter().zip(&self.0).rev() {
            let mut first = true;
            for what in ORDER {
                let number = count.of(what);
                if number == 0 {
                    continue;
                }
                if first {
                    let plural = if number == 1 { "" } else { "s" };
                    write!(f, "{separator}{number} {}{plural} {}", kind.word(), what.word())?;
                } else {
                    write!(f, ", {number} {}", what.word())?;
                }
                (first, separator) = (false, "; ");
            }
        }
        if separator.is_empty() { f.write_str("no differences") } else { Ok(()) }
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let subject = self.right.as_ref().or(self.left.as_ref());
        f.write_str(self.what.word())?;
        write!(f, " {}", self.kind.word())?;
        if let Some(subject) = subject.filter(|s| !s.path.is_empty()) {
            write!(f, " `{}`", subject.name)?;
            if !subject.opcode.is_empty() {
                write!(f, " ({})", subject.opcode)?;
            }
            write!(f, " at {}", subject.path)?;
        }
        match self.what {
            What::Added | What::Removed => Ok(()),
            What::Moved | What::Renamed => write!(f, ": {} -> {}", self.old, self.new),
            What::Changed => write!(f, ": {}: {} -> {}", self.field, self.old, self.new),
        }
    }
}
