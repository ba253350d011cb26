//! Macro expansion: the stack of contexts, calls and their arguments, substitution.

use super::macros::{Builtin, Item, Macro, MacroKind, Role};
use super::{Preprocessor, begins_directive};
use crate::lex::{Flags, Lexer, PpKind, PpToken};
use crate::token::Punct;
use norn_ir::diag::Diagnostic;
use std::ops::Range;
use std::rc::Rc;

/// More tokens than this are not made by macros.
const MAX_MACRO_TOKENS: u64 = 20_000_000;
/// Arguments of macro calls within arguments of macro calls, so deep.
const MAX_ARGUMENT_DEPTH: u32 = 300;
/// So many bytes of a spelling count as one token towards the limit.
const BYTES_PER_TOKEN: usize = 4;

/// Tokens that are read before the file goes on: the expansion of a macro, or tokens to be expanded on their own.
pub struct Context {
    /// In `Expansion::pool`; `tokens.start` moves on as they are read.
    tokens: Range<usize>,
    pool_start: usize,
    /// Disabled until the context is left.
    expanded: Option<Rc<Macro>>,
}

/// The state of expansion.
#[derive(Default)]
pub struct Expansion {
    contexts: Vec<Context>,
    /// The tokens of all contexts, the innermost at the end.
    pool: Vec<PpToken>,
    /// If not 0: reading ends when the context below this height is exhausted.
    floor: usize,
    argument_depth: u32,
    macro_tokens: u64,
    /// Calls whose arguments are being read from the file.
    collecting: u32,
}

impl Expansion {
    /// Whether there are tokens to be read before the file goes on.
    pub fn is_active(&self) -> bool {
        !self.contexts.is_empty()
    }

    fn push(&mut self, tokens: impl IntoIterator<Item = PpToken>, expanded: Option<Rc<Macro>>) {
        let pool_start = self.pool.len();
        self.pool.extend(tokens);
        if let Some(expanded) = &expanded {
            expanded.disabled.set(true);
        }
        self.contexts.push(Context { tokens: pool_start..self.pool.len(), pool_start, expanded });
    }

    fn pop(&mut self) {
        let Some(context) = self.contexts.pop() else { return };
        self.pool.truncate(context.pool_start);
        if let Some(expanded) = context.expanded {
            expanded.disabled.set(false);
        }
    }

    /// The next token of a context, left where it is. Contexts that are exhausted are left.
    /// `None`: the file is next.
    fn peek(&mut self) -> Option<PpToken> {
        while let Some(context) = self.contexts.last() {
            if !context.tokens.is_empty() {
                return Some(self.pool[context.tokens.start]);
            }
            if self.contexts.len() == self.floor {
                return Some(PpToken::EOF);
            }
            self.pop();
        }
        None
    }

    fn advance(&mut self) {
        if let Some(context) = self.contexts.last_mut()
            && !context.tokens.is_empty()
        {
            context.tokens.start += 1;
        }
    }
}

/// The arguments of a macro call.
struct Arguments {
    tokens: Vec<PpToken>,
    ranges: Vec<Range<usize>>,
    /// Fully expanded, where that was needed.
    expanded: Vec<Option<Vec<PpToken>>>,
    /// Whether variable arguments are there, perhaps empty: `f(a,)` has them and `f(a)` has not.
    variable_given: bool,
}

