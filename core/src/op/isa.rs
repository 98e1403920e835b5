//! Which class an opcode has: the original asks `isa<InstDMA>` everywhere, and its answer is a set of opcodes, not a walk
//! along a class tree.
//!
//! An abstract class accepts what the sources list for it (`spec/instructions.md` section 1.2, [`crate::enums::accept`]).
//! For a concrete class they list nothing: it accepts its own opcode and those of the classes that derive from it by
//! `base` of `spec/instructions.toml`. So InstLoad accepts Load and Save, and every other concrete class only itself. A
//! test holds the six lists against the derivation: they agree.
#![forbid(unsafe_code)]

use super::OpcodeInfo;
use super::table::OPCODES;
use crate::enums::accept::{self, AcceptSet};
use crate::enums::bir::InstructionType;
use crate::enums::suggest::{Allowed, Shown};
use crate::ir::Instruction;
use crate::{Error, ErrorCode, Result};
use core::fmt;

/// The name of the class that all others derive from.
const ROOT: &str = "Instruction";

/// All opcodes, one bit each.
const ALL: u128 = (1 << InstructionType::MEMBERS.len()) - 1;

/// A class of the instruction tree: the root, or the class of one opcode. `spec/instructions.md` section 1.2.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct InstClass(Option<InstructionType>);

impl InstClass {
    /// `Instruction`, which accepts every opcode.
    pub const INSTRUCTION: Self = InstClass(None);
    /// `InstGeneric`: 0 to 3.
    pub const GENERIC: Self = InstClass::of(InstructionType::Generic);
    /// `InstMatmultBase`: 7, 8, 9, 95.
    pub const MATMULT_BASE: Self = InstClass::of(InstructionType::MatmultBase);
    /// `InstDMA`: 18, 19, 22, 32, 41 to 46, 67.
    pub const DMA: Self = InstClass::of(InstructionType::DMA);
    /// `InstCollective`: 47 to 50.
    pub const COLLECTIVE: Self = InstClass::of(InstructionType::Collective);
    /// `InstDMADescriptor`: 68 to 72.
    pub const DMA_DESCRIPTOR: Self = InstClass::of(InstructionType::DMADescriptor);
    /// `InstTerminator`: 77, 78, 79, 81, 82, 83.
    pub const TERMINATOR: Self = InstClass::of(InstructionType::Terminator);

    /// The class of an opcode.
    #[must_use]
    pub const fn of(opcode: InstructionType) -> Self {
        InstClass(Some(opcode))
    }

    /// The class of that name: `Instruction`, `InstDMA`, `InstLoad` and so on.
    ///
    /// # Errors
    /// `UnknownEnum` if no class has the name; the error names the nearest one.
    pub fn from_name(name: &str) -> Result<Self> {
        if name == ROOT {
            return Ok(Self::INSTRUCTION);
        }
        let found = OPCODES.iter().zip(InstructionType::MEMBERS).find(|(info, _)| info.class_name == name);
        found.map(|(_, opcode)| Self::of(*opcode)).ok_or_else(|| {
            let names = Self::all().map(|class| class.name());
            Error::new(ErrorCode::UnknownEnum, format_args!("no instruction class is called `{}`", Shown(name)))
                .expected_found(Allowed { set: "the classes", names, found: name }, format_args!("`{}`", Shown(name)))
        })
    }

    /// All classes: the root, then those of the opcodes by rising ordinal.
    pub fn all() -> impl Iterator<Item = Self> + Clone {
        core::iter::once(Self::INSTRUCTION).chain(InstructionType::MEMBERS.iter().copied().map(Self::of))
    }

