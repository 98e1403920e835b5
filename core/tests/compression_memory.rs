//! What compressing takes: the same memory for inputs of any size, and an error when there is none.
mod counting;
use bir_core::neff::gzip::{GzipWriter, PIECE, PieceGzipWriter};
use bir_core::sink::Sink;
use bir_core::{ErrorCode, Result};
use counting::{peak, with_allocations};

/// Keeps nothing.
struct Nowhere;

impl Sink for Nowhere {
    fn write(&mut self, _: &[u8]) -> Result<()> {
        Ok(())
    }
}

/// Text, zeros and noise.
fn input(bytes: usize) -> Vec<u8> {
    let mut x = 1u64;
    let noise = core::iter::repeat_with(move || {
        x = x.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (x >> 33) as u8
    });
    let text = (0..).flat_map(|i: u32| format!("var_{i}, ").into_bytes());
    let zeros = core::iter::repeat_n(0, bytes / 3);
    text.take(bytes / 3).chain(zeros).chain(noise.take(bytes / 3)).collect()
}

fn exact(input: &[u8]) -> Result<()> {
    let mut writer = GzipWriter::new(Nowhere)?;
    writer.write(input)?;
    writer.finish().map(|_| ())
}

fn pieces(input: &[u8]) -> Result<()> {
    let mut writer = PieceGzipWriter::new(Nowhere)?;
    writer.write(input)?;
    writer.finish().map(|_| ())
}

/// As the caller's thread compresses it, the only one that is counted.
#[cfg(feature = "std")]
fn alone(input: &[u8]) -> Result<()> {
    let mut writer = bir_core::host::ParallelGzip::new(Nowhere, 1)?;
    writer.write(input)?;
    writer.finish().map(|_| ())
}

type Compress = fn(&[u8]) -> Result<()>;

/// Each way to compress, and the most memory it may take.
const WAYS: &[(Compress, usize)] = &[
    (exact, 640 << 10),
    (pieces, (640 << 10) + 3 * PIECE),
    #[cfg(feature = "std")]
    (alone, (640 << 10) + 3 * PIECE),
];

#[test]
fn memory_does_not_grow_with_the_input() {
    for bytes in [100, 300_000, 3_000_000] {
        let input = input(bytes);
        for (way, (compress, most)) in WAYS.iter().enumerate() {
            let (result, used) = peak(|| compress(&input));
            result.unwrap();
            assert!(used <= *most, "way {way}, {bytes} bytes: {used}");
        }
    }
}

#[test]
fn memory_may_run_out() {
    let input = input(2 * PIECE);
    for (way, (compress, _)) in WAYS.iter().enumerate() {
        let mut failures = 0;
        while let Err(error) = with_allocations(failures, || compress(&input)) {
            assert_eq!(error.code, ErrorCode::OutOfMemory, "way {way}: {error}");
            failures += 1;
        }
        assert!(failures >= 5, "way {way}: {failures} allocations");
    }
}
