//! The place in a document that an error names, e.g. `functions[0].blocks[1].instructions[4].outs[0]`, kept while reading
//! because it cannot be found again afterwards. It is pushed and popped for every value, so a push costs no allocation once
//! the path has been as deep before.
#![forbid(unsafe_code)]

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::{self, Display, Write};

/// Bytes of a name that a path keeps; the rest of a longer one is shown as `…`.
const NAME_BYTES: usize = 64;

/// A stack of keys, indices and names, shown as one place. Its memory is bounded by the depth; if that is out, the deepest
/// segments are shown as `…`, because a less exact place is better than no error.
#[derive(Clone, Debug, Default)]
pub struct Path {
    segments: Vec<Segment>,
    /// The text of all [`Segment::Name`]s, one behind the other.
    names: String,
    /// Segments that were pushed when memory was out.
    lost: usize,
}

#[derive(Clone, Copy, Debug)]
enum Segment {
    Key(&'static str),
    Index(usize),
    /// A name: its first bytes in `Path::names`, and whether these are all of it.
    Name {
        start: usize,
        len: usize,
        whole: bool,
    },
}

impl Path {
    /// The root of a document; shown as nothing.
    pub const fn new() -> Self {
        Path { segments: Vec::new(), names: String::new(), lost: 0 }
    }

    /// Goes to the member with a key of the schema.
    #[inline]
    pub fn push_key(&mut self, key: &'static str) {
        self.push(Segment::Key(key));
    }

    /// Goes to an element, counted from 0.
    #[inline]
    pub fn push_index(&mut self, index: usize) {
        self.push(Segment::Index(index));
    }

    /// Goes to the member with a name of the document.
    pub fn push_name(&mut self, name: &str) {
        let kept = name.get(..name.floor_char_boundary(NAME_BYTES)).unwrap_or(name);
        if self.names.try_reserve(kept.len()).is_err() {
            self.lost = self.lost.saturating_add(1);
            return;
        }
        let start = self.names.len();
        let depth = self.segments.len();
        self.push(Segment::Name { start, len: kept.len(), whole: kept.len() == name.len() });
        if self.segments.len() > depth {
            self.names.push_str(kept);
        }
    }

    /// Goes back from what was pushed last. At the root it does nothing.
    #[inline]
    pub fn pop(&mut self) {
        if self.lost > 0 {
            self.lost -= 1;
        } else if let Some(Segment::Name { start, .. }) = self.segments.pop() {
            self.names.truncate(start);
        }
    }

    /// Segments between the root and this place.
    pub fn depth(&self) -> usize {
        self.segments.len().saturating_add(self.lost)
    }

    #[inline]
    fn push(&mut self, segment: Segment) {
        if self.lost > 0 || self.segments.try_reserve(1).is_err() {
            self.lost = self.lost.saturating_add(1);
        } else {
            self.segments.push(segment);
        }
    }
}

impl Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, segment) in self.segments.iter().enumerate() {
            match *segment {
                Segment::Key(key) => {
                    if i > 0 {
                        f.write_char('.')?;
                    }
                    f.write_str(key)?;
                }
                Segment::Index(index) => write!(f, "[{index}]")?,
                Segment::Name { start, len, whole } => {
                    let name = self.names.get(start..start + len).unwrap_or("");
                    write_name(f, name, whole, i > 0)?;
                }
            }
        }
        if self.lost > 0 { f.write_str("…") } else { Ok(()) }
    }
}

/// A name that reads like a key is shown like one, any other in brackets and quotes.
fn write_name(f: &mut fmt::Formatter<'_>, name: &str, whole: bool, dot: bool) -> fmt::Result {
    let rest = if whole { "" } else { "…" };
    let plain = !name.is_empty() && name.bytes().all(|b| b == b'_' || b.is_ascii_alphanumeric());
    match (plain && whole, dot) {
        (true, true) => write!(f, ".{name}"),
        (true, false) => f.write_str(name),
        (false, _) => write!(f, "[\"{}{rest}\"]", name.escape_debug()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;
    use alloc::string::ToString;

    #[test]
    fn shows_the_place() {
        let mut path = Path::new();
        assert_eq!(path.to_string(), "");
        for (key, index) in [("functions", 0), ("blocks", 1), ("instructions", 4), ("outs", 0)] {
            path.push_key(key);
            path.push_index(index);
        }
        assert_eq!(path.to_string(), "functions[0].blocks[1].instructions[4].outs[0]");
        assert_eq!(path.depth(), 8);
        path.pop();
        path.push_name("call");
        path.push_name("a b\n");
        path.push_index(7);
        path.push_name("");
        assert_eq!(path.to_string(), "functions[0].blocks[1].instructions[4].outs.call[\"a b\\n\"][7][\"\"]");
        path.pop();
        path.pop();
        path.pop();
        path.push_name("x");
        assert_eq!(path.to_string(), "functions[0].blocks[1].instructions[4].outs.call.x");
        for _ in 0..20 {
            path.pop();
        }
        assert_eq!((path.to_string().as_str(), path.depth()), ("", 0));
        path.push_name("root");
        assert_eq!(path.to_string(), "root");
    }

    #[test]
    fn cuts_long_names_at_a_character() {
        let mut path = Path::new();
        path.push_name(&"é".repeat(1000));
        path.push_key("next");
        assert_eq!(path.to_string(), format!("[\"{}…\"].next", "é".repeat(32)));
        path.pop();
        path.pop();
        path.push_name(&format!("a{}", "é".repeat(1000)));
        assert_eq!(path.to_string(), format!("[\"a{}…\"]", "é".repeat(31)));
    }

    #[test]
    fn a_push_allocates_nothing_the_second_time() {
        let mut path = Path::new();
        let round = |path: &mut Path| {
            for i in 0..50 {
                path.push_key("k");
                path.push_index(i);
                path.push_name("name");
            }
            for _ in 0..150 {
                path.pop();
            }
        };
        round(&mut path);
        let room = (path.segments.capacity(), path.names.capacity());
        for _ in 0..10 {
            round(&mut path);
        }
        assert_eq!((path.segments.capacity(), path.names.capacity()), room);
    }
}
