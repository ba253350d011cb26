// A sequence lock: the writer makes the sequence number odd, writes both halves of the data, and makes the number even
// again. A reader that finds the same even number before and after has read halves that belong together. TSO keeps
// the writer's stores in order; PSO needs a release fence after the odd number and a release store of the even one.
//
// expect: sc safe, tso safe, pso unsafe
// expect -DFENCED: sc safe, tso safe, pso safe

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef FENCED
#define fence() atomic_thread_fence(memory_order_release)
#define ORDER memory_order_release
#else
#define fence() ((void)0)
#define ORDER memory_order_relaxed
#endif

static atomic_int sequence;
static atomic_int left, right;

static void *write_twice(void *unused)
{
    (void)unused;
    for (int value = 1; value <= 2; value++) {
        atomic_store_explicit(&sequence, 2 * value - 1, memory_order_relaxed);
        fence();
        atomic_store_explicit(&left, value, memory_order_relaxed);
        atomic_store_explicit(&right, value, memory_order_relaxed);
        atomic_store_explicit(&sequence, 2 * value, ORDER);
    }
    return NULL;
}

static void *read_once(void *unused)
{
    (void)unused;
    int before = atomic_load_explicit(&sequence, memory_order_acquire);
    if (before % 2 == 0) {
        int l = atomic_load_explicit(&left, memory_order_relaxed);
        int r = atomic_load_explicit(&right, memory_order_relaxed);
        atomic_thread_fence(memory_order_acquire);
        int after = atomic_load_explicit(&sequence, memory_order_relaxed);
        if (before == after)
            assert(l == r);
    }
    return NULL;
}

int main(void)
{
    pthread_t writer, reader;
    pthread_create(&writer, NULL, write_twice, NULL);
    pthread_create(&reader, NULL, read_once, NULL);
    pthread_join(writer, NULL);
    pthread_join(reader, NULL);
    return 0;
}
