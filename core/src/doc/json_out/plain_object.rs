//! Objects that are given as text, `debug` most of all: one of the plainest form is put member by member, without a reader of JSON
//! and its checks. Whatever is not of that form is left to the general way, which alone gives errors.
#![forbid(unsafe_code)]

use crate::doc::scan;

/// Bytes of the longest text that is looked at.
const LONGEST: usize = 512;
/// Digits of the longest number: all numbers of so many are integers of 64 bits.
const DIGITS: usize = 18;

/// A member as it stands in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Member<'t> {
    /// Without its quotes.
    pub(super) key: &'t str,
    /// With its quotes if it is a string.
    pub(super) value: &'t str,
}

/// The members of a text that is an object without white space, keys sorted and none twice, nothing to escape in keys and strings,
/// no values but strings, integers and words; `None` for any other text.
pub(super) fn members(text: &str) -> Option<Members<'_>> {
    let members = Members { text, at: 1 };
    if text.len() > LONGEST || !text.starts_with('{') {
        return None;
    }
    let mut rest = members;
    let mut last = None;
    while let Some(member) = rest.next() {
        if last.is_some_and(|last| last >= member.key) {
            return None;
        }
        last = Some(member.key);
    }
    // Whatever is no member ends the walk, so it went well if it came to the end.
    (rest.at == text.len() && last.is_some()).then_some(members)
}

/// Members as they come.
#[derive(Clone, Copy)]
pub(super) struct Members<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Iterator for Members<'t> {
    type Item = Member<'t>;

    #[inline]
    fn next(&mut self) -> Option<Member<'t>> {
        let bytes = self.text.as_bytes();
        let key_end = string(bytes, self.at)?;
        let value_start = key_end + 1;
        if bytes.get(key_end) != Some(&b':') {
            return None;
        }
        let value_end = match bytes.get(value_start)? {
            b'"' => string(bytes, value_start)?,
            b'-' | b'0'..=b'9' => integer(bytes, value_start)?,
            _ => {
                let rest = bytes.get(value_start..)?;
                let word: &[u8] = [b"true".as_slice(), b"false", b"null"].into_iter().find(|w| rest.starts_with(w))?;
                value_start + word.len()
            }
        };
        match bytes.get(value_end)? {
            b',' => {}
            b'}' if value_end + 1 == bytes.len() => {}
            _ => return None,
        }
        let key = self.text.get(self.at + 1..key_end - 1)?;
        let value = self.text.get(value_start..value_end)?;
        self.at = value_end + 1;
        Some(Member { key, value })
    }
}

/// Behind the string that begins at `at`.
#[inline(always)]
fn string(bytes: &[u8], at: usize) -> Option<usize> {
    if bytes.get(at) != Some(&b'"') {
        return None;
    }
    let end = scan::special(bytes, at + 1);
    (bytes.get(end) == Some(&b'"')).then_some(end + 1)
}

/// Behind the integer that begins at `at`.
#[inline(always)]
fn integer(bytes: &[u8], at: usize) -> Option<usize> {
    let is_negative = bytes.get(at) == Some(&b'-');
    let start = at + usize::from(is_negative);
    let digits = bytes.get(start..)?.iter().take_while(|byte| byte.is_ascii_digit()).count();
    // Neither -0, which is a float, nor what is no number.
    let is_plain = match bytes.get(start)? {
        b'0' => digits == 1 && !is_negative,
        _ => (1..=DIGITS).contains(&digits),
    };
    is_plain.then_some(start + digits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn only_the_plainest_form_is_taken() {
        let all = |text| members(text).map(|m| m.map(|m| (m.key, m.value)).collect::<Vec<_>>());
        assert_eq!(all(r#"{"lineno":176}"#), Some(Vec::from([("lineno", "176")])));
        assert_eq!(
            all(r#"{"":-9,"a":"é","b":true,"c":false,"d":null,"e":0,"f":123456789012345678,"g":""}"#),
            Some(Vec::from([
                ("", "-9"),
                ("a", "\"é\""),
                ("b", "true"),
                ("c", "false"),
                ("d", "null"),
                ("e", "0"),
                ("f", "123456789012345678"),
                ("g", "\"\"")
            ]))
        );
        for other in [
            "", "{", "{}", "[]", "1", r#"{"a":1"#, r#"{"a":1,"#, r#"{"a":1,}"#, r#"{"a":1}}"#, r#"{"a":1} "#, r#"{ "a":1}"#,
            r#"{"a": 1}"#, r#"{"a":1,"a":1}"#, r#"{"b":1,"a":1}"#, r#"{"a":[]}"#, r#"{"a":{}}"#, r#"{"a":1.5}"#, r#"{"a":1e3}"#,
            r#"{"a":-0}"#, r#"{"a":01}"#, r#"{"a":-}"#, r#"{"a":1234567890123456789}"#, r#"{"a":"\n"}"#, r#"{"\u0061":1}"#,
            "{\"a\":\"\n\"}", r#"{"a":tru}"#, r#"{"a":truee}"#, r#"{"a"}"#, r#"{"a":}"#, r#"{"a":"}"#, r#"{"a:1}"#,
        ] {
            assert_eq!(all(other), None, "{other}");
        }
    }
}
