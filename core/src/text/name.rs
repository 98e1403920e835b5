//! Names and texts in one line of text: bare where that is clear, else quoted, so that no name can look like syntax, end a
//! line or steer a terminal.
#![forbid(unsafe_code)]

use crate::Result;
use crate::fallible::append;
use alloc::string::String;

/// Whether a name may stand without quotes: an ASCII letter or `_`, then letters, digits and `_ . - $`.
pub(super) fn is_bare(name: &str) -> bool {
    starts_as_word(name) && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-' | b'$'))
}

/// As [`is_bare`], for names in formulas, where `-` and `.` would look like more than a name.
pub(super) fn is_variable(name: &str) -> bool {
    starts_as_word(name) && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// `none` stands for no object.
fn starts_as_word(name: &str) -> bool {
    name.bytes().next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_') && name != "none"
}

/// Whether a character is written by its number: a control character, or one that is invisible or turns the direction of
/// what follows.
fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}'
        )
}

/// Whether a text can stand in a line as it is.
pub(super) fn is_plain(text: &str) -> bool {
    !text.chars().any(is_hidden)
}

/// Appends a text in quotes; what would end it or cannot be seen is escaped as in Rust.
pub(super) fn quote(out: &mut String, text: &str) -> Result<()> {
    append(out, '"')?;
    let mut rest = text;
    while let Some(at) = rest.find(|c| matches!(c, '"' | '\\') || is_hidden(c)) {
        let (before, after) = rest.split_at(at);
        append(out, before)?;
        let mut chars = after.chars();
        match chars.next() {
            Some('\n') => append(out, "\\n")?,
            Some('\r') => append(out, "\\r")?,
            Some('\t') => append(out, "\\t")?,
            Some(c @ ('"' | '\\')) => append(out, format_args!("\\{c}"))?,
            Some(c) => append(out, format_args!("\\u{{{:x}}}", u32::from(c)))?,
            None => {}
        }
        rest = chars.as_str();
    }
    append(out, rest)?;
    append(out, '"')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_bare_where_they_are_clear() {
        for bare in ["I-0", "load.2.6", "_x", "a$b", "noop_test", "None"] {
            assert!(is_bare(bare), "{bare}");
        }
        for other in ["", "0", "10.0", "-a", "a b", "a/b", "f:x", "a[0]", "ä", "none", "a\n", "%r", "$x"] {
            assert!(!is_bare(other), "{other}");
        }
        assert!(is_variable("i_0") && !is_variable("i-0") && !is_variable("i.0") && !is_variable("0i"));
    }

    #[test]
    fn quotes_escape_what_cannot_be_seen() {
        let quoted = |text| {
            let mut out = String::new();
            quote(&mut out, text).unwrap();
            out
        };
        assert_eq!(quoted(""), r#""""#);
        assert_eq!(quoted("a b/ä"), r#""a b/ä""#);
        assert_eq!(quoted("say \"x\\y\""), r#""say \"x\\y\"""#);
        assert_eq!(quoted("\n\r\t\0\x1b[31m\x7f\u{9b}"), r#""\n\r\t\u{0}\u{1b}[31m\u{7f}\u{9b}""#);
        assert_eq!(quoted("a\u{202e}b\u{2028}c\u{feff}"), r#""a\u{202e}b\u{2028}c\u{feff}""#);
        assert!(is_plain("{\"a\":\"ä\"}") && !is_plain("{\n}") && !is_plain("\u{200b}"));
    }
}
