//! The frame of a lowered kernel: blocks, names, edges, compiler-made tensors, registers, and kernels that are out of order.
use bir_core::doc::{WriteOptions, write_json};
use bir_core::enums::bir::{Dtype, EngineType, InstructionType, MemoryAddressSpace, MemoryType, TensorKind};
use bir_core::enums::klr;
use bir_core::ir::{EdgeSet, Function, Instruction};
use bir_core::klr::ast::*;
use bir_core::lower::{LowerOptions, Lowered, lower_kernel};

fn leak<T>(value: T) -> &'static T {
    Box::leak(Box::new(value))
}

/// A tensor of 128 x `elements` of float32 in SB at an offset.
fn tensor(name: &'static str, elements: u64, offset: Option<u64>) -> TensorName<'static> {
    TensorName {
        name,
        dtype: klr::Dtype::float32,
        shape: Shape { par_dim: 128, free_dims: vec![elements].leak() },
        address: Address {
            name,
            memory: klr::Memory::sbuf,
            par_size: 128,
            free_size: elements.saturating_mul(4),
            par_offset: offset.map(|_| 0),
            free_offset: offset,
            is_shared: false,
        },
        free_elements: elements,
        address_rotation: false,
    }
}

fn whole(tensor: TensorName<'static>) -> TensorRef<'static> {
    TensorRef::Abstract(Access::Simple(leak(tensor)))
}

fn t(offset: u64) -> TensorRef<'static> {
    whole(tensor("t", 8, Some(offset)))
}

fn statement(op: Operator<'static>, name: Option<&'static str>) -> Stmt<'static> {
    Stmt { op, name, pos: Pos { line: 3, column: 5, line_end: None, column_end: None, filename: Some("k.py") } }
}

fn memset(name: &'static str) -> Stmt<'static> {
    let record = MemSet { dst: t(0), value: Immediate::Int(1), dtype: klr::Dtype::float32, engine: klr::Engine::pool };
    statement(Operator::MemSet(leak(record)), Some(name))
}

fn branch(op: klr::BrCmpOp, to: &'static str, or: &'static str) -> Stmt<'static> {
    let record = CmpBranch { reg1: "r", reg2: "s", imm: 4, op, true_label: to, false_label: or };
    statement(Operator::CmpBranch(leak(record)), None)
}

