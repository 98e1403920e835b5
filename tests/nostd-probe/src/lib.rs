//! A program without operating system that uses the core: what it does not bring along itself must not be needed.
#![no_std]
#![allow(unsafe_code)]

extern crate alloc;

use alloc::string::ToString;
use alloc::vec::Vec;
use bir_core::Result;
use bir_core::consts::Dedup;
use bir_core::doc::{ReadOptions, WriteOptions, read_json, write_json};
use bir_core::enums::bir::{Dtype, InstructionType, TensorKind};
use bir_core::ir::Place;
use bir_core::neff::walk::{Buffers, Step, Walk, WalkOptions};
use bir_core::neff::{Options, Package};
use bir_core::op::Value;
use core::alloc::{GlobalAlloc, Layout};
use core::cell::UnsafeCell;
use core::panic::PanicInfo;

const HEAP_BYTES: usize = 256 * 1024;

#[repr(align(16))]
struct Memory([u8; HEAP_BYTES]);

/// Hands out a fixed piece of memory from its start to its end and takes nothing back.
struct Bump {
    memory: UnsafeCell<Memory>,
    used: UnsafeCell<usize>,
}

// SAFETY: the program has one thread and no interrupt handlers, so nothing is shared.
unsafe impl Sync for Bump {}

// SAFETY:
// - pieces are aligned as asked for (`next_multiple_of` on the address) and lie inside `memory`;
// - they never overlap, because `used` only grows.
unsafe impl GlobalAlloc for Bump {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the pointer is that of `memory`; no reference is made.
        let base = unsafe { &raw mut (*self.memory.get()).0 }.cast::<u8>();
        // SAFETY: one thread, and no reference to `used` outlives this function.
        let used = unsafe { &mut *self.used.get() };
        let address = base as usize + *used;
        let start = *used + (address.next_multiple_of(layout.align()) - address);
        match start.checked_add(layout.size()) {
            Some(end) if end <= HEAP_BYTES => {
                *used = end;
                // SAFETY: `start` is at most `HEAP_BYTES`.
                unsafe { base.add(start) }
            }
            _ => core::ptr::null_mut(),
        }
    }

    unsafe fn dealloc(&self, _: *mut u8, _: Layout) {}
}

#[global_allocator]
static HEAP: Bump = Bump { memory: UnsafeCell::new(Memory([0; HEAP_BYTES])), used: UnsafeCell::new(0) };

#[panic_handler]
fn panic(_: &PanicInfo) -> ! {
    loop {
        core::hint::spin_loop();
    }
}

const DOCUMENT: &[u8] = br#"{"version": 2, "arch": "gen3", "functions": [{"name": "main", "allocations": [],
    "blocks": [{"name": "Block1", "instructions": [{"name": "I-0", "opcode": "NoOp"}]}]}]}"#;

/// A package that comes in pieces of a page, in memory that is known beforehand: bytes of its members.
fn arriving(package: &[u8]) -> Result<usize> {
    let (mut window, mut names, mut extended) = ([0; 1 << 15], [0; 256], [0; 1024]);
    let buffers = Buffers { window: &mut window, names: &mut names, extended: &mut extended };
    let mut walk = Walk::new(buffers, WalkOptions::default());
    let mut bytes = 0;
    for mut piece in package.chunks(4096) {
        loop {
            match walk.step(&mut piece)? {
                Step::NeedInput | Step::End => break,
                Step::Member(member) if member.name.ends_with(".npy") => walk.skip_contents(),
                Step::Data(data) => bytes += data.len(),
                Step::Header(_) | Step::Member(_) => {}
            }
        }
    }
    walk.finish()?;
    Ok(bytes)
}

/// What a loader on a device does: reads a document, changes it, writes it, merges constants, opens a package.
fn walk(package: &[u8]) -> Result<usize> {
    let module = read_json(DOCUMENT, &ReadOptions::default())?.module;
    let block = module.find_function("main").and_then(|f| f.find_block("Block1"));
    if let Some(block) = block {
        let set = module.find_function("main").map(|f| f.add_set("w_set", TensorKind::Const, Dtype::int8, Place::End));
        set.transpose()?;
        block.add_instruction(InstructionType::Memset, "I-0", Place::End)?.set("constant", &Value::Int(7))?;
    }
    let mut text = Vec::new();
    write_json(&module, &mut text, &WriteOptions::default())?;
    let mut dedup = Dedup::new();
    dedup.add("a.bin", &[1, 2, 3][..], "int8", "DRAM")?;
    dedup.add("b.bin", &[1, 2, 3][..], "int8", "DRAM")?;
    let members = Package::open(package, Options::default()).map_or(0, |p| p.members().len());
    Ok(text.len() + dedup.unique_files() + members + arriving(package).unwrap_or(0))
}

/// The entry: the length of what was written, or of the error's text.
///
/// # Safety
/// - `package` leads to `length` bytes, or is null with length 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn probe_start(package: *const u8, length: usize) -> usize {
    // SAFETY: by the caller's promise.
    let bytes = if package.is_null() { &[] } else { unsafe { core::slice::from_raw_parts(package, length) } };
    walk(bytes).unwrap_or_else(|error| error.to_string().len())
}
