//! Help for misspelt and undeclared names.

/// The candidate that is most similar to a name that does not exist, if one is similar enough.
pub(super) fn similar<'n>(name: &str, candidates: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let limit = match name.chars().count() {
        0..=2 => return None,
        3..=5 => 1,
        6..=11 => 2,
        _ => 3,
    };
    let mut best = None;
    for candidate in candidates {
        let distance = edit_distance(name, candidate, limit);
        if distance <= limit && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// Names longer than this are not compared.
const MAX_LENGTH: usize = 64;

/// How many letters must be inserted, removed, replaced or swapped with their neighbour; more than `limit` is not
/// counted exactly.
fn edit_distance(a: &str, b: &str, limit: usize) -> usize {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len().abs_diff(b.len()) > limit || a.len() > MAX_LENGTH || b.len() > MAX_LENGTH {
        return limit + 1;
    }
    let mut before = [0; MAX_LENGTH + 1];
    let mut above: [usize; MAX_LENGTH + 1] = std::array::from_fn(|j| j);
    for i in 0..a.len() {
        let mut row = [0; MAX_LENGTH + 1];
        row[0] = i + 1;
        for j in 0..b.len() {
            let change = usize::from(a[i] != b[j]);
            row[j + 1] = (above[j] + change).min(above[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j] {
                row[j + 1] = row[j + 1].min(before[j - 1] + 1);
            }
        }
        before = above;
        above = row;
    }
    above[b.len()]
}

/// The header that declares a well-known name of the C library or of POSIX threads.
pub(super) fn header_of(name: &str) -> Option<&'static str> {
    let exact = HEADERS.iter().find(|(_, names)| names.split(' ').any(|n| n == name));
    if let Some((header, _)) = exact {
        return Some(header);
    }
    let prefixes = [
        ("pthread_", "pthread.h"),
        ("PTHREAD_", "pthread.h"),
        ("atomic_", "stdatomic.h"),
        ("memory_order", "stdatomic.h"),
        ("ATOMIC_", "stdatomic.h"),
        ("sem_", "semaphore.h"),
        ("mtx_", "threads.h"),
        ("cnd_", "threads.h"),
        ("thrd_", "threads.h"),
        ("tss_", "threads.h"),
        ("sched_", "sched.h"),
    ];
    prefixes.iter().find(|(prefix, _)| name.starts_with(prefix)).map(|(_, header)| *header)
}

const HEADERS: &[(&str, &str)] = &[
    ("stddef.h", "NULL offsetof size_t ptrdiff_t wchar_t max_align_t"),
    ("stdbool.h", "bool true false"),
    ("assert.h", "assert static_assert"),
    ("errno.h", "errno EINVAL EBUSY EAGAIN ENOMEM EINTR EDEADLK EPERM ETIMEDOUT ESRCH ERANGE"),
    (
        "stdlib.h",
        "malloc calloc realloc free exit abort atexit rand srand atoi atol strtol strtoul abs labs qsort bsearch getenv \
         EXIT_SUCCESS EXIT_FAILURE RAND_MAX",
    ),
    (
        "stdio.h",
        "printf fprintf sprintf snprintf vprintf puts putchar fputs fputc getchar fgets scanf sscanf perror fflush \
         stdin stdout stderr FILE EOF fopen fclose",
    ),
    (
        "string.h",
        "memcpy memmove memset memcmp memchr strlen strcpy strncpy strcat strncat strcmp strncmp strchr strrchr strstr \
         strdup strerror strtok",
    ),
    (
        "stdint.h",
        "int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t intptr_t uintptr_t intmax_t uintmax_t \
         INT8_MAX INT16_MAX INT32_MAX INT64_MAX UINT8_MAX UINT16_MAX UINT32_MAX UINT64_MAX INT32_MIN INT64_MIN SIZE_MAX \
         INTPTR_MAX UINTPTR_MAX",
    ),
    (
        "limits.h",
        "INT_MAX INT_MIN UINT_MAX LONG_MAX LONG_MIN ULONG_MAX LLONG_MAX LLONG_MIN ULLONG_MAX CHAR_MAX CHAR_MIN CHAR_BIT \
         SCHAR_MAX SCHAR_MIN UCHAR_MAX SHRT_MAX SHRT_MIN USHRT_MAX",
    ),
    ("unistd.h", "sleep usleep getpid write read close"),
    ("time.h", "time clock nanosleep clock_gettime CLOCK_REALTIME CLOCK_MONOTONIC timespec"),
    ("sys/time.h", "gettimeofday timeval"),
    ("stdarg.h", "va_start va_arg va_end va_copy va_list"),
    ("threads.h", "call_once once_flag ONCE_FLAG_INIT thread_local"),
    ("math.h", "sqrt pow fabs floor ceil sin cos exp log HUGE_VAL INFINITY NAN"),
    ("ctype.h", "isalpha isdigit isalnum isspace isupper islower toupper tolower"),
    ("signal.h", "signal raise kill SIGINT SIGTERM SIGALRM"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn similar_names_are_found() {
        let names = ["counter", "lock", "mutex_a", "x"];
        assert_eq!(similar("conter", names.into_iter()), Some("counter"));
        assert_eq!(similar("lokc", names.into_iter()), Some("lock"));
        assert_eq!(similar("y", names.into_iter()), None);
        assert_eq!(similar("something_else", names.into_iter()), None);
    }

    #[test]
    fn headers_of_well_known_names() {
        assert_eq!(header_of("NULL"), Some("stddef.h"));
        assert_eq!(header_of("pthread_mutex_lock"), Some("pthread.h"));
        assert_eq!(header_of("counter"), None);
    }
}
