//! Identifiers of the C text: the names of the source where possible, made unique and kept apart from what the
//! translation itself calls things.

use crate::text::digits;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::{Arc, LazyLock};

/// What the translation, its templates and C use. Names of the program that are one of these get a number.
const RESERVED: &[&str] = &[
    "auto",
    "break",
    "case",
    "char",
    "const",
    "continue",
    "default",
    "do",
    "double",
    "else",
    "enum",
    "extern",
    "float",
    "for",
    "goto",
    "if",
    "inline",
    "int",
    "long",
    "register",
    "restrict",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "struct",
    "switch",
    "typedef",
    "union",
    "unsigned",
    "void",
    "volatile",
    "while",
    "asm",
    "typeof",
    "linux",
    "unix",
    "main",
    "u8",
    "u16",
    "u32",
    "u64",
    "i8",
    "i16",
    "i32",
    "i64",
    "uptr",
    "iptr",
    "address",
    "active",
    "size",
    "pc",
    "ct",
    "cs",
    "arg",
    "result",
    "rounds",
    "J",
    "G",
    "assume",
    "choose",
    "next_switch",
    "nondet",
    "fail",
    "unsupported",
    "abort",
    "exit",
    "malloc",
    "calloc",
    "free",
    "memset",
    "memcpy",
    "reach_error",
    "THREADS",
    "ROUNDS",
    "CELLS",
    "NULL",
    "stdin",
    "stdout",
    "stderr",
    "errno",
    "end",
    "init_objects",
    "create",
    "join",
    "previous",
    "F32_OF",
    "F64_OF",
    "AT",
    "HERE",
    "content",
    "choose_where",
    "simulate",
    "index",
    "round",
    "cs",
];

/// What the headers declare that the program includes when it is to be run.
const LIBRARY: &str = "\
    a64l abort abs aligned_alloc alloca arc4random arc4random_buf arc4random_uniform asctime asctime_r at_quick_exit \
    atexit atof atoi atol atoll bcmp bcopy blkcnt_t blksize_t bsearch bzero caddr_t calloc clearenv clearerr \
    clearerr_unlocked clock clock_getcpuclockid clock_getres clock_gettime clock_nanosleep clock_settime clock_t \
    clockid_t ctermid ctime ctime_r daddr_t daylight dev_t difftime div div_t dprintf drand48 drand48_data drand48_r \
    dysize ecvt ecvt_r end_ptr erand48 erand48_r exit explicit_bzero fclose fcvt fcvt_r fd_mask fd_set fdopen feof \
    feof_unlocked ferror ferror_unlocked fflush fflush_unlocked ffs ffsl ffsll fgetc fgetc_unlocked fgetpos fgets \
    fileno fileno_unlocked flockfile fmemopen fopen fpos_t fprintf fptr fputc fputc_unlocked fputs fread \
    fread_unlocked free freopen fsblkcnt_t fscanf fseek fseeko fsetpos fsfilcnt_t fsid_t ftell ftello ftrylockfile \
    funlockfile fwrite fwrite_unlocked gcvt getc getc_unlocked getchar getchar_unlocked getdelim getenv getline \
    getloadavg getsubopt getw gid_t gmtime gmtime_r id_t index initstate initstate_r ino_t int16_t int32_t int64_t \
    int8_t it_interval it_value itimerspec jmp_buf jrand48 jrand48_r key_t l64a labs lcong48 lcong48_r ldiv ldiv_t \
    llabs lldiv lldiv_t locale_t localtime localtime_r loff_t longjmp lrand48 lrand48_r malloc mblen mbstowcs mbtowc \
    memccpy memchr memcmp memcpy memmove memset mkdtemp mkstemp mkstemps mktemp mktime mode_t mrand48 mrand48_r \
    nanosleep nlink_t nrand48 nrand48_r off_t on_exit open_memstream pclose perror pid_t popen posix_memalign printf \
    pselect pthread_attr_t pthread_barrier_t pthread_barrierattr_t pthread_cond_t pthread_condattr_t pthread_key_t \
    pthread_mutex_t pthread_mutexattr_t pthread_once_t pthread_rwlock_t pthread_rwlockattr_t pthread_spinlock_t \
    pthread_t putc putc_unlocked putchar putchar_unlocked putenv puts putw qecvt qecvt_r qfcvt qfcvt_r qgcvt qsort \
    quad_t quick_exit quot rand rand_deg rand_r rand_sep rand_type random random_data random_r realloc reallocarray \
    realpath register_t rem remove rename renameat rewind rindex rpmatch rptr scanf seed48 seed48_r select setbuf \
    setbuffer setenv setjmp setlinebuf setstate setstate_r setvbuf sigevent sigjmp_buf siglongjmp sigset_t size_t \
    snprintf sprintf srand srand48 srand48_r srandom srandom_r sscanf ssize_t state stderr stdin stdout stpcpy \
    stpncpy strcasecmp strcasecmp_l strcat strchr strcmp strcoll strcoll_l strcpy strcspn strdup strerror strerror_l \
    strerror_r strftime strftime_l strlen strncasecmp strncasecmp_l strncat strncmp strncpy strndup strnlen strpbrk \
    strrchr strsep strsignal strspn strstr strtod strtof strtok strtok_r strtol strtold strtoll strtoq strtoul \
    strtoull strtouq strxfrm strxfrm_l suseconds_t system tempnam time time_t timegm timelocal timer_create \
    timer_delete timer_getoverrun timer_gettime timer_settime timer_t timespec timespec_get timeval timezone tm \
    tm_gmtoff tm_hour tm_isdst tm_mday tm_min tm_mon tm_sec tm_wday tm_yday tm_year tm_zone tmpfile tmpnam tmpnam_r \
    tv_nsec tv_sec tv_usec tzname tzset u_char u_int u_int16_t u_int32_t u_int64_t u_int8_t u_long u_quad_t u_short \
    uid_t uint ulong ungetc unsetenv ushort va_list valloc vdprintf vfprintf vfscanf vprintf vscanf vsnprintf \
    vsprintf vsscanf wchar_t wcstombs wctomb";

