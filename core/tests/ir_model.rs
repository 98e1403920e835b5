//! Random sequences of edits against a plain model: order, names, ids, use lists and edges must agree after every step.
//!
//! The model knows nothing of lists, tables or hints: an owner is a `Vec`, a free name is found by trying 1, 2, 3, …, and
//! use lists are counted from the operands.
use bir_core::enums::bir::{DMAQueueType, Dtype, EdgeKind, InstructionType as Op, MemoryType, TensorKind};
use bir_core::ir::{
    APPair, Argument, BasicBlock, BasicBlockArgument, BasicBlockHolder, DMAQueue, EdgeSet, Function, IdObject,
    Instruction, MemoryLocation, Module, OperandList, OperandSpec, Place, QuasiAffineExpr, Storage, StorageBase,
};
use bir_core::text::{PrintOptions, print_module};
use bir_core::{ErrorCode, Result};
use proptest::prelude::*;
use std::collections::BTreeMap;

const NAMES: &[&str] = &[
    "a",
    "b",
    "a_1",
    "a_2",
    "a_1_1",
    "a_0",
    "a_01",
    "a_",
    "_1",
    "",
    "a_4294967295",
    "ä",
    "a name of twenty-two b",
    "a name of twenty-two b_1",
];
const OPS: &[Op] = &[Op::NoOp, Op::TensorCopy, Op::Loop, Op::DynamicForLoop, Op::DMABlock, Op::DoWhile];
const KINDS: &[EdgeKind] = &[EdgeKind::Ordered, EdgeKind::Anti, EdgeKind::Output, EdgeKind::Flow];
const SETS: [EdgeSet; 2] = [EdgeSet::Normal, EdgeSet::LoopCarried];

