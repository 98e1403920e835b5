//! Values of payload fields from KLR values, and the maps with the errors of `spec/lowering.toml`.

use super::super::number::{i32_of, u32_of};
use super::super::stop::{Field, Step, refuse};
use super::super::table::rule;
use super::super::wording;
use crate::enums::bir::{AluOpType, EngineAccumulationType, MatmultPerfMode};
use crate::enums::klr::{AccumCmd, AluOp, MatmulPerfMode, TensorScalarReverseOps};
use crate::enums::{IrEnum, bir, crosswalk};
use crate::fallible::push;
use crate::ir::{APPair, Instruction};
use crate::klr::ast;
use crate::op::Value;
use crate::{Error, Result};
use alloc::vec::Vec;

/// `alu`.
pub(super) fn alu(op: AluOp, field: &'static str) -> Step<AluOpType> {
    crosswalk::translate_alu_op(op.ordinal().cast_unsigned()).or_else(|_| refuse(&rule::ALU, field))
}

/// `alu` of an optional field; bypass if it is absent.
pub(super) fn alu_or_bypass(op: Option<AluOp>, field: &'static str) -> Step<AluOpType> {
    op.map_or(Ok(AluOpType::bypass), |op| alu(op, field))
}

/// `accum`.
pub(super) fn accum(command: AccumCmd, field: &'static str) -> Step<EngineAccumulationType> {
    let rule = if command == AccumCmd::LoadAccumulate { &rule::LOAD_ACCUMULATE } else { &rule::ACCUM };
    crosswalk::translate_accum_cmd(command.ordinal().cast_unsigned()).or_else(|_| refuse(rule, field))
}

/// `func`.
pub(super) fn func(function: crate::enums::klr::ActivationFunc) -> bir::ActivationFunctionType {
    crosswalk::translate_activation(function.ordinal().cast_unsigned())
}

/// `reverse0` and `reverse1`.
pub(super) const fn reversed(reverse: TensorScalarReverseOps) -> (bool, bool) {
    match reverse {
        TensorScalarReverseOps::none => (false, false),
        TensorScalarReverseOps::first => (true, false),
        TensorScalarReverseOps::second => (false, true),
        TensorScalarReverseOps::both => (true, true),
    }
}

/// `oob_is_err`: the register of `reg` is not used.
pub(super) const fn oob_is_error(bounds: ast::DmaBounds) -> bool {
    !matches!(bounds, ast::DmaBounds::Skip)
}

/// DoubleRow stays, everything else is None.
pub(super) const fn perf_mode(mode: MatmulPerfMode) -> MatmultPerfMode {
    match mode {
        MatmulPerfMode::DoubleRow => MatmultPerfMode::DoubleRow,
        _ => MatmultPerfMode::None,
    }
}

/// The member of a map of `enums.toml`, by the number of the klr side.
pub(super) fn mapped<E: IrEnum>(map: &str, klr: u32) -> Option<E> {
    E::from_ordinal(crosswalk::find(map)?.translate(klr).ok()?.into()).ok()
}

/// A list for a payload field.
pub(super) fn list<'m>(values: impl Iterator<Item = Value<'m>>) -> Result<Value<'m>> {
    let mut all = Vec::new();
    for value in values {
        push(&mut all, value)?;
    }
    Ok(Value::List(all))
}

/// A list of lists of numbers that fit 32 unsigned bits.
pub(super) fn rows<'m>(rows: &[&[i64]], field: &'static str) -> Step<Value<'m>> {
    let mut all = Vec::new();
    for (index, row) in rows.iter().enumerate() {
        push(&mut all, numbers(row, Field::at(field, index))?)?;
    }
    Ok(Value::List(all))
}

/// A list of numbers that fit 32 unsigned bits.
pub(super) fn numbers<'m>(values: &[i64], field: impl Into<Field>) -> Step<Value<'m>> {
    let field = field.into();
    let mut all = Vec::new();
    for value in values {
        push(&mut all, Value::Int(u32_of(*value, field)?.into()))?;
    }
    Ok(Value::List(all))
}

/// The three numbers of a data pattern: base, pairs as (step, num), channel multiplier.
pub(super) struct Data<'m> {
    base: i32,
    pairs: Value<'m>,
    multiplier: i32,
}

impl<'m> Data<'m> {
    pub(super) fn new(data: &ast::DataPattern<'_>, field: &'static str) -> Step<Data<'m>> {
        let field = Field::from(field);
        let mut pairs = Vec::new();
        for pair in data.pattern {
            let Ok(num) = i64::try_from(pair.num) else {
                return super::super::stop::refuse_with(&wording::NUMBER_RANGE, field.part("pattern"), pair.num);
            };
            push(&mut pairs, Value::Pair(APPair { step: pair.step, num }))?;
        }
        Ok(Data {
            base: i32_of(data.offset, field.part("offset"))?,
            pairs: Value::List(pairs),
            multiplier: i32_of(data.channel_multiplier, field.part("channelMultiplier"))?,
        })
    }

    /// Sets the fields `base`, `pattern` and `channel_multiplier`.
    pub(super) fn set(&self, instruction: &Instruction) -> Result<()> {
        instruction.set("base", &Value::Int(self.base.into()))?;
        instruction.set("pattern", &self.pairs)?;
        instruction.set("channel_multiplier", &Value::Int(self.multiplier.into()))
    }
}

/// Two tile numbers as a list, which are the field's own type of 32 bits.
pub(super) fn pair<'m>(values: [i32; 2]) -> Result<Value<'m>, Error> {
    list(values.into_iter().map(|v| Value::Int(v.into())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_by_name() {
        use crate::enums::bir::{AxisListType, DGEType};
        let dge = |klr| mapped::<DGEType>("nat dgeMode to DGEType", klr);
        let all = [dge(0), dge(1), dge(2), dge(3), dge(4)];
        let expected = [DGEType::Unassigned, DGEType::SWDGE, DGEType::HWDGE, DGEType::None].map(Some);
        assert_eq!(all.split_last(), Some((&None, &expected[..])));
        assert_eq!(mapped::<AxisListType>("TensorSubDim to AxisListType", 3), Some(AxisListType::XYZ));
        assert_eq!(reversed(TensorScalarReverseOps::second), (false, true));
        assert!(oob_is_error(ast::DmaBounds::Reg(3)) && !oob_is_error(ast::DmaBounds::Skip));
        assert_eq!(perf_mode(MatmulPerfMode::DoubleRowSwInterleave), MatmultPerfMode::None);
    }
}
