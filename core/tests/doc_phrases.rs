//! What the writer remembers of texts that come again changes nothing but its speed: an output that remembers nothing gives the
//! same bytes, whichever fields instructions have and however they are nested.
mod fields;
mod rich;
mod samples;

use bir_core::Result;
use bir_core::doc::{JsonOut, Output, ReadOptions, Style, WriteOptions, read_json, write, write_json};
use bir_core::enums::bir::{
    Dtype, EdgeKind, EngineType, InstructionType as Op, MemoryType, NamedObjectOrigin, TensorKind,
};
use bir_core::enums::bir::{UpdateMode, WaitMode};
use bir_core::ir::{
    APPair, BasicBlock, EdgeSet, Instruction, MemoryLocation, Module, ModuleRef, OperandList, OperandSpec, Place,
    Update, Wait,
};
use bir_core::op::OpcodeInfo;
use fields::Fixture;
use proptest::prelude::*;

/// JSON text without any of the shortcuts.
struct Bare<'s>(JsonOut<'s, Vec<u8>>);

impl Output for Bare<'_> {
    const LENGTHS: bool = false;

    fn begin_object(&mut self) -> Result<()> {
        self.0.begin_object()
    }
    fn key(&mut self, key: &str) -> Result<()> {
        self.0.key(key)
    }
    fn end_object(&mut self) -> Result<()> {
        self.0.end_object()
    }
    fn begin_array(&mut self) -> Result<()> {
        self.0.begin_array()
    }
    fn end_array(&mut self) -> Result<()> {
        self.0.end_array()
    }
    fn string(&mut self, text: &str) -> Result<()> {
        self.0.string(text)
    }
    fn i64(&mut self, value: i64) -> Result<()> {
        self.0.i64(value)
    }
    fn u64(&mut self, value: u64) -> Result<()> {
        self.0.u64(value)
    }
    // The text of an `f32` is that of the `f64` that a reader makes of it.
    fn f32(&mut self, value: f32) -> Result<()> {
        match format!("{value:e}").parse::<f64>() {
            Ok(read) if (read as f32).to_bits() == value.to_bits() => self.0.f64(read),
            _ => self.0.f64(value.into()),
        }
    }
    fn f64(&mut self, value: f64) -> Result<()> {
        self.0.f64(value)
    }
    fn bool(&mut self, value: bool) -> Result<()> {
        self.0.bool(value)
    }
    fn null(&mut self) -> Result<()> {
        self.0.null()
    }
    fn finish(self) -> Result<()> {
        self.0.finish()
    }
}

#[track_caller]
fn compare(module: &ModuleRef, what: &str) {
    for (compact, explicit) in [(false, false), (true, false), (false, true), (true, true)] {
        let options = WriteOptions { compact, explicit };
        let mut bare = Vec::new();
        let style = if compact { Style::Compact } else { Style::Pretty };
        write(module, Bare(JsonOut::new(&mut bare, style)), &options).unwrap();
        let mut text = Vec::new();
        write_json(module, &mut text, &options).unwrap();
        samples::same(
            &String::from_utf8(text).unwrap(),
            &String::from_utf8(bare).unwrap(),
            &format!("{what}, compact {compact}, explicit {explicit}"),
        );
    }
}

#[test]
fn documents_and_everything_that_a_module_can_hold() -> Result<()> {
    compare(&*rich::rich()?, "the rich module");
    for (name, text) in samples::documents().into_iter().chain(samples::families()) {
        compare(&read_json(text.as_bytes(), &ReadOptions::default())?.module, &name);
    }
    Ok(())
}

/// Bytes around the lengths that are copied together, and such as need an escape.
const NAMES: [&str; 10] = [
    "",
    "x",
    "tile",
    "a_b_c_d",
    "fifteen bytes__",
    "sixteen bytes___",
    "thirty-one bytes_______________",
    "thirty-three bytes_______________",
    "quoted \"name\" \\ with\nlines and é",
    "a name that is longer than what is remembered of any text between two values, which has one hundred and more",
];
const DEBUGS: [&str; 8] = [
    r#"{"lineno":176}"#,
    r#"{"a":"é","b":-7,"c":true,"d":null}"#,
    r#"{"b":1,"a":2}"#,
    r#"{"a":1.5,"b":[1,{"c":[]}]}"#,
    r#"{"lineno": 176}"#,
    r#"{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8,"i":9}"#,
    "{}",
    r#"{"a":"\"","b":-0,"c":123456789012345678901234}"#,
];
const FLOATS: [f32; 8] = [0.0, -0.0, 1.0, -512.0, 0.088_388_346, 1.0e-30, f32::INFINITY, 16_777_216.0];
const DTYPES: [Dtype; 4] = [Dtype::float32, Dtype::bfloat16, Dtype::int32, Dtype::uint8];

/// An instruction: the opcode, which of its fields are set, which header keys, and a number to choose with.
type Plan = (usize, u64, u32, usize);

