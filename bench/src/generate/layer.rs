//! The program: a decoder layer of a transformer, as one core of a tensor-parallel group computes it, again and again over
//! tiles of 128 tokens.

use super::Counts;
use super::buffers::{Buffer, Buffers};
use super::emit::Emitter;
use bir_core::Result;
use bir_core::enums::bir::{
    ActivationFunctionType as Func, AluOpType as Alu, ArchLevel, DMAQueueType, Dtype, EngineType, TensorKind,
};
use bir_core::ir::{DMAQueue, Module, ModuleRef, Place};
use std::collections::HashMap;

/// Elements of a token's vector.
const HIDDEN: u64 = 4096;
/// Columns that one accumulator takes.
const CHUNK: u64 = 512;
/// Partial products per accumulator.
const PARTS: u64 = 8;
/// Tiles of tokens per layer.
const TILES: usize = 16;
/// Tiles that are in work at the same time, each with tensors of its own.
const SLOTS: usize = 4;

/// The program as far as it is written.
pub struct Program<'m> {
    pub emit: Emitter<'m>,
    pub queues: Queues<'m>,
    layer: usize,
    tile: usize,
    /// Tensors of the layer in SB and PSUM, which later tiles use again.
    tiles: HashMap<String, Buffer<'m>>,
}

/// The queues that transfers go through.
#[derive(Clone, Copy)]
pub struct Queues<'m> {
    pub weights: &'m DMAQueue,
    pub activations: &'m DMAQueue,
    pub results: &'m DMAQueue,
}

/// Constants of a layer.
struct Weights<'m> {
    query: Buffer<'m>,
    key: Buffer<'m>,
    value: Buffer<'m>,
    output: Buffer<'m>,
    gate: Buffer<'m>,
    up: Buffer<'m>,
    down: Buffer<'m>,
}

/// Fills a new module.
pub fn run(module: &Module, instructions: usize) -> Result<Counts> {
    module.set_arch(ArchLevel::gen3);
    module.set_attributes_json(r#"{"neuron_core_id":0}"#)?;
    let queues = Queues {
        weights: queue(module, "qSPWeights0", DMAQueueType::pinned_weight)?,
        activations: queue(module, "qSPIO0", DMAQueueType::data)?,
        results: queue(module, "qSPOutput0", DMAQueueType::output)?,
    };
    let function = module.add_function("sg0000", Place::End)?.object;
    function.set_attributes(&["no_spill"])?;
    let mut program =
        Program { emit: Emitter::new(function, instructions), queues, layer: 0, tile: 0, tiles: HashMap::new() };
    while !program.emit.is_full() {
        program.layer()?;
    }
    Ok(program.emit.counts())
}

fn queue<'m>(module: &'m ModuleRef, name: &str, queue_type: DMAQueueType) -> Result<&'m DMAQueue> {
    let queue = module.add_queue(name, queue_type, Place::End)?.object;
    queue.set_engine(EngineType::SP);
    queue.set_num_dma_engines(16);
    Ok(queue)
}

impl<'m> Program<'m> {
    fn layer(&mut self) -> Result<()> {
        let weights = self.weights()?;
        let hidden = self.external("hidden_states", TensorKind::Internal)?;
        let cache = self.external("kv_cache", TensorKind::ExternalOutput)?;
        for tile in 0..TILES {
            if self.emit.is_full() {
                return Ok(());
            }
            self.tile = tile;
            self.tile(&weights, hidden, cache)?;
        }
        self.layer += 1;
        self.tiles.clear();
        Ok(())
    }

