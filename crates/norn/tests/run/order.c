// What is evaluated, and in which order where compilers agree.
#include <stdarg.h>
#include <stdio.h>

static unsigned x[1] = {2};
static int g = 1;
static int *p;
static int cells[4] = {1, 2, 3, 4};

static unsigned change(void) {
    x[0] |= 128;
    return 1;
}

static int set(int value) {
    g = value;
    return value;
}

static int advance(void) {
    p++;
    return 1;
}

// The lengths of parameters that are arrays are evaluated.
static int lengths(int a, int b[a++], int c, int d[c++][c++]) {
    return a * 10 + c + (b == d[0]);
}

static int expected(int z) {
    if (__builtin_expect(g ? x[0] == 0 : 0, z++))
        return 7;
    return z;
}

static int lists(const char *format, ...) {
    va_list both[2], *at = both;
    va_start(both[0], format);
    int first = va_arg(both[0], int);
    va_end(*at++);
    va_start(*at, format);
    first += va_arg(*at, int);
    va_end(*at);
    return first + (at == both + 1);
}

struct fields {
    unsigned a : 3;
    unsigned b : 31;
    unsigned long long c : 40;
    signed s : 5;
};

int main(void) {
    x[0] |= change();
    printf("%u\n", x[0]);
    g += set(5);
    printf("%d\n", g);
    g -= (g = 3, 1);
    printf("%d\n", g);
    g *= ({ g = 6; 2; });
    printf("%d\n", g);
    p = cells;
    p += advance();
    printf("%d\n", *p);
    int e[20];
    printf("%d\n", lengths(1, e, 1, (void *)e));
    printf("%d\n", expected(10));
    printf("%d\n", lists("", 20));
    // A bit-field that is cast to its own type is promoted no more.
    struct fields f = {3, 3, 3, -3};
    printf("%d %d\n", (unsigned)f.a - 4 > 0, f.a - 4 > 0);
    printf("%d %d\n", (unsigned)f.b - 4 > 0, f.b - 4 > 0);
    printf("%llx %llx\n", (unsigned long long)f.c - 4, (unsigned long long)(f.c - 4));
    printf("%llx %llx\n", ((unsigned long long)f.c - 4) + 4, ((unsigned long long)(f.c - 4)) + 4);
    printf("%d %d\n", -1 < (unsigned)f.a, -1 < f.a);
    printf("%d\n", (signed)f.s < 0);
    return 0;
}
