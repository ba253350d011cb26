// Store buffering around a ring of three threads.

#define VARIABLES(V) V(atomic_int, x) V(atomic_int, y) V(atomic_int, z)
#define RESULTS(R) R(seen_by_a) R(seen_by_b) R(seen_by_c)
#define THREADS(T) T(a) T(b) T(c)
#include "program.h"

THREAD(a)
{
    store(x, 1);
    saw(seen_by_a, load(y));
}

THREAD(b)
{
    store(y, 1);
    saw(seen_by_b, load(z));
}

THREAD(c)
{
    store(z, 1);
    saw(seen_by_c, load(x));
}
