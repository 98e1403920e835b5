//! Compresses on several threads, because one cannot keep up with a disk. The bytes are those of
//! [`PieceGzipWriter`](crate::neff::gzip::PieceGzipWriter), whatever the number of threads.
#![forbid(unsafe_code)]

mod workers;

use crate::error::{Error, Result};
use crate::neff::deflate::PieceEncoder;
use crate::neff::gzip::{Cutter, Frame};
use crate::sink::Sink;
use std::collections::VecDeque;
use std::thread;
use std::vec::Vec;
use workers::{Done, Spawn, Ticket, Workers, compress};

/// The most threads that are used: what they hold stays below 48 MiB.
pub const MAX_THREADS: usize = 16;

/// Pieces that are with the threads at a time, for each of them: one that is compressed, one that waits.
const PIECES_PER_THREAD: usize = 2;

/// A sink that compresses into another one on several threads.
///
/// The sink is written to by the thread that writes to this one. No thread is started before a whole piece
/// ([`PIECE`](crate::neff::gzip::PIECE)) has come. Each thread takes some 3 MiB. Dropped without [`finish`](Self::finish) it
/// leaves an unfinished stream and no threads.
pub struct ParallelGzip<S> {
    sink: S,
    frame: Frame,
    cutter: Cutter,
    threads: usize,
    spawn: Spawn,
    /// Pieces that are with the workers, in order. Dropped first, so that the workers see that nobody waits.
    pending: VecDeque<Ticket>,
    /// Nothing before the first whole piece.
    workers: Option<Workers>,
    /// Compresses here if there are no threads.
    encoder: Option<PieceEncoder>,
    /// Memory of pieces and of their compressed form, to be used again.
    spare: Vec<(Vec<u8>, Vec<u8>)>,
}

impl<S: Sink> ParallelGzip<S> {
    /// Writes the member header. `threads` is the number of threads that compress, at most [`MAX_THREADS`]; 0 takes one per
    /// core. With 1 the caller's thread compresses, and so it does if the system has no threads left.
    ///
    /// # Errors
    ///
    /// The sink's errors; `OutOfMemory`.
    pub fn new(sink: S, threads: usize) -> Result<Self> {
        Self::with_spawn(sink, threads, |work| thread::Builder::new().name("bir-gzip".into()).spawn(work))
    }

    fn with_spawn(mut sink: S, threads: usize, spawn: Spawn) -> Result<Self> {
        let threads = match threads {
            0 => thread::available_parallelism().map_or(1, usize::from),
            threads => threads,
        };
        let threads = threads.min(MAX_THREADS);
        // One more than are with the threads: the one that comes.
        let pieces = PIECES_PER_THREAD * threads + 1;
        let mut pending = VecDeque::new();
        pending.try_reserve_exact(pieces).map_err(|_| Error::out_of_memory())?;
        let mut spare = Vec::new();
        spare.try_reserve_exact(pieces).map_err(|_| Error::out_of_memory())?;
        Ok(ParallelGzip {
            frame: Frame::begin(&mut sink)?,
            sink,
            cutter: Cutter::default(),
            threads,
            spawn,
            pending,
            workers: None,
            encoder: None,
            spare,
        })
    }

    /// Ends the stream, writes the trailer and gives the sink back.
    ///
    /// # Errors
    ///
    /// The sink's errors; `OutOfMemory`.
    pub fn finish(mut self) -> Result<S> {
        self.compress(true)?;
        while let Some(ticket) = self.pending.pop_front() {
            self.take(ticket.wait()?)?;
        }
        self.frame.end(&mut self.sink)?;
        Ok(self.sink)
    }

    /// Has the piece compressed, by another thread if there is one.
    fn compress(&mut self, last: bool) -> Result<()> {
        if self.workers.is_none() && self.threads > 1 && !last {
            self.workers = Some(Workers::start(self.threads, self.spawn));
        }
        let workers = self.workers.as_ref().filter(|workers| workers.count() > 0);
        if let Some(workers) = workers
            && self.pending.len() >= PIECES_PER_THREAD * workers.count()
            && let Some(ticket) = self.pending.pop_front()
        {
            self.take(ticket.wait()?)?;
        }
        let (memory, out) = self.spare.pop().unwrap_or_default();
        let piece = self.cutter.replace(memory);
        match self.workers.as_ref().filter(|workers| workers.count() > 0) {
            Some(workers) => {
                self.pending.push_back(workers.submit(piece, last, out)?);
                Ok(())
            }
            None => {
                let done = compress(&mut self.encoder, piece, last, out);
                self.take(done)
            }
        }
    }

    /// Writes the next piece.
    fn take(&mut self, done: Done) -> Result<()> {
        done.result?;
        self.sink.write(&done.out)?;
        self.frame.append(&done.frame);
        self.spare.push((done.piece, done.out));
        Ok(())
    }
}

impl<S: Sink> Sink for ParallelGzip<S> {
    /// Takes `bytes`. Errors of the sink come with a later piece, at the latest from [`finish`](ParallelGzip::finish).
    fn write(&mut self, mut bytes: &[u8]) -> Result<()> {
        while !bytes.is_empty() {
            bytes = self.cutter.fill(bytes)?;
            if self.cutter.is_full() {
                self.compress(false)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
