// option: nondet
#include <stdarg.h>
double unknown(int);
_Bool flag(void);
int old(a, b) int a; char b; { return a + b; }
struct two { long a, b; };
long sum(int n, ...) {
    va_list list;
    va_start(list, n);
    int i = va_arg(list, int);
    struct two t = va_arg(list, struct two);
    double d = va_arg(list, double);
    va_end(list);
    return i + t.a + d;
}
int (*pointer)(int, int);
int add(int a, int b) { return a + b; }
int order(int i) { return add(i, i++) + (i = 3); }
int main(void) {
    struct two t = {1, 2};
    pointer = add;
    double (*where)(int) = unknown;
    old(1, 300);
    sum(3, 1, t, 2.5f);
    sum(0);
    if (flag())
        return unknown(1) + pointer(1, 2) + where(2);
    return order(1);
}
