//! The enums as data, because tools, the document reader and the C API get an enum's name or id at run time.

use super::suggest::{Allowed, Shown};
use super::{Confidence, ENUMS, JsonForm, Shape, Space, WireForm};
use crate::error::{Error, ErrorCode, Result, bail};
use core::fmt;

/// The number of an enum: its index in [`ENUMS`]. It belongs to this version of the library; do not store it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EnumId(u16);

impl EnumId {
    /// The id with this number.
    ///
    /// # Errors
    /// `NotFound` if there is no such enum.
    pub fn new(number: u16) -> Result<Self> {
        if usize::from(number) >= ENUMS.len() {
            let error = Error::new(ErrorCode::NotFound, "no enum has this id");
            return Err(error.expected_found(format_args!("0..={}", ENUMS.len().saturating_sub(1)), number));
        }
        Ok(EnumId(number))
    }

    /// For the generated constants, whose numbers are indices of the roster.
    pub(super) const fn generated(number: u16) -> Self {
        EnumId(number)
    }

    /// The number.
    #[must_use]
    pub const fn number(self) -> u16 {
        self.0
    }

    /// The number as an index of [`ENUMS`].
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The row of the roster.
    #[must_use]
    pub fn info(self) -> &'static EnumInfo {
        // Ids are made by `new` and `generated` only, so the first branch is always taken.
        ENUMS.get(self.index()).unwrap_or(&ENUMS[0])
    }
}

/// A further property of a member: a key of `spec/enums.toml` beside `ordinal` and `name`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attribute {
    /// The key, e.g. `pwp_id`.
    pub key: &'static str,
    /// The value.
    pub value: AttributeValue,
}

/// The value of an [`Attribute`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttributeValue {
    /// A yes or no.
    Flag(bool),
    /// A number.
    Number(i64),
    /// A word or text.
    Text(&'static str),
    /// Several numbers.
    List(&'static [i64]),
}

impl fmt::Display for AttributeValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AttributeValue::Flag(v) => write!(f, "{v}"),
            AttributeValue::Number(v) => write!(f, "{v}"),
            AttributeValue::Text(v) => f.write_str(v),
            AttributeValue::List(v) => write!(f, "{v:?}"),
        }
    }
}

/// A member of an enum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemberInfo {
    /// The exact spelling.
    pub name: &'static str,
    /// The number in memory.
    pub ordinal: i32,
    /// What stands in a document for the member; `None` if it is a number or is not written.
    pub json: Option<&'static str>,
    /// The silicon byte on CoreV2, CoreV3 and CoreV4; use [`EnumInfo::wire`].
    pub(super) wire: [Option<u8>; 3],
    /// The further properties, sorted by key.
    pub attributes: &'static [Attribute],
}

impl MemberInfo {
    /// The further property with this key.
    #[must_use]
    pub fn attribute(&self, key: &str) -> Option<AttributeValue> {
        self.attributes.iter().find(|a| a.key == key).map(|a| a.value)
    }
}

/// An enum. The source of every field is the `[[enum]]` entry of `spec/enums.toml`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EnumInfo {
    /// Its id.
    pub id: EnumId,
    /// Whose numbering it is.
    pub space: Space,
    /// The name, unique within the space.
    pub name: &'static str,
    /// What the enum says, in one line.
    pub meaning: &'static str,
    /// The published members, by rising ordinal.
    pub members: &'static [MemberInfo],
    /// The indices of `members`, sorted by the bytes of the name.
    pub(super) by_name: &'static [u16],
    /// How many members there are, published or not.
    pub count: u32,
    /// Whether the ordinals follow each other.
    pub shape: Shape,
    /// The ordinal an object starts with: the constructor's, else 0 if there is such a member.
    pub default: Option<i32>,
    /// How documents write it.
    pub json: JsonForm,
    /// Whether a reader also takes the integer value; it is never written.
    pub json_read_number: bool,
    /// The keys of documents that carry it.
    pub json_keys: &'static [&'static str],
    /// False if member names are missing from the roster: a reader keeps an unknown name as text.
    pub roster_complete: bool,
    /// How it reaches the silicon.
    pub wire_form: WireForm,
    /// Whether members have a silicon byte, see [`EnumInfo::wire`].
    pub has_wire: bool,
    /// The error text for an unknown ordinal; `<n>` stands for the number.
    pub unknown_message: &'static str,
    /// The error text for an unknown name; `<text>` stands for the name.
    pub unknown_name_message: &'static str,
    /// What the original does with an unknown ordinal, e.g. `fatal`.
    pub original_reaction: &'static str,
    /// What the specification records of the original's text; may be a remark instead of a text.
    pub original_message: &'static str,
    /// How sure the roster is.
    pub confidence: Confidence,
    /// What else the specification says.
    pub notes: &'static [&'static str],
}

