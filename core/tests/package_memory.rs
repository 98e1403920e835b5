//! What reading a package takes: nothing beyond the buffers for a walk, and the same for a package of any size for the rest.
#![cfg(feature = "std")]

use bir_core::ErrorCode;
use bir_core::host::compare::{CompareOptions, compare};
use bir_core::host::extract::{ExtractOptions, extract_file};
use bir_core::host::package::PackageFile;
use bir_core::host::survey::check_file;
use bir_core::neff::gzip::GzipWriter;
use bir_core::neff::header::{Header, SIZE, payload_hash};
use bir_core::neff::read::{Options, Package};
use bir_core::neff::tar::{Attributes, TarWriter};
use bir_core::neff::walk::{Buffers, Limits, Step, Walk, WalkOptions};
use bir_core::sink::Sink;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::fs;
use std::path::{Path, PathBuf};
use std::ptr::null_mut;

thread_local! {
    /// Bytes in use, the most there were since [`peak`] began, and allocations that may still succeed.
    static USED: Cell<usize> = const { Cell::new(0) };
    static PEAK: Cell<usize> = const { Cell::new(0) };
    static LEFT: Cell<Option<usize>> = const { Cell::new(None) };
}

/// The system's allocator, counted per thread, and failing on demand.
struct Counting;

// SAFETY:
// - all memory comes from and goes to the system's allocator, with the layouts that the caller gives
// - the counters are plain thread-local numbers, which need no allocation
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if let Some(left) = LEFT.get() {
            let Some(left) = left.checked_sub(1) else { return null_mut() };
            LEFT.set(Some(left));
        }
        USED.set(USED.get().saturating_add(layout.size()));
        PEAK.set(PEAK.get().max(USED.get()));
        // SAFETY: the caller's layout.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        USED.set(USED.get().saturating_sub(layout.size()));
        // SAFETY: the caller's memory and layout, which came from the system.
        unsafe { System.dealloc(start, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// What `work` gives, and the most memory it had in use at a time.
fn peak<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = USED.get();
    PEAK.set(before);
    let result = work();
    (result, PEAK.get().saturating_sub(before))
}

fn sample() -> Vec<u8> {
    fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/neff/synthetic-minimal.neff")).unwrap()
}

/// Not one allocation may succeed, and none is asked for.
#[test]
fn a_walk_allocates_nothing() {
    let compressed = sample();
    let tar = Package::open(&compressed, Options::default()).unwrap().tar().to_vec();
    let header = Header { data_size: tar.len() as u64, hash: payload_hash(2, &tar).unwrap(), ..Header::default() };
    let plain = [&header.write()[..], &tar].concat();
    let (mut window, mut names, mut extended) = (vec![0; 1 << 15], [0u8; 256], [0u8; 1024]);
    for file in [compressed, plain] {
        let window: &mut [u8; 1 << 15] = window.as_mut_slice().try_into().unwrap();
        let (mut members, mut bytes) = (0, 0);
        LEFT.set(Some(0));
        let mut walk =
            Walk::new(Buffers { window, names: &mut names, extended: &mut extended }, WalkOptions::default());
        let mut good = true;
        for mut piece in file.chunks(300) {
            loop {
                match walk.step(&mut piece) {
                    Ok(Step::NeedInput | Step::End) => break,
                    Ok(Step::Member(_)) => members += 1,
                    Ok(Step::Data(data)) => bytes += data.len(),
                    Ok(Step::Header(_)) => {}
                    Err(_) => {
                        good = false;
                        break;
                    }
                }
            }
        }
        good &= walk.finish().is_ok();
        LEFT.set(None);
        assert_eq!((good, members, bytes), (true, 16, 3 + 67 + 161 + 1717 + 5 * 18 + 1266 + 152));
    }
}

/// Memory may run out at any allocation of the reader of slices; then that is the error.
#[test]
fn memory_may_run_out() {
    let file = sample();
    let mut failures = 0;
    loop {
        LEFT.set(Some(failures));
        let result = Package::open(&file, Options::default()).map(|package| package.members().len());
        LEFT.set(None);
        match result {
            Ok(members) => break assert_eq!(members, 16),
            Err(error) => assert_eq!(error.code, ErrorCode::OutOfMemory, "{failures}: {error}"),
        }
        failures += 1;
    }
    assert!(failures > 20, "{failures} allocations");
}

/// Removed at the end.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn write(path: &Path, tar: &[u8], compressed: bool) {
    let mut payload = Vec::new();
    if compressed {
        let mut writer = GzipWriter::new(Vec::new()).unwrap();
        writer.write(tar).unwrap();
        payload.append(&mut writer.finish().unwrap());
    } else {
        payload.extend_from_slice(tar);
    }
    let hash = payload_hash(2, &payload).unwrap();
    let header = Header { data_size: payload.len() as u64, hash, ..Header::parse(&sample()).unwrap() };
    fs::write(path, [&header.write()[..], &payload].concat()).unwrap();
}

#[test]
fn files_take_the_same_memory_whatever_their_size() {
    let folder = Folder(PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("memory-{}", std::process::id())));
    fs::create_dir_all(&folder.0).unwrap();
    let file = sample();
    let package = Package::open(&file, Options::default()).unwrap();
    let weights: Vec<u8> = (0..12u32 << 20).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let mut writer = TarWriter::new(Vec::new());
    let mut files: Vec<(&str, &[u8])> = package.files().collect();
    files.extend([("sg00/w1.npy", &weights[..]), ("sg00/w2.npy", &weights[1..])]);
    files.iter().for_each(|(name, data)| writer.file(name, Attributes::deterministic(name), data).unwrap());
    let tar = writer.finish().unwrap();
    let paths = [folder.0.join("plain.neff"), folder.0.join("gzip.neff")];
    paths.iter().zip([false, true]).for_each(|(path, compressed)| write(path, &tar, compressed));

    // A sixth of one of the members.
    const MOST: usize = 2 << 20;
    for path in &paths {
        let open = || PackageFile::open(path, Limits::default()).unwrap();
        let (checked, used) = peak(|| check_file(&mut open(), &mut |_| {}));
        assert!(checked.findings.iter().all(|f| f.error.path == "uuid") && used < MOST, "{used} bytes");
        let out = folder.0.join("out");
        let options = ExtractOptions { overwrite: true, verify_hash: true };
        let (written, used) = peak(|| extract_file(&mut open(), None, &out, options, &mut |_| {}).unwrap());
        assert!(written.len() == 18 && used < MOST, "{used} bytes");
        assert!(fs::read(out.join("sg00/w2.npy")).unwrap() == weights[1..]);
        let (found, used) = peak(|| open().contents(&["sg00/def.json"], 1 << 20).unwrap());
        assert!(found.len() == 1 && used < MOST, "{used} bytes");
    }
    let mut sides = paths.map(|path| PackageFile::open(&path, Limits::default()).unwrap());
    let [a, b] = &mut sides;
    let (found, used) = peak(|| compare(a, b, CompareOptions::default(), &mut |_| {}).unwrap());
    assert!(!found.differences.any_matters && used < MOST, "{used} bytes");
    assert!(fs::metadata(folder.0.join("plain.neff")).unwrap().len() > (24 << 20) + SIZE as u64);
}
