//! Messages of unlike lengths side by side: a vector is of use only while its lanes are full, so a lane whose message ends
//! takes the next one at once, and messages may arrive in pieces.
#![forbid(unsafe_code)]

use super::kernel::Kernel;
use super::rounds::START;
use super::simd::{Block, Group};
use crate::consts::digest::Md5;

/// The most lanes of a [`Lanes`].
pub const MAX_LANES: usize = 32;

/// The bytes of a block.
const BLOCK: usize = 64;

/// The next piece of a message.
#[derive(Clone, Copy, Debug, Default)]
pub struct Piece<'p> {
    /// What of it has not been taken yet.
    pub bytes: &'p [u8],
    /// Whether the message ends with it.
    pub last: bool,
}

/// Up to [`MAX_LANES`] messages that are being hashed.
///
/// Begin messages with [`begin`](Self::begin), give their pieces to [`advance`](Self::advance), and take their digests with
/// [`take`](Self::take). Lanes that are in use are packed into vectors at each step, so it does not matter which ones are.
#[derive(Clone)]
pub struct Lanes {
    kernel: Kernel,
    lanes: [Lane; MAX_LANES],
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// No message.
    Idle,
    /// More of the message may come.
    Open,
    /// The last piece was taken; what is left stands in `own`.
    Closing,
    /// The digest is there.
    Done,
}

#[derive(Clone, Copy)]
struct Lane {
    stage: Stage,
    state: [u32; 4],
    /// Bytes of the message that were taken so far.
    length: u64,
    /// Blocks that no piece holds as such: over a cut between pieces, and the end with its padding.
    own: [Block; 2],
    /// Bytes in `own` that are no full block yet.
    carried: usize,
    /// The blocks of `own` that are full and not hashed yet.
    from: usize,
    to: usize,
}

impl Lane {
    const IDLE: Lane =
        Lane { stage: Stage::Idle, state: START, length: 0, own: [[[0; 16]; 4]; 2], carried: 0, from: 0, to: 0 };

    /// Makes the next blocks ready. Returns whether the caller is asked: the message is done or its piece used up.
    fn prepare(&mut self, piece: &mut Piece<'_>) -> bool {
        if self.from < self.to {
            return false;
        }
        match self.stage {
            Stage::Idle => return false,
            Stage::Done => return true,
            Stage::Closing => {
                self.stage = Stage::Done;
                return true;
            }
            Stage::Open => {}
        }
        if self.carried == 0 && piece.bytes.len() >= BLOCK {
            return false;
        }
        let own = self.own.as_flattened_mut().as_flattened_mut();
        let room = own.get_mut(self.carried..BLOCK).unwrap_or_default();
        let taken = room.len().min(piece.bytes.len());
        let (now, later) = piece.bytes.split_at_checked(taken).unwrap_or_default();
        room.iter_mut().zip(now).for_each(|(to, from)| *to = *from);
        piece.bytes = later;
        self.length = self.length.wrapping_add(taken as u64);
        self.carried += taken;
        if self.carried == BLOCK {
            (self.carried, self.from, self.to) = (0, 0, 1);
            return false;
        }
        if !piece.last {
            return true;
        }
        self.pad();
        false
    }

    /// Closes the message: a one bit, zeros, and the length in bits as 64 of them, in one block or two.
    fn pad(&mut self) {
        let own = self.own.as_flattened_mut().as_flattened_mut();
        let end = if self.carried + 9 <= BLOCK { BLOCK } else { 2 * BLOCK };
        let length = self.length.wrapping_mul(8).to_le_bytes();
        let padding = core::iter::once(0x80).chain(core::iter::repeat(0));
        own.iter_mut().take(end - 8).skip(self.carried).zip(padding).for_each(|(to, from)| *to = from);
        own.iter_mut().take(end).skip(end - 8).zip(length).for_each(|(to, from)| *to = from);
        (self.stage, self.carried, self.from, self.to) = (Stage::Closing, 0, 0, end / BLOCK);
    }

    /// The blocks that come next, empty for a lane without a message.
    fn blocks<'b>(&'b self, piece: &Piece<'b>) -> &'b [Block] {
        match self.own.get(self.from..self.to) {
            Some(own) if !own.is_empty() => own,
            _ if self.stage == Stage::Open => blocks(piece.bytes),
            _ => &[],
        }
    }

    /// Leaves `count` of the blocks behind.
    fn passed(&mut self, piece: &mut Piece<'_>, count: usize) {
        if self.from < self.to {
            self.from += count;
        } else {
            let bytes = count * BLOCK;
            self.length = self.length.wrapping_add(bytes as u64);
            piece.bytes = piece.bytes.get(bytes..).unwrap_or_default();
        }
    }
}

