// Read-modify-writes of other kinds, on a counter narrower than a word, which wraps.

#define VARIABLES(V) V(atomic_uchar, counter)
#define RESULTS(R) R(left) R(right)
#define THREADS(T) T(a) T(b)
#include "program.h"

THREAD(a)
{
    saw(left, atomic_fetch_sub(&at->counter, 1));
    atomic_fetch_xor(&at->counter, 6);
}

THREAD(b)
{
    saw(right, atomic_fetch_or(&at->counter, 3));
    atomic_fetch_and(&at->counter, 5);
}
