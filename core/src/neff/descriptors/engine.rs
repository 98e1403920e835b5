//! The five engines that have files in a package: their keys in `def.json` and the names of their files.
#![forbid(unsafe_code)]

use crate::error::Result;
use crate::neff::json::JsonWriter;
use alloc::string::String;
use alloc::vec::Vec;

/// An engine with an instruction stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Engine {
    /// Activation.
    Act,
    /// DVE.
    Dve,
    /// PE.
    Pe,
    /// Pool, also called GPSIMD.
    Pool,
    /// SP.
    Sp,
}

/// All engines, in the order of their keys.
pub const ENGINES: [Engine; 5] = [Engine::Act, Engine::Dve, Engine::Pe, Engine::Pool, Engine::Sp];

impl Engine {
    /// The key in `def.json` (`spec/neff.md` section 8.3).
    pub const fn key(self) -> &'static str {
        match self {
            Engine::Act => "act",
            Engine::Dve => "dve",
            Engine::Pe => "pe",
            Engine::Pool => "pool",
            Engine::Sp => "sp",
        }
    }

    /// The key of the instruction file in `def.json`.
    pub const fn instr_key(self) -> &'static str {
        match self {
            Engine::Act => "act_instr",
            Engine::Dve => "dve_instr",
            Engine::Pe => "pe_instr",
            Engine::Pool => "pool_instr",
            Engine::Sp => "sp_instr",
        }
    }

    /// Name of the descriptor file with the lane number (`spec/neff.md` section 6.2).
    pub const fn json_name(self) -> &'static str {
        match self {
            Engine::Act => "Activation0.json",
            Engine::Dve => "DVE0.json",
            Engine::Pe => "PE0.json",
            Engine::Pool => "Pool0.json",
            Engine::Sp => "SP0.json",
        }
    }

    /// Name of the instruction file with the lane number.
    pub const fn bin_name(self) -> &'static str {
        match self {
            Engine::Act => "Activation0.bin",
            Engine::Dve => "DVE0.bin",
            Engine::Pe => "PE0.bin",
            Engine::Pool => "Pool0.bin",
            Engine::Sp => "SP0.bin",
        }
    }

    /// The engine with this number in the IR (1 Pool, 2 Activation, 3 PE, 5 DVE, 6 SP); `None` for 0, DMA, ALL and
    /// unknown numbers, which have no files.
    pub const fn from_ordinal(ordinal: u32) -> Option<Engine> {
        match ordinal {
            1 => Some(Engine::Pool),
            2 => Some(Engine::Act),
            3 => Some(Engine::Pe),
            5 => Some(Engine::Dve),
            6 => Some(Engine::Sp),
            _ => None,
        }
    }

    /// Member name of a file of this engine below a subgraph.
    pub(in crate::neff) fn member(subgraph: &str, file: &str) -> String {
        let mut name = String::with_capacity(subgraph.len() + 1 + file.len());
        name.push_str(subgraph);
        name.push('/');
        name.push_str(file);
        name
    }
}

/// The descriptor file of an engine without DMA blocks.
///
/// # Errors
///
/// `OutOfMemory`.
pub fn empty_engine() -> Result<Vec<u8>> {
    JsonWriter::document(|w| w.object(|w| w.key("dma")?.array(|_| Ok(()))))
}
