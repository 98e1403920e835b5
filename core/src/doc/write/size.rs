//! About how long a text will be. Memory that grows piece by piece is taken, moved and given back several times.
#![forbid(unsafe_code)]

use crate::doc::json_out::Style;
use crate::ir::{Function, ModuleRef};

/// Bytes of an instruction as compilers write them: with three operands, two dependencies and a line number.
const fn instruction(style: Style) -> usize {
    match style {
        Style::Pretty => 2560,
        Style::Compact => 840,
    }
}

/// Bytes of the text of a module, about: instructions are nearly all of it, and those in the bodies of loops are not counted, for
/// which one would have to look at every instruction.
pub(super) fn of_text(module: &ModuleRef, style: Style) -> usize {
    let in_function = |f: &Function| f.blocks().map(|block| block.instruction_count()).sum::<usize>();
    module.functions().map(in_function).sum::<usize>().saturating_mul(instruction(style))
}
