// Two threads increment a plain counter: a read and a write each, so that increments get lost.

#define VARIABLES(V) V(int, counter)
#define RESULTS(R) 
#define THREADS(T) T(a) T(b)
#include "program.h"

THREAD(a)
{
    at->counter++;
    at->counter++;
}

THREAD(b)
{
    at->counter++;
    at->counter++;
}
