// Coherence: of two writes by one thread the later one stays, unless another thread's comes after it.

#define VARIABLES(V) V(atomic_int, x)
#define RESULTS(R) R(seen)
#define THREADS(T) T(a) T(b)
#include "program.h"

THREAD(a)
{
    store(x, 1);
    store(x, 2);
}

THREAD(b)
{
    store(x, 3);
    saw(seen, load(x));
}
