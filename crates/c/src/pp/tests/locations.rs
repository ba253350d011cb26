//! Where tokens say that they stand.

use super::spelling;
use crate::pp::preprocess_text;
use crate::session::{Options, Session};

/// Each token as `SPELLING@LINE:COLUMN+LENGTH`.
#[track_caller]
fn check(input: &str, expected: &str) {
    let mut session = Session::new(Options::default());
    let tokens = preprocess_text(&mut session, "t.c", input.to_owned(), false).expect("there should be tokens");
    let found: Vec<String> = tokens
        .iter()
        .map(|token| {
            let (_, at) = session.sources.physical(token.loc).expect("it should have a place");
            format!("{}@{}:{}+{}", spelling(&session, token), at.line, at.column, token.len)
        })
        .collect();
    assert_eq!(found.join(" "), expected);
}

#[test]
fn tokens_stand_where_they_are_written() {
    check("int x;\n  é = 1", "int@1:1+3 x@1:5+1 ;@1:6+1 é@2:3+2 =@2:5+1 1@2:7+1 <eof>@2:8+0");
    check("a\\\nb c", "ab@1:1+4 c@2:3+1 <eof>@2:4+0");
}

#[test]
fn bodies_stand_at_the_use_and_arguments_where_written() {
    check("#define N 1 + M\n#define M 2\n N;", "1@3:2+1 +@3:2+1 2@3:2+1 ;@3:3+1 <eof>@3:4+0");
    check("#define F(x) [x]\nF(y) ", "[@2:1+1 y@2:3+1 ]@2:1+1 <eof>@2:6+0");
    check("#define F(x) x\n#define G(x) F(x) + 0\nG(y)", "y@3:3+1 +@3:1+1 0@3:1+1 <eof>@3:5+0");
    check("#define C(x,y) x##y #x\nC(a,b)", "ab@2:1+1 \"a\"@2:1+1 <eof>@2:7+0");
}
