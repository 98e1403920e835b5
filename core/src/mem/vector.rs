//! `std::vector`: operand lists, expressions and loop nests grow in place where C++ code iterates over them.
#![allow(unsafe_code)]

use super::arena::Arena;
use super::values::value_operations;
use super::zeroable::Zeroable;
use crate::error::{Error, Result, bail};
use core::alloc::Layout;
use core::cell::Cell;
use core::ptr;

/// A `std::vector<T>` of libstdc++ (`spec/layout.md` section 3.1). Zero bytes are the empty vector.
///
/// Buffers lie in the arena and are neither reused nor freed when the vector outgrows them. Elements are either plain
/// values (`T: Copy`), which go in and out by value, or objects made of cells (`T: Zeroable`), which are lent by reference;
/// no type is both.
#[repr(C)]
pub struct StdVector<T> {
    pub(super) begin: Cell<*mut T>,
    pub(super) end: Cell<*mut T>,
    pub(super) end_of_storage: Cell<*mut T>,
}

// SAFETY:
// - null pointers are the empty vector
// - no destructor; all fields are cells
// - a moved vector refers to the same buffer, and nobody uses the old one
unsafe impl<T> Zeroable for StdVector<T> {}

impl<T> StdVector<T> {
    /// Instantiated with every vector type in use.
    const CHECK: () = {
        assert!(!core::mem::needs_drop::<T>(), "vector elements have no destructor");
        assert!(size_of::<T>() != 0, "vector elements have a size");
    };

    /// Number of elements.
    pub fn len(&self) -> usize {
        Self::distance(self.begin.get(), self.end.get())
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of elements for which there is room.
    pub fn capacity(&self) -> usize {
        Self::distance(self.begin.get(), self.end_of_storage.get())
    }

    /// Shortens the vector to `len` elements; does nothing if it is shorter.
    pub(crate) fn truncate(&self, len: usize) {
        if len < self.len() {
            self.set_len(len);
        }
    }

    /// Removes all elements; the buffer stays.
    pub(crate) fn clear(&self) {
        self.truncate(0);
    }

    /// Takes the elements of another vector of the same arena, which is empty afterwards; the own ones are dropped.
    pub(crate) fn take_over(&self, other: &Self) {
        self.begin.set(other.begin.replace(ptr::null_mut()));
        self.end.set(other.end.replace(ptr::null_mut()));
        self.end_of_storage.set(other.end_of_storage.replace(ptr::null_mut()));
    }

    /// Number of elements between two pointers of one buffer.
    fn distance(from: *mut T, to: *mut T) -> usize {
        let () = Self::CHECK;
        to.addr().wrapping_sub(from.addr()) / size_of::<T>()
    }

    /// The first slot.
    fn base(&self) -> *mut T {
        self.begin.get()
    }

    /// Sets the length, at most the capacity.
    fn set_len(&self, len: usize) {
        self.end.set(self.begin.get().wrapping_add(len));
    }

    /// Makes room for `extra` more elements; grows to the double as libstdc++ does.
    fn room(&self, arena: &Arena, extra: usize) -> Result<()> {
        let len = self.len();
        match len.checked_add(extra) {
            Some(needed) if needed <= self.capacity() => Ok(()),
            Some(_) => self.grow_to(arena, len.saturating_add(len.max(extra))),
            None => Err(Error::out_of_memory()),
        }
    }

    /// Makes room for `capacity` elements in all; exactly that many if the buffer must grow.
    fn reserve_as_cpp(&self, arena: &Arena, capacity: usize) -> Result<()> {
        if capacity <= self.capacity() { Ok(()) } else { self.grow_to(arena, capacity) }
    }

    /// Moves the elements to a new buffer with `capacity` slots, which are more than the elements.
    fn grow_to(&self, arena: &Arena, capacity: usize) -> Result<()> {
        let Ok(layout) = Layout::array::<T>(capacity) else { return Err(Error::out_of_memory()) };
        let buffer = arena.alloc_layout(layout)?.cast::<T>().as_ptr();
        let len = self.len();
        if len != 0 {
            // SAFETY:
            // - the old buffer holds `len` elements; the new one is fresh and larger
            unsafe { ptr::copy_nonoverlapping(self.begin.get(), buffer, len) };
        }
        self.begin.set(buffer);
        self.end_of_storage.set(buffer.wrapping_add(capacity));
        self.set_len(len);
        Ok(())
    }
}

value_operations!(StdVector);

/// Operations on elements made of cells. References to them stay readable for as long as the arena, but after the vector
/// grew or shifted they may refer to a former place of the element.
impl<T: Zeroable> StdVector<T> {
    /// The element at `index`; `None` past the end.
    pub fn get_ref(&self, index: usize) -> Option<&T> {
        // SAFETY:
        // - the slot is one of the `len` that hold an element, and its memory is never freed before the arena
        // - all that changes in a `Zeroable` lies in cells
        (index < self.len()).then(|| unsafe { &*self.base().add(index) })
    }