fn operands<'m>(i: &'m Instruction, location: &'m MemoryLocation, bits: u32, number: usize) -> Result<()> {
    for k in 0..bits as usize % 4 {
        let dtype = DTYPES[(number + k) % DTYPES.len()];
        let pattern: Vec<APPair> = (0..=(number + k) % 4)
            .map(|d| APPair {
                step: [1, -512, 40_000, i64::MIN][(d + k) % 4],
                num: [128, 7, 99_999, 1][(d + number) % 4],
            })
            .collect();
        let spec = OperandSpec::Physical { location, dtype, pattern: &pattern, offset: (number % 3 * 4_321) as u64 };
        let operand = i.add_operand(OperandList::ALL[(number + k) % 3], &spec, Place::End)?;
        if (bits >> 2) & 7 == 0 {
            operand.set_access_shape(&[128, u64::MAX])?;
        }
        let bits = FLOATS[(number + k) % FLOATS.len()].to_bits();
        let bits = if dtype == Dtype::float32 { bits.into() } else { (number % 200) as u64 };
        if !k.is_multiple_of(2) && dtype != Dtype::bfloat16 {
            i.add_operand(OperandList::Ins, &OperandSpec::Immediate { dtype, bits }, Place::End)?;
        }
    }
    Ok(())
}

fn header<'m>(i: &'m Instruction, others: &[&'m Instruction], bits: u32, number: usize) -> Result<()> {
    let has = |bit: u32| bits >> bit & 1 == 1;
    i.set_engine(EngineType::MEMBERS[number % EngineType::MEMBERS.len()]);
    i.set_origin(NamedObjectOrigin::MEMBERS[number % NamedObjectOrigin::MEMBERS.len()]);
    i.set_engine_id([0, 1, 10_000, u32::MAX][number % 4]);
    i.set_debug_json(has(5).then_some(DEBUGS[number % DEBUGS.len()]))?;
    if has(6) {
        i.set_schedule(-(number as i64), [9, 99, 12_345, i64::MAX][number % 4])?;
    }
    if has(7) {
        i.set_optin_passes(&NAMES[..number % 3])?;
    }
    if has(8) {
        i.add_update(Update {
            id: 7,
            value: 2,
            mode: UpdateMode::MEMBERS[number % 2],
            sync_type: 0,
            target_core: None,
        })?;
    }
    if has(9) {
        let from = others.last().copied();
        i.add_wait(Wait { id: 3, value: 16, mode: WaitMode::MEMBERS[number % 2], sync_type: 0, from })?;
    }
    if has(10) {
        i.set_debug_update_semaphore(Some(6))?;
    }
    for (k, other) in others.iter().rev().take(number % 4).enumerate() {
        let set = if has(11 + k as u32) { EdgeSet::LoopCarried } else { EdgeSet::Normal };
        i.add_dependency(other, EdgeKind::MEMBERS[1 + (number + k) % 4], set)?;
    }
    Ok(())
}

/// Instructions as planned, one after the other, and some of them in the bodies of loops.
fn build(plans: &[Plan]) -> Result<Module> {
    let module = Module::new()?;
    let fixture = Fixture::new(&module)?;
    let main = module.find_function("main").unwrap();
    let mut locations = Vec::new();
    for name in &NAMES[1..] {
        let set = main.add_set(&format!("{name}_set"), TensorKind::Internal, Dtype::float32, Place::End)?.object;
        locations.push(set.add_location(name, MemoryType::SB, Place::End)?.object);
    }
    let mut block: &BasicBlock = fixture.block;
    let mut made: Vec<&Instruction> = Vec::new();
    for (at, &(opcode, mask, bits, number)) in plans.iter().enumerate() {
        let opcode = Op::MEMBERS[opcode % Op::MEMBERS.len()];
        let name = format!("{}{at}", NAMES[number % NAMES.len()]);
        let i = block.add_instruction(opcode, &name, Place::End)?.object;
        match opcode {
            Op::Loop => {
                i.set_loop_axis("i", 1, 9, 2)?;
            }
            Op::DynamicForLoop => {
                let one = module.expression(module.affine(&[], 1)?)?;
                i.set_dynamic_axis("j", one, one, one)?;
            }
            _ => {}
        }
        for (k, field) in OpcodeInfo::of(opcode).fields.iter().enumerate() {
            if mask >> (k % 64) & 1 == 1
                && let Some(value) = fixture.other_value(field, mask >> 63 == 1)?
            {
                i.set_field(field, &value)?;
            }
        }
        header(i, &made, bits, number)?;
        if (bits >> 16) & 1 == 1 {
            operands(i, locations[number % locations.len()], bits, number)?;
        }
        made.push(i);
        // Into the loop, or out of all.
        if matches!(opcode, Op::Loop | Op::DoWhile) {
            block = i.block_holder().unwrap().add_block("body", Place::End)?.object;
        } else if number.is_multiple_of(5) {
            block = fixture.block;
        }
    }
    Ok(module)
}

#[test]
fn all_opcodes_with_all_fields_and_with_none() -> Result<()> {
    for mask in [0, u64::MAX, u64::MAX >> 1, 0x5555_5555_5555_5555] {
        let twice = (0..2 * Op::MEMBERS.len()).map(|k| (k / 2, mask, (k as u32).wrapping_mul(0x9E37_79B9), k));
        compare(&*build(&twice.collect::<Vec<_>>())?, &format!("{mask:#x}"));
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    /// Few opcodes, so that each comes several times with other fields.
    #[test]
    fn any_instructions(
        opcodes in prop::collection::vec(any::<usize>(), 1..5),
        plans in prop::collection::vec((any::<usize>(), any::<u64>(), any::<u32>(), any::<usize>()), 0..40),
    ) {
        let loops = [Op::Loop as usize, Op::DoWhile as usize];
        let opcodes: Vec<usize> = opcodes.into_iter().chain(loops).collect();
        let plans: Vec<Plan> = plans.into_iter().map(|(o, m, b, n)| (opcodes[o % opcodes.len()], m, b, n % 1000)).collect();
        compare(&build(&plans).unwrap(), "a module");
    }
}