    /// The class's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.info().map_or(ROOT, |i| i.class_name)
    }

    /// The opcode of the class; `None` for the root.
    #[must_use]
    pub const fn opcode(self) -> Option<InstructionType> {
        self.0
    }

    /// The class that this one derives from; `None` for the root.
    #[must_use]
    pub fn base(self) -> Option<Self> {
        // A test walks all bases: each is the name of a class.
        self.info().map(|i| Self::from_name(i.base).unwrap_or(Self::INSTRUCTION))
    }

    /// Whether the original never makes an object of exactly this class: the root and the six bases.
    #[must_use]
    pub fn is_abstract(self) -> bool {
        self.info().is_none_or(|i| i.is_abstract)
    }

    /// The opcodes that a cast to the class accepts, one bit each.
    #[must_use]
    pub fn accepted(self) -> u128 {
        match (self.listed(), self.info()) {
            (Some(set), _) => {
                set.opcodes.iter().fold(0, |mask, o| mask | 1_u128.wrapping_shl(o.ordinal().cast_unsigned()))
            }
            (None, Some(info)) => info.class_accepts,
            (None, None) => ALL,
        }
    }

    /// Whether a cast to the class accepts an object of that opcode, in constant time.
    #[must_use]
    pub fn accepts(self, opcode: InstructionType) -> bool {
        match self.listed() {
            Some(set) => set.contains(opcode),
            None => self.accepted() >> (opcode.ordinal().cast_unsigned() & 127) & 1 == 1,
        }
    }

    /// The set that the sources list, for the six abstract bases.
    const fn listed(self) -> Option<&'static AcceptSet> {
        match self.0 {
            Some(InstructionType::Generic) => Some(&accept::GENERIC),
            Some(InstructionType::MatmultBase) => Some(&accept::MATMULT_BASE),
            Some(InstructionType::DMA) => Some(&accept::DMA),
            Some(InstructionType::Collective) => Some(&accept::COLLECTIVE),
            Some(InstructionType::DMADescriptor) => Some(&accept::DMA_DESCRIPTOR),
            Some(InstructionType::Terminator) => Some(&accept::TERMINATOR),
            _ => None,
        }
    }

    fn info(self) -> Option<&'static OpcodeInfo> {
        self.0.map(OpcodeInfo::of)
    }
}

impl fmt::Debug for InstClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for InstClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Whether an object of that opcode is one of the class of that name: `is_a(Save, "InstLoad")`.
///
/// # Errors
/// `UnknownEnum` if no class has the name.
pub fn is_a(opcode: InstructionType, class: &str) -> Result<bool> {
    Ok(InstClass::from_name(class)?.accepts(opcode))
}

