//! Sets of members, made from seeds: every length of a name, every place of a slash around the limits of a header, owner
//! numbers around theirs, and sizes around a block's.

use std::fmt;

/// A member as both writers get it.
#[derive(Clone)]
pub struct Member {
    pub name: String,
    pub mode: u32,
    pub uid: u32,
    pub gid: u32,
    pub data: Vec<u8>,
}

impl Member {
    /// A member as packages have it.
    pub fn plain(name: &str, data: &[u8]) -> Member {
        Member { name: name.to_owned(), mode: 0o644, uid: 0, gid: 0, data: data.to_vec() }
    }
}

impl fmt::Debug for Member {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Member { name, mode, uid, gid, data } = self;
        write!(f, "{name:?} ({} bytes), mode {mode:o}, uid {uid}, gid {gid}, {} bytes", name.len(), data.len())
    }
}

/// The members of one archive.
pub struct Set {
    /// How to make it again.
    pub title: String,
    pub members: Vec<Member>,
}

/// Bytes of a large member.
const LARGE: usize = 10_000_000;

/// The longest name.
const LONGEST: usize = 300;

/// Where the files of a core are.
const FOLDER: &str = "sg00/";

/// All sets. None has the empty name: libarchive writes it, but nothing can unpack it.
pub fn all() -> Vec<Set> {
    let mut sets: Vec<Set> = (1..=LONGEST).map(of_length).collect();
    // Around the limits of name, both fields, and a shortened name.
    sets.extend((97..=104).chain([120, 154, 155, 156, 157, 158, 200]).chain(254..=259).chain([300]).map(slashes));
    sets.extend((0..100).map(anything));
    sets.extend((0..4).map(large));
    sets
}

/// Names of one length in many shapes.
fn of_length(length: usize) -> Set {
    let random = &mut Random::new(1000 + length as u64);
    // The last one has a folder.
    let shapes = if length > FOLDER.len() { 8 } else { 7 };
    let members = (0..shapes)
        .map(|shape| {
            let name = match shape {
                0 => "c".repeat(length),
                1 => name(random, length, 60, false),
                2 => name(random, length, 8, false),
                3 => name(random, length, 2, false),
                4 => name(random, length, LONGEST, true),
                5 => name(random, length, 60, true),
                6 => name(random, length, 8, true),
                _ => format!("{FOLDER}{}", name(random, length - FOLDER.len(), LONGEST, false)),
            };
            assert_eq!(name.len(), length);
            member(random, name)
        })
        .collect();
    Set { title: format!("names of {length} bytes"), members }
}

/// Names of one length with one slash, at each place, and half of them with a second one further on.
fn slashes(length: usize) -> Set {
    let random = &mut Random::new(2000 + length as u64);
    let members = (1..length - 1)
        .flat_map(|slash| [(slash, false), (slash, true)])
        .map(|(slash, is_unicode)| {
            let mut bytes = vec![b'n'; length];
            bytes[slash] = b'/';
            let second = slash + 2 + random.below(length);
            if second < length - 1 && random.below(2) == 0 {
                bytes[second] = b'/';
            }
            let mut name = String::from_utf8(bytes).unwrap();
            if is_unicode {
                // Two bytes for two: where the cut lies within a character, too.
                name = name.replace("nn", "é");
            }
            Member::plain(&name, b"")
        })
        .collect();
    Set { title: format!("slashes in names of {length} bytes"), members }
}

/// Anything a package may hold.
fn anything(seed: u64) -> Set {
    let random = &mut Random::new(3000 + seed);
    let count = random.below(12);
    let members = (0..count).map(|_| {
        let length = 1 + random.below(LONGEST);
        let longest = [3, 12, 60, LONGEST][random.below(4)];
        let is_unicode = random.below(3) == 0;
        let name = name(random, length, longest, is_unicode);
        member(random, name)
    });
    Set { title: format!("anything, seed {seed}"), members: members.collect() }
}

