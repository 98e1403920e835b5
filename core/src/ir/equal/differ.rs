//! A comparison under way: where it is, and how it ends at the first difference.

use super::Difference;
use super::chain::Scope;
use crate::enums::EnumId;
use crate::fallible;
use crate::ir::raw::state::{FixedState, fixed_state};
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::{self, Display};
use hashbrown::HashSet;

/// `Err` is the first difference.
pub(super) type Check = Result<(), Difference>;

/// A step of a path.
#[derive(Clone, Copy)]
pub(super) enum Segment {
    Key(&'static str),
    Index(usize),
}

/// A comparison of two objects.
pub(super) struct Differ<'x> {
    path: Vec<Segment>,
    /// What the left side's references are relative to.
    pub(super) a: Scope<'x>,
    /// What the right side's references are relative to.
    pub(super) b: Scope<'x>,
    /// Pairs of expression nodes that were compared, by address: shared nodes are compared once. Only asked, never walked.
    pub(super) seen: HashSet<(usize, usize), FixedState>,
    /// Whether only what is computed counts: floats of payloads as numbers, the spelling of an operand's kind not at all.
    pub(super) by_value: bool,
}

/// Formats; without memory the objects count as different, because nobody can tell.
pub(super) fn text(value: impl Display) -> Result<String, Difference> {
    fallible::format(value).map_err(|_| out_of_memory())
}

/// The difference that says that memory was out.
pub(super) fn out_of_memory() -> Difference {
    Difference {
        path: String::new(),
        what: crate::error::text("comparison ended: memory is out"),
        left: String::new(),
        right: String::new(),
    }
}

/// Appends with fallible allocation.
pub(super) fn push<T>(list: &mut Vec<T>, item: T) -> Check {
    fallible::push(list, item).map_err(|_| out_of_memory())
}

/// What stands in for an object that only the other side has.
pub(super) const NONE: &str = "(none)";

impl<'x> Differ<'x> {
    pub(super) fn new(a: Scope<'x>, b: Scope<'x>) -> Self {
        Differ { path: Vec::new(), a, b, seen: HashSet::with_hasher(fixed_state()), by_value: false }
    }

    /// The difference at `key` of the object that the comparison is at.
    pub(super) fn report(&self, key: &'static str, left: impl Display, right: impl Display) -> Difference {
        let mut path = String::new();
        let here = self.path.iter().copied().chain(Some(Segment::Key(key)).filter(|_| !key.is_empty()));
        for segment in here {
            // A path that does not fit is cut short; the difference itself still arrives.
            let _ = match segment {
                Segment::Key(key) if path.is_empty() => fallible::append(&mut path, key),
                Segment::Key(key) => fallible::append(&mut path, format_args!(".{key}")),
                Segment::Index(index) => fallible::append(&mut path, format_args!("[{index}]")),
            };
        }
        let what =
            match (key, self.path.iter().rev().find_map(|s| if let Segment::Key(k) = s { Some(*k) } else { None })) {
                ("", Some(last)) => last,
                _ => key,
            };
        Difference {
            path,
            what: crate::error::text(what),
            left: crate::error::text(left),
            right: crate::error::text(right),
        }
    }

    /// Two values.
    pub(super) fn value<T: PartialEq + Display>(&self, key: &'static str, a: T, b: T) -> Check {
        if a == b { Ok(()) } else { Err(self.report(key, a, b)) }
    }

    /// Two texts.
    pub(super) fn str(&self, key: &'static str, a: &str, b: &str) -> Check {
        if a == b { Ok(()) } else { Err(self.report(key, a, b)) }
    }

    /// Two texts of which either may be absent.
    pub(super) fn str_option(&self, key: &'static str, a: Option<&str>, b: Option<&str>) -> Check {
        if a == b { Ok(()) } else { Err(self.report(key, a.unwrap_or(NONE), b.unwrap_or(NONE))) }
    }

    /// Two ordinals, shown by name.
    pub(super) fn ordinal(&self, key: &'static str, id: EnumId, a: i32, b: i32) -> Check {
        if a == b { Ok(()) } else { Err(self.report(key, Member(id, a), Member(id, b))) }
    }

    /// A depth to come back to with [`Differ::back`].
    pub(super) fn depth(&self) -> usize {
        self.path.len()
    }

    /// Leaves all places entered since [`Differ::depth`].
    pub(super) fn back(&mut self, depth: usize) {
        self.path.truncate(depth);
    }

    pub(super) fn enter(&mut self, segment: Segment) -> Check {
        push(&mut self.path, segment)
    }

    /// Compares below `key`.
    pub(super) fn at(&mut self, key: &'static str, compare: impl FnOnce(&mut Self) -> Check) -> Check {
        let depth = self.depth();
        self.enter(Segment::Key(key))?;
        compare(self)?;
        self.back(depth);
        Ok(())
    }

    /// Compares two lists, element by element; one that is longer differs at its first surplus element.
    pub(super) fn list<T>(
        &mut self,
        key: &'static str,
        a: impl Iterator<Item = T>,
        b: impl Iterator<Item = T>,
        show: impl Fn(&T) -> String,
        mut compare: impl FnMut(&mut Self, T, T) -> Check,
    ) -> Check {
        let depth = self.depth();
        let (mut a, mut b) = (a, b);
        for index in 0.. {
            let pair = (a.next(), b.next());
            if matches!(pair, (None, None)) {
                break;
            }
            self.enter(Segment::Key(key))?;
            self.enter(Segment::Index(index))?;
            match pair {
                (Some(a), Some(b)) => compare(self, a, b)?,
                (a, b) => {
                    let shown = |x: Option<T>| x.map_or_else(|| crate::error::text(NONE), |x| show(&x));
                    return Err(self.report("", shown(a), shown(b)));
                }
            }
            self.back(depth);
        }
        Ok(())
    }

    /// Compares two lists of plain values.
    pub(super) fn values<T: PartialEq + Display>(
        &mut self,
        key: &'static str,
        a: impl Iterator<Item = T>,
        b: impl Iterator<Item = T>,
    ) -> Check {
        self.list(key, a, b, |x| crate::error::text(x), |d, a, b| d.value("", a, b))
    }

    /// Compares two sets of texts; reports the first text, in byte order, that one side lacks.
    pub(super) fn set(&self, key: &'static str, mut a: Vec<String>, mut b: Vec<String>) -> Check {
        a.sort_unstable();
        b.sort_unstable();
        let (mut left, mut right) = (a.iter().peekable(), b.iter().peekable());
        loop {
            match (left.peek(), right.peek()) {
                (None, None) => return Ok(()),
                (Some(l), Some(r)) if l == r => {
                    left.next();
                    right.next();
                }
                (Some(l), Some(r)) if l < r => return Err(self.report(key, l, NONE)),
                (Some(l), None) => return Err(self.report(key, l, NONE)),
                (_, Some(r)) => return Err(self.report(key, NONE, r)),
            }
        }
    }
}

/// An ordinal, shown as the member's name.
struct Member(EnumId, i32);

impl Display for Member {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.info().by_ordinal(self.1.into()) {
            Ok(member) => f.write_str(member.name),
            Err(_) => write!(f, "{}", self.1),
        }
    }
}
