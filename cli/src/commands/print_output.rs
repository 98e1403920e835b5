//! Where the readable form goes: standard output with or without colours, or lines as JSON.

use crate::fault::{Failure, Fault, Outcome};
use bir_core::doc::{JsonOut, Output as _, Sink};
use bir_core::ir::{BasicBlock, DMAQueue, Function, HolderOwner};
use bir_core::mem::Str;
use bir_core::text::{Item, Output, Plain, Style};
use bir_core::{Error, ErrorCode, Result};
use std::io::{self, Write};

/// Standard output that keeps the system's error. What is written is gathered before it gets here.
pub struct Stdout {
    out: io::StdoutLock<'static>,
    failed: Option<io::Error>,
}

impl Stdout {
    pub fn new() -> Stdout {
        Stdout { out: io::stdout().lock(), failed: None }
    }

    /// Ends the output. A reader that went away is no error.
    pub fn close(mut self, result: Result<()>) -> Outcome<()> {
        let flushed = self.out.flush();
        let (error, file) = match (self.failed.or(flushed.err()), result) {
            (Some(e), _) if e.kind() == io::ErrorKind::BrokenPipe => return Ok(()),
            (Some(e), _) => (Error::new(ErrorCode::Io, format_args!("cannot write: {e}")), "standard output"),
            (None, Ok(())) => return Ok(()),
            (None, Err(error)) => return Err(Fault::from(error)),
        };
        Err(Fault::Input(Box::new(Failure { error, file: Some(String::from(file)) })))
    }
}

impl Sink for Stdout {
    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.out.write_all(bytes).map_err(|e| {
            self.failed = Some(e);
            Error::new(ErrorCode::Io, "cannot write")
        })
    }
}

/// Text with the colours of a terminal.
pub struct Coloured<'s, S: Sink>(pub Plain<'s, S>);

/// The parameters of the SGR escape sequence; empty for the terminal's own colour.
const fn colour(style: Style) -> &'static str {
    match style {
        Style::Punctuation | Style::Member => "",
        Style::Keyword => "35",
        Style::Name => "1",
        Style::Id => "2",
        Style::Opcode => "1;34",
        Style::Engine => "36",
        Style::Key => "36",
        Style::Type => "33",
        Style::Number => "32",
        Style::Text => "32",
        Style::Reference => "34",
        Style::Fault => "1;31",
    }
}

impl<S: Sink> Output for Coloured<'_, S> {
    fn begin(&mut self, item: Item<'_>, depth: usize) -> Result<()> {
        self.0.begin(item, depth)
    }

    fn piece(&mut self, style: Style, text: &str) -> Result<()> {
        let colour = colour(style);
        if colour.is_empty() {
            return self.0.piece(style, text);
        }
        for part in ["\x1b[", colour, "m", text, "\x1b[0m"] {
            self.0.piece(style, part)?;
        }
        Ok(())
    }

    fn end(&mut self) -> Result<()> {
        self.0.end()
    }
}

/// Lines as elements of a JSON array, with what they are about.
pub struct JsonLines<'s, S: Sink> {
    pub json: JsonOut<'s, S>,
    text: String,
}

impl<'s, S: Sink> JsonLines<'s, S> {
    pub fn new(json: JsonOut<'s, S>) -> Self {
        JsonLines { json, text: String::new() }
    }

    fn member(&mut self, key: &str, value: &str) -> Result<()> {
        self.json.key(key)?;
        self.json.string(value)
    }

    fn named(&mut self, key: &str, name: Option<Str<'_>>) -> Result<()> {
        match name {
            Some(name) => self.member(key, &name),
            None => Ok(()),
        }
    }
}

/// The queue around a block.
fn queue_of(block: &BasicBlock) -> Option<&DMAQueue> {
    match std::iter::successors(Some(block), |b| match b.holder()?.part_of()? {
        HolderOwner::Instruction(outer) => outer.block(),
        _ => None,
    })
    .last()?
    .holder()?
    .part_of()?
    {
        HolderOwner::Queue(queue) => Some(queue),
        _ => None,
    }
}

impl<S: Sink> Output for JsonLines<'_, S> {
    fn begin(&mut self, item: Item<'_>, depth: usize) -> Result<()> {
        self.text.clear();
        self.json.begin_object()?;
        let (block, function) = match item {
            Item::Module(_) | Item::Function(_) | Item::Queue(_) => (None, None),
            Item::Set(set) => (None, set.storage().function()),
            Item::Location(location) => (None, location.set().and_then(|s| s.storage().function())),
            Item::Register(register) => (None, register.storage().function()),
            Item::Block(block) => (None, block.function()),
            Item::Argument(argument) => (argument.block(), argument.block().and_then(BasicBlock::function)),
            Item::Instruction(i) | Item::Call(i) => (i.block(), i.function()),
        };
        let (id, name) = match item {
            Item::Module(_) => (None, None),
            Item::Function(o) => (Some(o.unique_id()), Some(o.name())),
            Item::Queue(o) => (Some(o.unique_id()), Some(o.name())),
            Item::Set(o) => (Some(o.storage().unique_id()), Some(o.name())),
            Item::Location(o) => (Some(o.unique_id()), Some(o.name())),
            Item::Register(o) => (Some(o.storage().unique_id()), Some(o.name())),
            Item::Block(o) => (Some(o.unique_id()), Some(o.name())),
            Item::Argument(o) => (None, Some(o.name())),
            Item::Instruction(o) | Item::Call(o) => (Some(o.unique_id()), Some(o.name())),
        };
        self.named("block", block.map(BasicBlock::name))?;
        self.json.key("depth")?;
        self.json.u64(depth as u64)?;
        self.named("function", function.map(Function::name))?;
        if let Some(id) = id {
            self.json.key("id")?;
            self.json.i64(id.into())?;
        }
        self.member("kind", item.kind())?;
        self.named("name", name)?;
        let queue = block.filter(|_| function.is_none()).or(match item {
            Item::Block(block) => Some(block),
            _ => None,
        });
        self.named("queue", queue.and_then(queue_of).map(DMAQueue::name))
    }

    fn piece(&mut self, _: Style, text: &str) -> Result<()> {
        self.text.push_str(text);
        Ok(())
    }

    fn end(&mut self) -> Result<()> {
        self.json.key("text")?;
        self.json.string(&self.text)?;
        self.json.end_object()
    }
}
