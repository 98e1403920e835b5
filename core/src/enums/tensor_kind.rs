//! The queue that moves a tensor across the module boundary follows from its kind.

use super::bir::{DMAQueueType, TensorKind};
use crate::error::{Error, ErrorCode, Result};

impl TensorKind {
    /// The queue type of a tensor of this kind (`spec/enums.md` section 6).
    ///
    /// # Errors
    /// `Unsupported`, "Unexpected tensor kind", for `Pointer`.
    pub fn queue_type(self) -> Result<DMAQueueType> {
        self.dma_queue_type().ok_or_else(|| {
            Error::new(ErrorCode::Unsupported, "Unexpected tensor kind")
                .expected_found("a kind with a queue type", format_args!("`{self}`"))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::category::TensorKindGroup;
    use super::*;

    #[test]
    fn queue_types_follow_the_group() {
        for kind in TensorKind::MEMBERS {
            let expected = match kind.group() {
                TensorKindGroup::Input => Some(DMAQueueType::input),
                TensorKindGroup::Output => Some(DMAQueueType::output),
                TensorKindGroup::Const | TensorKindGroup::Internal => Some(DMAQueueType::data),
                TensorKindGroup::Pointer => None,
            };
            assert_eq!(kind.queue_type().ok(), expected, "{kind}");
            // The group tests of spec/enums.md section 5: k <= 2 and k - 3 <= 2, unsigned.
            let k = kind.ordinal() as u32;
            assert_eq!(kind.group() == TensorKindGroup::Input, k <= 2, "{kind}");
            assert_eq!(kind.group() == TensorKindGroup::Output, k.wrapping_sub(3) <= 2, "{kind}");
        }
        let e = TensorKind::Pointer.queue_type().unwrap_err();
        assert_eq!((e.code, e.message.as_str()), (ErrorCode::Unsupported, "Unexpected tensor kind"));
    }
}
