//! The macros behind the generated rows of [`super::ast`]: the rows say what a record is, this file what is done with it.
//!
//! The mode of a field says where it stands: `plain`, `head_option` and `head_only` (in schema head only; as an option there,
//! or required), `proofs1` and `proofs2` (so many proof fields follow it).

/// A record: the type, how it is read, and the walk over it.
macro_rules! record {
    ($(#[$doc:meta])* $name:ident <$l:lifetime> $(via $hook:ident)? $(shared $shared:ident)?, $($rest:tt)*) => {
        $crate::klr::define::record! { @ [$(#[$doc])*] $name [<$l>] $l [$($hook)?] [$($shared)?] $($rest)* }
    };
    ($(#[$doc:meta])* $name:ident $(via $hook:ident)? $(shared $shared:ident)?, $($rest:tt)*) => {
        $crate::klr::define::record! { @ [$(#[$doc])*] $name [] 'de [$($hook)?] [$($shared)?] $($rest)* }
    };
    (@ [$($doc:tt)*] $name:ident [$($life:tt)*] $de:lifetime [$($hook:ident)?] [$($shared:ident)?]
        $tag:literal, $ctor:literal, $ctor_name:literal, [$old:literal, $new:literal]
        { $($(#[$fdoc:meta])* $field:ident : $ty:ty = $mode:ident $wire:literal;)+ }
    ) => {
        $($doc)*
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct $name $($life)* { $($(#[$fdoc])* pub $field: $ty,)+ }

        impl $($life)* $name $($life)* {
            /// The row of the schema.
            pub const HEAD: &'static $crate::klr::Head = &$crate::klr::Head {
                name: stringify!($name), tag: $tag, ctor: $ctor, ctor_name: $ctor_name, arity: [$old, $new],
            };
        }

        impl<$de> $crate::klr::decode::Decode<$de> for $name $($life)* {
            const MIN_BYTES: usize = 4 $(+ $crate::klr::define::min_bytes!($mode, $ty))+;

            fn decode(
                d: &mut $crate::klr::decode::Decoder<$de>,
            ) -> $crate::klr::decode::Read<Self> {
                let _head = d.begin(Self::HEAD)?;
                let value = $name { $($field: $crate::klr::define::read!($mode, d, _head, $wire),)+ };
                d.end();
                Ok(value)
            }

            $(fn decode_shared(
                d: &mut $crate::klr::decode::Decoder<$de>,
            ) -> $crate::klr::decode::Read<&$de Self> {
                d.$shared()
            })?
        }

        impl $($life)* $crate::klr::visit::Walk for $name $($life)* {
            $(fn walk<V: $crate::klr::visit::Visitor + ?Sized>(&self, visitor: &mut V) -> $crate::Result<()> {
                visitor.$hook(self)
            })?

            fn walk_parts<V: $crate::klr::visit::Visitor + ?Sized>(&self, visitor: &mut V) -> $crate::Result<()> {
                visitor.begin(Self::HEAD)?;
                $($crate::klr::define::walk!($mode, visitor, &self.$field, $wire);)+
                visitor.end(Self::HEAD)
            }
        }
    };
}

/// The fewest bytes a field takes, in the schema that has fewest.
macro_rules! min_bytes {
    (head_option, $ty:ty) => {
        0
    };
    (head_only, $ty:ty) => {
        0
    };
    ($mode:ident, $ty:ty) => {
        <$ty as $crate::klr::decode::Decode<'_>>::MIN_BYTES
    };
}

/// Reads one field.
macro_rules! read {
    (plain, $d:ident, $head:ident, $wire:literal) => {
        $d.field($wire)?
    };
    (proofs1, $d:ident, $head:ident, $wire:literal) => {{
        let value = $d.field($wire)?;
        $d.proofs(1)?;
        value
    }};
    (proofs2, $d:ident, $head:ident, $wire:literal) => {{
        let value = $d.field($wire)?;
        $d.proofs(2)?;
        value
    }};
    (head_option, $d:ident, $head:ident, $wire:literal) => {
        if $head { $d.field($wire)? } else { None }
    };
    (head_only, $d:ident, $head:ident, $wire:literal) => {
        if $head { Some($d.field($wire)?) } else { None }
    };
}

/// Shows one field.
macro_rules! walk {
    (plain, $v:ident, $value:expr, $wire:literal) => {
        $v.field($wire)?;
        $crate::klr::visit::Walk::walk($value, $v)?;
        $v.end_field();
    };
    (proofs1, $v:ident, $value:expr, $wire:literal) => {
        $crate::klr::define::walk!(plain, $v, $value, $wire);
        $v.proofs(1)?;
    };
    (proofs2, $v:ident, $value:expr, $wire:literal) => {
        $crate::klr::define::walk!(plain, $v, $value, $wire);
        $v.proofs(2)?;
    };
    (head_option, $v:ident, $value:expr, $wire:literal) => {
        if $v.wants_head_field($wire, Option::is_some($value))? {
            $crate::klr::define::walk!(plain, $v, $value, $wire);
        }
    };
    (head_only, $v:ident, $value:expr, $wire:literal) => {
        if $v.wants_head_field($wire, Option::is_some($value))? {
            match $value {
                Some(value) => {
                    $crate::klr::define::walk!(plain, $v, value, $wire);
                }
                None => $v.missing($wire)?,
            }
        }
    };
}

/// A union: the type, its constructors, how it is read, and the walk over it.
macro_rules! union {
    ($(#[$doc:meta])* $name:ident <$l:lifetime> $(via $hook:ident)?, $($rest:tt)*) => {
        $crate::klr::define::union! { @ [$(#[$doc])*] $name [<$l>] $l [$($hook)?] $($rest)* }
    };
    ($(#[$doc:meta])* $name:ident $(via $hook:ident)?, $($rest:tt)*) => {
        $crate::klr::define::union! { @ [$(#[$doc])*] $name [] 'de [$($hook)?] $($rest)* }
    };
    (@ [$($doc:tt)*] $name:ident [$($life:tt)*] $de:lifetime [$($hook:ident)?] $tag:literal
        { $($(#[$vdoc:meta])* $variant:ident $(($ty:ty))? = $wire:literal, $text:literal;)+ }
    ) => {
        $($doc)*
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub enum $name $($life)* { $($(#[$vdoc])* $variant $(($ty))?,)+ }

        impl $($life)* $name $($life)* {
            /// The record type.
            pub const TAG: u8 = $tag;

            /// The constructor byte.
            #[must_use]
            pub const fn ctor(&self) -> u8 {
                match self { $(Self::$variant { .. } => $wire,)+ }
            }

            /// The number in memory, as the crosswalks and `spec/lowering.toml` count: constructor byte + 1.
            #[must_use]
            pub const fn ordinal(&self) -> i32 {
                match self { $(Self::$variant { .. } => $wire + 1,)+ }
            }

            /// The name of the constructor in the schema.
            #[must_use]
            pub const fn name(&self) -> &'static str {
                match self { $(Self::$variant { .. } => $text,)+ }
            }
        }

        impl<$de> $crate::klr::decode::Decode<$de> for $name $($life)* {
            const MIN_BYTES: usize = 4 + $crate::klr::decode::least(&[$($crate::klr::define::held_bytes!($($ty)?),)+]);

            fn decode(
                d: &mut $crate::klr::decode::Decoder<$de>,
            ) -> $crate::klr::decode::Read<Self> {
                let record = d.begin_union(stringify!($name), $tag)?;
                let value = match record.ctor {
                    $($wire => {
                        d.counts(&record, $text, $crate::klr::define::count!($($ty)?))?;
                        Self::$variant $((d.field::<$ty>($text)?))?
                    })+
                    _ => return Err(d.unknown_ctor(&record, stringify!($name), &[$(($wire, $text),)+])),
                };
                d.end();
                Ok(value)
            }
        }

        impl $($life)* $crate::klr::visit::Walk for $name $($life)* {
            $(fn walk<V: $crate::klr::visit::Visitor + ?Sized>(&self, visitor: &mut V) -> $crate::Result<()> {
                visitor.$hook(self)
            })?

            fn walk_parts<V: $crate::klr::visit::Visitor + ?Sized>(&self, visitor: &mut V) -> $crate::Result<()> {
                match self {
                    $($crate::klr::define::pattern!(value, $variant $(, $ty)?) => {
                        const HEAD: &$crate::klr::Head = &$crate::klr::Head {
                            name: stringify!($name), tag: $tag, ctor: $wire, ctor_name: $text,
                            arity: [$crate::klr::define::count!($($ty)?); 2],
                        };
                        visitor.begin(HEAD)?;
                        $(<$ty as $crate::klr::visit::Walk>::walk(value, visitor)?;)?
                        visitor.end(HEAD)
                    })+
                }
            }
        }
    };
}

/// The pattern of a variant, with or without a value.
macro_rules! pattern {
    ($value:ident, $variant:ident) => {
        Self::$variant
    };
    ($value:ident, $variant:ident, $ty:ty) => {
        Self::$variant($value)
    };
}

/// How many fields a constructor has: none or one.
macro_rules! count {
    () => {
        0
    };
    ($ty:ty) => {
        1
    };
}

/// The fewest bytes of what a constructor holds.
macro_rules! held_bytes {
    () => {
        0
    };
    ($ty:ty) => {
        <$ty as $crate::klr::decode::Decode<'_>>::MIN_BYTES
    };
}

/// An enum of [`crate::enums::klr`] and its record type.
macro_rules! member {
    ($name:ident, $tag:literal) => {
        impl<'de> $crate::klr::decode::Decode<'de> for $name {
            const MIN_BYTES: usize = 4;

            fn decode(d: &mut $crate::klr::decode::Decoder<'de>) -> $crate::klr::decode::Read<Self> {
                d.member(stringify!($name), $tag, Self::MEMBERS)
            }
        }

        impl $crate::klr::visit::Walk for $name {
            fn walk_parts<V: $crate::klr::visit::Visitor + ?Sized>(&self, visitor: &mut V) -> $crate::Result<()> {
                // Ordinals count from 1, and no enum has 256 members.
                visitor.member($tag, (self.ordinal() - 1) as u8, self.name())
            }
        }
    };
}

pub(super) use {count, held_bytes, member, min_bytes, pattern, read, record, union, walk};
