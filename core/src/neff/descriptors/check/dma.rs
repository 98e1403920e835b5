//! DMA blocks of an engine: their queues, and that no descriptor leaves its variable (`spec/neff.md` section 8.5).
#![forbid(unsafe_code)]

use super::queues::Queues;
use super::{Checker, GraphFacts, inside, shown};
use crate::error::ErrorCode;
use alloc::format;
use alloc::string::{String, ToString};
use serde_json::Value;

const MAX_DIMENSIONS: usize = 4;
const MAX_SOURCES: usize = 16;
const OPERATIONS: [&str; 7] = ["copy", "fma", "cast", "add", "min", "max", "transpose"];

/// Checks the blocks of an engine's descriptors.
pub(super) fn check(checker: &mut Checker<'_>, json: &Value, at: &str, graph: &GraphFacts, queues: &Queues) {
    for (i, block) in checker.optional_array(json, at, "dma").iter().enumerate() {
        let at = &format!("{at} dma[{i}]");
        // An instance wins over a queue set.
        let instance = checker.optional_string(block, at, "instance_name");
        let queue = checker.optional_string(block, at, "queue");
        let named = match (instance, queue) {
            (Some(name), _) => Some(("instance_name", name, queues.instances.contains(name))),
            (None, Some(name)) => Some(("queue", name, queues.sets.contains(name) || queues.instances.contains(name))),
            (None, None) => None,
        };
        if let Some((key, name, false)) = named {
            let message = "no queue has this name";
            checker.finding(
                ErrorCode::UnresolvedRef,
                inside(at, key),
                message,
                "a name of `dma_queue`",
                format!("`{name}`"),
            );
        }
        for (d, descriptor) in checker.optional_array(block, at, "desc").iter().enumerate() {
            check_descriptor(checker, descriptor, &format!("{at}.desc[{d}]"), graph);
        }
    }
}

fn check_descriptor(checker: &mut Checker<'_>, descriptor: &Value, at: &str, graph: &GraphFacts) {
    let operation = checker.optional_string(descriptor, at, "op");
    checker.known(operation, at, "op", &OPERATIONS);
    for side in ["from", "to"] {
        if let Some(name) = checker.optional_string(descriptor, at, side) {
            check_side(checker, descriptor, at, side, name, graph);
        }
    }
    let sources = checker.optional_array(descriptor, at, "from_arr");
    if sources.len() > MAX_SOURCES {
        let expected = format!("at most {MAX_SOURCES}");
        let place = inside(at, "from_arr");
        checker.finding(ErrorCode::LimitExceeded, place, "a descriptor has too many sources", expected, sources.len());
    }
    for (i, source) in sources.iter().enumerate() {
        // A source is a name, or an object that has one.
        let name = source.as_str().or_else(|| source.get("from").and_then(Value::as_str));
        if let Some(name) = name.filter(|name| !graph.variables.contains_key(*name)) {
            unknown(checker, format!("{at}.from_arr[{i}]"), name);
        }
    }
}

fn unknown(checker: &mut Checker<'_>, place: String, name: &str) {
    let message = "no variable has this name";
    checker.finding(ErrorCode::UnresolvedRef, place, message, "a name of `var`", format!("`{name}`"));
}

fn check_side(checker: &mut Checker<'_>, descriptor: &Value, at: &str, side: &str, name: &str, graph: &GraphFacts) {
    let Some(variable) = graph.variables.get(name) else {
        return unknown(checker, inside(at, side), name);
    };
    let key = |part: &str| format!("{side}_{part}");
    let offset = checker.optional_number(descriptor, at, &key("off")).unwrap_or(0);
    let steps = checker.optional_array(descriptor, at, &key("steps"));
    let sizes = checker.optional_array(descriptor, at, &key("sizes"));
    let place = inside(at, &key("sizes"));
    // Without steps the bytes lie one after the other.
    if !steps.is_empty() && steps.len() != sizes.len() {
        let message = "steps and sizes differ in number";
        checker.finding(ErrorCode::Conflict, place, message, steps.len(), sizes.len());
        return;
    }
    if sizes.len() > MAX_DIMENSIONS {
        let expected = format!("at most {MAX_DIMENSIONS}");
        checker.finding(ErrorCode::LimitExceeded, place, "a descriptor has too many dimensions", expected, sizes.len());
        return;
    }
    // The widths of other types than bytes are not known well enough to measure by.
    let dtype = checker.optional_string(descriptor, at, &key("dtype"));
    let (Some(total), None | Some("uint8" | "int8")) = (variable.size, dtype) else { return };
    match extent(offset, steps, sizes) {
        Some((first, end)) if first >= 0 && end <= i128::from(total) => {}
        Some((first, end)) => {
            let message = "a descriptor leaves its variable";
            let expected = format!("bytes 0 to {total} of `{name}`");
            checker.finding(
                ErrorCode::Conflict,
                inside(at, &key("off")),
                message,
                expected,
                format!("{first} to {end}"),
            );
        }
        None => {
            let found = format!("{} and {}", list(steps), list(sizes));
            checker.finding(ErrorCode::BadValue, place, "steps or sizes are wrong", "integers", found);
        }
    }
}

fn list(values: &[Value]) -> String {
    shown(&Value::Array(values.to_vec())).to_string()
}

/// The first byte and the end of what is touched; `None` if a number is none. Without sizes nothing is known to be touched.
fn extent(offset: u64, steps: &[Value], sizes: &[Value]) -> Option<(i128, i128)> {
    let offset = i128::from(offset);
    let (mut first, mut last) = (offset, offset);
    if steps.is_empty() {
        let mut bytes = 1i128;
        for size in sizes {
            bytes = bytes.checked_mul(i128::from(size.as_u64()?))?;
        }
        return Some((offset, if sizes.is_empty() { offset } else { offset.checked_add(bytes)? }));
    }
    for (step, size) in steps.iter().zip(sizes) {
        let (step, size) = (i128::from(step.as_i64()?), i128::from(size.as_u64()?));
        if size == 0 {
            return Some((offset, offset));
        }
        let reach = step.checked_mul(size - 1)?;
        if reach < 0 { first = first.checked_add(reach)? } else { last = last.checked_add(reach)? }
    }
    Some((first, if sizes.is_empty() { last } else { last.checked_add(1)? }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn extents() {
        let of =
            |offset, steps: Value, sizes: Value| extent(offset, steps.as_array().unwrap(), sizes.as_array().unwrap());
        assert_eq!(of(4, json!([]), json!([])), Some((4, 4)));
        assert_eq!(of(4, json!([1]), json!([16])), Some((4, 20)));
        assert_eq!(of(0, json!([1, 64]), json!([16, 3])), Some((0, 144)));
        assert_eq!(of(128, json!([1, -64]), json!([16, 3])), Some((0, 144)));
        assert_eq!(of(1, json!([1, 64]), json!([16, 0])), Some((1, 1)));
        assert_eq!(of(0, json!([1]), json!(["x"])), None);
        assert!(of(u64::MAX, json!([i64::MAX, i64::MIN]), json!([u64::MAX, u64::MAX])).is_some());
    }
}
