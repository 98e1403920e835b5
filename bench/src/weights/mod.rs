//! Files as a package gets them, in four classes that are work of different kinds: weights that hardly compress, zeros,
//! large files that are equal to each other, and very many small ones.

pub mod bfloat;
pub mod random;

use crate::Result;
use bfloat::Weights;
use bir_core::consts::npy;
use bir_core::neff::path::compare_paths;
use random::Random;
use serde_json::json;
use std::fs;
use std::io::Write;
use std::path::Path;

/// All bytes of the full set, about.
pub const FULL: usize = 1 << 30;

/// Small files of the full set.
const SMALL: usize = 10_000;

/// Distinct files among those that repeat.
const DISTINCT: usize = 4;

/// One class: files of equal size, or small ones.
struct Class {
    name: &'static str,
    files: usize,
    /// Bytes of a file of the full set; of a small one at most.
    bytes: usize,
}

const CLASSES: [Class; 4] = [
    Class { name: "noise", files: 7, bytes: 64 << 20 },
    Class { name: "zeros", files: 4, bytes: 64 << 20 },
    Class { name: "repeated", files: 16, bytes: 16 << 20 },
    Class { name: "small", files: SMALL, bytes: 8 << 10 },
];

/// Writes all classes below `folder`, each into a folder of its own beside a list of its files, `<class>.list`.
pub fn generate(bytes: usize, folder: &Path) -> Result<()> {
    for class in &CLASSES {
        let start = folder.join(class.name);
        fs::create_dir_all(start.join("sg00"))?;
        let mut names = Vec::new();
        let mut total = 0;
        for number in 0..class.files(bytes) {
            let (name, content) = class.file(number, bytes)?;
            fs::write(start.join(&name), &content)?;
            total += content.len();
            names.push(name);
        }
        names.sort_by(|a, b| compare_paths(a, b));
        let mut list = fs::File::create(folder.join(class.name).with_extension("list"))?;
        names.iter().try_for_each(|name| writeln!(list, "{name}"))?;
        println!("{}", json!({"phase": "weights", "class": class.name, "files": names.len(), "bytes": total}));
    }
    Ok(())
}

impl Class {
    /// How many files a set of `bytes` has. There are fewer small ones, and as many large ones, which are smaller.
    fn files(&self, bytes: usize) -> usize {
        if self.is_small() { scaled(self.files, bytes) } else { self.files }
    }

    /// Bytes of each file, or of a small one at most.
    fn bytes(&self, bytes: usize) -> usize {
        if self.is_small() { self.bytes } else { scaled(self.bytes, bytes) }
    }

    fn is_small(&self) -> bool {
        self.name == "small"
    }

    /// A file: its name and content.
    fn file(&self, number: usize, bytes: usize) -> Result<(String, Vec<u8>)> {
        let size = self.bytes(bytes);
        match self.name {
            "small" if number.is_multiple_of(2) => Ok((format!("sg00/part{number}.json"), small_json(number, size))),
            "small" => Ok((format!("sg00/bias{number}.npy"), small_npy(number, size)?)),
            "zeros" => Ok((format!("sg00/zeros{number}.bin"), vec![0; size])),
            "repeated" => Ok((format!("sg00/tied{number}.bin"), weights((100 + number % DISTINCT) as u64, size))),
            _ => Ok((format!("sg00/weight{number}.bin"), weights(number as u64, size))),
        }
    }
}

/// A number of the full set for a set of `bytes`.
fn scaled(number: usize, bytes: usize) -> usize {
    (number as f64 * bytes as f64 / FULL as f64).ceil() as usize
}

fn weights(seed: u64, size: usize) -> Vec<u8> {
    let mut content = vec![0; size];
    Weights::new(seed).fill(&mut content);
    content
}

/// Between an eighth of so many bytes and all of them.
fn small_size(number: usize, at_most: usize) -> usize {
    let least = at_most / 8;
    least + (Random::new(number as u64).bits() as usize) % (at_most - least)
}

/// A descriptor such as engines have.
fn small_json(number: usize, at_most: usize) -> Vec<u8> {
    let size = small_size(number, at_most);
    let mut random = Random::new(number as u64);
    let mut text = String::from("{\"dma\":[");
    while text.len() < size {
        let (address, length) = (random.bits() % (1 << 34), 64 << (random.bits() % 10));
        let entry =
            json!({"desc": [[address, length]], "from": format!("var_{}", random.bits() % 4096), "queue": "q_in"});
        text += &format!("{}{entry}", if text.ends_with('[') { "" } else { "," });
    }
    (text + "]}").into_bytes()
}

/// A vector of weights with its header. A third of them is equal to an earlier one, as tied biases and masks are.
fn small_npy(number: usize, at_most: usize) -> Result<Vec<u8>> {
    let seed = if number.is_multiple_of(3) { number % 99 } else { number };
    let elements = small_size(seed, at_most) / 2;
    let mut content = npy::header("<V2", &[elements as u64])?;
    content.extend(weights(1000 + seed as u64, 2 * elements));
    Ok(content)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tenth_is_a_tenth() {
        let total = |bytes: usize| -> usize {
            let large = CLASSES.iter().filter(|class| !class.is_small());
            large.map(|class| class.files(bytes) * class.bytes(bytes)).sum()
        };
        assert_eq!(total(FULL), (7 * 64 + 4 * 64 + 16 * 16) << 20);
        assert!(total(FULL / 10).abs_diff(total(FULL) / 10) < 100);
        let small = &CLASSES[3];
        assert_eq!((small.files(FULL), small.files(FULL / 10), small.bytes(FULL / 10)), (10_000, 1_000, 8192));
    }

    #[test]
    fn small_files_are_what_they_say() {
        for number in 0..40 {
            let json = small_json(number, 8 << 10);
            assert!(serde_json::from_slice::<serde_json::Value>(&json).is_ok() && json.len() < 9 << 10);
            let npy = small_npy(number, 8 << 10).unwrap();
            let parsed = npy::parse(&npy).unwrap();
            assert_eq!(parsed.data(&npy).map(<[u8]>::len), Some(npy.len() - 128));
        }
        assert!(small_npy(3, 8192).unwrap() == small_npy(102, 8192).unwrap());
        assert!(small_npy(1, 8192).unwrap() != small_npy(102, 8192).unwrap());
    }
}
