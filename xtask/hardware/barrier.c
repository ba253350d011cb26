// Two threads meet at a barrier: behind it each sees the other's store, and one of them is told to be the serial one.

#define OBJECTS pthread_barrier_t gate;
#define SETUP(at) pthread_barrier_init(&(at)->gate, NULL, 2)
#define VARIABLES(V) V(int, x) V(int, y)
#define RESULTS(R) R(left) R(serial_left) R(right) R(serial_right)
#define THREADS(T) T(a) T(b)
#include "program.h"

THREAD(a)
{
    at->x = 1;
    saw(serial_left, pthread_barrier_wait(&at->gate));
    saw(left, at->y);
}

THREAD(b)
{
    at->y = 1;
    saw(serial_right, pthread_barrier_wait(&at->gate));
    saw(right, at->x);
}
