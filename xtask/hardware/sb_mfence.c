// Store buffering with the instruction that empties the buffer.

#define VARIABLES(V) V(atomic_int, x) V(atomic_int, y)
#define RESULTS(R) R(left) R(right)
#define THREADS(T) T(a) T(b)
#include "program.h"

THREAD(a)
{
    store(x, 1);
    __asm__ volatile("mfence" ::: "memory");
    saw(left, load(y));
}

THREAD(b)
{
    store(y, 1);
    __asm__ volatile("mfence" ::: "memory");
    saw(right, load(x));
}
