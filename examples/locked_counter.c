// A counter that two threads increment under a lock, and that a third one reads now and then to show how far they have come.
// The final value is right in any case. But a reader that does not take the lock is a data race, which C leaves undefined,
// even if all that goes wrong on the machine is that it sees an old value. Reading it after the threads have been joined
// needs no lock.
//
// expect: sc safe, tso safe, pso safe
// expect -DPEEK: sc safe, tso safe, pso safe
// expect --data-race: sc safe, tso safe, pso safe
// expect --data-race -e events: sc safe, tso safe, pso safe
// expect --data-race -DPEEK: sc unsafe, tso unsafe, pso unsafe

#include <assert.h>
#include <pthread.h>

static int counter;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *count(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&mutex);
    counter++;
    pthread_mutex_unlock(&mutex);
    return NULL;
}

static void *watch(void *unused)
{
    (void)unused;
#ifdef PEEK
    assert(counter <= 2);
#else
    pthread_mutex_lock(&mutex);
    assert(counter <= 2);
    pthread_mutex_unlock(&mutex);
#endif
    return NULL;
}

int main(void)
{
    pthread_t a, b, watcher;
    pthread_create(&a, NULL, count, NULL);
    pthread_create(&b, NULL, count, NULL);
    pthread_create(&watcher, NULL, watch, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(counter == 2);
    pthread_join(watcher, NULL);
    return 0;
}
