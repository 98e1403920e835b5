//! Symbol tables are `std::unordered_map`s in place: C++ passes find names in them and insert through the same words, so
//! buckets, node order and growth must be what libstdc++ itself would have made of the same calls.
#![allow(unsafe_code)]

use super::arena::Arena;
use super::hash::{SEED, hash_bytes};
use super::hash_node::{Bucket, Buckets, HashLink, HashNode, give_buckets, give_node, take_buckets, take_node};
use super::policy::growth;
use super::string::Str;
use super::zeroable::Zeroable;
use crate::error::Result;
use core::cell::Cell;
use core::ptr::{self, NonNull};

/// Up to this many elements libstdc++ walks the whole chain instead of hashing (its threshold for slow hashes).
const SMALL: usize = 20;

/// A `std::unordered_map<std::string, T *>` of libstdc++ (`spec/layout.md` section 3.2) from names to objects.
///
/// The nodes form one chain from `before_begin` on; a bucket slot points at the link *before* the bucket's first node. A new
/// node goes to the front of its bucket, or of the whole chain if the bucket is empty. The order of nodes, the bucket counts
/// and the moments of growth are those of the library for the same inserts and removals; nothing shrinks.
///
/// The maximum load factor is 1.0, as the library's default.
#[repr(C)]
pub struct SymbolTable {
    pub(super) buckets: Cell<*const Bucket>,
    pub(super) bucket_count: Cell<usize>,
    pub(super) before_begin: HashLink,
    pub(super) element_count: Cell<usize>,
    pub(super) max_load_factor: Cell<f32>,
    pub(super) next_resize: Cell<usize>,
    pub(super) single_bucket: Bucket,
}

// SAFETY:
// - a table of zero bytes has no elements and no buckets; lookups do not follow `buckets` then, inserts call `init` first
// - no destructor; all fields are cells
// - tables are never elements of a vector
unsafe impl Zeroable for SymbolTable {}

/// What one insert into one table needs, taken beforehand: the insert itself cannot fail. Unused, it goes back to the arena.
pub struct Prepared<'a> {
    arena: &'a Arena,
    node: &'a HashNode,
    /// Whether `node` is in a table now.
    placed: bool,
    /// The larger bucket array, if the table had to grow when this was made.
    buckets: Option<Buckets>,
}

impl Drop for Prepared<'_> {
    fn drop(&mut self) {
        if !self.placed {
            give_node(self.arena, self.node);
        }
        if let Some(buckets) = self.buckets.take() {
            give_buckets(self.arena, buckets);
        }
    }
}

impl SymbolTable {
    /// Makes this an empty table with the one inline bucket. The table must be at its final address.
    pub(crate) fn init(&self) {
        self.single_bucket.set(ptr::null());
        self.buckets.set(&self.single_bucket);
        self.bucket_count.set(1);
        self.before_begin.next.set(ptr::null());
        self.element_count.set(0);
        self.max_load_factor.set(1.0);
        self.next_resize.set(0);
    }

    /// Number of names.
    pub fn len(&self) -> usize {
        self.element_count.get()
    }

    /// Whether there are no names.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of buckets, as `bucket_count()` in C++ tells it.
    pub fn bucket_count(&self) -> usize {
        self.bucket_count.get()
    }

    /// The object of that name.
    pub fn find(&self, key: &str) -> Option<NonNull<()>> {
        self.locate(key, None).and_then(|(_, node)| node.value.get())
    }

    /// Adds a name; `Ok(false)`, and no change, if it is taken. The bytes of a long name are shared with the string that
    /// `key` comes from, which must be of the same arena.
    ///
    /// # Errors
    ///
    /// `OutOfMemory` if there is none for the node or for a larger bucket array; the table is then as it was.
    pub(crate) fn insert(&self, arena: &Arena, key: Str<'_>, value: NonNull<()>) -> Result<bool> {
        let hash = hash_bytes(key.as_bytes(), SEED);
        if self.locate(&key, Some(hash)).is_some() {
            return Ok(false);
        }
        self.place(self.prepare(arena)?, key, hash, value);
        Ok(true)
    }

