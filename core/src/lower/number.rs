//! Numbers of KLR in the ranges of BIR, and strides.

use super::stop::{Field, Step, refuse, refuse_with};
use super::table::rule;
use super::wording;
use crate::enums::{crosswalk, klr};
use crate::klr::ast;

/// A number as a float: floats as they are, integers converted.
pub(super) fn float_of(immediate: ast::Immediate, field: &'static str) -> Step<f32> {
    match immediate {
        ast::Immediate::Float(value) => Ok(value),
        // The nearest float, as a C++ conversion gives it.
        ast::Immediate::Int(value) => Ok(value as f32),
        ast::Immediate::Register(_) | ast::Immediate::Pointer => refuse(&rule::IMMEDIATE_KIND, field),
    }
}

/// A number that fits 32 signed bits.
pub(super) fn i32_of(value: i64, field: impl Into<Field>) -> Step<i32> {
    match i32::try_from(value) {
        Ok(value) => Ok(value),
        Err(_) => refuse_with(&wording::NUMBER_RANGE, field, value),
    }
}

/// A number that fits 32 unsigned bits.
pub(super) fn u32_of(value: impl TryInto<u32> + Copy + core::fmt::Display, field: impl Into<Field>) -> Step<u32> {
    match value.try_into() {
        Ok(value) => Ok(value),
        Err(_) => refuse_with(&wording::NUMBER_RANGE, field, value),
    }
}

/// The stride of dimension `dim` in the row-major tensor, in elements: 0 for the partitions. `None` if the tensor has no such
/// dimension, or the stride does not fit.
pub(super) fn stride(tensor: &ast::TensorName<'_>, dim: i64) -> Option<i64> {
    let dim = usize::try_from(dim).ok()?;
    let stride = match dim {
        0 => tensor.free_elements,
        _ => tensor.shape.free_dims.get(dim..)?.iter().try_fold(1_u64, |product, n| product.checked_mul(*n))?,
    };
    i64::try_from(stride).ok()
}

/// The engine of a KLR engine.
pub(super) fn engine_of(engine: klr::Engine) -> crate::enums::bir::EngineType {
    crosswalk::translate_engine(engine.ordinal().cast_unsigned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use klr::Memory;

    #[test]
    fn strides_are_products_of_the_inner_dimensions() {
        let address = ast::Address {
            name: "t",
            memory: Memory::sbuf,
            par_size: 128,
            free_size: 4096,
            par_offset: None,
            free_offset: None,
            is_shared: false,
        };
        let shape = ast::Shape { par_dim: 128, free_dims: &[4, 8, 16] };
        let mut tensor = ast::TensorName {
            name: "t",
            dtype: klr::Dtype::float32,
            shape,
            address,
            free_elements: 520,
            address_rotation: false,
        };
        // Padded rows: the partition's stride is that of the layout; [p, 4, 8, 16] has strides 520, 128, 16, 1.
        let strides: std::vec::Vec<_> = (-1..=4).map(|dim| stride(&tensor, dim)).collect();
        assert_eq!(strides, [None, Some(520), Some(128), Some(16), Some(1), None]);
        tensor.shape.free_dims = &[2, u64::MAX, 2];
        assert_eq!(stride(&tensor, 1), None);
        assert_eq!(stride(&tensor, 3), Some(1));
    }

    #[test]
    fn numbers_are_checked() {
        assert_eq!(i32_of(-1, "imm").unwrap(), -1);
        assert!(i32_of(1 << 31, "imm").is_err());
        assert_eq!(u32_of(4_294_967_295_i64, "imm").unwrap(), u32::MAX);
        assert!(u32_of(-1_i64, "imm").is_err());
        assert!(u32_of(1_u64 << 32, "imm").is_err());
    }
}
