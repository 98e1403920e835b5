//! Huffman code lengths as zlib's heap gives them: where several trees are as good, the order in which equal nodes leave the
//! heap decides, so it is part of the format.
#![forbid(unsafe_code)]

/// The longest code of literals and distances.
pub(super) const MAX_BITS: usize = 15;

/// Room for the nodes of the largest tree, 2 * 286 - 1, as a power of two: a masked index is always inside.
const NODES: usize = 1024;
/// Room for its leaves.
const LEAVES: usize = 512;

/// Nodes to be paired. An entry is the frequency, the height of the node's tree (8 bits) and the node (16 bits).
struct Heap {
    /// The root is at 1.
    entries: [u64; LEAVES],
    len: usize,
}

/// Equal frequencies: the flatter tree first. Equal heights count as in order, whichever node it is.
#[inline(always)]
fn in_order(first: u64, second: u64) -> bool {
    first >> 16 <= second >> 16
}

impl Heap {
    #[inline(always)]
    fn get(&self, at: usize) -> u64 {
        self.entries[at & (LEAVES - 1)]
    }

    #[inline(always)]
    fn set(&mut self, at: usize, entry: u64) {
        self.entries[at & (LEAVES - 1)] = entry;
    }

    fn append(&mut self, entry: u64) {
        self.len += 1;
        self.set(self.len, entry);
    }

    /// Places `entry` at `at` or below, where the order is right.
    #[inline(always)]
    fn sink(&mut self, mut at: usize, entry: u64) {
        loop {
            let mut child = 2 * at;
            if child > self.len {
                break;
            }
            let mut smaller = self.get(child);
            if child < self.len {
                let right = self.get(child + 1);
                if in_order(right, smaller) {
                    child += 1;
                    smaller = right;
                }
            }
            if in_order(entry, smaller) {
                break;
            }
            self.set(at, smaller);
            at = child;
        }
        self.set(at, entry);
    }

    fn order(&mut self) {
        for at in (1..=self.len / 2).rev() {
            self.sink(at, self.get(at));
        }
    }
}

/// Sets the code lengths of symbols with these frequencies, none above `limit`, and returns how many symbols the alphabet has up
/// to the last one used. At least two symbols get a code. At most 286 symbols, whose frequencies sum to less than 2^32.
pub(super) fn code_lengths(frequencies: &[u32], limit: usize, lengths: &mut [u8]) -> usize {
    debug_assert!(frequencies.len() <= 286 && limit <= MAX_BITS);
    let mut heap = Heap { entries: [0; LEAVES], len: 0 };
    let mut used = 0;
    for (symbol, &frequency) in frequencies.iter().enumerate() {
        if frequency != 0 {
            heap.append(u64::from(frequency) << 24 | symbol as u64);
            used = symbol + 1;
        }
    }
    while heap.len < 2 {
        let symbol = if used < 3 { used } else { 0 };
        used = used.max(symbol + 1);
        heap.append(1 << 24 | symbol as u64);
    }
    heap.order();

    // Pairs the two first nodes until one is left.
    let leaves = frequencies.len();
    let mut parents = [0u16; NODES];
    let mut removed = [0u16; NODES];
    let mut removals = 0;
    let mut node = leaves;
    loop {
        let first = heap.get(1);
        let last = heap.get(heap.len);
        heap.len -= 1;
        heap.sink(1, last);
        let second = heap.get(1);
        for entry in [first, second] {
            removed[removals & (NODES - 1)] = entry as u16;
            removals += 1;
            parents[entry as usize & (NODES - 1)] = node as u16;
        }
        let height = (first >> 16 & 0xff).max(second >> 16 & 0xff) + 1;
        heap.sink(1, ((first >> 24) + (second >> 24)) << 24 | height << 16 | node as u64);
        if heap.len < 2 {
            break;
        }
        node += 1;
    }

    // From the root, which is `node`, down: each node is one bit longer than its parent, up to the limit.
    let mut depths = [0u8; NODES];
    let mut counts = [0u32; MAX_BITS + 1];
    let mut overflow = 0i32;
    for &node in removed.get(..removals).unwrap_or_default().iter().rev() {
        let node = usize::from(node) & (NODES - 1);
        let mut depth = depths[usize::from(parents[node]) & (NODES - 1)] + 1;
        if usize::from(depth) > limit {
            depth = limit as u8;
            overflow += 1;
        }
        depths[node] = depth;
        if node < leaves {
            counts[usize::from(depth) & MAX_BITS] += 1;
        }
    }
    lengths.fill(0);
    if overflow == 0 {
        for (length, depth) in lengths.iter_mut().zip(depths).take(leaves) {
            *length = depth;
        }
        return used;
    }
    // A leaf above the limit moves down and takes one from below it as its brother.
    while overflow > 0 {
        let mut bits = limit - 1;
        while counts[bits & MAX_BITS] == 0 {
            bits -= 1;
        }
        counts[bits & MAX_BITS] -= 1;
        counts[(bits + 1) & MAX_BITS] += 2;
        counts[limit & MAX_BITS] -= 1;
        overflow -= 2;
    }
    // The rarest leaves, which left the heap first, get the longest codes.
    let mut rarest =
        removed.get(..removals).unwrap_or_default().iter().map(|&n| usize::from(n)).filter(|&n| n < leaves);
    for bits in (1..=limit).rev() {
        for leaf in rarest.by_ref().take(counts[bits & MAX_BITS] as usize) {
            if let Some(length) = lengths.get_mut(leaf) {
                *length = bits as u8;
            }
        }
    }
    used
}

/// The codes of these lengths, lowest bit first, each with its length in the bits from [`CODE_BITS`] on.
pub(super) fn codes(lengths: &[u8], codes: &mut [u32]) {
    let mut counts = [0u32; MAX_BITS + 1];
    for &length in lengths {
        counts[usize::from(length) & MAX_BITS] += 1;
    }
    counts[0] = 0;
    let mut next = [0u32; MAX_BITS + 1];
    let mut code = 0;
    for (next, shorter) in next.iter_mut().skip(1).zip(counts) {
        code = (code + shorter) << 1;
        *next = code;
    }
    for (&length, packed) in lengths.iter().zip(codes) {
        *packed = 0;
        if length != 0 {
            let next = &mut next[usize::from(length) & MAX_BITS];
            *packed = (*next << (32 - u32::from(length))).reverse_bits() | u32::from(length) << CODE_BITS;
            *next += 1;
        }
    }
}

/// Bits of a packed code before its length; the extra bits of a length code may be part of them.
pub(super) const CODE_BITS: u32 = 24;