impl Preprocessor<'_> {
    /// Whether a macro's call is being read, so that a directive here stands among its arguments.
    pub(super) fn among_arguments(&self) -> bool {
        self.expansion.collecting > 0
    }

    /// The next token, not expanded. Directives are carried out on the way.
    pub(super) fn next_token(&mut self) -> PpToken {
        loop {
            if self.stopped {
                return PpToken::EOF;
            }
            if let Some(token) = self.expansion.peek() {
                self.expansion.advance();
                return token;
            }
            let token = self.lex();
            if !begins_directive(token) {
                return token;
            }
            self.directive(token);
        }
    }

    /// The next token after macro expansion.
    pub(super) fn next_expanded(&mut self) -> PpToken {
        // White space before an expansion that turned out empty.
        let mut space = false;
        loop {
            let mut token = self.next_token();
            if space {
                token.flags = token.flags.with(Flags::SPACE);
            }
            let PpKind::Ident(name) = token.kind else { return token };
            if self.in_condition && name == self.names.defined {
                return self.defined_operator(token);
            }
            let Some(definition) = self.macros.get(name) else { return token };
            if token.flags.has(Flags::NO_EXPAND) {
                return token;
            }
            if definition.disabled.get() {
                token.flags = token.flags.with(Flags::NO_EXPAND);
                return token;
            }
            let definition = definition.clone();
            if !self.enter(&definition, token) {
                return token;
            }
            space = token.space_before() && self.expansion.contexts.last().is_none_or(|c| c.tokens.is_empty());
        }
    }

    /// Expands tokens on their own, as arguments and the lines of some directives are.
    pub(super) fn expand(&mut self, tokens: &[PpToken]) -> Vec<PpToken> {
        let floor = self.expansion.floor;
        self.expansion.push(tokens.iter().copied(), None);
        self.expansion.floor = self.expansion.contexts.len();
        let mut result = Vec::with_capacity(tokens.len());
        loop {
            let token = self.next_expanded();
            if token.kind == PpKind::Eof {
                break;
            }
            result.push(token);
        }
        while self.expansion.contexts.len() >= self.expansion.floor {
            self.expansion.pop();
        }
        self.expansion.floor = floor;
        result
    }

    /// Begins the expansion of a macro at `token`. False: it is not expanded here, the token stands for itself.
    fn enter(&mut self, definition: &Rc<Macro>, token: PpToken) -> bool {
        let mut result = Vec::new();
        match &definition.kind {
            MacroKind::Builtin(builtin) => {
                if builtin.only_in_conditions() && !self.in_condition {
                    return false;
                }
                let value = self.builtin(*builtin, token);
                self.expansion.push([value], None);
                return self.charge(1, token);
            }
            MacroKind::Object if definition.plain => {
                if !self.charge(definition.body.len() + 1, token) {
                    return true;
                }
                let body = definition.body.iter().enumerate();
                let tokens = body.map(|(i, item)| placed(item.token, token, i == 0));
                self.expansion.push(tokens, Some(definition.clone()));
                return true;
            }
            MacroKind::Object => {
                let mut none = Arguments { tokens: vec![], ranges: vec![], expanded: vec![], variable_given: false };
                self.substitute(definition, &definition.body, &mut none, token, &mut result);
            }
            MacroKind::Function { params, variadic } => {
                if !self.paren_follows() {
                    return false;
                }
                let Some(mut arguments) = self.arguments(definition, params.len(), *variadic, token) else {
                    return false;
                };
                self.substitute(definition, &definition.body, &mut arguments, token, &mut result);
            }
        }
        if let Some(first) = result.first_mut() {
            first.flags = first.flags.without(Flags::SPACE);
            if token.space_before() {
                first.flags = first.flags.with(Flags::SPACE);
            }
        }
        if self.charge(result.len() + 1, token) {
            self.expansion.push(result, Some(definition.clone()));
        }
        true
    }

    /// Counts tokens that macros make. False when that has gone too far.
    pub(super) fn charge(&mut self, tokens: usize, token: PpToken) -> bool {
        self.expansion.macro_tokens += tokens as u64;
        if self.expansion.macro_tokens > MAX_MACRO_TOKENS {
            let message = format!("macro expansion makes more than {MAX_MACRO_TOKENS} tokens");
            self.stop(Diagnostic::error(token.loc, message).covering(u32::from(token.len)));
        }
        !self.stopped
    }

    /// Counts a spelling that an operator makes.
    pub(super) fn charge_bytes(&mut self, bytes: usize, token: PpToken) -> bool {
        self.charge(bytes / BYTES_PER_TOKEN, token)
    }

    /// Whether `(` is next, be it behind the end of an expansion or on a later line. It is not consumed.
    fn paren_follows(&mut self) -> bool {
        loop {
            if self.stopped {
                return false;
            }
            if let Some(token) = self.expansion.peek() {
                return token.is(Punct::LParen);
            }
            let Some(file) = self.files.last_mut() else { return false };
            let mut lexer = Lexer::new(&file.text, file.pos, file.base);
            let token = lexer.next(self.session);
            if token.kind == PpKind::Eof {
                // The lexer may have passed an unterminated comment, which must not be reported again.
                file.pos = lexer.pos();
            }
            if !begins_directive(token) {
                return token.is(Punct::LParen);
            }
            file.pos = lexer.pos();
            self.expansion.collecting += 1;
            self.directive(token);
            self.expansion.collecting -= 1;
        }
    }

    /// Reads the arguments of a call from `(` to `)`. `None` after an error.
    fn arguments(&mut self, definition: &Macro, params: usize, variadic: bool, call: PpToken) -> Option<Arguments> {
        let mut tokens: Vec<PpToken> = Vec::new();
        let mut ranges: Vec<Range<usize>> = Vec::new();
        let mut start = 0;
        let mut depth = 0usize;
        self.expansion.collecting += 1;
        let closed = loop {
            let mut token = self.next_token();
            match token.kind {
                PpKind::Eof => break false,
                PpKind::Punct(Punct::LParen) => {
                    depth += 1;
                    if depth == 1 {
                        continue;
                    }
                }
                PpKind::Punct(Punct::RParen) => {
                    depth -= 1;
                    if depth == 0 {
                        break true;
                    }
                }
                PpKind::Punct(Punct::Comma) if depth == 1 && !(variadic && ranges.len() + 1 >= params) => {
                    ranges.push(start..tokens.len());
                    start = tokens.len();
                    continue;
                }
                PpKind::Ident(name) if self.macros.get(name).is_some_and(|m| m.disabled.get()) => {
                    token.flags = token.flags.with(Flags::NO_EXPAND);
                }
                _ => {}
            }
            if tokens.len() == start {
                // White space around an argument is not part of it.
                token.flags = token.flags.without(Flags::SPACE);
            }
            tokens.push(token);
        };
        self.expansion.collecting -= 1;
        let name = self.session.symbols.name(definition.name);
        if !closed {
            if !self.stopped {
                let message = format!("the call of macro '{name}' is not closed");
                let diagnostic = Diagnostic::error(call.loc, message).covering(u32::from(call.len));
                self.session.report(diagnostic.saying("it begins here").also(definition.loc, "the macro"));
            }
            return None;
        }
        ranges.push(start..tokens.len());
        let empty_call = ranges.len() == 1 && tokens.is_empty();
        let given = if empty_call && params == 0 { 0 } else { ranges.len() };
        let enough = given == params || (variadic && given + 1 == params);
        if !enough {
            let least = if variadic { "at least " } else { "" };
            let wanted = params - usize::from(variadic);
            let plural = if wanted == 1 { "" } else { "s" };
            let message = format!("macro '{name}' takes {least}{wanted} argument{plural} but is given {given}");
            let diagnostic = Diagnostic::error(call.loc, message).covering(u32::from(call.len));
            self.session.report(diagnostic.also(definition.loc, "the macro"));
            return None;
        }
        let variable_given = variadic && given == params && !(empty_call && params == 1);
        ranges.resize(params, tokens.len()..tokens.len());
        Some(Arguments { tokens, ranges, expanded: vec![None; params], variable_given })
    }

    /// Replaces parameters and carries out `#` and `##` in `items`, a body or the content of `__VA_OPT__`.
    fn substitute(
        &mut self,
        definition: &Macro,
        items: &[Item],
        arguments: &mut Arguments,
        call: PpToken,
        result: &mut Vec<PpToken>,
    ) {
        // What `##` takes as its left operand is the last token since here; nothing since here is a placemarker.
        let mut operand_start = result.len();
        let mut pasting = false;
        // White space before pieces that turned out empty.
        let mut space = false;
        let mut i = 0;
        while i < items.len() && !self.stopped {
            let item = items[i];
            if !pasting {
                operand_start = result.len();
            }
            let piece_start = result.len();
            let mut comma = false;
            i += 1;
            match item.role {
                Role::Token => result.push(placed(item.token, call, false)),
                Role::Param(index) => {
                    let index = usize::from(index);
                    let range = arguments.ranges[index].clone();
                    comma = pasting && self.is_variable(definition, index) && result_is_comma(&result[operand_start..]);
                    if item.paste || pasting {
                        if self.charge(range.len(), call) {
                            result.extend_from_slice(&arguments.tokens[range]);
                        }
                    } else {
                        self.expand_argument(arguments, index, call);
                        let expanded = arguments.expanded[index].as_deref().unwrap_or_default();
                        if self.charge(expanded.len(), call) {
                            result.extend_from_slice(expanded);
                        }
                    }
                }
                Role::Stringize(index) => {
                    let range = arguments.ranges[usize::from(index)].clone();
                    let string = self.stringize(&arguments.tokens[range], call);
                    result.push(string);
                }
                Role::VaOpt(len) => {
                    let content = &items[i..i + len as usize];
                    i += len as usize;
                    if self.wants_va_opt(definition, arguments, call) {
                        self.substitute(definition, content, arguments, call, result);
                    }
                }
                Role::StringizeVaOpt(len) => {
                    let content = &items[i..i + len as usize];
                    i += len as usize;
                    let mut tokens = Vec::new();
                    if self.wants_va_opt(definition, arguments, call) {
                        self.substitute(definition, content, arguments, call, &mut tokens);
                    }
                    let string = self.stringize(&tokens, call);
                    result.push(string);
                }
            }
            space |= item.token.space_before();
            if let Some(first) = result.get_mut(piece_start) {
                if space {
                    first.flags = first.flags.with(Flags::SPACE);
                }
                space = false;
            }
            if comma {
                // GNU: in `, ## __VA_ARGS__` the comma goes if nothing was given, and otherwise nothing is joined.
                if !arguments.variable_given {
                    result.pop();
                }
            } else if pasting && operand_start < piece_start && piece_start < result.len() {
                self.paste_at(piece_start - 1, call, result);
            }
            pasting = item.paste;
        }
    }

    /// Whether parameter `index` takes the variable arguments.
    fn is_variable(&self, definition: &Macro, index: usize) -> bool {
        matches!(&definition.kind, MacroKind::Function { params, variadic: true } if index + 1 == params.len())
    }

    /// Whether the variable arguments have a token left after expansion.
    fn wants_va_opt(&mut self, definition: &Macro, arguments: &mut Arguments, call: PpToken) -> bool {
        let MacroKind::Function { params, variadic: true } = &definition.kind else { return false };
        if !arguments.variable_given {
            return false;
        }
        let last = params.len() - 1;
        self.expand_argument(arguments, last, call);
        arguments.expanded[last].as_ref().is_some_and(|tokens| !tokens.is_empty())
    }

    fn expand_argument(&mut self, arguments: &mut Arguments, index: usize, call: PpToken) {
        if arguments.expanded[index].is_some() {
            return;
        }
        if self.expansion.argument_depth == MAX_ARGUMENT_DEPTH {
            let message = format!("macro calls are nested more than {MAX_ARGUMENT_DEPTH} deep in arguments");
            self.stop(Diagnostic::error(call.loc, message).covering(u32::from(call.len)));
            return;
        }
        self.expansion.argument_depth += 1;
        let range = arguments.ranges[index].clone();
        if self.charge(range.len(), call) {
            arguments.expanded[index] = Some(self.expand(&arguments.tokens[range]));
        }
        self.expansion.argument_depth -= 1;
    }

    /// The value of a macro that is built in.
    fn builtin(&mut self, builtin: Builtin, token: PpToken) -> PpToken {
        let number = |value: u64| value.to_string();
        let sources = &self.session.sources;
        let (text, is_string) = match builtin {
            Builtin::File => (sources.presumed_line(token.loc).map_or("", |(file, _)| file).to_owned(), true),
            Builtin::BaseFile => (sources.name(self.main).to_owned(), true),
            Builtin::Line => (number(sources.presumed_line(token.loc).map_or(0, |(_, line)| line).into()), false),
            Builtin::IncludeLevel => (number(self.files.len().saturating_sub(1) as u64), false),
            Builtin::Counter => {
                self.counter += 1;
                (number(u64::from(self.counter - 1)), false)
            }
            _ => (number(u64::from(self.has_operator(builtin, token))), false),
        };
        let kind = if is_string {
            let escaped = text.replace('\\', "\\\\").replace('"', "\\\"");
            PpKind::Str(self.session.symbols.intern(&format!("\"{escaped}\"")))
        } else {
            PpKind::Number(self.session.symbols.intern(&text))
        };
        PpToken { kind, flags: token.flags, ..token }
    }
}

/// A token of a macro's body where the macro is used. The first one has the white space of the call.
fn placed(token: PpToken, call: PpToken, first: bool) -> PpToken {
    let mut flags = if first { call.flags.without(Flags::NO_EXPAND) } else { token.flags };
    if first && token.flags.has(Flags::DIGRAPH) {
        flags = flags.with(Flags::DIGRAPH);
    }
    PpToken { kind: token.kind, loc: call.loc, len: call.len, flags: flags.without(Flags::LINE_START) }
}

/// Whether the left operand of `##` is a comma that stood alone.
fn result_is_comma(operand: &[PpToken]) -> bool {
    matches!(operand, [.., comma] if comma.is(Punct::Comma))
}
