// Store buffering with a compare-and-swap that fails between store and load: it empties the buffer all the same.

#define VARIABLES(V) V(atomic_int, x) V(atomic_int, y) V(atomic_int, z)
#define RESULTS(R) R(left) R(right)
#define THREADS(T) T(a) T(b)
#include "program.h"

THREAD(a)
{
    int expected = 5;
    store(x, 1);
    atomic_compare_exchange_strong_explicit(&at->z, &expected, 6, memory_order_relaxed, memory_order_relaxed);
    saw(left, load(y));
}

THREAD(b)
{
    int expected = 5;
    store(y, 1);
    atomic_compare_exchange_strong_explicit(&at->z, &expected, 6, memory_order_relaxed, memory_order_relaxed);
    saw(right, load(x));
}
