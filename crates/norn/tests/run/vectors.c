/* GNU vectors: operators by elements, comparisons, numbers beside them, elements as places, casts, shuffles. */
#include <stdio.h>

typedef int v4 __attribute__((vector_size(16)));
typedef unsigned u4 __attribute__((vector_size(16)));
typedef short s8 __attribute__((vector_size(16)));
typedef unsigned char b16 __attribute__((vector_size(16)));
typedef float f4 __attribute__((vector_size(16)));
typedef double d2 __attribute__((vector_size(16)));
typedef long long l1 __attribute__((vector_size(8)));
typedef short s4 __attribute__((vector_size(8)));

static v4 at_start = {1, 2, 3};
static const f4 halves = {0.5f, 1.5f, 2.5f, 3.5f};
static v4 several[2] = {{1, 2, 3, 4}, {5, 6}};

static void show(const char *what, v4 v) {
    printf("%s: %d %d %d %d\n", what, v[0], v[1], v[2], v[3]);
}

static v4 twice(v4 v) {
    return v + v;
}

static int index_calls;
static int next(void) {
    return index_calls++ & 3;
}

struct holder {
    char c;
    v4 v;
};

union view {
    v4 v;
    int a[4];
    unsigned char bytes[16];
};

int main(void) {
    v4 a = {1, -2, 3, 40}, b = {7, 7, -7, 3};
    show("start", at_start);
    show("sum", a + b);
    show("difference", a - b);
    show("product", a * b);
    show("quotient", a / b);
    show("remainder", a % b);
    show("and", a & b);
    show("or", a | b);
    show("xor", a ^ b);
    show("left", a << (v4){1, 2, 3, 4});
    show("right", a >> 1);
    show("number", 10 - a);
    show("number after", a * 3);
    show("negative", -a);
    show("complement", ~a);
    show("less", a < b);
    show("equal", a == (v4){1, 2, 3, 40});
    show("at least", a >= 3);
    show("passed", twice(a));
    show("several", several[0] + several[1]);

    u4 u = {1, 0xffffffff, 3, 4};
    u = u + 1;
    printf("%u %u %u\n", u[0], u[1], (u >> 1)[3]);
    show("unsigned compared", (v4)(u > 2));
    s8 s = {30000, -30000, 1, 2, 3, 4, 5, 6};
    s = s + s;
    printf("%d %d %d\n", s[0], s[1], s[7]);
    b16 c = {250, 1, 2};
    c += 10;
    c = c * c;
    printf("%d %d %d %d\n", c[0], c[1], c[2], c[15]);
    f4 f = halves * 2 + (f4){1, 2, 3, 4};
    printf("%g %g %g %g\n", f[0], f[1], f[2], f[3]);
    show("floats compared", f > halves * 4);
    d2 d = {1.0, 3.0};
    d /= 4;
    printf("%g %g\n", d[0], d[1]);

    a[next()] = 100;
    a[next()] += 5;
    ++a[3];
    show("elements", a);
    a += b;
    a <<= 1;
    show("updated", a);
    v4 *p = &a;
    (*p)[2] = 9;
    p[0] -= 1;
    show("through a pointer", *p);
    printf("%d\n", (a + b)[1]);

    struct holder h = {'h', {1, 2, 3, 4}}, g = h;
    g.v[0] = 8;
    show("holder", h.v * g.v);
    union view view = {a};
    printf("%d %d %d\n", view.a[0], view.a[3], view.bytes[0]);
    s4 four = (s4)0x0004000300020001LL;
    l1 one = (l1)four;
    printf("%d %d %llx\n", four[0], four[3], (unsigned long long)one[0]);
    printf("%llx\n", (unsigned long long)(long long)(four + four));
    show("bits", (v4)(f4){1.0f, -0.0f, 2.0f, 0.5f});
    v4 mask = {3, 2, 5, 0};
    show("shuffled", __builtin_shuffle(b, mask));
    show("two shuffled", __builtin_shuffle(b, several[0], mask));
    show("chosen", index_calls > 1 ? a : b);
    v4 local[2] = {[1] = {4, 5}};
    show("designated", local[0] + local[1]);
    printf("%d %d %d\n", (int)sizeof(v4), (int)__alignof__(v4), (int)sizeof(struct holder));
    return 0;
}
