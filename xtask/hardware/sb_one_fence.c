// Store buffering with a fence in one thread only: the other's buffer is enough for the weak outcome.

#define VARIABLES(V) V(atomic_int, x) V(atomic_int, y)
#define RESULTS(R) R(left) R(right)
#define THREADS(T) T(a) T(b)
#include "program.h"

THREAD(a)
{
    store(x, 1);
    atomic_thread_fence(memory_order_seq_cst);
    saw(left, load(y));
}

THREAD(b)
{
    store(y, 1);
    saw(right, load(x));
}
