//! Names that are used as types and are not: nearly always a missing `#include`, sometimes C++.
//!
//! Such a name is reported once and taken for a type from then on.

use super::Parser;
use super::scope::Meaning;
use crate::intern::Symbol;
use crate::token::{Keyword, Punct, TokenKind};
use norn_ir::diag::Diagnostic;
use norn_ir::number::narrow;
use norn_ir::source::Loc;

/// Headers that declare well-known types.
const HEADERS: &[(&str, &[&str])] = &[
    (
        "pthread.h",
        &[
            "pthread_attr_t",
            "pthread_barrier_t",
            "pthread_barrierattr_t",
            "pthread_cond_t",
            "pthread_condattr_t",
            "pthread_key_t",
            "pthread_mutex_t",
            "pthread_mutexattr_t",
            "pthread_once_t",
            "pthread_rwlock_t",
            "pthread_rwlockattr_t",
            "pthread_spinlock_t",
            "pthread_t",
        ],
    ),
    ("threads.h", &["cnd_t", "mtx_t", "once_flag", "thrd_start_t", "thrd_t", "tss_t"]),
    ("semaphore.h", &["sem_t"]),
    ("stdbool.h", &["bool"]),
    ("stddef.h", &["max_align_t", "ptrdiff_t", "size_t", "wchar_t"]),
    ("stdio.h", &["FILE", "fpos_t"]),
    ("stdarg.h", &["va_list"]),
    ("setjmp.h", &["jmp_buf", "sigjmp_buf"]),
    ("signal.h", &["sig_atomic_t", "sigset_t", "siginfo_t"]),
    ("time.h", &["clock_t", "clockid_t", "time_t"]),
    ("sys/types.h", &["gid_t", "mode_t", "off_t", "pid_t", "ssize_t", "u_int", "uid_t", "useconds_t"]),
    ("stdlib.h", &["div_t", "ldiv_t"]),
    ("wchar.h", &["mbstate_t", "wint_t"]),
];

/// `uint32_t`, `atomic_uint` and their many sisters follow patterns.
fn header_of(name: &str) -> Option<&'static str> {
    if let Some((header, _)) = HEADERS.iter().find(|(_, names)| names.contains(&name)) {
        return Some(header);
    }
    if name.starts_with("atomic_") || name == "memory_order" {
        return Some("stdatomic.h");
    }
    let integer = name.strip_suffix("_t")?;
    let width = integer.strip_prefix('u').unwrap_or(integer).strip_prefix("int")?;
    let width = width.strip_prefix("_fast").or_else(|| width.strip_prefix("_least")).unwrap_or(width);
    matches!(width, "8" | "16" | "32" | "64" | "max" | "ptr").then_some("stdint.h")
}

