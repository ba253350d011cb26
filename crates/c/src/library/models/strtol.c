/* Integers from text. */
#include <norn_errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>

static int digit_of(char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'Z')
        return c - 'A' + 10;
    return 36;
}

struct number {
    unsigned long long magnitude;
    _Bool negative;
    /* The magnitude is larger than was asked for, and not given. */
    _Bool overflow;
};

/* The number that the text begins with, of magnitude `most` or less. */
static struct number parse(const char *text, char **end, int base, unsigned long long most) {
    struct number number = { 0, 0, 0 };
    const char *at = text;
    _Bool any = 0;
    if (end)
        *end = (char *)text;
    if (base < 0 || base == 1 || base > 36) {
        errno = EINVAL;
        return number;
    }
    while (*at == ' ' || (*at >= '\t' && *at <= '\r'))
        at++;
    if (*at == '-' || *at == '+') {
        number.negative = *at == '-';
        at++;
    }
    if ((base == 0 || base == 16) && at[0] == '0' && (at[1] == 'x' || at[1] == 'X') && digit_of(at[2]) < 16) {
        at += 2;
        base = 16;
    } else if (base == 0) {
        base = *at == '0' ? 8 : 10;
    }
    for (int digit = digit_of(*at); digit < base; digit = digit_of(*at)) {
        any = 1;
        if (number.overflow || number.magnitude > (most - digit) / base)
            number.overflow = 1;
        else
            number.magnitude = number.magnitude * base + digit;
        at++;
    }
    if (any && end)
        *end = (char *)at;
    if (number.overflow)
        errno = ERANGE;
    return number;
}

static long long parse_signed(const char *text, char **end, int base, long long most) {
    unsigned long long limit = (unsigned long long)most;
    struct number number = parse(text, end, base, limit + 1);
    if (number.negative)
        return number.overflow || number.magnitude > limit ? -most - 1 : -(long long)number.magnitude;
    if (number.overflow || number.magnitude > limit) {
        errno = ERANGE;
        return most;
    }
    return (long long)number.magnitude;
}

static unsigned long long parse_unsigned(const char *text, char **end, int base, unsigned long long most) {
    struct number number = parse(text, end, base, most);
    if (number.overflow)
        return most;
    return number.negative ? -number.magnitude & most : number.magnitude;
}

long strtol(const char *restrict text, char **restrict end, int base) {
    return (long)parse_signed(text, end, base, LONG_MAX);
}

long long strtoll(const char *restrict text, char **restrict end, int base) {
    return parse_signed(text, end, base, LLONG_MAX);
}

unsigned long strtoul(const char *restrict text, char **restrict end, int base) {
    return (unsigned long)parse_unsigned(text, end, base, ULONG_MAX);
}

unsigned long long strtoull(const char *restrict text, char **restrict end, int base) {
    return parse_unsigned(text, end, base, ULLONG_MAX);
}

intmax_t strtoimax(const char *text, char **end, int base) {
    return parse_signed(text, end, base, INTMAX_MAX);
}

uintmax_t strtoumax(const char *text, char **end, int base) {
    return parse_unsigned(text, end, base, UINTMAX_MAX);
}

int atoi(const char *text) {
    return (int)strtol(text, 0, 10);
}

long atol(const char *text) {
    return strtol(text, 0, 10);
}

long long atoll(const char *text) {
    return strtoll(text, 0, 10);
}
