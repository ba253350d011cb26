// Store buffering with plain variables instead of atomic ones.

#define VARIABLES(V) V(int, x) V(int, y)
#define RESULTS(R) R(left) R(right)
#define THREADS(T) T(a) T(b)
#include "program.h"

THREAD(a)
{
    at->x = 1;
    saw(left, at->y);
}

THREAD(b)
{
    at->y = 1;
    saw(right, at->x);
}
