/* Arithmetic with 128 bits: every operator on special and on random values. */
#include <stdarg.h>
#include <stdio.h>

typedef __int128 wide;
typedef unsigned __int128 uwide;
typedef unsigned long half;

static half hash = 14695981039346656037ul;

static void show(const char *what, uwide x) {
    printf("%s %016lx%016lx\n", what, (half)(x >> 64), (half)x);
}

static void mix(uwide x) {
    hash = (hash ^ (half)x) * 1099511628211ul;
    hash = (hash ^ (half)(x >> 64)) * 1099511628211ul;
}

static half state = 88172645463325252ul;

static half next(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static uwide join(half high, half low) { return (uwide)high << 64 | low; }

/* Numbers of many lengths, so that divisions take all paths. */
static uwide any(void) {
    half high = next(), low = next();
    uwide x = join(high, low);
    int drop = (int)(next() % 128);
    if (next() % 4 == 0)
        x = ~x;
    return next() % 2 ? x >> drop : x;
}

static void operators(uwide a, uwide b) {
    wide s = (wide)a, t = (wide)b;
    mix(a + b);
    mix(a - b);
    mix(a * b);
    mix(a & b);
    mix(a | b);
    mix(a ^ b);
    mix(~a);
    mix(-a);
    mix((uwide)(s + t));
    mix((uwide)(s - t));
    mix((uwide)(s * t));
    mix((uwide)-s);
    if (b != 0) {
        mix(a / b);
        mix(a % b);
        if (!(s == (wide)((uwide)1 << 127) && t == -1)) {
            mix((uwide)(s / t));
            mix((uwide)(s % t));
        }
    }
    mix(a << (int)(b % 128));
    mix(a >> (int)(b % 128));
    mix((uwide)(s >> (int)(b % 128)));
    mix(a << (b & 127));
    mix((a < b) | (a <= b) << 1 | (a > b) << 2 | (a >= b) << 3 | (a == b) << 4 | (a != b) << 5);
    mix((s < t) | (s <= t) << 1 | (s > t) << 2 | (s >= t) << 3 | (s == t) << 4 | (s != t) << 5);
    mix(!a | !!b << 1 | (a && b) << 2 | (a || b) << 3 | (a ? 16 : 32));
    mix(a ? b : a);
}

static void conversions(uwide a) {
    wide s = (wide)a;
    mix((uwide)(signed char)a);
    mix((unsigned short)a);
    mix((uwide)(int)a);
    mix((unsigned)a);
    mix((uwide)(long)s);
    mix((half)s);
    mix((_Bool)a);
    union { double d; half h; } d;
    union { float f; unsigned h; } f;
    d.d = (double)a;
    mix(d.h);
    d.d = (double)s;
    mix(d.h);
    f.f = (float)s;
    mix(f.h);
    f.f = (float)(a >> 1);
    mix(f.h);
    mix((uwide)(double)(a >> 1));
    mix((uwide)(wide)(double)(s / 4));
    mix((uwide)(wide)(float)(s / 4));
}

static void updates(uwide a, uwide b) {
    uwide x = a;
    mix(x++);
    mix(++x);
    mix(x--);
    mix(--x);
    x += b;
    x -= 5;
    x *= 3;
    x ^= b;
    x |= 0x10;
    x &= ~(uwide)1;
    x <<= 3;
    x >>= b & 31;
    mix(x);
    x = a;
    x /= b | 1;
    mix(x);
    x = a;
    x %= b | 1;
    mix(x);
    wide s = (wide)a;
    s /= 7;
    mix((uwide)s);
    s %= -1000003;
    mix((uwide)s);
    s >>= 5;
    mix((uwide)s);
    int i = (int)a;
    i += (wide)b;
    i ^= b;
    i <<= (uwide)3;
    mix((unsigned)i);
    unsigned long l = (half)a;
    l *= b;
    l %= (b & 0xffff) + ((uwide)1 << 64);
    mix(l);
    double d = 1.5;
    d += (wide)(int)b;
    mix((uwide)(wide)d);
    uwide y = x = b;
    mix(x + y);
    x = 3;
    x *= 1.5;
    mix(x);
}

/* As parameters, results, members, elements, and through pointers. */
struct holder {
    char c;
    wide w;
    uwide u[2];
};

static wide sum(int n, ...) {
    va_list args;
    va_start(args, n);
    wide total = 0;
    for (int i = 0; i < n; i++)
        total += va_arg(args, wide);
    va_end(args);
    return total;
}

static wide many(wide a, int b, uwide c, struct holder h, wide *p) {
    *p = a + b;
    h.w -= 1;
    return a - (wide)c + h.w + (wide)h.u[1];
}

static struct holder held(wide w) {
    struct holder h = { 'x', w, { 1, 2 } };
    h.u[1] = (uwide)w << 1;
    return h;
}

static const uwide ones = ~(uwide)0;
static const wide least = (wide)((uwide)1 << 127);
static wide table[] = { 1, -1, (wide)1 << 100, -((wide)5 << 64) / 3, 1e30, (wide)-1e20 };
static uwide copy = ones - 1;
static struct holder fixed = { 'f', -2, { ones >> 60, 9 } };
enum { few = (int)(((wide)1 << 70) >> 68), cmp = ~(uwide)0 > 5, neg = (wide)((uwide)1 << 127) < 0 };

int main(void) {
    static const half edges[] = { 0, 1, 2, 3, 0x7fffffff, 0x80000000, 0xffffffff, 0x100000000, 0x7fffffffffffffff,
                                  0x8000000000000000, 0x8000000000000001, 0xfffffffffffffffe, 0xffffffffffffffff };
    enum { count = sizeof edges / sizeof *edges };
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++) {
            uwide a = join(edges[i], edges[j]);
            operators(a, join(edges[(i + 5) % count], edges[(j * 7 + i) % count]));
            operators(a, edges[i]);
            operators(edges[j], a);
            conversions(a);
        }
    printf("edges %016lx\n", hash);
    for (int i = 0; i < 400; i++) {
        uwide a = any(), b = any();
        operators(a, b);
        conversions(a);
        updates(a, b);
    }
    printf("random %016lx\n", hash);

    wide w = -3, *p = &w;
    show("many", (uwide)many((wide)7 << 66, -1, 12, held(-9), p));
    show("through", (uwide)*p);
    show("sum", (uwide)sum(3, (wide)1 << 80, (wide)-5, *p));
    show("member", held(-1).u[1]);
    show("comma", (w++, (uwide)w));
    show("statement", (uwide)({ wide in = w; in * in; }));
    show("conditional", (uwide)(w > 0 ? w : -w));
    for (unsigned i = 0; i < sizeof table / sizeof *table; i++)
        show("table", (uwide)table[i]);
    show("copy", copy);
    show("fixed", (uwide)fixed.w ^ fixed.u[0] ^ fixed.u[1]);
    printf("%d %d %d %d %d\n", few, cmp, neg, (int)sizeof(wide), (int)_Alignof(struct holder));
    void *address = &w;
    uwide number = (uwide)address | ones << 64;
    printf("%d %d\n", (void *)number == address, (void *)(half)(number >> 0) == address);
    volatile wide v = 5;
    v += 1;
    v = v * v;
    show("volatile", (uwide)v);
    printf("%d\n", w < 0 ? 1 : w == 0 ? 2 : 3);
    while (number >>= 9)
        mix(number);
    return 0;
}