impl Parser<'_> {
    /// Reports the identifier here as an unknown type; from then on it is a type.
    pub(super) fn assume_type(&mut self, name: Symbol) {
        self.unknown_type(name, self.loc());
    }

    /// Reports an identifier as an unknown type; from then on it is a type.
    pub(super) fn unknown_type(&mut self, name: Symbol, loc: Loc) {
        let spelling = self.name(name);
        let help = match header_of(spelling) {
            Some(header) => format!("'{spelling}' is declared in <{header}>: add '#include <{header}>'"),
            None => "perhaps an '#include' or a typedef is missing".to_owned(),
        };
        let length = narrow(spelling.len());
        let message = format!("unknown type name '{spelling}'");
        self.report(Diagnostic::error(loc, message).covering(length).help(help));
        self.names.assume_type(name);
    }

    /// At the beginning of a statement: whether an unknown name can only be meant as a type, as in `foo x;` or
    /// `foo *x;`. If so it is reported and becomes one.
    pub(super) fn diagnose_unknown_type_in_block(&mut self) {
        let TokenKind::Ident(name) = self.peek() else { return };
        if self.names.meaning(name) != Meaning::Unknown {
            return;
        }
        let is_type = match self.peek_at(1) {
            TokenKind::Ident(_) => true,
            TokenKind::Keyword(k) => k != Keyword::Asm && self.starts_declaration(TokenKind::Keyword(k)),
            TokenKind::Punct(Punct::Star) => self.is_pointer_declaration(),
            _ => false,
        };
        if is_type && !self.diagnose_cplusplus() {
            self.assume_type(name);
        }
    }

    /// `foo **x` followed by what ends or continues a declarator. `foo` and `x` are not declared, so it is no product.
    fn is_pointer_declaration(&self) -> bool {
        let stars = self.count_stars(1);
        let TokenKind::Ident(declared) = self.peek_at(1 + stars) else { return false };
        self.names.meaning(declared) == Meaning::Unknown
            && matches!(
                self.peek_at(2 + stars),
                TokenKind::Punct(Punct::Semi | Punct::Assign | Punct::Comma | Punct::LBracket)
            )
    }

    pub(super) fn count_stars(&self, ahead: usize) -> usize {
        (0..).take_while(|i| self.peek_at(ahead + i) == TokenKind::Punct(Punct::Star)).count()
    }

    /// After a `(`: an unknown name in a cast, as in `(foo) x` or `(foo *) x`, is reported and becomes a type.
    pub(super) fn diagnose_unknown_type_in_cast(&mut self) {
        let TokenKind::Ident(name) = self.peek() else { return };
        if self.names.meaning(name) != Meaning::Unknown {
            return;
        }
        let stars = self.count_stars(1);
        if self.peek_at(1 + stars) != TokenKind::Punct(Punct::RParen) {
            return;
        }
        let operand_follows = matches!(
            self.peek_at(2 + stars),
            TokenKind::Ident(_) | TokenKind::Number(_) | TokenKind::Char(_) | TokenKind::Str(_)
        );
        if stars > 0 || operand_follows {
            self.assume_type(name);
        }
    }

    /// Reports text that is C++, and gives up: what follows would be more of the same.
    pub(super) fn diagnose_cplusplus(&mut self) -> bool {
        let token = self.peek_token();
        let next = self.peek_at(1);
        let is_cplusplus = match token.kind {
            TokenKind::Keyword(Keyword::Extern) => {
                matches!(next, TokenKind::Str(_)) && matches!(self.peek_at(2), TokenKind::Punct(Punct::LBrace))
            }
            TokenKind::Ident(name) if self.names.meaning(name) == Meaning::Unknown => match self.name(name) {
                "class" | "using" => matches!(next, TokenKind::Ident(_)),
                "namespace" => matches!(next, TokenKind::Ident(_) | TokenKind::Punct(Punct::LBrace)),
                "template" => matches!(next, TokenKind::Punct(Punct::Lt)),
                _ => false,
            },
            _ => false,
        };
        if is_cplusplus {
            let message = format!("this looks like C++: {} is not C", self.describe(token.kind));
            let message = match token.kind {
                TokenKind::Keyword(_) => "this looks like C++: 'extern \"C\"' is not C".to_owned(),
                _ => message,
            };
            let diagnostic = Diagnostic::error(token.loc, message).covering(u32::from(token.len));
            self.report(
                diagnostic.help("Norn reads C; in headers for both languages guard it by '#ifdef __cplusplus'"),
            );
            self.stop();
        }
        is_cplusplus
    }
}

#[cfg(test)]
mod tests {
    use super::header_of;

    #[test]
    fn well_known_types_have_headers() {
        for (name, header) in [
            ("uint32_t", Some("stdint.h")),
            ("int_fast16_t", Some("stdint.h")),
            ("uintptr_t", Some("stdint.h")),
            ("intro_t", None),
            ("atomic_int", Some("stdatomic.h")),
            ("pthread_t", Some("pthread.h")),
            ("foo", None),
        ] {
            assert_eq!(header_of(name), header, "{name}");
        }
    }
}
