//! Dependency edges between statements (`spec/lowering.md` section 5).

use super::kernel::Lowering;
use super::stop::Field;
use super::table::rule;
use super::wording;
use crate::enums::bir::EdgeKind;
use crate::error::bail;
use crate::ir::raw::state::{FixedState, fixed_state};
use crate::ir::{EdgeSet, Instruction};
use crate::klr::ast::Block;
use crate::{Error, Result};
use hashbrown::HashSet;

/// A statement that an edge names.
enum End<'m> {
    /// Its instruction.
    Is(&'m Instruction),
    /// It has none here: it was refused, belongs to another core, or is a branch that was replaced.
    Elsewhere,
    /// There is no such statement.
    Missing,
}

/// The names of the statements of other cores, collected when the first unknown name occurs.
#[derive(Default)]
struct Others<'k>(Option<HashSet<&'k str, FixedState>>);

impl<'k> Others<'k> {
    fn contains(&mut self, lowering: &Lowering<'_, 'k>, body: &'k [Block<'k>], name: &str) -> Result<bool> {
        if self.0.is_none() {
            let mut names = HashSet::with_hasher(fixed_state());
            let others = lowering.kernel.bodies.iter().filter(|other| !core::ptr::eq(**other, body));
            for name in others.flat_map(|other| other.iter()).flat_map(|b| b.body).filter_map(|s| s.name) {
                names.try_reserve(1).map_err(|_| Error::out_of_memory())?;
                names.insert(name);
            }
            self.0 = Some(names);
        }
        match &self.0 {
            Some(names) => Ok(names.contains(name)),
            None => bail!(Internal, "the names of other cores are not there"),
        }
    }
}

/// Makes the targets of each edge wait for its source.
pub(super) fn add<'k>(lowering: &mut Lowering<'_, 'k>, body: &'k [Block<'k>]) -> Result<()> {
    let mut others = Others::default();
    for (index, edges) in lowering.kernel.edges.iter().enumerate() {
        let source = end(lowering, &mut others, body, edges.from_edge)?;
        if let End::Missing = source {
            lowering.error(&rule::EDGE_NAME, Field::at("edges", index).part("fromEdge"), edges.from_edge)?;
        }
        for name in edges.to_edges {
            let field = Field::at("edges", index).part("toEdges");
            match (&source, end(lowering, &mut others, body, name)?) {
                (_, End::Missing) => lowering.error(&rule::EDGE_NAME, field, name)?,
                (End::Is(source), End::Is(target)) if core::ptr::eq(*source, target) => {
                    lowering.error(&wording::EDGE_SELF, field, name)?;
                }
                (End::Is(source), End::Is(target)) => {
                    target.add_dependency(source, EdgeKind::Ordered, EdgeSet::Normal)?;
                }
                _ => {}
            }
        }
    }
    Ok(())
}

fn end<'m, 'k>(
    lowering: &Lowering<'m, 'k>,
    others: &mut Others<'k>,
    body: &'k [Block<'k>],
    name: &str,
) -> Result<End<'m>> {
    Ok(match lowering.named.get(name) {
        Some(Some(instruction)) => End::Is(instruction),
        Some(None) => End::Elsewhere,
        None if lowering.kernel.bodies.len() > 1 && others.contains(lowering, body, name)? => End::Elsewhere,
        None => End::Missing,
    })
}
