//! Rectangles and sums worked out by hand.

use super::*;
use crate::doc::{ReadOptions, read_json};
use crate::ir::Module;
use alloc::string::ToString;
use alloc::{format, vec};
use std::eprintln;

const ALLOCATED: &str = r#""allocated": true"#;

fn location(name: &str, memory: &str, dims: &str, rest: &str) -> String {
    format!(
        r#"{{"name": "{name}_set", "kind": "Internal", "dtype": "float32", "tensor_shape": [128, 4], "memorylocations":
            [{{"name": "{name}", "type": "{memory}", "dims": {dims}, {rest}}}]}}"#
    )
}

fn module(allocations: &[String]) -> Module {
    let text = format!(
        r#"{{"version": 2, "arch": "gen3", "functions": [{{"name": "f", "blocks": [{{"name": "b", "instructions": [
            {{"name": "i", "opcode": "TensorCopy", "engine": "DVE",
              "ins": [{{"kind": "physical_ap", "ap": [[4, 128], [1, 4]], "dtype": "float32", "memref": "one"}}],
              "outs": []}}]}}], "allocations": [{}]}}]}}"#,
        allocations.join(", ")
    );
    read_json(text.as_bytes(), &ReadOptions::default()).inspect_err(|e| eprintln!("{e}\n{text}")).unwrap().module
}

