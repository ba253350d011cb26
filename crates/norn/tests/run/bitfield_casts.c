// A cast to a bit-field's own declared type ends its narrow width; and what printf and its kin return.
#include <stdio.h>

struct fields {
    unsigned b : 3;
    int c : 3;
    unsigned long long w : 40;
    long long s : 40;
};

static struct fields f = {1, -2, 2, -3};

int main(void) {
    unsigned long long eight = 8;
    printf("%d %d\n", (unsigned)f.b - 2 > 0, f.b - 2 > 0);
    printf("%d %d\n", (int)f.c - 2u > 0, (unsigned)f.c > 100);
    printf("%llx %llx\n", (unsigned long long)f.w << 39, (unsigned long long)(f.w << 39));
    printf("%llx\n", (unsigned long long)(f.w - 8) + 8);
    printf("%llx\n", (unsigned long long)(f.w - eight) + 8);
    printf("%llx\n", ((unsigned long long)f.w - 8) + 8);
    printf("%lld %lld\n", (long long)f.s << 30, (long long)(f.s << 10));

    int numbers[] = {0, 9, 10, -1, -10, 2147483647, -2147483647 - 1, 12345};
    for (int i = 0; i < 8; i++) {
        int n = printf("%d\n", numbers[i]);
        n = n * 100 + printf("<%u%%>\n", numbers[i]);
        n = n * 100 + printf("%x\n", numbers[i]);
        n = n * 100 + printf("%o%c\n", numbers[i], 'x');
        printf("%d\n", n);
    }
    long long large[] = {0, 999999999999999999ll, 1000000000000000000ll, -1, -9223372036854775807ll - 1};
    for (int i = 0; i < 5; i++) {
        int n = printf("%lld\n", large[i]);
        n = n * 100 + printf("%llu\n", large[i]);
        n = n * 100 + printf("%lx\n", large[i]);
        printf("%d\n", n);
    }
    printf("%d\n", printf("%s and %s\n", "some", "other"));
    printf("%d\n", printf("cut\n\0here"));
    printf("%d\n", fprintf(stdout, ""));
    return 0;
}
