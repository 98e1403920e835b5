//! Walks over a document's tokens and makes nothing of them, because the difference to a load is what building costs.

use crate::clock::Clock;
use crate::{Result, source};
use bir_core::doc::{Input, JsonInput, Limits, ValueKind};
use serde_json::json;
use std::hint::black_box;
use std::path::Path;

/// Walks over all tokens, as often as asked.
pub fn run(document: &Path, times: usize, clock: Clock) -> Result<()> {
    let text = source::map(document)?;
    for _ in 0..times {
        let start = clock.now();
        let mut input = JsonInput::new(&text, Limits::default());
        let tokens = walk(&mut input)?;
        input.finish()?;
        let seconds = clock.now() - start;
        println!("{}", json!({"phase": "scan", "bytes": text.len(), "tokens": tokens, "seconds": seconds}));
    }
    Ok(())
}

/// Number of values and keys. Recursion ends at the input's limit of nesting.
fn walk<'a>(input: &mut impl Input<'a>) -> bir_core::Result<u64> {
    let mut tokens = 1;
    match input.peek()? {
        ValueKind::Null => input.null()?,
        ValueKind::Bool => drop(input.bool()?),
        ValueKind::String => drop(black_box(input.string()?)),
        ValueKind::Object => {
            input.begin_object()?;
            while input.next_key()?.is_some() {
                tokens += 1 + walk(input)?;
            }
        }
        ValueKind::Array => {
            input.begin_array()?;
            while input.next_element()? {
                tokens += walk(input)?;
            }
        }
        _ => drop(black_box(input.number()?)),
    }
    Ok(tokens)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_values_are_counted() {
        let text = br#"{"a": [1, null, "x"], "b": {"c": true}}"#;
        assert_eq!(walk(&mut JsonInput::new(text, Limits::default())).unwrap(), 10);
    }
}
