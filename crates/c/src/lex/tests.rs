use super::*;
use crate::session::Options;
use norn_ir::number::narrow;

fn tokens(input: &str) -> (Session, Vec<PpToken>) {
    let mut session = Session::new(Options::default());
    let mut lexer = Lexer::new(input, 0, Loc(1));
    let mut tokens = Vec::new();
    loop {
        let token = lexer.next(&mut session);
        if token.kind == PpKind::Eof {
            assert_eq!(lexer.next(&mut session).kind, PpKind::Eof);
            return (session, tokens);
        }
        tokens.push(token);
    }
}

/// Each token as its kind's first letter and its spelling, separated by spaces.
#[track_caller]
fn check(input: &str, expected: &str) {
    let (session, tokens) = tokens(input);
    let found: Vec<String> = tokens
        .iter()
        .map(|token| {
            let kind = match token.kind {
                PpKind::Ident(_) => "i",
                PpKind::Number(_) => "n",
                PpKind::Char(_) => "c",
                PpKind::Str(_) => "s",
                PpKind::Punct(_) => "p",
                PpKind::Stray(_) => "?",
                PpKind::Header(_) | PpKind::Eof => "!",
            };
            format!("{kind}:{}", token.spelling(&session.symbols))
        })
        .collect();
    assert_eq!(found.join(" "), expected);
}

#[test]
fn every_punctuator_is_read_as_itself() {
    for (spelling, punct) in Punct::SPELLINGS {
        let (session, tokens) = tokens(&format!("a {spelling} b"));
        assert_eq!(tokens.len(), 3, "{spelling}");
        assert_eq!(tokens[1].kind, PpKind::Punct(*punct));
        assert_eq!(tokens[1].spelling(&session.symbols), *spelling);
    }
}

#[test]
fn the_longest_token_wins() {
    check("a+++++b", "i:a p:++ p:++ p:+ i:b");
    check("x->y--> .. ....", "i:x p:-> i:y p:-- p:> p:. p:. p:... p:.");
    check("<<=<< <:%:%:%:%", "p:<<= p:<< p:<: p:%:%: p:%: p:%");
}

#[test]
fn numbers() {
    check(
        "0 12ul .5 1.e-3 0x1e+3 1..2 .e 1_a$ 0x1p-3f-1",
        "n:0 n:12ul n:.5 n:1.e-3 n:0x1e+3 n:1..2 p:. i:e n:1_a$ n:0x1p-3f p:- n:1",
    );
}

#[test]
fn identifiers() {
    check("a _b $c d$1 L u8 é caf\\u00e9 x\\U0001F600y", "i:a i:_b i:$c i:d$1 i:L i:u8 i:é i:café i:x\u{1F600}y");
    check("\\u0041 \\u12 \u{300}a \u{A0}", "?:\\ i:u0041 ?:\\ i:u12 ?:\u{300} i:a ?:\u{A0}");
}

#[test]
fn literals() {
    check(
        r#"'a' "b" L'c' u"d" U'e' u8"f" uu"g" '\'' "\"\\" ''"#,
        r#"c:'a' s:"b" c:L'c' s:u"d" c:U'e' s:u8"f" i:uu s:"g" c:'\'' s:"\"\\" c:''"#,
    );
    check("\"é\\é\" '/*' \"//\"", "s:\"é\\é\" c:'/*' s:\"//\"");
    check("'abc\n\"def \r\nL\"x", "?:'abc ?:\"def ?:L\"x");
    check("\"\\", "?:\"\\");
}

#[test]
fn splices_are_removed_everywhere() {
    check("ab\\\ncd 1\\\n2 +\\\n= .\\\n5 \"a\\\nb\" 'x\\\n'", "i:abcd n:12 p:+= n:.5 s:\"ab\" c:'x'");
    check("a\\\r\nb c\\  \nd \\\n\\\ne", "i:ab i:cd i:e");
    check("L\\\n\"x\" u\\\n8'y' \"\\\\\nn\" <\\\n<\\\n=", "s:L\"x\" c:u8'y' s:\"\\n\" p:<<=");
    check("/\\\n* c *\\\n/ a /\\\n/ c \\\n c\nb", "i:a i:b");
}

#[test]
fn comments_are_white_space() {
    check("a/**/b/* * / ** */c//d\ne/ /f", "i:a i:b i:c i:e p:/ p:/ i:f");
    let (session, _) = tokens("a /* b");
    assert_eq!(session.diagnostics.len(), 1);
    assert_eq!(session.diagnostics[0].labels[0].loc, Loc(3));
}

#[test]
fn flags_tell_lines_and_spaces() {
    let (_, tokens) = tokens("a b(\n/* */ c\\\n d/**/e");
    let flags: Vec<(bool, bool)> =
        tokens.iter().map(|t| (t.flags.has(Flags::LINE_START), t.flags.has(Flags::SPACE))).collect();
    assert_eq!(flags, [(true, false), (false, true), (false, false), (true, true), (false, true), (false, true)]);
}

#[test]
fn a_directive_ends_with_its_line() {
    let mut session = Session::new(Options::default());
    let text = " a /* \n */ b \\\n c // d\ne";
    let mut lexer = Lexer::in_directive(text, 0, Loc(1));
    let mut count = 0;
    while lexer.next(&mut session).kind != PpKind::Eof {
        count += 1;
    }
    assert_eq!((count, &text[lexer.pos()..]), (3, "\ne"));
    assert_eq!(lexer.next_line(), Some(Loc(1 + narrow(text.len() - 1))));
}

#[test]
fn header_names() {
    let check = |text: &str, expected: Option<&str>| {
        let mut session = Session::new(Options::default());
        let header = Lexer::in_directive(text, 0, Loc(1)).header_name(&mut session);
        assert_eq!(header.map(|t| t.spelling(&session.symbols).to_owned()).as_deref(), expected, "{text}");
    };
    check(" <a//b.h> x", Some("a//b.h"));
    check("\"a\\b.h\"", Some("\"a\\b.h\""));
    check("<a\n>", None);
    check("<a", None);
    check("x", None);
}