#[derive(Clone, Copy)]
enum Handle<'m> {
    F(&'m Function),
    B(&'m BasicBlock),
    I(&'m Instruction),
    S(&'m Storage),
    L(&'m MemoryLocation),
    Q(&'m DMAQueue),
    /// A block argument: ordered, but neither unique by name nor numbered.
    A(&'m BasicBlockArgument),
    O(&'m Argument),
}

/// What a list of the model belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Owner {
    /// 0 the functions, 1 the NKI functions.
    Functions(usize),
    Queues,
    /// Blocks of a function, structured instruction or queue.
    Body(usize),
    Instructions(usize),
    Storages(usize),
    Locations(usize),
    Arguments(usize),
    Operands(usize, usize),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Function,
    Block,
    Instruction { structured: bool },
    Set,
    Register,
    Location,
    Queue,
    Argument,
    Operand,
}

#[derive(Clone, Debug)]
struct Object {
    kind: Kind,
    id: i32,
    name: String,
    owner: Option<Owner>,
    erased: bool,
    /// Operands and block arguments: the bound storage.
    location: Option<usize>,
    /// Register patterns: `regref`, `reg_ap_offset`, `reg_sub_tensor_id`.
    registers: Option<[Option<usize>; 3]>,
    /// Block arguments: value and predecessor.
    incoming: Vec<(usize, usize)>,
}

struct World<'m> {
    module: &'m Module,
    handles: Vec<Handle<'m>>,
    objects: Vec<Object>,
    lists: BTreeMap<Owner, Vec<usize>>,
    edges: BTreeMap<(usize, usize, u8), u8>,
    counter: i32,
}

/// One step: what to do, and numbers to choose with.
type Step = (u8, [u32; 4], usize);

fn code<T>(result: &Result<T>) -> Option<ErrorCode> {
    result.as_ref().err().map(|e| e.code)
}

impl<'m> World<'m> {
    fn list(&self, owner: Owner) -> &[usize] {
        self.lists.get(&owner).map_or(&[], Vec::as_slice)
    }

    fn pick(&self, number: u32, wanted: impl Fn(&Object) -> bool) -> Option<usize> {
        let all: Vec<usize> = (0..self.objects.len()).filter(|i| wanted(&self.objects[*i])).collect();
        (!all.is_empty()).then(|| all[number as usize % all.len()])
    }

    /// The enclosing owner, one level up.
    fn up(&self, owner: Owner) -> Option<usize> {
        match owner {
            Owner::Functions(_) | Owner::Queues => None,
            Owner::Body(o)
            | Owner::Instructions(o)
            | Owner::Storages(o)
            | Owner::Locations(o)
            | Owner::Arguments(o)
            | Owner::Operands(o, _) => Some(o),
        }
    }

    fn attached(&self, object: usize) -> bool {
        match self.objects[object].owner {
            None => false,
            Some(owner) => !self.objects[object].erased && self.owner_attached(owner),
        }
    }

    fn owner_attached(&self, owner: Owner) -> bool {
        self.up(owner).is_none_or(|o| self.attached(o))
    }

    fn owner_erased(&self, owner: Owner) -> bool {
        self.up(owner).is_some_and(|o| self.objects[o].erased)
    }

    /// Whether `owner` lies at or below `object`.
    fn inside(&self, owner: Owner, object: usize) -> bool {
        let mut at = self.up(owner);
        while let Some(o) = at {
            if o == object {
                return true;
            }
            at = self.objects[o].owner.and_then(|w| self.up(w));
        }
        false
    }

    fn function_of(&self, object: usize) -> Option<usize> {
        let mut at = object;
        loop {
            if self.objects[at].kind == Kind::Function {
                return Some(at);
            }
            at = self.up(self.objects[at].owner?)?;
        }
    }

    fn free_name(&self, owner: Owner, wanted: &str) -> (String, bool) {
        let taken = |name: &str| self.list(owner).iter().any(|o| self.objects[*o].name == name);
        if !taken(wanted) {
            return (wanted.into(), false);
        }
        let fresh = (1..).map(|n| format!("{wanted}_{n}")).find(|n| !taken(n)).unwrap();
        (fresh, true)
    }

    /// A place in the list, as the model and as the library see it: the anchor and whether the object goes behind it.
    fn place<T: Copy>(
        &self,
        [how, which]: [u32; 2],
        wanted: impl Fn(&Object) -> bool,
        cast: impl Fn(Handle<'m>) -> T,
    ) -> (Where, PlaceOf<T>) {
        let anchor = self.pick(which, wanted);
        match (how % 4, anchor) {
            (0, _) => (Where::End, PlaceOf::End),
            (1, _) => (Where::Start, PlaceOf::Start),
            (_, None) => (Where::End, PlaceOf::End),
            (2, Some(a)) => (Where::Before(a), PlaceOf::Before(cast(self.handles[a]))),
            (_, Some(a)) => (Where::After(a), PlaceOf::After(cast(self.handles[a]))),
        }
    }

    fn anchor_missing(&self, owner: Owner, place: Where) -> bool {
        match place {
            Where::Before(a) | Where::After(a) => self.objects[a].erased || self.objects[a].owner != Some(owner),
            _ => false,
        }
    }

    fn put(&mut self, object: usize, owner: Owner, place: Where) {
        let list = self.lists.entry(owner).or_default();
        let at = match place {
            Where::Start => 0,
            Where::End => list.len(),
            Where::Before(a) => list.iter().position(|o| *o == a).unwrap(),
            Where::After(a) => list.iter().position(|o| *o == a).unwrap() + 1,
        };
        list.insert(at, object);
        self.objects[object].owner = Some(owner);
    }

    fn take(&mut self, object: usize) {
        if let Some(owner) = self.objects[object].owner.take() {
            self.lists.get_mut(&owner).unwrap().retain(|o| *o != object);
        }
    }

    /// Checks the result of a creation and enters the object.
    fn created(
        &mut self,
        kind: Kind,
        owner: Owner,
        name: &str,
        place: Where,
        result: Result<(Handle<'m>, bool)>,
    ) -> std::result::Result<(), TestCaseError> {
        let expected = if kind == Kind::Argument {
            // Block arguments take no id, so their block may be unlinked; the place is looked at first.
            match (self.anchor_missing(owner, place), self.owner_erased(owner)) {
                (true, _) => Some(ErrorCode::NotFound),
                (false, true) => Some(ErrorCode::Detached),
                _ => None,
            }
        } else if !self.owner_attached(owner) {
            Some(ErrorCode::Detached)
        } else {
            self.anchor_missing(owner, place).then_some(ErrorCode::NotFound)
        };
        prop_assert_eq!(code(&result), expected);
        let Ok((handle, renamed)) = result else { return Ok(()) };
        let (name, changed) = if matches!(kind, Kind::Argument | Kind::Operand) {
            (name.into(), false)
        } else {
            self.free_name(owner, name)
        };
        prop_assert_eq!(renamed, changed);
        let id = if kind == Kind::Argument { -1 } else { self.counter };
        self.counter += i32::from(kind != Kind::Argument);
        self.objects.push(Object {
            kind,
            id,
            name,
            owner: None,
            erased: false,
            location: None,
            registers: None,
            incoming: vec![],
        });
        self.handles.push(handle);
        self.put(self.objects.len() - 1, owner, place);
        Ok(())
    }

    fn body(&self, object: usize) -> &'m BasicBlockHolder {
        match self.handles[object] {
            Handle::F(f) => f.block_holder(),
            Handle::I(i) => i.block_holder().unwrap(),
            Handle::Q(q) => q.block_holder(),
            _ => unreachable!(),
        }
    }

    fn base(&self, object: usize) -> &'m StorageBase {
        match self.handles[object] {
            Handle::S(s) => s.base(),
            Handle::L(l) => l.base(),
            _ => unreachable!(),
        }
    }

    /// Operands that use a storage, one entry per reference: readers and writers.
    fn users(&self, storage: usize) -> [Vec<usize>; 2] {
        let mut users = [vec![], vec![]];
        for (i, o) in self.objects.iter().enumerate().filter(|(_, o)| o.kind == Kind::Operand && !o.erased) {
            let writes = matches!(o.owner, Some(Owner::Operands(_, 2)));
            if o.location == Some(storage) {
                users[usize::from(writes)].push(i);
            }
            for _ in o.registers.iter().flatten().filter(|r| **r == Some(storage)) {
                users[0].push(i);
            }
        }
        users
    }

    /// Block arguments that refer to a storage, one entry per reference.
    fn argument_users(&self, storage: usize) -> Vec<usize> {
        let mut users = vec![];
        for (i, o) in self.objects.iter().enumerate().filter(|(_, o)| o.kind == Kind::Argument && !o.erased) {
            users.extend((o.location == Some(storage)).then_some(i));
            users.extend(o.incoming.iter().filter(|p| p.0 == storage).map(|_| i));
        }
        users
    }

    fn used_outside(&self, storage: usize, function: Option<usize>) -> bool {
        let [readers, writers] = self.users(storage);
        let own = readers
            .iter()
            .chain(&writers)
            .chain(&self.argument_users(storage))
            .any(|u| function.is_none() || self.function_of(*u) != function);
        own || self.list(Owner::Locations(storage)).iter().any(|l| self.used_outside(*l, function))
    }

    fn erase(&mut self, object: usize) {
        for owner in [
            Owner::Body(object),
            Owner::Instructions(object),
            Owner::Arguments(object),
            Owner::Operands(object, 0),
            Owner::Operands(object, 1),
            Owner::Operands(object, 2),
            Owner::Storages(object),
            Owner::Locations(object),
        ] {
            for child in self.list(owner).to_vec() {
                self.erase(child);
            }
        }
        self.edges.retain(|e, _| e.0 != object && e.1 != object);
        self.take(object);
        let gone = &mut self.objects[object];
        gone.erased = true;
        if gone.kind == Kind::Argument {
            gone.location = None;
            gone.incoming.clear();
        }
    }
}

/// A place in the model.
#[derive(Clone, Copy, Debug)]
enum Where {
    Start,
    End,
    Before(usize),
    After(usize),
}

enum PlaceOf<T> {
    Start,
    End,
    Before(T),
    After(T),
}

impl<'m, T> PlaceOf<&'m T> {
    fn real(self) -> Place<'m, T> {
        match self {
            PlaceOf::Start => Place::Start,
            PlaceOf::End => Place::End,
            PlaceOf::Before(a) => Place::Before(a),
            PlaceOf::After(a) => Place::After(a),
        }
    }
}

macro_rules! cast {
    ($variant:ident) => {
        |h| match h {
            Handle::$variant(o) => o,
            _ => unreachable!(),
        }
    };
}

fn pattern() -> [APPair; 2] {
    [APPair { step: 4, num: 4 }, APPair { step: 1, num: 4 }]
}

type Check = std::result::Result<(), TestCaseError>;

fn structured(o: &Object) -> bool {
    o.kind == Kind::Instruction { structured: true }
}
fn instruction(o: &Object) -> bool {
    matches!(o.kind, Kind::Instruction { .. })
}
fn storage(o: &Object) -> bool {
    matches!(o.kind, Kind::Set | Kind::Register)
}
fn any_storage(o: &Object) -> bool {
    storage(o) || o.kind == Kind::Location
}

impl<'m> World<'m> {
    fn create(&mut self, what: u8, [a, b, c, d]: [u32; 4], name: &str) -> Check {
        match what {
            0 => {
                let nki = (a % 2) as usize;
                let (place, real) = self.place([b, c], |o| o.kind == Kind::Function, cast!(F));
                let holder = if nki == 1 { self.module.nki_holder().unwrap() } else { self.module.function_holder() };
                let result = holder.add_function(name, real.real()).map(|p| (Handle::F(p.object), p.renamed));
                self.created(Kind::Function, Owner::Functions(nki), name, place, result)
            }
            1 => {
                let body = |o: &Object| matches!(o.kind, Kind::Function | Kind::Queue) || structured(o);
                let Some(owner) = self.pick(a, body) else { return Ok(()) };
                let (place, real) = self.place([b, c], |o| o.kind == Kind::Block, cast!(B));
                let result = self.body(owner).add_block(name, real.real()).map(|p| (Handle::B(p.object), p.renamed));
                self.created(Kind::Block, Owner::Body(owner), name, place, result)
            }
            2 => {
                let Some(owner) = self.pick(a, |o| o.kind == Kind::Block) else { return Ok(()) };
                let (place, real) = self.place([b, c], instruction, cast!(I));
                let op = OPS[d as usize % OPS.len()];
                let block = cast!(B)(self.handles[owner]);
                let result = block.add_instruction(op, name, real.real()).map(|p| (Handle::I(p.object), p.renamed));
                let kind = Kind::Instruction { structured: d as usize % OPS.len() >= 2 };
                self.created(kind, Owner::Instructions(owner), name, place, result)
            }
            3 => {
                let Some(owner) = self.pick(a, |o| o.kind == Kind::Function) else { return Ok(()) };
                let (place, real) = self.place([b, c], storage, cast!(S));
                let f = cast!(F)(self.handles[owner]);
                let (kind, result) = if d % 2 == 0 {
                    let result = f.add_set(name, TensorKind::Internal, Dtype::float32, real.real());
                    (Kind::Set, result.map(|p| (Handle::S(p.storage()), p.renamed)))
                } else {
                    let result = f.add_register(name, real.real());
                    (Kind::Register, result.map(|p| (Handle::S(p.storage()), p.renamed)))
                };
                self.created(kind, Owner::Storages(owner), name, place, result)
            }
            4 => {
                let Some(owner) = self.pick(a, |o| o.kind == Kind::Set) else { return Ok(()) };
                let (place, real) = self.place([b, c], |o| o.kind == Kind::Location, cast!(L));
                let set = cast!(S)(self.handles[owner]).as_set().unwrap();
                let result = set.add_location(name, MemoryType::SB, real.real());
                let result = result.map(|p| (Handle::L(p.object), p.renamed));
                self.created(Kind::Location, Owner::Locations(owner), name, place, result)
            }
            5 => {
                let (place, real) = self.place([b, c], |o| o.kind == Kind::Queue, cast!(Q));
                let result = self.module.add_queue(name, DMAQueueType::data, real.real());
                let result = result.map(|p| (Handle::Q(p.object), p.renamed));
                self.created(Kind::Queue, Owner::Queues, name, place, result)
            }
            6 => {
                let Some(owner) = self.pick(a, |o| o.kind == Kind::Block) else { return Ok(()) };
                let (place, real) = self.place([b, c], |o| o.kind == Kind::Argument, cast!(A));
                let result = cast!(B)(self.handles[owner]).add_argument(name, real.real());
                self.created(
                    Kind::Argument,
                    Owner::Arguments(owner),
                    name,
                    place,
                    result.map(|a| (Handle::A(a), false)),
                )
            }
            _ => self.create_operand([a, b, c, d]),
        }
    }

    fn create_operand(&mut self, [a, b, c, d]: [u32; 4]) -> Check {
        let Some(owner) = self.pick(a, instruction) else { return Ok(()) };
        let register = |n| self.pick(n, |o| o.kind == Kind::Register);
        let set = self.pick(c, |o| o.kind == Kind::Set);
        let lend = |s: usize| cast!(S)(self.handles[s]).as_register().unwrap();
        let dtype = Dtype::float32;
        let pattern = pattern();
        let (mut location, mut registers) = (None, None);
        let mut list = (d / 16 % 3) as usize;
        let spec = match d % 8 {
            0 | 1 => {
                let Some(l) = self.pick(c, |o| o.kind == Kind::Location) else { return Ok(()) };
                location = Some(l);
                OperandSpec::Physical { location: cast!(L)(self.handles[l]), dtype, pattern: &pattern, offset: 0 }
            }
            2 => {
                let Some(s) = set else { return Ok(()) };
                location = Some(s);
                let set = cast!(S)(self.handles[s]).as_set().unwrap();
                OperandSpec::Symbolic { set, dtype, pattern: &pattern, addrs: &[] }
            }
            3 | 4 => {
                let (Some(s), Some(r0)) = (set, register(b)) else { return Ok(()) };
                let set = cast!(S)(self.handles[s]).as_set().unwrap();
                let r1 = if d & 0x100 == 0 { register(c) } else { None };
                let r2 = if d & 0x200 == 0 { register(d) } else { None };
                location = Some(s);
                registers = Some([Some(r0), r1, r2]);
                OperandSpec::RegisterPattern {
                    set,
                    dtype,
                    pattern: &pattern,
                    register: lend(r0),
                    offset_register: r1.map(lend),
                    sub_tensor_register: r2.map(lend),
                }
            }
            5 => {
                let Some(r) = register(c) else { return Ok(()) };
                location = Some(r);
                OperandSpec::Register { register: lend(r), dtype }
            }
            n => {
                list = 0;
                match n + b % 2 {
                    6 => OperandSpec::Immediate { dtype, bits: 1 },
                    7 => OperandSpec::ImmediateArray { dtype, values: &[1, 2] },
                    _ => OperandSpec::SymbolicImmediate { dtype, values: &[1], expr: QuasiAffineExpr::NONE },
                }
            }
        };
        let (place, real) = self.place([b, c], |o| o.kind == Kind::Operand, cast!(O));
        let asked = OperandList::ALL[(d / 16 % 3) as usize];
        let result = cast!(I)(self.handles[owner]).add_operand(asked, &spec, real.real());
        let dead = |s: &usize| self.objects[*s].erased;
        let missing = location.iter().any(dead) || registers.iter().flatten().flatten().any(dead);
        if missing {
            prop_assert_eq!(code(&result), Some(ErrorCode::Detached));
            return Ok(());
        }
        let before = self.objects.len();
        let result = result.map(|o| (Handle::O(o), false));
        self.created(Kind::Operand, Owner::Operands(owner, list), "", place, result)?;
        if let Some(new) = self.objects.get_mut(before) {
            (new.location, new.registers) = (location, registers);
        }
        Ok(())
    }

    fn rename(&mut self, [a, ..]: [u32; 4], name: &str) -> Check {
        let Some(o) = self.pick(a, |o| o.kind != Kind::Operand) else { return Ok(()) };
        let result = match self.handles[o] {
            Handle::F(x) => x.set_name(name),
            Handle::B(x) => x.set_name(name),
            Handle::I(x) => x.set_name(name),
            Handle::S(x) => x.set_name(name),
            Handle::L(x) => x.set_name(name),
            Handle::Q(x) => x.set_name(name),
            Handle::A(x) => x.set_name(name).map(|()| false),
            Handle::O(_) => unreachable!(),
        };
        prop_assert_eq!(code(&result), self.objects[o].erased.then_some(ErrorCode::Detached));
        let Ok(renamed) = result else { return Ok(()) };
        let object = &self.objects[o];
        let (fresh, changed) = match object.owner {
            Some(owner) if object.kind != Kind::Argument && object.name != name => self.free_name(owner, name),
            _ => (name.to_string(), false),
        };
        prop_assert_eq!(renamed, changed);
        self.objects[o].name = fresh;
        Ok(())
    }

    fn unlink(&mut self, [a, ..]: [u32; 4]) -> Check {
        let Some(o) = self.pick(a, |o| !matches!(o.kind, Kind::Operand | Kind::Argument)) else { return Ok(()) };
        let result = match self.handles[o] {
            Handle::F(x) => x.unlink(),
            Handle::B(x) => x.unlink(),
            Handle::I(x) => x.unlink(),
            Handle::S(x) => x.unlink(),
            Handle::L(x) => x.unlink(),
            Handle::Q(x) => x.unlink(),
            _ => unreachable!(),
        };
        prop_assert_eq!(code(&result), self.objects[o].erased.then_some(ErrorCode::Detached));
        self.take(o);
        Ok(())
    }

    fn relocate(&mut self, [a, b, c, d]: [u32; 4]) -> Check {
        let Some(o) = self.pick(a, |o| !matches!(o.kind, Kind::Operand | Kind::Argument)) else { return Ok(()) };
        let kind = self.objects[o].kind;
        let (owner, place, result) = match self.handles[o] {
            Handle::F(x) => {
                let (place, real) = self.place([b, c], |o| o.kind == Kind::Function, cast!(F));
                let nki = (d % 2) as usize;
                let holder = if nki == 1 { self.module.nki_holder().unwrap() } else { self.module.function_holder() };
                (Owner::Functions(nki), place, x.move_to(holder, real.real()))
            }
            Handle::B(x) => {
                let (place, real) = self.place([b, c], |o| o.kind == Kind::Block, cast!(B));
                let body = |o: &Object| matches!(o.kind, Kind::Function | Kind::Queue) || structured(o);
                let Some(to) = self.pick(d, body) else { return Ok(()) };
                (Owner::Body(to), place, x.move_to(self.body(to), real.real()))
            }
            Handle::I(x) => {
                let (place, real) = self.place([b, c], instruction, cast!(I));
                let Some(to) = self.pick(d, |o| o.kind == Kind::Block) else { return Ok(()) };
                (Owner::Instructions(to), place, x.move_to(cast!(B)(self.handles[to]), real.real()))
            }
            Handle::S(x) => {
                let (place, real) = self.place([b, c], storage, cast!(S));
                let Some(to) = self.pick(d, |o| o.kind == Kind::Function) else { return Ok(()) };
                (Owner::Storages(to), place, x.move_to(cast!(F)(self.handles[to]), real.real()))
            }
            Handle::L(x) => {
                let (place, real) = self.place([b, c], |o| o.kind == Kind::Location, cast!(L));
                let Some(to) = self.pick(d, |o| o.kind == Kind::Set) else { return Ok(()) };
                (Owner::Locations(to), place, x.move_to(cast!(S)(self.handles[to]).as_set().unwrap(), real.real()))
            }
            Handle::Q(x) => {
                let (place, real) = self.place([b, c], |o| o.kind == Kind::Queue, cast!(Q));
                (Owner::Queues, place, x.move_to(real.real()))
            }
            _ => unreachable!(),
        };
        let expected = if self.objects[o].erased || self.owner_erased(owner) {
            Some(ErrorCode::Detached)
        } else if matches!(kind, Kind::Block | Kind::Instruction { .. }) && self.inside(owner, o) {
            Some(ErrorCode::BadValue)
        } else {
            self.anchor_missing(owner, place).then_some(ErrorCode::NotFound)
        };
        prop_assert_eq!(code(&result), expected);
        let Ok(renamed) = result else { return Ok(()) };
        if matches!(place, Where::Before(x) | Where::After(x) if x == o) {
            prop_assert!(!renamed);
            return Ok(());
        }
        let (fresh, changed) = match self.objects[o].owner {
            Some(from) if from == owner => (self.objects[o].name.clone(), false),
            _ => self.free_name(owner, &self.objects[o].name),
        };
        prop_assert_eq!(renamed, changed);
        self.take(o);
        self.objects[o].name = fresh;
        self.put(o, owner, place);
        Ok(())
    }

    fn erase_any(&mut self, [a, b, ..]: [u32; 4]) -> Check {
        // Large parts go rarely, so that something is left.
        let large = |o: &Object| matches!(o.kind, Kind::Function | Kind::Queue);
        let Some(o) = self.pick(a, |o| b % 8 == 0 || !large(o)) else { return Ok(()) };
        let result = match self.handles[o] {
            Handle::F(x) => x.erase(),
            Handle::B(x) => x.erase(),
            Handle::I(x) => x.erase(),
            Handle::S(x) => x.erase(),
            Handle::L(x) => x.erase(),
            Handle::Q(x) => x.erase(),
            Handle::A(x) => x.erase(),
            Handle::O(x) => x.erase(),
        };
        let used = match self.objects[o].kind {
            Kind::Function => self.list(Owner::Storages(o)).iter().any(|s| self.used_outside(*s, Some(o))),
            Kind::Set | Kind::Register | Kind::Location => self.used_outside(o, None),
            _ => false,
        };
        let expected =
            if self.objects[o].erased { Some(ErrorCode::Detached) } else { used.then_some(ErrorCode::StillReferenced) };
        prop_assert_eq!(code(&result), expected);
        if result.is_ok() {
            self.erase(o);
        }
        Ok(())
    }

    fn move_operand(&mut self, [a, b, c, d]: [u32; 4]) -> Check {
        let Some(o) = self.pick(a, |o| o.kind == Kind::Operand) else { return Ok(()) };
        let Some(to) = self.pick(d, instruction) else { return Ok(()) };
        let (place, real) = self.place([b, c], |o| o.kind == Kind::Operand, cast!(O));
        let asked = (c % 3) as usize;
        let x = cast!(O)(self.handles[o]);
        let result = x.move_to(cast!(I)(self.handles[to]), OperandList::ALL[asked], real.real());
        let object = &self.objects[o];
        let list = if object.location.is_none() { 0 } else { asked };
        let owner = Owner::Operands(to, list);
        let expected = if object.erased || self.objects[to].erased {
            Some(ErrorCode::Detached)
        } else {
            self.anchor_missing(owner, place).then_some(ErrorCode::NotFound)
        };
        prop_assert_eq!(code(&result), expected);
        if result.is_ok() && !matches!(place, Where::Before(x) | Where::After(x) if x == o) {
            self.take(o);
            self.put(o, owner, place);
        }
        Ok(())
    }

    fn rebind(&mut self, [a, b, c, d]: [u32; 4]) -> Check {
        let Some(o) = self.pick(a, |o| o.kind == Kind::Operand && (b % 2 == 0 || o.registers.is_some())) else {
            return Ok(());
        };
        let x = cast!(O)(self.handles[o]);
        let erased = self.objects[o].erased;
        if b % 2 == 0 {
            let Some(to) = self.pick(c, any_storage) else { return Ok(()) };
            let result = x.set_storage(self.base(to));
            let old = self.objects[o].location;
            let expected = if erased {
                Some(ErrorCode::Detached)
            } else if old.is_none_or(|old| self.objects[old].kind != self.objects[to].kind) {
                Some(ErrorCode::WrongKind)
            } else {
                self.objects[to].erased.then_some(ErrorCode::Detached)
            };
            prop_assert_eq!(code(&result), expected);
            if result.is_ok() {
                self.objects[o].location = Some(to);
            }
            return Ok(());
        }
        let index = (d % 4) as usize;
        let register = self.pick(c, |o| o.kind == Kind::Register).filter(|_| c % 4 != 0);
        let lend = register.map(|r| cast!(S)(self.handles[r]).as_register().unwrap());
        let result = x.set_register(index, lend);
        let expected = if erased {
            Some(ErrorCode::Detached)
        } else if index == 3 || (index == 0 && register.is_none()) {
            Some(ErrorCode::BadValue)
        } else {
            register.filter(|r| self.objects[*r].erased).map(|_| ErrorCode::Detached)
        };
        prop_assert_eq!(code(&result), expected);
        if result.is_ok() {
            self.objects[o].registers.as_mut().unwrap()[index] = register;
        }
        Ok(())
    }

    fn replace_uses(&mut self, [a, b, ..]: [u32; 4]) -> Check {
        let (Some(old), Some(new)) = (self.pick(a, any_storage), self.pick(b, any_storage)) else { return Ok(()) };
        let result = self.base(old).replace_all_uses_with(self.base(new));
        let expected = if self.objects[old].kind != self.objects[new].kind {
            Some(ErrorCode::WrongKind)
        } else {
            (self.objects[old].erased || self.objects[new].erased).then_some(ErrorCode::Detached)
        };
        prop_assert_eq!(code(&result), expected);
        let Ok(count) = result else { return Ok(()) };
        let [readers, writers] = self.users(old);
        let users = readers.len() + writers.len() + self.argument_users(old).len();
        prop_assert_eq!(count, if old == new { 0 } else { users });
        for o in self.objects.iter_mut().filter(|o| !o.erased) {
            let swap = |s: &mut usize| *s = if *s == old { new } else { *s };
            o.location.iter_mut().for_each(swap);
            o.registers.iter_mut().flatten().flatten().for_each(swap);
            o.incoming.iter_mut().map(|p| &mut p.0).for_each(swap);
        }
        Ok(())
    }

    fn edge(&mut self, [a, b, c, d]: [u32; 4], add: bool) -> Check {
        let (Some(from), Some(to)) = (self.pick(a, instruction), self.pick(b, instruction)) else { return Ok(()) };
        let set = (c % 2) as u8;
        let kind = KINDS[d as usize % KINDS.len()];
        let (x, y) = (cast!(I)(self.handles[from]), cast!(I)(self.handles[to]));
        let dead = (self.objects[from].erased || self.objects[to].erased).then_some(ErrorCode::Detached);
        let old = self.edges.get(&(from, to, set)).copied();
        if add {
            let result = x.add_dependency(y, kind, SETS[usize::from(set)]);
            prop_assert_eq!(code(&result), if from == to { Some(ErrorCode::BadValue) } else { dead });
            let Ok(added) = result else { return Ok(()) };
            prop_assert_eq!(added, old.is_none());
            self.edges.insert((from, to, set), old.unwrap_or(0).max(kind.ordinal() as u8));
        } else {
            let result = x.remove_dependency(y, SETS[usize::from(set)]);
            prop_assert_eq!(code(&result), dead);
            let Ok(removed) = result else { return Ok(()) };
            prop_assert_eq!(removed, old.is_some());
            self.edges.remove(&(from, to, set));
        }
        Ok(())
    }

    fn bind_argument(&mut self, [a, b, c, d]: [u32; 4]) -> Check {
        let Some(o) = self.pick(a, |o| o.kind == Kind::Argument) else { return Ok(()) };
        let Some(s) = self.pick(b, any_storage) else { return Ok(()) };
        let Some(block) = self.pick(c, |o| o.kind == Kind::Block) else { return Ok(()) };
        let x = cast!(A)(self.handles[o]);
        let dead = |o: usize| self.objects[o].erased;
        match d % 5 {
            0 | 1 => {
                let storage = (d % 5 == 0 || c % 2 == 0).then_some(s);
                let result = x.set_location(storage.map(|s| self.base(s)));
                let expected = (dead(o) || storage.is_some_and(dead)).then_some(ErrorCode::Detached);
                prop_assert_eq!(code(&result), expected);
                if result.is_ok() {
                    self.objects[o].location = storage;
                }
            }
            4 => {
                x.clear_incoming();
                self.objects[o].incoming.clear();
            }
            _ => {
                let result = x.add_incoming(self.base(s), cast!(B)(self.handles[block]));
                let expected = (dead(o) || dead(s) || dead(block)).then_some(ErrorCode::Detached);
                prop_assert_eq!(code(&result), expected);
                if result.is_ok() {
                    self.objects[o].incoming.push((s, block));
                }
            }
        }
        Ok(())
    }

    fn step(&mut self, (what, n, name): Step) -> Check {
        let name = NAMES[name % NAMES.len()];
        match what {
            0..=13 => self.create(what / 2, n, name),
            14..=19 => self.create(7, n, name),
            20..=22 => self.rename(n, name),
            23 | 24 => self.unlink(n),
            25..=28 => self.relocate(n),
            29..=31 => self.erase_any(n),
            32..=34 => self.move_operand(n),
            35..=39 => self.rebind(n),
            40 => self.replace_uses(n),
            41..=45 => self.edge(n, true),
            46 => self.edge(n, false),
            47..=49 => self.bind_argument(n),
            _ => self.check_ids(),
        }
    }
}

/// The same object, by address: the library hands out references.
fn is<T>(a: &T, b: &T) -> bool {
    std::ptr::eq(a, b)
}

macro_rules! check_list {
    ($self:ident, $owner:expr, $variant:ident, $iter:expr, $count:expr, $find:expr) => {{
        let expected = $self.list($owner).to_vec();
        let real: Vec<_> = $iter.collect();
        prop_assert_eq!(real.len(), expected.len(), "{:?}", $owner);
        prop_assert_eq!($count, expected.len());
        let mut back: Vec<_> = $iter.rev().collect();
        back.reverse();
        for (i, (r, e)) in real.iter().zip(&expected).enumerate() {
            let handle = cast!($variant)($self.handles[*e]);
            prop_assert!(is(*r, handle) && is(back[i], handle), "order in {:?}", $owner);
            let beside = |x: Option<_>, y: Option<&&_>| match (x, y) {
                (Some(x), Some(y)) => is(x, *y),
                (None, None) => true,
                _ => false,
            };
            prop_assert!(beside(handle.next(), real.get(i + 1)));
            prop_assert!(beside(handle.prev(), i.checked_sub(1).and_then(|i| real.get(i))));
        }
        for name in NAMES.iter().map(|n| n.to_string()).chain(expected.iter().map(|e| $self.objects[*e].name.clone())) {
            let wanted = expected.iter().find(|e| $self.objects[**e].name == name);
            let found = $find(name.as_str());
            prop_assert_eq!(found.is_some(), wanted.is_some(), "{} in {:?}", name, $owner);
            if let (Some(f), Some(w)) = (found, wanted) {
                prop_assert!(is(f, cast!($variant)($self.handles[*w])));
            }
        }
    }};
}

impl World<'_> {
    fn check(&self) -> Check {
        let module = self.module;
        prop_assert_eq!(i64::from(module.next_unique_id()), i64::from(self.counter));
        let nki = module.nki_holder().unwrap();
        for (i, holder) in [module.function_holder(), nki].into_iter().enumerate() {
            let find = |n: &str| holder.find_function(n);
            check_list!(self, Owner::Functions(i), F, holder.functions(), holder.function_count(), find);
        }
        check_list!(self, Owner::Queues, Q, module.queues(), module.queue_count(), |n: &str| module.find_queue(n));
        for (i, object) in self.objects.iter().enumerate() {
            let linked = object.owner.is_some();
            match self.handles[i] {
                Handle::F(x) => {
                    self.check_named(object, x.name().as_str(), x.unique_id(), x.is_linked(), x.is_erased())?;
                    check_list!(self, Owner::Storages(i), S, x.storages(), x.storage_count(), |n: &str| x
                        .find_storage(n));
                    self.check_body(i)?;
                    self.check_function(i, x)?;
                }
                Handle::B(x) => {
                    self.check_named(object, x.name().as_str(), x.unique_id(), x.is_linked(), x.is_erased())?;
                    let find = |n: &str| x.find_instruction(n);
                    check_list!(self, Owner::Instructions(i), I, x.instructions(), x.instruction_count(), find);
                    self.check_arguments(i, x)?;
                    let function = self.function_of(i).map(|f| cast!(F)(self.handles[f]));
                    prop_assert_eq!(x.function().map(std::ptr::from_ref), function.map(std::ptr::from_ref));
                }
                Handle::I(x) => {
                    self.check_named(object, x.name().as_str(), x.unique_id(), x.is_linked(), x.is_erased())?;
                    if structured(object) {
                        self.check_body(i)?;
                    }
                    self.check_operands(i, x)?;
                    self.check_edges(i, x)?;
                }
                Handle::S(x) => {
                    self.check_named(object, x.name().as_str(), x.unique_id(), x.is_linked(), x.is_erased())?;
                    if let Some(set) = x.as_set() {
                        let find = |n: &str| set.find_location(n);
                        check_list!(self, Owner::Locations(i), L, set.locations(), set.location_count(), find);
                    }
                    self.check_users(i)?;
                }
                Handle::L(x) => {
                    self.check_named(object, x.name().as_str(), x.unique_id(), x.is_linked(), x.is_erased())?;
                    self.check_users(i)?;
                }
                Handle::Q(x) => {
                    self.check_named(object, x.name().as_str(), x.unique_id(), x.is_linked(), x.is_erased())?;
                    self.check_body(i)?;
                }
                Handle::A(x) => {
                    prop_assert_eq!(x.name().to_string(), object.name.clone());
                    prop_assert_eq!(x.block().is_some(), linked);
                    let location = object.location.map(|s| std::ptr::from_ref(self.base(s)));
                    prop_assert_eq!(x.location().map(std::ptr::from_ref), location);
                    let incoming: Vec<_> =
                        x.incoming().map(|(s, b)| (std::ptr::from_ref(s), std::ptr::from_ref(b))).collect();
                    let expected: Vec<_> = object
                        .incoming
                        .iter()
                        .map(|(s, b)| {
                            (std::ptr::from_ref(self.base(*s)), std::ptr::from_ref(cast!(B)(self.handles[*b])))
                        })
                        .collect();
                    prop_assert_eq!(incoming, expected);
                }
                Handle::O(x) => {
                    prop_assert_eq!((x.unique_id(), x.is_erased()), (object.id, object.erased));
                    if object.erased {
                        continue;
                    }
                    let Some(Owner::Operands(parent, list)) = object.owner else { unreachable!() };
                    prop_assert_eq!((x.list() as usize, x.is_output()), (list, list == 2));
                    prop_assert!(is(x.instruction().unwrap(), cast!(I)(self.handles[parent])));
                    let location = object.location.map(|s| std::ptr::from_ref(self.base(s)));
                    prop_assert_eq!(x.storage().map(std::ptr::from_ref), location);
                    for (r, expected) in object.registers.iter().flatten().enumerate() {
                        let expected = expected.map(|s| cast!(S)(self.handles[s]).as_register().unwrap());
                        prop_assert_eq!(x.register(r).map(std::ptr::from_ref), expected.map(std::ptr::from_ref));
                    }
                }
            }
        }
        Ok(())
    }

    fn check_named(&self, object: &Object, name: &str, id: i32, linked: bool, erased: bool) -> Check {
        prop_assert_eq!(name, object.name.as_str());
        prop_assert_eq!((id, linked, erased), (object.id, object.owner.is_some(), object.erased));
        Ok(())
    }

    fn check_body(&self, i: usize) -> Check {
        let body = self.body(i);
        check_list!(self, Owner::Body(i), B, body.blocks(), body.block_count(), |n: &str| body.find_block(n));
        let mut all = vec![];
        self.walk(i, &mut all);
        for name in NAMES {
            let named = |owner: usize| self.list(Owner::Body(owner)).iter().find(|b| self.objects[**b].name == *name);
            let first = named(i).or_else(|| all.iter().find_map(|e| named(*e)));
            let first = first.map(|e| std::ptr::from_ref(cast!(B)(self.handles[*e])));
            prop_assert_eq!(body.find_block_below(name).map(std::ptr::from_ref), first);
        }
        Ok(())
    }

    fn walk(&self, owner: usize, out: &mut Vec<usize>) {
        for block in self.list(Owner::Body(owner)) {
            for instruction in self.list(Owner::Instructions(*block)) {
                out.push(*instruction);
                self.walk(*instruction, out);
            }
        }
    }

    fn check_function(&self, i: usize, x: &Function) -> Check {
        let mut all = vec![];
        self.walk(i, &mut all);
        let real: Vec<_> = x.instructions().map(std::ptr::from_ref).collect();
        let expected: Vec<_> = all.iter().map(|e| std::ptr::from_ref(cast!(I)(self.handles[*e]))).collect();
        prop_assert_eq!(real, expected);
        for name in NAMES.iter().map(|n| n.to_string()).chain(all.iter().map(|e| self.objects[*e].name.clone())) {
            let first = all.iter().find(|e| self.objects[**e].name == name);
            let first = first.map(|e| std::ptr::from_ref(cast!(I)(self.handles[*e])));
            prop_assert_eq!(x.find_instruction(&name).map(std::ptr::from_ref), first);
        }
        let storages = self.list(Owner::Storages(i));
        for name in NAMES {
            let of = |kind| storages.iter().find(|s| self.objects[**s].kind == kind && self.objects[**s].name == *name);
            prop_assert_eq!(x.find_set(name).is_some(), of(Kind::Set).is_some());
            prop_assert_eq!(x.find_register(name).is_some(), of(Kind::Register).is_some());
            let mut locations = storages.iter().flat_map(|s| self.list(Owner::Locations(*s)));
            let first = locations.find(|l| self.objects[**l].name == *name);
            let first = first.map(|e| std::ptr::from_ref(cast!(L)(self.handles[*e])));
            prop_assert_eq!(x.find_location(name).map(std::ptr::from_ref), first);
        }
        Ok(())
    }

    fn check_arguments(&self, i: usize, x: &BasicBlock) -> Check {
        let real: Vec<_> = x.arguments().map(std::ptr::from_ref).collect();
        let list = self.list(Owner::Arguments(i));
        let expected: Vec<_> = list.iter().map(|e| std::ptr::from_ref(cast!(A)(self.handles[*e]))).collect();
        prop_assert_eq!((&real, x.argument_count()), (&expected, expected.len()));
        for name in NAMES {
            let first = list.iter().find(|e| self.objects[**e].name == *name);
            let first = first.map(|e| std::ptr::from_ref(cast!(A)(self.handles[*e])));
            prop_assert_eq!(x.find_argument(name).map(std::ptr::from_ref), first);
        }
        Ok(())
    }

    fn check_operands(&self, i: usize, x: &Instruction) -> Check {
        for (n, list) in OperandList::ALL.into_iter().enumerate() {
            let expected: Vec<_> = self
                .list(Owner::Operands(i, n))
                .iter()
                .map(|e| std::ptr::from_ref(cast!(O)(self.handles[*e])))
                .collect();
            let real: Vec<_> = x.operands(list).map(std::ptr::from_ref).collect();
            let mut back: Vec<_> = x.operands(list).rev().map(std::ptr::from_ref).collect();
            back.reverse();
            prop_assert_eq!(&real, &expected);
            prop_assert_eq!(&back, &expected);
            prop_assert_eq!(x.operand_count(list), expected.len());
        }
        Ok(())
    }

    fn check_edges(&self, i: usize, x: &Instruction) -> Check {
        for (n, set) in SETS.into_iter().enumerate() {
            let id = |o: &usize| self.objects[*o].id;
            let mut out: Vec<(i32, u8)> = self
                .edges
                .iter()
                .filter(|(e, _)| e.0 == i && usize::from(e.2) == n)
                .map(|(e, k)| (id(&e.1), *k))
                .collect();
            let mut back: Vec<(i32, u8)> = self
                .edges
                .iter()
                .filter(|(e, _)| e.1 == i && usize::from(e.2) == n)
                .map(|(e, k)| (id(&e.0), *k))
                .collect();
            out.sort();
            back.sort();
            let real: Vec<_> = x.dependencies(set).map(|e| (e.target.unique_id(), e.kind.ordinal() as u8)).collect();
            let mirror: Vec<_> = x.descendents(set).map(|e| (e.target.unique_id(), e.kind.ordinal() as u8)).collect();
            prop_assert_eq!((x.dependency_count(set), x.descendent_count(set)), (out.len(), back.len()));
            prop_assert_eq!(real, out);
            prop_assert_eq!(mirror, back);
        }
        Ok(())
    }

    fn check_users(&self, i: usize) -> Check {
        let base = self.base(i);
        let mut expected = self.users(i).map(|l| l.iter().map(|o| self.objects[*o].id).collect::<Vec<_>>());
        let mut real = [
            base.readers().map(Argument::unique_id).collect::<Vec<_>>(),
            base.writers().map(Argument::unique_id).collect::<Vec<_>>(),
        ];
        prop_assert_eq!((base.reader_count(), base.writer_count()), (expected[0].len(), expected[1].len()));
        expected.iter_mut().chain(&mut real).for_each(|l| l.sort());
        prop_assert_eq!(real, expected, "users of {}", base.name());
        Ok(())
    }

    fn check_ids(&self) -> Check {
        for id in [-1, self.counter, i32::MAX] {
            prop_assert!(self.module.find_by_id(id).unwrap().is_none());
        }
        let mut ids: Vec<i32> = vec![];
        for (i, object) in self.objects.iter().enumerate().filter(|(_, o)| o.id >= 0) {
            ids.push(object.id);
            let found = self.module.find_by_id(object.id).unwrap();
            prop_assert_eq!(found.is_some(), self.attached(i), "id {}", object.id);
            let Some(found) = found else { continue };
            prop_assert_eq!(found.id(), object.id);
            let same = match (found, self.handles[i]) {
                (IdObject::Function(a), Handle::F(b)) => is(a, b),
                (IdObject::BasicBlock(a), Handle::B(b)) => is(a, b),
                (IdObject::Instruction(a), Handle::I(b)) => is(a, b),
                (IdObject::Storage(a), Handle::S(b)) => is(a, b),
                (IdObject::MemoryLocation(a), Handle::L(b)) => is(a, b),
                (IdObject::DMAQueue(a), Handle::Q(b)) => is(a, b),
                (IdObject::Argument(a), Handle::O(b)) => is(a, b),
                _ => false,
            };
            prop_assert!(same, "{found:?}");
        }
        // Every id was given once, and none was left out.
        ids.sort();
        prop_assert_eq!(ids, (0..self.counter).collect::<Vec<_>>());
        Ok(())
    }
}

/// Whatever was done to a module, it can be printed: each object that is reached has its line, and nothing else has one.
fn check_text(module: &Module) -> Check {
    let mut ids: Vec<i32> = vec![];
    for function in module.functions().chain(module.nki_functions()) {
        ids.push(function.unique_id());
        ids.extend(function.storages().map(Storage::unique_id));
        ids.extend(function.sets().flat_map(|s| s.locations()).map(MemoryLocation::unique_id));
    }
    ids.extend(module.queues().map(DMAQueue::unique_id));
    let bodies = module.functions().chain(module.nki_functions()).map(Function::block_holder);
    let (mut blocks, mut arguments) = (vec![], 0);
    for body in bodies.chain(module.queues().map(DMAQueue::block_holder)) {
        blocks.extend(body.blocks());
        for instruction in body.instructions() {
            ids.push(instruction.unique_id());
            blocks.extend(instruction.block_holder().into_iter().flat_map(|h| h.blocks()));
        }
    }
    for block in blocks {
        ids.push(block.unique_id());
        arguments += block.argument_count();
    }
    ids.sort();
    for all in [false, true] {
        let mut text = vec![];
        print_module(module, &mut text, &PrintOptions { all, ids: true }).unwrap();
        let text = String::from_utf8(text).unwrap();
        prop_assert!(text.chars().all(|c| c == '\n' || !c.is_control()) && text.ends_with('\n'));
        let (mut found, mut without) = (vec![], 0);
        for line in text.lines().filter(|l| !l.is_empty()) {
            // The id before the first colon after the name, which is quoted if it has more than letters and digits.
            match line.split_once(" (id ").and_then(|(_, rest)| rest.split_once("):")) {
                Some((id, _)) => found.push(id.parse::<i32>().unwrap()),
                None => without += 1,
            }
        }
        found.sort();
        prop_assert_eq!(&found, &ids);
        // The module's own line, and those of block arguments.
        prop_assert_eq!(without, 1 + arguments);
    }
    Ok(())
}

/// A step of the general test. Most objects come first, so that later steps find something to work on.
fn steps(count: usize) -> impl Strategy<Value = Vec<Step>> {
    let numbers = || prop::array::uniform4(any::<u32>());
    let first = prop::collection::vec((0_u8..14, numbers(), any::<usize>()), 12..24);
    let rest = prop::collection::vec((0_u8..51, numbers(), any::<usize>()), 0..count);
    (first, rest).prop_map(|(mut a, b)| {
        a.insert(0, (0, [0; 4], 0));
        a.insert(1, (2, [0; 4], 0));
        a.extend(b);
        a
    })
}

/// A step on register patterns: create, erase, move, set a register, replace all uses.
fn register_step() -> impl Strategy<Value = Step> {
    let numbers = prop::array::uniform4(any::<u32>());
    (prop::sample::select(vec![14_u8, 29, 32, 35, 35, 35, 35, 35, 40]), numbers).prop_map(|(what, [a, b, c, d])| {
        match what {
            14 => (what, [a, b, c, (d & !0xF) | 3], 0),
            35 => (what, [a, b | 1, c, d % 3], 0),
            _ => (what, [a, b, c, d], 0),
        }
    })
}

fn world(module: &Module) -> World<'_> {
    World { module, handles: vec![], objects: vec![], lists: BTreeMap::new(), edges: BTreeMap::new(), counter: 0 }
}

fn cases(count: u32) -> ProptestConfig {
    ProptestConfig { cases: count, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(cases(if cfg!(debug_assertions) { 300 } else { 1500 }))]

    #[test]
    fn edits_agree_with_the_model(steps in steps(120)) {
        let module = Module::new().unwrap();
        let mut world = world(&module);
        for step in steps {
            world.step(step)?;
            world.check()?;
        }
        world.check_ids()?;
        check_text(&module)?;
    }

    /// One register in several roles of one operand, in every order of coming and going.
    #[test]
    fn registers_in_several_roles_agree_with_the_model(steps in prop::collection::vec(register_step(), 0..80)) {
        let module = Module::new().unwrap();
        let mut world = world(&module);
        for (what, d) in [(0, 0), (1, 0), (2, 0), (3, 0), (3, 0), (3, 1), (3, 1), (7, 3), (7, 0x13)] {
            world.create(what, [0, 0, 0, d], "a")?;
        }
        for step in steps {
            world.step(step)?;
            world.check()?;
        }
        check_text(&module)?;
    }
}
