// Store buffering with release stores and acquire loads, which cost nothing on x86 and forbid nothing here.

#define VARIABLES(V) V(atomic_int, x) V(atomic_int, y)
#define RESULTS(R) R(left) R(right)
#define THREADS(T) T(a) T(b)
#include "program.h"

THREAD(a)
{
    atomic_store_explicit(&at->x, 1, memory_order_release);
    saw(left, atomic_load_explicit(&at->y, memory_order_acquire));
}

THREAD(b)
{
    atomic_store_explicit(&at->y, 1, memory_order_release);
    saw(right, atomic_load_explicit(&at->x, memory_order_acquire));
}
