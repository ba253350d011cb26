/* Arithmetic of `long double` in the format of the x87: 64 bits of mantissa with an explicit leading one, 15 bits of exponent, the
   sign. Rounded to nearest, ties to even, as the processor does unless it is told otherwise. The front end calls these functions where
   the program computes with such a number. */

struct __norn_parts {
    unsigned long long mantissa;
    unsigned short head;
} __attribute__((packed));

union __norn_view {
    long double number;
    struct __norn_parts parts;
};

/* A finite number is mantissa * 2^(exponent - 16446), with an exponent of at least 1. */
struct __norn_unpacked {
    int sign, exponent;
    unsigned long long mantissa;
};

static struct __norn_parts parts_of(long double x) {
    union __norn_view view;
    view.number = x;
    return view.parts;
}

static long double number_of(int sign, int exponent, unsigned long long mantissa) {
    union __norn_view view;
    view.parts.mantissa = mantissa;
    view.parts.head = (unsigned short)(exponent | (sign ? 0x8000 : 0));
    return view.number;
}

static int is_special(struct __norn_parts x) {
    return (x.head & 0x7fff) == 0x7fff;
}

static int is_nan(struct __norn_parts x) {
    return is_special(x) && x.mantissa << 1 != 0;
}

static int is_zero(struct __norn_parts x) {
    return (x.head & 0x7fff) == 0 && x.mantissa == 0;
}

static int sign_of(struct __norn_parts x) {
    return x.head >> 15;
}

static long double zero(int sign) {
    return number_of(sign, 0, 0);
}

static long double infinity(int sign) {
    return number_of(sign, 0x7fff, 1ull << 63);
}

/* What an invalid operation gives. */
static long double invalid(void) {
    return number_of(1, 0x7fff, 3ull << 62);
}

/* The one of two operands that is not a number, made quiet; of two the one with the larger mantissa. */
static long double chosen_nan(struct __norn_parts a, struct __norn_parts b) {
    unsigned long long quiet = 1ull << 62;
    if (!is_nan(a) || (is_nan(b) && (b.mantissa | quiet) > (a.mantissa | quiet)))
        a = b;
    return number_of(sign_of(a), 0x7fff, a.mantissa | quiet);
}

/* With a leading one, also if the number is too small to be stored with one. */
static struct __norn_unpacked unpacked(struct __norn_parts x) {
    struct __norn_unpacked result;
    result.sign = sign_of(x);
    result.exponent = x.head & 0x7fff;
    result.mantissa = x.mantissa;
    if (result.exponent == 0)
        result.exponent = 1;
    if (result.mantissa != 0) {
        int zeros = __builtin_clzll(result.mantissa);
        result.mantissa <<= zeros;
        result.exponent -= zeros;
    }
    return result;
}

/* The number nearest to high.low, with 64 bits before the point, which is not zero; the last bit of low also stands for all that is
   behind it. */
static long double rounded(int sign, int exponent, unsigned long long high, unsigned long long low) {
    if (high == 0) {
        high = low;
        low = 0;
        exponent -= 64;
    }
    int zeros = __builtin_clzll(high);
    if (zeros > 0) {
        high = high << zeros | low >> (64 - zeros);
        low <<= zeros;
        exponent -= zeros;
    }
    if (exponent < 1) {
        int down = 1 - exponent;
        if (down > 65)
            down = 66;
        if (down >= 64) {
            unsigned long long rest = low != 0;
            low = down == 64 ? high | rest : down == 65 ? high >> 1 | (high & 1) | rest : 1;
            high = 0;
        } else {
            low = low >> down | high << (64 - down) | (low << (64 - down) != 0);
            high >>= down;
        }
        exponent = 1;
    }
    if (low > 1ull << 63 || (low == 1ull << 63 && (high & 1))) {
        high++;
        if (high == 0) {
            high = 1ull << 63;
            exponent++;
        }
    }
    if (exponent >= 0x7fff)
        return infinity(sign);
    return number_of(sign, high >> 63 ? exponent : 0, high);
}

