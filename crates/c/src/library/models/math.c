/* The floating-point functions that a few lines of C can compute exactly. */
#include <math.h>

double fabs(double x) {
    return x < 0 ? -x : x + 0.0;
}

float fabsf(float x) {
    return x < 0 ? -x : x + 0.0f;
}

double fmax(double x, double y) {
    return x != x || x < y ? y : x;
}

double fmin(double x, double y) {
    return x != x || x > y ? y : x;
}

static unsigned long long bits_of(double x) {
    union {
        double number;
        unsigned long long bits;
    } value = {x};
    return value.bits;
}

static double from_bits(unsigned long long bits) {
    union {
        unsigned long long bits;
        double number;
    } value = {bits};
    return value.number;
}

double copysign(double x, double y) {
    const unsigned long long sign = 1ull << 63;
    return from_bits((bits_of(x) & ~sign) | (bits_of(y) & sign));
}

float copysignf(float x, float y) {
    return (float)copysign(x, y);
}

/* From 2^52 on every double is an integer. What lies between -1 and 0 becomes a negative zero. */
double trunc(double x) {
    return x > -0x1p52 && x < 0x1p52 ? copysign((double)(long long)x, x) : x;
}

double floor(double x) {
    double whole = trunc(x);
    return whole > x ? whole - 1 : whole;
}

double ceil(double x) {
    double whole = trunc(x);
    return whole < x ? whole + 1 : whole;
}

/* Two bits of the radicand give one of the root. With a radicand of 108 bits the root has 54, one more than a double: it
   is the one to round by. There are no ties, since an odd root would have an odd square. */
double sqrt(double x) {
    int exponent = (int)(bits_of(x) >> 52);
    unsigned long long fraction = bits_of(x) & 0xfffffffffffff, root = 0, rest = 0;
    if (x == 0 || x != x || x == __builtin_inf())
        return x;
    if (x < 0)
        return (x - x) / (x - x);
    if (exponent == 0)
        for (exponent = 1; fraction < 1ull << 52; exponent--)
            fraction <<= 1;
    else
        fraction |= 1ull << 52;
    /* Now x is fraction * 2^exponent, with an even exponent. */
    exponent -= 1075;
    if (exponent & 1) {
        fraction <<= 1;
        exponent--;
    }
    for (int i = 26; i >= -27; i--) {
        unsigned long long trial = root << 2 | 1;
        rest = rest << 2 | (i >= 0 ? fraction >> 2 * i & 3 : 0);
        root <<= 1;
        if (rest >= trial) {
            rest -= trial;
            root |= 1;
        }
    }
    double scale = from_bits((unsigned long long)(1023 + exponent / 2 - 26) << 52);
    return (double)((root + (root & 1)) >> 1) * scale;
}

/* Rounding twice does no harm here: a double has more than twice as many bits as a float. */
float sqrtf(float x) {
    return (float)sqrt(x);
}

float floorf(float x) {
    return (float)floor(x);
}

float ceilf(float x) {
    return (float)ceil(x);
}

float truncf(float x) {
    return (float)trunc(x);
}

float fmaxf(float x, float y) {
    return x != x || x < y ? y : x;
}

float fminf(float x, float y) {
    return x != x || x > y ? y : x;
}

double fdim(double x, double y) {
    return x <= y ? 0 : x - y;
}

/* Half is rounded away from zero. The difference is exact. */
double round(double x) {
    double whole = trunc(x), rest = x - whole;
    if (rest >= 0.5)
        whole += 1;
    else if (rest <= -0.5)
        whole -= 1;
    return copysign(whole, x);
}

float roundf(float x) {
    return (float)round(x);
}

long lround(double x) {
    return (long)round(x);
}

long long llround(double x) {
    return (long long)round(x);
}

/* Half is rounded to even, as the sum does: beyond 2^52 there are only whole numbers. */
double rint(double x) {
    double large = copysign(0x1p52, x);
    return fabs(x) < 0x1p52 ? copysign(x + large - large, x) : x;
}

double nearbyint(double x) {
    return rint(x);
}

long lrint(double x) {
    return (long)rint(x);
}

double modf(double x, double *whole) {
    *whole = trunc(x);
    return copysign(x - x == 0 ? x - *whole : x != x ? x : 0.0, x);
}