/// The whole blocks at the start of `bytes`.
fn blocks(bytes: &[u8]) -> &[Block] {
    bytes.as_chunks::<16>().0.as_chunks::<4>().0
}

impl Lanes {
    /// No messages yet.
    pub fn new(kernel: Kernel) -> Lanes {
        Lanes { kernel, lanes: [Lane::IDLE; MAX_LANES] }
    }

    /// Begins a message in `lane`; one that was there is given up. Lanes from [`MAX_LANES`] on do not exist and are never
    /// done.
    pub fn begin(&mut self, lane: usize) {
        if let Some(lane) = self.lanes.get_mut(lane) {
            *lane = Lane { stage: Stage::Open, ..Lane::IDLE };
        }
    }

    /// Gives up the message in `lane`.
    pub fn stop(&mut self, lane: usize) {
        if let Some(lane) = self.lanes.get_mut(lane) {
            lane.stage = Stage::Idle;
        }
    }

    /// Goes on in the lane `to` with a copy of the message in `from`, as far as it was taken.
    pub fn copy(&mut self, from: usize, to: usize) {
        if let Some(from) = self.lanes.get(from).copied()
            && let Some(to) = self.lanes.get_mut(to)
        {
            *to = from;
        }
    }

    /// The digest of the message in `lane` if it is done; the lane is free then.
    pub fn take(&mut self, lane: usize) -> Option<Md5> {
        let lane = self.lanes.get_mut(lane).filter(|lane| lane.stage == Stage::Done)?;
        lane.stage = Stage::Idle;
        let mut digest = [0; 16];
        for (to, word) in digest.as_chunks_mut::<4>().0.iter_mut().zip(lane.state) {
            *to = word.to_le_bytes();
        }
        Some(digest)
    }

    /// Hashes on, with the next piece of each lane, until a message is done or a piece is used up; pieces shrink by what
    /// was taken. Those of lanes without a message are not looked at, and neither are lanes beyond `pieces`.
    ///
    /// Returns at once if a lane has nothing to go on with, so give each a new piece before the next call.
    pub fn advance(&mut self, pieces: &mut [Piece<'_>]) {
        loop {
            let mut asks = false;
            for (lane, piece) in self.lanes.iter_mut().zip(pieces.iter_mut()) {
                asks |= lane.prepare(piece);
            }
            let mut active = [0; MAX_LANES];
            let (mut messages, mut run) = (0, usize::MAX);
            for (i, (lane, piece)) in self.lanes.iter().zip(pieces.iter()).enumerate() {
                let count = lane.blocks(piece).len();
                if count > 0
                    && let Some(slot) = active.get_mut(messages)
                {
                    *slot = i;
                    messages += 1;
                    run = run.min(count);
                }
            }
            if asks || messages == 0 {
                return;
            }
            let active = active.get(..messages).unwrap_or_default();
            for active in active.chunks(self.kernel.lanes()) {
                self.run(active, pieces, run);
            }
            for &i in active {
                if let (Some(lane), Some(piece)) = (self.lanes.get_mut(i), pieces.get_mut(i)) {
                    lane.passed(piece, run);
                }
            }
        }
    }

    /// Hashes the next `run` blocks of these lanes, as many as the kernel takes at once.
    fn run(&mut self, active: &[usize], pieces: &[Piece<'_>], run: usize) {
        let mut groups = [Group::EMPTY; 2];
        for (n, &i) in active.iter().enumerate() {
            let (group, slot) = self.kernel.place(n);
            if let (Some(group), Some(lane), Some(piece)) = (groups.get_mut(group), self.lanes.get(i), pieces.get(i)) {
                for (words, word) in group.state.iter_mut().zip(lane.state) {
                    if let Some(to) = words.get_mut(slot) {
                        *to = word;
                    }
                }
                if let Some(data) = group.data.get_mut(slot) {
                    *data = lane.blocks(piece);
                }
            }
        }
        self.kernel.compress(&mut groups, active.len(), run);
        let states = groups.map(|group| group.state);
        for (n, &i) in active.iter().enumerate() {
            let (group, slot) = self.kernel.place(n);
            if let (Some(state), Some(lane)) = (states.get(group), self.lanes.get_mut(i)) {
                for (word, words) in lane.state.iter_mut().zip(state) {
                    *word = words.get(slot).copied().unwrap_or_default();
                }
            }
        }
    }
}