/// All that names of the program must differ from.
static TAKEN: LazyLock<FxHashSet<&str>> =
    LazyLock::new(|| RESERVED.iter().copied().chain(LIBRARY.split_whitespace()).collect());

/// The names in use in one scope, besides those that are taken everywhere.
#[derive(Default)]
pub struct Names<'n> {
    /// The scope around this one: its names are not given again.
    outer: Option<&'n Names<'n>>,
    used: FxHashSet<Arc<str>>,
    /// The last number given to names that begin so.
    numbers: FxHashMap<String, u32>,
}

impl<'n> Names<'n> {
    /// Of a scope inside another.
    pub fn inside(outer: &'n Names<'n>) -> Names<'n> {
        Names { outer: Some(outer), ..Names::default() }
    }

    /// An identifier like `wanted` that is not in use, in use from now on.
    pub fn make(&mut self, wanted: &str) -> Arc<str> {
        let mut base: String =
            wanted.trim_start_matches('_').chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        let is_ours = ["norn_", "sma_", "SMA_", "nondet_", "function_", "V_", "arg_", "previous_"]
            .iter()
            .any(|p| base.starts_with(p));
        if base.is_empty() || base.starts_with(|c: char| c.is_ascii_digit()) || is_ours {
            base.insert_str(0, "v_");
        }
        let length = base.len();
        let last_number = self.numbers.get(&base).copied();
        let mut number = last_number.unwrap_or(1);
        while last_number == Some(number) || self.is_taken(&base) {
            number += 1;
            base.truncate(length);
            base.push('_');
            digits(&mut base, u64::from(number));
        }
        let name: Arc<str> = base.as_str().into();
        self.used.insert(name.clone());
        if number > 1 {
            base.truncate(length);
            self.numbers.insert(base, number);
        }
        name
    }

    fn is_taken(&self, name: &str) -> bool {
        // Labels are `L3` and `b3`, unnamed registers `r3`: names of other kinds or scopes, but a reader's eye is one.
        is_numbered(name) || TAKEN.contains(name) || self.is_used(name)
    }

    fn is_used(&self, name: &str) -> bool {
        self.used.contains(name) || self.outer.is_some_and(|outer| outer.is_used(name))
    }
}

fn is_numbered(name: &str) -> bool {
    let mut chars = name.chars();
    matches!(chars.next(), Some('L' | 'b' | 'r')) && name.len() > 1 && chars.all(|c| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_identifiers_and_unique() {
        let mut names = Names::default();
        let made = ["x", "x", "0:r1", "while", "cs", "sma_read", "r1", "$t", "x_2"].map(|name| names.make(name));
        let expected = ["x", "x_2", "v_0_r1", "while_2", "cs_2", "v_sma_read", "r1_2", "_t", "x_2_2"];
        assert_eq!(made.map(|name| name.to_string()), expected);
        let mut inner = Names::inside(&names);
        assert_eq!(["x", "y"].map(|name| inner.make(name).to_string()), ["x_3", "y"]);
    }
}
