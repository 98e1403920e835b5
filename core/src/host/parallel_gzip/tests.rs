#![forbid(unsafe_code)]

use super::*;
use crate::error::ErrorCode;
use crate::neff::gzip::{PIECE, PieceGzipWriter, gunzip};
use std::boxed::Box;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::vec;

/// Four pieces and a half: text, noise, bytes of uneven frequency, zeros.
fn input() -> Vec<u8> {
    let mut x = 1u64;
    let mut random = move || {
        x = x.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (x >> 33) as u32
    };
    let mut bytes: Vec<u8> = (0..40_000).flat_map(|i| std::format!("{{\"var_id\": {i}}},\n").into_bytes()).collect();
    bytes.extend((0..PIECE).map(|_| random() as u8));
    bytes.extend((0..PIECE).map(|_| (random() as u8) & (random() as u8)));
    bytes.resize(4 * PIECE + PIECE / 2, 0);
    bytes
}

fn sequential(input: &[u8]) -> Vec<u8> {
    let mut writer = PieceGzipWriter::new(Vec::new()).unwrap();
    writer.write(input).unwrap();
    writer.finish().unwrap()
}

fn parallel(input: &[u8], threads: usize, cut: usize) -> Vec<u8> {
    let mut writer = ParallelGzip::new(Vec::new(), threads).unwrap();
    input.chunks(cut).for_each(|piece| writer.write(piece).unwrap());
    writer.finish().unwrap()
}

#[test]
fn the_bytes_are_the_same_for_any_number_of_threads_and_any_cutting() {
    let input = input();
    let expected = sequential(&input);
    assert!(gunzip(&expected, input.len()).unwrap() == input);
    for (threads, cut) in [(0, 1 << 20), (1, 999), (2, 65_536), (3, PIECE), (7, input.len()), (1000, PIECE - 1)] {
        assert!(parallel(&input, threads, cut) == expected, "{threads} threads, pieces of {cut}");
    }
    for length in [0, 1, PIECE - 1, PIECE, PIECE + 1, 2 * PIECE] {
        let input = &input[..length];
        let expected = sequential(input);
        assert!(gunzip(&expected, length).unwrap() == input);
        assert!(parallel(input, 2, 100_000) == expected, "{length} bytes");
    }
}

/// A disk with little room.
struct Full(usize);

impl Sink for Full {
    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        match self.0.checked_sub(bytes.len()) {
            Some(room) => {
                self.0 = room;
                Ok(())
            }
            None => Err(Error::new(ErrorCode::Io, "the disk is full")),
        }
    }
}

#[test]
fn errors_of_the_sink_come_back() {
    let input = input();
    let all = sequential(&input).len();
    for threads in [1, 3] {
        for room in [0, 9, 10, 1000, all / 2, all - 1] {
            let write = || {
                let mut writer = ParallelGzip::new(Full(room), threads)?;
                writer.write(&input)?;
                writer.finish()
            };
            assert_eq!(write().map(|_| ()).unwrap_err().message, "the disk is full", "{threads} threads, {room} bytes");
        }
        let mut writer = ParallelGzip::new(Full(all), threads).unwrap();
        writer.write(&input).unwrap();
        assert_eq!(writer.finish().unwrap().0, 0);
    }
}

#[test]
fn works_with_the_threads_there_are() {
    static STARTED: AtomicUsize = AtomicUsize::new(0);
    fn none(_: Box<dyn FnOnce() + Send>) -> io::Result<thread::JoinHandle<()>> {
        Err(io::ErrorKind::WouldBlock.into())
    }
    fn two(work: Box<dyn FnOnce() + Send>) -> io::Result<thread::JoinHandle<()>> {
        match STARTED.fetch_add(1, Ordering::Relaxed) {
            0 | 1 => thread::Builder::new().spawn(work),
            _ => none(work),
        }
    }
    let input = input();
    let expected = sequential(&input);
    for spawn in [none as Spawn, two] {
        let mut writer = ParallelGzip::with_spawn(Vec::new(), 4, spawn).unwrap();
        writer.write(&input).unwrap();
        assert!(writer.finish().unwrap() == expected);
    }
    assert_eq!(STARTED.load(Ordering::Relaxed), 3);
}

#[test]
fn a_thread_that_stops_is_an_error() {
    fn dead(_: Box<dyn FnOnce() + Send>) -> io::Result<thread::JoinHandle<()>> {
        thread::Builder::new().spawn(|| {})
    }
    let mut writer = ParallelGzip::with_spawn(Vec::new(), 2, dead).unwrap();
    let outcome = writer.write(&vec![0; 3 * PIECE]).and_then(|()| writer.finish());
    assert_eq!(outcome.unwrap_err().code, ErrorCode::Internal);
}

#[test]
fn an_unfinished_stream_leaves_no_thread() {
    let mut writer = ParallelGzip::new(Vec::new(), 3).unwrap();
    writer.write(&input()).unwrap();
    assert_eq!(writer.workers.as_ref().unwrap().count(), 3);
    // Waits for the threads.
    drop(writer);
}
