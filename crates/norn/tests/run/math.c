// Floating functions whose results are exact, so that every library gives the same.
#include <math.h>
#include <stdio.h>

static volatile double zero = 0.0, huge = 1e300, tiny = 5e-324;

static void show(const char *name, double x) {
    printf("%s %.17g\n", name, x);
}

static void rounding(double x) {
    printf("%g: %g %g %g %g %g %g %ld %ld\n", x, round(x), rint(x), nearbyint(x), trunc(x), floor(x), ceil(x), lround(x), lrint(x));
    double whole, rest = modf(x, &whole);
    printf("%g + %g\n", whole, rest);
}

static void parts(double x) {
    int exponent;
    double fraction = frexp(x, &exponent);
    printf("%.17g %d %.17g\n", fraction, exponent, ldexp(fraction, exponent));
}

int main(void) {
    double some[] = {0.0, -0.0, 0.5, -0.5, 1.5, 2.5, -2.5, 0.49999999999999994, 4503599627370497.5, 1e15 + 0.5, -3.75};
    for (unsigned i = 0; i < sizeof some / sizeof *some; i++)
        rounding(some[i]);
    double more[] = {1, -8, 0.1, 1e308, 5e-324, 3e-310, 0.0};
    for (unsigned i = 0; i < sizeof more / sizeof *more; i++)
        parts(more[i]);
    show("fmod", fmod(7.5, 2));
    show("fmod", fmod(-7.5, 2));
    show("fmod", fmod(huge, 3));
    show("fmod", fmod(1e17, tiny));
    show("fmod", fmod(0.3, 0.1));
    show("fmod", fmod(2, 1 / zero));
    printf("fmod %d %d\n", isnan(fmod(1, zero)), isnan(fmod(1 / zero, 1)));
    show("fmodf", fmodf(5.5f, 1.25f));
    show("pow", pow(2, 10));
    show("pow", pow(-3, 5));
    show("pow", pow(2, -1074 + 60));
    show("pow", pow(1.5, 8));
    show("pow", pow(10, 22));
    show("pow", pow(7, 0));
    show("powf", powf(2, 20));
    show("ldexp", ldexp(0x1.8p0, -1075));
    show("ldexp", ldexp(0x1p0, -1075));
    show("ldexp", ldexp(3, 1022));
    show("ldexp", ldexp(3, 5000));
    show("scalbn", scalbn(tiny, 1074));
    show("fdim", fdim(3, 5) + fdim(5, 3));
    show("floats", roundf(2.5f) + floorf(-1.5f) + ceilf(1.25f) + truncf(-9.75f) + fmaxf(1, 2) + fminf(3, 4));
    long double third = 31.25L;
    printf("%Lf %.1Lf %10.2Lf|%Lg\n", third, third + 1, -third, third / 2);
    int n = 2147483647, m = 1;
    unsigned char c = 0;
    enum { FITS = !__builtin_add_overflow_p(100, 27, (signed char)0), DOES_NOT = __builtin_mul_overflow_p(1ull << 63, 1ull << 63, 0ull) };
    printf("%d %d %d %d %d", FITS, DOES_NOT, __builtin_add_overflow_p(n, m, (int)0), __builtin_add_overflow_p(n, m, 0l), __builtin_sub_overflow_p(m, 2, c++));
    printf(" %d %d\n", __builtin_mul_overflow_p(n, -m, 0u), c);
    return 0;
}
