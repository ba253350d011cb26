// Two threads add to one counter by read-modify-write: nothing is lost.

#define VARIABLES(V) V(atomic_int, counter)
#define RESULTS(R) R(left) R(right)
#define THREADS(T) T(a) T(b)
#include "program.h"

THREAD(a)
{
    saw(left, atomic_fetch_add_explicit(&at->counter, 1, memory_order_relaxed));
    atomic_fetch_add_explicit(&at->counter, 1, memory_order_relaxed);
}

THREAD(b)
{
    saw(right, atomic_fetch_add_explicit(&at->counter, 10, memory_order_relaxed));
    atomic_fetch_add_explicit(&at->counter, 10, memory_order_relaxed);
}
