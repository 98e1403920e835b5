//! Objects print as a short name for people: what they are, their name and id.

use super::raw::{BasicBlockArgument, ExprNode, LoopAxis};
use super::{
    Argument, BasicBlock, BasicBlockHolder, DMAQueue, Function, FunctionHolder, Instruction, MemoryLocation,
    MemoryLocationSet, ModuleRef, Register, Storage, StorageBase,
};
use core::fmt;

macro_rules! debug_named {
    ($($type:ident),*) => { $(
        impl fmt::Debug for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($type), " `{}` #{}"), self.name(), self.unique_id())
            }
        }
    )* };
}
debug_named!(Function, BasicBlock, Instruction, Storage, MemoryLocation, DMAQueue);

macro_rules! debug_plain {
    ($($type:ident: |$o:ident| $text:expr;)*) => { $(
        impl fmt::Debug for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let $o = self;
                write!(f, concat!(stringify!($type), " {}"), $text)
            }
        }
    )* };
}
debug_plain! {
    MemoryLocationSet: |o| o.name();
    Register: |o| o.name();
    StorageBase: |o| o.name();
    LoopAxis: |o| o.name();
    BasicBlockArgument: |o| o.name();
    Argument: |o| format_args!("#{} of kind {}", o.unique_id(), o.kind.get());
    FunctionHolder: |o| format_args!("of {} functions", o.function_count());
    BasicBlockHolder: |o| format_args!("of {} blocks", o.block_count());
    ModuleRef: |o| format_args!("of {} functions", o.function_count());
    ExprNode: |o| format_args!("{:?}", o.kind());
}

impl fmt::Debug for super::Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}
