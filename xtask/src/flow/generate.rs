//! Random programs whose control flow is as nasty as C allows, and always ends: loops have counters, jumps backwards
//! consume fuel.
//!
//! What a compiler may order as it likes is not left to it: an expression with effects stands only where a sequence point
//! is, or beside constants. Signed arithmetic wraps in both; shifts and divisors are cut to what is defined.

use super::tree::{Expr, FIELDS, Function, Input, Kind, Place, Program, Region, Stmt, TYPES, Variable};
use norn_ir::number::narrow;
use norn_testing::Random;

/// What inputs can be.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Inputs {
    /// Any values of their types.
    Wide,
    /// Few values, by assumption.
    Small,
    /// All values of one byte, and maybe a bit.
    Byte,
}

/// The program of a seed.
pub fn program(seed: u64) -> Program {
    let mut random = Random::new(seed);
    let kind = [Inputs::Wide, Inputs::Wide, Inputs::Small, Inputs::Byte][random.index(4)];
    let inputs = inputs(&mut random, kind);
    let constants = (0..4).map(|_| constant(&mut random)).collect::<Vec<_>>();
    let mut globals = vec![
        variable("g0", "unsigned", &mut random),
        variable("g1", "int", &mut random),
        Variable { ctype: any_type(&mut random), ..variable("g2", "int", &mut random) },
    ];
    if random.below(2) == 0 {
        globals.push(Variable { array: true, ctype: any_type(&mut random), ..variable("ga", "int", &mut random) });
    }
    if random.below(3) == 0 {
        globals.push(variable("gs", "struct S", &mut random));
    }
    let mut program = Program { inputs, globals, functions: Vec::new() };
    let count = 1 + random.index(4);
    let mut costs = Vec::new();
    for number in 0..count {
        let last = number + 1 == count;
        let (function, cost) = function(&mut random, &program, &constants, &costs, last);
        program.functions.push(function);
        costs.push(cost);
    }
    program
}

fn inputs(random: &mut Random, kind: Inputs) -> Vec<Input> {
    let late = |random: &mut Random| random.below(6) == 0;
    match kind {
        Inputs::Wide => {
            let count = 1 + random.below(3);
            let wide =
                |random: &mut Random| Input { ctype: any_type(random), range: None, bits: false, late: late(random) };
            (0..count).map(|_| wide(random)).collect()
        }
        Inputs::Small => {
            let count = 1 + random.below(2);
            let small = |random: &mut Random| {
                let (ctype, bits, signed) = TYPES[1 + random.index(9)];
                let limit = if bits == 64 { i64::MAX } else { (1 << (bits - u32::from(signed))) - 8 };
                let low = match random.below(3) {
                    0 => 0,
                    1 if signed => -3,
                    _ => random.below(200) as i64 % limit,
                };
                let bits = random.below(3) > 0;
                let more = if bits { [1, 3, 7][random.index(3)] } else { 1 + random.below(6) as i64 };
                Input { ctype, range: Some((low, low + more)), bits, late: false }
            };
            (0..count).map(|_| small(random)).collect()
        }
        Inputs::Byte => {
            let ctype = ["char", "unsigned char"][random.index(2)];
            let mut all = vec![Input { ctype, range: None, bits: false, late: late(random) }];
            if random.below(2) == 0 {
                all.push(Input { ctype: "_Bool", range: None, bits: false, late: late(random) });
            }
            all
        }
    }
}

fn any_type(random: &mut Random) -> &'static str {
    TYPES[random.index(TYPES.len())].0
}

fn variable(name: &str, ctype: &'static str, random: &mut Random) -> Variable {
    let first = if ctype == "struct S" { 0 } else { random.below(3) as i64 };
    Variable { name: name.to_owned(), ctype, array: false, first }
}

fn constant(random: &mut Random) -> i64 {
    const EDGES: [i64; 16] = [
        -1,
        10,
        100,
        127,
        128,
        -128,
        255,
        256,
        0x7fff,
        0x8000,
        0xffff,
        0x7fff_ffff,
        -0x8000_0000,
        1 << 31,
        1 << 32,
        1 << 40,
    ];
    match random.below(5) {
        0..=2 => random.below(8) as i64,
        3 => EDGES[random.index(EDGES.len())],
        _ => random.below(300) as i64 - 100,
    }
}