static long double sum(struct __norn_parts a, struct __norn_parts b) {
    if (is_nan(a) || is_nan(b))
        return chosen_nan(a, b);
    if (is_special(a)) {
        if (is_special(b) && sign_of(a) != sign_of(b))
            return invalid();
        return infinity(sign_of(a));
    }
    if (is_special(b))
        return infinity(sign_of(b));
    if (is_zero(a) && is_zero(b))
        return zero(sign_of(a) && sign_of(b));
    if (is_zero(a))
        return number_of(sign_of(b), b.head & 0x7fff, b.mantissa);
    if (is_zero(b))
        return number_of(sign_of(a), a.head & 0x7fff, a.mantissa);
    struct __norn_unpacked x = unpacked(a), y = unpacked(b);
    if (x.exponent < y.exponent || (x.exponent == y.exponent && x.mantissa < y.mantissa)) {
        struct __norn_unpacked other = x;
        x = y;
        y = other;
    }
    /* One bit further down, so that there is room for a carry. */
    unsigned long long high = x.mantissa >> 1, low = x.mantissa << 63, small_high = 0, small_low = 1;
    int down = x.exponent - y.exponent + 1;
    if (down < 64) {
        small_high = y.mantissa >> down;
        small_low = y.mantissa << (64 - down);
    } else if (down < 128) {
        small_low = y.mantissa >> (down - 64);
        if (down > 64 && y.mantissa << (128 - down) != 0)
            small_low |= 1;
    }
    if (x.sign == y.sign) {
        low += small_low;
        high += small_high + (low < small_low);
    } else {
        high -= small_high + (low < small_low);
        low -= small_low;
        if (high == 0 && low == 0)
            return zero(0);
    }
    return rounded(x.sign, x.exponent + 1, high, low);
}

long double __norn_long_double_add(long double x, long double y) {
    return sum(parts_of(x), parts_of(y));
}

long double __norn_long_double_subtract(long double x, long double y) {
    struct __norn_parts other = parts_of(y);
    if (!is_nan(other))
        other.head ^= 0x8000;
    return sum(parts_of(x), other);
}

long double __norn_long_double_negate(long double x) {
    struct __norn_parts parts = parts_of(x);
    return number_of(!sign_of(parts), parts.head & 0x7fff, parts.mantissa);
}

long double __norn_long_double_multiply(long double x, long double y) {
    struct __norn_parts a = parts_of(x), b = parts_of(y);
    int sign = sign_of(a) != sign_of(b);
    if (is_nan(a) || is_nan(b))
        return chosen_nan(a, b);
    if (is_special(a) || is_special(b))
        return is_zero(a) || is_zero(b) ? invalid() : infinity(sign);
    if (is_zero(a) || is_zero(b))
        return zero(sign);
    struct __norn_unpacked l = unpacked(a), r = unpacked(b);
    unsigned long long l1 = l.mantissa >> 32, l0 = l.mantissa & 0xffffffff;
    unsigned long long r1 = r.mantissa >> 32, r0 = r.mantissa & 0xffffffff;
    unsigned long long low = l0 * r0, middle = l1 * r0 + (low >> 32), other = l0 * r1 + (middle & 0xffffffff);
    unsigned long long high = l1 * r1 + (middle >> 32) + (other >> 32);
    return rounded(sign, l.exponent + r.exponent - 16382, high, other << 32 | (low & 0xffffffff));
}

long double __norn_long_double_divide(long double x, long double y) {
    struct __norn_parts a = parts_of(x), b = parts_of(y);
    int sign = sign_of(a) != sign_of(b);
    if (is_nan(a) || is_nan(b))
        return chosen_nan(a, b);
    if (is_special(a))
        return is_special(b) ? invalid() : infinity(sign);
    if (is_special(b))
        return zero(sign);
    if (is_zero(b))
        return is_zero(a) ? invalid() : infinity(sign);
    if (is_zero(a))
        return zero(sign);
    struct __norn_unpacked l = unpacked(a), r = unpacked(b);
    unsigned long long rest = l.mantissa, high = 0, low = 0;
    int carry = 0;
    /* The first bit is that of the ones. Two bits behind the mantissa and whether anything is left are enough to round by. */
    for (int i = 0; i < 66; i++) {
        unsigned long long bit = carry || rest >= r.mantissa;
        if (bit)
            rest -= r.mantissa;
        if (i < 64)
            high = high << 1 | bit;
        else
            low = low << 1 | bit;
        carry = (int)(rest >> 63);
        rest <<= 1;
    }
    return rounded(sign, l.exponent - r.exponent + 16383, high, low << 62 | (carry || rest != 0));
}

