//! Operands: one flat object each, whose `kind` selects the class.
#![forbid(unsafe_code)]

use super::super::input::{Input, ValueKind};
use super::keys::keys;
use super::layout::Member;
use super::{Reader, WarningKind, unresolved};
use crate::enums::bir::{ArgumentKind, Dtype, IndirectDim};
use crate::enums::id;
use crate::ir::{
    APPair, DynamicSpec, Function, Instruction, MemoryLocation, MemoryLocationSet, OperandList, OperandSpec, Place,
    QuasiAffineExpr, Register,
};
use crate::{Error, ErrorCode, Result};
use alloc::borrow::Cow;
use alloc::vec::Vec;

/// Pairs of an access pattern, on the stack: documents have at most five.
#[derive(Clone, Copy, Default)]
struct Pattern {
    pairs: [APPair; crate::ir::MAX_DIMS],
    len: usize,
}

impl Pattern {
    fn as_slice(&self) -> &[APPair] {
        self.pairs.get(..self.len).unwrap_or_default()
    }
}

/// The keys of one operand as they were found.
struct Keys<'a, 'm, M> {
    /// The operand, for the place of a key that turns out to be wrong.
    start: M,
    kind: Option<Cow<'a, str>>,
    dtype: Option<Dtype>,
    ap: Option<Pattern>,
    offset: u64,
    memref: Option<Cow<'a, str>>,
    memsetref: Option<Cow<'a, str>>,
    regref: Option<Cow<'a, str>>,
    reg_ap_offset: Option<Cow<'a, str>>,
    reg_sub_tensor_id: Option<Cow<'a, str>>,
    memref_owner_func: Option<Cow<'a, str>>,
    access_shape: Vec<u64>,
    addrs: Vec<QuasiAffineExpr<'m>>,
    tensor_indirect_arg_id: i32,
    num_tensor_indirect_indices: i32,
    const_ap_offset: u64,
    const_sub_tensor_id: i32,
    is_regloc_offset: bool,
    dynamic: Option<M>,
    value: Option<M>,
    value_array: Option<M>,
    value_list: Option<M>,
    expr: Option<M>,
    /// Which [`Key`]s were there, one bit each.
    seen: u32,
}

keys! {
    /// Keys of operands of any kind (`spec/bir-json.md` section 6).
    enum Key {
        Kind = "kind",
        Dtype = "dtype",
        Ap = "ap",
        Offset = "offset",
        Memref = "memref",
        Memsetref = "memsetref",
        Regref = "regref",
        RegApOffset = "reg_ap_offset",
        RegSubTensorId = "reg_sub_tensor_id",
        MemrefOwnerFunc = "memref_owner_func",
        AccessShape = "access_shape",
        Addrs = "addrs",
        TensorIndirectArgId = "tensor_indirect_arg_id",
        NumTensorIndirectIndices = "num_tensor_indirect_indices",
        ConstApOffset = "const_ap_offset",
        ConstSubTensorId = "const_sub_tensor_id",
        IsReglocOffset = "is_regloc_offset",
        DynamicApInfo = "dynamic_ap_info",
        Value = "value",
        ValueArray = "value_array",
        ValueList = "value_list",
        Expr = "expr",
    }
}

/// The keys that each kind has (`spec/bir-json.md` section 6), as a set of bits.
const fn keys_of(kind: ArgumentKind) -> u32 {
    use Key as K;
    let keys: &[Key] = match kind {
        ArgumentKind::PhysicalAccessPattern => {
            &[K::Ap, K::Offset, K::Memref, K::Memsetref, K::AccessShape, K::DynamicApInfo, K::MemrefOwnerFunc]
        }
        ArgumentKind::SymbolicAccessPattern => {
            &[K::Ap, K::Memsetref, K::Addrs, K::AccessShape, K::TensorIndirectArgId, K::NumTensorIndirectIndices]
        }
        ArgumentKind::RegisterAccessPattern => &[
            K::Ap,
            K::Memsetref,
            K::Regref,
            K::RegApOffset,
            K::RegSubTensorId,
            K::ConstApOffset,
            K::ConstSubTensorId,
            K::IsReglocOffset,
            K::AccessShape,
        ],
        ArgumentKind::ImmediateValue => &[K::Value],
        ArgumentKind::ImmediateArray => &[K::ValueArray],
        ArgumentKind::SymbolicImmediateValue => &[K::ValueList, K::Expr],
        ArgumentKind::RegisterAccess => &[K::Regref],
        ArgumentKind::RegisterSet => &[],
    };
    let mut set = Key::Kind.bit() | Key::Dtype.bit();
    let mut at = 0;
    while at < keys.len() {
        set |= keys[at].bit();
        at += 1;
    }
    set
}

