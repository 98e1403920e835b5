//! The IR signature identifies a package's build data, weights and debug information; it is logged by the producer and
//! stored nowhere (`spec/neff.md` section 7).
#![forbid(unsafe_code)]

use crate::consts::digest::{Md5, Running};

/// Whether a member is part of the signature: `info.json`, every `.npy` and every file whose extension contains `.dbg`.
pub fn is_signed(name: &str) -> bool {
    let base = name.rsplit('/').next().unwrap_or(name);
    let extension = base.rfind('.').and_then(|dot| base.get(dot..)).unwrap_or("");
    name == "info.json" || extension == ".npy" || extension.contains(".dbg")
}

/// The MD5 over the contents of the signed members, in the order given, which has to be that of the archive.
pub fn ir_signature<'m>(members: impl IntoIterator<Item = (&'m str, &'m [u8])>) -> Md5 {
    let mut running = Running::new();
    for (_, bytes) in members.into_iter().filter(|(name, _)| is_signed(name)) {
        running.update(bytes);
    }
    running.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::consts::digest::md5;

    #[test]
    fn members() {
        for name in ["info.json", "sg00/w.npy", ".npy", "a.dbg", "x.dbg2", "d.x/y.adbg.dbg"] {
            assert!(is_signed(name), "{name}");
        }
        for name in ["sg00/info.json", "w.npy2", "x.dbg.gz", "a.bin", "npy", "a.npy/b", "", "a.adbg"] {
            assert!(!is_signed(name), "{name}");
        }
    }

    #[test]
    fn concatenates_in_order() {
        let members: [(&str, &[u8]); 4] = [("info.json", b"a"), ("x.bin", b"no"), ("w.npy", b"b"), ("d.dbg", b"c")];
        assert_eq!(ir_signature(members), md5(b"abc"));
    }
}
