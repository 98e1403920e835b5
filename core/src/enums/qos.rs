//! The priority class of a DMA in its descriptor, because the field is narrower than the enum.

use super::CoreGeneration;
use super::bir::DMAQoSClass;
use crate::error::{Error, ErrorCode, Result};

/// The largest value of the three-bit descriptor field.
const FIELD_MAX: u8 = 7;

impl DMAQoSClass {
    /// The value of the three-bit descriptor field: 0 for the first two members, else the ordinal less one
    /// (`spec/enums.md` section 2).
    ///
    /// # Errors
    /// `Unsupported` for P7 and above, whose carriage is not published, and before CoreV3, which has no such field.
    pub fn descriptor_field(self, generation: CoreGeneration) -> Result<u8> {
        let byte = self.wire_byte(generation)?;
        if byte > FIELD_MAX {
            let error = Error::new(ErrorCode::Unsupported, "the DMA descriptor has three bits for the priority class");
            return Err(error.expected_found("Unassigned, Default or P0..P6", format_args!("`{self}`")));
        }
        Ok(byte)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rule_and_table_agree() {
        for class in DMAQoSClass::MEMBERS {
            assert_eq!(class.wire_byte(CoreGeneration::CoreV2).unwrap_err().code, ErrorCode::Unsupported);
            for generation in [CoreGeneration::CoreV3, CoreGeneration::CoreV4] {
                let byte = class.wire_byte(generation).unwrap();
                assert_eq!(i32::from(byte), (class.ordinal() - 1).max(0), "{class}");
                let field = class.descriptor_field(generation);
                // The table leaves the two members without a class open; both write 0, which fits.
                assert_eq!(field.is_ok(), class.fits_descriptor_field().unwrap_or(true), "{class}");
                assert_eq!(field.unwrap_or(byte), byte);
            }
        }
        assert_eq!(DMAQoSClass::P7.descriptor_field(CoreGeneration::CoreV4).unwrap_err().code, ErrorCode::Unsupported);
    }
}
