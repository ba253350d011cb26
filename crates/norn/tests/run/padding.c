// Bit-fields packed between other members, padding and copies of whole objects.
#include <stdio.h>
#include <string.h>

struct packed_tight {
    int a : 5;
    int b : 30;
    char c;
} __attribute__((packed));

struct nine {
    unsigned a : 7;
    unsigned long long b : 64;
    unsigned c : 1;
} __attribute__((packed));

struct between {
    char c;
    unsigned b : 24;
    unsigned a : 17;
    unsigned char d;
    long long e : 40;
    char f;
};

struct six {
    short s;
    long long b : 48;
};

static struct packed_tight static_tight = {-3, 123456, 'x'};
static struct nine static_nine = {77, 0x123456789abcdef0ull, 1};
static struct between static_between = {1, 0xabcdef, 0x1ffff, 200, -5, 'f'};
static struct six static_six = {-7, -123456789012ll};

static void bytes(const char *name, const void *object, size_t size) {
    const unsigned char *byte = object;
    printf("%s:", name);
    for (size_t i = 0; i < size; i++)
        printf(" %02x", byte[i]);
    printf("\n");
}

#define SHOW(object) bytes(#object, &object, sizeof object)

int main(void) {
    SHOW(static_tight);
    SHOW(static_nine);
    SHOW(static_six);
    printf("%d %d %c\n", static_tight.a, static_tight.b, static_tight.c);
    printf("%u %llx %u\n", static_nine.a, (unsigned long long)static_nine.b, static_nine.c);
    printf("%d %x %x %d %lld %c\n", static_between.c, static_between.b, static_between.a, static_between.d,
           (long long)static_between.e, static_between.f);
    printf("%d %lld\n", static_six.s, (long long)static_six.b);

    struct packed_tight t;
    memset(&t, 0, sizeof t);
    t.b = -1;
    SHOW(t);
    t.c = 1;
    t.a = 9;
    t.b = 1 << 28;
    SHOW(t);
    printf("%d\n", t.b = 1 << 29);
    t.b += 3;
    printf("%d %d %d\n", t.a, t.b, t.c);

    struct nine n;
    memset(&n, 0xff, sizeof n);
    n.b = 0;
    SHOW(n);
    n.b = 0x8000000000000001ull;
    SHOW(n);
    n.b >>= 1;
    n.c = 0;
    SHOW(n);
    n.b--;
    printf("%llx\n", (unsigned long long)n.b);

    struct between b;
    memset(&b, 0, sizeof b);
    b.b = 0x123456;
    b.a--;
    b.e = -2;
    b.e <<= 30;
    SHOW(b);
    b.c = b.d = b.f = -1;
    printf("%x %x %lld\n", b.b, b.a, (long long)b.e);
    struct between copy = b, other;
    printf("%d %x %x %d %lld %d\n", copy.c, copy.b, copy.a, copy.d, (long long)copy.e, copy.f);
    memset(&other, 0, sizeof other);
    memcpy(&other, &b, sizeof b);
    printf("%d\n", memcmp(&other, &b, sizeof b));

    struct six s = {1, 2};
    s.b = -3;
    s.s = 5;
    SHOW(s);
    return 0;
}
