//! The texts of the models, and which name is defined where.

/// A model: a file of C.
pub(super) struct Model {
    pub file: &'static str,
    pub text: &'static str,
    /// The functions and objects of the C library that it defines.
    pub defines: &'static [&'static str],
}

macro_rules! model {
    ($file:literal, $defines:expr) => {
        Model { file: $file, text: include_str!(concat!("models/", $file)), defines: $defines }
    };
}

/// Every model, sorted by file name.
#[rustfmt::skip]
pub(super) const MODELS: &[Model] = &[
    model!("affinity.c", &[
        "sched_setaffinity", "pthread_setaffinity_np", "sched_getaffinity", "pthread_getaffinity_np",
        "__sched_cpucount",
    ]),
    model!("alarm.c", &["alarm"]),
    model!("alloc.c", &[
        "realloc", "reallocarray", "memalign", "aligned_alloc", "valloc", "posix_memalign", "malloc_usable_size",
    ]),
    model!("argument.c", &["__norn_argument"]),
    model!("arguments.c", &["__norn_arguments"]),
    model!("arithmetic.c", &["abs", "labs", "llabs", "imaxabs", "div", "ldiv", "lldiv"]),
    model!("atexit.c", &["__norn_at_exit", "atexit", "on_exit"]),
    model!("calendar.c", &[
        "gmtime_r", "localtime_r", "gmtime", "localtime", "mktime", "timegm", "strftime", "asctime_r", "ctime_r",
        "asctime", "ctime",
    ]),
    model!("ctype.c", &[
        "isdigit", "islower", "isupper", "isalpha", "isalnum", "isascii", "isblank", "iscntrl", "isgraph",
        "isprint", "ispunct", "isspace", "isxdigit", "tolower", "toupper",
    ]),
    model!("ctype_tables.c", &["__ctype_b_loc", "__ctype_tolower_loc", "__ctype_toupper_loc"]),
    model!("environment.c", &["environ", "__environ"]),
    model!("err.c", &["vwarn", "vwarnx", "warn", "warnx", "verr", "verrx", "err", "errx"]),
    model!("errno.c", &["__errno_location"]),
    model!("exit.c", &["exit", "_Exit", "_exit"]),
    model!("format.c", &["vsnprintf"]),
    model!("futex.c", &["__norn_futex"]),
    model!("getenv.c", &["getenv"]),
    model!("getopt.c", &["getopt", "getopt_long", "getopt_long_only"]),
    model!("lists.c", &["__norn_write_list", "__norn_warn_list", "__norn_write", "__norn_warn"]),
    model!("long_double.c", &[
        "__norn_long_double_add", "__norn_long_double_subtract", "__norn_long_double_negate",
        "__norn_long_double_multiply", "__norn_long_double_divide", "__norn_long_double_compare",
        "__norn_long_double_of_unsigned", "__norn_long_double_of_signed", "__norn_long_double_of_double",
        "__norn_long_double_to_double", "__norn_long_double_to_float", "__norn_long_double_to_signed",
        "__norn_long_double_to_unsigned",
    ]),
    model!("machine.c", &[
        "get_nprocs", "get_nprocs_conf", "sysconf", "sched_getcpu", "getrusage", "sysinfo",
    ]),
    model!("math.c", &[
        "fabs", "fabsf", "fmax", "fmin", "copysign", "copysignf", "trunc", "floor", "ceil", "sqrt", "sqrtf",
        "floorf", "ceilf", "truncf", "fmaxf", "fminf", "fdim", "round", "roundf", "lround", "llround", "rint",
        "nearbyint", "lrint", "modf",
    ]),
    model!("membarrier.c", &["__norn_membarrier"]),
    model!("memory.c", &[
        "memcpy", "mempcpy", "memmove", "memset", "memcmp", "memchr", "memrchr", "memccpy", "bzero", "bcopy",
        "bcmp", "ffs",
    ]),
    model!("messages.c", &[
        "sys_siglist", "_sys_siglist", "sys_errlist", "_sys_errlist", "sys_nerr", "_sys_nerr",
    ]),
    model!("mman.c", &[
        "mmap", "munmap", "madvise", "posix_madvise", "mlock", "munlock", "mlockall", "munlockall",
    ]),
    model!("mutex_kinds.c", &["__norn_mutex_kinds"]),
    model!("options.c", &["optarg", "optind", "opterr", "optopt"]),
    model!("pages.c", &["getpagesize"]),
    model!("pointed_to.c", &["malloc", "calloc", "free", "abort", "printf", "fprintf"]),
    model!("poll.c", &["poll", "select"]),
    model!("powers.c", &["frexp", "ldexp", "scalbn", "fmod", "fmodf", "pow", "powf"]),
    model!("prctl.c", &["prctl"]),
    model!("process.c", &["getpid", "getppid", "gettid", "pthread_atfork"]),
    model!("pthread_attr.c", &[
        "pthread_attr_init", "pthread_attr_destroy", "pthread_attr_getdetachstate", "pthread_attr_setdetachstate",
        "pthread_attr_getguardsize", "pthread_attr_setguardsize", "pthread_attr_getinheritsched",
        "pthread_attr_setinheritsched", "pthread_attr_getschedparam", "pthread_attr_setschedparam",
        "pthread_attr_getschedpolicy", "pthread_attr_setschedpolicy", "pthread_attr_getscope",
        "pthread_attr_setscope", "pthread_attr_getstack", "pthread_attr_setstack", "pthread_attr_getstackaddr",
        "pthread_attr_setstackaddr", "pthread_attr_getstacksize", "pthread_attr_setstacksize",
    ]),
    model!("pthread_barrier.c", &[
        "pthread_barrier_init", "pthread_barrier_destroy", "pthread_barrier_wait", "pthread_barrierattr_init",
        "pthread_barrierattr_destroy", "pthread_barrierattr_getpshared", "pthread_barrierattr_setpshared",
    ]),
    model!("pthread_cancel.c", &[
        "pthread_cancel", "pthread_setcancelstate", "pthread_setcanceltype", "pthread_testcancel",
    ]),
    model!("pthread_cleanup.c", &[
        "_pthread_cleanup_push", "_pthread_cleanup_pop", "__pthread_register_cancel", "__pthread_unregister_cancel",
    ]),
    model!("pthread_cond.c", &[
        "pthread_cond_init", "pthread_cond_destroy", "pthread_cond_wait", "pthread_cond_timedwait",
        "pthread_cond_clockwait", "pthread_cond_signal", "pthread_cond_broadcast",
    ]),
    model!("pthread_condattr.c", &[
        "pthread_condattr_init", "pthread_condattr_destroy", "pthread_condattr_getclock",
        "pthread_condattr_setclock", "pthread_condattr_getpshared", "pthread_condattr_setpshared",
    ]),
    model!("pthread_create.c", &["pthread_create"]),
    model!("pthread_exit.c", &["pthread_exit"]),
    model!("pthread_join.c", &["pthread_join", "pthread_detach", "pthread_self", "pthread_equal"]),
    model!("pthread_key.c", &[
        "pthread_key_create", "pthread_key_delete", "pthread_getspecific", "pthread_setspecific",
    ]),
    model!("pthread_misc.c", &[
        "pthread_getconcurrency", "pthread_setconcurrency", "pthread_getschedparam", "pthread_setschedparam", "pthread_setschedprio",
        "pthread_yield", "pthread_setname_np",
    ]),
    model!("pthread_mutex.c", &[
        "pthread_mutex_init", "pthread_mutex_destroy", "pthread_mutex_lock", "pthread_mutex_trylock",
        "pthread_mutex_timedlock", "pthread_mutex_clocklock", "pthread_mutex_unlock",
    ]),
    model!("pthread_mutexattr.c", &[
        "pthread_mutexattr_init", "pthread_mutexattr_destroy", "pthread_mutexattr_gettype",
        "pthread_mutexattr_settype", "pthread_mutexattr_getpshared", "pthread_mutexattr_setpshared",
        "pthread_mutexattr_getprotocol", "pthread_mutexattr_setprotocol", "pthread_mutexattr_getprioceiling",
        "pthread_mutexattr_setprioceiling", "pthread_mutexattr_getrobust", "pthread_mutexattr_setrobust",
    ]),
    model!("pthread_once.c", &["pthread_once"]),
    model!("pthread_rwlock.c", &[
        "pthread_rwlock_init", "pthread_rwlock_destroy", "pthread_rwlock_rdlock", "pthread_rwlock_tryrdlock",
        "pthread_rwlock_timedrdlock", "pthread_rwlock_wrlock", "pthread_rwlock_trywrlock",
        "pthread_rwlock_timedwrlock", "pthread_rwlock_unlock",
    ]),
    model!("pthread_rwlockattr.c", &[
        "pthread_rwlockattr_init", "pthread_rwlockattr_destroy", "pthread_rwlockattr_getpshared",
        "pthread_rwlockattr_setpshared", "pthread_rwlockattr_getkind_np", "pthread_rwlockattr_setkind_np",
    ]),
    model!("pthread_spin.c", &[
        "pthread_spin_init", "pthread_spin_destroy", "pthread_spin_lock", "pthread_spin_trylock",
        "pthread_spin_unlock",
    ]),
    model!("quick_exit.c", &["at_quick_exit", "quick_exit"]),
    model!("random.c", &[
        "rand", "rand_r", "random", "lrand48", "mrand48", "drand48", "erand48", "nrand48", "jrand48", "drand48_r",
        "lrand48_r", "mrand48_r", "erand48_r", "nrand48_r", "jrand48_r", "srand48_r", "srand", "srandom", "srand48",
    ]),
    model!("semaphore.c", &[
        "sem_init", "sem_destroy", "sem_wait", "sem_trywait", "sem_timedwait", "sem_clockwait", "sem_post",
        "sem_getvalue",
    ]),
    model!("signal.c", &[
        "sigaction", "signal", "sigemptyset", "sigfillset", "sigaddset", "sigdelset", "sigismember",
        "pthread_sigmask", "sigprocmask",
    ]),
    model!("sleep.c", &[
        "sleep", "usleep", "nanosleep", "clock_nanosleep", "sched_yield", "sched_get_priority_max",
        "sched_get_priority_min",
    ]),
    model!("sort.c", &["qsort", "bsearch"]),
    model!("sprintf.c", &[
        "vsprintf", "sprintf", "snprintf", "vasprintf", "asprintf", "vfprintf", "vprintf",
    ]),
    model!("stdio.c", &[
        "fputs", "puts", "putchar", "fputc", "putc", "_IO_putc", "perror", "fflush", "setbuf", "setvbuf",
        "setlinebuf", "fwrite", "write",
    ]),
    model!("streams.c", &["stdin", "stdout", "stderr"]),
    model!("string.c", &[
        "strlen", "strnlen", "stpcpy", "strcpy", "strncpy", "strcat", "strncat", "strncmp", "strcmp", "strcoll",
        "strncasecmp", "strcasecmp", "strndup", "strdup", "strerror", "strerror_r",
        "__xpg_strerror_r",
    ]),
    model!("string_search.c", &[
        "strchrnul", "strchr", "strrchr", "index", "rindex", "strspn", "strcspn", "strpbrk", "strstr", "strtok_r",
        "strtok", "strsep",
    ]),
    model!("strtol.c", &[
        "strtol", "strtoll", "strtoul", "strtoull", "strtoimax", "strtoumax", "atoi", "atol", "atoll",
    ]),
    model!("syscall.c", &["syscall"]),
    model!("text.c", &["__norn_put_text", "__norn_put_number", "__norn_put_end"]),
    model!("thread_ids.c", &[]),
    model!("thread_states.c", &["__norn_let_thread_go"]),
    model!("threads.c", &[
        "thrd_create", "thrd_join", "thrd_exit", "thrd_detach", "thrd_current", "thrd_equal", "thrd_sleep",
        "thrd_yield",
    ]),
    model!("threads_cond.c", &[
        "cnd_init", "cnd_destroy", "cnd_wait", "cnd_timedwait", "cnd_signal", "cnd_broadcast",
    ]),
    model!("threads_mutex.c", &[
        "mtx_init", "mtx_destroy", "mtx_lock", "mtx_trylock", "mtx_timedlock", "mtx_unlock",
    ]),
    model!("threads_once.c", &["call_once"]),
    model!("threads_tss.c", &["tss_create", "tss_delete", "tss_get", "tss_set"]),
    model!("time.c", &[
        "time", "clock", "difftime", "clock_gettime", "clock_getres", "timespec_get", "gettimeofday",
    ]),
    model!("timezone.c", &["tzname", "timezone", "daylight"]),
];
