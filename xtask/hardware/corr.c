// Coherence: two reads of one variable do not go back in time.

#define VARIABLES(V) V(atomic_int, x)
#define RESULTS(R) R(earlier) R(later)
#define THREADS(T) T(writer) T(reader)
#include "program.h"

THREAD(writer)
{
    store(x, 1);
    store(x, 2);
}

THREAD(reader)
{
    saw(earlier, load(x));
    saw(later, load(x));
}
