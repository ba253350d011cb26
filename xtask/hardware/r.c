// A store and a store, against a store and a load.

#define VARIABLES(V) V(atomic_int, x) V(atomic_int, y)
#define RESULTS(R) R(seen)
#define THREADS(T) T(a) T(b)
#include "program.h"

THREAD(a)
{
    store(x, 1);
    store(y, 1);
}

THREAD(b)
{
    store(y, 2);
    saw(seen, load(x));
}
