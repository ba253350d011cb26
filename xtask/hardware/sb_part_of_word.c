// Store buffering in which each thread stores a word and reads a byte of it, which is forwarded.

#define VARIABLES(V) V(atomic_uint, x) V(atomic_uint, y)
#define RESULTS(R) R(own_left) R(left) R(own_right) R(right)
#define THREADS(T) T(a) T(b)
#include "program.h"

static int second_byte(volatile atomic_uint *word)
{
    return ((volatile unsigned char *)word)[1];
}

THREAD(a)
{
    store(x, 0x0201);
    saw(own_left, second_byte(&at->x));
    saw(left, (int)load(y));
}

THREAD(b)
{
    store(y, 0x0201);
    saw(own_right, second_byte(&at->y));
    saw(right, (int)load(x));
}
