//! A runtime reads constant files by a cruder rule than the format's, and copies what it takes for their data without asking
//! what the tensor needs: whoever packs them should hear of it first.
#![forbid(unsafe_code)]

use crate::Result;
use crate::consts::npy::{self, Prefix};
use crate::contents::{Contents, Data, fill_at};
use crate::fallible::{format, zeros};
use alloc::string::String;
use alloc::vec::Vec;

/// Enough for the headers that writers make.
const HEAD: usize = 256;

/// A constant's file as the runtime sees it.
pub(super) struct ConstantFile {
    /// Bytes of what the runtime takes for the data (`spec/consts.md` section 3.3).
    pub payload_bytes: u64,
    /// Why that is not the data, if the file says so.
    pub fault: Option<String>,
}

/// Looks at the start of a file.
pub(super) fn look(data: &Data<'_>) -> Result<ConstantFile> {
    let mut head = zeros(HEAD)?;
    let count = fill_at(data, 0, &mut head)?;
    head.truncate(count);
    let skip = npy::runtime_payload_start(&head, data.size());
    let payload_bytes = data.size().saturating_sub(skip.unwrap_or(0));
    let fault = if npy::looks_like_npy(&head) { npy_fault(data, head)? } else { None };
    Ok(ConstantFile { payload_bytes, fault })
}

fn npy_fault(data: &Data<'_>, mut head: Vec<u8>) -> Result<Option<String>> {
    let options = npy::Options { allow_conversion: true };
    loop {
        let fault = match npy::parse_prefix(&head, options) {
            Ok(Prefix::Whole(npy)) => npy.check_runtime().and_then(|()| npy.check_file_bytes(data.size())),
            Ok(Prefix::Needs(bytes)) => {
                let had = head.len();
                head = zeros(bytes)?;
                let count = fill_at(data, 0, &mut head)?;
                head.truncate(count);
                if head.len() > had && head.len() == bytes {
                    continue;
                }
                // The file ends in its header, which a reader of whole files says best.
                npy::parse_with(&head, options).map(|_| ())
            }
            Err(error) => Err(error),
        };
        return fault.err().map(format).transpose();
    }
}