/// A large member between small ones.
fn large(seed: u64) -> Set {
    let random = &mut Random::new(4000 + seed);
    let mut weights = Member::plain("sg00/weights.npy", &[]);
    weights.data = contents(random, LARGE + seed as usize, seed as usize);
    let members = vec![Member::plain("info.json", b"{}"), weights, Member::plain("sg00/z.bin", &[7; 100])];
    Set { title: format!("a member of {LARGE} bytes, seed {seed}"), members }
}

fn member(random: &mut Random, name: String) -> Member {
    const SIZES: [usize; 12] = [0, 0, 1, 511, 512, 513, 1023, 1024, 1025, 8191, 8192, 8193];
    let size = match random.below(SIZES.len() + 4) {
        at if at < SIZES.len() => SIZES[at],
        _ => random.below(6000),
    };
    let kind = random.below(4);
    let mode = [0o644, 0o755, 0o600, 0o400, 0, 0o7777, 0o4755, random.below(0o10000) as u32][random.below(8)];
    Member { name, mode, uid: id(random), gid: id(random), data: contents(random, size, kind) }
}

/// Owner numbers: small, on both sides of where another form begins, and anything.
fn id(random: &mut Random) -> u32 {
    const LIMITS: [u32; 4] = [1 << 18, 1 << 21, 1 << 24, 1 << 31];
    match random.below(12) {
        0..=2 => 0,
        3 => 1000,
        at @ 4..=7 => LIMITS[at - 4],
        at @ 8..=9 => LIMITS[at - 8] - 1,
        10 => u32::MAX - random.below(2) as u32,
        _ => random.next() as u32 >> random.below(32),
    }
}

/// So many bytes, of one of four kinds: zeros, noise, text, and noise that repeats itself.
fn contents(random: &mut Random, size: usize, kind: usize) -> Vec<u8> {
    let noise = |random: &mut Random, size: usize| {
        let mut bytes = Vec::with_capacity(size + 8);
        while bytes.len() < size {
            bytes.extend_from_slice(&random.next().to_le_bytes());
        }
        bytes.truncate(size);
        bytes
    };
    match kind {
        0 => vec![0; size],
        1 => noise(random, size),
        2 => {
            let mut text = String::with_capacity(size + 64);
            while text.len() < size {
                let id = random.below(100_000);
                text += &format!("{{\"name\":\"var_{id}\",\"size\":{},\"type\":\"virtual\"}},\n", 64 * id);
            }
            text.truncate(size);
            text.into_bytes()
        }
        _ => {
            // Longer and shorter than the window of DEFLATE.
            let period = 1 + random.below(50_000);
            let once = noise(random, period.min(size));
            once.iter().copied().cycle().take(size).collect()
        }
    }
}

/// A safe relative path of exactly so many bytes whose elements have at most `longest`.
fn name(random: &mut Random, length: usize, longest: usize, is_unicode: bool) -> String {
    const PLAIN: &[u8] = b"abcdefghijklmnopqrstuvwxyzABCXYZ0123456789_-=+~!@#%^&()[]{},;' .\n\x01\x7f";
    const WIDE: [char; 8] = ['é', 'ß', '权', '重', '\u{fffd}', '\u{301}', '𝛼', '🦀'];
    let mut name = String::with_capacity(length);
    let mut element = 0;
    let mut wanted = 1 + random.below(longest);
    while name.len() < length {
        let left = length - name.len();
        // Neither at the end nor twice in a row.
        if element >= wanted && left > 1 {
            name.push('/');
            (element, wanted) = (0, 1 + random.below(longest));
            continue;
        }
        let wide = WIDE[random.below(WIDE.len())];
        let c = if is_unicode && wide.len_utf8() <= left && random.below(3) == 0 {
            wide
        } else {
            char::from(PLAIN[random.below(PLAIN.len())])
        };
        // An element `.` or `..` is not safe, nor is a single letter with a colon, which is not among these.
        let c = if c == '.' && element < 2 { 'd' } else { c };
        element += c.len_utf8();
        name.push(c);
    }
    name
}

/// A generator of numbers that are the same everywhere (SplitMix64).
struct Random(u64);

impl Random {
    fn new(seed: u64) -> Random {
        Random(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `limit`.
    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }
}
