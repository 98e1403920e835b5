//! Attention with a running softmax over chunks of the cache.

use super::buffers::Buffer;
use super::layer::Program;
use bir_core::Result;
use bir_core::enums::bir::{ActivationFunctionType as Func, AluOpType as Alu, Dtype, EngineType};

/// Heads of this core.
const HEADS: u64 = 8;
/// Chunks of the cache, of 512 tokens.
const CHUNKS: u64 = 4;

impl<'m> Program<'m> {
    pub fn attention(&mut self, query: Buffer<'m>, cache: Buffer<'m>) -> Result<Buffer<'m>> {
        let mixed = self.sb("attn", Dtype::bfloat16, HEADS * 128)?;
        for head in 0..HEADS {
            if head.is_multiple_of(4) {
                self.emit.begin_block()?;
            }
            self.head(head, query, cache, mixed)?;
        }
        Ok(mixed)
    }

    fn head(&mut self, head: u64, query: Buffer<'m>, cache: Buffer<'m>, mixed: Buffer<'m>) -> Result<()> {
        // Two heads are in work at the same time.
        let name = |what: &str| format!("attn_h{}_{what}", head % 2);
        let keys = self.sb(&name("keys"), Dtype::bfloat16, 512)?;
        let scores = self.sb(&name("scores"), Dtype::float32, 512)?;
        let weights = self.sb(&name("probs"), Dtype::bfloat16, 512)?;
        let turned = self.sb(&name("probs_T"), Dtype::bfloat16, 512)?;
        let highest = self.sb(&name("max"), Dtype::float32, 1)?;
        let sums = self.sb(&name("sum"), Dtype::float32, CHUNKS)?;
        let total = self.sb(&name("total"), Dtype::float32, 1)?;
        let result = self.psum(&name("out"), 128)?;
        self.at(163).clear(sums.whole())?;
        for chunk in 0..CHUNKS {
            let product = self.psum(&name(&format!("qk{chunk}")), 512)?;
            let offset = head * 128 + chunk * 512 * cache.columns;
            self.at(166).load(keys.whole(), cache.groups(offset, cache.columns, 4, 128), "keys")?;
            let vector = query.columns_at(head * 128 % query.columns, 128);
            self.at(168).multiply(keys.tiled(0, 128, 4, 128), vector, product.whole(), 0, 1)?;
            self.at(169).scale_shift(product.groups(0, 128, 4, 128), scores.whole(), 0.088_388_346, 0.0)?;
            self.at(171).reduce(Alu::max, scores.groups(0, 512, 1, 512), highest.whole())?;
            self.at(172).binary(Alu::subtract, scores.whole(), highest.broadcast(512), scores.whole())?;
            self.at(174).apply_accumulating(Func::Exp, scores.whole(), weights.whole(), sums.columns_at(chunk, 1))?;
            self.at(176).transpose(&name(&format!("tr{chunk}")), weights, turned, 0)?;
            let values = keys.groups(0, 128, 4, 128);
            self.at(178).multiply(values, turned.columns_at(0, 128), result.whole(), chunk, CHUNKS)?;
        }
        self.at(181).reduce(Alu::add, sums.groups(0, CHUNKS, 1, CHUNKS), total.whole())?;
        self.at(182).invert(total.whole(), total.whole())?;
        let columns = mixed.columns_at(head * 128, 128);
        self.at(183).scale_by(result.whole(), total.whole(), columns)?;
        let engine = if head.is_multiple_of(2) { EngineType::Pool } else { EngineType::DVE };
        self.at(185).copy(engine, columns, mixed.groups(head * 128, 64, 2, 64))
    }
}