fn jump(to: &'static str) -> Stmt<'static> {
    branch(klr::BrCmpOp::always, to, "ignored")
}

fn set_register(name: &'static str) -> Stmt<'static> {
    statement(Operator::RegisterMove(leak(RegisterMove { dst: name, imm: -7 })), None)
}

fn block(label: &'static str, no_reorder: bool, body: Vec<Stmt<'static>>) -> Block<'static> {
    Block { label, no_reorder, body: body.leak() }
}

fn kernel(blocks: Vec<Block<'static>>) -> LncKernel<'static> {
    LncKernel {
        name: "k",
        inputs: &[],
        outputs: &[],
        bodies: vec![&*blocks.leak()].leak(),
        shared_constants: &[],
        shared_buffers: &[],
        edges: &[],
    }
}

fn lower(kernel: &LncKernel<'static>) -> Lowered {
    let lowered = lower_kernel(kernel, &LowerOptions::default()).unwrap();
    // Whatever the findings, what came out is a document.
    let mut bytes = Vec::new();
    write_json(&lowered.module, &mut bytes, &WriteOptions::default()).unwrap();
    lowered
}

fn good(blocks: Vec<Block<'static>>) -> Lowered {
    let lowered = lower(&kernel(blocks));
    assert!(lowered.diagnostics.is_empty(), "{:?}", lowered.diagnostics);
    lowered
}

fn ids(lowered: &Lowered) -> Vec<&'static str> {
    lowered.diagnostics.iter().map(|d| d.id).collect()
}

fn function(lowered: &Lowered) -> &Function {
    lowered.module.functions().next().unwrap()
}

/// (block, names of its instructions).
fn names(lowered: &Lowered) -> Vec<(String, Vec<String>)> {
    let name = |i: &Instruction| i.name().to_string();
    function(lowered).blocks().map(|b| (b.name().to_string(), b.instructions().map(name).collect())).collect()
}

fn row(block: &str, names: &[&str]) -> (String, Vec<String>) {
    (block.to_owned(), names.iter().map(|n| (*n).to_owned()).collect())
}

#[test]
fn a_no_reorder_block_stands_where_the_branch_to_it_was() {
    let lowered = good(vec![
        block("a", false, vec![memset("m1"), jump("b")]),
        block("b", true, vec![memset("m2"), jump("c")]),
        block("c", false, vec![memset("m3")]),
    ]);
    // The branch of b is the third instruction; the one of a is gone.
    assert_eq!(names(&lowered), [row("a", &["m1", "m2", "UnconditionalBranch-2"]), row("c", &["m3"])]);
    let jump = function(&lowered).find_instruction("UnconditionalBranch-2").unwrap();
    assert_eq!(jump.as_unconditional_branch().unwrap().target().unwrap().unwrap().name(), "c");
    assert_eq!(jump.engine().unwrap(), EngineType::ALL);
    assert_eq!(
        jump.debug_json().unwrap(),
        r#"{"column":5,"filename":"k.py","kernel":"k","label":"nki-op","lineno":3}"#
    );
}

#[test]
fn a_no_reorder_block_with_two_ways_to_it_stays() {
    let lowered = good(vec![
        block("a", false, vec![set_register("r"), branch(klr::BrCmpOp::lt_imm, "b", "c")]),
        block("b", true, vec![memset("m"), jump("c")]),
        block("c", false, vec![memset("n")]),
    ]);
    assert_eq!(
        names(&lowered),
        [row("a", &["RegisterMove-0", "CmpAndBranch-1"]), row("b", &["m", "UnconditionalBranch-3"]), row("c", &["n"])]
    );
    let compare = function(&lowered).find_instruction("CmpAndBranch-1").unwrap();
    let payload = compare.as_compare_and_branch().unwrap();
    assert_eq!(payload.comp_op().unwrap().name(), "IS_LTIMM");
    assert_eq!(payload.on_false().unwrap().unwrap().name(), "c");
    let ins: Vec<_> = compare.ins().collect();
    assert_eq!(ins[0].register(0).unwrap().name(), "r");
    assert_eq!((ins[1].immediate_bits(), ins.len()), (Some(4), 2));
}

#[test]
fn an_empty_last_block_leads_to_the_resume_block() {
    let lowered = good(vec![block("a", false, vec![jump("end")]), block("end", false, Vec::new())]);
    let resume = "k-RESUME-Block-compiler-inserted";
    assert_eq!(
        names(&lowered),
        [row("a", &["UnconditionalBranch-0"]), row("end", &["UnconditionalBranch-1"]), row(resume, &[])]
    );
    let jump = function(&lowered).find_instruction("UnconditionalBranch-1").unwrap();
    assert_eq!(jump.as_unconditional_branch().unwrap().target().unwrap().unwrap().name(), resume);
    // A last block with statements needs no terminator.
    assert_eq!(names(&good(vec![block("a", false, vec![memset("m")])])), [row("a", &["m"])]);
}

#[test]
fn names_that_are_taken_get_a_number() {
    let lowered = good(vec![block("a", false, vec![memset("m"), memset("m")]), block("b", false, vec![memset("m")])]);
    assert_eq!(names(&lowered), [row("a", &["m", "m_1"]), row("b", &["m"])]);
}

#[test]
fn blocks_that_do_not_exist_or_exist_twice_are_named() {
    let lowered = lower(&kernel(vec![
        block("a", false, vec![jump("nowhere"), set_register("r"), branch(klr::BrCmpOp::ge_imm, "a", "nowhere")]),
        block("a", false, vec![memset("m")]),
        block("c", true, vec![memset("n")]),
    ]));
    assert_eq!(ids(&lowered), ["duplicate_label", "no_reorder", "unknown_label", "unknown_label"]);
    assert_eq!(lowered.diagnostics[2].message, "The block nowhere does not exist");
    assert_eq!(lowered.diagnostics[3].field.as_deref(), Some("falseLabel"));
    assert_eq!(lowered.diagnostics[3].statement.as_deref(), Some("#2"));
    assert_eq!(names(&lowered), [row("a", &["RegisterMove-0"]), row("a_1", &["m"]), row("c", &["n"])]);
}

#[test]
fn registers_are_made_by_moves_and_only_looked_up_by_branches() {
    let compare = branch(klr::BrCmpOp::eq_reg, "a", "a");
    let lowered = lower(&kernel(vec![block("a", false, vec![set_register("r"), compare])]));
    assert_eq!(ids(&lowered), ["unknown_register"]);
    assert_eq!(lowered.diagnostics[0].message, "The register s does not exist");
    assert_eq!(lowered.diagnostics[0].field.as_deref(), Some("reg2"));

    let lowered = good(vec![block("a", false, vec![set_register("r"), set_register("s"), compare])]);
    let registers: Vec<_> =
        function(&lowered).registers().map(|r| (r.name().to_string(), r.num_physical_regs())).collect();
    assert_eq!(registers, [("r".to_owned(), 1), ("s".to_owned(), 1)]);
    let set = function(&lowered).find_instruction("RegisterMove-0").unwrap();
    let value = set.ins().next().unwrap();
    assert_eq!((value.dtype().unwrap(), value.immediate_bits()), (Dtype::int32, Some(0xffff_fff9)));
    assert_eq!(set.outs().next().unwrap().dtype().unwrap(), Dtype::int32);
}

#[test]
fn numbers_beyond_32_bits_are_refused() {
    let far = statement(Operator::RegisterMove(leak(RegisterMove { dst: "r", imm: 1 << 40 })), Some("far"));
    let lowered = lower(&kernel(vec![block("a", false, vec![far])]));
    assert_eq!(ids(&lowered), ["number_range"]);
    assert_eq!(lowered.diagnostics[0].message, "The number 1099511627776 is out of range");
    assert_eq!(function(&lowered).registers().count(), 0);
}

#[test]
fn tensors_of_one_name_must_agree() {
    let set = |tensor| {
        let record = Rng { dst: whole(tensor), engine: klr::Engine::dve };
        statement(Operator::Rng(leak(record)), None)
    };
    let statements = vec![set(tensor("t", 8, Some(0))), set(tensor("t", 9, Some(0))), set(tensor("t", 8, Some(64)))];
    let lowered = lower(&kernel(vec![block("a", false, statements)]));
    assert_eq!(ids(&lowered), ["tensor_conflict", "tensor_address"]);
    assert!(!lowered.is_good());
    assert_eq!(lowered.errors().count(), 1);
    assert_eq!(function(&lowered).instructions().count(), 2);
    assert_eq!(function(&lowered).sets().count(), 1);
}

#[test]
fn tensors_beyond_a_location_are_refused() {
    let set = |tensor| statement(Operator::SetRngSeed(leak(SetRngSeed { src: whole(tensor) })), None);
    let mut far = tensor("far", 1, Some(0));
    far.address.par_offset = Some(1 << 33);
    let mut registers = tensor("registers", 1, None);
    registers.address.memory = klr::Memory::reg;
    let statements =
        vec![set(tensor("wide", 1 << 31, None)), set(tensor("wider", u64::MAX, None)), set(far), set(registers)];
    let lowered = lower(&kernel(vec![block("a", false, statements)]));
    assert_eq!(ids(&lowered), ["tensor_size", "tensor_size", "tensor_size", "tensor_memory"]);
    assert_eq!(function(&lowered).storage_count(), 0);
}

#[test]
fn places_in_psum_and_shared_memory() {
    let mut psum = tensor("p", 16, Some(2048 * 3 + 64));
    psum.address.memory = klr::Memory::psum;
    psum.address.par_offset = Some(32);
    let mut shared = tensor("h", 16, None);
    shared.address.memory = klr::Memory::shared_hbm;
    let mut kernel = kernel(vec![]);
    kernel.inputs = vec![psum].leak();
    kernel.outputs = vec![shared].leak();
    kernel.shared_buffers = vec![tensor("u", 16, None)].leak();
    let lowered = lower(&kernel);
    let location = |name: &str| function(&lowered).find_location(name).unwrap();
    let p = location("p");
    assert_eq!((p.memory_type().unwrap(), p.bank(), p.addr(), p.base_partition()), (MemoryType::PSUM, 3, 64, 32));
    assert_eq!((p.is_allocated(), p.dims().collect::<Vec<_>>()), (true, vec![128, 64]));
    let h = location("h").set().unwrap();
    assert_eq!((h.addr_space().unwrap(), h.kind().unwrap()), (MemoryAddressSpace::Shared, TensorKind::Output));
    let u = location("u");
    assert_eq!((u.is_allocated(), u.set().unwrap().kind().unwrap()), (false, TensorKind::Internal));
    assert_eq!(location("p").set().unwrap().kind().unwrap(), TensorKind::Input);
}

#[test]
fn a_constant_takes_type_and_shape_from_its_first_use() {
    let mut kernel = kernel(vec![block("a", false, vec![memset("m")])]);
    let constant = |name| SharedConstantFile { name, file_name: "shared_constants/0.npy" };
    kernel.shared_constants = vec![constant("t"), constant("unused"), constant("t")].leak();
    let lowered = lower(&kernel);
    assert_eq!(ids(&lowered), ["constant_conflict"]);
    let sets: Vec<_> = function(&lowered).sets().map(|s| (s.name().to_string(), s.dtype().unwrap())).collect();
    assert_eq!(sets, [("t_set".to_owned(), Dtype::float32), ("unused_set".to_owned(), Dtype::uint8)]);
    let t = function(&lowered).find_location("t").unwrap();
    assert_eq!((t.memory_type().unwrap(), t.dims().collect::<Vec<_>>()), (MemoryType::SB, vec![128, 32]));
    assert_eq!(t.set().unwrap().kind().unwrap(), TensorKind::Const);
    assert_eq!(t.set().unwrap().file(), "shared_constants/0.npy");
}

fn activation(name: &'static str) -> Stmt<'static> {
    let record = NcActivate {
        dst: t(0),
        src: t(0),
        accumulator_cmd: klr::AccumCmd::Idle,
        activation_func: klr::ActivationFunc::exp,
        scale: Operand::Imm(Immediate::Float(2.0)),
        bias: None,
        reduce_op: None,
        reduce_res: None,
        dtype: None,
    };
    statement(Operator::NcActivate(leak(record)), Some(name))
}

fn transpose(name: &'static str, dtype: klr::Dtype) -> Stmt<'static> {
    let mut target = tensor(if dtype == klr::Dtype::bfloat16 { "b" } else { "i" }, 128, Some(64));
    target.dtype = dtype;
    let record = Transpose { dst: whole(target), src: t(0), dtype: None, engine: klr::Engine::unassigned };
    statement(Operator::Transpose(leak(record)), Some(name))
}

/// One zero bias per kernel and one identity per type, filled at the start, placed behind the kernel's tensors.
#[test]
fn tensors_of_the_compiler() {
    let lowered = good(vec![
        block("a", false, vec![memset("m"), jump("b")]),
        block(
            "b",
            false,
            vec![
                activation("x"),
                transpose("p", klr::Dtype::bfloat16),
                activation("y"),
                transpose("q", klr::Dtype::bfloat16),
                transpose("r", klr::Dtype::int8),
            ],
        ),
    ]);
    let bias = "COMPILER-GENERATED-memset_zero_bias_0";
    let id = |dtype: &str, what: &str| format!("COMPILER-GENERATED-id.{dtype}{what}");
    let fill = "=IDAffineSelect(mask,fill=1)";
    let (clear, set) = (id("bfloat16", "_memset"), id("bfloat16", fill));
    let (clear8, set8) = (id("int8", "_memset"), id("int8", fill));
    assert_eq!(
        names(&lowered),
        [
            row("a", &[bias, &clear, &set, &clear8, &set8, "m", "UnconditionalBranch-1"]),
            row("b", &["x", "p", "y", "q", "r"])
        ]
    );
    let function = function(&lowered);
    let x = function.find_instruction("x").unwrap();
    let operand = x.ins().nth(1).unwrap();
    assert_eq!(operand.memory_location().unwrap().name(), "COMPILER-GENERATED-zero_bias_act_0");
    assert_eq!(operand.pattern().map(|p| (p.step, p.num)).collect::<Vec<_>>(), [(1, 128), (1, 1)]);
    let stationary = function.find_instruction("p").unwrap().ins().nth(1).unwrap();
    assert_eq!(stationary.memory_location().unwrap().name(), "COMPILER-GENERATED-id.bfloat16");
    assert_eq!(stationary.pattern().map(|p| (p.step, p.num)).collect::<Vec<_>>(), [(128, 128), (1, 128)]);
    let select = function.find_instruction(&set).unwrap();
    assert_eq!(select.opcode().unwrap(), InstructionType::TensorScalarAffineSelect);
    let payload = select.as_tensor_scalar_affine_select().unwrap();
    assert_eq!((payload.compare_op().unwrap().name(), payload.fill_value().unwrap()), ("not_equal", 1.0));
    assert_eq!(payload.base().unwrap().constant(), Some(0));
    assert_eq!(payload.channel_multiplier().unwrap().constant(), Some(1));
    let pattern = payload.pattern().unwrap();
    assert_eq!(pattern.iter().map(|p| (p.step, p.num)).collect::<Vec<_>>(), [(-1, 128)]);

    // `i` ends at 64 + 128 and `b` at 64 + 256 bytes; the bias has 4 bytes, the identities 256 and 128.
    let place = |name: &str| {
        let location = function.find_location(name).unwrap();
        (location.is_allocated(), location.addr())
    };
    assert_eq!(place("COMPILER-GENERATED-zero_bias_act_0"), (true, 320));
    assert_eq!(place("COMPILER-GENERATED-id.bfloat16"), (true, 324));
    assert_eq!(place("COMPILER-GENERATED-id.int8"), (true, 580));
}

#[test]
fn tensors_of_the_compiler_need_room() {
    let record = Rng { dst: whole(tensor("big", 0x30000 / 4, Some(0))), engine: klr::Engine::dve };
    let big = statement(Operator::Rng(leak(record)), None);
    let lowered = lower(&kernel(vec![block("a", false, vec![big, activation("x")])]));
    assert_eq!(ids(&lowered), ["unplaced"]);
    assert!(lowered.is_good());
    assert!(!function(&lowered).find_location("COMPILER-GENERATED-zero_bias_act_0").unwrap().is_allocated());
}

#[test]
fn edges_lead_from_source_to_targets() {
    let mut kernel = kernel(vec![
        block("a", false, vec![memset("m"), memset("n"), branch(klr::BrCmpOp::always, "b", ""), memset("o")]),
        block("b", false, vec![memset("p")]),
    ]);
    let far = statement(Operator::RegisterMove(leak(RegisterMove { dst: "r", imm: i64::MAX })), Some("refused"));
    let other = vec![block("c", false, vec![memset("elsewhere"), far])].leak();
    let first = kernel.bodies[0];
    kernel.bodies = vec![first, &*other].leak();
    let edge = |from, to: &[&'static str]| Edges { from_edge: from, to_edges: to.to_vec().leak() };
    kernel.edges = vec![
        edge("m", &["n", "p", "n"]),
        edge("m", &["elsewhere"]),
        edge("n", &["n", "missing"]),
        edge("lost", &["o"]),
    ]
    .leak();
    let options = LowerOptions { core_id: Some(0), ..LowerOptions::default() };
    let lowered = lower_kernel(&kernel, &options).unwrap();
    assert_eq!(ids(&lowered), ["edge_self", "edge_name", "edge_name"]);
    assert_eq!(
        lowered.diagnostics[2].to_string(),
        "kernel k, field edges[3].fromEdge: lost is not found, unable to complete dependency edge insertion"
    );
    let waits = |name: &str| {
        let instruction = function(&lowered).find_instruction(name).unwrap();
        instruction.dependencies(EdgeSet::Normal).map(|e| e.target.name().to_string()).collect::<Vec<_>>()
    };
    assert_eq!(
        (waits("n"), waits("p"), waits("o"), waits("m")),
        (vec!["m".to_owned()], vec!["m".to_owned()], vec![], vec![])
    );

    // A statement that was refused has been reported already.
    kernel.edges = vec![edge("elsewhere", &["refused"])].leak();
    let lowered = lower_kernel(&kernel, &LowerOptions { core_id: Some(1), ..options }).unwrap();
    assert_eq!(ids(&lowered), ["number_range"]);
}

#[test]
fn kernels_of_nothing() {
    assert_eq!(names(&good(vec![])), []);
    let mut none = kernel(vec![]);
    none.bodies = &[];
    assert!(lower(&none).is_good());
    none.name = "";
    assert_eq!(function(&lower(&none)).name(), "");
}

/// The pattern of a statement that loads.
fn load(pattern: BirAccessPattern<'static>) -> Stmt<'static> {
    let src = TensorRef::Abstract(Access::BirPattern(leak(pattern)));
    statement(Operator::TensorLoad(leak(TensorLoad { dst: "r", src })), None)
}

fn pattern(pairs: &[(i64, u64)], offset: u64) -> BirAccessPattern<'static> {
    BirAccessPattern {
        tensor: leak(tensor("t", 8, Some(0))),
        offset,
        pattern: pairs
            .iter()
            .map(|(step, num)| APPair { step: *step, num: *num, offset: 3 })
            .collect::<Vec<_>>()
            .leak(),
        scalar_offset: None,
        vector_offset: None,
        indirect_dim: 0,
        dtype_override: None,
    }
}

#[test]
fn accesses_are_taken_as_they_stand_or_merged() {
    let first = |lowered: &Lowered| {
        let instruction = function(lowered).instructions().next().unwrap();
        let operand = instruction.ins().next().unwrap();
        let pairs: Vec<_> = operand.pattern().map(|p| (p.step, p.num)).collect();
        (operand.dtype().unwrap(), pairs, operand.offset().unwrap())
    };
    let mut plain = pattern(&[(8, 32), (0, 2), (-1, 4)], 8 * 32 + 3);
    plain.dtype_override = Some(klr::Dtype::uint16);
    let lowered = good(vec![block("a", false, vec![load(plain)])]);
    assert_eq!(first(&lowered), (Dtype::uint16, vec![(8, 32), (0, 2), (-1, 4)], 259));
    let five = pattern(&[(8, 128), (4, 2), (2, 2), (1, 2), (0, 3)], 0);
    let lowered = good(vec![block("a", false, vec![load(five)])]);
    assert_eq!(first(&lowered), (Dtype::float32, vec![(8, 128), (1, 8), (0, 3)], 0));
}

#[test]
fn accesses_out_of_convention_are_warned_of() {
    let lowered = lower(&kernel(vec![block(
        "a",
        false,
        vec![
            load(pattern(&[(4, 128), (1, 8)], 0)),
            load(pattern(&[(8, 1), (1, 8)], 8 * 5)),
            load(pattern(&[(8, 128), (5, 2), (3, 2), (0, 2), (1, 2)], 0)),
            load(pattern(&[], 0)),
            load(pattern(&[(8, 1 << 63)], 0)),
        ],
    )]));
    assert_eq!(ids(&lowered), ["access_step", "access_partition", "access_pairs", "access_pairs", "number_range"]);
    let texts: Vec<_> = lowered.diagnostics.iter().map(|d| d.message.rsplit(' ').next().unwrap()).collect();
    assert_eq!(texts[..4], ["4", "5", "5", "0"]);
    assert_eq!(lowered.errors().count(), 3);
    assert_eq!(function(&lowered).instructions().count(), 2);
}
