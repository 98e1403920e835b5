//! The package's own documents are compared byte for byte, so they are printed here in one style: sorted keys, four
//! spaces, `": "`, a newline at the end (`spec/neff.md` section 8).
//!
//! The printer writes as it is called; callers give keys in ascending order.
#![forbid(unsafe_code)]

use super::pieces::write_decimal;
#[cfg(any(test, feature = "std"))]
use crate::error::Error;
use crate::error::Result;
use crate::sink::Sink;
#[cfg(any(test, feature = "std"))]
use alloc::string::ToString;
use alloc::vec::Vec;
#[cfg(any(test, feature = "std"))]
use serde_json::Value;

/// Prints a value that was read, in the producer's style.
///
/// # Errors
/// `OutOfMemory`.
#[cfg(any(test, feature = "std"))]
pub(crate) fn pretty(value: &Value) -> Result<Vec<u8>> {
    JsonWriter::document(|w| w.value(value))
}

/// The same JSON text without the white space between its tokens; `None` if it is no JSON. Numbers keep their spelling.
///
/// # Errors
/// `OutOfMemory`.
#[cfg(any(test, feature = "std"))]
pub(crate) fn compact(text: &[u8]) -> Result<Option<Vec<u8>>> {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    if serde_json::from_slice::<Value>(text).is_err() {
        return Ok(None);
    }
    let mut out = Vec::new();
    out.try_reserve_exact(text.len()).map_err(|_| Error::out_of_memory())?;
    let (mut in_string, mut escaped) = (false, false);
    for &byte in text {
        if in_string || !byte.is_ascii_whitespace() {
            out.push(byte);
        }
        match byte {
            b'"' if !escaped => in_string = !in_string,
            _ => {}
        }
        escaped = in_string && byte == b'\\' && !escaped;
    }
    Ok(Some(out))
}

/// Prints one document.
pub(super) struct JsonWriter {
    out: Vec<u8>,
    depth: usize,
    /// Nothing stands yet in the innermost array or object.
    empty: bool,
    /// A key was written and its value comes next.
    after_key: bool,
}

impl JsonWriter {
    /// Prints the document that `body` writes.
    pub fn document(body: impl FnOnce(&mut JsonWriter) -> Result<()>) -> Result<Vec<u8>> {
        let mut writer = JsonWriter { out: Vec::new(), depth: 0, empty: true, after_key: true };
        body(&mut writer)?;
        writer.out.write(b"\n")?;
        Ok(writer.out)
    }

    pub fn object(&mut self, body: impl FnOnce(&mut JsonWriter) -> Result<()>) -> Result<()> {
        self.nested(b"{", b"}", body)
    }

    pub fn array(&mut self, body: impl FnOnce(&mut JsonWriter) -> Result<()>) -> Result<()> {
        self.nested(b"[", b"]", body)
    }

    fn nested(&mut self, open: &[u8], close: &[u8], body: impl FnOnce(&mut JsonWriter) -> Result<()>) -> Result<()> {
        self.item()?;
        self.out.write(open)?;
        self.depth += 1;
        self.empty = true;
        body(self)?;
        self.depth -= 1;
        if !self.empty {
            self.new_line()?;
        }
        self.empty = false;
        self.out.write(close)
    }

    /// Starts an item: a comma after an earlier one, and a new line; nothing if a key stands before it.
    fn item(&mut self) -> Result<()> {
        if core::mem::take(&mut self.after_key) {
            return Ok(());
        }
        if !core::mem::take(&mut self.empty) {
            self.out.write(b",")?;
        }
        self.new_line()
    }

    fn new_line(&mut self) -> Result<()> {
        self.out.write(b"\n")?;
        (0..self.depth).try_for_each(|_| self.out.write(b"    "))
    }

    /// A key; its value has to follow.
    pub fn key(&mut self, key: &str) -> Result<&mut Self> {
        self.item()?;
        self.quoted(key)?;
        self.out.write(b": ")?;
        self.after_key = true;
        Ok(self)
    }

    pub fn string(&mut self, text: &str) -> Result<()> {
        self.item()?;
        self.quoted(text)
    }

    /// A value that was read. Keys come in the order of the map, which is sorted.
    #[cfg(any(test, feature = "std"))]
    pub fn value(&mut self, value: &Value) -> Result<()> {
        match value {
            Value::Null => self.word("null"),
            Value::Bool(true) => self.word("true"),
            Value::Bool(false) => self.word("false"),
            Value::Number(number) => self.word(&number.to_string()),
            Value::String(text) => self.string(text),
            Value::Array(items) => self.array(|w| items.iter().try_for_each(|item| w.value(item))),
            Value::Object(items) => self.object(|w| items.iter().try_for_each(|(key, item)| w.key(key)?.value(item))),
        }
    }

