//! `bir print`: whole documents, parts of them, colours, JSON lines.

mod common;
use common::*;
use serde_json::Value;
use std::fs;

fn nested() -> (Folder, String) {
    let folder = Folder::new();
    let file = folder.file("loop.json", &examples()[1]);
    (folder, file)
}

fn queued() -> (Folder, String) {
    let folder = Folder::new();
    let file = folder.file("queue.json", &examples()[2]);
    (folder, file)
}

#[test]
fn whole_documents() {
    for name in DOCUMENTS {
        let golden = name.replace("bir/", "text/").replace(".bir.json", ".txt");
        let run = bir(&["print", &data(name)]).good();
        assert_eq!(run.out, fs::read_to_string(data(&golden)).unwrap());
        assert!(run.err.starts_with("warning: "), "{}", run.err);
        assert_eq!(bir(&["print", "-q", &data(name)]).good().err, "");
    }
    let text = fs::read(data(DOCUMENTS[0])).unwrap();
    assert_eq!(
        bir_with_input(&["-q", "print", "-"], &text).good().out,
        bir(&["print", &data(DOCUMENTS[0])]).good().out
    );
    bir(&["print", "--strict", &data(DOCUMENTS[0])]).fails(&["noop_test"]);
    bir(&["print", &data(NEFF)]).fails(&["this is a package"]);
    bir(&["print", "nothing.json"]).fails(&["nothing.json: cannot read"]);
    bir(&["print"]).usage();
}

#[test]
fn parts() {
    let (_folder, file) = nested();
    let whole = bir(&["print", &file]).good().out;
    let function = bir(&["print", &file, "--function", "main"]).good().out;
    assert_eq!(whole, format!("module: arch=gen3\n\n{function}"));

    let block = bir(&["print", &file, "--block", "L0_body"]).good().out;
    let lines: Vec<&str> = block.lines().collect();
    assert_eq!(lines.len(), 3);
    assert_eq!(lines[0], "block L0_body (id 11):");
    assert!(lines[1].starts_with("  I-5 (id 12): Memset @DVE -> a_set[512 x 128, 1 x 512]:float32{addrs=[512*i] "));
    // What lies inside of another part is not printed twice.
    let both = bir(&["print", &file, "--block", "L0_body", "--block", "Block1"]).good().out;
    assert_eq!(both, bir(&["print", &file, "--block", "Block1"]).good().out);

    let line = "I-6 (id 14): TensorCopy @Pool a_set[512 x 128, 1 x 512]:float32{addrs=[512*i] access_shape=[128, 512]} \
                -> b[512 x 128, 1 x 512]:float32 loopnest=[i] deps=[I-5:Flow]\n";
    for wanted in ["I-6", "#14", "14"] {
        assert_eq!(bir(&["print", &file, "--instruction", wanted]).good().out, line);
    }
    let two = bir(&["print", &file, "--instruction", "I-9", "--instruction", "#7"]).good().out;
    assert_eq!(two.lines().map(|l| &l[..3]).collect::<Vec<_>>(), ["I-1", "I-9"]);
    // A loop comes with its body, which then is not printed again.
    let with_body = bir(&["print", &file, "--instruction", "L0", "--instruction", "I-6"]).good().out;
    assert_eq!(with_body.lines().count(), 4);
    let bare = bir(&["print", &file, "--instruction", "L0", "--no-ids"]).good().out;
    assert!(bare.starts_with("L0: Loop LoopAxis=(i in 0..4) blocks:\n  block L0_body:\n    I-5: Memset "), "{bare}");
    let all = bir(&["print", &file, "--instruction", "I-1", "--all"]).good().out;
    assert!(all.contains(" engine_id=0 ") && all.ends_with(" schedule=0..0 debug=none origin=Internal\n"), "{all}");

    // Blocks limit where instructions are looked for, functions and queues where blocks are.
    bir(&["print", &file, "--block", "L0_body", "--instruction", "I-9"]).fails(&["unknown instruction `I-9`"]);
    let (_folder, file) = queued();
    let queue = bir(&["print", &file, "--queue", "q_dyn"]).good().out;
    assert!(queue.starts_with("queue q_dyn (id 12): dynamic\n  block q_dyn_bb (id 13):\n"), "{queue}");
    bir(&["print", &file, "--function", "main", "--block", "q_dyn_bb"]).fails(&["unknown block `q_dyn_bb`"]);
    bir(&["print", &file, "--queue", "q_dyn", "--block", "q_dyn_bb"]).good();
    assert_eq!(bir(&["print", &file, "--block", "q_dyn_bb"]).good().out, dedent(&queue));
}

/// The lines below the first, two spaces less indented.
fn dedent(text: &str) -> String {
    text.lines().skip(1).map(|l| format!("{}\n", l.strip_prefix("  ").unwrap())).collect()
}

