//! The heads of records, unions, enums and options, each of them a tag, a constructor and a number of fields.

use super::super::ast::TensorName;
use super::super::schema::{Head, MAX_DEPTH, Schema};
use super::Decode;
use super::decoder::{Decoder, Proofs, Read, Record};
use crate::error::{Error, ErrorCode};

impl<'a> Decoder<'a> {
    /// Reads a tensor, or finds it among the recent ones.
    pub(crate) fn tensor(&mut self) -> Read<&'a TensorName<'a>> {
        /// Levels of records in a tensor: itself and its parts.
        const LEVELS: u32 = 2;
        let before = self.rest;
        if self.depth + LEVELS <= MAX_DEPTH
            && let Some((tensor, rest)) = self.seen.get(before)
        {
            self.rest = rest;
            return Ok(tensor);
        }
        let value = TensorName::decode(self)?;
        let tensor = self.keep(value)?;
        self.seen.put(before, before.len().saturating_sub(self.rest.len()), tensor);
        Ok(tensor)
    }

    /// Reads the head of a record, and says whether a record of several shapes has that of schema head.
    #[inline]
    pub(crate) fn begin(&mut self, head: &'static Head) -> Read<bool> {
        self.deeper()?;
        let [old, new] = head.arity;
        if let Some((first, rest)) = self.rest.split_first_chunk::<4>()
            && old == new
            && *first == [0xd9, head.tag, head.ctor, 0x80 | old]
        {
            self.rest = rest;
            return Ok(false);
        }
        self.begin_other(head)
    }

    /// As [`Decoder::begin`], for what is not the shortest form of the only shape.
    #[inline(never)]
    fn begin_other(&mut self, head: &'static Head) -> Read<bool> {
        let record = self.record(head.name)?;
        if record.tag != head.tag {
            return Err(self.wrong_record(&record, head.name, head.tag));
        }
        if record.ctor != head.ctor {
            return Err(self.unknown_ctor(&record, head.name, &[(head.ctor, head.ctor_name)]));
        }
        let [old, new] = head.arity;
        let found = match record.fields {
            fields if fields == old && old == new => return Ok(false),
            fields if fields == old => Schema::V2_24,
            fields if fields == new => Schema::Head,
            _ => return Err(self.wrong_arity(&record, head.name, head.arity)),
        };
        match self.schema {
            Some(earlier) if earlier != found => Err(self.two_schemas(&record, head.name, earlier, found)),
            _ => {
                self.schema = Some(found);
                Ok(found == Schema::Head)
            }
        }
    }

    /// Reads the head of a union.
    #[inline]
    pub(crate) fn begin_union(&mut self, name: &'static str, tag: u8) -> Read<Record> {
        self.deeper()?;
        let record = self.record(name)?;
        if record.tag != tag {
            return Err(self.wrong_record(&record, name, tag));
        }
        Ok(record)
    }

    /// Checks the number of fields of a union's constructor.
    #[inline]
    pub(crate) fn counts(&mut self, record: &Record, ctor: &'static str, fields: u8) -> Read<()> {
        if record.fields == fields { Ok(()) } else { Err(self.wrong_arity(record, ctor, [fields; 2])) }
    }

    #[inline]
    fn deeper(&mut self) -> Read<()> {
        if self.depth >= MAX_DEPTH {
            let error = Error::new(ErrorCode::LimitExceeded, "records are nested too deeply");
            let error = error.expected_found(format_args!("{MAX_DEPTH} levels at most"), "one more");
            return Err(self.fail(self.offset(), error));
        }
        self.depth += 1;
        Ok(())
    }

    /// Leaves the record that was begun last.
    #[inline]
    pub(crate) fn end(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    /// Reads the head of any record. `name` is that of the expected one.
    #[inline]
    pub(crate) fn record(&mut self, name: &'static str) -> Read<Record> {
        if let Some((&[0xd9, tag, ctor, count @ 0x80..=0x97], rest)) = self.rest.split_first_chunk::<4>() {
            let start = self.offset();
            self.rest = rest;
            return Ok(Record { start, tag, ctor, fields: count & 0x1f });
        }
        self.record_other(name)
    }

    #[inline(never)]
    fn record_other(&mut self, name: &'static str) -> Read<Record> {
        let (start, before) = (self.offset(), self.rest);
        match before {
            [0xd9, tag, ctor, rest @ ..] => {
                self.rest = rest;
                let count = self.count("the number of fields")?;
                let fields = u8::try_from(count).unwrap_or(u8::MAX);
                Ok(Record { start, tag: *tag, ctor: *ctor, fields })
            }
            [] | [0xd9, ..] => Err(self.ends_early(start, format_args!("the record {name}"))),
            _ => Err(self.wrong_type(before, format_args!("the record {name}"))),
        }
    }

    /// Reads a member of an enum.
    #[inline]
    pub(crate) fn member<T: Copy>(&mut self, name: &'static str, tag: u8, members: &'static [T]) -> Read<T> {
        let record = self.record(name)?;
        if record.tag != tag {
            return Err(self.wrong_record(&record, name, tag));
        }
        let Some(member) = members.get(usize::from(record.ctor)) else {
            return Err(self.unknown_member(&record, name, members.len()));
        };
        if record.fields != 0 {
            return Err(self.wrong_arity(&record, name, [0; 2]));
        }
        Ok(*member)
    }

    /// Reads whether an option has a value.
    #[inline]
    pub(crate) fn option(&mut self) -> Read<bool> {
        const OPTION: u8 = 255;
        let record = self.record("option")?;
        match (record.tag, record.ctor, record.fields) {
            (OPTION, 0, 0) => Ok(false),
            (OPTION, 1, 1) => Ok(true),
            (OPTION, 0, _) => Err(self.wrong_arity(&record, "none", [0; 2])),
            (OPTION, 1, _) => Err(self.wrong_arity(&record, "some", [1; 2])),
            (OPTION, ..) => Err(self.unknown_ctor(&record, "option", &[(0, "none"), (1, "some")])),
            _ => Err(self.wrong_record(&record, "option", OPTION)),
        }
    }

    /// Passes over proof fields. The first ones of a file, which are those of a TensorName, show how they are written:
    /// behind them comes a bool, so `80` is not it.
    #[inline]
    pub(crate) fn proofs(&mut self, count: u8) -> Read<()> {
        if self.proofs == Proofs::Absent {
            return Ok(());
        }
        self.proofs_present(count)
    }

    #[inline(never)]
    fn proofs_present(&mut self, count: u8) -> Read<()> {
        if self.proofs == Proofs::Unknown {
            if self.rest.first() != Some(&0x80) {
                self.proofs = Proofs::Absent;
                return Ok(());
            }
            if !self.options.proof_bytes {
                return Err(self.proof_bytes());
            }
            self.proofs = Proofs::Present;
        }
        for _ in 0..count {
            match self.rest {
                [0x80, rest @ ..] => self.rest = rest,
                other => return Err(self.wrong_type(other, "the byte `80` of a proof field")),
            }
        }
        Ok(())
    }
}
