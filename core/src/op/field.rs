//! What one row of the table says.

pub use crate::ir::raw::slot::{MaybeType, Slot};

/// One opcode.
#[derive(Debug)]
pub struct OpcodeInfo {
    /// Name in documents.
    pub name: &'static str,
    /// Class name of the original.
    pub class_name: &'static str,
    /// Base class.
    pub base: &'static str,
    /// Editorial family.
    pub family: &'static str,
    /// Never instantiated by the original; its children carry the real opcode.
    pub is_abstract: bool,
    /// Object size in bytes, private slots included.
    pub size: u32,
    /// Object size as published, in bytes.
    pub published_size: u32,
    /// How sure the published size is: stated, derived or lower_bound.
    pub size_confidence: &'static str,
    /// Holder kind for structured control, else -1.
    pub holder_kind: i8,
    /// The opcodes whose class is this one or derives from it by `base`, one bit each.
    pub class_accepts: u128,
    /// The gate of `same_inst`: the opcodes that the other instruction may have, one bit each.
    pub same_accepts: u128,
    /// What `same_inst` of the original compares, as far as sources say.
    pub same_compares: Compares,
    /// Smallest and largest number of `ins`; `None` = unknown or unbounded.
    pub ins: (Option<u32>, Option<u32>),
    /// Smallest and largest number of `outs`.
    pub outs: (Option<u32>, Option<u32>),
    /// What the `ins` are.
    pub ins_roles: &'static [&'static str],
    /// What the `outs` are.
    pub outs_roles: &'static [&'static str],
    /// Engines that may run it; `None` = unknown.
    pub engines: Option<&'static [&'static str]>,
    /// Engine that a lowering would choose.
    pub default_engine: Option<&'static str>,
    /// Smallest architecture level.
    pub arch_min: Option<u32>,
    /// Largest architecture level.
    pub arch_max: Option<u32>,
    /// Keys of older producers: read with a warning, dropped.
    pub ignored_keys: &'static [&'static str],
    /// Payload fields, sorted by key.
    pub fields: &'static [Field],
}

impl OpcodeInfo {
    /// The field of that key; older spellings count too.
    pub fn field(&self, key: &str) -> Option<&'static Field> {
        self.fields.get(self.position(key)?)
    }

    /// The place in `fields` of the field of that key; older spellings count too.
    pub fn position(&self, key: &str) -> Option<usize> {
        match self.fields.binary_search_by(|f| f.key.cmp(key)) {
            Ok(index) => Some(index),
            Err(_) => self.fields.iter().position(|f| f.aliases.contains(&key)),
        }
    }
}

/// One payload field.
#[derive(Debug)]
pub struct Field {
    /// Key in documents.
    pub key: &'static str,
    /// Type as the specification writes it.
    pub type_text: &'static str,
    /// Offset in bytes from the object start.
    pub offset: u16,
    /// Whether the offset is published; else it is one of our own that does not collide.
    pub offset_known: bool,
    /// What lies there.
    pub slot: Slot,
    /// Whether a reader insists on it.
    pub presence: Presence,
    /// Value when the key is absent.
    pub default: Default,
    /// When a writer writes it.
    pub emit: Emit,
    /// How `same_inst` compares it.
    pub same: Same,
    /// Whether a reader keeps an array as it is (an older form of a maybe-affine field).
    pub keeps_array: bool,
    /// The other form that a reader takes for a text.
    pub older_text: OlderText,
    /// Other spellings of the key: read, never written.
    pub aliases: &'static [&'static str],
}

/// A form of an older producer in which a text may stand in a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OlderText {
    /// None: a text is a string.
    None,
    /// A boolean, which counts as `true` or `false`.
    Boolean,
    /// An array of byte values, one character each.
    Bytes,
}

/// Whether a reader insists on a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// Absent is an error.
    Required,
    /// Absent is the default.
    Optional,
    /// Written by the op, linked by the common loader; optional on read.
    WriteOnly,
    /// Sources are silent; optional on read.
    Unspecified,
}

/// Value of an absent key.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Default {
    /// No value: null reference, absent object.
    Absent,
    /// Empty text, list or object.
    Empty,
    /// A number, boolean or enum ordinal.
    Int(i64),
    /// A float.
    Float(f32),
    /// Zeros.
    Zeros,
}

/// When a field is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Emit {
    /// Always.
    Always,
    /// When it differs from the default.
    IfNotDefault,
    /// When the reference is set.
    IfNotNull,
}

/// How `same_inst` compares a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Same {
    /// By value; an affine expression is an error.
    Exact,
    /// By structure.
    Deep,
    /// Not at all.
    Ignored,
    /// Sources are silent; the recommended rule applies.
    Unknown,
}

/// What `same_inst` of the original compares behind its gate, as far as sources say (`spec/instructions.md` section 4.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compares {
    /// Nothing.
    GateOnly,
    /// The payload fields that are not marked unknown.
    Payload,
    /// Some payload fields; more is compared but not published.
    PayloadPartial,
    /// Nothing: the original asserts.
    NotImplemented,
    /// Sources are silent; the recommended rule applies.
    Unknown,
}