#[test]
fn a_number_is_a_name_first() {
    let folder = Folder::new();
    let named = examples()[1].replace("\"I-6\"", "\"7\"");
    let file = folder.file("named.json", named);
    let of = |wanted: &str| bir(&["print", &file, "--instruction", wanted]).good().out;
    assert!(of("7").starts_with("\"7\" (id 14): TensorCopy"));
    assert!(of("#7").starts_with("I-1 (id 7): RegisterMove"));
}

#[test]
fn unknown_names_name_near_ones() {
    let (_folder, file) = nested();
    for (option, wanted, message) in [
        ("--function", "man", "unknown function `man`; did you mean `main`?"),
        ("--block", "block1", "unknown block `block1`; did you mean `Block1`?"),
        ("--instruction", "I-66", "unknown instruction `I-66`; did you mean `I-6`?"),
        ("--instruction", "nowhere", "unknown instruction `nowhere`; `bir print FILE` lists them all"),
        ("--instruction", "#99", "no instruction has the id 99"),
        ("--instruction", "#x", "unknown instruction `#x`"),
        ("--queue", "q", "unknown queue `q`"),
    ] {
        let run = bir(&["print", &file, option, wanted]).fails(&["loop.json: ", message]);
        assert_eq!(run.out, "");
    }
    let error = bir(&["print", &file, "--block", "Blok1", "--json"]).error("NotFound");
    assert!(error["message"].as_str().unwrap().contains("did you mean `Block1`?"));
}

#[test]
fn json_lists_the_lines() {
    let (_folder, file) = queued();
    let json = bir(&["print", "--json", &file]).good().json();
    assert_eq!((json["kind"].as_str(), json["file"].as_str()), (Some("print"), Some(file.as_str())));
    assert_eq!(json["warning_count"], 0);
    let lines = json["lines"].as_array().unwrap();
    let text: Vec<String> = lines
        .iter()
        .map(|l| " ".repeat(2 * l["depth"].as_u64().unwrap() as usize) + l["text"].as_str().unwrap())
        .collect();
    let plain = bir(&["print", &file]).good().out;
    assert_eq!(text, plain.lines().filter(|l| !l.is_empty()).collect::<Vec<_>>());
    let of = |name: &str| lines.iter().find(|l| l["name"] == name).unwrap();
    let string = |line: &Value, key: &str| line[key].as_str().map(str::to_owned);
    let nested = of("dma_block_0-desc");
    let [block, queue, function] = ["block", "queue", "function"].map(|key| string(nested, key));
    assert_eq!((block.as_deref(), queue.as_deref(), function), (Some("dma_block_0_Block0"), Some("q_dyn"), None));
    assert_eq!(
        (nested["id"].as_i64(), nested["depth"].as_u64(), &nested["kind"]),
        (Some(16), Some(4), &Value::from("instruction"))
    );
    assert_eq!(string(of("d"), "function").as_deref(), Some("main"));
    assert_eq!(
        (string(of("d"), "kind").as_deref(), string(of("d_set"), "kind").as_deref()),
        (Some("location"), Some("set"))
    );
    assert_eq!(string(of("q_dyn"), "kind").as_deref(), Some("queue"));
}

#[test]
fn a_reader_may_go_away() {
    let run = bir_into_closed_pipe(&["-q", "print", &data(DOCUMENTS[0])]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    let run = bir_into_closed_pipe(&["-q", "--json", "print", &data(DOCUMENTS[0])]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
}

/// `script` gives the command a terminal; without it, or with NO_COLOR, there are no colours.
#[test]
fn colours_on_a_terminal_only() {
    let file = data(DOCUMENTS[0]);
    assert!(!bir(&["-q", "print", &file]).good().out.contains('\x1b'));
    let on_terminal = |setting: &str| {
        let command = format!("{setting} {} -q print '{file}'", env!("CARGO_BIN_EXE_bir"));
        let output = std::process::Command::new("script")
            .args(["-qec", &command, "/dev/null"])
            .env_remove("NO_COLOR")
            .env("TERM", "xterm")
            .output()
            .expect("script(1) is part of util-linux");
        assert!(output.status.success());
        String::from_utf8(output.stdout).unwrap().replace('\r', "")
    };
    let coloured = on_terminal("");
    assert!(coloured.contains("\x1b[1;34mTensorScalar\x1b[0m"), "{coloured}");
    let mut parts = coloured.split("\x1b[");
    let mut plain = parts.next().unwrap().to_owned();
    parts.for_each(|part| plain += part.split_once('m').unwrap().1);
    assert_eq!(plain, bir(&["-q", "print", &file]).good().out);
    assert_eq!(on_terminal("NO_COLOR=1"), bir(&["-q", "print", &file]).good().out);
    assert!(!on_terminal("TERM=dumb").contains('\x1b'));
}
