// Store buffering with C11's full fence.

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
    atomic_thread_fence(memory_order_seq_cst);
    saw(right, load(x));
}
