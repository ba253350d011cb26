/* __builtin_*_overflow of mixed types. */
#include <stdio.h>
static unsigned long hash = 1469598103934665603ul;
static void mix(unsigned long x) { hash = (hash ^ x) * 1099511628211ul; }
static const long edges[] = { 0, 1, -1, 2, 127, 128, -128, 255, 0x7fffffff, -0x7fffffffL - 1, 0xffffffff, 0x100000000,
                              0x7fffffffffffffff, -0x7fffffffffffffff - 1, -2, 0x123456789abcdef };
#define TRY(A, B, R) do { A x = (A)edges[i]; B y = (B)edges[j]; R r = 0; \
    mix(__builtin_add_overflow(x, y, &r)); mix((unsigned long)r); \
    mix(__builtin_sub_overflow(x, y, &r)); mix((unsigned long)r); \
    mix(__builtin_mul_overflow(x, y, &r)); mix((unsigned long)r); } while (0)
int main(void) {
    for (int i = 0; i < 16; i++)
        for (int j = 0; j < 16; j++) {
            TRY(long, unsigned long, long);
            TRY(unsigned long, long, unsigned long);
            TRY(long, long, unsigned long);
            TRY(unsigned long, unsigned long, long);
            TRY(unsigned, unsigned, int);
            TRY(unsigned, unsigned, unsigned long);
            TRY(int, unsigned long, short);
            TRY(long, long, int);
            TRY(long, char, unsigned char);
            TRY(unsigned long, unsigned long, unsigned);
            TRY(int, int, int);
            TRY(unsigned long, unsigned long, unsigned long);
        }
    printf("%016lx\n", hash);
    return 0;
}
