//! Weights can be larger than memory, so a file is also read in pieces of any size, as they come: what is held of it is its
//! header and at most one element.
#![forbid(unsafe_code)]

use super::convert::swap_elements;
use super::descr::Order;
use super::fault::NpyFault;
use super::prefix::{self, Access, Prefix};
use super::{MAX_HEADER, Npy, Options};
use crate::error::{Error, ErrorCode, Result};
use crate::sink::Sink;
use alloc::vec::Vec;

/// Reads an NPY file that comes in pieces. The data goes on as little-endian bytes.
///
/// It finds the faults that [`parse_with`](super::parse_with) finds, each as soon as the piece that shows it has come. With
/// [`Options::allow_conversion`] big-endian elements are swapped on the way. Fortran order needs the whole data at hand
/// ([`Npy::converted`]); here it is [`NpyFault::FortranOrder`], unless the shape is one whose order makes no difference.
///
/// ```
/// use bir_core::consts::npy::{NpyReader, NpyWriter, Options};
///
/// let mut file = Vec::new();
/// let mut writer = NpyWriter::new(&mut file, "<u2", &[3])?;
/// writer.write(&[1, 0, 2])?;
/// writer.write(&[0, 3, 0])?;
/// writer.finish()?;
///
/// let (mut reader, mut data) = (NpyReader::new(Options::default()), Vec::new());
/// for piece in file.chunks(7) {
///     reader.push(piece, &mut data)?;
/// }
/// assert_eq!(reader.finish()?.shape, [3]);
/// assert_eq!(data, [1, 0, 2, 0, 3, 0]);
/// # Ok::<(), bir_core::Error>(())
/// ```
#[derive(Debug)]
pub struct NpyReader {
    options: Options,
    /// The beginning of the file until the header is whole; empty from then on.
    pub(super) head: Vec<u8>,
    /// Bytes of the beginning that have to be there before it is looked at again.
    needed: usize,
    header: Option<Npy>,
    /// Bytes of data that have come.
    seen: u64,
    swapper: Option<Swapper>,
    failed: bool,
}

impl NpyReader {
    /// The most bytes of a file that a reader holds: the longest header and what stands before it.
    pub const MAX_HELD: usize = MAX_HEADER + 12;

    /// A reader that waits for the first byte of a file.
    pub fn new(options: Options) -> NpyReader {
        NpyReader { options, head: Vec::new(), needed: 8, header: None, seen: 0, swapper: None, failed: false }
    }

    /// Takes the next bytes of the file and passes on what is data among them, converted.
    ///
    /// # Errors
    /// One per [`NpyFault`], with the byte offset in the file; what `data` answers; `OutOfMemory`. After an error the reader
    /// takes nothing more: `Conflict`.
    pub fn push(&mut self, piece: &[u8], data: &mut (impl Sink + ?Sized)) -> Result<()> {
        self.check_usable()?;
        let result = self.take(piece, data);
        self.failed = result.is_err();
        result
    }

    /// The header, as soon as it has come.
    pub fn header(&self) -> Option<&Npy> {
        self.header.as_ref()
    }

    /// Ends the file; gives its header.
    ///
    /// # Errors
    /// [`NpyFault::BadMagic`], [`NpyFault::TruncatedHeader`] or [`NpyFault::ShortData`] for a file that ends too early;
    /// `Conflict` after an error.
    pub fn finish(self) -> Result<Npy> {
        self.check_usable()?;
        let Some(header) = self.header else { return Err(prefix::ended(&self.head, self.needed)) };
        header.check_data_bytes(self.seen)?;
        Ok(header)
    }

    fn check_usable(&self) -> Result<()> {
        if self.failed {
            return Err(Error::new(ErrorCode::Conflict, "an earlier piece of this NPY file was refused"));
        }
        Ok(())
    }

    fn take(&mut self, piece: &[u8], data: &mut (impl Sink + ?Sized)) -> Result<()> {
        let mut rest = piece;
        while self.header.is_none() {
            let missing = self.needed.saturating_sub(self.head.len());
            let (now, later) = rest.split_at(missing.min(rest.len()));
            Sink::write(&mut self.head, now)?;
            rest = later;
            if self.head.len() < self.needed {
                return Ok(());
            }
            match prefix::read(&self.head, self.options, Access::Pieces)? {
                Prefix::Needs(bytes) => self.needed = bytes,
                Prefix::Whole(npy) => {
                    self.swapper = Swapper::of(&npy);
                    self.header = Some(npy);
                    self.head = Vec::new();
                }
            }
        }
        let Some(header) = &self.header else { return Ok(()) };
        let left = usize::try_from(header.data_bytes.saturating_sub(self.seen)).unwrap_or(usize::MAX);
        let (now, surplus) = rest.split_at(left.min(rest.len()));
        match &mut self.swapper {
            Some(swapper) => swapper.pass(now, data)?,
            None if now.is_empty() => {}
            None => data.write(now)?,
        }
        self.seen = self.seen.saturating_add(now.len() as u64);
        if !surplus.is_empty() {
            let at = (header.data_offset as u64).saturating_add(header.data_bytes);
            return Err(Npy::wrong_size(NpyFault::SurplusData, at, header.data_bytes, "more"));
        }
        Ok(())
    }
}

/// Swaps the bytes of elements that may lie across pieces.
#[derive(Debug)]
struct Swapper {
    /// 2, 4 or 8.
    width: usize,
    /// The first `count` bytes of an element whose others are still to come.
    held: [u8; 8],
    count: usize,
}

impl Swapper {
    /// `None` if nothing is to be swapped.
    fn of(npy: &Npy) -> Option<Swapper> {
        let swaps = npy.descr.order == Order::Big && npy.descr.width > 1;
        swaps.then_some(Swapper { width: npy.descr.width as usize, held: [0; 8], count: 0 })
    }

    fn pass(&mut self, mut piece: &[u8], data: &mut (impl Sink + ?Sized)) -> Result<()> {
        if self.count > 0 {
            piece = self.hold(piece);
            let Some(element) = self.held.get_mut(..self.width).filter(|_| self.count == self.width) else {
                return Ok(());
            };
            element.reverse();
            data.write(element)?;
            self.count = 0;
        }
        let mut buffer = [0u8; 1024];
        while piece.len() >= self.width {
            let whole = piece.len() - piece.len() % self.width;
            let (now, later) = piece.split_at(whole.min(buffer.len()));
            if let Some(swapped) = buffer.get_mut(..now.len()) {
                swapped.copy_from_slice(now);
                swap_elements(swapped, self.width);
                data.write(swapped)?;
            }
            piece = later;
        }
        self.hold(piece);
        Ok(())
    }

    /// Keeps bytes up to a whole element; gives what is left of them.
    fn hold<'p>(&mut self, piece: &'p [u8]) -> &'p [u8] {
        let (now, later) = piece.split_at(self.width.saturating_sub(self.count).min(piece.len()));
        if let Some(place) = self.held.get_mut(self.count..).and_then(|free| free.get_mut(..now.len())) {
            place.copy_from_slice(now);
            self.count += now.len();
        }
        later
    }
}
