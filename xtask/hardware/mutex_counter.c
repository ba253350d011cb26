// Two threads increment a plain counter under a mutex: nothing is lost.

#define OBJECTS pthread_mutex_t lock;
#define SETUP(at) pthread_mutex_init(&(at)->lock, NULL)
#define VARIABLES(V) V(int, counter)
#define RESULTS(R) R(left) R(right)
#define THREADS(T) T(a) T(b)
#include "program.h"

THREAD(a)
{
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&at->lock);
        saw(left, ++at->counter);
        pthread_mutex_unlock(&at->lock);
    }
}

THREAD(b)
{
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&at->lock);
        saw(right, ++at->counter);
        pthread_mutex_unlock(&at->lock);
    }
}
