//! Where in a JSON text a path leads, so that a finding can name a byte. Looked for only when there is something to tell.
#![forbid(unsafe_code)]

/// The offset of the value at `path` (`var.w.size`, `nodes[1].attrs`), or of the innermost one around it that is there.
/// Keys may hold dots and brackets.
pub(super) fn locate(text: &[u8], path: &str) -> usize {
    let mut scanner = Scanner { text, at: 0 };
    if text.starts_with(b"\xef\xbb\xbf") {
        scanner.at = 3;
    }
    scanner.find(path.as_bytes()).unwrap_or(0)
}

struct Scanner<'t> {
    text: &'t [u8],
    at: usize,
}

impl Scanner<'_> {
    /// From a value on; `None` if the text is no JSON.
    fn find(&mut self, path: &[u8]) -> Option<usize> {
        let mut path = path;
        loop {
            self.blanks();
            let here = self.at;
            if path.is_empty() {
                return Some(here);
            }
            match (self.peek()?, path.first()?) {
                (b'[', b'[') => {
                    let end = path.iter().position(|&b| b == b']')?;
                    let index: usize = core::str::from_utf8(path.get(1..end)?).ok()?.parse().ok()?;
                    if !self.element(index)? {
                        return Some(here);
                    }
                    path = path.get(end.checked_add(1)?..)?;
                }
                (b'{', _) => {
                    let keys = path.strip_prefix(b".").unwrap_or(path);
                    match self.member(keys)? {
                        Some(length) => path = keys.get(length..)?,
                        None => return Some(here),
                    }
                }
                _ => return Some(here),
            }
        }
    }

    /// Goes to the element of an array; false if it has fewer.
    fn element(&mut self, index: usize) -> Option<bool> {
        self.at = self.at.checked_add(1)?;
        for _ in 0..index {
            self.blanks();
            if self.peek()? == b']' {
                return Some(false);
            }
            self.value()?;
            self.blanks();
            if self.peek()? != b',' {
                return Some(false);
            }
            self.at = self.at.checked_add(1)?;
        }
        self.blanks();
        Some(self.peek()? != b']')
    }

    /// Goes to the value of the longest key that the path starts with; its length in the path.
    fn member(&mut self, path: &[u8]) -> Option<Option<usize>> {
        self.at = self.at.checked_add(1)?;
        let mut best: Option<(usize, usize)> = None;
        loop {
            self.blanks();
            match self.peek()? {
                b'}' => break,
                b',' => {
                    self.at = self.at.checked_add(1)?;
                    continue;
                }
                _ => {}
            }
            let start = self.at;
            self.string()?;
            let key = self.text.get(start.checked_add(1)?..self.at.checked_sub(1)?)?;
            self.blanks();
            self.at = self.at.checked_add(1)?;
            let fits = path.strip_prefix(key).is_some_and(|rest| matches!(rest.first(), None | Some(b'.' | b'[')));
            if fits && best.is_none_or(|(length, _)| key.len() > length) {
                best = Some((key.len(), self.at));
            }
            self.value()?;
        }
        Some(best.map(|(length, at)| {
            self.at = at;
            length
        }))
    }

    /// Passes over a value, however deep, without recursion.
    fn value(&mut self) -> Option<()> {
        let mut depth = 0usize;
        loop {
            match self.peek()? {
                b'"' => self.string()?,
                b'[' | b'{' => {
                    depth = depth.checked_add(1)?;
                    self.at = self.at.checked_add(1)?;
                }
                b']' | b'}' => {
                    // The end of what is around the value.
                    if depth == 0 {
                        return Some(());
                    }
                    depth -= 1;
                    self.at = self.at.checked_add(1)?;
                }
                b',' if depth == 0 => return Some(()),
                _ => self.at = self.at.checked_add(1)?,
            }
        }
    }

    /// Passes over a string.
    fn string(&mut self) -> Option<()> {
        self.at = self.at.checked_add(1)?;
        loop {
            match self.peek()? {
                b'"' => {
                    self.at = self.at.checked_add(1)?;
                    return Some(());
                }
                b'\\' => self.at = self.at.checked_add(2)?,
                _ => self.at = self.at.checked_add(1)?,
            }
        }
    }

    fn blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            self.at = self.at.saturating_add(1);
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::string::String;

    #[test]
    fn finds_values_and_the_innermost_around_what_is_missing() {
        let text = r#"{ "a": [1, {"b": "x\"]", "b.c": [true]}], "a.b": {"k": 5}, "z": null }"#;
        let at = |path: &str| text.get(locate(text.as_bytes(), path)..).unwrap();
        assert!(at("").starts_with("{ \"a\""));
        assert!(at("a[0]").starts_with("1,"));
        assert!(at("a[1].b").starts_with("\"x"));
        assert!(at("a[1].b.c[0]").starts_with("true"));
        assert!(at("a.b.k").starts_with("5}"));
        assert!(at("z").starts_with("null"));
        assert!(at("a[7]").starts_with("[1"));
        assert!(at("a[1].q.r").starts_with("{\"b\""));
        assert!(at("nothing").starts_with("{ "));
        assert_eq!(locate(b"\xef\xbb\xbf {\"a\":1}", "a"), 9);
    }

    proptest! {
        #[test]
        fn never_panics(text in "[\\[\\]{}\":,a1\\\\ ]{0,40}", path in "[a.\\[\\]1]{0,10}") {
            let text: String = text;
            prop_assert!(locate(text.as_bytes(), &path) <= text.len());
        }
    }
}
