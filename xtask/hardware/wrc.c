// Write to read causality: what one thread has read and told on, a third one sees.

#define VARIABLES(V) V(atomic_int, x) V(atomic_int, y)
#define RESULTS(R) R(passed_on) R(told) R(checked)
#define THREADS(T) T(writer) T(teller) T(listener)
#include "program.h"

THREAD(writer)
{
    store(x, 1);
}

THREAD(teller)
{
    int seen = load(x);
    saw(passed_on, seen);
    store(y, seen);
}

THREAD(listener)
{
    saw(told, load(y));
    saw(checked, load(x));
}
