//! Objects that are given as text, `debug` most of all: one of the plainest form is put member by member, without a reader of JSON
//! and its checks. Whatever is not of that form is left to the general way, which alone gives errors.
#![forbid(unsafe_code)]

/// Bytes of the longest text that is looked at.
const LONGEST: usize = 512;
/// Digits of the longest number: all numbers of so many are integers of 64 bits.
const DIGITS: usize = 18;

/// Members of the largest object that is looked at.
const MEMBERS: usize = 8;

/// The members of an object as they stand in its text.
pub(super) struct Members<'t> {
    members: [(&'t str, &'t str); MEMBERS],
    count: usize,
}

impl<'t> Members<'t> {
    /// The members of a text that is an object without white space, keys sorted and none twice, nothing to escape in keys and
    /// strings, no values but strings, integers and words; `None` for any other text.
    #[inline]
    pub(super) fn of(text: &'t str) -> Option<Members<'t>> {
        let bytes = text.as_bytes();
        if bytes.first() != Some(&b'{') || bytes.len() > LONGEST {
            return None;
        }
        let mut members = Members { members: [("", ""); MEMBERS], count: 0 };
        let mut at = 1;
        loop {
            let key_end = string(bytes, at)?;
            let value = key_end + 1;
            if bytes.get(key_end) != Some(&b':') {
                return None;
            }
            let end = match bytes.get(value)? {
                b'"' => string(bytes, value)?,
                b'-' | b'0'..=b'9' => integer(bytes, value)?,
                _ => word(bytes, value)?,
            };
            let member = (text.get(at + 1..key_end - 1)?, text.get(value..end)?);
            if members.iter().next_back().is_some_and(|(last, _)| last >= member.0) {
                return None;
            }
            *members.members.get_mut(members.count)? = member;
            members.count += 1;
            match bytes.get(end)? {
                b',' => at = end + 1,
                b'}' if end + 1 == bytes.len() => return Some(members),
                _ => return None,
            }
        }
    }

    /// Keys without quotes, and values as they stand in the text.
    #[inline]
    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = (&'t str, &'t str)> + '_ {
        self.members.iter().take(self.count).copied()
    }
}

/// Behind the word that stands at `at`.
fn word(bytes: &[u8], at: usize) -> Option<usize> {
    let rest = bytes.get(at..)?;
    let word: &[u8] = [b"true".as_slice(), b"false", b"null"].into_iter().find(|word| rest.starts_with(word))?;
    Some(at + word.len())
}

/// Behind the string that begins at `at`.
#[inline(always)]
fn string(bytes: &[u8], at: usize) -> Option<usize> {
    if bytes.get(at) != Some(&b'"') {
        return None;
    }
    // Byte by byte: most are shorter than what could be looked at together.
    let mut end = at + 1;
    loop {
        match bytes.get(end)? {
            b'"' => return Some(end + 1),
            b'\\' | 0..0x20 => return None,
            _ => end += 1,
        }
    }
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
        let all = |text| Members::of(text).map(|members| members.iter().collect::<Vec<_>>());
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
            "",
            "{",
            "{}",
            "[]",
            "1",
            r#"{"a":1"#,
            r#"{"a":1,"#,
            r#"{"a":1,}"#,
            r#"{"a":1}}"#,
            r#"{"a":1} "#,
            r#"{ "a":1}"#,
            r#"{"a": 1}"#,
            r#"{"a":1,"a":1}"#,
            r#"{"b":1,"a":1}"#,
            r#"{"a":[]}"#,
            r#"{"a":{}}"#,
            r#"{"a":1.5}"#,
            r#"{"a":1e3}"#,
            r#"{"a":-0}"#,
            r#"{"a":01}"#,
            r#"{"a":-}"#,
            r#"{"a":1234567890123456789}"#,
            r#"{"a":"\n"}"#,
            r#"{"\u0061":1}"#,
            "{\"a\":\"\n\"}",
            r#"{"a":tru}"#,
            r#"{"a":truee}"#,
            r#"{"a"}"#,
            r#"{"a":}"#,
            r#"{"a":"}"#,
            r#"{"a:1}"#,
        ] {
            assert_eq!(all(other), None, "{other}");
        }
    }
}
