//! One operator and the instructions that the tables say it becomes.

use super::{Op, block, document, instructions, kernel, lower, shorts, statement};
use bir_core::enums::bir::InstructionType;
use bir_core::ir::{Module, Place};
use bir_core::lower::LowerOptions;
use bir_core::op::OpcodeInfo;
use serde_json::{Map, Value, json};

/// Where the statement under test stands.
const LINE: u64 = 12;
const NAME: &str = "inst.7";

/// An operator in one of its forms.
pub struct Case {
    pub op: Op,
    /// The number of the form in the table, from 0.
    pub variant: usize,
    /// What the statement becomes; the last with the statement's name is the operator's own instruction.
    pub becomes: Vec<Is>,
    /// Statements before it.
    pub before: Vec<Op>,
    /// Labels of blocks behind that of the statement, each with one statement.
    pub labels: Vec<&'static str>,
    pub options: LowerOptions,
}

/// An instruction.
pub struct Is {
    pub opcode: &'static str,
    pub engine: &'static str,
    /// The name, if it is not that of the statement.
    pub name: Option<&'static str>,
    /// No name but a prefix and a number.
    pub numbered: Option<&'static str>,
    ins: Vec<String>,
    indirection_ins: Vec<String>,
    outs: Vec<String>,
    /// The payload keys that are not at their default, and those that the table names.
    pub payload: Map<String, Value>,
}

pub fn is(opcode: &'static str, engine: &'static str) -> Is {
    let (ins, indirection_ins, outs) = (Vec::new(), Vec::new(), Vec::new());
    Is { opcode, engine, name: None, numbered: None, ins, indirection_ins, outs, payload: Map::new() }
}

impl Is {
    pub fn ins(mut self, operands: &[&str]) -> Self {
        self.ins = operands.iter().map(|o| (*o).to_owned()).collect();
        self
    }

    pub fn indirection(mut self, operands: &[&str]) -> Self {
        self.indirection_ins = operands.iter().map(|o| (*o).to_owned()).collect();
        self
    }

    pub fn outs(mut self, operands: &[&str]) -> Self {
        self.outs = operands.iter().map(|o| (*o).to_owned()).collect();
        self
    }

    pub fn set(mut self, payload: Value) -> Self {
        self.payload = payload.as_object().unwrap().clone();
        self
    }

    pub fn named(mut self, name: &'static str) -> Self {
        self.name = Some(name);
        self
    }

    pub fn numbered(mut self, prefix: &'static str) -> Self {
        self.numbered = Some(prefix);
        self
    }

    fn compare(&self, found: &Value, name: &str) -> Vec<String> {
        let mut wrong = Vec::new();
        let mut same = |what: &str, expected: Value, found: Value| {
            if expected != found {
                wrong.push(format!("{}, {what}:\n      expected {expected}\n      found    {found}", self.opcode));
            }
        };
        same("opcode", json!(self.opcode), found["opcode"].clone());
        same("engine", json!(self.engine), found["engine"].clone());
        match self.numbered {
            Some(prefix) => {
                let number = found["name"].as_str().unwrap().strip_prefix(prefix).map(|n| n.parse::<u32>().is_ok());
                same("name is prefix and number", json!(true), json!(number.unwrap_or(false)));
            }
            None => same("name", json!(self.name.unwrap_or(name)), found["name"].clone()),
        }
        same("ins", json!(self.ins), json!(shorts(found, "ins")));
        same("indirection_ins", json!(self.indirection_ins), json!(shorts(found, "indirection_ins")));
        same("outs", json!(self.outs), json!(shorts(found, "outs")));
        same("origin", json!("NKI"), found["origin"].clone());
        let defaults = fresh(self.opcode);
        let info = OpcodeInfo::find(self.opcode).unwrap();
        for field in info.fields.iter() {
            let expected = self.payload.get(field.key).unwrap_or(&defaults[field.key]);
            same(field.key, expected.clone(), found[field.key].clone());
        }
        for key in self.payload.keys() {
            same(key, json!(true), json!(info.fields.iter().any(|f| f.key == key)));
        }
        wrong
    }
}

