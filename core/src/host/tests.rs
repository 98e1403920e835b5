#![forbid(unsafe_code)]

use super::FileContents;
use super::package_writer::{WriteOptions, write_file, write_stream};
use crate::ErrorCode;
use crate::contents::Contents;
use crate::neff::Compression;
use crate::neff::header::Header;
use crate::neff::package::Archive;
use crate::neff::read::{Options, Package};
use core::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::{format, fs, vec, vec::Vec};

/// A folder of a test, removed at its end.
pub(super) struct Folder(PathBuf);

impl Folder {
    pub fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("bir-core-{}-{name}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    fn names(&self) -> Vec<std::ffi::OsString> {
        let mut names: Vec<_> = fs::read_dir(&self.0).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).unwrap();
    }
}

const COMPRESSIONS: [Compression; 3] = [Compression::None, Compression::Exact, Compression::Parallel];

/// Contents that compress well and badly.
fn bytes(seed: u32, size: usize) -> Vec<u8> {
    let mut state = seed;
    let mut byte = |i: usize| {
        state = state.wrapping_mul(1_103_515_245).wrapping_add(12345);
        if (i / 5000).is_multiple_of(2) { (state >> 16) as u8 } else { b'a' }
    };
    (0..size).map(&mut byte).collect()
}

fn archive(compression: Compression, large: &dyn Contents) -> Archive<'_> {
    let mut archive = Archive::new(Header::default(), compression);
    archive.add("sg00/w.npy", large).unwrap();
    archive.add("sg00/b.bin", bytes(7, 300_000)).unwrap();
    archive.add("info.json", &b"{}"[..]).unwrap();
    archive.add("empty", &b""[..]).unwrap();
    archive.sort().unwrap();
    archive
}

#[test]
fn the_bytes_are_those_of_memory_whatever_the_threads() {
    let folder = Folder::new("package");
    let (large, target) = (folder.path().join("large"), folder.path().join("x.neff"));
    fs::write(&large, bytes(1, 1_200_001)).unwrap();
    let large = FileContents::new(&large).unwrap();
    for compression in COMPRESSIONS {
        for pad in [false, true] {
            let mut archive = archive(compression, &large);
            archive.set_pad_payload(pad);
            let expected = archive.build().unwrap();
            assert!(Package::open(&expected, Options::default()).unwrap().member("sg00/w.npy").is_some());
            for threads in [0, 1, 3] {
                let mut calls = Vec::new();
                let mut progress = |done: u64| {
                    calls.push(done);
                    ControlFlow::Continue(())
                };
                let options = WriteOptions { threads, progress: Some(&mut progress) };
                let header = write_file(&archive, &target, options).unwrap();
                assert!(fs::read(&target).unwrap() == expected, "{compression:?}, {threads} threads");
                assert!(expected.starts_with(&header.write()));
                assert!(calls.len() > 4 && calls.is_sorted(), "{calls:?}");
                let mut stream = Vec::new();
                write_stream(&archive, &mut stream, WriteOptions { threads, progress: None }).unwrap();
                assert!(stream == expected);
            }
        }
    }
}

#[test]
fn a_failure_leaves_the_old_file() {
    let folder = Folder::new("failures");
    let (source, target) = (folder.path().join("source"), folder.path().join("x.neff"));
    fs::write(&source, bytes(1, 800_000)).unwrap();
    fs::write(&target, "old").unwrap();
    for compression in COMPRESSIONS {
        for threads in [1, 2] {
            let large = FileContents::new(&source).unwrap();
            let archive = archive(compression, &large);
            let mut stop = |done: u64| if done > 300_000 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
            let options = WriteOptions { threads, progress: Some(&mut stop) };
            assert_eq!(write_file(&archive, &target, options).unwrap_err().code, ErrorCode::Cancelled);

            // The source changes between the look and the read.
            fs::write(&source, bytes(1, 799_999)).unwrap();
            let options = WriteOptions { threads, progress: None };
            let error = write_file(&archive, &target, options).unwrap_err();
            assert_eq!((error.code, &*error.expected), (ErrorCode::Conflict, "800000 bytes"), "{error}");
            fs::write(&source, bytes(1, 800_000)).unwrap();

            assert_eq!(fs::read(&target).unwrap(), b"old");
            assert_eq!(folder.names(), ["source", "x.neff"]);
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let large = vec![0; 100];
    let archive = archive(Compression::None, &large);
    let error = write_file(&archive, Path::new("/dev/full"), WriteOptions::default()).unwrap_err();
    assert_eq!(error.code, ErrorCode::Io);
}
