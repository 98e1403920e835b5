//! The first look at every file. One that fits a buffer is read at once and compared with those that were read before it, so
//! that thousands of small files are opened once each; of a larger one a sample is taken, which tells most apart.
#![forbid(unsafe_code)]

use super::cache::{Cache, Met};
use super::crew::{Counter, crew};
use super::facts::{Known, Origin, Run};
use super::file::{BUFFER, Reader, SAMPLE, buffer, print, read_small, sample};
use crate::Error;
use crate::consts::npy::dtype_of_head;
use crate::host::ordinary::{look, look_at, open};
use crate::host::stamp::Stamp;
use std::vec::Vec;

/// How many files a thread takes at a time.
const TAKEN: usize = 32;

/// What fits in so many bytes is read before anything else is asked of the system.
const QUICK: usize = 16 << 10;

/// What the first look gave.
#[derive(Debug, Default)]
pub(super) struct Looked {
    pub known: Vec<Known>,
    /// Small files that are equal.
    pub links: Vec<(usize, usize)>,
}

/// Looks at all files.
pub(super) fn look_at_all(run: &Run<'_, '_>, cache: &Cache) -> Result<Looked, Error> {
    let count = run.subjects.len();
    let counter = Counter::default();
    let found = crew(run.threads.min(count.div_ceil(TAKEN)), || {
        let (mut buffers, mut found, mut links) = ([buffer()?, buffer()?], Vec::new(), Vec::new());
        while run.goes_on()
            && let Some(range) = counter.take(TAKEN, count)
        {
            for file in range {
                let known = look_at_one(run, file, cache, &mut buffers, &mut links);
                found.push((file, known.unwrap_or_else(Known::Problem)));
            }
            run.tell();
        }
        Ok((found, links))
    });
    run.check()?;
    let mut looked = Looked::default();
    looked.known.try_reserve_exact(count).map_err(|_| Error::out_of_memory())?;
    looked.known.resize_with(count, || Known::Nothing);
    for found in found {
        let (found, links) = found?;
        for (file, known) in found {
            if let Some(to) = looked.known.get_mut(file) {
                *to = known;
            }
        }
        looked.links.extend(links);
    }
    Ok(looked)
}

fn look_at_one(
    run: &Run<'_, '_>,
    file: usize,
    cache: &Cache,
    [buffer, other]: &mut [Vec<u8>; 2],
    links: &mut Vec<(usize, usize)>,
) -> Result<Known, Error> {
    let Some(subject) = run.subjects.get(file) else { return Ok(Known::Nothing) };
    let before = match &subject.origin {
        // Opening what is no file may have effects.
        Origin::Unknown => Some(look(subject.path)?),
        Origin::File => None,
        Origin::Known(stamp) => Some(stamp.clone()),
    };
    let open = open(subject.path)?;
    let mut quick = false;
    let stamp = match before {
        Some(stamp) => stamp,
        None => match read_small(&open, buffer.get_mut(..QUICK).unwrap_or_default(), run.begun)? {
            Some(stamp) => {
                quick = true;
                stamp
            }
            None => look_at(&open)?,
        },
    };
    run.expect(stamp.length);
    let mut reader = Reader::new(open, &stamp);
    if stamp.length > BUFFER as u64 {
        let print = sample(&mut reader, buffer)?;
        let dtype = dtype_of_head(buffer.get(..SAMPLE).unwrap_or_default());
        return Ok(Known::Large { stamp, print, dtype });
    }
    let bytes = buffer.get_mut(..stamp.length as usize).unwrap_or_default();
    if !quick {
        reader.fill(bytes)?;
        reader.check()?;
    }
    run.passed(stamp.length);
    let print = print(bytes);
    loop {
        match cache.meet(print, file, &stamp, bytes, run.wants(file)) {
            Met::New => break,
            Met::Equal(earlier) => {
                links.push((earlier, file));
                break;
            }
            Met::Unread(earlier, stamp) => {
                // What goes wrong here does so again, and is told, when the two are compared at the end.
                let read = read_again(run, earlier, &stamp, other).ok().flatten();
                cache.keep(print, earlier, read);
                if read.is_some_and(|read| *read == *bytes) {
                    links.push((earlier, file));
                    break;
                }
            }
        }
    }
    let dtype = dtype_of_head(bytes);
    Ok(Known::Small { stamp, print, dtype })
}

/// The bytes of a small file that was read before, if it still is what it was.
fn read_again<'b>(
    run: &Run<'_, '_>,
    file: usize,
    stamp: &Stamp,
    buffer: &'b mut [u8],
) -> Result<Option<&'b [u8]>, Error> {
    let Some(subject) = run.subjects.get(file) else { return Ok(None) };
    let Some(bytes) = buffer.get_mut(..stamp.length as usize) else { return Ok(None) };
    let mut reader = Reader::open(subject.path, stamp)?;
    reader.fill(bytes)?;
    reader.check()?;
    Ok(Some(bytes))
}
