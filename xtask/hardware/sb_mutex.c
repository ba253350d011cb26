// Store buffering with each store under a mutex of its own thread: unlocking empties the buffer.

#define OBJECTS pthread_mutex_t first, second;
#define SETUP(at) (pthread_mutex_init(&(at)->first, NULL), pthread_mutex_init(&(at)->second, NULL))
#define VARIABLES(V) V(atomic_int, x) V(atomic_int, y)
#define RESULTS(R) R(left) R(right)
#define THREADS(T) T(a) T(b)
#include "program.h"

THREAD(a)
{
    pthread_mutex_lock(&at->first);
    store(x, 1);
    pthread_mutex_unlock(&at->first);
    saw(left, load(y));
}

THREAD(b)
{
    pthread_mutex_lock(&at->second);
    store(y, 1);
    pthread_mutex_unlock(&at->second);
    saw(right, load(x));
}
