//! The fields of an operator as `name=value, ...`.

use super::super::ast::{APPair, Access};
use super::super::schema::Head;
use super::super::trail::Trail;
use super::super::visit::Visitor;
use super::Word;
use super::operand::{Operand, Pair, SHOWN_DEPTH};
use crate::error::Result;
use crate::fallible::{append, push};
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Display;

/// What is open around a value.
#[derive(Clone, Copy, PartialEq)]
enum Open {
    /// The constructor of the operator, or a record directly in it.
    Statement,
    /// A constructor that is not shown, e.g. that of an operand.
    Hidden,
    /// A constructor whose value stands in parentheses.
    Parentheses,
    /// A record in braces.
    Braces,
    /// A list.
    List,
}

/// Shows the fields of an operator. A field without a value leaves no trace.
pub(super) struct Fields<'t> {
    text: &'t mut String,
    trail: Trail,
    /// What is open, and whether something was shown in it.
    open: Vec<(Open, bool)>,
    /// Where the text of the last field begins, and whether something was shown before it.
    field: (usize, bool),
}

/// Constructors that say nothing which their value does not.
fn is_hidden(head: &Head) -> bool {
    matches!(
        (head.name, head.ctor_name),
        ("TensorRef", "abstract") | ("Operand", _) | ("Immediate" | "ActivationImm", "int" | "float")
    )
}

impl<'t> Fields<'t> {
    /// Appends to `text`.
    pub(super) fn new(text: &'t mut String) -> Self {
        Fields { text, trail: Trail::default(), open: Vec::new(), field: (0, false) }
    }

    fn put(&mut self, value: impl Display) -> Result<()> {
        append(self.text, value)
    }

    fn separate(&mut self) -> Result<()> {
        let Some((open, shown)) = self.open.last_mut() else { return Ok(()) };
        let separator = match (*open, *shown) {
            (Open::Statement, false) => " ",
            (_, false) => "",
            (_, true) => ", ",
        };
        *shown = true;
        append(self.text, separator)
    }
}

impl Visitor for Fields<'_> {
    fn nat(&mut self, value: u64) -> Result<()> {
        self.put(value)
    }

    fn int(&mut self, value: i64) -> Result<()> {
        self.put(value)
    }

    fn bool(&mut self, value: bool) -> Result<()> {
        self.put(value)
    }

    fn f32(&mut self, value: f32) -> Result<()> {
        // With its point: 1.0 is another immediate than 1.
        self.put(format_args!("{value:?}"))
    }

    fn text(&mut self, value: &str) -> Result<()> {
        self.put(Word(value))
    }

    fn member(&mut self, _tag: u8, _ctor: u8, name: &'static str) -> Result<()> {
        self.put(name)
    }

    fn none(&mut self) -> Result<()> {
        let (start, shown) = self.field;
        self.text.truncate(start);
        if let Some(open) = self.open.last_mut() {
            open.1 = shown;
        }
        Ok(())
    }

    fn begin_list(&mut self, _len: usize) -> Result<()> {
        push(&mut self.open, (Open::List, false))?;
        self.put('[')
    }

    fn element(&mut self, _index: usize) -> Result<()> {
        self.separate()
    }

    fn end_list(&mut self) -> Result<()> {
        self.open.pop();
        self.put(']')
    }

    fn begin(&mut self, head: &'static Head) -> Result<()> {
        self.trail.begin(head)?;
        let open = match self.open.last() {
            None => Open::Statement,
            Some((Open::Statement, _)) if head.is_record() && self.open.len() == 1 => Open::Statement,
            _ if head.is_record() => Open::Braces,
            _ if head.is_word() || is_hidden(head) => Open::Hidden,
            _ => Open::Parentheses,
        };
        push(&mut self.open, (open, false))?;
        match open {
            Open::Braces => self.put('{'),
            Open::Parentheses => self.put(format_args!("{}(", head.ctor_name)),
            Open::Hidden if head.is_word() => self.put(head.ctor_name),
            _ => Ok(()),
        }
    }

    fn end(&mut self, head: &'static Head) -> Result<()> {
        self.trail.end(head);
        match self.open.pop() {
            Some((Open::Braces, _)) => self.put('}'),
            Some((Open::Parentheses, _)) => self.put(')'),
            _ => Ok(()),
        }
    }

    fn field(&mut self, name: &'static str) -> Result<()> {
        self.field = (self.text.len(), self.open.last().is_some_and(|(_, shown)| *shown));
        self.separate()?;
        self.put(format_args!("{name}="))
    }

    fn wants_head_field(&mut self, _name: &'static str, present: bool) -> Result<bool> {
        Ok(present)
    }

    fn missing(&mut self, _name: &'static str) -> Result<()> {
        Ok(())
    }

    fn pair(&mut self, pair: &APPair) -> Result<()> {
        self.put(Pair(pair))
    }

    fn access(&mut self, access: &Access<'_>) -> Result<()> {
        self.put(Operand { access, depth: SHOWN_DEPTH })
    }
}
