// Coherence: a write comes after the write that was read before it.

#define VARIABLES(V) V(atomic_int, x)
#define RESULTS(R) R(seen)
#define THREADS(T) T(a) T(b)
#include "program.h"

THREAD(a)
{
    saw(seen, load(x));
    store(x, 1);
}

THREAD(b)
{
    store(x, 2);
}
