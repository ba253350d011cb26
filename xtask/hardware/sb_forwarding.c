// Store buffering in which each thread first reads its own store, out of the buffer: that changes nothing.

#define VARIABLES(V) V(atomic_int, x) V(atomic_int, y)
#define RESULTS(R) R(own_left) R(left) R(own_right) R(right)
#define THREADS(T) T(a) T(b)
#include "program.h"

THREAD(a)
{
    store(x, 1);
    saw(own_left, load(x));
    saw(left, load(y));
}

THREAD(b)
{
    store(y, 1);
    saw(own_right, load(y));
    saw(right, load(x));
}
