// Corners: static initialisers, large structs by value, compound assignments of mixed types, order of evaluation, scopes.
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct big { char c[100]; int tail; };
struct inner { short s; union { int i; char c[4]; } u; };
struct outer { struct inner in[2]; struct inner *p; double d; _Bool b : 1; };
static volatile int vol = 3;
static volatile struct inner vs = {1, {2}};
static const struct outer init = {.in[1].u.c = {1, 2, 3, 4}, .d = 1.5, .b = 1};
static int *pointers[3] = {[1] = (int *)&vol};
static char matrix[2][3][4] = {{"abc", {'d', 'e'}}, {[2] = "xyz"}};
static int sizes = sizeof(struct outer) + sizeof matrix[0];
static long address_difference = &matrix[1][2][3] - &matrix[0][0][0];
static double constant = 1.0 / 3 + 7 / 2;
static unsigned long long wide = 1ULL << 63 | 0xffu;
static int negative = -5 / 2 * 2 + -5 % 3;
static const char *tail = "hello" + 2;
static int (*fp)(const char *) = puts;
static _Bool truth = 0.1;
static float narrow = 0.1;
static int conditional = sizeof(int) == 4 ? 10 : 20;
static unsigned char trunc8 = 0x1ff;

static struct big filled(int x) { struct big b; memset(&b, x, sizeof b); b.tail = x * 2; return b; }
static int depth(struct big b, int n) { b.c[n]++; return n ? depth(b, n - 1) + b.c[n] : b.tail; }
static inline int sq(int x) { return x * x; }
static void swap(void *a, void *b, size_t n)
{
    char t[n];
    memcpy(t, a, n), memcpy(a, b, n), memcpy(b, t, n);
}
static int noisy(int *log, int value) { *log = *log * 10 + value; return value; }

int main(void)
{
    printf("static: %d %ld %.6f %llx %d %s\n", sizes, address_difference, constant, wide, negative, tail);
    printf("static: %d %.9g %d %d %d\n", truth, narrow, conditional, trunc8, *pointers[1]);
    fp("puts");
    printf("init: %d %x %.1f %d %d\n", init.in[0].s, init.in[1].u.i, init.d, init.b, init.p == NULL);
    vol += vs.u.i, vs.s = vol++, vs.u.c[1]--;
    printf("volatile: %d %d %x\n", vol, vs.s, vs.u.i);
    printf("matrix: %s %.2s %s %d\n", matrix[0][0], matrix[0][1], matrix[1][2], matrix[1][0][0]);
    struct big b = filled(7);
    printf("big: %d %d %d\n", b.c[99], b.tail, depth(b, 5));
    struct outer o = init, o2;
    o.p = &o.in[1];
    o2 = o;
    o.p->u.i++;
    printf("outer: %x %x %d\n", o.in[1].u.i, o2.in[1].u.i, o2.p->u.c[0]);
    swap(&o, &o2, sizeof o);
    printf("swap: %x\n", o.in[1].u.i);
    int log = 0;
    int r = noisy(&log, 1) && noisy(&log, 0) || noisy(&log, 3) ? noisy(&log, 4) : noisy(&log, 5);
    printf("order: %d %d\n", r, log);
    char c = 'a';
    c += 1.9, c <<= 1;
    printf("char: %d\n", c);
    int8_t i8 = -128;
    i8 = -i8;
    printf("i8: %d %d %d\n", i8, i8 / -1, (int8_t)(i8 - 1));
    uint16_t u16 = 65535;
    printf("u16: %d %u\n", u16 * u16 < 0, (unsigned)(u16 * u16));
    u16 >>= 4, u16 *= 17, u16 = ~u16;
    printf("u16: %u\n", u16);
    unsigned u = 5;
    int m = -10;
    m /= (int)u, u -= 10, m += u;
    printf("mixed: %d %u %d\n", m, u, m > u);
    long long ll = INT_MAX;
    ll *= 2, ll <<= 20;
    int cut = ll;
    printf("ll: %lld %d %d\n", ll, cut, (int)(ll >> 21));
    printf("int64: %lld %llu\n", (long long)INT64_MIN, (unsigned long long)(INT64_MIN + (uint64_t)1));
    printf("shifts: %d %d %u\n", -1 >> 1, (int8_t)0x80 >> 7, (uint8_t)0x80 >> 7);
    printf("ptr: %d %d\n", (char *)&b.tail - b.c, &b.c[3] > &b.c[2]);
    uintptr_t n = (uintptr_t)&b.c[10];
    n -= 4;
    *(char *)n = 42;
    printf("uintptr: %d\n", b.c[6]);
    void *vp = &b;
    printf("cast: %d\n", ((struct big *)vp)->c[6]);
    int arr[5] = {1, 2, 3, 4, 5}, *e = arr + 5, s = 0;
    while (e-- > arr) s = s * 10 + *e;
    printf("down: %d\n", s);
    int (*pa)[5] = &arr;
    printf("pa: %d %lu %ld\n", (*pa)[2], sizeof *pa, (long)((char *)(pa + 1) - (char *)pa));
    struct { int a; struct { int b, c; } d; } anon = {1, 2, 3}, *ap = &anon;
    ap->d.c += ap->a-- + --ap->d.b;
    printf("anon: %d %d %d\n", anon.a, anon.d.b, anon.d.c);
    printf("comma: %d\n", (s = 1, s += 2, s) + sq((s, 4)));
    printf("ternary: %d\n", s > 2 ? s > 3 ? 1 : 2 : 3);
    enum e { A = INT_MAX, B = -1 } en = A;
    printf("enum: %d %lu\n", en == INT_MAX, sizeof en);
    enum big_e { C = 0xffffffff } be = C;
    printf("enum: %d\n", be > 0);
    union { struct { unsigned a : 12, b : 20; } f; uint32_t w; uint8_t y[4]; } un = {{0xabc, 0x12345}};
    un.y[1] ^= 0xf0;
    printf("un: %x %x %x\n", un.w, un.f.a, un.f.b);
    printf("string: %s %lu\n", __func__, sizeof(__func__));
    for (int i = 0, j; i < 3; i++) { j = i ? j + i : 10; if (i == 2) printf("kept: %d\n", j >= 10); break; }
    goto in;
    { int skipped; in: skipped = 4; printf("goto: %d\n", skipped); }
    static int matrix2[2][2] = {1, 2, 3};
    int *flat = &matrix2[0][0];
    printf("flat: %d %d\n", flat[2], flat[3]);
    printf("literal: %d %s\n", (struct inner){.u.c = "ab"}.u.c[1], &"offset"[3]);
    printf("u8: %s %lu %d\n", u8"é", sizeof u8"é", L'é');
    int vla_n = 4;
    typedef int row[vla_n];
    vla_n = 9;
    row rr;
    printf("row: %lu\n", sizeof rr);
    switch ((char)300) { case 44: printf("forty-four\n"); }
    switch (3u) { case -1: break; case 3: printf("three\n"); }
    do ; while (0);
    return 0;
}