fn function(random: &mut Random, program: &Program, constants: &[i64], costs: &[u64], last: bool) -> (Function, u64) {
    let parameters =
        if last { Vec::new() } else { vec![variable("a", any_type(random), random), variable("b", "int", random)] };
    let mut locals = vec![
        Variable { ctype: any_type(random), ..variable("l0", "int", random) },
        variable("l1", "int", random),
        variable("l2", any_type(random), random),
        variable("x0", "int", random),
        variable("x1", "int", random),
        variable("p0", "int *", random),
    ];
    locals.push(Variable { array: true, ctype: any_type(random), ..variable("la", "int", random) });
    locals.push(variable("s0", "struct S", random));
    locals.push(variable("s1", "struct S", random));
    let mut maker = Maker {
        random,
        program,
        constants,
        costs,
        parameters: !last,
        pool: Vec::new(),
        depth: 0,
        weight: 1,
        cost: 0,
        counters: 0,
        labels: 0,
        probes: 8 * costs.len(),
        budget: 0,
        bare: false,
        leaving: 0,
    };
    maker.bare = maker.random.below(2) == 0;
    maker.leaving = [0, 20, 40, 60][maker.random.index(4)];
    maker.budget = if last { 14 + maker.random.below(16) as i64 } else { 5 + maker.random.below(10) as i64 };
    maker.labels = maker.random.index(4);
    let most = maker.budget;
    let mut body = Vec::new();
    while maker.budget > 0 && (body.len() as i64) < most {
        let stmt = maker.stmt();
        body.push(stmt);
    }
    let value = maker.value(2);
    body.push(Stmt::Return(value));
    // Every label gets a place, if it has none yet.
    for label in 0..maker.labels {
        insert_somewhere(&mut body, Stmt::Label(label), maker.random);
    }
    let fuel = narrow(maker.random.below(3));
    let cost = maker.cost * (1 + u64::from(fuel) * u64::from(maker.labels > 0));
    let results = ["int", "int", "unsigned", "char", "long", "_Bool"];
    let result = results[maker.random.index(results.len())];
    let result = if last {
        "long"
    } else if costs.len().is_multiple_of(2) {
        "int"
    } else {
        result
    };
    (Function { result, parameters, locals, body, fuel }, cost)
}

/// Puts a statement at a random place of a tree.
fn insert_somewhere(list: &mut Vec<Stmt>, stmt: Stmt, random: &mut Random) {
    let at = random.index(list.len() + 1);
    if random.below(3) > 0 {
        match list.get_mut(at) {
            Some(Stmt::If(_, yes, no)) => {
                return insert_somewhere(if random.below(2) == 0 { yes } else { no }, stmt, random);
            }
            Some(Stmt::Loop(.., body) | Stmt::Switch(_, body) | Stmt::Group(Region::Plain, body)) => {
                return insert_somewhere(body, stmt, random);
            }
            _ => {}
        }
    }
    list.insert(at, stmt);
}

/// Most steps that a call of the whole program may take, roughly.
const MOST_COST: u64 = 400;

struct Maker<'a> {
    random: &'a mut Random,
    program: &'a Program,
    constants: &'a [i64],
    /// What a call of each function before costs.
    costs: &'a [u64],
    parameters: bool,
    /// Conditions that occurred before: the same again, its negation, its neighbours.
    pool: Vec<Expr>,
    depth: u32,
    /// How often the statement at hand can be executed.
    weight: u64,
    cost: u64,
    counters: usize,
    labels: usize,
    probes: usize,
    budget: i64,
    /// Little but branches on inputs, jumps and marks.
    bare: bool,
    /// How many of a hundred blocks end in a jump.
    leaving: u64,
}

