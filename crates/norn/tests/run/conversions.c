// Integer promotions, the usual arithmetic conversions, narrowing, and signs of characters.
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

static int one_if_negative(long x) { return x < 0; }

int main(void)
{
    unsigned char uc = 200;
    signed char sc = -100;
    char plain = (char)0xff;
    short s = -1;
    unsigned short us = 65535;
    unsigned u = 1;
    int i = -1;
    long l = -1;

    printf("promotion: %d %d %d %d\n", uc + uc, sc - uc, -us, ~uc);
    printf("plain char: %d %d\n", plain, plain == '\xff');
    printf("compare: %d %d %d %d\n", i < u, l < u, s < us, (unsigned)s == us);
    printf("mixed: %u %ld %lu\n", i + u, l + u, (unsigned long)i);
    printf("narrow: %d %d %u\n", (signed char)300, (short)70000, (unsigned char)-1);
    printf("assign: %d\n", (uc += 100));
    printf("assign: %d\n", (sc -= 100));
    us = i;
    printf("assign: %u\n", us);
    printf("argument: %d %d\n", one_if_negative(i), one_if_negative((unsigned)i));
    bool b = 256;
    printf("bool: %d %d %d\n", b, (bool)0.5, (bool)(char)256);
    b = b + 1;
    printf("bool: %d %d\n", b, !b);
    b--;
    printf("bool: %d\n", b);
    b--;
    printf("bool: %d\n", b);
    uint8_t small = 255;
    small++;
    printf("wrap: %d\n", small);
    small--;
    printf("wrap: %d %d\n", small, small << 24 >> 24);
    int8_t tiny = 127;
    printf("post: %d", tiny++);
    printf(" %d\n", tiny);
    printf("conditional: %ld %d\n", (long)(1 ? -1 : 0u), (1 ? -1 : (short)0) < 0);
    printf("shift type: %lu %lu\n", sizeof(uc << 1l), sizeof(1l << uc));
    printf("constants: %lu %lu %lu %lu %lu\n", sizeof 2147483647, sizeof 2147483648, sizeof 0xffffffff,
           sizeof 0x100000000, sizeof 1u);
    printf("wide: %lld %llu %lld\n", 9223372036854775807LL, 18446744073709551615ULL, -9223372036854775807LL - 1);
    printf("wide: %llx %llo %d\n", 0xdeadbeefcafebabeULL, 01777777777777777777777ULL, 0b101101);
    printf("characters: %d %d %d %d %d\n", 'a', '\n', '\0', '\377', 'ab');
    return 0;
}
