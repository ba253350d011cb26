// Store buffering: both threads may read before the other's store has left its buffer.

#define VARIABLES(V) V(atomic_int, x) V(atomic_int, y)
#define RESULTS(R) R(left) R(right)
#define THREADS(T) T(a) T(b)
#include "program.h"

THREAD(a)
{
    store(x, 1);
    saw(left, load(y));
}

THREAD(b)
{
    store(y, 1);
    saw(right, load(x));
}
