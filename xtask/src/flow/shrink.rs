//! Makes a failing program smaller: statements go, compound statements give way to what they contain, expressions to
//! their parts or to constants, as long as the failure stays.

use super::tree::{Expr, Place, Program, Stmt};

/// The smallest program found for which `fails` still holds; at most so many are tried.
pub fn shrink(program: &Program, tries: usize, mut fails: impl FnMut(&Program) -> bool) -> Program {
    let mut best = program.clone();
    let mut left = tries;
    loop {
        let mut smaller = false;
        let mut at = 0;
        while left > 0 {
            let mut candidate = best.clone();
            let mut edit = Edit { left: at, done: false };
            edit.program(&mut candidate);
            if !edit.done {
                break;
            }
            left -= 1;
            if candidate != best && fails(&candidate) {
                best = candidate;
                smaller = true;
            } else {
                at += 1;
            }
        }
        if !smaller || left == 0 {
            return best;
        }
    }
}

/// Makes one change: the one with the given number, in the order of a walk over the tree.
struct Edit {
    left: usize,
    done: bool,
}

impl Edit {
    /// Whether the change is to be made here.
    fn hit(&mut self) -> bool {
        if self.done {
            return false;
        }
        self.done = self.left == 0;
        self.left = self.left.saturating_sub(1);
        self.done
    }

    fn program(&mut self, program: &mut Program) {
        // The caller comes last: what it does not call any more is gone at once.
        for function in program.functions.iter_mut().rev() {
            self.list(&mut function.body);
            if function.fuel > 0 && self.hit() {
                function.fuel = 0;
            }
        }
    }

    fn list(&mut self, list: &mut Vec<Stmt>) {
        if list.len() > 2 {
            let half = list.len() / 2;
            if self.hit() {
                list.truncate(half);
                return;
            }
            if self.hit() {
                list.drain(..half);
                return;
            }
        }
        for at in 0..list.len() {
            if self.hit() {
                list.remove(at);
                return;
            }
            for part in parts(&list[at]) {
                if self.hit() {
                    list.splice(at..=at, part);
                    return;
                }
            }
        }
        for stmt in list {
            self.stmt(stmt);
        }
    }

    fn stmt(&mut self, stmt: &mut Stmt) {
        match stmt {
            Stmt::Eval(e) | Stmt::Return(e) | Stmt::Assume(e) => self.expr(e),
            Stmt::Copy(_, e, ..) | Stmt::Point(_, e, ..) => self.expr(e),
            Stmt::If(e, yes, no) => {
                self.expr(e);
                self.list(yes);
                self.list(no);
            }
            Stmt::Loop(_, _, bound, e, body) => {
                if *bound > 1 && self.hit() {
                    *bound -= 1;
                }
                self.expr(e);
                self.list(body);
            }
            Stmt::Switch(e, body) => {
                self.expr(e);
                self.list(body);
            }
            Stmt::Group(_, body) => self.list(body),
            _ => {}
        }
    }

    fn expr(&mut self, expr: &mut Expr) {
        if matches!(expr, Expr::Const(_)) {
            return;
        }
        for part in [Expr::Const(0), Expr::Const(1)].into_iter().chain(operands(expr)) {
            if self.hit() {
                *expr = part;
                return;
            }
        }
        match expr {
            Expr::Const(_) | Expr::Late(_) => {}
            Expr::Read(place) => self.place(place),
            Expr::Unary(_, a) | Expr::Cast(_, a) => self.expr(a),
            Expr::Assign(place, a) => {
                self.place(place);
                self.expr(a);
            }
            Expr::Binary(_, a, b) | Expr::Comma(a, b) => {
                self.expr(a);
                self.expr(b);
            }
            Expr::Choose(a, b, c) => [a, b, c].into_iter().for_each(|e| self.expr(e)),
            Expr::Block(list, e) => {
                self.list(list);
                self.expr(e);
            }
            Expr::Call(_, args) => args.iter_mut().for_each(|e| self.expr(e)),
            Expr::CallOne(c, _, args) => {
                self.expr(c);
                args.iter_mut().for_each(|e| self.expr(e));
            }
        }
    }

    fn place(&mut self, place: &mut Place) {
        if let Place::Element(_, index) = place {
            self.expr(index);
        }
    }
}

/// What a compound statement can be replaced by.
fn parts(stmt: &Stmt) -> Vec<Vec<Stmt>> {
    match stmt {
        Stmt::If(_, yes, no) => vec![yes.clone(), no.clone()],
        Stmt::Loop(.., body) | Stmt::Switch(_, body) | Stmt::Group(_, body) => vec![body.clone()],
        Stmt::Eval(Expr::Block(list, _)) => vec![list.clone()],
        _ => Vec::new(),
    }
}

fn operands(expr: &Expr) -> Vec<Expr> {
    match expr {
        Expr::Const(_) | Expr::Late(_) | Expr::Read(_) => Vec::new(),
        Expr::Unary(_, a) | Expr::Cast(_, a) | Expr::Assign(_, a) | Expr::Block(_, a) => vec![(**a).clone()],
        Expr::Binary(_, a, b) | Expr::Comma(a, b) => vec![(**a).clone(), (**b).clone()],
        Expr::Choose(a, b, c) => vec![(**a).clone(), (**b).clone(), (**c).clone()],
        Expr::Call(_, args) => args.clone(),
        Expr::CallOne(_, functions, args) => vec![Expr::Call(functions[0], args.clone())],
    }
}
