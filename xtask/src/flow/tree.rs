//! Programs of the generator as trees, made so that every tree is a valid C program: the printer leaves out a jump whose
//! target is gone, a `break` outside of loops, a function that nobody calls. So the shrinker may remove what it likes.

/// A number that may be assigned to, or is only read.
#[derive(Clone, PartialEq, Debug)]
pub enum Place {
    Var(String),
    /// An element of an array of four, at an index that is cut to two bits.
    Element(String, Box<Expr>),
    /// What a pointer to int points to.
    Pointed(String),
    Field(String, &'static str),
}

#[derive(Clone, PartialEq, Debug)]
pub enum Expr {
    Const(i64),
    Read(Place),
    Unary(&'static str, Box<Expr>),
    Binary(&'static str, Box<Expr>, Box<Expr>),
    Cast(&'static str, Box<Expr>),
    Choose(Box<Expr>, Box<Expr>, Box<Expr>),
    Comma(Box<Expr>, Box<Expr>),
    Assign(Place, Box<Expr>),
    /// A statement expression.
    Block(Vec<Stmt>, Box<Expr>),
    /// A call of a function by its number.
    Call(usize, Vec<Expr>),
    /// A call of one of two functions, by pointer.
    CallOne(Box<Expr>, [usize; 2], Vec<Expr>),
    /// The input with this number, which is read here if it was not before.
    Late(usize),
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Kind {
    While,
    Do,
    For,
}

/// A stretch of a thread that is more than its statements.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Region {
    Plain,
    /// Under the mutex.
    Locked,
    /// An atomic section.
    Atomic,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Stmt {
    Eval(Expr),
    If(Expr, Vec<Stmt>, Vec<Stmt>),
    /// Kind, number of its counter, most rounds, condition, body.
    Loop(Kind, usize, u32, Expr, Vec<Stmt>),
    Switch(Expr, Vec<Stmt>),
    /// A range of values; nothing is the default.
    Case(Option<(i64, i64)>),
    Label(usize),
    Goto(usize),
    Break,
    Continue,
    Return(Expr),
    Group(Region, Vec<Stmt>),
    /// The first struct becomes the second, or the third.
    Copy(String, Expr, String, String),
    /// A pointer is set to one of two variables.
    Point(String, Expr, String, String),
    Assume(Expr),
    /// A point that questions can be asked about.
    Probe(usize),
    /// A fixed text.
    Text(&'static str),
}

/// A variable with its type and first value; arrays have four elements of it.
#[derive(Clone, PartialEq, Debug)]
pub struct Variable {
    pub name: String,
    pub ctype: &'static str,
    pub array: bool,
    pub first: i64,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Function {
    pub result: &'static str,
    pub parameters: Vec<Variable>,
    pub locals: Vec<Variable>,
    pub body: Vec<Stmt>,
    /// How often jumps backwards are followed.
    pub fuel: u32,
}

/// An input: its type, and all values it can have if they are few.
#[derive(Clone, PartialEq, Debug)]
pub struct Input {
    pub ctype: &'static str,
    pub range: Option<(i64, i64)>,
    /// Put together from single bits, so that engines which try all values can.
    pub bits: bool,
    /// Read where it is used first, not at the start.
    pub late: bool,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Program {
    pub inputs: Vec<Input>,
    pub globals: Vec<Variable>,
    /// Each calls only those before it; the last is the one that is called.
    pub functions: Vec<Function>,
}

/// The fields of the one struct type, with their types.
pub const FIELDS: [(&str, &str); 4] = [("a", "signed char"), ("b", "unsigned short"), ("c", "int"), ("d", "long")];

/// All types of numbers, with their bits and whether they have a sign.
pub const TYPES: [(&str, u32, bool); 10] = [
    ("_Bool", 1, false),
    ("char", 8, true),
    ("unsigned char", 8, false),
    ("short", 16, true),
    ("unsigned short", 16, false),
    ("int", 32, true),
    ("unsigned", 32, false),
    ("long", 64, true),
    ("unsigned long", 64, false),
    ("long long", 64, true),
];

pub fn shape_of(ctype: &str) -> (u32, bool) {
    let found = TYPES.iter().find(|(name, ..)| *name == ctype);
    found.map(|&(_, bits, signed)| (bits, signed)).expect("the type should be listed")
}

/// A value as a variable of the type would keep it.
pub fn kept(ctype: &str, value: i64) -> i64 {
    match shape_of(ctype) {
        (1, _) => i64::from(value != 0),
        (64, _) => value,
        (bits, signed) => {
            let up = value << (64 - bits);
            if signed { up >> (64 - bits) } else { ((up as u64) >> (64 - bits)) as i64 }
        }
    }
}

impl Program {
    /// All combinations of the inputs' values, if these are few.
    pub fn all_inputs(&self) -> Option<Vec<Vec<i64>>> {
        let mut all = vec![Vec::new()];
        for input in &self.inputs {
            let (low, high) = match (input.range, shape_of(input.ctype)) {
                (Some(range), _) => range,
                (None, (1, _)) => (0, 1),
                (None, (8, true)) => (-128, 127),
                (None, (8, false)) => (0, 255),
                _ => return None,
            };
            all = all.iter().flat_map(|v| (low..=high).map(|n| [&v[..], &[n]].concat())).collect();
        }
        (all.len() <= 1024).then_some(all)
    }

    /// The constants of the program, for inputs that matter.
    pub fn constants(&self) -> Vec<i64> {
        let mut found = Vec::new();
        for function in &self.functions {
            each_expr(&function.body, &mut |expr| {
                if let Expr::Const(value) = expr {
                    found.push(*value);
                }
            });
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

fn each_expr(list: &[Stmt], visit: &mut impl FnMut(&Expr)) {
    for stmt in list {
        match stmt {
            Stmt::Eval(e) | Stmt::Return(e) | Stmt::Assume(e) => expr_within(e, visit),
            Stmt::Copy(_, e, ..) | Stmt::Point(_, e, ..) => expr_within(e, visit),
            Stmt::If(e, yes, no) => {
                expr_within(e, visit);
                each_expr(yes, visit);
                each_expr(no, visit);
            }
            Stmt::Loop(_, _, _, e, body) | Stmt::Switch(e, body) => {
                expr_within(e, visit);
                each_expr(body, visit);
            }
            Stmt::Group(_, body) => each_expr(body, visit),
            Stmt::Case(Some((low, high))) => {
                visit(&Expr::Const(*low));
                visit(&Expr::Const(*high));
            }
            _ => {}
        }
    }
}

fn expr_within(expr: &Expr, visit: &mut impl FnMut(&Expr)) {
    visit(expr);
    match expr {
        Expr::Const(_) | Expr::Late(_) => {}
        Expr::Read(place) => index_within(place, visit),
        Expr::Unary(_, a) | Expr::Cast(_, a) => expr_within(a, visit),
        Expr::Assign(place, a) => {
            index_within(place, visit);
            expr_within(a, visit);
        }
        Expr::Binary(_, a, b) | Expr::Comma(a, b) => {
            expr_within(a, visit);
            expr_within(b, visit);
        }
        Expr::Choose(a, b, c) => [a, b, c].into_iter().for_each(|e| expr_within(e, visit)),
        Expr::Block(list, e) => {
            each_expr(list, visit);
            expr_within(e, visit);
        }
        Expr::Call(_, args) => args.iter().for_each(|e| expr_within(e, visit)),
        Expr::CallOne(c, _, args) => {
            expr_within(c, visit);
            args.iter().for_each(|e| expr_within(e, visit));
        }
    }
}

fn index_within(place: &Place, visit: &mut impl FnMut(&Expr)) {
    if let Place::Element(_, index) = place {
        expr_within(index, visit);
    }
}
