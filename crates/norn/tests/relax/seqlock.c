// A sequence lock in C11 with the orders and fences of Boehm ("Can seqlocks get along with programming language memory
// models?", 2012): odd while the writer writes.
//
// relax -m tso: cost 0 instead of 6;
// relax -m pso: cost 3 instead of 6; 17 release fence, 20 release store

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int sequence, left, right;

void *writer(void *unused)
{
    int before = atomic_load_explicit(&sequence, memory_order_relaxed);
    atomic_store_explicit(&sequence, before + 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&left, 1, memory_order_relaxed);
    atomic_store_explicit(&right, 1, memory_order_relaxed);
    atomic_store_explicit(&sequence, before + 2, memory_order_release);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, writer, 0);
    int before = atomic_load_explicit(&sequence, memory_order_acquire);
    int l = atomic_load_explicit(&left, memory_order_relaxed);
    int r = atomic_load_explicit(&right, memory_order_relaxed);
    atomic_thread_fence(memory_order_acquire);
    int after = atomic_load_explicit(&sequence, memory_order_relaxed);
    if (before % 2 == 0 && before == after)
        assert(l == r);
    return 0;
}
