//! Objects as C++ sees them: bytes at the offsets of `spec/layout.toml`, read past all types of the library.
#![allow(dead_code, reason = "each test file uses a part")]

use std::collections::BTreeMap;
use std::sync::LazyLock;

/// One row of the table: offset, size, type, initial value.
#[derive(Clone, Debug)]
pub struct Row {
    pub offset: usize,
    pub size: usize,
    pub kind: String,
    pub initial: Option<String>,
    pub confidence: String,
}

/// Structs by name: fields by name.
pub static LAYOUT: LazyLock<BTreeMap<String, BTreeMap<String, Row>>> = LazyLock::new(|| {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../spec/layout.toml");
    let table: toml::Table = std::fs::read_to_string(path).unwrap().parse().unwrap();
    let text = |t: &toml::Value, key: &str| t.get(key).and_then(|v| v.as_str()).map(str::to_string);
    let number = |t: &toml::Value, key: &str| t.get(key).and_then(|v| v.as_integer()).unwrap_or(0) as usize;
    let structs = table["struct"].as_array().unwrap();
    structs
        .iter()
        .map(|s| {
            let fields = s.get("field").and_then(|f| f.as_array()).into_iter().flatten();
            let fields = fields.map(|f| {
                let row = Row {
                    offset: number(f, "offset"),
                    size: number(f, "size"),
                    kind: text(f, "type").unwrap(),
                    initial: text(f, "default"),
                    confidence: text(f, "confidence").unwrap(),
                };
                (text(f, "name").unwrap(), row)
            });
            (text(s, "name").unwrap(), fields.collect())
        })
        .collect()
});

/// The offset of a field.
pub fn at(owner: &str, field: &str) -> usize {
    LAYOUT.get(owner).and_then(|s| s.get(field)).unwrap_or_else(|| panic!("layout.toml: no {owner}::{field}")).offset
}

/// An address inside a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Raw(pub usize);

impl Raw {
    /// The address of an object. Its whole memory may be read: the arena exposes what it hands out.
    pub fn of<T: ?Sized>(object: &T) -> Raw {
        Raw(std::ptr::from_ref(object).cast::<u8>().expose_provenance())
    }

    pub fn plus(self, offset: usize) -> Raw {
        Raw(self.0 + offset)
    }

    /// A field of the struct that begins here.
    pub fn field(self, owner: &str, field: &str) -> Raw {
        self.plus(at(owner, field))
    }

    pub fn is_null(self) -> bool {
        self.0 == 0
    }

    fn read<T: Copy>(self) -> T {
        assert!(self.0 != 0, "null is followed");
        // SAFETY:
        // - the tests only follow pointers of a live module, at offsets inside the object that they lead to;
        // - the types read are integers, for which all bytes are valid.
        unsafe { std::ptr::with_exposed_provenance::<T>(self.0).read_unaligned() }
    }

    pub fn u8(self) -> u8 {
        self.read()
    }
    pub fn i32(self) -> i32 {
        self.read()
    }
    pub fn u32(self) -> u32 {
        self.read()
    }
    pub fn u64(self) -> u64 {
        self.read()
    }
    pub fn i64(self) -> i64 {
        self.read()
    }
    pub fn f32(self) -> f32 {
        self.read()
    }
    /// Where the pointer stored here leads.
    pub fn deref(self) -> Raw {
        Raw(self.read())
    }

    pub fn bytes(self, len: usize) -> Vec<u8> {
        (0..len).map(|i| self.plus(i).u8()).collect()
    }

    /// Overwrites a number, as foreign code would.
    pub fn write_u32(self, value: u32) {
        // SAFETY:
        // - the tests only write to members that are cells of a live module;
        // - the arena exposes what it hands out, for writing too.
        unsafe { std::ptr::with_exposed_provenance_mut::<u32>(self.0).write(value) }
    }

    /// The text of a `std::string`, after checking where it lies.
    pub fn string(self) -> String {
        let data = self.field("StdString", "data").deref();
        let size = self.field("StdString", "size").u64() as usize;
        let own = self.field("StdString", "sso");
        assert_eq!(data == own, size <= 15, "a short text lies inside, a long one outside");
        if size > 15 {
            assert!(own.u64() as usize >= size, "the capacity of a long text");
        }
        assert_eq!(data.plus(size).u8(), 0, "a NUL follows");
        String::from_utf8(data.bytes(size)).unwrap()
    }

    /// The nodes of the list of this sentinel, checked in both directions.
    pub fn list(self) -> Vec<Raw> {
        let (prev, next) = (at("IlistNode", "prev"), at("IlistNode", "next"));
        let mut nodes = vec![];
        let mut node = self.plus(next).deref();
        let mut before = self;
        while node != self {
            assert_eq!(node.plus(prev).deref(), before);
            nodes.push(node);
            before = node;
            node = node.plus(next).deref();
        }
        assert_eq!(self.plus(prev).deref(), before, "the sentinel's prev is the tail");
        nodes
    }

    /// Begin, length in elements, capacity in elements of a `std::vector`.
    pub fn vector(self, stride: usize) -> (Raw, usize, usize) {
        let begin = self.field("StdVector", "begin").deref();
        let length = self.field("StdVector", "end").deref().0 - begin.0;
        let capacity = self.field("StdVector", "end_of_storage").deref().0 - begin.0;
        assert_eq!((length % stride, capacity % stride), (0, 0));
        (begin, length / stride, capacity / stride)
    }
}