impl EnumInfo {
    /// The member with this exact spelling; case matters.
    ///
    /// # Errors
    /// `UnknownEnum`; the error lists the members and names the nearest one.
    pub fn by_name(&self, name: &str) -> Result<&'static MemberInfo> {
        self.position(name).and_then(|i| self.members.get(i)).ok_or_else(|| self.unknown_name(name))
    }

    /// The member with this ordinal, in constant time for dense enums.
    ///
    /// # Errors
    /// `UnknownEnum`; the error says which ordinals exist.
    pub fn by_ordinal(&self, ordinal: i64) -> Result<&'static MemberInfo> {
        self.at(ordinal).ok_or_else(|| self.unknown_ordinal(ordinal))
    }

    /// The member that a document's text stands for: the name, for ArgumentKind and StorageKind their own words.
    ///
    /// # Errors
    /// `UnknownEnum` for another text; `Unsupported` if documents carry this enum as a number or not at all.
    pub fn by_json(&self, text: &str) -> Result<&'static MemberInfo> {
        match self.json {
            JsonForm::Name => self.by_name(text),
            JsonForm::Kind => match self.members.iter().find(|m| m.json == Some(text)) {
                Some(member) => Ok(member),
                None => Err(self.unknown(self.unknown_name_message, text, self.members.iter().filter_map(|m| m.json))),
            },
            JsonForm::Number | JsonForm::None => bail!(Unsupported, "documents carry no name of a {}", self.name),
        }
    }

    /// The silicon byte of a member; `spec/enums.md` section 4.
    ///
    /// # Errors
    /// `UnknownEnum` if there is no such member; `Unsupported`, with the original's text, if it has no byte.
    pub fn wire(&self, ordinal: i64, generation: super::CoreGeneration) -> Result<u8> {
        let member = self.by_ordinal(ordinal)?;
        let [v2, v3, v4] = member.wire;
        let byte = match generation {
            super::CoreGeneration::CoreV2 => v2,
            super::CoreGeneration::CoreV3 => v3,
            super::CoreGeneration::CoreV4 => v4,
        };
        byte.ok_or_else(|| super::wire::no_byte(self, member, generation))
    }

    /// The index in `members` of an exact name.
    pub(super) fn position(&self, name: &str) -> Option<usize> {
        let name_at = |i: &u16| self.members.get(usize::from(*i)).map_or("", |m| m.name);
        let at = self.by_name.binary_search_by(|i| name_at(i).cmp(name)).ok()?;
        self.by_name.get(at).copied().map(usize::from)
    }

    fn at(&self, ordinal: i64) -> Option<&'static MemberInfo> {
        let first = self.members.first()?;
        let direct = ordinal.checked_sub(i64::from(first.ordinal)).and_then(|i| usize::try_from(i).ok());
        match direct.and_then(|i| self.members.get(i)) {
            Some(member) if i64::from(member.ordinal) == ordinal => Some(member),
            _ => {
                let at = self.members.binary_search_by(|m| i64::from(m.ordinal).cmp(&ordinal)).ok()?;
                self.members.get(at)
            }
        }
    }

    /// The error for a name without a member.
    pub(super) fn unknown_name(&self, name: &str) -> Error {
        self.unknown(self.unknown_name_message, name, self.members.iter().map(|m| m.name))
    }

    fn unknown<'a>(&'a self, message: &str, found: &'a str, names: impl Iterator<Item = &'a str> + Clone) -> Error {
        Error::new(ErrorCode::UnknownEnum, Filled { template: message, slot: "<text>", value: Shown(found) })
            .expected_found(Allowed { set: self.name, names, found }, format_args!("`{}`", Shown(found)))
    }

    /// The error for an ordinal without a member.
    pub(super) fn unknown_ordinal(&self, ordinal: i64) -> Error {
        // A three-bit field is the limit of the one enum that is packed into a pointer without a name.
        let fits = self.id != super::id::ALIAS_KIND || (0..8).contains(&ordinal);
        let message = if fits { self.unknown_message } else { self.original_message };
        Error::new(ErrorCode::UnknownEnum, Filled { template: message, slot: "<n>", value: ordinal })
            .expected_found(Ordinals(self), ordinal)
    }
}

/// The enum called `AluOpType` (bir first, then klr, isa, walrus) or, with its space, `klr.AluOp`.
#[must_use]
pub fn find(name: &str) -> Option<&'static EnumInfo> {
    let (space, name) = match name.split_once('.') {
        Some((space, rest)) => (Some(space), rest),
        None => (None, name),
    };
    let in_space = |wanted: &str| ENUMS.iter().find(|e| e.space.as_str() == wanted && e.name == name);
    match space {
        Some(space) => in_space(space),
        None => ["bir", "klr", "isa", "walrus"].into_iter().find_map(in_space),
    }
}

/// The template with its slot filled.
struct Filled<'a, T> {
    template: &'a str,
    slot: &'a str,
    value: T,
}

impl<T: fmt::Display> fmt::Display for Filled<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.template.split_once(self.slot) {
            Some((before, after)) => write!(f, "{before}{}{after}", self.value),
            None => f.write_str(self.template),
        }
    }
}

/// Which ordinals have a member.
struct Ordinals<'a>(&'a EnumInfo);

