// A ticket lock: draw a number, wait until it is served. Threads enter in the order in which they came.
//
// expect: sc safe, tso safe, pso safe
// expect -DRELAXED: sc safe, tso safe, pso unsafe

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef RELAXED
#define ORDER memory_order_relaxed
#else
#define ORDER memory_order_release
#endif

static atomic_uint next_ticket, now_serving;
static int counter;

static void *increment(void *unused)
{
    (void)unused;
    unsigned int ticket = atomic_fetch_add_explicit(&next_ticket, 1, memory_order_relaxed);
    while (atomic_load_explicit(&now_serving, memory_order_acquire) != ticket)
        ;
    counter++;
    atomic_store_explicit(&now_serving, ticket + 1, ORDER);
    return NULL;
}

int main(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, increment, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    assert(counter == 3);
    return 0;
}
