//! The tree as a compact text, for tests.

use crate::ast::*;
use crate::intern::{Interner, Symbol};

pub(super) fn dump(symbols: &Interner, unit: &TranslationUnit) -> String {
    let dump = Dump { symbols };
    unit.items.iter().map(|item| dump.item(item)).collect::<Vec<_>>().join("\n")
}

struct Dump<'a> {
    symbols: &'a Interner,
}

/// Words joined by single spaces, without the empty ones.
fn join(parts: impl IntoIterator<Item = String>) -> String {
    parts.into_iter().filter(|p| !p.is_empty()).collect::<Vec<_>>().join(" ")
}

impl Dump<'_> {
    fn name(&self, symbol: Symbol) -> String {
        self.symbols.name(symbol).to_owned()
    }

    fn item(&self, item: &Item) -> String {
        match item {
            Item::Function(f) => self.function(f),
            Item::Declaration(d) => self.declaration(d),
            Item::StaticAssert(s) => self.static_assert(s),
            Item::Asm(_) => "(asm)".into(),
        }
    }

    fn function(&self, f: &FunctionDefinition) -> String {
        let params = f.old_style_params.iter().map(|d| self.declaration(d));
        let head = [self.specifiers(&f.specifiers), self.declarator(&f.declarator)];
        format!("(fn {})", join(head.into_iter().chain(params).chain([self.block(&f.body)])))
    }

    fn static_assert(&self, s: &StaticAssert) -> String {
        let message = s.message.as_ref().map_or(String::new(), string);
        format!("(static_assert {})", join([self.expr(&s.condition), message]))
    }

    fn declaration(&self, d: &Declaration) -> String {
        let declarators = d.declarators.iter().map(|d| {
            let label = d.asm_label.map_or(String::new(), |l| format!("asm:{}", self.name(l)));
            let init = d.initializer.as_ref().map_or(String::new(), |i| format!("= {}", self.initializer(i)));
            join([self.declarator(&d.declarator), label, init])
        });
        format!(
            "(decl {}{})",
            self.specifiers(&d.specifiers),
            declarators.map(|d| format!("; {d}")).collect::<String>()
        )
    }

    fn specifiers(&self, s: &Specifiers) -> String {
        let flag = |set: bool, word: &str| if set { word.to_owned() } else { String::new() };
        let storage = s.storage.map_or(String::new(), |s| format!("{s:?}").to_lowercase());
        let alignments = s.alignments.iter().map(|a| match a {
            Alignment::Type(t) => format!("align({})", self.type_name(t)),
            Alignment::Expr(e) => format!("align({})", self.expr(e)),
        });
        join(
            [storage, flag(s.thread_local, "thread"), flag(s.inline, "inline"), flag(s.noreturn, "noreturn")]
                .into_iter()
                .chain(alignments)
                .chain([self.attributes(&s.attributes), qualifiers(s.qualifiers), self.ty(&s.ty)]),
        )
    }

    fn attributes(&self, attributes: &[Attribute]) -> String {
        join(attributes.iter().map(|a| {
            let ident = a.ident.map_or(String::new(), |i| format!(":{}", self.name(i)));
            let args = join(a.args.iter().map(|e| self.expr(e)));
            match args.is_empty() {
                true => format!("@{}{ident}", self.name(a.name)),
                false => format!("@{}{ident}({args})", self.name(a.name)),
            }
        }))
    }

    fn ty(&self, ty: &TypeSpecifier) -> String {
        match ty {
            TypeSpecifier::Basic(b) => format!("{b:?}").to_lowercase(),
            TypeSpecifier::Complex(b) => format!("complex {b:?}").to_lowercase(),
            TypeSpecifier::Record(r) => self.record(r),
            TypeSpecifier::Enum(e) => {
                let tag = e.tag.map_or(String::new(), |t| self.name(t));
                let body = e.enumerators.as_ref().map_or(String::new(), |es| {
                    let es = es.iter().map(|e| match &e.value {
                        Some(v) => format!("{}={}", self.name(e.name), self.expr(v)),
                        None => self.name(e.name),
                    });
                    format!("{{{}}}", join(es))
                });
                join(["enum".into(), tag, body, self.attributes(&e.attributes)])
            }
            TypeSpecifier::Typedef(name) => format!("'{}", self.name(*name)),
            TypeSpecifier::TypeofExpr(e) => format!("typeof({})", self.expr(e)),
            TypeSpecifier::TypeofType(t) => format!("typeof({})", self.type_name(t)),
            TypeSpecifier::Atomic(t) => format!("atomic({})", self.type_name(t)),
            TypeSpecifier::Auto => "__auto_type".into(),
            TypeSpecifier::ImplicitInt => "implicit".into(),
        }
    }

    fn record(&self, r: &RecordSpecifier) -> String {
        let tag = r.tag.map_or(String::new(), |t| self.name(t));
        let body = r.members.as_ref().map_or(String::new(), |members| {
            let members = members.iter().map(|m| match m {
                Member::StaticAssert(s) => self.static_assert(s),
                Member::Field { specifiers, declarators, .. } => {
                    let declarators = declarators.iter().map(|d| {
                        let bits = d.bits.as_ref().map_or(String::new(), |b| format!("bits {}", self.expr(b)));
                        format!("; {}", join([self.declarator(&d.declarator), bits]))
                    });
                    format!("({}{})", self.specifiers(specifiers), declarators.collect::<String>())
                }
            });
            format!("{{{}}}", join(members))
        });
        let pack = r.pack.map_or(String::new(), |n| format!("pack={n}"));
        let keyword = if r.is_union { "union" } else { "struct" };
        join([keyword.into(), tag, body, self.attributes(&r.attributes), pack])
    }

    fn declarator(&self, d: &Declarator) -> String {
        let name = d.name.map_or("_".into(), |n| self.name(n));
        let derivations = d.derivations.iter().map(|d| self.derivation(d));
        join([name].into_iter().chain(derivations).chain([self.attributes(&d.attributes)]))
    }

    fn derivation(&self, derivation: &Derivation) -> String {
        match derivation {
            Derivation::Pointer(q) => join(["ptr".into(), qualifiers(*q)]),
            Derivation::Array { qualifiers: q, is_static, size, .. } => {
                let size = match size {
                    ArraySize::Unknown => String::new(),
                    ArraySize::Star => "*".into(),
                    ArraySize::Expr(e) => self.expr(e),
                };
                let is_static = if *is_static { "static".to_owned() } else { String::new() };
                format!("[{}]", join([is_static, qualifiers(*q), size]))
            }
            Derivation::Function(Parameters::Unknown) => "fn()".into(),
            Derivation::Function(Parameters::Names(names)) => {
                format!("fn(names {})", join(names.iter().map(|(n, _)| self.name(*n))))
            }
            Derivation::Function(Parameters::Prototype { params, variadic }) => {
                let mut params: Vec<String> = params
                    .iter()
                    .map(|p| join([self.specifiers(&p.specifiers), self.declarator(&p.declarator)]))
                    .collect();
                if *variadic {
                    params.push("...".into());
                }
                if params.is_empty() { "fn(void)".into() } else { format!("fn({})", params.join(", ")) }
            }
        }
    }

    fn type_name(&self, t: &TypeName) -> String {
        let derivations = t.declarator.derivations.iter().map(|d| self.derivation(d));
        join([self.specifiers(&t.specifiers)].into_iter().chain(derivations))
    }

    fn initializer(&self, i: &Initializer) -> String {
        match i {
            Initializer::Expr(e) => self.expr(e),
            Initializer::List(l) => self.list(l),
        }
    }

    fn list(&self, list: &InitializerList) -> String {
        let items = list.items.iter().map(|item| {
            let equals = if item.designators.is_empty() { "" } else { "=" };
            format!("{}{equals}{}", self.designators(&item.designators), self.initializer(&item.initializer))
        });
        format!("{{{}}}", join(items))
    }

    fn designators(&self, designators: &[Designator]) -> String {
        let one = |d: &Designator| match d {
            Designator::Field(name, _) => format!(".{}", self.name(*name)),
            Designator::Index(e) => format!("[{}]", self.expr(e)),
            Designator::Range(a, b) => format!("[{}...{}]", self.expr(a), self.expr(b)),
        };
        designators.iter().map(one).collect()
    }

    fn block(&self, block: &Block) -> String {
        let labels = join(block.local_labels.iter().map(|(n, _)| self.name(*n)));
        let labels = if labels.is_empty() { labels } else { format!("(labels {labels})") };
        let items = block.items.iter().map(|item| match item {
            BlockItem::Declaration(d) => self.declaration(d),
            BlockItem::StaticAssert(s) => self.static_assert(s),
            BlockItem::Statement(s) => self.stmt(s),
            BlockItem::Function(f) => self.function(f),
        });
        format!("{{{}}}", join([labels].into_iter().chain(items)))
    }

    fn stmt(&self, stmt: &Stmt) -> String {
        let optional = |e: &Option<Expr>| e.as_ref().map_or("-".to_owned(), |e| self.expr(e));
        match &stmt.kind {
            StmtKind::Null => "(null)".into(),
            StmtKind::Expr(e) => self.expr(e),
            StmtKind::Block(b) => self.block(b),
            StmtKind::If { condition, then, otherwise } => {
                let otherwise = otherwise.as_ref().map_or(String::new(), |s| self.stmt(s));
                format!("(if {})", join([self.expr(condition), self.stmt(then), otherwise]))
            }
            StmtKind::Switch { value, body } => format!("(switch {} {})", self.expr(value), self.stmt(body)),
            StmtKind::While { condition, body } => format!("(while {} {})", self.expr(condition), self.stmt(body)),
            StmtKind::DoWhile { body, condition } => format!("(do {} {})", self.stmt(body), self.expr(condition)),
            StmtKind::For(parts) => {
                let For { init, condition, step, body } = &**parts;
                let init = match init {
                    ForInit::None => "-".into(),
                    ForInit::Expr(e) => self.expr(e),
                    ForInit::Declaration(d) => self.declaration(d),
                };
                format!("(for {init} {} {} {})", optional(condition), optional(step), self.stmt(body))
            }
            StmtKind::Goto(label) => format!("(goto {})", self.name(*label)),
            StmtKind::GotoComputed(e) => format!("(goto* {})", self.expr(e)),
            StmtKind::Continue => "(continue)".into(),
            StmtKind::Break => "(break)".into(),
            StmtKind::Return(e) => format!("(return {})", optional(e)),
            StmtKind::Labeled { labels, body } => {
                let labels = labels.iter().map(|l| match &l.kind {
                    LabelKind::Name(n) => format!("{}:", self.name(*n)),
                    LabelKind::Case(e) => format!("case {}:", self.expr(e)),
                    LabelKind::CaseRange(a, b) => format!("case {}...{}:", self.expr(a), self.expr(b)),
                    LabelKind::Default => "default:".into(),
                });
                format!("({} {})", join(labels), self.stmt(body))
            }
            StmtKind::Asm(asm) => self.asm(asm),
        }
    }

    fn asm(&self, asm: &AsmStatement) -> String {
        let operand = |o: &AsmOperand| {
            let name = o.name.map_or(String::new(), |n| format!("[{}]", self.name(n)));
            format!("{name}{}({})", string(&o.constraint), self.expr(&o.expr))
        };
        let outputs = join(asm.outputs.iter().map(operand));
        let inputs = join(asm.inputs.iter().map(operand));
        let clobbers = join(asm.clobbers.iter().map(string));
        let keyword = if asm.is_goto { "asm goto" } else { "asm" };
        format!("({keyword} {} : {outputs} : {inputs} : {clobbers})", string(&asm.template))
    }

    fn expr(&self, e: &Expr) -> String {
        match &e.kind {
            ExprKind::Ident(s) | ExprKind::Number(s) | ExprKind::Char(s) => self.name(*s),
            ExprKind::Str(s) => string(s),
            ExprKind::Unary(op, e) => format!("({op:?} {})", self.expr(e)),
            ExprKind::Binary(op, a, b) => format!("({op:?} {} {})", self.expr(a), self.expr(b)),
            ExprKind::Assign(None, a, b) => format!("(= {} {})", self.expr(a), self.expr(b)),
            ExprKind::Assign(Some(op), a, b) => format!("({op:?}= {} {})", self.expr(a), self.expr(b)),
            ExprKind::Conditional { condition, then, otherwise } => {
                let then = then.as_ref().map_or("-".into(), |e| self.expr(e));
                format!("(? {} {then} {})", self.expr(condition), self.expr(otherwise))
            }
            ExprKind::Comma(a, b) => format!("(, {} {})", self.expr(a), self.expr(b)),
            ExprKind::Cast(t, e) => format!("(cast <{}> {})", self.type_name(t), self.expr(e)),
            ExprKind::CompoundLiteral(t, l) => format!("(literal <{}> {})", self.type_name(t), self.list(l)),
            ExprKind::Call(f, args) => {
                let args = args.iter().map(|e| self.expr(e));
                format!("(call {})", join([self.expr(f)].into_iter().chain(args)))
            }
            ExprKind::Index(a, i) => format!("(index {} {})", self.expr(a), self.expr(i)),
            ExprKind::Member(e, n) => format!("(. {} {})", self.expr(e), self.name(*n)),
            ExprKind::Arrow(e, n) => format!("(-> {} {})", self.expr(e), self.name(*n)),
            ExprKind::SizeofExpr(e) => format!("(sizeof {})", self.expr(e)),
            ExprKind::SizeofType(t) => format!("(sizeof <{}>)", self.type_name(t)),
            ExprKind::AlignofExpr(e) => format!("(alignof {})", self.expr(e)),
            ExprKind::AlignofType(t) => format!("(alignof <{}>)", self.type_name(t)),
            ExprKind::Generic { control, cases } => {
                let cases = cases.iter().map(|c| {
                    let ty = c.ty.as_ref().map_or("default".into(), |t| self.type_name(t));
                    format!("<{ty}>:{}", self.expr(&c.value))
                });
                format!("(generic {})", join([self.expr(control)].into_iter().chain(cases)))
            }
            ExprKind::StatementExpr(b) => format!("(stmt {})", self.block(b)),
            ExprKind::VaArg(e, t) => format!("(va_arg {} <{}>)", self.expr(e), self.type_name(t)),
            ExprKind::Offsetof(t, d) => format!("(offsetof <{}> {})", self.type_name(t), self.designators(d)),
            ExprKind::TypesCompatible(a, b) => {
                format!("(compatible <{}> <{}>)", self.type_name(a), self.type_name(b))
            }
            ExprKind::ChooseExpr(a, b, c) => {
                format!("(choose {} {} {})", self.expr(a), self.expr(b), self.expr(c))
            }
            ExprKind::LabelAddress(l) => format!("(&& {})", self.name(*l)),
        }
    }
}

fn qualifiers(q: Qualifiers) -> String {
    let words =
        [(q.is_const, "const"), (q.is_volatile, "volatile"), (q.is_restrict, "restrict"), (q.is_atomic, "atomic")];
    join(words.into_iter().filter(|(set, _)| *set).map(|(_, word)| word.to_owned()))
}

fn string(s: &StringLiteral) -> String {
    let prefix = match s.kind {
        StringKind::Plain => "",
        StringKind::Wide => "L",
        StringKind::Char16 => "u",
        StringKind::Char32 => "U",
    };
    let text: String = s.units.iter().map(|&u| char::from_u32(u).unwrap_or('?')).collect();
    format!("{prefix}{text:?}")
}
