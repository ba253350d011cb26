/* Questions about floating-point numbers, and a few other built-in functions. */
#include <stdio.h>

static void ask(double x, double y) {
    printf("%d %d ", __builtin_isunordered(x, y), __builtin_islessgreater(x, y));
    printf("%d %d %d ", __builtin_isinf(x) != 0, __builtin_isfinite(x) != 0, __builtin_isnormal(x) != 0);
    printf("%d %d %d\n", __builtin_isnan(x) != 0, __builtin_signbit(x) != 0, __builtin_isgreater(x, y));
}

static void classes(void) {
    struct { int a; } s;
    union { int a; } u;
    int a[2];
    printf("%d %d %d %d ", __builtin_classify_type(1), __builtin_classify_type('c'), __builtin_classify_type(1.5f), __builtin_classify_type(a));
    printf("%d %d %d\n", __builtin_classify_type(s), __builtin_classify_type(u), __builtin_classify_type(1.0i));
}

int main(void) {
    double nan = __builtin_nan(""), inf = __builtin_inf();
    ask(1, 2);
    ask(nan, 2);
    ask(1, nan);
    ask(inf, 1);
    ask(-inf, -inf);
    ask(-0.0, 0.0);
    ask(1e-310, 0);
    ask(-1e300, 3);
    printf("%g %g %g\n", __builtin_copysign(3.0, -0.0), (double)__builtin_copysignf(-2.0f, 1.0f), __builtin_fabs(-1.5));
    printf("%d %d %d\n", __builtin_isinff(1e38f) != 0, __builtin_finite(inf) != 0, __builtin_isnanf(0.0f) != 0);
    printf("%d %d %d %d\n", __builtin_clrsb(0), __builtin_clrsb(-1), __builtin_clrsb(0x1234), __builtin_clrsbll(-256));
    classes();
    return 0;
}
