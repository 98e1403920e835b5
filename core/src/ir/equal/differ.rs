//! A comparison under way: where it is, and what becomes of what it meets. One walk over the parts of two objects serves
//! whoever wants the first difference, all of them, or a digest of one object.

use super::Difference;
use super::chain::Scope;
use super::digest::{Digest, Part};
use super::pair::{All, Labels};
use crate::enums::EnumId;
use crate::fallible;
use crate::ir::raw::state::{FixedState, fixed_state};
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::{self, Display};
use core::hash::Hash;
use hashbrown::HashSet;

/// `Err` is the first difference, where that ends the walk, or says that memory was out.
pub(super) type Check = Result<(), Difference>;

/// A step of a path.
#[derive(Clone, Copy)]
pub(super) enum Segment {
    Key(&'static str),
    Index(usize),
}

/// What a walk is for.
pub(super) enum Purpose {
    /// The first difference.
    First,
    /// All differences.
    All(All),
    /// A digest of the left side, which is compared with itself.
    Digest(Digest),
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
    /// Which objects belong together, on the left and on the right side; without them references are equal by name.
    pub(super) labels: Option<(&'x dyn Labels, &'x dyn Labels)>,
    /// What the walk is for.
    pub(super) purpose: Purpose,
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
        Differ {
            path: Vec::new(),
            a,
            b,
            seen: HashSet::with_hasher(fixed_state()),
            by_value: false,
            labels: None,
            purpose: Purpose::First,
        }
    }

    /// A difference at `key` of the object that the comparison is at.
    pub(super) fn report(&mut self, key: &'static str, left: impl Display, right: impl Display) -> Check {
        match &mut self.purpose {
            Purpose::First => Err(self.difference(key, left, right)),
            // Nothing differs from itself.
            Purpose::Digest(_) => Ok(()),
            Purpose::All(all) => {
                all.count = all.count.saturating_add(1);
                if all.count > all.limit {
                    return Ok(());
                }
                let found = self.difference(key, left, right);
                match &mut self.purpose {
                    Purpose::All(all) => push(&mut all.found, found),
                    _ => Ok(()),
                }
            }
        }
    }

