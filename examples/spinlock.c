// A lock made of one atomic flag. Taking it is a read-modify-write, which is a fence on all three machines. Giving it
// back with a release store keeps the protected writes before it; with a relaxed one, PSO may let the flag arrive first,
// and an increment gets lost.
//
// expect: sc safe, tso safe, pso safe
// expect -DRELAXED: sc safe, tso safe, pso unsafe
// expect --data-race: sc safe, tso safe, pso safe
// expect --data-race -DRELAXED: sc unsafe, tso unsafe, pso unsafe

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef RELAXED
#define ORDER memory_order_relaxed
#else
#define ORDER memory_order_release
#endif

static atomic_flag locked = ATOMIC_FLAG_INIT;
static int counter;

static void *increment(void *unused)
{
    (void)unused;
    while (atomic_flag_test_and_set_explicit(&locked, memory_order_acquire))
        ;
    counter++;
    atomic_flag_clear_explicit(&locked, ORDER);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, increment, NULL);
    pthread_create(&b, NULL, increment, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(counter == 2);
    return 0;
}