    #[cfg(any(test, feature = "std"))]
    fn word(&mut self, word: &str) -> Result<()> {
        self.item()?;
        self.out.write(word.as_bytes())
    }

    pub fn number(&mut self, value: impl Into<u64>) -> Result<()> {
        self.item()?;
        write_decimal(&mut self.out, value.into())
    }

    /// A number as a string.
    pub fn number_text(&mut self, value: usize) -> Result<()> {
        self.item()?;
        self.out.write(b"\"")?;
        write_decimal(&mut self.out, value as u64)?;
        self.out.write(b"\"")
    }

    pub fn numbers(&mut self, values: impl IntoIterator<Item = u64>) -> Result<()> {
        self.array(|w| values.into_iter().try_for_each(|value| w.number(value)))
    }

    pub fn strings<'s>(&mut self, values: impl IntoIterator<Item = &'s str>) -> Result<()> {
        self.array(|w| values.into_iter().try_for_each(|value| w.string(value)))
    }

    fn quoted(&mut self, text: &str) -> Result<()> {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        self.out.write(b"\"")?;
        let mut rest = text.as_bytes();
        while let Some(at) = rest.iter().position(|&b| b < 0x20 || b == b'"' || b == b'\\') {
            let (plain, tail) = rest.split_at_checked(at).unwrap_or((rest, &[]));
            self.out.write(plain)?;
            let Some((&special, tail)) = tail.split_first() else { break };
            match special {
                b'"' => self.out.write(b"\\\"")?,
                b'\\' => self.out.write(b"\\\\")?,
                8 => self.out.write(b"\\b")?,
                9 => self.out.write(b"\\t")?,
                10 => self.out.write(b"\\n")?,
                12 => self.out.write(b"\\f")?,
                13 => self.out.write(b"\\r")?,
                control => {
                    let digit = |nibble: u8| DIGITS[usize::from(nibble & 15)];
                    self.out.write(&[b'\\', b'u', b'0', b'0', digit(control >> 4), digit(control)])?;
                }
            }
            rest = tail;
        }
        self.out.write(rest)?;
        self.out.write(b"\"")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::String;
    use proptest::prelude::*;

    #[test]
    fn style() {
        let text = JsonWriter::document(|w| {
            w.object(|w| {
                w.key("a")?.array(|_| Ok(()))?;
                w.key("b")?.numbers([1, 2])?;
                w.key("c")?.object(|_| Ok(()))?;
                w.key("d")?.array(|w| {
                    w.object(|w| w.key("e")?.string("x"))?;
                    w.number_text(7)
                })
            })
        });
        let expected = "{\n    \"a\": [],\n    \"b\": [\n        1,\n        2\n    ],\n    \"c\": {},\n    \"d\": [\n        {\n            \"e\": \"x\"\n        },\n        \"7\"\n    ]\n}\n";
        assert_eq!(String::from_utf8(text.unwrap()).unwrap(), expected);
    }

    #[test]
    fn values_and_compact_texts() {
        let text = br#" { "b" : [1, 2.50, -3e2, null, true, false, {}], "a\\\"\u0041 x" : "\\ \" y" } "#;
        let small = compact(text).unwrap().unwrap();
        assert_eq!(small, br#"{"b":[1,2.50,-3e2,null,true,false,{}],"a\\\"\u0041 x":"\\ \" y"}"#);
        let value: Value = serde_json::from_slice(text).unwrap();
        assert_eq!(serde_json::from_slice::<Value>(&small).unwrap(), value);
        let printed = pretty(&value).unwrap();
        assert_eq!(serde_json::from_slice::<Value>(&printed).unwrap(), value);
        assert!(printed.starts_with(b"{\n    \"a\\\\\\\"A x\": "), "{}", String::from_utf8_lossy(&printed));
        assert_eq!(compact(b"{").unwrap(), None);
    }

    proptest! {
        #[test]
        fn strings_survive(text in "\\PC{0,20}|[\\x00-\\x22\\\\]{0,20}") {
            let json = JsonWriter::document(|w| w.strings([text.as_str()])).unwrap();
            let back: serde_json::Value = serde_json::from_slice(&json).unwrap();
            prop_assert_eq!(back[0].as_str(), Some(text.as_str()));
        }
    }
}
