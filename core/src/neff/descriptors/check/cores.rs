//! Core counts are told four times: by three fields of the header and by the graphs of the kelfs (`spec/neff.md` sections 1.1
//! and 1.3).
#![forbid(unsafe_code)]

use super::{Checker, Program, Severity};
use crate::error::{Error, ErrorCode};
use crate::neff::features::VNC;
use crate::neff::header::{Header, fields};
use alloc::format;

/// Compares them.
pub(super) fn check(checker: &mut Checker<'_>, header: &Header, program: &Program) {
    let mut conflict = |severity, field: fields::Field, message: &str, expected: &str, found: u64| {
        checker.push(
            severity,
            fields::located(Error::new(ErrorCode::Conflict, message).expected_found(expected, found), field),
        );
    };
    let graphs = program.kelfs.iter().map(|(_, graphs)| *graphs as u64).sum::<u64>();
    if graphs == 0 {
        // What is wrong then is told elsewhere.
        return;
    }
    let expected = format!("{graphs}, the graphs of all kelfs");
    for (field, value) in [(fields::NUM_TPB, header.num_tpb), (fields::REQUESTED_TPB_COUNT, header.requested_tpb_count)]
    {
        if u64::from(value) != graphs {
            conflict(
                Severity::Warning,
                field,
                "the number of cores is not that of the graphs",
                &expected,
                value.into(),
            );
        }
    }
    let largest = program.kelfs.iter().map(|(_, graphs)| *graphs as u64).max().unwrap_or(0);
    if u64::from(header.lnc_size) != largest {
        let expected = format!("{largest}, the graphs of a kelf");
        let message = "the size of a logical core is not the number of its graphs";
        conflict(Severity::Warning, fields::LNC_SIZE, message, &expected, header.lnc_size.into());
    }
    if (header.feature_bits & VNC != 0) != (header.lnc_size > 1) && header.lnc_size != 0 {
        let expected = if header.lnc_size > 1 { "bit 0x400" } else { "no bit 0x400" };
        let error = Error::new(ErrorCode::Conflict, "`lnc_size` and the feature of several physical cores contradict")
            .expected_found(expected, format!("{:#x}", header.feature_bits));
        checker.push(Severity::Warning, fields::located(error, fields::FEATURE_BITS));
    }
    let all_zero = header.tpb_per_node.iter().all(|&count| count == 0);
    if all_zero {
        let error = Error::new(ErrorCode::Conflict, "no cores per node: written so for a single named output")
            .expected_found(format!("{graphs}, the graphs of all kelfs"), 0);
        checker.push(Severity::Note, fields::located(error, fields::TPB_PER_NODE));
        return;
    }
    // One byte per kelf node, or all graphs in the first byte.
    let sum: u64 = header.tpb_per_node.iter().map(|&count| u64::from(count)).sum();
    let used = header.tpb_per_node.iter().rposition(|&count| count != 0).map_or(0, |last| last + 1);
    if sum != graphs || used > program.kelf_nodes.max(1) {
        let error = Error::new(ErrorCode::Conflict, "the cores per node are not those of the graphs").expected_found(
            format!("{graphs} in all, in the first {} bytes", program.kelf_nodes.max(1)),
            format!("{sum} in {used} bytes"),
        );
        checker.push(Severity::Warning, fields::located(error, fields::TPB_PER_NODE));
    }
}
