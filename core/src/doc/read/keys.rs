//! The keys of one kind of object as an enum, because a key is compared for every value of a document: a `match` of texts
//! becomes a few comparisons of whole words, a search in a list does not.
#![forbid(unsafe_code)]

/// Makes an enum of keys from their texts: `of` finds the key with a text, `text` is its text, `bit` its own bit of a set.
macro_rules! keys {
    ($(#[$doc:meta])* enum $name:ident { $($key:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        enum $name { $($key,)* }

        impl $name {
            /// The key with this text.
            #[inline(always)]
            fn of(text: &str) -> Option<Self> {
                match text {
                    $($text => Some(Self::$key),)*
                    _ => None,
                }
            }

            /// The number of the key with this text.
            #[inline]
            fn number(text: &str) -> Option<u8> {
                Self::of(text).map(|key| key as u8)
            }

            /// The key with this number.
            #[inline(always)]
            fn numbered(number: u8) -> crate::Result<Self> {
                Self::ALL.get(usize::from(number)).copied().ok_or_else(crate::doc::read::layout::no_such_key)
            }

            /// The text in documents.
            const fn text(self) -> &'static str {
                match self {
                    $(Self::$key => $text,)*
                }
            }

            /// All keys, in order.
            const ALL: &[Self] = &[$(Self::$key,)*];

            /// A bit that no other key has.
            const fn bit(self) -> u32 {
                1 << self as u32
            }
        }
    };
}
pub(super) use keys;
