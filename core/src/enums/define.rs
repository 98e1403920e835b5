//! The two macros behind the generated files, so that a generated file holds rows and this file holds the methods.

/// One enum of the roster: the type, its common methods and [`super::IrEnum`].
macro_rules! ir_enum {
    ($(#[$doc:meta])* $name:ident, $id:ident { $($(#[$mdoc:meta])* $member:ident = $ordinal:literal, $text:literal;)+ }) => {
        $(#[$doc])*
        #[allow(non_camel_case_types, clippy::upper_case_acronyms, clippy::enum_variant_names)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(i32)]
        pub enum $name { $($(#[$mdoc])* $member = $ordinal,)+ }

        impl $name {
            /// The number of the enum in the roster.
            pub const ID: $crate::enums::EnumId = $crate::enums::id::$id;
            /// The row of the roster.
            pub const INFO: &'static $crate::enums::EnumInfo = &$crate::enums::ENUMS[Self::ID.index()];
            /// The published members, by rising ordinal. (Not `ALL`: an engine is called that.)
            pub const MEMBERS: &'static [Self] = &[$(Self::$member,)+];

            /// The number in memory (`spec/enums.toml`, `ordinal`).
            #[must_use]
            pub const fn ordinal(self) -> i32 {
                self as i32
            }

            /// The exact spelling (`spec/enums.toml`, `name`).
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$member => $text,)+ }
            }

            /// The member with this ordinal.
            ///
            /// # Errors
            /// `UnknownEnum` if no published member has it.
            pub fn from_ordinal(ordinal: i64) -> $crate::error::Result<Self> {
                match ordinal {
                    $($ordinal => Ok(Self::$member),)+
                    _ => Err(Self::INFO.unknown_ordinal(ordinal)),
                }
            }

            /// The member with this exact spelling; case matters.
            ///
            /// # Errors
            /// `UnknownEnum` if no published member has it; the error names the nearest member.
            pub fn from_name(name: &str) -> $crate::error::Result<Self> {
                let member = Self::INFO.position(name).and_then(|i| Self::MEMBERS.get(i));
                member.copied().ok_or_else(|| Self::INFO.unknown_name(name))
            }
        }

        impl $crate::enums::IrEnum for $name {
            const ID: $crate::enums::EnumId = Self::ID;
            const INFO: &'static $crate::enums::EnumInfo = Self::INFO;
            const MEMBERS: &'static [Self] = Self::MEMBERS;
            fn ordinal(self) -> i32 { self.ordinal() }
            fn name(self) -> &'static str { self.name() }
            fn from_ordinal(ordinal: i64) -> $crate::error::Result<Self> { Self::from_ordinal(ordinal) }
            fn from_name(name: &str) -> $crate::error::Result<Self> { Self::from_name(name) }
        }

        impl core::fmt::Display for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result { f.pad(self.name()) }
        }
    };
}

/// A closed set of words of the specification.
macro_rules! category {
    ($(#[$doc:meta])* $name:ident { $($(#[$mdoc:meta])* $member:ident = $text:literal;)+ }) => {
        $(#[$doc])*
        #[allow(clippy::upper_case_acronyms)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $($(#[$mdoc])* $member,)+ }

        impl $name {
            /// All words, in the order of their first use in the specification.
            pub const ALL: &'static [Self] = &[$(Self::$member,)+];

            /// The word as the specification spells it.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$member => $text,)+ }
            }
        }

        impl core::fmt::Display for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result { f.pad(self.as_str()) }
        }
    };
}

pub(super) use {category, ir_enum};
