//! The graph of whole documents: each instruction and each edge is there once, and the pictures are sound.

mod graph_common;

use bir_core::doc::{ReadOptions, read_json};
use bir_core::enums::bir::{Dtype, EdgeKind, EngineType, InstructionType, MemoryType, TensorKind};
use bir_core::graph::model::{ClusterKind, Graph, Lane, NodeKind, Relation};
use bir_core::graph::{DEFAULT_MAX_NODES, Format, GraphOptions, MAX_NODES_LIMIT, graph_of, write_graph, write_memory};
use bir_core::ir::{EdgeSet, Instruction, Module, ModuleRef, Place};
use bir_core::{ErrorCode, Result};
use graph_common::{check_dot, check_svg, documents, example, load};
use std::collections::BTreeMap;

fn whole(module: &ModuleRef) -> Graph {
    graph_of(module, &GraphOptions { max_nodes: MAX_NODES_LIMIT, ..GraphOptions::default() }).unwrap()
}

fn text(module: &ModuleRef, format: Format, options: &GraphOptions<'_>) -> String {
    let mut out = Vec::new();
    write_graph(module, &mut out, format, options).unwrap();
    String::from_utf8(out).unwrap()
}

/// All instructions, by a walk of its own.
fn instructions(module: &ModuleRef) -> Vec<&Instruction> {
    let functions = module.functions().chain(module.nki_functions());
    let queues = module.queues().map(|q| q.block_holder());
    functions.map(|f| f.block_holder()).chain(queues).flat_map(|h| h.instructions()).collect()
}

#[test]
fn each_instruction_and_dependency_is_there_once() {
    let mut seen = (0, 0);
    for (name, document) in documents() {
        let module = load(&document);
        let graph = whole(&module);
        let mut expected: Vec<i32> = instructions(&module).iter().map(|i| i.unique_id()).collect();
        let single = |n: &&bir_core::graph::model::Node| matches!(n.kind, NodeKind::Instruction | NodeKind::Structured);
        let mut found: Vec<i32> = graph.nodes.iter().filter(single).map(|n| n.id).collect();
        expected.sort_unstable();
        found.sort_unstable();
        assert_eq!(found, expected, "{name}");
        assert_eq!(graph.instructions as usize, expected.len(), "{name}");

        let mut expected = Vec::new();
        for i in instructions(&module) {
            let mut add = |from: &Instruction, relation| expected.push((from.unique_id(), i.unique_id(), relation));
            for e in i.dependencies(EdgeSet::Normal) {
                add(e.target, Relation::Dependency(e.kind));
            }
            for e in i.dependencies(EdgeSet::LoopCarried) {
                add(e.target, Relation::LoopCarried(e.kind));
            }
            for (target, kind, ..) in i.unroll_dependencies() {
                add(target, Relation::Unroll(kind));
            }
            for wait in i.waits() {
                if let Some(from) = wait.from {
                    add(from, Relation::Sync(Some((wait.id, wait.value))));
                }
            }
        }
        let id = |at: u32| graph.nodes[at as usize].id;
        let kept = |r: Relation| !matches!(r, Relation::Trigger | Relation::Branch(_) | Relation::Call(_));
        let edges = graph.edges.iter().filter(|e| kept(e.relation));
        let mut found: Vec<_> = edges.clone().map(|e| (id(e.from), id(e.to), e.relation)).collect();
        assert!(edges.clone().all(|e| e.count == 1), "{name}");
        expected.sort_unstable();
        found.sort_unstable();
        assert_eq!(found, expected, "{name}");
        seen = (seen.0 + graph.instructions, seen.1 + found.len());
    }
    // 110 opcodes in the families alone.
    assert!(seen.0 > 110 && seen.1 > 20, "{seen:?}");
}

#[test]
fn pictures_are_sound() {
    for (name, document) in documents() {
        let module = load(&document);
        let options = GraphOptions::default();
        let graph = graph_of(&module, &options).unwrap();
        check_svg(&name, &text(&module, Format::Svg, &options), Some(&graph));
        check_dot(&name, &text(&module, Format::Dot, &options), Some(&graph));
        for format in [Format::Svg, Format::Dot] {
            let mut out = Vec::new();
            write_memory(&module, &mut out, format, &options).unwrap();
            let out = String::from_utf8(out).unwrap();
            if format == Format::Svg { check_svg(&name, &out, None) } else { check_dot(&name, &out, None) }
        }
    }
}

/// Edges by names, as `from -> to: relation`.
fn edges(graph: &Graph) -> Vec<String> {
    let name = |at: u32| graph.nodes[at as usize].name.as_str();
    let mut all: Vec<_> =
        graph.edges.iter().map(|e| format!("{} -> {}: {}", name(e.from), name(e.to), e.relation)).collect();
    all.sort_unstable();
    all
}

