// Shifts, signs of quotients and remainders, wrapping, bit operations and builtin functions.
#include <limits.h>
#include <stdint.h>
#include <stdio.h>

static int divide(int a, int b) { return a / b; }
static int rest(int a, int b) { return a % b; }

int main(void)
{
    printf("div: %d %d %d %d\n", divide(7, 2), divide(-7, 2), divide(7, -2), divide(-7, -2));
    printf("rem: %d %d %d %d\n", rest(7, 2), rest(-7, 2), rest(7, -2), rest(-7, -2));
    printf("unsigned: %u %u\n", (unsigned)-7 / 2, -7 % 2u);
    printf("long: %lld %lld\n", -9000000000LL / 4000000000LL, -9000000000LL % 4000000000LL);
    int negative = -16, amount = 2;
    printf("right: %d %u %d\n", negative >> amount, (unsigned)negative >> amount, negative >> 31);
    printf("left: %d %lld %u\n", 1 << 30, 1LL << 62, 0xffu << 24);
    int most = INT_MAX;
    printf("wrap: %d %d %d\n", most + 1, -(most + 1), (most + 1) * -1);
    unsigned large = UINT_MAX;
    printf("wrap: %u %u %u\n", large + 2, large * large, 0u - 1);
    long long longest = LLONG_MAX;
    printf("wrap: %lld %lld\n", longest + 1, longest * 3);
    printf("bits: %x %x %x %x\n", 0xf0f0 & 0xff00, 0xf0f0 | 0x0f00, 0xf0f0 ^ 0xffff, ~0x0f);
    int x = 10;
    x <<= 2, x |= 1, x ^= 8, x %= 17;
    printf("compound: %d\n", x);
    printf("sequence: %d", (x++, x++, x));
    printf(" %d\n", (x = 3, x *= x));
    printf("logic: %d %d %d", x && 0, !x, !!x);
    printf(" %d\n", x || (x = 0));
    printf("short circuit: %d\n", x);
    printf("counts: %d %d %d %d\n", __builtin_popcount(0xf0f), __builtin_clz(1), __builtin_ctz(8), __builtin_ffs(12));
    printf("counts: %d %d %d %d\n", __builtin_popcountll(-1LL), __builtin_clzll(1), __builtin_ctzll(1LL << 40),
           __builtin_parity(7));
    printf("swap: %x %llx %x\n", __builtin_bswap32(0x11223344), (long long)__builtin_bswap64(0x1122334455667788),
           __builtin_bswap16(0x1122));
    int sum;
    printf("overflow: %d", __builtin_add_overflow(INT_MAX, 1, &sum));
    printf(" %d", sum);
    printf(" %d", __builtin_mul_overflow(1000, 1000, &sum));
    printf(" %d\n", sum);
    int16_t narrow = 0x7fff;
    narrow += 1;
    printf("narrow: %d %d\n", narrow, narrow >> 3);
    uint64_t hash = 14695981039346656037u;
    for (const char *c = "weave"; *c; c++)
        hash = (hash ^ (uint64_t)*c) * 1099511628211u;
    printf("hash: %016llx\n", (unsigned long long)hash);
    printf("constant: %d %d\n", INT_MIN / 2 == -1073741824, (int)(UINT_MAX >> 1) == INT_MAX);
    return 0;
}
