// A lock of exchanges and a store, with the strongest orders, through a macro that its users give an order.
//
// relax -m tso: cost 0 instead of 32;
// relax -m pso --data-race: cost 11 instead of 32; 10 release store, 16 acquire update

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define RELEASE(lock) atomic_store_explicit(&(lock), 0, memory_order_seq_cst)
atomic_int lock;
int inside;

void enter(void)
{
    while (atomic_exchange(&lock, 1))
        ;
    inside++;
    assert(inside == 1);
    inside--;
    RELEASE(lock);
}

void *other(void *unused)
{
    enter();
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, other, 0);
    enter();
    return 0;
}