/// Columns by name of the node.
fn lanes(graph: &Graph) -> BTreeMap<&str, String> {
    graph.nodes.iter().map(|n| (n.name.as_str(), graph.lanes[n.lane as usize].to_string())).collect()
}

#[test]
fn the_examples_of_the_specification() {
    let graph = whole(&load(&example(0)));
    assert_eq!(edges(&graph), ["I-0 -> I-2: Flow", "I-1 -> I-2: Flow", "I-2 -> I-3: Flow"]);
    assert_eq!(graph.lanes, [Lane::Control, Lane::Engine(EngineType::SP, 0), Lane::Engine(EngineType::DVE, 0)]);
    assert_eq!((graph.title.as_str(), graph.note.as_str()), ("module with function sg0000, gen3 v1", ""));
    let node = graph.nodes.iter().find(|n| n.name == "I-2").unwrap();
    assert_eq!(node.lines, ["TensorTensor add", "t \u{2190} t, wt"]);
    assert_eq!(node.path, "functions[0].blocks[0].instructions[2]");
    for line in ["op: add", "ins: wt[512 x 128, 1 x 512] float32 in SB", "waits for: I-0 (Flow), I-1 (Flow)"] {
        assert!(node.details.lines().any(|l| l == line), "no {line:?} in {}", node.details);
    }

    let graph = whole(&load(&example(1)));
    assert_eq!(edges(&graph), ["I-1 -> I-9: Flow", "I-5 -> I-6: Flow", "I-6 -> I-5: Anti, loop-carried"]);
    let clusters: Vec<_> = graph.clusters.iter().map(|c| (c.name.as_str(), c.kind, c.parent)).collect();
    assert_eq!(
        clusters,
        [
            ("main", ClusterKind::Function, None),
            ("Block1", ClusterKind::Block, Some(0)),
            ("L0_body", ClusterKind::Block, Some(1))
        ]
    );
    let names: Vec<_> = graph.nodes.iter().map(|n| (n.name.as_str(), n.cluster)).collect();
    let expected = ["main", "Block1", "I-1", "L0", "L0_body", "I-5", "I-6", "I-9"].into_iter();
    assert_eq!(names, expected.zip([0, 1, 1, 1, 2, 2, 2, 1].map(Some)).collect::<Vec<_>>());
    assert_eq!(graph.nodes[3].lines, ["Loop", "i: 0 to 4 by 1"]);

    let graph = whole(&load(&example(2)));
    let expected = ["T-0 -> I-1: Flow", "T-0 -> dma_block_0: starts", "dma_block_0 -> I-1: semaphore 3 reaches 16"];
    assert_eq!(edges(&graph), expected);
    let lanes = lanes(&graph);
    let of = |name: &str| lanes[name].as_str();
    assert_eq!([of("T-0"), of("I-1"), of("main")], ["Pool", "DVE", "control"]);
    assert_eq!([of("q_dyn"), of("dma_block_0"), of("dma_block_0-desc")], ["queue q_dyn"; 3]);
}

#[test]
fn branches_and_calls_lead_to_heads() {
    let document = std::fs::read_to_string(graph_common::data("families/control.bir.json")).unwrap();
    let graph = whole(&load(&document));
    let all = edges(&graph);
    for edge in [
        "I-10 -> next: on_false",
        "I-10 -> next: on_true",
        "I-11 -> next: target",
        "I-12 -> next: associate_branch",
        "I-16 -> callee: target",
    ] {
        assert_eq!(all.iter().filter(|e| *e == edge).count(), 1, "{edge} in {all:#?}");
    }
}

#[test]
fn a_part_is_shown_alone() -> Result<()> {
    let module = load(&example(1));
    let part = |function, block| graph_of(&module, &GraphOptions { function, block, ..GraphOptions::default() });
    let body = part(None, Some("L0_body"))?;
    let names: Vec<_> = body.nodes.iter().map(|n| n.name.as_str()).collect();
    assert_eq!(names, ["L0_body", "I-5", "I-6"]);
    assert_eq!(body.nodes[1].path, "functions[0].blocks[0].instructions[1].blocks[0].instructions[0]");
    assert_eq!(part(Some("main"), None)?.nodes.len(), 8);
    assert_eq!(part(Some("main"), Some("L0_body"))?.nodes.len(), 3);
    for (function, block, text) in [(Some("mian"), None, "`main`"), (None, Some("nowhere"), "no block `nowhere`")] {
        let error = part(function, block).unwrap_err();
        assert_eq!(error.code, ErrorCode::NotFound);
        assert!(error.to_string().contains(text), "{error}");
    }
    // Only the queue's blocks that the part starts come with it.
    let module = load(&example(2));
    let part = |block| graph_of(&module, &GraphOptions { block: Some(block), ..GraphOptions::default() });
    assert_eq!(part("Block1")?.nodes.len(), 6);
    let main = module.find_function("main").unwrap();
    let other = main.add_block("other", Place::End)?;
    let waits = other.add_instruction(InstructionType::NoOp, "n", Place::End)?;
    waits.add_dependency(main.find_instruction("T-0").unwrap(), EdgeKind::Flow, EdgeSet::Normal)?;
    let graph = part("other")?;
    assert_eq!((graph.nodes.len(), graph.note.as_str()), (2, "1 edge to what is not shown."));
    Ok(())
}

