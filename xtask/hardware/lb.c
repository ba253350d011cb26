// Load buffering: a load does not wait for the stores after it.

#define VARIABLES(V) V(atomic_int, x) V(atomic_int, y)
#define RESULTS(R) R(left) R(right)
#define THREADS(T) T(a) T(b)
#include "program.h"

THREAD(a)
{
    saw(left, load(x));
    store(y, 1);
}

THREAD(b)
{
    saw(right, load(y));
    store(x, 1);
}
