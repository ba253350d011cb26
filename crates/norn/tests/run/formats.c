// printf: flags, widths, precisions and lengths of integers, characters, strings and pointers.
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

int main(void)
{
    printf("[%d] [%5d] [%-5d] [%05d] [%+d] [% d]\n", 42, 42, 42, 42, 42, 42);
    printf("[%d] [%5d] [%-5d] [%05d] [%+d] [% d]\n", -42, -42, -42, -42, -42, -42);
    printf("[%.3d] [%5.3d] [%-6.3d] [%06.3d] [%.0d]\n", 7, 7, 7, 7, 0);
    printf("[%u] [%x] [%X] [%o] [%#x] [%#o] [%#X]\n", 255u, 255u, 255u, 255u, 255u, 255u, 255u);
    printf("[%#x] [%#o] [%08x] [%#010x] [%-#8x]\n", 0, 0, 0xbeef, 0xbeef, 0xbeef);
    printf("[%#.3o] [%#5o] [%.5x] [%+u]\n", 9, 9, 0xab, 5u);
    printf("[%hhd] [%hhu] [%hd] [%hu]\n", (char)300, (unsigned char)300, (short)70000, (unsigned short)70000);
    printf("[%ld] [%lu] [%lld] [%llu]\n", -5000000000L, 5000000000UL, -5000000000LL, 18446744073709551615ULL);
    printf("[%zu] [%td] [%jd]\n", sizeof(int), (ptrdiff_t)-3, (intmax_t)1 << 50);
    printf("[%" PRId64 "] [%" PRIu32 "] [%" PRIx64 "]\n", (int64_t)-1, (uint32_t)-1, (uint64_t)-1);
    printf("[%c] [%3c] [%-3c] [%c%c]\n", 'a', 'b', 'c', 'd', 'e');
    printf("[%s] [%6s] [%-6s] [%.2s] [%6.1s]\n", "abc", "abc", "abc", "abc", "abc");
    printf("[%*d] [%-*d] [%.*s] [%*d]\n", 5, 1, 5, 2, 2, "xyz", -4, 3);
    printf("[%%] [%5s] [%s]\n", "", "");
    printf("[%p] [%s]\n", (void *)0, "end");
    double numbers[] = {0, 1, -7.25, 0.1, 1e300, 5e-324, 2.2e-310, 1.999999999, 1.03125, 1.09375, 1 / 3.0};
    for (int i = 0; i < 11; i++)
        printf("[%a] [%A] [%.0a] [%.1a] [%.13a] [%.15a] [%24a] [%-24a] [%024a] [%+a] [%#.0a]\n", numbers[i], numbers[i],
               numbers[i], numbers[i], numbers[i], numbers[i], numbers[i], numbers[i], numbers[i], numbers[i], numbers[i]);
    int written = printf("count\n");
    printf("%d\n", written >= 0);
    printf("%s%s%s\n", "a", "b" "c", "\x41\102\t.");
    return 0;
}