    fn difference(&self, key: &'static str, left: impl Display, right: impl Display) -> Difference {
        let mut path = String::new();
        let here = self.path.iter().copied().chain(Some(Segment::Key(key)).filter(|_| !key.is_empty()));
        for segment in here {
            // A path that does not fit is cut short; the difference itself still arrives.
            let _ = match segment {
                Segment::Key("") => Ok(()),
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

    /// Takes a value into the digest; false where there is none to make.
    pub(super) fn feed(&mut self, value: impl Hash) -> bool {
        let Purpose::Digest(digest) = &mut self.purpose else { return false };
        digest.add(value);
        true
    }

    /// Says which part of the object the walk is in, for a digest.
    pub(super) fn part(&mut self, part: Part) {
        if let Purpose::Digest(digest) = &mut self.purpose {
            digest.part = part;
        }
    }

    /// How many differences were found so far, by who wants all.
    pub(super) fn found(&self) -> usize {
        match &self.purpose {
            Purpose::All(all) => all.count,
            Purpose::First | Purpose::Digest(_) => 0,
        }
    }

    /// Two values.
    pub(super) fn value<T: PartialEq + Display + Hash>(&mut self, key: &'static str, a: T, b: T) -> Check {
        if self.feed(&a) || a == b { Ok(()) } else { self.report(key, a, b) }
    }

    /// Two texts.
    pub(super) fn str(&mut self, key: &'static str, a: &str, b: &str) -> Check {
        self.value(key, a, b)
    }

    /// Two texts of which either may be absent.
    pub(super) fn str_option(&mut self, key: &'static str, a: Option<&str>, b: Option<&str>) -> Check {
        if self.feed(a) || a == b { Ok(()) } else { self.report(key, a.unwrap_or(NONE), b.unwrap_or(NONE)) }
    }

    /// Two ordinals, shown by name.
    pub(super) fn ordinal(&mut self, key: &'static str, id: EnumId, a: i32, b: i32) -> Check {
        if self.feed(a) || a == b { Ok(()) } else { self.report(key, Member(id, a), Member(id, b)) }
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

    /// Compares two lists, element by element; one that is longer differs at its first surplus element. Who wants all
    /// differences gets those of the elements in the middle, behind equal ones and before equal ones, so that an element
    /// more is one difference wherever it stands.
    pub(super) fn list<T: Copy>(
        &mut self,
        key: &'static str,
        a: impl Iterator<Item = T>,
        b: impl Iterator<Item = T>,
        show: impl Fn(&T) -> String,
        mut compare: impl FnMut(&mut Self, T, T) -> Check,
    ) -> Check {
        if matches!(self.purpose, Purpose::All(_)) {
            return self.middle(key, a, b, show, compare);
        }
        let depth = self.depth();
        let (mut a, mut b) = (a, b);
        for index in 0.. {
            let pair = (a.next(), b.next());
            if matches!(pair, (None, None)) {
                self.feed(index);
                break;
            }
            self.enter(Segment::Key(key))?;
            self.enter(Segment::Index(index))?;
            match pair {
                (Some(a), Some(b)) => compare(self, a, b)?,
                (a, b) => return self.surplus_element(a, b, &show),
            }
            self.back(depth);
        }
        Ok(())
    }

    fn surplus_element<T>(&mut self, a: Option<T>, b: Option<T>, show: impl Fn(&T) -> String) -> Check {
        let shown = |x: Option<T>| x.map_or_else(|| crate::error::text(NONE), |x| show(&x));
        self.report("", shown(a), shown(b))
    }

    /// The differences of two lists for who wants them all.
    fn middle<T: Copy>(
        &mut self,
        key: &'static str,
        a: impl Iterator<Item = T>,
        b: impl Iterator<Item = T>,
        show: impl Fn(&T) -> String,
        mut compare: impl FnMut(&mut Self, T, T) -> Check,
    ) -> Check {
        let (a, b) = (collected(a)?, collected(b)?);
        let (mut head, mut tail) = (0, 0);
        if a.len() != b.len() {
            let shorter = a.len().min(b.len());
            head = self.run(key, a.iter().zip(&b), shorter, &mut compare)?;
            let rest = shorter.saturating_sub(head);
            tail = self.run(key, a.iter().rev().zip(b.iter().rev()), rest, &mut compare)?;
        }
        let inner = |list: &[T]| list.len().saturating_sub(tail);
        let depth = self.depth();
        for index in head..inner(&a).max(inner(&b)) {
            let element = |list: &[T]| list.get(index).filter(|_| index < inner(list)).copied();
            self.enter(Segment::Key(key))?;
            self.enter(Segment::Index(index))?;
            match (element(&a), element(&b)) {
                (Some(a), Some(b)) => compare(self, a, b)?,
                (a, b) => self.surplus_element(a, b, &show)?,
            }
            self.back(depth);
        }
        Ok(())
    }

    /// How many of the first `most` pairs are equal before one is not.
    fn run<'l, T: Copy + 'l>(
        &mut self,
        key: &'static str,
        pairs: impl Iterator<Item = (&'l T, &'l T)>,
        most: usize,
        compare: &mut impl FnMut(&mut Self, T, T) -> Check,
    ) -> Result<usize, Difference> {
        let depth = self.depth();
        self.enter(Segment::Key(key))?;
        let purpose = core::mem::replace(&mut self.purpose, Purpose::First);
        let mut equal: usize = 0;
        let mut result = Ok(());
        for (a, b) in pairs.take(most) {
            result = compare(self, *a, *b);
            if result.is_err() {
                // Pairs of nodes on the way to a difference count as seen, but are not equal.
                self.seen.clear();
                break;
            }
            equal = equal.saturating_add(1);
        }
        self.purpose = purpose;
        self.back(depth);
        match result {
            Err(out) if out.path.is_empty() => Err(out),
            _ => Ok(equal),
        }
    }

    /// Compares two lists of plain values.
    pub(super) fn values<T: Copy + PartialEq + Display + Hash>(
        &mut self,
        key: &'static str,
        a: impl Iterator<Item = T>,
        b: impl Iterator<Item = T>,
    ) -> Check {
        self.list(key, a, b, |x| crate::error::text(x), |d, a, b| d.value("", a, b))
    }

    /// Compares two sets of texts; reports the first text, in byte order, that one side lacks.
    pub(super) fn set(&mut self, key: &'static str, mut a: Vec<String>, mut b: Vec<String>) -> Check {
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
                (Some(l), Some(r)) if l < r => return self.report(key, l, NONE),
                (Some(l), None) => return self.report(key, l, NONE),
                (_, Some(r)) => return self.report(key, NONE, r),
            }
        }
    }
}

/// A list in memory.
fn collected<T>(items: impl Iterator<Item = T>) -> Result<Vec<T>, Difference> {
    let mut list = Vec::new();
    for item in items {
        push(&mut list, item)?;
    }
    Ok(list)
}

/// An ordinal, shown as the member's name; -1 is none.
pub(super) struct Member(pub(super) EnumId, pub(super) i32);

impl Display for Member {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.info().by_ordinal(self.1.into()) {
            Ok(member) => f.write_str(member.name),
            Err(_) if self.1 == -1 => f.write_str(NONE),
            Err(_) => write!(f, "{}", self.1),
        }
    }
}
