//! The operations on elements by value, written once for both kinds of vector.
//!
//! Plain (`Copy`) elements go in and out by value and are never lent, so changing one cannot disturb a reference.

/// Gives a vector type its operations on `Copy` elements. The type provides `len`, `base`, `set_len`, `reserve_as_cpp`
/// and `room`: `base` points at `capacity` slots of which the first `len` hold elements.
macro_rules! value_operations {
    ($name:ident) => {
        impl<T: Copy> $name<T> {
            /// The element at `index`; `None` past the end.
            pub fn get(&self, index: usize) -> Option<T> {
                // SAFETY:
                // - the slot is one of the `len` that hold an element
                (index < self.len()).then(|| unsafe { self.base().add(index).read() })
            }

            /// Replaces the element at `index`; false, and no change, past the end.
            pub(crate) fn set(&self, index: usize, value: T) -> bool {
                if index >= self.len() {
                    return false;
                }
                // SAFETY:
                // - the slot is one of the `len` that hold an element, and nobody holds a reference to a `Copy` element
                unsafe { self.base().add(index).write(value) };
                true
            }

            /// Appends an element and tells its index.
            ///
            /// # Errors
            ///
            /// `OutOfMemory` if the buffer must grow and cannot; the vector is then as it was.
            pub(crate) fn push(&self, arena: &Arena, value: T) -> Result<usize> {
                let len = self.len();
                self.insert(arena, len, value)?;
                Ok(len)
            }

            /// Takes the last element.
            pub(crate) fn pop(&self) -> Option<T> {
                self.len().checked_sub(1).and_then(|last| self.remove(last))
            }

            /// Puts an element before the one at `index`, or at the end if `index` is the length.
            ///
            /// # Errors
            ///
            /// `BadValue` if `index` is past the end, `OutOfMemory` if the buffer must grow and cannot; the vector is then
            /// as it was.
            pub(crate) fn insert(&self, arena: &Arena, index: usize, value: T) -> Result<()> {
                let len = self.len();
                let Some(behind) = len.checked_sub(index) else {
                    bail!(BadValue, "cannot insert at {index} into a vector of {len} elements");
                };
                self.room(arena, 1)?;
                // SAFETY:
                // - there is room for `len + 1` elements, and `index + behind` is `len`
                // - nobody holds a reference to a `Copy` element
                unsafe {
                    let slot = self.base().add(index);
                    slot.copy_to(slot.add(1), behind);
                    slot.write(value);
                }
                self.set_len(len + 1);
                Ok(())
            }

            /// Takes the element at `index` and closes the gap; `None` past the end.
            pub(crate) fn remove(&self, index: usize) -> Option<T> {
                let value = self.get(index)?;
                let last = self.len() - 1;
                // SAFETY:
                // - `index` is at most `last`; both slots hold elements, and so do all between
                // - nobody holds a reference to a `Copy` element
                unsafe {
                    let slot = self.base().add(index);
                    slot.copy_from(slot.add(1), last - index);
                }
                self.set_len(last);
                Some(value)
            }

            /// Takes the element at `index` and puts the last one in its place; `None` past the end.
            pub(crate) fn swap_remove(&self, index: usize) -> Option<T> {
                let value = self.get(index)?;
                if let Some(last) = self.pop() {
                    // False if the element was the last one itself: then there is no place to fill.
                    self.set(index, last);
                }
                Some(value)
            }

            /// Replaces all elements.
            ///
            /// # Errors
            ///
            /// `OutOfMemory` if the buffer must grow and cannot; the vector is then as it was.
            pub(crate) fn assign(&self, arena: &Arena, values: &[T]) -> Result<()> {
                self.reserve(arena, values.len())?;
                // SAFETY:
                // - there is room for that many elements
                // - nobody holds a reference to a `Copy` element, so `values` lies elsewhere
                unsafe { self.base().copy_from_nonoverlapping(values.as_ptr(), values.len()) };
                self.set_len(values.len());
                Ok(())
            }

            /// Makes room for `capacity` elements in all.
            ///
            /// # Errors
            ///
            /// `OutOfMemory` if the buffer must grow and cannot; the vector is then as it was.
            pub(crate) fn reserve(&self, arena: &Arena, capacity: usize) -> Result<()> {
                self.reserve_as_cpp(arena, capacity)
            }

            /// The elements by value. The iterator goes by index: it sees changes made meanwhile and ends with the vector.
            pub fn iter(&self) -> impl Iterator<Item = T> {
                (0..).map_while(|index| self.get(index))
            }
        }
    };
}
pub(super) use value_operations;
