//! What the pieces of the readable form are and where they go, so that one printer serves files, terminals with colours and
//! tools that want the lines apart.
#![forbid(unsafe_code)]

use crate::Result;
use crate::fallible::push;
use crate::ir::{
    BasicBlock, BasicBlockArgument, DMAQueue, Function, Instruction, MemoryLocation, MemoryLocationSet, ModuleRef,
    Register,
};
use crate::sink::Sink;
use alloc::string::String;
use alloc::vec::Vec;

/// What a piece of text is, for whoever colours it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Brackets, commas, spaces, operators.
    Punctuation,
    /// `module`, `function`, `set` and the like.
    Keyword,
    /// The name of the object that the line is about.
    Name,
    /// `(id 16)`.
    Id,
    /// An opcode.
    Opcode,
    /// An engine, with its `@`.
    Engine,
    /// A key before its `=`.
    Key,
    /// A member of an enum, `true`, `false` or `none`.
    Member,
    /// An element type.
    Type,
    /// A number.
    Number,
    /// A text or JSON value.
    Text,
    /// A name of another object.
    Reference,
    /// What should not be: an unknown number, a mark of an erased object, a cut.
    Fault,
}

/// What a line is about.
#[derive(Clone, Copy, Debug)]
pub enum Item<'m> {
    /// The module itself.
    Module(&'m ModuleRef),
    /// A function.
    Function(&'m Function),
    /// A DMA queue.
    Queue(&'m DMAQueue),
    /// A set of locations.
    Set(&'m MemoryLocationSet),
    /// A location.
    Location(&'m MemoryLocation),
    /// A register.
    Register(&'m Register),
    /// A block.
    Block(&'m BasicBlock),
    /// A block argument.
    Argument(&'m BasicBlockArgument),
    /// An instruction.
    Instruction(&'m Instruction),
    /// The locations that a call is bound to; the call.
    Call(&'m Instruction),
}

impl Item<'_> {
    /// The kind of object as a word: `instruction`.
    pub const fn kind(&self) -> &'static str {
        match self {
            Item::Module(_) => "module",
            Item::Function(_) => "function",
            Item::Queue(_) => "queue",
            Item::Set(_) => "set",
            Item::Location(_) => "location",
            Item::Register(_) => "register",
            Item::Block(_) => "block",
            Item::Argument(_) => "argument",
            Item::Instruction(_) => "instruction",
            Item::Call(_) => "call",
        }
    }
}

/// Takes the readable form line by line, piece by piece.
///
/// After an error it is not called again, and the output is of no use.
pub trait Output {
    /// A line begins, about `item`, `depth` levels deep.
    fn begin(&mut self, item: Item<'_>, depth: usize) -> Result<()>;

    /// The next piece of the line. It has no line break.
    fn piece(&mut self, style: Style, text: &str) -> Result<()>;

    /// The line ends.
    fn end(&mut self) -> Result<()>;
}

impl<O: Output + ?Sized> Output for &mut O {
    fn begin(&mut self, item: Item<'_>, depth: usize) -> Result<()> {
        (**self).begin(item, depth)
    }

    fn piece(&mut self, style: Style, text: &str) -> Result<()> {
        (**self).piece(style, text)
    }

    fn end(&mut self) -> Result<()> {
        (**self).end()
    }
}

/// Bytes that are gathered before they go to the sink.
const CHUNK: usize = 64 << 10;

/// Spaces of 32 levels; deeper lines are not indented further, since nobody could read them.
const INDENT: &str = "                                                                ";

/// Plain text: an indent of two spaces, an empty line before each function and queue but a first one, `\n` at the end.
#[derive(Debug)]
pub struct Plain<'s, S: Sink + ?Sized> {
    sink: &'s mut S,
    buffer: Vec<u8>,
    any: bool,
}

impl<'s, S: Sink + ?Sized> Plain<'s, S> {
    /// Text into `sink`. Nothing is complete before [`Plain::finish`].
    pub fn new(sink: &'s mut S) -> Self {
        Plain { sink, buffer: Vec::new(), any: false }
    }

    /// Hands the rest to the sink.
    ///
    /// # Errors
    /// Those of the sink.
    pub fn finish(mut self) -> Result<()> {
        self.flush()
    }

    fn flush(&mut self) -> Result<()> {
        if !self.buffer.is_empty() {
            self.sink.write(&self.buffer)?;
            self.buffer.clear();
        }
        Ok(())
    }

    fn put(&mut self, text: &str) -> Result<()> {
        if self.buffer.len() >= CHUNK {
            self.flush()?;
        }
        self.buffer.write(text.as_bytes())
    }
}

impl<S: Sink + ?Sized> Output for Plain<'_, S> {
    fn begin(&mut self, item: Item<'_>, depth: usize) -> Result<()> {
        if self.any && matches!(item, Item::Function(_) | Item::Queue(_)) {
            self.put("\n")?;
        }
        self.any = true;
        self.put(INDENT.get(..depth.saturating_mul(2)).unwrap_or(INDENT))
    }

    fn piece(&mut self, _: Style, text: &str) -> Result<()> {
        self.put(text)
    }

    fn end(&mut self) -> Result<()> {
        self.put("\n")
    }
}

/// A part of a line in memory.
impl Output for String {
    fn begin(&mut self, _: Item<'_>, _: usize) -> Result<()> {
        Ok(())
    }

    fn piece(&mut self, _: Style, text: &str) -> Result<()> {
        crate::fallible::append(self, text)
    }

    fn end(&mut self) -> Result<()> {
        Ok(())
    }
}

/// The pieces with their styles, for tests and for tools that lay a line out themselves.
impl Output for Vec<(Style, String)> {
    fn begin(&mut self, _: Item<'_>, _: usize) -> Result<()> {
        Ok(())
    }

    fn piece(&mut self, style: Style, text: &str) -> Result<()> {
        push(self, (style, crate::fallible::copy(text)?))
    }

    fn end(&mut self) -> Result<()> {
        Ok(())
    }
}
