// Bit-fields wider than int have types of their own width, as in GCC.
#include <stdio.h>

struct fields {
    unsigned long long u32 : 32;
    unsigned long long u33 : 33;
    unsigned long long u40 : 40;
    unsigned long long u63 : 63;
    unsigned long long u64 : 64;
    long long s33 : 33;
    long long s40 : 40;
    long long s63 : 63;
    unsigned long l40 : 40;
};

struct fields a = {0xffffffff, 0x1ffffffff, 0xffffffffff, 0x7fffffffffffffff, -1, -1, -1, -1, 0xffffffffff};
struct fields b = {0x80000000, 0x100000000, 0x8000000000, 0x4000000000000000, 1, 5, 0x7fffffffff, 7, 3};

#define SHOW(e) printf("%s = %llx\n", #e, (unsigned long long)(e))

#define PAIRS(f, g) \
    SHOW(a.f + b.g); SHOW(a.f - b.g); SHOW(b.f - a.g); SHOW(a.f * b.g); SHOW(a.f / b.g); SHOW(b.f % b.g); \
    SHOW(a.f & b.g); SHOW(a.f ^ b.g); SHOW(a.f < b.g); SHOW(b.f < a.g); SHOW(a.f == a.g); SHOW(a.f > -b.g); \
    SHOW((b.f < a.g ? a.f : a.g) << 3)

#define WITH(f, x) \
    SHOW(a.f + (x)); SHOW(b.f - (x)); SHOW((x) - b.f); SHOW(a.f * (x)); SHOW(a.f / (x)); SHOW(a.f < (x)); \
    SHOW((x) == a.f); SHOW((a.f | (x)) >> 1); SHOW(a.f % (x))

#define ALONE(f) \
    SHOW(a.f << 3); SHOW(a.f << 3 >> 3); SHOW(b.f << 1); SHOW(-b.f); SHOW(~b.f); SHOW(+a.f << 8); SHOW(~a.f == 0); \
    SHOW((0, a.f) << 2); SHOW(-a.f >> 1); SHOW(!a.f)

int main(void) {
    int minus = -1;
    unsigned u = 0xfffffff0;
    long l = -3;
    unsigned long ul = -5;
    signed char c = -7;
    ALONE(u32); ALONE(u33); ALONE(u40); ALONE(u63); ALONE(u64); ALONE(s33); ALONE(s40); ALONE(s63); ALONE(l40);
    PAIRS(u33, u33); PAIRS(u33, u40); PAIRS(u40, u33); PAIRS(u40, s40); PAIRS(s40, u40); PAIRS(s33, s40);
    PAIRS(s33, u40); PAIRS(u33, s40); PAIRS(u63, u64); PAIRS(u64, s63); PAIRS(u32, u33); PAIRS(l40, s40);
    WITH(u32, minus); WITH(u33, minus); WITH(u40, minus); WITH(u63, minus); WITH(s33, minus); WITH(s40, u);
    WITH(u40, u); WITH(u40, l); WITH(u63, l); WITH(s33, ul); WITH(u40, ul); WITH(l40, c); WITH(s63, c); WITH(u40, 1);
    WITH(u33, -1LL); WITH(u40, 0x123456789abcdefULL);
    SHOW(++a.u33); SHOW(--a.u33); SHOW(a.u33++ + 1); SHOW(a.u33--); SHOW(++a.s40); SHOW(b.s40 += 1);
    SHOW(b.u40 /= minus); SHOW(a.u40 /= minus); SHOW(a.u40 -= 2); SHOW(a.u40 %= minus); SHOW(a.u40 <<= 9);
    SHOW(a.u40 >>= 3); SHOW((a.u40 = -1) + 1); SHOW((a.s33 = 0xffffffffffULL) - 1); SHOW(a.u40 *= l);
    SHOW(a.u40 += 1.5); SHOW(a.u40 * 0.5);
    return 0;
}
