//! Text in pictures: escaped for each format, measured without a font, cut where it does not fit.
#![forbid(unsafe_code)]

use crate::Result;
use crate::fallible::{append, push};
use crate::sink::Sink;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::{self, Display, Write};

/// Bytes that are gathered before they go to the sink.
const CHUNK: usize = 64 << 10;

/// Gathers text for a sink.
pub(super) struct Out<'s, S: Sink + ?Sized> {
    sink: &'s mut S,
    buffer: String,
}

impl<'s, S: Sink + ?Sized> Out<'s, S> {
    pub(super) fn new(sink: &'s mut S) -> Self {
        Out { sink, buffer: String::new() }
    }

    pub(super) fn put(&mut self, value: impl Display) -> Result<()> {
        append(&mut self.buffer, value)?;
        if self.buffer.len() >= CHUNK { self.flush() } else { Ok(()) }
    }

    pub(super) fn flush(&mut self) -> Result<()> {
        self.sink.write(self.buffer.as_bytes())?;
        self.buffer.clear();
        Ok(())
    }
}

/// Text inside of an XML element or attribute. What XML 1.0 cannot hold at all (control characters, U+FFFE, U+FFFF) becomes
/// U+FFFD; a line end becomes `&#10;`, which survives in attributes too.
pub(super) struct Xml<'t>(pub &'t str);

impl Display for Xml<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in self.0.chars() {
            match c {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\n' => f.write_str("&#10;")?,
                '\t' => f.write_char(' ')?,
                '\u{0}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}' => f.write_char('\u{fffd}')?,
                c => f.write_char(c)?,
            }
        }
        Ok(())
    }
}

/// Text inside of a quoted DOT string. Line ends become `\l`, so that lines are aligned to the left.
pub(super) struct Dot<'t>(pub &'t str);

impl Display for Dot<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in self.0.chars() {
            match c {
                '"' => f.write_str("\\\"")?,
                '\\' => f.write_str("\\\\")?,
                '\n' => f.write_str("\\l")?,
                // Graphviz reads entities in all strings.
                '&' => f.write_str("&amp;")?,
                '\t' => f.write_char(' ')?,
                c if c.is_control() => f.write_char('\u{fffd}')?,
                c => f.write_char(c)?,
            }
        }
        Ok(())
    }
}

/// Columns of a fixed-width font that a text takes. Characters from U+1100 on may be twice as wide.
pub(super) fn columns(text: &str) -> usize {
    text.chars().map(|c| if c < '\u{1100}' || ('\u{2000}'..'\u{2e80}').contains(&c) { 1 } else { 2 }).sum()
}

/// The text, cut to so many columns; what is missing is shown by an ellipsis.
pub(super) fn cut(text: &str, width: usize) -> Result<String> {
    let mut out = String::new();
    if columns(text) <= width {
        append(&mut out, text)?;
        return Ok(out);
    }
    let mut left = width.saturating_sub(1);
    let mut buffer = [0; 4];
    for c in text.chars() {
        let c = &*c.encode_utf8(&mut buffer);
        let Some(rest) = left.checked_sub(columns(c)) else { break };
        left = rest;
        append(&mut out, c)?;
    }
    append(&mut out, '\u{2026}')?;
    Ok(out)
}

/// A number with commas between groups of three digits.
pub(super) struct Grouped(pub u64);

impl Display for Grouped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut scale = 1_000_000_000_000_000_000;
        while scale > 1 && self.0 < scale {
            scale /= 1000;
        }
        write!(f, "{}", self.0 / scale)?;
        while scale > 1 {
            scale /= 1000;
            write!(f, ",{:03}", self.0 / scale % 1000)?;
        }
        Ok(())
    }
}

/// A number and what is counted, in the plural where due.
pub(super) struct Count(pub u64, pub &'static str);

impl Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}{}", Grouped(self.0), self.1, if self.0 == 1 { "" } else { "s" })
    }
}

/// A part of a whole in percent with one decimal, rounded to the nearest.
pub(super) struct Percent(pub u64, pub u64);

impl Display for Percent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let whole = u128::from(self.1).max(1);
        let tenths = (u128::from(self.0) * 2000 + whole) / (2 * whole);
        write!(f, "{}.{} %", tenths / 10, tenths % 10)
    }
}

/// Items with a separator between them.
pub(super) fn joined<T: Display>(items: impl Iterator<Item = T>, separator: &str) -> Result<String> {
    let mut out = String::new();
    for (i, item) in items.enumerate() {
        if i > 0 {
            append(&mut out, separator)?;
        }
        append(&mut out, item)?;
    }
    Ok(out)
}

/// Words wrapped into lines of at most so many columns; a longer word is cut.
pub(super) fn wrapped(text: &str, width: usize) -> Result<Vec<String>> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split(' ') {
        if !line.is_empty() && columns(&line) + 1 + columns(word) > width {
            push(&mut lines, core::mem::take(&mut line))?;
        }
        let space = if line.is_empty() { "" } else { " " };
        append(&mut line, format_args!("{space}{}", cut(word, width)?))?;
    }
    push(&mut lines, line)?;
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;
    use alloc::string::ToString;

    #[test]
    fn escapes_what_the_formats_cannot_hold() {
        assert_eq!(Xml("a<b>&\"\u{1}\n\u{ffff}é").to_string(), "a&lt;b&gt;&amp;&quot;\u{fffd}&#10;\u{fffd}é");
        assert_eq!(Dot("a\"b\\c\nd&lt;\u{7}").to_string(), "a\\\"b\\\\c\\ld&amp;lt;\u{fffd}");
    }

    #[test]
    fn cuts_by_columns() {
        assert_eq!(cut("abcdef", 6).unwrap(), "abcdef");
        assert_eq!(cut("abcdefg", 6).unwrap(), "abcde\u{2026}");
        assert_eq!(columns("\u{4e2d}\u{6587}a"), 5);
        assert_eq!(cut("\u{4e2d}\u{6587}\u{5b57}", 4).unwrap(), "\u{4e2d}\u{2026}");
        assert_eq!(wrapped("one two three", 7).unwrap(), ["one two", "three"]);
        assert_eq!(wrapped("abcdefghij k", 4).unwrap(), ["abc\u{2026}", "k"]);
    }

    #[test]
    fn numbers_for_people() {
        let grouped = |n| Grouped(n).to_string();
        assert_eq!([grouped(0), grouped(999), grouped(1000), grouped(665_013)], ["0", "999", "1,000", "665,013"]);
        assert_eq!(grouped(u64::MAX), "18,446,744,073,709,551,615");
        assert_eq!(format!("{}, {}", Count(1, "block"), Count(1200, "node")), "1 block, 1,200 nodes");
        assert_eq!(Percent(1, 3).to_string(), "33.3 %");
        assert_eq!((Percent(5, 0).to_string(), Percent(2, 3).to_string()), ("500.0 %".into(), "66.7 %".into()));
        assert_eq!(joined([1, 2, 3].iter(), ", ").unwrap(), "1, 2, 3");
    }
}
