//! Compressing is the slowest step of packing; when reading, compressing and writing each have a thread, the package is done
//! when the slowest of them is.
#![forbid(unsafe_code)]

use crate::error::{Error, ErrorCode, Result};
use crate::sink::Sink;
use std::mem::take;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread;
use std::vec::Vec;

/// Bytes that go through at a time.
const PIECE: usize = 1 << 18;

/// Pieces that may wait.
const WAITING: usize = 4;

/// What is written to; it may be handed to another thread in turn.
pub type Work<'s> = dyn Sink + Send + 's;

/// Runs `work` on this thread while what it writes goes into `sink` on another one, in the same order; returns what `work`
/// returned and the sink. Where no thread can be had everything happens on this one.
///
/// At most [`WAITING`] + 2 pieces of [`PIECE`] bytes are held.
///
/// # Errors
/// The sink's error if it had one, else that of `work`.
pub fn piped<S, R>(sink: S, work: impl FnOnce(&mut Work<'_>) -> Result<R>) -> Result<(R, S)>
where
    S: Sink + Send,
{
    // Whoever gets to run takes the sink; a thread that cannot be started leaves it.
    let mut place = Some(sink);
    let started = thread::scope(|scope| {
        let (full, pieces) = sync_channel(WAITING);
        let (empty, empties) = channel();
        let place = &mut place;
        let consumer = thread::Builder::new().spawn_scoped(scope, move || consume(place, &pieces, &empty));
        let Ok(consumer) = consumer else { return Err(work) };
        let mut pipe = Pipe { full, empties, piece: Vec::new() };
        let result = work(&mut pipe).and_then(|result| pipe.pass().map(|()| result));
        drop(pipe);
        let consumed = consumer.join().unwrap_or_else(|_| Err(Error::new(ErrorCode::Internal, "a thread ended early")));
        Ok(consumed.and(result))
    });
    let result = match started {
        Ok(result) => result?,
        Err(work) => work(place.as_mut().ok_or_else(lost)?)?,
    };
    Ok((result, place.ok_or_else(lost)?))
}

fn lost() -> Error {
    Error::new(ErrorCode::Internal, "the next step is gone")
}

fn consume<S: Sink>(place: &mut Option<S>, pieces: &Receiver<Vec<u8>>, empty: &Sender<Vec<u8>>) -> Result<()> {
    let sink = place.as_mut().ok_or_else(lost)?;
    for mut piece in pieces {
        sink.write(&piece)?;
        piece.clear();
        // At the end nobody wants it back.
        let _ = empty.send(piece);
    }
    Ok(())
}

/// The end that is written to.
struct Pipe {
    full: SyncSender<Vec<u8>>,
    empties: Receiver<Vec<u8>>,
    piece: Vec<u8>,
}

impl Pipe {
    /// Hands over what was gathered.
    fn pass(&mut self) -> Result<()> {
        if self.piece.is_empty() {
            return Ok(());
        }
        // The consumer ends early only with an error, which is the one that is reported.
        self.full.send(take(&mut self.piece)).map_err(|_| lost())?;
        self.piece = self.empties.try_recv().unwrap_or_default();
        Ok(())
    }
}

impl Sink for Pipe {
    fn write(&mut self, mut bytes: &[u8]) -> Result<()> {
        while !bytes.is_empty() {
            if self.piece.capacity() < PIECE {
                self.piece.try_reserve_exact(PIECE).map_err(|_| Error::out_of_memory())?;
            }
            let room = PIECE.saturating_sub(self.piece.len()).min(bytes.len());
            let (now, later) = bytes.split_at_checked(room).unwrap_or((bytes, &[]));
            self.piece.extend_from_slice(now);
            bytes = later;
            if self.piece.len() >= PIECE {
                self.pass()?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_bytes_arrive_in_order() {
        for size in [0, 1, PIECE - 1, PIECE, PIECE + 1, 9 * PIECE + 5] {
            let bytes: Vec<u8> = (0..size).map(|i| (i % 251) as u8).collect();
            let (count, out) = piped(Vec::new(), |sink| {
                bytes.chunks(70_001).try_for_each(|piece| sink.write(piece))?;
                Ok(bytes.len())
            })
            .unwrap();
            assert_eq!(count, size);
            assert!(out == bytes, "{size}");
        }
    }

    #[test]
    fn errors_of_both_ends() {
        struct Full;
        impl Sink for Full {
            fn write(&mut self, _: &[u8]) -> Result<()> {
                Err(Error::new(ErrorCode::Io, "the disk is full"))
            }
        }
        let endless = |sink: &mut Work<'_>| -> Result<()> {
            loop {
                sink.write(&[0; 1000])?;
            }
        };
        assert_eq!(piped(Full, endless).err().unwrap().code, ErrorCode::Io);
        let failing = |sink: &mut Work<'_>| -> Result<()> {
            sink.write(b"x")?;
            Err(Error::new(ErrorCode::NotFound, "no such file"))
        };
        assert_eq!(piped(Vec::new(), failing).err().unwrap().code, ErrorCode::NotFound);
    }
}