impl<'a, 'm, I: Input<'a>> Reader<'_, 'a, 'm, I> {
    pub(super) fn operand(&mut self, instruction: &'m Instruction, list: OperandList) -> Result<()> {
        let mut keys = Keys {
            start: self.input.mark(),
            kind: None,
            dtype: None,
            ap: None,
            offset: 0,
            memref: None,
            memsetref: None,
            regref: None,
            reg_ap_offset: None,
            reg_sub_tensor_id: None,
            memref_owner_func: None,
            access_shape: Vec::new(),
            addrs: Vec::new(),
            tensor_indirect_arg_id: -1,
            num_tensor_indirect_indices: 0,
            const_ap_offset: 0,
            const_sub_tensor_id: -1,
            is_regloc_offset: false,
            dynamic: None,
            value: None,
            value_array: None,
            value_list: None,
            expr: None,
            seen: 0,
        };
        let mut layout = core::mem::take(&mut self.operand_layout);
        self.laid_out(&mut layout, Key::number, |r, member| {
            let known = match member {
                Member::Known(number) => Key::numbered(number)?,
                Member::Other(key) => return r.unknown_key(&key),
            };
            let mut seen = keys.seen & known.bit() != 0;
            keys.seen |= known.bit();
            r.under(known.text(), |r| {
                r.once(&mut seen)?;
                r.operand_key(instruction, known, &mut keys)
            })
        })?;
        self.operand_layout = layout;
        self.make_operand(instruction, list, &keys)
    }

    fn operand_key(&mut self, instruction: &'m Instruction, key: Key, keys: &mut Keys<'a, 'm, I::Mark>) -> Result<()> {
        match key {
            Key::Kind => keys.kind = Some(self.string()?),
            Key::Dtype => keys.dtype = Some(Dtype::from_ordinal(self.enum_value(id::DTYPE)?)?),
            Key::Ap => keys.ap = Some(self.pattern()?),
            Key::Offset => keys.offset = self.u64()?,
            Key::Memref => keys.memref = Some(self.string()?),
            Key::Memsetref => keys.memsetref = Some(self.string()?),
            Key::Regref => keys.regref = Some(self.string()?),
            Key::RegApOffset => keys.reg_ap_offset = Some(self.string()?),
            Key::RegSubTensorId => keys.reg_sub_tensor_id = Some(self.string()?),
            Key::MemrefOwnerFunc => keys.memref_owner_func = Some(self.string()?),
            Key::AccessShape => keys.access_shape = self.list(Self::u64)?,
            Key::Addrs => keys.addrs = self.list(|r| r.expression(instruction))?,
            Key::TensorIndirectArgId => keys.tensor_indirect_arg_id = self.i32()?,
            Key::NumTensorIndirectIndices => keys.num_tensor_indirect_indices = self.i32()?,
            Key::ConstApOffset => keys.const_ap_offset = self.u64()?,
            Key::ConstSubTensorId => keys.const_sub_tensor_id = self.i32()?,
            Key::IsReglocOffset => keys.is_regloc_offset = self.bool()?,
            Key::DynamicApInfo => self.keep(&mut keys.dynamic)?,
            Key::Value => self.keep(&mut keys.value)?,
            Key::ValueArray => self.keep(&mut keys.value_array)?,
            Key::ValueList => self.keep(&mut keys.value_list)?,
            Key::Expr => self.keep(&mut keys.expr)?,
        }
        Ok(())
    }

    /// Remembers where a value stands and passes over it; the whole instruction is held.
    fn keep(&mut self, slot: &mut Option<I::Mark>) -> Result<()> {
        *slot = Some(self.input.mark());
        self.input.pass()
    }