    /// Appends an element of zero bytes and lends it, at its place in the vector.
    ///
    /// # Errors
    ///
    /// `OutOfMemory` if the buffer must grow and cannot; the vector is then as it was.
    pub(crate) fn push_zeroed(&self, arena: &Arena) -> Result<&T> {
        let old = self.base();
        self.room(arena, 1)?;
        self.mend(old);
        let len = self.len();
        // SAFETY:
        // - there is room for `len + 1` elements; a `Zeroable` of zero bytes is valid
        // - references to an element that lay here before go to cells, which may change
        let element = unsafe {
            let slot = self.base().add(len);
            slot.write_bytes(0, 1);
            &*slot
        };
        self.set_len(len + 1);
        Ok(element)
    }

    /// Makes room for `capacity` elements in all.
    ///
    /// # Errors
    ///
    /// `OutOfMemory` if the buffer must grow and cannot; the vector is then as it was.
    pub(crate) fn reserve_zeroed(&self, arena: &Arena, capacity: usize) -> Result<()> {
        let old = self.base();
        self.reserve_as_cpp(arena, capacity)?;
        self.mend(old);
        Ok(())
    }

    /// Removes the element at `index` and closes the gap; false, and no change, past the end.
    pub(crate) fn remove_at(&self, index: usize) -> bool {
        let Some(last) = self.len().checked_sub(1).filter(|last| index <= *last) else { return false };
        for place in index..last {
            // SAFETY:
            // - both slots hold elements; their memory is initialised and distinct
            // - references to either go to cells, which may change
            unsafe {
                let slot = self.base().add(place);
                slot.copy_from_nonoverlapping(slot.add(1), 1);
                (*slot).relocated(slot.add(1));
            }
        }
        self.set_len(last);
        true
    }

    /// The elements. The iterator goes by index: it sees changes made meanwhile and ends with the vector.
    pub fn iter_refs(&self) -> impl Iterator<Item = &T> {
        (0..).map_while(|index| self.get_ref(index))
    }

