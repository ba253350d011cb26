// Function pointers, variable arguments, variable-length arrays, statement expressions, _Generic, sizeof, typeof.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

typedef int (*operation)(int, int);
struct pair {
    short a;
    double b;
};

static int add(int a, int b) { return a + b; }
static int sub(int a, int b) { return a - b; }
static operation choose(int which) { return which ? add : &sub; }
static int twice(int f(int, int), int x) { return (*f)((**f)(x, x), x); }
static int (*const operations[])(int, int) = {add, sub};

static long sum(int count, ...)
{
    va_list list, copy;
    va_start(list, count);
    va_copy(copy, list);
    long total = 0;
    for (int i = 0; i < count; i++)
        total += va_arg(list, int);
    total *= 10;
    total += va_arg(copy, int);
    va_end(copy);
    va_end(list);
    return total;
}

static void mixed(const char *kinds, ...)
{
    va_list list;
    va_start(list, kinds);
    for (; *kinds; kinds++)
        switch (*kinds) {
        case 'i': printf(" %d", va_arg(list, int)); break;
        case 'l': printf(" %ld", va_arg(list, long)); break;
        case 'd': printf(" %.2f", va_arg(list, double)); break;
        case 's': printf(" %s", va_arg(list, char *)); break;
        case 'p': {
            struct pair p = va_arg(list, struct pair);
            printf(" {%d %.1f}", p.a, p.b);
            break;
        }
        }
    va_end(list);
    printf("\n");
}

static int total(int n, int m, int a[n][m])
{
    int s = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            s += a[i][j];
    return s + (int)sizeof a[0];
}

#define max(a, b) ({ __typeof__(a) a_ = (a); __typeof__(b) b_ = (b); a_ > b_ ? a_ : b_; })
#define name_of(x) _Generic((x), int: "int", unsigned: "unsigned", char *: "string", double: "double", \
                            long: "long", const int *: "const int *", default: "other")

static int calls;
static int count(void) { return ++calls; }

int main(void)
{
    printf("pointers: %d %d %d\n", choose(1)(2, 3), choose(0)(2, 3), twice(choose(1), 5));
    for (unsigned i = 0; i < sizeof operations / sizeof *operations; i++)
        printf("table: %d\n", operations[i](10, 4));
    printf("same: %d %d\n", choose(1) == operations[0], choose(0) == add);
    printf("sum: %ld\n", sum(4, 1, 2, (short)3, 'd' - 'a'));
    mixed("ilsdp", -1, 1L << 33, "text", 2.5f, (struct pair){7, 0.5});
    for (int n = 1; n < 4; n++) {
        int a[n][n + 1], k = 0;
        for (int i = 0; i < n; i++)
            for (int j = 0; j <= n; j++)
                a[i][j] = k++;
        printf("vla: %d %lu %lu\n", total(n, n + 1, a), sizeof a, sizeof a[0]);
    }
    int n = 3;
    char grow[n++];
    printf("vla: %lu %d\n", sizeof grow, n);
    printf("max: %d", max(count(), count()));
    printf(" %.1f\n", max(2.5, 1));
    printf("calls: %d\n", calls);
    int r = ({ int t = 0; for (int i = 0; i < 5; i++) t += i; t; });
    printf("statement expression: %d\n", r);
    const int c = 1;
    printf("generic: %s %s %s %s %s %s\n", name_of(1), name_of(1u), name_of("x"), name_of(1.0), name_of('a' + 1L),
           name_of(&c));
    printf("generic: %s %s %s\n", name_of(1.0f), name_of((short)1), name_of((short)1 + (short)1));
    printf("sizeof: %lu %lu %lu %lu\n", sizeof(count()), sizeof "four", sizeof(char[7]), sizeof(struct pair));
    printf("unevaluated: %d\n", calls);
    printf("alignment: %lu %lu\n", _Alignof(struct pair), _Alignof(char));
    __typeof__(add) *alias = sub;
    __auto_type difference = alias(1, 2);
    printf("typeof: %d\n", difference);
    printf("elvis: %d %d\n", 0 ?: 4, count() ?: 9);
    int x = 5, *p = &x, **q = &p;
    *(*q) += 2, (*p)++;
    printf("indirection: %d\n", x);
    int values[4] = {1, 2, 3, 4}, *at = values;
    int first = *at++, second = *++at, third = ++*at;
    printf("steps: %d %d %d %ld\n", first, second, third, (long)(at - values));
    volatile int v = 1;
    v = v + 2, v <<= 3;
    printf("volatile: %d\n", v);
    _Static_assert(sizeof(int) == 4, "int should have four bytes");
    return 0;
}
