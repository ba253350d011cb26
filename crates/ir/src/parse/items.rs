//! The header of a program, its types and objects, and the frames of its functions.

use super::lexer::Token;
use super::{ParseError, Parser};
use crate::ids::Reg;
use crate::instr::Operand;
use crate::print::{VERSION, natural_layout};
use crate::program::{Function, Global, Init, InitValue, Local, Origin, Program, Register, Storage};
use crate::span::Span;
use crate::types::{BitRange, Display, Field, Record, Shape, Target, Ty, Type};

impl Parser<'_> {
    pub(super) fn program(&mut self) -> Result<Program, ParseError> {
        self.skip_empty_lines()?;
        self.version()?;
        self.skip_empty_lines()?;
        self.keyword("target")?;
        self.target = self.choice("a data model", Target::from_mnemonic)?;
        self.line_end()?;
        self.skip_empty_lines()?;
        let reuses_memory = self.eat_word("memory")?;
        if reuses_memory {
            self.keyword("reused")?;
            self.line_end()?;
            self.skip_empty_lines()?;
        }
        self.keyword("entry")?;
        let entry = self.func_id()?;
        self.line_end()?;
        let mut program = Program {
            target: self.target,
            reuses_memory,
            files: Vec::new(),
            types: Vec::new(),
            globals: Vec::new(),
            functions: Vec::new(),
            entry,
        };
        loop {
            self.skip_empty_lines()?;
            match self.peek_word() {
                Some("file") => self.file(&mut program.files)?,
                Some("type") => self.ty(&mut program.types)?,
                Some("global") => self.global(&mut program.globals)?,
                Some("function") => self.function(&mut program.functions)?,
                _ if self.token == Token::End => return Ok(program),
                _ => return self.expected("'file', 'type', 'global' or 'function'"),
            }
            self.line_end()?;
        }
    }

    fn version(&mut self) -> Result<(), ParseError> {
        self.keyword("norn")?;
        self.punct('-')?;
        self.keyword("ir")?;
        let start = self.start;
        let version = self.u64("the version of the text form")?;
        if version != VERSION {
            let message = format!("version {version} of the text form is not known, only {VERSION} is");
            return Err(self.lexer.error(start, message));
        }
        self.line_end()
    }

    fn file(&mut self, files: &mut Vec<String>) -> Result<(), ParseError> {
        self.keyword("file")?;
        let start = self.start;
        if self.u64("the number of a file")? != files.len() as u64 {
            return Err(self.lexer.error(start, format!("expected the next file, '{}'", files.len())));
        }
        files.push(self.string()?);
        Ok(())
    }

    fn ty(&mut self, types: &mut Vec<Type>) -> Result<(), ParseError> {
        self.keyword("type")?;
        self.declared('t', "type", types.len())?;
        self.punct('=')?;
        let mut shape = self.shape()?;
        let (size, align) = if self.eat_word("size")? {
            let size = self.u64("a size")?;
            self.keyword("align")?;
            (size, self.u64("an alignment")?)
        } else {
            match natural_layout(&shape, types, self.target) {
                Some(layout) => layout,
                None => return self.expected("'size'"),
            }
        };
        if let Shape::Record(record) = &mut shape {
            self.lines_in_braces(|parser| {
                record.fields.push(parser.field()?);
                Ok(())
            })?;
        }
        types.push(Type { size, align, shape });
        Ok(())
    }

    fn shape(&mut self) -> Result<Shape, ParseError> {
        if let Some(ty) = self.peek_word().and_then(Ty::from_mnemonic) {
            self.advance()?;
            return Ok(Shape::Scalar { ty, display: self.choice("how the scalar is shown", Display::from_mnemonic)? });
        }
        if self.eat_word("array")? {
            let length = self.u64("the length of the array")?;
            self.punct('*')?;
            return Ok(Shape::Array { element: self.type_id()?, length });
        }
        if self.eat_word("bytes")? {
            return Ok(Shape::Bytes);
        }
        let is_union = self.eat_word("union")?;
        if !is_union && !self.eat_word("struct")? {
            return self.expected("a type");
        }
        Ok(Shape::Record(Record { name: self.string()?, is_union, fields: Vec::new() }))
    }

    fn field(&mut self) -> Result<Field, ParseError> {
        let offset = self.u64("the offset of a field")?;
        self.punct(':')?;
        let ty = self.type_id()?;
        let name = self.string()?;
        let bits = if self.eat_word("bits")? {
            let start = self.u32("the first bit")?;
            self.keyword("width")?;
            Some(BitRange { start, width: self.u32("the number of bits")? })
        } else {
            None
        };
        Ok(Field { name, offset, ty, bits })
    }

    fn global(&mut self, globals: &mut Vec<Global>) -> Result<(), ParseError> {
        self.keyword("global")?;
        self.declared('g', "global object", globals.len())?;
        let name = self.string()?;
        self.punct(':')?;
        let ty = self.type_id()?;
        let storage = if self.eat_word("thread")? {
            Storage::Thread
        } else if self.eat_word("constant")? {
            Storage::Constant
        } else {
            Storage::Static
        };
        let private = self.eat_word("private")?;
        let origin = self.origin()?;
        self.span = Span::NONE;
        let span = self.place()?;
        let mut init = Vec::new();
        if self.token == Token::Punct('{') {
            self.lines_in_braces(|parser| {
                let offset = parser.u64("an offset")?;
                parser.punct(':')?;
                init.push(Init { offset, value: parser.init_value()? });
                Ok(())
            })?;
        }
        globals.push(Global { name, ty, storage, init, private, origin, span });
        Ok(())
    }

    fn init_value(&mut self) -> Result<InitValue, ParseError> {
        if self.eat_word("bytes")? {
            return Ok(InitValue::Bytes(self.bytes()?));
        }
        let start = self.start;
        match self.operand(None)? {
            Operand::Const(constant) => Ok(InitValue::Const(constant)),
            Operand::Global(id, offset) => Ok(InitValue::Global(id, offset)),
            Operand::Func(id) => Ok(InitValue::Func(id)),
            Operand::Reg(_) | Operand::Local(..) => {
                Err(self.lexer.error(start, "the initial value of a global object is known before the program runs"))
            }
        }
    }

    fn origin(&mut self) -> Result<Origin, ParseError> {
        Ok(if self.eat_word("library")? { Origin::Library } else { Origin::User })
    }

    fn function(&mut self, functions: &mut Vec<Function>) -> Result<(), ParseError> {
        self.keyword("function")?;
        self.declared('f', "function", functions.len())?;
        let name = self.string()?;
        let mut params = Vec::new();
        self.punct('(')?;
        while self.token != Token::Punct(')') {
            if !params.is_empty() {
                self.punct(',')?;
            }
            params.push(self.reg()?);
        }
        self.punct(')')?;
        let result = if self.eat(&Token::Arrow)? { Some(self.scalar()?) } else { None };
        let origin = self.origin()?;
        self.span = Span::NONE;
        let span = self.place()?;
        self.punct('{')?;
        self.line_end()?;
        let registers = self.registers()?;
        let locals = self.locals()?;
        let mut function = Function { name, params, result, registers, locals, blocks: Vec::new(), origin, span };
        while self.token != Token::Punct('}') {
            let block = self.block(&function)?;
            function.blocks.push(block);
            self.skip_empty_lines()?;
        }
        self.punct('}')?;
        functions.push(function);
        Ok(())
    }

    fn registers(&mut self) -> Result<Vec<Register>, ParseError> {
        let mut declared: Vec<(Reg, Register)> = Vec::new();
        self.skip_empty_lines()?;
        while self.peek_id('r').is_some() {
            let first = declared.len();
            loop {
                declared.push((self.reg()?, Register { ty: Ty::Bool, name: String::new() }));
                if !self.eat_punct(',')? {
                    break;
                }
            }
            self.punct(':')?;
            let ty = self.scalar()?;
            for (_, register) in &mut declared[first..] {
                register.ty = ty;
            }
            if let Token::String(_) = self.token
                && let [(_, register)] = &mut declared[first..]
            {
                register.name = self.string()?;
            }
            self.line_end()?;
            self.skip_empty_lines()?;
        }
        declared.sort_by_key(|(reg, _)| *reg);
        for (i, (reg, _)) in declared.iter().enumerate() {
            if reg.index() < i {
                return self.error(format!("'{reg}' is declared twice"));
            }
            if reg.index() > i {
                return self
                    .error(format!("the registers are not numbered without gaps: '{}' is missing", Reg::new(i)));
            }
        }
        Ok(declared.into_iter().map(|(_, register)| register).collect())
    }

    fn locals(&mut self) -> Result<Vec<Local>, ParseError> {
        let mut locals = Vec::new();
        while self.peek_id('l').is_some() {
            self.declared('l', "local object", locals.len())?;
            self.punct(':')?;
            let ty = self.type_id()?;
            let name = self.string()?;
            let private = self.eat_word("private")?;
            let span = self.place()?;
            locals.push(Local { name, ty, private, span });
            self.line_end()?;
            self.skip_empty_lines()?;
        }
        Ok(locals)
    }

    fn lines_in_braces(&mut self, mut line: impl FnMut(&mut Self) -> Result<(), ParseError>) -> Result<(), ParseError> {
        self.punct('{')?;
        self.skip_empty_lines()?;
        while !self.eat_punct('}')? {
            line(self)?;
            if self.token != Token::Punct('}') {
                self.line_end()?;
                self.skip_empty_lines()?;
            }
        }
        Ok(())
    }
}
