//! What is known of each record beside its Rust type.

use core::fmt;

/// Records within each other at most. The AST needs about 20; only an access inside an access can nest without bound.
pub(super) const MAX_DEPTH: u32 = 64;

/// A revision of the schema (`spec/klr.md` section 7). Files do not say which one they follow; four records are longer in
/// [`Schema::Head`], and a file without any of them is the same in both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Schema {
    /// The shape of 2026-02-28, which release 2.24 reads.
    V2_24,
    /// The newest public shape, of 2026-03-25.
    Head,
}

impl Schema {
    /// `2.24` or `head`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Schema::V2_24 => "2.24",
            Schema::Head => "head",
        }
    }
}

impl fmt::Display for Schema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The head of a record as `spec/klr_schema.toml` describes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// The name of the record or union.
    pub name: &'static str,
    /// The record type.
    pub tag: u8,
    /// The constructor byte.
    pub ctor: u8,
    /// The name of the constructor of a union; empty for a record.
    pub ctor_name: &'static str,
    /// The number of counted fields, in 2.24 and in head.
    pub arity: [u8; 2],
}

impl Head {
    /// The number of counted fields.
    #[must_use]
    pub const fn arity_in(&self, schema: Schema) -> u8 {
        let [old, new] = self.arity;
        match schema {
            Schema::V2_24 => old,
            Schema::Head => new,
        }
    }

    /// Whether this is a record, not a constructor of a union.
    #[must_use]
    pub const fn is_record(&self) -> bool {
        self.ctor_name.is_empty()
    }

    /// Whether this is a constructor without fields.
    #[must_use]
    pub const fn is_word(&self) -> bool {
        !self.is_record() && matches!(self.arity, [0, _])
    }

    /// Whether this is a constructor that holds one value, which has no field name.
    #[must_use]
    pub const fn holds_one(&self) -> bool {
        !self.is_record() && matches!(self.arity, [1, _])
    }
}
