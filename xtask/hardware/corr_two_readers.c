// Coherence: two readers agree on the order of two writes.

#define VARIABLES(V) V(atomic_int, x)
#define RESULTS(R) R(earlier_a) R(later_a) R(earlier_b) R(later_b)
#define THREADS(T) T(one) T(two) T(reader_a) T(reader_b)
#include "program.h"

THREAD(one)
{
    store(x, 1);
}

THREAD(two)
{
    store(x, 2);
}

THREAD(reader_a)
{
    saw(earlier_a, load(x));
    saw(later_a, load(x));
}

THREAD(reader_b)
{
    saw(earlier_b, load(x));
    saw(later_b, load(x));
}
