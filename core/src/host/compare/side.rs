//! One side of a comparison: the inventory, and digests of all contents.
#![forbid(unsafe_code)]

use super::super::package::{PackageFile, Passed, Visitor, Wish};
use super::super::stamp::Input;
use crate::Result;
use crate::consts::digest::Md5;
use crate::consts::npy;
use crate::fallible::push;
use crate::neff::inventory::{Inventory, InventoryLimits};
use crate::neff::tar::MemberHeader;
use sha2::{Digest, Sha256};
use std::vec::Vec;

/// Contents are digested in blocks of so many bytes, so that the first difference can be found without both files at once.
pub(super) const BLOCK: usize = 1 << 14;

/// As much of a digest as is kept: no two different blocks will ever share it.
pub(super) type BlockDigest = [u8; 16];

/// The contents of a member, in digests.
#[derive(Debug, Default)]
pub(super) struct Print {
    /// One per block.
    pub blocks: Vec<BlockDigest>,
    /// Of what the runtime copies to the device, for a file that starts as NPY does.
    pub payload: Option<BlockDigest>,
}

/// One package.
#[derive(Debug)]
pub(super) struct Side {
    pub inventory: Inventory,
    /// In the order of the inventory's items.
    pub prints: Vec<Print>,
    pub passed: Passed,
}

impl Side {
    pub fn read<I: Input>(package: &mut PackageFile<I>, progress: &mut dyn FnMut(u64)) -> Result<Side> {
        let mut reader = Reader {
            inventory: Inventory::new(InventoryLimits::default(), true),
            prints: Vec::new(),
            block: Sha256::new(),
            payload: Sha256::new(),
            start: Vec::new(),
            at: 0,
            size: 0,
            progress,
        };
        let passed = package.pass(true, &mut reader)?;
        Ok(Side { inventory: reader.inventory, prints: reader.prints, passed })
    }

    pub fn signature(&self) -> Md5 {
        self.inventory.ir_signature().unwrap_or_default()
    }
}

struct Reader<'p> {
    inventory: Inventory,
    prints: Vec<Print>,
    block: Sha256,
    payload: Sha256,
    /// The first bytes of the member, which tell where its payload starts.
    start: Vec<u8>,
    at: u64,
    size: u64,
    progress: &'p mut dyn FnMut(u64),
}

/// Bytes that tell where the payload of an NPY file starts.
const NPY_START: usize = 10;

impl Reader<'_> {
    /// Feeds the part of a piece that belongs to the payload.
    fn payload(&mut self, bytes: &[u8]) {
        let room = NPY_START.saturating_sub(self.start.len()).min(bytes.len());
        self.start.extend_from_slice(bytes.get(..room).unwrap_or_default());
        if !npy::looks_like_npy(&self.start) || self.start.len() < NPY_START {
            return;
        }
        // No payload starts before its tenth byte.
        let Some(start) = npy::runtime_payload_start(&self.start, self.size) else { return };
        let skip = usize::try_from(start.saturating_sub(self.at)).unwrap_or(usize::MAX).min(bytes.len());
        self.payload.update(bytes.get(skip..).unwrap_or_default());
    }
}

fn cut(digest: Sha256) -> BlockDigest {
    let digest: [u8; 32] = digest.finalize().into();
    let mut kept = BlockDigest::default();
    kept.iter_mut().zip(digest).for_each(|(to, from)| *to = from);
    kept
}

impl Visitor for Reader<'_> {
    fn member(&mut self, member: &MemberHeader<'_>) -> Result<Wish> {
        self.inventory.begin(member)?;
        push(&mut self.prints, Print::default())?;
        self.start.clear();
        (self.at, self.size) = (0, member.size);
        Ok(Wish::Contents)
    }

    fn data(&mut self, bytes: &[u8]) -> Result<Wish> {
        self.inventory.data(bytes)?;
        self.payload(bytes);
        let Some(print) = self.prints.last_mut() else { return Ok(Wish::Contents) };
        let mut rest = bytes;
        while !rest.is_empty() {
            let room = BLOCK - (self.at % BLOCK as u64) as usize;
            let (piece, later) = rest.split_at_checked(room).unwrap_or((rest, &[]));
            self.block.update(piece);
            self.at = self.at.saturating_add(piece.len() as u64);
            if self.at.is_multiple_of(BLOCK as u64) {
                push(&mut print.blocks, cut(core::mem::take(&mut self.block)))?;
            }
            rest = later;
        }
        Ok(Wish::Contents)
    }

    fn end(&mut self) -> Result<Wish> {
        self.inventory.end()?;
        let Some(print) = self.prints.last_mut() else { return Ok(Wish::Next) };
        if !self.at.is_multiple_of(BLOCK as u64) {
            push(&mut print.blocks, cut(core::mem::take(&mut self.block)))?;
        }
        if npy::looks_like_npy(&self.start) {
            print.payload = Some(cut(core::mem::take(&mut self.payload)));
        }
        Ok(Wish::Next)
    }

    fn progress(&mut self, file_bytes: u64) {
        (self.progress)(file_bytes);
    }
}
