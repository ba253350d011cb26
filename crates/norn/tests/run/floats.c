// Floating point: arithmetic of both widths, conversions, comparison with NaN, signed zeros, formats.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static unsigned bits(float f)
{
    unsigned u;
    memcpy(&u, &f, sizeof u);
    return u;
}

static unsigned long long long_bits(double d)
{
    union {
        double d;
        unsigned long long u;
    } both = {d};
    return both.u;
}

static double half(double x) { return x / 2; }
static float third(int x) { return x / 3.0f; }

int main(void)
{
    float f = 0.1f, g = 3;
    double d = 0.1;
    printf("float: %.9g %.9g %.9g %.9g\n", f + g, f - g, f * g, f / g);
    printf("double: %.17g %.17g %.17g\n", d + 0.2, d * 3, d / 3);
    printf("bits: %08x %016llx\n", bits(f), long_bits(d));
    printf("mixed: %.17g %d %d\n", f + d, f == d, f < d);
    printf("ints: %d %d %d %u\n", (int)2.9, (int)-2.9, (int)1e9f, (unsigned)3e9);
    printf("ints: %lld %llu %d\n", (long long)-1e15, (unsigned long long)1.5e19, (signed char)-100.7);
    printf("from: %.1f %.1f %.1f\n", (float)16777217, (double)16777217, (float)-1LL);
    printf("from: %.1f %.1f %.1f\n", (double)18446744073709551615ull, (float)0x7fffffbf, (double)4294967295u);
    printf("arguments: %.6f %.6f\n", half(5), third(1));
    double nan = NAN, inf = INFINITY, zero = 0.0;
    printf("nan: %d %d %d %d %d %d\n", nan == nan, nan != nan, nan < 1, nan > 1, nan <= nan, !(nan >= nan));
    printf("nan: %s %s\n", nan ? "true" : "false", nan < 0 || nan >= 0 ? "ordered" : "unordered");
    printf("inf: %f %f %d %d\n", inf, -inf, inf > DBL_MAX, 1 / -inf == 0);
    printf("zero: %f %d %d %f\n", -zero, -zero == zero, !-zero, 1 / -zero);
    printf("logic: %d %d %d\n", !0.5, 0.5 && 1, (_Bool)1e-300);
    d = 1;
    d += 2, d *= 1.5f, d -= 1, d /= 4, d++;
    printf("compound: %g\n", d);
    int i = 10;
    i *= 1.25;
    i -= 0.5;
    printf("compound: %d\n", i);
    unsigned char c = 250;
    c += 3.9f;
    printf("compound: %d\n", c);
    printf("limits: %g %g %g %d\n", FLT_MAX, DBL_MIN, FLT_EPSILON, DBL_DIG);
    printf("literals: %g %g %g %g\n", 1e3, .5, 0x1.8p3, 1.f);
    printf("formats: %f %.0f %.3e %g %g %G\n", 3.14159, 2.5, 12345.678, 1e-5, 123456789.0, 1e20);
    printf("formats: [%8.2f] [%-8.2f] [%08.2f] [%+.1f] [% .1f]\n", 3.14159, 3.14159, -3.14159, 1.0, 1.0);
    printf("formats: %#.0f %#g %.3g %.10g\n", 1.0, 1.0, 0.00012345, 1.0 / 3);
    printf("condition: %g %lu\n", 1 ? 1 : 2.0, sizeof(1 ? 1.0f : 2));
    printf("fabs: %g %g %g\n", fabs(-2.5), floor(-2.5), ceil(-2.5));
    printf("whole: %g %g %g %g %g\n", trunc(-0.5), ceil(-0.5), floor(-0.0), trunc(-1e17), floor(0.5));
    printf("fmax: %g %g\n", fmax(1, 2), fmin(1, nan));
    for (double y = 1e-320; y < 1e300; y = y * 9713.7 + 1e-300)
        printf("sqrt: %016llx %08x\n", long_bits(sqrt(y)), bits(sqrtf((float)y)));
    printf("sqrt: %g %g %g %g %d\n", sqrt(2.25), sqrt(-zero), sqrt(inf), sqrt(DBL_MAX), sqrt(-1) != sqrt(-1));
    printf("classes: %d %d %d\n", isnan(nan) != 0, isinf(inf) != 0, signbit(-zero) != 0);
    float sum = 0;
    for (int k = 1; k <= 100; k++)
        sum += 1.0f / k;
    printf("sum: %.9g %08x\n", sum, bits(sum));
    double x = 1;
    for (int k = 0; k < 30; k++)
        x = x - (x * x - 2) / (2 * x);
    printf("root: %.17g\n", x);
    float subnormal = FLT_MIN / 4;
    printf("subnormal: %g %08x\n", subnormal, bits(subnormal));
    return 0;
}
