// One thread reads its own store to x before it is in memory, while the other's store to x comes first there.

#define VARIABLES(V) V(atomic_int, x) V(atomic_int, y)
#define RESULTS(R) R(own) R(other)
#define THREADS(T) T(a) T(b)
#include "program.h"

THREAD(a)
{
    store(x, 1);
    saw(own, load(x));
    saw(other, load(y));
}

THREAD(b)
{
    store(y, 2);
    store(x, 2);
}
