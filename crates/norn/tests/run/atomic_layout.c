/* Atomic structures are aligned so that one instruction can access them, if there is one for their size. */
#include <stddef.h>
#include <stdio.h>

#define SHOW(name, ...)                                                                                                \
    do {                                                                                                               \
        typedef __VA_ARGS__ type;                                                                                      \
        typedef struct { char before; _Atomic type it; } around;                                                       \
        printf(name ": %zu %zu %zu\n", sizeof(around), offsetof(around, it), _Alignof(_Atomic type));                  \
    } while (0)

typedef struct { int x, y; } pair;
typedef struct { struct { char c; _Atomic pair p; } inner; char last; } nested;

static char before;
static _Atomic struct { char c[4]; } aligned;

int main(void) {
    SHOW("pair of int", pair);
    SHOW("pair of long", struct { long x, y; });
    SHOW("pair of short", struct { short x, y; });
    SHOW("pair of char", struct { char x, y; });
    SHOW("three char", struct { char x[3]; });
    SHOW("four char", struct { char x[4]; });
    SHOW("three long", struct { long x[3]; });
    SHOW("union", union { char c[8]; int i; });
    SHOW("complex float", _Complex float);
    SHOW("complex double", _Complex double);
    SHOW("long long", long long);
    SHOW("double", double);
    printf("%zu %zu %zu\n", sizeof(nested), offsetof(nested, last), _Alignof(pair));
    printf("%d %d\n", before, (int)((size_t)&aligned % 4));
    return 0;
}
