//! Member names become file names when a package is unpacked, so a name that could leave the target folder is refused
//! by reader and writer alike.
#![forbid(unsafe_code)]

use crate::error::{Error, ErrorCode, Result};
use crate::relative_path::relative_path;

/// The name as a relative path that is safe below any folder on any platform: leading `./` removed, elements separated
/// by `/`.
///
/// # Errors
///
/// `UnsafePath`, with the name as place, for a name that is empty or absolute, has a `..`, `.` or empty element, a NUL
/// or a backslash, or starts with a drive letter.
pub fn safe_member_path(name: &str) -> Result<&str> {
    relative_path(name).map_err(|fault| {
        Error::new(ErrorCode::UnsafePath, "the member name is not safe to unpack")
            .expected_found("a relative path below the target folder", fault)
            .at(name.escape_debug())
    })
}

/// Order of members in a package: split at `/`, elements compared as bytes (`spec/neff.md` section 4.2).
pub fn compare_paths(a: &str, b: &str) -> core::cmp::Ordering {
    a.split('/').map(str::as_bytes).cmp(b.split('/').map(str::as_bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::cmp::Ordering;

    #[test]
    fn accepts_relative_names() {
        for (name, path) in [
            ("neff.json", "neff.json"),
            ("./sg00/def.json", "sg00/def.json"),
            ("././a", "a"),
            ("sg00/wéight_权重.npy", "sg00/wéight_权重.npy"),
            ("sg00/value_nn__output:0-simout.npy", "sg00/value_nn__output:0-simout.npy"),
            ("a..b/...", "a..b/..."),
        ] {
            assert_eq!(safe_member_path(name).unwrap(), path);
        }
    }

    #[test]
    fn refuses_names_that_leave() {
        for name in [
            "", "./", ".", "..", "/", "/etc/x", ".//x", "a/../b", "a/..", "../a", "./../a", "a//b", "a/", "a/./b",
            "a/.", "a\\b", "..\\a", "C:\\x", "c:x", "c:", "a\0b",
        ] {
            let error = safe_member_path(name).unwrap_err();
            assert_eq!(error.code, ErrorCode::UnsafePath, "{name:?}");
            assert!(!error.found.is_empty());
        }
    }

    #[test]
    fn orders_by_element() {
        assert_eq!(compare_paths("a/b/x", "a/b.json"), Ordering::Less);
        assert_eq!(compare_paths("a/b.json", "a/b/x"), Ordering::Greater);
        assert_eq!(compare_paths("a", "a/b"), Ordering::Less);
        assert_eq!(compare_paths("a/b", "a/b"), Ordering::Equal);
        assert_eq!(compare_paths("Z", "a"), Ordering::Less);
    }
}
