//! References: equal by label where the caller knows which objects belong together, else by name.

use super::Difference;
use super::chain::Chain;
use super::differ::{Check, Differ, NONE, Purpose, push, text};
use crate::fallible;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Display;

/// A reference of a set, with what qualifies it.
struct Entry<'x, T> {
    label: Option<u32>,
    chain: Chain<'x>,
    with: T,
}

impl<'x> Differ<'x> {
    /// Whether two references lead to the same thing.
    pub(super) fn is_same(&self, a: Chain<'x>, b: Chain<'x>) -> bool {
        match (self.labels_of(a, b), self.labels) {
            ((Some(a), Some(b)), _) => a == b,
            // Both lead outside of the modules: only names are left to go by.
            ((None, None), _) => a.eq(b),
            _ => false,
        }
    }

    fn labels_of(&self, a: Chain<'x>, b: Chain<'x>) -> (Option<u32>, Option<u32>) {
        let Some((left, right)) = self.labels else { return (None, None) };
        (a.address().and_then(|a| left.label(a)), b.address().and_then(|b| right.label(b)))
    }

    /// Takes a reference into the digest; false where there is none to make.
    pub(super) fn feed_reference(&mut self, a: Option<Chain<'x>>) -> bool {
        if !matches!(self.purpose, Purpose::Digest(_)) {
            return false;
        }
        self.feed(a.map(|a| self.labels_of(a, a).0))
    }

    /// Two sets of references. The first that one side lacks, in byte order of their names; or, for who wants all, those
    /// of each side that the other lacks, as one difference.
    pub(super) fn references<T: Copy + Ord + Display, A, B>(
        &mut self,
        key: &'static str,
        all_a: impl Fn() -> A,
        all_b: impl Fn() -> B,
    ) -> Check
    where
        A: Iterator<Item = (Chain<'x>, T)>,
        B: Iterator<Item = (Chain<'x>, T)>,
    {
        if matches!(self.purpose, Purpose::Digest(_)) {
            // They lead to what has no label yet.
            return Ok(());
        }
        let (mut a, mut b) = (all_a(), all_b());
        let same_order = loop {
            match (a.next(), b.next()) {
                (None, None) => break true,
                (Some(x), Some(y)) if x.1 == y.1 && self.is_same(x.0, y.0) => {}
                _ => break false,
            }
        };
        if same_order {
            return Ok(());
        }
        if self.labels.is_none() {
            return self.set(key, texts(all_a())?, texts(all_b())?);
        }
        let (mut left, mut right) = (Vec::new(), Vec::new());
        for (chain, with) in all_a() {
            push(&mut left, Entry { label: self.labels_of(chain, chain).0, chain, with })?;
        }
        for (chain, with) in all_b() {
            push(&mut right, Entry { label: self.labels_of(chain, chain).1, chain, with })?;
        }
        let (left, right) = lacking(left, right)?;
        if left.is_empty() && right.is_empty() { Ok(()) } else { self.report(key, joined(left)?, joined(right)?) }
    }
}

fn texts<'x, T: Display>(entries: impl Iterator<Item = (Chain<'x>, T)>) -> Result<Vec<String>, Difference> {
    let mut list = Vec::new();
    for (chain, with) in entries {
        push(&mut list, text(format_args!("{chain} {with}"))?)?;
    }
    Ok(list)
}

/// What each side has and the other has not.
fn lacking<'x, T: Copy + Ord + Display>(
    mut left: Vec<Entry<'x, T>>,
    mut right: Vec<Entry<'x, T>>,
) -> Result<(Vec<String>, Vec<String>), Difference> {
    let order = |a: &Entry<'x, T>, b: &Entry<'x, T>| (a.label, a.with).cmp(&(b.label, b.with));
    left.sort_unstable_by(order);
    right.sort_unstable_by(order);
    let (mut only_left, mut only_right) = (Vec::new(), Vec::new());
    let show = |e: &Entry<'x, T>| text(format_args!("{} {}", e.chain, e.with));
    let (mut a, mut b) = (left.iter().peekable(), right.iter().peekable());
    loop {
        match (a.peek(), b.peek()) {
            (None, None) => break,
            (Some(x), Some(y)) if x.label.is_some() && order(x, y).is_eq() => {
                a.next();
                b.next();
            }
            (Some(x), y) if y.is_none_or(|y| order(x, y).is_le()) => {
                push(&mut only_left, show(x)?)?;
                a.next();
            }
            (_, Some(y)) => {
                push(&mut only_right, show(y)?)?;
                b.next();
            }
            (Some(_), None) => break,
        }
    }
    Ok((only_left, only_right))
}

/// Texts in byte order, as one.
fn joined(mut texts: Vec<String>) -> Result<String, Difference> {
    texts.sort_unstable();
    let mut all = String::new();
    for text in &texts {
        let separator = if all.is_empty() { "" } else { ", " };
        fallible::append(&mut all, format_args!("{separator}{text}")).map_err(|_| super::differ::out_of_memory())?;
    }
    if texts.is_empty() { text(NONE) } else { Ok(all) }
}
