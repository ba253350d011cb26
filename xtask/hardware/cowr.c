// Coherence: after its own write a thread reads that one or one that came later.

#define VARIABLES(V) V(atomic_int, x)
#define RESULTS(R) R(own) R(again)
#define THREADS(T) T(a) T(b)
#include "program.h"

THREAD(a)
{
    store(x, 1);
    saw(own, load(x));
    saw(again, load(x));
}

THREAD(b)
{
    store(x, 2);
}
