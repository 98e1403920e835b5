//! Affine expressions and predicates, in the form of version 2 and the older one of version 1.
//!
//! The form is told by its shape: nodes of version 2 have a `kind`. So an expression can be read before `version` was,
//! which a sorted document has at its end.
#![forbid(unsafe_code)]

use super::super::input::{Input, Limits, ValueKind};
use super::{Reader, unresolved};
use crate::ir::{AffinePredicate, ExprKind, ExprNode, Instruction, LoopAxis, QuasiAffineExpr, Register};
use crate::{Error, ErrorCode, Result};
use alloc::vec::Vec;

impl<'a, 'm, I: Input<'a>> Reader<'_, 'a, 'm, I> {
    /// A whole expression in the scope of an instruction.
    pub(super) fn expression(&mut self, scope: &'m Instruction) -> Result<QuasiAffineExpr<'m>> {
        let root = self.node(scope)?;
        self.module.expression(root).map_err(|e| self.place(e))
    }

    /// A node of an expression.
    pub(super) fn node(&mut self, scope: &'m Instruction) -> Result<&'m ExprNode> {
        let limit = Limits::MAX_NESTED_EXPRESSIONS;
        self.nested(|s| &mut s.nested_expressions, "MAX_NESTED_EXPRESSIONS", limit, |r| r.whole_node(scope))
    }

    fn whole_node(&mut self, scope: &'m Instruction) -> Result<&'m ExprNode> {
        if self.first_expr.is_none() {
            self.first_expr = Some((crate::error::text(&self.path), self.here()));
        }
        let [kind] = self.scan(["kind"])?;
        let Some(kind) = kind else { return self.old_node(scope) };
        let kind = self.at_mark(kind, |r| {
            r.under("kind", |r| {
                let text = r.string()?;
                ExprKind::from_name(&text).ok_or_else(|| {
                    let names: Vec<&str> = ExprKind::ALL.iter().map(|k| k.name()).collect();
                    r.error(ErrorCode::UnknownEnum, "unknown expression kind")
                        .expected_found(names.join(", "), format_args!("`{text}`"))
                })
            })
        })?;
        self.node_of_kind(scope, kind)
    }

    fn node_of_kind(&mut self, scope: &'m Instruction, kind: ExprKind) -> Result<&'m ExprNode> {
        let mut terms: Vec<(&'m ExprNode, i64)> = Vec::new();
        let mut operand = None;
        let mut axis = None;
        let mut register = None;
        let mut n_terms = None;
        let (mut first, mut second) = (None, None);
        self.object(|r, key| {
            let number = |r: &mut Self, key: &'static str, slot: &mut Option<(i64, u64)>| {
                r.under(key, |r| {
                    *slot = Some((r.i64()?, r.at));
                    Ok(())
                })
            };
            match (kind, &*key) {
                (_, "kind") => r.input.skip(),
                (ExprKind::AffExprKind, "terms") => r.under("terms", |r| {
                    terms = r.list(|r| r.affine_term(scope))?;
                    Ok(())
                }),
                (ExprKind::SumKind, "terms") => r.under("terms", |r| {
                    terms = r.list(|r| Ok((r.node(scope)?, 1)))?;
                    Ok(())
                }),
                (ExprKind::SumKind, "n_terms") => r.under("n_terms", |r| {
                    n_terms = Some((r.u64()?, r.at));
                    Ok(())
                }),
                (ExprKind::AffExprKind, "c") => number(r, "c", &mut first),
                (ExprKind::AffIVKind, "axis") => r.under("axis", |r| {
                    axis = Some(r.axis_ref(scope)?);
                    Ok(())
                }),
                (ExprKind::ShardIDKind, "ub") => number(r, "ub", &mut first),
                (ExprKind::IntRuntimeValueKind, "regref") => r.under("regref", |r| {
                    register = Some(r.register_ref(scope)?);
                    Ok(())
                }),
                (ExprKind::MultKind, "var") => r.under("var", |r| {
                    operand = Some(r.node(scope)?);
                    Ok(())
                }),
                (ExprKind::MultKind, "scale") => number(r, "scale", &mut first),
                (ExprKind::FloorDivKind | ExprKind::ModuloKind | ExprKind::CCDivKind, "numer") => {
                    r.under("numer", |r| {
                        operand = Some(r.node(scope)?);
                        Ok(())
                    })
                }
                (ExprKind::FloorDivKind | ExprKind::ModuloKind | ExprKind::CCDivKind, "denom") => {
                    number(r, "denom", &mut first)
                }
                (ExprKind::CCDivKind, "replica_groups_id") => number(r, "replica_groups_id", &mut second),
                (ExprKind::CCGetRankKind, "iteration_id") => number(r, "iteration_id", &mut first),
                (ExprKind::CCGetRankKind, "channel_id") => number(r, "channel_id", &mut second),
                (ExprKind::IndirectArgId, "arg_id") => number(r, "arg_id", &mut first),
                _ => r.unknown_key(&key),
            }
        })?;
        let module = self.module;
        // The number that the maker may refuse, and where it stood.
        let number = |value: Option<(i64, u64)>| value.map_or(0, |v| v.0);
        let refused = match kind {
            ExprKind::FloorDivKind | ExprKind::ModuloKind => first.map(|v| ("denom", v.1)),
            ExprKind::CCDivKind if number(first) <= 0 => first.map(|v| ("denom", v.1)),
            ExprKind::CCDivKind => second.map(|v| ("replica_groups_id", v.1)),
            ExprKind::CCGetRankKind if number(first) < 0 => first.map(|v| ("iteration_id", v.1)),
            ExprKind::CCGetRankKind => second.map(|v| ("channel_id", v.1)),
            ExprKind::IndirectArgId => first.map(|v| ("arg_id", v.1)),
            ExprKind::ShardIDKind => first.map(|v| ("ub", v.1)),
            _ => None,
        };
        let made = match kind {
            ExprKind::AffExprKind => module.affine(&terms, number(first)),
            ExprKind::SumKind => {
                if let Some((count, at)) = n_terms.filter(|n| n.0 != terms.len() as u64) {
                    let error = Error::new(ErrorCode::Conflict, "n_terms differs from the number of terms")
                        .expected_found(format_args!("{count} terms"), format_args!("{} terms", terms.len()));
                    return Err(self.place_at("n_terms", at, error));
                }
                let nodes: Vec<&ExprNode> = terms.iter().map(|t| t.0).collect();
                module.sum(&nodes)
            }
            ExprKind::AffIVKind => match axis {
                Some(axis) => module.axis_value(axis),
                None => return Err(self.missing("axis")),
            },
            ExprKind::IntRuntimeValueKind => match register {
                Some(register) => module.register_value(register),
                None => return Err(self.missing("regref")),
            },
            ExprKind::MultKind | ExprKind::FloorDivKind | ExprKind::ModuloKind | ExprKind::CCDivKind => {
                let (key, of) = if kind == ExprKind::MultKind { ("var", "scale") } else { ("numer", "denom") };
                let operand = operand.ok_or_else(|| self.missing(key))?;
                let first = first.ok_or_else(|| self.missing(of))?;
                module.unary(kind, operand, first.0, number(second))
            }
            ExprKind::ShardIDKind => module.leaf(kind, first.ok_or_else(|| self.missing("ub"))?.0, 0),
            ExprKind::CCGetRankKind => module.leaf(kind, number(first), number(second)),
            ExprKind::IndirectArgId => module.leaf(kind, first.ok_or_else(|| self.missing("arg_id"))?.0, 0),
        };
        made.map_err(|e| match refused {
            Some((key, at)) if e.code == ErrorCode::BadValue => self.place_at(key, at, e),
            _ => self.place(e),
        })
    }

    /// `{"idx": node, "coeff": integer}`; index nodes are axes or shard ids.
    fn affine_term(&mut self, scope: &'m Instruction) -> Result<(&'m ExprNode, i64)> {
        let (mut node, mut coeff) = (None, 1);
        self.object(|r, key| match &*key {
            "idx" => r.under("idx", |r| {
                node = Some(r.node(scope)?);
                Ok(())
            }),
            "coeff" => r.under("coeff", |r| {
                coeff = r.i64()?;
                Ok(())
            }),
            _ => r.unknown_key(&key),
        })?;
        node.map(|n| (n, coeff)).ok_or_else(|| self.missing("idx"))
    }

    /// The flat form of version 1.
    fn old_node(&mut self, scope: &'m Instruction) -> Result<&'m ExprNode> {
        let mut terms: Vec<(&'m ExprNode, i64)> = Vec::new();
        let mut c = 0;
        let mut op = None;
        let mut op_param = None;
        self.object(|r, key| match &*key {
            "terms" => r.under("terms", |r| {
                terms = r.list(|r| {
                    let (mut axis, mut coef) = (None, 1);
                    r.object(|r, key| match &*key {
                        "AxisLabel" => r.under("AxisLabel", |r| {
                            axis = Some(r.axis_ref(scope)?);
                            Ok(())
                        }),
                        "coef" => r.under("coef", |r| {
                            coef = r.i64()?;
                            Ok(())
                        }),
                        _ => r.unknown_key(&key),
                    })?;
                    let axis = axis.ok_or_else(|| r.missing("AxisLabel"))?;
                    Ok((r.module.axis_value(axis).map_err(|e| r.place(e))?, coef))
                })?;
                Ok(())
            }),
            "c" => r.under("c", |r| {
                c = r.i64()?;
                Ok(())
            }),
            "op" => r.under("op", |r| {
                op = Some((r.string()?, r.at));
                Ok(())
            }),
            "op_param" => r.under("op_param", |r| {
                op_param = Some((r.i64()?, r.at));
                Ok(())
            }),
            _ => r.unknown_key(&key),
        })?;
        let module = self.module;
        let affine = module.affine(&terms, c).map_err(|e| self.place(e))?;
        let param = |r: &Self| op_param.map(|p| p.0).ok_or_else(|| r.missing("op_param"));
        let made = match op.as_ref().map(|op| &*op.0) {
            None => Ok(affine),
            Some("Mod") => module.unary(ExprKind::ModuloKind, affine, param(self)?, 0),
            Some("Div") => module.unary(ExprKind::FloorDivKind, affine, param(self)?, 0),
            // The rank of version 1 is a division within group 0.
            Some("CCGetRank") => module.unary(ExprKind::CCDivKind, affine, param(self)?, 0),
            Some("IndirectArgId") => module.leaf(ExprKind::IndirectArgId, param(self)?, 0),
            Some(other) => {
                let error = Error::new(ErrorCode::UnknownEnum, "unknown expression operation")
                    .expected_found("Mod, Div, CCGetRank or IndirectArgId", format_args!("`{other}`"));
                let at = op.as_ref().map_or(self.at, |op| op.1);
                return Err(self.place_at("op", at, error));
            }
        };
        made.map_err(|e| match op_param {
            Some((_, at)) if e.code == ErrorCode::BadValue => self.place_at("op_param", at, e),
            _ => self.place(e),
        })
    }

    pub(super) fn axis_ref(&mut self, scope: &'m Instruction) -> Result<&'m LoopAxis> {
        let name = self.string()?;
        scope.find_axis_outward(&name).ok_or_else(|| {
            self.error(ErrorCode::UnresolvedRef, format_args!("there is no enclosing loop with axis `{name}`"))
                .expected_found("the name of an axis", "none of that name")
        })
    }

    fn register_ref(&mut self, scope: &'m Instruction) -> Result<&'m Register> {
        let name = self.string()?;
        let function = scope.function();
        function
            .and_then(|f| self.storage_by_name(f, &name)?.as_register())
            .ok_or_else(|| self.place(unresolved("register", &name)))
    }

    /// `{"expr": affine, "op": "ge" | "eq"}`.
    pub(super) fn predicate(&mut self, scope: &'m Instruction) -> Result<AffinePredicate<'m>> {
        let (mut expr, mut op) = (None, 0);
        self.object(|r, key| match &*key {
            "expr" => r.under("expr", |r| {
                expr = Some(r.expression(scope)?);
                Ok(())
            }),
            "op" => r.under("op", |r| {
                op = match &*r.string()? {
                    "ge" => 0,
                    "eq" => 1,
                    other => {
                        return Err(r
                            .error(ErrorCode::UnknownEnum, "unknown comparison")
                            .expected_found("`ge` or `eq`", format_args!("`{other}`")));
                    }
                };
                Ok(())
            }),
            _ => r.unknown_key(&key),
        })?;
        let expr = expr.ok_or_else(|| self.missing("expr"))?;
        Ok(AffinePredicate { expr, op })
    }

    /// An expression, or an integer for a constant one.
    pub(super) fn expression_or_integer(&mut self, scope: &'m Instruction) -> Result<QuasiAffineExpr<'m>> {
        if self.input.peek()? != ValueKind::Number {
            return self.expression(scope);
        }
        let c = self.i64()?;
        let root = self.module.affine(&[], c).map_err(|e| self.place(e))?;
        self.module.expression(root).map_err(|e| self.place(e))
    }
}
