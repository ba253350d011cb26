/* Statement expressions, compound literals, commas, built-ins of the compiler. */
struct s { int a, b; };
int x;
static int max(int a, int b) { return a > b ? a : b; }
int values(int n) {
    int m = ({
        int t = x;
        t > n ? t : n;
    });
    struct s s = ({ struct s t = {n, m}; t; });
    struct s *p = &(struct s){.b = 2};
    int k = (x++, m = 3, m + x);
    *(n ? &s.a : &s.b) = k;
    s = n ? s : *p;
    return max(s.a, p->b) + (x = n);
}
int builtins(unsigned u, long l) {
    int r;
    long q;
    if (__builtin_add_overflow(r = 1, 2, &r) || __builtin_mul_overflow(l, l, &q))
        return __builtin_popcount(u) + __builtin_clz(u);
    int *p = __builtin_alloca(u);
    return __builtin_expect(p != 0, 1);
}
int main(void) { return values(1) + builtins(2, 3); }
int labelled(int n) {
    return n + ({ if (n) goto last; n = 3; last: n; });
}
