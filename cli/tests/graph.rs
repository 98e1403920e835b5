//! `bir graph`: forms, parts, sizes and mistakes. The pictures themselves are tested with the core.

mod common;
use common::*;
use std::fs;

#[test]
fn the_form_follows_the_name_or_the_option() {
    let folder = Folder::new();
    let file = data(DOCUMENTS[0]);
    let svg = bir(&["graph", &file]).good().out;
    assert!(svg.starts_with("<?xml ") && svg.ends_with("</svg>\n"));
    for (output, options, start) in [
        ("a.svg", &[][..], "<?xml "),
        ("a.dot", &[], "digraph \"module with function sg0000"),
        ("a.GV", &[], "digraph "),
        ("a.txt", &[], "<?xml "),
        ("b.svg", &["--format", "dot"], "digraph "),
        ("b.dot", &["--format", "svg"], "<?xml "),
        ("m.dot", &["--memory"], "graph \"Memory of function sg0000"),
        ("m.svg", &["--memory"], "<?xml "),
    ] {
        let output = folder.path(output);
        let run = bir(&[&["graph", "-q", &file, "-o", &output], options].concat()).good();
        assert_eq!((run.out.as_str(), run.err.as_str()), ("", ""));
        assert!(fs::read_to_string(&output).unwrap().starts_with(start), "{output}");
    }
    assert_eq!(bir(&["graph", &file, "-o", "-"]).good().out, svg);
    assert_eq!(bir_with_input(&["graph", "-"], &fs::read(&file).unwrap()).good().out, svg);
    assert_eq!(bir_into_closed_pipe(&["graph", &file]).code, 0);
}

#[test]
fn data_comes_instead_of_or_beside_a_picture() {
    let folder = Folder::new();
    let file = folder.file("queue.json", &examples()[2]);
    let json = bir(&["graph", &file, "--json"]).good().json();
    assert_eq!((json["kind"].as_str(), json["file"].as_str()), (Some("graph"), Some(file.as_str())));
    assert_eq!((json["instructions"].as_u64(), json.get("output")), (Some(4), None));
    let nodes = json["nodes"].as_array().unwrap();
    let at = |name: &str| nodes.iter().position(|n| n["name"] == name).unwrap() as u64;
    let edges = json["edges"].as_array().unwrap();
    let sync = edges.iter().find(|e| e["relation"] == "sync").unwrap();
    assert_eq!((sync["from"].as_u64(), sync["to"].as_u64()), (Some(at("dma_block_0")), Some(at("I-1"))));
    assert_eq!((sync["semaphore"].as_u64(), sync["value"].as_u64()), (Some(3), Some(16)));
    let queue = &nodes[at("dma_block_0") as usize];
    assert_eq!((queue["opcode"].as_str(), queue["lane"].as_str()), (Some("DMABlock"), Some("queue q_dyn")));

    let output = folder.path("m.svg");
    let json = bir(&["graph", &file, "--memory", "--json", "-o", &output]).good().json();
    assert_eq!((json["kind"].as_str(), json["output"].as_str()), (Some("memory_map"), Some(output.as_str())));
    assert_eq!(json["bytes"].as_u64(), Some(fs::metadata(&output).unwrap().len()));
    let sb = &json["functions"][0]["memories"][0];
    // `d` and `e`: 2048 bytes each, in one partition.
    assert_eq!((sb["memory"].as_str(), sb["used_bytes"].as_u64()), (Some("SB"), Some(4096)));
    assert_eq!(json["functions"][0]["others"][0]["name"], "src");
}

#[test]
fn parts_and_sizes() {
    let folder = Folder::new();
    let file = folder.file("loop.json", &examples()[1]);
    let names = |options: &[&str]| -> Vec<String> {
        let json = bir(&[&["graph", "-q", "--json", file.as_str()], options].concat()).good().json();
        json["nodes"].as_array().unwrap().iter().map(|n| n["name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names(&["--block", "L0_body"]), ["L0_body", "I-5", "I-6"]);
    assert_eq!(names(&["--function", "main", "--max-nodes", "2"]), ["main", "Block1"]);
    let out = bir(&["graph", "-q", &file, "--max-nodes", "1"]).good().out;
    assert!(out.contains("5 of 5 instructions are collapsed into 1 node"), "{out}");
    bir(&["graph", &file, "--function", "maim"]).fails(&["loop.json: there is no function `maim`", "`main`"]);
    bir(&["graph", &file, "--memory", "--block", "zz"]).fails(&["there is no block `zz`"]);
    bir(&["graph", &file, "--json", "--block", "zz"]).error("NotFound");
    for wrong in [&["--max-nodes", "0"], &["--max-nodes", "20001"], &["--max-nodes", "many"], &["--format", "png"]] {
        bir(&[&["graph", file.as_str()], &wrong[..]].concat()).usage();
    }
    bir(&["graph", &data(NEFF)]).fails(&["bir unpack"]);
    bir(&["graph", "--strict", &data(DOCUMENTS[0])]).fails(&["noop_test"]);
}

/// The samples of the documentation. After a change that is meant, `make pictures` makes them anew.
#[test]
fn the_pictures_of_the_documentation_are_up_to_date() {
    let folder = format!("{}/../docs/pictures", env!("CARGO_MANIFEST_DIR"));
    let document = format!("{folder}/attention.bir.json");
    for (name, options) in [("attention.svg", &[][..]), ("attention-memory.svg", &["--memory"])] {
        let drawn = bir(&[&["graph", document.as_str()], options].concat()).good();
        assert!(drawn.bytes == fs::read(format!("{folder}/{name}")).unwrap(), "run `make pictures` and look at {name}");
    }
    let page = fs::read_to_string(format!("{folder}/../graph.md")).unwrap();
    assert!(page.contains("(pictures/attention.svg)") && page.contains("(pictures/attention-memory.svg)"));
}