    /// `[[step, num], ...]`, 1 to 5 pairs.
    fn pattern(&mut self) -> Result<Pattern> {
        let mut pattern = Pattern::default();
        let (start, offset) = (self.input.mark(), self.input.offset());
        let mut numbers = [[0; 2]; crate::ir::MAX_DIMS];
        if let Some(len) = self.input.number_pairs(&self.state.pattern_layout, &mut numbers) {
            self.at = offset;
            let pairs = numbers.map(|[step, num]| APPair { step: step as i64, num: num as i64 });
            return Ok(Pattern { pairs, len });
        }
        self.array(|r, index| {
            let pair = r.pair()?;
            if index == 0 && pair.step < 0 {
                return Err(r
                    .error(ErrorCode::BadValue, "the partition step of an access pattern is not negative")
                    .expected_found("0 or more", pair.step));
            }
            match pattern.pairs.get_mut(index) {
                Some(slot) => *slot = pair,
                None => {
                    return Err(r
                        .error(ErrorCode::BadValue, "an access pattern has at most 5 dimensions")
                        .expected_found("1 to 5 pairs", "more"));
                }
            }
            pattern.len = index + 1;
            Ok(())
        })?;
        if pattern.len == 0 {
            let error = self.error(ErrorCode::BadValue, "an access pattern has at least one dimension");
            return Err(error.expected_found("1 to 5 pairs", "none"));
        }
        if let Some(layout) = self.input.pair_layout(start, false, &self.pattern_layout) {
            self.pattern_layout = layout;
        }
        Ok(pattern)
    }

    /// `[step, num]`.
    pub(super) fn pair(&mut self) -> Result<APPair> {
        let mut values = [0_i64; 2];
        let mut count = 0;
        self.expect_kind(ValueKind::Array)?;
        self.array(|r, index| {
            match values.get_mut(index) {
                Some(value) => *value = r.i64()?,
                None => r.input.skip()?,
            }
            count = index + 1;
            Ok(())
        })?;
        if count != 2 {
            return Err(self
                .error(ErrorCode::WrongType, "")
                .expected_found("a pair [step, num]", format_args!("{count} numbers")));
        }
        let [step, num] = values;
        Ok(APPair { step, num })
    }

    /// Puts an error or a warning at a key of an operand. Where its keys stood is not kept, so the operand is read again.
    fn at_key<T>(&mut self, start: I::Mark, key: &'static str, then: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let mark = self.at_mark(start, |r| r.scan([key]))?;
        match mark {
            [Some(mark)] => self.at_mark(mark, |r| r.under(key, then)),
            [None] => then(self),
        }
    }

    /// An error at a key of an operand.
    fn fault<T>(&mut self, start: I::Mark, key: &'static str, error: Error) -> Result<T> {
        self.at_key(start, key, |r| Err(r.place(error)))
    }

    fn need<T>(&self, key: &str, value: Option<T>) -> Result<T> {
        value.ok_or_else(|| self.missing(key))
    }

