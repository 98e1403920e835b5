//! Waiting on a semaphore takes only two of the three wait modes.

use super::CoreGeneration;
use super::bir::WaitMode;
use crate::error::{Error, ErrorCode, Result};

impl WaitMode {
    /// The wire byte on an EventSemaphore instruction; bit 0x80 means that the threshold is a register.
    ///
    /// # Errors
    /// `Unsupported` with the original's text for a wait on the event bank (`spec/enums.md` section 1, errors).
    pub fn semaphore_wire_byte(self, generation: CoreGeneration) -> Result<u8> {
        if self.event_semaphore() == Some("rejected") {
            let text = "only two wait modes supported now: SEM_GE_IMM and SEM_GE_REG";
            return Err(Error::new(ErrorCode::Unsupported, text)
                .expected_found("sem-ge-imm or sem-ge-reg", format_args!("`{self}`")));
        }
        self.wire_byte(generation)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn semaphores_take_two_modes() {
        let generation = CoreGeneration::CoreV3;
        let e = WaitMode::evt_set_then_clear.semaphore_wire_byte(generation).unwrap_err();
        assert_eq!(e.message, "only two wait modes supported now: SEM_GE_IMM and SEM_GE_REG");
        assert_eq!(WaitMode::evt_set_then_clear.wire_byte(generation), Ok(7));
        assert_eq!(WaitMode::sem_ge_imm.semaphore_wire_byte(generation), Ok(5));
        assert_eq!(WaitMode::sem_ge_reg.semaphore_wire_byte(generation), Ok(0x85));
    }
}
