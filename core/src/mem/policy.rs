//! When and how far a symbol table grows: libstdc++'s prime policy for one-by-one inserts, as measured.

use super::growth::GROWTH;

/// A growth step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Growth {
    /// The new bucket count.
    pub(super) bucket_count: usize,
    /// The element count up to which no further step happens.
    pub(super) next_resize: usize,
}

/// The step that a table needs before it holds `elements`; `None` if it has room, or if the next step is beyond the address
/// space of the target.
///
/// A bucket count that one-by-one inserts do not give (a C++ component reserved) goes to the next one that is at least the
/// double, and so returns to the measured sequence.
pub(super) fn growth(bucket_count: usize, next_resize: usize, elements: usize) -> Option<Growth> {
    if elements <= next_resize {
        return None;
    }
    let wanted = (bucket_count as u64).saturating_mul(2).max(elements as u64);
    let last = GROWTH.last()?;
    let (count, resize) = GROWTH.iter().find(|(count, _)| *count >= wanted).unwrap_or(last);
    let bucket_count = usize::try_from(*count).ok().filter(|count| *count > bucket_count)?;
    Some(Growth { bucket_count, next_resize: usize::try_from(*resize).unwrap_or(usize::MAX) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    #[test]
    fn agrees_with_the_real_library() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/libstdcxx-ref/bucket_growth.tsv");
        let table = std::fs::read_to_string(path).unwrap();
        let mut rows = table.lines().map(|line| {
            let numbers: Vec<usize> = line.split('\t').map(|n| n.parse().unwrap()).collect();
            let [elements, buckets] = numbers[..] else { panic!("two columns: {line:?}") };
            (elements, buckets)
        });
        assert_eq!(rows.next(), Some((0, 1)));
        let (mut buckets, mut resize, mut steps) = (1, 0, 0);
        let mut expected = rows.next();
        for elements in 1..=3_000_000 {
            if let Some(step) = growth(buckets, resize, elements) {
                (buckets, resize) = (step.bucket_count, step.next_resize);
                assert_eq!(Some((elements, buckets)), expected);
                expected = rows.next();
                steps += 1;
            }
        }
        assert_eq!((expected, steps), (None, 19));
    }

    #[test]
    #[cfg(target_pointer_width = "64")]
    fn goes_through_the_whole_sequence_and_ends() {
        let (mut buckets, mut resize, mut steps) = (1, 0, 0);
        while let Some(step) = growth(buckets, resize, resize.saturating_add(1)) {
            assert_eq!((step.bucket_count as u64, step.next_resize as u64), GROWTH[steps]);
            (buckets, resize) = (step.bucket_count, step.next_resize);
            steps += 1;
        }
        assert_eq!((steps, resize), (GROWTH.len(), usize::MAX));
        assert_eq!(growth(buckets, 0, usize::MAX), None, "the last count stays");
    }

    #[test]
    fn returns_to_the_sequence_from_other_counts() {
        assert_eq!(growth(0, 0, 1), Some(Growth { bucket_count: 13, next_resize: 13 }));
        assert_eq!(growth(97, 97, 98), Some(Growth { bucket_count: 257, next_resize: 257 }));
        assert_eq!(growth(1, 0, 100), Some(Growth { bucket_count: 127, next_resize: 127 }));
    }
}
