//! What extended headers and GNU long names say about the member that follows them. Its name is kept in the walk's buffer,
//! everything else here.
#![forbid(unsafe_code)]

use super::header::{bad_number, fault, place};
use super::pax;
use crate::error::{Error, ErrorCode, Result};

/// Where the name of the next member comes from, so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum NameFrom {
    /// Its own header.
    #[default]
    Header,
    /// A GNU long name.
    LongName,
    /// A pax record, which wins over a long name wherever it stands.
    Record,
}

/// The fields that replace those of the next header.
#[derive(Clone, Debug, Default)]
pub(super) struct Overrides {
    pub name_from: NameFrom,
    /// Length of the name in the walk's buffer.
    pub name_len: usize,
    pub size: Option<u64>,
    pub uid: Option<u64>,
    pub gid: Option<u64>,
    pub mtime: Option<i64>,
    /// A header that speaks of the next member was there.
    pub pending: bool,
}

impl Overrides {
    /// Reads the records of an extended header, whose body lies at `body_at` of the tar.
    pub fn read(&mut self, body: &[u8], body_at: u64, names: &mut [u8]) -> Result<()> {
        for record in pax::records(body) {
            let (key, value) = record.map_err(|at| {
                fault(body_at.saturating_add(at as u64), "malformed extended header")
                    .expected_found("`<length> <key>=<value>` and a newline", "other bytes")
            })?;
            let number = |name: &str| pax::decimal(value).ok_or_else(|| bad_number(body_at, name, value));
            match key {
                b"path" => self.set_name(NameFrom::Record, value, body_at, names)?,
                b"size" => self.size = Some(number("size")?),
                b"uid" => self.uid = Some(number("uid")?),
                b"gid" => self.gid = Some(number("gid")?),
                b"mtime" => self.mtime = Some(seconds(value).ok_or_else(|| bad_number(body_at, "mtime", value))?),
                _ if key.starts_with(b"GNU.sparse.") => {
                    return Err(Error::new(ErrorCode::Unsupported, "sparse files are not supported")
                        .at_position(place(body_at)));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Takes a name, unless a better one is known.
    pub fn set_name(&mut self, from: NameFrom, name: &[u8], at: u64, names: &mut [u8]) -> Result<()> {
        if from < self.name_from {
            return Ok(());
        }
        let room = names.len();
        let Some(target) = names.get_mut(..name.len()) else {
            return Err(Error::new(ErrorCode::LimitExceeded, "a member name is longer than `max_name_bytes`")
                .expected_found(format_args!("at most {room} bytes"), format_args!("{} bytes", name.len()))
                .at_position(place(at)));
        };
        target.copy_from_slice(name);
        (self.name_from, self.name_len) = (from, name.len());
        Ok(())
    }
}

/// Whole seconds of a decimal time, which may be negative and have a fraction.
fn seconds(text: &[u8]) -> Option<i64> {
    let (negative, text) = match text.strip_prefix(b"-") {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let mut parts = text.splitn(2, |&b| b == b'.');
    let whole = i64::try_from(pax::decimal(parts.next()?)?).ok()?;
    if let Some(fraction) = parts.next()
        && !fraction.iter().all(u8::is_ascii_digit)
    {
        return None;
    }
    Some(if negative { -whole } else { whole })
}