impl fmt::Display for Ordinals<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let members = self.0.members;
        let (Some(first), Some(last)) = (members.first(), members.last()) else {
            return write!(f, "no ordinal: no member of {} is published", self.0.name);
        };
        let span = i64::from(last.ordinal) - i64::from(first.ordinal) + 1;
        if usize::try_from(span) == Ok(members.len()) {
            return write!(f, "an ordinal of {}, {}..={}", self.0.name, first.ordinal, last.ordinal);
        }
        if members.len() > 16 {
            return write!(f, "one of the {} ordinals of {}", members.len(), self.0.name);
        }
        write!(f, "an ordinal of {}: ", self.0.name)?;
        for (i, member) in members.iter().enumerate() {
            write!(f, "{}{}", if i == 0 { "" } else { ", " }, member.ordinal)?;
        }
        if !self.0.roster_complete {
            write!(f, " ({} of {} members are published)", members.len(), self.0.count)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{bir, id};
    use super::*;
    use std::string::ToString;

    #[test]
    fn finds_by_name_and_space() {
        assert_eq!(find("AluOpType").unwrap().id, id::ALU_OP_TYPE);
        assert_eq!(find("Dtype").unwrap().space, Space::Bir);
        assert_eq!(find("klr.Dtype").unwrap().id, id::KLR_DTYPE);
        assert_eq!(find("AluOp").unwrap().id, id::KLR_ALU_OP);
        assert!(find("isa.Dtype").is_none() && find("aluoptype").is_none() && find("").is_none());
        assert_eq!(EnumId::new(id::KLR_DTYPE.number()).unwrap().info().name, "Dtype");
        assert_eq!(EnumId::new(u16::MAX).unwrap_err().code, ErrorCode::NotFound);
    }

    #[test]
    fn errors_carry_the_originals_text() {
        let message = |e: Error| (e.code, e.message);
        let of = |m: &str| (ErrorCode::UnknownEnum, m.to_string());
        assert_eq!(message(bir::AluOpType::from_ordinal(33).unwrap_err()), of("Unknown AluOpType"));
        let e = bir::AluOpType::from_name("multiply").unwrap_err();
        assert!(e.expected.contains(", did you mean `mult`? ("), "{e}");
        assert_eq!(e.found, "`multiply`");
        assert_eq!(message(e), of("Unknown AluOpType string: multiply"));
        assert_eq!(message(bir::EngineType::from_ordinal(8).unwrap_err()), of("Unknown EngineType '8'"));
        assert_eq!(message(bir::EngineType::from_name("GPSIMD").unwrap_err()), of("Unknown EngineType 'GPSIMD'"));
        assert_eq!(message(bir::MemoryType::from_name("HBM").unwrap_err()), of("Unknown memory type"));
        assert_eq!(message(bir::TensorClass::from_ordinal(13).unwrap_err()), of("Unknown tensor class type"));
        assert_eq!(message(bir::ArchLevel::from_name("trn1").unwrap_err()), of("Unknown arch level"));
        assert_eq!(message(bir::AliasKind::from_ordinal(8).unwrap_err()), of("Integer too large for field"));
        assert_eq!(message(bir::AliasKind::from_ordinal(2).unwrap_err()), of("Unknown AliasKind"));
        for out in [-1, 110, i64::MIN, i64::MAX] {
            let e = bir::InstructionType::from_ordinal(out).unwrap_err();
            assert!(e.message.contains("Unknown opcode") && e.message.contains("corrupt IR"), "{e}");
            assert_eq!((e.expected.as_str(), e.found), ("an ordinal of InstructionType, 0..=109", out.to_string()));
        }
    }

    #[test]
    fn sparse_and_incomplete_rosters_say_which_ordinals_exist() {
        let expected = |info: &EnumInfo, n| info.by_ordinal(n).unwrap_err().expected;
        assert_eq!(expected(bir::ArchLevel::INFO, 11), "an ordinal of ArchLevel: 10, 20, 30, 40, 50");
        let text = expected(bir::FunctionAttribute::INFO, 5);
        assert_eq!(text, "an ordinal of FunctionAttribute: 0, 24 (2 of 25 members are published)");
        assert_eq!(expected(id::SYNC_TYPE.info(), 0), "no ordinal: no member of SyncType is published");
        let e = id::DMA_QUEUE_ATTRIBUTE.info().by_name("x").unwrap_err();
        assert_eq!(e.message, "Unknown DMAQueueAttribute");
    }

    #[test]
    fn documents_have_their_own_words_for_two_enums() {
        let kind = bir::ArgumentKind::INFO;
        assert_eq!(kind.by_json("register_ap").unwrap().name, "RegisterAccessPattern");
        let e = kind.by_json("RegisterAccessPattern").unwrap_err();
        assert_eq!((e.code, e.message.as_str()), (ErrorCode::UnknownEnum, "Unsupported argument kind"));
        assert!(e.expected.contains("physical_ap, symbolic_ap"), "{e}");
        assert_eq!(bir::StorageKind::INFO.by_json("register").unwrap().ordinal, 2);
        assert_eq!(bir::Dtype::INFO.by_json("float32").unwrap().ordinal, 16);
        assert_eq!(bir::AliasKind::INFO.by_json("MustAlias").unwrap_err().code, ErrorCode::Unsupported);
    }
}
