/* Complex numbers: their parts, arithmetic, conversions, comparisons, passing and returning. */
#include <complex.h>
#include <stdarg.h>
#include <stdio.h>

typedef _Complex double cd;
typedef _Complex float cf;
typedef _Complex int ci;

static cd at_start = 1.5 - 2.0i, twice = (1.0 + 2.0i) * (3.0 - 1.0i);
static cf narrow = 0.1f + 3;
static ci whole = 3 + 4i;
static const cd table[2] = {1, 2i};

static void show(const char *what, cd z) {
    printf("%s: %g %g\n", what, __real__ z, __imag__ z);
}

static void show_int(const char *what, ci z) {
    printf("%s: %d %d\n", what, __real__ z, __imag__ z);
}

static cd product(cd a, cd b) {
    return a * b;
}

static int calls;
static cd once(void) {
    calls++;
    return 2.0 + calls * 1.0i;
}

static double sum_of(int n, ...) {
    va_list list;
    va_start(list, n);
    cd sum = 0;
    for (int i = 0; i < n; i++)
        sum += va_arg(list, cd);
    va_end(list);
    return creal(sum) * 100 + cimag(sum);
}

struct holder {
    char c;
    cf z;
    ci w;
};

int main(void) {
    cd a = 1 + 2i, b = 3.0 - 0.5i;
    cf f = 1.5f - 2.5fi;
    ci n = 7 - 3i, m = 2 + 1i;
    _Complex unsigned char small = 200 + 100i;

    show("start", at_start);
    show("constants", twice);
    show("narrow", narrow);
    show("table", table[0] + table[1]);
    show_int("whole", whole);
    show("sum", a + b);
    show("difference", a - b);
    show("product", product(a, b));
    show("scaled", 2 * a);
    show("scaled right", a * 0.5);
    show("divided", b / 4);
    show("real minus complex", 1.0 - a);
    show("complex minus real", a - 1.0);
    show("negative", -a);
    show("conjugate", ~a);
    show("conj", conj(b));
    show("mixed", a + n);
    show("float", f * f);
    show("float and double", f + a);
    show_int("ints", n * m);
    show_int("quotient", n / m);
    show_int("int sum", n + 5);
    show_int("converted", a * 3.7);
    printf("%d %d %d %d\n", a == b, a != b, a == 1 + 2i, b == 3);
    printf("%d %d %d\n", (_Bool)a, !a, (_Bool)(a - a));
    printf("%d %d %d\n", a ? 1 : 2, a && 0, 0.0i || 0);
    printf("%g %d %g\n", (double)b, (int)(3.9 + 1i), creal(a) + cimag(b));

    __real__ a = 10;
    __imag__ a += 0.25;
    show("assigned parts", a);
    a += 1i;
    a *= b;
    show("updated", a);
    a++;
    show("incremented", a);
    show("old", a--);
    show("after", a);
    double d = 2;
    d += 1.5 + 9i;
    printf("%g\n", d);
    cd *p = &a;
    *p -= once();
    p[0] = p[0] + once();
    show("through a pointer", *p);
    printf("%d calls\n", calls);

    cd array[3] = {1, 1i, 2 + 2i};
    array[1] += array[2];
    show("array", array[1]);
    struct holder h = {'x', 1 + 1i, 2 - 2i}, g = h;
    g.z *= 2;
    printf("%c %g %g %d\n", g.c, (double)__imag__ g.z, (double)__real__ h.z, __imag__ g.w);
    printf("%d %d %d\n", (int)sizeof(cd), (int)sizeof(cf), (int)sizeof(struct holder));
    printf("%g\n", sum_of(2, a, b));
    small = small + small;
    printf("%d %d\n", __real__ small, __imag__ small);
    show("chosen", calls > 1 ? a : 5);
    show("statement", ({ cd t = b; t + 1; }));
    show("built", __builtin_complex(1.0, -0.0) + CMPLX(2, 3));
    printf("%g %g\n", (double)__real__ 5, (double)__imag__ 5.5);
    return 0;
}
