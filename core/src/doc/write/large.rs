//! Objects that can hold much of the program. A form that puts the length of a container before its content would have to
//! keep all of the content back; so their members are counted beforehand, without what the members hold.
#![forbid(unsafe_code)]

use super::Writer;
use crate::Result;
use crate::doc::cbor_out::CborOut;
use crate::doc::output::Output;
use crate::sink::Sink;
use alloc::string::String;

/// An object with members of which the caller does not know how many will be written.
pub(super) trait Members<'m>: Copy {
    /// Writes all members, and neither the begin nor the end of the object.
    fn write_members<O: Output>(self, writer: &mut Writer<'_, 'm, O>) -> Result<()>;
}

impl<'m, O: Output> Writer<'_, 'm, O> {
    /// Writes an object that can hold much of the program.
    pub(super) fn large(&mut self, object: impl Members<'m>) -> Result<()> {
        if O::LENGTHS {
            let members = self.count_members(object)?;
            self.out.begin_object_of(members)?;
        } else {
            self.out.begin_object()?;
        }
        object.write_members(self)?;
        self.out.end_object()
    }

    /// Writes an array of objects that can hold much of the program.
    pub(super) fn children<T>(
        &mut self,
        objects: impl Iterator<Item = T> + Clone,
        mut write: impl FnMut(&mut Self, T) -> Result<()>,
    ) -> Result<()> {
        if self.shallow {
            self.out.begin_array()?;
            return self.out.end_array();
        }
        if O::LENGTHS {
            self.out.begin_array_of(objects.clone().count() as u64)?;
        } else {
            self.out.begin_array()?;
        }
        for object in objects {
            write(self, object)?;
        }
        self.out.end_array()
    }

    fn count_members(&mut self, object: impl Members<'m>) -> Result<u64> {
        let sink: &mut dyn Sink = &mut Nowhere;
        let mut counter = Writer {
            file: self.file,
            out: CborOut::new(sink),
            explicit: self.explicit,
            module: self.module,
            // To and fro: finding the places takes a walk over the whole function.
            places: self.places.take(),
            scope: self.scope,
            shallow: true,
            scratch: String::new(),
            // To and fro as well.
            plans: core::mem::take(&mut self.plans),
            edges: core::mem::take(&mut self.edges),
        };
        // Never closed, so the number does not matter; but with one, nothing is held back.
        counter.out.begin_object_of(u64::MAX)?;
        object.write_members(&mut counter)?;
        self.places = counter.places;
        self.plans = counter.plans;
        self.edges = counter.edges;
        Ok(counter.out.count())
    }
}

/// Takes what only had to be counted.
struct Nowhere;

impl Sink for Nowhere {
    fn write(&mut self, _: &[u8]) -> Result<()> {
        Ok(())
    }
}
