// Store buffering with several stores to the same variable: a thread reads its newest one.

#define VARIABLES(V) V(atomic_int, x) V(atomic_int, y)
#define RESULTS(R) R(own_left) R(left) R(own_right) R(right)
#define THREADS(T) T(a) T(b)
#include "program.h"

THREAD(a)
{
    store(x, 1);
    store(x, 2);
    saw(own_left, load(x));
    saw(left, load(y));
}

THREAD(b)
{
    store(y, 1);
    store(y, 2);
    saw(own_right, load(y));
    saw(right, load(x));
}