/// Blocks of instructions, each of which waits for the one before.
fn chain(blocks: usize, each: usize) -> Module {
    let module = Module::new().unwrap();
    let function = module.add_function("main", Place::End).unwrap();
    let engines = [EngineType::PE, EngineType::DVE];
    let mut last: Option<&Instruction> = None;
    for b in 0..blocks {
        let block = function.add_block(&format!("b{b}"), Place::End).unwrap();
        for i in 0..each {
            let name = format!("i{b}_{i}");
            let instruction = block.add_instruction(InstructionType::NoOp, &name, Place::End).unwrap().object;
            instruction.set_engine(engines[i % 2]);
            if let Some(last) = last {
                instruction.add_dependency(last, EdgeKind::Flow, EdgeSet::Normal).unwrap();
            }
            last = Some(instruction);
        }
    }
    module
}

#[test]
fn blocks_are_opened_while_the_nodes_last() {
    let module = chain(4, 10);
    let graph = |max_nodes| graph_of(&module, &GraphOptions { max_nodes, ..GraphOptions::default() }).unwrap();
    let shape = |max_nodes| -> Vec<(NodeKind, u64)> {
        let nodes = graph(max_nodes).nodes;
        nodes.iter().filter(|n| n.kind != NodeKind::Instruction).map(|n| (n.kind, n.inner_edges)).collect()
    };
    use NodeKind::{Block, CollapsedBlock, CollapsedFunction, Function};
    // A head and four blocks need five nodes, each open block ten more.
    assert_eq!(shape(4), [(CollapsedFunction, 39)]);
    assert_eq!(
        shape(5),
        [(Function, 0), (CollapsedBlock, 9), (CollapsedBlock, 9), (CollapsedBlock, 9), (CollapsedBlock, 9)]
    );
    assert_eq!(shape(25), [(Function, 0), (Block, 0), (Block, 0), (CollapsedBlock, 9), (CollapsedBlock, 9)]);
    assert_eq!(shape(45), [(Function, 0), (Block, 0), (Block, 0), (Block, 0), (Block, 0)]);
    let half = graph(25);
    assert_eq!(half.nodes.len(), 25);
    assert!(half.note.starts_with("20 of 40 instructions are collapsed into 2 nodes"), "{}", half.note);
    assert_eq!(half.edges.iter().map(|e| e.count).sum::<u64>() + 18, 39);
    assert_eq!(half.instructions, 40);
    let collapsed = half.nodes.iter().find(|n| n.kind == CollapsedBlock).unwrap();
    assert_eq!(collapsed.lines, ["10 instructions", "PE\u{a0}5 DVE\u{a0}5", "9 inner edges"].map(String::from));
    let options = |max_nodes| GraphOptions { max_nodes, ..GraphOptions::default() };
    for max_nodes in [0, MAX_NODES_LIMIT + 1] {
        assert_eq!(graph_of(&module, &options(max_nodes)).unwrap_err().code, ErrorCode::BadValue);
    }
}

#[test]
fn many_functions_become_one_node() {
    let module = Module::new().unwrap();
    for i in 0..20 {
        let function = module.add_function(&format!("f{i}"), Place::End).unwrap();
        let block = function.add_block("b", Place::End).unwrap();
        block.add_instruction(InstructionType::NoOp, "i", Place::End).unwrap();
    }
    let options = GraphOptions { max_nodes: 19, ..GraphOptions::default() };
    let graph = graph_of(&module, &options).unwrap();
    assert_eq!((graph.nodes.len(), graph.nodes[0].kind, graph.instructions), (1, NodeKind::CollapsedModule, 20));
    check_svg("functions", &text(&module, Format::Svg, &options), Some(&graph));
}

#[test]
fn a_large_module_is_a_small_picture() {
    let module = chain(100, 1000);
    for (format, limit) in [(Format::Svg, 400 << 10), (Format::Dot, 100 << 10), (Format::Json, 100 << 10)] {
        let out = text(&module, format, &GraphOptions::default());
        assert!(out.len() < limit, "{format:?}: {}", out.len());
        let note = "100,000 of 100,000 instructions are collapsed into 100 nodes";
        assert!(out.contains(note), "{format:?}");
    }
    let graph = graph_of(&module, &GraphOptions::default()).unwrap();
    assert!(graph.nodes.len() <= DEFAULT_MAX_NODES);
    // One edge leads from each block to the next.
    assert_eq!((graph.edges.len(), graph.nodes[1].inner_edges), (99, 999));
}

