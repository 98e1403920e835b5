//! Names from files become paths below a folder of the host, so there is one rule for which of them are safe there.
#![forbid(unsafe_code)]

/// The name as a relative path that is safe below any folder on any platform: leading `./` removed, elements separated by `/`.
///
/// # Errors
/// What makes it unsafe: it is empty or absolute, has a `..`, `.` or empty element, a NUL or a backslash, or starts with a
/// drive letter.
pub(crate) fn relative_path(name: &str) -> Result<&str, &'static str> {
    let mut path = name;
    while let Some(rest) = path.strip_prefix("./") {
        path = rest;
    }
    let mut elements = path.split('/');
    if path.is_empty() {
        Err("an empty name")
    } else if path.starts_with('/') {
        Err("an absolute path")
    } else if path.contains('\0') {
        Err("a NUL byte")
    } else if path.contains('\\') {
        Err("a backslash")
    } else if matches!(path.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic()) {
        Err("a drive letter")
    } else if elements.clone().any(|element| element == "..") {
        Err("an element `..`")
    } else if elements.any(|element| element.is_empty() || element == ".") {
        Err("an empty element or `.`")
    } else {
        Ok(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_below_a_folder_are_safe() {
        for (name, path) in [
            ("w.npy", "w.npy"),
            ("./weights/w.npy", "weights/w.npy"),
            ("././a", "a"),
            ("a..b/...", "a..b/..."),
            ("é", "é"),
        ] {
            assert_eq!(relative_path(name), Ok(path));
        }
    }

    #[test]
    fn names_that_leave_are_not() {
        for name in [
            "", "./", ".", "..", "/", "/etc/x", ".//x", "a/../b", "a/..", "../a", "./../a", "a//b", "a/", "a/./b",
            "a/.", "a\\b", "..\\a", "C:\\x", "c:x", "c:", "a\0b",
        ] {
            assert!(relative_path(name).is_err(), "{name:?}");
        }
    }
}
