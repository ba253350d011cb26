// Store buffering with fences that order stores with stores: too weak to forbid anything here.

#define VARIABLES(V) V(atomic_int, x) V(atomic_int, y)
#define RESULTS(R) R(left) R(right)
#define THREADS(T) T(a) T(b)
#include "program.h"

THREAD(a)
{
    store(x, 1);
    __asm__ volatile("sfence" ::: "memory");
    atomic_thread_fence(memory_order_release);
    saw(left, load(y));
}

THREAD(b)
{
    store(y, 1);
    __asm__ volatile("sfence" ::: "memory");
    atomic_thread_fence(memory_order_release);
    saw(right, load(x));
}
