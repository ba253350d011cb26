// A store and a store, against a load and a store.

#define VARIABLES(V) V(atomic_int, x) V(atomic_int, y)
#define RESULTS(R) R(seen)
#define THREADS(T) T(a) T(b)
#include "program.h"

THREAD(a)
{
    store(x, 2);
    store(y, 1);
}

THREAD(b)
{
    saw(seen, load(y));
    store(x, 1);
}
