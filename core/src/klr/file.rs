//! A file as a whole.

use super::ast::{Contents, KLRFile, KLRMetaData, LncKernel};
use super::schema::Schema;
use super::visit::{Visitor, Walk};
use crate::error::{Error, ErrorCode, Result};

/// A decoded KLR file (`spec/klr.md` section 1).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct File<'a> {
    /// The version; the third number is 12.
    pub version: KLRFile,
    /// A word of the writer, which nobody reads.
    pub metadata: KLRMetaData<'a>,
    /// What the file holds.
    pub contents: Contents<'a>,
    /// The schema that the file follows; `None` if it has no record that tells.
    pub schema: Option<Schema>,
    /// Whether the file has a byte for each proof field, as the unmodified C++ writer leaves them.
    pub proof_bytes: bool,
}

impl<'a> File<'a> {
    /// The kernel that a back end accepts.
    ///
    /// # Errors
    /// `WrongKind` with the reference's text if the file holds something else; expected and found name the kinds.
    pub fn lnc(&self) -> Result<&'a LncKernel<'a>> {
        match self.contents {
            Contents::Lnc(kernel) => Ok(kernel),
            other => Err(Error::new(ErrorCode::WrongKind, "Wrong KLIR content type")
                .expected_found("`lnc`, a kernel for all cores", describe(&other))
                .at("contents")),
        }
    }
}

/// Shows the three items of a file as fields, under the keys of the JSON form.
impl Walk for File<'_> {
    fn walk_parts<V: Visitor + ?Sized>(&self, visitor: &mut V) -> Result<()> {
        visitor.field("file")?;
        self.version.walk(visitor)?;
        visitor.end_field();
        visitor.field("meta")?;
        self.metadata.walk(visitor)?;
        visitor.end_field();
        visitor.field("contents")?;
        self.contents.walk(visitor)?;
        visitor.end_field();
        Ok(())
    }
}

fn describe(contents: &Contents<'_>) -> &'static str {
    match contents {
        Contents::Kernel(_) => "`kernel`, a kernel before the launch-grid step",
        Contents::Lnc(_) => "`lnc`, a kernel for all cores",
        Contents::Hlo(_) => "`hlo`, the name of a kernel at a call site",
    }
}