    fn weights(&mut self) -> Result<Weights<'m>> {
        let layer = self.layer;
        let mut make =
            |name: &str, columns| self.emit.buffers.weights(&format!("layers.{layer}.{name}.weight"), HIDDEN, columns);
        Ok(Weights {
            query: make("self_attn.q_proj", 2 * CHUNK)?,
            key: make("self_attn.k_proj", CHUNK)?,
            value: make("self_attn.v_proj", CHUNK)?,
            output: make("self_attn.o_proj", 2 * CHUNK)?,
            gate: make("mlp.gate_proj", 2 * CHUNK)?,
            up: make("mlp.up_proj", 2 * CHUNK)?,
            down: make("mlp.down_proj", 2 * CHUNK)?,
        })
    }

    fn external(&mut self, name: &str, kind: TensorKind) -> Result<Buffer<'m>> {
        let name = format!("layers.{}.{name}", self.layer);
        self.emit.buffers.dram(&name, kind, 2048, HIDDEN)
    }

    /// A tile in SB, of this layer and these tokens.
    pub fn sb(&mut self, name: &str, dtype: Dtype, columns: u64) -> Result<Buffer<'m>> {
        self.shared(name, |buffers, name| buffers.sb(name, dtype, columns))
    }

    /// An accumulator, of this layer and these tokens.
    pub fn psum(&mut self, name: &str, columns: u64) -> Result<Buffer<'m>> {
        self.shared(&format!("{name}_psum"), |buffers, name| buffers.psum(name, columns))
    }

    fn shared(
        &mut self,
        name: &str,
        make: impl FnOnce(&mut Buffers<'m>, &str) -> Result<Buffer<'m>>,
    ) -> Result<Buffer<'m>> {
        let name = format!("{name}_{}_t{}", self.layer, self.tile % SLOTS);
        if let Some(buffer) = self.tiles.get(&name) {
            return Ok(*buffer);
        }
        let buffer = make(&mut self.emit.buffers, &name)?;
        self.tiles.insert(name, buffer);
        Ok(buffer)
    }

    fn tile(&mut self, weights: &Weights<'m>, hidden: Buffer<'m>, cache: Buffer<'m>) -> Result<()> {
        self.emit.begin_block()?;
        let row = self.tile as u64 * 128 * HIDDEN;
        let tokens = self.sb("hidden", Dtype::bfloat16, HIDDEN)?;
        self.at(112).load(tokens.whole(), hidden.columns_at(row, HIDDEN), "hidden")?;
        let normal = self.at(118).normalize("input_norm", tokens)?;
        let query = self.at(131).project("q_proj", normal, weights.query, 2)?;
        let key = self.at(132).project("k_proj", normal, weights.key, 1)?;
        let value = self.at(133).project("v_proj", normal, weights.value, 1)?;
        self.emit.begin_block()?;
        self.at(140).rotate("q_rope", query)?;
        self.at(141).rotate("k_rope", key)?;
        self.at(150).save(cache.columns_at(row, CHUNK), key.whole(), "k_cache")?;
        self.at(151).save(cache.columns_at(row + CHUNK, CHUNK), value.whole(), "v_cache")?;
        let mixed = self.at(160).attention(query, cache)?;
        self.emit.begin_block()?;
        let output = self.at(188).project("o_proj", mixed, weights.output, 2)?;
        self.at(190).combine(Alu::add, tokens, output, tokens)?;
        let normal = self.at(201).normalize("post_norm", tokens)?;
        let gate = self.at(210).project("gate_proj", normal, weights.gate, 2)?;
        let up = self.at(211).project("up_proj", normal, weights.up, 2)?;
        self.emit.begin_block()?;
        self.at(213).apply(Func::Silu, gate.whole(), gate.whole(), 1.0)?;
        self.at(214).combine(Alu::mult, gate, up, gate)?;
        let down = self.at(216).project("down_proj", gate, weights.down, 2)?;
        self.at(218).combine(Alu::add, tokens, down, tokens)?;
        self.at(220).save(hidden.columns_at(row, HIDDEN), tokens.whole(), "hidden")
    }

    /// From here on, instructions come from that line.
    pub fn at(&mut self, line: u32) -> &mut Self {
        self.emit.line = line;
        self
    }

    /// Root mean square normalisation, then the transposition that matrix products need.
    fn normalize(&mut self, name: &str, tokens: Buffer<'m>) -> Result<Buffer<'m>> {
        let squares = self.sb(&format!("{name}_sq"), Dtype::float32, CHUNK)?;
        let sums = self.sb(&format!("{name}_sums"), Dtype::float32, 8)?;
        let mean = self.sb(&format!("{name}_rstd"), Dtype::float32, 1)?;
        let normal = self.sb(name, Dtype::bfloat16, HIDDEN)?;
        let transposed = self.sb(&format!("{name}_T"), Dtype::bfloat16, HIDDEN)?;
        self.clear(sums.whole())?;
        for part in 0..PARTS {
            let columns = tokens.columns_at(part * CHUNK, CHUNK);
            self.apply_accumulating(Func::Square, columns, squares.whole(), sums.columns_at(part, 1))?;
        }
        self.reduce(Alu::add, sums.groups(0, 8, 1, 8), mean.whole())?;
        self.scale_shift(mean.whole(), mean.whole(), 1.0 / HIDDEN as f32, 1e-6)?;
        self.apply(Func::Rsqrt, mean.whole(), mean.whole(), 1.0)?;
        for part in 0..PARTS {
            let columns = |b: Buffer<'m>| b.groups(part * CHUNK, 128, 4, 128);
            self.scale_by(columns(tokens), mean.whole(), columns(normal))?;
        }
        for part in 0..PARTS {
            self.transpose(&format!("{name}_tr{part}"), normal, transposed, part)?;
        }
        Ok(transposed)
    }

    /// A matrix product with weights that come from DRAM chunk by chunk.
    fn project(&mut self, name: &str, by: Buffer<'m>, weights: Buffer<'m>, chunks: u64) -> Result<Buffer<'m>> {
        let result = self.sb(name, Dtype::bfloat16, chunks * CHUNK)?;
        for chunk in 0..chunks {
            let slice = self.sb(&format!("{name}_w{chunk}"), Dtype::bfloat16, PARTS * 128)?;
            let sum = self.psum(&format!("{name}{chunk}"), CHUNK)?;
            let stride = weights.columns * 128;
            self.load_weights(slice.groups(0, 128, PARTS, 128), weights.groups(chunk * CHUNK, stride, PARTS, 128))?;
            for part in 0..PARTS {
                let rows = slice.columns_at(part * 128, 128);
                let ifmap = by.tiled(part * 128 % by.columns, 128, 4, 128);
                self.multiply(ifmap, rows, sum.whole(), part, PARTS)?;
            }
            let columns = result.groups(chunk * CHUNK, 128, 4, 128);
            if chunk.is_multiple_of(2) {
                self.apply(Func::Identity, sum.groups(0, 128, 4, 128), columns, 1.0)?;
            } else {
                self.copy(EngineType::DVE, sum.groups(0, 128, 4, 128), columns)?;
            }
        }
        Ok(result)
    }

    /// Rotary position embedding in place.
    fn rotate(&mut self, name: &str, vectors: Buffer<'m>) -> Result<()> {
        let cosines = self.sb(&format!("{name}_cos"), Dtype::bfloat16, 64)?;
        let turned = self.sb(name, Dtype::bfloat16, vectors.columns)?;
        self.clear(cosines.whole())?;
        let heads = vectors.columns / 128;
        let (even, odd) = (vectors.groups(0, 128, heads, 64), vectors.groups(64, 128, heads, 64));
        let table = cosines.tiled(0, 0, heads, 64);
        self.binary(Alu::mult, even, table, turned.groups(0, 128, heads, 64))?;
        self.binary(Alu::mult, odd, table, turned.groups(64, 128, heads, 64))?;
        self.binary(Alu::subtract, turned.tiled(0, 128, heads, 64), turned.tiled(64, 128, heads, 64), even)?;
        self.binary(Alu::add, turned.tiled(0, 128, heads, 64), turned.tiled(64, 128, heads, 64), odd)
    }

    /// Elements of two tensors, chunk by chunk.
    fn combine(&mut self, op: Alu, a: Buffer<'m>, b: Buffer<'m>, to: Buffer<'m>) -> Result<()> {
        let columns = a.columns.min(b.columns).min(to.columns);
        for chunk in 0..columns / CHUNK {
            let part = |buffer: Buffer<'m>| buffer.groups(chunk * CHUNK, 128, 4, 128);
            self.binary(op, part(a), part(b), part(to))?;
        }
        Ok(())
    }
}
