// Bit-fields: signs, wrapping, units that they share, fields that would straddle, packed records, unions of them.
#include <stdio.h>
#include <string.h>

struct flags {
    unsigned a : 3;
    signed b : 4;
    int c : 5;
    unsigned d : 20;
    unsigned e : 1;
};
struct straddle {
    unsigned x : 20;
    unsigned y : 20;
    unsigned long long z : 40;
    unsigned : 0;
    unsigned char w : 3;
};
struct __attribute__((packed)) tight {
    unsigned x : 20;
    unsigned y : 20;
    unsigned long long z : 45;
    signed char w : 3;
};
struct small {
    unsigned char lo : 4, hi : 4;
    _Bool yes : 1;
    unsigned short rest : 9;
};
union view {
    struct {
        unsigned sign_and_more : 9;
        signed tail : 23;
    } parts;
    unsigned whole;
};

static void bytes(const char *name, const void *from, unsigned long size)
{
    const unsigned char *byte = from;
    printf("%s:", name);
    for (unsigned long i = 0; i < size; i++)
        printf(" %02x", byte[i]);
    printf("\n");
}

static struct flags made(int seed)
{
    struct flags f = {seed, seed, seed, seed, seed};
    return f;
}

static struct straddle start = {.x = 0x54321, .y = 0xabcde, .z = 0x123456789a, .w = 5};

int main(void)
{
    struct flags f;
    memset(&f, 0, sizeof f);
    f.a = 13;
    f.b = 9;
    f.c = -17;
    f.d = 0xfffff;
    f.e = 3;
    printf("flags: %u %d %d %u %u\n", f.a, f.b, f.c, f.d, f.e);
    bytes("flags", &f, sizeof f);
    printf("values: %d %d", (f.a = 9), (f.b = 8));
    printf(" %d\n", f.a - 2 < 0);
    f.a++, --f.b, f.c <<= 1, f.d *= 3, f.e ^= 1;
    printf("flags: %u %d %d %u %u\n", f.a, f.b, f.c, f.d, f.e);
    printf("promotion: %d %d\n", f.a - 5 < 0, -f.d < 0);
    struct flags g = made(-1);
    printf("made: %u %d %d %u %u\n", g.a, g.b, g.c, g.d, g.e);

    printf("sizes: %lu %lu %lu %lu\n", sizeof(struct flags), sizeof(struct straddle), sizeof(struct tight),
           sizeof(struct small));
    struct straddle s = start;
    s.y++;
    s.z -= 0x1000000000;
    printf("straddle: %x %x %llx %d\n", s.x, s.y, (unsigned long long)s.z, s.w);
    struct tight t;
    memset(&t, 0, sizeof t);
    t.x = 0xfffff, t.z = 0x1fffffffffffULL, t.w = 2;
    bytes("tight", &t, sizeof t);
    t.y = 0x12345, t.z = 0x0123456789abULL, t.w = 5;
    printf("tight: %x %x %llx %d\n", t.x, t.y, (unsigned long long)t.z, t.w);
    bytes("tight", &t, sizeof t);
    struct small m;
    memset(&m, 0, sizeof m);
    m.lo = 0x1a, m.hi = 0x7, m.yes = 4, m.rest = 1000;
    printf("small: %d %d %d %d\n", m.lo, m.hi, m.yes, m.rest);
    bytes("small", &m, sizeof m);
    union view v = {.whole = 0xfffffe05};
    printf("view: %u %d\n", v.parts.sign_and_more, v.parts.tail);
    v.parts.tail = 1;
    printf("view: %x\n", v.whole);
    struct flags *p = &f;
    for (int i = 0; i < 10; i++)
        p->a += 3, p->b += i;
    printf("loop: %u %d\n", p->a, p->b);
    return 0;
}
