/* `long double`, in the format of the x87. */
#include <float.h>
#include <stdio.h>
#include <string.h>

static long double at_start = 0.1L, third, list[3] = {1, 2.5L, 1e4000L};
static _Complex long double z = 1.0L + 2.0iL;

static void show(const char *what, long double x) {
    unsigned char bytes[16];
    memcpy(bytes, &x, sizeof x);
    printf("%s: ", what);
    for (int i = 9; i >= 0; i--)
        printf("%02x", bytes[i]);
    printf("\n");
}

static long double power(long double base, int n) {
    long double result = 1;
    while (n-- > 0)
        result *= base;
    return result;
}

static long double pass(int n, long double x, char c, long double y) {
    return n ? x - c : y;
}

struct holder {
    char c;
    long double x;
};

int main(void) {
    long double a = 3, b = 0.7L, c = -1.25;
    volatile long double tiny = LDBL_MIN, huge = LDBL_MAX;
    show("start", at_start);
    show("list", list[2]);
    show("sum", a + b);
    show("difference", b - a);
    show("product", b * b);
    show("quotient", a / b);
    show("negative", -b);
    show("power", power(10, 30));
    show("small", tiny / 3);
    show("smallest", tiny * LDBL_EPSILON);
    show("none", tiny * LDBL_EPSILON / 2);
    show("large", huge * 2);
    show("epsilon", 1 + LDBL_EPSILON);
    show("half", 1 + LDBL_EPSILON / 2);
    third = 1;
    third /= 3;
    show("third", third);
    show("from double", 1.0 / 3);
    show("from float", 0.1f);
    show("from unsigned", 0xffffffffffffffffull);
    show("from signed", -0x7fffffffffffffffll - 1);
    printf("%.17g %.9g\n", (double)b, (double)(float)third);
    printf("%d %u %lld %llu\n", (int)-2.9L, (unsigned)3.99L, (long long)(third * 1e18L), (unsigned long long)1.5e19L);
    printf("%d %d %d %d %d %d\n", a < b, a > b, a <= a, a >= b, a == 3, b != 0.7);
    long double nan = huge * 2 - huge * 2;
    printf("%d %d %d %d %d\n", nan == nan, nan < a, nan >= a, nan != nan, !(nan > a));
    printf("%d %d %d\n", a ? 1 : 2, !c, b && c - c);
    a += 1;
    a *= c;
    a -= 0.5f;
    show("updated", a++);
    show("after", --a);
    int n = 10;
    n *= 1.55L;
    n += b;
    printf("%d\n", n);
    struct holder h = {'x', b}, g = h;
    g.x += 1;
    show("member", g.x - h.x);
    show("passed", pass(1, 2.5L, 2, 0));
    show("chosen", n > 3 ? b : 1);
    show("complex", __imag__(z * z));
    printf("%d %d %d\n", (int)sizeof a, (int)sizeof h, LDBL_MANT_DIG);
    return 0;
}
