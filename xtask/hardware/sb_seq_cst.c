// Store buffering with sequentially consistent stores: a compiler makes each a store that empties the buffer.

#define VARIABLES(V) V(atomic_int, x) V(atomic_int, y)
#define RESULTS(R) R(left) R(right)
#define THREADS(T) T(a) T(b)
#include "program.h"

THREAD(a)
{
    atomic_store(&at->x, 1);
    saw(left, load(y));
}

THREAD(b)
{
    atomic_store(&at->y, 1);
    saw(right, load(x));
}
