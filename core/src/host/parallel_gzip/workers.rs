//! Threads that compress pieces.
#![forbid(unsafe_code)]

use crate::error::{Error, ErrorCode, Result};
use crate::neff::deflate::PieceEncoder;
use crate::neff::gzip::Frame;
use std::boxed::Box;
use std::io;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::vec::Vec;

/// Starts a thread.
pub(super) type Spawn = fn(Box<dyn FnOnce() + Send>) -> io::Result<JoinHandle<()>>;

/// A piece to be compressed.
struct Job {
    piece: Vec<u8>,
    last: bool,
    out: Vec<u8>,
    reply: SyncSender<Done>,
}

/// A compressed piece, with the memory it came in.
pub(super) struct Done {
    pub(super) piece: Vec<u8>,
    pub(super) out: Vec<u8>,
    pub(super) frame: Frame,
    pub(super) result: Result<()>,
}

/// The claim to a compressed piece.
pub(super) struct Ticket(Receiver<Done>);

impl Ticket {
    pub(super) fn wait(self) -> Result<Done> {
        self.0.recv().map_err(|_| stopped())
    }
}

fn stopped() -> Error {
    Error::new(ErrorCode::Internal, "a thread that compresses has stopped")
}

/// The threads. Dropping them waits until they have ended.
pub(super) struct Workers {
    /// Threads end when nobody can give them jobs.
    jobs: Option<Sender<Job>>,
    threads: Vec<JoinHandle<()>>,
}

impl Workers {
    /// Starts at most `count` threads, as many as the system has.
    pub(super) fn start(count: usize, spawn: Spawn) -> Workers {
        let (jobs, receiver) = channel();
        let receiver = Arc::new(Mutex::new(receiver));
        let start = |_| {
            let receiver = receiver.clone();
            spawn(Box::new(move || work(&receiver)))
        };
        let threads = (0..count).map_while(|i| start(i).ok()).collect();
        Workers { jobs: Some(jobs), threads }
    }

    pub(super) fn count(&self) -> usize {
        self.threads.len()
    }

    /// Gives a piece to the first thread that is free.
    pub(super) fn submit(&self, piece: Vec<u8>, last: bool, out: Vec<u8>) -> Result<Ticket> {
        let (reply, ticket) = sync_channel(1);
        let jobs = self.jobs.as_ref().ok_or_else(stopped)?;
        jobs.send(Job { piece, last, out, reply }).map_err(|_| stopped())?;
        Ok(Ticket(ticket))
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        self.jobs = None;
        for thread in self.threads.drain(..) {
            // A thread that panicked has lost its piece, which whoever waits for it is told.
            let _ = thread.join();
        }
    }
}

/// What a thread does.
fn work(jobs: &Mutex<Receiver<Job>>) {
    let mut encoder = None;
    loop {
        // No thread panics with the lock in its hand.
        let Ok(job) = jobs.lock().map(|jobs| jobs.recv()) else { return };
        let Ok(Job { piece, last, out, reply }) = job else { return };
        // Whoever does not wait any more has met an error.
        if reply.send(compress(&mut encoder, piece, last, out)).is_err() {
            return;
        }
    }
}

/// Compresses a piece with the encoder, which is made at the first one.
pub(super) fn compress(encoder: &mut Option<PieceEncoder>, piece: Vec<u8>, last: bool, mut out: Vec<u8>) -> Done {
    out.clear();
    let mut frame = Frame::default();
    frame.update(&piece);
    let mut encode = || {
        let encoder = match encoder {
            Some(encoder) => encoder,
            None => encoder.insert(PieceEncoder::new()?),
        };
        encoder.encode(&piece, last, &mut out)
    };
    let result = encode();
    Done { piece, out, frame, result }
}
