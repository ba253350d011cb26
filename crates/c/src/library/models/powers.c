/* Floating numbers taken apart and put together, and what can be computed exactly that way. */
#include <math.h>
#include <norn.h>

static unsigned long long bits_of(double x) {
    union {
        double number;
        unsigned long long bits;
    } value = {x};
    return value.bits;
}

/* 2 to the power of -1022 to 1023. */
static double power_of_two(int exponent) {
    union {
        unsigned long long bits;
        double number;
    } value = {(unsigned long long)(1023 + exponent) << 52};
    return value.number;
}

/* The number of the highest bit that is set, from 0. */
static int highest(unsigned long long bits) {
    return 63 - __builtin_clzll(bits);
}

/* Of a finite positive number: an integer and an exponent, so that it is their product in the sense of ldexp. */
static unsigned long long whole_of(double x, int *exponent) {
    unsigned long long bits = bits_of(x) & ~(1ull << 63), fraction = bits & 0xfffffffffffff;
    int biased = (int)(bits >> 52);
    *exponent = (biased ? biased : 1) - 1075;
    return biased ? fraction | 1ull << 52 : fraction;
}

double frexp(double x, int *exponent) {
    *exponent = 0;
    if (x == 0 || x - x != 0)
        return x;
    unsigned long long whole = whole_of(x, exponent);
    int length = highest(whole) + 1;
    *exponent += length;
    return copysign((double)whole * power_of_two(-length), x);
}

/* In steps that are exact, but for the last one. */
double ldexp(double x, int exponent) {
    int before;
    double fraction = frexp(x, &before);
    if (x == 0 || x - x != 0)
        return x;
    long long result = (long long)before + exponent;
    if (result > 1024)
        return copysign(__builtin_inf(), x);
    if (result < -1080)
        return copysign(0.0, x);
    if (result > -1021)
        return fraction * 2 * power_of_two((int)result - 1);
    return fraction * power_of_two((int)result + 1000) * 0x1p-1000;
}

double scalbn(double x, int exponent) {
    return ldexp(x, exponent);
}

/* The remainder of a division is exact: it is computed with integers, bit by bit. */
double fmod(double x, double y) {
    int exponent, unit;
    if (x != x || y != y || x - x != 0 || y == 0)
        return x * y / (x * y);
    if (y - y != 0 || fabs(x) < fabs(y))
        return x;
    unsigned long long rest = whole_of(x, &exponent), divisor = whole_of(y, &unit);
    /* The larger number has the larger exponent, or they are the same. */
    rest %= divisor;
    for (int i = exponent; i > unit && rest; i--)
        rest = (rest << 1) % divisor;
    return copysign(ldexp((double)rest, unit), x);
}

float fmodf(float x, float y) {
    return (float)fmod(x, y);
}

/* The product in two parts, as long as nothing is too small or too large: whether it is exact. */
static _Bool is_exact(double x, double y) {
    int a, b, c;
    double product = x * y;
    if (product == 0 || product - product != 0)
        return x == 0 || y == 0;
    unsigned long long left = whole_of(x, &a), right = whole_of(y, &b), whole = whole_of(product, &c);
    left >>= __builtin_ctzll(left);
    right >>= __builtin_ctzll(right);
    whole >>= __builtin_ctzll(whole);
    return highest(left) + highest(right) < 63 && left * right == whole;
}

/* Powers whose value is a double. C leaves open how close to the truth others are. */
double pow(double x, double y) {
    if (y == 0 || x == 1)
        return 1;
    if (x != x || y != y)
        return x + y;
    if (y != trunc(y) || fabs(y) > 1024 || (x - x != 0 || x == 0))
        __norn_unsupported("a power that is no product, or of zero or infinity");
    double result = 1, base = x;
    for (unsigned long long n = (unsigned long long)fabs(y); n; n >>= 1) {
        if (n & 1) {
            if (!is_exact(result, base))
                __norn_unsupported("a power that is not exactly a 'double'");
            result *= base;
        }
        if (n > 1) {
            if (!is_exact(base, base))
                __norn_unsupported("a power that is not exactly a 'double'");
            base *= base;
        }
    }
    if (y > 0)
        return result;
    double inverse = 1 / result;
    if (!is_exact(inverse, result))
        __norn_unsupported("a power that is not exactly a 'double'");
    return inverse;
}

float powf(float x, float y) {
    double power = pow(x, y);
    if ((float)power != power && power == power)
        __norn_unsupported("a power that is not exactly a 'float'");
    return (float)power;
}