    fn make_operand(
        &mut self,
        instruction: &'m Instruction,
        list: OperandList,
        keys: &Keys<'a, 'm, I::Mark>,
    ) -> Result<()> {
        let text = self.need("kind", keys.kind.as_deref())?;
        let Ok(kind) = ArgumentKind::from_json_kind(text) else {
            let error = Error::new(ErrorCode::Unsupported, "unsupported argument kind").expected_found(
                "physical_ap, symbolic_ap, symbolic_pwap, register_ap, imm_value, imm_array, symbolic_imm_value or register_access",
                format_args!("`{text}`"),
            );
            return self.fault(keys.start, "kind", error);
        };
        let foreign = keys.seen & !keys_of(kind);
        if foreign != 0 {
            for key in Key::ALL.iter().filter(|key| foreign & key.bit() != 0) {
                let key = key.text();
                let message = format_args!("unknown key `{key}` of a {text}; dropped");
                self.at_key(keys.start, key, |r| r.warn(WarningKind::UnknownKey, message))?;
            }
        }
        let dtype = self.need("dtype", keys.dtype)?;
        let immediate =
            [ArgumentKind::ImmediateValue, ArgumentKind::ImmediateArray, ArgumentKind::SymbolicImmediateValue];
        if immediate.contains(&kind) {
            if let Err(error) = immediate_range(dtype) {
                return self.fault(keys.start, "dtype", error);
            }
        }
        let pattern = keys.ap.unwrap_or_default();
        let pattern = pattern.as_slice();
        let operand = match kind {
            ArgumentKind::PhysicalAccessPattern => {
                self.need("ap", keys.ap)?;
                let location = self.operand_location(instruction, keys)?;
                let spec = OperandSpec::Physical { location, dtype, pattern, offset: keys.offset };
                let operand = self.add(instruction, list, &spec)?;
                if let Some(mark) = keys.dynamic {
                    self.at_mark(mark, |r| {
                        r.under("dynamic_ap_info", |r| {
                            r.dynamic_ap_info(instruction, |r, spec| {
                                operand.set_dynamic(Some(spec)).map_err(|e| r.place(e))
                            })
                        })
                    })?;
                }
                operand
            }
            ArgumentKind::SymbolicAccessPattern => {
                self.need("ap", keys.ap)?;
                let set = self.operand_set(instruction, keys)?;
                let spec = OperandSpec::Symbolic { set, dtype, pattern, addrs: &keys.addrs };
                let operand = self.add(instruction, list, &spec)?;
                operand.set_tensor_indirection(keys.tensor_indirect_arg_id, keys.num_tensor_indirect_indices)?;
                operand.set_spelled_pwap(text == "symbolic_pwap");
                operand
            }
            ArgumentKind::RegisterAccessPattern => {
                self.need("ap", keys.ap)?;
                let set = self.operand_set(instruction, keys)?;
                let regref = self.need("regref", keys.regref.as_deref())?;
                let register = self.operand_register(instruction, keys.start, "regref", regref)?;
                let other = |r: &mut Self, key: &'static str, name: &Option<Cow<'a, str>>| match name {
                    Some(name) => r.operand_register(instruction, keys.start, key, name).map(Some),
                    None => Ok(None),
                };
                let spec = OperandSpec::RegisterPattern {
                    set,
                    dtype,
                    pattern,
                    register,
                    offset_register: other(self, "reg_ap_offset", &keys.reg_ap_offset)?,
                    sub_tensor_register: other(self, "reg_sub_tensor_id", &keys.reg_sub_tensor_id)?,
                };
                let operand = self.add(instruction, list, &spec)?;
                operand.set_register_constants(
                    keys.const_ap_offset,
                    keys.const_sub_tensor_id,
                    keys.is_regloc_offset,
                )?;
                operand
            }
            ArgumentKind::ImmediateValue => {
                let mark = self.need("value", keys.value)?;
                let bits = self.at_mark(mark, |r| r.under("value", |r| r.immediate(dtype)))?;
                self.add(instruction, list, &OperandSpec::Immediate { dtype, bits })?
            }
            ArgumentKind::ImmediateArray => {
                let mark = self.need("value_array", keys.value_array)?;
                let values = self.at_mark(mark, |r| r.under("value_array", |r| r.list(Self::i64)))?;
                self.add(instruction, list, &OperandSpec::ImmediateArray { dtype, values: &values })?
            }
            ArgumentKind::SymbolicImmediateValue => {
                let values = match keys.value_list {
                    Some(mark) => self.at_mark(mark, |r| r.under("value_list", |r| r.value_list(dtype)))?,
                    None => Vec::new(),
                };
                let expr = match keys.expr {
                    Some(mark) => self.at_mark(mark, |r| r.under("expr", |r| r.expression(instruction)))?,
                    None => QuasiAffineExpr::NONE,
                };
                self.add(instruction, list, &OperandSpec::SymbolicImmediate { dtype, values: &values, expr })?
            }
            ArgumentKind::RegisterAccess => {
                let regref = self.need("regref", keys.regref.as_deref())?;
                let register = self.operand_register(instruction, keys.start, "regref", regref)?;
                self.add(instruction, list, &OperandSpec::Register { register, dtype })?
            }
            ArgumentKind::RegisterSet => return Err(self.error(ErrorCode::Unsupported, "unsupported argument kind")),
        };
        if !keys.access_shape.is_empty() {
            operand.set_access_shape(&keys.access_shape).map_err(|e| self.place(e))?;
        }
        if operand.is_immediate() && list != OperandList::Ins {
            let message = format_args!("an immediate in `{}` becomes an input", list.key());
            self.warn(WarningKind::MovedImmediate, message)?;
        }
        Ok(())
    }

