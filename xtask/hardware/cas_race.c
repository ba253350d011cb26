// Two threads compete for one variable by compare-and-swap: one wins, the other is told who.

#define VARIABLES(V) V(atomic_int, owner)
#define RESULTS(R) R(won_a) R(found_a) R(won_b) R(found_b)
#define THREADS(T) T(a) T(b)
#include "program.h"

THREAD(a)
{
    int expected = 0;
    saw(won_a, atomic_compare_exchange_strong(&at->owner, &expected, 1));
    saw(found_a, expected);
}

THREAD(b)
{
    int expected = 0;
    saw(won_b, atomic_compare_exchange_strong(&at->owner, &expected, 2));
    saw(found_b, expected);
}