/// A new instruction of the opcode as a document shows it.
fn fresh(opcode: &str) -> Value {
    let module = Module::new().unwrap();
    let block = module.add_function("f", Place::End).unwrap().add_block("b", Place::End).unwrap().object;
    block.add_instruction(InstructionType::from_name(opcode).unwrap(), "i", Place::End).unwrap();
    instructions(&document(&module), 0).remove(0)
}

/// The case of an operator with one form.
pub fn case(op: Op, becomes: Is) -> Case {
    let (before, labels) = (Vec::new(), Vec::new());
    Case { op, variant: 0, becomes: vec![becomes], before, labels, options: LowerOptions::default() }
}

/// The case of a form of an operator with several.
pub fn form(variant: usize, op: Op, becomes: Is) -> Case {
    Case { variant, ..case(op, becomes) }
}

impl Case {
    /// An instruction before the operator's own.
    pub fn preceded(mut self, by: Is) -> Self {
        let at = self.becomes.len() - 1;
        self.becomes.insert(at, by);
        self
    }

    /// An instruction behind the operator's own.
    pub fn followed(mut self, by: Is) -> Self {
        self.becomes.push(by);
        self
    }

    pub fn after(mut self, op: Op) -> Self {
        self.before.push(op);
        self
    }

    pub fn with_block(mut self, label: &'static str) -> Self {
        self.labels.push(label);
        self
    }

    pub fn on_core(mut self, core: u32) -> Self {
        self.options.core_id = Some(core);
        self
    }

    fn lowered(&self, name: Option<&'static str>) -> Result<Vec<Value>, String> {
        let mut body: Vec<_> = self.before.iter().map(|op| statement(None, 1, *op)).collect();
        body.push(statement(name, LINE, self.op));
        let mut blocks = vec![block("main.1", &body)];
        blocks.extend(self.labels.iter().map(|l| block(l, &[statement(None, 99, super::plain_op())])));
        let lowered = lower(&kernel(&blocks), &self.options);
        if !lowered.diagnostics.is_empty() {
            return Err(format!("not lowered: {}", lowered.diagnostics[0]));
        }
        Ok(instructions(&document(&lowered.module), 0).split_off(self.before.len()))
    }

    /// Compares everything, under the statement's name and without one.
    #[track_caller]
    pub fn check(&self, prefix: Option<&str>) {
        let found = match self.lowered(Some(NAME)) {
            Ok(found) => found,
            Err(error) => panic!("{}: {error}", self.op.name()),
        };
        let names: Vec<_> = found.iter().map(|i| format!("{} {}", i["opcode"], i["name"])).collect();
        assert_eq!(found.len(), self.becomes.len(), "{}: became {names:?}", self.op.name());
        let wrong: Vec<_> = self.becomes.iter().zip(&found).flat_map(|(is, found)| is.compare(found, NAME)).collect();
        assert!(wrong.is_empty(), "{}:\n    {}", self.op.name(), wrong.join("\n    "));
        let own = found.iter().find(|i| i["name"] == NAME);
        if let Some(own) = own {
            let debug = own["debug"].to_string();
            for part in [NAME, super::KERNEL, super::FILE, "12"] {
                assert!(debug.contains(part), "{}: {part} is not in its debug information {debug}", self.op.name());
            }
        }
        let unnamed = self.lowered(None).unwrap();
        let (Some(prefix), Some(at)) = (prefix, found.iter().position(|i| i["name"] == NAME)) else { return };
        let name = unnamed[at]["name"].as_str().unwrap();
        let number = name.strip_prefix(prefix).map(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()));
        assert_eq!(number, Some(true), "{}: without a name it is called {name}", self.op.name());
        assert!(unnamed[at]["debug"].to_string().contains("nki-op"), "{}", unnamed[at]["debug"]);
    }
}

/// Makes a test of each case, and a list of all.
#[allow(unused_macros, reason = "one test program uses it")]
macro_rules! cases {
    ($($name:ident = $case:expr;)*) => {
        /// All cases of this family.
        pub fn cases() -> Vec<(&'static str, $crate::lower_support::case::Case)> {
            vec![$((stringify!($name), $case),)*]
        }

        $(#[test]
        fn $name() {
            $crate::check_case(&$case);
        })*
    };
}