fn kernel() -> Module {
    module(&[
        location("one", "SB", "[128, 2048]", ALLOCATED),
        location("two", "SB", "[32, 1024]", r#""allocated": true, "addr": 1024, "base": 64"#),
        // Bank 3, byte 512 of it: byte 3 * 2048 + 512 = 6656 of PSUM.
        location("acc", "PSUM", "[32, 1024]", r#""allocated": true, "addr": 512, "bank": 3, "base": 32"#),
        location("whole", "PSUM", "[128, 2048]", r#""allocated": true, "addr": 14336"#),
        location("odd", "PSUM", "[128, 64]", r#""allocated": true, "addr": 4096, "bank": 5"#),
        location("far", "SB", "[96, 2, 4]", r#""allocated": true, "addr": 196604, "base": 64"#),
        location("w", "DRAM", "[3, 100]", r#""allocated": true, "addr": 4660"#),
        location("late", "SB", "[128, 8]", r#""allocated": false"#),
        location("none", "Unallocated", "[128, 8]", r#""allocated": false"#),
    ])
}

fn one(map: &MemoryMap) -> &FunctionMap {
    assert_eq!(map.functions.len(), 1);
    &map.functions[0]
}

#[test]
fn places_and_sums() {
    let module = kernel();
    let map = memory_of(&module, &GraphOptions::default()).unwrap();
    assert_eq!((map.title.as_str(), map.note.as_str()), ("Memory of function f", ""));
    let [sb, psum] = &one(&map).memories;
    fn places(memory: &Memory) -> Vec<(usize, &str, [u64; 4])> {
        let place = |a: Area| [a.base, a.partitions, a.address, a.bytes];
        memory.regions.iter().map(|r| (r.number, r.name.as_str(), place(r.area))).collect()
    }
    let sb_places = [(1, "one", [0, 128, 0, 2048]), (2, "two", [64, 32, 1024, 1024]), (3, "far", [64, 96, 196_604, 8])];
    let psum_places =
        [(4, "odd", [0, 128, 4096, 64]), (5, "acc", [32, 32, 6656, 1024]), (6, "whole", [0, 128, 14_336, 2048])];
    assert_eq!((places(sb), places(psum)), (sb_places.to_vec(), psum_places.to_vec()));
    let overlaps = |memory: &Memory| -> Vec<Vec<usize>> { memory.regions.iter().map(|r| r.overlaps.clone()).collect() };
    assert_eq!(overlaps(sb), [vec![2], vec![1], vec![]]);
    assert_eq!(overlaps(psum), [vec![], vec![], Vec::<usize>::new()]);
    let faults = |memory: &Memory| -> Vec<&str> { memory.regions.iter().map(|r| r.fault).collect() };
    assert_eq!(faults(sb), ["", "", "reaches beyond the end"]);
    assert_eq!(faults(psum), ["bank and address contradict each other", "", ""]);
    // `two` lies in `one`; four bytes of `far` are there, in partitions 64 to 127.
    assert_eq!((sb.used[0], sb.used[64], sb.used[127]), (2048, 2052, 2052));
    assert_eq!(sb.used_bytes(), 128 * 2048 + 64 * 4);
    assert_eq!((psum.used[0], psum.used[32], psum.used[63], psum.used[64]), (2112, 3136, 3136, 2112));
    let others: Vec<_> = one(&map).others.iter().map(|o| (o.name.as_str(), o.address, o.bytes, o.allocated)).collect();
    assert_eq!(others, [("w", 4660, 300, true), ("late", 0, 1024, false), ("none", 0, 1024, false)]);
}

#[test]
fn a_block_shows_what_it_uses() {
    let module = kernel();
    let map = memory_of(&module, &GraphOptions { block: Some("b"), ..GraphOptions::default() }).unwrap();
    let names: Vec<_> = one(&map).memories.iter().flat_map(|m| &m.regions).map(|r| r.name.as_str()).collect();
    assert_eq!((names, one(&map).others.len()), (vec!["one"], 0));
    assert_eq!(map.title, "Memory of block b (functions[0].blocks[0])");
}

#[test]
fn the_largest_are_drawn() {
    let module = kernel();
    let map = memory_of(&module, &GraphOptions { max_nodes: 5, ..GraphOptions::default() }).unwrap();
    let [sb, psum] = &one(&map).memories;
    let names: Vec<_> = sb.regions.iter().chain(&psum.regions).map(|r| (r.number, r.name.as_str())).collect();
    // Three are elsewhere; of those in SB the two largest remain, and PSUM gets none.
    assert_eq!(names, [(1, "one"), (2, "two")]);
    assert_eq!((sb.count, psum.count, sb.used[127]), (3, 3, 2052));
    assert_eq!(map.note, "4 locations are not drawn, only counted: the smallest ones.");
}

/// The element with that tooltip: position and size.
fn rect(svg: &roxmltree::Document<'_>, tooltip: &str) -> Vec<[i32; 4]> {
    let of =
        |n: roxmltree::Node<'_, '_>| ["x", "y", "width", "height"].map(|a| n.attribute(a).unwrap().parse().unwrap());
    let titled = |n: &roxmltree::Node<'_, '_>| {
        n.has_tag_name("rect") && n.children().any(|c| c.text().is_some_and(|t| t.starts_with(tooltip)))
    };
    svg.descendants().filter(titled).map(of).collect()
}

#[test]
fn rectangles_have_the_scale_of_the_axes() {
    let module = module(&[
        location("one", "SB", "[128, 2048]", ALLOCATED),
        location("two", "SB", "[32, 1024]", r#""allocated": true, "addr": 2048, "base": 64"#),
        location("acc", "PSUM", "[32, 1024]", r#""allocated": true, "addr": 512, "bank": 3, "base": 32"#),
    ]);
    let mut text = Vec::new();
    write_memory(&module, &mut text, Format::Svg, &GraphOptions::default()).unwrap();
    let text = String::from_utf8(text).unwrap();
    let svg = roxmltree::Document::parse(&text).unwrap();
    // SB is in use up to byte 3072, so the panel shows 4096 bytes on 1024 pixels: 4 bytes are a pixel; 3 pixels a partition.
    // The second rectangle of each is the sample in the list.
    let panels: Vec<_> = svg
        .descendants()
        .filter(|n| n.has_tag_name("rect") && n.attribute("width") == Some("1024"))
        .filter(|n| n.attribute("height") == Some("384"))
        .map(|n| n.attribute("y").unwrap().parse::<i32>().unwrap())
        .collect();
    let [sb, psum] = panels[..] else { panic!("{panels:?}") };
    assert_eq!(rect(&svg, "1 one (one_set)")[0], [64, sb, 512, 384]);
    assert_eq!(rect(&svg, "2 two (two_set)")[0], [64 + 512, sb + 3 * 64, 256, 3 * 32]);
    // PSUM is shown whole: 16 bytes are a pixel, and byte 6656 is pixel 416.
    assert_eq!(rect(&svg, "3 acc (acc_set)")[0], [64 + 416, psum + 3 * 32, 64, 3 * 32]);
    // In use: 2048 of 196,608 bytes on 160 pixels is one pixel, then 3072 is two.
    assert_eq!(rect(&svg, "partitions 0 to 63: 2,048 bytes each, 1.0 %")[0], [1104, sb, 1, 192]);
    assert_eq!(rect(&svg, "partitions 64 to 95: 3,072 bytes each, 1.6 %")[0], [1104, sb + 192, 2, 96]);
    assert!(text.contains("below: the first 4 KiB of 192 KiB") && text.contains(">bank 7<"));
}

#[test]
fn the_other_forms_say_the_same() {
    let module = kernel();
    let form = |format| {
        let mut text = Vec::new();
        write_memory(&module, &mut text, format, &GraphOptions::default()).unwrap();
        String::from_utf8(text).unwrap()
    };
    let json: serde_json::Value = serde_json::from_str(&form(Format::Json)).unwrap();
    let acc = &json["functions"][0]["memories"][1]["locations"][1];
    assert_eq!(acc["name"].to_string() + &acc["address"].to_string(), "\"acc\"6656");
    assert_eq!(json["functions"][0]["memories"][0]["used_per_partition"][64], 2052);
    assert_eq!(json["functions"][0]["others"][0]["memory"], "DRAM");
    let dot = form(Format::Dot);
    for text in
        ["SB_0 [label=<<table", "PSUM_0 [label=<<table", "<td align=\"left\">0x1a00 to 0x1dff</td>", "not allocated"]
    {
        assert!(dot.contains(text), "{text}: {dot}");
    }
}

#[test]
fn one_dim_is_bytes_of_one_partition() {
    let module = module(&[location("one", "SB", "[40]", ALLOCATED), location("two", "PSUM", "[]", ALLOCATED)]);
    let map = memory_of(&module, &GraphOptions::default()).unwrap();
    let [sb, psum] = &one(&map).memories;
    assert_eq!(sb.regions[0].area, Area { base: 0, partitions: 1, address: 0, bytes: 40 });
    assert_eq!((psum.regions[0].area.size(), psum.used_bytes()), (0, 0));
    for format in [Format::Svg, Format::Dot] {
        write_memory(&module, &mut Vec::new(), format, &GraphOptions::default()).unwrap();
    }
}
