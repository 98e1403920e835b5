//! Weights as training leaves them: bfloat16 numbers around 0 in a bell curve. Signs and exponents repeat themselves, most
//! of the fraction is noise, so a compressor finds little and has to look everywhere.

use super::random::Random;
use std::f64::consts::TAU;

/// The spread of weights in a large model.
const DEVIATION: f64 = 0.02;

/// Makes numbers of that distribution fast: each is drawn from a table of as many as 16 bits can tell apart.
pub struct Weights {
    table: Vec<[u8; 2]>,
    random: Random,
}

impl Weights {
    /// The weights of that seed.
    pub fn new(seed: u64) -> Weights {
        let mut random = Random::new(0);
        let table = (0..1 << 16)
            .map(|_| {
                // Box and Muller's way from two even numbers to a normal one.
                let normal = (-2.0 * random.fraction().ln()).sqrt() * (TAU * random.fraction()).cos();
                let bits = ((normal * DEVIATION) as f32).to_bits() >> 16;
                (bits as u16).to_le_bytes()
            })
            .collect();
        Weights { table, random: Random::new(seed) }
    }

    /// Fills a buffer.
    pub fn fill(&mut self, buffer: &mut [u8]) {
        for chunk in buffer.chunks_mut(8) {
            let bits = self.random.bits().to_le_bytes();
            for (weight, index) in chunk.chunks_mut(2).zip(bits.chunks(2)) {
                let index = usize::from(index[0]) | usize::from(index[1]) << 8;
                weight.copy_from_slice(&self.table[index][..weight.len()]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_normal() {
        let mut bytes = vec![0; 200_000];
        Weights::new(7).fill(&mut bytes);
        let values: Vec<f64> = bytes
            .chunks(2)
            .map(|b| f64::from(f32::from_bits(u32::from(u16::from_le_bytes([b[0], b[1]])) << 16)))
            .collect();
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let deviation = (values.iter().map(|v| v * v).sum::<f64>() / count - mean * mean).sqrt();
        assert!(mean.abs() < 5e-4 && (deviation - DEVIATION).abs() < 1e-3, "{mean} {deviation}");
        let within = values.iter().filter(|v| v.abs() < DEVIATION).count() as f64 / count;
        assert!((within - 0.683).abs() < 0.01, "{within}");
        let mut again = vec![0; 200_000];
        Weights::new(7).fill(&mut again);
        assert!(again == bytes);
        Weights::new(8).fill(&mut again);
        assert!(again != bytes);
    }
}
