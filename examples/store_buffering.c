// Store buffering: each thread writes its own variable and then reads the other's. Under SC at least one of them reads 1.
// With store buffers both writes can still be on their way when the reads happen, and both threads read 0.
// A full fence between the write and the read makes the thread wait until its buffer is empty.
//
// expect: sc safe, tso unsafe, pso unsafe
// expect -DFENCED: sc safe, tso safe, pso safe

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef FENCED
#define fence() atomic_thread_fence(memory_order_seq_cst)
#else
#define fence() ((void)0)
#endif

static atomic_int x, y;
static int seen_by_left, seen_by_right;

static void *left(void *unused)
{
    (void)unused;
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    fence();
    seen_by_left = atomic_load_explicit(&y, memory_order_relaxed);
    return NULL;
}

static void *right(void *unused)
{
    (void)unused;
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    fence();
    seen_by_right = atomic_load_explicit(&x, memory_order_relaxed);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, left, NULL);
    pthread_create(&b, NULL, right, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(seen_by_left == 1 || seen_by_right == 1);
    return 0;
}