#[test]
fn names_cannot_break_a_picture() {
    let names =
        ["<&\"'>]]>", "a\u{0}b\u{1b}[31m\r\n\t", "\u{fffe}\u{202e}x", "\u{4e2d}\u{6587}\u{5b57}", "\\l\\\"", ""];
    let module = Module::new().unwrap();
    let long = "x".repeat(5000);
    for name in names.into_iter().chain([long.as_str()]) {
        let function = module.add_function(name, Place::End).unwrap();
        let block = function.add_block(name, Place::End).unwrap();
        let first = block.add_instruction(InstructionType::NoOp, name, Place::End).unwrap();
        let second = block.add_instruction(InstructionType::NoOp, &format!("{name}2"), Place::End).unwrap();
        second.add_dependency(&first, EdgeKind::Anti, EdgeSet::Normal).unwrap();
        let set = function.add_set(name, TensorKind::Internal, Dtype::float32, Place::End).unwrap();
        let location = set.add_location(name, MemoryType::SB, Place::End).unwrap();
        location.set_dims(&[128, 4096]).unwrap();
        location.set_allocated(true);
    }
    let options = GraphOptions::default();
    let graph = graph_of(&module, &options).unwrap();
    check_svg("names", &text(&module, Format::Svg, &options), Some(&graph));
    check_dot("names", &text(&module, Format::Dot, &options), Some(&graph));
    serde_json::from_str::<serde_json::Value>(&text(&module, Format::Json, &options)).unwrap();
    for format in [Format::Svg, Format::Dot] {
        let mut out = Vec::new();
        write_memory(&module, &mut out, format, &options).unwrap();
        let out = String::from_utf8(out).unwrap();
        if format == Format::Svg { check_svg("names", &out, None) } else { check_dot("names", &out, None) }
    }
}

#[test]
fn deep_nesting_costs_no_stack() {
    let module = Module::new().unwrap();
    let function = module.add_function("main", Place::End).unwrap();
    let mut holder = function.block_holder();
    for depth in 0..2000 {
        let block = holder.add_block(&format!("b{depth}"), Place::End).unwrap().object;
        let instruction =
            block.add_instruction(InstructionType::Loop, &format!("l{depth}"), Place::End).unwrap().object;
        instruction.set_loop_axis(&format!("i{depth}"), 0, 4, 1).unwrap();
        holder = instruction.block_holder().unwrap();
    }
    let graph = whole(&module);
    assert_eq!((graph.nodes.len(), graph.clusters.len()), (4001, 2001));
    let options = GraphOptions { max_nodes: MAX_NODES_LIMIT, ..GraphOptions::default() };
    let svg = text(&module, Format::Svg, &options);
    check_svg("nested", &svg, None);
    check_dot("nested", &text(&module, Format::Dot, &options), Some(&graph));
    let inner = &graph.nodes.last().unwrap().path;
    assert!(inner.starts_with("\u{2026}.instructions[0].blocks[0].") && inner.len() < 500, "{inner}");
    assert_eq!(graph.nodes[3].path, "functions[0].blocks[0].instructions[0].blocks[0]");
    let small = graph_of(&module, &GraphOptions::default()).unwrap();
    assert!(small.nodes.len() <= DEFAULT_MAX_NODES && small.nodes.last().unwrap().kind == NodeKind::CollapsedBlock);
}

#[test]
fn an_empty_module_is_a_picture_too() {
    let module = Module::new().unwrap();
    let graph = graph_of(&module, &GraphOptions::default()).unwrap();
    check_svg("empty", &text(&module, Format::Svg, &GraphOptions::default()), Some(&graph));
    check_dot("empty", &text(&module, Format::Dot, &GraphOptions::default()), Some(&graph));
    assert_eq!(graph.title, "module with 0 functions, gen3 v1");
    let mut out = Vec::new();
    write_memory(&module, &mut out, Format::Svg, &GraphOptions::default()).unwrap();
    check_svg("empty", std::str::from_utf8(&out).unwrap(), None);
}

#[test]
fn loads_once_and_draws_the_same() {
    let read = || read_json(example(2).as_bytes(), &ReadOptions::default()).unwrap().module;
    let (a, b) = (read(), read());
    for format in [Format::Svg, Format::Dot, Format::Json] {
        assert_eq!(text(&a, format, &GraphOptions::default()), text(&b, format, &GraphOptions::default()));
    }
}
