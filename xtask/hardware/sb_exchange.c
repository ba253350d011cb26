// Store buffering by relaxed exchanges: on x86 a read-modify-write of any order is a full fence.

#define VARIABLES(V) V(atomic_int, x) V(atomic_int, y)
#define RESULTS(R) R(left) R(right)
#define THREADS(T) T(a) T(b)
#include "program.h"

THREAD(a)
{
    atomic_exchange_explicit(&at->x, 1, memory_order_relaxed);
    saw(left, load(y));
}

THREAD(b)
{
    atomic_exchange_explicit(&at->y, 1, memory_order_relaxed);
    saw(right, load(x));
}