    /// Tells all elements that they moved, if the buffer is not `old` any more.
    fn mend(&self, old: *mut T) {
        if !ptr::eq(old, self.base()) {
            for (index, element) in self.iter_refs().enumerate() {
                element.relocated(old.wrapping_add(index));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorCode;
    use crate::mem::StdString;
    use proptest::prelude::*;
    use std::string::{String, ToString};
    use std::vec::Vec;

    fn values<T: Copy>(vector: &StdVector<T>) -> Vec<T> {
        vector.iter().collect()
    }

    #[test]
    fn grows_like_the_library() {
        let arena = Arena::new();
        let vector: &StdVector<u16> = arena.alloc_zeroed().unwrap();
        assert!(vector.is_empty() && vector.capacity() == 0 && vector.begin.get().is_null());
        let capacities: Vec<usize> = (0..9)
            .map(|i| {
                assert_eq!(vector.push(&arena, i).unwrap(), usize::from(i));
                vector.capacity()
            })
            .collect();
        assert_eq!(capacities, [1, 2, 4, 4, 8, 8, 8, 8, 16]);
        vector.reserve(&arena, 17).unwrap();
        assert_eq!((vector.len(), vector.capacity()), (9, 17));
        vector.assign(&arena, &[7; 20]).unwrap();
        assert_eq!((vector.len(), vector.capacity()), (20, 20));
        vector.clear();
        assert_eq!((vector.len(), vector.capacity()), (0, 20));
    }

    #[test]
    fn iterators_bear_changes() {
        let arena = Arena::new();
        let vector: &StdVector<u32> = arena.alloc_zeroed().unwrap();
        vector.assign(&arena, &[1, 2, 3]).unwrap();
        let mut seen = Vec::new();
        for value in vector.iter() {
            seen.push(value);
            if value < 3 {
                vector.push(&arena, value + 10).unwrap();
            } else if value == 3 {
                vector.pop();
            }
        }
        assert_eq!(seen, [1, 2, 3, 11]);
    }

    #[test]
    fn is_unchanged_when_memory_is_out() {
        let arena = Arena::new();
        let vector: &StdVector<u64> = arena.alloc_zeroed().unwrap();
        for len in [0, 1, 2, 4] {
            vector.reserve(&arena, len).unwrap();
            while vector.len() < len {
                vector.push(&arena, vector.len() as u64).unwrap();
            }
            let before = (vector.begin.get(), vector.end.get(), vector.end_of_storage.get(), values(vector));
            arena.fail_after(Some(0));
            let errors = [
                vector.push(&arena, 9).map(drop),
                vector.insert(&arena, 0, 9),
                vector.assign(&arena, &[9; 5]),
                vector.reserve(&arena, 5),
                vector.reserve(&arena, usize::MAX),
            ];
            assert!(errors.iter().all(|e| e.as_ref().is_err_and(|e| e.code == ErrorCode::OutOfMemory)));
            let after = (vector.begin.get(), vector.end.get(), vector.end_of_storage.get(), values(vector));
            assert_eq!(before, after);
            arena.fail_after(None);
        }
        assert_eq!(vector.insert(&arena, 5, 0).unwrap_err().code, ErrorCode::BadValue);
    }

    #[test]
    fn elements_of_cells_keep_their_values_when_they_move() {
        let arena = Arena::new();
        let vector: &StdVector<StdString> = arena.alloc_zeroed().unwrap();
        let texts = ["a", "a text that does not fit inline", "", "b", "cc", "another text that does not fit", "d"];
        let first = vector.push_zeroed(&arena).unwrap();
        first.set(&arena, texts[0]).unwrap();
        for text in &texts[1..] {
            vector.push_zeroed(&arena).unwrap().set(&arena, text).unwrap();
        }
        assert_eq!(first.get(), "a", "a former place stays readable");
        let all = |v: &StdVector<StdString>| v.iter_refs().map(|s| s.get().to_string()).collect::<Vec<String>>();
        assert_eq!(all(vector), texts);
        // Texts of the old buffer are changed: short texts of the moved strings must lie in the new one.
        first.set(&arena, "changed").unwrap();
        assert_eq!(vector.get_ref(0).unwrap().get(), "a");
        vector.reserve_zeroed(&arena, 50).unwrap();
        assert_eq!((all(vector).as_slice(), vector.capacity()), (&texts.map(String::from)[..], 50));
        assert!(vector.remove_at(2) && vector.remove_at(0) && vector.remove_at(4) && !vector.remove_at(4));
        assert_eq!(all(vector), [texts[1], texts[3], texts[4], texts[5]]);
        vector.get_ref(3).unwrap().set(&arena, "x").unwrap();
        assert_eq!(vector.get_ref(2).unwrap().get(), "cc");
        assert!(vector.get_ref(4).is_none());
        vector.truncate(1);
        assert_eq!(vector.push_zeroed(&arena).unwrap().get(), "", "a slot used again is empty");
        vector.reserve_zeroed(&arena, vector.len()).unwrap();
        while vector.len() < vector.capacity() {
            vector.push_zeroed(&arena).unwrap();
        }
        let before = all(vector);
        arena.fail_after(Some(0));
        assert!(vector.push_zeroed(&arena).is_err() && vector.reserve_zeroed(&arena, 99).is_err());
        assert_eq!(all(vector), before);
    }

    /// One operation of the model test.
    #[derive(Clone, Debug)]
    enum Step {
        Push(u32),
        Pop,
        Set(usize, u32),
        Insert(usize, u32),
        Remove(usize),
        SwapRemove(usize),
        Truncate(usize),
        Assign(Vec<u32>),
    }

    fn step() -> impl Strategy<Value = Step> {
        let at = 0usize..12;
        prop_oneof![
            any::<u32>().prop_map(Step::Push),
            Just(Step::Pop),
            (at.clone(), any::<u32>()).prop_map(|(i, v)| Step::Set(i, v)),
            (at.clone(), any::<u32>()).prop_map(|(i, v)| Step::Insert(i, v)),
            at.clone().prop_map(Step::Remove),
            at.clone().prop_map(Step::SwapRemove),
            at.prop_map(Step::Truncate),
            prop::collection::vec(any::<u32>(), 0..10).prop_map(Step::Assign),
        ]
    }

    /// Runs the steps on `$vector` and on a `Vec`, comparing results and contents.
    macro_rules! compare {
        ($arena:expr, $vector:expr, $steps:expr) => {
            let mut model: Vec<u32> = Vec::new();
            for step in $steps {
                match step {
                    Step::Push(v) => {
                        prop_assert_eq!($vector.push($arena, v).unwrap(), model.len());
                        model.push(v);
                    }
                    Step::Pop => prop_assert_eq!($vector.pop(), model.pop()),
                    Step::Set(i, v) => {
                        prop_assert_eq!($vector.set(i, v), i < model.len());
                        if let Some(slot) = model.get_mut(i) {
                            *slot = v;
                        }
                    }
                    Step::Insert(i, v) => {
                        prop_assert_eq!($vector.insert($arena, i, v).is_ok(), i <= model.len());
                        if i <= model.len() {
                            model.insert(i, v);
                        }
                    }
                    Step::Remove(i) => {
                        prop_assert_eq!($vector.remove(i), (i < model.len()).then(|| model.remove(i)));
                    }
                    Step::SwapRemove(i) => {
                        prop_assert_eq!($vector.swap_remove(i), (i < model.len()).then(|| model.swap_remove(i)));
                    }
                    Step::Truncate(n) => {
                        $vector.truncate(n);
                        model.truncate(n);
                    }
                    Step::Assign(values) => {
                        $vector.assign($arena, &values).unwrap();
                        model = values;
                    }
                }
                prop_assert_eq!($vector.iter().collect::<Vec<u32>>(), model.clone());
                prop_assert_eq!($vector.get(model.len()), None);
                prop_assert!($vector.capacity() >= $vector.len());
            }
        };
    }

    proptest! {
        #[test]
        fn vectors_act_like_a_plain_one(steps in prop::collection::vec(step(), 0..80)) {
            let arena = Arena::new();
            let vector: &StdVector<u32> = arena.alloc_zeroed().unwrap();
            let small: &crate::mem::SmallVector<u32, 4> = arena.alloc_zeroed().unwrap();
            small.init();
            compare!(&arena, vector, steps.clone());
            compare!(&arena, small, steps);
        }
    }
}
