//! Benchmarks as ratios to a baseline in the same run: absolute times say little on a shared machine.
//!
//! `cargo run --release -p bir-bench [INSTRUCTIONS]`

mod document;

use bir_core::doc::{ReadOptions, WriteOptions, read_json, write_json};
use std::time::{Duration, Instant};

/// The shortest of five runs.
fn best<T>(mut run: impl FnMut() -> T) -> (Duration, T) {
    let mut shortest = Duration::MAX;
    let mut result = None;
    for _ in 0..5 {
        let start = Instant::now();
        let value = run();
        shortest = shortest.min(start.elapsed());
        result = Some(value);
    }
    (shortest, result.expect("five runs were made"))
}

fn rate(bytes: usize, time: Duration) -> f64 {
    bytes as f64 / 1e6 / time.as_secs_f64()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let instructions = std::env::args().nth(1).map_or(Ok(20_000), |n| n.parse())?;
    let text = document::generate(instructions)?;
    println!("document: {instructions} instructions, {:.1} MB", text.len() as f64 / 1e6);

    let (tree, _) = best(|| serde_json::from_slice::<serde_json::Value>(&text).map(drop));
    let (load, loaded) = best(|| read_json(&text, &ReadOptions::default()));
    let module = loaded?.module;
    println!(
        "load:  {:6.0} MB/s, {:4.1} x a serde_json tree ({:.0} MB/s, without building a module)",
        rate(text.len(), load),
        tree.as_secs_f64() / load.as_secs_f64(),
        rate(text.len(), tree)
    );
    println!("       module memory {:.2} x the document", module.arena()?.reserved_bytes() as f64 / text.len() as f64);

    let value: serde_json::Value = serde_json::from_slice(&text)?;
    let (dump, _) = best(|| serde_json::to_vec_pretty(&value).map(|v| v.len()));
    let (write, written) = best(|| {
        let mut out = Vec::new();
        write_json(&module, &mut out, &WriteOptions::default()).map(|()| out.len())
    });
    println!(
        "write: {:6.0} MB/s, {:4.1} x serde_json's dump of a tree",
        rate(written?, write),
        dump.as_secs_f64() / write.as_secs_f64()
    );
    Ok(())
}
