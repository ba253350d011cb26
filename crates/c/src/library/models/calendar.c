/* Dates: any that the fields can hold, whatever the time is, in UTC. What is made of one is any text of the right length. */
#include <norn.h>
#include <time.h>

int __norn_nondet_date(void);
time_t __norn_nondet_time(void);
char __norn_nondet_text(void);

static int any(int low, int high) {
    int value = __norn_nondet_date();
    __norn_assume(value >= low && value <= high);
    return value;
}

static void fill(struct tm *result) {
    result->tm_sec = any(0, 60);
    result->tm_min = any(0, 59);
    result->tm_hour = any(0, 23);
    result->tm_mday = any(1, 31);
    result->tm_mon = any(0, 11);
    result->tm_year = __norn_nondet_date();
    result->tm_wday = any(0, 6);
    result->tm_yday = any(0, 365);
    result->tm_isdst = 0;
    result->tm_gmtoff = 0;
    result->tm_zone = "UTC";
}

struct tm *gmtime_r(const time_t *restrict value, struct tm *restrict result) {
    time_t when = *value;
    (void)when;
    fill(result);
    return result;
}

struct tm *localtime_r(const time_t *restrict value, struct tm *restrict result) {
    return gmtime_r(value, result);
}

static struct tm last;

struct tm *gmtime(const time_t *value) {
    return gmtime_r(value, &last);
}

struct tm *localtime(const time_t *value) {
    return gmtime_r(value, &last);
}

/* Fields beyond their range are brought back into it. */
time_t mktime(struct tm *value) {
    fill(value);
    return __norn_nondet_time();
}

time_t timegm(struct tm *value) {
    return mktime(value);
}

static void put(char *to, int length) {
    for (int i = 0; i < length; i++) {
        char c = __norn_nondet_text();
        __norn_assume(c != 0);
        to[i] = c;
    }
}

/* How much room a conversion needs. Years have as many digits as an int. */
static int length_of(char conversion) {
    switch (conversion) {
    case '%': case 'n': case 't': case 'u': case 'w':
        return 1;
    case 'C': case 'd': case 'e': case 'g': case 'H': case 'I': case 'k': case 'l': case 'm': case 'M': case 'p':
    case 'P': case 'S': case 'U': case 'V': case 'W': case 'y':
        return 2;
    case 'a': case 'b': case 'h': case 'j': case 'Z':
        return 3;
    case 'R': case 'z':
        return 5;
    case 'D': case 'T': case 'x': case 'X':
        return 8;
    case 'r':
        return 11;
    case 'A': case 'B':
        return any(3, 9);
    case 'G': case 'Y':
        return any(1, 11);
    case 'F':
        return any(7, 17);
    case 'c':
        return any(21, 31);
    case 's':
        return any(1, 20);
    default:
        __norn_unsupported("a conversion of 'strftime' with a modifier");
    }
}

size_t strftime(char *restrict to, size_t size, const char *restrict format, const struct tm *restrict value) {
    size_t used = 0;
    int field = value->tm_mday;
    (void)field;
    for (; *format; format++) {
        int length = *format == '%' ? length_of(*++format) : 0;
        if (used + (size_t)length + (length == 0) >= size)
            return 0;
        if (length == 0)
            to[used++] = *format;
        put(to + used, length);
        used += (size_t)length;
    }
    if (used >= size)
        return 0;
    to[used] = 0;
    return used;
}

char *asctime_r(const struct tm *restrict value, char *restrict to) {
    int field = value->tm_mday;
    (void)field;
    put(to, 24);
    to[24] = '\n';
    to[25] = 0;
    return to;
}

char *ctime_r(const time_t *restrict value, char *restrict to) {
    struct tm date;
    return asctime_r(gmtime_r(value, &date), to);
}

static char text[26];

char *asctime(const struct tm *value) {
    return asctime_r(value, text);
}

char *ctime(const time_t *value) {
    return ctime_r(value, text);
}
