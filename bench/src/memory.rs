//! What memory a run needs: the process's peak as the system sees it, and the peak of what the allocator handed out.

use std::alloc::{GlobalAlloc, Layout, System};
use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

/// The system's allocator, counted when asked to: counting costs time, so runs that are timed do without.
pub struct Counting;

static COUNTS: AtomicBool = AtomicBool::new(false);
static HELD: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

fn grow(bytes: usize) {
    if COUNTS.load(Relaxed) {
        PEAK.fetch_max(HELD.fetch_add(bytes, Relaxed) + bytes, Relaxed);
    }
}

fn shrink(bytes: usize) {
    if COUNTS.load(Relaxed) {
        // What was handed out before counting began may come back.
        let _ = HELD.fetch_update(Relaxed, Relaxed, |held| Some(held.saturating_sub(bytes)));
    }
}

// SAFETY: every call goes to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are those that `System` asks for.
        let block = unsafe { System.alloc(layout) };
        if !block.is_null() {
            grow(layout.size());
        }
        block
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        let block = unsafe { System.alloc_zeroed(layout) };
        if !block.is_null() {
            grow(layout.size());
        }
        block
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as above.
        let moved = unsafe { System.realloc(block, layout, size) };
        if !moved.is_null() {
            // Both at once is the worst case; the system may do better, and VmHWM shows whether it did.
            grow(size);
            shrink(layout.size());
        }
        moved
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(block, layout) };
        shrink(layout.size());
    }
}

/// Counts from now on.
pub fn count_from_now() {
    HELD.store(0, Relaxed);
    PEAK.store(0, Relaxed);
    COUNTS.store(true, Relaxed);
}

/// The most bytes that were held since counting began, and those held now.
pub fn counted() -> (usize, usize) {
    (PEAK.load(Relaxed), HELD.load(Relaxed))
}

/// A line of `/proc/self/status` in bytes: `VmHWM` is the most memory the process ever had in RAM, mapped files included,
/// `RssAnon` what it has now without files.
pub fn status(key: &str) -> io::Result<u64> {
    line("/proc/self/status", key)
}

/// Bytes that are free for a process: the system's, and within the limit of its control group if it has one. A program that
/// does not fit would be killed, or would measure the disk.
pub fn available() -> Option<u64> {
    let system = line("/proc/meminfo", "MemAvailable").ok()?;
    let group = |file: &str| std::fs::read_to_string(format!("/sys/fs/cgroup/{file}")).ok()?.trim().parse::<u64>().ok();
    match (group("memory.max"), group("memory.current")) {
        (Some(limit), Some(used)) => Some(system.min(limit.saturating_sub(used))),
        _ => Some(system),
    }
}

/// Seconds of processor time that the children took, those that have ended, and the most memory that one of them ever had
/// in RAM, in bytes.
pub fn of_children() -> io::Result<(f64, u64)> {
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: the pointer is to room for an rusage, all that the call writes to.
    if unsafe { libc::getrusage(libc::RUSAGE_CHILDREN, usage.as_mut_ptr()) } != 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: it was zeroed, which is a valid value of its numbers, and the call has filled it.
    let usage = unsafe { usage.assume_init() };
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 * 1e-6;
    Ok((seconds(usage.ru_utime) + seconds(usage.ru_stime), usage.ru_maxrss as u64 * 1024))
}

/// A line `key: number kB` of a file of the system, in bytes.
fn line(file: &str, key: &str) -> io::Result<u64> {
    let text = std::fs::read_to_string(file)?;
    parse(&text, key).ok_or_else(|| io::Error::other(format!("{file} has no {key}")))
}

fn parse(text: &str, key: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_systems_lines_are_read() {
        let text = "Name:\tx\nVmPeak:\t   9000 kB\nVmHWM:\t    1500 kB\nRssAnon:\t     12 kB\n";
        assert_eq!(parse(text, "VmHWM"), Some(1_536_000));
        assert_eq!(parse(text, "RssAnon"), Some(12_288));
        assert_eq!(parse(text, "VmH"), None);
        assert!(status("VmHWM").unwrap() > 0 && available().unwrap() > 0);
    }
}
