// Two threads write two variables in opposite order: the first writes cannot both be last in memory.

#define VARIABLES(V) V(atomic_int, x) V(atomic_int, y)
#define RESULTS(R) 
#define THREADS(T) T(a) T(b)
#include "program.h"

THREAD(a)
{
    store(x, 1);
    store(y, 2);
}

THREAD(b)
{
    store(y, 1);
    store(x, 2);
}