macro_rules! class_tests {
    ($($(#[$doc:meta])* $name:ident: $class:ident;)*) => {
        impl Instruction {
            /// Whether it is one of the class. A number that is no opcode is of no class but `Instruction`.
            pub fn is_a(&self, class: InstClass) -> bool {
                match InstructionType::from_ordinal(self.opcode.get().into()) {
                    Ok(opcode) => class.accepts(opcode),
                    Err(_) => class == InstClass::INSTRUCTION,
                }
            }

            $($(#[$doc])* pub fn $name(&self) -> bool { self.is_a(InstClass::$class) })*
        }
    };
}

class_tests! {
    /// `isa<InstGeneric>`: opcodes 0 to 3.
    is_generic: GENERIC;
    /// `isa<InstMatmultBase>`: opcodes 7, 8, 9, 95; not QuantizeMx.
    is_matmult_base: MATMULT_BASE;
    /// `isa<InstDMA>`: opcodes 18, 19, 22, 32, 41 to 46, 67; no descriptors, neither TensorLoad nor TensorSave.
    is_dma: DMA;
    /// `isa<InstCollective>`: opcodes 47 to 50.
    is_collective: COLLECTIVE;
    /// `isa<InstDMADescriptor>`: opcodes 68 to 72.
    is_dma_descriptor: DMA_DESCRIPTOR;
    /// `isa<InstTerminator>`: opcodes 77, 78, 79, 81, 82, 83; not BranchHint.
    is_terminator: TERMINATOR;
}

#[cfg(test)]
mod tests {
    use super::*;
    use InstructionType as I;
    use alloc::vec::Vec;

    fn accepted(class: InstClass) -> Vec<i32> {
        I::MEMBERS.iter().filter(|o| class.accepts(**o)).map(|o| o.ordinal()).collect()
    }

    #[test]
    fn bases_accept_what_the_sources_list() {
        let listed: [(&str, &[i32]); 6] = [
            ("InstGeneric", &[0, 1, 2, 3]),
            ("InstMatmultBase", &[7, 8, 9, 95]),
            ("InstDMA", &[18, 19, 22, 32, 41, 42, 43, 44, 45, 46, 67]),
            ("InstCollective", &[47, 48, 49, 50]),
            ("InstDMADescriptor", &[68, 69, 70, 71, 72]),
            ("InstTerminator", &[77, 78, 79, 81, 82, 83]),
        ];
        let bases: Vec<_> = InstClass::all().skip(1).filter(|c| c.is_abstract()).map(InstClass::name).collect();
        assert_eq!(bases, listed.map(|l| l.0));
        for (name, opcodes) in listed {
            let class = InstClass::from_name(name).unwrap();
            assert_eq!(accepted(class), opcodes, "{name}");
            // The list is what the class tree says, too.
            assert_eq!(class.accepted(), class.info().unwrap().class_accepts, "{name}");
        }
    }

    #[test]
    fn concrete_classes_accept_what_derives_from_them() {
        for class in InstClass::all().skip(1).filter(|c| !c.is_abstract()) {
            let own = class.opcode().unwrap().ordinal();
            let expected = if own == 19 { Vec::from([19, 22]) } else { Vec::from([own]) };
            assert_eq!(accepted(class), expected, "{class}");
        }
        assert_eq!(accepted(InstClass::INSTRUCTION).len(), 110);
        assert_eq!(InstClass::INSTRUCTION.accepted().count_ones(), 110);
    }

    #[test]
    fn a_class_is_accepted_by_all_its_bases() {
        for class in InstClass::all() {
            assert_eq!(InstClass::from_name(class.name()).unwrap(), class);
            let mut at = class;
            let mut depth = 0;
            while let Some(base) = at.base() {
                assert_eq!(base.name(), at.info().unwrap().base);
                assert!(class.opcode().is_none_or(|o| base.accepts(o)), "{class} is no {base}");
                assert_eq!(base.accepted() & class.accepted(), class.accepted());
                at = base;
                depth += 1;
                assert!(depth < 4, "{class}");
            }
            assert_eq!(at, InstClass::INSTRUCTION);
        }
        // Save, Load, DMA, Instruction.
        let save = InstClass::of(I::Save);
        assert_eq!(save.base().and_then(InstClass::base), Some(InstClass::DMA));
        assert_eq!(is_a(I::Save, "InstLoad"), Ok(true));
        assert_eq!(is_a(I::Load, "InstSave"), Ok(false));
        assert_eq!(is_a(I::Load, "Load").unwrap_err().code, crate::ErrorCode::UnknownEnum);
        assert_eq!(is_a(I::Load, "").unwrap_err().code, crate::ErrorCode::UnknownEnum);
        let error = is_a(I::Load, "InstDMACoppy").unwrap_err();
        assert!(error.expected.contains(", did you mean `InstDMACopy`? ("), "{error}");
    }

    #[test]
    fn a_number_that_is_no_opcode_is_of_no_class() {
        let module = crate::ir::Module::new().unwrap();
        let block =
            *module.add_function("f", crate::ir::Place::End).unwrap().add_block("b", crate::ir::Place::End).unwrap();
        let instruction = *block.add_instruction(I::Load, "i", crate::ir::Place::End).unwrap();
        assert!(instruction.is_dma() && !instruction.is_terminator() && !instruction.is_generic());
        instruction.opcode.set(110);
        assert_eq!(InstClass::all().filter(|c| instruction.is_a(*c)).collect::<Vec<_>>(), [InstClass::INSTRUCTION]);
    }
}