impl Maker<'_> {
    fn below(&mut self, n: u64) -> u64 {
        self.random.below(n)
    }

    fn index(&mut self, length: usize) -> usize {
        self.random.index(length)
    }

    fn pick<T: Clone>(&mut self, all: &[T]) -> T {
        all[self.index(all.len())].clone()
    }

    fn list(&mut self, most: u64) -> Vec<Stmt> {
        let count = 1 + self.below(most);
        self.depth += 1;
        let mut list = (0..count).map(|_| self.stmt()).collect::<Vec<_>>();
        self.depth -= 1;
        if self.below(100) < self.leaving {
            list.push(self.jump());
        }
        list
    }

    /// Away from here, to wherever.
    fn jump(&mut self) -> Stmt {
        match self.below(8) {
            0 => Stmt::Break,
            1 => Stmt::Continue,
            2..=4 => Stmt::Goto(self.index(3)),
            5 => Stmt::Return(self.value(1)),
            _ => Stmt::Return(Expr::Const(self.below(9) as i64)),
        }
    }

    fn stmt(&mut self) -> Stmt {
        self.budget -= 1;
        self.cost += self.weight;
        let nests = self.depth < 5 && self.budget > 0;
        match self.below(34) {
            0..=8 if nests => self.branch(),
            26..=33 if nests && self.bare => self.branch(),
            9..=10 if nests && self.weight < 9 && self.counters < 20 => self.loops(),
            11..=13 if nests => self.switch(),
            14 if nests => Stmt::Group(Region::Plain, self.list(3)),
            15..=17 if self.depth > 0 => {
                let condition = self.condition(1);
                Stmt::If(condition, vec![self.jump()], Vec::new())
            }
            18..=20 if self.bare => self.mark(),
            21 => {
                let condition = self.condition(1);
                let (one, other) = if self.below(2) == 0 { ("x0", "x1") } else { ("x1", "x0") };
                Stmt::Point("p0".to_owned(), condition, one.to_owned(), other.to_owned())
            }
            22 => {
                let mut names = vec!["s0", "s1"];
                if self.has("gs") {
                    names.push("@gs");
                }
                let condition = self.condition(1);
                let [to, one, other] = [(); 3].map(|()| self.pick(&names).to_owned());
                Stmt::Copy(to, condition, one, other)
            }
            23 if self.below(3) == 0 => Stmt::Assume(self.condition(1)),
            23..=24 if self.probes < 8 * self.costs.len() + 8 => {
                self.probes += 1;
                Stmt::Probe((self.probes - 1) % 32)
            }
            25 => {
                let place = self.target();
                let value = self.effect(2);
                match place {
                    // Which element, and what is written: in no order.
                    Place::Var(_) => Stmt::Eval(Expr::Assign(place, Box::new(value))),
                    _ => Stmt::Eval(value),
                }
            }
            _ => self.mark(),
        }
    }

    fn branch(&mut self) -> Stmt {
        let condition = self.condition(2);
        let most = if self.bare { 2 } else { 3 };
        let yes = self.list(most);
        let no = if self.below(3) > 0 { self.list(most) } else { Vec::new() };
        Stmt::If(condition, yes, no)
    }

    /// Leaves a trace of the way that was taken.
    fn mark(&mut self) -> Stmt {
        let k = 1 + self.below(6) as i64;
        // In one variable the trace is never overwritten.
        if self.bare || self.below(2) == 0 {
            let g0 = Place::Var("@g0".to_owned());
            let trace = binary("+", binary("*", Expr::Read(g0.clone()), Expr::Const(3)), Expr::Const(k));
            return Stmt::Eval(Expr::Assign(g0, Box::new(trace)));
        }
        let place = self.target();
        let now = Expr::Read(place.clone());
        let value = match self.below(7) {
            0..=1 => binary("+", binary("*", now, Expr::Const(3)), Expr::Const(k)),
            2 => binary("^", now, Expr::Const(1 << k)),
            3 => Expr::Const(k),
            4 => binary("+", now, Expr::Const(k)),
            _ => self.value(2),
        };
        Stmt::Eval(Expr::Assign(place, Box::new(value)))
    }

    fn loops(&mut self) -> Stmt {
        let kind = self.pick(&[Kind::While, Kind::Do, Kind::For]);
        let counter = self.counters;
        self.counters += 1;
        let bound = 1 + narrow(self.below(3));
        let condition = self.condition(1);
        let outer = self.weight;
        self.weight *= u64::from(bound) + 1;
        let mut body = self.list(3);
        if self.below(2) == 0 {
            let jump = self.pick(&[Stmt::Break, Stmt::Continue]);
            let leave = Stmt::If(self.condition(1), vec![jump], Vec::new());
            insert_somewhere(&mut body, leave, self.random);
        }
        self.weight = outer;
        Stmt::Loop(kind, counter, bound, condition, body)
    }

    fn switch(&mut self) -> Stmt {
        let on = match self.below(3) {
            0 => binary("&", self.value(1), Expr::Const(3)),
            _ => self.value(1),
        };
        let mut body = Vec::new();
        let cases = 2 + self.below(3);
        for _ in 0..cases {
            let low = if self.below(2) == 0 { self.below(5) as i64 } else { self.pick(self.constants) };
            let high = if self.below(5) == 0 { low + self.below(20) as i64 } else { low };
            let label = if self.below(6) == 0 { Stmt::Case(None) } else { Stmt::Case(Some((low, high))) };
            match self.below(4) {
                // Inside what comes before, however deep.
                0 => insert_somewhere(&mut body, label, self.random),
                _ => body.push(label),
            }
            body.extend(self.list(2));
            if self.below(2) == 0 {
                body.push(Stmt::Break);
            }
        }
        Stmt::Switch(on, body)
    }

    fn has(&self, name: &str) -> bool {
        self.program.globals.iter().any(|global| global.name == name)
    }

    /// Something to assign to.
    fn target(&mut self) -> Place {
        let var = |name: &str| Place::Var(name.to_owned());
        match self.below(16) {
            0..=5 => var("@g1"),
            6 => var("@g2"),
            7 => var("l0"),
            8 => var("l1"),
            9 => var("l2"),
            10 => var("x0"),
            11 => Place::Pointed("p0".to_owned()),
            12 => {
                let name = if self.has("ga") { "@ga" } else { "la" };
                Place::Element(name.to_owned(), Box::new(self.value(1)))
            }
            13 => {
                let name = if self.has("gs") && self.below(2) == 0 { "@gs" } else { "s0" };
                Place::Field(name.to_owned(), FIELDS[self.random.index(4)].0)
            }
            14 if self.parameters => var("a"),
            _ => var("x1"),
        }
    }

    /// A number that an input had a hand in, if possible.
    fn leaf(&mut self) -> Expr {
        if self.bare && self.below(4) > 0 {
            return if self.parameters && self.below(2) == 0 {
                Expr::Read(Place::Var("a".to_owned()))
            } else {
                self.input()
            };
        }
        match self.below(13) {
            0..=4 => self.input(),
            12 => Expr::Read(Place::Var("@g0".to_owned())),
            5..=6 if self.parameters => Expr::Read(Place::Var(self.pick(&["a", "b"]).to_owned())),
            7 => {
                let k = self.below(3) as i64;
                let constant = self.pick(self.constants);
                Expr::Const(constant.wrapping_add(k - 1))
            }
            8 => Expr::Const(self.below(6) as i64),
            9 => {
                let name = if self.has("ga") && self.below(2) == 0 { "@ga" } else { "la" };
                let index = self.input();
                Expr::Read(Place::Element(name.to_owned(), Box::new(index)))
            }
            _ => Expr::Read(self.target()),
        }
    }

    fn input(&mut self) -> Expr {
        let number = self.index(self.program.inputs.len());
        match self.program.inputs[number].late {
            true => Expr::Late(number),
            false => Expr::Read(Place::Var(format!("@in{number}"))),
        }
    }

    /// An expression without effects.
    fn value(&mut self, depth: u32) -> Expr {
        if depth == 0 {
            return self.leaf();
        }
        match self.below(11) {
            0..=3 => self.leaf(),
            4 => Expr::Cast(any_type(self.random), Box::new(self.value(depth - 1))),
            5 => Expr::Unary(self.pick(&["-", "~", "!"]), Box::new(self.value(depth - 1))),
            6..=7 => {
                let op = self.pick(&["+", "-", "&", "|", "^", "+", "-"]);
                binary(op, self.value(depth - 1), self.leaf())
            }
            8 => {
                let op = self.pick(&["<<", ">>", "*", "/", "%", ">>"]);
                let k = 1 + self.below(6) as i64;
                binary(op, self.value(depth - 1), Expr::Const(k))
            }
            9 => Expr::Choose(
                Box::new(self.condition(1)),
                Box::new(self.value(depth - 1)),
                Box::new(self.value(depth - 1)),
            ),
            _ => self.condition(1),
        }
    }

    /// A condition; it may have effects where C says when.
    fn condition(&mut self, depth: u32) -> Expr {
        if !self.pool.is_empty() && self.below(4) == 0 {
            let old = self.pick(&self.pool.clone());
            return match self.below(3) {
                0 => old,
                1 => Expr::Unary("!", Box::new(old)),
                _ => self.neighbour(old),
            };
        }
        let found = match self.below(if depth > 0 { 16 } else { 10 }) {
            0..=2 => {
                let op = self.pick(&["==", "!=", "<", ">", "<=", ">="]);
                let k = self.pick(self.constants);
                binary(op, self.narrowed(), Expr::Const(k))
            }
            3..=4 => {
                let bit = 1 << self.below(6);
                binary("&", self.leaf(), Expr::Const(bit))
            }
            5 => {
                let low = self.pick(self.constants);
                let v = self.narrowed();
                let high = low.saturating_add(self.below(100) as i64);
                binary("&&", binary(">=", v.clone(), Expr::Const(low)), binary("<=", v, Expr::Const(high)))
            }
            6 => {
                let (j, k) = (self.pick(self.constants), self.pick(self.constants));
                let v = self.narrowed();
                binary("||", binary("==", v.clone(), Expr::Const(j)), binary("==", v, Expr::Const(k)))
            }
            7 => {
                let op = self.pick(&["==", "<", ">=", "!="]);
                binary(op, self.narrowed(), self.narrowed())
            }
            8 => self.narrowed(),
            9 => binary("==", binary("%", self.leaf(), Expr::Const(2)), Expr::Const(1)),
            10..=11 => {
                let op = self.pick(&["&&", "||"]);
                let (a, b) = (self.condition(depth - 1), self.condition(depth - 1));
                return binary(op, a, b);
            }
            12 => Expr::Unary("!", Box::new(self.condition(depth - 1))),
            13 => {
                let [c, a, b] = [(); 3].map(|()| Box::new(self.condition(depth - 1)));
                return Expr::Choose(c, a, b);
            }
            14 if depth > 1 => return self.effect(1),
            _ => binary("!=", self.value(1), Expr::Const(0)),
        };
        self.pool.push(found.clone());
        found
    }

    /// Something as another type sees it.
    fn narrowed(&mut self) -> Expr {
        let leaf = self.leaf();
        match self.below(2) {
            0 => leaf,
            _ => Expr::Cast(any_type(self.random), Box::new(leaf)),
        }
    }

    /// The same comparison with a constant beside, or another one with the same constant.
    fn neighbour(&mut self, old: Expr) -> Expr {
        match old {
            Expr::Binary(op @ ("==" | "!=" | "<" | ">" | "<=" | ">="), a, b) => match *b {
                Expr::Const(k) => {
                    let op = if self.below(2) == 0 { op } else { self.pick(&["==", "<", ">=", ">"]) };
                    let k = k.saturating_add(self.below(3) as i64 - 1);
                    let a = if self.below(3) == 0 { Box::new(Expr::Cast(any_type(self.random), a)) } else { a };
                    Expr::Binary(op, a, Box::new(Expr::Const(k)))
                }
                b => Expr::Binary(op, Box::new(b), a),
            },
            other => other,
        }
    }

    /// An expression with effects, for a place of its own.
    fn effect(&mut self, depth: u32) -> Expr {
        match self.below(8) {
            0 => {
                let set = Expr::Assign(Place::Var(self.pick(&["@g1", "l1", "l0"]).to_owned()), Box::new(self.value(1)));
                Expr::Comma(Box::new(set), Box::new(self.value(1)))
            }
            1 if depth > 0 => {
                let c = Box::new(self.condition(1));
                Expr::Choose(c, Box::new(self.effect(depth - 1)), Box::new(self.effect(depth - 1)))
            }
            2 if depth > 0 => {
                let op = self.pick(&["&&", "||"]);
                binary(op, self.condition(0), self.effect(depth - 1))
            }
            3..=4 if self.depth < 4 && self.budget > 0 => {
                let mut list = self.list(2);
                let condition = self.condition(1);
                let value = self.value(1);
                let jump = self.pick(&[Stmt::Break, Stmt::Continue, Stmt::Goto(0), Stmt::Goto(1), Stmt::Return(value)]);
                list.push(Stmt::If(condition, vec![jump], Vec::new()));
                Expr::Block(list, Box::new(self.value(1)))
            }
            5..=7 if !self.costs.is_empty() => self.call(),
            _ => self.value(1),
        }
    }

    fn call(&mut self) -> Expr {
        let number = self.index(self.costs.len());
        let cost = self.costs[number] * self.weight;
        if self.cost + cost > MOST_COST {
            return self.value(1);
        }
        self.cost += cost;
        let args = vec![self.value(1), self.value(1)];
        // Functions of one type only: those with even numbers give back int, if their parameters agree.
        let parameters = |n: usize| &self.program.functions[n].parameters;
        let alike = (0..self.costs.len()).step_by(2).find(|&n| {
            n != number
                && number.is_multiple_of(2)
                && parameters(n).iter().zip(parameters(number)).all(|(a, b)| a.ctype == b.ctype)
        });
        match alike {
            Some(other) if self.cost + self.costs[other] * self.weight <= MOST_COST => {
                self.cost += self.costs[other] * self.weight;
                Expr::CallOne(Box::new(self.condition(1)), [number, other], args)
            }
            _ => Expr::Call(number, args),
        }
    }
}

fn binary(op: &'static str, a: Expr, b: Expr) -> Expr {
    Expr::Binary(op, Box::new(a), Box::new(b))
}
