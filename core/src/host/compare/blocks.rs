//! The bytes at which members differ: a second look at one block of each.
#![forbid(unsafe_code)]

use super::super::package::{PackageFile, Visitor, Wish};
use super::super::stamp::Input;
use super::bytes;
use super::side::{BLOCK, Side};
use crate::error::Error;
use crate::neff::compare::{Difference, Differences};
use crate::neff::tar::MemberHeader;
use crate::sink::Sink;
use std::borrow::ToOwned;
use std::collections::BTreeMap;
use std::format;
use std::string::String;
use std::vec::Vec;

/// The most members that are looked into; of others only the sizes are told.
const MAX_PLACES: usize = 1000;

/// A part of a member that differs.
#[derive(Debug)]
pub(super) struct Place {
    pub base: Difference,
    /// The name of the part.
    pub path: String,
    /// Where the part starts on both sides.
    pub start: (u64, u64),
    /// The number of the first block that differs, where blocks lie alike; else the part's first bytes are looked at.
    pub block: Option<u64>,
}

impl Place {
    /// Where to look, on both sides.
    fn looked_at(&self) -> (u64, u64) {
        match self.block {
            Some(block) => {
                let at = block.saturating_mul(BLOCK as u64);
                (at, at)
            }
            None => self.start,
        }
    }
}

/// Tells of each place where its first difference is.
pub(super) fn compare<A: Input, B: Input>(
    a: &mut PackageFile<A>,
    b: &mut PackageFile<B>,
    left: &Side,
    right: &Side,
    places: Vec<Place>,
    out: &mut Differences,
) -> Result<(), (bool, Error)> {
    let wanted = |side: bool| -> BTreeMap<String, u64> {
        let places = places.iter().take(MAX_PLACES);
        let of = |place: &Place| if side { place.looked_at().1 } else { place.looked_at().0 };
        places.filter_map(|place| Some((place.base.member.clone()?, of(place)))).collect()
    };
    let x = collect(a, wanted(false)).map_err(|e| (false, e))?;
    let y = collect(b, wanted(true)).map_err(|e| (true, e))?;
    for place in places {
        let name = place.base.member.as_deref().unwrap_or_default();
        let empty = Vec::new();
        let (old, new) = (x.get(name).unwrap_or(&empty), y.get(name).unwrap_or(&empty));
        let differs = old.iter().zip(new).enumerate();
        // Bytes before the part belong to another one, which was told of.
        let skip = usize::try_from(place.start.0.saturating_sub(place.looked_at().0)).unwrap_or(usize::MAX);
        let at = differs.skip(skip).find(|(_, (a, b))| a != b).map(|(at, _)| at);
        let sizes = [left, right].map(|side| side.inventory.item(name).map_or(0, |item| item.size));
        let shorter = old.len().min(new.len());
        let offset = match at {
            Some(at) => Some(place.looked_at().0.saturating_add(at as u64)),
            // The shorter one ends before anything differs.
            None if sizes[0] != sizes[1] && place.block.is_some() => {
                Some(place.looked_at().0.saturating_add(shorter as u64))
            }
            None => None,
        };
        let text = |bytes_here: &[u8], size: u64| {
            let around = at.and_then(|at| bytes_here.get(at..at.saturating_add(8).min(bytes_here.len())));
            match around {
                Some(found) => format!("{}, {}", bytes(size), crate::consts::digest::hex(found)),
                None => bytes(size),
            }
        };
        let (old, new) = (text(old, sizes[0]), text(new, sizes[1]));
        let difference = Difference { path: place.path, offset, old, new, ..place.base.clone() };
        out.add(difference).map_err(|e| (false, e))?;
    }
    Ok(())
}

fn collect<I: Input>(
    package: &mut PackageFile<I>,
    wanted: BTreeMap<String, u64>,
) -> Result<BTreeMap<String, Vec<u8>>, Error> {
    let mut blocks = Blocks { wanted, found: BTreeMap::new(), name: String::new(), skip: 0 };
    if !blocks.wanted.is_empty() {
        package.pass(false, &mut blocks)?;
    }
    Ok(blocks.found)
}

/// Keeps one block of each member that is wanted.
struct Blocks {
    wanted: BTreeMap<String, u64>,
    found: BTreeMap<String, Vec<u8>>,
    name: String,
    /// Bytes of the member before the block.
    skip: u64,
}

impl Blocks {
    fn next(&self) -> Wish {
        if self.wanted.is_empty() { Wish::Stop } else { Wish::Next }
    }
}

impl Visitor for Blocks {
    fn member(&mut self, member: &MemberHeader<'_>) -> Result<Wish, Error> {
        let Some(skip) = self.wanted.remove(member.name) else { return Ok(Wish::Next) };
        self.name = member.name.to_owned();
        self.skip = skip;
        self.found.insert(self.name.clone(), Vec::new());
        Ok(Wish::Contents)
    }

    fn data(&mut self, bytes: &[u8]) -> Result<Wish, Error> {
        let skipped = usize::try_from(self.skip).unwrap_or(usize::MAX).min(bytes.len());
        self.skip = self.skip.saturating_sub(skipped as u64);
        let Some(block) = self.found.get_mut(&self.name) else { return Ok(Wish::Next) };
        let rest = bytes.get(skipped..).unwrap_or_default();
        let room = BLOCK.saturating_sub(block.len()).min(rest.len());
        block.write(rest.get(..room).unwrap_or_default())?;
        Ok(if block.len() == BLOCK { self.next() } else { Wish::Contents })
    }

    fn end(&mut self) -> Result<Wish, Error> {
        Ok(self.next())
    }
}
