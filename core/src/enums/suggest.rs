//! Says what would have been right, because most unknown names are misspelled or come from an older roster.

use core::fmt;

/// Texts longer than this are cut in error messages.
const SHOWN: usize = 80;
/// Up to so many members an error lists them all.
const LISTED: usize = 40;
/// So many it lists of a longer roster.
const LISTED_OF_MANY: usize = 12;
/// Names longer than this get no suggestion: the distance is computed in a buffer of this size.
const MEASURED: usize = 64;

/// A text of the input, cut short where it is long.
pub(crate) struct Shown<'a>(pub &'a str);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.char_indices().nth(SHOWN).and_then(|(at, _)| self.0.get(..at)) {
            Some(start) => write!(f, "{start}..."),
            None => f.write_str(self.0),
        }
    }
}

/// The nearest one to what was found, and the names that were allowed.
pub(crate) struct Allowed<'a, I> {
    /// How the set is called, e.g. `AluOpType`.
    pub set: &'a str,
    /// The allowed names.
    pub names: I,
    /// What was found.
    pub found: &'a str,
}

impl<'a, I: Iterator<Item = &'a str> + Clone> fmt::Display for Allowed<'a, I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.names.clone().count();
        if count == 0 {
            return write!(f, "no name: no member of {} is published", self.set);
        }
        write!(f, "a member of {}", self.set)?;
        // Before the list: where a message is cut, as in a fixed buffer, the end is lost.
        if let Some(name) = nearest(self.found, self.names.clone()) {
            write!(f, ", did you mean `{name}`?")?;
        }
        f.write_str(" (")?;
        let shown = if count <= LISTED { count } else { LISTED_OF_MANY };
        for (i, name) in self.names.clone().take(shown).enumerate() {
            write!(f, "{}{name}", if i == 0 { "" } else { ", " })?;
        }
        if shown < count {
            write!(f, ", ... {count} in all")?;
        }
        f.write_str(")")
    }
}

/// The name with the smallest edit distance, if it is near enough to be a slip; the first one wins a tie.
pub(super) fn nearest<'a>(found: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let mut best: Option<(usize, &str)> = None;
    for name in names {
        let Some(distance) = distance(found.as_bytes(), name.as_bytes()) else { continue };
        if best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, name));
        }
    }
    let limit = (found.len() / 2).clamp(1, 5);
    best.filter(|(distance, _)| *distance <= limit).map(|(_, name)| name)
}

/// Insertions, deletions and replacements from `a` to `b`; ASCII case does not count. `None` if one is too long.
fn distance(a: &[u8], b: &[u8]) -> Option<usize> {
    if a.len() > MEASURED || b.len() > MEASURED {
        return None;
    }
    let mut row = [0usize; MEASURED + 1];
    for (i, cell) in row.iter_mut().enumerate() {
        *cell = i;
    }
    for (i, x) in a.iter().enumerate() {
        // `diagonal` is the cell up and left, `left` the one just computed.
        let mut diagonal = i;
        let mut left = i + 1;
        if let Some(first) = row.first_mut() {
            *first = left;
        }
        for (y, cell) in b.iter().zip(row.iter_mut().skip(1)) {
            let replaced = diagonal + usize::from(!x.eq_ignore_ascii_case(y));
            diagonal = *cell;
            left = replaced.min(diagonal + 1).min(left + 1);
            *cell = left;
        }
    }
    row.get(b.len()).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;
    use std::{format, vec, vec::Vec};

    /// The recursive definition, as the model.
    fn model(a: &[u8], b: &[u8]) -> usize {
        match (a, b) {
            ([], b) => b.len(),
            (a, []) => a.len(),
            ([x, a_rest @ ..], [y, b_rest @ ..]) => (model(a_rest, b_rest) + usize::from(!x.eq_ignore_ascii_case(y)))
                .min(model(a_rest, b) + 1)
                .min(model(a, b_rest) + 1),
        }
    }

    proptest::proptest! {
        #[test]
        fn distance_agrees_with_its_definition(a in "[abAB]{0,6}", b in "[abc]{0,6}") {
            proptest::prop_assert_eq!(distance(a.as_bytes(), b.as_bytes()), Some(model(a.as_bytes(), b.as_bytes())));
        }
    }

    #[test]
    fn suggests_only_what_is_near() {
        let names = ["mult", "max", "bitwise_not"];
        assert_eq!(nearest("multiply", names.into_iter()), Some("mult"));
        assert_eq!(nearest("MAX", names.into_iter()), Some("max"));
        assert_eq!(nearest("something_else", names.into_iter()), None);
        assert_eq!(nearest(&"m".repeat(65), names.into_iter()), None);
        assert_eq!(distance(&[b'x'; 64], &[b'x'; 63]), Some(1));
    }

    #[test]
    fn long_rosters_and_long_texts_are_cut() {
        let names: Vec<_> = (0..50).map(|i| format!("n{i}")).collect();
        let text = Allowed { set: "S", names: names.iter().map(std::string::String::as_str), found: "?" }.to_string();
        assert_eq!(text, "a member of S (n0, n1, n2, n3, n4, n5, n6, n7, n8, n9, n10, n11, ... 50 in all)");
        let long: std::string::String = vec!["ü"; 81].concat();
        assert_eq!(Shown(&long).to_string(), format!("{}...", "ü".repeat(80)));
        assert_eq!(Shown("short").to_string(), "short");
    }
}
