/* The pieces of a text that `snprintf` writes; what does not fit is counted only. Each call says where the next piece goes. */
#include <norn.h>
#include <stddef.h>

/* How a number is written: its base, and these. */
#define SIGNED 32
#define NARROW 64
#define UPPER 128

static void put(char *to, size_t size, size_t at, char c) {
    if (at + 1 < size)
        to[at] = c;
}

/* Up to 8 characters, the first in the lowest byte. */
size_t __norn_put_text(void *to, size_t size, size_t at, unsigned long long characters, int count) {
    for (int i = 0; i < count; i++)
        put(to, size, at + (size_t)i, (char)(characters >> 8 * i));
    return at + (size_t)count;
}

static char digit_of(unsigned int value, int how) {
    return (char)(value < 10 ? '0' + value : (how & UPPER ? 'A' : 'a') + (value - 10));
}

/* In 32 bits, which costs engines less. */
static size_t put_narrow(char *to, size_t size, size_t at, unsigned int value, int how) {
    unsigned int base = (unsigned int)how & 31, rest = value;
    size_t digits = 1;
    for (; rest >= base; rest /= base)
        digits++;
    for (size_t i = digits; i > 0; i--) {
        put(to, size, at + i - 1, digit_of(value % base, how));
        value /= base;
    }
    return at + digits;
}

size_t __norn_put_number(void *to, size_t size, size_t at, unsigned long long value, int how) {
    if ((how & SIGNED) && (long long)value < 0) {
        put(to, size, at, '-');
        at++;
        value = -value;
    }
    if (how & NARROW)
        return put_narrow(to, size, at, (unsigned int)value, how);
    unsigned long long base = (unsigned long long)how & 31, rest = value;
    size_t digits = 1;
    for (; rest >= base; rest /= base)
        digits++;
    for (size_t i = digits; i > 0; i--) {
        put(to, size, at + i - 1, digit_of((unsigned int)(value % base), how));
        value /= base;
    }
    return at + digits;
}

/* The zero at the end. */
size_t __norn_put_end(void *to, size_t size, size_t at, unsigned long long unused, int more) {
    (void)unused;
    (void)more;
    if (size > 0)
        ((char *)to)[at < size ? at : size - 1] = 0;
    return at;
}