/* -1, 0, 1, or 2 if one of them is not a number. */
int __norn_long_double_compare(long double x, long double y) {
    struct __norn_parts a = parts_of(x), b = parts_of(y);
    if (is_nan(a) || is_nan(b))
        return 2;
    if (is_zero(a) && is_zero(b))
        return 0;
    if (sign_of(a) != sign_of(b))
        return sign_of(a) ? -1 : 1;
    int larger = sign_of(a) ? -1 : 1;
    if (a.head != b.head)
        return (a.head & 0x7fff) > (b.head & 0x7fff) ? larger : -larger;
    if (a.mantissa == b.mantissa)
        return 0;
    return a.mantissa > b.mantissa ? larger : -larger;
}

long double __norn_long_double_of_unsigned(unsigned long long n) {
    if (n == 0)
        return zero(0);
    int zeros = __builtin_clzll(n);
    return number_of(0, 16383 + 63 - zeros, n << zeros);
}

long double __norn_long_double_of_signed(long long n) {
    if (n >= 0)
        return __norn_long_double_of_unsigned((unsigned long long)n);
    return __norn_long_double_negate(__norn_long_double_of_unsigned(0 - (unsigned long long)n));
}

long double __norn_long_double_of_double(double x) {
    union {
        double number;
        unsigned long long bits;
    } view;
    view.number = x;
    int sign = (int)(view.bits >> 63), exponent = (int)(view.bits >> 52 & 0x7ff);
    unsigned long long fraction = view.bits << 12 >> 1;
    if (exponent == 0x7ff)
        return number_of(sign, 0x7fff, 1ull << 63 | fraction | (fraction ? 1ull << 62 : 0));
    if (exponent != 0)
        return number_of(sign, exponent - 1023 + 16383, 1ull << 63 | fraction);
    if (fraction == 0)
        return zero(sign);
    int zeros = __builtin_clzll(fraction);
    return number_of(sign, 16383 - 1022 - zeros, fraction << zeros);
}

/* The bits of a number of a smaller format: so many bits of mantissa, and a bias of the exponent. */
static unsigned long long narrowed(struct __norn_parts x, int width, int bias) {
    int exponent = x.head & 0x7fff, down = 64 - width;
    unsigned long long special = (unsigned long long)(2 * bias + 1) << (width - 1);
    if (is_nan(x))
        return special | 1ull << (width - 2) | (x.mantissa << 1 >> 1) >> down;
    if (exponent == 0x7fff)
        return special;
    exponent += bias - 16383;
    if (exponent < 1) {
        down += 1 - exponent;
        exponent = 1;
    }
    if (down > 64)
        return 0;
    unsigned long long kept = down == 64 ? 0 : x.mantissa >> down, rest = x.mantissa << (64 - down);
    if (rest > 1ull << 63 || (rest == 1ull << 63 && (kept & 1)))
        kept++;
    /* The leading one counts the exponent up, and so does a carry out of the mantissa. */
    unsigned long long bits = ((unsigned long long)(exponent - 1) << (width - 1)) + kept;
    return exponent > 2 * bias || bits > special ? special : bits;
}

double __norn_long_double_to_double(long double x) {
    union {
        unsigned long long bits;
        double number;
    } view;
    struct __norn_parts parts = parts_of(x);
    view.bits = narrowed(parts, 53, 1023) | (unsigned long long)sign_of(parts) << 63;
    return view.number;
}

float __norn_long_double_to_float(long double x) {
    union {
        unsigned int bits;
        float number;
    } view;
    struct __norn_parts parts = parts_of(x);
    view.bits = (unsigned int)narrowed(parts, 24, 127) | (unsigned int)sign_of(parts) << 31;
    return view.number;
}

/* What does not fit becomes the smallest number, as on the processor. */
long long __norn_long_double_to_signed(long double x) {
    struct __norn_parts parts = parts_of(x);
    int exponent = (parts.head & 0x7fff) - 16383;
    if (exponent < 0)
        return 0;
    if (exponent > 62)
        return -0x7fffffffffffffffll - 1;
    long long magnitude = (long long)(parts.mantissa >> (63 - exponent));
    return sign_of(parts) ? -magnitude : magnitude;
}

unsigned long long __norn_long_double_to_unsigned(long double x) {
    struct __norn_parts parts = parts_of(x);
    if ((parts.head & 0x7fff) == 16383 + 63 && !sign_of(parts))
        return parts.mantissa;
    return (unsigned long long)__norn_long_double_to_signed(x);
}
