// Two threads try to take one mutex, and give it back: who fails is told that it is busy.

#define OBJECTS pthread_mutex_t lock;
#define SETUP(at) pthread_mutex_init(&(at)->lock, NULL)
#define VARIABLES(V) V(int, entered)
#define RESULTS(R) R(left) R(right)
#define THREADS(T) T(a) T(b)
#include "program.h"

THREAD(a)
{
    int error = pthread_mutex_trylock(&at->lock);
    if (error == 0) {
        at->entered++;
        pthread_mutex_unlock(&at->lock);
    }
    saw(left, error);
}

THREAD(b)
{
    int error = pthread_mutex_trylock(&at->lock);
    if (error == 0) {
        at->entered++;
        pthread_mutex_unlock(&at->lock);
    }
    saw(right, error);
}
