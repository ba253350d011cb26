// Store buffering with every kind of fence, of which some are too many.
//
// relax -m tso: cost 20 instead of 41; 18 full fence, 29 full fence
// relax -m sc: cost 0 instead of 41;

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define barrier_full() __asm__ volatile ("mfence" ::: "memory")
volatile int x, y;
int seen[2];

void *other(void *unused)
{
    __sync_synchronize();
    y = 1;
    barrier_full(); /* this one */
    seen[1] = x;
    __asm__ volatile ("lfence" ::: "memory");
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, other, 0);
    x = 1;
    __sync_synchronize();
    if (seen[0] == 0)
        atomic_thread_fence(memory_order_seq_cst);
    seen[0] = y;
    pthread_join(thread, 0);
    assert(seen[0] || seen[1]);
    return 0;
}