    pub(super) fn add(
        &mut self,
        instruction: &'m Instruction,
        list: OperandList,
        spec: &OperandSpec<'_, 'm>,
    ) -> Result<&'m crate::ir::Argument> {
        instruction.add_operand(list, spec, Place::End).map_err(|e| self.place(e))
    }

    /// The function whose storage an operand means: that of the instruction, or `memref_owner_func`.
    fn owner_function(&mut self, instruction: &'m Instruction, keys: &Keys<'a, 'm, I::Mark>) -> Result<&'m Function> {
        match keys.memref_owner_func.as_deref() {
            None => instruction.function().ok_or_else(|| {
                self.error(ErrorCode::MissingKey, "an operand in a queue says whose location it means")
                    .expected_found("`memref_owner_func`", "")
            }),
            Some(name) => match (self.function_by_name(name), instruction.function()) {
                (Some(function), _) => Ok(function),
                (None, Some(own)) if self.own_name.as_ref().is_none_or(|own| own.0 == name) => {
                    if self.own_name.is_none() {
                        let place = |r: &mut Self| Ok((crate::error::text(&r.path), r.here()));
                        let (path, position) = self.at_key(keys.start, "memref_owner_func", place)?;
                        self.own_name = Some((crate::error::text(name), path, position));
                    }
                    Ok(own)
                }
                _ => self.fault(keys.start, "memref_owner_func", unresolved("function", name)),
            },
        }
    }

    fn operand_location(
        &mut self,
        instruction: &'m Instruction,
        keys: &Keys<'a, 'm, I::Mark>,
    ) -> Result<&'m MemoryLocation> {
        let name = self.need("memref", keys.memref.as_deref())?;
        let function = self.owner_function(instruction, keys)?;
        let set = keys.memsetref.as_deref();
        if let Some(location) = self.find_location(function, set, name) {
            return Ok(location);
        }
        match set {
            Some(set) if self.set_by_name(function, set).is_none() => {
                self.fault(keys.start, "memsetref", unresolved("set", set))
            }
            Some(set) => {
                let message = format_args!("there is no location `{name}` in set `{set}`");
                let error = Error::new(ErrorCode::UnresolvedRef, message)
                    .expected_found("the name of a location", "none of that name");
                self.fault(keys.start, "memref", error)
            }
            None => self.fault(keys.start, "memref", unresolved("location", name)),
        }
    }

    /// The location of that name, in the set of that name if there is one.
    pub(super) fn find_location(
        &mut self,
        function: &'m Function,
        set: Option<&str>,
        name: &str,
    ) -> Option<&'m MemoryLocation> {
        let as_named = self.renames.renamed.is_empty();
        let known = set.filter(|_| as_named).and_then(|set| self.found_locations.find(function, set, name));
        if known.is_some() {
            return known;
        }
        let location = self.location_by_name(function, set, name)?;
        self.found_locations.keep(name, location);
        Some(location)
    }

    fn operand_set(
        &mut self,
        instruction: &'m Instruction,
        keys: &Keys<'a, 'm, I::Mark>,
    ) -> Result<&'m MemoryLocationSet> {
        let name = self.need("memsetref", keys.memsetref.as_deref())?;
        let function = self.owner_function(instruction, keys)?;
        match self.set_by_name(function, name) {
            Some(set) => Ok(set),
            None => self.fault(keys.start, "memsetref", unresolved("set", name)),
        }
    }

    fn operand_register(
        &mut self,
        instruction: &'m Instruction,
        start: I::Mark,
        key: &'static str,
        name: &str,
    ) -> Result<&'m Register> {
        match instruction.function().and_then(|f| self.storage_by_name(f, name)?.as_register()) {
            Some(register) => Ok(register),
            None => self.fault(start, key, unresolved("register", name)),
        }
    }

    /// The bits of an immediate of this type; a number that the type cannot hold is an error.
    pub(super) fn immediate(&mut self, dtype: Dtype) -> Result<u64> {
        immediate_range(dtype).map_err(|e| self.place(e)).and_then(|range| match range {
            Immediate::Integer { min, max, bits } => {
                let value = self.integer(min, max)?;
                Ok((value as i64 as u64) & (u64::MAX >> (64 - bits)))
            }
            Immediate::Float => Ok(u64::from(self.f32()?.to_bits())),
        })
    }

    fn value_list(&mut self, dtype: Dtype) -> Result<Vec<u64>> {
        self.list(|r| {
            let mut bits = None;
            r.object(|r, key| match &*key {
                "value" => r.under("value", |r| {
                    bits = Some(r.immediate(dtype)?);
                    Ok(())
                }),
                _ => r.unknown_key(&key),
            })?;
            bits.ok_or_else(|| r.missing("value"))
        })
    }

    fn dynamic_ap_info(
        &mut self,
        instruction: &'m Instruction,
        set: impl FnOnce(&mut Self, &DynamicSpec<'_>) -> Result<()>,
    ) -> Result<()> {
        let mut actual: Vec<APPair> = Vec::new();
        let mut terms: Vec<(QuasiAffineExpr<'m>, i64)> = Vec::new();
        let (mut c, mut dim, mut max_index) = (0, IndirectDim::W, 0);
        self.object(|r, key| match &*key {
            "actual_ap" => r.under("actual_ap", |r| {
                actual = r.list(Self::pair)?;
                Ok(())
            }),
            "aff_expr" => r.under("aff_expr", |r| {
                terms = r.list(|r| {
                    let (mut expr, mut coef) = (None, 1);
                    r.object(|r, key| match &*key {
                        "offset_expr" => r.under("offset_expr", |r| {
                            expr = Some(r.expression(instruction)?);
                            Ok(())
                        }),
                        "coef" => r.under("coef", |r| {
                            coef = r.i64()?;
                            Ok(())
                        }),
                        _ => r.unknown_key(&key),
                    })?;
                    expr.map(|e| (e, coef)).ok_or_else(|| r.missing("offset_expr"))
                })?;
                Ok(())
            }),
            "c" => r.under("c", |r| {
                c = r.i64()?;
                Ok(())
            }),
            "indirect_dim" => r.under("indirect_dim", |r| {
                dim = IndirectDim::from_ordinal(r.enum_value(id::INDIRECT_DIM)?)?;
                Ok(())
            }),
            "indirect_dim_max_index" => r.under("indirect_dim_max_index", |r| {
                max_index = r.i32()?;
                Ok(())
            }),
            _ => r.unknown_key(&key),
        })?;
        let spec = DynamicSpec {
            actual_ap: &actual,
            aff_expr: &terms,
            c,
            indirect_dim: dim,
            indirect_dim_max_index: max_index,
        };
        set(self, &spec)
    }
}

/// How an immediate of a type is written.
pub(crate) enum Immediate {
    /// An integer of `bits` bits.
    Integer {
        /// Smallest value.
        min: i128,
        /// Largest value.
        max: i128,
        /// Width.
        bits: u32,
    },
    /// A number that is kept as an IEEE single: 16-bit floats are exact in it.
    Float,
}

/// How an immediate of this type is written; `Unsupported` for types that immediates cannot have.
pub(crate) fn immediate_range(dtype: Dtype) -> Result<Immediate> {
    crate::ir::check_immediate_dtype(dtype)?;
    let bits = u32::from(dtype.element_bits() as u16);
    let name = dtype.name();
    Ok(if name.starts_with("uint") {
        Immediate::Integer { min: 0, max: (1_i128 << bits) - 1, bits }
    } else if name.starts_with("int") {
        Immediate::Integer { min: -(1_i128 << (bits - 1)), max: (1_i128 << (bits - 1)) - 1, bits }
    } else if dtype == Dtype::float32 || bits == 16 {
        Immediate::Float
    } else {
        return Err(Error::new(ErrorCode::Unsupported, format_args!("an immediate cannot have the dtype `{name}`")));
    })
}
