// Store buffering in which each thread stores a byte and reads the word around it: the store cannot be forwarded to such a
// load, which waits until the byte is in memory. That is the model; some processors do not wait, and put the word together
// from the buffered byte and from memory:
// known gap: own_left=1 left=0 own_right=1 right=0 x=1 y=1

#define VARIABLES(V) V(atomic_uint, x) V(atomic_uint, y)
#define RESULTS(R) R(own_left) R(left) R(own_right) R(right)
#define THREADS(T) T(a) T(b)
#include "program.h"

static void store_low_byte(volatile atomic_uint *word)
{
    *(volatile unsigned char *)word = 1;
}

THREAD(a)
{
    store_low_byte(&at->x);
    saw(own_left, (int)load(x));
    saw(left, (int)load(y));
}

THREAD(b)
{
    store_low_byte(&at->y);
    saw(own_right, (int)load(y));
    saw(right, (int)load(x));
}