    /// As [`insert`](Self::insert), for a name that was just looked for in vain.
    pub(crate) fn insert_new(&self, arena: &Arena, key: Str<'_>, value: NonNull<()>) -> Result<()> {
        self.place(self.prepare(arena)?, key, hash_bytes(key.as_bytes(), SEED), value);
        Ok(())
    }

    /// Takes what the next insert into this table needs, so that [`insert_prepared`](Self::insert_prepared) cannot fail.
    /// The table itself does not change.
    ///
    /// # Errors
    ///
    /// `OutOfMemory` if there is none for the node or for a larger bucket array.
    pub(crate) fn prepare<'a>(&self, arena: &'a Arena) -> Result<Prepared<'a>> {
        let mut prepared = Prepared { arena, node: take_node(arena)?, placed: false, buckets: None };
        if let Some(step) = growth(self.bucket_count(), self.next_resize.get(), self.len().saturating_add(1)) {
            prepared.buckets = Some(take_buckets(arena, step.bucket_count)?);
        }
        Ok(prepared)
    }

    /// Adds a name with what [`prepare`](Self::prepare) took for this table; false, and no change, if the name is taken.
    ///
    /// If other names came between and made a growth due that was not when it was taken, the table grows with the next
    /// insert instead. Lookups are right all the same.
    pub(crate) fn insert_prepared(&self, prepared: Prepared<'_>, key: Str<'_>, value: NonNull<()>) -> bool {
        let hash = hash_bytes(key.as_bytes(), SEED);
        if self.locate(&key, Some(hash)).is_some() {
            return false;
        }
        self.place(prepared, key, hash, value);
        true
    }

    /// Removes a name and returns its object. The node goes to the arena's stock.
    pub(crate) fn remove(&self, arena: &Arena, key: &str) -> Option<NonNull<()>> {
        let (before, node) = self.locate(key, None)?;
        let index = self.index(node);
        let next_index = node.link.next().map(|next| self.index(next));
        if next_index != Some(index) {
            // The node ends its bucket: what follows begins another one, whose slot must now name the link before.
            if let Some(next_index) = next_index {
                self.slot(next_index).set(before);
            }
            if ptr::eq(self.slot(index).get(), before) {
                self.slot(index).set(ptr::null());
            }
        }
        before.next.set(node.link.next.get());
        self.element_count.set(self.len().saturating_sub(1));
        let value = node.value.get();
        give_node(arena, node);
        value
    }

    /// Names and objects in the order in which C++ iterates. Nothing observable depends on it; it serves checks.
    pub fn iter(&self) -> impl Iterator<Item = (Str<'_>, NonNull<()>)> {
        // The count bounds the walk: a node that is removed and used again meanwhile may lead elsewhere.
        core::iter::successors(self.before_begin.next(), |node| node.link.next())
            .take(self.len())
            .filter_map(|node| Some((node.key.get(), node.value.get()?)))
    }

    /// Finds a name: its node and the link before it. `hash` is the hash of the name, if it is known already.
    fn locate(&self, key: &str, hash: Option<u64>) -> Option<(&HashLink, &HashNode)> {
        if self.len() <= SMALL {
            let mut before = &self.before_begin;
            loop {
                let node = before.next()?;
                if node.key.eq_str(key) {
                    return Some((before, node));
                }
                before = &node.link;
            }
        }
        let hash = hash.unwrap_or_else(|| hash_bytes(key.as_bytes(), SEED));
        let index = self.index_of(hash);
        // SAFETY:
        // - a slot is null or points at a link of this table or of a node of the same arena
        let mut before = unsafe { self.slot(index).get().as_ref() }?;
        loop {
            let node = before.next()?;
            if node.hash.get() == hash && node.key.eq_str(key) {
                return Some((before, node));
            }
            if self.index(node) != index {
                return None;
            }
            before = &node.link;
        }
    }

    /// Adds a name that is not in the table.
    fn place(&self, mut prepared: Prepared<'_>, key: Str<'_>, hash: u64, value: NonNull<()>) {
        if self.buckets.get().is_null() {
            self.init();
        }
        if let Some(step) = growth(self.bucket_count(), self.next_resize.get(), self.len().saturating_add(1))
            && let Some(buckets) = prepared.buckets.take_if(|buckets| buckets.count >= step.bucket_count)
        {
            self.rehash(buckets, step.bucket_count);
            self.next_resize.set(step.next_resize);
        }
        let node = prepared.node;
        prepared.placed = true;
        node.key.share(key);
        node.value.set(Some(value));
        node.hash.set(hash);
        self.link(node);
        self.element_count.set(self.len().saturating_add(1));
    }

    /// Puts a node at the front of its bucket, or of the chain if the bucket is empty.
    fn link(&self, node: &HashNode) {
        let slot = self.slot(self.index(node));
        // SAFETY:
        // - a slot is null or points at a link of this table or of a node of the same arena
        let before = match unsafe { slot.get().as_ref() } {
            Some(before) => before,
            None => {
                if let Some(first) = self.before_begin.next() {
                    self.slot(self.index(first)).set(&node.link);
                }
                slot.set(&self.before_begin);
                &self.before_begin
            }
        };
        node.link.next.set(before.next.get());
        before.next.set(node);
    }

    /// Links all nodes anew, in the order of the chain, into the first `count` slots of a new bucket array.
    fn rehash(&self, buckets: Buckets, count: usize) {
        self.buckets.set(buckets.start.as_ptr());
        self.bucket_count.set(count);
        let mut rest = self.before_begin.next.replace(ptr::null());
        // SAFETY:
        // - a link is null or leads to a node of the same arena
        while let Some(node) = unsafe { rest.as_ref() } {
            rest = node.link.next.get();
            self.link(node);
        }
    }

    /// The bucket of a hash; below the bucket count.
    fn index_of(&self, hash: u64) -> usize {
        // The remainder is below a `usize`, so nothing is lost; a table without buckets has no elements to ask for.
        hash.checked_rem(self.bucket_count.get() as u64).unwrap_or(0) as usize
    }

    /// The bucket of a node.
    fn index(&self, node: &HashNode) -> usize {
        self.index_of(node.hash.get())
    }

    /// The slot of a bucket number that [`index_of`](Self::index_of) gave; the table must have buckets.
    fn slot(&self, index: usize) -> &Bucket {
        // SAFETY:
        // - a table that holds or gets a node has `bucket_count` slots, and the index is below that
        // - the slots are cells of the same arena
        unsafe { &*self.buckets.get().add(index) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorCode;
    use crate::mem::StdString;
    use proptest::prelude::*;
    use std::collections::HashMap;
    use std::format;
    use std::string::{String, ToString};
    use std::vec;
    use std::vec::Vec;

    /// The node order rule on a plain vector: a second, independent reading of the library's behaviour.
    struct Model {
        order: Vec<(String, u64)>,
        buckets: u64,
        values: HashMap<String, usize>,
    }

    impl Model {
        fn new() -> Model {
            Model { order: Vec::new(), buckets: 1, values: HashMap::new() }
        }

        fn place(&mut self, key: String, hash: u64) {
            let same = |(_, other): &(String, u64)| other % self.buckets == hash % self.buckets;
            let at = self.order.iter().position(same).unwrap_or(0);
            self.order.insert(at, (key, hash));
        }

        fn insert(&mut self, key: &str, value: usize) -> bool {
            if self.values.contains_key(key) {
                return false;
            }
            let needed = self.order.len() + 1;
            let counts = [1, 13, 29, 59, 127, 257, 541, 1109];
            let wanted = if needed == 1 { 13 } else { needed };
            let grown = counts.into_iter().find(|count| *count >= wanted).unwrap() as u64;
            if grown > self.buckets {
                self.buckets = grown;
                for (key, hash) in std::mem::take(&mut self.order) {
                    self.place(key, hash);
                }
            }
            self.place(key.to_string(), hash_bytes(key.as_bytes(), SEED));
            self.values.insert(key.to_string(), value);
            true
        }

        fn remove(&mut self, key: &str) -> Option<usize> {
            self.order.retain(|(other, _)| other != key);
            self.values.remove(key)
        }
    }

    fn pointer(value: usize) -> NonNull<()> {
        NonNull::without_provenance(core::num::NonZero::new(value + 1).unwrap())
    }

    fn number(value: NonNull<()>) -> usize {
        value.addr().get() - 1
    }

    fn table(arena: &Arena) -> &SymbolTable {
        let table: &SymbolTable = arena.alloc_zeroed().unwrap();
        table.init();
        table
    }

    fn name<'a>(arena: &'a Arena, text: &str) -> Str<'a> {
        let string: &StdString = arena.alloc_zeroed().unwrap();
        string.set(arena, text).unwrap();
        string.get()
    }

    /// The nodes in order, after checking every bucket slot against the chain.
    fn nodes(table: &SymbolTable) -> Vec<&HashNode> {
        let nodes: Vec<&HashNode> = core::iter::successors(table.before_begin.next(), |n| n.link.next()).collect();
        assert_eq!(nodes.len(), table.len());
        let mut expected = vec![ptr::null::<HashLink>(); table.bucket_count()];
        let mut before: &HashLink = &table.before_begin;
        let mut last = None;
        for node in &nodes {
            assert_eq!(node.hash.get(), hash_bytes(node.key.get().as_bytes(), SEED));
            let index = table.index(node);
            if last != Some(index) {
                assert!(expected[index].is_null(), "the nodes of a bucket lie together");
                expected[index] = before;
                last = Some(index);
            }
            before = &node.link;
        }
        let slots: Vec<*const HashLink> = (0..table.bucket_count()).map(|i| table.slot(i).get()).collect();
        assert_eq!(slots, expected);
        nodes
    }

    /// Everything that an insert may change.
    fn state(table: &SymbolTable) -> (Vec<(*const HashNode, String)>, usize, usize, *const Bucket) {
        let nodes = nodes(table).into_iter().map(|n| (ptr::from_ref(n), n.key.get().to_string())).collect();
        (nodes, table.bucket_count(), table.next_resize.get(), table.buckets.get())
    }

    #[test]
    fn begins_like_a_new_map() {
        let arena = Arena::new();
        let table = table(&arena);
        assert!(ptr::eq(table.buckets.get(), &table.single_bucket) && table.single_bucket.get().is_null());
        assert_eq!((table.bucket_count(), table.len(), table.next_resize.get()), (1, 0, 0));
        assert_eq!(table.max_load_factor.get(), 1.0);
        assert!(table.is_empty() && table.find("a").is_none() && table.remove(&arena, "a").is_none());
    }

    #[test]
    fn zero_bytes_are_an_empty_table() {
        let arena = Arena::new();
        let table: &SymbolTable = arena.alloc_zeroed().unwrap();
        assert!(table.find("a").is_none() && table.remove(&arena, "a").is_none() && table.iter().next().is_none());
        assert!(table.insert(&arena, name(&arena, "a"), pointer(1)).unwrap());
        assert_eq!((table.find("a"), table.bucket_count()), (Some(pointer(1)), 13));
        assert_eq!(table.max_load_factor.get(), 1.0);
    }

    #[test]
    fn shares_the_bytes_of_long_names() {
        let arena = Arena::new();
        let table = table(&arena);
        let key = name(&arena, "a name of more than fifteen bytes");
        assert!(table.insert(&arena, key, pointer(1)).unwrap());
        let stored = nodes(table)[0].key.get();
        assert!(ptr::eq(stored.as_str(), key.as_str()));
        assert!(!table.insert(&arena, key, pointer(2)).unwrap());
        assert_eq!(table.find(&key), Some(pointer(1)));
    }

    #[test]
    fn grows_when_the_library_grows() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/libstdcxx-ref/bucket_growth.tsv");
        let rows = std::fs::read_to_string(path).unwrap();
        let mut rows = rows.lines().map(|line| {
            let (elements, buckets) = line.split_once('\t').unwrap();
            (elements.parse::<usize>().unwrap(), buckets.parse::<usize>().unwrap())
        });
        let arena = Arena::new();
        let table = table(&arena);
        let mut expected = rows.next();
        let mut buckets = 0;
        for elements in 0..=100_000 {
            if elements > 0 {
                assert!(table.insert(&arena, name(&arena, &format!("I-{elements}")), pointer(elements)).unwrap());
            }
            if table.bucket_count() != buckets {
                buckets = table.bucket_count();
                assert_eq!(Some((elements, buckets)), expected);
                assert_eq!(table.next_resize.get(), if elements == 0 { 0 } else { buckets });
                expected = rows.next();
            }
        }
        assert_eq!(expected, Some((172_934, 351_061)));
        assert_eq!(nodes(table).len(), 100_000);
        for i in 1..=100_000 {
            assert_eq!(table.find(&format!("I-{i}")), Some(pointer(i)));
        }
        assert!(table.find("I-0").is_none());
    }

    #[test]
    fn is_unchanged_when_memory_is_out() {
        let arena = Arena::new();
        let table = table(&arena);
        let mut failures = 0;
        for i in 0..70 {
            let key = name(&arena, &format!("name{:>1$}", i, i % 30));
            for allowed in 0.. {
                let before = state(table);
                let spare = before.0.len();
                arena.fail_after(Some(allowed));
                let result = table.insert(&arena, key, pointer(i));
                arena.fail_after(None);
                match result {
                    Ok(new) => {
                        assert!(new && table.len() == spare + 1);
                        break;
                    }
                    Err(error) => {
                        assert_eq!(error.code, ErrorCode::OutOfMemory);
                        assert_eq!(state(table), before);
                        failures += 1;
                    }
                }
            }
        }
        // Each insert needs a node, the 1st, 14th, 30th and 60th also buckets. A node taken by a failed insert is kept for
        // the next try, which then fails at the buckets before it succeeds.
        assert_eq!(failures, 70 + 4);
    }

    #[test]
    fn prepared_inserts_need_no_memory() {
        let arena = Arena::new();
        let table = table(&arena);
        for i in 0..30 {
            let key = name(&arena, &format!("{i}"));
            let before = state(table);
            let prepared = table.prepare(&arena).unwrap();
            assert_eq!(state(table), before);
            arena.fail_after(Some(0));
            assert!(table.insert_prepared(prepared, key, pointer(i)));
            arena.fail_after(None);
            assert_eq!(table.find(&key), Some(pointer(i)));
        }
        assert_eq!(table.bucket_count(), 59);
        // What is not used serves the next one.
        let used = arena.used_bytes();
        drop(table.prepare(&arena).unwrap());
        assert_eq!(arena.used_bytes(), used + 56);
        let taken = name(&arena, "3");
        let used = arena.used_bytes();
        assert!(!table.insert_prepared(table.prepare(&arena).unwrap(), taken, pointer(99)));
        assert_eq!(table.find("3"), Some(pointer(3)));
        assert!(table.insert(&arena, Str::EMPTY, pointer(30)).unwrap());
        assert_eq!(arena.used_bytes(), used);
    }

    #[test]
    fn a_growth_that_was_not_prepared_comes_later() {
        let arena = Arena::new();
        let table = table(&arena);
        for i in 0..12 {
            assert!(table.insert(&arena, name(&arena, &format!("{i}")), pointer(i)).unwrap());
        }
        let prepared = table.prepare(&arena).unwrap();
        assert!(table.insert(&arena, name(&arena, "12"), pointer(12)).unwrap());
        assert!(table.insert_prepared(prepared, name(&arena, "13"), pointer(13)));
        assert_eq!((table.len(), table.bucket_count(), nodes(table).len()), (14, 13, 14));
        assert!(table.insert(&arena, name(&arena, "14"), pointer(14)).unwrap());
        assert_eq!((table.len(), table.bucket_count(), nodes(table).len()), (15, 29, 15));
    }

    #[test]
    fn removed_nodes_serve_new_names() {
        let arena = Arena::new();
        let (a, b) = (table(&arena), table(&arena));
        let long = name(&arena, "a name of more than fifteen bytes");
        let short = name(&arena, "short");
        a.insert(&arena, long, pointer(1)).unwrap();
        b.insert(&arena, short, pointer(2)).unwrap();
        let used = arena.used_bytes();
        for _ in 0..1000 {
            assert_eq!(a.remove(&arena, &long), Some(pointer(1)));
            assert_eq!(b.remove(&arena, &short), Some(pointer(2)));
            assert!(b.insert(&arena, long, pointer(1)).unwrap() && a.insert(&arena, short, pointer(2)).unwrap());
            assert_eq!((b.remove(&arena, &long), a.remove(&arena, &short)), (Some(pointer(1)), Some(pointer(2))));
            assert!(a.insert(&arena, long, pointer(1)).unwrap() && b.insert(&arena, short, pointer(2)).unwrap());
        }
        assert_eq!(arena.used_bytes(), used);
    }

    #[test]
    fn walks_end_when_nodes_are_used_again() {
        let arena = Arena::new();
        let (a, b) = (table(&arena), table(&arena));
        for i in 0..10 {
            a.insert(&arena, name(&arena, &format!("{i}")), pointer(i)).unwrap();
        }
        let mut seen = 0;
        for (key, value) in a.iter() {
            assert_eq!(a.remove(&arena, &key), Some(value));
            b.insert(&arena, key, value).unwrap();
            seen += 1;
            if seen == 5 {
                break;
            }
        }
        assert_eq!(a.len() + b.len(), 10);
        nodes(a);
        nodes(b);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        #[test]
        fn keeps_the_order_of_the_library(
            universe in 5usize..400,
            steps in prop::collection::vec((0u8..4, any::<prop::sample::Index>()), 0..900),
        ) {
            let arena = Arena::new();
            let table = table(&arena);
            let mut model = Model::new();
            let names: Vec<Str<'_>> =
                (0..universe).map(|i| name(&arena, &format!("n{}{i}", "_".repeat(i % 25)))).collect();
            for (step, (action, which)) in steps.into_iter().enumerate() {
                let key = names[which.index(universe)];
                match action {
                    0 | 1 => prop_assert_eq!(
                        table.insert(&arena, key, pointer(step)).unwrap(),
                        model.insert(&key, step)
                    ),
                    2 => prop_assert_eq!(table.remove(&arena, &key).map(number), model.remove(&key)),
                    _ => prop_assert_eq!(table.find(&key).map(number), model.values.get(key.as_str()).copied()),
                }
                prop_assert_eq!(table.bucket_count() as u64, model.buckets);
                prop_assert_eq!(table.len(), model.order.len());
                if step % 16 == 0 {
                    nodes(table);
                }
            }
            nodes(table);
            let order: Vec<(String, usize)> = table.iter().map(|(k, v)| (k.to_string(), number(v))).collect();
            let expected: Vec<(String, usize)> =
                model.order.iter().map(|(key, _)| (key.clone(), model.values[key])).collect();
            prop_assert_eq!(order, expected);
        }
    }
}
