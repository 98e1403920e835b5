//! The two clocks that a measurement can go by.

/// A clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// The one on the wall.
    Wall,
    /// The processor's time for this process: what others do on the machine shows less in it.
    Processor,
}

impl Clock {
    /// Seconds since some moment in the past.
    pub fn now(self) -> f64 {
        let clock = match self {
            Clock::Wall => libc::CLOCK_MONOTONIC,
            Clock::Processor => libc::CLOCK_PROCESS_CPUTIME_ID,
        };
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: the pointer is to a live timespec, all that the call writes to.
        let status = unsafe { libc::clock_gettime(clock, &mut time) };
        assert_eq!(status, 0, "Linux has both clocks");
        time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_clocks_run() {
        let wall = Clock::Wall.now();
        std::thread::sleep(std::time::Duration::from_millis(20));
        assert!(Clock::Wall.now() - wall >= 0.02);
        // No upper bounds: other tests use the processor at the same time.
        let start = Clock::Processor.now();
        let work = (0..5_000_000_u64).fold(1, |sum, i| std::hint::black_box(sum ^ i));
        assert!(std::hint::black_box(work) < u64::MAX && Clock::Processor.now() > start);
    }
}
